//! Fixed-directions hulls with any number of directions (k-DOPs).
//!
//! Reference: Lennerz 2000, section 3.5.4 (L-33); Klosowski et al. 1998. The directions are pairs:
//! the axes, the diagonals of the cube, those of its faces, then a spiral over the hemisphere.
//! `Kdop<6>` is the axis-aligned box, `Kdop<14>` has the directions of [`Fdh14`](super::Fdh14),
//! `Kdop<18>` and `Kdop<26>` are those of the literature (with 18, the diagonals of the cube come
//! first here). Moved as there: the support of the moved hull in a direction is bounded by every
//! feasible point of the dual, the best of those at the bases without another direction inside.

use super::Volume;
use crate::Pose;
use glam::{DMat3, DVec3};
use std::sync::{Arc, Mutex, PoisonError};

/// Three directions and the inverse of the matrix that they form.
type Basis = ([usize; 3], DMat3);
/// Directions with their bases, by number of directions.
type Tables = Vec<(usize, Arc<(Vec<DVec3>, Vec<Basis>)>)>;

static TABLES: Mutex<Tables> = Mutex::new(Vec::new());

/// The intersection of N half-spaces; N is even, and at least 6.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kdop<const N: usize> {
    supports: [f64; N],
}

/// What moves a hull: for each direction the bases that bound it, and the shift of its support.
#[derive(Clone, Debug)]
pub struct KdopMotion {
    bounds: Vec<Vec<([usize; 3], DVec3)>>,
    shift: Vec<f64>,
}

impl<const N: usize> Kdop<N> {
    /// An even number of directions from 6 to 64: others do not compile.
    const EVEN: () = assert!(N >= 6 && N <= 64 && N.is_multiple_of(2));

    /// The support in each direction; 2k and 2k + 1 are opposite.
    pub fn supports(&self) -> &[f64; N] {
        &self.supports
    }

    /// The directions.
    pub fn directions() -> Vec<DVec3> {
        Self::table().0.clone()
    }

    fn table() -> Arc<(Vec<DVec3>, Vec<Basis>)> {
        let () = Self::EVEN;
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = tables.iter().find(|t| t.0 == N) {
            return table.clone();
        }
        let list = directions(N);
        let found = bases(&list);
        let table = Arc::new((list, found));
        tables.push((N, table.clone()));
        table
    }
}

fn directions(count: usize) -> Vec<DVec3> {
    let mut half = vec![DVec3::X, DVec3::Y, DVec3::Z];
    half.extend(
        [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
            .map(|(y, z)| DVec3::new(1.0, y, z).normalize()),
    );
    for s in [1.0, -1.0] {
        half.extend([DVec3::new(1.0, s, 0.0), DVec3::new(1.0, 0.0, s), DVec3::new(0.0, 1.0, s)]);
    }
    // the golden angle about z, evenly in height
    let more = (count / 2).saturating_sub(half.len());
    for k in 0..more {
        let z = (k as f64 + 0.5) / more as f64;
        let (s, c) = (2.399_963_229_728_653 * k as f64 + 0.3).sin_cos();
        half.push(DVec3::new(c, s, 0.0) * (1.0 - z * z).sqrt() + z * DVec3::Z);
    }
    half.iter().take(count / 2).map(|d| d.normalize()).flat_map(|d| [d, -d]).collect()
}

/// The bases whose cone contains no other direction.
fn bases(list: &[DVec3]) -> Vec<Basis> {
    let n = list.len();
    let mut out = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let m = DMat3::from_cols(list[i], list[j], list[k]);
                if m.determinant().abs() < 1e-9 {
                    continue;
                }
                let inverse = m.inverse();
                let inner =
                    |d: usize| ![i, j, k].contains(&d) && (inverse * list[d]).min_element() > -1e-9;
                if !(0..n).any(inner) {
                    out.push(([i, j, k], inverse));
                }
            }
        }
    }
    out
}

impl<const N: usize> Volume for Kdop<N> {
    type Motion = KdopMotion;

    fn fit(triangles: &[[DVec3; 3]]) -> Self {
        let table = Self::table();
        let support = |d: DVec3| {
            triangles.iter().flatten().map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max)
        };
        Self { supports: std::array::from_fn(|i| support(table.0[i])) }
    }

    fn motion(pose: &Pose) -> KdopMotion {
        let table = Self::table();
        let back = pose.matrix().transpose();
        let list = |d: &DVec3| {
            let c = back * *d;
            let feasible = |(index, inverse): &Basis| {
                let y = *inverse * c;
                (y.min_element() >= -1e-12).then_some((*index, y.max(DVec3::ZERO)))
            };
            table.1.iter().filter_map(feasible).collect()
        };
        KdopMotion {
            bounds: table.0.iter().map(list).collect(),
            shift: table.0.iter().map(|d| d.dot(pose.position)).collect(),
        }
    }

    fn moved(&self, motion: &KdopMotion) -> Self {
        let s = &self.supports;
        let value = |(i, y): &([usize; 3], DVec3)| y.x * s[i[0]] + y.y * s[i[1]] + y.z * s[i[2]];
        let support = |k: usize| motion.bounds[k].iter().map(value).fold(f64::INFINITY, f64::min);
        Self { supports: std::array::from_fn(|k| motion.shift[k] + support(k)) }
    }

    fn distance(&self, other: &Self) -> f64 {
        let gap = |k: usize| {
            let (a, b) = (&self.supports, &other.supports);
            (-a[2 * k] - b[2 * k + 1]).max(-a[2 * k + 1] - b[2 * k]).max(0.0)
        };
        let axes = DVec3::new(gap(0), gap(1), gap(2)).length();
        (3..N / 2).map(gap).fold(axes, f64::max)
    }

    fn center(&self) -> DVec3 {
        let s = &self.supports;
        0.5 * DVec3::new(s[0] - s[1], s[2] - s[3], s[4] - s[5])
    }

    fn reach(&self, d: DVec3) -> f64 {
        let s = &self.supports;
        let along = |k: usize, x: f64| x.abs() * s[2 * k + usize::from(x < 0.0)];
        let axes = along(0, d.x) + along(1, d.y) + along(2, d.z);
        let value = |(i, inverse): &Basis| {
            let y = *inverse * d;
            (y.min_element() >= 0.0).then(|| y.x * s[i[0]] + y.y * s[i[1]] + y.z * s[i[2]])
        };
        Self::table().1.iter().filter_map(value).fold(axes, f64::min)
    }

    fn measure(&self) -> f64 {
        // the box of the axes: enough to order splits
        let s = &self.supports;
        (s[0] + s[1]) * (s[2] + s[3]) * (s[4] + s[5])
    }
}
