//! Edits of guests that make steps slow. The time of commands is bounded by role, but one small
//! command can make every later step as slow as its budget allows: the first step after an edit is
//! paid by who made it, and an edit of a guest after which steps hardly come to an end is taken
//! back.

use super::{Host, Runner};
use crate::protocol::{Command, ServerMessage};
use kreisel_dynamics::clock::Instant;
use std::time::Duration;

/// Wall time of a step that is too slow, s, where it is also `TIMES` as slow as before the edit.
const SLOW: f64 = 0.25;
const TIMES: f64 = 10.0;
/// An edit after which all went well for so long is not to blame.
const WATCHED: Duration = Duration::from_secs(5);
/// What such an edit costs its author besides, s of simulation time.
const FINE: f64 = 1.0;

/// Who made the last edit.
pub(super) struct Suspect {
    pub client: u32,
    /// Wall time of a step before it, s.
    pub usual: f64,
    pub since: Instant,
    /// Whether no step has been made since.
    pub fresh: bool,
}

impl<H: Host> Runner<H> {
    /// Notes who made an edit.
    pub(super) fn suspect(&mut self, client: u32) {
        let before = self.suspect.as_ref().filter(|s| s.client == client);
        let usual = before.map_or(self.step_time, |s| s.usual);
        self.suspect = Some(Suspect { client, usual, since: Instant::now(), fresh: true });
    }

    /// Judges the step that was just made.
    pub(super) fn judge_step(&mut self, took: f64) {
        let Some(s) = &mut self.suspect else { return };
        let (client, usual, first) = (s.client, s.usual, std::mem::take(&mut s.fresh));
        if s.since.elapsed() >= WATCHED || self.host.is_host(client) {
            self.suspect = None;
            return;
        }
        if first {
            self.pay_for(client, (took - usual).max(0.0));
        }
        if took < SLOW || took < TIMES * usual {
            return;
        }
        self.suspect = None;
        let undo = Command::Undo;
        let noted = self.start.journal.note(self.session.steps(), client, &undo);
        if noted && self.session.apply(client, &undo).is_ok() {
            self.samples.resolve(&self.session);
            self.pay_for(client, FINE);
            self.restart_clock();
            let text = format!("an edit made steps of {took:.1} s and was taken back");
            self.host
                .say(ServerMessage::Event { time: self.session.simulation().world.time(), text });
        }
    }
}
