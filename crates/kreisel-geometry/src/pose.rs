//! A rigid motion: where a shape's frame lies.
//!
//! Reference: Lennerz 2000, section 2.4: x ↦ R x + t with R orthonormal, det R = 1; "first β, then
//! γ" composes to (C B, C b + c).

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Position and orientation of a frame in its parent's frame. The rotation is a unit quaternion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Origin of the frame, in m.
    pub position: DVec3,
    /// Orientation of the frame, a unit quaternion.
    pub rotation: DQuat,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// The parent's own frame.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A frame at `position`, turned by `rotation`.
    pub fn new(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation }
    }

    /// A frame at `position` with the parent's axes.
    pub fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }

    /// A point of the frame, in the parent's coordinates.
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.position
    }

    /// A direction of the frame, in the parent's coordinates.
    pub fn direction(&self, d: DVec3) -> DVec3 {
        self.rotation * d
    }

    /// A point of the parent, in this frame's coordinates.
    pub fn inverse_point(&self, p: DVec3) -> DVec3 {
        self.rotation.conjugate() * (p - self.position)
    }

    /// A direction of the parent, in this frame's coordinates.
    pub fn inverse_direction(&self, d: DVec3) -> DVec3 {
        self.rotation.conjugate() * d
    }

    /// The frame `child`, given in this frame, seen from the parent.
    pub fn then(&self, child: &Pose) -> Pose {
        Pose {
            position: self.point(child.position),
            rotation: (self.rotation * child.rotation).normalize(),
        }
    }

    /// This frame seen from `other`, both given in the same parent: τ = τ₂⁻¹ τ₁ (Lennerz 3.7.2).
    pub fn seen_from(&self, other: &Pose) -> Pose {
        let inverse = other.rotation.conjugate();
        Pose {
            position: inverse * (self.position - other.position),
            rotation: (inverse * self.rotation).normalize(),
        }
    }

    /// The parent seen from this frame.
    pub fn inverse(&self) -> Pose {
        Pose::IDENTITY.seen_from(self)
    }

    /// The rotation as a matrix.
    pub fn matrix(&self) -> DMat3 {
        DMat3::from_quat(self.rotation)
    }

    /// True if position and rotation are finite and the rotation is a unit quaternion to one part
    /// in a million.
    pub fn is_valid(&self) -> bool {
        self.position.is_finite() && (self.rotation.length_squared() - 1.0).abs() < 2e-6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composition_and_relative_pose_are_inverse_operations() {
        let a = Pose::new(
            DVec3::new(1.0, -2.0, 0.5),
            DQuat::from_xyzw(0.1, 0.7, -0.3, 0.6).normalize(),
        );
        let b = Pose::new(
            DVec3::new(-0.3, 0.2, 4.0),
            DQuat::from_xyzw(-0.5, 0.1, 0.3, 0.2).normalize(),
        );
        let relative = b.seen_from(&a);
        let p = DVec3::new(0.3, 0.9, -1.1);
        assert!(a.then(&relative).point(p).distance(b.point(p)) < 1e-14);
        assert!(a.inverse_point(a.point(p)).distance(p) < 1e-14);
        assert!(a.inverse().point(a.point(p)).distance(p) < 1e-14);
    }
}
