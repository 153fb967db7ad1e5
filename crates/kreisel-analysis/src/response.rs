//! Frequency response of a linear system: G(iω) = C (iω − A)⁻¹ B + D.
//!
//! One complex LU factorisation for each frequency; n³/3 multiplications for n states. At an
//! undamped natural frequency the matrix is singular, and the answer is refused by name of the
//! frequency.

use crate::error::AnalysisError;
use crate::linearise::Linear;
use faer::linalg::solvers::SolveCore;
use faer::{Mat, c64};
use std::f64::consts::TAU;

/// Response of all outputs to one input at one frequency.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Response {
    /// Hz.
    pub frequency: f64,
    /// Name of the input.
    pub input: String,
    /// Ratio of the amplitudes of each output and the input.
    pub gain: Vec<f64>,
    /// How far each output is ahead of the input, rad.
    pub phase: Vec<f64>,
}

/// Responses to each input at each frequency (Hz).
pub fn response(linear: &Linear, frequencies: &[f64]) -> Result<Vec<Response>, AnalysisError> {
    let (n, inputs, outputs) = (linear.a.len(), linear.inputs.len(), linear.outputs.len());
    let mut out = Vec::with_capacity(frequencies.len() * inputs);
    for &frequency in frequencies {
        let s = c64::new(0.0, TAU * frequency);
        let matrix = Mat::<c64>::from_fn(n, n, |i, j| {
            let own = if i == j { s } else { c64::new(0.0, 0.0) };
            own - c64::new(linear.a[i][j], 0.0)
        });
        let mut x = Mat::<c64>::from_fn(n, inputs, |i, j| c64::new(linear.b[i][j], 0.0));
        let factor = matrix.full_piv_lu();
        let pivot = |k: usize| factor.U()[(k, k)].re.hypot(factor.U()[(k, k)].im);
        let largest = (0..n).map(pivot).fold(0.0, f64::max);
        if (0..n).any(|k| !(pivot(k) > 1e-14 * largest)) {
            let why = format!(
                "{frequency} Hz is a frequency at which it vibrates by itself without loss"
            );
            return Err(AnalysisError::Singular("the response", why));
        }
        factor.solve_in_place_with_conj(faer::Conj::No, x.as_mut());
        for (j, input) in linear.inputs.iter().enumerate() {
            let of = |i: usize| -> c64 {
                let sum =
                    (0..n).fold(c64::new(0.0, 0.0), |sum, k| sum + x[(k, j)] * linear.c[i][k]);
                sum + c64::new(linear.d[i][j], 0.0)
            };
            let all: Vec<c64> = (0..outputs).map(of).collect();
            out.push(Response {
                frequency,
                input: input.clone(),
                gain: all.iter().map(|z| z.re.hypot(z.im)).collect(),
                phase: all.iter().map(|z| z.im.atan2(z.re)).collect(),
            });
        }
    }
    Ok(out)
}
