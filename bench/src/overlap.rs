//! The judge of contacts: how deep boxes overlap, by separating axes over the poses an engine gives
//! out.
//!
//! The depth of a pair is the smallest overlap over the fifteen axes (faces of both, cross products
//! of edges); pairs come from a sweep along x over the boxes' bounds.

use crate::engine::Pose;
use crate::scene::{Block, Scene};
use glam::{DMat3, DVec3};
use serde::Serialize;

/// Cross products of edges that are shorter than this name no axis.
const PARALLEL: f64 = 1e-6;

/// What was seen of a run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Depths {
    /// Steps judged.
    pub steps: usize,
    /// Whether every number was finite.
    pub finite: bool,
    /// Deepest overlap after any step, m.
    pub worst: f64,
    /// Deepest overlap after the last step, m.
    pub last: f64,
    /// Fastest body after the last step, m/s.
    pub speed: f64,
    /// Farthest way of a body across gravity, from the start to the last step, m.
    pub drift: f64,
}

/// Judges one run of a scene.
pub struct OverlapJudge<'a> {
    scene: &'a Scene,
    depths: Depths,
    order: Vec<usize>,
    boxes: Vec<Solid>,
}

#[derive(Clone, Copy)]
struct Solid {
    x: DVec3,
    r: DMat3,
    half: DVec3,
    reach: DVec3,
    fixed: bool,
}

impl Solid {
    fn new(b: &Block, pose: &Pose) -> Self {
        let r = DMat3::from_quat(pose.rotation.normalize());
        let half = b.size / 2.0;
        let reach = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
        Self { x: pose.position, r, half, reach, fixed: b.fixed }
    }

    /// Half the length of the shadow along `axis`.
    fn shadow(&self, axis: DVec3) -> f64 {
        (self.r.transpose() * axis).abs().dot(self.half)
    }
}

/// Overlap of two boxes, m; negative when an axis separates them.
fn depth(a: &Solid, b: &Solid) -> f64 {
    let d = b.x - a.x;
    let mut least = f64::INFINITY;
    let mut look = |axis: DVec3| {
        let length = axis.length();
        if length > PARALLEL {
            let axis = axis / length;
            least = least.min(a.shadow(axis) + b.shadow(axis) - d.dot(axis).abs());
        }
    };
    for i in 0..3 {
        look(a.r.col(i));
        look(b.r.col(i));
        for j in 0..3 {
            look(a.r.col(i).cross(b.r.col(j)));
        }
    }
    least
}

impl<'a> OverlapJudge<'a> {
    /// Takes the scene as it is before the first step.
    pub fn new(scene: &'a Scene) -> Self {
        let depths = Depths { finite: true, ..Depths::default() };
        Self { scene, depths, order: (0..scene.blocks.len()).collect(), boxes: Vec::new() }
    }

    /// Looks at the bodies after a step.
    pub fn see(&mut self, poses: &[Pose]) {
        let d = &mut self.depths;
        d.steps += 1;
        d.finite &= poses.iter().all(|p| p.position.is_finite() && p.rotation.is_finite());
        self.boxes.clear();
        self.boxes.extend(self.scene.blocks.iter().zip(poses).map(|(b, p)| Solid::new(b, p)));
        d.last = deepest(&self.boxes, &mut self.order);
        d.worst = d.worst.max(d.last);
        let moving = || self.scene.blocks.iter().zip(poses).filter(|(b, _)| !b.fixed);
        d.speed = moving().map(|(_, p)| p.velocity.length()).fold(0.0, f64::max);
        let off = |(b, p): (&Block, &Pose)| {
            ((p.position - b.position) * DVec3::new(1.0, 0.0, 1.0)).length()
        };
        d.drift = moving().map(off).fold(0.0, f64::max);
    }

    /// What was seen so far.
    pub fn depths(&self) -> Depths {
        self.depths
    }
}

fn deepest(boxes: &[Solid], order: &mut [usize]) -> f64 {
    let low = |i: usize| boxes[i].x.x - boxes[i].reach.x;
    order.sort_by(|&i, &j| low(i).total_cmp(&low(j)));
    let mut worst = 0.0_f64;
    for (k, &i) in order.iter().enumerate() {
        let a = &boxes[i];
        let end = a.x.x + a.reach.x;
        for &j in order[k + 1..].iter().take_while(|&&j| low(j) <= end) {
            let b = &boxes[j];
            let apart = (a.x - b.x).abs().cmpgt(a.reach + b.reach).any();
            if !apart && !(a.fixed && b.fixed) {
                worst = worst.max(depth(a, b));
            }
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn a_cube_that_stands_on_an_edge_overlaps_by_what_it_sinks() {
        let mut scene = Scene::new("two", 1.0, 0.01);
        let turned = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
        let high = 0.5 + 0.5_f64.sqrt() - 0.01;
        scene.block(Block::fixed(DVec3::ONE, DVec3::ZERO, DQuat::IDENTITY));
        scene.block(Block::new(1.0, DVec3::ONE, DVec3::Y * high, turned));
        let pose = |b: &Block| Pose {
            position: b.position,
            rotation: b.rotation,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        };
        let poses: Vec<Pose> = scene.blocks.iter().map(pose).collect();
        let mut judge = OverlapJudge::new(&scene);
        judge.see(&poses);
        assert!((judge.depths().last - 0.01).abs() < 1e-12, "{:?}", judge.depths());
    }
}
