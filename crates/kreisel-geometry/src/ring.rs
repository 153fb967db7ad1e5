//! A torus: all points within `tube` of a circle of radius `radius` about z.
//!
//! Its surface is nowhere tessellated. Where something else is nearest is a question in one
//! unknown: the distance f(φ) of the circle's point at the angle φ from the other thing, less
//! `tube`. By a step of δ along the circle f changes by R δ at the most, so that whole arcs are
//! left out where it is large ([`Ring::lows`]); its slope is R n·t, with the normal n of the
//! closest points and the tangent t, and where that changes its sign a minimum is enclosed.
//!
//! Two minima in one piece of the circle are taken for one: pieces are 0.8 tube radii long or less,
//! and against facets a hundredth of the circle. The one that was missed is lower by R δ²/8 at the
//! most where the partner is convex (f'' ≥ −R), which is 5e-4 R against facets; round partners have
//! but one there.

use glam::{DVec2, DVec3};
use smallvec::SmallVec;
use std::f64::consts::TAU;

/// The circle and the radius about it, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ring {
    pub(crate) radius: f64,
    pub(crate) tube: f64,
}

/// Samples for each length of the tube's radius along the circle, and bounds of their number.
const SAMPLES: f64 = 1.3;
const FEWEST: usize = 16;
const MOST: usize = 128;
/// The fewest against facets, each of which may have a minimum of its own.
const FACETED: usize = 100;
/// Slope, relative to R, below which an arc is level: eight places of the body stand for all then.
const LEVEL: f64 = 1e-9;
/// Slope, relative to R, at which a minimum is found, and steps to find it.
const FLAT: f64 = 1e-13;
const STEPS: u32 = 60;
/// Relative length of an arc or a piece of a ray that is not divided any more.
const SHORTEST: f64 = 1e-14;

/// A place on the circle, f there, and its slope over R.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Low<T> {
    pub(crate) angle: f64,
    pub(crate) found: T,
}

impl Ring {
    /// Point of the circle.
    pub(crate) fn at(&self, angle: f64) -> DVec3 {
        let (sin, cos) = libm::sincos(angle);
        DVec3::new(self.radius * cos, self.radius * sin, 0.0)
    }

    /// Unit tangent of the circle.
    pub(crate) fn tangent(angle: f64) -> DVec3 {
        let (sin, cos) = libm::sincos(angle);
        DVec3::new(-sin, cos, 0.0)
    }

    /// Point of the circle closest to `p`, the direction from it to `p`, and their distance.
    pub(crate) fn closest(&self, p: DVec3) -> (DVec3, DVec3, f64) {
        let out = DVec2::new(p.x, p.y).normalize_or(DVec2::X);
        let q = (out * self.radius).extend(0.0);
        let d = p - q;
        let length = d.length();
        (q, if length > 0.0 { d / length } else { DVec3::Z }, length)
    }

    /// The farthest point along `d`.
    pub(crate) fn support(&self, d: DVec3) -> DVec3 {
        let out = DVec2::new(d.x, d.y).normalize_or(DVec2::X);
        (out * self.radius).extend(0.0) + d.normalize_or_zero() * self.tube
    }

    /// Half extents of the box round it.
    pub(crate) fn half(&self) -> DVec3 {
        DVec3::new(self.radius + self.tube, self.radius + self.tube, self.tube)
    }

