//! `[[sensor]]`.

use super::motor::natural;
use super::plugin::{self, Parameters};
use crate::property::codec::{
    Codec, Count, Id, Number, OrNone, Ref, Text, Unlimited, Vector, WordOf, Written,
};
use crate::property::table_macro::table;
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::{BodyId, Coordinate, JointId, MotorId, Sensor, SensorKind, World};
use std::any::Any;

/// Kinds that read a coordinate, a joint, or what a joint transmits.
const COORDINATES: &[&str] = &["joint_position", "joint_rate", "joint_effort"];
const JOINTS: &[&str] = &[
    "joint_position",
    "joint_rate",
    "joint_effort",
    "force_torque",
    "joint_force",
    "joint_torque",
    "load_cell",
];
const MOTORS: &[&str] = &["motor_effort", "motor_rate", "motor_power"];
const BODIES: &[&str] = &[
    "accelerometer",
    "gyro",
    "velocimeter",
    "orientation",
    "position",
    "direction",
    "linear_velocity",
    "angular_velocity",
    "linear_acceleration",
    "angular_acceleration",
    "force_torque",
    "joint_force",
    "joint_torque",
    "load_cell",
    "contact_force",
    "touch",
    "contact",
    "range",
    "lidar",
];
const FRAMES: &[&str] =
    &["position", "orientation", "direction", "linear_velocity", "angular_velocity"];
const REACHING: &[&str] = &["range", "lidar", "contact_force", "touch", "contact"];

table! {
    /// What a machine measures: `NAME.value` in recordings, plots, scripts and Python. Coordinates,
    /// poses and velocities are those at the end of a step; accelerations, forces and efforts are
    /// means over the step and have no value before the first one ([sensors](sensors.md)).
    static SENSOR: Sensor = "sensor", "[[sensor]]", Item;
    blank Sensor::new(SensorKind::Clock);
    check |it, _| {
        let needs = |key: &str, what: &str| {
            Err(Fault::new(format!("a sensor of type \"{}\" needs `{key}`: {what}", it.kind.name())).under("type"))
        };
        match it.kind {
            k if k.of_body() && it.body.is_none() => needs("body", "the body that carries it"),
            k if (k.of_coordinate() || k.of_joint()) && it.joint.is_none() => needs("joint", "the joint it reads"),
            k if k.of_motor() && it.motor.is_none() => needs("motor", "the motor it reads"),
            SensorKind::Plugin => plugin::check(&it.plugin),
            _ => Ok(()),
        }
    };
    {
    /// unique name; default "sensor 1", …
    name: Text = it.name;
    /// what it measures
    r#type: WordOf<SensorKind> = it.kind => .required();
    /// of a plugin: the name under which the program has registered the law; a scene never loads
    /// code by itself
    plugin: Text = {
        get: |it| Some(it.plugin.name().to_owned()), set: |it, x| it.plugin = it.plugin.with_name(x)
    } => .required().only("type", &["plugin"]);
    /// of a plugin: numbers for its law; default those that the law declares
    parameters: Parameters = {
        get: |it| Some(it.plugin.parameters().to_vec()),
        set: |it, x| it.plugin = it.plugin.with_parameters(x)
    } => .only("type", &["plugin"]);
    /// the body that carries it; of "force_torque" and "load_cell" the one that feels the force,
    /// default the joint's second
    body: OrNone<Ref<BodyId>> = it.body => .only("type", BODIES);
    /// the joint that it reads
    joint: Read = { get: |it| Some((it.joint, it.coordinate)), set: |it, x| (it.joint, it.coordinate) = x }
        => .only("type", JOINTS);
    /// its coordinate; default the angle where the joint has one, else the position
    coordinate: WordOf<Coordinate> = it.coordinate => .only("type", COORDINATES);
    /// the motor that it reads
    motor: OrNone<Ref<MotorId>> = it.motor => .only("type", MOTORS);
    /// where it is, in the frame of its body; default the body's origin, or the joint's anchor
    at: OrNone<Vector> = it.at => .unit("m").only("type", BODIES);
    /// its x axis, in the frame of its body: where rays go and load cells pull
    forward: Vector = it.forward => .only("type", BODIES);
    /// what its z axis is nearest to: lidars turn about it
    up: Vector = it.up => .only("type", BODIES);
    /// the body in whose frame places, rotations and velocities are given, as one sees them who
    /// turns with it
    relative_to: Ref<BodyId> = it.relative_to => .only("type", FRAMES);
    /// how far rays reach (they read −1 beyond), or how far from the sensor contacts count; default
    /// no limit
    reach: Unlimited = it.reach => .unit("m").positive().only("type", REACHING);
    /// number of rays
    rays: Count = it.rays => .within(1.0, 100_000.0).only("type", &["lidar"]);
    /// angle from the first ray to the last, half of it to each side of `forward`; a full turn is
    /// divided evenly
    fan: Number = it.fan => .unit("rad").within(0.0, std::f64::consts::TAU).only("type", &["lidar"]);
    /// standard deviation of white noise on every sample, in the sensor's unit (rad for
    /// "orientation")
    noise: Number = it.quality.noise => .unit_of(unit, "").not_negative();
    /// added to all numbers (one), or to each (as many as it gives; three for "orientation")
    bias: Numbers = it.quality.bias => .unit_of(unit, "");
    /// random walk of the bias: its standard deviation after one second
    drift: Number = it.quality.drift => .unit_of(unit, "").not_negative();
    /// numbers are rounded to multiples of this; 0 for none
    resolution: Number = it.quality.resolution => .unit_of(unit, "").not_negative();
    /// numbers are cut off at plus and minus this; default no bound
    saturation: OrNone<Number> = it.quality.saturation => .unit_of(unit, "").positive();
    /// samples a second, held in between; default one at every step
    rate: OrNone<Number> = it.quality.rate => .unit("Hz").positive();
    /// time from a sample to when it is given out
    delay: Number = it.quality.delay => .unit("s").within(0.0, 100.0);
    /// noise with another seed is another noise; sensors of different names have their own
    seed: Count = it.quality.seed => .within(0.0, 4_294_967_295.0);
    }
}

