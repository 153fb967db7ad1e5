//! The multipliers of a few inequalities: min ½ µᵀWµ + bᵀµ with µ ≥ 0, by active sets (Lawson and
//! Hanson 1974, 23.10, for a matrix instead of a product).

use faer::Mat;

/// A share of the trace that keeps the matrix regular where inequalities imply each other: their
/// multipliers are then shared.
const REGULAR: f64 = 1e-13;

/// The multipliers; W is symmetric and has no negative eigenvalue.
pub fn multipliers(w: &Mat<f64>, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut mu = vec![0.0; n];
    let mut active = vec![false; n];
    let trace: f64 = (0..n).map(|k| w[(k, k)]).sum();
    let scale = b.iter().map(|x| x.abs()).fold(0.0, f64::max);
    for _round in 0..10 * n + 10 {
        // the inequality that wants to push most
        let pull = |k: usize, mu: &[f64]| -b[k] - (0..n).map(|j| w[(k, j)] * mu[j]).sum::<f64>();
        let next =
            (0..n).filter(|&k| !active[k]).max_by(|&i, &j| pull(i, &mu).total_cmp(&pull(j, &mu)));
        let Some(next) = next.filter(|&k| pull(k, &mu) > 1e-12 * scale) else { break };
        active[next] = true;

        // solve for the active ones; those that would pull are let go
        loop {
            let set: Vec<usize> = (0..n).filter(|&k| active[k]).collect();
            let a = Mat::from_fn(set.len(), set.len(), |i, j| {
                w[(set[i], set[j])] + if i == j { REGULAR * trace } else { 0.0 }
            });
            let rhs = Mat::from_fn(set.len(), 1, |i, _| -b[set[i]]);
            let Some(z) = crate::conditions::solve(&a, &rhs) else {
                active[next] = false;
                break;
            };
            let shortest = set
                .iter()
                .enumerate()
                .filter(|(i, _)| z[(*i, 0)] <= 0.0)
                .map(|(i, &k)| (mu[k] / (mu[k] - z[(i, 0)]), k))
                .filter(|(share, _)| share.is_finite())
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((share, out)) = shortest else {
                for (i, &k) in set.iter().enumerate() {
                    mu[k] = z[(i, 0)].max(0.0);
                }
                break;
            };
            for (i, &k) in set.iter().enumerate() {
                mu[k] += share * (z[(i, 0)] - mu[k]);
            }
            (mu[out], active[out]) = (0.0, false);
            if set.len() == 1 {
                break;
            }
        }
    }
    mu
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipliers_push_only_where_they_must() {
        // min ½µ² W with b: the first must push 2, the second would pull, the third shares with a
        // twin
        let w = Mat::from_fn(4, 4, |i, j| if i == j || i + j == 5 { 1.0 } else { 0.0 });
        let mu = multipliers(&w, &[-2.0, 3.0, -4.0, -4.0]);
        assert!((mu[0] - 2.0).abs() < 1e-9 && mu[1] == 0.0, "{mu:?}");
        assert!((mu[2] + mu[3] - 4.0).abs() < 1e-9 && mu[2] >= 0.0 && mu[3] >= 0.0, "{mu:?}");
    }
}
