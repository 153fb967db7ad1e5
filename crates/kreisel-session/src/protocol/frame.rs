//! Binary frames: one state of the world. Little-endian; a header, seven f32 per body, then
//! sections.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | `KRF` and the version of the layout |
//! | 4, 8, 12 | u32: revision of the scene description, steps made, number of bodies |
//! | 16 | f64 time, s |
//! | 24 | 3 × f64 origin that positions count from, m |
//! | 48 | 3 × f64 kinetic, potential and spring energy, J |
//! | 72, 80 | f64: gap (m) and misalignment (rad) of the worst joint |
//! | 88 | i32 worst joint in the scene's list, −1 for none |
//! | 92 | u32 flags |
//! | 96, 104 | f64: first and last time that can be gone back to, s |
//! | 112 | f64 sum of the energy ledger's residuals since the start, J |
//! | 120..136 | f32: simulated seconds per second, wanted speed (0: as fast as it goes), wall time of a step in s, step size in s |
//! | 136, 138 | u16: edits that can be undone and redone |
//! | 140 | u32 number of sections |
//! | 144 | per body f32: x, y, z from the origin, quaternion x, y, z, w |
//!
//! A section is u32 kind, u32 number of values, the values, and zeros up to a multiple of 8 bytes;
//! the body block is padded the same way.

/// Version of the layout.
pub const LAYOUT: u8 = 1;
/// Bytes before the first body.
pub const HEADER: usize = 144;

/// The world runs.
pub const RUNNING: u32 = 1;
/// The world has ended.
pub const ENDED: u32 = 2;
/// Every joint is within tolerance.
pub const CONVERGED: u32 = 4;
/// Where the flags stand in a frame, in bytes.
const FLAGS: usize = 92;

/// Marks a frame as the last one of a world that has ended; bytes that are no frame stay as they
/// are.
pub fn mark_ended(frame: &mut [u8]) {
    if let Some(flags) = frame.get_mut(FLAGS..FLAGS + 4) {
        flags.copy_from_slice(&ENDED.to_le_bytes());
    }
}

/// Kinds of sections.
pub mod section {
    /// f32, six per body: velocity of the centre of mass, angular velocity.
    pub const VELOCITIES: u32 = 1;
    /// f32, six per joint: reaction force and torque on the second body.
    pub const REACTIONS: u32 = 2;
    /// f32, two per joint: gap and misalignment.
    pub const ERRORS: u32 = 3;
    /// f32, seven per contact: point from the origin, direction of the force on the body that it
    /// moves (the first of two), its size in N.
    pub const CONTACTS: u32 = 4;
    /// f64: revision of the columns, then rows of time and columns.
    pub const SAMPLES: u32 = 5;
    /// f32, eight per hand: client, body, grabbed point and target from the origin.
    pub const HANDS: u32 = 6;
    /// f32, three per connector that moves by formulas: where it is now, from the origin.
    pub const MOVING: u32 = 7;
    /// f32, eleven per hand of virtual reality that holds: client, hand, body, grip from the
    /// origin, force of the hand (N), and what it feels: contacts of the body (N) and joints of the
    /// body (N), each as a sum of sizes.
    pub const HOLDS: u32 = 8;
}

/// Numbers of the header.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    /// Revision of the scene description.
    pub scene: u32,
    /// Steps made.
    pub step: u32,
    /// Time, s.
    pub time: f64,
    /// Origin, m.
    pub origin: [f64; 3],
    /// Kinetic, potential, spring energy, J.
    pub energy: [f64; 3],
    /// Gap and misalignment of the worst joint.
    pub worst: [f64; 2],
    /// The worst joint.
    pub worst_joint: i32,
    /// Flags.
    pub flags: u32,
    /// Times that can be gone back to, s.
    pub history: [f64; 2],
    /// Sum of residuals, J.
    pub residual: f64,
    /// Simulated seconds per second.
    pub real_time_factor: f32,
    /// Wanted speed.
    pub speed: f32,
    /// Wall time of a step, s.
    pub step_time: f32,
    /// Step size, s.
    pub step_size: f32,
    /// Edits to undo and redo.
    pub edits: [u16; 2],
}

/// Writes a frame.
pub struct Writer {
    bytes: Vec<u8>,
    sections: u32,
}

