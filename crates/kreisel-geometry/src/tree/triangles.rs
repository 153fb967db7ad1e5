//! Squared distances of one triangle and four.
//!
//! Reference: Lennerz 2000, eq. 3.1: nine edge pairs and six vertex–face candidates, all without
//! branches. Per edge pair with directions v₁, v₂ and r = a₁ − a₂: s = clamp((b f − c e)/(a e −
//! b²)), t = clamp((b s + f)/e), s = clamp((b t − c)/a). Vertex–face uses the dual basis of the
//! sides. Crossing triangles are not recognised here: where boxes overlap, the caller asks
//! [`crate::elementary::triangles_cross`].
//!
//! Only the corners are stored. What else is needed is computed four at a time when a block is
//! looked at: that is a tenth of the work of a comparison, and stored it would be two thirds of the
//! block.
//!
//! Nearly parallel edges start with s = 0. What the edge pair then misses, at most angle times
//! length, is found by the neighbouring edges, which share the vertex that realises the distance.
//! Degenerate triangles have NaN as dual basis, which makes "inside" false, and zero as inverse of
//! a squared length, which makes the parameter 0.

use crate::simd::{F4, Lanes, Motion4, V4};
use glam::DVec3;

/// The corners of four triangles: corner, coordinate, lane.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(crate) struct TriangleBlock([[[f64; 4]; 3]; 3]);

impl TriangleBlock {
    /// A block of one to four triangles; unused lanes repeat the last one.
    pub(super) fn new(triangles: &[[DVec3; 3]]) -> Self {
        let mut corners = [[[0.0; 4]; 3]; 3];
        for lane in 0..4 {
            let t = triangles[lane.min(triangles.len() - 1)];
            for k in 0..3 {
                for i in 0..3 {
                    corners[k][i][lane] = t[k][i];
                }
            }
        }
        Self(corners)
    }

    /// The corners of one triangle.
    pub(super) fn lane(&self, lane: usize) -> [DVec3; 3] {
        self.0.map(|c| DVec3::new(c[0][lane], c[1][lane], c[2][lane]))
    }

    /// The triangles where they are.
    #[inline(always)]
    pub(crate) fn here<L: Lanes>(&self, l: L) -> Triangles4 {
        Triangles4::new(l, self.0)
    }

    /// The triangles in the frame of the other tree.
    #[inline(always)]
    pub(crate) fn moved<L: Lanes>(&self, l: L, motion: &Motion4<L>) -> Triangles4 {
        Triangles4::new(l, motion.points(l, &self.0))
    }
}

/// Four triangles with what their distances need.
pub(crate) struct Triangles4 {
    /// Corner, coordinate, lane.
    corners: [[[f64; 4]; 3]; 3],
    /// Unit normals n, then u, w with u·(b − a) = w·(c − a) = 1, u·(c − a) = w·(b − a) = 0; NaN
    /// without area.
    frame: [[[f64; 4]; 3]; 3],
    /// Edges from corner k to corner k + 1.
    sides: [[[f64; 4]; 3]; 3],
    /// Their squared lengths and the inverses of these, 0 for edges without length.
    length2: [[f64; 4]; 3],
    inverse: [[f64; 4]; 3],
}

impl Triangles4 {
    #[inline(always)]
    fn new<L: Lanes>(l: L, corners: [[[f64; 4]; 3]; 3]) -> Self {
        let [a, b, c] = V4::load3(l, &corners);
        let sides = [b - a, c - b, a - c];
        let squares = [sides[0].dot(sides[0]), sides[1].dot(sides[1]), sides[2].dot(sides[2])];
        let (zero, one) = (F4::splat(l, 0.0), F4::splat(l, 1.0));
        let mut inverse = [[0.0; 4]; 3];
        for k in 0..3 {
            inverse[k] = zero.select_lt(squares[k], one.div(squares[k]), zero).store();
        }
        let (e, f) = (b - a, c - a);
        let n = e.cross(f);
        let area2 = n.dot(n);
        let longest = squares[0].max(squares[1]).max(squares[2]);
        // below this the normal is rounding noise: the edges cover the triangle
        let least = longest * longest * F4::splat(l, 1e-24);
        let area2 = least.select_lt(area2, area2, F4::splat(l, f64::NAN));
        let (per_area, per_root) = (one.div(area2), one.div(area2.sqrt()));
        let (u, w) = (f.cross(n).scaled(per_area), n.cross(e).scaled(per_area));
        Self {
            corners,
            frame: [n.scaled(per_root).store(), u.store(), w.store()],
            sides: [sides[0].store(), sides[1].store(), sides[2].store()],
            length2: [squares[0].store(), squares[1].store(), squares[2].store()],
            inverse,
        }
    }

