//! The simulation thread (B-104): executes and clears the command list before each step, keeps the pace, and writes
//! frames to a store from which clients read. It never waits for a client.

use crate::frames;
use crate::journal::{Header, Journal};
use crate::protocol::{Command, Control, Layers, Request, ServerMessage, frame};
use crate::session::{Samples, Session};
use axum::body::Bytes;
use kreisel_dynamics::Event;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, mpsc, watch};

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
    /// File for the journal.
    pub journal: Option<PathBuf>,
    /// Folder whose scenes can be opened.
    pub folder: Option<PathBuf>,
    /// Called before every step.
    pub hook: Option<Hook>,
}

struct Runner {
    start: Start,
    session: Session,
    journal: Journal,
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
    dirty: bool,
}

/// Text of a message.
pub fn text(message: &ServerMessage) -> Arc<str> {
    serde_json::to_string(message).unwrap_or_default().into()
}

/// Runs a session until told to stop. A panic in the world ends the world, not the thread: it then answers that the
/// world has ended, until a restart or another scene.
pub fn run(start: Start, session: Session, inputs: &Receiver<Input>, store: Store) {
    let now = Instant::now();
    let mut runner = Runner {
        journal: Journal::new(&start.header),
        running: start.running,
        anchor: (now, session.simulation().world.time()),
        measured: (now, session.simulation().world.time(), 0),
        start,
        session,
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
        dirty: true,
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
    if let Some(path) = &runner.start.journal
        && !runner.ended
    {
        let _ = std::fs::write(path, runner.journal.text(&runner.session));
    }
}

impl Runner {
    /// Commands, then a step or a wait, then a frame. False ends the thread.
    fn turn(&mut self, inputs: &Receiver<Input>) -> bool {
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

    /// Whether a step is to be made now.
    fn is_due(&mut self) -> bool {
        if self.ended {
            return false;
        }
        if self.pending > 0 {
            return true;
        }
        if !self.running {
            return false;
        }
        let Some(speed) = self.speed else { return true };
        let wall = self.anchor.0.elapsed().as_secs_f64();
        let lag = wall * speed - (self.now() - self.anchor.1);
        if lag > BACKLOG * speed.max(1e-3) + self.session.simulation().step_size() {
            // Too slow for the clock: go on from here instead of racing after it.
            self.restart_clock();
            return true;
        }
        lag >= self.session.simulation().step_size()
    }

    fn restart_clock(&mut self) {
        self.anchor = (Instant::now(), self.now());
    }

    /// How long nothing is to be done.
    fn wait(&self) -> Duration {
        let frame = match self.last_frame {
            Some(last) if self.dirty => FRAME.saturating_sub(last.elapsed()),
            _ => Duration::from_millis(200),
        };
        if !self.running || self.ended {
            return frame.max(Duration::from_micros(200));
        }
        let speed = self.speed.unwrap_or(1.0).max(1e-6);
        let due = (self.now() - self.anchor.1 + self.session.simulation().step_size()) / speed;
        let rest = (due - self.anchor.0.elapsed().as_secs_f64()).clamp(0.0002, 0.2);
        frame.min(Duration::from_secs_f64(rest)).max(Duration::from_micros(200))
    }

    fn step(&mut self) {
        if let Some(hook) = &mut self.start.hook {
            hook(&self.session);
        }
        let begin = Instant::now();
        let events = self.session.step();
        let took = begin.elapsed().as_secs_f64();
        self.step_time += 0.05 * (took - self.step_time);
        self.samples.take(&self.session);
        for event in events {
            self.tell(&event);
        }
        self.pending = self.pending.saturating_sub(1);
        self.dirty = true;
    }

    fn tell(&self, event: &Event) {
        let words = match event {
            Event::Broken { name, force, torque, .. } => {
                format!("{name} broke at {force:.4} N and {torque:.4} N m")
            }
            Event::LimitHit { name, speed, .. } => format!("{name} hit its limit with {speed:.3}"),
            // Contacts begin and end all the time; they are drawn, not told.
            Event::ContactBegin { .. } | Event::ContactEnd { .. } => return,
            Event::Quarantined { body } => format!("{body} was stopped: its motion left the numbers"),
            Event::Overdetermined { constraints, switched_off: Some(name), .. } => {
                format!("{} contradict each other; {name} was switched off", constraints.join(", "))
            }
            Event::Overdetermined { constraints, .. } => format!("{} contradict each other", constraints.join(", ")),
            Event::Damped { constraints } => format!("{} cannot be reached; damped", constraints.join(", ")),
            Event::NoValue { constraint } => format!("{constraint} has no finite value now and is left out"),
            Event::ConstraintBroken { name, force, .. } => format!("{name} broke at {force:.4} N"),
            Event::Assembled { constraint } => format!("{constraint} is assembled"),
        };
        // Nobody listening is no error.
        let _ = self.store.events.send(text(&ServerMessage::Event { time: self.now(), text: words }));
    }

    /// Takes one input; false ends the thread.
    fn take(&mut self, input: Input) -> bool {
        match input {
            Input::Command(client, command, reply) => {
                if self.ended && !matches!(*command, Command::Restart | Command::Load { .. }) {
                    notice(&reply, "error", "the world has ended; restart it or load another scene");
                    return true;
                }
                if self.ended {
                    self.revive();
                }
                self.apply(client, &command, &reply);
            }
            Input::Control(control) => self.control(&control),
            Input::Request(client, request, reply) => self.answer(client, request, &reply),
            Input::Subscribe(layers, paths) => {
                self.layers = layers;
                self.samples.set(&self.session, paths);
                self.dirty = true;
            }
            Input::Left(client) => {
                if self.session.hands().any(|(id, _)| id == client) {
                    self.journal.note(self.session.steps(), client, &Command::Release);
                    let _ = self.session.apply(client, &Command::Release);
                }
            }
            Input::Stop => return false,
        }
        true
    }

    fn apply(&mut self, client: u32, command: &Command, reply: &Reply) {
        if !self.journal.note(self.session.steps(), client, command) {
            notice(reply, "warning", "the journal is full: this session can no longer be replayed to its end");
        }
        let before = self.session.revision();
        if let Err(refused) = self.session.apply(client, command) {
            notice(reply, "warning", &refused.0);
        }
        if self.session.revision() != before {
            self.samples.resolve(&self.session);
        }
        if matches!(command, Command::Rewind { .. } | Command::Undo | Command::Redo) {
            self.running = false;
        }
        self.restart_clock();
        self.measured = (Instant::now(), self.now(), self.session.steps());
        self.dirty = true;
    }

    fn control(&mut self, control: &Control) {
        match control {
            Control::Run => self.running = !self.ended,
            Control::Pause => self.running = false,
            Control::Step { count } => {
                self.running = false;
                self.pending = self.pending.saturating_add(*count).min(10_000);
            }
            Control::Speed { factor } => {
                self.speed = factor.map(|f| if f.is_finite() { f.clamp(0.001, 1000.0) } else { 1.0 });
            }
        }
        self.restart_clock();
        self.measured = (Instant::now(), self.now(), self.session.steps());
        self.dirty = true;
    }

    fn answer(&mut self, client: u32, request: Request, reply: &Reply) {
        let message = match request {
            Request::Inspect { object } => match self.session.inspect(&object) {
                Ok(inspection) => ServerMessage::Properties { inspection },
                // The object may have been removed a moment ago.
                Err(_) => return,
            },
            Request::Journal => {
                let text =
                    if self.ended { self.journal.open_text().to_owned() } else { self.journal.text(&self.session) };
                ServerMessage::File { name: "session.jsonl".into(), text }
            }
            Request::Scenes => ServerMessage::Scenes { names: crate::folder::list(self.start.folder.as_deref()) },
            Request::Open { name, merge } => {
                match crate::folder::read(self.start.folder.as_deref(), &name) {
                    Ok((path, text)) => {
                        if self.ended {
                            self.revive();
                        }
                        self.apply(client, &Command::Load { name: path, text, merge }, reply);
                    }
                    Err(text) => notice(reply, "error", &text),
                }
                return;
            }
        };
        // A client whose queue is full has more to read than it can.
        let _ = reply.try_send(message);
    }

    /// The world is over.
    fn end(&mut self, what: &str) {
        self.ended = true;
        self.running = false;
        self.pending = 0;
        let path = self
            .start
            .journal
            .clone()
            .unwrap_or_else(|| std::env::temp_dir().join(format!("kreisel-journal-{}.jsonl", std::process::id())));
        let saved = std::fs::write(&path, self.journal.open_text()).is_ok();
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
        if let Ok(session) = self.start.header.session() {
            self.session = session;
            self.journal = Journal::new(&self.start.header);
            self.sent_revision = 0;
            self.samples.resolve(&self.session);
            self.ended = false;
        }
    }

    /// Writes what is new to the store, at most one frame per frame time.
    fn publish(&mut self) {
        if !self.dirty || self.last_frame.is_some_and(|last| last.elapsed() < FRAME) {
            return;
        }
        self.dirty = false;
        self.last_frame = Some(Instant::now());
        self.measure();
        if self.ended {
            // The world cannot be asked any more; the last frame stays, marked.
            let mut last = self.store.frame.borrow().to_vec();
            if let Some(flags) = last.get_mut(92..96) {
                flags.copy_from_slice(&frame::ENDED.to_le_bytes());
                self.store.frame.send_replace(Bytes::from(last));
            }
            return;
        }
        if self.sent_revision != self.session.revision() {
            self.sent_revision = self.session.revision();
            self.store.scene.send_replace(text(&ServerMessage::Scene { scene: self.session.describe() }));
        }
        if self.sent_columns != self.samples.revision {
            self.sent_columns = self.samples.revision;
            let columns = self.samples.columns.clone();
            self.store.columns.send_replace(text(&ServerMessage::Columns { revision: self.sent_columns, columns }));
        }
        let pace = frames::Pace {
            running: self.running,
            factor: self.factor,
            speed: self.speed.unwrap_or(0.0),
            step_time: self.step_time,
        };
        let rows = self.samples.drain();
        self.store.frame.send_replace(Bytes::from(frames::frame(&self.session, self.layers, &pace, rows)));
    }

    fn measure(&mut self) {
        let wall = self.measured.0.elapsed().as_secs_f64();
        if !self.running {
            self.factor = 0.0;
        } else if wall >= WINDOW {
            self.factor = (self.now() - self.measured.1) / wall;
            self.measured = (Instant::now(), self.now(), self.session.steps());
        }
    }
}

/// Tells one client something.
pub fn notice(reply: &Reply, level: &str, text: &str) {
    let _ = reply.try_send(ServerMessage::Notice { level: level.into(), text: text.into() });
}
