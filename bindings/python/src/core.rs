//! A world: a session behind a lock. The lock is never held while Python code runs, and is waited
//! for without the interpreter's lock, so that threads cannot block each other.

use crate::errors;
use crate::item::Item;
use crate::item_kinds::{Body, Joint, Motor};
use crate::report::Report;
use kreisel_dynamics::World;
use kreisel_scene::{Options, SceneError};
use kreisel_session::session::{Checkpoint, Session};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyList};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, TryLockError};
use std::time::{Duration, Instant};

/// The kinds of items, in the order in which names are looked up.
pub const KINDS: [&str; 11] = World::KINDS;

/// How long a run waits for those who wait for it: they may be waiting for the interpreter.
const LONGEST_WAY: Duration = Duration::from_millis(20);

/// A world with everything that goes along with it; `kreisel.World` is derived from it.
#[pyclass(frozen, subclass, module = "kreisel._native")]
pub struct Core {
    session: Mutex<Session>,
    /// Whether a run is under way: its callbacks may change the world, but not step it.
    running: AtomicBool,
    /// How many threads wait for the world: a run gives way to them.
    waiting: AtomicU32,
}

/// A world at one time, to go back to.
#[pyclass(frozen, module = "kreisel._native")]
pub struct Snapshot {
    checkpoint: Checkpoint,
    /// Simulated time, s.
    #[pyo3(get)]
    time: f64,
}

/// Marks a world as being stepped, until it is dropped.
pub struct Running<'a>(&'a AtomicBool);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Core {
    pub fn of(session: Session) -> Self {
        Self {
            session: Mutex::new(session.without_past()),
            running: AtomicBool::new(false),
            waiting: AtomicU32::new(0),
        }
    }

    /// Does something with the session.
    pub fn with<R>(&self, py: Python<'_>, action: impl FnOnce(&mut Session) -> R) -> PyResult<R> {
        let guard = match self.session.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::WouldBlock) if crate::plugin::is_asked() => {
                let why =
                    "a law cannot ask a world that is being stepped: what it may know, it is given";
                return Err(errors::refused(py, why));
            }
            Err(TryLockError::WouldBlock) => {
                self.waiting.fetch_add(1, Ordering::AcqRel);
                let guard = self.session.lock_py_attached(py);
                self.waiting.fetch_sub(1, Ordering::AcqRel);
                guard.map_err(|_| ())
            }
            Err(TryLockError::Poisoned(_)) => Err(()),
        };
        match guard {
            Ok(mut guard) => Ok(action(&mut guard)),
            Err(()) => Err(errors::raise(
                py,
                "KreiselError",
                "an earlier step of this world panicked; load it again",
            )),
        }
    }

    /// Reads from the world.
    pub fn read<R>(&self, py: Python<'_>, action: impl FnOnce(&World) -> R) -> PyResult<R> {
        self.with(py, |s| action(&s.simulation().world))
    }

    /// Does something with the session on a thread that is not attached to the interpreter.
    pub fn detached<R>(&self, action: impl FnOnce(&mut Session) -> R) -> Option<R> {
        self.session.lock().ok().map(|mut guard| action(&mut guard))
    }

    /// Lets others have the world who wait for it: who gives a mutex back and takes it again at
    /// once shuts them out.
    pub fn give_way(&self) {
        let start = Instant::now();
        while self.waiting.load(Ordering::Acquire) > 0 && start.elapsed() < LONGEST_WAY {
            std::thread::yield_now();
        }
    }

    /// Claims the right to step.
    pub fn claim(&self, py: Python<'_>) -> PyResult<Running<'_>> {
        if self.running.swap(true, Ordering::Acquire) {
            return Err(errors::refused(
                py,
                "this world is being stepped already: a callback, or another thread, cannot",
            ));
        }
        Ok(Running(&self.running))
    }

    /// The error of a body that is not there.
    pub fn no_body(&self, py: Python<'_>, name: &str) -> PyErr {
        let all = self.read(py, |w| names(w, "body")).unwrap_or_default();
        errors::unknown(py, "body", name, all.iter().map(String::as_str))
    }

    /// A session that stands where this one stands.
    pub fn forked(&self, py: Python<'_>) -> PyResult<Session> {
        self.with(py, |s| s.fork())
    }
}

