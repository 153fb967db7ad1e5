//! What a state is worth: a restored one goes on with the same bits, a saved one to the same
//! places.

use crate::case::Case;
use kreisel_dynamics::Vec3;
use kreisel_scene::{Scene, Simulation};
use serde::{Deserialize, Serialize};

/// What came of a state in the middle of a run.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Future {
    /// Whether the restored run ended with the same bits.
    pub same: bool,
    /// How far the saved and loaded run ended from the first one, m (or a share of the motion's
    /// range).
    pub apart: f64,
}

/// Places of the compared bodies.
fn places(case: &Case, run: &Simulation) -> Vec<Vec3> {
    case.probes
        .iter()
        .filter_map(|p| run.world.body_named(&p.body))
        .map(|id| run.world.point(id, Vec3::new(0.5, 0.0, 0.0)).unwrap_or(Vec3::NAN))
        .collect()
}

/// Runs to the first time of the case, and from there to the second one three times: at once,
/// restored, and saved and loaded.
pub fn future(case: &Case, scene: &Scene, rate: u32) -> Result<Future, String> {
    let steps = |t: f64| (t * f64::from(rate)).round() as u32;
    let (Some(&half), Some(&end)) = (case.times.first(), case.times.get(1)) else {
        return Err("too few times".into());
    };
    let rest = steps(end) - steps(half);
    let mut run = Simulation::new(scene);
    for _ in 0..steps(half) {
        run.step();
    }
    let snapshot = run.world.snapshot();
    let saved = kreisel_scene::save_run(scene, &run, &run.world);

    // at once
    let mut first = run.clone();
    (0..rest).for_each(|_| drop(first.step()));

    // restored, into the world that has gone on
    let mut again = first.clone();
    again.world.restore(&snapshot).map_err(|e| e.to_string())?;
    (0..rest).for_each(|_| drop(again.step()));
    let same = again.world.state_hash() == first.world.state_hash();

    // saved and loaded
    let loaded = kreisel_scene::parse("saved.toml", &saved.text)
        .map_err(|e| format!("the saved scene is refused: {e}"))?;
    let mut other = Simulation::new(&loaded);
    (0..rest).for_each(|_| drop(other.step()));
    let apart = places(case, &first)
        .into_iter()
        .zip(places(case, &other))
        .map(|(a, b)| a.distance(b))
        .fold(0.0, f64::max);
    Ok(Future { same, apart })
}
