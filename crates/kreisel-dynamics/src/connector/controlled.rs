//! Controllers under the impulse methods: springs and dampers towards a target are rows with
//! compliance (`step/law.rs`), so that neither their gains nor the step decide about stability, and
//! joints and contacts are solved along with them.
//!
//! | controller | rows |
//! |---|---|
//! | spring | the distance of the connectors |
//! | spring of length zero without damping, PID | their offset along x, y, z |
//! | trajectory towards a target that no force moves | the same, and −β√(2α) m P₁' from outside |
//!
//! Vector forces need no row. Negative gains, locks, nearest points on curves, trajectories behind
//! a dynamic body and damped springs of length zero have none: they stay forces that are held over
//! a step ([`crate::lagrange`]).

use super::{Lock, PlacedPoint, STAND_IN, StandIn};
use crate::body::{BodyId, BodyKind};
use crate::constraint::coordinate::Measure;
use crate::elements::ControllerRecord;
use crate::force::{ControllerId, ControllerKind};
use crate::joint::{Coordinate, Joint, JointId, JointKind, LocalFrame, PositionPart, RotationPart};
use crate::lagrange::{Machine, PathMemory, Place};
use crate::math::{Mat3, Vec3};
use crate::model::{JointRecord, Model};
use crate::state::State;
use crate::step::law::{Gains, Law};
use crate::system::{BoundKind, System};

/// Set in the numbers of stand-ins and targets that belong to controllers.
pub(super) const CONTROLLER: u32 = 1 << 30;

/// Slot of a controller and which of its connectors a target's number stands for.
pub(super) fn connector_of(number: u32) -> Option<(u32, usize)> {
    let own = number & !(STAND_IN | CONTROLLER);
    (number & CONTROLLER != 0).then_some((own / 2, (own % 2) as usize))
}

/// Whether a point moves with a dynamic body.
fn is_dynamic(p: &PlacedPoint, model: &Model) -> bool {
    let PlacedPoint::Body { slot, .. } = p else { return false };
    model.bodies.iter().any(|b| b.0 == *slot && b.2.desc.kind == BodyKind::Dynamic)
}

/// Gains of a controller's rows, and whether they lie along the axes of the world; `None` where it
/// has none.
fn rows(record: &ControllerRecord, model: &Model) -> Option<(Gains, bool)> {
    let [first, second] = record.points.as_slice() else { return None };
    let free = |p: &PlacedPoint| match p {
        PlacedPoint::Body { lock, .. } => *lock == Lock::None,
        PlacedPoint::Nearest { .. } => false,
        _ => true,
    };
    let slot =
        |p: &PlacedPoint| if let PlacedPoint::Body { slot, .. } = p { Some(*slot) } else { None };
    let apart = slot(first).is_none() || slot(first) != slot(second);
    let moves = is_dynamic(first, model) || is_dynamic(second, model);
    if !(record.desc.active && free(first) && free(second) && apart && moves) {
        return None;
    }
    let (gains, along_axes) = match record.desc.kind {
        ControllerKind::Vector(_)
        | ControllerKind::Thruster { .. }
        | ControllerKind::Drag { .. }
        | ControllerKind::Plugin(_) => return None,
        ControllerKind::Spring { stiffness, damping, .. } => {
            if record.length == 0.0 && damping != 0.0 {
                return None;
            }
            (Gains { stiffness, damping, integral: 0.0 }, record.length == 0.0)
        }
        ControllerKind::Pid { position, velocity, integral } => {
            (Gains { stiffness: position, damping: velocity, integral }, true)
        }
        ControllerKind::Trajectory { alpha, beta } => {
            if is_dynamic(first, model) {
                return None;
            }
            let mass =
                slot(second).and_then(|s| model.bodies.iter().find(|b| b.0 == s))?.2.desc.mass.mass;
            let damping = beta * (2.0 * alpha).sqrt() * mass;
            (Gains { stiffness: alpha * mass, damping, integral: 0.0 }, true)
        }
    };
    let Gains { stiffness, damping, integral } = gains;
    let positive = stiffness >= 0.0
        && damping >= 0.0
        && integral >= 0.0
        && stiffness + damping + integral > 0.0;
    positive.then_some((gains, along_axes))
}

/// Slots of the controllers that are rows.
pub(crate) fn as_rows(model: &Model) -> Vec<u32> {
    model.controllers.iter().filter(|(_, _, c)| rows(c, model).is_some()).map(|c| c.0).collect()
}

