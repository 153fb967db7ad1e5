//! An independent chain, laid out for the step.
//!
//! Bodies lie in groups of four lanes ([`Group`]). Velocities are kept *scaled*, y = M^½ (v, Rᵀω),
//! and joint rows as B = J M^−½ in the same coordinates, so that
//!
//! A = B Bᵀ,   rate of the residuals = B y,   an impulse λ adds Bᵀ λ to y,
//!
//! and the velocity correction is an orthogonal projection. Static bodies have no rows; kinematic
//! ones enter through a bias. Nodes are stored in elimination order.

pub(crate) mod assemble;
mod ball_kernels;
pub(crate) mod balls;
pub(crate) mod border;
mod border_solve;
pub(crate) mod build;
pub(crate) mod group;
pub(crate) mod guide;
pub(crate) mod layout;
pub(crate) mod motion;
mod path;
mod path_kernels;
pub(crate) mod rows;
mod springs;

use crate::constraint::coordinate::Measure;
use crate::constraint::{Parts, Pose};
use crate::joint::{Coordinate, JointId, LocalFrame};
use crate::math::{Mat3, Quat, Vec3};
use crate::settings::{Rotation, Tolerance};
use crate::solver::ldlt::Factor;
use group::Group;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// No offset: the side has no rows because its body does not answer to impulses.
pub(crate) const NONE: u32 = u32::MAX;

/// A body that does not answer to impulses: static or kinematic.
#[derive(Clone, Debug)]
pub(crate) struct Other {
    pub slot: u32,
    pub x: Vec3,
    pub q: Quat,
    pub now: Pose,
    /// Pose at the end of the previewed substep.
    pub then: Pose,
    pub velocity: Vec3,
    pub angular_velocity: Vec3,
}

/// Kind of a row that acts only within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "laws are plain data, copied with their rows; a chain has few of them"
)]
pub(crate) enum BoundKind {
    Limit {
        min: f64,
        max: f64,
        restitution: f64,
    },
    Friction {
        effort: f64,
    },
    /// Spring, damper and rotor of a joint, and its servo, taken implicitly.
    Law(crate::step::law::Law),
    /// Holds a rate with at most an effort; `profile` and effort are set before each step, the
    /// rates before each substep: at its end for the velocity correction, and its mean for the way
    /// that is to be gone.
    Drive {
        motor: u32,
        profile: Profile,
        rate: f64,
        mean: f64,
        effort: f64,
    },
}

/// A rate over the time of one step: the parabola through its values at both ends with its exact
/// mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Profile {
    start: f64,
    span: f64,
    coefficients: [f64; 3],
}

impl Profile {
    /// From time `start` over `span`.
    pub fn new(start: f64, span: f64, ends: [f64; 2], mean: f64) -> Self {
        let c = 3.0 * (ends[0] + ends[1]) - 6.0 * mean;
        Self { start, span, coefficients: [ends[0], ends[1] - ends[0] - c, c] }
    }

    /// The rate at a time.
    pub fn at(&self, t: f64) -> f64 {
        let (s, [a, b, c]) = ((t - self.start) / self.span, self.coefficients);
        a + s * (b + s * c)
    }

    /// How fast it changes at a time.
    pub fn slope(&self, t: f64) -> f64 {
        let (s, [_, b, c]) = ((t - self.start) / self.span, self.coefficients);
        (b + 2.0 * s * c) / self.span
    }

    /// The mean rate from `t` to `t + h`.
    pub fn mean(&self, t: f64, h: f64) -> f64 {
        // Simpson's rule is exact for parabolas
        (self.at(t) + 4.0 * self.at(t + 0.5 * h) + self.at(t + h)) / 6.0
    }
}

/// What a bounded row does at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum BoundState {
    /// No force: between limits.
    Idle,
    /// Held: at the lower limit, sticking, or following.
    Held,
    /// Held at the upper limit.
    HeldAbove,
    /// The force is at its lower or upper bound.
    Low,
    High,
}

