//! Laws written in Python: adapters between the engine's traits and functions of arrays. The
//! classes that authors write are wrapped by `kreisel/plugins.py`, which knows what they return.
//!
//! A step holds its world while it asks a law. A law that asks the same world would wait for
//! itself, and is refused (`core.rs`).

use crate::errors;
use kreisel_dynamics::plugin::{
    Coefficients, ConstraintLaw, ContactLaw, Declared, ForceLaw, Law, PluginPoint, PluginRow,
    PluginState, SensorLaw, check_rows, declared, register, unregister,
};
use kreisel_dynamics::{Material, Vec3, World};
use kreisel_scene::record::{Data, Exporter, add_exporter, remove_exporter};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};

/// Exceptions of laws, by what they said, until a run raises them.
static RAISED: Mutex<VecDeque<(String, PyErr)>> = Mutex::new(VecDeque::new());

/// Most of them that are kept: a live run asks again and again.
const MOST_RAISED: usize = 32;

thread_local! {
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a law.
pub fn is_asked() -> bool {
    ASKED.get()
}

/// Marks this thread as being inside a law, until it is dropped.
struct Asked(bool);

impl Asked {
    fn new() -> Self {
        Self(ASKED.replace(true))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        ASKED.set(self.0);
    }
}

/// The exception that a law raised with these words.
pub fn raised(py: Python<'_>, name: &str, words: &str) -> PyErr {
    let mut all = RAISED.lock().unwrap_or_else(PoisonError::into_inner);
    let own = all.iter().position(|e| e.0 == words).and_then(|k| all.remove(k));
    own.map_or_else(|| errors::raise(py, "KreiselError", format!("{name}: {words}")), |e| e.1)
}

/// A function of Python that a law is made of.
struct Function(Py<PyAny>);

impl Function {
    /// Calls it, inside a step or not; an exception is kept and becomes words.
    fn call<T>(
        &self,
        ask: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> Result<T, String> {
        Python::attach(|py| {
            let _asked = Asked::new();
            ask(self.0.bind(py)).map_err(|error| {
                let words = error.to_string();
                let mut all = RAISED.lock().unwrap_or_else(PoisonError::into_inner);
                all.push_back((words.clone(), error));
                while all.len() > MOST_RAISED {
                    all.pop_front();
                }
                words
            })
        })
    }
}

/// Positions and velocities of connectors as arrays (n, 3).
fn arrays<'py>(
    py: Python<'py>,
    points: &[PluginPoint],
) -> PyResult<[Bound<'py, PyArray2<f64>>; 2]> {
    let one = |get: fn(&PluginPoint) -> Vec3| {
        let flat: Vec<f64> = points.iter().flat_map(|p| get(p).to_array()).collect();
        PyArray1::from_vec(py, flat).reshape([points.len(), 3])
    };
    Ok([one(|p| p.position)?, one(|p| p.velocity)?])
}

/// The numbers of an array that has been flattened.
fn numbers(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array: PyReadonlyArray1<'_, f64> = array.extract()?;
    Ok(array.as_array().to_vec())
}

/// (time, positions, velocities) -> forces.
struct Force {
    function: Function,
    connectors: RangeInclusive<usize>,
    velocities: bool,
}

impl ForceLaw for Force {
    fn connectors(&self) -> RangeInclusive<usize> {
        self.connectors.clone()
    }
    fn depends_on_velocities(&self) -> bool {
        self.velocities
    }
    fn forces(&self, now: &PluginState<'_>, out: &mut [Vec3]) -> Result<(), String> {
        let flat = self.function.call(|f| {
            let [x, v] = arrays(f.py(), now.points)?;
            numbers(&f.call1((now.time, x, v))?)
        })?;
        for (force, xyz) in out.iter_mut().zip(flat.chunks_exact(3)) {
            *force = Vec3::from_slice(xyz);
        }
        Ok(())
    }
}

/// (time, positions, velocities) -> values, gradients, rates.
struct Constraint {
    function: Function,
    connectors: usize,
    rows: usize,
    velocity: bool,
}

impl ConstraintLaw for Constraint {
    fn connectors(&self) -> usize {
        self.connectors
    }
    fn rows(&self) -> usize {
        self.rows
    }
    fn is_velocity(&self) -> bool {
        self.velocity
    }
    fn evaluate(&self, now: &PluginState<'_>, rows: &mut [PluginRow]) -> Result<(), String> {
        let [values, gradients, rates] = self.function.call(|f| {
            let [x, v] = arrays(f.py(), now.points)?;
            let (a, b, c): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) =
                f.call1((now.time, x, v))?.extract()?;
            Ok([numbers(&a)?, numbers(&b)?, numbers(&c)?])
        })?;
        let width = 3 * now.points.len();
        for (k, row) in rows.iter_mut().enumerate() {
            let xyz = gradients[k * width..(k + 1) * width].chunks_exact(3);
            (row.value, row.rate) = (values[k], rates[k]);
            row.gradients = xyz.map(Vec3::from_slice).collect();
        }
        Ok(())
    }
}

