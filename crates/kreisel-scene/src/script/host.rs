//! What procedures can reach: bodies, joints, motors, springs, sensors, gravity, time.

use super::numbers::{number, refuse};
use super::space::vector;
use super::{properties, questions};
use crate::items::RunSettings;
use kreisel_dynamics::{
    BodyId, Collider, ColliderId, Control, Coordinate, JointId, ModelError, MotorId, Schedule,
    SensorId, SpringId, StepReport, Vec3, World,
};
use rhai::{Dynamic, Engine, EvalAltResult};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The world while a procedure runs, shared with the handles that scripts hold.
#[derive(Clone, Default)]
pub(super) struct Host(Arc<Mutex<Inner>>);

#[derive(Default)]
pub(super) struct Inner {
    pub world: World,
    /// What the run has besides its world.
    pub run: RunSettings,
    /// What scripts have printed.
    pub messages: Vec<String>,
    /// The report of the last step.
    pub report: StepReport,
    /// Whether a script has ended the run.
    pub stop: bool,
}

impl Host {
    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Most lines that are kept of what scripts print.
const MAX_MESSAGES: usize = 1000;

/// A handle of a script on something in the world.
#[derive(Clone)]
pub(super) struct Handle<I> {
    pub host: Host,
    pub id: I,
}

pub(super) type Outcome<T> = Result<T, Box<EvalAltResult>>;

pub(super) fn told<T>(result: Result<T, ModelError>) -> Outcome<T> {
    result.or_else(|e| refuse(e.to_string()))
}

pub(super) fn found<T>(value: Option<T>, what: &str) -> Outcome<T> {
    value.map_or_else(|| refuse(format!("this {what} does not exist (or no longer)")), Ok)
}

pub(super) fn real(value: &Dynamic) -> Outcome<f64> {
    number(value).map_or_else(|| refuse("expected a number"), Ok)
}

/// Registers everything; names are looked up with the script's prefix.
pub(super) fn register(engine: &mut Engine, host: &Host, prefix: &str) {
    let shared = host.clone();
    engine.register_fn("time", move || shared.lock().world.time());
    let shared = host.clone();
    engine.register_fn("gravity", move || shared.lock().world.gravity());
    let shared = host.clone();
    engine.register_fn("set_gravity", move |g: Dynamic| {
        told(shared.lock().world.set_gravity(vector(&g)?))
    });
    let shared = host.clone();
    engine.register_fn("energy", move || shared.lock().world.energy().total());
    let shared = host.clone();
    engine.on_print(move |text| {
        let mut inner = shared.lock();
        if inner.messages.len() < MAX_MESSAGES {
            inner.messages.push(text.to_owned());
        }
    });
    bodies(engine, host, prefix);
    joints(engine, host, prefix);
    motors(engine, host, prefix);
    springs(engine, host, prefix);
    sensors(engine, host, prefix);
    colliders(engine, host, prefix);
    properties::register(engine, host, prefix);
    questions::register(engine, host, prefix);
}

/// Registers `word(name)`, which looks something up by its name.
fn lookup<I: Copy + Send + Sync + 'static>(
    engine: &mut Engine,
    host: &Host,
    prefix: &str,
    word: &'static str,
    find: fn(&World, &str) -> Option<I>,
) {
    let (host, prefix) = (host.clone(), prefix.to_owned());
    engine.register_type_with_name::<Handle<I>>(word);
    engine.register_fn(word, move |name: &str| {
        let id = find(&host.lock().world, &format!("{prefix}{name}"));
        match id {
            Some(id) => Ok(Handle { host: host.clone(), id }),
            None => refuse(format!("there is no {word} \"{name}\"")),
        }
    });
}

