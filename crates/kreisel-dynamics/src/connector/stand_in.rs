//! Constraints between connectors under the impulse methods: each becomes the joint that has the
//! same rows. Controllers that are rows have stand-ins, too (`controlled.rs`).
//!
//! | constraint | joint |
//! |---|---|
//! | point-to-point, -path, -function | ball joint |
//! | distance, unit distance | distance |
//! | orientation, in line, ortho, hinge, slide, universal | the pair of parts that they are made of |
//! | equal velocity, velocity to function | ball joint of velocities only |
//!
//! A connector that is a function of time or runs along a curve is a body without mass that no
//! impulse moves; it goes from where the target is at the start of the step straight to where it
//! will be at the end. Formulas, inequalities and locks have no joint of that kind: their rows
//! border the factor ([`crate::system::border`]).

use super::controlled::CONTROLLER;
use super::{ConstraintId, ConstraintKind, ConstraintRecord, Lock, PlacedPoint, Placement};
use crate::body::{BodyId, BodyKind};
use crate::constraint::coordinate::Measure;
use crate::force::ControllerId;
use crate::item::ItemId;
use crate::joint::{Joint, JointId, JointKind, LocalFrame, PositionPart, RotationPart};
use crate::lagrange::{Machine, Place};
use crate::math::{Mat3, Vec3};
use crate::model::{JointRecord, Model};
use crate::state::State;
use crate::step::law::Law;
use crate::system::System;

/// Numbers from here on are no slots of the model: stand-ins and their targets.
pub(crate) const STAND_IN: u32 = 1 << 31;

/// A joint that stands in for a constraint or a controller.
#[derive(Clone, Debug)]
pub(crate) struct StandIn {
    pub id: JointId,
    pub record: JointRecord,
    /// Laws on what it leaves free.
    pub laws: Vec<(Measure, Law)>,
}

/// The joint number of a constraint's stand-in.
pub(crate) fn joint_of(id: ConstraintId) -> JointId {
    JointId { index: STAND_IN | id.index, generation: id.generation }
}

/// The item that a joint of the chains belongs to: the joint itself, or what it stands in for.
pub(crate) fn item_of(id: JointId) -> ItemId {
    let (index, generation) = (id.index & !(STAND_IN | CONTROLLER), id.generation);
    match (id.index & STAND_IN != 0, id.index & CONTROLLER != 0) {
        (false, _) => ItemId::Joint(id),
        (true, false) => ItemId::Constraint(ConstraintId { index, generation }),
        (true, true) => ItemId::Controller(ControllerId { index, generation }),
    }
}

/// Body number of the target in connector `k` of a constraint.
fn target(id: ConstraintId, k: u32) -> BodyId {
    BodyId { index: STAND_IN | (2 * id.index + k), generation: id.generation }
}

/// Whether a constraint has the rows of a joint. All others are rows around the factor
/// ([`crate::system::border`]).
pub(crate) fn is_joint(record: &ConstraintRecord) -> bool {
    let free = |l: &Lock| *l == Lock::None;
    if record.desc.one_sided || record.desc.row_count() != record.desc.kind.rows() {
        return false;
    }
    let Placement::Points(list) = &record.placed else {
        return matches!(&record.placed, Placement::Pair { locks, .. } if locks.iter().all(free));
    };
    let sliding = |p: &PlacedPoint| matches!(p, PlacedPoint::Nearest { .. });
    let slot =
        |p: &PlacedPoint| if let PlacedPoint::Body { slot, .. } = p { Some(*slot) } else { None };
    let unlocked =
        list.iter().all(|p| if let PlacedPoint::Body { lock, .. } = p { free(lock) } else { true });
    let known = match record.desc.kind {
        ConstraintKind::Expression(_)
        | ConstraintKind::VelocityExpression(_)
        | ConstraintKind::Plugin(_)
        | ConstraintKind::EqualVelocityNorm
        | ConstraintKind::PointOnCurve
        | ConstraintKind::Cable { .. } => false,
        ConstraintKind::Distance(_) | ConstraintKind::UnitDistance => !list.iter().any(sliding),
        _ => true,
    };
    known && unlocked && (slot(&list[0]).is_none() || slot(&list[0]) != slot(&list[1]))
}

/// Active constraints that are no joints, in the order of their slots.
pub(crate) fn bordering(model: &Model) -> Vec<ConstraintId> {
    let moves = |b: &BodyId| model.body(*b).is_some_and(|b| b.desc.kind == BodyKind::Dynamic);
    let fits = |c: &ConstraintRecord| {
        c.desc.active && c.holds(model) && !is_joint(c) && c.bodies.iter().any(moves)
    };
    model
        .constraints
        .iter()
        .filter(|(_, _, c)| fits(c))
        .map(|(i, g, _)| ConstraintId::new((i, g)))
        .collect()
}

