//! Quantities that can be measured, each with its columns.

use super::property::Watched;
use kreisel_dynamics::{
    BodyId, ConstraintId, Coordinate, Energy, JointId, JointReading, Ledger, MotorId, Reaction,
    SensorId, Status, StepReport, Vec3, World,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A number of the energy balance or the report.
type Read<T> = fn(&T) -> f64;

/// Energies by name.
pub(super) const ENERGIES: [(&str, Read<Energy>); 4] = [
    ("kinetic", |e| e.kinetic),
    ("potential", |e| e.potential),
    ("spring", |e| e.spring),
    ("total", Energy::total),
];

/// Entries of the ledger by name.
pub(super) const LEDGER: [(&str, Read<Ledger>); 9] = [
    ("change", |l| l.change),
    ("motors", |l| l.motors),
    ("user", |l| l.user),
    ("kinematic", |l| l.kinematic),
    ("damping", |l| l.damping),
    ("friction", |l| l.friction),
    ("impacts", |l| l.impacts),
    ("correction", |l| l.correction),
    ("residual", |l| l.residual),
];

/// Figures of the report by name, with their units.
pub(super) const REPORT: [(&str, &str, Read<StepReport>); 31] = [
    ("status", "", status),
    ("joint_error", "m", |r| r.worst.as_ref().map_or(0.0, |w| w.position)),
    ("joint_misalignment", "rad", |r| r.worst.as_ref().map_or(0.0, |w| w.angle)),
    ("velocity_error", "m/s", |r| r.velocity_error),
    ("substeps", "", |r| f64::from(r.substeps)),
    ("energy_substeps", "", |r| f64::from(r.energy_substeps)),
    ("rejected", "", |r| f64::from(r.rejected)),
    ("rounds", "", |r| f64::from(r.rounds)),
    ("corrections", "", |r| f64::from(r.corrections)),
    ("velocity_rounds", "", |r| f64::from(r.velocity_rounds)),
    ("factorizations", "", |r| f64::from(r.factorizations)),
    ("dropped", "", |r| f64::from(r.dropped)),
    ("local_error", "m", |r| r.local_error),
    ("contacts", "", |r| f64::from(r.contact.points)),
    ("penetration", "m", |r| r.contact.penetration),
    ("contact_residual", "m", |r| r.contact.residual),
    ("contact_sweeps", "", |r| f64::from(r.contact.sweeps)),
    ("contact_islands", "", |r| f64::from(r.contact.islands)),
    ("contact_repeats", "", |r| f64::from(r.contact.repeats)),
    ("contact_cuts", "", |r| f64::from(r.contact.cuts)),
    ("contact_shocks", "", |r| f64::from(r.contact.shocks)),
    ("asleep", "", |r| f64::from(r.contact.asleep)),
    ("impacts", "", |r| f64::from(r.contact.impacts)),
    ("micro_collisions", "", |r| f64::from(r.contact.micro)),
    ("stalled_bodies", "", |r| f64::from(r.contact.stalled)),
    ("time_forces", "s", |r| r.times.forces.as_secs_f64()),
    ("time_factor", "s", |r| r.times.factor.as_secs_f64()),
    ("time_correction", "s", |r| r.times.correction.as_secs_f64()),
    ("time_velocity", "s", |r| r.times.velocity.as_secs_f64()),
    ("time_detection", "s", |r| r.times.detection.as_secs_f64()),
    ("time_total", "s", |r| r.times.total.as_secs_f64()),
];

/// 0 converged, 1 not converged, 2 budget spent, 3 quarantined, 4 refused, 5 energy that nothing
/// explains, 6 interrupted, 7 order not kept.
fn status(report: &StepReport) -> f64 {
    match report.status {
        Status::Converged => 0.0,
        Status::NotConverged => 1.0,
        Status::BudgetSpent => 2.0,
        Status::Quarantined => 3.0,
        Status::Refused => 4.0,
        Status::Energy => 5.0,
        Status::Interrupted => 6.0,
        Status::Order => 7.0,
    }
}

/// Something to measure.
#[derive(Clone, Debug)]
pub(super) enum Quantity {
    Energy(Read<Energy>),
    Ledger(Read<Ledger>),
    Report(Read<StepReport>),
    Position(BodyId),
    Center(BodyId),
    Rotation(BodyId),
    Velocity(BodyId),
    AngularVelocity(BodyId),
    Point(BodyId, Vec3),
    Coordinate(JointId, Coordinate),
    Rate(JointId, Coordinate),
    Error(JointId),
    Force(JointId),
    Torque(JointId),
    Effort(MotorId),
    PassiveEffort(JointId, Coordinate),
    ContactForce(BodyId),
    ConstraintError(ConstraintId),
    ConstraintForce(ConstraintId),
    MotorRate(MotorId),
    MotorPower(MotorId),
    /// One number of a sensor.
    Sensor(SensorId, usize),
    /// A property that is a number or a vector.
    Property(Arc<Watched>),
}

impl Quantity {
    /// Suffixes and units of its columns.
    pub fn columns(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Energy(_) | Self::Ledger(_) => &[("", "J")],
            Self::Report(_) | Self::Effort(_) | Self::ConstraintError(_) | Self::Sensor(..) => {
                &[("", "")]
            }
            Self::MotorRate(_) => &[("", "")],
            Self::MotorPower(_) => &[("", "W")],
            Self::Position(_) | Self::Center(_) | Self::Point(..) => {
                &[(".x", "m"), (".y", "m"), (".z", "m")]
            }
            Self::Rotation(_) => &[(".x", ""), (".y", ""), (".z", ""), (".w", "")],
            Self::Velocity(_) => &[(".x", "m/s"), (".y", "m/s"), (".z", "m/s")],
            Self::AngularVelocity(_) => &[(".x", "rad/s"), (".y", "rad/s"), (".z", "rad/s")],
            Self::PassiveEffort(_, Coordinate::Angle | Coordinate::Swing) => &[("", "N m")],
            Self::PassiveEffort(..) => &[("", "N")],
            Self::Coordinate(_, Coordinate::Angle | Coordinate::Swing) => &[("", "rad")],
            Self::Coordinate(..) => &[("", "m")],
            Self::Rate(_, Coordinate::Angle | Coordinate::Swing) => &[("", "rad/s")],
            Self::Rate(..) => &[("", "m/s")],
            Self::Error(_) => &[(".gap", "m"), (".misalignment", "rad")],
            Self::ContactForce(_) | Self::ConstraintForce(_) | Self::Force(_) => {
                &[(".x", "N"), (".y", "N"), (".z", "N")]
            }
            Self::Torque(_) => &[(".x", "N m"), (".y", "N m"), (".z", "N m")],
            Self::Property(p) if p.vector => &[(".x", ""), (".y", ""), (".z", "")],
            Self::Property(_) => &[("", "")],
        }
    }

    /// Whether it can be measured later, from poses in a clone of the world and a [`Step`].
    pub fn can_wait(&self) -> bool {
        let now = matches!(
            self,
            Self::Effort(_) | Self::MotorPower(_) | Self::PassiveEffort(..) | Self::Property(_)
        );
        let now = now || matches!(self, Self::Sensor(..) | Self::MotorRate(_));
        !(now || matches!(self, Self::ConstraintError(_) | Self::ConstraintForce(_)))
    }

    /// Appends its values; what does not exist (any more) is NaN.
    pub fn measure(&self, moment: &mut Moment<'_>, out: &mut Vec<f64>) {
        let (world, report) = (moment.world, moment.report);
        let mut vector = |v: Option<Vec3>| out.extend(v.unwrap_or(Vec3::NAN).to_array());
        match *self {
            Self::Property(ref p) => p.measure(world, out),
            Self::Energy(read) => out.push(read(moment.energy())),
            Self::Ledger(read) => out.push(read(&report.ledger)),
            Self::Report(read) => out.push(read(report)),
            Self::Position(id) => vector(world.position(id)),
            Self::Center(id) => vector(world.center_of_mass(id)),
            // of the first of its bodies that moves
            Self::ConstraintForce(id) => {
                vector(world.constraint_force(id).and_then(|f| f.bodies.first().map(|b| b.1)));
            }
            Self::ConstraintError(id) => {
                let rows = world.constraint_error(id);
                out.push(rows.map_or(f64::NAN, |r| r.iter().map(|c| c * c).sum::<f64>().sqrt()));
            }
            Self::Velocity(id) => vector(world.velocity(id)),
            Self::AngularVelocity(id) => vector(world.angular_velocity(id)),
            Self::Point(id, p) => vector(world.point(id, p)),
            Self::Rotation(id) => match world.rotation(id) {
                Some(q) => out.extend(q.to_array()),
                None => out.extend([f64::NAN; 4]),
            },
            Self::Coordinate(id, c) => {
                out.push(moment.joint(id).map_or(f64::NAN, |j| j.values[c as usize]))
            }
            Self::Rate(id, c) => {
                out.push(moment.joint(id).map_or(f64::NAN, |j| j.rates[c as usize]))
            }
            Self::Error(id) => {
                let (gap, angle) = moment.joint(id).map_or((f64::NAN, f64::NAN), |j| j.error);
                out.extend([gap, angle]);
            }
            Self::Force(id) => vector(moment.reaction(id).map(|r| r.force)),
            Self::Torque(id) => vector(moment.reaction(id).map(|r| r.torque)),
            Self::ContactForce(id) => vector(world.body(id).map(|_| moment.contact_force(id))),
            Self::Effort(id) => out.push(world.motor_effort(id).unwrap_or(f64::NAN)),
            Self::MotorRate(id) => out.push(world.motor_rate(id).unwrap_or(f64::NAN)),
            Self::MotorPower(id) => out.push(world.motor_power(id).unwrap_or(f64::NAN)),
            Self::Sensor(id, k) => {
                out.push(
                    world.sensor_value(id).and_then(|v| v.get(k).copied()).unwrap_or(f64::NAN),
                );
            }
            Self::PassiveEffort(id, c) => out.push(world.passive_effort(id, c).unwrap_or(f64::NAN)),
        }
    }
}

