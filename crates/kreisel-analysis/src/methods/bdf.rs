//! BDF of order 2 on the equations of index 3, with fixed steps (Brenan, Campbell, Petzold 1996).
//!
//! ```text
//! v₁ = (4 v₀ − v₋₁)/3 + ⅔ h (F + Jᵀλ)₁
//! x₁ = (4 x₀ − x₋₁)/3 + ⅔ h x'₁            C(x₁) = 0
//! ```
//!
//! in the chart of x₀ = 0, where x₋₁ is the last step backwards. A correction of λ moves the pose
//! by (⅔ h)² Jᵀδλ, so that δλ = −(JJᵀ)⁺ C/(⅔ h)². The first step is one of [`super::impulse`].

use super::impulse::DenseImpulse;
use super::stage::{Stage, push_all, sum};
use super::{Outcome, Stepper};
use crate::error::AnalysisError;

const MOST_ROUNDS: usize = 60;
/// Last change of a pose, rad or shares of the measure.
const TOLERANCE: f64 = 1e-13;

#[derive(Default)]
pub(super) struct Bdf {
    /// Displacement of the last step, velocity before it, multipliers at its end.
    before: Option<(Vec<f64>, Vec<f64>, Vec<f64>)>,
}

impl Stepper for Bdf {
    fn step(
        &mut self,
        stage: &mut Stage<'_>,
        h: f64,
        out: &mut Outcome,
    ) -> Result<(), AnalysisError> {
        let n = stage.width();
        let v = stage.velocities();
        let Some((back, older, mut lambda)) = self.before.take() else {
            let start = stage.m.probe.save();
            DenseImpulse.step(stage, h, out)?;

            // the way back, in the chart of the new pose
            let end = stage.m.probe.save();
            let way = difference(stage, &end, &start);
            self.before = Some((way, v, vec![0.0; stage.rows_held()]));
            return Ok(());
        };

        let by = 2.0 * h / 3.0;
        let (mut x, mut speed) = (sum(n, &[(h, &v)]), v.clone());
        let mut last = f64::INFINITY;
        for round in 0.. {
            stage.visit(h, &x, &speed);
            let f = stage.forces();
            let rows = stage.rows();
            let conditions = rows.conditions(n);
            let demand: Vec<f64> = rows.value.iter().map(|c| -c / (by * by)).collect();
            let more = conditions.multipliers(&conditions.shortest(&demand));
            lambda.iter_mut().zip(&more).for_each(|(l, m)| *l += m);
            let mut force = f;
            push_all(&rows, &lambda, &mut force);
            let faster = sum(n, &[(4.0 / 3.0, &v), (-1.0 / 3.0, &older), (by, &force)]);
            let rate = stage.rates(&x, &faster);
            let there = sum(n, &[(-1.0 / 3.0, &back), (by, &rate)]);
            let change = stage.m.size(&sum(n, &[(1.0, &there), (-1.0, &x)]));
            (x, speed) = (there, faster);
            if change <= TOLERANCE || (change < 1e-10 && change >= 0.5 * last) {
                break;
            }
            if round == MOST_ROUNDS || !change.is_finite() {
                return Err(AnalysisError::NotAssembled {
                    worst: format!("the step at {:.6} s", stage.time() + h),
                    error: change,
                    iterations: round,
                    help: "take smaller steps".into(),
                });
            }
            last = change;
        }
        stage.visit(h, &x, &speed);
        let back: Vec<f64> = x.iter().map(|x| -x).collect();
        self.before = Some((back, v, lambda));
        stage.settle(h);
        out.steps += 1;
        Ok(())
    }
}

/// Displacement from one saved state to another, in the chart of the first.
fn difference(
    stage: &mut Stage<'_>,
    from: &(Vec<f64>, Vec<f64>),
    to: &(Vec<f64>, Vec<f64>),
) -> Vec<f64> {
    let bodies: Vec<_> = {
        let mut all: Vec<_> = stage.m.columns.iter().map(|c| c.0).collect();
        all.dedup();
        all
    };
    let probe = &mut stage.m.probe;
    let mut read = |saved| {
        probe.restore(saved);
        let of = |b| {
            let at = probe.world().body(b).map_or(Default::default(), |b| b.mass.center);
            let place = probe.point(b, at).map(|p| [p[0].value, p[1].value, p[2].value]);
            (place.unwrap_or_default(), probe.principal(b).unwrap_or_default())
        };
        bodies.iter().map(|b| of(*b)).collect::<Vec<_>>()
    };
    let (start, end) = (read(from), read(to));
    stage
        .m
        .columns
        .iter()
        .map(|&(body, axis, scale)| {
            let k = bodies.iter().position(|b| *b == body).unwrap_or(0);
            if axis < 3 {
                return (end[k].0[axis] - start[k].0[axis]) / scale;
            }
            let turn = (start[k].1.conjugate() * end[k].1).normalize();
            let turn = if turn.w < 0.0 { -turn } else { turn };
            turn.to_scaled_axis()[axis - 3] / scale
        })
        .collect()
}
