//! First impulses of a kick: from the last step, or from the kick that is made again; biases, and
//! the speeds with which points are going to meet.

use super::cells::{Cell, Motion};
use super::friction::{Friction, clamp, onto_disk};
use super::loads::Loads;
use super::manifold::Manifold;
use super::parts::{Part, Piece, Share, in_phases};
use super::rows::{Group, IDLE, Width};
use super::step::NEAR;
use super::{ContactTime, Contacts};
use crate::lanes::{F4, LANES, S8, dot};
use crate::simd::kernel;

/// Share of an overlap that one step takes out: all at once would throw stacks apart.
pub(super) const SHARE: f64 = 0.2;

/// Of what is deeper than this, m, so much more: where bodies are wedged, overlaps that leave
/// slowly add up (13 mm instead of 6 in the funnel of E-13).
const DEEP: f64 = 1e-3;
const MORE: f64 = 0.3;

impl Contacts {
    /// Biases, first impulses, and the speeds with which points are going to meet.
    ///
    /// `scale` turns the impulses of the last step into first guesses; `None` goes on from the kick
    /// that is made again.
    pub(super) fn warm_start(
        &mut self,
        h: f64,
        scale: Option<f64>,
        settings: &super::ContactSettings,
    ) {
        // cut steps meet where they are cut: what is apart takes no part
        let exact = settings.time == ContactTime::Exact;
        let far = if exact { NEAR * settings.tolerance } else { f64::INFINITY };
        let how = Prime {
            h,
            part: self.recovered,
            scale,
            far,
            push_speed: settings.push_speed,
            draws: self.draws_any,
        };
        for i in 0..self.islands.list.len() {
            if self.islands.list[i].is_single() {
                self.prime_island::<S8>(i, how);
            } else {
                self.prime_island::<F4>(i, how);
            }
        }
    }

    fn prime_island<N: Width>(&mut self, i: usize, how: Prime) {
        let island = &self.islands.list[i];
        let cells = island.cells.clone();
        let again = how.scale.is_none();
        let before = Before {
            actual: &self.actual[cells.clone()],
            reference: &self.reference[cells.clone()],
            roots: &self.roots[cells.clone()],
            solution: if again { &self.solution[cells.clone()] } else { &[] },
        };
        let (groups, frictions, loads) = N::of_mut(&mut self.rows).some(island.groups::<N>());
        let manifolds = &mut self.memory.manifolds;
        if again {
            settle(groups, frictions, loads, manifolds, before.solution, how.h);
        }
        let share = Share {
            cells: &mut self.cells[cells.clone()],
            last: &mut self.last[cells],
            groups,
            frictions,
            loads,
        };
        let work = |part: &Part, share: Share<'_, N, Cell>| {
            prime(share, part.cells.start as u32, manifolds, before, how)
        };
        in_phases(
            &self.islands.parts[island.parts.clone()],
            share,
            self.threads,
            &work,
            &|(), ()| (),
        );
    }
}

/// How first impulses come about.
#[derive(Clone, Copy)]
struct Prime {
    h: f64,
    /// How much of an overlap's usual share is taken out.
    part: f64,
    scale: Option<f64>,
    /// Gaps above this take no part, m.
    far: f64,
    push_speed: f64,
    /// Whether bodies are drawn apart that overlap deeply.
    draws: bool,
}

/// Velocities of an island before the solve.
#[derive(Clone, Copy)]
struct Before<'a> {
    actual: &'a [Cell],
    reference: &'a [Cell],
    /// Inverse roots of the masses.
    roots: &'a [f64],
    /// Those that led to foretold gaps, when a step is made again.
    solution: &'a [Cell],
}

#[inline(always)]
fn prime_body<N: Width>(
    share: Share<'_, N, Cell>,
    from: u32,
    manifolds: &[Manifold],
    before: Before<'_>,
    how: Prime,
) {
    let Share { groups, frictions, loads, cells, .. } = share;
    for ((g, f), l) in groups.iter_mut().zip(frictions).zip(loads) {
        for q in 0..N::FOURS {
            let (mut rows, mut of_four) = (g.exact_four(q, before.roots), l.four(q));
            let foretold = if how.scale.is_none() { foretold(&rows, manifolds) } else { F4::ZERO };
            let drawn = if how.draws { drawn(&rows, manifolds) } else { F4::ZERO };
            let mut v = Motion::within(cells, &rows.bodies, from);
            prime_four(&mut rows, f, q, &mut of_four, [foretold, drawn], &mut v, before, how);
            v.put_within(cells, &rows.bodies, from);
            g.set_start(q, &rows);
            l.set_four(q, &of_four);
        }
    }
}

