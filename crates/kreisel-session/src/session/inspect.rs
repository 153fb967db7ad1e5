//! The properties of every object, with units, limits and the words of the scene format's reference.

use super::describe::kind_name;
use super::make::{COORDINATES, INTERPOLATIONS};
use super::{Outcome, Session, refuse};
use crate::protocol::{Field, Inspection, Property, PropertyValue as V, ScheduleSpec};
use kreisel_dynamics::math::rotation_vector;
use kreisel_dynamics::{
    BodyId, ConstraintId, ConstraintKind, Control, Coordinate, CurveId, FieldId, FieldKind, Integrator, Joint, JointId,
    Material, Method, MotorId, MultiplierSolver, Order, Passive, PathEnd, PositionPart, ProcedureId, Schedule,
    SpringId, Stabiliser, Stepping, Substeps, Target, Vec3, bounds,
};
use kreisel_scene::grammar::{self, Section};

/// Words for a field of several.
pub(super) const METHODS: [(&str, Method); 4] = [
    ("direct", Method::Direct),
    ("iterative", Method::Iterative),
    ("cut", Method::Cut),
    ("lagrange", Method::Lagrange),
];
pub(super) const STABILISERS: [(&str, Stabiliser); 4] = [
    ("baumgarte", Stabiliser::Baumgarte),
    ("spring", Stabiliser::Spring),
    ("impulse", Stabiliser::Impulse),
    ("none", Stabiliser::None),
];
pub(super) const INTEGRATORS: [(&str, Integrator); 6] = [
    ("euler", Integrator::Euler),
    ("rk2", Integrator::Rk2),
    ("rk4", Integrator::Rk4),
    ("cash-karp", Integrator::CashKarp),
    ("bulirsch-stoer", Integrator::BulirschStoer),
    ("implicit", Integrator::Implicit),
];
pub(super) const SOLVERS: [(&str, MultiplierSolver); 4] = [
    ("direct", MultiplierSolver::Direct),
    ("direct-svd", MultiplierSolver::DirectSvd),
    ("baraff", MultiplierSolver::Baraff),
    ("baraff-svd", MultiplierSolver::BaraffSvd),
];
pub(super) const STEPPINGS: [(&str, Stepping); 3] =
    [("auto", Stepping::Auto), ("symmetric", Stepping::Symmetric), ("energy", Stepping::Energy)];
pub(super) const ORDERS: [(&str, Order); 4] =
    [("2", Order::Two), ("4", Order::Four), ("6", Order::Six), ("8", Order::Eight)];

pub(super) const ENDS: [(&str, PathEnd); 2] = [("stop", PathEnd::Stop), ("reverse", PathEnd::Reverse)];

/// Collects properties; the reference's words by key.
pub(super) struct List {
    section: &'static Section,
    pub group: &'static str,
    pub out: Vec<Property>,
}

impl List {
    pub fn new(section: &'static Section) -> Self {
        Self { section, group: "", out: Vec::new() }
    }

    fn push(&mut self, key: &str, unit: &str, field: Field, value: V) {
        let stem = key.strip_prefix("ground.").unwrap_or(key).split('.').next().unwrap_or_default();
        let doc = self.section.keys.iter().find(|k| k.name == stem).map_or(String::new(), |k| k.doc.replace('`', ""));
        self.out.push(Property { key: key.into(), doc, unit: unit.into(), group: self.group.into(), field, value });
    }

    pub fn number(&mut self, key: &str, unit: &str, min: Option<f64>, value: f64) {
        let optional = value.is_infinite();
        self.bounded(key, unit, min, None, optional, Some(value).filter(|v| v.is_finite()));
    }

    pub fn bounded(
        &mut self,
        key: &str,
        unit: &str,
        min: Option<f64>,
        max: Option<f64>,
        optional: bool,
        value: Option<f64>,
    ) {
        self.push(key, unit, Field::Number { min, max, optional }, V::Number(value));
    }

    /// The surface: what contacts need to know.
    fn material(&mut self, prefix: &str, m: &Material) {
        self.group = "Material";
        let key = |what: &str| format!("{prefix}{what}");
        self.push(&key("material"), "", Field::Text, V::Text(m.name.clone()));
        self.bounded(&key("friction"), "", Some(0.0), None, false, Some(m.friction));
        self.bounded(&key("static_friction"), "", Some(0.0), None, true, m.static_friction);
        self.bounded(&key("restitution"), "", Some(0.0), Some(1.0), false, Some(m.restitution));
        self.bounded(&key("rolling"), "m", Some(0.0), None, false, Some(m.rolling));
        self.bounded(&key("spinning"), "m", Some(0.0), None, false, Some(m.spinning));
    }

