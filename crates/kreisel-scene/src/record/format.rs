//! The file format of recordings (`.kreisel`), version 2. All numbers are little-endian.
//!
//! ```text
//! file   = magic (8 bytes "KREISEL\n") version (u32) block*
//! block  = kind (4 bytes) length (u32) checksum (16 bytes) payload (length bytes)
//! HEAD   = postcard of Header: the scene's text, what was changed about it, the columns
//! ROWS   = first row (u64) rows (u32) state hashes (16 bytes per row) columns (see `encode`)
//! EVNT   = postcard of a list of events
//! INPT   = postcard of a list of inputs with the steps they were given before
//! DONE   = rows (u64): the run ended in an orderly way
//! ```
//!
//! The checksum is the first half of the BLAKE3 hash of kind, length and payload. A block is
//! written whole, so that a file whose writer died is good up to its last whole block. Blocks of an
//! unknown kind are passed over.

use super::columns::Column;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// First bytes of a recording.
pub const MAGIC: &[u8; 8] = b"KREISEL\n";

/// The version that is written.
pub const VERSION: u32 = 2;

/// Most rows in a block: what a column that never changes can grow by when it is read.
pub(super) const MAX_ROWS: usize = 128;

/// Bytes of a state hash.
pub(super) const HASH: usize = 16;

/// Bytes before a block's payload.
pub(super) const FRAME: usize = 24;

/// What stands at the head of a recording: all that is needed to run it again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The program that wrote it, with its version.
    pub program: String,
    /// Name of the scene: the path as the user wrote it.
    pub scene: String,
    /// The scene's text.
    pub text: String,
    /// What was changed about the scene.
    pub changes: Changes,
    /// Step size, s.
    pub step: f64,
    /// Steps from one row to the next.
    pub stride: u64,
    /// Names of the bodies, in the order of the world.
    pub bodies: Vec<String>,
    /// Names of the joints, in the order of the world.
    pub joints: Vec<String>,
    /// The columns, time first.
    pub columns: Vec<Column>,
}

/// What a run changes about its scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// Other values for parameters.
    pub params: Vec<(String, f64)>,
    /// Another step size, s.
    pub step: Option<f64>,
    /// Another method, by name.
    pub method: Option<String>,
    /// Another order.
    pub order: Option<u32>,
    /// The keyframe that it starts in.
    pub key: Option<String>,
}

/// Something that happened, with the step and the time it was reported at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRecord {
    /// Number of the step.
    pub step: u64,
    /// Time at the end of the step, s.
    pub time: f64,
    /// The engine's event as JSON: `{"LimitHit": {"name": …}}`.
    pub event: String,
}

/// The checksum of a block.
pub(super) fn checksum(kind: &[u8; 4], payload: &[u8]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind);
    hasher.update(&(payload.len() as u32).to_le_bytes());
    hasher.update(payload);
    let mut out = [0; 16];
    out.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    out
}

/// Writes one block.
pub(super) fn write_block(out: &mut impl Write, kind: &[u8; 4], payload: &[u8]) -> io::Result<()> {
    let length = u32::try_from(payload.len()).map_err(|_| {
        io::Error::new(io::ErrorKind::InvalidInput, "a block of a recording may have up to 4 GB")
    })?;
    out.write_all(kind)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&checksum(kind, payload))?;
    out.write_all(payload)
}

/// Encodes with postcard; only running out of memory can fail, and that ends the program anyway.
pub(super) fn pack<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|e| io::Error::other(e.to_string()))
}