/// The names of items of a kind, in the order in which they were made.
pub fn names(world: &World, kind: &str) -> Vec<String> {
    world.names_of(kind).iter().map(ToString::to_string).collect()
}

/// Whether an item of a kind has this name.
pub fn exists(world: &World, kind: &str, name: &str) -> bool {
    match kind {
        "world" => true,
        "body" => world.body_named(name).is_some(),
        "joint" => world.joint_named(name).is_some(),
        "spring" => world.spring_named(name).is_some(),
        "motor" => world.motor_named(name).is_some(),
        "constraint" => world.constraint_named(name).is_some(),
        "controller" => world.controller_named(name).is_some(),
        "field" => world.field_named(name).is_some(),
        "curve" => world.curve_named(name).is_some(),
        "procedure" => world.procedure_named(name).is_some(),
        "sensor" => world.sensor_named(name).is_some(),
        "collider" => world.collider_named(name).is_some(),
        _ => false,
    }
}

#[pymethods]
impl Core {
    /// Reads a scene from a file (`path`) or from text.
    #[new]
    #[pyo3(signature = (text=None, *, path=None, name="scene.toml", folder=None, params=None, allow_outside=false, python=false, lenient=false))]
    fn new(
        py: Python<'_>,
        text: Option<&str>,
        path: Option<PathBuf>,
        name: &str,
        folder: Option<PathBuf>,
        params: Option<BTreeMap<String, Bound<'_, PyAny>>>,
        allow_outside: bool,
        python: bool,
        lenient: bool,
    ) -> PyResult<Self> {
        let params = params.unwrap_or_default();
        let number = |(k, v): (String, Bound<'_, PyAny>)| Ok((k, crate::value::number(&v)?));
        let params = params.into_iter().map(number).collect::<PyResult<Vec<_>>>()?;
        let parent = path.as_ref().and_then(|p| p.parent()).map(PathBuf::from);
        let languages = if python { vec!["python".to_owned()] } else { Vec::new() };
        let mut options =
            Options { params, allow_outside, lenient, folder, languages, ..Options::default() };
        let made = py.detach(|| -> Result<Session, SceneError> {
            let scene = match &path {
                Some(path) => kreisel_scene::load_as(path, &options)?,
                None => kreisel_scene::parse_as(name, text.unwrap_or("version = 1"), &options)?,
            };
            // Files that are named by items added later lie beside the scene.
            if let Some(parent) = parent {
                options.folder =
                    Some(if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent });
            }
            Ok(Session::new(scene).with_files(&options))
        });
        made.map(Self::of).map_err(|e| errors::scene(py, &e))
    }

    /// Adds the items of a scene's text.
    fn extend(&self, py: Python<'_>, name: &str, text: &str) -> PyResult<()> {
        self.with(py, |s| s.extend(name, text))?.map_err(|e| errors::scene(py, &e))
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.read(py, World::time)
    }

