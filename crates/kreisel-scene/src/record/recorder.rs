//! Writing a recording while a run goes on. The run copies its poses and what only the step knows;
//! everything that follows from them is measured, encoded and written by a thread of its own.

use super::columns::Columns;
use super::format::{
    Changes, EventRecord, HASH, Header, MAGIC, MAX_ROWS, VERSION, pack, write_block,
};
use super::input::Input;
use super::path::PathError;
use super::quantity::Step;
use super::writer::{Message, Rows, Writer};
use crate::scene::Scene;
use kreisel_dynamics::clock::Instant;
use kreisel_dynamics::{StepReport, World};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Numbers in a block, about: 512 kB.
const BLOCK_NUMBERS: usize = 65_536;

/// Wall time after which a block is closed though it is not full: what a crash loses at most.
const BLOCK_TIME: Duration = Duration::from_secs(1);

/// Blocks that may wait for the disk before the run waits too.
const WAITING: usize = 8;

/// Rows for which a changed model must stay the same before the writer gets a copy of it. A script
/// may change something in every step; copies of the world would then cost more than measuring at
/// once.
const CALM: u32 = 16;

/// A recording being written. It is a valid file whenever the run ends; [`Recorder::finish`] marks
/// it as complete.
pub struct Recorder {
    columns: Columns,
    stride: u64,
    rows: Rows,
    limit: usize,
    total: u64,
    events: Vec<EventRecord>,
    inputs: Vec<(u64, Input)>,
    opened: Instant,
    /// The model that the writer has, the one that was seen last, and for how many rows.
    known: u64,
    seen: u64,
    calm: u32,
    sender: Option<SyncSender<Message>>,
    empty: Receiver<Rows>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl Recorder {
    /// Creates a file and records everything about the scene: poses, velocities, energies, joint
    /// errors and reactions, efforts, the report, and the points that the scene names.
    pub fn create(path: impl AsRef<Path>, scene: &Scene, changes: &Changes) -> io::Result<Self> {
        let columns =
            Columns::everything(scene).map_err(|e: PathError| io::Error::other(e.message))?;
        Self::new(super::create(path)?, scene, changes, columns)
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
            bodies: world
                .bodies()
                .filter_map(|b| world.body_name(b))
                .map(|n| n.to_string())
                .collect(),
            joints: world
                .joints()
                .filter_map(|j| world.joint_name(j))
                .map(|n| n.to_string())
                .collect(),
            columns: columns.columns().to_vec(),
        };
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        write_block(&mut out, b"HEAD", &pack(&header)?)?;
        out.flush()?;
        let (sender, messages) = sync_channel(WAITING);
        let (give_back, empty) = channel();
        let work = Writer { out, columns: columns.clone(), world: world.clone() };
        let writer = std::thread::Builder::new()
            .name("recorder".into())
            .spawn(move || work.run(&messages, &give_back))?;
        Ok(Self {
            stride: header.stride,
            limit: (BLOCK_NUMBERS / header.columns.len().max(1)).clamp(1, MAX_ROWS),
            known: world.revision(),
            seen: world.revision(),
            calm: 0,
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

    /// Takes the state after a step (step 0 is the start). Rows are taken as often as the scene
    /// asks for, events always. It must be the world of the scene, step after step; it may be
    /// changed in between.
    pub fn step(&mut self, step: u64, world: &World, report: &StepReport) -> io::Result<()> {
        for event in &report.events {
            let event = serde_json::to_string(event).map_err(io::Error::other)?;
            self.events.push(EventRecord { step, time: world.time(), event });
        }
        if !step.is_multiple_of(self.stride) {
            return Ok(());
        }
        self.follow(world)?;
        let row = self.rows.next();
        if world.revision() == self.known {
            world.read_out(&mut row.poses);
            row.step = Step::of(world, report);
            row.hash = None;
            self.columns.measure_now(world, report, &mut self.rows.numbers);
        } else {
            let mut hash = [0; HASH];
            hash.copy_from_slice(&world.state_hash()[..HASH]);
            row.hash = Some(hash);
            self.columns.measure(world, report, &mut self.rows.numbers);
        }
        self.total += 1;
        if self.rows.count() >= self.limit || self.opened.elapsed() > BLOCK_TIME {
            self.close_block()?;
        }
        Ok(())
    }

    /// Gives the writer a copy of a changed model once that has stayed the same for a while.
    fn follow(&mut self, world: &World) -> io::Result<()> {
        if world.revision() == self.known {
            return Ok(());
        }
        self.calm = if world.revision() == self.seen { self.calm + 1 } else { 0 };
        self.seen = world.revision();
        if self.calm < CALM {
            return Ok(());
        }
        // Rows that are still here belong to the old one.
        self.close_block()?;
        self.known = self.seen;
        self.send(Message::World(Box::new(world.clone())))
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
        if self.rows.count() == 0 {
            return Ok(());
        }
        let next = self.empty.try_recv().unwrap_or_default();
        let full = std::mem::replace(&mut self.rows, next);
        self.rows.first = full.first + full.count() as u64;
        self.send(Message::Rows(full))
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        let sent = self.sender.as_ref().is_some_and(|s| s.send(message).is_ok());
        // The writer ends early only when the file cannot be written; it says why.
        if sent {
            Ok(())
        } else {
            Err(self.join().err().unwrap_or_else(|| io::Error::other("the recorder has ended")))
        }
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
