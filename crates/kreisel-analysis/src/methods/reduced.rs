//! Fewer coordinates: only independent ones are integrated, all others follow from the conditions.
//!
//! [`Partitioned`] (Wehage and Haug 1982; W-160) takes as many columns of single bodies as there
//! are freedoms, chosen anew at every step by QR with pivoting of what the conditions allow.
//! [`JointCoordinates`] (W-159) takes coordinates of joints, which is the reduction of a tree to
//! its joint angles; loops close by Newton's method. Both integrate by the classic method of Runge
//! and Kutta, and joints are exact at every stage.

use super::stage::{Rows, Stage, plus};
use super::{Outcome, Stepper};
use crate::conditions::{Conditions, SparseRow};
use crate::error::AnalysisError;
use crate::mechanism::{dot, largest, push};
use crate::named::path_of;
use faer::Mat;
use kreisel_dynamics::{Coordinate, JointId, Measured, Probe};

/// Error of a joint, m or rad.
const TOLERANCE: f64 = 1e-13;
const MOST_ROUNDS: usize = 50;

/// The integration of [`RungeKutta`](super::one_step) for two halves of a state.
fn classic(
    h: f64,
    start: &[Vec<f64>; 2],
    mut rates: impl FnMut(f64, &[Vec<f64>; 2]) -> Result<[Vec<f64>; 2], AnalysisError>,
) -> Result<[Vec<f64>; 2], AnalysisError> {
    let mut all: Vec<[Vec<f64>; 2]> = Vec::new();
    for share in [0.0, 0.5, 0.5, 1.0] {
        let here = match all.last() {
            Some(r) => [0, 1].map(|i| plus(&start[i], share * h, &r[i])),
            None => start.clone(),
        };
        all.push(rates(share * h, &here)?);
    }
    Ok([0, 1].map(|i| {
        let weights = [1.0, 2.0, 2.0, 1.0];
        let add = |z: Vec<f64>, (w, r): (f64, &[Vec<f64>; 2])| plus(&z, w * h / 6.0, &r[i]);
        weights.into_iter().zip(&all).fold(start[i].clone(), add)
    }))
}

/// Accelerations that the conditions allow under the present forces.
fn accelerations(stage: &mut Stage<'_>) -> Vec<f64> {
    let f = stage.forces();
    let rows = stage.rows();
    let free = rows.times(&f);
    let demand: Vec<f64> = free.iter().zip(&rows.bias).map(|(f, c)| -c - f).collect();
    let change = rows.conditions(stage.width()).shortest(&demand);
    f.iter().zip(&change).map(|(f, c)| f + c).collect()
}

/// As many rows of a matrix as its rank, those with the largest remainders.
fn independent(matrix: &Mat<f64>) -> Vec<usize> {
    let factor = matrix.transpose().to_owned().col_piv_qr();
    let r = factor.R();
    let rank = (0..r.nrows().min(r.ncols()))
        .take_while(|&k| r[(k, k)].abs() > 1e-6 * r[(0, 0)].abs().max(f64::MIN_POSITIVE))
        .count();
    let (order, _) = factor.P().arrays();
    order[..rank].to_vec()
}

fn open(worst: f64, at: f64) -> AnalysisError {
    AnalysisError::NotAssembled {
        worst: format!("the loops at {at:.6} s"),
        error: worst,
        iterations: MOST_ROUNDS,
        help: "the independent coordinates are near a singular pose: take smaller steps".into(),
    }
}

/// Independent columns.
#[derive(Default)]
pub(super) struct Partitioned {
    /// Dependent displacements of the last stage, where the next search begins.
    guess: Vec<f64>,
}

/// Columns of a stage, and which of them depend.
struct Split {
    independent: Vec<usize>,
    dependent: Vec<usize>,
}

