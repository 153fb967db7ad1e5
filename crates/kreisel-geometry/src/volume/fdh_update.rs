//! The other three ways to fit a fixed-directions hull to its moved contents.
//!
//! Reference: Lennerz 2000, section 3.7.5 (L-45 to L-47). [`Fdh14`] itself uses the dual of a
//! linear program (L-48).
//!
//! | volume | update | result |
//! |---|---|---|
//! | [`FdhBrute`] | every vertex of the contents | exact |
//! | [`FdhClimb`] | hill climbing on the convex hull of the contents, from the hull's table of starts | exact |
//! | [`FdhPrimal`] | every vertex of the stored hull of 14 half-spaces | contains the exact one, equal to the dual's |
//! | [`Fdh14`] | two dual vertices for each direction | as primal |
//!
//! Exact updates are tighter and cost more: on a mesh they make the memory of a tree O(n log n).

use super::Volume;
use super::fdh::{DIRECTIONS, Fdh14};
use crate::convex::Core;
use crate::{ConvexHull, Pose};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Updated from every vertex (L-45).
#[derive(Clone, Debug)]
pub struct FdhBrute {
    supports: Fdh14,
    points: Arc<[DVec3]>,
}

/// Updated by hill climbing (L-46). Flat contents, which have no hull, are updated from every
/// vertex.
#[derive(Clone, Debug)]
pub struct FdhClimb {
    supports: Fdh14,
    hull: Option<Arc<ConvexHull>>,
    points: Arc<[DVec3]>,
}

/// Updated from its own corners (L-47).
#[derive(Clone, Debug)]
pub struct FdhPrimal {
    supports: Fdh14,
    corners: Arc<[DVec3]>,
}

fn distinct(triangles: &[[DVec3; 3]]) -> Arc<[DVec3]> {
    let mut points = triangles.as_flattened().to_vec();
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
    points.dedup();
    points.into()
}

/// Supports of moved points.
fn of_points(points: &[DVec3], (r, t): &(DMat3, DVec3)) -> Fdh14 {
    let back = r.transpose();
    Fdh14::from_supports(DIRECTIONS.map(|d| {
        let local = back * d;
        points.iter().map(|p| p.dot(local)).fold(f64::NEG_INFINITY, f64::max) + d.dot(*t)
    }))
}

macro_rules! fdh_volume {
    ($name:ident, $fit:expr, $moved:expr) => {
        impl Volume for $name {
            type Motion = (DMat3, DVec3);

            fn fit(triangles: &[[DVec3; 3]]) -> Self {
                ($fit)(triangles)
            }

            fn motion(pose: &Pose) -> Self::Motion {
                (pose.matrix(), pose.position)
            }

            fn moved(&self, motion: &Self::Motion) -> Self {
                let supports = ($moved)(self, motion);
                Self { supports, ..self.clone() }
            }

            fn distance(&self, other: &Self) -> f64 {
                self.supports.distance(&other.supports)
            }

            fn center(&self) -> DVec3 {
                self.supports.center()
            }

            fn measure(&self) -> f64 {
                self.supports.measure()
            }

            fn reach(&self, d: DVec3) -> f64 {
                self.supports.reach(d)
            }
        }

        impl $name {
            /// The hull as it is now.
            pub fn supports(&self) -> &Fdh14 {
                &self.supports
            }
        }
    };
}

fdh_volume!(
    FdhBrute,
    |t: &[[DVec3; 3]]| FdhBrute { supports: Fdh14::fit(t), points: distinct(t) },
    |v: &FdhBrute, m: &(DMat3, DVec3)| of_points(&v.points, m)
);

fdh_volume!(
    FdhClimb,
    |t: &[[DVec3; 3]]| {
        let points = distinct(t);
        FdhClimb {
            supports: Fdh14::fit(t),
            hull: ConvexHull::new(&points).ok().map(Arc::new),
            points,
        }
    },
    |v: &FdhClimb, m: &(DMat3, DVec3)| match &v.hull {
        None => of_points(&v.points, m),
        Some(hull) => {
            let back = m.0.transpose();
            let mut hint = u32::MAX;
            Fdh14::from_supports(DIRECTIONS.map(|d| {
                let local = back * d;
                Core::Hull(hull).support(local, &mut hint).dot(local) + d.dot(m.1)
            }))
        }
    }
);

fdh_volume!(
    FdhPrimal,
    |t: &[[DVec3; 3]]| {
        let supports = Fdh14::fit(t);
        FdhPrimal { supports, corners: supports.corners().into() }
    },
    |v: &FdhPrimal, m: &(DMat3, DVec3)| of_points(&v.corners, m)
);
