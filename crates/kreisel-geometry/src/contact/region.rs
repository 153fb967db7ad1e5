//! Intersection of two features that face each other along a normal.
//!
//! Reference: Bender 2007, sections 4.5.1.3 (pairs of elements, tested with Voronoi regions) and
//! 4.5.2.1 (clipping). Both features are projected along n into a plane. The corners of the common
//! region are the vertices of one inside the other and the crossings of edges; each is lifted back
//! to both features, and kept if they are at most the tolerance apart there.
//!
//! O(k m) for k and m corners. Corners that coincide to 1e-9 of the size are reported once, under
//! the first name.

use super::feature::{Feature, Point};
use super::{Contact, ContactId, Query};
use glam::{DVec2, DVec3};
use smallvec::SmallVec;

/// How the common region of two features is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// Vertex in face and edge across edge, named by the elements.
    #[default]
    Elements,
    /// Clipping one polygon by the other (Sutherland, Hodgman), named by the order of the corners.
    Clipping,
}

/// A feature in the plane perpendicular to the normal.
struct Flat<'a> {
    feature: &'a Feature,
    points: SmallVec<[DVec2; 8]>,
    /// The points are in the opposite order of the feature's.
    reversed: bool,
    /// The plane that lifts a point back: height = h₀ + g·x.
    slope: DVec2,
    height: f64,
}

const EDGE: u32 = 0x4000_0000;

/// Adds the corners of the common region.
pub(super) fn intersect(
    q: &Query,
    a: &Feature,
    b: &Feature,
    n: DVec3,
    id: ContactId,
    found: &mut Vec<Contact>,
) {
    let u = n.any_orthonormal_vector();
    let w = n.cross(u);
    let (p, r) = (Flat::new(a, u, w, n), Flat::new(b, u, w, n));
    let size = p.size().max(r.size());
    let corners = match q.backend {
        Backend::Elements => elements(&p, &r, 1e-9 * size),
        Backend::Clipping => clipping(&p, &r),
    };
    let merge = 1e-18 * size * size;
    let mut kept: SmallVec<[(Corner, f64, f64); 16]> = SmallVec::new();
    for (x, features) in corners {
        let (high, low) = (p.lift(x), r.lift(x));
        let doubled = || kept.iter().any(|((y, _), ..)| y.distance_squared(x) <= merge);
        if high - low <= q.tolerance && !doubled() {
            kept.push(((x, features), high, low));
        }
    }
    // small things are sorted faster than contacts
    kept.sort_unstable_by_key(|((_, features), ..)| *features);
    for ((x, features), high, low) in kept {
        let base = u * x.x + w * x.y;
        found.push(Contact {
            id: ContactId { features, ..id },
            a: base + n * high,
            b: base + n * low,
            normal: n,
            distance: high - low,
        });
    }
}

impl<'a> Flat<'a> {
    fn new(feature: &'a Feature, u: DVec3, w: DVec3, n: DVec3) -> Self {
        let points: SmallVec<[DVec2; 8]> = feature
            .points
            .iter()
            .map(|p| DVec2::new(u.dot(p.position), w.dot(p.position)))
            .collect();
        let heights: SmallVec<[f64; 8]> =
            feature.points.iter().map(|p| n.dot(p.position)).collect();
        let origin = points[0];
        let mut flat =
            Self { feature, points, reversed: false, slope: DVec2::ZERO, height: heights[0] };
        if flat.points.len() == 2 {
            let d = flat.points[1] - flat.points[0];
            flat.slope = d * ((heights[1] - heights[0]) / d.length_squared().max(1e-300));
        } else if flat.points.len() > 2 {
            // Newell's normal in (x, y, height)
            let corner =
                |i: usize| flat.points[i % heights.len()].extend(heights[i % heights.len()]);
            let area: DVec3 = (1..heights.len())
                .map(|i| (corner(i) - corner(0)).cross(corner(i + 1) - corner(0)))
                .sum();
            flat.slope = DVec2::new(-area.x, -area.y) / if area.z == 0.0 { 1e300 } else { area.z };
            if area.z < 0.0 {
                // counter-clockwise in the plane
                flat.points.reverse();
                flat.reversed = true;
            }
        }
        flat.height = heights[0] - flat.slope.dot(origin);
        flat
    }

    fn lift(&self, x: DVec2) -> f64 {
        self.height + self.slope.dot(x)
    }

    fn size(&self) -> f64 {
        self.points.iter().map(|p| p.distance_squared(self.points[0])).fold(0.0, f64::max).sqrt()
    }

    /// The name of the point that became `points[i]`.
    fn name(&self, i: usize) -> u32 {
        let named: &[Point] = &self.feature.points;
        named[if self.reversed { named.len() - 1 - i } else { i }].name
    }

    /// The number of edges: one less than the points of a segment, as many as those of a polygon.
    fn edge_count(&self) -> usize {
        match self.points.len() {
            1 => 0,
            2 => 1,
            n => n,
        }
    }

