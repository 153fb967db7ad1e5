//! A tight oriented box round a set of triangles.
//!
//! Reference: Lennerz 2000, section 3.5.4 (area-weighted covariance, corrected). The covariance
//! alone is poor for curved patches and ambiguous for round ones, so candidates compete and the
//! least surface area wins: the eigenvectors of the covariance, eight frames turned about the mean
//! normal, and for small sets every triangle's own edges with its normal. O(n) for each candidate.
//! For large sets a sample chooses the axes and all triangles the extents: a box of thousands of
//! triangles is far from the ones that decide.

use super::OrientedBox;
use crate::simd::{F4, Kernel, Lanes, V4, dispatch};
use crate::volume::smallest_box;
use glam::{DMat3, DVec3};

/// What makes an oriented box a good one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoxFit {
    /// Small surface area, the best of a dozen frames.
    #[default]
    LeastArea,
    /// Smallest volume of all boxes ([`smallest_box`], L-31); slower to build.
    LeastVolume,
}

/// Above this size the axes are chosen by a sample of about so many.
const SAMPLE: usize = 256;

/// A small box round the triangles of an iterator.
pub(super) fn fit_some(
    triangles: impl ExactSizeIterator<Item = [DVec3; 3]> + Clone,
    how: BoxFit,
) -> OrientedBox {
    let stride = triangles.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<[DVec3; 3]> = triangles.clone().step_by(stride).collect();
    let chosen = match how {
        BoxFit::LeastArea => fit(&sample),
        BoxFit::LeastVolume => smallest_box(sample.as_flattened()),
    };
    if stride == 1 { chosen } else { Candidate::new(chosen.axes, triangles).volume }
}

/// Sets up to this size try the frames of their own triangles.
const SMALL: usize = 8;

/// A small box that contains the given triangles.
pub(crate) fn fit(triangles: &[[DVec3; 3]]) -> OrientedBox {
    if let [single] = triangles {
        return fit_one(*single);
    }
    let cloud = Cloud::new(triangles);
    let mut best = cloud.along(DMat3::IDENTITY);
    let mut consider = |axes: DMat3| {
        let candidate = cloud.along(axes);
        if candidate.area < best.area {
            best = candidate;
        }
    };
    consider(crate::mass::principal_axes(covariance(triangles)).1);
    let normal: DVec3 = triangles.iter().map(|[a, b, c]| (b - a).cross(c - a)).sum();
    if let Some(n) = normal.try_normalize() {
        let u = n.any_orthonormal_vector();
        let v = n.cross(u);
        // an eighth of a right angle each: cosine and sine of k π/16
        for (cos, sin) in EIGHTHS {
            let w = u * cos + v * sin;
            consider(DMat3::from_cols(w, n.cross(w), n));
        }
    }
    if triangles.len() <= SMALL {
        for &[a, b, c] in triangles {
            let n = (b - a).cross(c - a);
            [b - a, c - b, a - c]
                .into_iter()
                .filter_map(|edge| edge_frame(edge, n))
                .for_each(&mut consider);
        }
    }
    best.volume
}

/// Cosine and sine of k π/16.
const EIGHTHS: [(f64, f64); 8] = [
    (1.0, 0.0),
    (0.980_785_280_403_230_4, 0.195_090_322_016_128_26),
    (0.923_879_532_511_286_7, 0.382_683_432_365_089_8),
    (0.831_469_612_302_545_2, 0.555_570_233_019_602_2),
    (0.707_106_781_186_547_5, 0.707_106_781_186_547_5),
    (0.555_570_233_019_602_2, 0.831_469_612_302_545_2),
    (0.382_683_432_365_089_8, 0.923_879_532_511_286_7),
    (0.195_090_322_016_128_26, 0.980_785_280_403_230_4),
];

/// The box of a triangle: flush with a side, or axis-aligned where that is as good, which suits the
/// boxes of its neighbours.
fn fit_one(triangle: [DVec3; 3]) -> OrientedBox {
    let [a, b, c] = triangle;
    let along = |axes: DMat3| Candidate::new(axes, std::iter::once(triangle));
    let mut best = along(DMat3::IDENTITY);
    let n = (b - a).cross(c - a);
    for edge in [b - a, c - b, a - c] {
        best = edge_frame(edge, n).map(along).filter(|c| c.area < best.area).unwrap_or(best);
    }
    best.volume
}

