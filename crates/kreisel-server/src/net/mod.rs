//! HTTP and websockets: the viewer's files, and one socket per client.
//!
//! Bound to 127.0.0.1 unless told otherwise. Every socket needs the token of the printed address,
//! so that no other program of this machine takes part unasked. `Host` and `Origin` must be the
//! server's own, so that no other web page can reach a world through the visitor's browser.

mod asset;
mod clients;
mod guard;
mod limit;
mod listen;
mod roles;
mod seats;
mod socket;

pub use asset::HAS_VIEWER;
pub use guard::Token;

use crate::folder::Library;
use crate::force_channel::Channel;
use crate::runner::{self, Hook, Input, Restart, Store};
use axum::Router;
use axum::body::Bytes;
use axum::routing::{any, get};
use clients::Clients;
use guard::Guard;
use kreisel_dynamics::Interrupt;
use kreisel_session::journal::{Header, Journal};
use kreisel_session::runner::Start;
use kreisel_session::session::Session;
use limit::Bucket;
use seats::Seats;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, watch};

/// Commands that wait for the simulation; a client that finds the queue full is told.
const QUEUE: usize = 1024;
/// Events that a slow client may be behind.
const EVENTS: usize = 256;

/// How long the end waits for a step to be given up.
pub const GRACE: Duration = Duration::from_millis(800);

/// Sockets beyond the clients: those that have not said hello yet, or are being told why they may
/// not stay.
const WAITING: usize = 16;

/// How the server runs.
pub struct Options {
    /// Address to listen on.
    pub address: IpAddr,
    /// Port; 0 takes a free one.
    pub port: u16,
    /// Whether the simulation runs at once.
    pub running: bool,
    /// Whether the first step waits until somebody looks.
    pub waiting: bool,
    /// File for the journal.
    pub journal: Option<PathBuf>,
    /// Folder whose scenes can be opened and saved to, and in which files that scenes name are
    /// looked for.
    pub folder: Option<PathBuf>,
    /// Whether the scenes below its folder "scenes" can be opened, too.
    pub gallery: bool,
    /// Files that were viewed before and can be opened.
    pub recent: Vec<PathBuf>,
    /// Whether scenes may read files outside that folder.
    pub allow_outside: bool,
    /// Whether guests have less time and may do less than the host; none where others than this
    /// machine reach the server: on 127.0.0.1 whoever has the token is its user.
    pub bounded: Option<bool>,
    /// Most clients at once.
    pub max_clients: usize,
    /// Wall time that a step may take where the scene has no `time_budget`; none is without end.
    pub budget: Option<Duration>,
    /// Port of the force channel on this machine, 0 for a free one; none is without a channel.
    pub force_channel: Option<u16>,
    /// Called before every step: for tests that make a world fail.
    pub hook: Option<Hook>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            running: true,
            waiting: false,
            journal: None,
            folder: None,
            gallery: false,
            recent: Vec::new(),
            allow_outside: false,
            bounded: None,
            max_clients: 16,
            budget: None,
            force_channel: None,
            hook: None,
        }
    }
}

/// What all sockets share.
pub(crate) struct Shared {
    pub inputs: SyncSender<Input>,
    pub frame: watch::Receiver<Bytes>,
    pub scene: watch::Receiver<Arc<str>>,
    pub columns: watch::Receiver<Arc<str>>,
    pub verdict: watch::Receiver<Arc<str>>,
    pub troubles: watch::Receiver<Arc<str>>,
    pub events: broadcast::Sender<Arc<str>>,
    pub list: watch::Sender<Arc<str>>,
    pub clients: Mutex<Clients>,
    pub guard: Guard,
    /// Sockets that may still be opened, and those that have not said hello.
    pub seats: Mutex<Seats>,
    /// How often sockets may join.
    pub joins: Mutex<Bucket>,
    /// Whether guests may do less than the host.
    pub bounded: bool,
    /// Gives up the step that is being made.
    pub interrupt: Interrupt,
    /// A restart that found the queue full.
    pub restart: Arc<Restart>,
}

/// A server that runs, with the thread of its world.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// The token that clients need.
    pub token: Token,
    /// Where devices reach the force channel.
    pub force_channel: Option<SocketAddr>,
    /// Whether others than this machine reach it.
    pub open: bool,
    /// Procedures of scripts that failed.
    pub script_errors: Arc<AtomicU64>,
    inputs: SyncSender<Input>,
    stop: Arc<AtomicBool>,
    interrupt: Interrupt,
    thread: std::thread::JoinHandle<()>,
    router: Router,
    listener: tokio::net::TcpListener,
}

