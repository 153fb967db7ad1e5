//! Least squares within bounds: Levenberg and Marquardt with central differences, and what the data
//! say of the answer.
//!
//! (JᵀJ + λ D) δ = −Jᵀ r in the ranges of the parameters, D = diag JᵀJ (Marquardt 1963; Nocedal and
//! Wright 2006, 10.3); parameters at a bound that would go beyond it are held. From the end: σ² =
//! |r|²/(m − n), standard deviations from σ² (JᵀJ)⁻¹, and the correlations that say which
//! parameters the data cannot tell apart.

use crate::conditions::solve;
use crate::error::AnalysisError;
use crate::minimise::{Patience, Range};
use faer::Mat;

/// Parameters that fit.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Fit {
    /// The parameters.
    pub point: Vec<f64>,
    /// Root of the mean square of the residuals.
    pub rms: f64,
    /// The same at the start.
    pub rms_before: f64,
    /// Standard deviation of each parameter; none where the data do not determine it.
    pub deviation: Vec<Option<f64>>,
    /// Correlations of the parameters.
    pub correlation: Vec<Vec<f64>>,
    /// Points evaluated.
    pub points: usize,
    /// Rounds made.
    pub rounds: usize,
    /// Whether the last step was small enough.
    pub converged: bool,
    /// Numbers of the parameters that ended at a bound.
    pub at_bounds: Vec<usize>,
}

/// The parameters with the least sum of squared residuals. The function gives the residuals of each
/// of several points; its own error ends the search.
pub fn fit<E: From<AnalysisError>>(
    mut of: impl FnMut(&[Vec<f64>]) -> Result<Vec<Vec<f64>>, E>,
    start: &[f64],
    ranges: &[Range],
    patience: &Patience,
) -> Result<Fit, E> {
    let n = start.len();
    let right = |r: &Range| r.low.is_finite() && r.high.is_finite() && r.low < r.high;
    if n != ranges.len() || n == 0 || !ranges.iter().all(right) {
        let why = "every parameter needs a range from a smaller to a larger number";
        return Err(AnalysisError::refused("the fit", why, "give one for each").into());
    }
    let back = |u: &[f64]| -> Vec<f64> {
        u.iter().zip(ranges).map(|(u, r)| r.low + u * (r.high - r.low)).collect()
    };
    let mut asked = 0;
    let mut ask = |points: &[Vec<f64>]| -> Result<Vec<Vec<f64>>, E> {
        asked += points.len();
        of(&points.iter().map(|u| back(u)).collect::<Vec<_>>())
    };
    let squares = |r: &[f64]| r.iter().map(|x| x * x).sum::<f64>();
    let mut u: Vec<f64> = start
        .iter()
        .zip(ranges)
        .map(|(p, r)| ((p - r.low) / (r.high - r.low)).clamp(0.0, 1.0))
        .collect();
    let mut r = ask(std::slice::from_ref(&u))?.remove(0);
    let m = r.len();
    if m < n || !squares(&r).is_finite() {
        let why = format!("there are {m} numbers to compare for {n} parameters, or not all finite");
        return Err(AnalysisError::refused("the fit", why, "give a longer recording").into());
    }
    let first = squares(&r);
    let (mut damping, mut rounds, mut converged) = (1e-3, 0, false);
    let mut jacobian = Mat::<f64>::zeros(m, n);
    while rounds < 100 && !converged {
        rounds += 1;
        jacobian = slopes(&mut ask, &u, m, patience.difference)?;
        let normal = jacobian.transpose() * &jacobian;
        let slope = jacobian.transpose() * Mat::from_fn(m, 1, |i, _| r[i]);
        let free: Vec<usize> = (0..n)
            .filter(|&k| {
                !((u[k] <= 0.0 && slope[(k, 0)] > 0.0) || (u[k] >= 1.0 && slope[(k, 0)] < 0.0))
            })
            .collect();
        if free.is_empty() {
            converged = true;
            break;
        }
        loop {
            let matrix = Mat::from_fn(free.len(), free.len(), |i, j| {
                let x = normal[(free[i], free[j])];
                // a parameter that nothing depends on stays
                if i == j { x * (1.0 + damping) + f64::MIN_POSITIVE } else { x }
            });
            let side = Mat::from_fn(free.len(), 1, |i, _| -slope[(free[i], 0)]);
            let step = solve(&matrix, &side);
            let mut there = u.clone();
            if let Some(step) = &step {
                for (i, &k) in free.iter().enumerate() {
                    there[k] = (there[k] + step[(i, 0)]).clamp(0.0, 1.0);
                }
            }
            let moved = there.iter().zip(&u).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let found = if step.is_some() && moved > 0.0 {
                ask(std::slice::from_ref(&there))?.remove(0)
            } else {
                Vec::new()
            };
            if !found.is_empty() && squares(&found) <= squares(&r) {
                (u, r) = (there, found);
                damping = (damping * 0.2).max(1e-12);
                converged = moved <= patience.step;
                break;
            }
            damping *= 5.0;
            if damping > 1e9 || (moved > 0.0 && moved <= 1e-3 * patience.step) {
                converged = true;
                break;
            }
        }
    }

    // what the data determine
    let variance = squares(&r) / (m - n).max(1) as f64;
    let normal = jacobian.transpose() * &jacobian;
    let inverse = solve(&normal, &Mat::identity(n, n));
    let wide = |k: usize| ranges[k].high - ranges[k].low;
    let deviation = |k: usize| {
        let x = inverse.as_ref()?[(k, k)];
        Some((variance * x).sqrt() * wide(k)).filter(|d: &f64| d.is_finite())
    };
    let correlation = |i: usize, j: usize| {
        let Some(c) = &inverse else { return if i == j { 1.0 } else { 0.0 } };
        c[(i, j)] / (c[(i, i)] * c[(j, j)]).sqrt()
    };
    Ok(Fit {
        rms: (squares(&r) / m as f64).sqrt(),
        rms_before: (first / m as f64).sqrt(),
        deviation: (0..n).map(deviation).collect(),
        correlation: (0..n).map(|i| (0..n).map(|j| correlation(i, j)).collect()).collect(),
        at_bounds: (0..n).filter(|&k| u[k] == 0.0 || u[k] == 1.0).collect(),
        point: back(&u),
        points: asked,
        rounds,
        converged,
    })
}

/// Derivatives of the residuals, one-sided beyond a bound.
fn slopes<E>(
    ask: &mut dyn FnMut(&[Vec<f64>]) -> Result<Vec<Vec<f64>>, E>,
    u: &[f64],
    m: usize,
    h: f64,
) -> Result<Mat<f64>, E> {
    let mut points = Vec::new();
    for k in 0..u.len() {
        for side in [-h, h] {
            let mut p = u.to_vec();
            p[k] = (p[k] + side).clamp(0.0, 1.0);
            points.push(p);
        }
    }
    let values = ask(&points)?;
    Ok(Mat::from_fn(m, u.len(), |i, k| {
        let [low, high] = [2 * k, 2 * k + 1];
        let at = |p: usize| values[p].get(i).copied().unwrap_or(f64::NAN);
        let slope = (at(high) - at(low)) / (points[high][k] - points[low][k]);
        if slope.is_finite() { slope } else { 0.0 }
    }))
}
