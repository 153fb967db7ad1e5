//! Values of properties from Python and back. NumPy scalars and arrays are taken wherever numbers
//! are.

use crate::errors::refused;
use kreisel_session::protocol::{Field, Property, PropertyValue as V, ScheduleSpec};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// A number: whatever has `__float__` and is no text.
pub fn number(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract::<f64>().or_else(|e| match value.call_method0("__float__") {
        Ok(x) if !value.is_instance_of::<PyString>() => x.extract(),
        _ => Err(e),
    })
}

/// Three numbers.
pub fn vector(value: &Bound<'_, PyAny>) -> PyResult<[f64; 3]> {
    array::<3>(value)
}

/// As many numbers as wanted.
pub fn array<const N: usize>(value: &Bound<'_, PyAny>) -> PyResult<[f64; N]> {
    let wrong = |found: String| refused(value.py(), format!("expected {N} numbers, found {found}"));
    let items = value.try_iter().map_err(|_| wrong(shown(value)))?;
    let numbers: Vec<f64> =
        items.map(|x| number(&x?)).collect::<PyResult<_>>().map_err(|_| wrong(shown(value)))?;
    let count = numbers.len();
    numbers.try_into().map_err(|_| wrong(count.to_string()))
}

/// A value in a message.
fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "something else".into(), |r| r.to_string())
}

/// The value that a property is to get.
pub fn property(value: &Bound<'_, PyAny>, property: &Property) -> PyResult<V> {
    let wrong = |what: &str| {
        let unit =
            if property.unit.is_empty() { String::new() } else { format!(" in {}", property.unit) };
        refused(value.py(), format!("{} takes {what}{unit}, not {}", property.key, shown(value)))
    };
    match &property.field {
        Field::Number { optional, .. } => {
            if value.is_none() {
                return if *optional { Ok(V::Number(None)) } else { Err(wrong("a number")) };
            }
            let x = number(value).map_err(|_| wrong("a number"))?;
            // No limit: as None.
            if x == f64::INFINITY && *optional { Ok(V::Number(None)) } else { Ok(V::Number(Some(x))) }
        }
        Field::Vector => vector(value).map(V::Vector).map_err(|_| wrong("three numbers")),
        // what has no field of its own is a text in TOML
        Field::Text => match value.extract() {
            Ok(text) => Ok(V::Text(text)),
            Err(_) => toml(value).map(V::Text).ok_or_else(|| wrong("a text")),
        },
        // an order may be written as a number
        Field::Choice(words) => {
            let word = value.str()?.to_string();
            if words.contains(&word) { Ok(V::Text(word)) } else { Err(wrong(&format!("one of {}", words.join(", ")))) }
        }
        Field::Toggle => flag(value).map(V::Toggle).ok_or_else(|| wrong("True or False")),
        Field::Curve => curve(value)
            .map(V::Curve)
            .map_err(|_| wrong("a number, points [(t, value), …], or { \"points\": …, \"interpolation\": \"hold\" }")),
        Field::Fixed => Err(refused(value.py(), format!("{} is measured and cannot be set", property.key))),
    }
}

/// A value as TOML: numbers, truth values, lists and dictionaries.
fn toml(value: &Bound<'_, PyAny>) -> Option<String> {
    if value.is_none() {
        return Some("none".into());
    }
    if let Ok(text) = value.extract::<String>() {
        return serde_json::to_string(&text).ok();
    }
    if let Some(flag) = flag(value) {
        return Some(flag.to_string());
    }
    if let Ok(x) = number(value) {
        return x.is_finite().then(|| format!("{x:?}"));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let entry = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Some(format!(
                "{} = {}",
                serde_json::to_string(&key.extract::<String>().ok()?).ok()?,
                toml(&value)?
            ))
        };
        return Some(format!(
            "{{ {} }}",
            dict.iter().map(entry).collect::<Option<Vec<_>>>()?.join(", ")
        ));
    }
    let items = value.try_iter().ok()?.map(|x| toml(&x.ok()?)).collect::<Option<Vec<_>>>()?;
    Some(format!("[{}]", items.join(", ")))
}

/// A truth value of Python or NumPy, and nothing else.
fn flag(value: &Bound<'_, PyAny>) -> Option<bool> {
    let class = value.get_type().name().ok()?.to_string();
    if matches!(class.as_str(), "bool" | "bool_") { value.is_truthy().ok() } else { None }
}

/// A value over time.
pub fn curve(value: &Bound<'_, PyAny>) -> PyResult<ScheduleSpec> {
    if let Ok(x) = number(value) {
        return Ok(ScheduleSpec { points: vec![(0.0, x)], interpolation: "hold".into() });
    }
    let (points, interpolation) = match value.cast::<PyDict>() {
        Ok(dict) => {
            let missing = || refused(value.py(), "a curve needs points");
            let word = dict.get_item("interpolation")?.map(|w| w.extract()).transpose()?;
            (dict.get_item("points")?.ok_or_else(missing)?, word)
        }
        Err(_) => (value.clone(), None),
    };
    let pair = |p: PyResult<Bound<'_, PyAny>>| array::<2>(&p?).map(|[t, y]| (t, y));
    let points = points.try_iter()?.map(pair).collect::<PyResult<Vec<_>>>()?;
    Ok(ScheduleSpec { points, interpolation: interpolation.unwrap_or_else(|| "linear".into()) })
}

/// The value of a property for Python: `None` where there is no limit.
pub fn to_python<'py>(py: Python<'py>, value: &V) -> PyResult<Bound<'py, PyAny>> {
    match value {
        V::Number(x) => x.into_bound_py_any(py),
        V::Vector(v) => Ok(PyArray1::from_slice(py, v).into_any()),
        V::Text(t) => t.into_bound_py_any(py),
        V::Toggle(t) => t.into_bound_py_any(py),
        V::Curve(c) => {
            let out = PyDict::new(py);
            out.set_item("points", &c.points)?;
            out.set_item("interpolation", &c.interpolation)?;
            Ok(out.into_any())
        }
    }
}

/// The value of a remote property for the wire: the property as JSON, the value in JSON.
#[pyfunction]
pub fn to_wire(property: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let wrong = |e: serde_json::Error| refused(value.py(), e.to_string());
    let known: Property = serde_json::from_str(property).map_err(wrong)?;
    serde_json::to_string(&self::property(value, &known)?).map_err(wrong)
}

/// A value from the wire for Python.
#[pyfunction]
pub fn from_wire<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let value: V = serde_json::from_str(text).map_err(|e| refused(py, e.to_string()))?;
    to_python(py, &value)
}
