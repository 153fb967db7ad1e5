//! What reaches the simulation between steps: commands, control of time, questions.

use super::{Host, Reply, Runner, notice};
use crate::protocol::{Command, Control, Layers, Request, ServerMessage};
use kreisel_dynamics::Status;
use kreisel_dynamics::clock::Instant;

/// Longest journal that is sent to a client, in bytes.
const LONGEST_JOURNAL: usize = 16 << 20;

impl<H: Host> Runner<H> {
    /// A client's change of the world.
    pub fn command(&mut self, client: u32, command: &Command, reply: Reply<'_>) {
        if matches!(command, Command::Restart) {
            self.given_up();
        }
        // letting go costs nothing, and whoever is host pays nothing
        if !matches!(command, Command::Release | Command::Drag { .. })
            && self.overdrawn(client, reply)
        {
            return;
        }
        if self.ended && !matches!(command, Command::Restart | Command::Load { .. }) {
            return notice(reply, "error", "the world has ended; restart it or load another scene");
        }
        if self.ended {
            self.revive();
        }
        let begin = Instant::now();
        self.apply(client, command, reply);
        self.pay(client, begin);
    }

    /// Steps run again after one was given up for a restart.
    fn given_up(&mut self) {
        self.start.interrupt.clear();
        // it has forgotten its warm start, which an undo of the restart would show
        if self.session.report().status == Status::Interrupted && !self.cut {
            self.cut = true;
            self.start.journal.note_cut(self.session.steps());
        }
    }

    /// Whether a guest has taken too much of the simulation's time; it is told how long to wait.
    fn overdrawn(&mut self, client: u32, reply: Reply<'_>) -> bool {
        if self.host.is_host(client) {
            return false;
        }
        let Some(wait) = self.accounts.wait(client) else { return false };
        let words = format!(
            "what you asked for took much of the simulation's time; go on in {:.1} s",
            wait.max(0.1)
        );
        notice(reply, "warning", &words);
        true
    }

    pub(super) fn pay(&mut self, client: u32, begin: Instant) {
        self.pay_for(client, begin.elapsed().as_secs_f64());
    }

    /// Pays for so many seconds.
    pub(super) fn pay_for(&mut self, client: u32, seconds: f64) {
        if !self.host.is_host(client) {
            self.accounts.pay(client, seconds);
        }
    }

    /// What frames carry from now on, and the quantities to measure.
    pub fn subscribe(&mut self, layers: Layers, paths: Vec<String>) {
        self.layers = layers;
        self.samples.set(&self.session, paths);
        self.dirty = true;
    }

    /// A client has gone: its hands let go.
    pub fn left(&mut self, client: u32) {
        self.accounts.forget(client);
        let pointer =
            self.session.hands().filter(|(id, _)| *id == client).map(|_| Command::Release);
        let still = |hand| Command::LetGo { hand, velocity: [0.0; 3], spin: [0.0; 3] };
        let grips =
            self.session.grips().filter(|(id, _)| id.0 == client).map(|(id, _)| still(id.1));
        for command in pointer.chain(grips).collect::<Vec<_>>() {
            self.start.journal.note(self.session.steps(), client, &command);
            let _ = self.session.apply(client, &command);
        }
    }

    fn apply(&mut self, client: u32, command: &Command, reply: Reply<'_>) {
        if !self.start.journal.note(self.session.steps(), client, command) {
            notice(
                reply,
                "warning",
                "the journal is full: this session can no longer be replayed to its end",
            );
        }
        let (before, edits) = (self.session.revision(), self.session.edits()[0]);
        match self.session.apply(client, command) {
            Err(refused) => notice(reply, "warning", &refused.0),
            // the step after an edit takes up what was changed
            Ok(()) if self.session.edits()[0] != edits || self.session.revision() != before => {
                self.suspect(client);
            }
            Ok(()) => {}
        }
        for note in self.session.take_notes() {
            notice(reply, "info", &note);
        }
        if self.session.revision() != before {
            self.samples.resolve(&self.session);
            self.editor = Some(client);
        }
        if matches!(command, Command::Rewind { .. } | Command::Undo | Command::Redo) {
            self.running = false;
        }
        // hands move with every step: the clock goes on
        if !command.is_motion() {
            self.restart_clock();
            self.measured = (Instant::now(), self.now(), self.session.steps());
        }
        self.dirty = true;
    }

