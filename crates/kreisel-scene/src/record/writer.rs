//! The thread behind a recording: measures what steps left to it, encodes, and writes block by
//! block.

use super::columns::Columns;
use super::encode::encode;
use super::format::{HASH, MAX_ROWS, write_block};
use super::quantity::Step;
use kreisel_dynamics::{Readout, World};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender};

/// One row: a step to measure, or a hash that says that its numbers are measured already.
#[derive(Default)]
pub(super) struct Row {
    pub poses: Readout,
    pub step: Step,
    pub hash: Option<[u8; HASH]>,
}

/// Rows on their way to the file. Its memory goes back and forth.
#[derive(Default)]
pub(super) struct Rows {
    pub first: u64,
    rows: Vec<Row>,
    count: usize,
    /// What was measured at once: of a row with a step only what cannot wait.
    pub numbers: Vec<f64>,
}

impl Rows {
    /// Number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The next row, in memory of an old one if there is any.
    pub fn next(&mut self) -> &mut Row {
        self.count += 1;
        if self.rows.len() < self.count {
            self.rows.push(Row::default());
        }
        &mut self.rows[self.count - 1]
    }

    fn clear(&mut self) {
        self.count = 0;
        self.numbers.clear();
    }
}

/// What reaches the thread, in order.
pub(super) enum Message {
    Rows(Rows),
    Block(&'static [u8; 4], Vec<u8>),
    /// The model has changed: the rows that follow are to be measured in this world.
    World(Box<World>),
}

/// The thread's belongings.
pub(super) struct Writer<W> {
    pub out: W,
    pub columns: Columns,
    /// A clone of the world, in which poses are shown and measured.
    pub world: World,
}

impl<W: Write> Writer<W> {
    /// Measures, encodes and writes until the recorder lets go.
    pub fn run(mut self, messages: &Receiver<Message>, give_back: &Sender<Rows>) -> io::Result<()> {
        let (mut numbers, mut hashes, mut payload) = (Vec::new(), Vec::new(), Vec::new());
        for message in messages {
            match message {
                Message::World(world) => self.world = *world,
                Message::Block(kind, payload) => write_block(&mut self.out, kind, &payload)?,
                Message::Rows(mut rows) => {
                    numbers.clear();
                    hashes.clear();
                    self.measure(&rows, &mut numbers, &mut hashes)?;
                    payload.clear();
                    payload.extend(rows.first.to_le_bytes());
                    payload.extend((rows.count as u32).to_le_bytes());
                    payload.extend_from_slice(&hashes);
                    self.encode(&numbers, rows.count, &mut payload);
                    write_block(&mut self.out, b"ROWS", &payload)?;
                    rows.clear();
                    // The recorder may be gone already; then the buffer is simply dropped.
                    let _ = give_back.send(rows);
                }
            }
            self.out.flush()?;
        }
        Ok(())
    }

    /// Completes all rows.
    fn measure(
        &mut self,
        rows: &Rows,
        numbers: &mut Vec<f64>,
        hashes: &mut Vec<u8>,
    ) -> io::Result<()> {
        let width = self.columns.columns().len();
        let mut given = &rows.numbers[..];
        for row in &rows.rows[..rows.count] {
            if let Some(hash) = &row.hash {
                let (whole, rest) = given.split_at(width);
                numbers.extend_from_slice(whole);
                hashes.extend_from_slice(hash);
                given = rest;
            } else {
                if !self.world.show(&row.poses) {
                    return Err(io::Error::other(
                        "a row was recorded for another model of the world",
                    ));
                }
                given = self.columns.complete(&self.world, &row.step, given, numbers);
                hashes.extend_from_slice(&self.world.state_hash()[..HASH]);
            }
        }
        Ok(())
    }

    /// Encodes the columns of rows.
    fn encode(&self, numbers: &[f64], rows: usize, payload: &mut Vec<u8>) {
        let width = self.columns.columns().len();
        let mut column = [0.0; MAX_ROWS];
        for c in 0..width {
            for (to, row) in column.iter_mut().zip(numbers.chunks_exact(width)) {
                *to = row[c];
            }
            encode(&column[..rows], payload);
        }
    }
}
