//! Radau IIA with three stages (order 5) on the equations of motion with conditions, with error
//! control (Hairer and Wanner 1996, IV.8 and VII; W-161).
//!
//! Stages X, V and multipliers Λ in the chart of the step's start:
//!
//! ```text
//! Xᵢ = h Σ aᵢⱼ x'(Xⱼ, Vⱼ) (+ h Σ aᵢⱼ Jⱼᵀμⱼ)         Vᵢ = v₀ + h Σ aᵢⱼ (F + JᵀΛ)ⱼ
//! ```
//!
//! | index | stages meet | correction of the multipliers |
//! |---|---|---|
//! | 1 | J (F + JᵀΛ) + c = 0 | its own |
//! | 2 | J V = 0 | (h A)⁻¹ (JJᵀ)⁺ (−C') |
//! | 3 | C(X) = 0 | (h A)⁻² (JJᵀ)⁺ (−C) |
//! | stabilised 2 | both, with μ (Gear, Gupta, Leimkuhler) | as in 2, for each |
//!
//! Newton's method leaves out derivatives of forces, which suits all but stiff springs, and takes
//! pseudo-inverses, which suits redundant rows. The error of the poses is that of the embedded
//! formula of order 3 with γ₀ = 3.6378…; a step whose error is larger than the tolerance, or whose
//! stages do not converge, is made again with a smaller one.

use super::stage::{Stage, push_all, sum};
use super::{Options, Outcome, Stepper};
use crate::error::AnalysisError;
use crate::mechanism::dot;

const MOST_ROUNDS: usize = 40;
/// Smallest step as a share of the whole one.
const SMALLEST: f64 = 1e-8;
/// √6
const S6: f64 = 2.449_489_742_783_178;
const A: [[f64; 3]; 3] = [
    [(88.0 - 7.0 * S6) / 360.0, (296.0 - 169.0 * S6) / 1800.0, (-2.0 + 3.0 * S6) / 225.0],
    [(296.0 + 169.0 * S6) / 1800.0, (88.0 + 7.0 * S6) / 360.0, (-2.0 - 3.0 * S6) / 225.0],
    [(16.0 - S6) / 36.0, (16.0 + S6) / 36.0, 1.0 / 9.0],
];
const C: [f64; 3] = [(4.0 - S6) / 10.0, (4.0 + S6) / 10.0, 1.0];
/// Weights of the stages in the embedded error, and γ₀.
const E: [f64; 3] = [-(13.0 + 7.0 * S6) / 3.0, (-13.0 + 7.0 * S6) / 3.0, -1.0 / 3.0];
const GAMMA: f64 = 3.637_834_252_744_496;

/// Which equations the stages meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Index {
    One,
    Two,
    Three,
    Stabilised,
}

pub(super) struct Radau {
    index: Index,
    tolerance: f64,
    /// A⁻¹ and A⁻².
    inverse: [[f64; 3]; 3],
    square: [[f64; 3]; 3],
    /// Multipliers at the end of the last step.
    lambda: Vec<f64>,
    /// The step that error control would take.
    next: f64,
}

impl Radau {
    pub fn new(index: Index, options: &Options) -> Self {
        let inverse = invert(&A);
        let square = product(&inverse, &inverse);
        Self {
            index,
            tolerance: options.tolerance,
            inverse,
            square,
            lambda: Vec::new(),
            next: options.step,
        }
    }
}

impl Stepper for Radau {
    fn step(
        &mut self,
        stage: &mut Stage<'_>,
        whole: f64,
        out: &mut Outcome,
    ) -> Result<(), AnalysisError> {
        let mut done = 0.0;
        while done < whole * (1.0 - 1e-12) {
            // even steps up to the end
            let left = whole - done;
            let h = left / (left / self.next * (1.0 - 1e-12)).ceil().max(1.0);
            let tried = self.attempt(stage, h);
            let error = tried.as_ref().map_or(f64::INFINITY, |t| t.error);
            let factor = (0.9 * (1.0 / error.max(1e-8)).powf(0.25)).clamp(0.2, 4.0);
            match tried {
                Some(t) if error <= 1.0 => {
                    stage.visit(h, &t.x, &t.v);
                    stage.settle(h);
                    self.lambda = t.lambda;
                    done += h;
                    out.steps += 1;
                    self.next = h * factor;
                }
                _ => {
                    out.rejected += 1;
                    self.next = h * if error.is_finite() { factor.min(0.9) } else { 0.25 };
                    if self.next < SMALLEST * whole {
                        return Err(AnalysisError::NotAssembled {
                            worst: format!("the stages at {:.6} s", stage.time()),
                            error,
                            iterations: MOST_ROUNDS,
                            help: "give a larger tolerance".into(),
                        });
                    }
                }
            }
        }
        Ok(())
    }
}

/// The end of a step that converged.
struct Tried {
    x: Vec<f64>,
    v: Vec<f64>,
    lambda: Vec<f64>,
    /// Error as a share of the tolerance.
    error: f64,
}

