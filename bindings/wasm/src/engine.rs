//! A scene that runs in the page.

use crate::files::Files;
use crate::page::Page;
use kreisel_dynamics::Interrupt;
use kreisel_dynamics::clock::Instant;
use kreisel_scene::{Options, SceneError};
use kreisel_session::frames::{self, Pace};
use kreisel_session::journal::{Header, Journal};
use kreisel_session::protocol::{ClientInfo, ClientMessage, Command, Layers, Role, ServerMessage};
use kreisel_session::runner::{Runner, Start};
use kreisel_session::session::Session;
use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// The page's own number among clients; there is no other.
const CLIENT: u32 = 1;
/// Its colour (the first of the server's).
const COLOR: [u8; 3] = [0, 114, 178];
/// Most problems of a scene that are told at once.
const PROBLEMS: usize = 10;

/// A scene that runs.
#[wasm_bindgen]
pub struct Engine {
    pub(crate) runner: Runner<Page>,
}

impl Engine {
    /// Reads the scene `name` of the files. A live one runs by the clock, its steps bounded in
    /// time; any other moves by [`Self::step`] alone.
    pub fn open(name: &str, files: &Files, live: bool) -> Result<Self, String> {
        let bytes = files.set.get(name).map_err(|e| format!("{name}: {e}"))?;
        let text =
            std::str::from_utf8(bytes).map_err(|e| format!("{name} is not UTF-8 text: {e}"))?;
        let folder = Path::new(name).parent().map(Path::to_path_buf);
        let options = Options { folder, files: Some(files.set.clone()), ..Options::default() };

        let scene = kreisel_scene::parse_as(name, text, &options).map_err(|e| words(&e))?;
        let warnings = scene.warnings.clone();

        // a live one never keeps its page waiting for longer than a second, or than five of its
        // steps
        let budget = live.then(|| Duration::from_secs_f64((5.0 * scene.step).clamp(1.0, 1e6)));
        let header = Header::new(name, text, &[]);
        let session = Session::new(scene).with_files(&options);
        let journal = Journal::new(&header);
        let interrupt = Interrupt::default();
        let start = Start {
            header,
            running: live,
            waiting: false,
            journal,
            interrupt,
            budget,
            files: options,
        };
        let mut runner = Runner::new(start, session, Page::default());
        for problem in warnings.iter().take(PROBLEMS) {
            let (line, column) = problem.line_column();
            let text = format!("{}:{line}:{column}: {}", problem.source.name, problem.message);
            runner
                .host
                .messages
                .push(Page::text(&ServerMessage::Notice { level: "warning".into(), text }));
        }
        Ok(Self { runner })
    }

    /// Takes a message as the socket would: answers and frames wait to be taken.
    pub fn take(&mut self, message: ClientMessage) {
        let answers = RefCell::new(Vec::new());
        let reply = |message: ServerMessage| answers.borrow_mut().push(Page::text(&message));
        match message {
            ClientMessage::Hello { name, .. } | ClientMessage::Rename { name } => {
                reply(ServerMessage::Welcome {
                    id: CLIENT,
                    program: env!("CARGO_PKG_VERSION").into(),
                });
                let own = ClientInfo { id: CLIENT, name, color: COLOR, role: Role::Host };
                reply(ServerMessage::Clients { clients: vec![own] });
            }
            ClientMessage::Command { command } => self.runner.command(CLIENT, &command, &reply),
            ClientMessage::Control { control } => self.runner.control(&control),
            ClientMessage::Request { request } => self.runner.answer(CLIENT, request, &reply),
            ClientMessage::Subscribe { layers, quantities } => {
                self.runner.subscribe(layers, quantities)
            }
            // nobody else is there
            ClientMessage::Appoint { .. } => {}
        }
        self.runner.host.messages.append(&mut answers.into_inner());
    }

    /// Applies a command; a refusal is an error in words.
    pub fn edit(&mut self, command: &Command) -> Result<(), String> {
        let refused = RefCell::new(None);
        self.runner.command(CLIENT, command, &|message| {
            if let ServerMessage::Notice { level, text } = message
                && level != "info"
            {
                *refused.borrow_mut() = Some(text);
            }
        });
        refused.into_inner().map_or(Ok(()), Err)
    }
}

