//! The multiplier method's view of a world: bodies, elements and their sources, built anew when the
//! model changes.

use super::bodies::{Bodies, UNMOVED};
use super::element::{Element, Hold, Owner, Rows};
use super::guide::{GuidePart, Rails};
use super::integrate::Scratch;
use super::multipliers::Multipliers;
use super::points::PathMemory;
use super::settings::Lagrange;
use crate::connector::{ConstraintId, PlacedPoint, Placement};
use crate::constraint::Parts;
use crate::constraint::coupling::Coupled;
use crate::force::ControllerKind;
use crate::joint::{Coordinate, GuideRecord, JointId, LocalFrame};
use crate::math::Vec3;
use crate::model::{JointRecord, Model};
use crate::{BodyId, Lock};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where the rows of an element come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Parts between two frames; `velocity` takes their rates as the function.
    Pair {
        slots: [u32; 2],
        frames: [LocalFrame; 2],
        parts: Parts,
        sense: f64,
        locks: [Lock; 2],
        mask: u8,
        velocity: bool,
    },
    /// A constraint between points: all rows in force, or one of them; and the drum of a cable.
    Points(ConstraintId, Option<usize>, Option<Box<Coupled>>),
    /// Coordinates of joints that depend on each other.
    Coupled(Vec<Coupled>),
    /// A free coordinate of a joint, times `sign`, from `origin`: friction, a motor, or a limit.
    Coordinate {
        joint: JointId,
        slots: [u32; 2],
        frames: [LocalFrame; 2],
        coordinate: Coordinate,
        role: Role,
    },
    /// A rail or polygon; `velocity` takes the rates as the function.
    Guide { rails: Box<Rails>, part: GuidePart, velocity: bool },
    /// A point where shapes touch.
    Contact(super::contact::Touch),
}

impl Source {
    /// The row of its constraint that it is, if it is a single one.
    pub fn single_row(&self) -> Option<usize> {
        match self {
            Self::Points(_, only, _) => *only,
            Self::Pair { mask, .. } if mask.is_power_of_two() => {
                Some(mask.trailing_zeros() as usize)
            }
            _ => None,
        }
    }

    /// What it is for, if it is a row on a coordinate.
    pub fn role(&self) -> Option<Role> {
        match self {
            Self::Coordinate { role, .. }
            | Self::Guide { part: GuidePart::Coordinate { role, .. }, .. } => Some(*role),
            _ => None,
        }
    }
}

/// What a row on a coordinate is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    Friction,
    /// Slot of the motor.
    Drive(u32),
    /// Sign and bound: C = sign (q − bound) ≥ 0.
    Limit {
        sign: f64,
        bound: f64,
        restitution: f64,
    },
}

/// Memories that make the future the same: part of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LagrangeMemory {
    /// Next step size of the adaptive integrators, s; 0 for none.
    pub hint: f64,
    /// By slot of the constraint.
    pub paths: BTreeMap<u32, PathMemory>,
    /// Integrals of PID controllers, by slot.
    pub integrals: BTreeMap<u32, [f64; 3]>,
    /// Contact forces at the end of the last step, which act in the feedback mode while constraints
    /// are solved.
    #[serde(default)]
    pub contact: Vec<f64>,
    /// Accelerations, linear and angular, that everything but fields and sampled controllers gave
    /// the moving bodies in the last step of an impulse method.
    #[serde(default)]
    pub others: Vec<(Vec3, Vec3)>,
    /// Directions of the fastest vibration and the fastest damping, scaled.
    #[serde(default)]
    pub fastest: [Vec<f64>; 2],
}

impl LagrangeMemory {
    /// Whether all it remembers are numbers.
    pub fn is_finite(&self) -> bool {
        let path = |p: &PathMemory| p.u.is_none_or(f64::is_finite) && p.direction.is_finite();
        self.hint >= 0.0
            && self.paths.values().all(path)
            && self.integrals.values().flatten().chain(&self.contact).all(|x| x.is_finite())
            && self.others.iter().all(|(a, b)| a.is_finite() && b.is_finite())
            && self.fastest.iter().flatten().all(|x| x.is_finite())
    }
}