/// Stand-ins of the controllers that are rows.
pub(super) fn stand_ins(model: &Model) -> impl Iterator<Item = StandIn> {
    model.controllers.iter().filter_map(|(i, g, c)| stand_in(ControllerId::new((i, g)), c, model))
}

/// The joint that stands in for a controller holds nothing: it has the controller's laws alone.
fn stand_in(id: ControllerId, record: &ControllerRecord, model: &Model) -> Option<StandIn> {
    let (_, along_axes) = rows(record, model)?;
    let end = |k: usize| {
        let (body, origin) = match &record.points[k] {
            PlacedPoint::Body { slot, local, .. } => {
                let (i, g, _) = model.bodies.iter().find(|b| b.0 == *slot)?;
                (BodyId::new((i, g)), *local)
            }
            PlacedPoint::Fixed { position, velocity, .. } if *velocity == Vec3::ZERO => {
                (BodyId::WORLD, *position)
            }
            _ => {
                let index = STAND_IN | CONTROLLER | (2 * id.index + k as u32);
                (BodyId { index, generation: id.generation }, Vec3::ZERO)
            }
        };
        Some((body, LocalFrame { origin, axes: Mat3::IDENTITY }))
    };
    let ((a, fa), (b, fb)) = (end(0)?, end(1)?);

    let desc = Joint::new(JointKind::Combined(PositionPart::Free, RotationPart::Free), a, b);
    let frames = [fa, fb];
    let (length, angle) = (record.length, (0.0, 1.0));
    let laws = if along_axes {
        (0..3).map(|k| (Measure::Offset(k), Law::controller(id.index, k))).collect()
    } else {
        vec![(Measure::Of(Coordinate::Length), Law::controller(id.index, 0))]
    };
    let id = JointId { index: STAND_IN | CONTROLLER | id.index, generation: id.generation };
    let record =
        JointRecord { desc, name: record.name.clone(), frames, guide: None, length, angle, age: 0 };
    Some(StandIn { id, record, laws })
}

/// Where a controller's target starts and where it goes in a step of `h`.
pub(super) fn course(
    machine: &Machine,
    model: &Model,
    slot: u32,
    k: usize,
    t: f64,
    h: f64,
) -> Option<[Vec3; 2]> {
    let (_, _, record) = model.controllers.iter().find(|c| c.0 == slot)?;
    let at = |t: f64| {
        let place = Place { curves: &model.curves, frames: &machine.bodies.frames, t };
        place.point(&record.points[k], None, PathMemory::default()).jet.x
    };
    Some([at(t), at(t + h)])
}

/// Gives the laws of controllers their gains and sums for a step of `h`. One that is on for a part
/// of the step only is on when its middle is.
pub(crate) fn control(
    machine: &Machine,
    model: &Model,
    state: &State,
    h: f64,
    systems: &mut [System],
) {
    for law in laws(systems) {
        let (slot, axis) = law.controller;
        let Some((_, _, record)) = model.controllers.iter().find(|c| c.0 == slot) else { continue };
        let middle = state.time + 0.5 * h;
        let is_on = middle >= record.desc.from && middle < record.desc.until;
        let (gains, along_axes) = rows(record, model).filter(|_| is_on).unwrap_or_default();
        let rest = if along_axes { 0.0 } else { record.length };
        law.control(&gains, rest, state.time, h);
        law.integral = machine.memory.integrals.get(&slot).map_or(0.0, |i| i[usize::from(axis)]);
    }
}

/// Remembers what the integral parts of controllers have summed up. Their errors point from the
/// first connector to the second, as those of the laws do.
pub(crate) fn remember(machine: &mut Machine, systems: &mut [System]) {
    for law in laws(systems) {
        let (slot, axis) = law.controller;
        if machine.pids.contains(&slot) {
            machine.memory.integrals.entry(slot).or_default()[usize::from(axis)] = law.integral;
        }
    }
}

/// The laws of controllers.
fn laws(systems: &mut [System]) -> impl Iterator<Item = &mut Law> {
    let bounds = systems.iter_mut().filter(|s| s.lawful).flat_map(|s| &mut s.bounds);
    bounds.filter_map(|b| match &mut b.kind {
        BoundKind::Law(law) if law.controller.0 != crate::system::NONE => Some(law),
        _ => None,
    })
}
