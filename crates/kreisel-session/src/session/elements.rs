//! Constraints between connectors and fields: made, removed and described while the world
//! runs.

use super::make::name;
use super::{Document, Outcome, refuse, vector};
use crate::protocol::{AnchorView, CurveView, ElementView, EndSpec, FieldView, ProcedureView};
use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::{
    BodyId, Connector, Constraint, ConstraintKind, Controller, ControllerKind, Curve, Field,
    FieldKind, JointId, PathEnd, Transmission, Vec3, World,
};
use std::collections::BTreeMap;

/// Points of a curve that are drawn.
const SAMPLES: u32 = 64;
/// Places of a curve among which the nearest to a point is looked for.
const NEAREST: u32 = 400;
/// Most constraints, curves or fields in a live world.
const MOST: usize = 10_000;

/// Kinds that can be made from a selection; those with axes take a second point per body.
const KINDS: [(ConstraintKind, bool); 16] = [
    (ConstraintKind::PointToPoint, false),
    (ConstraintKind::Distance(None), false),
    (ConstraintKind::UnitDistance, false),
    (ConstraintKind::Orientation, true),
    (ConstraintKind::InLine, true),
    (ConstraintKind::Ortho, true),
    (ConstraintKind::Hinge, true),
    (ConstraintKind::Slide, true),
    (ConstraintKind::Universal, true),
    (ConstraintKind::PointToPath { speed: 1.0, end: PathEnd::Reverse }, false),
    (ConstraintKind::PointToFunction, false),
    (ConstraintKind::EqualVelocity, false),
    (ConstraintKind::EqualVelocityNorm, false),
    (ConstraintKind::VelocityToFunction, false),
    (ConstraintKind::PointOnCurve, false),
    (
        ConstraintKind::Cable { length: None, drum: None, wraps: Vec::new(), weights: Vec::new() },
        false,
    ),
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
    if let Some(of) = transmission(world, word, bodies) {
        world.add_constraint(Constraint::transmission(of).named(name(given)?))?;
        return Ok(());
    }
    let found = KINDS.into_iter().find(|(k, _)| k.name() == word);
    let Some((kind, axes)) = found else {
        return refuse(format!(
            "a constraint of type \"{word}\" is not made from a selection; write it in the scene"
        ));
    };
    let Some(axis) = vector("the axis", axis)?.try_normalize() else {
        return refuse("the axis has no length");
    };
    // The second axis of kinds that hold axes perpendicular.
    let across = matches!(kind, ConstraintKind::Ortho | ConstraintKind::Universal);
    let second = if across { axis.any_orthonormal_vector() } else { axis };
    let on_curve = world.curve_named(&bodies[1]).is_some();
    if matches!(kind, ConstraintKind::Distance(_)) && !on_curve && points[0] == points[1] {
        return refuse(
            "the two points coincide: a distance needs two places, a point-to-point constraint holds them together",
        );
    }
    if on_curve && (axes || kind.is_velocity() || matches!(kind, ConstraintKind::PointToFunction)) {
        return refuse(format!("a constraint of type \"{word}\" does not link to a curve"));
    }
    let mut connectors = Vec::new();
    match kind {
        ConstraintKind::PointToPath { .. } | ConstraintKind::PointOnCurve => {
            let Some(curve) = world.curve_named(&bodies[1]) else {
                return refuse("a path needs a curve: select a body, then a curve");
            };
            connectors.push(connector(world, &bodies[0], vector("the point", points[0])?)?);
            connectors.push(Connector::Nearest { curve });
        }
        ConstraintKind::PointToFunction | ConstraintKind::VelocityToFunction => {
            let at = vector("the point", points[0])?;
            connectors.push(connector(world, &bodies[0], at)?);
            // At first it stays where it is; the formulas are properties of the constraint.
            let start = if kind.is_velocity() { Vec3::ZERO } else { at };
            connectors.push(Connector::Function(start.to_array().map(Expression::constant)));
        }
        _ => {
            for (k, (body, direction)) in bodies.iter().zip([axis, second]).enumerate() {
                let at = vector("the point", points[k])?;
                connectors.push(connector(world, body, at)?);
                // A point on an axis is one point.
                if axes && !(k == 1 && kind == ConstraintKind::InLine) {
                    connectors.push(connector(world, body, at + direction)?);
                }
            }
        }
    }
    let one_sided = matches!(kind, ConstraintKind::Cable { .. });
    world.add_constraint(Constraint {
        one_sided,
        ..Constraint::new(kind, connectors).named(name(given)?)
    })?;
    Ok(())
}

