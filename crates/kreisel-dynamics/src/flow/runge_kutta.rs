//! Euler, classical Runge-Kutta 4 and Cash-Karp 5(4) for (W, q) as one system (Bender B.1.1, B.1.3,
//! B.1.4).
//!
//! Local errors O(h²), O(h⁵), and the tolerance given. Cash-Karp: Table B.1, checked against the
//! order conditions.

use super::{Free, turn};
use crate::math::{Quat, Vec3, fun};

pub(crate) fn euler(q: Quat, w: Vec3, h: f64) -> Quat {
    q + turn(q, w) * h
}

pub(crate) fn rk4(free: &Free, q: Quat, w: Vec3, h: f64) -> Quat {
    let (w1, q1) = (free.rate(w), turn(q, w));
    let wa = w + w1 * (0.5 * h);
    let (w2, q2) = (free.rate(wa), turn(q + q1 * (0.5 * h), wa));
    let wb = w + w2 * (0.5 * h);
    let (w3, q3) = (free.rate(wb), turn(q + q2 * (0.5 * h), wb));
    let wc = w + w3 * h;
    let q4 = turn(q + q3 * h, wc);
    q + (q1 + (q2 + q3) * 2.0 + q4) * (h / 6.0)
}

const B: [[f64; 5]; 6] = [
    [0.0; 5],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0],
    [3.0 / 10.0, -9.0 / 10.0, 6.0 / 5.0, 0.0, 0.0],
    [-11.0 / 54.0, 5.0 / 2.0, -70.0 / 27.0, 35.0 / 27.0, 0.0],
    [1631.0 / 55296.0, 175.0 / 512.0, 575.0 / 13824.0, 44275.0 / 110592.0, 253.0 / 4096.0],
];
const FIFTH: [f64; 6] = [37.0 / 378.0, 0.0, 250.0 / 621.0, 125.0 / 594.0, 0.0, 512.0 / 1771.0];
const FOURTH: [f64; 6] =
    [2825.0 / 27648.0, 0.0, 18575.0 / 48384.0, 13525.0 / 55296.0, 277.0 / 14336.0, 1.0 / 4.0];

/// One Cash-Karp step: the state of fifth order and the largest difference to the one of fourth
/// order.
fn cash_karp_step(free: &Free, q: Quat, w: Vec3, h: f64) -> (Quat, Vec3, f64) {
    let mut kq = [Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); 6];
    let mut kw = [Vec3::ZERO; 6];
    for i in 0..6 {
        let (mut qs, mut ws) = (q, w);
        for j in 0..i {
            qs += kq[j] * (h * B[i][j]);
            ws += kw[j] * (h * B[i][j]);
        }
        kq[i] = turn(qs, ws);
        kw[i] = free.rate(ws);
    }
    let (mut q1, mut w1) = (q, w);
    let (mut eq, mut ew) = (Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO);
    for i in 0..6 {
        q1 += kq[i] * (h * FIFTH[i]);
        w1 += kw[i] * (h * FIFTH[i]);
        eq += kq[i] * (h * (FIFTH[i] - FOURTH[i]));
        ew += kw[i] * (h * (FIFTH[i] - FOURTH[i]));
    }
    (q1, w1, eq.length().max(ew.length()))
}

/// Cash-Karp with step-size control: h_new = 0.9 h (ε/|Δ|)^(1/5), growth clamped to 5, at most 10
/// 000 steps.
pub(crate) fn cash_karp(free: &Free, mut q: Quat, mut w: Vec3, h: f64, tolerance: f64) -> Quat {
    let mut done = 0.0;
    let mut step = h;
    for _ in 0..10_000 {
        let last = done + step >= h;
        let size = if last { h - done } else { step };
        let (q1, w1, error) = cash_karp_step(free, q, w, size);
        let growth = if error > 0.0 { 0.9 * fun::pow(tolerance / error, 0.2) } else { 5.0 };
        if error <= tolerance || size < 1e-12 * h {
            (q, w) = (q1, w1);
            done += size;
            if last {
                break;
            }
        }
        step = size * growth.clamp(0.1, 5.0);
    }
    q
}
