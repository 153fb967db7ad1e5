//! Small dense linear algebra with a fixed order of operations: pivoted Cholesky, LU with complete
//! pivoting, and the singular value decomposition by one-sided Jacobi rotations (Hestenes 1958;
//! Golub and Van Loan, section 8.6.3).
//!
//! All three tell the rank, solve rank-deficient systems, and name the rows that depend on each
//! other.

/// A pivot below this share of the row's own diagonal element is a dependent row.
const DEPENDENT: f64 = 1e-11;

/// Sweeps of Jacobi rotations after which the columns count as orthogonal; six suffice in practice.
const SWEEPS: usize = 40;

/// L Lᵀ of a symmetric positive semi-definite matrix, rows in the order of their pivots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cholesky {
    n: usize,
    pub rank: usize,
    /// Row of the matrix at each place of the factor.
    order: Vec<usize>,
    l: Vec<f64>,
}

impl Cholesky {
    /// Factorises the row-major `n` × `n` matrix `a`.
    pub fn new(a: &[f64], n: usize) -> Self {
        let mut f = Self { n, rank: 0, order: (0..n).collect(), l: vec![0.0; n * n] };
        let mut rest: Vec<f64> = (0..n).map(|i| a[i * n + i]).collect();
        for k in 0..n {
            let ratio = |i: usize| {
                let own = a[i * n + i];
                if own > 0.0 { rest[i] / own } else { 0.0 }
            };
            let mut best = k;
            for i in k + 1..n {
                if ratio(f.order[i]) > ratio(f.order[best]) {
                    best = i;
                }
            }
            if !(ratio(f.order[best]) > DEPENDENT) {
                break;
            }
            if best != k {
                f.order.swap(k, best);
                for j in 0..k {
                    f.l.swap(k * n + j, best * n + j);
                }
            }
            let p = f.order[k];
            let pivot = rest[p].sqrt();
            f.l[k * n + k] = pivot;
            let (upper, lower) = f.l.split_at_mut((k + 1) * n);
            let row_k = &upper[k * n..k * n + k];
            for i in k + 1..n {
                let row = &mut lower[(i - k - 1) * n..(i - k) * n];
                let mut sum = a[f.order[i] * n + p];
                for (x, y) in row[..k].iter().zip(row_k) {
                    sum -= x * y;
                }
                row[k] = sum / pivot;
                rest[f.order[i]] -= row[k] * row[k];
            }
            f.rank = k + 1;
        }
        f
    }

    /// Solves for the independent rows; the others get zero. Returns the largest contradiction of a
    /// dependent row.
    pub fn solve(&self, b: &mut [f64]) -> f64 {
        let (n, r) = (self.n, self.rank);
        let mut z: Vec<f64> = self.order.iter().map(|&i| b[i]).collect();
        let mut contradiction = 0.0_f64;
        for i in 0..n {
            let row = &self.l[i * n..(i + 1) * n];
            let mut sum = z[i];
            for j in 0..i.min(r) {
                sum -= row[j] * z[j];
            }
            z[i] = if i < r { sum / row[i] } else { sum };
            if i >= r {
                contradiction = contradiction.max(sum.abs());
            }
        }
        for i in (0..r).rev() {
            let mut sum = z[i];
            for j in i + 1..r {
                sum -= self.l[j * n + i] * z[j];
            }
            z[i] = sum / self.l[i * n + i];
        }
        b.fill(0.0);
        for i in 0..r {
            b[self.order[i]] = z[i];
        }
        contradiction
    }

    /// Rows that take part in a dependency: the dependent ones and those that imply them.
    pub fn dependent(&self) -> Vec<usize> {
        let (n, r) = (self.n, self.rank);
        let mut marked = vec![false; n];
        for d in r..n {
            marked[self.order[d]] = true;
            let mut y: Vec<f64> = self.l[d * n..d * n + r].to_vec();
            for i in (0..r).rev() {
                let mut sum = y[i];
                for j in i + 1..r {
                    sum -= self.l[j * n + i] * y[j];
                }
                y[i] = sum / self.l[i * n + i];
            }
            for (i, y) in y.iter().enumerate() {
                marked[self.order[i]] |= y.abs() > 1e-6;
            }
        }
        (0..n).filter(|&i| marked[i]).collect()
    }
}