/// What a sensor sees: copies of the state, by name.
#[pyclass(frozen, module = "kreisel._native")]
pub struct Seen {
    /// Simulated time, s.
    #[pyo3(get)]
    time: f64,
    /// Position, rotation, velocity, angular velocity.
    bodies: BTreeMap<String, ([f64; 3], [f64; 4], [f64; 3], [f64; 3])>,
    coordinates: BTreeMap<String, [f64; 2]>,
}

impl Seen {
    fn of(world: &World) -> Self {
        let body = |id| {
            let vector = |v: Option<Vec3>| v.unwrap_or_default().to_array();
            let state = (
                vector(world.position(id)),
                world.rotation(id).unwrap_or_default().to_array(),
                vector(world.velocity(id)),
                vector(world.angular_velocity(id)),
            );
            (world.body_name(id).unwrap_or_default().to_string(), state)
        };
        let coordinate = |(joint, c): (_, kreisel_dynamics::Coordinate)| {
            let name = format!("{}.{}", world.joint_name(joint).unwrap_or_default(), c.name());
            let value = world.coordinate(joint, c).unwrap_or(f64::NAN);
            (name, [value, world.coordinate_rate(joint, c).unwrap_or(f64::NAN)])
        };
        Self {
            time: world.time(),
            bodies: world.bodies().map(body).collect(),
            coordinates: world.coordinates().map(coordinate).collect(),
        }
    }

    fn body(
        &self,
        py: Python<'_>,
        name: &str,
    ) -> PyResult<&([f64; 3], [f64; 4], [f64; 3], [f64; 3])> {
        let known = || self.bodies.keys().map(String::as_str);
        self.bodies.get(name).ok_or_else(|| errors::unknown(py, "body", name, known()))
    }

    fn pair(&self, py: Python<'_>, path: &str) -> PyResult<[f64; 2]> {
        let known = || self.coordinates.keys().map(String::as_str);
        let found = self.coordinates.get(path).copied();
        found.ok_or_else(|| errors::unknown(py, "coordinate", path, known()))
    }
}

#[pymethods]
impl Seen {
    /// Origin of a body's frame, m.
    fn position<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &self.body(py, name)?.0))
    }

    /// Rotation of a body, x, y, z, w.
    fn quaternion<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &self.body(py, name)?.1))
    }

    /// Velocity of a body's centre of mass, m/s.
    fn velocity<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &self.body(py, name)?.2))
    }

    /// Angular velocity of a body, rad/s.
    fn angular_velocity<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &self.body(py, name)?.3))
    }

    /// A coordinate of a joint, such as "crank.angle", rad or m.
    fn coordinate(&self, py: Python<'_>, path: &str) -> PyResult<f64> {
        Ok(self.pair(py, path)?[0])
    }

    /// Its rate, rad/s or m/s.
    fn rate(&self, py: Python<'_>, path: &str) -> PyResult<f64> {
        Ok(self.pair(py, path)?[1])
    }
}

