//! Oriented boxes as bounding volumes.
//!
//! Reference: Lennerz 2000, section 3.5.4 (L-32) and 3.7.4 (L-44): fitted as in the mesh tree,
//! compared exactly.

use super::{OrientedBox, Volume, box_distance, smallest_box};
use crate::Pose;
use glam::{DMat3, DVec3};

impl Volume for OrientedBox {
    type Motion = (DMat3, DVec3);

    fn fit(triangles: &[[DVec3; 3]]) -> Self {
        crate::tree::fit_box(triangles)
    }

    fn motion(pose: &Pose) -> Self::Motion {
        (pose.matrix(), pose.position)
    }

    fn moved(&self, (r, t): &Self::Motion) -> Self {
        Self { center: *r * self.center + *t, axes: *r * self.axes, half: self.half }
    }

    fn distance(&self, other: &Self) -> f64 {
        box_distance(self, other)
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn reach(&self, d: DVec3) -> f64 {
        self.center.dot(d) + (self.axes.transpose() * d).abs().dot(self.half)
    }

    fn measure(&self) -> f64 {
        8.0 * self.half.element_product()
    }
}

/// An oriented box fitted by least volume (L-31).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmallestBox(pub OrientedBox);

impl Volume for SmallestBox {
    type Motion = (DMat3, DVec3);

    fn fit(triangles: &[[DVec3; 3]]) -> Self {
        Self(smallest_box(triangles.as_flattened()))
    }

    fn motion(pose: &Pose) -> Self::Motion {
        OrientedBox::motion(pose)
    }

    fn moved(&self, motion: &Self::Motion) -> Self {
        Self(self.0.moved(motion))
    }

    fn distance(&self, other: &Self) -> f64 {
        self.0.distance(&other.0)
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
