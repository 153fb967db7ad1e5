//! Short ways for pairs of convex shapes: quick rejection, boxes, and spheres in closed form.
//!
//! A pair is rejected when it is apart along the direction that told it apart last time. The margin
//! over rounding makes sure that the long way would have rejected it, too: the answer does not
//! depend on the direction.

use super::feature::Feature;
use super::{Contact, ContactCache, ContactId, Query};
use crate::Pose;
use crate::convex::{
    Convex, ConvexCache, ConvexDistance, Core, convex_apart, convex_distance, convex_near,
};
use crate::elementary::edge_edge;
use glam::DVec3;

/// Part of the size by which a remembered direction must clear the tolerance.
const CLEAR: f64 = 1e-9;

impl Query {
    /// Finds the contacts; false if only the general way can.
    pub(super) fn direct_pair(
        &self,
        a: &Convex,
        pose_a: &Pose,
        b: &Convex,
        pose_b: &Pose,
        id: ContactId,
        cache: &mut ContactCache,
        found: &mut Vec<Contact>,
    ) -> bool {
        match (a.core, b.core) {
            (Core::Box(p), Core::Box(q)) => {
                return self.box_pair([p, q], [pose_a, pose_b], id, cache, found);
            }
            (Core::Point, _) => {
                return self.ball(a.margin, pose_a, b, pose_b, id, cache, found, false);
            }
            (_, Core::Point) => {
                return self.ball(b.margin, pose_b, a, pose_a, id, cache, found, true);
            }
            _ => {}
        }
        if self.is_apart(a, pose_a, b, pose_b, cache) {
            return true;
        }
        if let (Core::Segment(h), Core::Segment(g)) = (a.core, b.core) {
            let ends = |pose: &Pose, h: f64| [-h, h].map(|z| pose.point(DVec3::Z * z));
            let c = edge_edge(ends(pose_a, h), ends(pose_b, g));
            let (apart, length) = (c.a - c.b, c.distance());
            // segments that cross have no direction
            if length <= CLEAR * (h + g) {
                return false;
            }
            let normal = apart / length;
            let distance = length - a.margin - b.margin;
            let closest = ConvexDistance {
                distance,
                lower: distance,
                a: c.a - normal * a.margin,
                b: c.b + normal * b.margin,
                normal,
                steps: 0,
            };
            self.around(&closest, a, pose_a, b, pose_b, id, found);
            cache.direction = if distance > self.tolerance { normal } else { DVec3::ZERO };
            return true;
        }
        if let Some(c) = self.closest(a, pose_a, b, pose_b, self.guess, cache) {
            self.around(&c, a, pose_a, b, pose_b, id, found);
        }
        true
    }

    /// The closest points of sets that the remembered direction does not tell apart, from a guess
    /// of the normal where that is enough; none if they turn out to be farther apart than the
    /// tolerance, which is remembered.
    fn closest(
        &self,
        a: &Convex,
        pose_a: &Pose,
        b: &Convex,
        pose_b: &Pose,
        guess: Option<DVec3>,
        cache: &mut ContactCache,
    ) -> Option<ConvexDistance> {
        let mut known = guess.and_then(|n| convex_near(a, pose_a, b, pose_b, n));
        if known.is_none() {
            let start = Some(cache.direction).filter(|d| *d != DVec3::ZERO);
            if let Some(n) = convex_apart(a, pose_a, b, pose_b, self.tolerance, start) {
                cache.direction = n;
                // the same test as for remembered directions has the last word
                if self.is_apart(a, pose_a, b, pose_b, cache) {
                    return None;
                }
            }
            // from the beginning: the answer must not depend on what is remembered
            known = Some(convex_distance(a, pose_a, b, pose_b, &mut ConvexCache::default()));
        }
        let c = known.filter(|c| c.distance <= self.tolerance);
        cache.direction = match (c, known) {
            (None, Some(apart)) => apart.normal,
            _ => DVec3::ZERO,
        };
        if c.is_none() {
            self.is_apart(a, pose_a, b, pose_b, cache);
        }
        c
    }

