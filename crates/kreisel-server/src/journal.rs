//! The journal: every command with the number of steps made before it. Together with the scene it repeats a live
//! session to the bit.
//!
//! A file of JSON lines: a header with the scene's text, one line per command, and where it was written to disk a last
//! line with the number of steps and the hash of the state.

use crate::protocol::Command;
use crate::session::Session;
use kreisel_scene::{Options, SceneError};
use serde::{Deserialize, Serialize};

/// Version of the journal's format.
const FORMAT: u32 = 1;
/// Most bytes of a journal in memory; after that the session goes on without one, and says so.
const MOST: usize = 256 << 20;

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
    Command { step: u64, client: u32, command: Box<Command> },
    End { steps: u64, hash: String },
}

/// A journal in the making.
pub struct Journal {
    text: String,
    full: bool,
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
    /// The scene in it cannot be read.
    #[error("the scene in the journal has errors: {0}")]
    Scene(String),
    /// The end differs.
    #[error("the replay ends with another state after {steps} steps: {found}, the journal says {expected}")]
    Differs {
        /// Steps made.
        steps: u64,
        /// Hash of the replay.
        found: String,
        /// Hash in the journal.
        expected: String,
    },
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

    /// The session at its start. Files that its scene names are read from the folder of `options`, if there is one.
    pub fn session(&self, options: &Options) -> Result<Session, ReplayError> {
        let options = Options { params: self.params.clone(), ..options.clone() };
        let mut scene = kreisel_scene::parse_as(&self.name, &self.text, &options)?;
        let mut settings = scene.world.settings().clone();
        if let Some(step) = self.step {
            scene.step = step;
        }
        if let Some(word) = &self.method {
            let methods = [
                ("direct", kreisel_dynamics::Method::Direct),
                ("iterative", kreisel_dynamics::Method::Iterative),
                ("cut", kreisel_dynamics::Method::Cut),
                ("lagrange", kreisel_dynamics::Method::Lagrange),
            ];
            let found = methods.into_iter().find(|m| m.0 == word);
            settings.method = found.ok_or_else(|| ReplayError::Scene(format!("unknown method {word}")))?.1;
        }
        if let Some(n) = self.order {
            let order = kreisel_dynamics::Order::from_number(n);
            settings.order = order.ok_or_else(|| ReplayError::Scene(format!("unknown order {n}")))?;
        }
        scene.world.set_settings(settings).map_err(|e| ReplayError::Scene(e.to_string()))?;
        Ok(Session::new(scene).with_files(&options))
    }
}

impl Journal {
    /// An empty journal.
    pub fn new(header: &Header) -> Self {
        let mut text = serde_json::to_string(header).unwrap_or_default();
        text.push('\n');
        Self { text, full: false }
    }

    /// Notes a command before it is applied; false when there is no more room.
    pub fn note(&mut self, step: u64, client: u32, command: &Command) -> bool {
        if self.full {
            return false;
        }
        let line = Line::Command { step, client, command: Box::new(command.clone()) };
        self.text.push_str(&serde_json::to_string(&line).unwrap_or_default());
        self.text.push('\n');
        self.full = self.text.len() > MOST;
        !self.full
    }

    /// The journal as it stands, closed with the present state.
    pub fn text(&self, session: &Session) -> String {
        let end = Line::End { steps: session.steps(), hash: session.hash() };
        format!("{}{}\n", self.text, serde_json::to_string(&end).unwrap_or_default())
    }

    /// The journal of a world that cannot be asked any more.
    pub fn open_text(&self) -> &str {
        &self.text
    }
}

/// What a replay found.
pub struct Replayed {
    /// The session at the end.
    pub session: Session,
    /// Commands that were applied.
    pub commands: usize,
    /// Whether the journal states an end, which the replay then has reached to the bit.
    pub checked: bool,
}

/// Name of the scene file of a journal, if it has one.
pub fn scene_name(text: &str) -> Option<String> {
    serde_json::from_str::<Header>(text.lines().next()?).ok().map(|h| h.name)
}

/// Repeats a session; `each` is called after every step.
pub fn replay(text: &str, options: &Options, mut each: impl FnMut(&Session)) -> Result<Replayed, ReplayError> {
    let mut lines = text.lines().enumerate();
    let wrong = |line: usize, message: String| ReplayError::Line { line: line + 1, message };
    let (k, first) = lines.next().ok_or_else(|| wrong(0, "the file is empty".into()))?;
    let header: Header = serde_json::from_str(first).map_err(|e| wrong(k, e.to_string()))?;
    if header.kreisel_journal != FORMAT {
        return Err(wrong(k, format!("format {} is unknown, this program reads {FORMAT}", header.kreisel_journal)));
    }
    let mut session = header.session(options)?;
    let (mut commands, mut checked) = (0, false);
    for (k, line) in lines {
        let line: Line = serde_json::from_str(line).map_err(|e| wrong(k, e.to_string()))?;
        let until = match &line {
            Line::Command { step, .. } => *step,
            Line::End { steps, .. } => *steps,
        };
        if until < session.steps() {
            return Err(wrong(k, "steps go backwards".into()));
        }
        while session.steps() < until {
            session.step();
            each(&session);
        }
        match line {
            Line::Command { client, command, .. } => {
                // A refused command was refused in the session, too.
                let _ = session.apply(client, &command);
                commands += 1;
            }
            Line::End { steps, hash } => {
                let found = session.hash();
                if found != hash {
                    return Err(ReplayError::Differs { steps, found, expected: hash });
                }
                checked = true;
            }
        }
    }
    Ok(Replayed { session, commands, checked })
}
