//! Distance of two convex sets by GJK; overlapping cores go on to EPA.
//!
//! Reference: Gilbert, Johnson, Keerthi 1988; Lennerz 2000, section 3.2.2 (corrected for the case
//! of overlap); Bender 2007, B-64. The difference A − B is searched for its point closest to the
//! origin with simplices of at most four support points. Every direction v with support point w
//! gives the lower bound v·w/|v|, the simplex the upper bound |v|; the search ends when both agree
//! to 1e-12, or when rounding stops the progress. Both are returned: round shapes converge
//! linearly, and the reader can see how far.
//!
//! Polyhedra take a few steps independent of their size, round shapes 10 to 40. Temporal coherence:
//! [`ConvexCache`] keeps the last direction and the last support vertices (B-65).

use super::epa::{self, Penetration};
use super::simplex::{Simplex, Vertex};
use super::support::COLD;
use super::{Convex, Core};
use crate::{ConvexHull, Pose};
use glam::{DMat3, DVec3};

const RELATIVE: f64 = 1e-12;
/// The same for sets that are moved apart by a thousandth of their size: 1e-10 of that.
const NEAR_RELATIVE: f64 = 1e-7;
/// Part of the size up to which a depth found near a guess counts.
const SHALLOW: f64 = 5e-3;
const MAX_STEPS: u32 = 128;
/// Below this part of the size the normal of separated cores is polished like that of overlapping
/// ones.
const TOUCHING: f64 = 1e-7;
/// Sets that touch cannot be deeper than this part of the size.
const ASTRAY: f64 = 1e-6;

/// What is remembered between two queries of the same pair. The answer does not depend on it beyond
/// rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexCache {
    direction: Option<DVec3>,
    hints: [u32; 2],
}

impl Default for ConvexCache {
    fn default() -> Self {
        Self { direction: None, hints: [COLD; 2] }
    }
}

/// Closest points of two convex sets, or how deep they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexDistance {
    /// Signed distance in m; negative is the penetration depth: the length of the shortest
    /// translation that separates.
    pub distance: f64,
    /// A valid lower bound of the distance, equal to it but for the convergence of round shapes.
    /// When the sets overlap, the depth is an upper bound of the least one, and this is minus
    /// infinity.
    pub lower: f64,
    /// Point of the first set.
    pub a: DVec3,
    /// Point of the second set.
    pub b: DVec3,
    /// Unit normal from the second to the first: a − b = distance · normal.
    pub normal: DVec3,
    /// Support points that were computed.
    pub steps: u32,
}

/// Signed distance of two convex sets at the given poses.
///
/// ```
/// use kreisel_geometry::{Pose, convex::{Convex, ConvexCache, Core, convex_distance}};
/// let ball = Convex { core: Core::Point, margin: 0.5 };
/// let cube = Convex::sharp(Core::Box(glam::DVec3::ONE));
/// let above = Pose::at(glam::DVec3::new(0.2, 0.1, 2.0));
/// let c = convex_distance(&ball, &above, &cube, &Pose::IDENTITY, &mut ConvexCache::default());
/// assert!((c.distance - 0.5).abs() < 1e-15);
/// assert!(c.normal.distance(glam::DVec3::Z) < 1e-15);
/// ```
pub fn convex_distance(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    cache: &mut ConvexCache,
) -> ConvexDistance {
    let mut pair = Difference::new(a, b, &pose_a.seen_from(pose_b), cache.hints);
    let start = cache.direction.map(|d| pose_b.inverse_direction(d));
    let local = pair.distance(start);
    cache.hints = pair.hints;
    cache.direction = Some(pose_b.direction(local.normal));
    with_margins(local, a, b, pose_b)
}

/// The answer for the whole sets, in the world: the cores' distance shrinks by both margins.
fn with_margins(local: ConvexDistance, a: &Convex, b: &Convex, pose_b: &Pose) -> ConvexDistance {
    let margin = a.margin + b.margin;
    ConvexDistance {
        distance: local.distance - margin,
        lower: local.lower - margin,
        a: pose_b.point(local.a - local.normal * a.margin),
        b: pose_b.point(local.b + local.normal * b.margin),
        normal: pose_b.direction(local.normal),
        steps: local.steps,
    }
}

