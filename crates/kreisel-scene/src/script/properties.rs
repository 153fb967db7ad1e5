//! `get("spring 1.stiffness")` and `set("spring 1.stiffness", 20)`: any property of any kind that
//! has a table, by its path.

use super::host::Host;
use super::numbers::{number, refuse};
use crate::items::Item;
use crate::property::Value;
use kreisel_dynamics::Vec3;
use rhai::{Array, Dynamic, Engine, EvalAltResult, Map};

type Outcome<T> = Result<T, Box<EvalAltResult>>;

/// Registers both; names are looked up with the script's prefix, the world's own without it.
pub(super) fn register(engine: &mut Engine, host: &Host, prefix: &str) {
    let (shared, own) = (host.clone(), prefix.to_owned());
    engine.register_fn("get", move |path: &str| {
        let inner = shared.lock();
        let whole = whole(path, &own);
        let Some((item, keys)) = Item::of_path(&inner.world, &inner.run, &whole) else {
            return nothing(path);
        };
        match item.get(&inner.world, &inner.run, keys) {
            Ok(value) => Ok(to_script(value)),
            Err(fault) => refuse(fault.to_string()),
        }
    });
    let (shared, own) = (host.clone(), prefix.to_owned());
    engine.register_fn("set", move |path: &str, value: Dynamic| {
        let mut inner = shared.lock();
        let inner = &mut *inner;
        let whole = whole(path, &own);
        let Some((item, keys)) = Item::of_path(&inner.world, &inner.run, &whole) else {
            return nothing(path);
        };
        let value = of_script(&value)?;
        item.set(&mut inner.world, &mut inner.run, keys, value)
            .or_else(|fault| refuse(fault.to_string()))
    });
}

/// The path with the prefix of the instance that the script belongs to.
fn whole(path: &str, prefix: &str) -> String {
    if path.starts_with("world.") { path.to_owned() } else { format!("{prefix}{path}") }
}

fn nothing<T>(path: &str) -> Outcome<T> {
    refuse(format!("\"{path}\" is no property: write NAME.KEY, such as \"world.gravity\""))
}

/// Three numbers are a vector, as everywhere in scripts.
fn to_script(value: Value) -> Dynamic {
    if let Some(&[x, y, z]) = value.as_numbers().as_deref() {
        return Dynamic::from(Vec3::new(x, y, z));
    }
    match value {
        Value::None => Dynamic::UNIT,
        Value::Flag(b) => b.into(),
        Value::Number(x) => x.into(),
        Value::Text(t) => t.into(),
        Value::List(items) => items.into_iter().map(to_script).collect::<Array>().into(),
        // as the table that a scene has
        Value::Solid(_) => Value::of_toml(&value.toml()).map_or(Dynamic::UNIT, to_script),
        Value::Table(entries) => {
            let entries = entries.into_iter().map(|(k, v)| (k.into(), to_script(v)));
            Dynamic::from_map(entries.collect::<Map>())
        }
    }
}

fn of_script(value: &Dynamic) -> Outcome<Value> {
    if let Some(x) = number(value) {
        return Ok(Value::Number(x));
    }
    if let Some(v) = value.clone().try_cast::<Vec3>() {
        return Ok(Value::numbers(v.to_array()));
    }
    if let Ok(b) = value.as_bool() {
        return Ok(Value::Flag(b));
    }
    if let Ok(text) = value.clone().into_string() {
        return Ok(Value::Text(text));
    }
    if let Some(items) = value.clone().try_cast::<Array>() {
        return Ok(Value::List(items.iter().map(of_script).collect::<Outcome<_>>()?));
    }
    if let Some(map) = value.clone().try_cast::<Map>() {
        let entries = map.iter().map(|(k, v)| Ok((k.to_string(), of_script(v)?)));
        return Ok(Value::Table(entries.collect::<Outcome<_>>()?));
    }
    if value.is_unit() {
        Ok(Value::None)
    } else {
        refuse(format!("no property is a {}", value.type_name()))
    }
}