/// P A Q = L U with complete pivoting, for matrices that locks make unsymmetric.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lu {
    n: usize,
    pub rank: usize,
    rows: Vec<usize>,
    columns: Vec<usize>,
    a: Vec<f64>,
}

impl Lu {
    /// Factorises the row-major `n` × `n` matrix `a`.
    pub fn new(a: &[f64], n: usize) -> Self {
        let mut f =
            Self { n, rank: 0, rows: (0..n).collect(), columns: (0..n).collect(), a: a.to_vec() };
        let scale = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for k in 0..n {
            let (mut best, mut at) = (0.0, (k, k));
            for i in k..n {
                for j in k..n {
                    if f.a[i * n + j].abs() > best {
                        (best, at) = (f.a[i * n + j].abs(), (i, j));
                    }
                }
            }
            if !(best > DEPENDENT * scale) {
                break;
            }
            if at.0 != k {
                f.rows.swap(k, at.0);
                for j in 0..n {
                    f.a.swap(k * n + j, at.0 * n + j);
                }
            }
            if at.1 != k {
                f.columns.swap(k, at.1);
                for i in 0..n {
                    f.a.swap(i * n + k, i * n + at.1);
                }
            }
            let (upper, lower) = f.a.split_at_mut((k + 1) * n);
            let pivot = &upper[k * n..];
            for row in lower.chunks_exact_mut(n) {
                row[k] /= pivot[k];
                for j in k + 1..n {
                    row[j] -= row[k] * pivot[j];
                }
            }
            f.rank = k + 1;
        }
        f
    }

    /// As [`Cholesky::solve`].
    pub fn solve(&self, b: &mut [f64]) -> f64 {
        let (n, r) = (self.n, self.rank);
        let mut z: Vec<f64> = self.rows.iter().map(|&i| b[i]).collect();
        let mut contradiction = 0.0_f64;
        for i in 0..n {
            for j in 0..i.min(r) {
                z[i] -= self.a[i * n + j] * z[j];
            }
            if i >= r {
                contradiction = contradiction.max(z[i].abs());
            }
        }
        for i in (0..r).rev() {
            for j in i + 1..r {
                z[i] -= self.a[i * n + j] * z[j];
            }
            z[i] /= self.a[i * n + i];
        }
        b.fill(0.0);
        for i in 0..r {
            b[self.columns[i]] = z[i];
        }
        contradiction
    }

    /// Rows without a pivot.
    pub fn dependent(&self) -> Vec<usize> {
        let mut rows = self.rows[self.rank..].to_vec();
        rows.sort_unstable();
        rows
    }
}

/// A = U W Vᵀ; `uw` holds the columns of U W.
#[derive(Clone, Debug, Default)]
pub(crate) struct Svd {
    n: usize,
    pub rank: usize,
    uw: Vec<f64>,
    v: Vec<f64>,
    /// Singular values, in no order.
    pub w: Vec<f64>,
    least: f64,
}

impl Svd {
    /// Decomposes the row-major `n` × `n` matrix `a`; singular values up to `tolerance` times the
    /// largest count as zero.
    pub fn new(a: &[f64], n: usize, tolerance: f64) -> Self {
        // columns lie one after the other
        let mut uw = vec![0.0; n * n];
        let mut v = vec![0.0; n * n];
        for i in 0..n {
            v[i * n + i] = 1.0;
            for j in 0..n {
                uw[j * n + i] = a[i * n + j];
            }
        }
        for _ in 0..SWEEPS {
            let mut turned = false;
            for p in 0..n {
                for q in p + 1..n {
                    turned |= rotate(&mut uw, &mut v, n, p, q);
                }
            }
            if !turned {
                break;
            }
        }
        let w: Vec<f64> = uw.chunks_exact(n.max(1)).map(|c| dot(c, c).sqrt()).collect();
        let largest = w.iter().fold(0.0_f64, |m, x| m.max(*x));
        // rounding alone leaves singular values of this size
        let least = largest * tolerance.max(n as f64 * f64::EPSILON);
        let rank = w.iter().filter(|x| **x > least).count();
        Self { n, rank, uw, v, w, least }
    }

