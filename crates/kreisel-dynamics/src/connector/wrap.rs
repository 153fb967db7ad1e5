//! Cables that run over round bodies: a sphere or a cylinder between two points of a cable.
//!
//! Where the straight way between the points P and Q meets the body, the cable touches it at T₁,
//! runs along its surface (a great circle, or a helix) and leaves it at T₂. There is no friction:
//!
//! ```text
//! length = |P T₁| + arc(T₁, T₂) + |T₂ Q|
//! ```
//!
//! The shortest way does not change at first order when T₁ and T₂ move along the surface. So its
//! rate is that of the two straight parts with T₁ and T₂ held fast in the body: they are two more
//! points of the cable, with the forces that belong to them.
//!
//! In the plane across the axis (of a sphere: the plane of P, Q and its centre) the touching points
//! are those of the tangents from P and Q to a circle. There are two ways round; the one near the
//! `side` point is taken, or else the shorter. A helix climbs evenly: its cylinder unrolls to a
//! plane. A point inside the body does not wrap, and a cylinder has no end.

use crate::constraint::second::TINY;
use crate::math::{Vec3, fun};
use serde::{Deserialize, Serialize};

/// A round body between two points of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wrap {
    /// Number of the cable's point after which it comes, from 0.
    pub after: usize,
    /// Number of the connector at its centre, from 0: a point of the body that it belongs to. It is
    /// no point of the cable.
    pub around: usize,
    /// Radius, m.
    pub radius: f64,
    /// Axis of a cylinder in the frame of its body; none for a sphere.
    pub axis: Option<Vec3>,
    /// Number of a connector on the side on which the cable runs, no point of the cable either;
    /// none for the shorter way.
    pub side: Option<usize>,
}

/// Where a cable touches, and the length between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    pub points: [Vec3; 2],
    pub arc: f64,
}

/// The way of a cable from `p` to `q` around a centre; none where it runs straight.
pub(crate) fn touch(
    (p, q): (Vec3, Vec3),
    center: Vec3,
    radius: f64,
    axis: Option<Vec3>,
    side: Option<Vec3>,
) -> Option<Touch> {
    // the plane of the circle, with p on its x axis
    let (p, q) = (p - center, q - center);
    let side = side.map(|s| s - center);
    let z = match axis {
        Some(axis) => axis.try_normalize()?,
        // p, q and the centre in a line: any plane through it, or that of the side
        None => {
            let across = p.cross(q).try_normalize();
            let by_side = side.and_then(|s| p.cross(s).try_normalize());
            across.or(by_side).unwrap_or_else(|| p.any_orthonormal_vector())
        }
    };
    let x = (p - z * p.dot(z)).try_normalize()?;
    let y = z.cross(x);
    let flat = |v: Vec3| [v.dot(x), v.dot(y)];
    let (a, b) = (flat(p), flat(q));
    let length = |v: [f64; 2]| (v[0] * v[0] + v[1] * v[1]).sqrt();
    let (ra, rb) = (length(a), length(b));
    if ra <= radius || rb <= radius {
        return None;
    }

    // whether the straight way is free
    let d = [b[0] - a[0], b[1] - a[1]];
    let square = d[0] * d[0] + d[1] * d[1];
    if square < TINY * TINY {
        return None;
    }
    let along = (-(a[0] * d[0] + a[1] * d[1]) / square).clamp(0.0, 1.0);
    let near = [a[0] + along * d[0], a[1] + along * d[1]];
    let toward = side.map(flat);
    let right = toward.is_none_or(|s| s[0] * near[0] + s[1] * near[1] >= 0.0);
    if length(near) > radius && right {
        return None;
    }

    // both ways round: angles of the touching points, counted in the sense of the way
    let angle = |v: [f64; 2]| fun::atan2(v[1], v[0]);
    let (open_a, open_b) = (fun::acos(radius / ra), fun::acos(radius / rb));
    let way = |sense: f64| {
        let first = angle(a) + sense * open_a;
        let last = angle(b) - sense * open_b;
        let turn = (sense * (last - first)).rem_euclid(std::f64::consts::TAU);
        // a way that hardly touches may come out as a whole turn by rounding
        let turn = if turn > std::f64::consts::TAU - 1e-9 { 0.0 } else { turn };
        (first, sense, turn)
    };
    let middle = |(first, sense, turn): (f64, f64, f64)| {
        let m = first + 0.5 * sense * turn;
        [fun::cos(m), fun::sin(m)]
    };
    let ways = [way(1.0), way(-1.0)];
    // straight parts that cross belong to a way that no cable takes
    let crosses = |(first, sense, turn): (f64, f64, f64)| {
        let on = |angle: f64| [radius * fun::cos(angle), radius * fun::sin(angle)];
        cross(a, on(first), b, on(first + sense * turn))
    };
    let second = match toward {
        _ if crosses(ways[0]) != crosses(ways[1]) => crosses(ways[0]),
        Some(s) => {
            let near = |w| {
                let m = middle(w);
                m[0] * s[0] + m[1] * s[1]
            };
            near(ways[1]) > near(ways[0])
        }
        None => ways[1].2 < ways[0].2,
    };
    let (first, sense, turn) = ways[usize::from(second)];

    // back in space: a helix climbs evenly along the whole way
    let arc = radius * turn;
    let straight = [ra, rb].map(|r| (r * r - radius * radius).sqrt());
    let (low, high) = (p.dot(z), q.dot(z));
    let slope = match axis {
        Some(_) => (high - low) / (straight[0] + arc + straight[1]),
        None => 0.0,
    };
    let place = |turned: f64, climbed: f64| {
        let angle = first + sense * turned;
        let height = if axis.is_some() { low + slope * climbed } else { 0.0 };
        center + (x * fun::cos(angle) + y * fun::sin(angle)) * radius + z * height
    };
    let points = [place(0.0, straight[0]), place(turn, straight[0] + arc)];
    Some(Touch { points, arc: arc * (1.0 + slope * slope).sqrt() })
}

