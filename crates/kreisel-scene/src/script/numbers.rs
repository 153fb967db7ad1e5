//! Mathematics for scripts: the functions of the expression language, from the compiled-in library.

use crate::expr::random;
use rhai::{Dynamic, Engine, EvalAltResult, Position};

/// A number of either kind.
pub(super) fn number(value: &Dynamic) -> Option<f64> {
    value.as_float().ok().or_else(|| value.as_int().ok().map(|i| i as f64))
}

/// An error that a function of the scene raises; the engine adds the place of the call.
pub(super) fn refuse<T>(message: impl Into<String>) -> Result<T, Box<EvalAltResult>> {
    Err(Box::new(EvalAltResult::ErrorRuntime(message.into().into(), Position::NONE)))
}

/// Registers the functions for floats and integers.
pub(super) fn register(engine: &mut Engine) {
    let one: [(&str, fn(f64) -> f64); 14] = [
        ("sin", libm::sin),
        ("cos", libm::cos),
        ("tan", libm::tan),
        ("asin", libm::asin),
        ("acos", libm::acos),
        ("exp", libm::exp),
        ("ln", libm::log),
        ("log2", libm::log2),
        ("sqrt", f64::sqrt),
        ("floor", f64::floor),
        ("ceil", f64::ceil),
        ("round", f64::round),
        ("deg", f64::to_radians),
        ("to_float", |x| x),
    ];
    for (name, function) in one {
        engine.register_fn(name, function);
        engine.register_fn(name, move |x: i64| function(x as f64));
    }
    let two: [(&str, fn(f64, f64) -> f64); 3] =
        [("atan2", libm::atan2), ("pow", libm::pow), ("hypot", |x, y| (x * x + y * y).sqrt())];
    for (name, function) in two {
        engine.register_fn(name, move |x: Dynamic, y: Dynamic| match (number(&x), number(&y)) {
            (Some(x), Some(y)) => Ok(function(x, y)),
            _ => refuse(format!("{name} takes two numbers")),
        });
    }
    // Casts saturate: no input makes them fail.
    engine.register_fn("to_int", |x: f64| x as i64);
    engine.register_fn("to_int", |x: i64| x);
    engine.register_fn("pi", || std::f64::consts::PI);
    engine.register_fn("rand", |x: Dynamic| {
        number(&x).map_or_else(|| refuse("rand takes a number"), |x| Ok(random(&[x])))
    });
    engine.register_fn("rand", |x: Dynamic, y: Dynamic| match (number(&x), number(&y)) {
        (Some(x), Some(y)) => Ok(random(&[x, y])),
        _ => refuse("rand takes numbers"),
    });
}
