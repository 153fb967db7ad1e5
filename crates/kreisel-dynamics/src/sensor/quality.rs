//! What stands between the exact value and the number that a sensor gives out.
//!
//! A sample is taken, then changed in this order: bias and its random walk, noise, the bounds of
//! the instrument, its resolution. It is given out when the delay has passed; until the next one
//! does, it is held. A rotation is turned by a small rotation vector instead of being added to.
//!
//! Noise is a function of the seed, the sensor's name, the number of the sample and the channel
//! (splitmix64, then Box and Muller), so that it is the same on every machine, on any number of
//! threads and after a restore, and that two sensors do not share it.

use super::{Sensor, SensorKind};
use crate::error::ModelError;
use crate::math::{Quat, Vec3, fun, rotation};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Part of a period by which a sample may be early: rounding of the time.
const EARLY: f64 = 1e-6;

/// How the samples of a sensor differ from the exact values. Units are those of the sensor; of an
/// orientation they are rad.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Quality {
    /// Standard deviation of white noise on every sample.
    pub noise: f64,
    /// Added to all numbers (one) or to each (as many as the sensor has); empty for none.
    pub bias: Vec<f64>,
    /// Random walk of the bias: its standard deviation after a second.
    pub drift: f64,
    /// Numbers are rounded to multiples of this; 0 for none.
    pub resolution: f64,
    /// Numbers are cut off at ± this; none for no bound.
    pub saturation: Option<f64>,
    /// Samples a second; none is one at every step.
    pub rate: Option<f64>,
    /// Time from a sample to when it is given out, s.
    pub delay: f64,
    /// Noise with another seed is another noise.
    pub seed: u32,
}

impl Quality {
    pub(super) fn check(&self, name: &str, numbers: usize) -> Result<(), ModelError> {
        /// Delays are short; what a sensor remembers is bounded by this, s.
        const MOST_DELAY: f64 = 100.0;
        let at_least_zero =
            [("noise", self.noise), ("drift", self.drift), ("resolution", self.resolution)];
        let positive = [("saturation", self.saturation), ("rate", self.rate)];
        let out = |field, must, value| {
            Err(ModelError::OutOfRange { item: name.to_owned(), field, must, value })
        };
        for (field, value) in at_least_zero {
            if !(value >= 0.0 && value.is_finite()) {
                return out(field, "zero or more", value);
            }
        }
        for (field, value) in positive.into_iter().filter_map(|(f, v)| Some((f, v?))) {
            if !(value > 0.0 && value.is_finite()) {
                return out(field, "positive", value);
            }
        }
        if !(0.0..=MOST_DELAY).contains(&self.delay) {
            return out("delay", "from 0 to 100 s", self.delay);
        }
        if self.bias.iter().any(|b| !b.is_finite()) {
            return Err(ModelError::NotFinite { item: name.to_owned(), field: "bias" });
        }
        if self.bias.len() > 1 && self.bias.len() != numbers {
            return out(
                "bias",
                "one number, or one for each that the sensor gives",
                self.bias.len() as f64,
            );
        }
        Ok(())
    }
}

/// What a sensor remembers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SensorMemory {
    begun: bool,
    /// Of the sensor that it belongs to.
    generation: u32,
    /// When it began, s.
    start: f64,
    /// Samples that should have been taken since.
    count: u64,
    /// Time of the last sample, s.
    last: f64,
    drift: Vec<f64>,
    /// Samples with their times; the first is the one that is given out.
    held: VecDeque<(f64, Vec<f64>)>,
}

impl SensorMemory {
    /// A memory that is another sensor's, or of a time to come, is no memory.
    pub fn begin(&mut self, generation: u32, time: f64) {
        if !self.begun || self.generation != generation || time < self.last {
            *self = Self { begun: true, generation, start: time, last: time, ..Self::default() };
        }
    }

