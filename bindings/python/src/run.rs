//! Steps and runs. The interpreter's lock is released while the world steps; callbacks are called
//! between steps with the world unlocked, so that they can read and change it. An exception of a
//! callback, Ctrl-C included, ends the run between two steps.

use crate::arrays::table;
use crate::core::Core;
use crate::errors;
use crate::report::{Report, add, event, summary};
use kreisel_cli::Frames;
use kreisel_cli::paths;
use kreisel_dynamics::{Event, Ledger, Status, StepReport};
use kreisel_scene::record::Columns;
use kreisel_scene::{Problem, Tally};
use kreisel_session::session::Session;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a run without callbacks looks for signals.
const SIGNALS: Duration = Duration::from_millis(50);

/// How long such a run holds the world before others may read it.
const HOLD: Duration = Duration::from_millis(5);

/// Most events that a run keeps; callbacks get all of them.
const MAX_EVENTS: usize = 1_000_000;

/// How far a run goes, and what it records.
struct Plan {
    /// Time to end at, s; none ends after the steps.
    until: Option<f64>,
    steps: u64,
    columns: Columns,
    stride: u64,
}

/// What a run has gathered.
#[derive(Default)]
struct Gathered {
    rows: Vec<f64>,
    tally: Tally,
    ledger: Ledger,
    events: Vec<(Event, f64)>,
    dropped_events: u64,
    messages: Vec<String>,
    problems: Vec<Problem>,
    done: u64,
    interrupted: bool,
    /// Whether a script has ended the run.
    stopped: bool,
    /// A law that could not answer, and what it said.
    failed: Option<(String, String)>,
    /// What a page shows, where one is wanted.
    frames: Option<Frames>,
}

impl Gathered {
    /// Takes a row at the start.
    fn start(&mut self, s: &Session, plan: &Plan) {
        let report = if s.simulation().steps() == 0 { &StepReport::default() } else { s.report() };
        self.row(s, plan, report);
    }

    fn row(&mut self, s: &Session, plan: &Plan, report: &StepReport) {
        if let Some(frames) = &mut self.frames {
            frames.take(self.done, &s.simulation().world, report);
        }
        if self.done.is_multiple_of(plan.stride) {
            plan.columns.measure(&s.simulation().world, report, &mut self.rows);
        }
    }

    /// Whether there is more to do.
    fn goes_on(&self, plan: &Plan) -> bool {
        self.done < plan.steps && !self.interrupted && !self.stopped && self.failed.is_none()
    }

    /// Makes one step; gives its events.
    fn step(&mut self, s: &mut Session, plan: &Plan) -> Vec<Event> {
        // the last step is shortened, for itself alone
        let size = s.simulation().step_size();
        if let Some(until) = plan.until {
            s.simulation_mut().fit_step(until);
        }
        let events = s.step();
        s.simulation_mut().set_step_size(size);
        if s.report().status == Status::Interrupted {
            self.interrupted = true;
            return Vec::new();
        }
        self.failed = failure(&events);
        if self.failed.is_some() {
            return events;
        }
        self.done += 1;

        // what scripts have said
        let problems = s.take_problems();
        self.tally.script_errors += problems.len() as u64;
        self.problems.extend(problems);
        self.messages.extend(s.take_messages());

        let time = s.simulation().world.time();
        let report = StepReport { events, ..s.report().clone() };
        self.messages
            .extend(self.tally.count(&report, time).into_iter().map(|w| format!("warning: {w}")));
        add(&mut self.ledger, &report.ledger);
        self.stopped |= s.simulation_mut().take_stop();
        self.row(s, plan, &report);
        for event in &report.events {
            if self.events.len() < MAX_EVENTS {
                self.events.push((event.clone(), time));
            } else {
                self.dropped_events += 1;
            }
        }
        report.events
    }
}

/// A law that could not answer in a step, and what it said.
pub fn failure(events: &[Event]) -> Option<(String, String)> {
    events.iter().find_map(|e| match e {
        Event::PluginFailed { name, message } => Some((name.to_string(), message.clone())),
        _ => None,
    })
}

/// A function of the user that is called every so often.
struct Callback {
    function: Py<PyAny>,
    /// Simulated time between calls, s; 0 is every step.
    every: f64,
    next: f64,
}

impl Callback {
    fn list(given: Vec<(Py<PyAny>, f64)>, now: f64) -> Vec<Self> {
        given.into_iter().map(|(function, every)| Self { function, every, next: now }).collect()
    }