/// A row that acts only within bounds: a limit, dry friction, a velocity motor.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub node: u32,
    /// Row within the node.
    pub row: u8,
    pub measure: Measure,
    /// Edge of a polygon that it keeps off, or [`guide::NO_EDGE`].
    pub edge: u8,
    pub kind: BoundKind,
    pub state: BoundState,
    /// Coordinate at the start of the substep (angles counted over many turns), and at the end of
    /// the last preview.
    pub start: f64,
    pub end: f64,
    /// From the first anchor of a spring to its second at the start of the substep. Where they pass
    /// each other its length goes on below zero, so that row and coordinate stay smooth.
    pub along: Vec3,
    /// Rate wanted after an impact that is being resolved.
    pub rebound: Option<f64>,
    /// A limit that has rebounded in the step (or the part of it between two looks at contacts):
    /// the side that it held.
    pub struck: Option<BoundState>,
    /// Rate before the kick that is being made: impulse times the mean of the rates before and
    /// after is its work.
    pub rate_before: f64,
}

impl Bound {
    /// Inverse inertia along the coordinate of a law.
    pub fn response(&self) -> f64 {
        if let BoundKind::Law(law) = &self.kind { law.response } else { 0.0 }
    }

    /// Sets it.
    pub fn set_response(&mut self, response: f64) {
        if let BoundKind::Law(law) = &mut self.kind {
            law.response = response;
        }
    }

    /// What a law has summed up, and its rate before contacts.
    pub fn of_law(&self) -> (f64, Option<f64>) {
        if let BoundKind::Law(law) = &self.kind {
            (law.integral, law.before_contact)
        } else {
            (0.0, None)
        }
    }

    /// Sets them.
    pub fn set_law(&mut self, of_law: (f64, Option<f64>)) {
        if let BoundKind::Law(law) = &mut self.kind {
            (law.integral, law.before_contact) = of_law;
        }
    }
}

/// A joint, a body kept as a node of the joint system, or a stiff spring.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Index into [`System::joints`], or [`NONE`] for a body and a spring.
    pub joint: u32,
    /// Index into [`System::springs`], or [`NONE`]. The row of a spring that is no law is switched
    /// off but in energy-momentum steps.
    pub spring: u32,
    /// The bodies: an index below the number of bodies, or beyond it into the others.
    pub bodies: [u32; 2],
    pub parts: Parts,
    pub frames: [LocalFrame; 2],
    /// Index into [`System::guides`], or [`NONE`]. A guide has its own sides.
    pub guide: u32,
    /// First row.
    pub row0: u32,
    /// All rows, and those of the parts (the rest are bounded).
    pub rows: u8,
    pub hard: u8,
    /// Offset of each side's rows in `b`, or [`NONE`].
    pub side: [u32; 2],
    /// Whether the side's body is kept as a node of its own.
    pub kept: [bool; 2],
    /// Range in [`System::bounds`].
    pub bounds: (u32, u32),
    /// Solved one after the other instead of by the factor.
    pub iterative: bool,
    /// Takes part in velocity correction only.
    pub velocity_only: bool,
    /// Whether it is a plain ball joint, the case worth a short cut.
    pub ball: bool,
    /// Characteristic length, m: turns radians of its rows into metres and scales the step control.
    pub length: f64,
    /// 1/length².
    pub inverse_length2: f64,
    /// A bound for (transverse frequency)²/force, 1/(kg m): how geometric stiffness grows with the
    /// joint's load.
    pub stiffness: f64,
}

impl Node {
    /// Whether it is a body that is kept as a node.
    #[inline(always)]
    pub fn is_body(&self) -> bool {
        self.joint == NONE && self.spring == NONE
    }

    /// Whether it has rows in symmetric substeps: a joint, or a spring that is a law.
    #[inline(always)]
    pub fn has_rows(&self) -> bool {
        self.joint != NONE || self.bounds.1 > self.bounds.0
    }
}

/// Names of the joints in a system.
#[derive(Clone, Debug)]
pub(crate) struct SystemJoint {
    pub id: JointId,
    pub name: Arc<str>,
}

/// A spring inside a system.
#[derive(Clone, Debug)]
pub(crate) struct SystemSpring {
    pub name: Arc<str>,
    pub bodies: [u32; 2],
    pub anchors: [Vec3; 2],
    pub stiffness: f64,
    pub damping: f64,
    pub length: f64,
    pub isotropic: bool,
    pub continuous: bool,
    /// Whether it is a law on the distance of its anchors, not a force.
    pub law: bool,
    /// Springs that are laws on the body that has more of them.
    pub crowd: f64,
    /// How far its anchors part for a force, at most, 1/kg.
    pub response: f64,
    /// Its node, or [`NONE`].
    pub node: u32,
}

/// A motor's effort on the coordinate of a node: constant during a step, along an axis that turns
/// with the bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actuator {
    pub node: u32,
    pub coordinate: Coordinate,
    pub effort: f64,
}

