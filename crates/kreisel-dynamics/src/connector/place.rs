//! From the description of a constraint to points and frames fixed to bodies, stored once.

use super::transmission::Equation;
use super::{Connector, Constraint, ConstraintKind, CoupledJoint, CurveId, Lock, Wrap, path};
use crate::body::{BodyId, BodyKind};
use crate::bounds;
use crate::constraint::Parts;
use crate::constraint::coupling::{Coupled, CoupledSide};
use crate::error::ModelError;
use crate::formula::Expression;
use crate::joint::{Coordinate, JointId, LocalFrame, PositionPart, RotationPart};
use crate::math::{Mat3, Quat, Vec3, basis, basis_xy};
use crate::model::Model;
use crate::plugin::{PluginError, PluginPoint, check_rows};
use crate::state::State;
use std::sync::Arc;

/// A connector with its body's coordinates.
#[derive(Clone, Debug)]
pub(crate) enum PlacedPoint {
    Fixed {
        position: Vec3,
        velocity: Vec3,
        since: f64,
    },
    /// From the centre of mass, in the principal frame.
    Body {
        slot: u32,
        local: Vec3,
        lock: Lock,
    },
    Curve {
        curve: CurveId,
        parameter: f64,
    },
    Nearest {
        curve: CurveId,
    },
    Function([Expression; 3]),
}

/// How a constraint reaches its bodies.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one per constraint, and most are pairs")]
pub(crate) enum Placement {
    /// Frames on two bodies, with the parts of a joint.
    Pair { slots: [u32; 2], frames: [LocalFrame; 2], parts: Parts, sense: f64, locks: [Lock; 2] },
    /// Points.
    Points(Vec<PlacedPoint>),
    /// Coordinates of joints, one row each.
    Coupled(Vec<Coupled>),
}

/// A round body of a cable, with its axis in the principal frame of that body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedWrap {
    pub wrap: Wrap,
    pub axis: Option<Vec3>,
}

/// A constraint with its placement.
#[derive(Clone, Debug)]
pub(crate) struct ConstraintRecord {
    pub desc: Constraint,
    pub name: Arc<str>,
    pub placed: Placement,
    /// Length of a distance or cable, m.
    pub length: f64,
    /// The drum of a cable, as what it gives.
    pub drum: Option<Coupled>,
    /// What a cable runs over.
    pub wraps: Vec<PlacedWrap>,
    /// Number in the order of creation.
    pub age: u64,
    /// Bodies that it touches, in the order of its connectors.
    pub bodies: Vec<BodyId>,
}

