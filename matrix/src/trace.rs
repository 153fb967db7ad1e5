//! One cell step by step beside its reference: where a wrong motion begins.

use crate::case::{Case, length, minus};
use crate::cell::{places, probe_points, scene};
use crate::reference::integrate;
use crate::way::Way;
use kreisel_dynamics::{Coordinate, Vec3};
use kreisel_scene::Simulation;
use std::fmt::Write as _;

/// A line a step: time, largest distance of a probe from the reference (m), unexplained energy of
/// the step (J), the reference's coordinates and rates, the rates of the engine's hinges, status. A
/// second line where something happened.
pub fn trace(case: &Case, way: &Way) -> Result<String, String> {
    let scene = kreisel_scene::parse("cell.toml", &scene(case, way, way.rate))
        .map_err(|e| e.to_string())?;
    let mut simulation = Simulation::new(&scene);
    let last = case.times.last().copied().unwrap_or(0.0);
    let steps = (last * f64::from(way.rate)).round() as u32;
    let times: Vec<f64> = (1..=steps).map(|k| f64::from(k) / f64::from(way.rate)).collect();
    let motion = integrate(&case.system, &times)?;

    let mut out = format!("# {}; {}\n", case.name, way.name);
    for (k, time) in times.iter().enumerate() {
        let report = simulation.step();
        let right = places(case, &motion.at[k]);
        let mut off = 0.0_f64;
        for (i, probe) in case.probes.iter().enumerate() {
            let Some(id) = simulation.world.body_named(&probe.body) else { continue };
            for (j, place) in probe_points([0.0; 3]).into_iter().enumerate() {
                let at = simulation
                    .world
                    .point(id, Vec3::from_array(place))
                    .unwrap_or(Vec3::NAN)
                    .to_array();
                off = off.max(length(minus(at, right[2 * i + j])));
            }
        }
        let world = &simulation.world;
        let rate = |name: &str| world.coordinate_rate(world.joint_named(name)?, Coordinate::Angle);
        let rates: Vec<f64> = ["j1", "j2"].into_iter().filter_map(rate).collect();
        let _ = writeln!(
            out,
            "{time:.4} off {off:.2e} residual {:+.1e} estimate {:.0e} substeps {} {:?} at {:.4?} rates {:.4?} found {rates:.4?}",
            report.ledger.residual,
            report.local_error,
            report.substeps,
            report.status,
            motion.at[k],
            motion.rates[k]
        );
        for event in &report.events {
            let _ = writeln!(out, "       {event:?}");
        }
    }
    Ok(out)
}