/// Whether the segments from `a` to `p` and from `b` to `q` cross.
fn cross(a: [f64; 2], p: [f64; 2], b: [f64; 2], q: [f64; 2]) -> bool {
    let side = |o: [f64; 2], d: [f64; 2], x: [f64; 2]| {
        (d[0] - o[0]) * (x[1] - o[1]) - (d[1] - o[1]) * (x[0] - o[0])
    };
    side(a, p, b) * side(a, p, q) < 0.0 && side(b, q, a) * side(b, q, p) < 0.0
}

/// Numbers of the connectors that are points of the cable, in its order.
pub(crate) fn path(connectors: usize, wraps: &[Wrap]) -> impl Iterator<Item = usize> + '_ {
    let beside = |k: &usize| wraps.iter().any(|w| w.around == *k || w.side == Some(*k));
    (0..connectors).filter(move |k| !beside(k))
}

/// A corner of a cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// Where it is, m.
    pub at: Vec3,
    /// Number of the connector whose body it is a point of: for a place on a surface its centre.
    pub of: usize,
    /// What the way to the next corner counts.
    pub weight: f64,
    /// Whether that way is an arc on a surface.
    pub on_surface: bool,
}

impl Wrap {
    /// The corners of a cable through points in space, with axes in space, and its length.
    pub fn line(points: &[Vec3], wraps: &[Self], weights: &[f64]) -> (Vec<Corner>, f64) {
        let own: Vec<usize> = path(points.len(), wraps).collect();
        let (mut out, mut length) = (Vec::new(), 0.0);
        for (k, &of) in own.iter().enumerate() {
            let weight = weights.get(k).copied().unwrap_or(1.0);
            let p = points[of];
            out.push(Corner { at: p, of, weight, on_surface: false });
            let Some(q) = own.get(k + 1).map(|n| points[*n]) else { break };
            let wrap = wraps.iter().find(|w| w.after == k && w.around < points.len());
            let round = wrap.and_then(|w| {
                let side = w.side.and_then(|s| points.get(s).copied());
                Some((w.around, touch((p, q), points[w.around], w.radius, w.axis, side)?))
            });
            let way = match round {
                Some((of, Touch { points: [a, b], arc })) => {
                    out.push(Corner { at: a, of, weight, on_surface: true });
                    out.push(Corner { at: b, of, weight, on_surface: false });
                    p.distance(a) + arc + b.distance(q)
                }
                None => p.distance(q),
            };
            length += way * weight;
        }
        (out, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(t: Touch, p: Vec3, q: Vec3) -> f64 {
        p.distance(t.points[0]) + t.arc + t.points[1].distance(q)
    }

    /// Tangents of length √3 from both sides and a third of a turn less two openings.
    #[test]
    fn a_circle_is_wrapped_by_tangents_and_an_arc() {
        let (p, q) = (Vec3::new(-2.0, -0.0, 0.0), Vec3::new(2.0, 0.0, 0.0));
        let expected = 2.0 * 3.0_f64.sqrt() + std::f64::consts::FRAC_PI_3;
        for axis in [None, Some(Vec3::Z)] {
            for side in [Vec3::Y, -Vec3::Y] {
                let found = touch((p, q), Vec3::ZERO, 1.0, axis, Some(side * 2.0)).unwrap();
                assert!((total(found, p, q) - expected).abs() < 1e-12);
                assert!(found.points.iter().all(|t| t.dot(side) > 0.0));
            }
        }
        assert!(touch((p, q), Vec3::Y * 1.5, 1.0, None, None).is_none(), "it passes by");
    }

    /// On the wrong side the cable goes round although the straight way is free; on the right one
    /// it does not.
    #[test]
    fn the_side_decides_where_the_straight_way_is_free() {
        let (p, q) = (Vec3::new(-2.0, 1.2, 0.0), Vec3::new(2.0, 1.2, 0.0));
        assert!(touch((p, q), Vec3::ZERO, 1.0, None, Some(Vec3::Y * 2.0)).is_none());
        let under = touch((p, q), Vec3::ZERO, 1.0, None, Some(Vec3::Y * -2.0)).unwrap();
        assert!(under.points[0].y < 0.0 && under.arc > 1.0);
    }

    /// A cylinder unrolls: the length is that of a right triangle of the flat way and the climb.
    #[test]
    fn a_helix_is_straight_on_the_unrolled_cylinder() {
        let (p, q) = (Vec3::new(-2.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 1.5));
        let found = touch((p, q), Vec3::ZERO, 1.0, Some(Vec3::Z), None).unwrap();
        let flat = 2.0 * 3.0_f64.sqrt() + std::f64::consts::FRAC_PI_3;
        assert!((total(found, p, q) - (flat * flat + 2.25).sqrt()).abs() < 1e-12);
        for t in found.points {
            assert!(((t.x * t.x + t.y * t.y).sqrt() - 1.0).abs() < 1e-12);
        }
    }
}