impl ConstraintRecord {
    pub fn new(
        desc: Constraint,
        name: Arc<str>,
        age: u64,
        model: &Model,
        state: &State,
    ) -> Result<Self, ModelError> {
        let mut desc = desc;
        if let ConstraintKind::Plugin(plugin) = &mut desc.kind {
            let refused = |why| ModelError::Plugin { item: name.to_string(), why };
            *plugin = plugin.resolved().map_err(refused)?;
        }
        let rule = |ok: bool, field, must, value| {
            if ok {
                Ok(())
            } else {
                Err(ModelError::OutOfRange { item: name.to_string(), field, must, value })
            }
        };
        if let Some(count) = desc.kind.connectors() {
            let given = desc.connectors.len();
            let must = match count {
                2 => "one or two",
                3 => "one to three",
                _ => "one to four",
            };
            rule(given >= 1 && given <= count, "number of connectors", must, given as f64)?;
        }
        rule(desc.row_count() > 0, "number of rows", "at least one (all are locked)", 0.0)?;
        for (field, x) in [("alpha", desc.alpha), ("gamma", desc.gamma)] {
            let x = x.unwrap_or(0.0);
            rule(x >= 0.0 && x.is_finite(), field, "zero or more", x)?;
        }
        rule(
            !(desc.one_sided && desc.kind.is_velocity()),
            "one_sided",
            "off for constraints of velocities",
            1.0,
        )?;
        rule(desc.breaking >= 0.0, "breaking force", "zero or more", desc.breaking)?;
        let mut points = Vec::new();
        for c in &desc.connectors {
            points.push(place(c, &name, model, state)?);
        }
        fill(&mut desc, &mut points, state);
        let coupled = coupled(&desc.kind, &name, model)?;
        let drum = drum(&desc.kind, &name, model)?;
        let mut bodies: Vec<BodyId> = desc
            .connectors
            .iter()
            .filter_map(|c| if let Connector::Body { body, .. } = c { Some(*body) } else { None })
            .collect();
        for joint in desc.kind.joints().into_iter().filter_map(|j| model.joint(j)) {
            bodies.extend(joint.desc.bodies.into_iter().filter(|b| *b != BodyId::WORLD));
        }
        // one that is frozen while another constraint is assembled moves again afterwards
        let frozen = |b: &BodyId| model.assemblies.iter().any(|a| a.frozen == *b);
        let moves = |b: &BodyId| {
            model.body(*b).is_some_and(|r| r.desc.kind == BodyKind::Dynamic || frozen(b))
        };
        if !bodies.iter().any(moves) {
            return Err(ModelError::NothingMoves {
                item: name.to_string(),
                a: "its first connector".into(),
                b: "the others".into(),
            });
        }
        let where_is = |p: &PlacedPoint| position(p, model, state);
        let mut length = 1.0;
        match desc.kind {
            ConstraintKind::Distance(given) => {
                let ends = || {
                    let first = where_is(&points[0]);
                    let second = match &points[1] {
                        PlacedPoint::Nearest { curve } => model
                            .curves
                            .get(curve.index, curve.generation)
                            .map_or(first, |c| c.desc.nearest(first, None).p),
                        other => where_is(other),
                    };
                    first.distance(second)
                };
                length = given.unwrap_or_else(ends);
                rule(
                    length.is_finite() && length > 1e-9,
                    "length",
                    "positive (use point-to-point for none)",
                    length,
                )?;
            }
            ConstraintKind::PointToPath { speed, .. } => {
                rule(speed.is_finite(), "speed", "finite", speed)?;
                let on_curve = matches!(points.get(1), Some(PlacedPoint::Nearest { .. }));
                rule(on_curve, "second connector", "the nearest point of a curve", 2.0)?;
            }
            ConstraintKind::PointOnCurve => {
                let slides = !matches!(points[0], PlacedPoint::Nearest { .. });
                let on_curve = matches!(points.get(1), Some(PlacedPoint::Nearest { .. }));
                rule(slides && on_curve, "second connector", "the nearest point of a curve", 2.0)?;
            }
            ConstraintKind::Cable { length: given, ref wraps, ref weights, .. } => {
                check_cable(wraps, weights, points.len(), &rule)?;
                let sliding = points.iter().any(|p| matches!(p, PlacedPoint::Nearest { .. }));
                rule(!sliding, "connector", "no nearest point of a curve", 1.0)?;
                length = given.unwrap_or_default();
                rule(length.is_finite() && length > 1e-9, "length", "positive", length)?;
            }
            ConstraintKind::Transmission { ref of, ref phase } => {
                rule(
                    phase.len() == of.rows(),
                    "phase",
                    "one number per equation",
                    phase.len() as f64,
                )?;
                let cam = matches!(of, super::Transmission::Cam { .. });
                rule(
                    cam || !desc.one_sided,
                    "one_sided",
                    "off for all transmissions but a cam",
                    1.0,
                )?;
            }
            ConstraintKind::Plugin(ref plugin) => {
                let at = |p| PluginPoint { position: where_is(p), velocity: Vec3::ZERO };
                let here: Vec<PluginPoint> = points.iter().map(at).collect();
                if let Some(law) = plugin.law() {
                    check_rows(law, state.time, &here).map_err(|words| ModelError::Plugin {
                        item: name.to_string(),
                        why: PluginError::Law { law: plugin.name().to_owned(), words },
                    })?;
                }
            }
            ConstraintKind::PointToFunction | ConstraintKind::VelocityToFunction => {
                let given = matches!(points.get(1), Some(PlacedPoint::Function(_)));
                rule(given, "second connector", "a function of time", 2.0)?;
            }
            ConstraintKind::PointToPoint | ConstraintKind::EqualVelocity => {
                let sliding = points.iter().any(|p| matches!(p, PlacedPoint::Nearest { .. }));
                rule(
                    !sliding,
                    "connector",
                    "no nearest point of a curve (use point-to-path)",
                    2.0,
                )?;
            }
            _ => {}
        }
        let placed = match (coupled, pair(&desc.kind, &points, &name, model, state)?) {
            (Some(coupled), _) => Placement::Coupled(coupled),
            (None, Some(pair)) => pair,
            (None, None) => Placement::Points(points),
        };
        let wraps = wraps(&desc, model);
        let mut record = Self { desc, name, placed, length, drum, wraps, age, bodies };
        record.choose_sense(state);
        Ok(record)
    }

    /// Whether the joints that it needs are all switched on.
    pub fn holds(&self, model: &Model) -> bool {
        self.desc.kind.joints().iter().all(|j| model.joint(*j).is_some_and(|r| r.desc.active))
    }

