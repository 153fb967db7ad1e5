//! Motors on the free coordinate of a joint (Bender 3.2.5; B-30 to B-33).
//!
//! A motor acts with equal and opposite efforts on the two bodies: a torque about the axis of a
//! hinge, a force along the rail of a slider, applied at the rail so that linear and angular
//! momentum are untouched.

use super::{Cylinder, Muscle, Pid, Schedule, Target, Winding};
use crate::joint::{Coordinate, JointId};
use serde::{Deserialize, Serialize};

/// What a motor does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Control {
    /// Gives an effort (N or N m) over time.
    Effort(Schedule),
    /// Holds a rate (rad/s or m/s) over time as a bounded constraint, with at most its largest
    /// effort.
    Velocity(Schedule),
    /// Follows a set value with a PID controller.
    Servo {
        /// Whether coordinate or rate are steered.
        target: Target,
        /// The set value over time.
        set: Schedule,
        /// The controller.
        pid: Pid,
    },
    /// Has a voltage (V) over time on its winding: a direct-current motor.
    Electric {
        /// The voltage.
        voltage: Schedule,
        /// Its constants.
        winding: Winding,
    },
    /// Pulls as a muscle by an excitation (0 to 1) over time.
    Muscle {
        /// The excitation.
        excitation: Schedule,
        /// Its constants.
        muscle: Muscle,
    },
    /// Moves as a hydraulic cylinder by the opening of its valve (−1 to 1) over time.
    Hydraulic {
        /// The valve.
        valve: Schedule,
        /// Its constants.
        cylinder: Cylinder,
    },
    /// Brakes with this damping (N m s/rad or N s/m) over time.
    Damper(Schedule),
}

impl Control {
    /// The course that it follows: effort, rate, set value or voltage.
    pub const fn schedule(&self) -> &Schedule {
        match self {
            Self::Effort(s)
            | Self::Velocity(s)
            | Self::Servo { set: s, .. }
            | Self::Electric { voltage: s, .. }
            | Self::Muscle { excitation: s, .. }
            | Self::Hydraulic { valve: s, .. }
            | Self::Damper(s) => s,
        }
    }

    /// Whether it holds a rate as a bounded constraint.
    pub(crate) const fn holds_rate(&self) -> bool {
        matches!(self, Self::Velocity(_) | Self::Hydraulic { .. })
    }

    /// The rate that a command asks for.
    pub(crate) fn rate_of(&self, command: f64) -> f64 {
        if let Self::Hydraulic { cylinder, .. } = self { cylinder.rate(command) } else { command }
    }

    /// The largest effort at a command, if it has one of its own.
    pub(crate) fn strength_of(&self, command: f64) -> f64 {
        match self {
            Self::Hydraulic { cylinder, .. } => cylinder.strength(command),
            _ => f64::INFINITY,
        }
    }

    /// The same, to be changed.
    pub const fn schedule_mut(&mut self) -> &mut Schedule {
        match self {
            Self::Effort(s)
            | Self::Velocity(s)
            | Self::Servo { set: s, .. }
            | Self::Electric { voltage: s, .. }
            | Self::Muscle { excitation: s, .. }
            | Self::Hydraulic { valve: s, .. }
            | Self::Damper(s) => s,
        }
    }
}

/// A motor, ready to be added with [`World::add_motor`](crate::World::add_motor).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// Unique name; empty means "motor N".
    pub name: String,
    /// The joint it drives.
    pub joint: JointId,
    /// The coordinate it drives.
    pub coordinate: Coordinate,
    /// What it does.
    pub control: Control,
    /// Largest effort, N or N m; may be +∞.
    pub max_effort: f64,
    /// Time constant with which it follows what it is told, s; 0 is no lag.
    pub lag: f64,
}

impl Motor {
    /// The largest effort that it can ever have.
    pub(crate) fn strongest(&self) -> f64 {
        let own = [-1.0, 1.0].map(|told| self.control.strength_of(told));
        self.max_effort.min(own[0].max(own[1]))
    }

    /// A motor with unlimited effort.
    pub fn new(joint: JointId, coordinate: Coordinate, control: Control) -> Self {
        let max_effort = f64::INFINITY;
        Self { name: String::new(), joint, coordinate, control, max_effort, lag: 0.0 }
    }

    /// Lets it follow what it is told with a time constant, s.
    pub fn lagging(mut self, lag: f64) -> Self {
        self.lag = lag;
        self
    }

    /// A motor that gives this effort, N or N m.
    pub fn effort(joint: JointId, coordinate: Coordinate, effort: f64) -> Self {
        Self::new(joint, coordinate, Control::Effort(Schedule::constant(effort)))
    }

    /// A motor that holds this rate, rad/s or m/s.
    pub fn velocity(joint: JointId, coordinate: Coordinate, rate: f64) -> Self {
        Self::new(joint, coordinate, Control::Velocity(Schedule::constant(rate)))
    }

    /// A servo that holds a position, at first zero: see
    /// [`World::set_motor_value`](crate::World::set_motor_value).
    pub fn servo(joint: JointId, coordinate: Coordinate, pid: Pid) -> Self {
        let set = Schedule::constant(0.0);
        Self::new(joint, coordinate, Control::Servo { target: Target::Position, set, pid })
    }

    /// Sets the largest effort.
    pub fn max_effort(mut self, effort: f64) -> Self {
        self.max_effort = effort;
        self
    }

    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}