impl Writer {
    /// Starts a frame of `bodies` bodies.
    pub fn new(header: &Header, bodies: usize) -> Self {
        let mut b = Vec::with_capacity(HEADER + bodies * 28 + 64);
        b.extend([b'K', b'R', b'F', LAYOUT]);
        for x in [header.scene, header.step, bodies as u32] {
            b.extend(x.to_le_bytes());
        }
        let doubles =
            [header.time].into_iter().chain(header.origin).chain(header.energy).chain(header.worst);
        for x in doubles {
            b.extend(x.to_le_bytes());
        }
        b.extend(header.worst_joint.to_le_bytes());
        b.extend(header.flags.to_le_bytes());
        for x in [header.history[0], header.history[1], header.residual] {
            b.extend(x.to_le_bytes());
        }
        for x in [header.real_time_factor, header.speed, header.step_time, header.step_size] {
            b.extend(x.to_le_bytes());
        }
        for x in header.edits {
            b.extend(x.to_le_bytes());
        }
        b.extend([0; 4]);
        debug_assert_eq!(b.len(), HEADER);
        Self { bytes: b, sections: 0 }
    }

    /// The pose of the next body, from the origin.
    pub fn pose(&mut self, position: [f64; 3], rotation: [f64; 4]) {
        for x in position.into_iter().chain(rotation) {
            self.bytes.extend((x as f32).to_le_bytes());
        }
    }

    fn pad(&mut self) {
        let rest = self.bytes.len() % 8;
        if rest > 0 {
            self.bytes.resize(self.bytes.len() + 8 - rest, 0);
        }
    }

    fn head(&mut self, kind: u32, count: usize) {
        self.pad();
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend((count as u32).to_le_bytes());
        self.sections += 1;
    }

    /// A section of f32.
    pub fn floats(&mut self, kind: u32, values: impl ExactSizeIterator<Item = f64>) {
        self.head(kind, values.len());
        for x in values {
            self.bytes.extend((x as f32).to_le_bytes());
        }
    }

    /// A section of f64.
    pub fn doubles(&mut self, kind: u32, values: impl ExactSizeIterator<Item = f64>) {
        self.head(kind, values.len());
        for x in values {
            self.bytes.extend(x.to_le_bytes());
        }
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.pad();
        self.bytes[HEADER - 4..HEADER].copy_from_slice(&self.sections.to_le_bytes());
        self.bytes
    }
}

/// Constants of the layout for the page, as TypeScript.
pub fn typescript() -> String {
    use section::*;
    format!(
        "export const LAYOUT = {LAYOUT};\nexport const HEADER = {HEADER};\n\
         export const FLAG = {{ running: {RUNNING}, ended: {ENDED}, converged: {CONVERGED} }} as const;\n\
         export const SECTION = {{ velocities: {VELOCITIES}, reactions: {REACTIONS}, errors: {ERRORS}, \
         contacts: {CONTACTS}, samples: {SAMPLES}, hands: {HANDS}, moving: {MOVING}, holds: {HOLDS} }} as const;\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_a_thousand_bodies_is_under_40_kilobytes() {
        let mut writer = Writer::new(&Header::default(), 1000);
        for _ in 0..1000 {
            writer.pose([1.0; 3], [0.0, 0.0, 0.0, 1.0]);
        }
        writer.floats(section::HANDS, [0.0; 8].into_iter());
        assert!(writer.finish().len() < 40_000);
    }

    #[test]
    fn sections_start_at_multiples_of_eight() {
        let mut writer = Writer::new(&Header { worst_joint: -1, ..Header::default() }, 1);
        writer.pose([1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 1.0]);
        writer.floats(section::ERRORS, [0.5].into_iter());
        writer.doubles(section::SAMPLES, [7.0, 0.25].into_iter());
        let bytes = writer.finish();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        // 144 header, 28 pose, 4 padding; 8 + 4 + 4 padding; 8 + 16.
        assert_eq!((bytes.len(), word(140)), (144 + 32 + 16 + 24, 2));
        assert_eq!(
            (word(176), word(180), word(192), word(196)),
            (section::ERRORS, 1, section::SAMPLES, 2)
        );
        assert_eq!(f64::from_le_bytes(bytes[208..216].try_into().unwrap()), 0.25);
        assert_eq!(i32::from_le_bytes(bytes[88..92].try_into().unwrap()), -1);
    }
}
