//! Oriented box by the covariance of the convex hull.
//!
//! Reference: Lennerz 2000, section 3.5.4 (L-32, Gottschalk's variant): the axes are eigenvectors
//! of the area-weighted second moments of the *hull's* surface, so that neither points inside nor
//! the way in which flat parts are cut into triangles turn the box. The mesh tree tries more
//! frames ([`crate::tree`]); this one is here for comparison.

use super::{OrientedBox, Volume, box_distance};
use crate::tree::covariance;
use crate::{ConvexHull, Pose};
use glam::{DMat3, DVec3};

/// An oriented box along the principal axes of the hull's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullBox(pub OrientedBox);

impl Volume for HullBox {
    type Motion = (DMat3, DVec3);

    fn fit(triangles: &[[DVec3; 3]]) -> Self {
        // what is flat has no hull: its own surface then
        let own = || crate::mass::principal_axes(covariance(triangles)).1;
        let axes = match ConvexHull::new(triangles.as_flattened()) {
            Ok(hull) => {
                let mesh = hull.to_mesh();
                let corners = |t: &[u32; 3]| t.map(|v| mesh.vertices()[v as usize]);
                let surface: Vec<[DVec3; 3]> = mesh.triangles().iter().map(corners).collect();
                crate::mass::principal_axes(covariance(&surface)).1
            }
            Err(_) => own(),
        };
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in triangles.as_flattened() {
            let local = axes.transpose() * *p;
            (low, high) = (low.min(local), high.max(local));
        }
        let center = axes * (0.5 * (low + high));
        Self(OrientedBox { center, axes, half: 0.5 * (high - low) })
    }

    fn motion(pose: &Pose) -> Self::Motion {
        OrientedBox::motion(pose)
    }

    fn moved(&self, motion: &Self::Motion) -> Self {
        Self(self.0.moved(motion))
    }

    fn distance(&self, other: &Self) -> f64 {
        box_distance(&self.0, &other.0)
    }

    fn center(&self) -> DVec3 {
        self.0.center
    }

    fn reach(&self, d: DVec3) -> f64 {
        self.0.reach(d)
    }

    fn measure(&self) -> f64 {
        self.0.measure()
    }
}
