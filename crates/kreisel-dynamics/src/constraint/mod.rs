//! The constraints: what a joint's part demands (its residual C), and how velocities change it (its
//! rows J).
//!
//! Every residual is a sum of products of two vectors that are fixed to bodies or join their
//! points. Such a C obeys C(1) − C(0) = J(mean vectors) · displacement *exactly*, so that one
//! `rows` function serves three purposes: the Jacobian at an instant, the velocity condition, and
//! the discrete gradient of the energy-momentum step.
//!
//! Every file has the same verbs: `residual` (C, in m or rad near zero), `rows` (J), and, where C
//! alone does not tell, `error` (the honest distance from the condition, also far away from it).
//! Rates: with row (n, a₁, a₂)
//!
//! C' = n·(v₂ − v₁) + a₁·ω₁ + a₂·ω₂,
//!
//! so that a multiplier λ gives the impulse +nλ to body 2, −nλ to body 1, and the angular impulses
//! aᵢλ. Action equals reaction by construction.

pub(crate) mod angle;
pub(crate) mod axis;
pub(crate) mod coordinate;
pub(crate) mod coupling;
pub(crate) mod distance;
pub(crate) mod fixed;
pub(crate) mod guide;
pub(crate) mod guide_second;
pub(crate) mod line;
pub(crate) mod plane;
pub(crate) mod point;
pub(crate) mod second;

use crate::joint::{LocalFrame, PositionPart, RotationPart};
use crate::math::{Mat3, Vec3};

/// One scalar condition on velocities.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    /// Direction for the relative velocity of the centres of mass (second minus first).
    pub n: Vec3,
    /// Directions for the angular velocities of the first and second body.
    pub a: [Vec3; 2],
}

/// Most rows of a joint's two parts together.
pub(crate) const MAX_PART_ROWS: usize = 6;

/// Cosine of 0.1 rad.
const FAR: f64 = 0.995;

/// Where a body is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pose {
    pub x: Vec3,
    pub r: Mat3,
}

impl Pose {
    pub const ORIGIN: Self = Self { x: Vec3::ZERO, r: Mat3::IDENTITY };
}

/// The vectors of a joint in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// From the centres of mass to the anchors.
    pub arm: [Vec3; 2],
    /// The axes of the two frames.
    pub axes: [Mat3; 2],
    /// From the first anchor to the second.
    pub d: Vec3,
}

impl Pair {
    #[inline(always)]
    pub fn new(frames: &[LocalFrame; 2], a: Pose, b: Pose) -> Self {
        let arm = [a.r * frames[0].origin, b.r * frames[1].origin];
        let axes = [a.r * frames[0].axes, b.r * frames[1].axes];
        Self { arm, axes, d: (b.x + arm[1]) - (a.x + arm[0]) }
    }

    /// Mean of two instants, vector by vector.
    pub fn mean(p: &Self, q: &Self) -> Self {
        Self {
            arm: [0, 1].map(|k| (p.arm[k] + q.arm[k]) * 0.5),
            axes: [0, 1].map(|k| (p.axes[k] + q.axes[k]) * 0.5),
            d: (p.d + q.d) * 0.5,
        }
    }
}

/// The two parts of a joint with their constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Parts {
    pub position: PositionPart,
    pub rotation: RotationPart,
    /// Length of a distance part.
    pub length: f64,
    /// Cosine and sine of the angle of an angle part.
    pub angle: (f64, f64),
}

impl Parts {
    pub fn rows_len(&self) -> usize {
        self.position.rows() + self.rotation.rows()
    }

    /// Residuals of all rows.
    #[inline(always)]
    pub fn residual(&self, p: &Pair, out: &mut [f64]) {
        let n = self.position.rows();
        match self.position {
            PositionPart::Free => {}
            PositionPart::Plane => out[0] = plane::residual(p),
            PositionPart::Line => out[..2].copy_from_slice(&line::residual(p)),
            PositionPart::Point => out[..3].copy_from_slice(&point::residual(p)),
            PositionPart::Distance => out[0] = distance::residual(p, self.length),
            // rows over several bodies have their own way (constraint/guide.rs)
            PositionPart::Rail | PositionPart::Polygon => out[..n].fill(0.0),
        }
        match self.rotation {
            RotationPart::Free => {}
            RotationPart::Angle => out[n] = angle::residual(p, self.angle),
            RotationPart::Axis => out[n..n + 2].copy_from_slice(&axis::residual(p)),
            RotationPart::Fixed => out[n..n + 3].copy_from_slice(&fixed::residual(p)),
        }
    }