fn bodies(engine: &mut Engine, host: &Host, prefix: &str) {
    type Body = Handle<BodyId>;
    lookup::<BodyId>(engine, host, prefix, "body", |w, n| w.body_named(n));
    let vectors: [(&str, fn(&World, BodyId) -> Option<Vec3>); 4] = [
        ("position", |w, b| w.position(b)),
        ("center", |w, b| w.center_of_mass(b)),
        ("velocity", |w, b| w.velocity(b)),
        ("angular_velocity", |w, b| w.angular_velocity(b)),
    ];
    for (name, get) in vectors {
        engine
            .register_get(name, move |b: &mut Body| found(get(&b.host.lock().world, b.id), "body"));
    }
    engine.register_get("mass", |b: &mut Body| {
        found(b.host.lock().world.body(b.id).map(|d| d.mass.mass), "body")
    });
    engine.register_set("position", |b: &mut Body, to: Dynamic| {
        let world = &mut b.host.lock().world;
        let rotation = found(world.rotation(b.id), "body")?;
        told(world.set_pose(b.id, vector(&to)?, rotation))
    });
    engine.register_set("velocity", |b: &mut Body, v: Dynamic| {
        let world = &mut b.host.lock().world;
        let spin = found(world.angular_velocity(b.id), "body")?;
        told(world.set_velocity(b.id, vector(&v)?, spin))
    });
    engine.register_set("angular_velocity", |b: &mut Body, w: Dynamic| {
        let world = &mut b.host.lock().world;
        let v = found(world.velocity(b.id), "body")?;
        told(world.set_velocity(b.id, v, vector(&w)?))
    });
    engine.register_fn("point", |b: &mut Body, local: Dynamic| {
        found(b.host.lock().world.point(b.id, vector(&local)?), "body")
    });
    engine.register_fn("push", |b: &mut Body, force: Dynamic| {
        let world = &mut b.host.lock().world;
        let at = found(world.center_of_mass(b.id), "body")?;
        told(world.apply_force(b.id, vector(&force)?, at))
    });
    engine.register_fn("push", |b: &mut Body, force: Dynamic, at: Dynamic| {
        told(b.host.lock().world.apply_force(b.id, vector(&force)?, vector(&at)?))
    });
    engine.register_fn("twist", |b: &mut Body, torque: Dynamic| {
        told(b.host.lock().world.apply_torque(b.id, vector(&torque)?))
    });
    engine.register_fn("kick", |b: &mut Body, impulse: Dynamic| {
        let world = &mut b.host.lock().world;
        let at = found(world.center_of_mass(b.id), "body")?;
        told(world.apply_impulse(b.id, vector(&impulse)?, at))
    });
}

fn joints(engine: &mut Engine, host: &Host, prefix: &str) {
    type Joint = Handle<JointId>;
    lookup::<JointId>(engine, host, prefix, "joint", |w, n| w.joint_named(n));
    let coordinates =
        [Coordinate::Angle, Coordinate::Position, Coordinate::Length, Coordinate::Swing];
    for c in coordinates {
        engine.register_get(c.name(), move |j: &mut Joint| coordinate(j, c, false));
        engine.register_get(format!("{}_rate", c.name()), move |j: &mut Joint| {
            coordinate(j, c, true)
        });
    }
    engine.register_get("force", |j: &mut Joint| {
        j.host.lock().world.reaction(j.id).unwrap_or_default().force
    });
    engine.register_get("torque", |j: &mut Joint| {
        j.host.lock().world.reaction(j.id).unwrap_or_default().torque
    });
    engine.register_get("error", |j: &mut Joint| {
        found(j.host.lock().world.joint_error(j.id).map(|e| e.0), "joint")
    });
    engine.register_get_set(
        "active",
        |j: &mut Joint| found(j.host.lock().world.joint(j.id).map(|d| d.active), "joint"),
        |j: &mut Joint, on: bool| told(j.host.lock().world.set_joint_active(j.id, on)),
    );
}

fn coordinate(joint: &Handle<JointId>, c: Coordinate, rate: bool) -> Outcome<f64> {
    let world = &joint.host.lock().world;
    let value =
        if rate { world.coordinate_rate(joint.id, c) } else { world.coordinate(joint.id, c) };
    value.map_or_else(|| refuse(format!("this joint has no {}", c.name())), Ok)
}