    pub fn vector(&mut self, key: &str, unit: &str, value: Option<Vec3>) {
        self.push(key, unit, Field::Vector, V::Vector(value.unwrap_or_default().to_array()));
    }

    pub fn text(&mut self, key: &str, value: &str) {
        self.push(key, "", Field::Text, V::Text(value.into()));
    }

    pub fn toggle(&mut self, key: &str, value: bool) {
        self.push(key, "", Field::Toggle, V::Toggle(value));
    }

    pub fn fixed(&mut self, key: &str, unit: &str, value: V) {
        self.push(key, unit, Field::Fixed, value);
    }

    pub fn choice<T: PartialEq>(&mut self, key: &str, table: &[(&str, T)], value: &T) {
        let word = table.iter().find(|e| e.1 == *value).map_or("", |e| e.0);
        let words = table.iter().map(|e| e.0.to_owned()).collect();
        self.push(key, "", Field::Choice(words), V::Text(word.into()));
    }
}

pub(super) fn curve(s: &Schedule) -> ScheduleSpec {
    let word = INTERPOLATIONS.iter().find(|i| i.1 == s.interpolation).map_or("linear", |i| i.0);
    ScheduleSpec { points: s.points.clone(), interpolation: word.into() }
}

impl Session {
    /// The properties of the object of this name.
    pub fn inspect(&self, object: &str) -> Outcome<Inspection> {
        let world = &self.document.sim.world;
        let (kind, properties, quantities) = if object == "world" {
            let paths = [
                "energy",
                "ledger.residual",
                "ledger.user",
                "report.joint_error",
                "report.joint_misalignment",
                "report.contacts",
                "report.penetration",
                "report.asleep",
            ];
            ("world", self.world_properties(), paths.map(str::to_owned).to_vec())
        } else if let Some(id) = world.body_named(object) {
            let paths = ["position", "velocity", "angular_velocity", "center", "rotation"];
            ("body", self.body_properties(id), paths.map(|p| format!("{object}.{p}")).to_vec())
        } else if let Some(id) = world.joint_named(object) {
            let kind = world.joint_kind(id).unwrap_or(kreisel_dynamics::JointKind::Fixed);
            let free = COORDINATES.into_iter().filter(|c| kind.has(*c));
            let mut paths: Vec<String> =
                free.flat_map(|c| [format!("{object}.{}", c.name()), format!("{object}.{}_rate", c.name())]).collect();
            paths.extend(["force", "torque", "error"].map(|p| format!("{object}.{p}")));
            ("joint", self.joint_properties(id), paths)
        } else if let Some(id) = world.spring_named(object) {
            ("spring", self.spring_properties(id), Vec::new())
        } else if let Some(id) = world.motor_named(object) {
            ("motor", self.motor_properties(id), vec![format!("{object}.effort")])
        } else if let Some(id) = world.constraint_named(object) {
            ("constraint", self.constraint_properties(id), Vec::new())
        } else if let Some(id) = world.field_named(object) {
            ("field", self.field_properties(id), Vec::new())
        } else if let Some(id) = world.controller_named(object) {
            ("controller", super::controllers::properties(world, id).out, Vec::new())
        } else if let Some(id) = world.curve_named(object) {
            ("curve", self.curve_properties(id), Vec::new())
        } else if let Some(id) = world.procedure_named(object) {
            ("procedure", self.procedure_properties(id), Vec::new())
        } else {
            return refuse(format!("there is nothing named \"{object}\""));
        };
        Ok(Inspection { object: object.into(), kind: kind.into(), properties, quantities })
    }

