//! Where a torus touches: at the places of its circle that are nearest to the partner, and where it
//! lies flat at eight places of the body (as a cylinder's disk does), so that it stands on more
//! than one point.

use super::feature::INCLINED;
use super::{Contact, ContactId, Query};
use crate::Pose;
use crate::query::{Leaf, Placed, on_circle};
use crate::ring::Ring;
use glam::{DVec2, DVec3};
use smallvec::SmallVec;
use std::f64::consts::{FRAC_PI_4, TAU};

/// Angle within which a nearest place is one of the eight.
const SAME: f64 = 1e-3;

/// The eight places.
fn eighths() -> impl Iterator<Item = (f64, u32)> {
    (0..8).map(|k| (FRAC_PI_4 * f64::from(k), k))
}

impl Query {
    /// A torus against a leaf that is no half-space.
    pub(super) fn of_ring(
        &self,
        ring: &Ring,
        pose: &Pose,
        other: &Leaf,
        at: &Pose,
        parts: [u32; 2],
        found: &mut Vec<Contact>,
    ) {
        let other = Placed::bare(*other, *at, parts[1]);
        let limit = self.tolerance + ring.tube;
        let ask = |angle: f64| on_circle(ring, pose, angle, &other);
        let lows = ring.lows(limit, false, other.leaf.is_faceted(), ask);
        let mut places: SmallVec<[(f64, u32); 16]> =
            lows.iter().enumerate().map(|(k, low)| (low.angle, 8 + k as u32)).collect();
        if !places.is_empty() {
            // flat: eight places of the body
            for (angle, name) in eighths() {
                let apart = |x: f64| (x - angle + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
                match places.iter_mut().find(|p| apart(p.0).abs() < SAME) {
                    Some(near) => near.1 = name,
                    None => {
                        let (f, slope, _) = ask(angle);
                        if f <= limit && slope.abs() <= INCLINED {
                            places.push((angle, name));
                        }
                    }
                }
            }
        }
        for (angle, name) in places {
            let Some(c) = ask(angle).2 else { continue };
            let distance = c.distance - ring.tube;
            if distance <= self.tolerance {
                let triangle = c.places[1].triangle.unwrap_or(u32::MAX);
                let id = ContactId { parts, triangles: [u32::MAX, triangle], features: [name, 0] };
                found.push(Contact {
                    id,
                    a: c.a - c.normal * ring.tube,
                    b: c.b,
                    normal: c.normal,
                    distance,
                });
            }
        }
    }
}

/// The points of a torus that may touch a plane with the normal `n`: the lowest, and eight of the
/// body where it lies flat.
pub(super) fn lowest(ring: &Ring, pose: &Pose, n: DVec3) -> impl Iterator<Item = (DVec3, u32)> {
    let down = pose.inverse_direction(-n);
    let side = DVec2::new(down.x, down.y);
    let (ring, pose) = (*ring, *pose);
    let flat =
        eighths().filter(move |&(angle, _)| Ring::tangent(angle).dot(down).abs() <= INCLINED);
    let eight = flat.map(move |(angle, name)| (pose.point(ring.at(angle)) - n * ring.tube, name));
    let deepest = Some((pose.point(ring.support(down)), 8)).filter(|_| side.length() > 1e-12);
    let on_eighth = move |p: &(DVec3, u32)| {
        let out = libm::atan2(side.y, side.x).rem_euclid(FRAC_PI_4);
        p.1 != 8 || out.min(FRAC_PI_4 - out) >= SAME * SAME
    };
    deepest.into_iter().filter(on_eighth).chain(eight)
}
