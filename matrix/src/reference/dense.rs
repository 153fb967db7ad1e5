//! Small dense systems of equations.

/// Solves A x = b by elimination with pivots chosen among the rows; nothing for a singular matrix.
pub fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    // rows are scaled, so that pivots of different units can be compared
    for k in 0..n {
        let scale = a[k].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if !(scale > 0.0) {
            return None;
        }
        a[k].iter_mut().for_each(|x| *x /= scale);
        b[k] /= scale;
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if !(a[pivot][k].abs() > 1e-11) {
            return None;
        }
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            if f != 0.0 {
                for j in k..n {
                    a[i][j] -= f * a[k][j];
                }
                b[i] -= f * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    Some(b)
}
