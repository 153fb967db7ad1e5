//! The simulation thread: takes what clients sent, runs the session, and writes to a store from
//! which clients read. It never waits for a client.

use crate::folder;
use crate::force_channel::{Channel, FIRST_CLIENT, FromDevice};
use axum::body::Bytes;
use kreisel_session::journal::Journal;
use kreisel_session::protocol::{Command, Control, Layers, Request, ServerMessage, frame};
use kreisel_session::runner::{self, Host, Punctuality, Runner, Start};
use kreisel_session::session::Session;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{broadcast, mpsc, watch};

/// Most commands between two steps; the rest waits for the next.
const BATCH: usize = 256;

/// What reaches the simulation thread.
pub enum Input {
    /// A change of the world.
    Command(u32, Box<Command>, Reply),
    /// Time.
    Control(Control),
    /// A question.
    Request(u32, Request, Reply),
    /// What frames carry, and the quantities to measure.
    Subscribe(Layers, Vec<String>),
    /// A client has gone: its hand lets go.
    Left(u32),
    /// A message on the force channel, or why it is none.
    Device(SocketAddr, Result<FromDevice, String>),
    /// The end.
    Stop,
}

/// Where answers to one client go.
pub type Reply = mpsc::Sender<ServerMessage>;

/// A restart that found the queue full, with who asked for it.
pub type Restart = Mutex<Option<(u32, Reply)>>;

/// A call before every step; a test can make it fail.
pub type Hook = Box<dyn FnMut(&Session) + Send>;

/// Where the simulation writes to.
pub struct Store {
    /// The newest frame.
    pub frame: watch::Sender<Bytes>,
    /// The newest description.
    pub scene: watch::Sender<Arc<str>>,
    /// The newest columns of measurements.
    pub columns: watch::Sender<Arc<str>>,
    /// The verdict on the last steps.
    pub verdict: watch::Sender<Arc<str>>,
    /// What is wrong with single items.
    pub troubles: watch::Sender<Arc<str>>,
    /// Events, for all.
    pub events: broadcast::Sender<Arc<str>>,
    /// Counts procedures of scripts that failed.
    pub script_errors: Arc<AtomicU64>,
    /// Scenes that can be opened; the folder is saved to.
    pub library: folder::Library,
    /// Called before every step.
    pub hook: Option<Hook>,
    /// Bytes of the newest description.
    pub described: usize,
    /// The client that is host.
    pub host: Arc<AtomicU32>,
    /// Whether guests have less time than the host.
    pub bounded: bool,
    /// For devices that are felt.
    pub channel: Option<Channel>,
}

impl Host for Store {
    fn is_watched(&self) -> bool {
        // One receiver is the server's own, from which clients get theirs.
        self.frame.receiver_count() >= 2
    }

    fn is_awaited(&self) -> bool {
        self.is_watched() || self.is_punctual()
    }

    fn is_punctual(&self) -> bool {
        self.channel.as_ref().is_some_and(Channel::is_used)
    }

    fn after_step(&mut self, session: &Session, kept: Punctuality) {
        let news = self.channel.as_mut().and_then(|c| c.step(session, kept));
        if let Some(text) = news {
            self.say(ServerMessage::Event { time: session.simulation().world.time(), text });
        }
    }

    fn is_host(&self, client: u32) -> bool {
        // a device is on this machine and knows the token
        !self.bounded || client >= FIRST_CLIENT || self.host.load(Ordering::Relaxed) == client
    }

    fn frame(&mut self, frame: Vec<u8>) {
        self.frame.send_replace(Bytes::from(frame));
    }

    fn forget_frame(&mut self) {
        self.frame.send_if_modified(|f| !std::mem::take(f).is_empty());
    }

    fn mark_frame(&mut self) {
        let mut last = self.frame.borrow().to_vec();
        frame::mark_ended(&mut last);
        self.frame.send_replace(Bytes::from(last));
    }

    fn say(&mut self, message: ServerMessage) {
        let text = text(&message);
        match message {
            ServerMessage::Scene { .. } => {
                self.described = text.len();
                drop(self.scene.send_replace(text));
            }
            ServerMessage::Columns { .. } => drop(self.columns.send_replace(text)),
            ServerMessage::Verdict { .. } => drop(self.verdict.send_replace(text)),
            ServerMessage::Troubles { .. } => drop(self.troubles.send_replace(text)),
            // Nobody listening is no error.
            _ => drop(self.events.send(text)),
        }
    }

    fn sent(&self) -> usize {
        // the server's own receiver takes none
        self.described * self.scene.receiver_count().saturating_sub(1)
    }

    fn before_step(&mut self, session: &Session) {
        if let Some(hook) = &mut self.hook {
            hook(session);
        }
    }

    fn script_failed(&mut self, words: &str) {
        eprintln!("error: {words}");
        self.script_errors.fetch_add(1, Ordering::Relaxed);
    }

