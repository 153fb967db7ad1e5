//! Nets: closed loops everywhere.

use crate::scene::{Block, Link, Scene};
use glam::{DQuat, DVec3};

/// `k` × `k` nodes joined by rods of 0.1 m and 0.1 kg (boxes 0.1 × 0.04 × 0.04 m) with ball joints,
/// d − 1 of them at a node where d rods meet; flat and level at rest, pinned at two *opposite*
/// corners; step 0.01 s.
///
/// Pinned at two corners of one side, the row between the pins is exactly as long as the pins are
/// apart: no exact method can run that net and a soft one only stretches it.
pub fn net(k: usize) -> Scene {
    let length = 0.1;
    let size = DVec3::new(length, 0.04, 0.04);
    let rods = 2 * k * (k - 1);
    let mut scene = Scene::new(format!("net{k}"), length * (rods as f64 / 2.0).sqrt(), 0.01);
    let place = |i: usize, j: usize| DVec3::new(j as f64 * length, 0.0, i as f64 * length);
    let mut ends = vec![Vec::new(); k * k];
    let mut rod = |scene: &mut Scene, from: (usize, usize), to: (usize, usize), rotation: DQuat| {
        let center = (place(from.0, from.1) + place(to.0, to.1)) / 2.0;
        let me = scene.block(Block::new(0.1, size, center, rotation));
        ends[from.0 * k + from.1].push(me);
        ends[to.0 * k + to.1].push(me);
    };
    for i in 0..k {
        for j in 0..k {
            if j + 1 < k {
                rod(&mut scene, (i, j), (i, j + 1), DQuat::IDENTITY);
            }
            if i + 1 < k {
                rod(
                    &mut scene,
                    (i, j),
                    (i + 1, j),
                    DQuat::from_rotation_y(-std::f64::consts::FRAC_PI_2),
                );
            }
        }
    }
    for (node, rods) in ends.iter().enumerate() {
        for &other in &rods[1..] {
            scene.links.push(Link::ball(Some(rods[0]), other, place(node / k, node % k)));
        }
    }
    for corner in [0, k * k - 1] {
        scene.links.push(Link::ball(None, ends[corner][0], place(corner / k, corner % k)));
    }
    scene
}