    /// The shortest of the solutions that come nearest. Returns the largest remaining
    /// contradiction.
    pub fn solve(&self, b: &mut [f64]) -> f64 {
        let n = self.n;
        let (mut x, mut met) = (vec![0.0; n], vec![0.0; n]);
        for k in (0..n).filter(|&k| self.w[k] > self.least) {
            let column = &self.uw[k * n..(k + 1) * n];
            let share = dot(column, b) / (self.w[k] * self.w[k]);
            for i in 0..n {
                x[i] += self.v[k * n + i] * share;
                met[i] += column[i] * share;
            }
        }
        let contradiction = b.iter().zip(&met).fold(0.0_f64, |m, (b, y)| m.max((b - y).abs()));
        b.copy_from_slice(&x);
        contradiction
    }

    /// Rows that take part in a combination that the matrix maps to nothing.
    pub fn dependent(&self) -> Vec<usize> {
        let n = self.n;
        let takes_part =
            |i: usize| (0..n).any(|k| self.w[k] <= self.least && self.v[k * n + i].abs() > 1e-3);
        (0..n).filter(|&i| takes_part(i)).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Makes two columns orthogonal; false when they are so already.
fn rotate(uw: &mut [f64], v: &mut [f64], n: usize, p: usize, q: usize) -> bool {
    let (a, b) = (&uw[p * n..(p + 1) * n], &uw[q * n..(q + 1) * n]);
    let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
    if !(ab.abs() > 1e-15 * (aa * bb).sqrt()) {
        return false;
    }
    let zeta = (bb - aa) / (2.0 * ab);
    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    for m in [uw, v] {
        for i in 0..n {
            let (x, y) = (m[p * n + i], m[q * n + i]);
            m[p * n + i] = c * x - s * y;
            m[q * n + i] = s * x + c * y;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B Bᵀ for a fixed 4 × 3 matrix: rank 3.
    fn deficient() -> Vec<f64> {
        let b = [[1.0, 2.0, 0.5], [0.0, 1.0, -1.0], [2.0, 0.3, 0.1], [1.0, 3.0, -0.5]];
        let mut a = vec![0.0; 16];
        for i in 0..4 {
            for j in 0..4 {
                a[4 * i + j] = (0..3).map(|k| b[i][k] * b[j][k]).sum();
            }
        }
        a
    }

    fn product(a: &[f64], x: &[f64]) -> Vec<f64> {
        a.chunks_exact(x.len()).map(|row| dot(row, x)).collect()
    }

    #[test]
    fn all_three_find_the_rank_and_solve_what_can_be_solved() {
        let a = deficient();
        // the fourth row is the sum of the first two
        let b = product(&a, &[0.3, -1.0, 2.0, 0.5]);
        let (c, l, s) = (Cholesky::new(&a, 4), Lu::new(&a, 4), Svd::new(&a, 4, 1e-9));
        assert_eq!((c.rank, l.rank, s.rank), (3, 3, 3));
        let mut solutions = vec![b.clone(); 3];
        let contradictions =
            [c.solve(&mut solutions[0]), l.solve(&mut solutions[1]), s.solve(&mut solutions[2])];
        for (x, contradiction) in solutions.iter().zip(contradictions) {
            assert!(contradiction < 1e-12, "{contradiction}");
            for (y, b) in product(&a, x).iter().zip(&b) {
                assert!((y - b).abs() < 1e-12, "{y} {b}");
            }
        }
        assert_eq!(c.dependent(), [0, 1, 3]);
        assert_eq!(s.dependent(), [0, 1, 3]);
    }

    #[test]
    fn a_contradiction_is_measured_and_split_evenly() {
        // x = 1 and x = 3 at once
        let a = [1.0, 1.0, 1.0, 1.0];
        let mut b = [1.0, 3.0];
        assert!((Svd::new(&a, 2, 1e-9).solve(&mut b) - 1.0).abs() < 1e-12);
        assert!((b[0] - 1.0).abs() < 1e-12 && (b[1] - 1.0).abs() < 1e-12);
        let mut b = [1.0, 3.0];
        assert!((Cholesky::new(&a, 2).solve(&mut b) - 2.0).abs() < 1e-12);
    }
}
