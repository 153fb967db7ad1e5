//! Sensors: what a machine knows of itself.
//!
//! A sensor measures after every step (`measure.rs`: the exact value), then spoils its sample as
//! its [`Quality`] says and gives it out when its delay has passed (`quality.rs`). Coordinates,
//! poses and velocities are those at the end of the step. Accelerations, forces and efforts are
//! means over the step, as those of an instrument that integrates: they are second order at the
//! middle of the step, and hold the whole impulse of an impact. They have no value before the first
//! step.
//!
//! The sensor's own frame is fixed to its body: x points `forward`, z as near `up` as can be.
//! Sensors do not change the motion: the same bits with and without them.

mod measure;
mod quality;
mod ray;

use crate::arena::id;
use crate::body::BodyId;
use crate::error::ModelError;
use crate::force::MotorId;
use crate::item::ItemId;
use crate::joint::{Coordinate, JointId};
use crate::math::{Mat3, Quat, Vec3};
use crate::model::Model;
use crate::plugin::{Plugin, SensorLaw};
use crate::report::{Event, StepReport};
use crate::words::words;
use crate::world::World;
pub use quality::Quality;
pub(crate) use quality::SensorMemory;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

id! {
    /// Names a sensor of a [`World`](crate::World).
    SensorId
}

words! {
    /// What a sensor measures.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum SensorKind {
        /// Value of a joint's coordinate.
        JointPosition = "joint_position",
        /// Its rate.
        JointRate = "joint_rate",
        /// What all motors give on it.
        JointEffort = "joint_effort",
        /// Effort of one motor.
        MotorEffort = "motor_effort",
        /// Rate of the coordinate that a motor drives.
        MotorRate = "motor_rate",
        /// Effort times rate.
        MotorPower = "motor_power",
        /// Acceleration of a point without gravity's part, in the sensor's frame: up at rest.
        Accelerometer = "accelerometer",
        /// Angular velocity in the sensor's frame.
        Gyro = "gyro",
        /// Velocity of a point in the sensor's frame.
        Velocimeter = "velocimeter",
        /// Rotation of the sensor's frame, x, y, z, w.
        Orientation = "orientation",
        /// Place of a point.
        Position = "position",
        /// Where the sensor's x axis points.
        Direction = "direction",
        /// Velocity of a point.
        LinearVelocity = "linear_velocity",
        /// Angular velocity.
        AngularVelocity = "angular_velocity",
        /// Acceleration of a point, with gravity's part.
        LinearAcceleration = "linear_acceleration",
        /// Angular acceleration.
        AngularAcceleration = "angular_acceleration",
        /// Force and torque that a joint puts on a body, motors on it included.
        ForceTorque = "force_torque",
        /// That force alone.
        JointForce = "joint_force",
        /// That torque alone.
        JointTorque = "joint_torque",
        /// That force along the sensor's x axis.
        LoadCell = "load_cell",
        /// Force of all contacts on a body.
        ContactForce = "contact_force",
        /// Sum of the normal forces of contacts.
        Touch = "touch",
        /// 1 where something presses, else 0.
        Contact = "contact",
        /// How far it is to the next surface along the sensor's x axis.
        Range = "range",
        /// The same along several directions about the sensor's z axis.
        Lidar = "lidar",
        /// The time.
        Clock = "clock",
        /// What a law measures that is written outside.
        Plugin = "plugin",
    }
}

impl SensorKind {
    /// Whether it reads a coordinate of a joint.
    pub const fn of_coordinate(self) -> bool {
        matches!(self, Self::JointPosition | Self::JointRate | Self::JointEffort)
    }

    /// Whether it reads what a joint transmits.
    pub const fn of_joint(self) -> bool {
        matches!(self, Self::ForceTorque | Self::JointForce | Self::JointTorque | Self::LoadCell)
    }

    /// Whether it reads a motor.
    pub const fn of_motor(self) -> bool {
        matches!(self, Self::MotorEffort | Self::MotorRate | Self::MotorPower)
    }

