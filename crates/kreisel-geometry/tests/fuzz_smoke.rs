//! The fuzz targets on bytes drawn at random, and on mutated mesh files.

mod common;

use common::Random;
use kreisel_geometry::fuzzing::{TARGETS, loaders};

#[test]
fn no_target_panics_on_random_bytes() {
    for (name, target) in TARGETS {
        let mut random = Random(name.len() as u64);
        for _ in 0..1000 {
            let n = random.below(400) as usize;
            let bytes: Vec<u8> = (0..n).map(|_| random.next() as u8).collect();
            target(&bytes);
        }
    }
}

#[test]
fn no_loader_panics_on_mutated_files() {
    let obj = b"\0v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/2 4/4\nf 2 3 4\nf 1 4 3\n"
        .to_vec();
    let stl = b"\x01solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n".to_vec();
    let mut binary = vec![1];
    binary.extend([0; 80]);
    binary.extend(1_u32.to_le_bytes());
    binary.extend([0; 50]);
    let gltf = br#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;
    let gltf: Vec<u8> = [2].into_iter().chain(gltf.iter().copied()).collect();
    let mut random = Random(77);
    for seed in [obj, stl, binary, gltf] {
        loaders(&seed);
        for _ in 0..1000 {
            let mut bytes = seed.clone();
            for _ in 0..1 + random.below(6) {
                let at = 1 + random.below(bytes.len() as u64 - 1) as usize;
                match random.below(3) {
                    0 => bytes[at] = random.next() as u8,
                    1 => bytes.truncate(at.max(2)),
                    _ => bytes.insert(at, b"0-9e.\n/\xff"[random.below(8) as usize]),
                }
            }
            loaders(&bytes);
        }
    }
}
