//! What is measured.

use crate::world::World;

/// A sensor: numbers that are read from the world after every step. Noise, delay, rate and the like
/// are those of every sensor.
pub trait SensorLaw: Send + Sync + 'static {
    /// Names and units of its numbers: one of the name "" is the sensor's single value, "x" becomes
    /// `NAME.value.x`.
    fn channels(&self) -> Vec<(String, &'static str)>;

    /// The exact numbers now, as many as it has channels.
    fn measure(&self, world: &World) -> Result<Vec<f64>, String>;
}
