//! The force channel (W-173, L-112): for devices that are felt. One packet after every step with
//! the forces that were asked for, on a datagram socket of this machine, and the device's own
//! motion as commands of the session, which stand in the journal like any other.
//!
//! The simulation's thread writes packets itself, right after the step; a thread of its own only
//! listens. Steps wait for no device, and a packet that is lost is not sent again: the next one is
//! a step away. What the clock could not keep is marked in the packet and told in words.

mod device;
mod tally;
mod wire;

pub use wire::{FromDevice, GIVEN_UP, HEAD, LATE, MAGIC, Packet, ToDevice, VERSION};

use crate::net::Token;
use crate::runner::Input;
use device::Device;
use kreisel_session::runner::Punctuality;
use kreisel_session::session::Session;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};
use tally::Tally;

/// Number of the first device among clients: viewers count from 1.
pub(crate) const FIRST_CLIENT: u32 = 1_000_000;
/// Most devices at once.
const MOST_DEVICES: usize = 4;
/// A device that is silent for so long is gone: its hand lets go.
const SILENCE: Duration = Duration::from_secs(2);
/// Longest message of a device, bytes.
pub const LONGEST: usize = 16 << 10;
/// How often the listening thread looks whether it is to end.
const LOOK: Duration = Duration::from_millis(100);
/// The step that devices want, s, with a rest for rounding.
const WANTED_STEP: f64 = 1.001e-3;

/// The channel, in the hands of the simulation's thread.
pub struct Channel {
    socket: Arc<UdpSocket>,
    token: Token,
    devices: Vec<Device>,
    /// Devices that have been welcomed so far.
    welcomed: u32,
    tally: Tally,
    packet: Packet,
    buffer: Vec<u8>,
}

impl Channel {
    /// Binds a port of this machine, 0 for a free one, and listens until `stop`.
    pub(crate) fn open(
        port: u16,
        token: Token,
        inputs: SyncSender<Input>,
        stop: Arc<AtomicBool>,
    ) -> std::io::Result<(Self, SocketAddr)> {
        // forces are not encrypted: they never leave this machine
        let socket = Arc::new(UdpSocket::bind((Ipv4Addr::LOCALHOST, port))?);
        socket.set_read_timeout(Some(LOOK))?;
        let address = socket.local_addr()?;
        let ear = Arc::clone(&socket);
        std::thread::Builder::new()
            .name("force channel".into())
            .spawn(move || listen(&ear, &inputs, &stop))?;
        let (devices, buffer) = (Vec::new(), Vec::new());
        let (tally, packet) = (Tally::default(), Packet::default());
        Ok((Self { socket, token, devices, welcomed: 0, tally, packet, buffer }, address))
    }

    /// Whether any device is there.
    pub(crate) fn is_used(&self) -> bool {
        !self.devices.is_empty()
    }

    fn say(&self, to: SocketAddr, message: &ToDevice) {
        let text = serde_json::to_vec(message).unwrap_or_default();
        // a device that has gone hears nothing
        let _ = self.socket.send_to(&text, to);
    }

    /// Tells a device why its message was refused.
    pub(crate) fn refuse(&self, to: SocketAddr, words: impl Into<String>) {
        self.say(to, &ToDevice::Refused(words.into()));
    }

    /// The client number of an address that has said hello; it is heard of.
    pub(crate) fn hear(&mut self, from: SocketAddr) -> Option<u32> {
        let device = self.devices.iter_mut().find(|d| d.address == from)?;
        device.heard = Instant::now();
        Some(device.client)
    }

    /// A device says hello, or says it again with other paths.
    pub(crate) fn hello(
        &mut self,
        from: SocketAddr,
        version: u32,
        token: &str,
        paths: Vec<String>,
        session: &Session,
    ) {
        if !self.token.is(token) {
            return self.refuse(from, "the token is not the one of the server's address");
        }
        if version != VERSION {
            let words = format!("this is version {VERSION} of the force channel, not {version}");
            return self.refuse(from, words);
        }
        let known = self.devices.iter().position(|d| d.address == from);
        if known.is_none() && self.devices.len() >= MOST_DEVICES {
            return self.refuse(from, format!("{MOST_DEVICES} devices are there already"));
        }
        let client = known.map_or(FIRST_CLIENT + self.welcomed, |k| self.devices[k].client);
        let device = match Device::new(from, client, paths, session) {
            Ok(device) => device,
            Err(words) => return self.refuse(from, words),
        };
        let (step, notes) = (session.simulation().step_size(), cannot_keep(session));
        self.say(from, &ToDevice::Welcome { client, step, notes });
        self.say(from, &device.columns());
        match known {
            Some(k) => self.devices[k] = device,
            None => {
                self.welcomed += 1;
                self.devices.push(device);
            }
        }
    }

    /// A device goes, or has gone without a word; gives its client number.
    pub(crate) fn bye(&mut self, from: SocketAddr) -> Option<u32> {
        let k = self.devices.iter().position(|d| d.address == from)?;
        Some(self.devices.remove(k).client)
    }

    /// A device that has been silent for too long.
    pub(crate) fn silent(&self) -> Option<SocketAddr> {
        self.devices.iter().find(|d| d.heard.elapsed() > SILENCE).map(|d| d.address)
    }

    /// Sends the packets of a step. What was not kept is given back in words, now and then.
    pub(crate) fn step(&mut self, session: &Session, kept: Punctuality) -> Option<String> {
        if self.devices.is_empty() {
            return None;
        }
        let h = session.simulation().step_size();
        self.packet.flags = self.tally.step(kept, h);
        (self.packet.step, self.packet.late) = (session.steps(), kept.late);
        self.packet.time = session.simulation().world.time();
        for device in &mut self.devices {
            for message in device.follow(session) {
                let text = serde_json::to_vec(&message).unwrap_or_default();
                let _ = self.socket.send_to(&text, device.address);
            }
            device.fill(session, &mut self.packet);
            self.packet.sent = device.begin.elapsed().as_secs_f64();
            self.packet.write(&mut self.buffer);
            let _ = self.socket.send_to(&self.buffer, device.address);
        }
        let words = self.tally.news(h)?;
        for device in &self.devices {
            self.say(device.address, &ToDevice::Notice(words.clone()));
        }
        Some(words)
    }
}

/// What a device cannot have of this scene, in words.
fn cannot_keep(session: &Session) -> Vec<String> {
    let sim = session.simulation();
    let mut notes = Vec::new();
    let h = sim.step_size();
    if h > WANTED_STEP {
        notes.push(format!(
            "the step is {} ms, so that packets come {:.0} times a second and not 1000: run the scene \
             with --step 0.001",
            h * 1e3,
            1.0 / h
        ));
    }
    if sim.real_time() {
        let words = "in real-time mode the scene chooses its step by the clock: packets come as often \
                     as it steps";
        notes.push(words.into());
    }
    notes
}

/// Takes what devices send, until the end.
fn listen(socket: &UdpSocket, inputs: &SyncSender<Input>, stop: &AtomicBool) {
    let mut buffer = vec![0; LONGEST];
    while !stop.load(Ordering::Relaxed) {
        let (length, from) = match socket.recv_from(&mut buffer) {
            Ok(received) => received,
            // nothing came; or somebody who was written to is not there any more
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => continue,
            Err(_) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        let message = serde_json::from_slice::<FromDevice>(&buffer[..length]);
        let input = Input::Device(from, message.map_err(|e| format!("no message: {e}")));
        // where the queue is full the next message, a millisecond later, says more
        let _ = inputs.try_send(input);
    }
}
