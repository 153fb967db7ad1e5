//! The force channel as a device uses it: one packet a step, forces that statics knows, the
//! device's hand as commands that are replayed to the bit.

use kreisel_server::force_channel::{FromDevice, LONGEST, Packet, ToDevice, VERSION};
use kreisel_server::net::{Options, Server};
use kreisel_session::journal::{self, Header};
use kreisel_session::protocol::{Command, HandMotion};
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Generous: the machine may be busy. Nothing waits this long when all is well.
const LONG: Duration = Duration::from_secs(60);

/// Two kilograms on a ball joint, and one kilogram that is free. A step is a millisecond.
const SCENE: &str = r#"
    [world]
    step = 0.001
    [[body]]
    name = "weight"
    shape = { box = [0.1, 0.1, 0.1] }
    mass = 2.0
    position = [0, 0, -0.5]
    [[joint]]
    name = "hook"
    type = "ball"
    bodies = ["world", "weight"]
    at = [0, 0, 0]
    [[body]]
    name = "tool"
    shape = { box = [0.1, 0.05, 0.05] }
    mass = 1.0
    position = [1, 0, 0]
"#;

/// A server with a channel, in a thread of its own.
struct Served {
    channel: SocketAddr,
    token: String,
    stop: oneshot::Sender<()>,
    thread: std::thread::JoinHandle<()>,
}

fn serve(scene: &str, journal: Option<PathBuf>) -> Served {
    let (told, tell) = std::sync::mpsc::channel();
    let (stop, stopped) = oneshot::channel();
    let header = Header::new("device.toml", scene, &[]);
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let session = header.session(&Default::default()).expect("a good scene");
            let options =
                Options { force_channel: Some(0), waiting: true, journal, ..Options::default() };
            let server = Server::start(options, header, session).await.expect("free ports");
            let token = server.token.text().to_owned();
            told.send((server.force_channel.expect("a channel"), token)).unwrap();
            server.serve(async { drop(stopped.await) }).await.expect("it ends");
        });
    });
    let (channel, token) = tell.recv().expect("it starts");
    Served { channel, token, stop, thread }
}

impl Served {
    fn end(self) {
        let _ = self.stop.send(());
        self.thread.join().expect("no panic");
    }
}

/// What a device hears.
#[derive(Debug)]
enum Heard {
    Packet(Packet),
    Message(ToDevice),
}

struct Device {
    socket: UdpSocket,
}

impl Device {
    fn new(to: SocketAddr) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(to).unwrap();
        socket.set_read_timeout(Some(LONG)).unwrap();
        Self { socket }
    }

    fn say(&self, message: &FromDevice) {
        self.socket.send(&serde_json::to_vec(message).unwrap()).unwrap();
    }

    fn hear(&self) -> Heard {
        let mut buffer = vec![0; LONGEST];
        let length = self.socket.recv(&mut buffer).expect("something is heard");
        match Packet::read(&buffer[..length]) {
            Some(packet) => Heard::Packet(packet),
            None => Heard::Message(serde_json::from_slice(&buffer[..length]).expect("a message")),
        }
    }

    fn packet(&self) -> Packet {
        loop {
            if let Heard::Packet(packet) = self.hear() {
                return packet;
            }
        }
    }

    fn message(&self) -> ToDevice {
        loop {
            if let Heard::Message(message) = self.hear() {
                return message;
            }
        }
    }

    /// Says hello; gives the client number and the notes.
    fn hello(&self, token: &str, paths: &[&str]) -> Result<(u32, Vec<String>), String> {
        let paths = paths.iter().map(|p| (*p).to_owned()).collect();
        self.say(&FromDevice::Hello { version: VERSION, token: token.into(), paths });
        match self.message() {
            ToDevice::Welcome { client, notes, .. } => Ok((client, notes)),
            ToDevice::Refused(words) => Err(words),
            other => panic!("{other:?}"),
        }
    }
}

fn still(target: [f64; 3]) -> HandMotion {
    HandMotion { target, turn: [0.0, 0.0, 0.0, 1.0], velocity: [0.0; 3], spin: [0.0; 3] }
}