    /// Whether it must have a body.
    pub const fn of_body(self) -> bool {
        !(self.of_coordinate()
            || self.of_joint()
            || self.of_motor()
            || matches!(self, Self::Clock | Self::Plugin))
    }

    /// Whether its value is the mean over a step.
    pub const fn is_mean(self) -> bool {
        use SensorKind as K;
        matches!(
            self,
            K::JointEffort
                | K::MotorEffort
                | K::MotorPower
                | K::Accelerometer
                | K::LinearAcceleration
        ) || matches!(
            self,
            K::AngularAcceleration | K::ForceTorque | K::LoadCell | K::ContactForce | K::Touch
        ) || matches!(self, K::Contact | K::JointForce | K::JointTorque)
    }

    /// Whether rays are cast.
    pub const fn is_ray(self) -> bool {
        matches!(self, Self::Range | Self::Lidar)
    }
}

/// A sensor, ready to be added with [`World::add_sensor`](crate::World::add_sensor).
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Unique name; empty means "sensor N".
    pub name: String,
    /// What it measures.
    pub kind: SensorKind,
    /// The body that carries it; of force and load sensors the one that feels the force, none the
    /// joint's second.
    pub body: Option<BodyId>,
    /// The joint that it reads.
    pub joint: Option<JointId>,
    /// The coordinate of that joint.
    pub coordinate: Coordinate,
    /// The motor that it reads.
    pub motor: Option<MotorId>,
    /// Where it is, in the frame of its body, m; none is the body's origin, or the joint's anchor.
    pub at: Option<Vec3>,
    /// Its x axis in the frame of its body; need not have unit length.
    pub forward: Vec3,
    /// What its z axis is nearest to.
    pub up: Vec3,
    /// The frame that places, directions and velocities are given in.
    pub relative_to: BodyId,
    /// How far rays reach, or contacts count from the sensor's place, m.
    pub reach: f64,
    /// Number of rays of a lidar.
    pub rays: u32,
    /// Angle from the first to the last of them, rad.
    pub fan: f64,
    /// The law of a plug-in.
    pub plugin: Plugin<dyn SensorLaw>,
    /// How its samples differ from the exact values.
    pub quality: Quality,
}

impl Sensor {
    /// A sensor of nothing yet, exact.
    pub fn new(kind: SensorKind) -> Self {
        Self {
            name: String::new(),
            kind,
            body: None,
            joint: None,
            coordinate: Coordinate::Angle,
            motor: None,
            at: None,
            forward: Vec3::X,
            up: Vec3::Z,
            relative_to: BodyId::WORLD,
            reach: f64::INFINITY,
            rays: 1,
            fan: 0.0,
            plugin: Plugin::default(),
            quality: Quality::default(),
        }
    }

    /// Carried by a body, at a point of its frame (m).
    pub fn on(kind: SensorKind, body: BodyId, at: Vec3) -> Self {
        Self { body: Some(body), at: Some(at), ..Self::new(kind) }
    }

    /// Of a coordinate of a joint.
    pub fn of_joint(kind: SensorKind, joint: JointId, coordinate: Coordinate) -> Self {
        Self { joint: Some(joint), coordinate, ..Self::new(kind) }
    }

    /// Of a motor.
    pub fn of_motor(kind: SensorKind, motor: MotorId) -> Self {
        Self { motor: Some(motor), ..Self::new(kind) }
    }

    /// With a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// With its axes: x points `forward`, z as near `up` as can be.
    #[must_use]
    pub fn facing(mut self, forward: Vec3, up: Vec3) -> Self {
        (self.forward, self.up) = (forward, up);
        self
    }

    /// With samples that differ from the exact values.
    #[must_use]
    pub fn quality(mut self, quality: Quality) -> Self {
        self.quality = quality;
        self
    }