    /// Coordinates of joints that it needs, by row; the drum's last.
    pub fn sides(&self) -> impl Iterator<Item = &CoupledSide> {
        let rows = if let Placement::Coupled(rows) = &self.placed { rows.as_slice() } else { &[] };
        rows.iter().chain(&self.drum).flat_map(|c| &c.sides)
    }

    /// Those of one joint.
    pub fn coordinates_of(&self, joint: JointId) -> Vec<Coordinate> {
        self.sides().filter(|s| s.joint == joint.index).map(|s| s.coordinate).collect()
    }

    /// The record with the frames that its joints have now: they may have been edited.
    pub fn renewed(&self, model: &Model) -> Self {
        let mut out = self.clone();
        if let Ok(Some(coupled)) = coupled(&self.desc.kind, &self.name, model) {
            out.placed = Placement::Coupled(coupled);
        }
        if let Ok(drum @ Some(_)) = drum(&self.desc.kind, &self.name, model) {
            out.drum = drum;
        }
        out
    }

    /// Parallel or antiparallel, whichever is nearer now: the constraint is met by both.
    pub fn choose_sense(&mut self, state: &State) {
        if let Placement::Pair { slots, frames, sense, .. } = &mut self.placed
            && matches!(
                self.desc.kind,
                ConstraintKind::Orientation | ConstraintKind::Hinge | ConstraintKind::Slide
            )
        {
            let axis = |k: usize| state.slot(slots[k]).rotation * frames[k].axes.x_axis;
            *sense = if axis(0).dot(axis(1)) < 0.0 { -1.0 } else { 1.0 };
        }
    }
}

/// Checks what a cable of so many connectors runs over, and what its parts count.
fn check_cable(
    wraps: &[Wrap],
    weights: &[f64],
    connectors: usize,
    rule: &dyn Fn(bool, &'static str, &'static str, f64) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    let own = path(connectors, wraps).count();
    rule(own >= 2, "number of connectors", "two or more on its way", own as f64)?;
    for (k, w) in wraps.iter().enumerate() {
        let number = |n: usize| (n + 1) as f64;
        let there = |n: usize| n < connectors;
        rule(w.after + 1 < own, "wrap", "between two points of the cable", number(w.after))?;
        rule(there(w.around), "wrap", "around one of its connectors", number(w.around))?;
        let side = w.side.unwrap_or(w.around);
        let apart = w.side.is_none_or(|s| there(s) && s != w.around);
        rule(apart, "wrap", "on the side of another of its connectors", number(side))?;
        let alone = wraps[..k].iter().all(|o| o.after != w.after);
        rule(alone, "wrap", "the only one between two points", number(w.after))?;
        rule(w.radius.is_finite() && w.radius > 0.0, "wrap radius", "positive", w.radius)?;
        let axis = w.axis.unwrap_or(Vec3::Z);
        rule(axis.try_normalize().is_some(), "wrap axis", "other than 0", axis.length())?;
    }
    for x in weights {
        rule(x.is_finite() && *x >= 0.0, "weights", "zero or more", *x)?;
    }
    Ok(())
}

/// What a cable runs over, with axes in principal frames.
fn wraps(desc: &Constraint, model: &Model) -> Vec<PlacedWrap> {
    let ConstraintKind::Cable { wraps, .. } = &desc.kind else { return Vec::new() };
    let placed = |wrap: &Wrap| {
        let turn = match desc.connectors.get(wrap.around) {
            Some(Connector::Body { body, .. }) => {
                model.body(*body).map(|b| b.principal.conjugate()).unwrap_or_default()
            }
            _ => Quat::IDENTITY,
        };
        PlacedWrap { wrap: *wrap, axis: wrap.axis.map(|a| turn * a.normalize_or(Vec3::Z)) }
    };
    wraps.iter().map(placed).collect()
}

/// The rows of a coupling or transmission, with the frames of its joints.
fn coupled(
    kind: &ConstraintKind,
    name: &str,
    model: &Model,
) -> Result<Option<Vec<Coupled>>, ModelError> {
    match kind {
        ConstraintKind::Coupling { joints, value } => {
            Ok(Some(vec![equation(joints, None, *value, name, model)?]))
        }
        ConstraintKind::Transmission { of, phase } => {
            let all = of.equations(name, model)?;
            let phases = phase.iter().copied().chain(std::iter::repeat(0.0));
            let row = |(e, phase): (&Equation, f64)| {
                equation(&e.joints, e.profile.as_ref(), phase, name, model)
            };
            all.iter().zip(phases).map(row).collect::<Result<_, _>>().map(Some)
        }
        _ => Ok(None),
    }
}

