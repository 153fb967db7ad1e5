//! The judge of heaps of any shape: overlap, speed and energy from the poses an engine gives out.
//!
//! Overlap of a pair is the least translation that separates two convex solids, by our own
//! expanding polytope. That is a bound whatever the iteration does: each direction it tries yields
//! a valid separation, so that a depth may be overstated but not hidden. Both engines are judged
//! alike. Terrain is judged triangle by triangle, each as a prism that reaches [`BELOW`] down.
//!
//! Energy is kinetic and of gravity; its largest rise over any stretch of the run shows energy from
//! nothing. (Taking out an overlap lifts bodies, and counts.)

use crate::engine::Pose;
use crate::scene::{GRAVITY, Scene};
use glam::{DMat3, DVec3};
use kreisel_dynamics::Shape;
use kreisel_geometry::broad::Aabb;
use kreisel_geometry::convex::{Convex, ConvexCache, convex_distance};
use kreisel_geometry::{ConvexHull, TriMesh};
use serde::Serialize;

/// How far below its surface terrain is solid, m.
const BELOW: f64 = 2.0;

/// Steps from one look at the overlaps to the next.
const EVERY: usize = 10;

/// What was seen of a run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seen {
    /// Deepest overlap at the end and of any look, m.
    pub last: f64,
    pub worst: f64,
    /// Fastest body at the end and after any step of the second half, m/s.
    pub speed: f64,
    pub fastest: f64,
    /// Energy at the start and the largest rise later, J.
    pub energy: f64,
    pub rise: f64,
    /// Bodies that have left the box.
    pub lost: usize,
    steps: usize,
    lowest: f64,
}

/// Judges one run of a scene.
pub struct HeapJudge {
    shapes: Vec<Shape>,
    fixed: Vec<bool>,
    masses: Vec<f64>,
    inertias: Vec<DMat3>,
    linked: Vec<[usize; 2]>,
    steps: usize,
    seen: Seen,
}

impl HeapJudge {
    /// Takes a scene that will run for so many steps.
    pub fn new(scene: &Scene, steps: usize) -> Self {
        let shapes: Vec<Shape> = scene.blocks.iter().map(crate::scene::Block::shape).collect();
        let inertia = |(b, s): (&crate::scene::Block, &Shape)| match s {
            _ if b.fixed => DMat3::ZERO,
            s => s.mass_properties(b.density()).map_or(DMat3::ZERO, |m| m.inertia),
        };
        let pair = |l: &crate::scene::Link| l.bodies.map(|b| b.unwrap_or(usize::MAX));
        let mut linked: Vec<[usize; 2]> =
            scene.links.iter().map(pair).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        linked.sort_unstable();
        Self {
            inertias: scene.blocks.iter().zip(&shapes).map(inertia).collect(),
            fixed: scene.blocks.iter().map(|b| b.fixed).collect(),
            masses: scene.blocks.iter().map(|b| b.mass).collect(),
            linked,
            shapes,
            steps,
            seen: Seen::default(),
        }
    }

    /// Looks at the bodies after a step.
    pub fn see(&mut self, poses: &[Pose]) {
        let energy: f64 =
            (0..poses.len()).filter(|&i| !self.fixed[i]).map(|i| self.energy(i, &poses[i])).sum();
        let s = &mut self.seen;
        if s.steps == 0 {
            (s.energy, s.lowest) = (energy, energy);
        }
        s.steps += 1;
        s.lowest = s.lowest.min(energy);
        s.rise = s.rise.max(energy - s.lowest);
        let moving = || poses.iter().zip(&self.fixed).filter(|(_, fixed)| !**fixed).map(|(p, _)| p);
        s.speed = moving().map(|p| p.velocity.length()).fold(0.0, f64::max);
        if 2 * s.steps > self.steps {
            s.fastest = s.fastest.max(s.speed);
        }
        s.lost = moving().filter(|p| !(p.position.length() < 100.0) || p.position.y < -1.0).count();
        if s.steps % EVERY == 0 || s.steps == self.steps {
            let depth = self.deepest(poses);
            self.seen.last = depth;
            self.seen.worst = self.seen.worst.max(depth);
        }
    }

    /// What was seen so far.
    pub fn seen(&self) -> Seen {
        self.seen
    }

    fn energy(&self, i: usize, p: &Pose) -> f64 {
        let spin = p.rotation.conjugate() * p.spin;
        let moving = 0.5 * self.masses[i] * p.velocity.length_squared()
            + 0.5 * spin.dot(self.inertias[i] * spin);
        moving - self.masses[i] * GRAVITY.dot(p.position)
    }

