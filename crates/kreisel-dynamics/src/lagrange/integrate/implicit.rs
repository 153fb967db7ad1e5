//! A linearly implicit step of second order for stiff springs (W-90): ROS2 of Verwer, Spee, Blom
//! and Hundsdorfer (1999),
//!
//! (E − γhF) k₁ = f(t, y) + γhf', (E − γhF) k₂ = f(t + h, y + h k₁) − 2 k₁ − γhf', y + 3/2 h k₁ +
//! 1/2 h k₂,
//!
//! strongly damping (L-stable) for γ = 1 − 1/√2 and of second order whatever F is. F, the
//! derivative of f by y, and f', that by time, come from differences: as many evaluations as there
//! are numbers, and a dense factorisation. That is for systems of a few dozen bodies.

use super::super::dense::Lu;
use super::Flow;

const GAMMA: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;

pub(super) fn step(flow: &mut impl Flow, t: f64, h: f64, y: &mut [f64]) {
    let (n, all) = (flow.counted(), y.len());
    let mut k1 = vec![0.0; all];
    flow.rates(t, y, &mut k1);
    let f0 = k1.clone();
    let mut matrix = vec![0.0; n * n];
    let mut shifted = y.to_vec();
    let mut rate = vec![0.0; all];
    for j in 0..n {
        // half of the digits for the difference, half for its error
        let delta = 1e-7 * y[j].abs().max(1.0);
        shifted[j] = y[j] + delta;
        flow.rates(t, &shifted, &mut rate);
        shifted[j] = y[j];
        for i in 0..n {
            matrix[i * n + j] = -GAMMA * h * (rate[i] - f0[i]) / delta;
        }
        matrix[j * n + j] += 1.0;
    }
    let lu = Lu::new(&matrix, n);
    let delta = 1e-4 * h;
    flow.rates(t + delta, y, &mut rate);
    let drift: Vec<f64> = (0..n).map(|i| GAMMA * h * (rate[i] - f0[i]) / delta).collect();
    for i in 0..n {
        k1[i] += drift[i];
    }
    lu.solve(&mut k1[..n]);
    for i in 0..all {
        shifted[i] = y[i] + h * k1[i];
    }
    flow.rates(t + h, &shifted, &mut rate);
    let mut k2: Vec<f64> = (0..all).map(|i| rate[i] - 2.0 * k1[i]).collect();
    for i in 0..n {
        k2[i] -= drift[i];
    }
    lu.solve(&mut k2[..n]);
    for i in 0..all {
        // sums for the report are not implicit: k₂ + 2 k₁ are their rates at the end
        y[i] += h * if i < n {
            1.5 * k1[i] + 0.5 * k2[i]
        } else {
            0.5 * (k1[i] + (k2[i] + 2.0 * k1[i]))
        };
    }
}
