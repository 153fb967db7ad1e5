//! Runge-Kutta 4(5) after Cash and Karp with step-size control (Wagner's RKad; Numerical Recipes,
//! 16.2).

use super::{Flow, Scratch, Work, ratio};

const A: [f64; 6] = [0.0, 0.2, 0.3, 0.6, 1.0, 0.875];
const B: [[f64; 5]; 6] = [
    [0.0; 5],
    [0.2, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0],
    [0.3, -0.9, 1.2, 0.0, 0.0],
    [-11.0 / 54.0, 2.5, -70.0 / 27.0, 35.0 / 27.0, 0.0],
    [1631.0 / 55296.0, 175.0 / 512.0, 575.0 / 13824.0, 44275.0 / 110_592.0, 253.0 / 4096.0],
];
const FIFTH: [f64; 6] = [37.0 / 378.0, 0.0, 250.0 / 621.0, 125.0 / 594.0, 0.0, 512.0 / 1771.0];
const FOURTH: [f64; 6] =
    [2825.0 / 27648.0, 0.0, 18575.0 / 48384.0, 13525.0 / 55296.0, 277.0 / 14336.0, 0.25];

/// Shortest step as a share of the world's: where the motion is singular no step is accurate
/// enough, and work must end.
const SHORTEST: f64 = 1.0 / 500.0;

/// One step: `out` gets the fifth order, `error` the difference to the fourth. `k[0]` holds the
/// rates at the start.
pub(super) fn once(
    flow: &mut impl Flow,
    t: f64,
    h: f64,
    y: &[f64],
    k: &mut [&mut Vec<f64>; 6],
    out: &mut [f64],
    error: &mut [f64],
) {
    for s in 1..6 {
        out.copy_from_slice(y);
        for j in 0..s {
            for i in 0..y.len() {
                out[i] += h * B[s][j] * k[j][i];
            }
        }
        flow.rates(t + A[s] * h, out, k[s]);
    }
    for i in 0..y.len() {
        let (mut high, mut low) = (0.0, 0.0);
        for s in 0..6 {
            high += FIFTH[s] * k[s][i];
            low += FOURTH[s] * k[s][i];
        }
        out[i] = y[i] + h * high;
        error[i] = h * (high - low);
    }
}

pub(super) fn advance(
    flow: &mut impl Flow,
    t: f64,
    h: f64,
    accuracy: f64,
    y: &mut Vec<f64>,
    hint: &mut f64,
    scratch: &mut Scratch,
) -> Work {
    let [k1, k2, k3, k4, k5, k6, out, error] = scratch.vectors(y.len());
    let mut k = [k1, k2, k3, k4, k5, k6];
    let mut work = Work::default();
    let (mut done, mut step) = (0.0, if *hint > 0.0 { hint.min(h) } else { h });
    // the last step ends exactly at the end of the world's step
    while done < h {
        let rest = h - done;
        let hurry = flow.spent();
        let last = hurry || step >= rest * (1.0 - 1e-12);
        let take = if last { rest } else { step };
        flow.rates(t + done, y, k[0]);
        once(flow, t + done, take, y, &mut k, out, error);
        let r = ratio(error, y, k[0], take, accuracy, flow.counted());
        let shortest = hurry || take <= SHORTEST * h * (1.0 + 1e-9);
        if r <= 1.0 || shortest {
            std::mem::swap(y, out);
            flow.tidy(y);
            work.steps += 1;
            work.missed += u32::from(!(r <= 1.0));
            if !r.is_finite() {
                // a state that is not finite cannot be integrated further; the quarantine catches
                // it
                break;
            }
            done = if last { h } else { done + take };
            let grow = if r > 0.0 { (0.9 * libm::pow(r, -0.2)).clamp(0.2, 5.0) } else { 5.0 };
            // a last step that was cut short says little about the next one
            step = if last { step.max(take * grow) } else { take * grow };
        } else {
            work.rejected += 1;
            let shrink = if r.is_finite() { (0.9 * libm::pow(r, -0.25)).max(0.1) } else { 0.1 };
            step = take * shrink;
        }
        step = step.max(SHORTEST * h);
    }
    *hint = step;
    work
}