#[wasm_bindgen]
impl Engine {
    /// Reads the scene `name` of the files and starts it. A live one runs by the clock, in `turn`;
    /// any other moves by `step` alone.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, files: &Files, live: bool) -> Result<Engine, JsError> {
        Self::open(name, files, live).map_err(|e| JsError::new(&e))
    }

    /// Takes a message of the protocol (JSON) as the server's socket does.
    pub fn message(&mut self, text: &str) -> Result<(), JsError> {
        let message =
            serde_json::from_str(text).map_err(|e| JsError::new(&format!("no message: {e}")))?;
        self.take(message);
        Ok(())
    }

    /// Runs by the clock for at most so many milliseconds; returns those until there is more to do.
    pub fn turn(&mut self, most: f64) -> f64 {
        let begin = Instant::now();
        loop {
            let wait = self.runner.turn();
            if !wait.is_zero() {
                return wait.as_secs_f64() * 1e3;
            }
            // negated: a number that is none ends it, too
            if !(begin.elapsed().as_secs_f64() * 1e3 < most) {
                return 0.0;
            }
        }
    }

    /// Messages (JSON) that have come up since the last call.
    pub fn messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.runner.host.messages)
    }

    /// The newest frame, if there is one since the last call: bytes as the socket sends them.
    pub fn frame(&mut self) -> Option<Vec<u8>> {
        self.runner.host.frame.take()
    }

    /// Makes steps at once, whatever the clock says.
    pub fn step(&mut self, count: u32) {
        self.runner.advance(count);
    }

    /// Applies a command (JSON, as in a journal); throws where it is refused.
    pub fn apply(&mut self, command: &str) -> Result<(), JsError> {
        let command =
            serde_json::from_str(command).map_err(|e| JsError::new(&format!("no command: {e}")))?;
        self.edit(&command).map_err(|e| JsError::new(&e))
    }

    /// The present state as a frame, bytes as the socket sends them.
    pub fn state(&self) -> Vec<u8> {
        let pace = Pace { running: false, factor: 0.0, speed: 0.0, step_time: 0.0 };
        frames::frame(self.runner.session(), Layers::default(), &pace, Vec::new())
    }

    /// What exists: bodies, joints and so on (JSON).
    pub fn describe(&self) -> String {
        serde_json::to_string(&self.runner.session().describe()).unwrap_or_default()
    }

    /// The properties of an object (JSON).
    pub fn inspect(&self, object: &str) -> Result<String, JsError> {
        let found = self.runner.session().inspect(object).map_err(|e| JsError::new(&e.0))?;
        Ok(serde_json::to_string(&found).unwrap_or_default())
    }

    /// The step size, s.
    #[wasm_bindgen(js_name = stepSize)]
    pub fn step_size(&self) -> f64 {
        self.runner.session().simulation().step_size()
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.runner.session().simulation().world.time()
    }

    /// Steps made, those that were undone included.
    pub fn steps(&self) -> f64 {
        self.runner.session().steps() as f64
    }

    /// Hash of the present state: the same as natively, to the bit.
    pub fn hash(&self) -> String {
        self.runner.session().hash()
    }

    /// The world as it stands, as a scene file.
    pub fn save(&self) -> String {
        self.runner.session().save()
    }

    /// The journal so far, closed with the present state: `kreisel replay` repeats it to the bit.
    pub fn journal(&self) -> String {
        self.runner.journal().text(self.runner.session())
    }

    /// The journal as it grows, without its last line.
    #[wasm_bindgen(js_name = openJournal)]
    pub fn open_journal(&self) -> String {
        self.runner.journal().open_text().to_owned()
    }
}

/// The problems of a scene, one in a line.
fn words(error: &SceneError) -> String {
    let line = |p: &kreisel_scene::Problem| {
        let (line, column) = p.line_column();
        let help = p.help.as_ref().map(|h| format!(" ({h})")).unwrap_or_default();
        format!("{}:{line}:{column}: {}{help}", p.source.name, p.message)
    };
    error.problems.iter().take(PROBLEMS).map(line).collect::<Vec<_>>().join("\n")
}