    /// Jacobian rows.
    #[inline(always)]
    pub fn rows(&self, p: &Pair, out: &mut [Row]) {
        let n = self.position.rows();
        match self.position {
            PositionPart::Free => {}
            PositionPart::Plane => out[0] = plane::row(p, p.axes[0].x_axis),
            PositionPart::Line => out[..2].copy_from_slice(&line::rows(p)),
            PositionPart::Point => out[..3].copy_from_slice(&point::rows(p)),
            PositionPart::Distance => out[0] = distance::row(p, self.length),
            PositionPart::Rail | PositionPart::Polygon => out[..n].fill(Row::default()),
        }
        match self.rotation {
            RotationPart::Free => {}
            RotationPart::Angle => out[n] = angle::row(p, self.angle),
            RotationPart::Axis => out[n..n + 2].copy_from_slice(&axis::rows(p)),
            RotationPart::Fixed => out[n..n + 3].copy_from_slice(&fixed::rows(p)),
        }
    }

    /// Distance from the condition: gap in m and misalignment in rad.
    pub fn error(&self, p: &Pair) -> (f64, f64) {
        let gap = match self.position {
            PositionPart::Free | PositionPart::Rail | PositionPart::Polygon => 0.0,
            PositionPart::Plane => plane::residual(p).abs(),
            PositionPart::Line => {
                let [y, z] = line::residual(p);
                (y * y + z * z).sqrt()
            }
            PositionPart::Point => p.d.length(),
            PositionPart::Distance => (p.d.length() - self.length).abs(),
        };
        let tilt = match self.rotation {
            RotationPart::Free => 0.0,
            RotationPart::Angle => angle::error(p, self.angle),
            RotationPart::Axis => axis::error(p),
            RotationPart::Fixed => fixed::error(p),
        };
        (gap, tilt)
    }

    /// Residuals that also lead home from far away: as [`Parts::residual`] near the condition, but
    /// with a rotation part that does not vanish when axes point the wrong way.
    pub fn residual_far(&self, p: &Pair, out: &mut [f64]) {
        self.residual(p, out);
        let n = self.position.rows();
        match self.rotation {
            RotationPart::Axis => out[n..n + 2].copy_from_slice(&axis::residual_far(p)),
            RotationPart::Fixed => out[n..n + 3].copy_from_slice(&fixed::residual_far(p)),
            RotationPart::Free | RotationPart::Angle => {}
        }
    }

    /// Whether the rotation part is off by more than 0.1 rad: the sines of its products then fall
    /// short of the angle and, beyond 90°, lead astray.
    #[inline(always)]
    pub fn is_far(&self, p: &Pair) -> bool {
        let [a, b] = &p.axes;
        match self.rotation {
            RotationPart::Free | RotationPart::Angle => false,
            RotationPart::Axis => a.x_axis.dot(b.x_axis) < FAR,
            RotationPart::Fixed => a.x_axis.dot(b.x_axis) < FAR || a.y_axis.dot(b.y_axis) < FAR,
        }
    }

    /// Replaces the rows of a far-off rotation part by those of [`Parts::residual_far`].
    pub fn rows_far(&self, p: &Pair, out: &mut [Row]) {
        let n = self.position.rows();
        match self.rotation {
            RotationPart::Axis => out[n..n + 2].copy_from_slice(&axis::rows_far(p)),
            RotationPart::Fixed => out[n..n + 3].copy_from_slice(&fixed::rows_far(p)),
            RotationPart::Free | RotationPart::Angle => {}
        }
    }

    /// Name of a row for reports.
    pub fn row_name(&self, row: usize) -> &'static str {
        let n = self.position.rows();
        if row < n {
            match self.position {
                PositionPart::Plane | PositionPart::Polygon => "shift along the normal",
                PositionPart::Line | PositionPart::Rail => ["shift y", "shift z"][row],
                PositionPart::Distance => "length",
                _ => ["shift x", "shift y", "shift z"][row],
            }
        } else {
            match self.rotation {
                RotationPart::Angle => "angle between the axes",
                RotationPart::Axis => ["tilt y", "tilt z"][row - n],
                _ => ["turn x", "turn y", "turn z"][row - n],
            }
        }
    }
}

/// Turning of body 2 against body 1 about `axis`.
fn turn_row(axis: Vec3) -> Row {
    Row { n: Vec3::ZERO, a: [-axis, axis] }
}

/// C = a·b for a fixed to body 1 and b fixed to body 2: C' = (ω₁ − ω₂)·(a × b).
#[inline(always)]
fn dot_row(a: Vec3, b: Vec3, sign: f64) -> Row {
    let c = a.cross(b) * sign;
    Row { n: Vec3::ZERO, a: [c, -c] }
}

#[cfg(test)]
mod tests;
