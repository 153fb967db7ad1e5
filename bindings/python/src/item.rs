//! An item by name: all its properties as attributes, read and set through the session's list of
//! properties, and its measured quantities by the paths of recordings.

use crate::core::{Core, KINDS, exists, names};
use crate::item_kinds::{Body, Joint, Motor};
use crate::{errors, value};
use kreisel_cli::paths;
use kreisel_session::protocol::{Command, Field, Property};
use kreisel_session::session::Session;
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyAttributeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// An item of a world. It knows its name only: it speaks of whatever has that name now.
#[pyclass(frozen, subclass, module = "kreisel._native")]
pub struct Item {
    pub world: Py<Core>,
    pub kind: &'static str,
    /// Its name.
    #[pyo3(get)]
    pub name: String,
}

/// A property's key as an attribute: `effort now` is `effort_now`.
fn attribute(key: &str) -> String {
    key.replace([' ', '-'], "_")
}

impl Item {
    /// The part that all kinds share, for an item that exists.
    pub fn base(world: &Bound<'_, Core>, kind: &'static str, name: &str) -> PyResult<Self> {
        let py = world.py();
        if world.get().read(py, |w| exists(w, kind, name))? {
            return Ok(Self { world: world.clone().unbind(), kind, name: name.to_owned() });
        }
        // what may be meant: of this kind first, then of any
        let all = world.get().read(py, |w| {
            let other = KINDS.into_iter().find(|k| exists(w, k, name));
            (names(w, kind), other)
        })?;
        match all.1 {
            Some(other) => Err(errors::raise(
                py,
                "UnknownName",
                format!(
                    "there is no {kind} \"{name}\"; it is a {other}: take .{other}(\"{name}\")"
                ),
            )),
            None => Err(errors::unknown(py, kind, name, all.0.iter().map(String::as_str))),
        }
    }

    /// The item of a name: of any kind where `kind` is empty.
    pub fn find(world: &Bound<'_, Core>, kind: &str, name: &str) -> PyResult<Py<Self>> {
        let py = world.py();
        let kind = if kind.is_empty() {
            let found = world.get().read(py, |w| KINDS.into_iter().find(|k| exists(w, k, name)))?;
            match found {
                Some(kind) => kind,
                None if name == "world" => "world",
                None => {
                    let all: Vec<String> = world
                        .get()
                        .read(py, |w| KINDS.iter().flat_map(|k| names(w, k)).collect())?;
                    return Err(errors::unknown(py, "item", name, all.iter().map(String::as_str)));
                }
            }
        } else if kind == "world" {
            "world"
        } else {
            let known = KINDS.into_iter().find(|k| *k == kind);
            known.ok_or_else(|| errors::unknown(py, "kind of item", kind, KINDS.into_iter()))?
        };
        let upcast =
            |any: Bound<'_, PyAny>| any.cast_into::<Self>().map(Bound::unbind).map_err(PyErr::from);
        match kind {
            "body" => upcast(Body::new(world, name)?.into_bound(py).into_any()),
            "joint" => upcast(Joint::new(world, name)?.into_bound(py).into_any()),
            "motor" => upcast(Motor::new(world, name)?.into_bound(py).into_any()),
            _ => Py::new(py, Self::base(world, kind, name)?),
        }
    }

    /// Does something with the session.
    pub fn with<R>(&self, py: Python<'_>, action: impl FnOnce(&mut Session) -> R) -> PyResult<R> {
        self.world.get().with(py, action)
    }

    /// The error of a name that nothing has any more.
    pub fn gone(&self, py: Python<'_>) -> PyErr {
        let all = self.world.get().read(py, |w| names(w, self.kind)).unwrap_or_default();
        errors::unknown(py, self.kind, &self.name, all.iter().map(String::as_str))
    }

    /// Its properties with their present values.
    fn list(&self, py: Python<'_>) -> PyResult<Vec<Property>> {
        // a body is called before a joint of the same name, and names are unique: the kind is the
        // same
        let found = self.with(py, |s| s.inspect(&self.name))?;
        found.map(|i| i.properties).map_err(|_| self.gone(py))
    }

    /// The property of a key or attribute.
    fn property(&self, py: Python<'_>, key: &str) -> PyResult<Option<Property>> {
        let mut list = self.list(py)?;
        let at = list
            .iter()
            .position(|p| p.key == key)
            .or_else(|| list.iter().position(|p| attribute(&p.key) == key));
        Ok(at.map(|k| list.swap_remove(k)))
    }

    /// A measured quantity, if there is one of this name.
    fn quantity<'py>(&self, py: Python<'py>, what: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        measure(self.world.get(), py, &format!("{}.{what}", self.name))
            .map(|found| found.ok())
            .map_or(Ok(None), Ok)
    }

    /// What to say of a key that is no property.
    pub fn unknown(&self, py: Python<'_>, key: &str) -> PyErr {
        if self.kind == "joint" && key == "motor" {
            let name = &self.name;
            let message = format!(
                "no motor drives joint \"{name}\"; add one with add_motor(joint=\"{name}\", effort=0)"
            );
            return errors::raise(py, "UnknownProperty", message);
        }
        let own: Vec<String> =
            self.list(py).unwrap_or_default().iter().map(|p| attribute(&p.key)).collect();
        let more =
            ["angle", "position", "velocity", "force", "torque", "error", "motor", "name", "kind"];
        let near = kreisel_scene::nearest(key, own.iter().map(String::as_str).chain(more));
        let help = match near {
            Some(near) if near != key => format!("; did you mean \"{near}\"?"),
            _ => format!("; it has {}", own.join(", ")),
        };
        let what = if self.kind == "world" {
            "the world".into()
        } else {
            format!("{} \"{}\"", self.kind, self.name)
        };
        errors::raise(py, "UnknownProperty", format!("{what} has no property \"{key}\"{help}"))
    }
}

