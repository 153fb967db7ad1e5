//! Exported glTF is read back with another library, and its thinned motion stays within the
//! tolerance.

use gltf::animation::util::ReadOutputs;
use kreisel_dynamics::{Quat, Vec3};
use kreisel_scene::Simulation;
use kreisel_scene::export::{Motion, gltf as write};
use std::path::Path;

/// The value of a curve at a time, as a viewer computes it.
fn curve<T: Copy>(keys: &[f32], values: &[T], time: f32, between: impl Fn(T, T, f32) -> T) -> T {
    let k = keys.partition_point(|t| *t <= time);
    if k == 0 || k == keys.len() {
        return values[k.saturating_sub(1)];
    }
    between(values[k - 1], values[k], (time - keys[k - 1]) / (keys[k] - keys[k - 1]))
}

#[test]
fn the_thinned_motion_is_within_the_tolerance_of_every_frame() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/iftomm/a04-bricard.toml");
    let mut scene = kreisel_scene::load(path).unwrap_or_else(|e| panic!("{e}"));
    scene.step = 0.01;
    let mut simulation = Simulation::new(&scene);
    let mut motion = Motion::new(&scene);
    for _ in 0..300 {
        simulation.step();
        motion.push(&simulation.world);
    }
    let tolerance = 1e-3;
    let file = write(&scene, &motion, tolerance);
    assert!(file.keyframes * 3 < file.frames, "{} of {} keyframes", file.keyframes, file.frames);
    // reading validates the document
    let document = gltf::Gltf::from_slice(&file.glb()).unwrap();
    let bytes = document.blob.clone().unwrap();
    let bodies = scene.world.bodies().count();
    assert_eq!(document.nodes().count(), bodies + 1);
    let root = document.nodes().next().unwrap();
    assert_eq!(root.children().count(), bodies);
    // the scene's gravity is -y, which is glTF's down: nothing is turned
    assert!(Quat::from_array(root.transform().decomposed().1.map(f64::from)).is_near_identity());

    let animation = document.animations().next().unwrap();
    let mut compared = 0;
    for (k, node) in root.children().enumerate() {
        let corners: Vec<Vec3> = node
            .mesh()
            .unwrap()
            .primitives()
            .flat_map(|p| {
                p.reader(|_| Some(&bytes[..])).read_positions().unwrap().collect::<Vec<_>>()
            })
            .map(|p| Vec3::from_array(p.map(f64::from)))
            .collect();
        let (t0, r0, _) = node.transform().decomposed();
        let (mut shift, mut turn) = (
            (vec![0.0], vec![glam::Vec3::from_array(t0)]),
            (vec![0.0], vec![glam::Quat::from_array(r0)]),
        );
        for channel in animation.channels().filter(|c| c.target().node().index() == node.index()) {
            let reader = channel.reader(|_| Some(&bytes[..]));
            let keys: Vec<f32> = reader.read_inputs().unwrap().collect();
            assert!(keys.windows(2).all(|w| w[0] < w[1]));
            match reader.read_outputs().unwrap() {
                ReadOutputs::Translations(t) => {
                    shift = (keys, t.map(glam::Vec3::from_array).collect())
                }
                ReadOutputs::Rotations(r) => {
                    turn = (keys, r.into_f32().map(glam::Quat::from_array).collect())
                }
                _ => panic!("only translations and rotations move"),
            }
        }
        for (f, time) in motion.times.iter().enumerate() {
            let p = curve(&shift.0, &shift.1, *time as f32, |a, b, t| a.lerp(b, t)).as_dvec3();
            let r = curve(&turn.0, &turn.1, *time as f32, |a, b, t| a.slerp(b, t)).as_dquat();
            for c in &corners {
                let exact = motion.positions[k][f] + motion.rotations[k][f].mul_vec3(*c);
                let off = exact.distance(p + r.mul_vec3(*c));
                // single precision adds what 1 m and 3 s are rounded to
                assert!(off <= tolerance + 2e-6, "body {k} at {time} s is off by {off} m");
                compared += 1;
            }
        }
    }
    assert!(compared > 1000);
}

#[test]
fn a_scene_with_gravity_along_z_is_turned_upright_and_shapes_are_shared() {
    let text = r#"
[[body]]
repeat = 5
name = "ball {i}"
shape = { sphere = 0.1 }
mass = 1
color = "red"
position = ["i", 0, 1]
[[body]]
name = "point"
shape = "point"
mass = 1
"#;
    let scene = kreisel_scene::parse("balls.toml", text).unwrap_or_else(|e| panic!("{e}"));
    let file = write(&scene, &Motion::new(&scene), 1e-4);
    let document = gltf::Gltf::from_slice(&file.glb()).unwrap();
    assert_eq!((document.meshes().count(), document.animations().count()), (2, 0));
    let root = document.nodes().next().unwrap();
    let turn = Quat::from_array(root.transform().decomposed().1.map(f64::from));
    assert!((turn * Vec3::Z).distance(Vec3::Y) < 1e-6);
    // the text form is the same document
    let text = gltf::Gltf::from_slice(file.text().as_bytes()).unwrap();
    assert_eq!(text.nodes().count(), document.nodes().count());
}