/// Where a block of A comes from: rows of one side times rows of another (or of a kept body).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    /// Where the block starts in the factor's values.
    pub target: u32,
    /// Offsets of the two sides in `b`; the first belongs to the later node.
    pub left: u32,
    pub right: u32,
    pub left_rows: u8,
    pub right_rows: u8,
    /// Both are plain ball joints.
    pub balls: bool,
}

/// Rows of a joint against a kept body: the rows themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coupling {
    pub target: u32,
    pub side: u32,
    pub rows: u8,
    /// The body comes later: its block is the transpose.
    pub transposed: bool,
}

/// Memory of a system that outlives a step: part of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Half of the last substep's impulses by row: the velocity correction's (symmetric step) or
    /// half the step's own (energy step).
    pub mu: Vec<f64>,
    /// Substep that `mu` belongs to; 0 when there is none.
    pub last_h: f64,
    /// Substep that the controller wants next for each kind of step; 0 when it has no opinion.
    pub next_h: f64,
    pub next_energy_h: f64,
    /// Whether the controller is in energy-momentum mode, and for how many calm steps.
    pub energy_mode: bool,
    pub calm: u32,
    /// Squared transverse frequency of the tautest joint in the last substep, 1/s².
    pub taut: f64,
    /// Substeps that are still to be solved more exactly, because the tension rose suddenly.
    #[serde(default)]
    pub doubt: u32,
    /// States and coordinates of bounded rows, then those of the border.
    pub bounds: Vec<(BoundState, f64)>,
    /// Inverse inertias along the coordinates of laws, as far as they are known, by bounded row.
    #[serde(default)]
    pub responses: Vec<f64>,
    /// The law whose response is measured next.
    #[serde(default)]
    pub measured: u32,
    /// Half of the last substep's impulses of the border's rows.
    #[serde(default)]
    pub half: Vec<f64>,
}