impl Server {
    /// Binds the address and starts the world of a journal's header.
    pub async fn start(
        options: Options,
        header: Header,
        session: Session,
    ) -> std::io::Result<Self> {
        let listener = tokio::net::TcpListener::bind((options.address, options.port)).await?;
        let address = listener.local_addr()?;
        let token = Token::random()?;
        let bounded = options.bounded.unwrap_or(!options.address.is_loopback());
        let (inputs, received) = std::sync::mpsc::sync_channel(QUEUE);
        let (frame_sender, frame) = watch::channel(Bytes::new());
        let (scene_sender, scene) = watch::channel(Arc::from(""));
        let (columns_sender, columns) = watch::channel(Arc::from(""));
        let (verdict_sender, verdict) = watch::channel(Arc::from(""));
        let (troubles_sender, troubles) = watch::channel(Arc::from(""));
        let (events, _) = broadcast::channel(EVENTS);
        let journal = match &options.journal {
            Some(path) => Journal::create(path, &header).map_err(|e| {
                std::io::Error::new(
                    e.kind(),
                    format!("the journal {} cannot be written: {e}", path.display()),
                )
            })?,
            None => Journal::new(&header),
        };
        let (stop, interrupt, script_errors) =
            (Arc::new(AtomicBool::new(false)), Interrupt::default(), Arc::default());
        let (host, restart) = (Arc::new(AtomicU32::new(0)), Arc::new(Restart::default()));
        let channel = match options.force_channel {
            Some(port) => {
                let (token, inputs) = (token.clone(), inputs.clone());
                Some(Channel::open(port, token, inputs, Arc::clone(&stop)).map_err(|e| {
                    let words = format!("the force channel cannot be opened on port {port}: {e}");
                    std::io::Error::new(e.kind(), words)
                })?)
            }
            None => None,
        };
        let (channel, force_channel) = channel.unzip();
        let store = Store {
            frame: frame_sender,
            scene: scene_sender,
            columns: columns_sender,
            verdict: verdict_sender,
            troubles: troubles_sender,
            events: events.clone(),
            script_errors: Arc::clone(&script_errors),
            library: Library {
                folder: options.folder.clone(),
                gallery: options.gallery,
                recent: options.recent,
            },
            hook: options.hook,
            described: 0,
            host: Arc::clone(&host),
            bounded,
            channel,
        };
        let start = Start {
            header,
            running: options.running,
            waiting: options.waiting,
            journal,
            interrupt: interrupt.clone(),
            budget: options.budget,
            files: kreisel_scene::Options {
                folder: options.folder,
                allow_outside: options.allow_outside,
                ..Default::default()
            },
        };
        let (stopped, wanted) = (Arc::clone(&stop), Arc::clone(&restart));
        let thread = std::thread::Builder::new()
            .name("simulation".into())
            .spawn(move || runner::run(start, session, &received, store, &stopped, &wanted))?;
        let shared = Arc::new(Shared {
            inputs: inputs.clone(),
            frame,
            scene,
            columns,
            verdict,
            troubles,
            events,
            list: watch::Sender::new(Arc::from("")),
            clients: Mutex::new(Clients::new(options.max_clients, host)),
            guard: Guard::new(address, token.clone()),
            seats: Mutex::new(Seats::new(options.max_clients.saturating_add(WAITING))),
            joins: Mutex::new(Bucket::of_joins(options.max_clients)),
            bounded,
            interrupt: interrupt.clone(),
            restart,
        });
        let router = Router::new()
            .route("/socket", any(socket::upgrade))
            .fallback(get(asset::serve))
            .layer(axum::middleware::from_fn_with_state(Arc::clone(&shared), guard::check))
            .with_state(shared);
        let open = !options.address.is_loopback();
        Ok(Self {
            address,
            token,
            force_channel,
            open,
            script_errors,
            inputs,
            stop,
            interrupt,
            thread,
            router,
            listener,
        })
    }

    /// The address to open in a browser, with the token in its fragment.
    pub fn url(&self) -> String {
        format!("http://{}/#{}", self.address, self.token.text())
    }

    /// Serves until `stop` is done, then ends the world and closes its journal. A world that hangs
    /// in a step does not hold this up for longer than [`GRACE`]: its thread is left behind, and
    /// its journal lacks the last line only.
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        let (listener, router) = (self.listener, self.router);
        let served = tokio::select! {
            done = listen::serve(listener, router) => done,
            () = stop => Ok(()),
        };
        self.stop.store(true, Ordering::Relaxed);
        self.interrupt.set();
        // This only wakes a thread that waits; where the queue is full there is no need to.
        let _ = self.inputs.try_send(Input::Stop);
        let begin = Instant::now();
        while !self.thread.is_finished() && begin.elapsed() < GRACE {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if self.thread.is_finished() {
            let _ = self.thread.join();
        }
        served
    }
}
