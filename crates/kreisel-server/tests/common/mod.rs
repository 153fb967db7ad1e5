//! A server and clients for tests.
#![allow(dead_code, reason = "every test binary uses its own part of this module")]

use futures_util::{SinkExt, StreamExt};
use kreisel_server::net::{Options, Server};
use kreisel_session::journal::Header;
use kreisel_session::protocol::{ClientMessage, ServerMessage, VERSION, frame};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Generous: the machine may be busy. Nothing waits this long when all is well.
const LONG: Duration = Duration::from_secs(60);

/// An arm on a hinge.
pub const PENDULUM: &str = r#"
    [[body]]
    name = "arm"
    shape = { box = [1.0, 0.1, 0.1] }
    mass = 1.0
    position = [0.5, 0, 0]
    [[joint]]
    name = "pivot"
    type = "hinge"
    bodies = ["world", "arm"]
    axis = [0, 1, 0]
"#;

/// A server that runs.
pub struct Running {
    pub url: String,
    port: u16,
    stop: oneshot::Sender<()>,
    task: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Running {
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The token in its address.
    pub fn token(&self) -> Option<String> {
        self.url.split_once('#').map(|u| u.1.to_owned())
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    pub async fn end(self) {
        let _ = self.stop.send(());
        timeout(LONG, self.task).await.expect("it ends").expect("no panic").expect("no error");
    }
}

pub async fn start(running: bool) -> Running {
    start_with(Options { running, ..Options::default() }).await
}

pub async fn start_with(options: Options) -> Running {
    let header = Header::new("pendulum.toml", PENDULUM, &[]);
    let session = header.session(&Default::default()).expect("a good scene");
    let server = Server::start(options, header, session).await.expect("a free port");
    let (url, port) = (server.url(), server.address.port());
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(server.serve(async {
        let _ = stopped.await;
    }));
    Running { url, port, stop, task }
}

/// A raw request and its answer.
pub async fn http(server: &Running, request: &str) -> String {
    let mut stream = TcpStream::connect(server.host()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let _ = timeout(LONG, stream.read_to_end(&mut bytes)).await.expect("an answer");
    String::from_utf8_lossy(&bytes).into_owned()
}

pub fn hello(name: &str, token: Option<String>) -> ClientMessage {
    ClientMessage::Hello { version: VERSION, token, name: name.into() }
}

/// What a test reads from a frame.
pub struct Seen {
    pub bytes: Vec<u8>,
    pub step: u32,
    pub bodies: u32,
    pub running: bool,
}

impl Seen {
    fn new(bytes: Vec<u8>) -> Self {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(&bytes[..4], [b'K', b'R', b'F', frame::LAYOUT]);
        Self { step: word(8), bodies: word(12), running: word(92) & frame::RUNNING != 0, bytes }
    }

    pub fn pose(&self, body: usize) -> [f32; 7] {
        std::array::from_fn(|k| {
            let at = frame::HEADER + 28 * body + 4 * k;
            f32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap())
        })
    }
}

/// A client.
pub struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Client {
    pub async fn connect(server: &Running, origin: Option<&str>) -> Result<Self, Error> {
        let mut request = format!("ws://{}/socket", server.host()).into_client_request()?;
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        let (socket, _) = timeout(LONG, connect_async(request)).await.expect("an answer")?;
        Ok(Self { socket })
    }

    /// A client with a request of its own.
    pub async fn of(request: tokio_tungstenite::tungstenite::http::Request<()>) -> Self {
        let (socket, _) =
            timeout(LONG, connect_async(request)).await.expect("an answer").expect("a socket");
        Self { socket }
    }

    pub async fn join(server: &Running, name: &str) -> Self {
        let mut client = Self::connect(server, Some(&server.origin())).await.expect("a socket");
        client.send(&hello(name, server.token())).await;
        client
    }

    pub async fn send(&mut self, message: &ClientMessage) {
        self.raw(Message::text(serde_json::to_string(message).unwrap())).await;
    }

    /// Sends; a socket that is closed already is what some tests wait for.
    pub async fn raw(&mut self, message: Message) {
        let _ = timeout(LONG, self.socket.send(message)).await.expect("room to send");
    }

    async fn next(&mut self) -> Option<Message> {
        timeout(LONG, self.socket.next()).await.expect("a message")?.ok()
    }

    pub async fn frame(&mut self) -> Seen {
        self.frame_when(|_| true).await
    }

    pub async fn frame_when(&mut self, good: impl Fn(&Seen) -> bool) -> Seen {
        let found = async {
            loop {
                if let Message::Binary(bytes) = self.next().await.expect("an open socket") {
                    let seen = Seen::new(bytes.to_vec());
                    if good(&seen) {
                        return seen;
                    }
                }
            }
        };
        timeout(LONG, found).await.expect("such a frame")
    }

    pub async fn text<T>(&mut self, pick: impl Fn(ServerMessage) -> Option<T>) -> T {
        let found = async {
            loop {
                if let Message::Text(text) = self.next().await.expect("an open socket")
                    && let Some(found) = serde_json::from_str(&text).ok().and_then(&pick)
                {
                    return found;
                }
            }
        };
        timeout(LONG, found).await.expect("such a message")
    }

    /// The code with which the server closes.
    pub async fn close_code(&mut self) -> Option<u16> {
        loop {
            match self.next().await {
                Some(Message::Close(frame)) => return frame.map(|f| f.code.into()),
                Some(_) => {}
                None => return None,
            }
        }
    }

    /// Reads until the server closes; false when it does not, though it may go on sending.
    pub async fn is_dropped(&mut self) -> bool {
        let closed = async {
            while !matches!(self.socket.next().await, None | Some(Err(_) | Ok(Message::Close(_)))) {
            }
        };
        timeout(Duration::from_secs(20), closed).await.is_ok()
    }
}
