//! Constraints between connectors and fields: made, removed, described, inspected and set while the world runs.

use super::make::name;
use super::{Document, Outcome, refuse, vector};
use crate::protocol::{AnchorView, CurveView, ElementView, FieldView};
use kreisel_dynamics::{
    BodyId, Connector, Constraint, ConstraintKind, Controller, ControllerKind, Field, FieldKind, Vec3, World,
};
use std::collections::BTreeMap;

/// Points of a curve that are drawn.
const SAMPLES: u32 = 64;
/// Most constraints or fields in a live world.
const MOST: usize = 10_000;

/// Kinds that can be made from a selection; those with axes take a second point per body.
const KINDS: [(ConstraintKind, bool); 11] = [
    (ConstraintKind::PointToPoint, false),
    (ConstraintKind::Distance(None), false),
    (ConstraintKind::UnitDistance, false),
    (ConstraintKind::Orientation, true),
    (ConstraintKind::InLine, true),
    (ConstraintKind::Ortho, true),
    (ConstraintKind::Hinge, true),
    (ConstraintKind::Slide, true),
    (ConstraintKind::Universal, true),
    (ConstraintKind::EqualVelocity, false),
    (ConstraintKind::EqualVelocityNorm, false),
];

pub(super) fn add_constraint(
    d: &mut Document,
    given: &str,
    word: &str,
    bodies: &[String; 2],
    points: [[f64; 3]; 2],
    axis: [f64; 3],
) -> Outcome {
    let world = &mut d.sim.world;
    if world.constraints().count() >= MOST {
        return refuse(format!("a live world has at most {MOST} of them"));
    }
    let found = KINDS.into_iter().find(|(k, _)| k.name() == word);
    let Some((kind, axes)) = found else {
        return refuse(format!("a constraint of type \"{word}\" is not made from a selection; write it in the scene"));
    };
    let Some(axis) = vector("the axis", axis)?.try_normalize() else { return refuse("the axis has no length") };
    // The second axis of kinds that hold axes perpendicular.
    let across = matches!(kind, ConstraintKind::Ortho | ConstraintKind::Universal);
    let second = if across { axis.any_orthonormal_vector() } else { axis };
    if matches!(kind, ConstraintKind::Distance(_)) && points[0] == points[1] {
        return refuse(
            "the two points coincide: a distance needs two places, a point-to-point constraint holds them together",
        );
    }
    let mut connectors = Vec::new();
    for (k, (body, direction)) in bodies.iter().zip([axis, second]).enumerate() {
        let at = vector("the point", points[k])?;
        connectors.push(connector(world, body, at)?);
        // A point on an axis is one point.
        if axes && !(k == 1 && kind == ConstraintKind::InLine) {
            connectors.push(connector(world, body, at + direction)?);
        }
    }
    world.add_constraint(Constraint::new(kind, connectors).named(name(given)?))?;
    Ok(())
}

/// A point of the world that goes along with a body.
fn connector(world: &World, body: &str, at: Vec3) -> Outcome<Connector> {
    if body == "world" {
        return Ok(Connector::fixed(at));
    }
    let Some(id) = world.body_named(body) else { return refuse(format!("there is no body \"{body}\"")) };
    let (x, q) = (world.position(id).unwrap_or_default(), world.rotation(id).unwrap_or_default());
    Ok(Connector::body(id, q.conjugate() * (at - x)))
}

pub(super) fn add_field(d: &mut Document, given: &str, word: &str, strength: f64, v: [f64; 3]) -> Outcome {
    let world = &mut d.sim.world;
    if world.fields().count() >= MOST {
        return refuse(format!("a live world has at most {MOST} of them"));
    }
    let v = vector("the vector", v)?;
    let kind = match word {
        "gravity" => FieldKind::Gravity(v),
        "friction" => FieldKind::Friction(strength),
        "radial" => FieldKind::Radial { center: v, strength },
        _ => return refuse(format!("a field is gravity, friction or radial, not {word}")),
    };
    world.add_field(Field { name: name(given)?, kind, active: true })?;
    Ok(())
}