    fn keep(&mut self, what: &str, journal: &Journal) -> Option<String> {
        // A journal with a file is there already.
        let (path, saved) = match journal.path() {
            Some(path) => (path.to_path_buf(), true),
            None => {
                let path = std::env::temp_dir()
                    .join(format!("kreisel-journal-{}.jsonl", std::process::id()));
                let saved = std::fs::write(&path, journal.open_text()).is_ok();
                (path, saved)
            }
        };
        eprintln!("the simulation failed: {what}; journal: {}", path.display());
        saved.then(|| path.display().to_string())
    }

    fn list(&self) -> Vec<String> {
        self.library.list()
    }

    fn read(&self, name: &str) -> Result<(String, String), String> {
        self.library.read(name)
    }

    fn picture(&self, name: &str) -> Result<String, String> {
        folder::picture(self.library.folder.as_deref(), name)
    }

    fn write(&mut self, name: &str, text: &str) -> Result<(), String> {
        folder::write(self.library.folder.as_deref(), name, text)
    }
}

/// Text of a message.
pub fn text(message: &ServerMessage) -> Arc<str> {
    serde_json::to_string(message).unwrap_or_default().into()
}

/// Runs a session until told to stop. A panic in the world ends the world, not the thread: it then
/// answers that the world has ended, until a restart or another scene.
pub fn run(
    start: Start,
    session: Session,
    inputs: &Receiver<Input>,
    store: Store,
    stop: &AtomicBool,
    restart: &Restart,
) {
    let mut runner = Runner::new(start, session, store);
    loop {
        let turn = catch_unwind(AssertUnwindSafe(|| turn(&mut runner, inputs, stop, restart)));
        match turn {
            Ok(true) => {}
            Ok(false) => break,
            Err(panic) => {
                let what = panic
                    .downcast_ref::<&str>()
                    .map(|s| (*s).to_owned())
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_else(|| "a panic".into());
                runner.fail(&what);
            }
        }
    }
    runner.close();
}

/// Commands, then a step or a wait, then a frame. False ends the thread.
fn turn(
    runner: &mut Runner<Store>,
    inputs: &Receiver<Input>,
    stop: &AtomicBool,
    restart: &Restart,
) -> bool {
    let waiting = restart.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((client, reply)) = waiting {
        runner.command(client, &Command::Restart, &to(reply));
    }
    // looked at afterwards: a restart lets steps run again, the end does not
    if stop.load(Ordering::Relaxed) {
        return false;
    }
    for _ in 0..BATCH {
        match inputs.try_recv() {
            Ok(input) => {
                if !take(runner, input) {
                    return false;
                }
            }
            Err(TryRecvError::Empty) => break,
            Err(TryRecvError::Disconnected) => return false,
        }
    }
    // a device that fell silent lets go
    while let Some(device) = runner.host.channel.as_ref().and_then(Channel::silent) {
        leave(runner, device);
    }
    let wait = runner.turn();
    if wait.is_zero() {
        return true;
    }
    match inputs.recv_timeout(wait) {
        Ok(input) => take(runner, input),
        Err(RecvTimeoutError::Timeout) => true,
        Err(RecvTimeoutError::Disconnected) => false,
    }
}

/// Where answers go. A client whose queue is full has more to read than it can.
fn to(reply: Reply) -> impl Fn(ServerMessage) {
    move |message| drop(reply.try_send(message))
}

/// Takes one input; false ends the thread.
fn take(runner: &mut Runner<Store>, input: Input) -> bool {
    match input {
        Input::Command(client, command, reply) => runner.command(client, &command, &to(reply)),
        Input::Control(control) => runner.control(&control),
        Input::Request(client, request, reply) => runner.answer(client, request, &to(reply)),
        Input::Subscribe(layers, paths) => runner.subscribe(layers, paths),
        Input::Left(client) => runner.left(client),
        Input::Device(from, message) => device(runner, from, message),
        Input::Stop => return false,
    }
    true
}

/// Takes a message of a device.
fn device(runner: &mut Runner<Store>, from: SocketAddr, message: Result<FromDevice, String>) {
    let Some(mut channel) = runner.host.channel.take() else { return };
    let client = channel.hear(from);
    match (message, client) {
        (Err(words), _) => channel.refuse(from, words),
        (Ok(FromDevice::Hello { version, token, paths }), _) => {
            channel.hello(from, version, &token, paths, runner.session());
        }
        (Ok(_), None) => channel.refuse(from, "say hello first"),
        (Ok(FromDevice::Command(command)), Some(client)) => {
            runner.command(client, &command, &|answer| {
                if let ServerMessage::Notice { level, text } = answer
                    && level != "info"
                {
                    channel.refuse(from, text);
                }
            });
        }
        (Ok(FromDevice::Alive), Some(_)) => {}
        (Ok(FromDevice::Bye), Some(_)) => {
            runner.host.channel = Some(channel);
            return leave(runner, from);
        }
    }
    runner.host.channel = Some(channel);
}

/// A device goes: its hand lets go.
fn leave(runner: &mut Runner<Store>, device: SocketAddr) {
    if let Some(client) = runner.host.channel.as_mut().and_then(|c| c.bye(device)) {
        runner.left(client);
    }
}

/// Tells one client something.
pub fn notice(reply: &Reply, level: &str, text: &str) {
    runner::notice(&|message| drop(reply.try_send(message)), level, text);
}