/// An independent chain of bodies and joints.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// Slots of the moving bodies.
    pub slots: Vec<u32>,
    pub groups: Vec<Group>,
    pub others: Vec<Other>,
    pub nodes: Vec<Node>,
    pub joints: Vec<SystemJoint>,
    pub bounds: Vec<Bound>,
    pub guides: Vec<guide::SystemGuide>,
    /// Constraints around the factor; their rows come after all others.
    pub border: border::Border,
    pub springs: Vec<SystemSpring>,
    /// Efforts of motors during the present step.
    pub actuators: Vec<Actuator>,
    pub factor: Factor,
    /// Nodes that take part in joint correction; the rest join velocities only.
    pub position_nodes: usize,
    /// Whether every node is solved by the factor.
    pub direct: bool,
    pub products: Vec<Product>,
    pub couplings: Vec<Coupling>,
    /// The short cut for systems of ball joints only.
    pub balls: Option<Box<balls::Balls>>,
    /// Scaled rows (not kept up to date while `balls` does the work).
    pub b: Vec<f64>,
    /// Rate of the residuals caused by kinematic bodies, by row.
    pub bias: Vec<f64>,
    /// Residuals, by row.
    pub residual: Vec<f64>,
    /// Residuals wanted at the end of the step (not zero while far-off bodies are drawn together),
    /// by row.
    pub goal: Vec<f64>,
    /// Whether any goal is not zero.
    pub is_torn: bool,
    /// How far torn joints are drawn together in one step, as a share of their lengths.
    pub share: f64,
    /// Relative joint error that stood at the start of the substep (torn or conflicting joints): no
    /// smaller step removes it, so the step control leaves it out.
    pub standing: f64,
    /// A joint whose dry friction or bounded motor stuck, slid or turned within a step of higher
    /// order.
    pub turned: Option<Arc<str>>,
    /// Impulses of the present joint correction, by row.
    pub lambda: Vec<f64>,
    /// Scratch, by row.
    pub z: Vec<f64>,
    /// Scratch, by row: rates before bounded rows are switched.
    pub switched: Vec<f64>,
    /// Impulses of the whole step for reactions, by row; then those of servos that share a row.
    pub total: Vec<f64>,
    pub memory: Memory,
    /// Whether rows and factor belong to the present poses.
    pub factored: bool,
    pub tolerance: Tolerance,
    pub rotation: Rotation,
    pub gravity: Vec3,
    /// Joints that close a loop, as found by the graph search.
    pub loops: usize,
    /// Largest over smallest mass of its bodies.
    pub mass_ratio: f64,
    /// Largest stable step for continuous springs, s; and for those without a node, which
    /// energy-momentum steps iterate.
    pub spring_h: f64,
    pub loose_h: f64,
    /// Share of a bounded row's effort that one kick may carry: half, or all of it where velocities
    /// are not corrected.
    pub kick_share: f64,
    /// An energy-momentum substep is being solved: impulses act over its whole length.
    pub whole: bool,
    /// Such a substep has been solved, and the impulses of bounded rows are spent.
    pub has_pushed: bool,
    /// While an energy-momentum substep is solved, its length: springs with nodes take part. 0
    /// otherwise.
    pub sprung_h: f64,
    /// Servos that share their rows with springs, dampers or rotors: their impulses are summed up
    /// behind those of the rows.
    pub accounts: u32,
    /// Whether some bounded row is a law, and what laws do in the solve at hand.
    pub lawful: bool,
    /// Whether limits that are reached act at the end of the advance only, together with contacts.
    pub limits_wait: bool,
    /// Whether contacts and laws act in the step at hand: they share its substeps, so that it is
    /// one.
    pub shares_contact: bool,
    pub phase: crate::step::law::Phase,
    /// Forces that stay constant during the step, when continuous springs come on top.
    pub constant: Vec<([crate::lanes::F4; 3], [crate::lanes::F4; 3])>,
    /// Scratch: velocities before the second half kick.
    pub kick_start: Vec<[crate::lanes::F4; 6]>,
    /// Scratch: velocity impulses at the start of the substep.
    pub mu_start: Vec<f64>,
    /// Whether torques or kinematic bodies act, whose work is not a product of constant forces and
    /// ways.
    pub driven: bool,
    /// Scratch: velocities before the kick of joint correction.
    pub unkicked: Vec<[crate::lanes::F4; 6]>,
    /// Scratch: the starts of the substep and of the step.
    pub saved: motion::Saved,
    pub step_start: motion::Saved,
    pub outer: motion::Saved,
    pub runs: crate::step::extrapolate::Runs,
    /// Whether the last step ended with every joint within tolerance.
    pub settled: bool,
    /// Whether it stands still until something wakes it.
    pub asleep: bool,
    /// Time at the start of the present substep, s.
    pub now: f64,
    /// Time of the present poses, and how far ahead of it the preview is, s.
    pub clock: f64,
    pub ahead: f64,
    /// What the last step did.
    pub stats: crate::step::Stats,
    /// Whether the velocity correction of this substep is to be verified (the last of a step).
    pub check_velocities: bool,
    /// How far the energy jumped in the substep that is made again; infinite when none is.
    pub jump: f64,
    /// Whether several joints connect the same two bodies.
    pub parallel: bool,
    /// Scratch of the energy-momentum step.
    pub work: crate::step::energy_balance::Work,
}

impl System {
    /// Present pose of a body.
    #[inline(always)]
    pub fn pose(&self, body: u32) -> Pose {
        let b = body as usize;
        if b < self.slots.len() {
            let (g, l) = (&self.groups[b / 4], b % 4);
            Pose { x: vec3(&g.x, l), r: mat3(&g.r, l) }
        } else {
            self.others[b - self.slots.len()].now
        }
    }

    /// Previewed pose of a body.
    #[inline(always)]
    pub fn pose_then(&self, body: u32) -> Pose {
        let b = body as usize;
        if b < self.slots.len() {
            let (g, l) = (&self.groups[b / 4], b % 4);
            Pose { x: vec3(&g.x1, l), r: mat3(&g.r1, l) }
        } else {
            self.others[b - self.slots.len()].then
        }
    }
}

#[inline(always)]
pub(crate) fn vec3(v: &[crate::lanes::F4; 3], lane: usize) -> Vec3 {
    Vec3::new(v[0].0[lane], v[1].0[lane], v[2].0[lane])
}

#[inline(always)]
pub(crate) fn set3(v: &mut [crate::lanes::F4; 3], lane: usize, x: Vec3) {
    for k in 0..3 {
        v[k].0[lane] = x[k];
    }
}

#[inline(always)]
pub(crate) fn mat3(r: &[crate::lanes::F4; 9], l: usize) -> Mat3 {
    Mat3::from_cols(
        Vec3::new(r[0].0[l], r[1].0[l], r[2].0[l]),
        Vec3::new(r[3].0[l], r[4].0[l], r[5].0[l]),
        Vec3::new(r[6].0[l], r[7].0[l], r[8].0[l]),
    )
}