    /// All minima of f that are at most `limit`; with `lowest` all that may be the lowest;
    /// `faceted` partners are looked at more closely. `ask` measures from a point of the circle: f
    /// and n·t, and what it has found.
    pub(crate) fn lows<T: Clone>(
        &self,
        mut limit: f64,
        lowest: bool,
        faceted: bool,
        mut ask: impl FnMut(f64) -> (f64, f64, T),
    ) -> SmallVec<[Low<T>; 8]> {
        let fewest = if faceted { FACETED } else { FEWEST };
        let count = ((TAU * self.radius / self.tube * SAMPLES).ceil() as usize).clamp(fewest, MOST);
        let step = TAU / count as f64;
        let mut found: SmallVec<[Low<T>; 8]> = SmallVec::new();

        // samples from which all that is near enough can be seen
        let mut samples: Vec<(usize, f64, f64)> = Vec::with_capacity(count + 1);
        let mut k = 0;
        while k < count {
            let (f, slope, _) = ask(k as f64 * step);
            samples.push((k, f, slope));
            if lowest {
                limit = limit.min(f);
            }
            let far = ((f - limit) / (self.radius * step)).floor();
            k += if far > 1.0 { (far as usize).min(count) } else { 1 };
        }
        if let Some(&(0, f, slope)) = samples.first() {
            samples.push((count, f, slope));
        }

        // between two of them the slope changes its sign
        for pair in samples.windows(2) {
            let [(i, f, down), (j, g, up)] = [pair[0], pair[1]];
            if j != i + 1
                || down >= -LEVEL && up <= LEVEL
                || down > 0.0
                || up <= 0.0
                || f.min(g) - self.radius * step > limit
            {
                continue;
            }
            let (mut lo, mut hi) = ((i as f64 * step, down), (j as f64 * step, up));
            let mut best = None;
            for round in 0..STEPS {
                // a secant, every third time the middle
                let share =
                    if round % 3 == 2 { 0.5 } else { (down_share(lo.1, hi.1)).clamp(0.01, 0.99) };
                let angle = lo.0 + (hi.0 - lo.0) * share;
                let (f, slope, what) = ask(angle);
                best = Some((f, Low { angle, found: what }));
                if slope.abs() <= FLAT || hi.0 - lo.0 < SHORTEST * TAU {
                    break;
                }
                *(if slope < 0.0 { &mut lo } else { &mut hi }) = (angle, slope);
            }
            if let Some((f, low)) = best
                && f <= limit + 1e-12 * self.radius
            {
                found.push(low);
            }
        }
        if found.is_empty() {
            // level all round: the first of the lowest, whatever rounding makes of the others
            let least =
                samples.iter().map(|s| s.1).fold(f64::INFINITY, f64::min) + LEVEL * self.radius;
            let best = samples.iter().find(|s| s.1 <= limit && s.1 <= least);
            found.extend(
                best.map(|s| s.0 as f64 * step).map(|angle| Low { angle, found: ask(angle).2 }),
            );
        }
        found
    }

    /// Where a ray enters, in multiples of `d`; zero inside. The distance from the torus bounds how
    /// long a piece of the ray is outside: pieces that may touch are halved, the first one first.
    pub(crate) fn ray(&self, o: DVec3, d: DVec3) -> Option<(f64, DVec3)> {
        let speed = d.length();
        let outside = |t: f64| self.closest(o + d * t).2 - self.tube;
        if outside(0.0) <= 0.0 {
            return Some((0.0, -d / speed));
        }
        // the ball round it bounds the piece that counts
        let (middle, most) = (-o.dot(d) / (speed * speed), self.radius + self.tube);
        let miss = (o + d * middle).length_squared();
        let half = (most * most - miss).max(0.0).sqrt() / speed;
        if miss > most * most || middle + half < 0.0 {
            return None;
        }
        let mut open: SmallVec<[(f64, f64); 64]> = SmallVec::new();
        open.push(((middle - half).max(0.0), middle + half));
        let shortest = SHORTEST * (most / speed + middle.abs());
        while let Some((from, to)) = open.pop() {
            let (center, half) = (0.5 * (from + to), 0.5 * (to - from));
            let gap = outside(center);
            if gap > half * speed {
                continue;
            }
            if half <= shortest || center <= from || center >= to {
                let normal = self.closest(o + d * center).1;
                return Some((center, normal));
            }
            open.push((center, to));
            open.push((from, center));
        }
        None
    }
}

/// Where a line between two slopes of different sign is zero, as a share of the way.
fn down_share(down: f64, up: f64) -> f64 {
    let span = up - down;
    if span > 0.0 { -down / span } else { 0.5 }
}
