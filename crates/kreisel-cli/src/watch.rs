//! The smallest distance of every pair of bodies over a run.

use crate::command::placed::{bodies, pose};
use kreisel_dynamics::{BodyId, BodyKind, Vec3, World};
use kreisel_geometry::broad::{Aabb, PairFilter};
use kreisel_geometry::query::{Proximity, distance};
use kreisel_geometry::{Pose, Shape};
use kreisel_scene::Scene;

/// Most pairs that are followed.
const MAX_PAIRS: usize = 1_000_000;

/// A pair and its smallest distance so far.
struct Pair {
    bodies: [usize; 2],
    best: Option<(Proximity, f64)>,
}

/// The smallest distance of two bodies.
pub struct Closest {
    /// Their names.
    pub names: [String; 2],
    /// Signed distance, m.
    pub distance: f64,
    /// When, s.
    pub time: f64,
    /// Where: a point of each.
    pub points: [Vec3; 2],
}

/// The bodies with their shapes, and the pairs among them.
pub struct Watch {
    bodies: Vec<(BodyId, String, Shape)>,
    pairs: Vec<Pair>,
    /// The smallest distance of all, and the world then.
    closest: Option<(usize, World)>,
}

impl Watch {
    /// Watches a scene; bodies that a joint connects count if `jointed`.
    pub fn new(scene: &Scene, jointed: bool) -> Result<Self, String> {
        let bodies = bodies(scene);
        let number = |id: BodyId| bodies.iter().position(|b| b.0 == id).map(|i| i as u32);
        let mut filter = PairFilter::new(bodies.len());
        for (i, (id, ..)) in bodies.iter().enumerate() {
            let fixed = *id == BodyId::WORLD
                || scene.world.body(*id).is_some_and(|b| b.kind == BodyKind::Static);
            filter.set_static(i as u32, fixed);
        }
        if !jointed {
            for joint in scene.world.joints().filter_map(|id| scene.world.joint(id)) {
                if let [Some(a), Some(b)] = joint.bodies.map(number) {
                    filter.exclude(a, b);
                }
            }
        }
        let n = bodies.len();
        if n * n.saturating_sub(1) / 2 > MAX_PAIRS {
            return Err(format!(
                "{n} bodies have more than {MAX_PAIRS} pairs; that is too many to follow"
            ));
        }
        let mut pairs = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                if filter.allows(i as u32, j as u32) {
                    pairs.push(Pair { bodies: [i, j], best: None });
                }
            }
        }
        Ok(Self { bodies, pairs, closest: None })
    }

    /// Looks at all pairs; gives their distances if `all` are wanted. A pair whose boxes are
    /// farther apart than it ever was needs no closer look.
    pub fn look(&mut self, world: &World, all: bool) -> Vec<f64> {
        let poses: Vec<Pose> = self.bodies.iter().map(|b| pose(world, b.0)).collect();
        let boxes: Vec<Aabb> =
            self.bodies.iter().zip(&poses).map(|(b, p)| Aabb::of(&b.2, p)).collect();
        let mut row = Vec::new();
        for k in 0..self.pairs.len() {
            let [i, j] = self.pairs[k].bodies;
            let least = self.pairs[k].best.as_ref().map_or(f64::INFINITY, |b| b.0.distance);
            if !all && boxes[i].distance(&boxes[j]) > least.max(0.0) {
                continue;
            }
            let Some(p) = distance(&self.bodies[i].2, &poses[i], &self.bodies[j].2, &poses[j])
            else {
                continue;
            };
            if all {
                row.push(p.distance);
            }
            if p.distance < least {
                let best = self.closest.as_ref().and_then(|(k, _)| self.pairs[*k].best.as_ref());
                if best.is_none_or(|b| p.distance < b.0.distance) {
                    self.closest = Some((k, world.clone()));
                }
                self.pairs[k].best = Some((p, world.time()));
            }
        }
        row
    }

    /// Every pair with its smallest distance, the closest first; the order of the scene among
    /// equals.
    pub fn closest_first(&self) -> Vec<Closest> {
        let found = |p: &Pair| {
            let (best, time) = p.best?;
            let names = p.bodies.map(|i| self.bodies[i].1.clone());
            Some(Closest { names, distance: best.distance, time, points: [best.a, best.b] })
        };
        let mut order: Vec<Closest> = self.pairs.iter().filter_map(found).collect();
        order.sort_by(|x, y| x.distance.total_cmp(&y.distance));
        order
    }

    /// The world at the smallest distance of all, and the points then.
    pub fn closest(&self) -> Option<(&World, [Vec3; 2])> {
        let (k, world) = self.closest.as_ref()?;
        let (best, _) = self.pairs[*k].best?;
        Some((world, [best.a, best.b]))
    }

    /// The names of all pairs, in the order of rows.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = [&str; 2]> {
        self.pairs.iter().map(|p| p.bodies.map(|i| self.bodies[i].1.as_str()))
    }
}
