//! Spacetime constraints: the motion that meets goals at the least effort (W-168, W-169; Witkin and
//! Kass 1988).
//!
//! Wanted are coordinates of joints over time that pass through what is given at certain times and
//! need the least ∫ Σ w τ² dt. The motion is a cubic spline through knots, with given rates at both
//! ends; efforts at the middle of many short pieces come from inverse dynamics, loops, redundancy
//! and friction included; they are the residuals of a problem of least squares ([`crate::fit`])
//! whose unknowns are the knots that are not given.
//!
//! The spline's accelerations are linear between knots, so that a problem whose best motion is a
//! cubic (a mass that is moved from rest to rest) is met exactly; others to the second order of the
//! distance of the knots. It is a local search: it starts from the smoothest motion through what is
//! given, or from `ranges` in their middle where that is out of them.

use crate::error::AnalysisError;
use crate::fit::fit;
use crate::inverse_dynamics::{Actuator, Efforts, Inverse, Track, inverse_dynamics};
use crate::minimise::{Patience, Range};
use crate::named::path_of;
use crate::spline::Spline;
use kreisel_dynamics::{Coordinate, JointId, World};

/// A coordinate whose motion is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Moving {
    /// The joint.
    pub joint: JointId,
    /// Its coordinate.
    pub coordinate: Coordinate,
    /// Times (s) and values that it passes through; the first and the last are its start and its
    /// end.
    pub through: Vec<(f64, f64)>,
    /// Rates at the start and the end.
    pub rates: [f64; 2],
    /// Smallest and largest value on the way.
    pub range: Range,
}

/// How finely to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spacetime {
    /// Pieces between knots from the first to the last time.
    pub pieces: usize,
    /// Efforts in each piece.
    pub efforts: usize,
    /// When to end.
    pub patience: Patience,
}

impl Default for Spacetime {
    fn default() -> Self {
        let patience = Patience { step: 1e-7, points: 20_000, difference: 1e-4 };
        Self { pieces: 8, efforts: 4, patience }
    }
}

/// A motion of least effort.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Plan {
    /// Names of the coordinates.
    pub coordinates: Vec<String>,
    /// Times of the knots, s.
    pub knots: Vec<f64>,
    /// Values at the knots, coordinate by coordinate.
    pub values: Vec<Vec<f64>>,
    /// ∫ Σ w τ² dt of the motion.
    pub cost: f64,
    /// The same of the smoothest motion, where the search began.
    pub cost_before: f64,
    /// Efforts of the motion.
    pub efforts: Efforts,
    /// Rounds of the search, and motions looked at.
    pub rounds: usize,
    /// Motions looked at.
    pub motions: usize,
    /// Whether the search ended by its own test.
    pub converged: bool,
    /// Splines of the coordinates.
    #[serde(skip)]
    pub splines: Vec<Spline>,
}