/// A direction of the world, from the second set to the first, along which they are farther apart
/// than `limit`; searched from `start`. `None` if they are closer, which is known as soon as two
/// points of them are.
pub(crate) fn convex_apart(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    limit: f64,
    start: Option<DVec3>,
) -> Option<DVec3> {
    let mut pair = Difference::new(a, b, &pose_a.seen_from(pose_b), [COLD; 2]);
    pair.limit = limit + a.margin + b.margin;
    (pair.relative, pair.decides) = (NEAR_RELATIVE, true);
    match pair.search(start.map(|d| pose_b.inverse_direction(d))) {
        Found::Apart(c, _) if c.lower > pair.limit => Some(pose_b.direction(c.normal)),
        _ => None,
    }
}

/// The distance of sets whose normal was about `guess` a moment ago, without the expanding
/// polytope; `None` where a guess is not enough.
///
/// Cores that are clearly apart are searched from the guess. Cores that touch are moved apart along
/// it, and the normal is improved there. That finds the least depth in the
/// neighbourhood of the guess; as another side could be shallower by at most the depth itself, the
/// answer counts only if that is a small part of the size.
pub fn convex_near(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    guess: DVec3,
) -> Option<ConvexDistance> {
    let mut pair = Difference::new(a, b, &pose_a.seen_from(pose_b), [COLD; 2]);
    pair.relative = NEAR_RELATIVE;
    let size = pair.translation.length().max(a.core.scale()).max(b.core.scale());
    let normal = pose_b.inverse_direction(guess);
    let found = epa::near(&mut pair, -normal, size)?;
    let local = pair.answer(found);
    (local.distance >= -SHALLOW * size).then(|| with_margins(local, a, b, pose_b))
}

/// Two separated hulls, in the frame of the second.
pub(crate) struct Separation {
    /// A certain lower bound of their distance.
    pub(crate) lower: f64,
    /// Closest point of the first.
    pub(crate) a: DVec3,
    /// Closest point of the second.
    pub(crate) b: DVec3,
    /// A vertex of the closest feature of each.
    pub(crate) vertices: [u32; 2],
    /// Support points that were computed.
    pub(crate) steps: u32,
}

/// The closest points of two hulls; `None` if they overlap, or nearly so. `a_in_b` is the first
/// seen from the second.
pub(crate) fn hull_separation(
    a: &ConvexHull,
    b: &ConvexHull,
    a_in_b: &Pose,
    cache: &mut ConvexCache,
) -> Option<Separation> {
    let (a, b) = (Convex::sharp(Core::Hull(a)), Convex::sharp(Core::Hull(b)));
    let mut pair = Difference::new(&a, &b, a_in_b, cache.hints);
    let found = pair.search(cache.direction);
    match found {
        Found::Apart(c, _) if c.distance > TOUCHING * pair.reach => {
            *cache = ConvexCache { direction: Some(c.normal), hints: pair.hints };
            Some(Separation {
                lower: c.lower,
                a: c.a,
                b: c.b,
                vertices: pair.hints,
                steps: pair.steps,
            })
        }
        _ => None,
    }
}

/// The difference of two cores, in the frame of the second.
pub(super) struct Difference<'a> {
    a: &'a Convex<'a>,
    b: &'a Convex<'a>,
    rotation: DMat3,
    translation: DVec3,
    hints: [u32; 2],
    pub(super) steps: u32,
    /// Part of the distance to which a search is exact.
    relative: f64,
    /// A search ends when it knows that the distance is larger, and one that only decides about
    /// that, when it knows that it is not.
    limit: f64,
    decides: bool,
    /// Largest distance of a support point from the origin so far.
    reach: f64,
}

/// How GJK ends: with the closest points, or with a simplex round the origin.
enum Found {
    Apart(ConvexDistance, Simplex),
    Overlap(Simplex),
}