    /// Edge `i` runs from point `i` to the next.
    fn edge(&self, i: usize) -> (DVec2, DVec2) {
        (self.points[i], self.points[if i + 1 == self.points.len() { 0 } else { i + 1 }])
    }

    fn edges(&self) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
        (0..self.edge_count()).map(|i| self.edge(i))
    }

    /// For each point of `other` and each edge of this: (to − from) × (point − from), positive
    /// inside.
    fn sides(&self, other: &Flat) -> SmallVec<[f64; 32]> {
        let mut sides = SmallVec::new();
        for &x in &other.points {
            sides.extend(self.edges().map(|(from, to)| (to - from).perp_dot(x - from)));
        }
        sides
    }

    /// Whether a point with the given sides lies on the feature, its border included.
    fn covers(&self, x: DVec2, sides: &[f64], lengths: &[f64], slack: f64) -> bool {
        match self.points.len() {
            1 => self.points[0].distance_squared(x) <= slack * slack,
            2 => {
                let d = self.points[1] - self.points[0];
                let t = (x - self.points[0]).dot(d) / d.length_squared().max(1e-300);
                (self.points[0] + d * t.clamp(0.0, 1.0)).distance_squared(x) <= slack * slack
            }
            _ => sides.iter().zip(lengths).all(|(side, length)| *side >= -slack * length),
        }
    }

    fn lengths(&self) -> SmallVec<[f64; 8]> {
        self.edges().map(|(from, to)| from.distance(to)).collect()
    }
}

type Corner = (DVec2, [u32; 2]);
type Corners = SmallVec<[Corner; 16]>;

/// Vertices of one on the other, then edges across edges. The sides of the points on the edges
/// decide both: an edge crosses another when the ends of each are on different sides of the other.
fn elements(p: &Flat, r: &Flat, slack: f64) -> Corners {
    let mut corners = Corners::new();
    let (k, m) = (p.edge_count(), r.edge_count());
    let (of_p, of_r) = (r.sides(p), p.sides(r));
    let (long_p, long_r) = (p.lengths(), r.lengths());
    for (i, &x) in p.points.iter().enumerate() {
        if r.covers(x, &of_p[i * m..(i + 1) * m], &long_r, slack) {
            corners.push((x, [p.name(i), r.feature.name()]));
        }
    }
    for (j, &y) in r.points.iter().enumerate() {
        if p.covers(y, &of_r[j * k..(j + 1) * k], &long_p, slack) {
            corners.push((y, [p.feature.name(), r.name(j)]));
        }
    }
    for i in 0..k {
        let next = if i + 1 == p.points.len() { 0 } else { i + 1 };
        for j in 0..m {
            let after = if j + 1 == r.points.len() { 0 } else { j + 1 };
            let (a, b) = (of_p[i * m + j], of_p[next * m + j]);
            let (c, d) = (of_r[j * k + i], of_r[after * k + i]);
            // a − b is the cross product of the edges; parallel ones do not cross
            if a * b <= 0.0 && c * d <= 0.0 && (a - b).abs() > 1e-12 * long_p[i] * long_r[j] {
                let (from, to) = p.edge(i);
                corners.push((
                    from + (to - from) * (a / (a - b)),
                    [EDGE + p.name(i), EDGE + r.name(j)],
                ));
            }
        }
    }
    corners
}

/// The first feature clipped by the half-planes of the second; if the second is no polygon, the
/// other way round.
fn clipping(p: &Flat, r: &Flat) -> Corners {
    let (subject, clip, swapped) = if r.points.len() > 2 { (p, r, false) } else { (r, p, true) };
    if clip.points.len() < 3 {
        return elements(p, r, 1e-9 * p.size().max(r.size()));
    }
    let slack = 1e-9 * p.size().max(r.size());
    let mut polygon = subject.points.clone();
    for (from, to) in clip.edges() {
        let inward = (to - from).perp().normalize_or_zero();
        let height = |x: DVec2| inward.dot(x - from) + slack;
        let mut next: SmallVec<[DVec2; 8]> = SmallVec::new();
        let n = polygon.len();
        for i in 0..n {
            let (x, y) = (polygon[i], polygon[(i + 1) % n]);
            let (hx, hy) = (height(x), height(y));
            if hx >= 0.0 {
                next.push(x);
            }
            // a segment is no loop: its closing edge would cut it twice
            if (hx >= 0.0) != (hy >= 0.0) && (n > 2 || i == 0) {
                next.push(x + (y - x) * (hx / (hx - hy)));
            }
        }
        polygon = next;
    }
    let name = |i: usize| {
        if swapped { [clip.feature.name(), i as u32] } else { [i as u32, clip.feature.name()] }
    };
    polygon.into_iter().enumerate().map(|(i, x)| (x, name(i))).collect()
}
