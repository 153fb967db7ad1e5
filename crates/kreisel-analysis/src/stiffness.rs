//! The tangent stiffness of a world in its independent directions, and what moves under it.

use crate::conditions::Conditions;
use crate::error::AnalysisError;
use crate::mechanism::Mechanism;
use faer::{Mat, Side};

/// Largest step, in turns (rad) or the world's measure.
pub(crate) const MOST_STEP: f64 = 0.25;

/// The tangent stiffness of a round.
pub(crate) struct Curvature {
    /// Derivative of the loaded forces by the poses.
    pub whole: Mat<f64>,
    /// Eigenvalues and vectors of the independent stiffness, rising.
    values: Vec<f64>,
    vectors: Mat<f64>,
    /// Largest force or multiplier, scaled.
    pub scale: f64,
    /// Stiffness that the present forces have over the world's measure: what is far below is none.
    pub typical: f64,
    /// Largest work of a force over a turn of 1 rad or the world's measure.
    pub work: f64,
}

/// The stiffness under these multipliers of rows.
pub(crate) fn curvature(
    m: &mut Mechanism<'_>,
    conditions: &Conditions,
    forces: &[f64],
    loads: &[(usize, f64)],
) -> Result<Curvature, AnalysisError> {
    let whole = m.by_pose(|p| Mechanism::loaded(p, loads));
    let reduced = -(conditions.free.transpose() * &whole * &conditions.free);
    let (values, vectors) = symmetric(&reduced)?;
    let scale = forces.iter().map(|x| x.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let typical = forces.iter().enumerate().map(|(k, f)| f.abs() / m.unit(k)).fold(0.0, f64::max);
    let stiffest = values.iter().map(|k| k.abs()).fold(0.0, f64::max);
    let work = forces.iter().enumerate().map(|(k, f)| f.abs() * m.unit(k)).fold(0.0, f64::max);
    Ok(Curvature {
        work: work.max(f64::MIN_POSITIVE),
        whole,
        values,
        vectors,
        scale,
        typical: typical.max(stiffest).max(f64::MIN_POSITIVE),
    })
}

impl Curvature {
    /// Stiffness below which a step would go further than [`MOST_STEP`] under what is left of the
    /// forces; where nothing is left, what rounding can tell from none.
    pub fn floor(&self, m: &Mechanism<'_>, left: &[f64]) -> f64 {
        let far = left
            .iter()
            .enumerate()
            .map(|(k, f)| f.abs() / (MOST_STEP * m.unit(k)))
            .fold(0.0, f64::max);
        far.max(1e-6 * self.typical.min(self.stiffness_of_forces(m)))
    }

    /// Forces that poses make which are rounded to an epsilon of a turn or of the measure: nothing
    /// that is stiff can be balanced better.
    pub fn rounding(&self, m: &Mechanism<'_>) -> f64 {
        let stiffest = self.values.iter().map(|k| k.abs()).fold(0.0, f64::max);
        let way = (0..m.width()).map(|k| m.unit(k) * m.unit(k)).sum::<f64>().sqrt();
        f64::EPSILON * stiffest * way
    }

    fn stiffness_of_forces(&self, m: &Mechanism<'_>) -> f64 {
        let shortest = (0..m.width()).map(|k| m.unit(k)).fold(f64::INFINITY, f64::min);
        self.scale / shortest
    }

    /// Displacement under forces along the independent directions, with the forces (or, for `any`,
    /// as Newton's method has it).
    pub fn respond(&self, f: &[f64], floor: f64, any: bool) -> Vec<f64> {
        let n = f.len();
        let part = |k: usize| {
            let f: f64 = (0..n).map(|i| self.vectors[(i, k)] * f[i]).sum();
            let size = self.values[k].abs().max(floor);
            f / if any && self.values[k] < 0.0 { -size } else { size }
        };
        let parts: Vec<f64> = (0..n).map(part).collect();
        (0..n).map(|i| (0..n).map(|k| self.vectors[(i, k)] * parts[k]).sum()).collect()
    }
}

/// Eigenvalues, rising, and vectors of the symmetric part.
pub(crate) fn symmetric(a: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>), AnalysisError> {
    let n = a.nrows();
    if n == 0 {
        return Ok((Vec::new(), Mat::zeros(0, 0)));
    }
    let even = Mat::from_fn(n, n, |i, j| 0.5 * (a[(i, j)] + a[(j, i)]));
    if (0..n).any(|j| (0..n).any(|i| !even[(i, j)].is_finite())) {
        return Err(AnalysisError::Eigenvalues);
    }
    let found = even.self_adjoint_eigen(Side::Lower).map_err(|_| AnalysisError::Eigenvalues)?;
    let values: Vec<f64> = (0..n).map(|k| found.S()[k]).collect();
    if values.iter().any(|k| !k.is_finite()) {
        return Err(AnalysisError::Singular(
            "the stiffness",
            "its eigenvalues are not finite".into(),
        ));
    }
    Ok((values, found.U().to_owned()))
}
