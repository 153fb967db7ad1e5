//! The journal: every command with the number of steps made before it. Together with the scene it
//! repeats a live session to the bit.
//!
//! A file of JSON lines: a header with the scene's text, one line per command, written as they
//! happen, once a second the number of steps with the hash of the state, and the same at the end.
//! What died has no last line, and its other lines are good: a replay comes to its last second.

mod replay;
mod write;

pub use replay::{Replayed, replay, scene_name};
pub use write::Journal;

use crate::protocol::Command;
use crate::session::Session;
use kreisel_scene::record::Changes;
use kreisel_scene::{Options, SceneError};
use serde::{Deserialize, Serialize};

/// Version of the journal's format.
const FORMAT: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub kreisel_journal: u32,
    /// Version of the program that wrote it.
    pub program: String,
    /// Name of the scene file.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Parameters that were given other values.
    pub params: Vec<(String, f64)>,
    /// Step size, where the command line changed it.
    pub step: Option<f64>,
    /// Method, where the command line changed it.
    pub method: Option<String>,
    /// Order, where the command line changed it.
    pub order: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Command {
        step: u64,
        client: u32,
        command: Box<Command>,
    },
    End {
        steps: u64,
        hash: String,
    },
    /// Where the session was at some second.
    At {
        at: u64,
        hash: String,
    },
    /// This step spent its time budget: a replay need not agree from here on.
    Cut {
        cut: u64,
    },
}

impl Line {
    /// Steps that were made before it.
    fn steps(&self) -> u64 {
        match self {
            Self::Command { step, .. } => *step,
            Self::End { steps, .. } => *steps,
            Self::At { at, .. } => *at,
            Self::Cut { cut } => *cut,
        }
    }
}

/// Why a journal cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A line is not one of a journal.
    #[error("line {line} is not a line of a journal: {message}")]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The replay was stopped by whoever watches it.
    #[error("the replay was interrupted after {0} steps")]
    Interrupted(u64),
    /// The scene in it cannot be read.
    #[error("the scene in the journal has errors: {0}")]
    Scene(String),
    /// The end differs.
    #[error("the replay ends with another state after {steps} steps: {found}, the journal says {expected}{}", reason(*.cut))]
    Differs {
        /// Steps made.
        steps: u64,
        /// Hash of the replay.
        found: String,
        /// Hash in the journal.
        expected: String,
        /// The first step of the session that spent its time budget, if one did.
        cut: Option<u64>,
    },
}

/// Why another end is no wonder.
fn reason(cut: Option<u64>) -> String {
    cut.map(|k| {
        format!(" (step {k} of the session spent its time budget: what follows cannot be repeated)")
    })
    .unwrap_or_default()
}

impl From<SceneError> for ReplayError {
    fn from(e: SceneError) -> Self {
        Self::Scene(e.problems.first().map_or(String::new(), |p| p.message.clone()))
    }
}

impl Header {
    /// The header for a scene.
    pub fn new(name: &str, text: &str, params: &[(String, f64)]) -> Self {
        Self {
            kreisel_journal: FORMAT,
            program: env!("CARGO_PKG_VERSION").into(),
            name: name.into(),
            text: text.into(),
            params: params.to_vec(),
            step: None,
            method: None,
            order: None,
        }
    }

    /// The session at its start. Files that its scene names are read from the folder of `options`,
    /// if there is one.
    pub fn session(&self, options: &Options) -> Result<Session, ReplayError> {
        let options = Options { params: self.params.clone(), ..options.clone() };
        let mut scene = kreisel_scene::parse_as(&self.name, &self.text, &options)?;
        // The same way as the command line went, with the same refusals.
        let changes = Changes {
            params: Vec::new(),
            step: self.step,
            method: self.method.clone(),
            order: self.order,
            key: None,
        };
        changes.apply(&mut scene).map_err(|message| ReplayError::Line { line: 1, message })?;
        Ok(Session::new(scene).with_files(&options))
    }
}