    fn deepest(&self, poses: &[Pose]) -> f64 {
        let places: Vec<kreisel_geometry::Pose> = poses
            .iter()
            .map(|p| kreisel_geometry::Pose::new(p.position, p.rotation.normalize()))
            .collect();
        let bounds: Vec<Aabb> =
            self.shapes.iter().zip(&places).map(|(s, p)| Aabb::of(s, p)).collect();
        let mut order: Vec<usize> = (0..poses.len()).collect();
        order.sort_by(|&i, &j| bounds[i].lo.x.total_cmp(&bounds[j].lo.x));
        let mut worst = 0.0_f64;
        for (k, &i) in order.iter().enumerate() {
            for &j in order[k + 1..].iter().take_while(|&&j| bounds[j].lo.x <= bounds[i].hi.x) {
                let pair = [i.min(j), i.max(j)];
                let both = self.fixed[i] && self.fixed[j];
                if both
                    || !bounds[i].overlaps(&bounds[j])
                    || self.linked.binary_search(&pair).is_ok()
                {
                    continue;
                }
                let overlap = match (terrain(&self.shapes[i]), terrain(&self.shapes[j])) {
                    (Some(mesh), _) => {
                        under(&mesh, &places[i], &self.shapes[j], &places[j], &bounds[j])
                    }
                    (_, Some(mesh)) => {
                        under(&mesh, &places[j], &self.shapes[i], &places[i], &bounds[i])
                    }
                    _ => depth(&self.shapes[i], &places[i], &self.shapes[j], &places[j]),
                };
                worst = worst.max(overlap);
            }
        }
        worst
    }
}

/// How deep two convex solids overlap; negative if they are apart.
fn depth(a: &Shape, p: &Place, b: &Shape, q: &Place) -> f64 {
    let ((a, p), (b, q)) = (unfolded(a, p), unfolded(b, q));
    let of = |shape| Convex::of(shape).expect("heaps are made of convex shapes");
    -convex_distance(&of(a), &p, &of(b), &q, &mut ConvexCache::default()).distance
}

type Place = kreisel_geometry::Pose;

/// A compound of one part is that part.
fn unfolded<'a>(shape: &'a Shape, pose: &Place) -> (&'a Shape, Place) {
    match shape {
        Shape::Compound(parts) if parts.len() == 1 => (&parts[0].shape, pose.then(&parts[0].pose)),
        _ => (shape, *pose),
    }
}

fn terrain(shape: &Shape) -> Option<TriMesh> {
    match shape {
        Shape::HeightField(field) => Some(field.to_mesh()),
        Shape::Mesh(mesh) => Some(mesh.as_ref().clone()),
        _ => None,
    }
}

/// How deep a convex solid is in the ground.
fn under(mesh: &TriMesh, at: &Place, solid: &Shape, pose: &Place, bounds: &Aabb) -> f64 {
    let down = GRAVITY.normalize() * BELOW;
    let mut deepest = f64::NEG_INFINITY;
    for triangle in mesh.iter().map(|t| t.map(|v| at.point(v))) {
        let (lo, hi) = triangle
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
        if !bounds.overlaps(&Aabb { lo: lo + down, hi }) {
            continue;
        }
        let corners: Vec<DVec3> = triangle.into_iter().flat_map(|v| [v, v + down]).collect();
        let prism = Shape::Hull(std::sync::Arc::new(ConvexHull::new(&corners).expect("a prism")));
        deepest = deepest.max(depth(&prism, &Place::IDENTITY, solid, pose));
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Block;
    use glam::{DQuat, DVec3};

    /// Two balls 0.9 m apart at heights 2 and 3 that move: closed forms of overlap and energy.
    #[test]
    fn two_balls() {
        let mut scene = Scene::new("two", 1.0, 0.01);
        let ball = || Shape::Sphere { radius: 0.5 };
        for y in [2.0, 2.9] {
            scene.block(Block::solid(2.0, ball(), DVec3::Y * y, DQuat::IDENTITY));
        }
        let pose = |b: &Block, v: f64| Pose {
            position: b.position,
            rotation: b.rotation,
            velocity: DVec3::X * v,
            spin: DVec3::Z * v,
        };
        let mut judge = HeapJudge::new(&scene, 2);
        for v in [0.0, 3.0] {
            judge.see(&scene.blocks.iter().map(|b| pose(b, v)).collect::<Vec<_>>());
        }
        let seen = judge.seen();
        // ½ m v² + ½ (2/5 m r²) ω², twice
        let rise = 2.0 * (0.5 * 2.0 * 9.0 + 0.5 * (0.4 * 2.0 * 0.25) * 9.0);
        assert!((seen.last - 0.1).abs() < 1e-12 && (seen.rise - rise).abs() < 1e-9, "{seen:?}");
        assert!((seen.energy - 2.0 * 9.81 * 4.9).abs() < 1e-9, "{seen:?}");
    }
}