    /// Calls it if its time has come: `now` is a time at a step of size `h`.
    fn call(&mut self, world: &Bound<'_, PyAny>, now: f64, h: f64) -> PyResult<()> {
        if self.every > 0.0 {
            if now + 1e-6 * h < self.next {
                return Ok(());
            }
            // the next multiple: a rate that is no multiple of the step is kept on average
            while self.next <= now + 1e-6 * h {
                self.next += self.every;
            }
        }
        self.function.bind(world.py()).call1((world,)).map(|_| ())
    }
}

/// Says that a worker has ended, also when it panics.
struct Ended<'a>(&'a (Mutex<bool>, Condvar));

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}

impl Core {
    /// Runs on a thread of its own, while this one listens for signals: they are obeyed inside a
    /// step, which is then given up.
    fn run_alone(&self, py: Python<'_>, plan: &Plan, mut out: Gathered) -> PyResult<Gathered> {
        let interrupt = self.with(py, |s| s.interrupt())?;
        let ended = &(Mutex::new(false), Condvar::new());
        let work = move || {
            let _ended = Ended(ended);
            self.detached(|s| out.start(s, plan))?;
            while out.goes_on(plan) {
                self.give_way();
                self.detached(|s| {
                    let start = Instant::now();
                    while out.goes_on(plan) && start.elapsed() < HOLD {
                        out.step(s, plan);
                    }
                })?;
            }
            Some(out)
        };
        let (gathered, signal) = std::thread::scope(|scope| {
            let worker = scope.spawn(work);
            let mut signal = None;
            loop {
                let over = py.detach(|| {
                    let guard = ended.0.lock().unwrap_or_else(PoisonError::into_inner);
                    let waited = ended.1.wait_timeout_while(guard, SIGNALS, |over| !*over);
                    *waited.unwrap_or_else(PoisonError::into_inner).0
                });
                if over {
                    break;
                }
                if let Err(e) = py.check_signals() {
                    interrupt.set();
                    signal.get_or_insert(e);
                }
            }
            (worker.join(), signal)
        });
        interrupt.clear();
        match (gathered, signal) {
            (_, Some(signal)) => Err(signal),
            (Ok(Some(gathered)), None) => Ok(gathered),
            _ => Err(errors::raise(py, "KreiselError", "a step panicked; load the world again")),
        }
    }

    /// Runs with callbacks between the steps.
    fn run_with(
        slf: &Bound<'_, Self>,
        plan: &mut Plan,
        mut control: Vec<Callback>,
        mut after: Vec<Callback>,
        on_event: &[Py<PyAny>],
        mut out: Gathered,
    ) -> PyResult<Gathered> {
        let (py, this) = (slf.py(), slf.get());
        let (mut size, mut time) = this.with(py, |s| {
            out.start(s, plan);
            (s.simulation().step_size(), s.simulation().world.time())
        })?;
        while out.goes_on(plan) {
            for callback in &mut control {
                callback.call(slf.as_any(), time, size)?;
            }
            // a callback may have changed the step
            let now = this.with(py, |s| s.simulation().step_size())?;
            if now != size
                && let Some(until) = plan.until
            {
                plan.steps = out.done + this.with(py, |s| s.simulation().steps_until(until))?;
            }
            size = now;
            let (ref mut gathered, plan) = (&mut out, &*plan);
            let made = py.detach(|| {
                this.detached(|s| (gathered.step(s, plan), s.simulation().world.time()))
            });
            let Some((events, end)) = made else {
                return Err(errors::raise(
                    py,
                    "KreiselError",
                    "a step panicked; load the world again",
                ));
            };
            time = end;
            py.check_signals()?;
            for e in events.iter().filter(|_| !on_event.is_empty()) {
                let e = event(py, e, time)?;
                for function in on_event {
                    function.bind(py).call1((slf, &e))?;
                }
            }
            for callback in &mut after {
                callback.call(slf.as_any(), time, size)?;
            }
        }
        Ok(out)
    }

    /// What is recorded: the paths, or what the scene asks for.
    fn columns(&self, py: Python<'_>, record: Option<Vec<String>>) -> PyResult<Columns> {
        let found = self.with(py, |s| match &record {
            None => Columns::of(&s.as_scene()).map_err(|e| e.message),
            Some(list) => paths::columns(&s.simulation().world, list),
        })?;
        found.map_err(|e| errors::raise(py, "UnknownName", e))
    }
}

