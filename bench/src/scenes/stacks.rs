//! Boxes on boxes: pyramids, piles, a wall and a funnel. Cubes of 1 m and 1 kg, friction 0.5, 1/60
//! s.

use crate::scene::{Block, Scene};
use glam::{DQuat, DVec3};

const STEP: f64 = 1.0 / 60.0;
const FRICTION: f64 = 0.5;

fn cube(position: DVec3, rotation: DQuat) -> Block {
    Block::new(1.0, DVec3::ONE, position, rotation)
}

fn scene(name: String, length: f64) -> Scene {
    Scene { friction: Some(FRICTION), ..Scene::new(name, length, STEP) }
}

/// A plane pyramid with `n` cubes in its lowest course, 5 cm apart.
pub fn pyramid(n: usize) -> Scene {
    let mut scene = scene(format!("pyramid{n}"), n as f64);
    scene.block(Block::fixed(DVec3::new(200.0, 2.0, 200.0), DVec3::NEG_Y, DQuat::IDENTITY));
    for r in 0..n {
        for c in 0..n - r {
            let x = (c as f64 - (n - r - 1) as f64 / 2.0) * 1.05;
            scene.block(cube(DVec3::new(x, 0.5 + r as f64, 0.0), DQuat::IDENTITY));
        }
    }
    scene
}

/// An open box `side` wide: a floor and four walls.
pub(super) fn pit(name: String, length: f64, side: f64) -> Scene {
    let mut scene = scene(name, length);
    let s = side / 2.0;
    let floor = DVec3::new(2.0 * s + 4.0, 2.0, 2.0 * s + 4.0);
    scene.block(Block::fixed(floor, DVec3::NEG_Y, DQuat::IDENTITY));
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let wide = 2.0 * s + 4.0;
        let size = if x != 0.0 { DVec3::new(2.0, 30.0, wide) } else { DVec3::new(wide, 30.0, 2.0) };
        scene.block(Block::fixed(
            size,
            DVec3::new(x * (s + 1.0), 15.0, z * (s + 1.0)),
            DQuat::IDENTITY,
        ));
    }
    scene
}

/// Tilted cubes, `nx` × `ny` × `nz` of them, that fall into an open box `side` wide.
pub fn pile([nx, ny, nz]: [usize; 3], side: f64) -> Scene {
    let mut scene = pit(format!("pile{}", nx * ny * nz), ny as f64, side);
    let mut k = 0.0;
    for y in 0..ny {
        for x in 0..nx {
            for z in 0..nz {
                k += 1.0;
                let fy = y as f64;
                let at = DVec3::new(
                    (x as f64 - (nx - 1) as f64 / 2.0) * 1.35 + 0.2 * (1.7 * fy).sin(),
                    1.0 + 1.5 * fy,
                    (z as f64 - (nz - 1) as f64 / 2.0) * 1.35 + 0.2 * (2.3 * fy).cos(),
                );
                scene.block(cube(at, tilt(k)));
            }
        }
    }
    scene
}

/// A rotation that looks random and is the same everywhere: up to 17 degrees about an axis of its
/// own.
fn tilt(k: f64) -> DQuat {
    let (a, b) = ((k * 0.6180339887_f64) % 1.0, (k * 0.7548776662_f64) % 1.0);
    let (t, p) = (0.3 * (a - 0.5), std::f64::consts::TAU * b);
    DQuat::from_xyzw(t.sin() * p.cos(), t.sin() * 0.3, t.sin() * p.sin(), t.cos()).normalize()
}

/// Bender's wall: 24 courses of 11 and 10 bricks of 1 × 0.3 × 0.4 m (E-14), before the ball comes.
pub fn wall() -> Scene {
    let mut scene = scene("wall252".into(), 7.2);
    scene.block(Block::fixed(DVec3::new(200.0, 2.0, 200.0), DVec3::NEG_Y, DQuat::IDENTITY));
    for course in 0..24 {
        let n = 11 - course % 2;
        for k in 0..n {
            let at = DVec3::new(k as f64 - 0.5 * (n - 1) as f64, 0.15 + 0.3 * course as f64, 0.0);
            scene.block(Block::new(1.0, DVec3::new(1.0, 0.3, 0.4), at, DQuat::IDENTITY));
        }
    }
    scene
}

/// 1000 cubes through a funnel of four plates at 45 degrees (after Bender's E-13).
pub fn funnel() -> Scene {
    let mut scene = Scene { friction: Some(0.1), ..Scene::new("funnel1000", 10.0, STEP) };
    scene.block(Block::fixed(DVec3::new(200.0, 2.0, 200.0), DVec3::NEG_Y, DQuat::IDENTITY));
    for s in [1.0, -1.0] {
        let turn = s * std::f64::consts::FRAC_PI_4;
        scene.block(Block::fixed(
            DVec3::new(10.0, 0.5, 18.0),
            DVec3::new(s * 5.68, 10.82, 0.0),
            DQuat::from_rotation_z(turn),
        ));
        scene.block(Block::fixed(
            DVec3::new(18.0, 0.5, 10.0),
            DVec3::new(0.0, 10.82, s * 5.68),
            DQuat::from_rotation_x(-turn),
        ));
        scene.block(Block::fixed(
            DVec3::new(0.5, 20.0, 19.0),
            DVec3::new(s * 8.5, 22.0, 0.0),
            DQuat::IDENTITY,
        ));
        scene.block(Block::fixed(
            DVec3::new(19.0, 20.0, 0.5),
            DVec3::new(0.0, 22.0, s * 8.5),
            DQuat::IDENTITY,
        ));
    }
    for k in 0..1000 {
        let (i, j, l) = ((k % 10) as f64, (k / 10 % 10) as f64, (k / 100) as f64);
        let at = DVec3::new((i - 4.5) * 1.4, 15.0 + 1.4 * l, (j - 4.5) * 1.4);
        scene.block(cube(at, tilt(k as f64)));
    }
    scene
}