    /// Belongs to the same sensor of a world in which nothing was removed.
    pub fn reborn(&mut self, generation: u32) {
        if self.generation == generation {
            self.generation = 0;
        } else {
            *self = Self::default();
        }
    }

    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub fn is_due(&self, quality: &Quality, time: f64) -> bool {
        let due = |rate: f64| (time - self.start) * rate + EARLY >= self.count as f64;
        self.held.is_empty() || quality.rate.is_none_or(due)
    }

    /// What is given out, if it belongs to the sensor of this generation.
    pub fn given(&self, generation: u32) -> Option<&[f64]> {
        self.held.front().filter(|_| self.generation == generation).map(|(_, v)| v.as_slice())
    }

    /// Takes a sample.
    pub fn take(&mut self, name: &str, sensor: &Sensor, time: f64, exact: Vec<f64>) {
        let quality = &sensor.quality;
        let sample = self.count;
        let span = time - self.last;
        let value = self.spoil(name, sensor, sample, span, exact);
        self.count =
            quality.rate.map_or(sample, |rate| ((time - self.start) * rate + EARLY).floor() as u64)
                + 1;
        self.last = time;
        self.held.push_back((time, value));
    }

    /// Forgets samples that a later one, old enough, has replaced.
    pub fn give(&mut self, quality: &Quality, time: f64) {
        let by = time - quality.delay + EARLY * quality.delay;
        while self.held.get(1).is_some_and(|next| next.0 <= by) {
            self.held.pop_front();
        }
    }

    /// The sample with all that is wrong with it.
    fn spoil(
        &mut self,
        name: &str,
        sensor: &Sensor,
        sample: u64,
        span: f64,
        mut value: Vec<f64>,
    ) -> Vec<f64> {
        let q = &sensor.quality;
        let turned = sensor.kind == SensorKind::Orientation;
        let numbers = if turned { 3 } else { value.len() };
        let noise = Noise::new(name, q.seed, sample);

        // bias, its walk, white noise
        self.drift.resize(numbers, 0.0);
        let mut error = Vec::with_capacity(numbers);
        for k in 0..numbers {
            if q.drift > 0.0 {
                self.drift[k] += q.drift * span.max(0.0).sqrt() * noise.normal(2 * k as u64 + 1);
            }
            let bias =
                if let [one] = q.bias[..] { one } else { q.bias.get(k).copied().unwrap_or(0.0) };
            let white = if q.noise > 0.0 { q.noise * noise.normal(2 * k as u64) } else { 0.0 };
            error.push(bias + self.drift[k] + white);
        }
        if let ([x, y, z, w], [a, b, c]) = (&value[..], &error[..])
            && turned
        {
            let seen = Quat::from_xyzw(*x, *y, *z, *w) * rotation(Vec3::new(*a, *b, *c));
            value = seen.normalize().to_array().to_vec();
        } else {
            for (x, e) in value.iter_mut().zip(&error) {
                // a ray that hits nothing has no length to be wrong about
                if !(sensor.kind.is_ray() && *x < 0.0) {
                    *x += e;
                }
            }
        }

        // the instrument's bounds and steps
        for x in &mut value {
            if let Some(most) = q.saturation {
                *x = x.clamp(-most, most);
            }
            if q.resolution > 0.0 {
                *x = (*x / q.resolution).round() * q.resolution;
            }
        }
        value
    }
}

/// Normal deviates of one sample of one sensor.
struct Noise(u64);

impl Noise {
    fn new(name: &str, seed: u32, sample: u64) -> Self {
        // FNV-1a of the name
        let name = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Self(mix(mix(name ^ u64::from(seed).rotate_left(32)) ^ sample))
    }

    /// A number from (0, 1].
    fn uniform(&self, k: u64) -> f64 {
        let bits = mix(self.0.wrapping_add(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        ((bits >> 11) as f64 + 1.0) / (1u64 << 53) as f64
    }

    fn normal(&self, k: u64) -> f64 {
        let (u, v) = (self.uniform(2 * k), self.uniform(2 * k + 1));
        (-2.0 * fun::log(u)).sqrt() * fun::cos(std::f64::consts::TAU * v)
    }
}

/// The output function of splitmix64 (Steele, Lea and Flood 2014).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