/// The unit of its numbers, where they have one.
fn unit(item: &dyn Any, _: &World) -> &'static str {
    let sensor = item.downcast_ref::<Sensor>();
    sensor.and_then(|s| s.channels().first().map(|c| c.1)).unwrap_or("")
}

impl Id for MotorId {
    const KIND: &'static str = "motor";
    fn find(world: &World, name: &str) -> Option<Self> {
        world.motor_named(name)
    }
    fn name(self, world: &World) -> Option<String> {
        world.motor_name(self).map(|n| n.to_string())
    }
}

/// A joint, with the coordinate that is read unless another one is named.
struct Read;
impl Written for Read {
    const FORM: Form = <OrNone<Ref<JointId>> as Written>::FORM;
}
impl Codec<(Option<JointId>, Coordinate)> for Read {
    fn write(read: &(Option<JointId>, Coordinate), world: &World) -> Value {
        OrNone::<Ref<JointId>>::write(&read.0, world)
    }
    fn read(value: Value, world: &World) -> Result<(Option<JointId>, Coordinate), Fault> {
        let joint: Option<JointId> = OrNone::<Ref<JointId>>::read(value, world)?;
        let kind = joint.and_then(|j| world.joint_kind(j));
        Ok((joint, kind.map_or(Coordinate::Angle, natural)))
    }
}

/// One number, or several; none is 0.
struct Numbers;
impl Written for Numbers {
    const FORM: Form = Form::Either(&[Form::Number, Form::List(&Form::Number, 0, 100_000)]);
}
impl Codec<Vec<f64>> for Numbers {
    fn write(numbers: &Vec<f64>, _: &World) -> Value {
        match numbers[..] {
            [] => Value::Number(0.0),
            [one] => Value::Number(one),
            _ => Value::numbers(numbers.iter().copied()),
        }
    }
    fn read(value: Value, _: &World) -> Result<Vec<f64>, Fault> {
        match value {
            Value::Number(0.0) => Ok(Vec::new()),
            Value::Number(x) => Ok(vec![x]),
            other => {
                other.as_numbers().ok_or_else(|| Fault::new("expected one number, or several"))
            }
        }
    }
}
