//! Forces on connectors.

use super::PluginState;
use crate::math::Vec3;
use std::ops::RangeInclusive;

/// A force element: forces that depend on places, velocities and the time.
///
/// Its work is booked as the user's. Forces on two connectors that are to have a reaction are
/// opposite; a torque is a pair of forces on two connectors of a body.
pub trait ForceLaw: Send + Sync + 'static {
    /// How many connectors it takes.
    fn connectors(&self) -> RangeInclusive<usize> {
        1..=1000
    }

    /// The force on every connector, N, world coordinates; `out` is zero and as long as
    /// `now.points`.
    fn forces(&self, now: &PluginState<'_>, out: &mut [Vec3]) -> Result<(), String>;

    /// Whether forces depend on velocities: said where a high order is asked for.
    fn depends_on_velocities(&self) -> bool {
        true
    }
}