    /// Time from one step to the next, s.
    #[getter]
    fn step_size(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |s| s.simulation().step_size())
    }

    /// How long the scene runs unless told otherwise, s.
    #[getter]
    fn duration(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |s| s.scene().duration)
    }

    /// What the scene shows, in one line.
    #[getter]
    fn title(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, |s| s.scene().title.clone())
    }

    /// Steps made.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |s| s.simulation().steps())
    }

    /// Counts changes of what exists: as long as it is the same, so are bodies and joints.
    #[getter]
    fn revision(&self, py: Python<'_>) -> PyResult<u64> {
        self.read(py, World::revision)
    }

    /// Hash of the state, 64 hexadecimal digits.
    #[getter]
    fn state_hash(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |s| s.hash())
    }

    /// The report of the last step.
    #[getter]
    fn report(&self, py: Python<'_>) -> PyResult<Report> {
        self.with(py, |s| Report::of(s.report().clone(), Vec::new(), s.simulation().world.time()))
    }

    /// Kinetic, potential, spring and total energy, J.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let e = self.read(py, World::energy)?;
        let out = PyDict::new(py);
        for (name, value) in [
            ("kinetic", e.kinetic),
            ("potential", e.potential),
            ("spring", e.spring),
            ("total", e.total()),
        ] {
            out.set_item(name, value)?;
        }
        Ok(out)
    }

    /// What the world is made of.
    fn _analyse(&self, py: Python<'_>) -> PyResult<String> {
        let found = self.read(py, World::analyse)?;
        serde_json::to_string(&found).map_err(|e| errors::refused(py, e.to_string()))
    }

    /// What looked wrong when the scene was read, or looks wrong in the scene as it stands now.
    fn _warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = self.with(py, |s| s.scene().warnings.clone())?;
        let list = list.iter().map(|p| errors::problem(py, p)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, list)
    }

    /// Scripts in Python: name, line, text, times, interval, whether their statements run,
    /// parameters.
    #[allow(clippy::type_complexity)]
    fn _scripts(
        &self,
        py: Python<'_>,
    ) -> PyResult<Vec<(String, usize, String, Vec<f64>, Option<f64>, bool, BTreeMap<String, f64>)>>
    {
        self.with(py, |s| {
            let one = |f: &kreisel_scene::ForeignScript| {
                let (name, text, params) = (f.name.clone(), f.text.clone(), f.params.clone());
                (name, f.line, text, f.at.clone(), f.every, f.generate, params)
            };
            s.scene().foreign.iter().map(one).collect()
        })
    }

    /// The world as it stands, as the TOML text of a scene.
    fn save_text(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |s| s.save())
    }

    /// The world at this time.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        self.with(py, |s| Snapshot {
            checkpoint: s.checkpoint(),
            time: s.simulation().world.time(),
        })
    }

    /// Goes back to a snapshot, with everything that existed then.
    fn restore(&self, py: Python<'_>, snapshot: &Snapshot) -> PyResult<()> {
        let _running = self.claim(py)?;
        self.with(py, |s| s.restore(&snapshot.checkpoint))
    }

    /// Back to the start of the scene as it was loaded; what was changed since is gone.
    fn restart(&self, py: Python<'_>) -> PyResult<()> {
        let _running = self.claim(py)?;
        let done = self.with(py, |s| s.apply(0, &kreisel_session::protocol::Command::Restart))?;
        done.map_err(|e| errors::command(py, &e))
    }

    /// Names of all items of a kind, in the order in which they were made.
    fn names(&self, py: Python<'_>, kind: &str) -> PyResult<Vec<String>> {
        if !KINDS.contains(&kind) {
            return Err(errors::unknown(py, "kind of item", kind, KINDS.into_iter()));
        }
        self.read(py, |w| names(w, kind))
    }

    /// The body of this name.
    fn body(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<Body>> {
        Body::new(slf, name)
    }

    /// The joint of this name.
    fn joint(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<Joint>> {
        Joint::new(slf, name)
    }

    /// The motor of this name.
    fn motor(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<Motor>> {
        Motor::new(slf, name)
    }

    /// An item of a kind; of any kind for an empty one.
    fn _item(slf: &Bound<'_, Self>, kind: &str, name: &str) -> PyResult<Py<Item>> {
        Item::find(slf, kind, name)
    }

    /// Removes items with everything that hangs on them.
    fn _remove(&self, py: Python<'_>, names: Vec<String>) -> PyResult<()> {
        let known = self.read(py, |w| {
            let all: Vec<String> = KINDS.iter().flat_map(|k| self::names(w, k)).collect();
            names.iter().find(|n| !w.has_name(n)).map(|n| (n.clone(), all))
        })?;
        if let Some((name, all)) = known {
            return Err(errors::unknown(py, "item", &name, all.iter().map(String::as_str)));
        }
        let command = kreisel_session::protocol::Command::Remove { objects: names };
        self.with(py, |s| s.apply(0, &command))?.map_err(|e| errors::command(py, &e))
    }

    /// Another world that stands where this one stands; `blank` is a new object of the class
    /// wanted.
    fn _copy_into(&self, py: Python<'_>, blank: &Bound<'_, Self>) -> PyResult<()> {
        let forked = self.forked(py)?;
        blank.get().with(py, |s| *s = forked)
    }
}