    /// True if the remembered direction tells the sets apart.
    fn is_apart(
        &self,
        a: &Convex,
        pose_a: &Pose,
        b: &Convex,
        pose_b: &Pose,
        cache: &mut ContactCache,
    ) -> bool {
        let n = cache.direction;
        cache.gap = f64::NEG_INFINITY;
        if n == DVec3::ZERO {
            return false;
        }
        let p = a.core.support(pose_a.inverse_direction(-n), &mut { u32::MAX });
        let q = b.core.support(pose_b.inverse_direction(n), &mut { u32::MAX });
        let gap = n.dot(pose_a.position - pose_b.position)
            + n.dot(pose_a.direction(p) - pose_b.direction(q));
        let size = p.length() + q.length() + a.margin + b.margin;
        cache.gap = gap - a.margin - b.margin - CLEAR * size;
        cache.gap > self.tolerance
    }

    /// A ball of radius `radius` against a convex set; `second` if the ball is the second of the
    /// pair.
    fn ball(
        &self,
        radius: f64,
        pose: &Pose,
        other: &Convex,
        at: &Pose,
        id: ContactId,
        cache: &mut ContactCache,
        found: &mut Vec<Contact>,
        second: bool,
    ) -> bool {
        let center = pose.position;
        let margin = other.margin;
        // the closest point of the other core and the normal from it to the ball, with the distance
        // of centre and core
        let (core, normal, distance) = match other.core {
            Core::Point | Core::Segment(_) | Core::Box(_) => {
                let p = at.inverse_point(center);
                let Some((q, n, d)) = closest(other.core, p) else { return false };
                (at.point(q), at.direction(n), d)
            }
            _ => {
                let probe = Convex { core: Core::Point, margin: radius };
                // the direction runs from the other set to the ball
                if self.is_apart(&probe, pose, other, at, cache) {
                    return true;
                }
                let guess = self.guess.map(|n| if second { -n } else { n });
                let Some(c) = self.closest(&probe, pose, other, at, guess, cache) else {
                    return true;
                };
                // EPA's point of a polyhedron is a corner of the face, not the foot
                let distance = c.distance + radius + margin;
                (center - c.normal * distance, c.normal, distance)
            }
        };
        let distance = distance - radius - margin;
        if distance > self.tolerance {
            return true;
        }
        let (p, q) = (center - normal * radius, core + normal * margin);
        let feature = Feature::of(other, at, normal);
        if second {
            // a corner goes before the face round it
            let size =
                feature.points.iter().map(|v| v.position.distance_squared(q)).fold(0.0, f64::max);
            let corner =
                feature.points.iter().find(|v| v.position.distance_squared(q) <= 1e-18 * size);
            let name = corner.map_or(feature.name(), |v| v.name);
            found.push(Contact {
                id: ContactId { features: [name, 0], ..id },
                a: q,
                b: p,
                normal: -normal,
                distance,
            });
        } else {
            let name = feature.name();
            found.push(Contact {
                id: ContactId { features: [0, name], ..id },
                a: p,
                b: q,
                normal,
                distance,
            });
        }
        true
    }
}

/// The point of a core closest to `p`, the direction from it to `p`, and the distance, negative
/// inside. None if the direction is lost to rounding.
fn closest(core: Core, p: DVec3) -> Option<(DVec3, DVec3, f64)> {
    let q = match core {
        Core::Segment(h) => DVec3::Z * p.z.clamp(-h, h),
        Core::Box(h) => {
            let inside = h - p.abs();
            if inside.min_element() >= 0.0 {
                // the nearest face, the first of equals
                let k = (0..3).fold(0, |best, k| if inside[k] < inside[best] { k } else { best });
                let n = DVec3::AXES[k] * 1_f64.copysign(p[k]);
                return Some((p + n * inside[k], n, -inside[k]));
            }
            p.clamp(-h, h)
        }
        _ => DVec3::ZERO,
    };
    let d = (p - q).length();
    (d > CLEAR * p.length().max(1e-3)).then(|| (q, (p - q) / d, d))
}