/// First impulses of four lanes, which join the velocities `v`.
#[inline(always)]
fn prime_four<N: Width>(
    g: &mut Group,
    f: &mut Friction<N>,
    q: usize,
    loads: &mut Loads,
    [foretold, drawn]: [F4; 2],
    v: &mut Motion,
    before: Before<'_>,
    how: Prime,
) {
    let (again, scale) = (how.scale.is_none(), F4::splat(how.scale.unwrap_or(1.0)));
    let (h, far, most) = (F4::splat(how.h), F4::splat(how.far), F4::splat(-how.push_speed * how.h));
    let carried = f.carried_four(q);
    let now = g.rates(&Motion::of(before.actual, &g.bodies));
    let mean = g.rates(&Motion::of(before.reference, &g.bodies));
    let mut load = F4::ZERO;
    for k in 0..g.count as usize {
        let (gap, row) = (loads.gap[k], &mut g.points[k]);
        loads.approach[k] = meeting_speed(gap, now[k] + carried[k], mean[k] + carried[k], h);
        let beyond = (gap + F4::splat(DEEP)).min(F4::ZERO);
        let share =
            (F4::splat(SHARE * how.part) * gap + F4::splat(MORE * how.part) * beyond).max(most);
        let share = drawn.where_larger(F4::ZERO, F4::ZERO, share);
        let close = gap.where_larger(F4::ZERO, gap, foretold.where_larger(F4::ZERO, gap, share));
        row.bias = carried[k] + close / h;
        row.inverse = gap.where_larger(far, F4::ZERO, row.response.inverse());
        let guess = if again { loads.kick[k] } else { loads.guess[k] * scale };
        row.impulse = row.inverse.where_larger(F4::ZERO, guess, F4::ZERO);
        load += row.impulse;
    }
    g.push(v);
    // friction of the last step, as far as the cone allows
    let grip = f.grip.four(q);
    let [x, y, z, twist] = loads.drag;
    let most = grip.sticking * load;
    let [t, u] = grip.tangent;
    let rubbed = onto_disk([dot(t, [x, y, z]) * scale, dot(u, [x, y, z]) * scale], most, most);
    let spun = clamp(twist * scale, grip.spin_lever * load);
    f.set_before(q, rubbed, spun);
    grip.rub(g.inverse_root_mass, v, rubbed);
    v.turn(grip.spin_a, grip.spin_b, spun);
    let [x, y, z] = grip.world(rubbed);
    loads.drag = [x, y, z, spun];
    if N::SINGLE {
        f.set_starts(q, g);
        for k in 0..g.count as usize {
            g.points[k].bias += mean[k];
        }
    }
}

/// Foretold gaps count from the start of the step: what the solved velocities have closed is taken
/// back.
fn settle<N: Width>(
    groups: &[Group<N>],
    frictions: &[Friction<N>],
    loads: &mut [Loads<N>],
    manifolds: &mut [Manifold],
    solution: &[Cell],
    h: f64,
) {
    for ((g, f), to) in groups.iter().zip(frictions).zip(loads) {
        for q in 0..N::FOURS {
            let (g, carried, mut of_four) = (g.four(q), f.carried_four(q), to.four(q));
            let solved = g.rates(&Motion::of(solution, &g.bodies));
            for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                let m = &mut manifolds[g.manifold[l] as usize];
                if m.foretold && !m.settled {
                    for k in m.points() {
                        // nothing overlapped there at the start
                        m.gap.0[k] =
                            (m.gap.0[k] - h * (solved[k].0[l] + carried[k].0[l])).max(m.floor);
                        of_four.gap[k].0[l] = m.gap.0[k];
                    }
                }
                m.settled = true;
            }
            to.set_four(q, &of_four);
        }
    }
}

/// 1 in the lanes of foretold manifolds.
fn foretold(g: &Group, manifolds: &[Manifold]) -> F4 {
    F4(g.manifold.map(|m| if m != IDLE && manifolds[m as usize].foretold { 1.0 } else { 0.0 }))
}

/// 1 in the lanes of manifolds whose bodies are drawn apart.
fn drawn(g: &Group, manifolds: &[Manifold]) -> F4 {
    F4(g.manifold.map(|m| if m != IDLE && manifolds[m as usize].drawn { 1.0 } else { 0.0 }))
}

kernel! {
    fn prime<N: Width>(
        share: Share<'_, N, Cell>,
        from: u32,
        manifolds: &[Manifold],
        before: Before<'_>,
        how: Prime,
    ) = prime_body
}

/// Normal velocity at the moment when the gap closes, if it does within the step; zero otherwise.
#[inline(always)]
fn meeting_speed(gap: F4, now: F4, mean: F4, h: F4) -> F4 {
    let time = gap.where_larger(F4::ZERO, (gap / -mean).min(h), F4::ZERO);
    let rate = F4::splat(2.0) * (mean - now) / h;
    let speed = (now + rate * time).min(F4::ZERO);
    F4::ZERO.where_larger(gap + h * mean, speed, F4::ZERO)
}
