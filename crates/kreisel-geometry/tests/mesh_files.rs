//! Reading meshes: what the formats hold comes out, and no bytes make a reader panic.

use base64::Engine;
use glam::DVec3;
use kreisel_geometry::mesh::generate;
use kreisel_geometry::mesh::read::{Format, ReadError, read};
use kreisel_geometry::{MeshDefect, TriMesh};

/// splitmix64
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

fn cube() -> TriMesh {
    generate::cuboid(DVec3::new(1.0, 2.0, 4.0))
}

fn cube_as_obj() -> Vec<u8> {
    let mut text = String::from("# a cube of quadrilaterals\no cube\n");
    for v in cube().vertices() {
        text += &format!("v {} {} {}\n", v.x, v.y, v.z);
    }
    (text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n").into()
}

fn cube_as_stl(header: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, b' ');
    bytes.extend((cube().triangles().len() as u32).to_le_bytes());
    for t in cube().iter() {
        bytes.extend([0_u8; 12]);
        for x in t.iter().flat_map(|v| v.to_array()) {
            bytes.extend((x as f32).to_le_bytes());
        }
        bytes.extend([0_u8; 2]);
    }
    bytes
}

fn cube_as_text_stl() -> Vec<u8> {
    let mut text = String::from("solid cube\n");
    for [a, b, c] in cube().iter() {
        text += "facet normal 0 0 0\nouter loop\n";
        for v in [a, b, c] {
            text += &format!("vertex {} {} {}\n", v.x, v.y, v.z);
        }
        text += "endloop\nendfacet\n";
    }
    (text + "endsolid cube\n").into()
}

/// A cube under a node that mirrors x and lifts by 10.
fn cube_as_gltf() -> Vec<u8> {
    let mut data = Vec::new();
    for x in cube().vertices().iter().flat_map(|v| v.to_array()) {
        data.extend((x as f32).to_le_bytes());
    }
    for &i in cube().triangles().iter().flatten() {
        data.extend((i as u16).to_le_bytes());
    }
    let base64 = base64::engine::general_purpose::STANDARD.encode(&data);
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"children":[1],"scale":[-1,1,1]}},{{"mesh":0,"translation":[0,0,10]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3","min":[-0.5,-1,-2],"max":[0.5,1,2]}},
                     {{"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":96}},{{"buffer":0,"byteOffset":96,"byteLength":72}}],
        "buffers":[{{"byteLength":168,"uri":"data:application/octet-stream;base64,{base64}"}}]}}"#
    )
    .into_bytes()
}

#[test]
fn every_format_gives_back_the_cube() {
    let files = [
        (cube_as_obj(), Format::Obj),
        (cube_as_stl(b"made by a test"), Format::Stl),
        (cube_as_stl(b"solid, but binary"), Format::Stl),
        (cube_as_text_stl(), Format::Stl),
        (cube_as_gltf(), Format::Gltf),
    ];
    for (bytes, format) in files {
        let mesh = read(&bytes, format).unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12), "{format:?}");
        assert!((mesh.volume().unwrap() - 8.0).abs() < 1e-14, "{format:?}");
    }
}

#[test]
fn the_transforms_of_gltf_nodes_are_applied_and_mirrored_triangles_turned() {
    let mesh = read(&cube_as_gltf(), Format::Gltf).unwrap();
    let (lo, hi) = mesh.bounds();
    assert_eq!((lo, hi), (DVec3::new(-0.5, -1.0, 8.0), DVec3::new(0.5, 1.0, 12.0)));
    assert!(mesh.volume().unwrap() > 0.0, "mirroring must not turn the solid inside out");
}