    /// Squared distance of triangle `i` and triangle `j` of `other`, if they do not cross: the
    /// lanes are the edges and corners of the latter. A third of the work of four pairs.
    #[inline(always)]
    pub(crate) fn squared_pair<L: Lanes>(&self, l: L, i: usize, other: &Self, j: usize) -> f64 {
        let p = V4::lane3(l, &self.corners, i);
        let (q, sides) = (across(l, &other.corners, j), across(l, &other.sides, j));
        let (n, m) = (&other.length2, &other.inverse);
        let e = F4::load(l, [n[0][j], n[1][j], n[2][j], n[2][j]]);
        let inverse_e = F4::load(l, [m[0][j], m[1][j], m[2][j], m[2][j]]);
        let mut best = F4::splat(l, f64::INFINITY);
        best = over_face(q - p[0], V4::lane3(l, &self.frame, i), best);
        let origin = V4::lane(l, &other.corners[0], j);
        best = over_face(across(l, &self.corners, i) - origin, V4::lane3(l, &other.frame, j), best);
        for k in 0..3 {
            let v = V4::lane(l, &self.sides[k], i);
            let (a, inverse_a) =
                (F4::splat(l, self.length2[k][i]), F4::splat(l, self.inverse[k][i]));
            best = edges(l, p[k] - q, [v, sides], [a, e], [inverse_a, inverse_e], best);
        }
        let [x, y, z, _] = best.store();
        x.min(y).min(z)
    }

    /// Squared distances of triangle `i` and the four of `other`, if they do not cross.
    #[inline(always)]
    pub(crate) fn squared<L: Lanes>(&self, l: L, i: usize, other: &Self) -> [f64; 4] {
        let p = V4::lane3(l, &self.corners, i);
        let q = V4::load3(l, &other.corners);
        let mut best = F4::splat(l, f64::INFINITY);
        // vertices of one against the inside of the other
        let frame = V4::lane3(l, &self.frame, i);
        let other_frame = V4::load3(l, &other.frame);
        for k in 0..3 {
            best = over_face(q[k] - p[0], frame, best);
            best = over_face(p[k] - q[0], other_frame, best);
        }
        // edges against edges
        for k in 0..3 {
            let v = V4::lane(l, &self.sides[k], i);
            let a = F4::splat(l, self.length2[k][i]);
            let inverse_a = F4::splat(l, self.inverse[k][i]);
            for m in 0..3 {
                let w = V4::load(l, &other.sides[m]);
                let (e, inverse_e) = (F4::load(l, other.length2[m]), F4::load(l, other.inverse[m]));
                best = edges(l, p[k] - q[m], [v, w], [a, e], [inverse_a, inverse_e], best);
            }
        }
        best.store()
    }
}

/// Takes two edges v, w into account whose starts are r apart, with their squared lengths and the
/// inverses of these.
#[inline(always)]
fn edges<L: Lanes>(
    l: L,
    r: V4<L>,
    [v, w]: [V4<L>; 2],
    [a, e]: [F4<L>; 2],
    inverse: [F4<L>; 2],
    best: F4<L>,
) -> F4<L> {
    let (b, c, f) = (v.dot(w), v.dot(r), w.dot(r));
    let ae = a * e;
    let det = ae - b * b;
    let small = ae * F4::splat(l, 1e-14);
    let s = (b * f - c * e).div(det).clamp01();
    let s = small.select_lt(det, s, s.zero());
    let t = ((b * s + f) * inverse[1]).clamp01();
    let s = ((b * t - c) * inverse[0]).clamp01();
    let d = r + v.scaled(s) - w.scaled(t);
    d.dot(d).min(best)
}

/// The three vectors of lane `i` side by side; the last one twice.
#[inline(always)]
fn across<L: Lanes>(l: L, v: &[[[f64; 4]; 3]; 3], i: usize) -> V4<L> {
    V4 {
        x: F4::load(l, [v[0][0][i], v[1][0][i], v[2][0][i], v[2][0][i]]),
        y: F4::load(l, [v[0][1][i], v[1][1][i], v[2][1][i], v[2][1][i]]),
        z: F4::load(l, [v[0][2][i], v[1][2][i], v[2][2][i], v[2][2][i]]),
    }
}

/// Takes the squared height of `r` over a face into account, if its foot is inside.
#[inline(always)]
fn over_face<L: Lanes>(r: V4<L>, [n, u, w]: [V4<L>; 3], best: F4<L>) -> F4<L> {
    let (s, t, h) = (u.dot(r), w.dot(r), n.dot(r));
    // the least of s, t and 1 − s − t is negative outside; NaN compares false
    let inside = s.min(t).min(s.one() - s - t);
    let squared = inside.zero().select_lt(inside, h * h, best);
    squared.min(best)
}
