//! The row space of the conditions at their true rank, and its complement: the independent
//! coordinates.
//!
//! Rows are made of length 1 in the metric of the masses, and a QR factorisation with column
//! pivoting of their transpose, Bᵀ P = Q R, tells the rank r: the remainders |R_kk| fall from 1 to
//! rounding, and one below [`RANK`] is zero, the same threshold as `kreisel info` has. The first r
//! columns of Q span what the conditions forbid, the others (N) what they allow. A second QR
//! factorisation of the m × r coefficients of all rows makes both least-norm solutions (complete
//! orthogonal decomposition, Golub and Van Loan, Matrix Computations, 5.4):
//!
//! | solution | what for |
//! |---|---|
//! | shortest x with B x = c | corrections of poses, velocities, accelerations |
//! | shortest λ with Bᵀ λ = g | reactions; redundant rows share a load |
//!
//! Dense: the time grows with n m r. A thousand rows take a second.

use faer::Mat;
use faer::linalg::solvers::SolveCore;

/// Remainder of a unit row that counts as zero.
pub const RANK: f64 = 1e-9;

/// Rows by scaled column.
pub type SparseRow = Vec<(usize, f64)>;

/// Conditions at one state.
pub struct Conditions {
    /// Columns.
    pub width: usize,
    /// Rows, redundant ones included.
    pub count: usize,
    /// Independent rows.
    pub rank: usize,
    /// Orthonormal columns that the conditions allow, width × (width − rank).
    pub free: Mat<f64>,
    /// Length of each row.
    lengths: Vec<f64>,
    /// Orthonormal columns that they forbid.
    held: Mat<f64>,
    /// Rows in terms of `held`, factorised: Qm Rm.
    basis: Mat<f64>,
    triangle: Mat<f64>,
}

impl Conditions {
    /// Factorises rows.
    pub fn new(width: usize, rows: &[&SparseRow]) -> Self {
        let lengths: Vec<f64> =
            rows.iter().map(|r| r.iter().map(|e| e.1 * e.1).sum::<f64>().sqrt()).collect();
        let count = rows.len();
        if width == 0 || lengths.iter().all(|l| *l == 0.0) {
            let (free, held, basis) =
                (Mat::identity(width, width), Mat::zeros(width, 0), Mat::zeros(count, 0));
            return Self {
                width,
                count,
                rank: 0,
                free,
                lengths,
                held,
                basis,
                triangle: Mat::zeros(0, 0),
            };
        }

        // columns of length 1, or zero where nothing moves that the row touches
        let mut columns = Mat::<f64>::zeros(width, count);
        for (k, row) in rows.iter().enumerate() {
            for &(c, x) in row.iter().filter(|_| lengths[k] > 0.0) {
                columns[(c, k)] += x / lengths[k];
            }
        }
        let factor = columns.col_piv_qr();
        let r = factor.R();
        let rank = (0..width.min(count)).take_while(|&k| r[(k, k)].abs() >= RANK).count();
        let q = factor.compute_Q();
        let held = q.subcols(0, rank).to_owned();
        let free = q.subcols(rank, width - rank).to_owned();

        // all rows in terms of what they forbid
        let inner = columns.transpose() * &held;
        let second = inner.qr();
        let (basis, triangle) = (second.compute_thin_Q(), second.thin_R().to_owned());
        Self { width, count, rank, free, lengths, held, basis, triangle }
    }

    /// Freedoms that the conditions leave.
    pub fn freedom(&self) -> usize {
        self.width - self.rank
    }

    /// Shortest x with B x = c; where rows contradict each other, the least squares.
    pub fn shortest(&self, c: &[f64]) -> Vec<f64> {
        if self.rank == 0 {
            return vec![0.0; self.width];
        }
        let mut unit = Mat::<f64>::zeros(self.count, 1);
        for k in 0..self.count {
            unit[(k, 0)] = if self.lengths[k] > 0.0 { c[k] / self.lengths[k] } else { 0.0 };
        }
        let mut w = self.basis.transpose() * &unit;
        self.triangle.solve_upper_triangular_in_place(&mut w);
        let x = &self.held * &w;
        (0..self.width).map(|k| x[(k, 0)]).collect()
    }

    /// Shortest multipliers (of rows of length 1) with Bᵀ λ = the held part of g.
    pub fn multipliers(&self, g: &[f64]) -> Vec<f64> {
        if self.rank == 0 {
            return vec![0.0; self.count];
        }
        let g = Mat::from_fn(self.width, 1, |k, _| g[k]);
        let mut w = self.held.transpose() * &g;
        self.triangle.transpose().solve_lower_triangular_in_place(&mut w);
        let unit = &self.basis * &w;
        (0..self.count)
            .map(|k| if self.lengths[k] > 0.0 { unit[(k, 0)] / self.lengths[k] } else { 0.0 })
            .collect()
    }

    /// Whether the multiplier of a row is determined by the forces alone, whatever the others are.
    pub fn is_determined(&self, row: usize) -> bool {
        let share: f64 = (0..self.rank).map(|k| self.basis[(row, k)] * self.basis[(row, k)]).sum();
        self.lengths[row] > 0.0 && 1.0 - share < 1e-6
    }

    /// Coordinates of a vector along the free directions.
    pub fn along(&self, x: &[f64]) -> Vec<f64> {
        (0..self.freedom())
            .map(|k| (0..self.width).map(|i| self.free[(i, k)] * x[i]).sum())
            .collect()
    }

    /// The vector with these coordinates along the free directions.
    pub fn spread(&self, s: &[f64]) -> Vec<f64> {
        (0..self.width)
            .map(|i| (0..self.freedom()).map(|k| self.free[(i, k)] * s[k]).sum())
            .collect()
    }
}

/// Solves a square system; none where it is singular.
pub(crate) fn solve(a: &Mat<f64>, b: &Mat<f64>) -> Option<Mat<f64>> {
    let mut x = b.clone();
    let factor = a.full_piv_lu();
    let u = factor.U();
    let largest = (0..a.nrows()).map(|k| u[(k, k)].abs()).fold(0.0, f64::max);
    if (0..a.nrows()).any(|k| !(u[(k, k)].abs() > 1e-13 * largest)) {
        return None;
    }
    factor.solve_in_place_with_conj(faer::Conj::No, x.as_mut());
    Some(x)
}
