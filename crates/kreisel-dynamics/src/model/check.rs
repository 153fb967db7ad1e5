//! What a description must be to become part of a model: errors name the item and the field.

use super::Model;
use crate::body::{Body, BodyId, BodyKind};
use crate::bounds;
use crate::collider::BodySurface;
use crate::contact::Material;
use crate::error::ModelError;
use crate::force::{Control, Motor, Schedule};
use crate::joint::{Coordinate, Joint};
use crate::math::{Quat, Vec3};
use crate::settings::{Method, Settings};
use kreisel_geometry::{MassProperties, Shape};

pub(super) fn finite(item: &str, field: &'static str, v: Vec3) -> Result<(), ModelError> {
    if v.is_finite() { Ok(()) } else { Err(ModelError::NotFinite { item: item.to_owned(), field }) }
}

pub(crate) fn at_least(
    item: &str,
    field: &'static str,
    v: f64,
    low: f64,
    must: &'static str,
) -> Result<(), ModelError> {
    if v.is_nan() {
        return Err(ModelError::NotFinite { item: item.to_owned(), field });
    }
    if v < low {
        return Err(ModelError::OutOfRange { item: item.to_owned(), field, must, value: v });
    }
    Ok(())
}

pub(super) fn at_most(
    item: &str,
    field: &'static str,
    v: f64,
    high: f64,
    must: &'static str,
) -> Result<(), ModelError> {
    at_least(item, field, v, f64::NEG_INFINITY, must)?;
    if v > high {
        return Err(ModelError::OutOfRange { item: item.to_owned(), field, must, value: v });
    }
    Ok(())
}

fn finite_number(item: &str, field: &'static str, v: f64) -> Result<(), ModelError> {
    if v.is_finite() { Ok(()) } else { Err(ModelError::NotFinite { item: item.to_owned(), field }) }
}

/// Mass, centre and inertia: finite and within bounds, and those of a body that moves possible.
pub(crate) fn check_mass(
    item: &str,
    mass: &MassProperties,
    kind: BodyKind,
) -> Result<(), ModelError> {
    finite_number(item, "mass", mass.mass)?;
    if kind == BodyKind::Dynamic && mass.mass > 0.0 {
        bounds::MASS.check(item, "mass", mass.mass)?;
    }
    bounds::POSITION.check_vector(item, "centre of mass", mass.center)?;
    for column in [mass.inertia.x_axis, mass.inertia.y_axis, mass.inertia.z_axis] {
        bounds::INERTIA.check_vector(item, "inertia", column)?;
    }
    if kind != BodyKind::Dynamic {
        return Ok(());
    }
    mass.check().map_err(|source| ModelError::Mass { body: item.to_owned(), source })
}

impl Model {
    /// All that a description of a body says.
    pub fn check_body(&self, name: &str, desc: &Body) -> Result<(), ModelError> {
        bounds::POSITION.check_vector(name, "position", desc.position)?;
        bounds::SPEED.check_vector(name, "velocity", desc.velocity)?;
        bounds::SPIN.check_vector(name, "angular velocity", desc.angular_velocity)?;
        Self::check_rotation(name, desc.rotation)?;
        check_mass(name, &desc.mass, desc.kind)?;
        Self::check_rest(name, desc.kind, desc.velocity, desc.angular_velocity)?;
        Self::check_surface(name, desc)?;
        Self::check_event_shape(&self.settings, name, desc.shape.as_ref())
    }

    /// A rotation is a quaternion that can be made to have length 1.
    pub fn check_rotation(name: &str, rotation: Quat) -> Result<(), ModelError> {
        if !rotation.is_finite() {
            return Err(ModelError::NotFinite { item: name.to_owned(), field: "rotation" });
        }
        let norm = rotation.length();
        if norm < 1e-6 {
            return Err(ModelError::OutOfRange {
                item: name.to_owned(),
                field: "rotation",
                must: "a quaternion of length 1",
                value: norm,
            });
        }
        Ok(())
    }

