//! A point on a rail or in a polygon whose supports are points of several bodies (Schmitt and
//! Thüring 2000, section 4; S-05, S-06).
//!
//! | kind | supports | rows | coordinate |
//! |---|---|---|---|
//! | rail | A, B | w·e₁, w·e₂ | s L, the way from A |
//! | polygon | three of its corners A, B, D | w·n | least distance from an edge, inside |
//!
//! With weights sₖ (Σ sₖ = 1) the foot of the point P is Q = Σ sₖ pₖ, and w = P − Q is its offset:
//! across the rail, along the normal. The weights change with the poses, but Q then moves along the
//! rail or in the plane, across e and n. Therefore
//!
//! C' = e·(v_P − Σ sₖ v_k)
//!
//! *exactly* where e is perpendicular to the supports, on and off the condition, and the same holds
//! for the coordinates with a direction e in the rail or the plane. One form serves all rows: +eλ
//! on the point, −sₖeλ on the supports. The sum of these impulses vanishes; their moment is w × eλ,
//! zero for the plane of a polygon and of the size of the tolerance for all others.
//!
//! A rail has no direction across that is fixed to a body: e₁ and e₂ are chosen for the poses at
//! the start of a substep and kept during it.

use crate::math::{Vec3, basis};

/// The point and its supports, in this order.
pub(crate) const MAX_PLACES: usize = 4;

/// What a guide is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuideKind {
    Rail,
    Polygon,
}

/// A rail or a polygon with its constants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Guide {
    pub kind: GuideKind,
    /// Length of a rail, m.
    pub length: f64,
    /// Distance of the point s from each edge of a polygon, positive inside: g₀ + g₁ s₁ + g₂ s₂.
    pub edges: Vec<[f64; 3]>,
}

/// Weights of the supports, and the offset of the point from its foot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foot {
    pub weights: [f64; 3],
    pub offset: Vec3,
}

/// Lengths and products of the two edges that span a plane.
struct Plane {
    u: Vec3,
    v: Vec3,
    uu: f64,
    uv: f64,
    vv: f64,
    det: f64,
}

impl Plane {
    fn new(p: &[Vec3; MAX_PLACES]) -> Self {
        let (u, v) = (p[2] - p[1], p[3] - p[1]);
        let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
        Self { u, v, uu, uv, vv, det: uu * vv - uv * uv }
    }

    /// The vectors that read the coordinates along u and v.
    fn dual(&self) -> [Vec3; 2] {
        [
            (self.u * self.vv - self.v * self.uv) / self.det,
            (self.v * self.uu - self.u * self.uv) / self.det,
        ]
    }
}

impl Guide {
    pub fn rail(length: f64) -> Self {
        Self { kind: GuideKind::Rail, length, edges: Vec::new() }
    }