    /// Runs, pauses, steps, or changes the speed.
    pub fn control(&mut self, control: &Control) {
        match control {
            Control::Run => self.running = !self.ended,
            Control::Pause => self.running = false,
            Control::Step { count } => {
                self.running = false;
                self.pending = self.pending.saturating_add(*count).min(10_000);
            }
            Control::Speed { factor } => {
                self.speed =
                    factor.map(|f| if f.is_finite() { f.clamp(0.001, 1000.0) } else { 1.0 });
            }
        }
        self.restart_clock();
        self.measured = (Instant::now(), self.now(), self.session.steps());
        self.dirty = true;
    }

    /// Answers a question.
    pub fn answer(&mut self, client: u32, request: Request, reply: Reply<'_>) {
        if self.overdrawn(client, reply) {
            return;
        }
        let begin = Instant::now();
        self.answer_now(client, request, reply);
        self.pay(client, begin);
    }

    fn answer_now(&mut self, client: u32, request: Request, reply: Reply<'_>) {
        if self.ended && matches!(request, Request::Save { .. }) {
            return notice(
                reply,
                "error",
                "the world has ended and cannot be saved; its journal can",
            );
        }
        let message = match request {
            // the host may save beside the scene whenever it likes
            Request::Journal | Request::Save { name: None }
                if self.costly.early(client).is_some() =>
            {
                let wait = self.costly.early(client).unwrap_or_default().as_secs_f64().max(0.1);
                let words = format!("the world was written a moment ago; ask again in {wait:.1} s");
                return notice(reply, "warning", &words);
            }
            Request::Inspect { object } => match self.session.inspect(&object) {
                Ok(inspection) => ServerMessage::Properties { inspection },
                // The object may have been removed a moment ago.
                Err(_) => return,
            },
            Request::Clip { objects } => match self.session.clip(&objects) {
                Ok(text) => ServerMessage::Clip { text, count: objects.len() as u32 },
                Err(refused) => return notice(reply, "warning", &refused.0),
            },
            Request::Picture { name } => {
                // only what a body of this world is said to look like
                let looks = &self.session.simulation().run_settings().looks;
                let named = looks.values().any(|l| l.finish.texture == name);
                match if named { self.host.picture(&name) } else { Err(String::new()) } {
                    Ok(data) => ServerMessage::Picture { name, data },
                    Err(text) => {
                        if !text.is_empty() {
                            notice(reply, "warning", &text);
                        }
                        ServerMessage::Picture { name, data: String::new() }
                    }
                }
            }
            Request::Journal if self.start.journal.bytes() > LONGEST_JOURNAL => {
                let place = match self.start.journal.path() {
                    Some(path) => format!("it is in {} on the host's machine", path.display()),
                    None => "start the session with --journal to have it in a file".into(),
                };
                let words = format!(
                    "the journal is longer than {LONGEST_JOURNAL} bytes and is not sent; {place}"
                );
                return notice(reply, "warning", &words);
            }
            Request::Journal => {
                let begin = Instant::now();
                let text = if self.ended {
                    self.start.journal.open_text().to_owned()
                } else {
                    self.start.journal.text(&self.session)
                };
                self.costly.spent(client, begin, text.len());
                ServerMessage::File { name: "session.jsonl".into(), text }
            }
            Request::Save { name: None } => ServerMessage::File {
                name: "scene.toml".into(),
                text: self.scene_text(client, reply),
            },
            Request::Save { name: Some(name) } => {
                let text = self.scene_text(client, reply);
                let (level, text) = match self.host.write(&name, &text) {
                    Ok(()) => ("info", format!("saved as {name}")),
                    Err(e) => ("error", e),
                };
                ServerMessage::Notice { level: level.into(), text }
            }
            Request::Scenes => ServerMessage::Scenes { names: self.host.list() },
            Request::Open { name, merge } => {
                match self.host.read(&name) {
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
        reply(message);
    }

    /// The world as it stands, as a scene file; its cost is noted.
    fn scene_text(&mut self, client: u32, reply: Reply<'_>) -> String {
        let begin = Instant::now();
        // Whatever changes the world between two steps stands in the journal.
        let when = (self.session.steps(), self.start.journal.bytes());
        let session = &self.session;
        let text = self.costly.scene(when, || {
            let saved = session.saved();
            for lost in &saved.lost {
                notice(reply, "warning", &format!("saved without {lost}"));
            }
            saved.text
        });
        self.costly.spent(client, begin, text.len());
        text
    }
}
