//! Rays: how far it is to the nearest surface of another body.

use super::measure::Site;
use super::{Sensor, SensorKind};
use crate::body::BodyId;
use crate::math::{Vec3, fun};
use crate::world::World;
use kreisel_geometry::query::{Ray, cast_ray};
use kreisel_geometry::{Pose, Shape};

/// What a ray reads that hits nothing within its reach.
const NOTHING: f64 = -1.0;

impl World {
    /// Distances along all rays of a sensor, m; −1 where nothing is within reach.
    ///
    /// A ray sees the shapes of all bodies that collide, ground included, but not the body that
    /// carries it nor bodies that only report what touches them.
    pub(super) fn distances(&self, sensor: &Sensor, site: &Site) -> Vec<f64> {
        let count = if sensor.kind == SensorKind::Range { 1 } else { sensor.rays };
        // a full turn has as many directions as rays; a part of one begins and ends with a ray
        let whole = sensor.fan >= std::f64::consts::TAU - 1e-9;
        let gaps = f64::from(if whole { count } else { count.saturating_sub(1) }).max(1.0);
        let first = if count > 1 { -0.5 * sensor.fan } else { 0.0 };
        let carrier = sensor.body.map(|c| c.index).filter(|c| *c != BodyId::WORLD.index);
        let seen = self.model.surfaces();
        let seen = seen.iter().filter(|(slot, _, s)| Some(*slot) != carrier && !s.sensor);
        let solids: Vec<(&Shape, Pose)> = seen
            .map(|(slot, body, surface)| {
                let s = self.state.slot(*slot);
                let r = s.rotation * body.principal.conjugate();
                let frame = Pose::new(s.position - r * body.center, r);
                let own = surface.collider.is_none();
                (surface.shape, if own { frame } else { frame.then(&surface.pose) })
            })
            .collect();
        (0..count)
            .map(|k| {
                let (sin, cos) = fun::sin_cos(first + sensor.fan * f64::from(k) / gaps);
                let ray =
                    Ray { origin: site.place, direction: site.turn * Vec3::new(cos, sin, 0.0) };
                let mut best: Option<f64> = None;
                for (shape, pose) in &solids {
                    let reach = best.unwrap_or(sensor.reach);
                    if let Some(hit) = cast_ray(shape, pose, &ray, reach) {
                        best = Some(hit.distance);
                    }
                }
                best.unwrap_or(NOTHING)
            })
            .collect()
    }
}