impl Split {
    /// Dependent columns of the rows.
    fn narrow(&self, rows: &Rows, width: usize) -> Conditions {
        let mut place = vec![None; width];
        for (k, &c) in self.dependent.iter().enumerate() {
            place[c] = Some(k);
        }
        let list: Vec<SparseRow> = rows
            .rows
            .iter()
            .map(|r| r.iter().filter_map(|&(c, x)| Some((place[c]?, x))).collect())
            .collect();
        Conditions::new(self.dependent.len(), &list.iter().collect::<Vec<_>>())
    }

    /// Takes the trial state of independent values, the dependent ones solved for.
    fn close(
        &self,
        stage: &mut Stage<'_>,
        after: f64,
        [x, v]: &[Vec<f64>; 2],
        guess: &mut [f64],
    ) -> Result<[Vec<f64>; 2], AnalysisError> {
        let n = stage.width();
        let (mut whole, mut speed) = (vec![0.0; n], vec![0.0; n]);
        for (k, &c) in self.independent.iter().enumerate() {
            (whole[c], speed[c]) = (x[k], v[k]);
        }
        let mut last = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            for (k, &c) in self.dependent.iter().enumerate() {
                whole[c] = guess[k];
            }
            stage.visit(after, &whole, &speed);
            let rows = stage.rows();
            let error = largest(rows.value.iter().copied());
            let narrow = self.narrow(&rows, n);
            if error <= TOLERANCE || (error < 1e-9 && error >= 0.5 * last) {
                // velocities that belong to the independent ones
                let demand: Vec<f64> = rows.rate.iter().map(|r| -r).collect();
                for (&c, y) in self.dependent.iter().zip(narrow.shortest(&demand)) {
                    speed[c] = y;
                }
                stage.visit(after, &whole, &speed);
                return Ok([whole, speed]);
            }
            if !error.is_finite() {
                break;
            }
            last = error;
            let demand: Vec<f64> = rows.value.iter().map(|c| -c).collect();
            guess.iter_mut().zip(narrow.shortest(&demand)).for_each(|(g, d)| *g += d);
        }
        Err(open(last, stage.time() + after))
    }
}

impl Stepper for Partitioned {
    fn step(
        &mut self,
        stage: &mut Stage<'_>,
        h: f64,
        out: &mut Outcome,
    ) -> Result<(), AnalysisError> {
        let v = stage.velocities();
        let zero = vec![0.0; stage.width()];
        stage.visit(0.0, &zero, &v);
        let chosen = independent(&stage.rows().conditions(stage.width()).free);
        let rest = (0..stage.width()).filter(|c| !chosen.contains(c)).collect();
        let split = Split { independent: chosen, dependent: rest };
        self.guess = vec![0.0; split.dependent.len()];
        let pick = |z: &[f64]| split.independent.iter().map(|&c| z[c]).collect::<Vec<f64>>();

        let start = [pick(&zero), pick(&v)];
        let guess = &mut self.guess;
        let end = classic(h, &start, |after, z| {
            let [x, v] = split.close(stage, after, z, guess)?;
            let rates = stage.rates(&x, &v);
            Ok([pick(&rates), pick(&accelerations(stage))])
        })?;
        split.close(stage, h, &end, guess)?;
        stage.settle(h);
        out.steps += 1;
        Ok(())
    }
}

/// Independent coordinates of joints.
pub(super) struct JointCoordinates {
    chosen: Vec<(JointId, Coordinate)>,
}

