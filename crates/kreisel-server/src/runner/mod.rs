//! The simulation thread (B-104): executes and clears the command list before each step, keeps the
//! pace, and writes frames to a store from which clients read. It never waits for a client.

mod costly;
mod inputs;
mod pace;
mod publish;
mod real_time;
mod told;
mod verdict;

use axum::body::Bytes;
use costly::Costly;
use kreisel_dynamics::Interrupt;
use kreisel_scene::Options;
use kreisel_session::journal::{Header, Journal};
use kreisel_session::protocol::{Command, Control, Layers, Request, ServerMessage};
use kreisel_session::session::{Samples, Session};
use real_time::RealTime;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, mpsc, watch};
use told::Told;
use verdict::Verdict;

/// Time between frames.
const FRAME: Duration = Duration::from_micros(16_600);
/// Most commands between two steps; the rest waits for the next.
const BATCH: usize = 256;
/// Backlog at which the simulation gives up catching up with the clock, s of wall time.
const BACKLOG: f64 = 0.1;
/// Window over which the real-time factor is measured, s.
const WINDOW: f64 = 0.5;

/// What reaches the simulation thread.
pub enum Input {
    /// A change of the world.
    Command(u32, Box<Command>, Reply),
    /// Time.
    Control(Control),
    /// A question.
    Request(u32, Request, Reply),
    /// What frames carry, and the quantities to measure.
    Subscribe(Layers, Vec<String>),
    /// A client has gone: its hand lets go.
    Left(u32),
    /// The end.
    Stop,
}

/// Where answers to one client go.
pub type Reply = mpsc::Sender<ServerMessage>;

/// Where the simulation writes to.
#[derive(Clone)]
pub struct Store {
    /// The newest frame.
    pub frame: watch::Sender<Bytes>,
    /// The newest description.
    pub scene: watch::Sender<Arc<str>>,
    /// The newest columns of measurements.
    pub columns: watch::Sender<Arc<str>>,
    /// The verdict on the last steps.
    pub verdict: watch::Sender<Arc<str>>,
    /// Events, for all.
    pub events: broadcast::Sender<Arc<str>>,
}

/// A call before every step; a test can make it fail.
pub type Hook = Box<dyn FnMut(&Session) + Send>;

/// How the thread starts.
pub struct Start {
    /// The scene.
    pub header: Header,
    /// Whether it runs at once.
    pub running: bool,
    /// Whether the first step waits until somebody looks.
    pub waiting: bool,
    /// The journal, with its file if it has one.
    pub journal: Journal,
    /// Set when the thread shall end, whatever else waits for it.
    pub stop: Arc<AtomicBool>,
    /// Gives up the step that is being made.
    pub interrupt: Interrupt,
    /// Wall time of a step where the scene says nothing.
    pub budget: Option<Duration>,
    /// Counts procedures of scripts that failed.
    pub script_errors: Arc<AtomicU64>,
    /// Folder whose scenes can be opened and saved to, and in which files that scenes name are
    /// looked for.
    pub files: Options,
    /// Called before every step.
    pub hook: Option<Hook>,
}

struct Runner {
    start: Start,
    session: Session,
    /// Worlds that were begun: each has a journal of its own.
    worlds: u32,
    store: Store,
    samples: Samples,
    layers: Layers,
    running: bool,
    ended: bool,
    /// Single steps to make.
    pending: u32,
    /// None is as fast as it goes.
    speed: Option<f64>,
    /// Wall and simulated time that the pace counts from.
    anchor: (Instant, f64),
    /// Wall and simulated time that the real-time factor counts from.
    measured: (Instant, f64, u64),
    factor: f64,
    step_time: f64,
    sent_revision: u32,
    sent_columns: u32,
    last_frame: Option<Instant>,
    /// When the next frame is due.
    next_frame: Instant,
    dirty: bool,
    /// In real-time mode: who chooses steps and frames.
    real_time: Option<RealTime>,
    costly: Costly,
    told: Told,
    verdict: Verdict,
    /// Whether a step of this world spent its time budget.
    cut: bool,
}

/// Text of a message.
pub fn text(message: &ServerMessage) -> Arc<str> {
    serde_json::to_string(message).unwrap_or_default().into()
}