    /// Shape and material of a body.
    pub fn check_surface(name: &str, desc: &Body) -> Result<(), ModelError> {
        if let Some(shape) = &desc.shape {
            Self::check_shape(name, desc.kind, shape)?;
        }
        Self::check_material(name, &desc.material)?;
        finite(name, "one-way direction", desc.one_way.unwrap_or_default())
    }

    /// One of the surfaces of a body of some kind.
    pub fn check_touch(
        name: &str,
        kind: BodyKind,
        surface: &BodySurface<'_>,
    ) -> Result<(), ModelError> {
        Self::check_shape(name, kind, surface.shape)?;
        Self::check_material(name, surface.material)?;
        finite(name, "one-way direction", surface.one_way.unwrap_or_default())
    }

    /// A shape is possible, and what moves by forces is bounded.
    fn check_shape(name: &str, kind: BodyKind, shape: &Shape) -> Result<(), ModelError> {
        let refused = |source| ModelError::Shape { body: name.to_owned(), source };
        shape.check().map_err(refused)?;
        if kind == BodyKind::Dynamic && matches!(shape, Shape::HalfSpace { .. }) {
            return Err(refused(kreisel_geometry::ShapeError::Unbounded("half-space")));
        }
        Ok(())
    }

    fn check_material(name: &str, m: &Material) -> Result<(), ModelError> {
        let others = [Some(m.friction), m.static_friction, Some(m.rolling), Some(m.spinning)];
        crate::contact::check_coefficients(name, m.restitution, &others)
    }

    /// Rows over several bodies have no discrete gradient, which energy-momentum steps are made of.
    pub(crate) fn check_energy(settings: &Settings, name: &str) -> Result<(), ModelError> {
        if settings.stepping == crate::Stepping::Energy && settings.method != Method::Lagrange {
            return Err(ModelError::NotForEnergy(name.to_owned()));
        }
        Ok(())
    }

    /// Joints, springs and constraints have no place in the event-driven mode of contact.
    pub(crate) fn check_mode(&self, name: &str) -> Result<(), ModelError> {
        if self.settings.contact.mode == crate::contact::ContactMode::Event {
            return Err(ModelError::EventMode(name.to_owned()));
        }
        Ok(())
    }

    /// Single collisions need times of impact that are exact to a share of the shell, which those
    /// of tori are not.
    pub(crate) fn check_event_shape(
        settings: &Settings,
        name: &str,
        shape: Option<&Shape>,
    ) -> Result<(), ModelError> {
        let event = settings.contact.mode == crate::contact::ContactMode::Event;
        if event && shape.is_some_and(has_torus) {
            Err(ModelError::EventTorus(name.to_owned()))
        } else {
            Ok(())
        }
    }

    /// A static body has no velocity.
    pub fn check_rest(
        name: &str,
        kind: BodyKind,
        velocity: Vec3,
        spin: Vec3,
    ) -> Result<(), ModelError> {
        let speeds = [("velocity", velocity.length()), ("angular velocity", spin.length())];
        if let Some((field, value)) =
            speeds.into_iter().find(|s| kind == BodyKind::Static && s.1 != 0.0)
        {
            return Err(ModelError::OutOfRange {
                item: name.to_owned(),
                field,
                must: "zero: the body is static",
                value,
            });
        }
        Ok(())
    }

    pub(super) fn check_pair(&self, item: &str, bodies: [BodyId; 2]) -> Result<(), ModelError> {
        let get = |id| self.body(id).ok_or_else(|| ModelError::UnknownBody(item.to_owned()));
        let (a, b) = (get(bodies[0])?, get(bodies[1])?);
        if bodies[0] == bodies[1] {
            return Err(ModelError::SameBody { item: item.to_owned(), body: a.name.to_string() });
        }
        if a.desc.kind != BodyKind::Dynamic && b.desc.kind != BodyKind::Dynamic {
            return Err(ModelError::NothingMoves {
                item: item.to_owned(),
                a: a.name.to_string(),
                b: b.name.to_string(),
            });
        }
        Ok(())
    }

