//! Large islands in single precision, eight manifolds at a time.
//!
//! Sweeps look for a *change* of the velocities, d = v − v₀: the rates of v₀ are taken in double precision and belong to the biases. So what single
//! precision rounds is 6e-8 of the change, not of the velocity: below 1e-8 m of a gap where gravity or an impact of metres a second acts. The impulses
//! that come out are applied in double precision, so that momentum is kept and velocities and impulses belong together.
//!
//! Groups of four that move different bodies lie side by side in an octet.

use super::accelerate::{self, Goal, Solved};
use super::friction::{Friction, Grip};
use super::island::Island;
use super::manifold::POINTS;
use super::parts::{Part, Share, both, over};
use super::rows::{Cell, Group, IDLE, Motion, Row, SingleCell};
use super::{Cone, ContactSettings, ContactTime, Contacts};
use crate::lanes::{F4, LANES, S8};
use crate::simd::kernel;
use crate::system::System;

/// Groups from which on an island is large: below it goes so fast that the way into single precision and back does not pay.
const LARGE: usize = 64;

/// Tolerance from which on single precision is enough, m.
const TOLERANCE: f64 = 1e-6;

/// Ratio of masses up to which it is enough: a load on a light body is rounded in proportion to what presses.
const RATIO: f64 = 100.0;

/// What single precision needs: octets, their friction, their halves among the groups of the island, and velocities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Singles {
    octets: Vec<Group<S8>>,
    grips: Vec<Grip<S8>>,
    halves: Vec<[u32; 2]>,
    cells: Vec<SingleCell>,
    last: Vec<SingleCell>,
}

impl Contacts {
    /// Puts the groups of large islands side by side.
    pub(super) fn pair_up(&mut self, systems: &[System]) {
        let halves = &mut self.singles.halves;
        halves.clear();
        for island in &mut self.islands.list {
            let first = halves.len();
            island.octets = first..first;
            let groups = &self.groups[island.groups.clone()];
            let rolls = self.frictions[island.groups.clone()].iter().any(|f| f.rolls);
            if groups.len() < LARGE || !island.chains.is_empty() || rolls {
                continue;
            }
            let roots =
                self.islands.slots[island.cells.clone()].iter().filter(|&&slot| slot != u32::MAX).map(|&slot| {
                    let (s, i) = self.homes[slot as usize];
                    systems[s as usize].groups[i as usize / LANES].sm.0[i as usize % LANES]
                });
            let (least, most) = roots.fold((f64::INFINITY, 0.0_f64), |(a, b), r| (a.min(r), b.max(r)));
            if most * most > RATIO * least * least {
                continue;
            }
            for part in &mut self.islands.parts[island.parts.clone()] {
                let from = halves.len();
                let mut k = part.groups.start;
                while k < part.groups.end {
                    let two = k + 1 < part.groups.end && groups[k].is_apart(&groups[k + 1]);
                    halves.push([k as u32, if two { k as u32 + 1 } else { IDLE }]);
                    k += 1 + usize::from(two);
                }
                part.octets = from - first..halves.len() - first;
            }
            island.octets = first..halves.len();
        }
        let octets = halves.len();
        self.singles.octets.resize(octets, Group::default());
        self.singles.grips.resize(octets, Grip::default());
    }

    /// Whether sweeps over an island are made in single precision.
    pub(super) fn is_single(island: &Island, settings: &ContactSettings) -> bool {
        !island.octets.is_empty()
            && settings.tolerance >= TOLERANCE
            && settings.time == ContactTime::Fast
            && settings.cone == Cone::Accumulated
            && island.is_loose(settings)
    }