impl<'a> Difference<'a> {
    fn new(a: &'a Convex, b: &'a Convex, a_in_b: &Pose, hints: [u32; 2]) -> Self {
        Self {
            a,
            b,
            rotation: a_in_b.matrix(),
            translation: a_in_b.position,
            hints,
            steps: 0,
            relative: RELATIVE,
            limit: f64::INFINITY,
            decides: false,
            reach: 0.0,
        }
    }

    /// The farthest point of A − B along `d`.
    pub(super) fn support(&mut self, d: DVec3) -> Vertex {
        self.steps += 1;
        let a = self.a.core.support(self.rotation.transpose() * d, &mut self.hints[0]);
        let a = self.rotation * a + self.translation;
        let b = self.b.core.support(-d, &mut self.hints[1]);
        self.reach = self.reach.max((a - b).length());
        Vertex { y: a - b, a, b }
    }

    fn distance(&mut self, start: Option<DVec3>) -> ConvexDistance {
        match self.search(start) {
            // the direction of a vector that is little more than rounding means nothing
            Found::Apart(c, simplex) if c.distance <= TOUCHING * self.reach => {
                let size = self.size();
                let mut fine = epa::polish(self, -c.normal, size);
                // sets that touch have no depth: the direction was too wrong to lead to the right
                // side
                if fine.depth > ASTRAY * size {
                    let other = epa::penetration(self, &simplex);
                    if other.depth < fine.depth {
                        fine = other;
                    }
                }
                self.answer(fine)
            }
            Found::Apart(answer, _) => answer,
            Found::Overlap(simplex) => {
                let found = epa::penetration(self, &simplex);
                self.answer(found)
            }
        }
    }

    /// The distance after A has moved by `shift`; `None` if A and B overlap then.
    pub(super) fn shifted(&mut self, shift: DVec3, start: DVec3) -> Option<ConvexDistance> {
        let there = self.translation;
        self.translation += shift;
        let found = self.search(Some(start));
        self.translation = there;
        match found {
            Found::Apart(answer, _) => Some(answer),
            Found::Overlap(_) => None,
        }
    }

    fn search(&mut self, start: Option<DVec3>) -> Found {
        let last = self.steps + MAX_STEPS;
        let fallback = if self.translation == DVec3::ZERO { DVec3::X } else { self.translation };
        let mut simplex = Simplex::new(self.support(-start.unwrap_or(fallback)));
        let mut v = simplex.vertices()[0].y;
        let mut lower = 0.0_f64;
        while self.steps < last {
            let squared = v.length_squared();
            if squared <= 1e-28 * self.reach * self.reach {
                return Found::Overlap(simplex);
            }
            let w = self.support(-v);
            let upper = squared.sqrt();
            lower = lower.max(w.y.dot(v) / upper);
            if lower > self.limit
                || self.decides && upper <= self.limit
                || upper - lower <= self.relative * upper
                || simplex.vertices().iter().any(|x| x.y == w.y)
            {
                break;
            }
            simplex.push(w);
            match simplex.nearest() {
                None => return Found::Overlap(simplex),
                Some((face, next)) if next.length_squared() < squared => {
                    simplex.keep(&face);
                    v = next;
                }
                Some(_) => {
                    simplex.pop();
                    break;
                }
            }
        }
        let (a, b) = simplex.witness();
        let distance = v.length();
        let (lower, normal, steps) = (lower.min(distance), v / distance, self.steps);
        Found::Apart(ConvexDistance { distance, lower, a, b, normal, steps }, simplex)
    }

    fn answer(&self, found: Penetration) -> ConvexDistance {
        let distance = -found.depth;
        ConvexDistance {
            distance,
            lower: if distance > 0.0 { distance } else { f64::NEG_INFINITY },
            a: found.a,
            b: found.b,
            normal: -found.direction,
            steps: self.steps,
        }
    }

    /// Half the sum of the extents of both cores: the scale of tolerances.
    pub(super) fn size(&mut self) -> f64 {
        [DVec3::X, DVec3::Y, DVec3::Z]
            .iter()
            .map(|&d| (self.support(d).y - self.support(-d).y).length())
            .fold(0.0, f64::max)
    }
}