    /// A rail or polygon needs bodies that exist, something that moves, and a point that is not
    /// part of it.
    pub(crate) fn check_bodies(&self, item: &str, joint: &Joint) -> Result<(), ModelError> {
        if joint.more.is_empty() {
            return self.check_pair(item, joint.bodies);
        }
        let mut moves = false;
        for id in joint.all_bodies() {
            let body = self.body(id).ok_or_else(|| ModelError::UnknownBody(item.to_owned()))?;
            moves |= body.desc.kind == BodyKind::Dynamic;
        }
        let name = |id| self.body(id).map(|b| b.name.to_string()).unwrap_or_default();
        let point = joint.bodies[1];
        if joint.bodies[0] == point || joint.more.iter().any(|m| m.0 == point) {
            return Err(ModelError::SameBody { item: item.to_owned(), body: name(point) });
        }
        if !moves {
            let (a, b) = (name(joint.bodies[0]), name(point));
            return Err(ModelError::NothingMoves { item: item.to_owned(), a, b });
        }
        Ok(())
    }

    pub(crate) fn check_coordinate(
        &self,
        name: &str,
        joint: &Joint,
        coordinate: Coordinate,
    ) -> Result<(), ModelError> {
        if joint.kind.has(coordinate) {
            return Ok(());
        }
        Err(ModelError::NoCoordinate {
            joint: name.to_owned(),
            kind: joint.kind.name(),
            coordinate: coordinate.name(),
        })
    }

    /// Springs, dampers and rotors of a joint: possible numbers, one set for a coordinate that is
    /// smooth at rest.
    pub(super) fn check_passive(&self, name: &str, joint: &Joint) -> Result<(), ModelError> {
        for (i, p) in joint.passive.iter().enumerate() {
            self.check_coordinate(name, joint, p.coordinate)?;
            for (field, value) in
                [("stiffness", p.stiffness), ("damping", p.damping), ("armature", p.armature)]
            {
                bounds::STRENGTH.check(name, field, value)?;
                at_least(name, field, value, 0.0, "zero or more")?;
            }
            finite_number(name, "rest", p.rest)?;
            finite_number(name, "gear", p.gear)?;
            bounds::STRENGTH.check(name, "armature", p.inertia())?;
            let refuse = |why| ModelError::Passive {
                joint: name.to_owned(),
                coordinate: p.coordinate.name(),
                why,
            };
            if joint.passive[..i].iter().any(|q| q.coordinate == p.coordinate) {
                return Err(refuse("it has two sets of them"));
            }
            if !p.acts() {
                continue;
            }
            if p.coordinate == Coordinate::Swing {
                return Err(refuse("a swing has no direction at 0; put them on hinges"));
            }
            if joint.kind == crate::JointKind::Polygon {
                return Err(refuse("the nearest edge of a polygon changes"));
            }
            if joint.velocity_only {
                return Err(refuse("it joins velocities only"));
            }
            Self::check_rotor(&self.settings, name, joint)?;
        }
        Ok(())
    }

    /// The multiplier method has no place for rotors in its mass matrix.
    pub(crate) fn check_rotor(
        settings: &Settings,
        name: &str,
        joint: &Joint,
    ) -> Result<(), ModelError> {
        match joint.passive.iter().find(|p| p.inertia() > 0.0) {
            Some(p) if settings.method == Method::Lagrange => Err(ModelError::Passive {
                joint: name.to_owned(),
                coordinate: p.coordinate.name(),
                why: "the multiplier method knows no armature; use another method",
            }),
            _ => Ok(()),
        }
    }

