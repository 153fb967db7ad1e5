//! Heaps of every shape: 1000 bodies about 1 m wide that fall into an open box, ragdolls, and 500
//! bodies on terrain.
//! Friction 0.5, 1 kg each, 1/60 s; sizes and attitudes are drawn from one fixed sequence.

use super::stacks::pit;
use crate::scene::{Block, Link, Scene};
use glam::{DQuat, DVec2, DVec3};
use kreisel_dynamics::Shape;
use kreisel_geometry::{ConvexHull, HeightField, Part, Pose};
use std::sync::Arc;

/// What a heap is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Balls,
    Boxes,
    Capsules,
    Cylinders,
    Cones,
    /// Convex hulls with so many vertices.
    Hulls(usize),
    /// Balls, boxes, capsules, cylinders and hulls of 14 vertices in turn.
    Mixed,
}

/// A fixed sequence of numbers in [0, 1) (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    /// A direction, all alike.
    fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
            );
            if v.length_squared() > 0.01 && v.length_squared() < 1.0 {
                return v.normalize();
            }
        }
    }

    fn attitude(&mut self) -> DQuat {
        let (axis, angle) = (self.direction(), self.between(0.0, std::f64::consts::TAU));
        DQuat::from_axis_angle(axis, angle)
    }
}

fn shape(kind: Kind, k: usize, dice: &mut Dice) -> Shape {
    match kind {
        Kind::Balls => Shape::Sphere { radius: dice.between(0.35, 0.5) },
        Kind::Boxes => Shape::Box {
            size: DVec3::new(
                dice.between(0.5, 0.9),
                dice.between(0.5, 0.9),
                dice.between(0.5, 0.9),
            ),
        },
        Kind::Capsules => {
            Shape::Capsule { radius: dice.between(0.2, 0.35), height: dice.between(0.3, 0.6) }
        }
        Kind::Cylinders => {
            Shape::Cylinder { radius: dice.between(0.25, 0.4), height: dice.between(0.5, 0.9) }
        }
        Kind::Cones => cone(dice.between(0.3, 0.5), dice.between(0.6, 1.0)),
        Kind::Hulls(n) => hull(n, dice),
        Kind::Mixed => {
            let kinds =
                [Kind::Balls, Kind::Boxes, Kind::Capsules, Kind::Cylinders, Kind::Hulls(14)];
            shape(kinds[k % kinds.len()], k, dice)
        }
    }
}

/// A cone with its centre of mass, a quarter of the height above the base, at the origin.
fn cone(radius: f64, height: f64) -> Shape {
    let pose = Pose::at(DVec3::Z * (0.25 * height));
    Shape::Compound(vec![Part { pose, shape: Shape::Cone { radius, height } }])
}

/// The hull of `n` points of an ellipsoid, its centre of mass at the origin.
fn hull(n: usize, dice: &mut Dice) -> Shape {
    let radii =
        DVec3::new(dice.between(0.35, 0.55), dice.between(0.35, 0.55), dice.between(0.35, 0.55));
    let points: Vec<DVec3> = (0..n).map(|_| dice.direction() * radii).collect();
    let rough = Shape::Hull(Arc::new(ConvexHull::new(&points).expect("points on an ellipsoid")));
    let center = rough.mass_properties(1.0).expect("it has a volume").center;
    let moved: Vec<DVec3> = points.iter().map(|p| *p - center).collect();
    Shape::Hull(Arc::new(ConvexHull::new(&moved).expect("points on an ellipsoid")))
}

/// 1000 bodies that fall into an open box 12 m wide.
pub fn heap(name: &str, kind: Kind) -> Scene {
    let mut scene = pit(name.into(), 10.0, 12.0);
    let mut dice = Dice(7);
    for k in 0..1000 {
        let (x, z, y) = ((k % 10) as f64, (k / 10 % 10) as f64, (k / 100) as f64);
        let at = DVec3::new((x - 4.5) * 1.15, 1.0 + 1.3 * y, (z - 4.5) * 1.15);
        let shape = shape(kind, k, &mut dice);
        let turn = dice.attitude();
        scene.block(Block::solid(1.0, shape, at, turn));
    }
    scene
}

