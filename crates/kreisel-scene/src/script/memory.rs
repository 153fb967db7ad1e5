//! What scripts remember (`this`), written down: plain values, vectors, and items by their names.

use super::host::{Handle, Host};
use super::running::Running;
use kreisel_dynamics::{BodyId, ColliderId, JointId, MotorId, SensorId, SpringId, Vec3, World};
use rhai::{Array, Blob, Dynamic, Map};
use serde::{Deserialize, Serialize};

/// Most values that a script's memory may have to be written down, and how deep they may lie.
const MOST_VALUES: usize = 100_000;
const DEEPEST: usize = 32;

/// The memory of a script with what it was doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptMemory {
    state: Remembered,
    /// Procedures that have not failed.
    on: Vec<String>,
    next: (usize, u64),
    started: bool,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Remembered {
    Unit,
    Flag(bool),
    Whole(i64),
    Number(f64),
    Letter(char),
    Text(String),
    Bytes(Vec<u8>),
    Vector([f64; 3]),
    List(Vec<Remembered>),
    Table(Vec<(String, Remembered)>),
    Body(String),
    Joint(String),
    Motor(String),
    Spring(String),
    Sensor(String),
    Collider(String),
}

/// The value as it is written; none for what only a running script can hold (functions, items that
/// are gone).
fn remember(value: &Dynamic, world: &World, left: &mut usize, depth: usize) -> Option<Remembered> {
    *left = left.checked_sub(1)?;
    if depth > DEEPEST {
        return None;
    }
    // a value that closures share is written as it is now
    let value = &value.flatten_clone();
    let named = |name: Option<std::sync::Arc<str>>| name.map(|n| n.to_string());
    Some(if value.is_unit() {
        Remembered::Unit
    } else if let Ok(x) = value.as_bool() {
        Remembered::Flag(x)
    } else if let Ok(x) = value.as_int() {
        Remembered::Whole(x)
    } else if let Ok(x) = value.as_float() {
        Remembered::Number(x)
    } else if let Ok(x) = value.as_char() {
        Remembered::Letter(x)
    } else if let Ok(x) = value.as_immutable_string_ref() {
        Remembered::Text(x.to_string())
    } else if let Some(v) = value.read_lock::<Vec3>() {
        Remembered::Vector(v.to_array())
    } else if let Some(b) = value.read_lock::<Blob>() {
        Remembered::Bytes(b.clone())
    } else if let Some(list) = value.read_lock::<Array>() {
        Remembered::List(
            list.iter().map(|v| remember(v, world, left, depth + 1)).collect::<Option<_>>()?,
        )
    } else if let Some(map) = value.read_lock::<Map>() {
        let one = |(k, v): (&_, &Dynamic)| {
            Some((String::clone(&format!("{k}")), remember(v, world, left, depth + 1)?))
        };
        Remembered::Table(map.iter().map(one).collect::<Option<_>>()?)
    } else if let Some(h) = value.read_lock::<Handle<BodyId>>() {
        Remembered::Body(named(world.body_name(h.id))?)
    } else if let Some(h) = value.read_lock::<Handle<JointId>>() {
        Remembered::Joint(named(world.joint_name(h.id))?)
    } else if let Some(h) = value.read_lock::<Handle<MotorId>>() {
        Remembered::Motor(named(world.motor_name(h.id))?)
    } else if let Some(h) = value.read_lock::<Handle<SpringId>>() {
        Remembered::Spring(named(world.spring_name(h.id))?)
    } else if let Some(h) = value.read_lock::<Handle<SensorId>>() {
        Remembered::Sensor(named(world.sensor_name(h.id))?)
    } else if let Some(h) = value.read_lock::<Handle<ColliderId>>() {
        Remembered::Collider(named(world.collider_name(h.id))?)
    } else {
        return None;
    })
}

/// The value as a script holds it; what is gone is nothing.
fn recall(value: &Remembered, world: &World, host: &Host) -> Dynamic {
    fn item<I: Clone + Send + Sync + 'static>(host: &Host, id: Option<I>) -> Dynamic {
        id.map_or(Dynamic::UNIT, |id| Dynamic::from(Handle { host: host.clone(), id }))
    }
    match value {
        Remembered::Unit => Dynamic::UNIT,
        Remembered::Flag(x) => (*x).into(),
        Remembered::Whole(x) => (*x).into(),
        Remembered::Number(x) => (*x).into(),
        Remembered::Letter(x) => (*x).into(),
        Remembered::Text(x) => x.clone().into(),
        Remembered::Bytes(x) => Dynamic::from_blob(x.clone()),
        Remembered::Vector(v) => Dynamic::from(Vec3::from_array(*v)),
        Remembered::List(list) => {
            list.iter().map(|v| recall(v, world, host)).collect::<Array>().into()
        }
        Remembered::Table(list) => {
            let map: Map =
                list.iter().map(|(k, v)| (k.as_str().into(), recall(v, world, host))).collect();
            map.into()
        }
        Remembered::Body(name) => item(host, world.body_named(name)),
        Remembered::Joint(name) => item(host, world.joint_named(name)),
        Remembered::Motor(name) => item(host, world.motor_named(name)),
        Remembered::Spring(name) => item(host, world.spring_named(name)),
        Remembered::Sensor(name) => item(host, world.sensor_named(name)),
        Remembered::Collider(name) => item(host, world.collider_named(name)),
    }
}

/// The value with its items in another run: a handle reaches the world through the run that it was
/// made in.
pub(super) fn of_host(value: &Dynamic, host: &Host) -> Dynamic {
    fn item<I: Copy + Send + Sync + 'static>(value: &Dynamic, host: &Host) -> Option<Dynamic> {
        let id = value.read_lock::<Handle<I>>()?.id;
        Some(Dynamic::from(Handle { host: host.clone(), id }))
    }
    let value = &value.flatten_clone();
    if let Some(list) = value.read_lock::<Array>() {
        return list.iter().map(|v| of_host(v, host)).collect::<Array>().into();
    }
    if let Some(map) = value.read_lock::<Map>() {
        return map.iter().map(|(k, v)| (k.clone(), of_host(v, host))).collect::<Map>().into();
    }
    item::<BodyId>(value, host)
        .or_else(|| item::<JointId>(value, host))
        .or_else(|| item::<MotorId>(value, host))
        .or_else(|| item::<SpringId>(value, host))
        .or_else(|| item::<SensorId>(value, host))
        .or_else(|| item::<ColliderId>(value, host))
        .unwrap_or_else(|| value.clone())
}

impl Running {
    /// What the script remembers; none if it holds something that cannot be written down.
    pub fn memory(&self, world: &World) -> Option<ScriptMemory> {
        let state = remember(&self.state, world, &mut MOST_VALUES.clone(), 0)?;
        let on = self.on.iter().map(|n| (*n).to_owned()).collect();
        Some(ScriptMemory { state, on, next: self.next, started: self.started })
    }

    /// The script with what it remembered.
    pub fn with_memory(mut self, memory: &ScriptMemory, world: &World) -> Self {
        self.state = recall(&memory.state, world, &self.host);
        // a procedure that is no longer there stays off
        self.on.retain(|n| memory.on.iter().any(|m| m == n));
        (self.next, self.started) = (memory.next, memory.started);
        self
    }
}