/// The values of a path of recordings: a number, or an array of components.
pub fn measure<'py>(
    core: &Core,
    py: Python<'py>,
    path: &str,
) -> PyResult<Result<Bound<'py, PyAny>, String>> {
    Ok(match core.with(py, |s| paths::values(s, path))? {
        Ok(row) if row.len() == 1 => Ok(row[0].into_bound_py_any(py)?),
        Ok(row) => Ok(PyArray1::from_slice(py, &row).into_any()),
        Err(e) => Err(e),
    })
}

#[pymethods]
impl Item {
    /// A world keeps items that it has given: the collector of garbage must see the circle.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.world)
    }

    /// What it is: "body", "joint", …
    #[getter]
    fn item_kind(&self) -> &'static str {
        self.kind
    }

    /// The value of a property by its key, such as "limits.angle.max", or of a measured quantity.
    fn get<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.property(py, key)? {
            Some(p) => value::to_python(py, &p.value),
            None => self.quantity(py, key)?.ok_or_else(|| self.unknown(py, key)),
        }
    }

    /// Sets a property by its key. A refused value changes nothing.
    fn set(&self, py: Python<'_>, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let property = self.property(py, key)?.ok_or_else(|| self.unknown(py, key))?;
        let value = value::property(value, &property)?;
        let command = Command::Set { object: self.name.clone(), key: property.key, value };
        self.with(py, |s| s.apply(0, &command))?.map_err(|e| errors::command(py, &e))
    }

    /// All properties: dictionaries with key, value, unit, doc, group, form and bounds.
    fn _properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let out = PyList::empty(py);
        for p in self.list(py)? {
            let d = PyDict::new(py);
            d.set_item("key", &p.key)?;
            d.set_item("attribute", attribute(&p.key))?;
            d.set_item("value", value::to_python(py, &p.value)?)?;
            d.set_item("unit", &p.unit)?;
            d.set_item("doc", &p.doc)?;
            d.set_item("group", &p.group)?;
            let (form, settable) = match &p.field {
                Field::Number { min, max, optional } => {
                    d.set_item("min", min)?;
                    d.set_item("max", max)?;
                    (if *optional { "number or none" } else { "number" }, true)
                }
                Field::Choice(words) => {
                    d.set_item("words", words)?;
                    ("word", true)
                }
                Field::Vector => ("vector", true),
                Field::Text => ("text", true),
                Field::Toggle => ("flag", true),
                Field::Curve => ("curve", true),
                Field::Fixed => (fixed(&p.value), false),
            };
            d.set_item("form", form)?;
            d.set_item("settable", settable)?;
            out.append(d)?;
        }
        Ok(out)
    }

    /// A property, a measured quantity, or a group of properties such as `limits`.
    fn __getattr__<'py>(slf: &Bound<'py, Self>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        if key.starts_with('_') {
            return Err(errors::raise(py, "UnknownProperty", format!("no attribute \"{key}\"")));
        }
        let list = this.list(py)?;
        if let Some(p) = list.iter().find(|p| attribute(&p.key) == key) {
            return value::to_python(py, &p.value);
        }
        let prefix = format!("{key}.");
        if list.iter().any(|p| attribute(&p.key).starts_with(&prefix)) {
            return py.import("kreisel.items")?.getattr("Group")?.call1((slf, key));
        }
        this.quantity(py, key)?.ok_or_else(|| this.unknown(py, key))
    }

    /// What the class itself sets (`motor.effort`), else a property.
    fn __setattr__(slf: &Bound<'_, Self>, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = slf.py();
        match slf.get_type().getattr(key) {
            Ok(own) if key != "name" => {
                own.call_method1("__set__", (slf, value)).map(|_| ()).map_err(|e| {
                    let fixed = e.is_instance_of::<PyAttributeError>(py)
                        && !own.hasattr("__call__").unwrap_or(true);
                    if fixed {
                        errors::refused(py, format!("{key} is measured and cannot be set"))
                    } else {
                        e
                    }
                })
            }
            Ok(_) => {
                Err(errors::refused(py, "an item is called otherwise by world.rename(old, new)"))
            }
            Err(_) => slf.get().set(py, key, value),
        }
    }

    /// Attributes, for completion in a shell.
    fn _attributes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.list(py)?.iter().map(|p| attribute(&p.key)).collect())
    }

    fn __repr__(&self) -> String {
        format!("<{} \"{}\">", self.kind, self.name)
    }
}

/// The form of a value that is only shown.
fn fixed(value: &kreisel_session::protocol::PropertyValue) -> &'static str {
    use kreisel_session::protocol::PropertyValue as V;
    match value {
        V::Number(_) => "number or none",
        V::Vector(_) => "vector",
        V::Text(_) => "text",
        V::Toggle(_) => "flag",
        V::Curve(_) => "curve",
    }
}