    fn world_properties(&self) -> Vec<Property> {
        let world = &self.document.sim.world;
        let settings = world.settings();
        let mut l = List::new(&grammar::WORLD);
        l.bounded(
            "step",
            "s",
            Some(bounds::LIVE_STEP.low),
            Some(bounds::LIVE_STEP.high),
            false,
            Some(self.document.sim.step_size()),
        );
        l.toggle("real_time", self.document.sim.real_time());
        l.vector("gravity", "m/s²", Some(world.gravity()));
        l.choice("method", &METHODS, &settings.method);
        l.choice("stepping", &STEPPINGS, &settings.stepping);
        l.choice("order", &ORDERS, &settings.order);
        let [low, high] = [bounds::TOLERANCE.low, bounds::TOLERANCE.high].map(Some);
        l.bounded("tolerance", "m, rad", low, high, false, Some(settings.tolerance.position));
        let substeps = match settings.substeps {
            Substeps::Fixed(n) => Some(f64::from(n)),
            _ => None,
        };
        l.bounded("substeps", "", Some(1.0), Some(1000.0), true, substeps);
        l.bounded("max_rounds", "", Some(1.0), Some(1e6), true, settings.max_rounds.map(f64::from));
        let budget = settings.time_budget.map(|b| b.as_secs_f64());
        l.bounded("time_budget", "s", Some(1e-3), Some(1e6), true, budget);
        l.toggle("velocity_correction", settings.velocity_correction);
        l.bounded("impulse_limit", "N s", Some(1e-9), None, true, settings.impulse_limit);
        l.bounded("threads", "", Some(0.0), Some(64.0), false, Some(settings.threads as f64));
        if settings.method == Method::Lagrange {
            let lagrange = &settings.lagrange;
            let mut own = List::new(&grammar::LAGRANGE);
            own.choice("stabiliser", &STABILISERS, &lagrange.stabiliser);
            own.choice("integrator", &INTEGRATORS, &lagrange.integrator);
            own.choice("solver", &SOLVERS, &lagrange.solver);
            own.bounded("alpha", "1/s", Some(0.0), Some(1e4), false, Some(lagrange.alpha));
            own.bounded("gamma", "", Some(0.0), Some(100.0), false, Some(lagrange.gamma));
            l.out.append(&mut own.out);
        }
        if let Some(ground) = world.body(BodyId::WORLD).filter(|g| g.shape.is_some()) {
            let mut own = List::new(&grammar::GROUND);
            own.material("ground.", &ground.material);
            l.out.append(&mut own.out);
        }
        l.out
    }

    fn constraint_properties(&self, id: ConstraintId) -> Vec<Property> {
        let world = &self.document.sim.world;
        let Some(c) = world.constraint(id) else { return Vec::new() };
        let mut l = List::new(&grammar::CONSTRAINT);
        l.text("name", &world.constraint_name(id).unwrap_or_default());
        l.fixed("type", "", V::Text(c.kind.name().into()));
        l.toggle("active", c.active);
        l.toggle("one_sided", c.one_sided);
        l.toggle("collide", c.collide);
        if let ConstraintKind::Distance(_) = c.kind {
            let length = world.constraint_from_start(id).and_then(|c| match c.kind {
                ConstraintKind::Distance(length) => length,
                _ => None,
            });
            l.bounded("length", "m", Some(1e-6), None, false, length);
        }
        if let ConstraintKind::PointToPath { speed, end } = c.kind {
            l.number("speed", "m/s", None, speed);
            l.choice("end", &ENDS, &end);
        }
        l.bounded("alpha", "1/s", Some(0.0), None, true, c.alpha);
        l.bounded("gamma", "", Some(0.0), None, true, c.gamma);
        l.number("breaking", "N", Some(0.0), c.breaking);
        if let Some(error) = world.constraint_error(id) {
            let words: Vec<String> = error.iter().map(|e| format!("{e:.3e}")).collect();
            l.fixed("error", "", V::Text(words.join("  ")));
        }
        super::controllers::connectors(&mut l, world, &c.connectors);
        l.out
    }

    fn curve_properties(&self, id: CurveId) -> Vec<Property> {
        /// Control points that are listed: more would be a table, which a file holds better.
        const MOST: usize = 64;
        let world = &self.document.sim.world;
        let Some(curve) = world.curve(id) else { return Vec::new() };
        let mut l = List::new(&grammar::CURVE);
        l.text("name", &world.curve_name(id).unwrap_or_default());
        l.fixed("points", "", V::Number(Some(curve.points.len() as f64)));
        for (k, point) in curve.points.iter().enumerate().take(MOST) {
            l.vector(&format!("point {}", k + 1), "m", Some(*point));
        }
        l.out
    }

    fn procedure_properties(&self, id: ProcedureId) -> Vec<Property> {
        let world = &self.document.sim.world;
        let Some(p) = world.procedure(id) else { return Vec::new() };
        let mut l = List::new(&grammar::PROCEDURE);
        l.text("name", &world.procedure_name(id).unwrap_or_default());
        l.toggle("active", p.active);
        l.number("threshold", "m", Some(0.0), p.threshold);
        l.number("factor", "", Some(0.0), p.factor);
        let bodies: Vec<String> =
            p.bodies.iter().map(|b| world.body_name(b.0).unwrap_or_default().to_string()).collect();
        l.fixed("bodies", "", V::Text(bodies.join(", ")));
        l.out
    }