#[test]
fn an_accessor_beyond_its_buffer_is_an_error() {
    let text = String::from_utf8(cube_as_gltf()).unwrap();
    for (from, to) in [
        (r#""count":8"#, r#""count":9"#),
        (r#""count":36"#, r#""count":18446744073709551615"#),
        (r#""byteOffset":96"#, r#""byteOffset":18446744073709551600"#),
        (r#""byteOffset":96,"byteLength":72"#, r#""byteOffset":96,"byteLength":7200"#),
    ] {
        let broken = text.replace(from, to);
        assert_ne!(broken, text);
        assert!(
            matches!(read(broken.as_bytes(), Format::Gltf), Err(ReadError::Syntax { .. })),
            "{to}"
        );
    }
}

#[test]
fn a_gltf_whose_nodes_form_a_circle_is_an_error() {
    let text = String::from_utf8(cube_as_gltf()).unwrap();
    let circle = text.replace(r#"{"mesh":0,"#, r#"{"mesh":0,"children":[0],"#);
    let error = read(circle.as_bytes(), Format::Gltf).unwrap_err();
    assert_eq!(error.to_string(), "not a valid glTF file: node 0 has two parents");
}

#[test]
fn a_gltf_buffer_in_another_file_is_refused_by_name() {
    let text = String::from_utf8(cube_as_gltf()).unwrap();
    let start = text.find("data:").unwrap();
    let external = format!("{}shape.bin\"}}]}}", &text[..start]);
    let error = read(external.as_bytes(), Format::Gltf).unwrap_err();
    assert!(error.to_string().contains("'shape.bin' is another file"), "{error}");
}

#[test]
fn an_stl_that_promises_more_triangles_than_it_has_is_an_error() {
    let mut bytes = cube_as_stl(b"");
    bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(read(&bytes, Format::Stl), Err(ReadError::Syntax { format: "STL", .. })));
}

#[test]
fn files_without_triangles_are_defective_meshes() {
    assert_eq!(read(b"v 0 0 0\n", Format::Obj), Err(ReadError::Defect(MeshDefect::Empty)));
    assert_eq!(read(b"", Format::Obj), Err(ReadError::Defect(MeshDefect::Empty)));
    assert_eq!(
        read(b"solid x\nendsolid x\n", Format::Stl),
        Err(ReadError::Defect(MeshDefect::Empty))
    );
}

#[test]
fn damaged_files_never_make_a_reader_panic() {
    let files = [
        (cube_as_obj(), Format::Obj),
        (cube_as_stl(b""), Format::Stl),
        (cube_as_text_stl(), Format::Stl),
        (cube_as_gltf(), Format::Gltf),
    ];
    let mut random = Random(11);
    let mut outcomes = [0_u32; 2];
    for (bytes, format) in files {
        for _ in 0..4000 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random.next() % 4 {
                let at = (random.next() % damaged.len() as u64) as usize;
                match random.next() % 4 {
                    0 => damaged[at] = random.next() as u8,
                    1 => damaged[at] = b"0123456789-+e./ \n{}[],\""[(random.next() % 23) as usize],
                    2 => damaged.truncate(at.max(1)),
                    _ => damaged.copy_within(at + 1.., at),
                }
                if damaged.is_empty() {
                    damaged.push(b'x');
                }
            }
            outcomes[usize::from(read(&damaged, format).is_ok())] += 1;
        }
    }
    assert!(outcomes[0] > 1000 && outcomes[1] > 100, "both outcomes must occur: {outcomes:?}");
}

#[test]
fn a_concave_face_of_an_obj_file_stays_open_in_its_notch() {
    // a U of 3 m × 2 m with arms of 0.4 m and a floor of 0.4 m, 1 m thick: as polygons in OBJ, as
    // triangles in STL
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/audit/lennerz");
    let cube = kreisel_geometry::Shape::Box { size: DVec3::splat(0.2) };
    // 0.9 m from the floor of the notch and 1 m from its arms, less half an edge
    let pose = kreisel_geometry::Pose::at(DVec3::new(1.5, 1.5, 0.0));
    for (name, format) in [("uprism.obj", Format::Obj), ("uprism.stl", Format::Stl)] {
        let mesh = read(&std::fs::read(folder.join(name)).unwrap(), format).unwrap();
        assert!(
            (mesh.volume().unwrap() - (6.0 - 2.2 * 1.6)).abs() < 1e-6,
            "{name}: {:?}",
            mesh.volume()
        );
        let mesh = kreisel_geometry::Shape::Mesh(std::sync::Arc::new(mesh));
        let found = kreisel_geometry::query::distance(
            &cube,
            &pose,
            &mesh,
            &kreisel_geometry::Pose::IDENTITY,
        )
        .unwrap();
        assert!((found.distance - 1.0).abs() < 1e-6, "{name}: {}", found.distance);
    }
}

#[test]
fn a_face_that_crosses_itself_is_refused_with_its_line() {
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\n# a bow\nf 1 3 2 4\n";
    let error = read(text.as_bytes(), Format::Obj).unwrap_err().to_string();
    assert_eq!(error, "not a valid OBJ file: line 7: the face with 4 corners crosses itself");
}
