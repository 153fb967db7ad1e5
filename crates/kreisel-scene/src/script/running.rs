//! The procedures of a script while a scene runs.

use super::host::{self, Host};
use super::memory;
use super::{CALL_OPERATIONS, PROCEDURES, Script, ScriptError, build, sandbox};
use crate::items::RunSettings;
use crate::problem::{Code, Problem, Severity};
use kreisel_dynamics::{Event, StepReport, World};
use rhai::{CallFnOptions, Dynamic, Engine, Map, Scope};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// What a script acts on: the world, and what the run has besides it.
pub(crate) struct Stage<'a> {
    pub world: &'a mut World,
    pub run: &'a mut RunSettings,
}

/// A script that goes along with a run: its own memory (`this`), and which procedures are still on.
pub(crate) struct Running {
    script: Arc<Script>,
    engine: Engine,
    pub(super) host: Host,
    pub(super) state: Dynamic,
    /// Procedures that are there and have not failed.
    pub(super) on: BTreeSet<&'static str>,
    /// Index of the next time in `at`, and of the next multiple of `every`.
    pub(super) next: (usize, u64),
    pub(super) started: bool,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("on", &self.on)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

impl Clone for Running {
    fn clone(&self) -> Self {
        let mut copy = Self::new(&self.script);
        copy.restore(&self.kept());
        copy
    }
}

/// What a script was at one time.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    state: Dynamic,
    on: BTreeSet<&'static str>,
    next: (usize, u64),
    started: bool,
}

impl Running {
    pub fn new(script: &Arc<Script>) -> Self {
        let mut engine = sandbox(CALL_OPERATIONS);
        let host = Host::default();
        host::register(&mut engine, &host, &script.prefix);
        build::params(&mut engine, script);
        let there = |name: &str| script.ast.iter_functions().any(|f| f.name == name);
        Self {
            script: Arc::clone(script),
            engine,
            host,
            state: Dynamic::from_map(Map::new()),
            on: PROCEDURES.iter().map(|p| p.0).filter(|n| there(n)).collect(),
            next: (0, 0),
            started: false,
        }
    }

    /// The script as it is now.
    pub fn kept(&self) -> Kept {
        Kept {
            state: self.state.clone(),
            on: self.on.clone(),
            next: self.next,
            started: self.started,
        }
    }

    /// The script as it was; items that it remembers are those of this run.
    pub fn restore(&mut self, kept: &Kept) {
        self.state = memory::of_host(&kept.state, &self.host);
        self.on.clone_from(&kept.on);
        (self.next, self.started) = (kept.next, kept.started);
    }

    /// What comes before a step.
    pub fn before(&mut self, stage: &mut Stage<'_>, problems: &mut Vec<Problem>) {
        self.call("on_step", stage, Vec::new(), problems);
        if !self.on.contains("on_time") {
            return;
        }
        let (time, h) = (stage.world.time(), stage.run.timing.step);
        // A time counts as reached at the start of a step, whatever rounding did to the start.
        let now = time + 1e-9 * h;
        if !self.started {
            self.started = true;
            // A run that begins later than 0 has nothing to make up for.
            self.next.0 = self.script.at.partition_point(|&t| t < time - 1e-9 * h);
            self.next.1 =
                self.script.every.map_or(0, |e| ((time / e) - 1e-9).ceil().max(0.0) as u64);
        }
        while self.script.at.get(self.next.0).is_some_and(|&t| t <= now) {
            let t = self.script.at[self.next.0];
            self.next.0 += 1;
            self.call("on_time", stage, vec![t.into()], problems);
        }
        if let Some(every) = self.script.every {
            let due = every * self.next.1 as f64;
            if due <= now {
                self.next.1 = (now / every) as u64 + 1;
                self.call("on_time", stage, vec![due.into()], problems);
            }
        }
    }

    /// What comes after a step.
    pub fn after(
        &mut self,
        stage: &mut Stage<'_>,
        report: &StepReport,
        problems: &mut Vec<Problem>,
    ) {
        self.host.lock().report = StepReport { events: Vec::new(), ..report.clone() };
        let own = |name: &str, prefix: &str| {
            name.strip_prefix(prefix).map(|n| Dynamic::from(n.to_owned()))
        };
        for event in &report.events {
            let prefix = self.script.prefix.clone();
            match event {
                Event::LimitHit { name, speed, .. } => {
                    if let Some(name) = own(name, &prefix) {
                        self.call("on_limit", stage, vec![name, (*speed).into()], problems);
                    }
                }
                Event::Broken { name, force, torque, .. } => {
                    if let Some(name) = own(name, &prefix) {
                        self.call(
                            "on_break",
                            stage,
                            vec![name, (*force).into(), (*torque).into()],
                            problems,
                        );
                    }
                }
                Event::ContactBegin { names: [a, b], impulse, .. } => {
                    // A body of another instance or of the outer scene keeps its whole name.
                    let shown =
                        |n: &str| own(n, &prefix).unwrap_or_else(|| Dynamic::from(n.to_owned()));
                    if a.starts_with(prefix.as_str()) || b.starts_with(prefix.as_str()) {
                        self.call(
                            "on_collision",
                            stage,
                            vec![shown(a), shown(b), (*impulse).into()],
                            problems,
                        );
                    }
                }
                _ => {}
            }
        }
    }

    /// Gives the stage to the script's functions, or takes it back.
    fn exchange(&self, stage: &mut Stage<'_>) {
        let mut inner = self.host.lock();
        std::mem::swap(&mut inner.world, stage.world);
        std::mem::swap(&mut inner.run, stage.run);
    }

    /// Whether the script has ended the run since the last call.
    pub fn take_stop(&self) -> bool {
        std::mem::take(&mut self.host.lock().stop)
    }

    /// What the script has printed since the last call.
    pub fn messages(&self) -> Vec<String> {
        std::mem::take(&mut self.host.lock().messages)
    }

    /// Calls a procedure. One that fails is reported and switched off; the run goes on.
    fn call(
        &mut self,
        name: &'static str,
        stage: &mut Stage<'_>,
        arguments: Vec<Dynamic>,
        problems: &mut Vec<Problem>,
    ) {
        if !self.on.contains(name) {
            return;
        }
        self.exchange(stage);
        let options = CallFnOptions::new().eval_ast(false).bind_this_ptr(&mut self.state);
        let result: Result<Dynamic, _> = self.engine.call_fn_with_options(
            options,
            &mut Scope::new(),
            &self.script.ast,
            name,
            arguments,
        );
        self.exchange(stage);
        if let Err(error) = result {
            self.on.remove(name);
            let error = ScriptError::from(error);
            problems.push(Problem {
                severity: Severity::Error,
                code: Code::Script,
                message: format!("{name} failed at {} s: {}", stage.world.time(), error.message),
                source: self.script.source.clone(),
                span: self.script.place(error.position),
                label: "here".into(),
                also: None,
                help: Some(format!("{name} is switched off for the rest of the run")),
            });
        }
    }
}
