//! The socket to a viewer that runs. A thread of its own reads and writes, so that the server finds
//! it awake whatever Python does; frames that nobody looked at are replaced by newer ones.

use crate::errors;
use futures_util::{SinkExt, StreamExt};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};

/// How long the server may take to answer the handshake.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a wait looks for signals.
const SIGNALS: Duration = Duration::from_millis(50);
/// Messages that wait for Python; of more the oldest are dropped.
const MOST: usize = 100_000;

/// What has come in.
#[derive(Default)]
struct Inbox {
    texts: VecDeque<String>,
    frame: Option<Vec<u8>>,
    /// Counts frames.
    frames: u64,
    /// Why the connection has ended.
    ended: Option<String>,
}

type Shared = Arc<(Mutex<Inbox>, Condvar)>;

/// A connection.
#[pyclass(frozen, module = "kreisel._native")]
pub struct Socket {
    inbox: Shared,
    out: UnboundedSender<Option<String>>,
}

/// Changes the inbox and wakes who waits.
fn put(inbox: &Shared, change: impl FnOnce(&mut Inbox)) {
    change(&mut inbox.0.lock().unwrap_or_else(PoisonError::into_inner));
    inbox.1.notify_all();
}

/// Talks until one side ends.
async fn talk(
    address: &str,
    inbox: &Shared,
    mut out: UnboundedReceiver<Option<String>>,
) -> Result<(), Error> {
    let mut request = format!("ws://{address}/socket").into_client_request()?;
    // the server answers its own page, and programs that say they are
    if let Ok(origin) = HeaderValue::from_str(&format!("http://{address}")) {
        request.headers_mut().insert("Origin", origin);
    }
    let (socket, _) = tokio::time::timeout(PATIENCE, tokio_tungstenite::connect_async(request))
        .await
        .map_err(|_| Error::Io(std::io::Error::other("no answer within 10 s")))??;
    let (mut sender, mut receiver) = socket.split();
    loop {
        tokio::select! {
            text = out.recv() => match text.flatten() {
                Some(text) => sender.send(Message::text(text)).await?,
                None => return sender.close().await,
            },
            message = receiver.next() => match message {
                Some(Ok(Message::Text(text))) => put(inbox, |i| {
                    if i.texts.len() >= MOST {
                        i.texts.pop_front();
                    }
                    i.texts.push_back(text.to_string());
                }),
                Some(Ok(Message::Binary(frame))) => put(inbox, |i| {
                    i.frame = Some(frame.to_vec());
                    i.frames += 1;
                }),
                Some(Ok(Message::Close(why))) => {
                    let why = why.map(|c| c.reason.to_string()).filter(|r| !r.is_empty());
                    put(inbox, |i| i.ended = Some(why.unwrap_or_else(|| "the viewer has ended".into())));
                    return Ok(());
                }
                Some(Ok(_)) => {}
                Some(Err(e)) => return Err(e),
                None => return Ok(()),
            },
        }
    }
}

impl Socket {
    /// Waits until there is something to take, without the interpreter's lock.
    fn wait<R>(
        &self,
        py: Python<'_>,
        seconds: f64,
        take: impl Fn(&mut Inbox) -> Option<R> + Sync,
    ) -> PyResult<Option<R>>
    where
        R: Send,
    {
        let end =
            Instant::now() + Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4);
        loop {
            let (found, ended) = py.detach(|| {
                let mut inbox = self.inbox.0.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(found) = take(&mut inbox) {
                    return (Some(found), None);
                }
                if inbox.ended.is_none() {
                    let left = end.saturating_duration_since(Instant::now()).min(SIGNALS);
                    let waited = self.inbox.1.wait_timeout(inbox, left);
                    inbox = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                (take(&mut inbox), inbox.ended.clone())
            });
            py.check_signals()?;
            match (found, ended) {
                (Some(found), _) => return Ok(Some(found)),
                (None, Some(why)) => return Err(errors::raise(py, "ConnectionLost", why)),
                (None, None) if Instant::now() >= end => return Ok(None),
                (None, None) => {}
            }
        }
    }
}

#[pymethods]
impl Socket {
    /// Connects to `host:port`.
    #[new]
    fn new(py: Python<'_>, address: String) -> PyResult<Self> {
        let inbox = Shared::default();
        let (out, queue) = unbounded_channel();
        let theirs = Arc::clone(&inbox);
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let done = runtime.map_err(|e| e.to_string()).and_then(|r| {
                r.block_on(talk(&address, &theirs, queue)).map_err(|e| e.to_string())
            });
            let why = match done {
                Ok(()) => "the connection is closed".to_owned(),
                Err(e) => format!("no viewer at {address}: {e}"),
            };
            put(&theirs, |i| {
                i.ended.get_or_insert(why);
            });
        };
        let spawned = std::thread::Builder::new().name("kreisel-socket".into()).spawn(work);
        spawned.map_err(|e| errors::raise(py, "ConnectionLost", e.to_string()))?;
        Ok(Self { inbox, out })
    }

    /// Sends a message.
    fn send(&self, py: Python<'_>, text: String) -> PyResult<()> {
        let gone = self.out.send(Some(text)).is_err();
        if !gone {
            return Ok(());
        }
        let why = self.inbox.0.lock().unwrap_or_else(PoisonError::into_inner).ended.clone();
        Err(errors::raise(
            py,
            "ConnectionLost",
            why.unwrap_or_else(|| "the connection is closed".into()),
        ))
    }

    /// The next message, or none after some seconds.
    fn receive(&self, py: Python<'_>, seconds: f64) -> PyResult<Option<String>> {
        self.wait(py, seconds, |i| i.texts.pop_front())
    }

    /// The newest frame and its number, once there are more than `after`; none after some seconds.
    fn frame<'py>(
        &self,
        py: Python<'py>,
        after: u64,
        seconds: f64,
    ) -> PyResult<Option<(u64, Bound<'py, PyBytes>)>> {
        let newer = |i: &mut Inbox| {
            (i.frames > after).then(|| i.frame.clone().map(|f| (i.frames, f))).flatten()
        };
        Ok(self.wait(py, seconds, newer)?.map(|(n, bytes)| (n, PyBytes::new(py, &bytes))))
    }

    /// Ends the connection.
    fn close(&self) {
        let _ = self.out.send(None);
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.close();
    }
}
