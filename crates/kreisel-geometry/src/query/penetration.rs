//! How deep two shapes overlap: certain bounds of the shortest translation that separates them.
//!
//! Reference: Lennerz 2000, sections 2.6.3 and 3.1 (L-115, an outlook there). For convex shapes the
//! depth is exact (EPA). For others, which may be caught in each other, the exact depth is a
//! minimum over the Minkowski sum of all their convex pieces, O(n³ m³) in the worst case; two
//! bounds enclose it instead, and both are proofs:
//!
//! | bound | why it holds |
//! |---|---|
//! | lower: r − s for a ball of radius r inside one shape whose centre has signed distance s from the other | s changes by at most the length of a translation, and must become r at least. Corners count with r = 0 |
//! | upper: the way back from a place outside to the first contact | moved there the shapes touch and do not overlap |
//!
//! The way back is a time of impact at unit speed, so the upper bound is attained by an explicit
//! direction. It is sought along the axes of the boxes round all parts, the normals of the deepest
//! corners, and the normals of the contacts themselves; from a place nearby where the shapes happen
//! to be apart (linked rings), else from beyond both.

use super::leaves::{Leaf, Placed, leaves};
use super::{closest_point, distance};
use crate::convex::Core;
use crate::impact::{Ballistic, ImpactQuery, Outcome, time_of_impact};
use crate::{Pose, Shape};
use glam::DVec3;
use std::f64::consts::PI;

/// Bounds of the penetration depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// No shorter translation separates the shapes, in m.
    pub lower: f64,
    /// The first shape moved by `upper · direction` does not overlap the second, in m. Infinite if
    /// they cannot be parted (half-spaces that do not face each other).
    pub upper: f64,
    /// The unit direction of that translation.
    pub direction: DVec3,
}

/// Directions that are tried from their contact normals on.
const ROUNDS: usize = 4;

/// Bounds of the depth of two shapes; `None` if they do not overlap. The shapes must have passed
/// [`Shape::check`].
///
/// ```
/// use glam::DVec3;
/// use kreisel_geometry::{Pose, Shape, mesh::generate, query::penetration};
/// let cube = Shape::Mesh(std::sync::Arc::new(generate::cuboid(DVec3::ONE)));
/// let p = penetration(&cube, &Pose::at(DVec3::new(0.1, 0.2, 0.7)), &cube, &Pose::IDENTITY).unwrap();
/// assert!(p.lower <= 0.3 + 1e-9 && (p.upper - 0.3).abs() < 1e-6);
/// assert!(p.direction.distance(DVec3::Z) < 1e-9);
/// ```
pub fn penetration(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Penetration> {
    let near = distance(a, pose_a, b, pose_b).filter(|p| p.distance <= 0.0)?;
    let (first, second) = (leaves(a, pose_a), leaves(b, pose_b));
    let exact = |leaf: &Leaf| matches!(leaf, Leaf::Convex(_) | Leaf::HalfSpace { .. });
    let plane = |leaf: &Leaf| matches!(leaf, Leaf::HalfSpace { .. });
    if let ([p], [q]) = (&first[..], &second[..])
        && ((exact(&p.leaf) && exact(&q.leaf)) || plane(&p.leaf) || plane(&q.leaf))
    {
        let depth = -near.distance;
        return Some(Penetration { lower: depth, upper: depth, direction: near.normal });
    }
    if first.iter().chain(&second).any(|p| plane(&p.leaf)) {
        // a compound with a half-space among its parts: there may be no way out
        return Some(Penetration {
            lower: -near.distance,
            upper: f64::INFINITY,
            direction: near.normal,
        });
    }
    let mut deepest: Option<(f64, DVec3)> = None;
    for (probed, other, at, sign) in [(&first, b, pose_b, 1.0), (&second, a, pose_a, -1.0)] {
        for leaf in probed.iter() {
            for (center, radius) in probes(leaf) {
                let Some(found) = closest_point(other, at, center) else { continue };
                let depth = radius - found.distance;
                if deepest.is_none_or(|d| depth > d.0) {
                    deepest = Some((depth, found.normal * sign));
                }
            }
        }
    }
    let (lower, toward) = deepest.map_or((0.0, near.normal), |(depth, n)| (depth.max(0.0), n));
    let mut best = Penetration { lower, upper: f64::INFINITY, direction: toward };
    let mut directions = vec![toward, near.normal];
    for leaf in first.iter().chain(&second) {
        let axes = leaf.pose.matrix() * leaf.volume.axes;
        directions
            .extend([axes.x_axis, axes.y_axis, axes.z_axis].into_iter().flat_map(|d| [d, -d]));
        if directions.len() > 64 {
            break;
        }
    }
    let bodies = Bodies { a, pose_a, b, pose_b };
    for mut d in directions {
        for _ in 0..ROUNDS {
            let Some((way, normal)) = bodies.way_out(&first, &second, d, lower, best.upper) else {
                break;
            };
            if way < best.upper {
                best = Penetration { lower, upper: way, direction: d };
            }
            // the contact on the way back shows where it is steeper
            if normal.distance(d) < 1e-9 || way > 2.0 * best.upper {
                break;
            }
            d = normal;
        }
    }
    best.lower = best.lower.min(best.upper);
    Some(best)
}

struct Bodies<'a> {
    a: &'a Shape,
    pose_a: &'a Pose,
    b: &'a Shape,
    pose_b: &'a Pose,
}