/// Removes a constraint, controller or field; false if there is none of that name.
pub(super) fn remove(world: &mut World, name: &str) -> Outcome<bool> {
    if let Some(id) = world.constraint_named(name) {
        world.remove_constraint(id)?;
    } else if let Some(id) = world.controller_named(name) {
        world.remove_controller(id)?;
    } else if let Some(id) = world.field_named(name) {
        world.remove_field(id)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Copies constraints and controllers all of whose bodies are copied; points of space are put as far away as the bodies.
pub(super) fn copy(
    world: &mut World,
    source: &World,
    twins: &BTreeMap<BodyId, BodyId>,
    offset: Vec3,
    fresh: impl Fn(&World, &str) -> String,
) -> Outcome {
    let connectors = |list: &[Connector]| -> Option<Vec<Connector>> {
        // Something that hangs on no copied body is not copied with it.
        list.iter().any(|c| matches!(c, Connector::Body { .. })).then_some(())?;
        list.iter().map(|c| twin(c, twins, offset)).collect()
    };
    for id in source.constraints() {
        let Some(constraint) = source.constraint_from_start(id) else { continue };
        let Some(connectors) = connectors(&constraint.connectors) else { continue };
        let name = fresh(world, &source.constraint_name(id).unwrap_or_default());
        world.add_constraint(Constraint { name, connectors, ..constraint })?;
    }
    for id in source.controllers() {
        let Some(controller) = source.controller(id) else { continue };
        let Some(connectors) = connectors(&controller.connectors) else { continue };
        let name = fresh(world, &source.controller_name(id).unwrap_or_default());
        world.add_controller(Controller { name, connectors, ..controller.clone() })?;
    }
    Ok(())
}

/// The same connector of the copies; none if its body is not copied.
fn twin(connector: &Connector, twins: &BTreeMap<BodyId, BodyId>, offset: Vec3) -> Option<Connector> {
    let mut twin = connector.clone();
    match &mut twin {
        Connector::Body { body, .. } => *body = *twins.get(body)?,
        Connector::Fixed { position, .. } => *position += offset,
        // Curves and formulas of the time stay where they are.
        _ => {}
    }
    Some(twin)
}

/// Constraints between connectors and controllers, for the page.
pub(super) fn describe(world: &World, index: impl Fn(BodyId) -> i32) -> Vec<ElementView> {
    let anchors = |list: &[Connector]| {
        let one = |c: &Connector| match c {
            Connector::Body { body, point, .. } => Some(AnchorView { body: index(*body), point: point.to_array() }),
            Connector::Function(_) | Connector::Nearest { .. } => None,
            fixed => world.connector_position(fixed).map(|p| AnchorView { body: -1, point: p.to_array() }),
        };
        list.iter().filter_map(one).collect()
    };
    let constraints = world.constraints().filter_map(|id| {
        let c = world.constraint(id)?;
        Some(ElementView {
            name: world.constraint_name(id)?.to_string(),
            kind: c.kind.name().into(),
            role: if c.kind.is_velocity() { "velocity" } else { "position" }.into(),
            active: c.active,
            anchors: anchors(&c.connectors),
        })
    });
    let controllers = world.controllers().filter_map(|id| {
        let c = world.controller(id)?;
        let kind = match c.kind {
            ControllerKind::Vector(_) => "vector",
            ControllerKind::Spring { .. } => "spring",
            ControllerKind::Trajectory { .. } => "trajectory",
            ControllerKind::Pid { .. } => "pid",
        };
        Some(ElementView {
            name: world.controller_name(id)?.to_string(),
            kind: kind.into(),
            role: "controller".into(),
            active: c.active,
            anchors: anchors(&c.connectors),
        })
    });
    constraints.chain(controllers).collect()
}

/// Curves, for the page.
pub(super) fn curves(world: &World) -> Vec<CurveView> {
    let one = |id| {
        let curve = world.curve(id)?;
        let points = (0..=SAMPLES).map(|k| curve.point(f64::from(k) / f64::from(SAMPLES)).to_array()).collect();
        Some(CurveView { name: world.curve_name(id)?.to_string(), points })
    };
    world.curves().filter_map(one).collect()
}

pub(super) fn field_word(kind: &FieldKind) -> &'static str {
    match kind {
        FieldKind::Gravity(_) => "gravity",
        FieldKind::Friction(_) => "friction",
        FieldKind::Radial { .. } => "radial",
    }
}

/// Fields, for the page.
pub(super) fn fields(world: &World) -> Vec<FieldView> {
    let one = |id| {
        let field = world.field(id)?;
        let kind = field_word(&field.kind).into();
        Some(FieldView { name: world.field_name(id)?.to_string(), kind, active: field.active })
    };
    world.fields().filter_map(one).collect()
}