/// 500 mixed bodies on a bowl with waves of 64 × 64 heights, 0.5 m apart: a height field, or the
/// same surface as a mesh.
pub fn terrain(name: &str, as_mesh: bool) -> Scene {
    const SIDE: usize = 64;
    const SPACING: f64 = 0.5;
    let mut scene = Scene { friction: Some(0.5), ..Scene::new(name, 10.0, 1.0 / 60.0) };
    let middle = 0.5 * SPACING * (SIDE - 1) as f64;
    let height = |k: usize| {
        let (x, y) = ((k % SIDE) as f64 * SPACING - middle, (k / SIDE) as f64 * SPACING - middle);
        0.006 * (x * x + y * y) + 0.2 * (1.1 * x).sin() * (0.9 * y).cos()
    };
    let heights = (0..SIDE * SIDE).map(height).collect();
    let field =
        HeightField::new(SIDE, SIDE, DVec2::splat(SPACING), heights).expect("finite heights");
    let ground = if as_mesh {
        Shape::Mesh(Arc::new(field.to_mesh()))
    } else {
        Shape::HeightField(Arc::new(field))
    };
    // z of the field up, its middle at the origin
    let upright = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    let at = upright * DVec3::new(-middle, -middle, 0.0);
    scene.block(Block { fixed: true, ..Block::solid(1.0, ground, at, upright) });
    let mut dice = Dice(7);
    for k in 0..500 {
        let (x, z, y) = ((k % 10) as f64, (k / 10 % 10) as f64, (k / 100) as f64);
        let at = DVec3::new((x - 4.5) * 1.15, 1.5 + 1.3 * y, (z - 4.5) * 1.15);
        let shape = shape(Kind::Mixed, k, &mut dice);
        let turn = dice.attitude();
        scene.block(Block::solid(1.0, shape, at, turn));
    }
    scene
}

/// Ragdolls of ten capsules and nine ball joints each that fall into an open box.
pub fn ragdolls(n: usize) -> Scene {
    let mut scene = pit(format!("ragdolls{n}"), 10.0, 6.0);
    let mut dice = Dice(11);
    for k in 0..n {
        let (x, z, y) = ((k % 5) as f64, (k / 5 % 5) as f64, (k / 25) as f64);
        let at = DVec3::new((x - 2.0) * 1.1, 1.5 + 2.2 * y, (z - 2.0) * 1.1);
        ragdoll(&mut scene, at, dice.attitude());
    }
    scene
}

/// Pelvis, chest, head, two arms and two legs of two parts each.
fn ragdoll(scene: &mut Scene, at: DVec3, turn: DQuat) {
    // from one end to the other in the doll's frame, radius, mass, and the part it hangs on (at
    // its first end)
    let parts = [
        (DVec3::new(-0.08, 0.0, 0.0), DVec3::new(0.08, 0.0, 0.0), 0.10, 10.0, None),
        (DVec3::new(0.0, 0.16, 0.0), DVec3::new(0.0, 0.42, 0.0), 0.12, 20.0, Some(0)),
        (DVec3::new(0.0, 0.60, 0.0), DVec3::new(0.0, 0.68, 0.0), 0.09, 5.0, Some(1)),
        (DVec3::new(-0.20, 0.44, 0.0), DVec3::new(-0.42, 0.44, 0.0), 0.05, 2.5, Some(1)),
        (DVec3::new(-0.50, 0.44, 0.0), DVec3::new(-0.72, 0.44, 0.0), 0.045, 1.5, Some(3)),
        (DVec3::new(0.20, 0.44, 0.0), DVec3::new(0.42, 0.44, 0.0), 0.05, 2.5, Some(1)),
        (DVec3::new(0.50, 0.44, 0.0), DVec3::new(0.72, 0.44, 0.0), 0.045, 1.5, Some(5)),
        (DVec3::new(-0.10, -0.16, 0.0), DVec3::new(-0.10, -0.46, 0.0), 0.07, 7.0, Some(0)),
        (DVec3::new(0.10, -0.16, 0.0), DVec3::new(0.10, -0.46, 0.0), 0.07, 7.0, Some(0)),
        (DVec3::new(-0.10, -0.56, 0.0), DVec3::new(-0.10, -0.86, 0.0), 0.06, 4.0, Some(7)),
    ];
    let first = scene.blocks.len();
    for (from, to, radius, mass, hangs) in parts {
        let place = |p: DVec3| at + turn * p;
        let along = (to - from).normalize();
        let shape = Shape::Capsule { radius, height: (to - from).length() };
        let attitude = turn * DQuat::from_rotation_arc(DVec3::Z, along);
        let body = scene.block(Block::solid(mass, shape, place(0.5 * (from + to)), attitude));
        if let Some(parent) = hangs {
            scene.links.push(Link::ball(Some(first + parent), body, place(from - along * 0.04)));
        }
    }
}
