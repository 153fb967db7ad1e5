//! Intersection of features of two boxes: what `region` does, for at most four corners each,
//! without memory from the heap.
//!
//! The corners are sums of the box's axes seen in the plane, so they are projected without ever
//! being computed in space.

use super::feature::{BoxFeature, EDGE};
use super::{Contact, ContactId};
use glam::{DMat3, DVec2, DVec3};

/// A feature of a box in the plane perpendicular to the normal.
struct Flat {
    count: usize,
    points: [DVec2; 4],
    names: [u32; 4],
    name: u32,
    /// The plane that lifts a point back: height = h₀ + g·x.
    slope: DVec2,
    height: f64,
    size: f64,
    lengths: [f64; 4],
}

/// Four corners, four corners, sixteen crossings.
const MOST: usize = 24;

/// One of the boxes: its feature, half extents, rotation and centre.
pub(super) struct Side {
    pub(super) feature: BoxFeature,
    pub(super) half: DVec3,
    pub(super) rotation: DMat3,
    pub(super) center: DVec3,
}

/// Adds the corners of the common region, sorted by name. Gives the least distance of them.
pub(super) fn intersect(
    a: &Side,
    b: &Side,
    n: DVec3,
    tolerance: f64,
    id: ContactId,
    found: &mut Vec<Contact>,
) -> f64 {
    let u = n.any_orthonormal_vector();
    let w = n.cross(u);
    // heights and places are taken from the first centre: far from the origin they keep their
    // digits
    let origin = a.center;
    let (p, r) = (Flat::new(a, u, w, n, origin), Flat::new(b, u, w, n, origin));
    let size = p.size.max(r.size);
    let (slack, merge) = (1e-9 * size, 1e-18 * size * size);
    let mut corners = [([0_u32; 2], DVec2::ZERO); MOST];
    let mut count = 0;
    let mut least = f64::INFINITY;
    let mut add = |x: DVec2, features: [u32; 2]| {
        let distance = p.lift(x) - r.lift(x);
        if distance <= tolerance
            && !corners[..count].iter().any(|(_, y)| y.distance_squared(x) <= merge)
        {
            least = least.min(distance);
            corners[count] = (features, x);
            count += 1;
        }
    };
    let (of_p, of_r) = (r.sides(&p), p.sides(&r));
    for i in 0..p.count {
        if r.covers(p.points[i], &of_p[i], slack) {
            add(p.points[i], [p.names[i], r.name]);
        }
    }
    for j in 0..r.count {
        if p.covers(r.points[j], &of_r[j], slack) {
            add(r.points[j], [p.name, r.names[j]]);
        }
    }
    for i in 0..p.edges() {
        let next = p.next(i);
        for j in 0..r.edges() {
            let (s, t) = (of_p[i][j], of_p[next][j]);
            let (c, d) = (of_r[j][i], of_r[r.next(j)][i]);
            // s − t is the cross product of the edges; parallel ones do not cross
            if s * t <= 0.0 && c * d <= 0.0 && (s - t).abs() > 1e-12 * p.lengths[i] * r.lengths[j] {
                let x = p.points[i] + (p.points[next] - p.points[i]) * (s / (s - t));
                add(x, [EDGE + p.names[i], EDGE + r.names[j]]);
            }
        }
    }
    let corners = &mut corners[..count];
    // an insertion sort of up to eight small things
    for i in 1..corners.len() {
        let mut k = i;
        while k > 0 && corners[k].0 < corners[k - 1].0 {
            corners.swap(k, k - 1);
            k -= 1;
        }
    }
    for &(features, x) in corners.iter() {
        let (high, low) = (p.lift(x), r.lift(x));
        let base = origin + u * x.x + w * x.y;
        found.push(Contact {
            id: ContactId { features, ..id },
            a: base + n * high,
            b: base + n * low,
            normal: n,
            distance: high - low,
        });
    }
    least
}

impl Flat {
    #[inline]
    fn new(side: &Side, u: DVec3, w: DVec3, n: DVec3, origin: DVec3) -> Self {
        let back = |d: DVec3| {
            let m = &side.rotation;
            DVec3::new(m.x_axis.dot(d), m.y_axis.dot(d), m.z_axis.dot(d)) * side.half
        };
        let (lu, lw, ln) = (back(u), back(w), back(n));
        let center = side.center - origin;
        let (cu, cw, cn) = (center.dot(u), center.dot(w), center.dot(n));
        let f = &side.feature;
        let (mut points, mut heights) = ([DVec2::ZERO; 4], [0.0; 4]);
        for i in 0..f.count {
            let s = f.signs[i];
            points[i] = DVec2::new(cu + lu.dot(s), cw + lw.dot(s));
            heights[i] = cn + ln.dot(s);
        }
        let mut names = f.names;
        let mut slope = DVec2::ZERO;
        if f.count == 2 {
            let d = points[1] - points[0];
            slope = d * ((heights[1] - heights[0]) / d.length_squared().max(1e-300));
        } else if f.count == 4 {
            // the normal of the face in (x, y, height)
            let at = |i: usize| points[i].extend(heights[i]);
            let area = (at(2) - at(0)).cross(at(3) - at(1));
            slope = DVec2::new(-area.x, -area.y) / if area.z == 0.0 { 1e300 } else { area.z };
            if area.z < 0.0 {
                // counter-clockwise in the plane
                points.swap(0, 3);
                points.swap(1, 2);
                names.swap(0, 3);
                names.swap(1, 2);
                heights.swap(0, 3);
            }
        }
        let mut lengths = [0.0; 4];
        let mut size = 0.0_f64;
        for i in 0..f.count {
            let next = if i + 1 == f.count { 0 } else { i + 1 };
            lengths[i] = points[i].distance(points[next]);
            size = size.max(points[i].distance_squared(points[0]));
        }
        let height = heights[0] - slope.dot(points[0]);
        Self {
            count: f.count,
            points,
            names,
            name: f.name,
            slope,
            height,
            size: size.sqrt(),
            lengths,
        }
    }

    fn lift(&self, x: DVec2) -> f64 {
        self.height + self.slope.dot(x)
    }

    fn edges(&self) -> usize {
        if self.count == 4 { 4 } else { self.count - 1 }
    }

    fn next(&self, i: usize) -> usize {
        if i + 1 == self.count { 0 } else { i + 1 }
    }

    /// For each point of `other` and each edge of this: (to − from) × (point − from), positive
    /// inside.
    #[inline]
    fn sides(&self, other: &Flat) -> [[f64; 4]; 4] {
        let mut sides = [[0.0; 4]; 4];
        for j in 0..self.edges() {
            let edge = self.points[self.next(j)] - self.points[j];
            for i in 0..other.count {
                sides[i][j] = edge.perp_dot(other.points[i] - self.points[j]);
            }
        }
        sides
    }

    #[inline]
    fn covers(&self, x: DVec2, sides: &[f64; 4], slack: f64) -> bool {
        match self.count {
            1 => self.points[0].distance_squared(x) <= slack * slack,
            2 => {
                let d = self.points[1] - self.points[0];
                let t = (x - self.points[0]).dot(d) / d.length_squared().max(1e-300);
                (self.points[0] + d * t.clamp(0.0, 1.0)).distance_squared(x) <= slack * slack
            }
            _ => (0..4).all(|k| sides[k] >= -slack * self.lengths[k]),
        }
    }
}