/// What only the world itself knows after a step, taken out of it to be measured later.
#[derive(Default)]
pub(super) struct Step {
    energy: Energy,
    report: StepReport,
    reactions: Vec<(JointId, Reaction)>,
    contacts: Vec<(BodyId, Vec3)>,
}

impl Step {
    pub fn of(world: &World, report: &StepReport) -> Self {
        Self {
            energy: world.energy(),
            report: StepReport { events: Vec::new(), ..report.clone() },
            reactions: world.reactions(),
            contacts: contact_forces(world),
        }
    }
}

/// Force of all contacts on each body that touches something, in the order of the bodies.
fn contact_forces(world: &World) -> Vec<(BodyId, Vec3)> {
    let mut forces: BTreeMap<BodyId, Vec3> = BTreeMap::new();
    for contact in world.contacts() {
        *forces.entry(contact.bodies[0]).or_default() += contact.force;
        *forces.entry(contact.bodies[1]).or_default() -= contact.force;
    }
    forces.into_iter().collect()
}

/// A world at the end of a step, with what several quantities share and is computed once.
pub(super) struct Moment<'a> {
    world: &'a World,
    report: &'a StepReport,
    energy: Option<Energy>,
    reactions: Option<Series<'a, JointId, Reaction>>,
    joints: Option<Series<'a, JointId, JointReading>>,
    contacts: Option<Series<'a, BodyId, Vec3>>,
}

