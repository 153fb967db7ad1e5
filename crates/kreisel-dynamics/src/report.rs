//! What a step reports: how exact it was, what it cost, and where the energy went.

use crate::body::BodyId;
use crate::collider::ColliderId;
use crate::item::ItemId;
use crate::joint::JointId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// What is farthest off its conditions after a step: a joint, or a constraint or controller between
/// connectors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// What it is.
    pub item: ItemId,
    /// Its name.
    pub name: Arc<str>,
    /// Gap of its position part, m.
    pub position: f64,
    /// Misalignment of its rotation part, rad.
    pub angle: f64,
}

/// Energies at the end of a step, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy in the gravity field.
    pub potential: f64,
    /// Energy stored in springs.
    pub spring: f64,
}

impl Energy {
    /// Sum of all parts.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.spring
    }
}

/// The energy ledger of a step: now − before − work + losses = residual (P6), all in J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Energy at the end of the step.
    pub energy: Energy,
    /// Change of the total energy over the step.
    pub change: f64,
    /// Work done by motors.
    pub motors: f64,
    /// Work done by kinematic bodies through joints and contacts.
    pub kinematic: f64,
    /// Work done by the user's forces and impulses.
    pub user: f64,
    /// Energy taken by springs' damping.
    pub damping: f64,
    /// Energy taken by friction in joints and contacts.
    pub friction: f64,
    /// Energy taken by impacts at limits and of bodies.
    pub impacts: f64,
    /// Energy taken by the velocity correction of energy-momentum steps; less what it took to draw
    /// bodies apart that overlapped.
    pub correction: f64,
    /// What the sums above leave unexplained: the error of the step.
    pub residual: f64,
}

/// How a step ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub enum Status {
    /// Every joint is within tolerance.
    #[default]
    Converged,
    /// At least one joint is not; the state is finite and the next step goes on correcting.
    NotConverged,
    /// The budget of rounds, sweeps or time was spent before every joint and contact was within
    /// tolerance.
    BudgetSpent,
    /// Energy appeared or vanished that nothing in the ledger explains, beyond a stated share of
    /// what moves (see [`StepReport::unexplained`]): the motion of this step is not to be trusted.
    Energy,
    /// The order that was asked for was not kept: by a force that is held over the step, an impact
    /// that is not located in time, or a damper that is faster than the step (see
    /// [`StepReport::order_lowered_by`]); everything else is as it should be.
    Order,
    /// The step size was not a positive number, or a law that is written outside could not answer
    /// ([`Event::PluginFailed`]): nothing was done.
    Refused,
    /// The motion left the numbers that can be represented: the chain with this joint or body was
    /// put back to the start of the step and stopped.
    Quarantined,
    /// The step was given up on request ([`Interrupt`](crate::Interrupt)): the world stands where
    /// the step began.
    Interrupted,
}

/// Energy that nothing explains, in a step of status [`Status::Energy`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unexplained {
    /// Energy that appeared (or, negative, vanished) in this step, J.
    pub energy: f64,
    /// The same as a share of the energy that moves.
    pub share: f64,
    /// Names of the bodies concerned, those with the most kinetic energy first.
    pub bodies: Vec<Arc<str>>,
    /// What is likely to have caused it, in words.
    pub cause: String,
}

impl std::fmt::Display for Unexplained {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (energy, percent) = (self.energy, 100.0 * self.share);
        write!(
            f,
            "{energy:+.3e} J ({percent:.0} % of what moves) around {}",
            self.bodies.join(", ")
        )?;
        if self.cause.is_empty() { Ok(()) } else { write!(f, "; {}", self.cause) }
    }
}

/// Something that happened during a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Event {
    /// A joint broke.
    Broken {
        /// The joint.
        joint: JointId,
        /// Its name.
        name: Arc<str>,
        /// Reaction force at that moment, N.
        force: f64,
        /// Reaction torque at that moment, N m.
        torque: f64,
    },
    /// A limit was hit.
    LimitHit {
        /// The joint.
        joint: JointId,
        /// Its name.
        name: Arc<str>,
        /// Time of the impact, s.
        time: f64,
        /// Speed of the impact, m/s or rad/s.
        speed: f64,
    },
    /// Two bodies have come into touch.
    ContactBegin {
        /// The bodies.
        bodies: [BodyId; 2],
        /// Which of their colliders; `None` is a body's own shape.
        colliders: [Option<ColliderId>; 2],
        /// Their names.
        names: [Arc<str>; 2],
        /// Where, world coordinates, m.
        point: glam::DVec3,
        /// Unit normal from the second to the first body.
        normal: glam::DVec3,
        /// Speed with which they met, m/s.
        speed: f64,
        /// Normal impulse of this step, N s.
        impulse: f64,
        /// Whether one of them is a sensor.
        sensor: bool,
    },
    /// Two bodies have parted.
    ContactEnd {
        /// The bodies.
        bodies: [BodyId; 2],
        /// Which of their colliders; `None` is a body's own shape.
        colliders: [Option<ColliderId>; 2],
        /// Their names.
        names: [Arc<str>; 2],
        /// Whether one of them is a sensor.
        sensor: bool,
    },
    /// Constraints contradict each other.
    Overdetermined {
        /// Names of the joints and constraints that take part.
        constraints: Vec<Arc<str>>,
        /// The youngest of them, which was switched off.
        switched_off: Option<Arc<str>>,
        /// Largest acceleration that cannot be had, m/s² or rad/s².
        acceleration: f64,
    },
    /// A step was repeated with damped least squares because its forces grew without bound: a
    /// target is out of reach.
    Damped {
        /// Names of the joints and constraints concerned.
        constraints: Vec<Arc<str>>,
    },
    /// A formula had no finite value; its rows were left out of the step.
    NoValue {
        /// Name of the constraint.
        constraint: Arc<str>,
    },
    /// A law that is written outside could not answer. Of a force element, constraint or contact
    /// law the step was given up: the world stands where it began.
    PluginFailed {
        /// Name of the controller, constraint or sensor; "contact" for the contact law.
        name: Arc<str>,
        /// What it said.
        message: String,
    },
    /// A constraint's force exceeded its breaking load; it was switched off.
    ConstraintBroken {
        /// The constraint.
        constraint: crate::ConstraintId,
        /// Its name.
        name: Arc<str>,
        /// Its largest multiplier, N or N m.
        force: f64,
    },
    /// A constraint in assembling mode is met; its bodies move on together.
    Assembled {
        /// Name of the constraint.
        constraint: Arc<str>,
    },
    /// A chain was stopped because its state ceased to be finite; it stands where the step began.
    Quarantined {
        /// Name of the first body of the chain.
        body: Arc<str>,
    },
}