/// (seen) -> numbers.
struct Sensor {
    function: Function,
    channels: Vec<(String, &'static str)>,
}

impl SensorLaw for Sensor {
    fn channels(&self) -> Vec<(String, &'static str)> {
        self.channels.clone()
    }
    fn measure(&self, world: &World) -> Result<Vec<f64>, String> {
        let seen = Seen::of(world);
        self.function.call(|f| numbers(&f.call1((seen,))?))
    }
}

/// (material, material, usual) -> restitution, friction, static friction, rolling, spinning.
struct Contact(Function);

impl ContactLaw for Contact {
    fn coefficients(
        &self,
        a: &Material,
        b: &Material,
        usual: Coefficients,
    ) -> Result<Coefficients, String> {
        let five = |c: &Coefficients| {
            [c.restitution, c.friction, c.static_friction, c.rolling, c.spinning]
        };
        let material = |m: &Material| {
            let own = Coefficients {
                restitution: m.restitution,
                friction: m.friction,
                static_friction: m.static_friction.unwrap_or(m.friction),
                rolling: m.rolling,
                spinning: m.spinning,
            };
            (m.name.clone(), five(&own))
        };
        let flat =
            self.0.call(|f| numbers(&f.call1((material(a), material(b), five(&usual)))?))?;
        let [restitution, friction, static_friction, rolling, spinning] = flat[..] else {
            return Err("a contact law gives five coefficients".into());
        };
        Ok(Coefficients { restitution, friction, static_friction, rolling, spinning })
    }
}

/// (columns, units, values) -> bytes.
struct Export(Function);

impl Exporter for Export {
    fn write(&self, data: &Data, out: &mut dyn Write) -> io::Result<()> {
        let bytes = self.0.call(|f| {
            let columns = PyDict::new(f.py());
            let units = PyDict::new(f.py());
            for (column, values) in data.columns.iter().zip(&data.values) {
                columns.set_item(&column.name, PyArray1::from_slice(f.py(), values))?;
                units.set_item(&column.name, &*column.unit)?;
            }
            f.call1((columns, units))?.extract::<Vec<u8>>()
        });
        out.write_all(&bytes.map_err(io::Error::other)?)
    }
}

/// A law's name, parameters and defaults.
fn declare(name: String, doc: String, parameters: Vec<(String, Option<f64>)>) -> Declared {
    Declared { name, doc, parameters }
}

/// Registers what `make` makes of parameters; `wrap` puts the function it gives into a law.
fn add<L: Law + ?Sized>(
    py: Python<'_>,
    declared: Declared,
    make: Py<PyAny>,
    wrap: impl Fn(Function) -> Arc<L> + Send + Sync + 'static,
) -> PyResult<()> {
    let make = Function(make);
    let done = register::<L>(declared, move |parameters| {
        let made = make.call(|f| f.call1((parameters.to_vec(),)).map(Bound::unbind));
        made.map(|function| wrap(Function(function)))
    });
    done.map_err(|e| errors::refused(py, e.to_string()))
}

/// Registers a force element.
#[pyfunction]
#[pyo3(signature = (name, doc, parameters, least, most, velocities, make))]
pub fn register_force(
    py: Python<'_>,
    name: String,
    doc: String,
    parameters: Vec<(String, Option<f64>)>,
    least: usize,
    most: usize,
    velocities: bool,
    make: Py<PyAny>,
) -> PyResult<()> {
    add::<dyn ForceLaw>(py, declare(name, doc, parameters), make, move |function| {
        Arc::new(Force { function, connectors: least..=most, velocities })
    })
}

/// Registers a constraint.
#[pyfunction]
#[pyo3(signature = (name, doc, parameters, connectors, rows, velocity, make))]
pub fn register_constraint(
    py: Python<'_>,
    name: String,
    doc: String,
    parameters: Vec<(String, Option<f64>)>,
    connectors: usize,
    rows: usize,
    velocity: bool,
    make: Py<PyAny>,
) -> PyResult<()> {
    add::<dyn ConstraintLaw>(py, declare(name, doc, parameters), make, move |function| {
        Arc::new(Constraint { function, connectors, rows, velocity })
    })
}

/// Registers a sensor.
#[pyfunction]
pub fn register_sensor(
    py: Python<'_>,
    name: String,
    doc: String,
    parameters: Vec<(String, Option<f64>)>,
    channels: Vec<(String, String)>,
    make: Py<PyAny>,
) -> PyResult<()> {
    // units live as long as the program: there are few, and they are short
    let channels: Vec<(String, &'static str)> = channels
        .into_iter()
        .map(|(name, unit)| (name, &*Box::leak(unit.into_boxed_str())))
        .collect();
    add::<dyn SensorLaw>(py, declare(name, doc, parameters), make, move |function| {
        Arc::new(Sensor { function, channels: channels.clone() })
    })
}

/// Registers a contact law.
#[pyfunction]
pub fn register_contact(
    py: Python<'_>,
    name: String,
    doc: String,
    parameters: Vec<(String, Option<f64>)>,
    make: Py<PyAny>,
) -> PyResult<()> {
    add::<dyn ContactLaw>(py, declare(name, doc, parameters), make, |f| Arc::new(Contact(f)))
}

/// Registers an exporter of recordings by the ending of its files.
#[pyfunction]
pub fn register_exporter(py: Python<'_>, ending: &str, function: Py<PyAny>) -> PyResult<()> {
    let exporter = Arc::new(Export(Function(function)));
    add_exporter(ending, exporter).map_err(|e| errors::refused(py, e))
}

/// Forgets a law of a kind, or an exporter; false where there is none.
#[pyfunction]
pub fn unregister_plugin(kind: &str, name: &str) -> bool {
    match kind {
        "force" => unregister::<dyn ForceLaw>(name),
        "constraint" => unregister::<dyn ConstraintLaw>(name),
        "sensor" => unregister::<dyn SensorLaw>(name),
        "contact" => unregister::<dyn ContactLaw>(name),
        "exporter" => remove_exporter(name),
        _ => false,
    }
}

/// The registered laws: kind, name, what it does, parameters with their defaults.
#[pyfunction]
pub fn plugins() -> Vec<(&'static str, String, String, Vec<(String, Option<f64>)>)> {
    let list = |kind, all: Vec<Declared>| {
        all.into_iter().map(move |d| (kind, d.name, d.doc, d.parameters))
    };
    list("force", declared::<dyn ForceLaw>())
        .chain(list("constraint", declared::<dyn ConstraintLaw>()))
        .chain(list("sensor", declared::<dyn SensorLaw>()))
        .chain(list("contact", declared::<dyn ContactLaw>()))
        .collect()
}

/// Checks the gradients of a constraint's function against differences at some places.
#[pyfunction]
pub fn check_constraint(
    py: Python<'_>,
    connectors: usize,
    rows: usize,
    velocity: bool,
    function: Py<PyAny>,
    positions: Vec<[f64; 3]>,
) -> PyResult<()> {
    let law = Constraint { function: Function(function), connectors, rows, velocity };
    let still = Vec3::ZERO;
    let points: Vec<PluginPoint> = positions
        .into_iter()
        .map(|p| PluginPoint { position: Vec3::from_array(p), velocity: still })
        .collect();
    let done = py.detach(|| check_rows(&law, 0.0, &points));
    done.map_err(|words| {
        let mut all = RAISED.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.iter().position(|e| e.0 == words).and_then(|k| all.remove(k));
        own.map_or_else(|| errors::refused(py, words), |e| e.1)
    })
}
