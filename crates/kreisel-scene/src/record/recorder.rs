//! Writing a recording while a run goes on. Encoding, checksums and the disk are left to a thread of their own, so that the
//! run pays only for measuring.

use super::columns::Columns;
use super::encode::encode;
use super::format::{Changes, EventRecord, HASH, Header, MAGIC, MAX_ROWS, VERSION, pack, write_block};
use super::input::Input;
use super::path::PathError;
use crate::scene::Scene;
use kreisel_dynamics::{StepReport, World};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Numbers in a block, about: 512 kB.
const BLOCK_NUMBERS: usize = 65_536;

/// Wall time after which a block is closed though it is not full: what a crash loses at most.
const BLOCK_TIME: Duration = Duration::from_secs(1);

/// Blocks that may wait for the disk before the run waits too.
const WAITING: usize = 8;

/// Rows on their way to the file.
#[derive(Default)]
struct Rows {
    first: u64,
    rows: usize,
    numbers: Vec<f64>,
    hashes: Vec<u8>,
}

enum Message {
    Rows(Rows),
    Block(&'static [u8; 4], Vec<u8>),
}

/// A recording being written. It is a valid file whenever the run ends; [`Recorder::finish`] marks it as complete.
pub struct Recorder {
    columns: Columns,
    stride: u64,
    rows: Rows,
    limit: usize,
    total: u64,
    events: Vec<EventRecord>,
    inputs: Vec<(u64, Input)>,
    opened: Instant,
    sender: Option<SyncSender<Message>>,
    empty: Receiver<Rows>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl Recorder {
    /// Creates a file and records everything about the scene: poses, velocities, energies, joint errors and reactions,
    /// efforts, the report, and the points that the scene names.
    pub fn create(path: impl AsRef<Path>, scene: &Scene, changes: &Changes) -> io::Result<Self> {
        let columns = Columns::everything(scene).map_err(|e: PathError| io::Error::other(e.message))?;
        Self::new(File::create(path)?, scene, changes, columns)
    }

    /// Records the columns to a writer.
    pub fn new(
        mut out: impl Write + Send + 'static,
        scene: &Scene,
        changes: &Changes,
        columns: Columns,
    ) -> io::Result<Self> {
        let world = &scene.world;
        let header = Header {
            program: concat!("kreisel ", env!("CARGO_PKG_VERSION")).into(),
            scene: scene.source.name.to_string(),
            text: scene.source.text.to_string(),
            changes: changes.clone(),
            step: scene.step,
            stride: scene.record.stride(scene.step),
            bodies: world.bodies().filter_map(|b| world.body_name(b)).map(|n| n.to_string()).collect(),
            joints: world.joints().filter_map(|j| world.joint_name(j)).map(|n| n.to_string()).collect(),
            columns: columns.columns().to_vec(),
        };
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        write_block(&mut out, b"HEAD", &pack(&header)?)?;
        out.flush()?;
        let (sender, messages) = sync_channel(WAITING);
        let (give_back, empty) = channel();
        let width = header.columns.len();
        let writer = std::thread::Builder::new()
            .name("recorder".into())
            .spawn(move || write_all(out, width, &messages, &give_back))?;
        Ok(Self {
            stride: header.stride,
            limit: (BLOCK_NUMBERS / width.max(1)).clamp(1, MAX_ROWS),
            columns,
            rows: Rows::default(),
            total: 0,
            events: Vec::new(),
            inputs: Vec::new(),
            opened: Instant::now(),
            sender: Some(sender),
            empty,
            writer: Some(writer),
        })
    }

    /// Takes the state after a step (step 0 is the start). Rows are taken as often as the scene asks for, events always.
    pub fn step(&mut self, step: u64, world: &World, report: &StepReport) -> io::Result<()> {
        for event in &report.events {
            let event = serde_json::to_string(event).map_err(io::Error::other)?;
            self.events.push(EventRecord { step, time: world.time(), event });
        }
        if !step.is_multiple_of(self.stride) {
            return Ok(());
        }
        self.columns.measure(world, report, &mut self.rows.numbers);
        self.rows.hashes.extend_from_slice(&world.state_hash()[..HASH]);
        self.rows.rows += 1;
        self.total += 1;
        if self.rows.rows >= self.limit || self.opened.elapsed() > BLOCK_TIME {
            self.close_block()?;
        }
        Ok(())
    }

    /// Notes an input that is given before the step after `done` steps. (It is not applied here.)
    pub fn input(&mut self, done: u64, input: Input) {
        self.inputs.push((done, input));
    }

    /// Number of rows so far.
    pub fn rows(&self) -> u64 {
        self.total
    }

    /// Sends what has gathered to the writer.
    fn close_block(&mut self) -> io::Result<()> {
        self.opened = Instant::now();
        if !self.events.is_empty() {
            let block = pack(&std::mem::take(&mut self.events))?;
            self.send(Message::Block(b"EVNT", block))?;
        }
        if !self.inputs.is_empty() {
            let block = pack(&std::mem::take(&mut self.inputs))?;
            self.send(Message::Block(b"INPT", block))?;
        }
        if self.rows.rows == 0 {
            return Ok(());
        }
        let next = self.empty.try_recv().unwrap_or_default();
        let full = std::mem::replace(&mut self.rows, next);
        self.rows.first = full.first + full.rows as u64;
        self.send(Message::Rows(full))
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        let sent = self.sender.as_ref().is_some_and(|s| s.send(message).is_ok());
        // The writer ends early only when the file cannot be written; it says why.
        if sent { Ok(()) } else { Err(self.join().err().unwrap_or_else(|| io::Error::other("the recorder has ended"))) }
    }

    fn join(&mut self) -> io::Result<()> {
        self.sender = None;
        match self.writer.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(io::Error::other("the recorder's thread has died")),
            None => Ok(()),
        }
    }

    /// Writes what is left and the mark of an orderly end; gives the number of rows.
    pub fn finish(mut self) -> io::Result<u64> {
        self.close_block()?;
        let total = self.total;
        self.send(Message::Block(b"DONE", total.to_le_bytes().to_vec()))?;
        self.join()?;
        Ok(total)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if self.writer.is_some() {
            // A recorder that is dropped without `finish` has nobody to tell its errors to.
            let _ = self.close_block();
            let _ = self.join();
        }
    }
}

/// The writer: encodes and writes until the recorder lets go.
fn write_all(
    mut out: impl Write,
    width: usize,
    messages: &Receiver<Message>,
    give_back: &Sender<Rows>,
) -> io::Result<()> {
    let mut payload = Vec::new();
    for message in messages {
        match message {
            Message::Block(kind, payload) => write_block(&mut out, kind, &payload)?,
            Message::Rows(mut rows) => {
                payload.clear();
                payload.extend(rows.first.to_le_bytes());
                payload.extend((rows.rows as u32).to_le_bytes());
                payload.extend_from_slice(&rows.hashes);
                for c in 0..width {
                    encode(rows.numbers.iter().skip(c).step_by(width).copied(), &mut payload);
                }
                write_block(&mut out, b"ROWS", &payload)?;
                rows.numbers.clear();
                rows.hashes.clear();
                rows.rows = 0;
                // The recorder may be gone already; then the buffer is simply dropped.
                let _ = give_back.send(rows);
            }
        }
        out.flush()?;
    }
    Ok(())
}
