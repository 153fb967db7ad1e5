//! Bulirsch-Stoer: modified midpoint rule with 2, 4, 6, … substeps, extrapolated to none (Wagner's
//! BSad; Numerical Recipes, 16.3 and 16.4).

use super::{Flow, Work, ratio};

/// Numbers of substeps: 2, 4, … 2·COLUMNS.
const COLUMNS: usize = 9;

/// Shortest step as a share of the world's, as of Cash-Karp's; one of these steps costs up to 90
/// evaluations.
const SHORTEST: f64 = 1.0 / 50.0;

/// The modified midpoint rule over `h` with `n` substeps, smoothed at the end (Gragg).
fn midpoint(flow: &mut impl Flow, t: f64, h: f64, n: usize, y: &[f64], dy: &[f64]) -> Vec<f64> {
    let s = h / n as f64;
    let mut before = y.to_vec();
    let mut now: Vec<f64> = y.iter().zip(dy).map(|(y, d)| y + s * d).collect();
    let mut rate = vec![0.0; y.len()];
    for m in 1..n {
        flow.rates(t + s * m as f64, &now, &mut rate);
        for i in 0..y.len() {
            let next = before[i] + 2.0 * s * rate[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    flow.rates(t + h, &now, &mut rate);
    (0..y.len()).map(|i| 0.5 * (now[i] + before[i] + s * rate[i])).collect()
}

pub(super) fn advance(
    flow: &mut impl Flow,
    t: f64,
    h: f64,
    accuracy: f64,
    y: &mut Vec<f64>,
    hint: &mut f64,
) -> Work {
    let mut work = Work::default();
    let (mut done, mut step) = (0.0, if *hint > 0.0 { hint.min(h) } else { h });
    let mut dy = vec![0.0; y.len()];
    while done < h {
        let rest = h - done;
        let hurry = flow.spent();
        let last = hurry || step >= rest * (1.0 - 1e-12);
        let take = if last { rest } else { step };
        flow.rates(t + done, y, &mut dy);
        // Neville's scheme in the squares of the substeps: row k holds the extrapolations T(k, 0) …
        // T(k, k)
        let mut above: Vec<Vec<f64>> = Vec::new();
        let mut met = None;
        for k in 0..COLUMNS {
            let mut row = vec![midpoint(flow, t + done, take, 2 * (k + 1), y, &dy)];
            for m in 1..=k {
                let quotient = (k + 1) as f64 / (k + 1 - m) as f64;
                let factor = quotient * quotient - 1.0;
                let pairs = row[m - 1].iter().zip(&above[m - 1]);
                row.push(pairs.map(|(fine, coarse)| fine + (fine - coarse) / factor).collect());
            }
            if k > 0 {
                let error: Vec<f64> = row[k].iter().zip(&row[k - 1]).map(|(a, b)| a - b).collect();
                if ratio(&error, y, &dy, take, accuracy, flow.counted()) <= 1.0 {
                    met = row.pop().map(|best| (best, k));
                    break;
                }
            }
            above = row;
        }
        if met.is_none() && (hurry || take <= SHORTEST * h * (1.0 + 1e-9)) {
            work.missed += 1;
            met = above.pop().map(|row| (row, COLUMNS - 1));
        }
        if let Some((row, k)) = met {
            *y = row;
            flow.tidy(y);
            work.steps += 1;
            if !y.iter().all(|y| y.is_finite()) {
                break;
            }
            done = if last { h } else { done + take };
            // few columns: the step may grow; many: it should shrink
            let grow = match k {
                0..=3 => 2.0,
                4..=5 => 1.2,
                _ => 0.7,
            };
            step = if last { step.max(take * grow) } else { take * grow };
        } else {
            work.rejected += 1;
            step = 0.25 * take;
        }
        step = step.max(SHORTEST * h);
    }
    *hint = step;
    work
}
