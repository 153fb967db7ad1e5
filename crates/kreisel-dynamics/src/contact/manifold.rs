//! Contact manifolds: up to four points with one normal, kept from step to step with their impulses
//! (B-110).
//!
//! A manifold is *recycled* while its bodies have hardly moved against each other: the anchors stay
//! and only the gaps are measured again. Otherwise the narrow phase makes a new one and points that
//! keep their names keep their impulses.

use super::collider::Place;
use crate::lanes::F4;
use crate::math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Points of a manifold.
pub(crate) const POINTS: usize = 4;

/// Relative motion up to which a manifold is recycled: 5 mm and 10 mrad. Looser bounds double the
/// penetration of piles.
const RECYCLE_SHIFT: f64 = 5e-3;
const RECYCLE_TURN: f64 = 10e-3;

/// The same for one or two points, 0.1 mm and 0.2 mrad: those of round shapes wander when they
/// roll, by s²/2r from the true gap (2e-8 m at r = 0.3 m).
const FEW_SHIFT: f64 = 1e-4;
const FEW_TURN: f64 = 2e-4;

/// A contact region of two bodies: what the solves read and write first, then where its points are.
/// Numbers of points are by point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[repr(C)]
pub(crate) struct Manifold {
    /// (a − b)·n in m; negative when the points overlap.
    pub gap: F4,
    /// First guess of the next step's normal impulse, N s.
    pub guess: F4,
    /// Impulses of the last step: of the position solve, of the velocity solve.
    pub kick: F4,
    pub hold: F4,
    /// Normal velocity with which the points met, if they met in this step; negative.
    pub approach: F4,
    /// Shares of the points in the load when they were found: their mean is the centre of pressure,
    /// where friction acts.
    pub share: F4,
    /// First guess of the friction impulse on the first body, world coordinates, N s; and of the
    /// twist about n, N m s.
    pub drag: F4,
    /// Numbers of the colliders, in rising order, and which region of the pair this is.
    pub pair: [u32; 2],
    pub part: u32,
    pub count: u32,
    /// A shape that only reports.
    pub sensor: bool,
    /// Whether the gaps foretell the end of a step that was made again, so that they are closed
    /// completely.
    pub foretold: bool,
    /// Whether foretold gaps count from the start of the step already.
    pub settled: bool,
    /// Whether the bodies are drawn apart (`recovery`), so that nothing has to push them.
    #[serde(skip)]
    pub drawn: bool,
    /// Whether points may be kept while the bodies hardly move against each other.
    pub recyclable: bool,
    /// Whether the points may lie on round surfaces, over which they wander.
    pub wanders: bool,
    /// Overlap of the pair at the start of a step that was made again, m; zero or negative.
    pub floor: f64,
    /// The friction impulse of the last step, all parts, and of its impacts, N s.
    pub dragged: Vec3,
    pub struck: Vec3,
    /// Unit normal from the second to the first, in the world and in the second body's frame.
    pub normal: Vec3,
    pub normal_b: Vec3,
    /// Anchors in the bodies' principal frames; the fourth number is zero.
    a: [F4; POINTS],
    b: [F4; POINTS],
    /// Names: the same features have the same name in the next step.
    names: [[u32; 2]; POINTS],
    /// The second body seen from the first when the points were found.
    shift: Vec3,
    turn: Quat,
}

/// What lists and searches ask of a manifold: a few bytes in place of many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Brief {
    pub pair: [u32; 2],
    pub count: u32,
    pub sensor: bool,
    /// Smallest gap, m.
    pub gap: f64,
}

impl Brief {
    pub fn of(m: &Manifold) -> Self {
        Self { pair: m.pair, count: m.count, sensor: m.sensor, gap: m.gap() }
    }
}

fn vector(x: &F4) -> Vec3 {
    Vec3::new(x.0[0], x.0[1], x.0[2])
}

fn entries(x: Vec3) -> F4 {
    F4([x.x, x.y, x.z, 0.0])
}

impl Manifold {
    pub fn new(pair: [u32; 2], part: u32, normal: Vec3, a: &Place, b: &Place) -> Self {
        let (shift, turn) = relative(a, b);
        let normal_b = b.r.transpose() * normal;
        Self { pair, part, normal, normal_b, shift, turn, recyclable: true, ..Self::default() }
    }

    /// Numbers of the points.
    pub fn points(&self) -> std::ops::Range<usize> {
        0..self.count as usize
    }

    /// Anchors of point `k` in both bodies' frames.
    pub fn anchors(&self, k: usize) -> [Vec3; 2] {
        [vector(&self.a[k]), vector(&self.b[k])]
    }

    /// The same, as they lie in memory: of all points in the first body, and in the second.
    pub fn arms(&self) -> [&[F4; POINTS]; 2] {
        [&self.a, &self.b]
    }

    pub fn push(&mut self, name: [u32; 2], a: Vec3, b: Vec3, gap: f64, places: [&Place; 2]) {
        let k = self.count as usize;
        if k < POINTS {
            let local = |p: Vec3, place: &Place| entries(place.r.transpose() * (p - place.x));
            (self.names[k], self.gap.0[k]) = (name, gap);
            (self.a[k], self.b[k]) = (local(a, places[0]), local(b, places[1]));
            self.count += 1;
        }
    }

