//! What the simulation tells: events in words, descriptions when something changed, frames.

use super::real_time::RealTime;
use super::{FRAME, Runner, text};
use axum::body::Bytes;
use kreisel_dynamics::Event;
use kreisel_session::frames;
use kreisel_session::protocol::{Command, ServerMessage, frame};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The longest time between frames of a world that moves: its steps are then too slow for any frame
/// rate.
const LATE: Duration = Duration::from_millis(200);

impl Runner {
    pub(super) fn tell(&mut self, event: &Event) {
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
        if !self.told.is_news(event) {
            return;
        }
        // Nobody listening is no error.
        let _ = self.store.events.send(text(&ServerMessage::Event { time: self.now(), text: words }));
    }

    /// Tells what scripts printed and where they failed: to all, and on the terminal.
    pub(super) fn tell_scripts(&mut self) {
        for words in self.session.take_messages() {
            let _ = self.store.events.send(text(&ServerMessage::Event { time: self.now(), text: words }));
        }
        for problem in self.session.take_problems() {
            let (line, column) = problem.line_column();
            let words = format!("{}:{line}:{column}: {}; it is off now", problem.source.name, problem.message);
            eprintln!("error: {words}");
            self.start.script_errors.fetch_add(1, Ordering::Relaxed);
            let _ = self.store.events.send(text(&ServerMessage::Notice { level: "error".into(), text: words }));
        }
    }

    /// Writes what is new to the store, at most one frame per frame time.
    pub(super) fn publish(&mut self) {
        self.follow_mode();
        if !self.dirty || !self.is_frame_due() {
            return;
        }
        let begin = Instant::now();
        self.dirty = false;
        self.last_frame = Some(begin);
        // Counted from when this frame was due, not from when a step let it be made: the mean rate
        // is then the wanted one.
        let late = begin.saturating_duration_since(self.next_frame);
        self.next_frame = if late < FRAME { self.next_frame + FRAME } else { begin + FRAME };
        self.measure();
        if let Some((status, words)) = self.verdict.news() {
            self.store.verdict.send_replace(text(&ServerMessage::Verdict { status, text: words }));
        }
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
            self.store.scene.send_replace(text(&ServerMessage::Scene { scene: Box::new(self.session.describe()) }));
        }
        if self.sent_columns != self.samples.revision {
            self.sent_columns = self.samples.revision;
            let columns = self.samples.columns.clone();
            self.store.columns.send_replace(text(&ServerMessage::Columns { revision: self.sent_columns, columns }));
        }
        // One receiver is the server's own, from which clients get theirs. Without any a frame is
        // for nobody; it is made as soon as someone comes.
        if self.store.frame.receiver_count() < 2 {
            self.dirty = true;
            // An old one must not be the first that they see.
            self.store.frame.send_if_modified(|f| !std::mem::take(f).is_empty());
            self.choose_pace(begin.elapsed().as_secs_f64());
            return;
        }
        let pace = frames::Pace {
            running: self.running,
            factor: self.factor,
            speed: self.speed.unwrap_or(0.0),
            step_time: self.step_time,
        };
        let rows = self.samples.drain();
        self.store.frame.send_replace(Bytes::from(frames::frame(&self.session, self.layers, &pace, rows)));
        self.choose_pace(begin.elapsed().as_secs_f64());
    }

    /// Whether the next frame may go out: in real-time mode after its steps, else when its time has
    /// come.
    fn is_frame_due(&self) -> bool {
        match &self.real_time {
            // never more frames than anybody sees, and none is held back for long
            Some(mode) if self.running => {
                let waited = self.last_frame.map_or(LATE, |last| last.elapsed());
                waited >= LATE || waited >= FRAME && mode.is_frame_due(self.session.simulation().step_size())
            }
            _ => Instant::now() >= self.next_frame,
        }
    }

    /// Goes into real-time mode and out of it as the world's property says.
    fn follow_mode(&mut self) {
        let sim = self.session.simulation();
        match (sim.real_time(), &self.real_time) {
            (true, None) => self.real_time = Some(RealTime::new(sim.step_size())),
            (false, Some(_)) => self.real_time = None,
            _ => {}
        }
    }

    /// Takes the step size that keeps up with the clock, through the journal like any other change.
    fn choose_pace(&mut self, frame_time: f64) {
        if !self.running || self.speed.is_none() {
            return;
        }
        let speed = self.speed.unwrap_or(1.0);
        let step = self.session.simulation().step_size();
        let Some(mode) = &mut self.real_time else { return };
        let Some(step) = mode.framed(frame_time * speed, step) else { return };
        let command = Command::Pace { step };
        if self.start.journal.note(self.session.steps(), 0, &command) && self.session.apply(0, &command).is_ok() {
            let (rate, steps) = mode.chosen();
            let words = format!("real time: {rate:.0} steps per second, {steps} per frame");
            let _ = self.store.events.send(text(&ServerMessage::Event { time: self.now(), text: words }));
            self.restart_clock();
        }
    }
}