/// Wall time per stage, summed over chains; the stages inside a substep are timed in the first one
/// and multiplied by the number of substeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StageTimes {
    /// Forces, motors, springs.
    pub forces: Duration,
    /// Joint geometry, assembly and factorisation.
    pub factor: Duration,
    /// Previews and joint correction.
    pub correction: Duration,
    /// Velocity correction.
    pub velocity: Duration,
    /// Finding contacts: boxes, pairs, manifolds.
    pub detection: Duration,
    /// Everything.
    pub total: Duration,
}

/// What one [`World::step`](crate::World::step) did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StepReport {
    /// Time at the end of the step, s.
    pub time: f64,
    /// How it ended.
    pub status: Status,
    /// The joint with the largest error relative to its tolerance.
    pub worst: Option<Worst>,
    /// Largest remaining velocity error of a joint, m/s or rad/s.
    pub velocity_error: f64,
    /// Substeps made, of the chain that made most.
    pub substeps: u32,
    /// Substeps rejected and repeated smaller.
    pub rejected: u32,
    /// Substeps of the energy-momentum kind.
    pub energy_substeps: u32,
    /// Previews of joint correction (all substeps, all chains); one that finds all joints within
    /// tolerance counts.
    pub rounds: u32,
    /// Corrections of the joints' impulses among those rounds: what the thesis counts.
    pub corrections: u32,
    /// Rounds of velocity correction.
    pub velocity_rounds: u32,
    /// Factorisations.
    pub factorizations: u32,
    /// Rows dropped as redundant in the last factorisation.
    pub dropped: u32,
    /// Estimate of the local error of extrapolated or error-controlled steps, m.
    pub local_error: f64,
    /// Collisions and contacts.
    pub contact: crate::contact::ContactReport,
    /// Energies, work, losses.
    pub ledger: Ledger,
    /// Why the order or error bound that was asked for is not kept, with the name of the element.
    pub order_lowered_by: Option<Arc<str>>,
    /// Energy that nothing explains, where it is too much to be an error of rounding or of a coarse
    /// step.
    pub unexplained: Option<Unexplained>,
    /// What happened.
    pub events: Vec<Event>,
    /// Wall time per stage.
    pub times: StageTimes,
}

/// The reaction of a joint on its second body, averaged over the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reaction {
    /// Force on the second body at its anchor, world coordinates, N. The first body feels the
    /// opposite.
    pub force: glam::DVec3,
    /// Torque on the second body about its anchor, world coordinates, N m.
    pub torque: glam::DVec3,
}

/// What a world is made of, from [`World::analyse`](crate::World::analyse).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Analysis {
    /// Dynamic bodies.
    pub bodies: usize,
    /// Active joints.
    pub joints: usize,
    /// Scalar joint conditions.
    pub rows: usize,
    /// Active constraints between connectors that are equations.
    pub constraints: usize,
    /// Their scalar conditions.
    pub constraint_rows: usize,
    /// Independent conditions of joints and constraints (in the present configuration).
    pub rank: usize,
    /// Degrees of freedom left: 6 (or 3) per body minus rank.
    pub freedom: usize,
    /// Independent chains.
    pub chains: usize,
    /// Joints that close loops.
    pub loops: usize,
    /// Rows that other joints imply.
    pub redundant: Vec<Redundant>,
    /// Total mass, kg.
    pub mass: f64,
}

/// A redundant condition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Redundant {
    /// The joint, or the constraint between connectors.
    pub item: ItemId,
    /// Its name.
    pub name: Arc<str>,
    /// Which of its rows, in words: "shift x", "tilt y".
    pub row: &'static str,
    /// Names of the joints that already imply it.
    pub implied_by: Vec<Arc<str>>,
}
