//! Connectors: the points that constraints and controllers act on (Wagner 5.1, 6.2.2; W-17 to
//! W-26).
//!
//! A connector has a position, a velocity and a bias acceleration, and it may belong to a body.
//! Constraints see nothing else, so that a body's point, a fixed goal, a point of a curve and a
//! moving target are all the same to them.

mod constraint;
mod controlled;
mod curve;
mod place;
mod stand_in;
mod transmission;
mod wrap;

pub(crate) use crate::elements::CurveRecord;
pub use constraint::{Constraint, ConstraintId, ConstraintKind, CoupledJoint, PathEnd, variables};
pub(crate) use controlled::{as_rows, control, remember};
pub use curve::{Curve, CurveId};
pub(crate) use place::{ConstraintRecord, PlacedPoint, Placement};
pub(crate) use stand_in::{
    STAND_IN, StandIn, aim, bordering, is_joint, item_of, joint_of, stand_ins,
};
pub use transmission::Transmission;
pub use wrap::{Corner, Wrap};
pub(crate) use wrap::{Touch, path, touch};

use crate::body::BodyId;
use crate::formula::Expression;
use crate::math::Vec3;
use crate::words::words;

words! {
    /// Which motions of a body a connector's force may cause (W-22, W-32).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Lock {
        /// All of them.
        None = "none",
        /// No rotation: the force has no torque about the centre of mass.
        Rotation = "rotation",
        /// No translation: only the torque acts.
        Translation = "translation",
    }
    default None
}

impl Lock {
    /// Factors of force and torque.
    pub(crate) fn masks(self) -> [f64; 2] {
        match self {
            Self::None => [1.0, 1.0],
            Self::Rotation => [1.0, 0.0],
            Self::Translation => [0.0, 1.0],
        }
    }
}

/// A point to which constraints and controllers are attached.
#[derive(Clone, Debug, PartialEq)]
pub enum Connector {
    /// A point of space, at rest or moving uniformly.
    Fixed {
        /// Where it is when the constraint is added, m.
        position: Vec3,
        /// Its velocity, m/s.
        velocity: Vec3,
    },
    /// A point of a body.
    Body {
        /// The body.
        body: BodyId,
        /// The point in the body's frame, m.
        point: Vec3,
        /// What its force may do to the body.
        lock: Lock,
    },
    /// A point of a curve.
    Curve {
        /// The curve.
        curve: CurveId,
        /// Where on it, from 0 to 1.
        parameter: f64,
    },
    /// The point of a curve that is nearest to the constraint's first connector.
    Nearest {
        /// The curve.
        curve: CurveId,
    },
    /// A point that moves by formulas in `t`, the time in s.
    Function([Expression; 3]),
}

impl Connector {
    /// A point of space at rest.
    pub fn fixed(position: Vec3) -> Self {
        Self::Fixed { position, velocity: Vec3::ZERO }
    }

    /// A point of a body, given in the body's frame.
    pub fn body(body: BodyId, point: Vec3) -> Self {
        Self::Body { body, point, lock: Lock::None }
    }

    /// The same with a lock.
    pub fn locked(body: BodyId, point: Vec3, lock: Lock) -> Self {
        Self::Body { body, point, lock }
    }

    /// A point that moves by three formulas in `t`.
    pub fn function(x: &str, y: &str, z: &str) -> Result<Self, crate::formula::ExprError> {
        let one = |text: &str| Expression::new(text, &["t"], &[]);
        Ok(Self::Function([one(x)?, one(y)?, one(z)?]))
    }
}
