//! Contact manifolds: up to four points with one normal, kept from step to step with their impulses (B-110).
//!
//! A manifold is *recycled* while its bodies have hardly moved against each other: the anchors stay and only the gaps
//! are measured again. Otherwise the narrow phase makes a new one and points that keep their names keep their impulses.

use super::collider::Place;
use crate::math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Points of a manifold.
pub(crate) const POINTS: usize = 4;

/// Relative motion up to which a manifold is recycled: 5 mm and 10 mrad. Looser bounds double the penetration of piles.
const RECYCLE_SHIFT: f64 = 5e-3;
const RECYCLE_TURN: f64 = 10e-3;

/// A pair of opposite points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Name: the same features have the same name in the next step.
    pub name: [u32; 2],
    /// Anchors in the bodies' principal frames.
    pub a: Vec3,
    pub b: Vec3,
    /// (a − b)·n in m; negative when they overlap.
    pub gap: f64,
    /// First guess of the next step's normal impulse, N s.
    pub guess: f64,
    /// Impulses of the last step: of the position solve, of the velocity solve.
    pub kick: f64,
    pub hold: f64,
    /// Normal velocity with which the points met, if they met in this step; negative.
    pub approach: f64,
}

/// A contact region of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifold {
    /// Numbers of the colliders, in rising order, and which region of the pair this is.
    pub pair: [u32; 2],
    pub part: u32,
    /// Unit normal from the second to the first, in the world and in the second body's frame.
    pub normal: Vec3,
    pub normal_b: Vec3,
    pub points: [Point; POINTS],
    pub count: u32,
    /// First guess of the friction impulse on the first body, world coordinates, N s; and of the twist about n, N m s.
    pub friction: Vec3,
    pub twist: f64,
    /// Friction impulse of impacts in the last step, N s.
    pub struck: Vec3,
    /// The friction impulse of the last step, both parts.
    pub dragged: Vec3,
    /// The second body seen from the first when the points were found.
    pub shift: Vec3,
    pub turn: Quat,
    /// A shape that only reports.
    pub sensor: bool,
    /// Whether the gaps foretell the end of a step that was made again, so that they are closed completely.
    pub foretold: bool,
    /// Whether foretold gaps count from the start of the step already.
    pub settled: bool,
    /// Whether points may be kept while the bodies hardly move against each other.
    pub recyclable: bool,
}

impl Manifold {
    pub fn new(pair: [u32; 2], part: u32, normal: Vec3, a: &Place, b: &Place) -> Self {
        let (shift, turn) = relative(a, b);
        Self {
            pair,
            part,
            normal,
            normal_b: b.r.transpose() * normal,
            points: [Point::default(); POINTS],
            count: 0,
            friction: Vec3::ZERO,
            twist: 0.0,
            struck: Vec3::ZERO,
            dragged: Vec3::ZERO,
            shift,
            turn,
            sensor: false,
            foretold: false,
            settled: false,
            recyclable: true,
        }
    }

    pub fn points(&self) -> &[Point] {
        &self.points[..self.count as usize]
    }

    pub fn points_mut(&mut self) -> &mut [Point] {
        &mut self.points[..self.count as usize]
    }

    pub fn push(&mut self, name: [u32; 2], a: Vec3, b: Vec3, gap: f64, places: [&Place; 2]) {
        if (self.count as usize) < POINTS {
            let local = |p: Vec3, place: &Place| place.r.transpose() * (p - place.x);
            self.points[self.count as usize] =
                Point { name, a: local(a, places[0]), b: local(b, places[1]), gap, ..Point::default() };
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
        (shift - self.shift).length_squared() < RECYCLE_SHIFT * RECYCLE_SHIFT
            && 4.0 * d.xyz().length_squared() < RECYCLE_TURN * RECYCLE_TURN
    }

    /// Measures normal and gaps for the present poses.
    pub fn follow(&mut self, a: &Place, b: &Place) {
        (self.foretold, self.settled) = (false, false);
        self.normal = b.r * self.normal_b;
        let n = self.normal;
        for p in self.points_mut() {
            p.gap = ((a.x + a.r * p.a) - (b.x + b.r * p.b)).dot(n);
        }
    }

    /// Takes impulses over from the manifold that this one replaces.
    pub fn inherit(&mut self, old: &Self) {
        let mut used = [false; POINTS];
        for p in &mut self.points[..self.count as usize] {
            let same = old.points().iter().enumerate().position(|(k, o)| !used[k] && o.name == p.name);
            // a point whose name has changed (another clipped edge) but which lies where one was
            let near = || {
                let close = |o: &Point| (o.a - p.a).length_squared() < 4.0 * RECYCLE_SHIFT * RECYCLE_SHIFT;
                old.points().iter().enumerate().position(|(k, o)| !used[k] && close(o))
            };
            if let Some(k) = same.or_else(near) {
                used[k] = true;
                let o = &old.points[k];
                (p.guess, p.kick, p.hold, p.approach) = (o.guess, o.kick, o.hold, o.approach);
            }
        }
        (self.friction, self.twist) = (old.friction, old.twist);
        self.dragged = old.dragged;
    }

    /// Smallest gap.
    pub fn gap(&self) -> f64 {
        self.points().iter().fold(f64::INFINITY, |g, p| g.min(p.gap))
    }

    /// Normal impulse of the last step.
    pub fn pushed(&self) -> f64 {
        self.points().iter().map(|p| p.kick + p.hold).sum()
    }
}

/// The second body seen from the first.
fn relative(a: &Place, b: &Place) -> (Vec3, Quat) {
    (a.r.transpose() * (b.x - a.x), a.q.conjugate() * b.q)
}

/// Keeps four of many points: the deepest, the farthest from it, and the two that span the widest area on both sides.
pub(crate) fn choose_four(points: &[(Vec3, f64)], n: Vec3) -> [usize; POINTS] {
    let mut best = [0; POINTS];
    for (i, p) in points.iter().enumerate() {
        if p.1 < points[best[0]].1 {
            best[0] = i;
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