    /// Checks the numbers of a motor.
    pub fn check_motor(name: &str, desc: &Motor) -> Result<(), ModelError> {
        at_least(name, "largest effort", desc.max_effort, 0.0, "zero or more")?;
        finite_number(name, "lag", desc.lag)?;
        at_least(name, "lag", desc.lag, 0.0, "zero or more")?;
        let schedule: &Schedule = match &desc.control {
            Control::Effort(s) | Control::Velocity(s) => s,
            Control::Damper(s) => {
                for &(_, y) in &s.points {
                    at_least(name, "brake", y, 0.0, "zero or more")?;
                }
                s
            }
            Control::Muscle { excitation, muscle } => {
                check_muscle(name, muscle)?;
                excitation
            }
            Control::Hydraulic { valve, cylinder: c } => {
                for (field, x) in [
                    ("area", c.area),
                    ("rod area", c.rod_area),
                    ("pressure", c.pressure),
                    ("flow", c.flow),
                ] {
                    finite_number(name, field, x)?;
                    at_least(name, field, x, f64::MIN_POSITIVE, "positive")?;
                }
                valve
            }
            Control::Electric { voltage, winding } => {
                finite_number(name, "motor constant", winding.constant)?;
                if winding.constant == 0.0 {
                    let (field, must) = ("motor constant", "other than 0");
                    return Err(ModelError::OutOfRange {
                        item: name.to_owned(),
                        field,
                        must,
                        value: 0.0,
                    });
                }
                finite_number(name, "resistance", winding.resistance)?;
                at_least(name, "resistance", winding.resistance, f64::MIN_POSITIVE, "positive")?;
                finite_number(name, "inductance", winding.inductance)?;
                at_least(name, "inductance", winding.inductance, 0.0, "zero or more")?;
                voltage
            }
            Control::Servo { set, pid, .. } => {
                finite_number(name, "gain", pid.gain)?;
                finite_number(name, "derivative time", pid.derivative_time)?;
                at_least(name, "derivative time", pid.derivative_time, 0.0, "zero or more")?;
                at_least(name, "integral time", pid.integral_time, f64::MIN_POSITIVE, "positive")?;
                set
            }
        };
        let mut last = f64::NEG_INFINITY;
        for &(t, y) in &schedule.points {
            finite_number(name, "schedule", t)?;
            finite_number(name, "schedule", y)?;
            at_least(name, "schedule time", t, last, "in rising order")?;
            last = t;
        }
        Ok(())
    }
}

/// Checks the numbers of a muscle.
fn check_muscle(name: &str, m: &crate::Muscle) -> Result<(), ModelError> {
    let positive = [("force", m.force), ("optimal length", m.optimal), ("fastest", m.fastest)];
    for (field, x) in positive {
        finite_number(name, field, x)?;
        at_least(name, field, x, f64::MIN_POSITIVE, "positive")?;
    }
    for (field, x) in [("slack", m.slack), ("arm", m.arm)] {
        finite_number(name, field, x)?;
    }
    let [rise, fall] = m.times;
    for (field, x) in [("passive force", m.passive), ("activation", rise), ("deactivation", fall)] {
        finite_number(name, field, x)?;
        at_least(name, field, x, 0.0, "zero or more")?;
    }
    let range = |field, ok: bool, must, value| {
        if ok {
            Ok(())
        } else {
            Err(ModelError::OutOfRange { item: name.to_owned(), field, must, value })
        }
    };
    range("shortest", m.shortest < 1.0, "less than 1", m.shortest)?;
    range("longest", m.longest > 1.0 && m.longest.is_finite(), "more than 1", m.longest)?;
    range("eccentric", m.eccentric > 1.0 && m.eccentric < 1e3, "more than 1", m.eccentric)?;
    range("arm", m.arm != 0.0, "other than 0", m.arm)
}

/// Whether a shape is a torus or has one among its parts.
fn has_torus(shape: &Shape) -> bool {
    match shape {
        Shape::Torus { .. } => true,
        Shape::Compound(parts) => parts.iter().any(|p| has_torus(&p.shape)),
        _ => false,
    }
}
