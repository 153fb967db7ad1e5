//! The classic method of Runge and Kutta (order 4) on a law of accelerations.
//!
//! States are displacements and velocities in the chart of the step's start, and what the law keeps
//! of its own. With projection the step ends with the nearest poses and velocities that the
//! conditions allow.

use super::laws::{Law, Memory};
use super::stage::{Stage, plus};
use super::{Outcome, Stepper};
use crate::error::AnalysisError;

pub(super) struct RungeKutta {
    law: Law,
    project: bool,
    memory: Memory,
    own: Vec<f64>,
}

impl RungeKutta {
    pub fn new(law: Law, project: bool) -> Self {
        Self { law, project, memory: Memory::default(), own: Vec::new() }
    }
}

/// Displacement, velocity, own states; and their rates.
type State = [Vec<f64>; 3];

impl Stepper for RungeKutta {
    fn step(
        &mut self,
        stage: &mut Stage<'_>,
        h: f64,
        out: &mut Outcome,
    ) -> Result<(), AnalysisError> {
        self.own.resize(self.law.states(stage.rows_held()), 0.0);
        let start: State = [vec![0.0; stage.width()], stage.velocities(), self.own.clone()];
        let mut rates: Vec<State> = Vec::new();
        for (k, share) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
            let here = match rates.get(k.wrapping_sub(1)) {
                Some(r) => [0, 1, 2].map(|i| plus(&start[i], share * h, &r[i])),
                None => start.clone(),
            };
            stage.visit(share * h, &here[0], &here[1]);
            let (a, own) = self.law.accelerate(stage, h, &here[2], &mut self.memory);
            rates.push([stage.rates(&here[0], &here[1]), a, own]);
        }
        let end = [0, 1, 2].map(|i| {
            let mut z = start[i].clone();
            for (weight, r) in [1.0, 2.0, 2.0, 1.0].into_iter().zip(&rates) {
                z = plus(&z, weight * h / 6.0, &r[i]);
            }
            z
        });
        stage.visit(h, &end[0], &end[1]);
        self.own.clone_from(&end[2]);
        if self.project {
            stage.project()?;
        }
        stage.settle(h);
        out.steps += 1;
        Ok(())
    }
}