/// What hangs at rest pulls with its weight; every step has its packet, in order.
#[test]
fn every_step_has_a_packet_with_the_forces_that_statics_knows() {
    let served = serve(SCENE, None);
    let device = Device::new(served.channel);
    let (client, notes) = device.hello(&served.token, &["hook.force", "weight.position"]).unwrap();
    assert!(client >= 1_000_000 && notes.is_empty(), "{client} {notes:?}");
    let ToDevice::Columns { columns, .. } = device.message() else { panic!("no columns") };
    let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names[..3], ["hook.force.x", "hook.force.y", "hook.force.z"]);
    assert_eq!((columns[0].unit.as_str(), columns[3].unit.as_str()), ("N", "m"));

    let first = device.packet();
    let (begin, mut last) = (first.sent, first);
    for _ in 0..1000 {
        let packet = device.packet();
        assert_eq!(packet.step, last.step + 1, "a packet is missing");
        // 2 kg · 9.81 m/s², upwards on the second body
        let [x, y, z] = packet.values[..3] else { panic!("three numbers") };
        assert!(x.abs() < 1e-9 && y.abs() < 1e-9 && (z - 19.62).abs() < 1e-9, "{x} {y} {z}");
        assert!((packet.time - packet.step as f64 * 1e-3).abs() < 1e-9);
        assert!(packet.sent > last.sent && packet.late >= 0.0);
        last = packet;
    }
    // not faster than the clock, whatever the machine does: 1000 steps take a second, but for what
    // was late before them and is caught up with
    let took = last.sent - begin;
    assert!(took > 0.89, "{took} s");
    served.end();
}

/// The force of the device's own hand holds the weight of what it holds, up in the air; a silent
/// device lets go.
#[test]
fn a_device_feels_the_weight_of_what_it_holds_and_its_session_is_replayed_to_the_bit() {
    let path = std::env::temp_dir().join(format!("kreisel-device-{}.jsonl", std::process::id()));
    let served = serve(SCENE, Some(path.clone()));
    let device = Device::new(served.channel);
    device.hello(&served.token, &["hand.force", "hand.torque", "tool.position"]).unwrap();
    let fallen = device.packet();
    let at = fallen.values[6..9].try_into().expect("a position");
    let hold = Command::Hold {
        hand: 0,
        body: "tool".into(),
        point: [0.0; 3],
        strength: 1.0,
        motion: still(at),
    };
    device.say(&FromDevice::Command(Box::new(hold)));
    let mut last = Packet::default();
    for _ in 0..1500 {
        // a carry with every packet, as devices do
        last = device.packet();
        let motion = still(at);
        device.say(&FromDevice::Command(Box::new(Command::Carry { hand: 0, motion })));
    }
    // at rest the hand's force is the weight: 9.81 N
    let f = &last.values[..3];
    let same = f[0].abs() < 1e-6 && f[1].abs() < 1e-6 && (f[2] - 9.81).abs() < 1e-6;
    assert!(same, "{:?} at {}", last.values, last.time);
    assert!((last.values[8] - at[2]).abs() < 1e-6, "it stands where the hand is");

    // silent: after two seconds it falls, and is told no more
    device.socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let (begin, mut buffer, mut end) = (Instant::now(), vec![0; LONGEST], None);
    while begin.elapsed() < LONG {
        match device.socket.recv(&mut buffer) {
            Ok(length) => end = Packet::read(&buffer[..length]).or(end),
            Err(_) => break,
        }
    }
    let silent = end.expect("packets until then").time - last.time;
    assert!(silent > 0.5, "{silent} s: packets came until the device was given up");
    served.end();

    let text = std::fs::read_to_string(&path).unwrap();
    let _ = std::fs::remove_file(&path);
    assert!(text.matches("\"carry\"").count() > 1000 && text.contains("\"let_go\""));
    let done = journal::replay(&text, &Default::default(), |_| true).expect("a whole journal");
    assert!(done.checked, "the last hash was compared");
}

#[test]
fn what_cannot_be_is_refused_and_what_cannot_be_kept_is_named() {
    let served = serve(&SCENE.replace("0.001", "0.005"), None);
    let device = Device::new(served.channel);
    let refused = |r: Result<_, String>| r.expect_err("refused");
    let words = refused(device.hello("0123", &[]));
    assert!(words.contains("token"), "{words}");
    device.say(&FromDevice::Alive);
    let said = device.message();
    assert_eq!(said, ToDevice::Refused("say hello first".into()));
    let words = refused(device.hello(&served.token, &["hok.force"]));
    assert!(words.contains("hok") && words.contains("hook"), "{words}");
    device.socket.send(b"{ no json").unwrap();
    assert!(matches!(device.message(), ToDevice::Refused(w) if w.starts_with("no message")));
    // 5 ms are 200 packets a second: it is told so, and works
    let (_, notes) = device.hello(&served.token, &["hook.force"]).unwrap();
    let words = notes.join(" ");
    assert!(
        words.contains("5 ms") && words.contains("200 times") && words.contains("--step 0.001")
    );
    device.packet();
    // a command that the world refuses says why
    let command = Command::Push { body: "nobody".into(), impulse: [0.0; 3], point: [0.0; 3] };
    device.say(&FromDevice::Command(Box::new(command)));
    assert!(
        matches!(device.message(), ToDevice::Refused(w) if w.contains("nobody")) || {
            // the columns may stand before it
            matches!(device.message(), ToDevice::Refused(w) if w.contains("nobody"))
        }
    );
    served.end();
}