impl Bodies<'_> {
    /// How far the first shape must move along `d` to be out, and the normal of the contact there.
    fn way_out(
        &self,
        first: &[Placed],
        second: &[Placed],
        d: DVec3,
        lower: f64,
        upper: f64,
    ) -> Option<(f64, DVec3)> {
        let d = d.try_normalize()?;
        let reach = |parts: &[Placed], d: DVec3| {
            parts.iter().map(|p| p.reach(d)).fold(f64::NEG_INFINITY, f64::max)
        };
        let size = (reach(first, d) + reach(first, -d)).max(reach(second, d) + reach(second, -d));
        // tori that lie on each other would be looked at in too many places
        let round = first.iter().chain(second).any(|p| matches!(p.leaf, Leaf::Ring(_)));
        let tolerance = if round { 1e-6 * size } else { 1e-9 * size };
        // beyond the planes that bound both along d, and a little more
        let out = reach(first, -d) + reach(second, d) + 4.0 * tolerance;
        if !(out.is_finite() && out > 0.0) {
            return None;
        }
        // somewhere on the way they may be apart already
        let nearby = [1.05, 1.3, 1.7, 2.5, 4.0].map(|k| k * lower.max(1e-3 * size)).into_iter();
        let free = |s: &f64| {
            distance(self.a, &self.moved(d * *s), self.b, self.pose_b)
                .is_some_and(|p| p.distance > tolerance)
        };
        let out = nearby.take_while(|s| *s < out.min(upper)).find(free).unwrap_or(out);
        let moving = Ballistic { velocity: -d, ..Ballistic::at_rest(self.moved(d * out)) };
        let rest = Ballistic::at_rest(*self.pose_b);
        match time_of_impact(self.a, &moving, self.b, &rest, &ImpactQuery::new(out, tolerance)) {
            Ok(Outcome::Hit(hit)) => Some((out - hit.time, hit.normal)),
            // the safe time is a bound, too
            Ok(Outcome::FreeUntil(t)) => Some((out - t, d)),
            _ => None,
        }
    }

    fn moved(&self, shift: DVec3) -> Pose {
        Pose::new(self.pose_a.position + shift, self.pose_a.rotation)
    }
}

/// Balls inside a part, as centre and radius, in the world.
fn probes(part: &Placed) -> Vec<(DVec3, f64)> {
    let local: Vec<(DVec3, f64)> = match &part.leaf {
        Leaf::Mesh(mesh) => mesh.vertices().iter().map(|v| (*v, 0.0)).collect(),
        Leaf::HalfSpace { .. } => Vec::new(),
        Leaf::Ring(ring) => {
            (0..16).map(|k| (ring.at(PI / 8.0 * f64::from(k)), ring.tube)).collect()
        }
        Leaf::Convex(convex) => {
            let mut balls: Vec<(DVec3, f64)> = match convex.core {
                Core::Point => vec![(DVec3::ZERO, 0.0)],
                Core::Segment(h) => {
                    [-1.0, -0.5, 0.0, 0.5, 1.0].map(|z| (DVec3::Z * (z * h), 0.0)).to_vec()
                }
                Core::Box(h) => vec![(DVec3::ZERO, h.min_element())],
                Core::Cylinder(r, h) => vec![(DVec3::ZERO, r.min(h))],
                Core::Cone(r, h) => {
                    // the ball that touches base and side: ρ = r H / (r + √(r² + H²)) with the
                    // height H = 2 h
                    let height = 2.0 * h;
                    let inner = r * height / (r + (r * r + height * height).sqrt());
                    vec![(DVec3::Z * (inner - h), inner)]
                }
                Core::Ellipsoid(radii) => vec![(DVec3::ZERO, radii.min_element())],
                Core::Hull(hull) => hull.vertices().iter().map(|v| (*v, 0.0)).collect(),
                Core::Triangle(corners) => corners.map(|p| (p, 0.0)).to_vec(),
                Core::Polygon(corners, _) => corners.iter().map(|p| (*p, 0.0)).collect(),
            };
            balls.iter_mut().for_each(|b| b.1 += convex.margin);
            // corners and tips
            for i in 0..27 {
                let d = DVec3::new(
                    f64::from(i % 3 - 1),
                    f64::from(i / 3 % 3 - 1),
                    f64::from(i / 9 - 1),
                );
                if d != DVec3::ZERO {
                    balls.push((convex.support(d), 0.0));
                }
            }
            balls
        }
    };
    local.into_iter().map(|(p, r)| (part.pose.point(p), r)).collect()
}

impl Placed<'_> {
    /// The largest d·x over the part, in the world.
    fn reach(&self, d: DVec3) -> f64 {
        let local = self.pose.inverse_direction(d);
        let own = match &self.leaf {
            Leaf::Convex(convex) => convex.support(local).dot(local),
            Leaf::Mesh(mesh) => {
                mesh.vertices().iter().map(|v| v.dot(local)).fold(f64::NEG_INFINITY, f64::max)
            }
            Leaf::HalfSpace { .. } => f64::INFINITY,
            Leaf::Ring(ring) => ring.support(local).dot(local),
        };
        own + self.pose.position.dot(d)
    }
}
