//! Trees and stars: many branches, no loops.

use crate::scene::{Block, Link, Scene};
use glam::{DQuat, DVec3};

const SIZE: DVec3 = DVec3::new(0.1, 0.05, 0.05);

/// A binary tree of `n` boxes of 0.1 × 0.05 × 0.05 m and 1 kg with ball joints, level, at rest,
/// hung at its root; step 0.01 s.
///
/// Box i carries the boxes 2i + 1 and 2i + 2 at its far end, turned by ± 0.4 rad about the
/// vertical.
pub fn tree(n: usize) -> Scene {
    let depth = (n + 1).ilog2();
    let mut scene = Scene::new(format!("tree{n}"), SIZE.x * f64::from(depth), 0.01);
    let mut tips: Vec<(DVec3, f64)> = Vec::with_capacity(n);
    for i in 0..n {
        let parent = i.checked_sub(1).map(|k| k / 2);
        let (from, angle) = parent.map_or((DVec3::ZERO, 0.0), |p| {
            let turn = if i % 2 == 1 { 0.4 } else { -0.4 };
            (tips[p].0, tips[p].1 + turn)
        });
        let rotation = DQuat::from_rotation_y(angle);
        let along = rotation * DVec3::X * SIZE.x;
        scene.block(Block::new(1.0, SIZE, from + along / 2.0, rotation));
        scene.links.push(Link::ball(parent, i, from));
        tips.push((from + along, angle));
    }
    scene
}

/// A hub of 10 kg (a cube of 0.1 m) hung at the middle of its top, with `arms` boxes of 0.1 × 0.05
/// × 0.05 m and 1 kg on ball joints around it, level, at rest; step 0.01 s.
pub fn star(arms: usize) -> Scene {
    let mut scene = Scene::new(format!("star{arms}"), 0.2, 0.01);
    let hub = scene.block(Block::new(
        10.0,
        DVec3::splat(0.1),
        DVec3::new(0.0, -0.05, 0.0),
        DQuat::IDENTITY,
    ));
    scene.links.push(Link::ball(None, hub, DVec3::ZERO));
    for i in 0..arms {
        let rotation = DQuat::from_rotation_y(std::f64::consts::TAU * i as f64 / arms as f64);
        let center = DVec3::new(0.0, -0.05, 0.0);
        let along = rotation * DVec3::X;
        let arm = scene.block(Block::new(1.0, SIZE, center + along * 0.1, rotation));
        scene.links.push(Link::ball(Some(hub), arm, center + along * 0.05));
    }
    scene
}
