//! Explicit integrators with a fixed step (Wagner F.1).

use super::{Flow, Scratch};

pub(super) fn euler(flow: &mut impl Flow, t: f64, h: f64, y: &mut [f64], s: &mut Scratch) {
    let [k] = s.vectors(y.len());
    flow.rates(t, y, k);
    for (y, k) in y.iter_mut().zip(k.iter()) {
        *y += h * k;
    }
}

pub(super) fn midpoint(flow: &mut impl Flow, t: f64, h: f64, y: &mut [f64], s: &mut Scratch) {
    let [k, z] = s.vectors(y.len());
    flow.rates(t, y, k);
    along(z, y, 0.5 * h, k);
    flow.rates(t + 0.5 * h, z, k);
    for (y, k) in y.iter_mut().zip(k.iter()) {
        *y += h * k;
    }
}

pub(super) fn classical(flow: &mut impl Flow, t: f64, h: f64, y: &mut [f64], s: &mut Scratch) {
    let [k1, k2, k3, k4, z] = s.vectors(y.len());
    flow.rates(t, y, k1);
    along(z, y, 0.5 * h, k1);
    flow.rates(t + 0.5 * h, z, k2);
    along(z, y, 0.5 * h, k2);
    flow.rates(t + 0.5 * h, z, k3);
    along(z, y, h, k3);
    flow.rates(t + h, z, k4);
    for i in 0..y.len() {
        y[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    }
}

/// z = y + h k.
fn along(z: &mut [f64], y: &[f64], h: f64, k: &[f64]) {
    for i in 0..y.len() {
        z[i] = y[i] + h * k[i];
    }
}
