//! PLY and VRML 2 in, OBJ, STL, PLY and VRML 2 out. Volumes are those of the solids.

use glam::DVec3;
use kreisel_geometry::mesh::read::{Format, read};
use kreisel_geometry::mesh::write::{Written, write};
use kreisel_geometry::mesh::{generate, sweep};
use kreisel_geometry::{Pose, TriMesh};

/// A U of 3 × 2 with a notch, 0.5 high: concave side faces, volume 2.48 · 0.5.
fn channel() -> TriMesh {
    let u = [
        [0.0, 0.0],
        [3.0, 0.0],
        [3.0, 2.0],
        [2.6, 2.0],
        [2.6, 0.4],
        [0.4, 0.4],
        [0.4, 2.0],
        [0.0, 2.0],
    ];
    sweep::extrude(&u.map(glam::DVec2::from_array), 0.5).expect("a solid")
}

#[test]
fn what_is_written_is_read_back() {
    let turned = Pose::new(DVec3::new(0.1, -2.0, 1e-3), glam::DQuat::from_rotation_x(0.3));
    for mesh in
        [channel().moved(&turned), generate::torus(1.0, 0.3, 20, 9), generate::cuboid(DVec3::ONE)]
    {
        let mesh = mesh.welded();
        for (to, from) in [
            (Written::Obj, Format::Obj),
            (Written::Ply, Format::Ply),
            (Written::Vrml, Format::Vrml),
        ] {
            let again = read(&write(&mesh, to), from).unwrap_or_else(|e| panic!("{to:?}: {e}"));
            assert_eq!(again, mesh, "{to:?}: to the bit");
        }
        // single precision
        let again = read(&write(&mesh, Written::Stl), Format::Stl).expect("a mesh");
        let (a, b) = (again.volume().expect("closed"), mesh.volume().expect("closed"));
        assert!((a / b - 1.0).abs() < 1e-5, "{a} {b}");
    }
}