    fn field_properties(&self, id: FieldId) -> Vec<Property> {
        let Some(field) = self.document.sim.world.field(id) else { return Vec::new() };
        let mut l = List::new(&grammar::FIELD);
        l.text("name", &self.document.sim.world.field_name(id).unwrap_or_default());
        l.fixed("type", "", V::Text(super::elements::field_word(&field.kind).into()));
        l.toggle("active", field.active);
        match field.kind {
            FieldKind::Gravity(g) => l.vector("gravity", "m/s²", Some(g)),
            FieldKind::Friction(k) => l.number("strength", "1/s", None, k),
            FieldKind::Radial { center, strength } => {
                l.number("strength", "N m", None, strength);
                l.vector("center", "m", Some(center));
            }
        }
        l.out
    }

    fn body_properties(&self, id: BodyId) -> Vec<Property> {
        let world = &self.document.sim.world;
        let Some(body) = world.body(id) else { return Vec::new() };
        let mut l = List::new(&grammar::BODY);
        l.text("name", &world.body_name(id).unwrap_or_default());
        if id == BodyId::WORLD {
            return l.out;
        }
        let kinds = ["dynamic", "static", "kinematic"].map(|w| (w, w));
        l.choice("kind", &kinds, &kind_name(body.kind));
        l.number("mass", "kg", Some(1e-12), body.mass.mass);
        l.vector("position", "m", world.position(id));
        l.vector("rotation", "deg", world.rotation(id).map(|q| rotation_vector(q) * (180.0 / std::f64::consts::PI)));
        l.vector("velocity", "m/s", world.velocity(id));
        l.vector("angular_velocity", "rad/s", world.angular_velocity(id));
        l.material("", &body.material);
        let look = self.document.looks.get(&id);
        let color = look.and_then(|l| l.color).map_or(String::new(), |[r, g, b]| format!("#{r:02x}{g:02x}{b:02x}"));
        l.text("color", &color);
        l.group = "Shape and mass";
        l.fixed("shape", "", V::Text(look.and_then(|l| l.shape.as_ref()).map_or("point", |s| s.kind()).into()));
        l.fixed("center", "m", V::Vector(body.mass.center.to_array()));
        let i = body.mass.inertia;
        l.fixed("inertia", "kg m²", V::Vector([i.x_axis.x, i.y_axis.y, i.z_axis.z]));
        l.out
    }

    fn pair_text(&self, bodies: [BodyId; 2]) -> V {
        let name = |b| self.document.sim.world.body_name(b).unwrap_or_default();
        V::Text(format!("{}, {}", name(bodies[0]), name(bodies[1])))
    }

    fn joint_properties(&self, id: JointId) -> Vec<Property> {
        let world = &self.document.sim.world;
        let (Some(joint), Some(name)) = (world.joint(id), world.joint_name(id)) else { return Vec::new() };
        let mut l = List::new(&grammar::JOINT);
        l.text("name", &name);
        l.fixed("type", "", V::Text(joint.kind.name().into()));
        l.fixed("bodies", "", self.pair_text(joint.bodies));
        l.toggle("active", joint.active);
        l.toggle("velocity_only", joint.velocity_only);
        l.toggle("collide", joint.collide);
        if joint.kind.parts().0 == PositionPart::Distance {
            l.number("length", "m", Some(1e-9), world.joint_length(id).unwrap_or_default());
        }
        for c in COORDINATES.into_iter().filter(|c| joint.kind.has(*c)) {
            let unit = c.unit();
            l.fixed(c.name(), unit, V::Number(world.coordinate(id, c)));
            let limit = joint.limits.iter().find(|x| x.coordinate == c);
            let bound = |v: Option<f64>| v.filter(|v| v.is_finite());
            let key = |what: &str| format!("limits.{}.{what}", c.name());
            l.bounded(&key("min"), unit, None, None, true, bound(limit.map(|x| x.min)));
            l.bounded(&key("max"), unit, None, None, true, bound(limit.map(|x| x.max)));
            if let Some(limit) = limit {
                l.bounded(&key("restitution"), "", Some(0.0), Some(1.0), false, Some(limit.restitution));
            }
            let friction = joint.friction.iter().find(|x| x.coordinate == c).map_or(0.0, |x| x.effort);
            let unit = if unit == "rad" { "N m" } else { "N" };
            l.bounded(&format!("friction.{}", c.name()), unit, Some(0.0), None, false, Some(friction));
            if c != Coordinate::Swing {
                passive(&mut l, joint, c);
                if let Some(effort) = world.passive_effort(id, c) {
                    l.fixed(&format!("{}_effort", c.name()), unit, V::Number(Some(effort)));
                }
            }
        }
        let finite = |v: Option<f64>| v.filter(|v| v.is_finite());
        l.bounded("breaking.force", "N", Some(0.0), None, true, finite(joint.breaking.map(|b| b.force)));
        l.bounded("breaking.torque", "N m", Some(0.0), None, true, finite(joint.breaking.map(|b| b.torque)));
        let (gap, tilt) = world.joint_error(id).unwrap_or_default();
        l.fixed("gap", "m", V::Number(Some(gap)));
        l.fixed("misalignment", "rad", V::Number(Some(tilt)));
        let reaction = world.reaction(id).unwrap_or_default();
        l.fixed("reaction force", "N", V::Vector(reaction.force.to_array()));
        l.fixed("reaction torque", "N m", V::Vector(reaction.torque.to_array()));
        l.out
    }

