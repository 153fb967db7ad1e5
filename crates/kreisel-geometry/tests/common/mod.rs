//! A small deterministic generator of test data (splitmix64).

#![allow(dead_code)] // each test file uses some of it

use glam::{DQuat, DVec3};
use kreisel_geometry::Pose;

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// In [lo, hi).
    pub fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In the cube [-1, 1)³.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.uniform(-1.0, 1.0), self.uniform(-1.0, 1.0), self.uniform(-1.0, 1.0))
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            if (1e-3..=1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    pub fn rotation(&mut self) -> DQuat {
        loop {
            let q = DQuat::from_xyzw(
                self.uniform(-1.0, 1.0),
                self.uniform(-1.0, 1.0),
                self.uniform(-1.0, 1.0),
                self.uniform(-1.0, 1.0),
            );
            if (1e-3..=1.0).contains(&q.length()) {
                return q.normalize();
            }
        }
    }

    pub fn pose(&mut self, reach: f64) -> Pose {
        Pose::new(self.vector() * reach, self.rotation())
    }
}

/// Time that this thread has spent on a processor, where the system tells it (Linux), else since
/// the first call. On a shared machine wall time measures the neighbours.
pub fn cpu_seconds() -> f64 {
    let on_cpu = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = on_cpu.and_then(|s| s.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(
        || {
            static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
            START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
        },
        |ns| ns * 1e-9,
    )
}

/// Processor time of one call, as the mean over so many calls that the clock's tick of a few
/// milliseconds does not matter.
pub fn cpu_seconds_of(f: impl FnMut() -> f64) -> f64 {
    cpu_seconds_for(0.2, f)
}

/// The same, with so many calls that they take this long together.
pub fn cpu_seconds_for(share: f64, mut f: impl FnMut() -> f64) -> f64 {
    let start = cpu_seconds();
    let mut calls = 0;
    loop {
        std::hint::black_box(f());
        calls += 1;
        let spent = cpu_seconds() - start;
        if spent > share {
            return spent / f64::from(calls);
        }
    }
}
