//! `cargo xtask fuzz`: mutated files of every format go through their loaders, for a given time and from a given seed.
//!
//! A stable-toolchain driver: no coverage guides it, but it runs everywhere, and the same seed makes the same inputs. Any input
//! must end in success or in a diagnostic, within two seconds. The input that is being tried is kept in a file, so that one
//! that ends the process can be found.

mod corpus;
mod mutate;

use kreisel_geometry::mesh::read::{Format, read};
use mutate::Random;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Longest time that one input may take (files here are far below 1 MB).
const LONGEST: Duration = Duration::from_secs(2);

/// One format: its name, and what it does with bytes.
type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("toml", |b| scene("x.toml", b)),
    ("json", |b| scene("x.json", b)),
    ("expression", expression),
    ("urdf", |b| scene("x.urdf", b)),
    ("mjcf", |b| scene("x.xml", b)),
    ("obj", |b| drop(read(b, Format::Obj))),
    ("stl", |b| drop(read(b, Format::Stl))),
    ("gltf", |b| drop(read(b, Format::Gltf))),
    ("recording", recording),
    ("csv", |b| drop(kreisel_scene::record::Data::from_csv(b))),
    // Geometry from bytes: promises that must hold whatever the numbers are.
    ("triangle-pairs", kreisel_geometry::fuzzing::triangles),
    ("mesh-distances", kreisel_geometry::fuzzing::meshes),
    ("hierarchies", kreisel_geometry::fuzzing::hierarchies),
    ("impacts", kreisel_geometry::fuzzing::impacts),
];

fn scene(name: &str, bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = kreisel_scene::parse(name, text);
    }
}

/// A recording, and the scene in it.
fn recording(bytes: &[u8]) {
    if let Ok(recording) = kreisel_scene::record::Recording::from_bytes(bytes) {
        let _ = recording.scene(&kreisel_scene::Options::default());
        let _ = recording.into_data();
    }
}

/// An expression as the value of a parameter.
fn expression(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let quoted = text.replace(['\\', '"', '\n', '\r'], " ");
        let _ = kreisel_scene::parse("x.toml", &format!("[params]\nx = \"{quoted}\"\n"));
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)?.parse::<f64>().ok());
    let minutes = value("--minutes").unwrap_or(1.0);
    let seed = value("--seed").unwrap_or(1.0) as u64;
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let each = Duration::from_secs_f64(minutes * 60.0 / if args.iter().any(|a| a == "--only") { 1.0 } else { TARGETS.len() as f64 });
    let mut slow = 0;
    let only = args.iter().position(|a| a == "--only").and_then(|i| args.get(i + 1));
    for (name, run) in TARGETS.iter().filter(|t| only.is_none_or(|o| o == t.0)) {
        let corpus = corpus::files(&root, name);
        assert!(!corpus.is_empty(), "no files for {name}");
        let mut random = Random::new(seed);
        let (start, mut count, mut worst) = (Instant::now(), 0_u64, Duration::ZERO);
        let kept = std::env::temp_dir().join(format!("kreisel-fuzz-{name}"));
        while start.elapsed() < each {
            let input = mutate::mutate(&corpus, &mut random);
            // Written before it is tried: a panic or an abort leaves it there.
            let _ = std::fs::write(&kept, &input);
            let begin = Instant::now();
            run(&input);
            let took = begin.elapsed();
            if took > LONGEST {
                slow += 1;
                let file = std::env::temp_dir().join(format!("kreisel-fuzz-{name}-slow-{count}"));
                let _ = std::fs::write(&file, &input);
                println!("{name}: {took:?} for {}", file.display());
            }
            worst = worst.max(took);
            count += 1;
        }
        let _ = std::fs::remove_file(&kept);
        println!("{name}: {count} inputs from {} files, longest {worst:?}", corpus.len());
    }
    if slow > 0 {
        std::process::exit(1);
    }
}
