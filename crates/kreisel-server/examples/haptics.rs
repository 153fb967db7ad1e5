//! What a device that is felt gets: a test client of the force channel that measures jitter.
//!
//! `cargo run --release -p kreisel-server --example haptics -- [SECONDS] [SCENE…]` runs each scene
//! at a step of a millisecond in a server of its own, holds its first dynamic body as a device
//! would (a motion with every packet), and prints what came: packets, losses, the time between
//! packets, how late the steps were done by the server's clock, and the way from a packet to the
//! next one that knows of the device's answer. Without a scene: an arm on a hinge.

use kreisel_server::force_channel::{FromDevice, LONGEST, Packet, ToDevice, VERSION};
use kreisel_server::net::{Options, Server};
use kreisel_session::journal::Header;
use kreisel_session::protocol::{Command, HandMotion};
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The step, s.
const STEP: f64 = 1e-3;
/// Packets that are not counted: the first ones come while caches are cold.
const FIRST: u64 = 200;

const ARM: &str = r#"
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

/// A number of a sorted list, by its share.
fn at(sorted: &[f64], share: f64) -> f64 {
    sorted.get(((sorted.len() - 1) as f64 * share).round() as usize).copied().unwrap_or(0.0)
}

/// A line of the table: median, 99 %, 99.9 %, largest, in microseconds.
fn line(name: &str, mut seconds: Vec<f64>) {
    seconds.sort_by(f64::total_cmp);
    let [a, b, c, d] = [0.5, 0.99, 0.999, 1.0].map(|s| at(&seconds, s) * 1e6);
    println!("  {name:<34} {a:>8.0} {b:>8.0} {c:>8.0} {d:>8.0}");
}

/// Plays the device for some seconds.
fn play(channel: SocketAddr, token: String, body: String, seconds: f64) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    socket.connect(channel).expect("it is there");
    socket.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    let say = |message: &FromDevice| {
        let _ = socket.send(&serde_json::to_vec(message).unwrap_or_default());
    };
    let paths = ["hand.force".to_owned(), format!("{body}.position")];
    say(&FromDevice::Hello { version: VERSION, token, paths: paths.into() });

    let mut buffer = vec![0; LONGEST];
    let (mut packets, mut lost, mut held) = (0u64, 0u64, None::<[f64; 3]>);
    let (mut gaps, mut late, mut last) = (Vec::new(), Vec::new(), None::<(Instant, u64)>);
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < seconds {
        let Ok(length) = socket.recv(&mut buffer) else { break };
        let now = Instant::now();
        let Some(packet) = Packet::read(&buffer[..length]) else {
            match serde_json::from_slice(&buffer[..length]) {
                Ok(ToDevice::Refused(words) | ToDevice::Notice(words)) => println!("  {words}"),
                Ok(ToDevice::Welcome { notes, .. }) if !notes.is_empty() => println!("  {notes:?}"),
                _ => {}
            }
            continue;
        };

        // the device moves on a small circle about where it took the body
        let place = *held.get_or_insert_with(|| {
            let position = [packet.values[3], packet.values[4], packet.values[5]];
            let motion = still(position, [0.0; 3]);
            let hold = Command::Hold {
                hand: 0,
                body: body.clone(),
                point: [0.0; 3],
                strength: 1.0,
                motion,
            };
            say(&FromDevice::Command(Box::new(hold)));
            position
        });
        let (r, w) = (0.01, 6.0);
        let (s, c) = (w * packet.time).sin_cos();
        let target = [place[0] + r * (c - 1.0), place[1], place[2] + r * s];
        let motion = still(target, [-r * w * s, 0.0, r * w * c]);
        say(&FromDevice::Command(Box::new(Command::Carry { hand: 0, motion })));

        if packet.step > FIRST
            && let Some((before, step)) = last
        {
            packets += 1;
            lost += packet.step.saturating_sub(step + 1);
            gaps.push((now - before).as_secs_f64());
            late.push(packet.late);
        }
        last = Some((now, packet.step));
    }
    say(&FromDevice::Bye);

    if gaps.is_empty() {
        return println!("  no packets");
    }
    let rate = packets as f64 / gaps.iter().sum::<f64>();
    let behind = late.iter().filter(|l| **l > STEP).count();
    println!(
        "  {packets} packets, {rate:.1} a second, {lost} lost, {behind} more than a step late"
    );
    println!("  {:<34} {:>8} {:>8} {:>8} {:>8}", "µs", "median", "99 %", "99.9 %", "largest");
    let jitter = gaps.iter().map(|g| (g - STEP).abs()).collect();
    line("between packets", gaps);
    line("off a millisecond (jitter)", jitter);
    line("step done after it was due", late);
}

fn still(target: [f64; 3], velocity: [f64; 3]) -> HandMotion {
    HandMotion { target, turn: [0.0, 0.0, 0.0, 1.0], velocity, spin: [0.0; 3] }
}

/// Runs a scene in a server and a device beside it.
fn measure(name: &str, text: &str, seconds: f64) {
    let mut header = Header::new(name, text, &[]);
    header.step = Some(STEP);
    let files = kreisel_scene::Options {
        folder: Path::new(name).parent().map(Path::to_path_buf),
        ..Default::default()
    };
    let session = match header.session(&files) {
        Ok(session) => session,
        Err(e) => return println!("{name}: {e}"),
    };
    let world = &session.simulation().world;
    let moves = |id| world.body(id).is_some_and(|b| b.kind == kreisel_dynamics::BodyKind::Dynamic);
    let Some(body) = world.bodies().find(|id| moves(*id)).and_then(|id| world.body_name(id)) else {
        return println!("{name}: nothing moves");
    };
    println!("{name}, holding \"{body}\"");
    let body = body.to_string();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let options = Options { force_channel: Some(0), waiting: true, ..Options::default() };
        let server = Server::start(options, header, session).await.expect("free ports");
        let channel = server.force_channel.expect("a channel");
        let token = server.token.text().to_owned();
        let (stop, stopped) = oneshot::channel();
        let device = std::thread::spawn(move || {
            play(channel, token, body, seconds);
            let _ = stop.send(());
        });
        let _ = server.serve(async { drop(stopped.await) }).await;
        let _ = device.join();
    });
}

fn main() {
    let mut args = std::env::args().skip(1).peekable();
    let seconds = args.next_if(|a| a.parse::<f64>().is_ok());
    let seconds = seconds.and_then(|s| s.parse().ok()).unwrap_or(10.0);
    let scenes: Vec<String> = args.collect();
    if scenes.is_empty() {
        measure("arm.toml", ARM, seconds);
    }
    for scene in scenes {
        match std::fs::read_to_string(&scene) {
            Ok(text) => measure(&scene, &text, seconds),
            Err(e) => println!("{scene}: {e}"),
        }
    }
}