    fn spring_properties(&self, id: SpringId) -> Vec<Property> {
        let world = &self.document.sim.world;
        let (Some(spring), Some(name)) = (world.spring(id), world.spring_name(id)) else { return Vec::new() };
        let mut l = List::new(&grammar::SPRING);
        l.text("name", &name);
        l.fixed("bodies", "", self.pair_text(spring.bodies));
        l.number("stiffness", "N/m", Some(0.0), spring.stiffness);
        l.number("damping", "N s/m", Some(0.0), spring.damping);
        l.number("length", "m", Some(0.0), world.spring_length(id).unwrap_or_default());
        l.toggle("isotropic", spring.isotropic);
        if let Some([a, b]) = world.spring_anchors(id) {
            l.fixed("length now", "m", V::Number(Some(a.distance(b))));
        }
        l.out
    }

    fn motor_properties(&self, id: MotorId) -> Vec<Property> {
        let world = &self.document.sim.world;
        let (Some(motor), Some(name)) = (world.motor(id), world.motor_name(id)) else { return Vec::new() };
        let mut l = List::new(&grammar::MOTOR);
        l.text("name", &name);
        l.fixed("joint", "", V::Text(world.joint_name(motor.joint).unwrap_or_default().to_string()));
        l.fixed("coordinate", "", V::Text(motor.coordinate.name().into()));
        let turns = matches!(motor.coordinate, Coordinate::Angle | Coordinate::Swing);
        let effort = if turns { "N m" } else { "N" };
        let (value, rate) = if turns { ("rad", "rad/s") } else { ("m", "m/s") };
        let (word, unit, schedule) = match &motor.control {
            Control::Effort(s) => ("effort", effort, s),
            Control::Velocity(s) => ("velocity", rate, s),
            Control::Servo { target: Target::Position, set, .. } => ("servo", value, set),
            Control::Servo { target: Target::Velocity, set, .. } => ("servo", rate, set),
        };
        l.fixed("control", "", V::Text(word.into()));
        l.push("curve", unit, Field::Curve, V::Curve(curve(schedule)));
        l.bounded("max_effort", effort, Some(0.0), None, true, Some(motor.max_effort).filter(|e| e.is_finite()));
        if let Control::Servo { pid, .. } = &motor.control {
            l.section = &grammar::SERVO;
            l.bounded("gain", "", None, None, false, Some(pid.gain));
            l.bounded("integral_time", "s", Some(1e-9), None, true, Some(pid.integral_time).filter(|t| t.is_finite()));
            l.bounded("derivative_time", "s", Some(0.0), None, false, Some(pid.derivative_time));
        }
        l.fixed("effort now", effort, V::Number(world.motor_effort(id).filter(|e| e.is_finite())));
        l.out
    }
}

/// Spring, damper and rotor on a coordinate of a joint.
fn passive(l: &mut List, joint: &Joint, c: Coordinate) {
    let p = joint.passive.iter().find(|p| p.coordinate == c).copied().unwrap_or_else(|| Passive::new(c));
    let turns = c.unit() == "rad";
    let units = if turns { ["N m/rad", "N m s/rad", "rad", "kg m²"] } else { ["N/m", "N s/m", "m", "kg"] };
    let mut number = |key: &str, unit, low, value| {
        l.bounded(&format!("{key}.{}", c.name()), unit, low, None, false, Some(value));
    };
    number("stiffness", units[0], Some(0.0), p.stiffness);
    number("damping", units[1], Some(0.0), p.damping);
    number("rest", units[2], None, p.rest);
    number("armature", units[3], Some(0.0), p.armature);
    number("gear", "", None, p.gear);
}
