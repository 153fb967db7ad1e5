//! Fixed-directions hull with 14 half-spaces (a k-DOP): ± the axes and the diagonals of the cube.
//!
//! Reference: Lennerz 2000, section 3.5.4 (L-33) and 3.7.5 (L-48, L-49), corrected
//! (docs/sources.md). A hull is its 14 supports. The supports of the moved hull are the optima of
//! linear programs, bounded by their duals: with cᵢ = Rᵀdᵢ
//!
//! max {cᵢ·x | D x ≤ d⁰} = min {d⁰·y | Dᵀ y = cᵢ, y ≥ 0},
//!
//! and the vertices of the dual's feasible set depend on the rotation alone, so they are computed
//! once for each query. There are 48 non-redundant bases, and two dual vertices for each direction
//! of a generic rotation.

use super::Volume;
use crate::Pose;
use glam::{DMat3, DVec3};
use std::sync::LazyLock;

/// 1/√3
const S: f64 = 0.577_350_269_189_625_8;

/// The directions; 2k and 2k + 1 are opposite.
pub(super) const DIRECTIONS: [DVec3; 14] = [
    DVec3::X,
    DVec3::NEG_X,
    DVec3::Y,
    DVec3::NEG_Y,
    DVec3::Z,
    DVec3::NEG_Z,
    DVec3::new(S, S, S),
    DVec3::new(-S, -S, -S),
    DVec3::new(S, S, -S),
    DVec3::new(-S, -S, S),
    DVec3::new(S, -S, S),
    DVec3::new(-S, S, -S),
    DVec3::new(-S, S, S),
    DVec3::new(S, -S, -S),
];

/// A basis: three directions and the inverse of the matrix that they form.
type Basis = ([usize; 3], DMat3);

/// The bases whose cone contains no other direction.
static BASES: LazyLock<Vec<Basis>> = LazyLock::new(|| {
    let mut bases = Vec::new();
    for i in 0..14 {
        for j in i + 1..14 {
            for k in j + 1..14 {
                let m = DMat3::from_cols(DIRECTIONS[i], DIRECTIONS[j], DIRECTIONS[k]);
                if m.determinant().abs() < 1e-9 {
                    continue;
                }
                let inverse = m.inverse();
                let inner = |d: usize| {
                    ![i, j, k].contains(&d) && (inverse * DIRECTIONS[d]).min_element() > -1e-9
                };
                if !(0..14).any(inner) {
                    bases.push(([i, j, k], inverse));
                }
            }
        }
    }
    bases
});

/// The intersection of 14 half-spaces dᵢ·x ≤ support i.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fdh14 {
    supports: [f64; 14],
}

/// The dual vertices for one rotation, and the shift of the supports.
#[derive(Clone, Debug)]
pub struct FdhMotion {
    /// For each direction: the vertices as indices and weights of three supports.
    vertices: Vec<Vec<([usize; 3], DVec3)>>,
    shift: [f64; 14],
}

impl FdhMotion {
    /// How many dual vertices direction `i` has.
    pub fn vertices(&self, i: usize) -> usize {
        self.vertices.get(i).map_or(0, Vec::len)
    }
}

impl Fdh14 {
    pub(super) fn from_supports(supports: [f64; 14]) -> Self {
        Self { supports }
    }

    /// The corners: points where three planes meet and no other is violated. Corners of more than
    /// three planes occur more than once.
    pub fn corners(&self) -> Vec<DVec3> {
        let scale = self.supports.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
        let mut corners = Vec::new();
        for i in 0..14 {
            for j in i + 1..14 {
                for k in j + 1..14 {
                    let planes =
                        DMat3::from_cols(DIRECTIONS[i], DIRECTIONS[j], DIRECTIONS[k]).transpose();
                    if planes.determinant().abs() < 1e-9 {
                        continue;
                    }
                    let p = planes.inverse()
                        * DVec3::new(self.supports[i], self.supports[j], self.supports[k]);
                    let inside =
                        |d: usize| DIRECTIONS[d].dot(p) <= self.supports[d] + 1e-12 * scale;
                    if (0..14).all(inside) {
                        corners.push(p);
                    }
                }
            }
        }
        corners
    }

    /// Number of non-redundant bases, for tests and statistics.
    pub fn bases() -> usize {
        BASES.len()
    }

    /// The support in the directions ± axes and ± diagonals.
    pub fn supports(&self) -> &[f64; 14] {
        &self.supports
    }
}

impl Volume for Fdh14 {
    type Motion = FdhMotion;

    fn fit(triangles: &[[DVec3; 3]]) -> Self {
        let support = |d: DVec3| {
            triangles.iter().flatten().map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max)
        };
        Self { supports: DIRECTIONS.map(support) }
    }

    fn motion(pose: &Pose) -> FdhMotion {
        let back = pose.matrix().transpose();
        let list = |d: DVec3| {
            let c = back * d;
            let feasible = |(index, inverse): &Basis| {
                let y = *inverse * c;
                (y.min_element() >= -1e-12).then_some((*index, y.max(DVec3::ZERO)))
            };
            BASES.iter().filter_map(feasible).collect()
        };
        FdhMotion {
            vertices: DIRECTIONS.iter().map(|&d| list(d)).collect(),
            shift: DIRECTIONS.map(|d| d.dot(pose.position)),
        }
    }

    fn moved(&self, motion: &FdhMotion) -> Self {
        let support = |i: usize| {
            let value = |(index, y): &([usize; 3], DVec3)| {
                y.x * self.supports[index[0]]
                    + y.y * self.supports[index[1]]
                    + y.z * self.supports[index[2]]
            };
            motion.shift[i] + motion.vertices[i].iter().map(value).fold(f64::INFINITY, f64::min)
        };
        Self { supports: std::array::from_fn(support) }
    }

    fn distance(&self, other: &Self) -> f64 {
        // separation along direction pair k, whichever of the two is in front
        let gap = |k: usize| {
            let (a, b) = (&self.supports, &other.supports);
            (-a[2 * k] - b[2 * k + 1]).max(-a[2 * k + 1] - b[2 * k]).max(0.0)
        };
        let axes = DVec3::new(gap(0), gap(1), gap(2)).length();
        (3..7).map(gap).fold(axes, f64::max)
    }

    fn center(&self) -> DVec3 {
        let s = &self.supports;
        0.5 * DVec3::new(s[0] - s[1], s[2] - s[3], s[4] - s[5])
    }

    fn reach(&self, d: DVec3) -> f64 {
        // any feasible point of the dual is a bound: the direction as a sum of the three axes, or
        // of a cone's three
        let s = &self.supports;
        let along = |k: usize, x: f64| x.abs() * s[2 * k + usize::from(x < 0.0)];
        let axes = along(0, d.x) + along(1, d.y) + along(2, d.z);
        let value = |(index, inverse): &Basis| {
            let y = *inverse * d;
            let feasible = y.min_element() >= 0.0;
            feasible.then(|| y.x * s[index[0]] + y.y * s[index[1]] + y.z * s[index[2]])
        };
        BASES.iter().filter_map(value).fold(axes, f64::min)
    }

    fn measure(&self) -> f64 {
        // the box of the axes, less nothing: enough to order splits
        let s = &self.supports;
        (s[0] + s[1]) * (s[2] + s[3]) * (s[4] + s[5])
    }
}
