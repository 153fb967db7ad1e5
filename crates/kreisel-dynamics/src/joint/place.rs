//! From the anchors and axes that the user gives in the world to frames fixed to the two bodies
//! (B-37): stored once, in the principal frame about the centre of mass, and never integrated.

use super::{Joint, RotationPart};
use crate::error::ModelError;
use crate::math::{Mat3, Quat, Vec3, basis, basis_xy};
use serde::{Deserialize, Serialize};

/// A frame fixed to a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LocalFrame {
    /// Origin, from the centre of mass, in the principal frame.
    pub origin: Vec3,
    /// Columns are the frame's axes in the principal frame.
    pub axes: Mat3,
}

impl LocalFrame {
    /// The frame `axes` at `point` (world coordinates) as seen from a body at `position`,
    /// `rotation`.
    pub fn from_world(point: Vec3, axes: Mat3, position: Vec3, rotation: Quat) -> Self {
        let back = Mat3::from_quat(rotation.conjugate());
        Self { origin: back * (point - position), axes: back * axes }
    }
}

impl Joint {
    /// The joint's frames in world coordinates: axes of frame 1 and of frame 2.
    pub(crate) fn world_axes(&self, name: &str) -> Result<[Mat3; 2], ModelError> {
        let unit = |v: Vec3, field| {
            v.try_normalize().ok_or_else(|| ModelError::ZeroAxis { item: name.to_owned(), field })
        };
        let x = unit(self.axis, "axis")?;
        let frame1 = basis(x);
        if self.kind.parts().1 == RotationPart::Angle {
            // The second axis is the y axis of frame 2; without one, any axis orthogonal to the
            // first.
            let y = match self.axis2 {
                Some(a) => unit(a, "axis2")?,
                None => frame1.y_axis,
            };
            let parallel = || ModelError::ParallelAxes { joint: name.to_owned() };
            let m = basis_xy(y, x).ok_or_else(parallel)?;
            return Ok([frame1, Mat3::from_cols(m.y_axis, m.x_axis, -m.z_axis)]);
        }
        // Bodies may start apart: then the second axis says where the first one's partner lies on
        // the second body.
        let frame2 = match self.axis2 {
            Some(a) => {
                let x2 = unit(a, "axis2")?;
                basis_xy(x2, frame1.y_axis).unwrap_or_else(|| basis(x2))
            }
            None => frame1,
        };
        Ok([frame1, frame2])
    }
}
