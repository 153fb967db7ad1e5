//! The velocity solve at the end of a step: contacts that push stop approaching or rebound, friction acts (B-80, B-81, B-87).
//!
//! The sum of the impulses of both solves must push: λ_kick + λ_hold ≥ 0. So the velocity with which the position solve took
//! out a penetration is removed again, and nothing is held that wants to leave.

use super::friction::{Friction, onto_disk};
use super::rows::{Cell, Group};
use crate::lanes::{F4, LANES, dot};
use crate::simd::kernel;

#[inline(always)]
fn gather(cells: &[Cell], index: &[u32; LANES]) -> ([F4; 3], [F4; 3]) {
    let c =
        [&cells[index[0] as usize], &cells[index[1] as usize], &cells[index[2] as usize], &cells[index[3] as usize]];
    (
        F4::transpose3(&c[0].linear, &c[1].linear, &c[2].linear, &c[3].linear),
        F4::transpose3(&c[0].angular, &c[1].angular, &c[2].angular, &c[3].angular),
    )
}

#[inline(always)]
fn scatter(cells: &mut [Cell], index: &[u32; LANES], linear: [F4; 3], angular: [F4; 3]) {
    let (v, w) = (F4::transpose4(linear), F4::transpose4(angular));
    for l in 0..LANES {
        let c = &mut cells[index[l] as usize];
        c.linear = v[l];
        c.angular = w[l];
    }
}

/// One sweep over normals and friction; returns the largest change of a rate, m/s.
#[inline(always)]
fn sweep_body(groups: &mut [Group], frictions: &mut [Friction], cells: &mut [Cell]) -> f64 {
    let mut worst = F4::ZERO;
    for (g, f) in groups.iter_mut().zip(frictions) {
        let (mut va, mut wa) = gather(cells, &g.bodies[0]);
        let (mut vb, mut wb) = gather(cells, &g.bodies[1]);
        let n = g.normal;
        let [ma, mb] = g.inverse_root_mass;
        let mut along = dot(n, va) * ma - dot(n, vb) * mb;
        let (mut sum, mut load) = (F4::ZERO, F4::ZERO);
        for row in &mut g.points[..g.count as usize] {
            let rate = along + dot(row.a, wa) + dot(row.b, wb) + row.bias;
            let next = (row.impulse - rate * row.inverse).max(row.low);
            let change = next - row.impulse;
            row.impulse = next;
            along += g.linear * change;
            sum += change;
            // both solves together
            load += next - row.low;
            for k in 0..3 {
                wa[k] += row.a[k] * change;
                wb[k] += row.b[k] * change;
            }
            worst = worst.max((change * row.response).abs());
        }
        let (pa, pb) = (sum * ma, sum * mb);
        for k in 0..3 {
            va[k] += n[k] * pa;
            vb[k] = vb[k] - n[k] * pb;
        }
        // friction at the centre of pressure
        let t = f.tangent;
        let mut rate = f.bias;
        for k in 0..2 {
            rate[k] += dot(t[k], va) * ma - dot(t[k], vb) * mb + dot(f.a[k], wa) + dot(f.b[k], wb);
        }
        let wish = [
            f.before[0] + f.impulse[0] - (f.inverse[0] * rate[0] + f.inverse[1] * rate[1]),
            f.before[1] + f.impulse[1] - (f.inverse[1] * rate[0] + f.inverse[2] * rate[1]),
        ];
        let total = onto_disk(wish, f.sliding * load, f.sticking * load);
        let change = [total[0] - f.before[0] - f.impulse[0], total[1] - f.before[1] - f.impulse[1]];
        for k in 0..2 {
            f.impulse[k] += change[k];
            worst = worst.max((change[k] * g.linear).abs());
        }
        for i in 0..3 {
            let p = t[0][i] * change[0] + t[1][i] * change[1];
            va[i] += p * ma;
            vb[i] = vb[i] - p * mb;
            wa[i] += f.a[0][i] * change[0] + f.a[1][i] * change[1];
            wb[i] += f.b[0][i] * change[0] + f.b[1][i] * change[1];
        }
        // twist about the normal
        let rate = dot(f.spin_a, wa) + dot(f.spin_b, wb) + f.spin_bias;
        let most = f.spin_lever * load;
        let wish = f.spin_before + f.spin - rate * f.spin_inverse;
        let total = -((-wish.max(-most)).max(-most));
        let change = total - f.spin_before - f.spin;
        f.spin += change;
        for i in 0..3 {
            wa[i] += f.spin_a[i] * change;
            wb[i] += f.spin_b[i] * change;
        }
        if f.rolls {
            roll(f, load, &mut wa, &mut wb);
        }
        scatter(cells, &g.bodies[0], va, wa);
        scatter(cells, &g.bodies[1], vb, wb);
    }
    worst.largest()
}

/// Resistance against rolling: a torque along the tangents, at most lever times load.
#[inline(always)]
fn roll(f: &mut Friction, load: F4, wa: &mut [F4; 3], wb: &mut [F4; 3]) {
    let mut wish = f.roll;
    for k in 0..2 {
        let rate = dot(f.roll_a[k], *wa) + dot(f.roll_b[k], *wb) + f.roll_bias[k];
        wish[k] = wish[k] - rate * f.roll_inverse[k];
    }
    let most = f.roll_lever * load;
    let total = onto_disk(wish, most, most);
    for k in 0..2 {
        let change = total[k] - f.roll[k];
        f.roll[k] = total[k];
        for i in 0..3 {
            wa[i] += f.roll_a[k][i] * change;
            wb[i] += f.roll_b[k][i] * change;
        }
    }
}

kernel! {
    /// One sweep over normals and friction.
    pub(crate) fn sweep(groups: &mut [Group], frictions: &mut [Friction], cells: &mut [Cell]) -> f64 = sweep_body
}