/// What the drum of a cable gives: its radius times its angle.
fn drum(kind: &ConstraintKind, name: &str, model: &Model) -> Result<Option<Coupled>, ModelError> {
    let ConstraintKind::Cable { drum: Some((joint, radius)), .. } = kind else { return Ok(None) };
    if !(radius.is_finite() && *radius != 0.0) {
        let (field, must) = ("radius", "finite and other than 0");
        return Err(ModelError::OutOfRange { item: name.to_owned(), field, must, value: *radius });
    }
    let unit = [CoupledJoint::new(*joint, Coordinate::Angle, 1.0)];
    let mut out = equation(&unit, None, 0.0, name, model)?;
    out.sides[0].factors = vec![*radius];
    Ok(Some(out))
}

/// One row on coordinates of joints.
fn equation(
    joints: &[CoupledJoint],
    profile: Option<&Expression>,
    value: f64,
    name: &str,
    model: &Model,
) -> Result<Coupled, ModelError> {
    let rule = |ok: bool, field, must, value| {
        if ok {
            Ok(())
        } else {
            Err(ModelError::OutOfRange { item: name.to_owned(), field, must, value })
        }
    };
    rule(value.is_finite(), "value", "finite", value)?;
    let norm = Coupled::norm(joints.iter().map(|j| j.factors.as_slice()));
    rule(norm > 0.0, "factors", "other than 0 for one joint at least", norm)?;
    let mut sides = Vec::new();
    for (k, j) in joints.iter().enumerate() {
        let record =
            model.joint(j.joint).ok_or_else(|| ModelError::UnknownElement(name.to_owned()))?;
        let largest =
            j.factors.iter().fold(0.0, |m: f64, x| if x.is_finite() { m.max(x.abs()) } else { *x });
        rule(largest.is_finite(), "factors", "finite", largest)?;
        if record.guide.is_some() || !record.desc.kind.has(j.coordinate) {
            let (kind, coordinate) = (record.desc.kind.name(), j.coordinate.name());
            return Err(ModelError::NoCoordinate {
                joint: record.name.to_string(),
                kind,
                coordinate,
            });
        }
        let factors = j.factors.iter().map(|f| f / norm).collect();
        let slots = record.desc.bodies.map(|b| b.index);
        let (frames, coordinate) = (record.frames, j.coordinate);
        let profile = profile.filter(|_| k == 0).cloned();
        sides.push(CoupledSide {
            joint: j.joint.index,
            slots,
            frames,
            coordinate,
            factors,
            profile,
        });
    }
    Ok(Coupled { sides, value: value / norm })
}

fn place(
    c: &Connector,
    name: &str,
    model: &Model,
    state: &State,
) -> Result<PlacedPoint, ModelError> {
    let known = |curve: CurveId| {
        let found = model.curves.get(curve.index, curve.generation);
        found.map(|_| curve).ok_or_else(|| ModelError::UnknownCurve(name.to_owned()))
    };
    Ok(match c {
        Connector::Fixed { position, velocity } => {
            bounds::POSITION.check_vector(name, "position", *position)?;
            bounds::SPEED.check_vector(name, "velocity", *velocity)?;
            PlacedPoint::Fixed { position: *position, velocity: *velocity, since: state.time }
        }
        Connector::Body { body, point, lock } => {
            bounds::POSITION.check_vector(name, "point", *point)?;
            let record =
                model.body(*body).ok_or_else(|| ModelError::UnknownBody(name.to_owned()))?;
            let local = record.principal.conjugate() * (*point - record.center);
            PlacedPoint::Body { slot: body.index, local, lock: *lock }
        }
        Connector::Curve { curve, parameter } => {
            if !(0.0..=1.0).contains(parameter) {
                return Err(ModelError::OutOfRange {
                    item: name.to_owned(),
                    field: "curve parameter",
                    must: "from 0 to 1",
                    value: *parameter,
                });
            }
            PlacedPoint::Curve { curve: known(*curve)?, parameter: *parameter }
        }
        Connector::Nearest { curve } => PlacedPoint::Nearest { curve: known(*curve)? },
        Connector::Function(f) => PlacedPoint::Function(f.clone()),
    })
}