    /// Names and units of its numbers: `.x` of `imu.value.x`; empty for a single one.
    pub fn channels(&self) -> Vec<(String, &'static str)> {
        use SensorKind as K;
        let turns = matches!(self.coordinate, Coordinate::Angle | Coordinate::Swing);
        let of = |angle: &'static str, length: &'static str| if turns { angle } else { length };
        let one = |unit| vec![(String::new(), unit)];
        let three = |unit: &'static str| ["x", "y", "z"].map(|c| (format!(".{c}"), unit)).to_vec();
        match self.kind {
            K::JointPosition => one(of("rad", "m")),
            K::JointRate => one(of("rad/s", "m/s")),
            K::JointEffort => one(of("N m", "N")),
            // the coordinate of the motor's joint says it; see `World::sensor_channels`
            K::MotorEffort | K::MotorRate | K::Contact => one(""),
            K::MotorPower => one("W"),
            K::Accelerometer | K::LinearAcceleration => three("m/s²"),
            K::Gyro | K::AngularVelocity => three("rad/s"),
            K::AngularAcceleration => three("rad/s²"),
            K::Velocimeter | K::LinearVelocity => three("m/s"),
            K::Orientation => ["x", "y", "z", "w"].map(|c| (format!(".{c}"), "")).to_vec(),
            K::Position => three("m"),
            K::Direction => three(""),
            K::ForceTorque => {
                let part = |name: &str, unit: &'static str| {
                    ["x", "y", "z"].map(|c| (format!(".{name}.{c}"), unit)).to_vec()
                };
                [part("force", "N"), part("torque", "N m")].concat()
            }
            K::ContactForce | K::JointForce => three("N"),
            K::JointTorque => three("N m"),
            K::LoadCell | K::Touch => one("N"),
            K::Range => one("m"),
            K::Lidar => (0..self.rays).map(|k| (format!(".{k}"), "m")).collect(),
            K::Clock => one("s"),
            K::Plugin => {
                let channels = self.plugin.law().map(SensorLaw::channels).unwrap_or_default();
                let named = |(name, unit): (String, _)| match name.is_empty() {
                    true => (name, unit),
                    false => (format!(".{name}"), unit),
                };
                channels.into_iter().map(named).collect()
            }
        }
    }

    /// Rotation from the sensor's frame to that of its body; none where its axes are parallel.
    pub(crate) fn turn(&self) -> Option<Quat> {
        let x = self.forward.try_normalize()?;
        let y = self.up.cross(x).try_normalize()?;
        Some(Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize())
    }

    /// With its law made, where it has one.
    fn resolved(mut self, name: &str) -> Result<Self, ModelError> {
        if self.kind == SensorKind::Plugin {
            let refused = |why| ModelError::Plugin { item: name.to_owned(), why };
            self.plugin = self.plugin.resolved().map_err(refused)?;
        }
        Ok(self)
    }

    /// Whether another one measures the same thing, so that memories go on.
    fn same_source(&self, other: &Self) -> bool {
        let of = |s: &Self| (s.kind, s.body, s.joint, s.coordinate, s.motor, s.rays, s.relative_to);
        of(self) == of(other) && self.plugin == other.plugin
    }

    pub(crate) fn check(&self, name: &str, model: &Model) -> Result<(), ModelError> {
        let out = |field, must, value| {
            Err(ModelError::OutOfRange { item: name.to_owned(), field, must, value })
        };
        let body = |id: BodyId| {
            model.body(id).map(|_| ()).ok_or_else(|| ModelError::UnknownBody(name.to_owned()))
        };
        let no_joint = || ModelError::UnknownJoint(name.to_owned());

        // what it reads
        if self.kind.of_body() && self.body.is_none() {
            return Err(ModelError::UnknownBody(name.to_owned()));
        }
        self.body.map_or(Ok(()), body)?;
        body(self.relative_to)?;
        if self.kind.of_coordinate() || self.kind.of_joint() {
            let joint = self.joint.and_then(|j| model.joint(j)).ok_or_else(no_joint)?;
            if self.kind.of_coordinate() {
                model.check_coordinate(name, &joint.desc, self.coordinate)?;
            } else if self.body.is_some_and(|b| !joint.desc.bodies.contains(&b)) {
                return Err(ModelError::UnknownBody(name.to_owned()));
            }
        }
        if self.kind.of_motor() && self.motor.is_none_or(|m| model.motor(m).is_none()) {
            return Err(ModelError::UnknownForce(name.to_owned()));
        }

        // where it is and where it looks
        for (field, v) in
            [("at", self.at.unwrap_or_default()), ("forward", self.forward), ("up", self.up)]
        {
            if !v.is_finite() {
                return Err(ModelError::NotFinite { item: name.to_owned(), field });
            }
        }
        if self.turn().is_none() {
            return out("up", "no multiple of `forward`, and both not zero", self.up.length());
        }
        if !(self.reach > 0.0) {
            return out("reach", "positive", self.reach);
        }
        if !(1..=100_000).contains(&self.rays) {
            return out("rays", "from 1 to 100000", f64::from(self.rays));
        }
        if !(0.0..=std::f64::consts::TAU).contains(&self.fan) {
            return out("fan", "from 0 to a full turn", self.fan);
        }
        let numbers = if self.kind == SensorKind::Orientation { 3 } else { self.channels().len() };
        self.quality.check(name, numbers)
    }
}