/// Runs a session until told to stop. A panic in the world ends the world, not the thread: it then
/// answers that the world has ended, until a restart or another scene.
pub fn run(start: Start, session: Session, inputs: &Receiver<Input>, store: Store) {
    let now = Instant::now();
    let mut runner = Runner {
        worlds: 1,
        running: start.running,
        anchor: (now, session.simulation().world.time()),
        measured: (now, session.simulation().world.time(), 0),
        session: equip(session, &start),
        start,
        store,
        samples: Samples::default(),
        layers: Layers::default(),
        ended: false,
        pending: 0,
        speed: Some(1.0),
        factor: 0.0,
        step_time: 0.0,
        sent_revision: 0,
        sent_columns: 0,
        last_frame: None,
        next_frame: now,
        dirty: true,
        real_time: None,
        costly: Costly::default(),
        told: Told::default(),
        verdict: Verdict::default(),
        cut: false,
    };
    loop {
        let turn = catch_unwind(AssertUnwindSafe(|| runner.turn(inputs)));
        match turn {
            Ok(true) => {}
            Ok(false) => break,
            Err(panic) => {
                let what = panic
                    .downcast_ref::<&str>()
                    .map(|s| (*s).to_owned())
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_else(|| "a panic".into());
                runner.end(&what);
            }
        }
    }
    if !runner.ended {
        runner.start.journal.close(&runner.session);
    }
}

/// A session that can be given up, and whose steps end.
fn equip(session: Session, start: &Start) -> Session {
    let session = session.with_interrupt(start.interrupt.clone());
    match start.budget {
        Some(budget) => session.with_budget(budget),
        None => session,
    }
}

impl Runner {
    /// Commands, then a step or a wait, then a frame. False ends the thread.
    fn turn(&mut self, inputs: &Receiver<Input>) -> bool {
        if self.start.stop.load(Ordering::Relaxed) {
            return false;
        }
        for _ in 0..BATCH {
            match inputs.try_recv() {
                Ok(input) => {
                    if !self.take(input) {
                        return false;
                    }
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
        let wait = if self.is_due() {
            self.step();
            Duration::ZERO
        } else {
            self.wait()
        };
        self.publish();
        if wait.is_zero() {
            return true;
        }
        match inputs.recv_timeout(wait) {
            Ok(input) => self.take(input),
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    fn now(&self) -> f64 {
        self.session.simulation().world.time()
    }

    fn step(&mut self) {
        if let Some(hook) = &mut self.start.hook {
            hook(&self.session);
        }
        let begin = Instant::now();
        let events = self.session.step();
        let took = begin.elapsed().as_secs_f64();
        self.step_time += 0.05 * (took - self.step_time);
        if let Some(mode) = &mut self.real_time {
            // at double speed a step has half the time
            mode.stepped(took * self.speed.unwrap_or(1.0));
        }
        if self.session.is_cut() && !self.cut {
            // Once is enough: nothing after it can be repeated.
            self.cut = true;
            self.start.journal.note_cut(self.session.steps());
        }
        self.verdict.step(self.session.report());
        self.samples.take(&self.session);
        for event in events {
            self.tell(&event);
        }
        self.tell_scripts();
        self.pending = self.pending.saturating_sub(1);
        self.dirty = true;
    }

    /// The world is over.
    fn end(&mut self, what: &str) {
        self.ended = true;
        self.running = false;
        self.pending = 0;
        // A journal with a file is there already.
        let journal = &self.start.journal;
        let (path, saved) = match journal.path() {
            Some(path) => (path.to_path_buf(), true),
            None => {
                let path = std::env::temp_dir().join(format!("kreisel-journal-{}.jsonl", std::process::id()));
                let saved = std::fs::write(&path, journal.open_text()).is_ok();
                (path, saved)
            }
        };
        let message = ServerMessage::Ended {
            text: format!("the simulation failed: {what}"),
            journal: saved.then(|| path.display().to_string()),
        };
        eprintln!("the simulation failed: {what}; journal: {}", path.display());
        let _ = self.store.events.send(text(&message));
        self.dirty = true;
    }

    /// A fresh world after one has ended, with a fresh journal.
    fn revive(&mut self) {
        if let Ok(session) = self.start.header.session(&self.start.files) {
            self.session = equip(session, &self.start);
            self.worlds += 1;
            self.cut = false;
            self.start.journal = self.start.journal.another(self.worlds, &self.start.header);
            self.sent_revision = 0;
            self.samples.resolve(&self.session);
            self.ended = false;
        }
    }
}

/// Tells one client something.
pub fn notice(reply: &Reply, level: &str, text: &str) {
    let _ = reply.try_send(ServerMessage::Notice { level: level.into(), text: text.into() });
}
