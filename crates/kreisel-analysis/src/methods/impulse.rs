//! Impulses instead of accelerations.
//!
//! [`DenseImpulse`] is the step of the engine with dense factors (B-40): half a kick of the forces,
//! impulses along the rows of t₀ that close the joints of the preview, flight, the other half of
//! the kick, impulses that put the velocities right; as RATTLE, of order 2 and symmetric.
//!
//! [`Decoupled`] moves all bodies freely and then puts joints right one after the other, each with
//! the shortest displacement (W-163); velocities are what the poses made. It is what engines of
//! games do.

use super::stage::{Stage, plus};
use super::{Outcome, Stepper};
use crate::error::AnalysisError;
use crate::mechanism::largest;

/// Error of a joint, m or rad.
const TOLERANCE: f64 = 1e-13;
const MOST_ROUNDS: usize = 60;
/// Rounds of the implicit half kick.
const HALF_KICKS: usize = 20;
/// Sweeps of the correction over all joints.
const SWEEPS: usize = 10;

pub(super) struct DenseImpulse;

impl Stepper for DenseImpulse {
    fn step(
        &mut self,
        stage: &mut Stage<'_>,
        h: f64,
        out: &mut Outcome,
    ) -> Result<(), AnalysisError> {
        // half a kick, and the factor of t₀
        let v = stage.velocities();
        let zero = vec![0.0; stage.width()];
        stage.visit(0.0, &zero, &v);
        let f = stage.forces();
        let factor = stage.rows().conditions(stage.width());
        let mut half = plus(&v, 0.5 * h, &f);

        // impulses that close the joints of the preview
        let mut last = f64::INFINITY;
        for round in 0.. {
            let x: Vec<f64> = half.iter().map(|v| h * v).collect();
            stage.visit(h, &x, &half);
            let rows = stage.rows();
            let error = largest(rows.value.iter().copied());
            if error <= TOLERANCE || (error < 1e-9 && error >= 0.5 * last) {
                break;
            }
            if round == MOST_ROUNDS || !error.is_finite() {
                return Err(AnalysisError::NotAssembled {
                    worst: format!("a joint at {:.6} s", stage.time() + h),
                    error,
                    iterations: round,
                    help: "take smaller steps".into(),
                });
            }
            last = error;
            let demand: Vec<f64> = rows.value.iter().map(|c| -c / h).collect();
            half = plus(&half, 1.0, &factor.shortest(&demand));
        }

        // the other half, which acts at the velocity that it ends with
        let x: Vec<f64> = half.iter().map(|v| h * v).collect();
        let mut end = half.clone();
        let mut factor = None;
        for _ in 0..HALF_KICKS {
            stage.visit(h, &x, &end);
            let f = stage.forces();
            let kicked = plus(&half, 0.5 * h, &f);
            stage.visit(h, &x, &kicked);
            let rows = stage.rows();
            let factor = factor.get_or_insert_with(|| rows.conditions(stage.width()));
            let demand: Vec<f64> = rows.rate.iter().map(|r| -r).collect();
            let next = plus(&kicked, 1.0, &factor.shortest(&demand));
            let change = largest(next.iter().zip(&end).map(|(a, b)| a - b));
            end = next;
            if change <= 1e-15 * (1.0 + largest(end.iter().copied())) {
                break;
            }
        }
        stage.visit(h, &x, &end);
        stage.settle(h);
        out.steps += 1;
        Ok(())
    }
}

pub(super) struct Decoupled;

impl Stepper for Decoupled {
    fn step(
        &mut self,
        stage: &mut Stage<'_>,
        h: f64,
        out: &mut Outcome,
    ) -> Result<(), AnalysisError> {
        // free motion
        let v = stage.velocities();
        let zero = vec![0.0; stage.width()];
        stage.visit(0.0, &zero, &v);
        let f = stage.forces();
        let free = plus(&v, h, &f);
        let mut x: Vec<f64> = free.iter().map(|v| h * v).collect();

        // one row after the other, with what the rows before it have moved
        for _ in 0..SWEEPS {
            stage.visit(h, &x, &free);
            let rows = stage.rows();
            let mut moved = vec![0.0; stage.width()];
            for (k, row) in rows.rows.iter().enumerate() {
                if rows.length[k] > 0.0 {
                    let error = rows.value[k] + crate::mechanism::dot(row, &moved);
                    let push = -error / (rows.length[k] * rows.length[k]);
                    crate::mechanism::push(&mut moved, row, push);
                }
            }
            x = plus(&x, 1.0, &moved);
        }
        let made: Vec<f64> = x.iter().map(|x| x / h).collect();
        stage.visit(h, &x, &made);
        stage.settle(h);
        out.steps += 1;
        Ok(())
    }
}