/// A sensor with its name.
#[derive(Clone, Debug)]
pub(crate) struct SensorRecord {
    pub desc: Sensor,
    pub name: Arc<str>,
}

impl Model {
    fn sensor(&self, id: SensorId) -> Option<&SensorRecord> {
        self.sensors.get(id.index, id.generation)
    }

    /// Removes all sensors of which this is true.
    pub(crate) fn remove_sensors(&mut self, gone: impl Fn(&Sensor) -> bool) {
        let ids: Vec<(u32, u32)> =
            self.sensors.iter().filter(|(_, _, s)| gone(&s.desc)).map(|(i, g, _)| (i, g)).collect();
        for (i, g) in ids {
            if let Some(record) = self.sensors.remove(i, g) {
                self.names.remove(&record.name);
            }
        }
    }
}

fn unknown(what: &str) -> ModelError {
    ModelError::UnknownElement(what.to_owned())
}

impl World {
    /// Adds a sensor.
    pub fn add_sensor(&mut self, sensor: Sensor) -> Result<SensorId, ModelError> {
        let name = self.model.name(&sensor.name, "sensor", self.model.sensors.len() + 1)?;
        let sensor = sensor.resolved(&name)?;
        sensor.check(&name, &self.model)?;
        let id = SensorId::new(
            self.model.sensors.insert(SensorRecord { desc: sensor, name: name.clone() }),
        );
        self.model.names.insert(name, ItemId::Sensor(id));
        self.model.revision += 1;
        Ok(id)
    }

    /// Removes a sensor.
    pub fn remove_sensor(&mut self, id: SensorId) -> Result<Sensor, ModelError> {
        let record = self
            .model
            .sensors
            .remove(id.index, id.generation)
            .ok_or_else(|| unknown("remove_sensor"))?;
        self.model.names.remove(&record.name);
        self.model.revision += 1;
        Ok(record.desc)
    }

    /// Replaces a sensor; it keeps its name, and its memory where it measures the same thing.
    pub fn set_sensor(&mut self, id: SensorId, sensor: Sensor) -> Result<(), ModelError> {
        let old = self.model.sensor(id).ok_or_else(|| unknown("set_sensor"))?;
        let new = Sensor { name: old.desc.name.clone(), ..sensor.resolved(&old.name)? };
        new.check(&old.name, &self.model)?;
        let goes_on = new.same_source(&old.desc);
        if let Some(record) = self.model.sensors.get_mut(id.index, id.generation) {
            record.desc = new;
        }
        if let Some(memory) = self.sensors.get_mut(id.index as usize).filter(|_| !goes_on) {
            *memory = SensorMemory::default();
        }
        self.model.revision += 1;
        Ok(())
    }