    /// A polygon of `corners`, the plane of which `frame` spans; `None` if it is not plane and
    /// convex.
    pub fn polygon(corners: &[Vec3], frame: [usize; 3]) -> Option<Self> {
        let [a, b, d] = frame.map(|k| corners[k]);
        let (u, v) = (b - a, d - a);
        let n = u.cross(v).try_normalize()?;
        let center = corners.iter().sum::<Vec3>() / corners.len() as f64;
        let size = corners.iter().map(|c| c.distance(center)).fold(0.0, f64::max);
        // a thousandth of the size is what hand-written corners are off
        let slack = 1e-3 * size;
        let mut edges = Vec::with_capacity(corners.len());
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            let mut inward = n.cross(to - from).try_normalize()?;
            if inward.dot(center - from) < 0.0 {
                inward = -inward;
            }
            let outside =
                |c: &&Vec3| inward.dot(**c - from) < -slack || n.dot(**c - from).abs() > slack;
            if corners.iter().any(|c| outside(&c)) {
                return None;
            }
            edges.push([inward.dot(a - from), inward.dot(u), inward.dot(v)]);
        }
        Some(Self { kind: GuideKind::Polygon, length: size, edges })
    }

    /// Number of places: the point and its supports.
    pub fn places(&self) -> usize {
        match self.kind {
            GuideKind::Rail => 3,
            GuideKind::Polygon => 4,
        }
    }

    #[inline]
    pub fn foot(&self, p: &[Vec3; MAX_PLACES]) -> Foot {
        let r = p[0] - p[1];
        match self.kind {
            GuideKind::Rail => {
                let d = p[2] - p[1];
                let s = r.dot(d) / d.length_squared();
                Foot { weights: [1.0 - s, s, 0.0], offset: r - d * s }
            }
            GuideKind::Polygon => {
                let plane = Plane::new(p);
                let [s, t] = plane.dual().map(|e| e.dot(r));
                Foot { weights: [1.0 - s - t, s, t], offset: r - plane.u * s - plane.v * t }
            }
        }
    }

    /// Directions of the rows in these poses.
    pub fn directions(&self, p: &[Vec3; MAX_PLACES]) -> [Vec3; 2] {
        match self.kind {
            GuideKind::Rail => {
                let frame = basis((p[2] - p[1]).normalize_or(Vec3::X));
                [frame.y_axis, frame.z_axis]
            }
            GuideKind::Polygon => [normal(p), Vec3::ZERO],
        }
    }

    /// Residuals along `directions` (those of the start of the substep), and the squared gap.
    pub fn residual(&self, p: &[Vec3; MAX_PLACES], directions: &[Vec3; 2], out: &mut [f64]) -> f64 {
        let w = self.foot(p).offset;
        match self.kind {
            GuideKind::Rail => (out[0], out[1]) = (directions[0].dot(w), directions[1].dot(w)),
            // the height over the plane as it lies now: a plate turns during a substep
            GuideKind::Polygon => out[0] = normal(p).dot(p[0] - p[1]),
        }
        w.length_squared()
    }

    /// The way along a rail; the distance from one edge of a polygon or from the nearest.
    pub fn coordinate(&self, p: &[Vec3; MAX_PLACES], edge: Option<usize>) -> f64 {
        let s = self.foot(p).weights;
        let inside = |e: &[f64; 3]| e[0] + e[1] * s[1] + e[2] * s[2];
        match (self.kind, edge) {
            (GuideKind::Rail, _) => s[1] * self.length,
            (_, Some(k)) => self.edges.get(k).map_or(f64::INFINITY, inside),
            (_, None) => self.edges.iter().map(inside).fold(f64::INFINITY, f64::min),
        }
    }

    /// Direction in which the coordinate grows: e of its row.
    pub fn along(&self, p: &[Vec3; MAX_PLACES], edge: Option<usize>) -> Vec3 {
        match self.kind {
            GuideKind::Rail => {
                let d = p[2] - p[1];
                d * (self.length / d.length_squared())
            }
            GuideKind::Polygon => {
                let s = self.foot(p).weights;
                let inside = |e: &[f64; 3]| e[0] + e[1] * s[1] + e[2] * s[2];
                let nearest = || {
                    (0..self.edges.len())
                        .min_by(|&i, &j| inside(&self.edges[i]).total_cmp(&inside(&self.edges[j])))
                };
                let Some(e) = edge.or_else(nearest).and_then(|k| self.edges.get(k)) else {
                    return Vec3::ZERO;
                };
                let [x, y] = Plane::new(p).dual();
                x * e[1] + y * e[2]
            }
        }
    }
}

fn normal(p: &[Vec3; MAX_PLACES]) -> Vec3 {
    (p[2] - p[1]).cross(p[3] - p[1]).normalize_or(Vec3::Z)
}

