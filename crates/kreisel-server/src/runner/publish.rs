//! What the simulation tells: events in words, descriptions when something changed, frames.

use super::{FRAME, Runner, text};
use crate::frames;
use crate::protocol::{ServerMessage, frame};
use axum::body::Bytes;
use kreisel_dynamics::Event;
use std::time::Instant;

impl Runner {
    pub(super) fn tell(&self, event: &Event) {
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

    /// Writes what is new to the store, at most one frame per frame time.
    pub(super) fn publish(&mut self) {
        let now = Instant::now();
        if !self.dirty || now < self.next_frame {
            return;
        }
        self.dirty = false;
        // Counted from when this frame was due, not from when a step let it be made: the mean rate is then the wanted one.
        self.next_frame = if now - self.next_frame < FRAME { self.next_frame + FRAME } else { now + FRAME };
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
            self.store.scene.send_replace(text(&ServerMessage::Scene { scene: Box::new(self.session.describe()) }));
        }
        if self.sent_columns != self.samples.revision {
            self.sent_columns = self.samples.revision;
            let columns = self.samples.columns.clone();
            self.store.columns.send_replace(text(&ServerMessage::Columns { revision: self.sent_columns, columns }));
        }
        // One receiver is the server's own, from which clients get theirs. Without any a frame is for nobody; it is made
        // as soon as someone comes.
        if self.store.frame.receiver_count() < 2 {
            self.dirty = true;
            // An old one must not be the first that they see.
            self.store.frame.send_if_modified(|f| !std::mem::take(f).is_empty());
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
    }
}
