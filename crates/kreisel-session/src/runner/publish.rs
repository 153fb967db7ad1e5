//! What the simulation tells: events in words, descriptions when something changed, frames.

use super::real_time::RealTime;
use super::{FRAME, Host, Runner};
use crate::frames;
use crate::protocol::{Command, ServerMessage};
use kreisel_dynamics::Event;
use kreisel_dynamics::clock::Instant;
use std::time::Duration;

/// The longest time between frames of a world that moves: its steps are then too slow for any frame
/// rate.
const LATE: Duration = Duration::from_millis(200);

/// What sending costs the network's threads, bytes per second.
const SENDING: f64 = 200e6;

impl<H: Host> Runner<H> {
    pub(super) fn tell(&mut self, event: &Event) {
        let words = match event {
            Event::Broken { name, force, torque, .. } => {
                format!("{name} broke at {force:.4} N and {torque:.4} N m")
            }
            Event::LimitHit { name, speed, .. } => format!("{name} hit its limit with {speed:.3}"),
            // Contacts begin and end all the time; they are drawn, not told.
            Event::ContactBegin { .. } | Event::ContactEnd { .. } => return,
            Event::Quarantined { body } => {
                format!("{body} was stopped: its motion left the numbers")
            }
            Event::Overdetermined { constraints, switched_off: Some(name), .. } => {
                format!("{} contradict each other; {name} was switched off", constraints.join(", "))
            }
            Event::Overdetermined { constraints, .. } => {
                format!("{} contradict each other", constraints.join(", "))
            }
            Event::Damped { constraints } => {
                format!("{} cannot be reached; damped", constraints.join(", "))
            }
            Event::NoValue { constraint } => {
                format!("{constraint} has no finite value now and is left out")
            }
            Event::PluginFailed { name, message } => format!("{name} has failed: {message}"),
            Event::ConstraintBroken { name, force, .. } => format!("{name} broke at {force:.4} N"),
            Event::Assembled { constraint } => format!("{constraint} is assembled"),
        };
        let now = self.now();
        self.troubles.event(event, &words, now);
        if !self.told.is_news(event) {
            return;
        }
        self.host.say(ServerMessage::Event { time: self.now(), text: words });
    }

    /// Tells what scripts printed and where they failed.
    pub(super) fn tell_scripts(&mut self) {
        for words in self.session.take_messages() {
            self.host.say(ServerMessage::Event { time: self.now(), text: words });
        }
        for problem in self.session.take_problems() {
            let (line, column) = problem.line_column();
            let words = format!(
                "{}:{line}:{column}: {}; it is off now",
                problem.source.name, problem.message
            );
            self.host.script_failed(&words);
            self.host.say(ServerMessage::Notice { level: "error".into(), text: words });
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
        let late = if begin > self.next_frame { begin - self.next_frame } else { Duration::ZERO };
        self.next_frame = if late < FRAME { self.next_frame + FRAME } else { begin + FRAME };
        self.measure();
        if let Some((status, words)) = self.verdict.news() {
            self.host.say(ServerMessage::Verdict { status, text: words });
        }
        if self.ended {
            // The world cannot be asked any more; the last frame stays, marked.
            self.host.mark_frame();
            return;
        }
        if self.sent_revision != self.session.revision() {
            self.sent_revision = self.session.revision();
            self.host.say(ServerMessage::Scene { scene: Box::new(self.session.describe()) });
            if let Some(editor) = self.editor.take() {
                let sending = self.host.sent() as f64 / SENDING;
                self.pay_for(editor, begin.elapsed().as_secs_f64() + sending);
            }
        }
        self.troubles.settle(&self.session.simulation().world);
        if let Some(troubles) = self.troubles.news() {
            self.host.say(ServerMessage::Troubles { troubles });
        }
        if self.sent_columns != self.samples.revision {
            self.sent_columns = self.samples.revision;
            let columns = self.samples.columns.clone();
            self.host.say(ServerMessage::Columns { revision: self.sent_columns, columns });
        }
        // A frame for nobody is made as soon as someone comes.
        if !self.host.is_watched() {
            self.dirty = true;
            self.host.forget_frame();
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
        self.host.frame(frames::frame(&self.session, self.layers, &pace, rows));
        self.choose_pace(begin.elapsed().as_secs_f64());
    }

    /// Whether the next frame may go out: in real-time mode after its steps, else when its time has
    /// come.
    fn is_frame_due(&self) -> bool {
        match &self.real_time {
            // never more frames than anybody sees, and none is held back for long
            Some(mode) if self.running => {
                let waited = self.last_frame.map_or(LATE, |last| last.elapsed());
                waited >= LATE
                    || waited >= FRAME && mode.is_frame_due(self.session.simulation().step_size())
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
        if self.start.journal.note(self.session.steps(), 0, &command)
            && self.session.apply(0, &command).is_ok()
        {
            let (rate, steps) = mode.chosen();
            let words = format!("real time: {rate:.0} steps per second, {steps} per frame");
            self.host.say(ServerMessage::Event { time: self.now(), text: words });
            self.restart_clock();
        }
    }
}