fn stand_in(id: ConstraintId, record: &ConstraintRecord, model: &Model) -> Option<StandIn> {
    if !record.desc.active || !is_joint(record) {
        return None;
    }
    let body =
        |slot: u32| model.bodies.iter().find(|b| b.0 == slot).map(|(i, g, _)| BodyId::new((i, g)));
    let (position, rotation, bodies, frames, angle) = match &record.placed {
        Placement::Pair { slots, frames, parts, sense, .. } => {
            let mut frames = *frames;
            if *sense < 0.0 {
                // antiparallel axes are parallel to those of a frame turned about z
                let m = frames[1].axes;
                frames[1].axes = Mat3::from_cols(-m.x_axis, -m.y_axis, m.z_axis);
            }
            (
                parts.position,
                parts.rotation,
                [body(slots[0])?, body(slots[1])?],
                frames,
                parts.angle,
            )
        }
        Placement::Coupled(_) => return None,
        Placement::Points(list) => {
            let end = |k: usize| {
                let (body, origin) = match &list[k] {
                    PlacedPoint::Body { slot, local, .. } => (body(*slot)?, *local),
                    PlacedPoint::Fixed { position, velocity, .. } if *velocity == Vec3::ZERO => {
                        (BodyId::WORLD, *position)
                    }
                    PlacedPoint::Curve { curve, parameter } => (
                        BodyId::WORLD,
                        model.curves.get(curve.index, curve.generation)?.desc.point(*parameter),
                    ),
                    _ => (target(id, k as u32), Vec3::ZERO),
                };
                Some((body, LocalFrame { origin, axes: Mat3::IDENTITY }))
            };
            let ((a, fa), (b, fb)) = (end(0)?, end(1)?);
            let distance = matches!(
                record.desc.kind,
                ConstraintKind::Distance(_) | ConstraintKind::UnitDistance
            );
            let part = if distance { PositionPart::Distance } else { PositionPart::Point };
            (part, RotationPart::Free, [a, b], [fa, fb], (0.0, 1.0))
        }
    };
    let moves = |b: BodyId| model.body(b).is_some_and(|b| b.desc.kind == BodyKind::Dynamic);
    if !bodies.iter().any(|b| moves(*b)) {
        return None;
    }
    let mut desc = Joint::new(JointKind::Combined(position, rotation), bodies[0], bodies[1]);
    desc.velocity_only = record.desc.kind.is_velocity();
    let record = JointRecord {
        desc,
        name: record.name.clone(),
        frames,
        guide: None,
        length: record.length,
        angle,
        age: record.age,
    };
    Some(StandIn { id: joint_of(id), record, laws: Vec::new() })
}

/// Stand-ins of all active constraints and controllers that have one. Those of controllers come
/// last: they hold nothing, and close no loops.
pub(crate) fn stand_ins(model: &Model) -> Vec<StandIn> {
    let constraints = model.constraints.iter();
    let of_constraints =
        constraints.filter_map(|(i, g, c)| stand_in(ConstraintId::new((i, g)), c, model));
    of_constraints.chain(super::controlled::stand_ins(model)).collect()
}

/// Where a target starts and where it goes in a step of `h`.
fn course(
    machine: &Machine,
    model: &Model,
    record: &ConstraintRecord,
    slot: u32,
    k: usize,
    t: f64,
    h: f64,
) -> [Vec3; 2] {
    let Placement::Points(list) = &record.placed else { return [Vec3::ZERO; 2] };
    let memory = machine.memory.paths.get(&slot).copied().unwrap_or_default();
    let place = |t: f64| Place { curves: &model.curves, frames: &machine.bodies.frames, t };
    let points = place(t).points(record, list, memory);
    let start = points[k].jet.x;
    match (&record.desc.kind, &list[k]) {
        (ConstraintKind::PointToPath { speed, .. }, PlacedPoint::Nearest { curve }) => {
            let Some(curve) = model.curves.get(curve.index, curve.generation) else {
                return [start; 2];
            };
            let way = speed * memory.direction * h;
            // midpoint rule for the parameter at a given way along the curve; at the ends it stops
            let pace = |u: f64| way / curve.desc.at(u).d.length().max(1e-9);
            let u = points[k].u;
            [start, curve.desc.at(u + pace(u + 0.5 * pace(u))).p]
        }
        (ConstraintKind::VelocityToFunction, _) => {
            // the function is the velocity wanted at the end
            let velocity = place(t + h).point(&list[k], None, memory).jet.x;
            [Vec3::ZERO, velocity * h]
        }
        _ => [start, place(t + h).points(record, list, memory)[k].jet.x],
    }
}

/// Gives the targets in the systems their places and velocities for a step of `h`.
pub(crate) fn aim(machine: &Machine, model: &Model, state: &State, h: f64, systems: &mut [System]) {
    for other in systems.iter_mut().flat_map(|s| &mut s.others).filter(|o| o.slot >= STAND_IN) {
        let course = match super::controlled::connector_of(other.slot) {
            Some((slot, k)) => super::controlled::course(machine, model, slot, k, state.time, h),
            None => {
                let (slot, k) = ((other.slot & !STAND_IN) / 2, other.slot % 2);
                let record = model.constraints.iter().find(|c| c.0 == slot).map(|c| c.2);
                record.map(|record| course(machine, model, record, slot, k as usize, state.time, h))
            }
        };
        let Some([from, to]) = course else { continue };
        if from.is_finite() && to.is_finite() {
            other.x = from;
            (other.now.x, other.then.x) = (from, from);
            other.velocity = (to - from) / h;
        } else {
            other.velocity = Vec3::ZERO;
        }
    }
}
