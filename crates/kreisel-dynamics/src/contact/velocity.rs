//! The velocity solve at the end of a step: contacts that push stop approaching or rebound,
//! friction acts (B-80, B-81, B-87).
//!
//! The sum of the impulses of both solves must push: λ_kick + λ_hold ≥ 0. So the velocity with
//! which the position solve took out a penetration is removed again, and nothing is held that wants
//! to leave.

use super::cells::Motion;
use super::friction::{Friction, clamp, onto_disk};
use super::parts::{Part, Share};
use super::rows::{Group, Width};
use crate::lanes::{Lanes, dot};
use crate::simd::kernel;

#[inline(always)]
fn sweep_body<N: Width>(
    groups: &mut [Group<N>],
    frictions: &mut [Friction<N>],
    cells: &mut [N::Cell],
    from: u32,
    theta: f64,
    printed: bool,
) -> f64 {
    let theta = N::splat(theta);
    let mut worst = N::ZERO;
    for (g, friction) in groups.iter_mut().zip(frictions) {
        let mut v = Motion::<N>::within(cells, &g.bodies, from);
        let mut along = v.along(g.normal, g.inverse_root_mass);
        let (mut pushed, mut load) = (N::ZERO, N::ZERO);
        for row in &mut g.points[..g.count as usize] {
            let rate = along + dot(row.a, v.wa) + dot(row.b, v.wb) + row.bias;
            let start = ahead(row.impulse, row.last, theta);
            let next = (start - rate * row.inverse).max(N::ZERO);
            let change = next - start;
            row.last = row.impulse;
            row.impulse = next;
            along += g.linear * change;
            pushed += change;
            load += next;
            v.turn(row.a, row.b, change);
            if printed {
                friction.paid += change.abs();
            }
            worst = worst.max((change * row.response).abs());
        }
        if printed {
            load = friction.paid;
        }
        v.push(g.normal, pushed, g.inverse_root_mass);
        // friction at the centre of pressure
        let f = &mut friction.grip;
        let slip = f.slip(g.inverse_root_mass, &v);
        let rate = [slip[0] + f.bias[0], slip[1] + f.bias[1]];
        let start = [ahead(f.impulse[0], f.last[0], theta), ahead(f.impulse[1], f.last[1], theta)];
        f.last = f.impulse;
        let total = f.answer(start, rate, load);
        let change = [total[0] - start[0], total[1] - start[1]];
        for k in 0..2 {
            f.impulse[k] = total[k];
            worst = worst.max((change[k] * g.linear).abs());
        }
        f.rub(g.inverse_root_mass, &mut v, change);
        // twist about the normal
        let rate = f.twisting(&v) + f.spin_bias;
        let most = f.spin_lever * load;
        let start = ahead(f.spin, f.spin_last, theta);
        f.spin_last = f.spin;
        f.spin = clamp(start - rate * f.spin_inverse, most);
        let change = f.spin - start;
        v.turn(f.spin_a, f.spin_b, change);
        if friction.rolls {
            roll(friction, load, theta, &mut v);
        }
        v.put_within(cells, &g.bodies, from);
    }
    worst.largest()
}

/// x + θ(x − last).
#[inline(always)]
fn ahead<N: Lanes>(x: N, last: N, theta: N) -> N {
    x + theta * (x - last)
}

/// Resistance against rolling: a torque along the tangents, at most lever times load.
#[inline(always)]
fn roll<N: Width>(f: &mut Friction<N>, load: N, theta: N, v: &mut Motion<N>) {
    let start = [ahead(f.roll[0], f.roll_last[0], theta), ahead(f.roll[1], f.roll_last[1], theta)];
    f.roll_last = f.roll;
    let mut wish = start;
    for k in 0..2 {
        let rate = f.rolling(k, v) + f.roll_bias[k];
        wish[k] = wish[k] - rate * f.roll_inverse[k];
    }
    let most = f.roll_lever * load;
    let total = onto_disk(wish, most, most);
    for k in 0..2 {
        let change = total[k] - start[k];
        f.roll[k] = total[k];
        v.turn(f.roll_a[k], f.roll_b[k], change);
    }
}

kernel! {
    fn sweep_part<N: Width>(
        groups: &mut [Group<N>],
        frictions: &mut [Friction<N>],
        cells: &mut [N::Cell],
        from: u32,
        theta: f64,
        printed: bool,
    ) -> f64 = sweep_body
}

/// One sweep over normals and friction of a part of an island, with impulses extrapolated by
/// `theta`, with the accumulated cone or the printed one; returns the largest change of a rate,
/// m/s.
pub(crate) fn sweep<N: Width>(part: &Part, share: Share<'_, N>, theta: f64, printed: bool) -> f64 {
    sweep_part(share.groups, share.frictions, share.cells, part.cells.start as u32, theta, printed)
}