/// Finds the motion of least effort.
pub fn spacetime(
    world: &World,
    moving: &[Moving],
    actuators: &[Actuator],
    settings: &Spacetime,
) -> Result<Plan, AnalysisError> {
    let wrong = |why: &str| {
        Err(AnalysisError::refused("the plan", why, "give at least a start and an end for each"))
    };
    let Some((from, until)) = moving.first().and_then(|m| {
        let first = m.through.first()?.0;
        Some((first, m.through.last()?.0))
    }) else {
        return wrong("nothing is to move");
    };
    let spans = |m: &Moving| {
        m.through.first().map(|p| p.0) == Some(from) && m.through.last().map(|p| p.0) == Some(until)
    };
    let rising = |m: &Moving| m.through.windows(2).all(|w| w[0].0 < w[1].0);
    if !(from < until && moving.iter().all(|m| spans(m) && rising(m))) {
        return wrong("all coordinates start at the same time, end at the same time, in order");
    }
    if settings.pieces < 2 || settings.efforts < 1 || settings.pieces * settings.efforts > 100_000 {
        return wrong("a motion has 2 pieces or more, and at most 100,000 efforts");
    }

    // knots: evenly, and where something is given
    let even = |k: usize| from + (until - from) * k as f64 / settings.pieces as f64;
    let mut knots: Vec<f64> = (0..=settings.pieces).map(even).collect();
    let near = 0.2 * (until - from) / settings.pieces as f64;
    for (t, _) in moving.iter().flat_map(|m| &m.through) {
        if let Some(k) = knots.iter().position(|x| (x - t).abs() < near) {
            knots[k] = *t;
        } else {
            knots.push(*t);
            knots.sort_by(f64::total_cmp);
        }
    }
    let mut free: Vec<(usize, usize)> = Vec::new();
    let mut values: Vec<Vec<f64>> = Vec::new();
    for (k, m) in moving.iter().enumerate() {
        let smooth = Spline::clamped(&m.through, m.rates)
            .ok_or_else(|| AnalysisError::Unknown("finite value of a coordinate".into()))?;
        let mut list = Vec::new();
        for (i, t) in knots.iter().enumerate() {
            match m.through.iter().find(|p| p.0 == *t) {
                Some(p) => list.push(p.1),
                None => {
                    free.push((k, i));
                    list.push(smooth.at(*t)[0].clamp(m.range.low, m.range.high));
                }
            }
        }
        values.push(list);
    }
    let spline = |k: usize, list: &[f64]| {
        let points: Vec<(f64, f64)> = knots.iter().copied().zip(list.iter().copied()).collect();
        Spline::clamped(&points, moving[k].rates)
            .ok_or_else(|| AnalysisError::Unknown("finite value of a coordinate".into()))
    };
    let pieces = (knots.len() - 1) * settings.efforts;
    let width = (until - from) / pieces as f64;
    let times: Vec<f64> = (0..pieces).map(|k| from + (k as f64 + 0.5) * width).collect();
    let efforts = |all: &[Vec<f64>]| -> Result<Efforts, AnalysisError> {
        let splines: Vec<Spline> =
            all.iter().enumerate().map(|(k, l)| spline(k, l)).collect::<Result<_, _>>()?;
        let tracks: Vec<Track<'_>> = splines
            .iter()
            .zip(moving)
            .map(|(s, m)| Track {
                joint: m.joint,
                coordinate: m.coordinate,
                motion: Box::new(|t| s.at(t)),
            })
            .collect();
        inverse_dynamics(&mut world.clone(), &tracks, actuators, &times, &Inverse::default())
    };
    let cost = |e: &Efforts| -> f64 {
        let each = |row: &Vec<f64>| {
            row.iter().zip(actuators).map(|(x, a)| a.weight * x * x).sum::<f64>() * width
        };
        e.efforts.iter().map(each).sum()
    };
    let before = efforts(&values)?;
    let cost_before = cost(&before);

    // the knots that are not given, by least squares of the efforts
    let placed = |point: &[f64]| {
        let mut all = values.clone();
        for (&(k, i), x) in free.iter().zip(point) {
            all[k][i] = *x;
        }
        all
    };
    let (mut rounds, mut motions, mut converged) = (0, 1, true);
    if !free.is_empty() {
        let start: Vec<f64> = free.iter().map(|&(k, i)| values[k][i]).collect();
        let ranges: Vec<Range> = free.iter().map(|&(k, _)| moving[k].range).collect();
        let residuals = |points: &[Vec<f64>]| -> Result<Vec<Vec<f64>>, AnalysisError> {
            let one = |p: &Vec<f64>| {
                // a motion that joints do not allow is stepped back from
                let Ok(found) = efforts(&placed(p)) else {
                    return Ok(vec![f64::INFINITY; pieces * actuators.len()]);
                };
                let scaled = |row: &Vec<f64>| -> Vec<f64> {
                    row.iter().zip(actuators).map(|(x, a)| x * (a.weight * width).sqrt()).collect()
                };
                Ok(found.efforts.iter().flat_map(scaled).collect())
            };
            points.iter().map(one).collect()
        };
        let found = fit(residuals, &start, &ranges, &settings.patience)?;
        (rounds, motions, converged) = (found.rounds, found.points, found.converged);
        values = placed(&found.point);
    }
    let efforts = efforts(&values)?;
    Ok(Plan {
        coordinates: moving.iter().map(|m| path_of(world, m.joint, m.coordinate)).collect(),
        splines: values.iter().enumerate().map(|(k, l)| spline(k, l)).collect::<Result<_, _>>()?,
        cost: cost(&efforts),
        cost_before,
        knots,
        values,
        efforts,
        rounds,
        motions,
        converged,
    })
}
