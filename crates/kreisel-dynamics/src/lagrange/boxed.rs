//! Bounded multipliers: w = K λ + q with lo ≤ λ ≤ hi, where w ≥ 0 at the lower bound, w ≤ 0 at the
//! upper one and w = 0 between. Limits, contacts (0 ≤ λ), friction and velocity motors (−f ≤ λ ≤ f)
//! are such rows.
//!
//! Block principal pivoting with Murty's least-index rule as the safeguard (Júdice and Pires 1994):
//! finite for positive definite K. Redundant contacts make K semi-definite; a diagonal share of
//! 1e-10 then picks one of the many solutions and leaves the accelerations unchanged to that share.

use super::dense::Lu;

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum At {
    Low,
    High,
    Free,
}

/// Solves for λ. The row-major matrix `k` is n × n. `at` is where the rows stood in the last
/// problem of this kind, and gets where they stand now: a good start saves most of the pivots, and
/// none of it changes the solution.
pub(crate) fn solve(k: &[f64], q: &[f64], lo: &[f64], hi: &[f64], at: &mut Vec<At>) -> Vec<f64> {
    let n = q.len();
    let mut k = k.to_vec();
    let largest = (0..n).fold(0.0_f64, |m, i| m.max(k[i * n + i]));
    for i in 0..n {
        k[i * n + i] += 1e-10 * largest + f64::MIN_POSITIVE;
    }
    // A side without bound cannot be stood on.
    if at.len() != n {
        at.clear();
        at.extend((0..n).map(|i| {
            if lo[i].is_finite() && (lo[i] == 0.0 || hi[i].is_infinite()) {
                At::Low
            } else {
                At::Free
            }
        }));
    }
    // a row that stood at a bound in the last problem may have none in this one
    for (i, at) in at.iter_mut().enumerate() {
        if *at == At::Low && lo[i].is_infinite() || *at == At::High && hi[i].is_infinite() {
            *at = At::Free;
        }
    }
    // Rows that do not answer to each other are problems of their own: boxes that lie apart, one by
    // one. The cost is cubic.
    let groups = groups(&k, n);
    if groups.len() < 2 {
        return pivot(&k, q, lo, hi, at);
    }
    let mut lambda = vec![0.0; n];
    for rows in groups {
        let pick = |v: &[f64]| rows.iter().map(|&i| v[i]).collect::<Vec<f64>>();
        let own: Vec<f64> = rows
            .iter()
            .flat_map(|&i| rows.iter().map(move |&j| (i, j)))
            .map(|(i, j)| k[i * n + j])
            .collect();
        let mut stand: Vec<At> = rows.iter().map(|&i| at[i]).collect();
        let found = pivot(&own, &pick(q), &pick(lo), &pick(hi), &mut stand);
        for (r, &i) in rows.iter().enumerate() {
            (lambda[i], at[i]) = (found[r], stand[r]);
        }
    }
    lambda
}

/// Rows that answer to each other, each list ascending.
fn groups(k: &[f64], n: usize) -> Vec<Vec<usize>> {
    let mut group = vec![usize::MAX; n];
    let mut out: Vec<Vec<usize>> = Vec::new();
    for first in 0..n {
        if group[first] != usize::MAX {
            continue;
        }
        let mut rows = vec![first];
        group[first] = out.len();
        let mut next = 0;
        while let Some(&i) = rows.get(next) {
            for j in 0..n {
                if group[j] == usize::MAX && (k[i * n + j] != 0.0 || k[j * n + i] != 0.0) {
                    group[j] = out.len();
                    rows.push(j);
                }
            }
            next += 1;
        }
        rows.sort_unstable();
        out.push(rows);
    }
    out
}