/// Axes along an edge of a triangle and across it; `None` if it has no length.
fn edge_frame(edge: DVec3, normal: DVec3) -> Option<DMat3> {
    let u = edge.try_normalize()?;
    // the normal of a needle is rounding noise and not orthogonal to its edges
    let v = normal.cross(u).try_normalize().unwrap_or(u.any_orthonormal_vector());
    let v = (v - u * u.dot(v)).normalize();
    Some(DMat3::from_cols(u, v, u.cross(v)))
}

/// Points, four at a time: coordinate, lane.
struct Cloud(Vec<[[f64; 4]; 3]>);

impl Cloud {
    fn new(triangles: &[[DVec3; 3]]) -> Self {
        let block = |points: &[DVec3]| {
            // the last one fills up
            let lane = |i: usize| points[i.min(points.len() - 1)];
            [0, 1, 2].map(|k| [lane(0)[k], lane(1)[k], lane(2)[k], lane(3)[k]])
        };
        Self(triangles.as_flattened().chunks(4).map(block).collect())
    }

    /// The box with the given axes.
    fn along(&self, axes: DMat3) -> Candidate {
        let (lo, hi) = dispatch(Extents { cloud: self, axes });
        Candidate::between(axes, lo, hi)
    }
}

/// The least and the largest coordinates along three axes.
struct Extents<'a> {
    cloud: &'a Cloud,
    axes: DMat3,
}

impl Kernel for Extents<'_> {
    type Output = (DVec3, DVec3);

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Self::Output {
        let axes = [self.axes.x_axis, self.axes.y_axis, self.axes.z_axis];
        let [x, y, z] = [
            V4::splat(l, axes[0].to_array()),
            V4::splat(l, axes[1].to_array()),
            V4::splat(l, axes[2].to_array()),
        ];
        let mut lo = [F4::splat(l, f64::MAX); 3];
        let mut hi = [F4::splat(l, f64::MIN); 3];
        for block in &self.cloud.0 {
            let p = V4::load(l, block);
            let along = [x.dot(p), y.dot(p), z.dot(p)];
            for k in 0..3 {
                lo[k] = lo[k].min(along[k]);
                hi[k] = hi[k].max(along[k]);
            }
        }
        let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
        for k in 0..3 {
            let ([a, b, c, d], [e, f, g, h]) = (lo[k].store(), hi[k].store());
            low[k] = a.min(b).min(c.min(d));
            high[k] = e.max(f).max(g.max(h));
        }
        (low, high)
    }
}

struct Candidate {
    volume: OrientedBox,
    area: f64,
}

impl Candidate {
    fn new(axes: DMat3, triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let (mut lo, mut hi) = (DVec3::MAX, DVec3::MIN);
        let rows = axes.transpose();
        for p in triangles.flatten() {
            let x = rows * p;
            lo = lo.min(x);
            hi = hi.max(x);
        }
        Self::between(axes, lo, hi)
    }

    fn between(axes: DMat3, lo: DVec3, hi: DVec3) -> Self {
        let half = (hi - lo) * 0.5;
        // the sum of the products of two extents grows with the area; flat boxes are still ordered
        // by it
        let area = half.x * half.y + half.y * half.z + half.z * half.x;
        Self { volume: OrientedBox { center: axes * ((lo + hi) * 0.5), axes, half }, area }
    }
}

/// Second moments of the surface about its centre of area, not normalised.
pub(crate) fn covariance(triangles: &[[DVec3; 3]]) -> DMat3 {
    let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length();
    let total: f64 = triangles.iter().map(|&t| area(t)).sum();
    let weight =
        |t: [DVec3; 3]| if total > 0.0 { area(t) / total } else { 1.0 / triangles.len() as f64 };
    let mean: DVec3 = triangles.iter().map(|&t| (t[0] + t[1] + t[2]) * (weight(t) / 3.0)).sum();
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let mut sum = DMat3::ZERO;
    for &t in triangles {
        let [a, b, c] = t.map(|p| p - mean);
        sum += (outer(a + b + c) + outer(a) + outer(b) + outer(c)) * weight(t);
    }
    sum
}