/// Text, both byte orders, other properties and elements in between, faces with many corners.
#[test]
fn ply_files_of_every_coding_are_the_same_mesh() {
    let header = |coding: &str| {
        format!(
            "ply\nformat {coding} 1.0\ncomment a wedge\nelement vertex 6\nproperty float x\n\
             property float y\nproperty uchar red\nproperty float z\nelement material 1\n\
             property int shine\nelement face 5\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let points =
        [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 2.], [1., 0., 2.], [0., 1., 2.]];
    let faces: [&[i32]; 5] = [&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
    let mut text = header("ascii");
    let (mut little, mut big) =
        (header("binary_little_endian").into_bytes(), header("binary_big_endian").into_bytes());
    for [x, y, z] in points {
        text += &format!("{x} {y} 200 {z}\n");
        for (out, big_end) in [(&mut little, false), (&mut big, true)] {
            let f = |v: f64| {
                let v = v as f32;
                if big_end { v.to_be_bytes() } else { v.to_le_bytes() }
            };
            out.extend(f(x));
            out.extend(f(y));
            out.push(200);
            out.extend(f(z));
        }
    }
    text += "7\n";
    little.extend(7_i32.to_le_bytes());
    big.extend(7_i32.to_be_bytes());
    for face in faces {
        text += &format!("{}", face.len());
        face.iter().for_each(|i| text += &format!(" {i}"));
        text += "\n";
        little.push(face.len() as u8);
        big.push(face.len() as u8);
        face.iter().for_each(|i| little.extend(i.to_le_bytes()));
        face.iter().for_each(|i| big.extend(i.to_be_bytes()));
    }
    let one = read(text.as_bytes(), Format::Ply).expect("text");
    // half of a box of 1 × 1 × 2
    assert!((one.volume().expect("closed") - 1.0).abs() < 1e-15);
    assert_eq!(read(&little, Format::Ply).expect("little"), one);
    assert_eq!(read(&big, Format::Ply).expect("big"), one);
}

/// Solids, transforms, groups that are used again, mirrors, the order of corners.
#[test]
fn vrml_scenes_have_the_volume_of_their_solids() {
    let text = r#"#VRML V2.0 utf8
# a comment with { brackets }
WorldInfo { info [ "made by \"hand\"", "twice" ] }
DEF HALF Transform {
  translation 1 0 0, rotation 0 0 1 1.5707963267948966 scale 1 2 0.5
  children [
    Shape { appearance Appearance { material Material { diffuseColor 1 0 0 } }
            geometry Box { size 1 1 4 } }
  ]
}
Group { children [ Transform { translation 10 0 0 scale -1 1 1 children [ USE HALF ] } ] }
Switch { whichChoice 1 choice [ Shape { geometry Sphere { } }
  Transform { translation 0 10 0 children Shape { geometry Cylinder { radius 0.5 height 3 } } } ] }
Transform { translation 0 20 0 children Shape { geometry IndexedFaceSet {
  ccw FALSE solid TRUE
  coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }
  coordIndex [ 0 1 2 -1 0 3 1 -1 1 3 2 -1 0 2 3 ] } } }
ROUTE A.b TO C.d
"#;
    let mesh = read(text.as_bytes(), Format::Vrml).expect("a scene");
    // two boxes of 1 × 2 × 2, a prism over a regular 32-gon, a tetrahedron
    let prism = 16.0 * 0.25 * (std::f64::consts::TAU / 32.0).sin() * 3.0;
    let sum = 2.0 * 4.0 + prism + 1.0 / 6.0;
    assert!((mesh.volume().expect("closed, outwards") - sum).abs() < 1e-12);
    // turned by a right angle about z after it was stretched along y: 2 m along x, about x = 1
    let (low, _) = mesh.bounds();
    assert!((low.x + 0.5).abs() < 1e-12 || (low.x - 0.0).abs() < 1e-12, "{low}");
    // the cylinder stands along y
    let tall = mesh.vertices().iter().filter(|v| (v.y - 11.5).abs() < 1e-12).count();
    assert!(tall > 30, "{tall}");
}

/// Files that lie, end early or want too much are errors with their line, not panics.
#[test]
fn broken_files_are_refused_by_name() {
    let vrml = |body: &str| read(format!("#VRML V2.0 utf8\n{body}").as_bytes(), Format::Vrml);
    for (body, words) in [
        ("Shape { geometry Extrusion { } }", "Extrusion"),
        ("PROTO Wheel [ ] { }", "line 2: VRML prototypes"),
        ("Inline { url \"a.wrl\" }", "Inline"),
        ("Transform { children [ USE nothing ] }", "\"nothing\" is not defined"),
        ("Transform { translation 1 2 children [ ] }", "translation of Transform has 3 numbers"),
        ("Shape { geometry Box { size 1 x 1 } }", "size of Box has 3 numbers, not 1"),
        ("}", "line 2"),
        ("Transform {", "line"),
        (
            "Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0 ] } coordIndex [ 0 1 2 ] } }",
            "beyond the 1",
        ),
    ] {
        let e = vrml(body).map(|_| ()).unwrap_err().to_string();
        assert!(e.contains(words), "{body}: {e}");
    }
    assert!(read(b"#VRML V1.0 ascii\n", Format::Vrml).unwrap_err().to_string().contains("V1.0"));
    // groups that are used twice by groups that are used twice
    let mut bomb = String::from("DEF A0 Shape { geometry Sphere { } }\n");
    for k in 1..40 {
        bomb += &format!("DEF A{k} Group {{ children [ USE A{} USE A{} ] }}\n", k - 1, k - 1);
    }
    assert!(vrml(&bomb).unwrap_err().to_string().contains("triangles"));
    for text in [
        "ply\n",
        "plx\n",
        "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nend_header\n",
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
        "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uint int vertex_index\nend_header\n\u{7f}\u{7f}\u{7f}\u{7f}",
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty color x\nend_header\n",
    ] {
        assert!(read(text.as_bytes(), Format::Ply).is_err(), "{text}");
    }
    // elements without properties cost nothing, however many they say they are
    let idle = "ply\nformat ascii 1.0\nelement nothing 4000000000\nelement vertex 0\nproperty float x\nend_header\n";
    assert!(read(idle.as_bytes(), Format::Ply).is_err());
}
