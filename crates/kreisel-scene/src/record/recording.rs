//! Reading a recording. Any bytes end in a recording or in an error; a file that breaks off is good
//! up to its last whole block.

use super::columns::Column;
use super::data::Data;
use super::encode::{decode, take};
use super::format::{EventRecord, FRAME, HASH, Header, MAGIC, MAX_ROWS, VERSION, checksum};
use super::input::Input;
use std::io;
use std::path::Path;

/// Most columns of a recording: beyond, a damaged header is more likely than a scene.
const MAX_COLUMNS: usize = 1 << 22;

/// Most steps from one row to the next: no run has more steps.
const MAX_STRIDE: u64 = 1_000_000_000;

/// Why a file is not a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It cannot be read at all.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("it is not a recording (recordings are written by `kreisel run SCENE --record FILE`)")]
    NotARecording,
    /// It was written by a newer program.
    #[error("it is a recording of version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// Its head is damaged, so that nothing can be told about the rest.
    #[error("its head is damaged: {0}")]
    Head(&'static str),
    /// The file breaks off or is damaged further on.
    #[error("{0}")]
    Damaged(Damage),
}

/// Where a recording is damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the recording is damaged at byte {at}: {what}; the {rows} rows before are good")]
pub struct Damage {
    /// Place of the first block that cannot be used.
    pub at: usize,
    /// What is wrong with it.
    pub what: &'static str,
    /// Rows before it.
    pub rows: usize,
}

/// How a recording ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The run ended in an orderly way.
    Complete,
    /// The writer was stopped between two blocks.
    Open,
    /// The file breaks off or is damaged; what stands before is good.
    Damaged(Damage),
}

/// A recording in memory.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The scene and what was changed about it.
    pub header: Header,
    /// Values of each column, row by row.
    pub values: Vec<Vec<f64>>,
    /// State hash of every row (first 16 bytes).
    pub hashes: Vec<[u8; HASH]>,
    /// What happened.
    pub events: Vec<EventRecord>,
    /// Inputs, each with the number of steps done before it was given.
    pub inputs: Vec<(u64, Input)>,
    /// How the file ends.
    pub end: End,
}

impl Recording {
    /// Reads a file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        Self::from_bytes(&std::fs::read(path)?)
    }

    /// Whether a file looks like a recording.
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Reads a recording; damage after the head is told by [`Recording::end`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(RecordingError::NotARecording)?;
        let (version, _) =
            rest.split_first_chunk::<4>().ok_or(RecordingError::Head("it breaks off"))?;
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(RecordingError::Version(version));
        }
        let mut at = MAGIC.len() + 4;
        let (kind, payload) = block(bytes, &mut at).map_err(RecordingError::Head)?;
        if kind != b"HEAD" {
            return Err(RecordingError::Head("another block stands first"));
        }
        let header: Header = postcard::from_bytes(payload)
            .map_err(|_| RecordingError::Head("it does not make sense"))?;
        let usable = (1..=MAX_COLUMNS).contains(&header.columns.len())
            && (1..=MAX_STRIDE).contains(&header.stride)
            && kreisel_dynamics::bounds::STEP.holds(header.step);
        if !usable {
            return Err(RecordingError::Head("it does not make sense"));
        }
        let mut out = Self {
            values: vec![Vec::new(); header.columns.len()],
            header,
            hashes: Vec::new(),
            events: Vec::new(),
            inputs: Vec::new(),
            end: End::Open,
        };
        while at < bytes.len() {
            let start = at;
            let done = block(bytes, &mut at).and_then(|(kind, payload)| out.take(kind, payload));
            match done {
                Ok(false) => {}
                Ok(true) => {
                    out.end = End::Complete;
                    break;
                }
                Err(what) => {
                    out.end = End::Damaged(Damage { at: start, what, rows: out.hashes.len() });
                    break;
                }
            }
        }
        Ok(out)
    }

    /// Takes a block over; whether it is the last one. A block that does not make sense leaves
    /// nothing behind.
    fn take(&mut self, kind: &[u8; 4], payload: &[u8]) -> Result<bool, &'static str> {
        const WRONG: &str = "a block does not make sense";
        match kind {
            b"ROWS" => {
                let before = self.hashes.len();
                let taken = self.take_rows(payload);
                if taken.is_none() {
                    self.hashes.truncate(before);
                    self.values.iter_mut().for_each(|c| c.truncate(before));
                }
                taken.ok_or(WRONG)?;
            }
            b"EVNT" => {
                let events: Vec<EventRecord> = postcard::from_bytes(payload).map_err(|_| WRONG)?;
                self.events.extend(events);
            }
            b"INPT" => {
                let inputs: Vec<(u64, Input)> = postcard::from_bytes(payload).map_err(|_| WRONG)?;
                self.inputs.extend(inputs);
            }
            b"DONE" => {
                let rows = u64::from_le_bytes(payload.try_into().map_err(|_| WRONG)?);
                return if rows == self.hashes.len() as u64 {
                    Ok(true)
                } else {
                    Err("rows are missing")
                };
            }
            _ => {}
        }
        Ok(false)
    }

    fn take_rows(&mut self, mut payload: &[u8]) -> Option<()> {
        let first = u64::from_le_bytes(take(&mut payload, 8)?.try_into().ok()?);
        let rows = u32::from_le_bytes(take(&mut payload, 4)?.try_into().ok()?) as usize;
        if first != self.hashes.len() as u64 || rows == 0 || rows > MAX_ROWS {
            return None;
        }
        for hash in take(&mut payload, rows * HASH)?.chunks_exact(HASH) {
            self.hashes.push(hash.try_into().ok()?);
        }
        for column in &mut self.values {
            decode(&mut payload, rows, column)?;
        }
        payload.is_empty().then_some(())
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.hashes.len()
    }

    /// Number of the step that a row shows.
    pub fn step_of(&self, row: usize) -> u64 {
        row as u64 * self.header.stride
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.header.columns
    }

    /// Its columns as plain data.
    pub fn into_data(self) -> Data {
        Data { columns: self.header.columns, values: self.values }
    }
}

/// The block at a place: its kind and payload. The place moves behind it only when the block is
/// whole.
fn block<'a>(bytes: &'a [u8], at: &mut usize) -> Result<(&'a [u8; 4], &'a [u8]), &'static str> {
    const BREAKS: &str = "it breaks off inside a block";
    let rest = bytes.get(*at..).unwrap_or_default();
    let (kind, rest) = rest.split_first_chunk::<4>().ok_or(BREAKS)?;
    let (length, rest) = rest.split_first_chunk::<4>().ok_or(BREAKS)?;
    let (sum, rest) = rest.split_first_chunk::<16>().ok_or(BREAKS)?;
    let length = u32::from_le_bytes(*length) as usize;
    let payload = rest.get(..length).ok_or(BREAKS)?;
    if checksum(kind, payload) != *sum {
        return Err("the checksum of a block is wrong");
    }
    *at += FRAME + length;
    Ok((kind, payload))
}