    /// Names and units of a sensor's numbers; see [`Sensor::channels`].
    pub fn sensor_channels(&self, id: SensorId) -> Option<Vec<(String, &'static str)>> {
        let mut sensor = self.sensor(id)?.clone();
        if let Some(motor) =
            sensor.motor.and_then(|m| self.motor(m)).filter(|_| sensor.kind.of_motor())
        {
            // as the joint of the motor would say it
            sensor.coordinate = motor.coordinate;
            sensor.kind = match sensor.kind {
                SensorKind::MotorEffort => SensorKind::JointEffort,
                SensorKind::MotorRate => SensorKind::JointRate,
                other => other,
            };
        }
        Some(sensor.channels())
    }

    /// What a sensor gives out now, one number for each of [`World::sensor_channels`]. None before
    /// the first step for means over a step ([`SensorKind::is_mean`]).
    pub fn sensor_value(&self, id: SensorId) -> Option<Cow<'_, [f64]>> {
        let record = self.model.sensor(id)?;
        if let Some(value) =
            self.sensors.get(id.index as usize).and_then(|m| m.given(id.generation))
        {
            return Some(Cow::Borrowed(value));
        }
        let mut memory = SensorMemory::default();
        self.sample(record, id.generation, None, &mut memory);
        memory.given(id.generation).map(|v| Cow::Owned(v.to_vec()))
    }

    /// Before a step: samples of the start, and what accelerations are counted from.
    pub(crate) fn begin_sensing(&mut self) {
        if self.model.sensors.len() == 0 {
            return;
        }
        self.sense(None);
        let accelerates = |k: SensorKind| {
            use SensorKind as K;
            matches!(k, K::Accelerometer | K::LinearAcceleration | K::AngularAcceleration)
        };
        if self.model.sensors.iter().any(|(_, _, s)| accelerates(s.desc.kind)) {
            self.sensed_from.clone_from(&self.state.bodies);
        }
    }

    /// After a step of `h`: new samples.
    pub(crate) fn end_sensing(&mut self, h: f64) {
        if self.model.sensors.len() > 0 {
            self.sense(Some(h));
        }
    }

    /// Tells of laws that could not measure.
    pub(crate) fn tell_sensors(&self, report: &mut StepReport) {
        let failed = self.model.sensors.iter().filter_map(|(_, _, record)| {
            let message = record.desc.plugin.take_failure()?;
            Some(Event::PluginFailed { name: record.name.clone(), message })
        });
        report.events.extend(failed);
    }

    /// Lets every sensor take the samples that are due; `h` is the step that has just been made.
    fn sense(&mut self, h: Option<f64>) {
        let mut memories = std::mem::take(&mut self.sensors);
        memories.resize(self.model.sensors.slots(), SensorMemory::default());
        for (slot, generation, record) in self.model.sensors.iter() {
            self.sample(record, generation, h, &mut memories[slot as usize]);
        }
        self.sensors = memories;
    }

    /// Lets one sensor take a sample if one is due, and give out what is old enough.
    fn sample(
        &self,
        record: &SensorRecord,
        generation: u32,
        h: Option<f64>,
        memory: &mut SensorMemory,
    ) {
        let (time, quality) = (self.time(), &record.desc.quality);
        memory.begin(generation, time);
        let has_value = h.is_some() || !record.desc.kind.is_mean();
        // the start is sampled once, not before every step
        let fresh = h.is_some() || memory.is_empty();
        if has_value
            && fresh
            && memory.is_due(quality, time)
            && let Some(exact) = self.exact(&record.desc, h)
        {
            memory.take(&record.name, &record.desc, time, exact);
        }
        memory.give(quality, time);
    }
}