/// Everything the multiplier method keeps between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    /// Revision of the model it was built for.
    built: Option<u64>,
    pub bodies: Bodies,
    /// Equalities first, then bounded elements.
    pub elements: Vec<Element>,
    pub sources: Vec<Source>,
    pub equalities: usize,
    /// One-sided elements that may become active: all limits and inequalities, then the contacts of
    /// this step.
    pub candidates: Vec<(Element, Source)>,
    pub own_candidates: usize,
    /// Impulses of impacts in this step, by manifold and point.
    pub struck: Vec<([u32; 2], f64)>,
    pub rows: Rows,
    pub multipliers: Multipliers,
    pub memory: LagrangeMemory,
    pub scratch: Scratch,
    /// Right-hand side and bounds by row, and scaled accelerations.
    pub demand: Vec<f64>,
    pub bounds: Vec<(f64, f64)>,
    /// Rows whose bounds are a share of another row's multiplier: row, the other, share.
    pub cones: Vec<(usize, usize, f64)>,
    pub a: Vec<f64>,
    /// Force and torque by moving body.
    pub efforts: Vec<(Vec3, Vec3)>,
    /// Constraints whose formulas had no finite value in this step.
    pub failed: Vec<Arc<str>>,
    /// Slots of the controllers that are rows under the impulse methods.
    pub as_rows: Vec<u32>,
    /// Slots of PID controllers in the order of their integrals in the state.
    pub pids: Vec<u32>,
    /// Efforts of force motors and servos in this step, by slot.
    pub motor_efforts: Vec<f64>,
    /// Servos that act continuously: slot of the motor, error and its integral at the start of the
    /// step.
    pub servos: Vec<(u32, f64, f64)>,
    /// What motors remember, by slot.
    pub commands: Vec<crate::force::PidMemory>,
    /// Time at which the step began, s.
    pub began: f64,
    /// Substeps that its forces want, of integrators of fixed steps.
    pub substeps: f64,
    /// Its length, and whether forces are held over it.
    pub span: f64,
    pub holds: bool,
}

impl Machine {
    /// Builds everything anew when the model has changed.
    pub fn prepare(&mut self, model: &Model) {
        if self.built == Some(model.revision) {
            return;
        }
        self.built = Some(model.revision);
        self.bodies = Bodies::new(model);
        self.multipliers.reset();
        // an edit is a break in the motion (W-89)
        self.memory.hint = 0.0;
        self.memory.others.clear();
        let mut build =
            Build { bodies: &self.bodies, settings: &model.settings.lagrange, list: Vec::new() };
        build.joints(model);
        build.constraints(model);
        let (equal, rest): (Vec<_>, Vec<_>) =
            build.list.into_iter().partition(|(e, _)| !e.hold.is_bounded());
        let (candidates, bounded): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(e, _)| e.hold.is_one_sided());
        self.equalities = equal.len();
        self.own_candidates = candidates.len();
        self.candidates = candidates;
        (self.elements, self.sources) = equal.into_iter().chain(bounded).unzip();
        self.number();
        self.pids = model
            .controllers
            .iter()
            .filter(|(_, _, c)| matches!(c.desc.kind, ControllerKind::Pid { .. }))
            .map(|c| c.0)
            .collect();
        let thrusts = |slot: &u32| {
            let of = model.controllers.iter().find(|c| c.0 == *slot);
            of.is_some_and(|c| matches!(c.2.desc.kind, ControllerKind::Thruster { .. }))
        };
        self.memory.integrals.retain(|slot, _| self.pids.contains(slot) || thrusts(slot));
        let alive = |slot: &u32| model.constraints.iter().any(|c| c.0 == *slot);
        self.memory.paths.retain(|slot, _| alive(slot));
        self.motor_efforts.resize(model.motors.slots(), 0.0);
    }

    /// Gives rows and blocks their places.
    pub fn number(&mut self) {
        let (mut row, mut block) = (0, 0);
        for e in &mut self.elements {
            (e.row0, e.block0) = (row, block);
            row += e.rows;
            block += 6 * e.rows * e.bodies.len();
        }
    }

    /// Makes exactly these candidates active.
    pub fn activate(&mut self, active: &[bool]) {
        self.multipliers.begin();
        let fixed = self.elements.iter().take_while(|e| !e.hold.is_one_sided()).count();
        self.elements.truncate(fixed);
        self.sources.truncate(fixed);
        for (candidate, _) in self.candidates.iter().zip(active).filter(|(_, on)| **on) {
            self.elements.push(candidate.0.clone());
            self.sources.push(candidate.1.clone());
        }
        self.number();
    }
}

struct Build<'a> {
    bodies: &'a Bodies,
    settings: &'a Lagrange,
    list: Vec<(Element, Source)>,
}