/// Block principal pivoting for one group.
fn pivot(k: &[f64], q: &[f64], lo: &[f64], hi: &[f64], at: &mut [At]) -> Vec<f64> {
    let n = q.len();
    let mut best = usize::MAX;
    let mut patience = 3;
    let mut lambda = vec![0.0; n];
    for _ in 0..50 + 20 * n {
        lambda = candidate(k, q, lo, hi, at);
        let wrong: Vec<(usize, At)> =
            (0..n).filter_map(|i| Some((i, better(i, k, q, lo, hi, at, &lambda)?))).collect();
        if wrong.is_empty() {
            break;
        }
        if wrong.len() < best {
            (best, patience) = (wrong.len(), 3);
        } else if patience > 0 {
            patience -= 1;
        }
        let count = if patience > 0 { wrong.len() } else { 1 };
        for &(i, to) in &wrong[..count] {
            at[i] = to;
        }
    }
    for i in 0..n {
        // `clamp` panics where a bound is no number
        lambda[i] = lambda[i].max(lo[i]).min(hi[i]);
    }
    lambda
}

/// λ with the bounded rows at their bounds and w = 0 for the others.
fn candidate(k: &[f64], q: &[f64], lo: &[f64], hi: &[f64], at: &[At]) -> Vec<f64> {
    let n = q.len();
    let mut lambda: Vec<f64> = (0..n)
        .map(|i| match at[i] {
            At::Low => lo[i],
            At::High => hi[i],
            At::Free => 0.0,
        })
        .collect();
    let free: Vec<usize> = (0..n).filter(|&i| at[i] == At::Free).collect();
    let m = free.len();
    let mut a = vec![0.0; m * m];
    let mut b = vec![0.0; m];
    for (r, &i) in free.iter().enumerate() {
        b[r] = -q[i] - (0..n).map(|j| k[i * n + j] * lambda[j]).sum::<f64>();
        for (c, &j) in free.iter().enumerate() {
            a[r * m + c] = k[i * n + j];
        }
    }
    Lu::new(&a, m).solve(&mut b);
    for (r, &i) in free.iter().enumerate() {
        lambda[i] = b[r];
    }
    lambda
}

/// Where row `i` belongs, if not where it is.
fn better(
    i: usize,
    k: &[f64],
    q: &[f64],
    lo: &[f64],
    hi: &[f64],
    at: &[At],
    lambda: &[f64],
) -> Option<At> {
    let n = q.len();
    if at[i] == At::Free {
        return match lambda[i] {
            x if x < lo[i] => Some(At::Low),
            x if x > hi[i] => Some(At::High),
            _ => None,
        };
    }
    if lo[i] == hi[i] {
        return None;
    }
    let w = q[i] + (0..n).map(|j| k[i * n + j] * lambda[j]).sum::<f64>();
    let noise =
        1e-12 * (q[i].abs() + (0..n).map(|j| (k[i * n + j] * lambda[j]).abs()).sum::<f64>());
    let wrong = if at[i] == At::Low { w < -noise } else { w > noise };
    wrong.then_some(At::Free)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The conditions hold for random positive definite problems of all kinds of bounds.
    #[test]
    fn the_conditions_hold_for_random_problems() {
        let mut seed = 7_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for case in 0..300 {
            let n = 1 + case % 8;
            // rank n or n - 1: redundant contacts occur
            let r = if case % 3 == 0 && n > 1 { n - 1 } else { n };
            let b: Vec<f64> = (0..n * r).map(|_| next()).collect();
            let mut k = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    k[i * n + j] = (0..r).map(|m| b[i * r + m] * b[j * r + m]).sum();
                }
            }
            // in the range of K, so that a solution exists
            let target: Vec<f64> = (0..n).map(|_| next()).collect();
            let q: Vec<f64> =
                (0..n).map(|i| (0..n).map(|j| k[i * n + j] * target[j]).sum()).collect();
            let (mut lo, mut hi) = (vec![0.0; n], vec![f64::INFINITY; n]);
            for i in 0..n {
                if next() > 0.3 {
                    (lo[i], hi[i]) = (-0.4, 0.4);
                }
            }
            let x = solve(&k, &q, &lo, &hi, &mut Vec::new());
            for i in 0..n {
                let w = q[i] + (0..n).map(|j| k[i * n + j] * x[j]).sum::<f64>();
                assert!(x[i] >= lo[i] && x[i] <= hi[i]);
                assert!(x[i] == lo[i] || w <= 1e-7, "case {case}, row {i}: w = {w}, λ = {}", x[i]);
                assert!(x[i] == hi[i] || w >= -1e-7, "case {case}, row {i}: w = {w}, λ = {}", x[i]);
            }
        }
    }
}
