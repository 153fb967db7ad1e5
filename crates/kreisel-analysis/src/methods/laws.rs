//! Accelerations of a state by the methods that have a law for them.
//!
//! | letter | meaning |
//! |---|---|
//! | C, J, c | conditions, their rows, and the rest of C'' = J a + c |
//! | F | forces, gyroscopic ones included; masses are 1 |
//! | α | Baumgarte's constant, 5/s as in Wagner 2001, table 6.2 |
//! | Ω | eigenfrequency of the penalty: 1/(2h), or what is stable |
//!
//! Rows of penalties are made of length 1, so that one Ω fits all masses and lengths. Coupled and
//! redundant rows add up: with κ, the largest eigenvalue of J Jᵀ of such rows, the fastest part of
//! C'' + 2Ωκ C' + Ω²κ C = 0 decays at Ω (κ + √(κ² − κ)), and the classic method of Runge and Kutta
//! is stable up to 2.785/h.

use super::stage::{Rows, Stage, push_all};
use crate::stiffness::symmetric;
use faer::Mat;
use faer::linalg::solvers::Solve;

/// Baumgarte's constant, 1/s.
const ALPHA: f64 = 5.0;
/// Strength of the penalty in the masses.
const STRENGTH: f64 = 1e8;
/// Repetitions of the augmented Lagrange method.
const REPETITIONS: usize = 6;
/// Residual of the conjugate gradients, as a share of the right side.
const GRADIENT: f64 = 1e-10;

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Law {
    Penalty,
    MassPenalty { repeated: bool },
    Multipliers,
    Baumgarte,
    BaumgarteIntegral,
    RosenEdelstein,
    NullSpace,
    Faure,
}

/// What a law remembers between evaluations; it changes no answer beyond its tolerance.
#[derive(Default)]
pub(super) struct Memory {
    lambda: Vec<f64>,
}

impl Law {
    /// States of its own for this many rows.
    pub fn states(self, rows: usize) -> usize {
        match self {
            Self::BaumgarteIntegral => rows,
            Self::RosenEdelstein => 2 * rows,
            _ => 0,
        }
    }

    /// Accelerations at the trial state, and the rates of the law's own states.
    pub fn accelerate(
        self,
        stage: &mut Stage<'_>,
        h: f64,
        own: &[f64],
        memory: &mut Memory,
    ) -> (Vec<f64>, Vec<f64>) {
        let f = stage.forces();
        let rows = stage.rows();
        let n = stage.width();
        let m = rows.rows.len();
        match self {
            Self::Penalty => {
                let most = coupling(&rows, n);
                let stable = 2.5 / (most + (most * most - most).max(0.0).sqrt());
                (penalty(&rows, f, stable.min(0.5) / h), Vec::new())
            }
            Self::MassPenalty { repeated } => {
                (mass_penalty(&rows, &f, 0.5 / h, repeated), Vec::new())
            }
            Self::Multipliers => (held(&rows, n, &f, |k| -rows.bias[k]), Vec::new()),
            Self::Baumgarte => (held(&rows, n, &f, stabilised(&rows)), Vec::new()),
            Self::BaumgarteIntegral => {
                let a = held(&rows, n, &f, |k| {
                    -rows.bias[k]
                        - 3.0 * ALPHA * (rows.rate[k] + ALPHA * rows.value[k])
                        - ALPHA * ALPHA * ALPHA * own[k]
                });
                (a, rows.value)
            }
            Self::RosenEdelstein => {
                // M a = F + Jᵀ(λ'' − 2αλ' + α²λ): the known part of the multiplier is a force
                let (lambda, rate) = own.split_at(m);
                let known: Vec<f64> =
                    lambda.iter().zip(rate).map(|(l, r)| ALPHA * (ALPHA * l - 2.0 * r)).collect();
                let mut pushed = f;
                push_all(&rows, &known, &mut pushed);
                let a = held(&rows, n, &pushed, stabilised(&rows));
                let missing: Vec<f64> = a.iter().zip(&pushed).map(|(a, f)| a - f).collect();
                let second = rows.conditions(n).multipliers(&missing);
                (a, rate.iter().copied().chain(second).collect())
            }
            Self::NullSpace => {
                let conditions = rows.conditions(n);
                let demand: Vec<f64> = rows.bias.iter().map(|c| -c).collect();
                let across = conditions.shortest(&demand);
                let along = conditions.spread(&conditions.along(&f));
                (across.iter().zip(&along).map(|(a, b)| a + b).collect(), Vec::new())
            }
            Self::Faure => {
                let wanted = stabilised(&rows);
                let free = rows.times(&f);
                let demand: Vec<f64> = (0..m).map(|k| wanted(k) - free[k]).collect();
                memory.lambda.resize(m, 0.0);
                conjugate_gradients(&rows, n, &demand, &mut memory.lambda);
                let mut a = f;
                push_all(&rows, &memory.lambda, &mut a);
                (a, Vec::new())
            }
        }
    }
}

/// What Baumgarte demands of J a.
fn stabilised(rows: &Rows) -> impl Fn(usize) -> f64 + '_ {
    |k| -rows.bias[k] - ALPHA * (2.0 * rows.rate[k] + ALPHA * rows.value[k])
}