    /// Whether the bodies have hardly moved against each other since the points were found.
    pub fn still_fits(&self, a: &Place, b: &Place) -> bool {
        if !self.recyclable {
            return false;
        }
        let (shift, turn) = relative(a, b);
        let d = turn.conjugate() * self.turn;
        let few = self.count < 3 && self.wanders;
        let (far, much) = if few { (FEW_SHIFT, FEW_TURN) } else { (RECYCLE_SHIFT, RECYCLE_TURN) };
        (shift - self.shift).length_squared() < far * far
            && 4.0 * d.xyz().length_squared() < much * much
    }

    /// Measures normal and gaps for the present poses.
    pub fn follow(&mut self, a: &Place, b: &Place) {
        (self.foretold, self.settled, self.drawn) = (false, false, false);
        self.normal = b.r * self.normal_b;
        let n = self.normal;
        for k in self.points() {
            let [p, q] = self.anchors(k);
            self.gap.0[k] = ((a.x + a.r * p) - (b.x + b.r * q)).dot(n);
        }
    }

    /// Takes impulses over from the manifold that this one replaces. Those of points that are gone
    /// go to new points, or to all: the load stays the same, which friction is measured by.
    pub fn inherit(&mut self, old: &Self) {
        let (mut used, mut new) = ([false; POINTS], [false; POINTS]);
        for k in self.points() {
            let same = old.points().position(|o| !used[o] && old.names[o] == self.names[k]);
            // a point whose name has changed (another clipped edge, another triangle of the ground)
            // but which lies where one was on one of the bodies
            let near = || {
                let same = |p: &F4, q: &F4| {
                    (vector(p) - vector(q)).length_squared() < 4.0 * RECYCLE_SHIFT * RECYCLE_SHIFT
                };
                let is = |o: usize| same(&old.a[o], &self.a[k]) || same(&old.b[o], &self.b[k]);
                old.points().position(|o| !used[o] && is(o))
            };
            if let Some(o) = same.or_else(near) {
                used[o] = true;
                (self.guess.0[k], self.kick.0[k]) = (old.guess.0[o], old.kick.0[o]);
                (self.hold.0[k], self.approach.0[k]) = (old.hold.0[o], old.approach.0[o]);
            } else {
                new[k] = true;
            }
        }

        // what the points that are gone have carried
        if old.points().any(|o| !used[o]) && self.count > 0 {
            if !new.contains(&true) {
                new[..self.count as usize].fill(true);
            }
            let share = 1.0 / new.iter().filter(|n| **n).count() as f64;
            for o in old.points().filter(|&o| !used[o]) {
                for k in (0..POINTS).filter(|&k| new[k]) {
                    self.guess.0[k] += share * old.guess.0[o];
                    self.kick.0[k] += share * old.kick.0[o];
                    self.hold.0[k] += share * old.hold.0[o];
                    self.approach.0[k] = self.approach.0[k].min(old.approach.0[o]);
                }
            }
        }
        (self.drag, self.dragged) = (old.drag, old.dragged);
    }

    /// Shares of the points in the load by the impulses at hand; without any all points count the
    /// same.
    pub fn shares(&self) -> F4 {
        let [mut push, mut one] = [F4::ZERO; 2];
        for k in self.points() {
            (push.0[k], one.0[k]) = ((self.kick.0[k] + self.hold.0[k]).max(0.0), 1.0);
        }
        let load = push.sum();
        if load > 0.0 {
            push * F4::splat(1.0 / load)
        } else {
            one * F4::splat(1.0 / f64::from(self.count.max(1)))
        }
    }

    /// Smallest gap.
    pub fn gap(&self) -> f64 {
        self.points().fold(f64::INFINITY, |g, k| g.min(self.gap.0[k]))
    }

    /// Normal impulse of the last step.
    pub fn pushed(&self) -> f64 {
        self.points().map(|k| self.kick.0[k] + self.hold.0[k]).sum()
    }
}

/// The second body seen from the first.
fn relative(a: &Place, b: &Place) -> (Vec3, Quat) {
    (a.r.transpose() * (b.x - a.x), a.q.conjugate() * b.q)
}

/// Gaps that differ by less, m, are equal when points are chosen.
const LEVEL: f64 = 1e-5;

/// Keeps four of many points: the deepest, of equals the outermost (corners of a body rather than
/// those of the triangles that it slides over, which change from step to step), the farthest from
/// it, and the two that span the widest area on both sides.
pub(crate) fn choose_four(points: &[(Vec3, f64)], n: Vec3) -> [usize; POINTS] {
    let mut best = [0; POINTS];
    let deepest = points.iter().fold(f64::INFINITY, |g, p| g.min(p.1));
    let middle = points.iter().fold(Vec3::ZERO, |sum, p| sum + p.0) / points.len() as f64;
    let mut outermost = -1.0;
    for (i, p) in points.iter().enumerate().filter(|(_, p)| p.1 <= deepest + LEVEL) {
        let d = (p.0 - middle).length_squared();
        if d > outermost {
            (outermost, best[0]) = (d, i);
        }
    }
    let origin = points[best[0]].0;
    let mut far = -1.0;
    for (i, p) in points.iter().enumerate() {
        let d = (p.0 - origin).length_squared();
        if d > far {
            (far, best[1]) = (d, i);
        }
    }
    let edge = points[best[1]].0 - origin;
    let (mut high, mut low) = (0.0, 0.0);
    (best[2], best[3]) = (best[0], best[0]);
    for (i, p) in points.iter().enumerate() {
        let area = n.dot(edge.cross(p.0 - origin));
        if area > high {
            (high, best[2]) = (area, i);
        }
        if area < low {
            (low, best[3]) = (area, i);
        }
    }
    best
}