    /// Sweeps over island `i`, with friction or without, for a change of the `reference` velocities; what has changed already is in the cells.
    pub(super) fn solve_single(
        &mut self,
        i: usize,
        goal: Goal,
        rubs: bool,
        sweep: &(impl Fn(&Part, Share<'_, S8>, f64) -> f64 + Sync),
    ) -> Solved {
        let Island { cells, groups, octets, parts, .. } = self.islands.list[i].clone();
        let (single, threads) = (&mut self.singles, self.threads);
        let (parts, halves) = (&self.islands.parts[parts], &single.halves[octets.clone()]);
        let (eights, grips) = (&mut single.octets[octets.clone()], &mut single.grips[octets]);
        let grips = if rubs { grips } else { &mut [] };
        let (groups, frictions) = (&mut self.groups[groups.clone()], &mut self.frictions[groups]);
        let frictions = if rubs { frictions } else { &mut [] };
        let reference = &self.reference[cells.clone()];
        take_all(eights, grips, halves, (groups, frictions, reference), threads);
        let most = single.cells.len().max(cells.end);
        single.cells.resize(most, S8::ZERO);
        single.last.resize(most, S8::ZERO);
        let change = &mut single.cells[cells.clone()];
        for (d, (c, r)) in change.iter_mut().zip(self.cells[cells.clone()].iter().zip(reference)) {
            *d = S8::of([c.linear - r.linear, c.angular - r.angular]);
        }
        let last = &mut single.last[cells.clone()];
        let share = Share { cells: change, last, groups: &mut *eights, frictions: &mut *grips };
        let solved = accelerate::solve(parts, share, goal, threads, sweep, |_| ());
        give(eights, grips, halves, groups, frictions);
        let (cells, last) = (&mut self.cells[cells.clone()], &mut self.last[cells]);
        let mut share = Share { cells, last, groups, frictions };
        for phase in parts.chunk_by(|a, b| a.phase == b.phase) {
            let work = |p: &Part, s: Share<'_>| push(s.groups, s.frictions, s.cells, p.cells.start as u32);
            over(phase, share.again(), [0, 0], threads, &work, &|(), ()| ());
        }
        solved
    }
}

/// What octets are made from: groups, their friction if it takes part, and the velocities that are to change.
type Sources<'a> = (&'a [Group], &'a [Friction], &'a [Cell]);

/// Octets of one handful of work.
const HANDFUL: usize = 64;

fn take_all(octets: &mut [Group<S8>], grips: &mut [Grip<S8>], halves: &[[u32; 2]], from: Sources<'_>, threads: bool) {
    if !threads || octets.len() <= HANDFUL {
        return take(octets, grips, halves, from);
    }
    let middle = octets.len() / 2;
    let (a, b) = (octets.split_at_mut(middle), grips.split_at_mut(middle.min(grips.len())));
    let halves = halves.split_at(middle);
    both(true, || take_all(a.0, b.0, halves.0, from, true), || take_all(a.1, b.1, halves.1, from, true));
}

#[inline(always)]
fn triple(f: impl Fn(usize) -> [F4; 2]) -> [S8; 3] {
    [S8::of(f(0)), S8::of(f(1)), S8::of(f(2))]
}

#[inline(always)]
fn take_body(
    octets: &mut [Group<S8>],
    grips: &mut [Grip<S8>],
    halves: &[[u32; 2]],
    (groups, frictions, reference): Sources<'_>,
) {
    let (mut nothing, no_friction) = (Group::default(), Friction::default());
    for (k, (o, half)) in octets.iter_mut().zip(halves).enumerate() {
        let first = &groups[half[0] as usize];
        (nothing.bodies, nothing.still) = ([[first.still; LANES]; 2], first.still);
        let second = if half[1] == IDLE { &nothing } else { &groups[half[1] as usize] };
        let g = [first, second];
        for l in 0..2 * LANES {
            let (g, l8, l) = (g[l / LANES], l, l % LANES);
            o.manifold[l8] = g.manifold[l];
            (o.bodies[0][l8], o.bodies[1][l8]) = (g.bodies[0][l], g.bodies[1][l]);
        }
        (o.count, o.still) = (first.count.max(second.count), first.still);
        o.normal = triple(|i| [g[0].normal[i], g[1].normal[i]]);
        for side in 0..2 {
            o.inverse_root_mass[side] = S8::of([g[0].inverse_root_mass[side], g[1].inverse_root_mass[side]]);
        }
        o.linear = S8::of([g[0].linear, g[1].linear]);
        let v = [Motion::of(reference, &g[0].bodies), Motion::of(reference, &g[1].bodies)];
        let rates = [g[0].rates(&v[0]), g[1].rates(&v[1])];
        let none = Row::default();
        for p in 0..(o.count as usize).min(POINTS) {
            let row = [0, 1].map(|s| if p < g[s].count as usize { &g[s].points[p] } else { &none });
            let to = &mut o.points[p];
            to.a = triple(|i| [row[0].a[i], row[1].a[i]]);
            to.b = triple(|i| [row[0].b[i], row[1].b[i]]);
            to.bias = S8::of([row[0].bias + rates[0][p], row[1].bias + rates[1][p]]);
            to.inverse = S8::of([row[0].inverse, row[1].inverse]);
            to.response = S8::of([row[0].response, row[1].response]);
            to.impulse = S8::of([row[0].impulse, row[1].impulse]);
            to.last = to.impulse;
        }
        let Some(to) = grips.get_mut(k) else { continue };
        let f = [
            &frictions[half[0] as usize].grip,
            if half[1] == IDLE { &no_friction.grip } else { &frictions[half[1] as usize].grip },
        ];
        for t in 0..2 {
            to.tangent[t] = triple(|i| [f[0].tangent[t][i], f[1].tangent[t][i]]);
            to.a[t] = triple(|i| [f[0].a[t][i], f[1].a[t][i]]);
            to.b[t] = triple(|i| [f[0].b[t][i], f[1].b[t][i]]);
            to.impulse[t] = S8::of([f[0].impulse[t], f[1].impulse[t]]);
        }
        to.last = to.impulse;
        to.inverse = triple(|i| [f[0].inverse[i], f[1].inverse[i]]);
        to.glide = S8::of([f[0].glide, f[1].glide]);
        to.sliding = S8::of([f[0].sliding, f[1].sliding]);
        to.sticking = S8::of([f[0].sticking, f[1].sticking]);
        to.spin_a = triple(|i| [f[0].spin_a[i], f[1].spin_a[i]]);
        to.spin_b = triple(|i| [f[0].spin_b[i], f[1].spin_b[i]]);
        to.spin_inverse = S8::of([f[0].spin_inverse, f[1].spin_inverse]);
        to.spin = S8::of([f[0].spin, f[1].spin]);
        to.spin_last = to.spin;
        to.spin_lever = S8::of([f[0].spin_lever, f[1].spin_lever]);
        let slip = [f[0].slip(g[0], &v[0]), f[1].slip(g[1], &v[1])];
        to.bias = [S8::of([slip[0][0], slip[1][0]]), S8::of([slip[0][1], slip[1][1]])];
        to.spin_bias = S8::of([f[0].twisting(&v[0]), f[1].twisting(&v[1])]);
    }
}

/// Impulses back to the groups; what they were before stays in `last`.
#[inline(always)]
fn give_body(
    octets: &[Group<S8>],
    grips: &[Grip<S8>],
    halves: &[[u32; 2]],
    groups: &mut [Group],
    frictions: &mut [Friction],
) {
    for (k, (o, half)) in octets.iter().zip(halves).enumerate() {
        for (s, &h) in half.iter().enumerate().filter(|(_, h)| **h != IDLE) {
            let g = &mut groups[h as usize];
            for p in 0..(g.count as usize).min(POINTS) {
                g.points[p].impulse = o.points[p].impulse.half(s);
            }
            let Some(from) = grips.get(k) else { continue };
            let f = &mut frictions[h as usize].grip;
            f.impulse = [from.impulse[0].half(s), from.impulse[1].half(s)];
            f.spin = from.spin.half(s);
        }
    }
}

/// Applies what impulses have changed since `last`.
#[inline(always)]
fn push_body(groups: &[Group], frictions: &[Friction], cells: &mut [Cell], from: u32) {
    for (k, g) in groups.iter().enumerate() {
        let mut v = Motion::within(cells, &g.bodies, from);
        let mut sum = F4::ZERO;
        for row in &g.points[..g.count as usize] {
            let change = row.impulse - row.last;
            sum += change;
            v.turn(row.a, row.b, change);
        }
        v.push(g.normal, sum, g.inverse_root_mass);
        if let Some(f) = frictions.get(k).map(|f| &f.grip) {
            f.rub(g, &mut v, [f.impulse[0] - f.last[0], f.impulse[1] - f.last[1]]);
            v.turn(f.spin_a, f.spin_b, f.spin - f.spin_last);
        }
        v.put_within(cells, &g.bodies, from);
    }
}

kernel! {
    fn take(octets: &mut [Group<S8>], grips: &mut [Grip<S8>], halves: &[[u32; 2]], from: Sources<'_>) = take_body
}
kernel! {
    fn give(
        octets: &[Group<S8>],
        grips: &[Grip<S8>],
        halves: &[[u32; 2]],
        groups: &mut [Group],
        frictions: &mut [Friction],
    ) = give_body
}
kernel! { fn push(groups: &[Group], frictions: &[Friction], cells: &mut [Cell], from: u32) = push_body }