impl Build<'_> {
    fn push(
        &mut self,
        owner: Owner,
        name: &Arc<str>,
        hold: Hold,
        slots: &[u32],
        rows: usize,
        source: Source,
        age: u64,
    ) {
        let s = self.settings;
        let stabilise = [s.alpha, s.beta(), s.velocity_rate.unwrap_or(s.alpha)];
        let Some(mut element) = self.bodies.element(owner, name, hold, slots, rows, stabilise)
        else {
            return;
        };
        element.age = age;
        self.list.push((element, source));
    }

    fn joints(&mut self, model: &Model) {
        for (i, g, joint) in model.joints.iter().filter(|(_, _, j)| j.desc.active) {
            let id = JointId::new((i, g));
            let owner = Owner::Joint(id);
            let slots = joint.desc.bodies.map(|b: BodyId| b.index);
            let (parts, frames) = (joint.parts(), joint.frames);
            let velocity = joint.desc.velocity_only;
            let hold = if velocity { Hold::Velocity } else { Hold::Position };
            if let Some(guide) = &joint.guide {
                self.guide(model, id, joint, guide);
                continue;
            }
            let (sense, locks) = (1.0, [Lock::None; 2]);
            let source =
                Source::Pair { slots, frames, parts, sense, locks, mask: u8::MAX, velocity };
            self.push(owner, &joint.name, hold, &slots, parts.rows_len(), source, joint.age);
            let row = |coordinate, role| Source::Coordinate {
                joint: id,
                slots,
                frames,
                coordinate,
                role,
            };
            for f in &joint.desc.friction {
                let hold = Hold::Effort(f.effort);
                self.push(
                    owner,
                    &joint.name,
                    hold,
                    &slots,
                    1,
                    row(f.coordinate, Role::Friction),
                    joint.age,
                );
            }
            for (m, _, motor) in model.motors.iter().filter(|(_, _, m)| m.desc.joint == id) {
                if motor.desc.control.holds_rate() {
                    let hold = Hold::Effort(motor.desc.strongest());
                    self.push(
                        owner,
                        &joint.name,
                        hold,
                        &slots,
                        1,
                        row(motor.desc.coordinate, Role::Drive(m)),
                        joint.age,
                    );
                }
            }
            for l in &joint.desc.limits {
                for (sign, bound) in [(1.0, l.min), (-1.0, l.max)] {
                    if bound.is_finite() {
                        let role = Role::Limit { sign, bound, restitution: l.restitution };
                        self.push(
                            owner,
                            &joint.name,
                            Hold::OneSided,
                            &slots,
                            1,
                            row(l.coordinate, role),
                            joint.age,
                        );
                    }
                }
            }
        }
    }

    /// The rows of a rail or polygon.
    fn guide(&mut self, model: &Model, id: JointId, joint: &JointRecord, guide: &GuideRecord) {
        let rails = Rails::new(guide);
        let slots = rails.slots;
        let velocity = joint.desc.velocity_only;
        let mut push = |hold, rows, part| {
            let velocity = velocity && matches!(part, GuidePart::Hold);
            let source = Source::Guide { rails: Box::new(rails.clone()), part, velocity };
            self.push(Owner::Joint(id), &joint.name, hold, &slots, rows, source, joint.age);
        };
        let hold = if velocity { Hold::Velocity } else { Hold::Position };
        push(hold, joint.parts().rows_len(), GuidePart::Hold);
        let free = |role| GuidePart::Coordinate { edge: None, role };
        for f in &joint.desc.friction {
            push(Hold::Effort(f.effort), 1, free(Role::Friction));
        }
        for (m, _, motor) in model.motors.iter().filter(|(_, _, m)| m.desc.joint == id) {
            if motor.desc.control.holds_rate() {
                push(Hold::Effort(motor.desc.strongest()), 1, free(Role::Drive(m)));
            }
        }
        // the nearest edge of a polygon changes: each one keeps the point off by itself
        let edges = guide.guide.edges.len();
        for l in &joint.desc.limits {
            for (sign, bound) in
                [(1.0, l.min), (-1.0, l.max)].into_iter().filter(|(_, b)| b.is_finite())
            {
                let role = Role::Limit { sign, bound, restitution: l.restitution };
                for k in 0..edges.max(1) {
                    push(
                        Hold::OneSided,
                        1,
                        GuidePart::Coordinate { edge: (edges > 0).then_some(k), role },
                    );
                }
            }
        }
    }

    fn constraints(&mut self, model: &Model) {
        for (i, g, record) in
            model.constraints.iter().filter(|(_, _, c)| c.desc.active && c.holds(model))
        {
            let id = ConstraintId::new((i, g));
            let hold = match (record.desc.one_sided, record.desc.kind.is_velocity()) {
                (true, _) => Hold::OneSided,
                (false, true) => Hold::Velocity,
                (false, false) => Hold::Position,
            };
            let before = self.list.len();
            // equalities hold together; of inequalities each row touches and parts by itself
            let in_force = (0..record.desc.kind.rows()).filter(|&k| record.desc.has_row(k));
            let parts_of: Vec<Option<usize>> =
                if record.desc.one_sided { in_force.map(Some).collect() } else { vec![None] };
            let rows = if record.desc.one_sided { 1 } else { record.desc.row_count() };
            let locked = match &record.placed {
                Placement::Pair { slots, frames, parts, sense, locks } => {
                    let all = record.desc.kind.rows();
                    let mask =
                        (0..all).filter(|&k| record.desc.has_row(k)).fold(0, |m, k| m | 1 << k);
                    let (slots, frames, parts, sense, locks) =
                        (*slots, *frames, *parts, *sense, *locks);
                    for only in parts_of {
                        let mask = only.map_or(mask, |k| 1 << k);
                        let source = Source::Pair {
                            slots,
                            frames,
                            parts,
                            sense,
                            locks,
                            mask,
                            velocity: false,
                        };
                        self.push(
                            Owner::Constraint(id),
                            &record.name,
                            hold,
                            &slots,
                            rows,
                            source,
                            record.age,
                        );
                    }
                    locks.iter().any(|l| *l != Lock::None)
                }
                Placement::Coupled(_) => {
                    let now = record.renewed(model);
                    let slots: Vec<u32> = now.sides().flat_map(|s| s.slots).collect();
                    let Placement::Coupled(coupled) = now.placed else { continue };
                    let wanted = (0..).zip(coupled).filter(|(k, _)| record.desc.has_row(*k));
                    let source = Source::Coupled(wanted.map(|(_, c)| c).collect());
                    self.push(
                        Owner::Constraint(id),
                        &record.name,
                        hold,
                        &slots,
                        rows,
                        source,
                        record.age,
                    );
                    false
                }
                Placement::Points(points) => {
                    let body = |p: &PlacedPoint| {
                        if let PlacedPoint::Body { slot, .. } = p { Some(*slot) } else { None }
                    };
                    let now = record.renewed(model);
                    let slots: Vec<u32> = points
                        .iter()
                        .filter_map(body)
                        .chain(now.sides().flat_map(|s| s.slots))
                        .collect();
                    for only in parts_of {
                        let source = Source::Points(id, only, now.drum.clone().map(Box::new));
                        self.push(
                            Owner::Constraint(id),
                            &record.name,
                            hold,
                            &slots,
                            rows,
                            source,
                            record.age,
                        );
                    }
                    points
                        .iter()
                        .any(|p| matches!(p, PlacedPoint::Body { lock, .. } if *lock != Lock::None))
                }
            };
            for (e, _) in &mut self.list[before..] {
                e.locked = locked;
                let s = self.settings;
                let alpha = record.desc.alpha.unwrap_or(s.alpha);
                let beta = alpha * record.desc.gamma.unwrap_or(s.gamma);
                let own = record.desc.alpha.or(s.velocity_rate).unwrap_or(s.alpha);
                e.stabilise = [alpha, beta, own];
            }
        }
    }
}

impl Bodies {
    /// An element on the moving ones among these bodies; none when it has nothing to move.
    pub fn element(
        &self,
        owner: Owner,
        name: &Arc<str>,
        hold: Hold,
        slots: &[u32],
        rows: usize,
        stabilise: [f64; 3],
    ) -> Option<Element> {
        let mut bodies: Vec<u32> = Vec::with_capacity(2);
        for &s in slots {
            let b = self.index[s as usize];
            if b != UNMOVED && !bodies.contains(&b) {
                bodies.push(b);
            }
        }
        if bodies.is_empty() || rows == 0 {
            return None;
        }
        let name = name.clone();
        Some(Element {
            owner,
            name,
            hold,
            bodies,
            rows,
            row0: 0,
            block0: 0,
            locked: false,
            stabilise,
            age: 0,
        })
    }
}
