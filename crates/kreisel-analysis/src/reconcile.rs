//! Variabilities: the least change of parameters with which contradicting conditions can be met
//! (W-76).
//!
//! A mechanism that is over-determined with the wrong dimensions cannot be put together. If some of
//! its parameters may vary within bounds, the conditions C(q, p) = 0 have poses q *and* parameters
//! as unknowns: J δq + ∂C/∂p δp = −C. Poses cost nothing, parameters as much as their share of the
//! range, so that dimensions change only where poses do not help. A parameter that reaches a bound
//! stays there, and the others go on.

use crate::conditions::{Conditions, SparseRow};
use crate::error::AnalysisError;
use crate::mechanism::{Mechanism, largest};
use crate::minimise::Range;
use kreisel_dynamics::{RowKind, World};

const MOST_ROUNDS: usize = 100;
/// What a pose costs beside a parameter: squared, it is less than any rounding.
const POSE: f64 = 1e-4;
/// Largest share of a range in a round.
const MOST_SHARE: f64 = 0.2;
/// Largest turn (rad) or share of the measure in a round.
const MOST_TURN: f64 = 0.3;
/// Step of differences, as a share of the range.
const STEP: f64 = 1e-4;

/// Parameters that let a mechanism be put together.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Reconciled {
    /// The parameters.
    pub point: Vec<f64>,
    /// How much each of them was changed.
    pub change: Vec<f64>,
    /// Numbers of those that ended at a bound.
    pub at_bounds: Vec<usize>,
    /// Largest error of a condition before and after, m or rad.
    pub error_before: f64,
    /// Afterwards.
    pub error: f64,
    /// Rounds that it took.
    pub rounds: usize,
}

/// The least change of parameters within ranges with which all conditions on poses can be met, and
/// the world put together with them.
pub fn reconcile<E: From<AnalysisError>>(
    mut build: impl FnMut(&[f64]) -> Result<World, E>,
    parameters: &[f64],
    ranges: &[Range],
    tolerance: f64,
) -> Result<(World, Reconciled), E> {
    let right = |r: &Range| r.low.is_finite() && r.high.is_finite() && r.low < r.high;
    if parameters.len() != ranges.len() || !ranges.iter().all(right) {
        let why = "every parameter needs a range from a smaller to a larger number";
        return Err(AnalysisError::refused("the search", why, "give one for each").into());
    }
    let mut p: Vec<f64> =
        parameters.iter().zip(ranges).map(|(p, r)| p.clamp(r.low, r.high)).collect();
    let mut pose: Option<World> = None;
    let mut held = vec![false; p.len()];
    let (mut first, mut last) = (None, f64::INFINITY);
    for round in 0..MOST_ROUNDS {
        // the world of these parameters in the pose of the last round
        let mut world = build(&p)?;
        if let Some(like) = &pose {
            crate::sensitivity::pose_like(&mut world, like)?;
        }
        let mut m = Mechanism::new(&world)?;
        let rows: Vec<_> =
            m.probe.rows().into_iter().filter(|r| r.kind == RowKind::Position).collect();
        let values: Vec<f64> = rows.iter().map(|r| r.value).collect();
        let error = largest(values.iter().copied());
        first.get_or_insert(error);
        if error <= tolerance || (error < 1e-7 && error >= 0.5 * last && error <= 1e3 * tolerance) {
            let out = Reconciled {
                change: p.iter().zip(parameters).map(|(a, b)| a - b).collect(),
                at_bounds: (0..p.len())
                    .filter(|&k| p[k] == ranges[k].low || p[k] == ranges[k].high)
                    .collect(),
                point: p,
                error_before: first.unwrap_or(error),
                error,
                rounds: round,
            };
            return Ok((world, out));
        }
        last = error;

        // derivatives by the parameters at this pose
        let n = m.width();
        let mut list: Vec<SparseRow> = rows
            .iter()
            .map(|r| r.row.iter().map(|&(c, x)| (c, x * m.unit(c) / POSE)).collect())
            .collect();
        for k in (0..p.len()).filter(|&k| !held[k]) {
            let wide = ranges[k].high - ranges[k].low;
            let mut at = |side: f64| -> Result<Vec<f64>, E> {
                let mut there = p.clone();
                there[k] += side * STEP * wide;
                let mut other = build(&there)?;
                crate::sensitivity::pose_like(&mut other, &world)?;
                let mut m = Mechanism::new(&other)?;
                let all = m.probe.rows().into_iter().filter(|r| r.kind == RowKind::Position);
                Ok(all.map(|r| r.value).collect())
            };
            let (low, high) = (at(-1.0)?, at(1.0)?);
            if low.len() != rows.len() || high.len() != rows.len() {
                let why = "it changes which items there are";
                let item = format!("parameter {}", k + 1);
                return Err(AnalysisError::refused(item, why, "choose another one").into());
            }
            for (i, row) in list.iter_mut().enumerate() {
                let slope = (high[i] - low[i]) / (2.0 * STEP);
                if slope != 0.0 {
                    row.push((n + k, slope));
                }
            }
        }
        let conditions = Conditions::new(n + p.len(), &list.iter().collect::<Vec<_>>());
        let demand: Vec<f64> = values.iter().map(|c| -c).collect();
        let step = conditions.shortest(&demand);
        let turn: Vec<f64> = (0..n).map(|c| step[c] * m.unit(c) / POSE).collect();
        let wide = largest(step[n..].iter().copied());
        let most = (m.size(&turn) / MOST_TURN).max(wide / MOST_SHARE).max(1.0);
        m.probe.shift(&turn.iter().map(|x| x / most).collect::<Vec<_>>());
        m.probe.count_turns();
        let saved = m.probe.save();
        drop(m);
        let mut there = world.clone();
        crate::inverse_kinematics::place(&mut there, &saved);
        pose = Some(there);
        for k in 0..p.len() {
            if held[k] {
                continue;
            }
            let to = p[k] + step[n + k] / most * (ranges[k].high - ranges[k].low);
            p[k] = to.clamp(ranges[k].low, ranges[k].high);
            held[k] = p[k] != to;
        }
    }
    Err(AnalysisError::NotAssembled {
        worst: "a joint".into(),
        error: last,
        iterations: MOST_ROUNDS,
        help: "let other parameters vary, or further".into(),
    }
    .into())
}