/// The three corners that span a plane best: the first and the two that make the largest triangle
/// with it.
pub(crate) fn spanning(corners: &[Vec3]) -> Option<[usize; 3]> {
    let mut best: Option<(f64, [usize; 3])> = None;
    for j in 2..corners.len() {
        for i in 1..j {
            let area = (corners[i] - corners[0]).cross(corners[j] - corners[0]).length();
            let scale = corners[i].distance(corners[0]) * corners[j].distance(corners[0]);
            if area > 1e-6 * scale && best.is_none_or(|b| area > b.0) {
                best = Some((area, [0, i, j]));
            }
        }
    }
    best.map(|b| b.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [Vec3; 4] = [
        Vec3::new(0.31, 0.22, 0.0),
        Vec3::new(0.1, -0.2, 0.05),
        Vec3::new(1.3, 0.4, -0.1),
        Vec3::new(-0.2, 0.9, 0.3),
    ];

    fn guides() -> [Guide; 2] {
        let corners = [PLACES[1], PLACES[2], PLACES[3]];
        [Guide::rail(1.2), Guide::polygon(&corners, [0, 1, 2]).unwrap()]
    }

    /// The derivative of a function of the places, by central differences.
    fn differences(f: impl Fn(&[Vec3; 4]) -> f64, k: usize) -> Vec3 {
        let d = 1e-6;
        let at = |axis: Vec3| {
            let (mut plus, mut minus) = (PLACES, PLACES);
            plus[k] += axis * d;
            minus[k] -= axis * d;
            (f(&plus) - f(&minus)) / (2.0 * d)
        };
        Vec3::new(at(Vec3::X), at(Vec3::Y), at(Vec3::Z))
    }

    #[test]
    fn rows_are_the_derivatives_of_the_residuals_even_off_the_condition() {
        for guide in guides() {
            let directions = guide.directions(&PLACES);
            let weights = guide.foot(&PLACES).weights;
            for row in 0..if guide.kind == GuideKind::Rail { 2 } else { 1 } {
                let residual = |p: &[Vec3; 4]| {
                    let mut out = [0.0; 2];
                    guide.residual(p, &directions, &mut out);
                    out[row]
                };
                for k in 0..guide.places() {
                    let expected =
                        if k == 0 { directions[row] } else { directions[row] * -weights[k - 1] };
                    let found = differences(residual, k);
                    assert!(
                        (found - expected).length() < 1e-8,
                        "{:?}, row {row}, place {k}: {found}",
                        guide.kind
                    );
                }
            }
        }
    }

    #[test]
    fn rows_of_coordinates_are_their_derivatives_on_the_condition() {
        for guide in guides() {
            let mut places = PLACES;
            places[0] -= guide.foot(&PLACES).offset;
            let edges: Vec<Option<usize>> = if guide.kind == GuideKind::Rail {
                vec![None]
            } else {
                vec![Some(0), Some(1), Some(2), None]
            };
            for edge in edges {
                let (e, weights) = (guide.along(&places, edge), guide.foot(&places).weights);
                for k in 0..guide.places() {
                    let expected = if k == 0 { e } else { e * -weights[k - 1] };
                    let d = 1e-6;
                    let at = |axis: Vec3| {
                        let (mut plus, mut minus) = (places, places);
                        plus[k] += axis * d;
                        minus[k] -= axis * d;
                        (guide.coordinate(&plus, edge) - guide.coordinate(&minus, edge)) / (2.0 * d)
                    };
                    let found = Vec3::new(at(Vec3::X), at(Vec3::Y), at(Vec3::Z));
                    assert!(
                        (found - expected).length() < 1e-8,
                        "{:?}, {edge:?}, place {k}: {found} {expected}",
                        guide.kind
                    );
                }
            }
        }
    }

    #[test]
    fn outlines_must_be_plane_and_convex() {
        let square = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y];
        let guide = Guide::polygon(&square, spanning(&square).unwrap()).unwrap();
        let middle = [Vec3::new(0.5, 0.25, 0.0), square[0], square[1], square[2]];
        // the nearest edge is y = 0
        assert!((guide.coordinate(&middle, None) - 0.25).abs() < 1e-15);
        let crossed = [square[0], square[2], square[1], square[3]];
        assert_eq!(Guide::polygon(&crossed, spanning(&crossed).unwrap()), None);
        let bent = [square[0], square[1], square[2] + Vec3::Z, square[3]];
        assert_eq!(Guide::polygon(&bent, spanning(&bent).unwrap()), None);
        assert_eq!(spanning(&[Vec3::ZERO, Vec3::X, Vec3::X * 2.0]), None);
    }
}