impl Radau {
    /// The stages of a step; none where they do not converge.
    fn attempt(&self, stage: &mut Stage<'_>, h: f64) -> Option<Tried> {
        let n = stage.width();
        let m = stage.rows_held();
        let start = stage.velocities();
        let mut x: [Vec<f64>; 3] = C.map(|c| sum(n, &[(c * h, &start)]));
        let mut v: [Vec<f64>; 3] = [0; 3].map(|_| start.clone());
        let first = if self.lambda.len() == m { self.lambda.clone() } else { vec![0.0; m] };
        let mut lambda: [Vec<f64>; 3] = [0; 3].map(|_| first.clone());
        let mut mu: [Vec<f64>; 3] = [0; 3].map(|_| vec![0.0; m]);
        let mut last = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            // forces, rows and what is left of the conditions at each stage
            let mut forces = Vec::with_capacity(3);
            let mut all = Vec::with_capacity(3);
            let mut wrong: Vec<Vec<f64>> = Vec::with_capacity(3);
            let mut apart: Vec<Vec<f64>> = Vec::with_capacity(3);
            for i in 0..3 {
                stage.visit(C[i] * h, &x[i], &v[i]);
                let f = stage.forces();
                let rows = stage.rows();
                let conditions = rows.conditions(n);
                let solve = |left: Vec<f64>| conditions.multipliers(&conditions.shortest(&left));
                let error: Vec<f64> = match self.index {
                    Index::One => {
                        let mut a = f.clone();
                        push_all(&rows, &lambda[i], &mut a);
                        let left = rows.rows.iter().zip(&rows.bias);
                        left.map(|(r, c)| -dot(r, &a) - c).collect()
                    }
                    Index::Two | Index::Stabilised => rows.rate.iter().map(|r| -r).collect(),
                    Index::Three => rows.value.iter().map(|c| -c).collect(),
                };
                wrong.push(solve(error));
                if self.index == Index::Stabilised {
                    apart.push(solve(rows.value.iter().map(|c| -c).collect()));
                }
                forces.push(f);
                all.push(rows);
            }

            // multipliers, then stages
            for i in 0..3 {
                match self.index {
                    Index::One => lambda[i] = sum(m, &[(1.0, &lambda[i]), (1.0, &wrong[i])]),
                    Index::Two | Index::Stabilised => {
                        for j in 0..3 {
                            lambda[i] = add(&lambda[i], self.inverse[i][j] / h, &wrong[j]);
                            if let Some(gap) = apart.get(j) {
                                mu[i] = add(&mu[i], self.inverse[i][j] / h, gap);
                            }
                        }
                    }
                    Index::Three => {
                        for j in 0..3 {
                            lambda[i] = add(&lambda[i], self.square[i][j] / (h * h), &wrong[j]);
                        }
                    }
                }
            }
            for i in 0..3 {
                push_all(&all[i], &lambda[i], &mut forces[i]);
            }
            let faster: [Vec<f64>; 3] = [0, 1, 2].map(|i| {
                let mut out = start.clone();
                for j in 0..3 {
                    out = add(&out, h * A[i][j], &forces[j]);
                }
                out
            });
            let rates: [Vec<f64>; 3] = [0, 1, 2].map(|j| {
                let mut rate = stage.rates(&x[j], &faster[j]);
                push_all(&all[j], &mu[j], &mut rate);
                rate
            });
            let there: [Vec<f64>; 3] = [0, 1, 2].map(|i| {
                let parts = [0, 1, 2].map(|j| (h * A[i][j], rates[j].as_slice()));
                sum(n, &parts)
            });
            let change = (0..3)
                .map(|i| {
                    let way = stage.m.size(&add(&there[i], -1.0, &x[i]));
                    let speed = stage.m.size(&add(&faster[i], -1.0, &v[i]));
                    way.max(h * speed)
                })
                .fold(0.0, |a: f64, b| if b.is_nan() { f64::NAN } else { a.max(b) });
            (x, v) = (there, faster);
            if !change.is_finite() || change > 1e3 {
                return None;
            }
            let enough = (1e-4 * self.tolerance).max(1e-14);
            if change <= enough || (change < 1e-3 * self.tolerance && change >= 0.5 * last) {
                let mut error = sum(n, &[(h / GAMMA, &start)]);
                for i in 0..3 {
                    error = add(&error, E[i] / GAMMA, &x[i]);
                }
                let error = stage.m.size(&error) / self.tolerance;
                let [.., x] = x;
                let [.., v] = v;
                let [.., lambda] = lambda;
                return Some(Tried { x, v, lambda, error });
            }
            last = change;
        }
        None
    }
}

fn add(x: &[f64], s: f64, y: &[f64]) -> Vec<f64> {
    super::stage::plus(x, s, y)
}

fn product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// By cofactors.
fn invert(a: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let minor = |i: usize, j: usize| {
        let [(r0, r1), (c0, c1)] = [i, j].map(|k| ((k + 1) % 3, (k + 2) % 3));
        a[r0][c0] * a[r1][c1] - a[r0][c1] * a[r1][c0]
    };
    let determinant: f64 = (0..3).map(|j| a[0][j] * minor(0, j)).sum();
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| minor(j, i) / determinant))
}
