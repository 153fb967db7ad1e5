//! What clients cost: 1000 moving bodies, without clients and with three that take every frame, in
//! turns.
//!
//! `cargo run --release -p kreisel-server --example load` prints steps per second of the simulation
//! thread's processor time, frames per second and client, and the size of a frame. Processor time,
//! not the clock: three clients on the same machine take processors away that in real life are
//! elsewhere.

use futures_util::{SinkExt, StreamExt};
use kreisel_server::net::{Options, Server};
use kreisel_session::journal::Header;
use kreisel_session::protocol::{ClientMessage, Control, VERSION};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// 500 double pendulums: all 1000 bodies move.
const SCENE: &str = r#"
    [[body]]
    repeat = { i = 500, j = 2 }
    name = "rod {i} {j}"
    shape = { box = [0.4, 0.1, 0.1] }
    position = ["0.2 + 0.4 * j", "0.3 * i", 0]
    collide = false
    [[joint]]
    repeat = { i = 500 }
    type = "hinge"
    bodies = ["world", "rod {i} 0"]
    at = [0, "0.3 * i", 0]
    axis = [0, 1, 0]
    [[joint]]
    repeat = { i = 500 }
    type = "hinge"
    bodies = ["rod {i} 0", "rod {i} 1"]
    at = [0.4, "0.3 * i", 0]
    axis = [0, 1, 0]
"#;

/// Pairs of rounds, one without and one with clients.
const PAIRS: usize = 20;

/// Length of a round.
const ROUND: Duration = Duration::from_millis(1500);

/// Processor time of the thread named "simulation", s.
fn simulation_time() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    for thread in threads {
        let name = std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
        if name.trim() == "simulation" {
            let text = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            return text.split(' ').next().and_then(|t| t.parse::<f64>().ok()).unwrap_or(0.0)
                * 1e-9;
        }
    }
    0.0
}

async fn client(
    host: String,
    token: String,
    frames: Arc<AtomicU64>,
    bytes: Arc<AtomicU64>,
    step: Arc<AtomicU64>,
) {
    let mut request = format!("ws://{host}/socket").into_client_request().expect("an address");
    request.headers_mut().insert("origin", format!("http://{host}").parse().expect("an origin"));
    let (mut socket, _) = connect_async(request).await.expect("a server");
    let mut send = async |m: ClientMessage| {
        let _ = socket.send(Message::text(serde_json::to_string(&m).unwrap_or_default())).await;
    };
    send(ClientMessage::Hello { version: VERSION, token: Some(token), name: "load".into() }).await;
    send(ClientMessage::Control { control: Control::Speed { factor: None } }).await;
    send(ClientMessage::Control { control: Control::Run }).await;
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Binary(b) = message {
            frames.fetch_add(1, Ordering::Relaxed);
            bytes.store(b.len() as u64, Ordering::Relaxed);
            step.store(
                u64::from(u32::from_le_bytes(b[8..12].try_into().unwrap_or_default())),
                Ordering::Relaxed,
            );
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let header = Header::new("load.toml", SCENE, &[]);
    let session = match header.session(&Default::default()) {
        Ok(session) => session,
        Err(e) => return eprintln!("{e}"),
    };
    let steps = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&steps);
    let hook: kreisel_server::runner::Hook =
        Box::new(move |s| counted.store(s.steps(), Ordering::Relaxed));
    let options = Options { running: true, hook: Some(hook), ..Options::default() };
    let server = Server::start(options, header, session).await.expect("a port");
    let (host, token) = (server.address.to_string(), server.token.text().to_owned());
    tokio::spawn(server.serve(std::future::pending()));
    let [frames, bytes, seen] = [0, 1, 2].map(|_| Arc::new(AtomicU64::new(0)));
    // A first client sets the speed and goes again.
    let first = tokio::spawn(client(
        host.clone(),
        token.clone(),
        Arc::clone(&frames),
        Arc::clone(&bytes),
        Arc::clone(&seen),
    ));
    tokio::time::sleep(Duration::from_secs(2)).await;
    first.abort();
    let (mut slowed, mut rates) = (Vec::new(), Vec::new());
    for pair in 0..PAIRS {
        // Which of the two comes first changes, so that a machine that becomes busier does not
        // favour one.
        let mut speed = [0.0; 2];
        for with in [pair % 2 == 0, pair % 2 == 1] {
            let tasks: Vec<_> = (0..if with { 3 } else { 0 })
                .map(|_| {
                    tokio::spawn(client(
                        host.clone(),
                        token.clone(),
                        Arc::clone(&frames),
                        Arc::clone(&bytes),
                        Arc::clone(&seen),
                    ))
                })
                .collect();
            tokio::time::sleep(Duration::from_millis(300)).await;
            frames.store(0, Ordering::Relaxed);
            let (start, time, count) =
                (Instant::now(), simulation_time(), steps.load(Ordering::Relaxed));
            tokio::time::sleep(ROUND).await;
            speed[usize::from(with)] =
                (steps.load(Ordering::Relaxed) - count) as f64 / (simulation_time() - time);
            let wall = start.elapsed().as_secs_f64();
            if with {
                rates.push(frames.load(Ordering::Relaxed) as f64 / 3.0 / wall);
            }
            for task in tasks {
                task.abort();
            }
        }
        slowed.push(100.0 * (1.0 - speed[1] / speed[0]));
        println!(
            "{:6.1} steps per processor second alone, {:6.1} with three clients at {:.1} frames/s each",
            speed[0],
            speed[1],
            rates.last().copied().unwrap_or_default()
        );
    }
    let quartiles = |v: &mut Vec<f64>| {
        v.sort_by(f64::total_cmp);
        [v.len() / 4, v.len() / 2, 3 * v.len() / 4].map(|k| v[k])
    };
    let ([low, middle, high], [_, rate, _]) = (quartiles(&mut slowed), quartiles(&mut rates));
    println!(
        "the simulation is slowed by {middle:.1} % (quartiles {low:.1} and {high:.1} of {PAIRS} pairs); {rate:.1} frames/s, {} bytes a frame",
        bytes.load(Ordering::Relaxed)
    );
}