/// A constraint between points in their order (W-147).
pub(super) fn connect(
    d: &mut Document,
    given: &str,
    word: &str,
    ends: &[EndSpec],
    active: bool,
) -> Outcome {
    let world = &mut d.sim.world;
    if world.constraints().count() >= MOST {
        return refuse(format!("a live world has at most {MOST} of them"));
    }
    let found = KINDS.into_iter().find(|(k, _)| k.name() == word);
    let Some((kind, axes)) = found else {
        return refuse(format!(
            "a constraint of type \"{word}\" is not made from points; write it in the scene"
        ));
    };
    let most = if axes { 4 } else { 2 };
    if ends.is_empty() || ends.len() > most {
        return refuse(format!("a constraint of type \"{word}\" takes up to {most} points"));
    }
    if axes && ends.len() == 1 {
        return refuse(format!("{word} needs an axis: pick two points of one body"));
    }
    let connectors =
        ends.iter().map(|end| end_of(world, end)).collect::<Outcome<Vec<Connector>>>()?;
    world.add_constraint(Constraint {
        active,
        ..Constraint::new(kind, connectors).named(name(given)?)
    })?;
    Ok(())
}

/// A point of a body by its frame, of space, or of a curve.
fn end_of(world: &World, end: &EndSpec) -> Outcome<Connector> {
    let point = vector("the point", end.point)?;
    match world.body_named(&end.body) {
        Some(id) if end.body != "world" => Ok(Connector::body(id, point)),
        _ => connector(world, &end.body, point),
    }
}

/// A machine element between two joints that stand in the place of bodies; its number is a
/// property.
fn transmission(world: &World, word: &str, names: &[String; 2]) -> Option<Transmission> {
    let [first, second] = names.each_ref().map(|n| world.joint_named(n));
    let joint = first?;
    let joints = [joint, second.unwrap_or(joint)];
    // a wheel of 10 cm, a thread of 10 mm
    Some(match word {
        "gear" => Transmission::Gear { joints, ratio: -1.0, carrier: None },
        "rack" => Transmission::Rack { joints, radius: 0.1 },
        "screw" => Transmission::Screw { joints, lead: 0.01 },
        "belt" => Transmission::Belt { joints: joints.to_vec(), radii: vec![0.1; 2] },
        "constant-velocity" => Transmission::ConstantVelocity { joint },
        _ => return None,
    })
}

/// A point of the world that goes along with a body, or the point of a curve that is nearest to it.
pub(super) fn connector(world: &World, body: &str, at: Vec3) -> Outcome<Connector> {
    if body == "world" {
        return Ok(Connector::fixed(at));
    }
    if let Some(curve) = world.curve_named(body) {
        let distance = |u: f64| world.curve(curve).map_or(0.0, |c| c.point(u).distance(at));
        let places = (0..=NEAREST).map(|k| f64::from(k) / f64::from(NEAREST));
        let parameter = places.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(0.0);
        return Ok(Connector::Curve { curve, parameter });
    }
    let Some(id) = world.body_named(body) else {
        return refuse(format!("there is no body \"{body}\""));
    };
    let (x, q) = (world.position(id).unwrap_or_default(), world.rotation(id).unwrap_or_default());
    Ok(Connector::body(id, q.conjugate() * (at - x)))
}

/// Most control points of a curve that is made live.
const MOST_POINTS: usize = 1000;

/// A curve by its control points.
pub(super) fn add_curve(d: &mut Document, given: &str, points: &[[f64; 3]]) -> Outcome {
    let world = &mut d.sim.world;
    if world.curves().count() >= MOST || points.len() > MOST_POINTS {
        return refuse(format!("a live world has at most {MOST} curves of {MOST_POINTS} points"));
    }
    let points: Vec<Vec3> =
        points.iter().map(|p| vector("a point of the curve", *p)).collect::<Outcome<_>>()?;
    world.add_curve(Curve::new(points).named(name(given)?))?;
    Ok(())
}

