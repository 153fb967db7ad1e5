//! What a session runs in: those who look at it, and the files beside it.

use crate::journal::Journal;
use crate::protocol::ServerMessage;
use crate::session::Session;

/// How well a step kept the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Punctuality {
    /// How much later than due it was done, s.
    pub late: f64,
    /// Time by the clock that was given up before it, because steps were too slow, s.
    pub given_up: f64,
}

/// What a running session needs from outside: a server, or a page.
pub trait Host {
    /// Whether anybody looks; frames are made for them only.
    fn is_watched(&self) -> bool;

    /// Whether a world that waits for somebody may begin.
    fn is_awaited(&self) -> bool {
        self.is_watched()
    }

    /// Whether somebody feels the steps: then the last moment before each is waited for by looking
    /// at the clock, which is exact and takes processor time.
    fn is_punctual(&self) -> bool {
        false
    }

    /// Whether a client is the host of the session: the others' commands have a budget of time.
    fn is_host(&self, client: u32) -> bool {
        let _ = client;
        true
    }

    /// The newest frame. Whoever comes late sees this one; older ones are gone.
    fn frame(&mut self, frame: Vec<u8>);

    /// Nobody looks: an old frame must not be the first that they see.
    fn forget_frame(&mut self) {}

    /// The world has ended: its last frame stays, marked so.
    fn mark_frame(&mut self);

    /// Bytes that the newest description takes, for all who get it.
    fn sent(&self) -> usize {
        0
    }

    /// A message for all. Of descriptions, columns and verdicts the newest counts; events are all
    /// told.
    fn say(&mut self, message: ServerMessage);

    /// Called before every step; a test can make it fail.
    fn before_step(&mut self, _session: &Session) {}

    /// Called after every step.
    fn after_step(&mut self, _session: &Session, _kept: Punctuality) {}

    /// A script failed; the message says where.
    fn script_failed(&mut self, _words: &str) {}

    /// Keeps the journal of a world that has failed; says where it is.
    fn keep(&mut self, what: &str, journal: &Journal) -> Option<String>;

    /// Scenes beside the one that is shown.
    fn list(&self) -> Vec<String>;

    /// Path and text of a scene of the list.
    fn read(&self, name: &str) -> Result<(String, String), String>;

    /// A picture beside the scene that is shown, as a data URL.
    fn picture(&self, name: &str) -> Result<String, String> {
        Err(format!("there is no picture \"{name}\" beside this scene"))
    }

    /// Writes a new scene beside the one that is shown.
    fn write(&mut self, name: &str, text: &str) -> Result<(), String>;
}
