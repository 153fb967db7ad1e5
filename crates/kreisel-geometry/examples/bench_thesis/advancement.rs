//! A bullet and a wall of 0.1 mm. Steps of conservative advancement against the formula, and hits
//! at any speed.
//!
//! The gap shrinks by the factor 1 − vₙ/V in each step (vₙ towards the wall, V the bound of the
//! speed), so N ≈ ln(d₀/ε) / ln(1/(1 − vₙ/V)) steps are needed.

use super::Plots;
use glam::DVec3;
use kreisel_geometry::impact::{Ballistic, ImpactQuery, Outcome, free_time, time_of_impact};
use kreisel_geometry::{Pose, Shape};

pub fn run(plots: &Plots) {
    let shares: [f64; 7] = [0.9, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01];
    let [mut thesis, mut formula, mut ours] = [Vec::new(), Vec::new(), Vec::new()];
    for share in shares {
        let (gap, tolerance) = (1.0_f64, 1e-6);
        formula.push((share, (gap / tolerance).ln() / -(1.0 - share).ln()));
        thesis.push((share, f64::from(advance(gap, share, tolerance))));
        ours.push((
            share,
            f64::from(search(share * 100.0, (1.0 - share * share).sqrt() * 100.0, tolerance).0),
        ));
    }
    let lines = [
        ("thesis' bound".to_owned(), thesis),
        ("its formula".to_owned(), formula),
        ("time_of_impact".to_owned(), ours),
    ];
    plots.add("b4-steps", &lines, "speed towards the wall / speed", "steps to a gap of 1e-6 m");
    let mut missed = 0;
    for exponent in 0..=8 {
        missed += usize::from(search(10_f64.powi(exponent), 0.0, 1e-6).1.is_none());
    }
    println!("bullets of 1 to 1e8 m/s: {missed} of 9 missed");
    assert_eq!(missed, 0);
}

/// Algorithm 27: always on by what the gap lasts at the full speed. The wall is a plane here, its
/// distance exact.
fn advance(mut gap: f64, share: f64, tolerance: f64) -> u32 {
    let mut steps = 0;
    while gap > tolerance {
        gap -= share * free_time(gap, 1.0, 0.0);
        steps += 1;
    }
    steps
}

/// Steps and time of the search for a ball in front of a plate.
fn search(towards: f64, along: f64, tolerance: f64) -> (u32, Option<f64>) {
    let ball = Shape::Sphere { radius: 0.005 };
    let wall = Shape::Box { size: DVec3::new(1e-4, 1e4, 1e4) };
    let start = Pose::at(DVec3::X * -1.00505);
    let flight =
        Ballistic { velocity: DVec3::new(towards, along, 0.0), ..Ballistic::at_rest(start) };
    let rest = Ballistic::at_rest(Pose::IDENTITY);
    match time_of_impact(&ball, &flight, &wall, &rest, &ImpactQuery::new(10.0 / towards, tolerance))
    {
        Ok(Outcome::Hit(hit)) => (hit.steps, Some(hit.time)),
        _ => (0, None),
    }
}