/// a = F + J⁺(wanted − J F): multipliers of least norm where rows are redundant.
fn held(rows: &Rows, n: usize, f: &[f64], wanted: impl Fn(usize) -> f64) -> Vec<f64> {
    let free = rows.times(f);
    let demand: Vec<f64> = (0..free.len()).map(|k| wanted(k) - free[k]).collect();
    let change = rows.conditions(n).shortest(&demand);
    f.iter().zip(&change).map(|(f, c)| f + c).collect()
}

/// Largest eigenvalue of J Jᵀ with rows of length 1 (of Jᵀ J, which has the same): 1 where rows
/// touch each other nowhere.
fn coupling(rows: &Rows, n: usize) -> f64 {
    let mut inner = Mat::<f64>::zeros(n, n);
    for (row, length) in rows.rows.iter().zip(&rows.length).filter(|r| *r.1 > 0.0) {
        for &(i, a) in row {
            for &(j, b) in row {
                inner[(i, j)] += a * b / (length * length);
            }
        }
    }
    symmetric(&inner).ok().and_then(|(values, _)| values.last().copied()).unwrap_or(1.0).max(1.0)
}

/// F − Jᵀ(Ω²C + 2ΩC')/|J|².
fn penalty(rows: &Rows, mut f: Vec<f64>, frequency: f64) -> Vec<f64> {
    let effort = |k: usize| {
        let error = frequency * (frequency * rows.value[k] + 2.0 * rows.rate[k]);
        if rows.length[k] > 0.0 { -error / (rows.length[k] * rows.length[k]) } else { 0.0 }
    };
    let efforts: Vec<f64> = (0..rows.rows.len()).map(effort).collect();
    push_all(rows, &efforts, &mut f);
    f
}

/// (1 + αJᵀJ) a = F + Jᵀλ − αJᵀ(Ω²C + 2ΩC' + c) with λ = 0; repeated with λ less α times what is
/// left of C'' + 2ΩC' + Ω²C.
fn mass_penalty(rows: &Rows, f: &[f64], frequency: f64, repeated: bool) -> Vec<f64> {
    let (n, m) = (f.len(), rows.rows.len());
    let unit = |k: usize| if rows.length[k] > 0.0 { 1.0 / rows.length[k] } else { 0.0 };
    let mut j = Mat::<f64>::zeros(m, n);
    for (k, row) in rows.rows.iter().enumerate() {
        for &(c, x) in row {
            j[(k, c)] += x * unit(k);
        }
    }
    let mut matrix = Mat::<f64>::identity(n, n);
    matrix += faer::Scale(STRENGTH) * (j.transpose() * &j);
    let Ok(factor) = matrix.llt(faer::Side::Lower) else { return vec![f64::NAN; n] };
    let error = |k: usize| {
        unit(k) * (rows.bias[k] + frequency * (2.0 * rows.rate[k] + frequency * rows.value[k]))
    };
    let wanted = Mat::from_fn(m, 1, |k, _| error(k));
    let mut lambda = Mat::<f64>::zeros(m, 1);
    let mut a = Mat::<f64>::zeros(n, 1);
    for _ in 0..if repeated { REPETITIONS } else { 1 } {
        let side = Mat::from_fn(n, 1, |i, _| f[i])
            + j.transpose() * (&lambda - faer::Scale(STRENGTH) * &wanted);
        a = factor.solve(&side);
        lambda -= faer::Scale(STRENGTH) * (&j * &a + &wanted);
    }
    (0..n).map(|i| a[(i, 0)]).collect()
}

/// J Jᵀ λ = b with rows scaled to length 1, from the last λ on; each round is one pass over the
/// rows.
fn conjugate_gradients(rows: &Rows, n: usize, b: &[f64], lambda: &mut [f64]) {
    let m = b.len();
    let scale: Vec<f64> =
        rows.length.iter().map(|l| if *l > 0.0 { 1.0 / (l * l) } else { 0.0 }).collect();
    let apply = |x: &[f64]| {
        let mut force = vec![0.0; n];
        push_all(rows, x, &mut force);
        rows.times(&force)
    };
    let inner = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let mut left: Vec<f64> = b.iter().zip(apply(lambda)).map(|(b, a)| b - a).collect();
    let weighted = |r: &[f64]| r.iter().zip(&scale).map(|(r, s)| r * s).collect::<Vec<f64>>();
    let enough = GRADIENT * GRADIENT * inner(b, &weighted(b));
    let mut z = weighted(&left);
    let mut direction = z.clone();
    let mut size = inner(&left, &z);
    for _ in 0..4 * m {
        if !(size > enough) {
            break;
        }
        let image = apply(&direction);
        let curvature = inner(&direction, &image);
        if !(curvature > 0.0) {
            break;
        }
        let step = size / curvature;
        for k in 0..m {
            lambda[k] += step * direction[k];
            left[k] -= step * image[k];
        }
        z = weighted(&left);
        let next = inner(&left, &z);
        for k in 0..m {
            direction[k] = z[k] + next / size * direction[k];
        }
        size = next;
    }
}
