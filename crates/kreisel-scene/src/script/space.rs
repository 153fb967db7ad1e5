//! Vectors for scripts: `vec(1, 2, 3)`, or an array of three numbers wherever a vector is wanted.

use super::numbers::{number, refuse};
use kreisel_dynamics::Vec3;
use rhai::{Dynamic, Engine, EvalAltResult};

/// A vector, or an array of three numbers.
pub(super) fn vector(value: &Dynamic) -> Result<Vec3, Box<EvalAltResult>> {
    if let Some(v) = value.clone().try_cast::<Vec3>() {
        return Ok(v);
    }
    if let Ok(items) = value.as_array_ref()
        && let [x, y, z] = items.as_slice()
        && let (Some(x), Some(y), Some(z)) = (number(x), number(y), number(z))
    {
        return Ok(Vec3::new(x, y, z));
    }
    refuse("expected a vector: vec(x, y, z) or [x, y, z]")
}

/// Registers vectors and their operations.
pub(super) fn register(engine: &mut Engine) {
    engine.register_type_with_name::<Vec3>("vector");
    engine.register_fn("vec", |x: Dynamic, y: Dynamic, z: Dynamic| {
        match (number(&x), number(&y), number(&z)) {
            (Some(x), Some(y), Some(z)) => Ok(Vec3::new(x, y, z)),
            _ => refuse("vec takes three numbers"),
        }
    });
    engine.register_get_set("x", |v: &mut Vec3| v.x, |v: &mut Vec3, x: f64| v.x = x);
    engine.register_get_set("y", |v: &mut Vec3| v.y, |v: &mut Vec3, y: f64| v.y = y);
    engine.register_get_set("z", |v: &mut Vec3| v.z, |v: &mut Vec3, z: f64| v.z = z);
    engine.register_fn("+", |a: Vec3, b: Vec3| a + b);
    engine.register_fn("-", |a: Vec3, b: Vec3| a - b);
    engine.register_fn("-", |a: Vec3| -a);
    engine.register_fn("*", |a: Vec3, k: f64| a * k);
    engine.register_fn("*", |k: f64, a: Vec3| a * k);
    engine.register_fn("*", |a: Vec3, k: i64| a * k as f64);
    engine.register_fn("*", |k: i64, a: Vec3| a * k as f64);
    engine.register_fn("/", |a: Vec3, k: f64| a / k);
    engine.register_fn("/", |a: Vec3, k: i64| a / k as f64);
    engine.register_fn("==", |a: Vec3, b: Vec3| a == b);
    engine.register_fn("dot", |a: Vec3, b: Vec3| a.dot(b));
    engine.register_fn("cross", |a: Vec3, b: Vec3| a.cross(b));
    engine.register_get("length", |a: &mut Vec3| a.length());
    engine.register_fn("normalize", |a: Vec3| a.normalize_or_zero());
    engine.register_fn("to_string", |a: &mut Vec3| format!("[{}, {}, {}]", a.x, a.y, a.z));
}
