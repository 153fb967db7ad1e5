//! A session that runs by the clock (B-104): commands before each step, the pace, frames and news
//! for those who look. It waits for nobody: whoever owns it calls [`Runner::turn`] again after the
//! time that it returns. The only part of this crate that looks at a clock.

mod accounts;
mod costly;
mod host;
mod inputs;
mod pace;
mod publish;
mod real_time;
mod suspect;
mod told;
mod troubles;
mod verdict;

pub use host::{Host, Punctuality};

use crate::journal::{Header, Journal};
use crate::protocol::{Layers, ServerMessage};
use crate::session::{Samples, Session};
use accounts::Accounts;
use costly::Costly;
use kreisel_dynamics::Interrupt;
use kreisel_dynamics::clock::Instant;
use kreisel_scene::Options;
use real_time::RealTime;
use std::time::Duration;
use suspect::Suspect;
use told::Told;
use troubles::Troubles;
use verdict::Verdict;

/// Time between frames.
const FRAME: Duration = Duration::from_micros(16_600);
/// Backlog at which the simulation gives up catching up with the clock, s of wall time.
const BACKLOG: f64 = 0.1;
/// Time between two lines of the journal that only say where the session is.
const BEAT: Duration = Duration::from_millis(500);
/// Window over which the real-time factor is measured, s.
const WINDOW: f64 = 0.5;

/// Where the answer to one client goes.
pub type Reply<'a> = &'a dyn Fn(ServerMessage);

/// How a session begins to run.
pub struct Start {
    /// The scene.
    pub header: Header,
    /// Whether it runs at once.
    pub running: bool,
    /// Whether the first step waits until somebody looks.
    pub waiting: bool,
    /// The journal, with its file if it has one.
    pub journal: Journal,
    /// Gives up the step that is being made.
    pub interrupt: Interrupt,
    /// Wall time of a step where the scene says nothing.
    pub budget: Option<Duration>,
    /// Where files that scenes name are looked for.
    pub files: Options,
}

/// A session that runs.
pub struct Runner<H> {
    start: Start,
    session: Session,
    /// What it runs in.
    pub host: H,
    /// Worlds that were begun: each has a journal of its own.
    worlds: u32,
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
    /// Time that was given up since the last step, s.
    given_up: f64,
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
    accounts: Accounts,
    /// Who changed what exists last: describing it anew is paid by it.
    editor: Option<u32>,
    /// Who made the last edit, while the steps after it are watched.
    suspect: Option<Suspect>,
    told: Told,
    troubles: Troubles,
    verdict: Verdict,
    /// Whether a step of this world spent its time budget.
    cut: bool,
    /// When the journal was last told where the session is.
    beat: Instant,
}

/// A session that can be given up, and whose steps end.
fn equip(session: Session, start: &Start) -> Session {
    let session = session.with_interrupt(start.interrupt.clone());
    match start.budget {
        Some(budget) => session.with_budget(budget),
        None => session,
    }
}

impl<H: Host> Runner<H> {
    /// Begins to run.
    pub fn new(start: Start, session: Session, host: H) -> Self {
        let now = Instant::now();
        Self {
            worlds: 1,
            running: start.running,
            anchor: (now, session.simulation().world.time()),
            measured: (now, session.simulation().world.time(), 0),
            session: equip(session, &start),
            start,
            host,
            samples: Samples::default(),
            layers: Layers::default(),
            ended: false,
            pending: 0,
            speed: Some(1.0),
            factor: 0.0,
            given_up: 0.0,
            step_time: 0.0,
            sent_revision: 0,
            sent_columns: 0,
            last_frame: None,
            next_frame: now,
            dirty: true,
            real_time: None,
            costly: Costly::default(),
            accounts: Accounts::default(),
            editor: None,
            suspect: None,
            told: Told::default(),
            troubles: Troubles::default(),
            verdict: Verdict::default(),
            cut: false,
            beat: now,
        }
    }

    /// A step if one is due, and a frame if it is time. Returns how long nothing is to be done;
    /// what comes in may be given to it earlier.
    pub fn turn(&mut self) -> Duration {
        let wait = if self.is_due() {
            self.step();
            Duration::ZERO
        } else {
            self.wait()
        };
        self.publish();
        if !self.ended && self.beat.elapsed() >= BEAT {
            self.beat = Instant::now();
            self.start.journal.beat(&self.session);
        }
        wait
    }

    /// Makes steps at once, whatever the clock says.
    pub fn advance(&mut self, count: u32) {
        for _ in 0..count {
            self.step();
        }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The journal so far.
    pub fn journal(&self) -> &Journal {
        &self.start.journal
    }

    /// Ends it: the journal gets its last line.
    pub fn close(self) {
        if !self.ended {
            self.start.journal.close(&self.session);
        }
    }

    fn now(&self) -> f64 {
        self.session.simulation().world.time()
    }

    fn step(&mut self) {
        self.host.before_step(&self.session);
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
        let kept = self.kept();
        self.host.after_step(&self.session, kept);
        self.verdict.step(self.session.report());
        self.troubles.step(self.session.report());
        self.judge_step(took);
        self.samples.take(&self.session);
        for event in events {
            self.tell(&event);
        }
        self.tell_scripts();
        self.pending = self.pending.saturating_sub(1);
        if self.session.simulation_mut().take_stop() {
            (self.running, self.pending) = (false, 0);
        }
        self.dirty = true;
    }

    /// The world has failed: it answers so until a restart or another scene.
    pub fn fail(&mut self, what: &str) {
        self.ended = true;
        self.running = false;
        self.pending = 0;
        let journal = self.host.keep(what, &self.start.journal);
        self.host
            .say(ServerMessage::Ended { text: format!("the simulation failed: {what}"), journal });
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
pub fn notice(reply: Reply<'_>, level: &str, text: &str) {
    reply(ServerMessage::Notice { level: level.into(), text: text.into() });
}