/// Something of every joint or body, in their order, and where the last one was found.
struct Series<'a, I: Copy, T: Copy> {
    all: Cow<'a, [(I, T)]>,
    last: usize,
}

impl<'a, I: Copy + Ord, T: Copy> Series<'a, I, T> {
    fn new(all: impl Into<Cow<'a, [(I, T)]>>) -> Self {
        Self { all: all.into(), last: 0 }
    }

    /// Items are mostly asked for in order, so the next one is tried before a search.
    fn of(&mut self, item: I) -> Option<T> {
        let next = self.last + 1;
        let at = if self.all.get(next).is_some_and(|r| r.0 == item) {
            next
        } else {
            self.all.binary_search_by_key(&item, |r| r.0).ok()?
        };
        self.last = at;
        Some(self.all[at].1)
    }
}

impl<'a> Moment<'a> {
    pub fn new(world: &'a World, report: &'a StepReport) -> Self {
        Self { world, report, energy: None, reactions: None, joints: None, contacts: None }
    }

    /// A step that was taken out of a world whose poses `clone` shows.
    pub fn later(clone: &'a World, step: &'a Step) -> Self {
        Self {
            energy: Some(step.energy),
            reactions: Some(Series::new(&step.reactions[..])),
            contacts: Some(Series::new(&step.contacts[..])),
            ..Self::new(clone, &step.report)
        }
    }

    /// Works all joints out at once: worth it where most of them are asked for.
    pub fn with_all_joints(mut self) -> Self {
        self.joints = Some(Series::new(self.world.joint_readings()));
        self
    }

    fn energy(&mut self) -> &Energy {
        self.energy.get_or_insert_with(|| self.world.energy())
    }

    /// One pass over the contacts for all bodies.
    fn contact_force(&mut self, body: BodyId) -> Vec3 {
        self.contacts
            .get_or_insert_with(|| Series::new(contact_forces(self.world)))
            .of(body)
            .unwrap_or_default()
    }

    fn reaction(&mut self, joint: JointId) -> Option<Reaction> {
        self.reactions.get_or_insert_with(|| Series::new(self.world.reactions())).of(joint)
    }

    fn joint(&mut self, joint: JointId) -> Option<JointReading> {
        match &mut self.joints {
            Some(all) => all.of(joint),
            None => self.world.joint_reading(joint),
        }
    }
}
