//! The meshes and poses on which distances are measured.
//!
//! Spheres, ellipsoids and linked rings of a peer comparison that predates Kreisel; then parts as
//! they come from CAD programs: large flat faces, thin triangles, grooves and teeth that reach into
//! those of their twin.

#![allow(dead_code)] // each example uses some of it

use crate::common::Random;
use glam::{DQuat, DVec2, DVec3};
use kreisel_geometry::mesh::{generate, sweep};
use kreisel_geometry::query::{MeshQuery, mesh_distance};
use kreisel_geometry::{Pose, TriMesh};
use std::f64::consts::TAU;

/// Poses for each mesh.
pub const POSES: usize = 200;

/// A mesh, and where its twin is seen from it.
pub struct Case {
    pub name: String,
    pub mesh: TriMesh,
    pub poses: Vec<Pose>,
}

/// Everything that is measured.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add =
        |name: String, mesh: TriMesh, poses: Vec<Pose>| cases.push(Case { name, mesh, poses });
    for (triangles, levels) in [(320, 2), (1280, 3), (5120, 4), (20480, 5)] {
        add(format!("sphere {triangles}"), generate::icosphere(1.0, levels), around(2.1, 3.0));
    }
    for (triangles, levels) in [(320, 2), (1280, 3), (5120, 4), (20480, 5)] {
        add(format!("ellipsoid {triangles}"), ellipsoid(levels), around(2.1, 3.0));
    }
    add("tori 5120".into(), generate::torus(1.0, 0.3, 64, 40), linked());
    add("tori 20480".into(), generate::torus(1.0, 0.3, 128, 80), linked());
    for (name, mesh, poses) in [
        ("gears 508", gear(), beside(gear(), gear_pose)),
        ("pulleys 2304", pulley(), beside(pulley(), pulley_pose)),
        ("combs 380", comb(), beside(comb(), comb_pose)),
    ] {
        assert!(
            name.ends_with(&mesh.triangles().len().to_string()),
            "{name}: {}",
            mesh.triangles().len()
        );
        add(name.into(), mesh, poses);
    }
    cases
}

/// Semi-axes 1, 0.6, 0.2.
pub fn ellipsoid(levels: u32) -> TriMesh {
    generate::icosphere(1.0, levels).scaled(DVec3::new(1.0, 0.6, 0.2)).expect("finite")
}

/// Anywhere on a shell, turned in any way.
pub fn around(nearest: f64, farthest: f64) -> Vec<Pose> {
    let mut random = Random(7);
    (0..POSES)
        .map(|_| {
            Pose::new(random.direction() * random.uniform(nearest, farthest), random.rotation())
        })
        .collect()
}

/// Turned by a right angle about x and put through the hole, a little out of place.
pub fn linked() -> Vec<Pose> {
    let mut random = Random(7);
    let half = 0.5_f64.sqrt();
    (0..POSES)
        .map(|_| {
            let tilt = random.vector() * 0.07;
            let rotation = DQuat::from_xyzw(half + tilt.x, tilt.y, tilt.z, half).normalize();
            Pose::new(DVec3::X + random.vector() * 0.1, rotation)
        })
        .collect()
}

/// The first poses that a generator gives in which the twins do not touch.
fn beside(mesh: TriMesh, pose: fn(&mut Random) -> Pose) -> Vec<Pose> {
    let mut random = Random(7);
    let mut poses = Vec::new();
    while poses.len() < POSES {
        let pose = pose(&mut random);
        let d =
            mesh_distance(mesh.tree(), &pose, mesh.tree(), &Pose::IDENTITY, &MeshQuery::default());
        if d.expect("no limit").distance > 0.0 {
            poses.push(pose);
        }
    }
    poses
}

fn small_turn(random: &mut Random, size: f64) -> DQuat {
    let v = random.vector() * size;
    DQuat::from_xyzw(v.x, v.y, v.z, 1.0).normalize()
}

/// A spur gear of 32 teeth with flat faces of thin triangles.
pub fn gear() -> TriMesh {
    let corner = |k: u32| {
        // a quarter of the pitch each: root, root, tip, tip
        let (sin, cos) = (TAU * f64::from(k) / 128.0).sin_cos();
        DVec2::new(cos, sin) * if k % 4 < 2 { 0.9 } else { 1.0 }
    };
    sweep::extrude(&(0..128).map(corner).collect::<Vec<_>>(), 0.3).expect("a simple polygon")
}

/// The teeth in the gaps of the twin.
fn gear_pose(random: &mut Random) -> Pose {
    let angle = TAU / 64.0 * (1.0 + 0.3 * random.uniform(-1.0, 1.0)) / 2.0;
    let mesh = DQuat::from_xyzw(0.0, 0.0, angle.sin(), angle.cos());
    let place = DVec3::new(random.uniform(1.93, 1.98), 0.0, random.uniform(-0.1, 0.1));
    Pose::new(place, small_turn(random, 0.01) * mesh)
}

/// A turned part: two flanges, a groove between them, a bore.
pub fn pulley() -> TriMesh {
    let profile = [
        (0.2, -0.275),
        (1.0, -0.275),
        (1.0, -0.175),
        (0.6, -0.175),
        (0.55, -0.1),
        (0.55, 0.1),
        (0.6, 0.175),
        (1.0, 0.175),
        (1.0, 0.275),
        (0.3, 0.275),
        (0.3, 0.2),
        (0.2, 0.2),
    ];
    sweep::revolve(&profile.map(|(r, z)| DVec2::new(r, z)), 96).expect("a simple polygon")
}

/// A flange in the groove of the twin.
fn pulley_pose(random: &mut Random) -> Pose {
    let place = DVec3::new(
        random.uniform(1.62, 1.9),
        random.uniform(-0.1, 0.1),
        0.225 + random.uniform(-0.05, 0.05),
    );
    Pose::new(place, small_turn(random, 0.02))
}

/// A base with 24 fins, as a heat sink has: large parallel faces with small gaps.
pub fn comb() -> TriMesh {
    let mut profile = vec![DVec2::new(0.0, -0.2)];
    for k in 0..24 {
        let x = 0.1 * f64::from(k);
        profile.extend(
            [(x, 0.8), (x + 0.03, 0.8), (x + 0.03, 0.0), (x + 0.1, 0.0)]
                .map(|(x, y)| DVec2::new(x, y)),
        );
    }
    // the last fin ends the base
    profile.truncate(profile.len() - 2);
    let end = profile[profile.len() - 1].x;
    profile.push(DVec2::new(end, -0.2));
    sweep::extrude(&profile, 1.5).expect("a simple polygon")
}

/// Upside down, the fins between those of the twin.
fn comb_pose(random: &mut Random) -> Pose {
    let upside_down = DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0);
    let place = DVec3::new(
        2.33 + 0.035 + random.uniform(-0.02, 0.02),
        random.uniform(0.9, 1.2),
        random.uniform(-0.3, 0.3),
    );
    Pose::new(place, small_turn(random, 0.004) * upside_down)
}