#[pymethods]
impl Core {
    /// Makes steps without callbacks; gives the report of the last.
    #[pyo3(signature = (n=1))]
    fn _step(&self, py: Python<'_>, n: u64) -> PyResult<Report> {
        let _running = self.claim(py)?;
        let mut left = n;
        let mut events = Vec::new();
        let mut failed = None;
        while left > 0 {
            let made = py.detach(|| {
                self.detached(|s| {
                    let start = Instant::now();
                    while left > 0 && start.elapsed() < SIGNALS {
                        let new = s.step();
                        left -= 1;
                        failed = failure(&new);
                        events.extend(new);
                        if failed.is_some() {
                            left = 0;
                        }
                    }
                })
            });
            made.ok_or_else(|| {
                errors::raise(py, "KreiselError", "a step panicked; load the world again")
            })?;
            if left > 0 {
                py.check_signals()?;
            }
        }
        if let Some((name, words)) = failed {
            return Err(crate::plugin::raised(py, &name, &words));
        }
        self.with(py, |s| Report::of(s.report().clone(), events, s.simulation().world.time()))
    }

    /// Runs to a time, or for a number of steps: columns with units, rows, summary, events,
    /// messages.
    #[pyo3(signature = (until, steps, record, every, control, after, on_event, frames=false))]
    #[allow(clippy::type_complexity)]
    fn _run<'py>(
        slf: &Bound<'py, Self>,
        until: Option<f64>,
        steps: u64,
        record: Option<Vec<String>>,
        every: Option<f64>,
        control: Vec<(Py<PyAny>, f64)>,
        after: Vec<(Py<PyAny>, f64)>,
        on_event: Vec<Py<PyAny>>,
        frames: bool,
    ) -> PyResult<(
        Vec<(String, String)>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyDict>,
        Bound<'py, PyList>,
        Vec<String>,
    )> {
        let (py, this) = (slf.py(), slf.get());
        let _running = this.claim(py)?;
        let (now, size, own) = this.with(py, |s| {
            (s.simulation().world.time(), s.simulation().step_size(), s.scene().record.every)
        })?;
        let too_fast =
            control.iter().chain(&after).find(|c| c.1 > 0.0 && c.1 < size * (1.0 - 1e-9));
        if let Some((_, every)) = too_fast {
            let message = format!(
                "a callback every {every} s is called once a step at most: make the step ({size} s) smaller"
            );
            return Err(errors::refused(py, message));
        }
        let steps = match until {
            Some(until) => this.with(py, |s| s.simulation().steps_until(until))?,
            None => steps,
        };
        let columns = this.columns(py, record)?;
        let names = columns
            .columns()
            .iter()
            .map(|c| (c.name.clone(), c.unit.to_string()))
            .collect::<Vec<_>>();
        let stride = every.or(own).map_or(1, |e| (e / size).round().max(1.0) as u64);
        let mut plan = Plan { until, steps, columns, stride };

        // a page shows the scene as it stands at the start
        let scene = if frames { Some(this.with(py, |s| s.as_scene())?) } else { None };
        let frames = scene.as_ref().map(|s| Frames::new(&s.world, size, steps));
        let out = Gathered { frames, ..Gathered::default() };

        // the run itself
        let gathered = if control.is_empty() && after.is_empty() && on_event.is_empty() {
            this.run_alone(py, &plan, out)?
        } else {
            let (control, after) = (Callback::list(control, now), Callback::list(after, now));
            Self::run_with(slf, &mut plan, control, after, &on_event, out)?
        };

        if let Some((name, words)) = &gathered.failed {
            return Err(crate::plugin::raised(py, name, words));
        }

        // what it gives
        let rows = table(py, gathered.rows, names.len())?;
        let out = summary(py, &gathered.tally, &gathered.ledger)?;
        out.set_item("dropped_events", gathered.dropped_events)?;
        let html =
            scene.zip(gathered.frames).map(|(scene, frames)| kreisel_cli::page(&scene, &frames));
        let html = html.transpose().map_err(|e| errors::refused(py, e.to_string()))?;
        out.set_item("page", html)?;
        let events =
            gathered.events.iter().map(|(e, t)| event(py, e, *t)).collect::<PyResult<Vec<_>>>()?;
        let mut messages = gathered.messages;
        messages.extend(gathered.problems.iter().map(errors::render));
        Ok((names, rows, out, PyList::new(py, events)?, messages))
    }
}