impl JointCoordinates {
    /// Chooses coordinates; where those of all joints do not tell the pose, refuses by name.
    pub fn new(stage: &mut Stage<'_>) -> Result<Self, AnalysisError> {
        let all: Vec<(JointId, Coordinate)> = stage.m.probe.world().coordinates().collect();
        let conditions = stage.rows().conditions(stage.width());
        let freedom = conditions.freedom();
        let along: Vec<Vec<f64>> = all
            .iter()
            .map(|&(j, c)| {
                let mut row = vec![0.0; stage.width()];
                if let Some(m) = stage.m.probe.coordinate(j, c) {
                    push(&mut row, &m.row, 1.0);
                }
                conditions.along(&row)
            })
            .collect();
        let matrix = Mat::from_fn(all.len(), freedom, |i, k| along[i][k]);
        let found = if all.is_empty() { Vec::new() } else { independent(&matrix) };
        if found.len() < freedom {
            let why = format!("coordinates of joints tell {} of {freedom} freedoms", found.len());
            return Err(AnalysisError::refused(
                "joint-coordinates",
                why,
                "ball joints have two of three, free bodies none; use partitioned",
            ));
        }
        Ok(Self { chosen: found.into_iter().map(|k| all[k]).collect() })
    }

    fn measured(&self, probe: &Probe<'_>) -> Vec<Measured> {
        self.chosen.iter().filter_map(|&(j, c)| probe.coordinate(j, c)).collect()
    }

    /// Takes the trial state with these values and rates.
    fn close(
        &self,
        stage: &mut Stage<'_>,
        after: f64,
        [q, u]: &[Vec<f64>; 2],
    ) -> Result<Conditions, AnalysisError> {
        // the last trial state is a good start, but for the clock
        let at = stage.time() + after;
        stage.m.probe.set_time(at);
        let mut last = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            let rows = stage.rows();
            let here = self.measured(&stage.m.probe);
            let mut list: Vec<&SparseRow> = rows.rows.iter().collect();
            list.extend(here.iter().map(|m| &m.row));
            let all = Conditions::new(stage.width(), &list);
            let errors: Vec<f64> = rows
                .value
                .iter()
                .map(|c| -c)
                .chain(q.iter().zip(&here).map(|(q, m)| q - m.value))
                .collect();
            let error = largest(errors.iter().copied());
            if error <= TOLERANCE || (error < 1e-9 && error >= 0.5 * last) {
                if all.freedom() > 0 {
                    break;
                }
                let zero = vec![0.0; stage.width()];
                stage.m.probe.set_velocities(&zero);
                let rows = stage.rows();
                let still = self.measured(&stage.m.probe);
                let demand: Vec<f64> = rows
                    .rate
                    .iter()
                    .map(|r| -r)
                    .chain(u.iter().zip(&still).map(|(u, m)| u - m.rate))
                    .collect();
                stage.m.probe.set_velocities(&all.shortest(&demand));
                stage.evaluations += 1;
                return Ok(all);
            }
            if !error.is_finite() {
                break;
            }
            last = error;
            stage.m.probe.shift(&all.shortest(&errors));
            stage.m.probe.count_turns();
        }
        let names: Vec<String> =
            self.chosen.iter().map(|&(j, c)| path_of(stage.m.probe.world(), j, c)).collect();
        Err(AnalysisError::NotAssembled {
            worst: format!("the loops over {} at {at:.6} s", names.join(", ")),
            error: last,
            iterations: MOST_ROUNDS,
            help: "the coordinates are near a singular pose: use partitioned".into(),
        })
    }
}

impl Stepper for JointCoordinates {
    fn step(
        &mut self,
        stage: &mut Stage<'_>,
        h: f64,
        out: &mut Outcome,
    ) -> Result<(), AnalysisError> {
        let v = stage.velocities();
        let zero = vec![0.0; stage.width()];
        stage.visit(0.0, &zero, &v);
        let here = self.measured(&stage.m.probe);
        let start = [
            here.iter().map(|m| m.value).collect::<Vec<f64>>(),
            here.iter().map(|m| m.rate).collect(),
        ];
        let end = classic(h, &start, |after, z| {
            self.close(stage, after, z)?;
            let a = accelerations(stage);
            let here = self.measured(&stage.m.probe);
            Ok([z[1].clone(), here.iter().map(|m| dot(&m.row, &a) + m.bias).collect()])
        })?;
        self.close(stage, h, &end)?;
        stage.settle(h);
        out.steps += 1;
        Ok(())
    }
}