fn motors(engine: &mut Engine, host: &Host, prefix: &str) {
    type Motor = Handle<MotorId>;
    lookup::<MotorId>(engine, host, prefix, "motor", |w, n| w.motor_named(n));
    fn change(
        motor: &Motor,
        to: impl FnOnce(&mut kreisel_dynamics::Motor) -> Outcome<()>,
    ) -> Outcome<()> {
        let world = &mut motor.host.lock().world;
        let mut new = found(world.motor(motor.id).cloned(), "motor")?;
        to(&mut new)?;
        told(world.set_motor(motor.id, new))
    }
    engine.register_get("effort", |m: &mut Motor| {
        m.host.lock().world.motor_effort(m.id).unwrap_or(0.0)
    });
    engine.register_set("effort", |m: &mut Motor, x: Dynamic| {
        let x = real(&x)?;
        change(m, |motor| {
            motor.control = Control::Effort(Schedule::constant(x));
            Ok(())
        })
    });
    engine.register_set("velocity", |m: &mut Motor, x: Dynamic| {
        let x = real(&x)?;
        change(m, |motor| {
            motor.control = Control::Velocity(Schedule::constant(x));
            Ok(())
        })
    });
    engine.register_set("target", |m: &mut Motor, x: Dynamic| {
        let x = real(&x)?;
        change(m, |motor| match &mut motor.control {
            Control::Servo { set, .. } => {
                *set = Schedule::constant(x);
                Ok(())
            }
            _ => refuse("only a servo has a target: set `effort` or `velocity`"),
        })
    });
    engine.register_set("voltage", |m: &mut Motor, x: Dynamic| {
        let x = real(&x)?;
        change(m, |motor| match &mut motor.control {
            Control::Electric { voltage, .. } => {
                *voltage = Schedule::constant(x);
                Ok(())
            }
            _ => {
                refuse("only an electric motor has a voltage: set `effort`, `velocity` or `target`")
            }
        })
    });
    engine.register_get("max_effort", |m: &mut Motor| {
        found(m.host.lock().world.motor(m.id).map(|d| d.max_effort), "motor")
    });
    engine.register_set("max_effort", |m: &mut Motor, x: Dynamic| {
        let x = real(&x)?;
        change(m, |motor| {
            motor.max_effort = x;
            Ok(())
        })
    });
}

/// Colliders: whether they touch anything; all else by `get` and `set`.
fn colliders(engine: &mut Engine, host: &Host, prefix: &str) {
    type Surface = Handle<ColliderId>;
    lookup::<ColliderId>(engine, host, prefix, "collider", |w, n| w.collider_named(n));
    engine.register_get("active", |c: &mut Surface| {
        found(c.host.lock().world.collider(c.id).map(|d| d.active), "collider")
    });
    engine.register_set("active", |c: &mut Surface, active: bool| {
        let world = &mut c.host.lock().world;
        let old = found(world.collider(c.id).cloned(), "collider")?;
        told(world.set_collider(c.id, Collider { active, ..old }))
    });
}

/// A single number, a vector, or an array of more; () before the first value.
fn sensors(engine: &mut Engine, host: &Host, prefix: &str) {
    type Sensor = Handle<SensorId>;
    lookup::<SensorId>(engine, host, prefix, "sensor", |w, n| w.sensor_named(n));
    engine.register_get("value", |s: &mut Sensor| {
        let world = &s.host.lock().world;
        found(world.sensor(s.id).map(|_| ()), "sensor")?;
        Outcome::Ok(match world.sensor_value(s.id).as_deref() {
            None => Dynamic::UNIT,
            Some(&[x]) => x.into(),
            Some(&[x, y, z]) => Dynamic::from(Vec3::new(x, y, z)),
            Some(all) => Dynamic::from_array(all.iter().map(|x| (*x).into()).collect()),
        })
    });
}

fn springs(engine: &mut Engine, host: &Host, prefix: &str) {
    type Spring = Handle<SpringId>;
    lookup::<SpringId>(engine, host, prefix, "spring", |w, n| w.spring_named(n));
    fn numbers(world: &World, id: SpringId) -> Outcome<[f64; 3]> {
        let spring = found(world.spring(id), "spring")?;
        Ok([spring.stiffness, spring.damping, found(world.spring_length(id), "spring")?])
    }
    for (k, name) in ["stiffness", "damping", "length"].into_iter().enumerate() {
        engine.register_get(name, move |s: &mut Spring| {
            Ok::<_, Box<EvalAltResult>>(numbers(&s.host.lock().world, s.id)?[k])
        });
        engine.register_set(name, move |s: &mut Spring, x: Dynamic| {
            let world = &mut s.host.lock().world;
            let mut all = numbers(world, s.id)?;
            all[k] = real(&x)?;
            let mut new = found(world.spring(s.id).cloned(), "spring")?;
            (new.stiffness, new.damping, new.length) = (all[0], all[1], Some(all[2]));
            told(world.set_spring(s.id, new))
        });
    }
}
