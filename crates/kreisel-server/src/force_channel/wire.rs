//! What goes over the force channel. A device and the server exchange datagrams: messages as JSON,
//! and one packet a step, little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 3 | `KRH1` |
//! | 4 to 7 | flags: 1 the packet is late by more than a step, 2 the clock was given up before it |
//! | 8 to 15 | number of the step |
//! | 16 to 23 | simulated time, s |
//! | 24 to 31 | time since the device said hello, s by the server's clock |
//! | 32 to 39 | how much later than due the step was done, s |
//! | 40 to 43 | number of values |
//! | 44 to 47 | revision of the columns |
//! | from 48 | the values, eight bytes each, in the order of the columns |

use kreisel_session::protocol::{Column, Command};
use serde::{Deserialize, Serialize};

/// Version of messages and packets.
pub const VERSION: u32 = 1;
/// How a packet begins.
pub const MAGIC: [u8; 4] = *b"KRH1";
/// Length of what stands before the values, bytes.
pub const HEAD: usize = 48;
/// Flag: the packet comes more than a step late.
pub const LATE: u32 = 1;
/// Flag: the simulation was so slow that it gave up the clock and went on from there.
pub const GIVEN_UP: u32 = 2;

/// From a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromDevice {
    /// The first message.
    Hello {
        /// Version of the channel.
        version: u32,
        /// The token of the server's address.
        token: String,
        /// What packets shall carry: paths of recordings, `hand.force` and `hand.torque`.
        paths: Vec<String>,
    },
    /// A change of the world, as by any client: `hold`, `carry` and `let_go` above all.
    Command(Box<Command>),
    /// Nothing but that it is still there.
    Alive,
    /// The last message.
    Bye,
}

/// To a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToDevice {
    /// Answer to the hello.
    Welcome {
        /// Number of the device among clients, as in the journal.
        client: u32,
        /// Step size, s.
        step: f64,
        /// What cannot be kept, in words.
        notes: Vec<String>,
    },
    /// What the values of packets of this revision are.
    Columns {
        /// The revision.
        revision: u32,
        /// One for each value.
        columns: Vec<Column>,
    },
    /// Why a message was refused.
    Refused(String),
    /// What the device should know.
    Notice(String),
}

/// A packet, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packet {
    /// [`LATE`], [`GIVEN_UP`].
    pub flags: u32,
    /// Number of the step.
    pub step: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Time since the hello by the server's clock, s.
    pub sent: f64,
    /// How much later than due the step was done, s.
    pub late: f64,
    /// Revision of the columns.
    pub revision: u32,
    /// The values.
    pub values: Vec<f64>,
}

impl Packet {
    /// The packet as bytes, into a buffer that is used again.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&self.flags.to_le_bytes());
        out.extend_from_slice(&self.step.to_le_bytes());
        for x in [self.time, self.sent, self.late] {
            out.extend_from_slice(&x.to_le_bytes());
        }
        out.extend_from_slice(&(self.values.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.revision.to_le_bytes());
        for x in &self.values {
            out.extend_from_slice(&x.to_le_bytes());
        }
    }

    /// Reads a packet; none where the bytes are something else.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let four = |at: usize| bytes.get(at..at + 4)?.try_into().ok();
        let eight = |at: usize| bytes.get(at..at + 8)?.try_into().ok();
        if four(0)? != MAGIC {
            return None;
        }
        let count = u32::from_le_bytes(four(40)?) as usize;
        let values = bytes.get(HEAD..)?;
        if values.len() != 8 * count {
            return None;
        }
        let number = |at| eight(at).map(f64::from_le_bytes);
        Some(Self {
            flags: u32::from_le_bytes(four(4)?),
            step: u64::from_le_bytes(eight(8)?),
            time: number(16)?,
            sent: number(24)?,
            late: number(32)?,
            revision: u32::from_le_bytes(four(44)?),
            values: (0..count).filter_map(|k| number(HEAD + 8 * k)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_read_as_they_were_written_and_nothing_else_is() {
        let packet = Packet {
            flags: LATE | GIVEN_UP,
            step: 1 << 40,
            time: 0.1 + 0.2,
            sent: 1.0 / 3.0,
            late: 4e-5,
            revision: 7,
            values: vec![-19.62, f64::MIN_POSITIVE, 0.0],
        };
        let mut bytes = Vec::new();
        packet.write(&mut bytes);
        assert_eq!(bytes.len(), HEAD + 24);
        // offsets of the table above, written out
        assert_eq!(bytes[8..16], (1u64 << 40).to_le_bytes());
        assert_eq!(bytes[48..56], (-19.62f64).to_le_bytes());
        assert_eq!(Packet::read(&bytes), Some(packet));
        for cut in [0, 3, 47, 55, 71] {
            assert_eq!(Packet::read(&bytes[..cut]), None, "{cut} bytes");
        }
        bytes[0] = b'X';
        assert_eq!(Packet::read(&bytes), None);
    }
}