pub(super) fn add_field(
    d: &mut Document,
    given: &str,
    word: &str,
    strength: f64,
    v: [f64; 3],
) -> Outcome {
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

/// Copies constraints and controllers all of whose bodies are copied; points of space are put as
/// far away as the bodies.
pub(super) fn copy(
    world: &mut World,
    source: &World,
    twins: &BTreeMap<BodyId, BodyId>,
    joints: &BTreeMap<JointId, JointId>,
    offset: Vec3,
    mut fresh: impl FnMut(&World, &str) -> String,
) -> Outcome {
    let connectors = |list: &[Connector]| -> Option<Vec<Connector>> {
        // Something that hangs on no copied body is not copied with it.
        list.iter().any(|c| matches!(c, Connector::Body { .. })).then_some(())?;
        list.iter().map(|c| twin(c, twins, offset)).collect()
    };
    for id in source.constraints() {
        let Some(constraint) = source.constraint_from_start(id) else { continue };
        let couples = constraint.kind.couples();
        let connectors =
            if couples { Some(Vec::new()) } else { connectors(&constraint.connectors) };
        let Some(connectors) = connectors else { continue };
        // what couples joints is copied with all of them
        let mut kind = constraint.kind.clone();
        if !kind.map_joints(|j| joints.get(&j).copied()) {
            continue;
        }
        let name = fresh(world, &source.constraint_name(id).unwrap_or_default());
        world.add_constraint(Constraint { name, kind, connectors, ..constraint })?;
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
fn twin(
    connector: &Connector,
    twins: &BTreeMap<BodyId, BodyId>,
    offset: Vec3,
) -> Option<Connector> {
    let mut twin = connector.clone();
    match &mut twin {
        Connector::Body { body, .. } => *body = *twins.get(body)?,
        Connector::Fixed { position, .. } => *position += offset,
        // Curves and formulas of the time stay where they are.
        _ => {}
    }
    Some(twin)
}

/// Where the connectors are now that move by formulas, in the order in which [`describe`] counts
/// them.
pub(super) fn moving(world: &World) -> impl Iterator<Item = Vec3> {
    let constraints =
        world.constraints().filter_map(|id| world.constraint(id)).flat_map(|c| &c.connectors);
    let controllers =
        world.controllers().filter_map(|id| world.controller(id)).flat_map(|c| &c.connectors);
    let formulas = constraints.chain(controllers).filter(|c| matches!(c, Connector::Function(_)));
    formulas.map(|c| world.connector_position(c).filter(|p| p.is_finite()).unwrap_or_default())
}

/// Constraints between connectors and controllers, for the page.
pub(super) fn describe(world: &World, index: impl Fn(BodyId) -> i32) -> Vec<ElementView> {
    let count = std::cell::Cell::new(0);
    let anchors = |list: &[Connector], velocity: bool| -> Vec<AnchorView> {
        let one = |c: &Connector| match c {
            Connector::Body { body, point, .. } => {
                Some(AnchorView { body: index(*body), point: point.to_array(), moving: None })
            }
            Connector::Function(_) => {
                let place = count.replace(count.get() + 1);
                // A formula of a velocity is no place.
                (!velocity).then_some(AnchorView { body: -1, point: [0.0; 3], moving: Some(place) })
            }
            Connector::Nearest { .. } => None,
            still => {
                let place = world.connector_position(still)?;
                Some(AnchorView { body: -1, point: place.to_array(), moving: None })
            }
        };
        list.iter().filter_map(one).collect()
    };
    // couplings are drawn between the joints that they tie together
    let of_joint = |joint| {
        let (body, at) = (world.joint(joint)?.bodies[1], world.joint_frames(joint)?[1].point);
        let (x, q) = (world.position(body)?, world.rotation(body)?);
        Some(AnchorView {
            body: index(body),
            point: (q.conjugate() * (at - x)).to_array(),
            moving: None,
        })
    };
    let constraints = world.constraints().filter_map(|id| {
        let c = world.constraint(id)?;
        let joints = if c.kind.couples() { c.kind.joints() } else { Vec::new() };
        let of_joints = joints.into_iter().filter_map(of_joint);
        Some(ElementView {
            name: world.constraint_name(id)?.to_string(),
            kind: c.kind.name().into(),
            role: if c.kind.is_velocity() { "velocity" } else { "position" }.into(),
            active: c.active,
            anchors: of_joints.chain(anchors(&way(c), c.kind.is_velocity())).collect(),
            force: None,
        })
    });
    let controllers = world.controllers().filter_map(|id| {
        let c = world.controller(id)?;
        Some(ElementView {
            name: world.controller_name(id)?.to_string(),
            kind: c.kind.name().into(),
            role: "controller".into(),
            active: c.active,
            anchors: anchors(&c.connectors, false),
            force: if let ControllerKind::Vector(f) = c.kind { Some(f.to_array()) } else { None },
        })
    });
    constraints.chain(controllers).collect()
}

/// Connectors that an element is drawn between: a cable runs over round bodies, not through their
/// centres.
fn way(c: &Constraint) -> Vec<Connector> {
    let beside = |k: usize| match &c.kind {
        ConstraintKind::Cable { wraps, .. } => {
            wraps.iter().any(|w| w.around == k || w.side == Some(k))
        }
        _ => false,
    };
    let all = c.connectors.iter().enumerate();
    all.filter(|(k, _)| !beside(*k)).map(|(_, connector)| connector.clone()).collect()
}

/// Curves, for the page.
pub(super) fn curves(world: &World) -> Vec<CurveView> {
    let one = |id| {
        let curve = world.curve(id)?;
        let points = (0..=SAMPLES)
            .map(|k| curve.point(f64::from(k) / f64::from(SAMPLES)).to_array())
            .collect();
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
        let center = if let FieldKind::Radial { center, .. } = field.kind {
            Some(center.to_array())
        } else {
            None
        };
        Some(FieldView {
            name: world.field_name(id)?.to_string(),
            kind,
            active: field.active,
            center,
        })
    };
    world.fields().filter_map(one).collect()
}

/// Distance procedures, for the page.
pub(super) fn procedures(world: &World) -> Vec<ProcedureView> {
    let one = |id| {
        let active = world.procedure(id)?.active;
        Some(ProcedureView { name: world.procedure_name(id)?.to_string(), active })
    };
    world.procedures().filter_map(one).collect()
}