/// Where a point is now.
fn position(p: &PlacedPoint, model: &Model, state: &State) -> Vec3 {
    match p {
        PlacedPoint::Fixed { position, .. } => *position,
        PlacedPoint::Body { slot, local, .. } => {
            let s = state.slot(*slot);
            s.position + s.rotation * *local
        }
        PlacedPoint::Curve { curve, parameter } => model
            .curves
            .get(curve.index, curve.generation)
            .map_or(Vec3::ZERO, |c| c.desc.point(*parameter)),
        PlacedPoint::Nearest { .. } => Vec3::ZERO,
        PlacedPoint::Function(f) => {
            let t = crate::constraint::second::Jet { x: state.time, d: 1.0, dd: 0.0 };
            Vec3::from_array([0, 1, 2].map(|k| f[k].jet(&[t]).x))
        }
    }
}

/// Missing partners become fixed points where the points are that they belong to.
fn fill(desc: &mut Constraint, points: &mut Vec<PlacedPoint>, state: &State) {
    let Some(count) = desc.kind.connectors() else { return };
    let given = points.len();
    for k in given..count {
        let partner = match (&desc.kind, given) {
            // one axis given: the other is its copy in space
            (_, 2) if count == 4 => k - 2,
            // a point on the axis: its first point
            _ => 0,
        };
        if let PlacedPoint::Body { slot, local, .. } = &points[partner] {
            let s = state.slot(*slot);
            let position = s.position + s.rotation * *local;
            points.push(PlacedPoint::Fixed { position, velocity: Vec3::ZERO, since: state.time });
            desc.connectors.push(Connector::fixed(position));
        } else {
            points.push(points[partner].clone());
            desc.connectors.push(desc.connectors[partner].clone());
        }
    }
}

/// Kinds with axes as frames on two bodies.
fn pair(
    kind: &ConstraintKind,
    points: &[PlacedPoint],
    name: &str,
    model: &Model,
    state: &State,
) -> Result<Option<Placement>, ModelError> {
    use PositionPart as P;
    use RotationPart as R;
    let (position_part, rotation_part) = match kind {
        ConstraintKind::Orientation => (P::Free, R::Axis),
        ConstraintKind::InLine => (P::Line, R::Free),
        ConstraintKind::Ortho => (P::Free, R::Angle),
        ConstraintKind::Hinge => (P::Point, R::Axis),
        ConstraintKind::Slide => (P::Line, R::Axis),
        ConstraintKind::Universal => (P::Point, R::Angle),
        _ => return Ok(None),
    };
    let bad = |field| ModelError::BadAxis { item: name.to_owned(), field };
    let side = |first: usize, last: usize| {
        let mut slots = points[first..=last].iter().map(|p| match p {
            PlacedPoint::Body { slot, lock, .. } => Some((*slot, *lock)),
            PlacedPoint::Fixed { velocity, .. } if *velocity == Vec3::ZERO => Some((0, Lock::None)),
            _ => None,
        });
        let start = slots.next().flatten().ok_or_else(|| bad("axis"))?;
        if slots.any(|s| s.map(|s| s.0) != Some(start.0)) {
            return Err(bad("axis"));
        }
        Ok(start)
    };
    let at = |k: usize| position(&points[k], model, state);
    let axis = |a: usize, b: usize| {
        (at(a) - at(b))
            .try_normalize()
            .ok_or_else(|| ModelError::ZeroAxis { item: name.to_owned(), field: "axis" })
    };
    let last = points.len() - 1;
    let ((slot0, lock0), (slot1, lock1)) = (side(0, 1)?, side(2, last)?);
    if slot0 == slot1 {
        let body = model
            .bodies
            .iter()
            .find(|b| b.0 == slot0)
            .map_or_else(String::new, |b| b.2.name.to_string());
        return Err(ModelError::SameBody { item: name.to_owned(), body });
    }
    let x1 = axis(0, 1)?;
    let first = basis(x1);
    let second = match rotation_part {
        R::Free => first,
        R::Angle => {
            let y = axis(2, 3)?;
            // the second axis is the y axis of its frame
            let m = basis_xy(y, first.y_axis).unwrap_or_else(|| basis(y));
            Mat3::from_cols(m.y_axis, m.x_axis, -m.z_axis)
        }
        _ => {
            let x = axis(2, 3)?;
            basis_xy(x, first.y_axis).unwrap_or_else(|| basis(x))
        }
    };
    let frame = |slot: u32, point: Vec3, axes: Mat3| {
        let s = state.slot(slot);
        LocalFrame::from_world(point, axes, s.position, s.rotation)
    };
    let frames = [frame(slot0, at(0), first), frame(slot1, at(2), second)];
    let parts =
        Parts { position: position_part, rotation: rotation_part, length: 1.0, angle: (0.0, 1.0) };
    Ok(Some(Placement::Pair {
        slots: [slot0, slot1],
        frames,
        parts,
        sense: 1.0,
        locks: [lock0, lock1],
    }))
}
