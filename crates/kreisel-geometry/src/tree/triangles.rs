//! Squared distances of one triangle and four.
//!
//! Reference: Lennerz 2000, eq. 3.1: nine edge pairs and six vertex–face candidates, all without branches. Per edge pair
//! with directions v₁, v₂ and r = a₁ − a₂: s = clamp((b f − c e)/(a e − b²)), t = clamp((b s + f)/e), s = clamp((b t − c)/a).
//! Vertex–face uses the dual basis of the sides stored with each triangle. Crossing triangles are not recognised here:
//! where boxes overlap, the caller asks [`crate::elementary::triangles_cross`].
//!
//! Nearly parallel edges start with s = 0. What the edge pair then misses, at most angle times length, is found by
//! the neighbouring edges, which share the vertex that realises the distance. Degenerate triangles have NaN as dual
//! basis, which makes "inside" false, and zero as inverse of a squared length, which makes the parameter 0.

use crate::simd::{F4, Lanes, Motion4, V4};
use glam::DVec3;

/// Four triangles, component by component.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(crate) struct TriangleBlock {
    /// Corners: corner, coordinate, lane.
    corners: [[[f64; 4]; 3]; 3],
    /// Unit normals, then the dual basis of the sides from corner 0: vector, coordinate, lane.
    frame: [[[f64; 4]; 3]; 3],
    /// Squared lengths of the edges from corner k to corner k + 1 and their inverses: edge, lane.
    length2: [[f64; 4]; 3],
    inverse: [[f64; 4]; 3],
}

impl TriangleBlock {
    /// A block of one to four triangles; unused lanes repeat the last one.
    pub(super) fn new(triangles: &[[DVec3; 3]]) -> Self {
        let zero = [[[0.0; 4]; 3]; 3];
        let mut block = Self { corners: zero, frame: zero, length2: [[0.0; 4]; 3], inverse: [[0.0; 4]; 3] };
        for lane in 0..4 {
            let t = triangles[lane.min(triangles.len() - 1)];
            let frame = dual_basis(t);
            for k in 0..3 {
                let length2 = (t[(k + 1) % 3] - t[k]).length_squared();
                block.length2[k][lane] = length2;
                block.inverse[k][lane] = if length2 > 0.0 { 1.0 / length2 } else { 0.0 };
                for i in 0..3 {
                    block.corners[k][i][lane] = t[k][i];
                    block.frame[k][i][lane] = frame[k][i];
                }
            }
        }
        block
    }
}

/// Unit normal n and u, w with u·(b − a) = w·(c − a) = 1, u·(c − a) = w·(b − a) = 0; NaN without area.
fn dual_basis([a, b, c]: [DVec3; 3]) -> [DVec3; 3] {
    let (e, f) = (b - a, c - a);
    let n = e.cross(f);
    let area2 = n.length_squared();
    let longest = e.length_squared().max(f.length_squared()).max((c - b).length_squared());
    if area2 <= 1e-24 * longest * longest {
        return [DVec3::NAN; 3];
    }
    [n / area2.sqrt(), f.cross(n) / area2, n.cross(e) / area2]
}

/// The triangles of a block in the frame of the other tree.
pub(crate) struct MovedTriangles<'a> {
    block: &'a TriangleBlock,
    corners: [[[f64; 4]; 3]; 3],
    frame: [[[f64; 4]; 3]; 3],
}

impl<'a> MovedTriangles<'a> {
    #[inline(always)]
    pub(crate) fn new<L: Lanes>(l: L, block: &'a TriangleBlock, motion: &Motion4<L>) -> Self {
        Self { block, corners: motion.points(l, &block.corners), frame: motion.directions(l, &block.frame) }
    }

    /// Squared distances of triangle `i` and the four of `other`, if they do not cross.
    #[inline(always)]
    pub(crate) fn squared<L: Lanes>(&self, l: L, i: usize, other: &TriangleBlock) -> [f64; 4] {
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
        let side = [q[1] - q[0], q[2] - q[1], q[0] - q[2]];
        for k in 0..3 {
            let v = p[(k + 1) % 3] - p[k];
            let a = F4::splat(l, self.block.length2[k][i]);
            let inverse_a = F4::splat(l, self.block.inverse[k][i]);
            for m in 0..3 {
                let w = side[m];
                let (e, inverse_e) = (F4::load(l, other.length2[m]), F4::load(l, other.inverse[m]));
                let r = p[k] - q[m];
                let (b, c, f) = (v.dot(w), v.dot(r), w.dot(r));
                let ae = a * e;
                let det = ae - b * b;
                let small = ae * F4::splat(l, 1e-14);
                let s = (b * f - c * e).div(det).clamp01();
                let s = small.select_lt(det, s, s.zero());
                let t = ((b * s + f) * inverse_e).clamp01();
                let s = ((b * t - c) * inverse_a).clamp01();
                let d = r + v.scaled(s) - w.scaled(t);
                best = d.dot(d).min(best);
            }
        }
        best.store()
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
