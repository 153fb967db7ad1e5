//! Collisions: all points that collide at once, at fixed positions (B-77 to B-83, B-88; Bender
//! 2007, section 5.2).
//!
//! A pass takes the points that approach faster than resting contacts do, and only those: with the
//! merely touching ones among them Newton's cradle comes out wrong. Impulses are swept until every
//! target is met; new collisions that they cause are the next pass.
//!
//! | law | target |
//! |---|---|
//! | Newton | u_n⁺ = −e u_n⁻ |
//! | Poisson | u_n = 0, then e times each point's impulse again |
//! | Stronge | u_n = 0, then the same, scaled so that e² of the work comes back |
//!
//! The seam for other laws: [`resolve`] maps rows (bodies, normals, arms), velocities, restitution
//! and friction to impulses and new velocities; nothing else of the engine takes part.

use super::cells::Cell;
use super::friction::Friction;
use super::rows::Group;
use super::settings::ImpactLaw;
use crate::lanes::F4;

/// Passes and sweeps after which a collision is left to the velocity solve.
const PASSES: u32 = 64;
const SWEEPS: u32 = 2000;

/// A point that may collide.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Candidate {
    pub group: u32,
    pub lane: u8,
    pub point: u8,
    pub restitution: f64,
    /// Normal impulse of all passes, N s; and of the present one.
    pub impulse: f64,
    now: f64,
    /// Normal velocity at the start of the present pass, m/s.
    start: f64,
    target: f64,
    colliding: bool,
    /// Whether it collided in any pass.
    pub hit: bool,
}

impl Candidate {
    pub fn new(group: usize, lane: usize, point: usize, restitution: f64) -> Self {
        Self {
            group: group as u32,
            lane: lane as u8,
            point: point as u8,
            restitution,
            ..Self::default()
        }
    }
}

/// Rows and velocities of an island.
pub(crate) struct Bodies<'a> {
    pub groups: &'a mut [Group],
    pub frictions: &'a mut [Friction],
    pub cells: &'a mut [Cell],
}

/// What decides about the collision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Law {
    pub law: ImpactLaw,
    /// Approach speed below which nothing collides, m/s.
    pub rest: f64,
    /// Error of a target, m/s.
    pub tolerance: f64,
}

/// Resolves all collisions of an island. `block` brings jointed bodies back onto their joints.
/// Friction impulses are left in the friction rows. Returns the number of passes.
pub(crate) fn resolve(
    bodies: &mut Bodies<'_>,
    points: &mut [Candidate],
    law: Law,
    mut block: impl FnMut(&mut [Cell]),
) -> u32 {
    for pass in 0..PASSES {
        let mut any = false;
        for p in points.iter_mut() {
            let rate = rate(bodies, p);
            p.colliding = rate < -law.rest;
            p.target = if law.law == ImpactLaw::Newton { -p.restitution * rate } else { 0.0 };
            (p.now, p.start) = (0.0, rate);
            any |= p.colliding;
            p.hit |= p.colliding;
        }
        if !any {
            return pass;
        }
        let start = energy(bodies.cells);
        compress(bodies, points, law.tolerance, &mut block);
        if law.law != ImpactLaw::Newton {
            restitute(bodies, points, law.law, start);
            block(bodies.cells);
        }
        for p in points.iter_mut() {
            p.impulse += p.now;
        }
    }
    PASSES
}

/// Kinetic energy of all cells, J.
pub(super) fn energy(cells: &[Cell]) -> f64 {
    let mut sum = F4::ZERO;
    for c in cells {
        sum += c.linear * c.linear + c.angular * c.angular;
    }
    0.5 * sum.sum()
}

fn rate(b: &Bodies<'_>, p: &Candidate) -> f64 {
    let g = &b.groups[p.group as usize];
    let (l, k) = (usize::from(p.lane), usize::from(p.point));
    g.rate(l, k, b.cells) + b.frictions[p.group as usize].carried(k, l)
}

/// Sweeps until all colliding points have their target velocity.
fn compress(
    bodies: &mut Bodies<'_>,
    points: &mut [Candidate],
    tolerance: f64,
    block: &mut impl FnMut(&mut [Cell]),
) {
    for _ in 0..SWEEPS {
        let mut worst = 0.0_f64;
        for i in 0..points.len() {
            if !points[i].colliding {
                continue;
            }
            let before = rate(bodies, &points[i]);
            let p = &mut points[i];
            let g = &bodies.groups[p.group as usize];
            let (l, k) = (usize::from(p.lane), usize::from(p.point));
            let response = g.points[k].response.0[l];
            if response <= 0.0 {
                continue;
            }
            // the sum must push, a single change may pull
            let change = ((p.target - before) / response).max(-p.now);
            p.now += change;
            worst = worst.max((change * response).abs());
            g.apply(l, k, change, bodies.cells);
            let (group, lane) = (p.group, p.lane);
            worst = worst.max(rub(bodies, points, group, lane));
        }
        block(bodies.cells);
        if worst <= tolerance {
            return;
        }
    }
}

/// The second phase of Poisson's and Stronge's laws: e times each point's impulse, which Stronge
/// scales so that all points together give back the share e² of the work of compression. Without
/// friction both are the same, because compression ended at u_n = 0. Stronge's law never gives back
/// more than compression took: `start` is the energy before it, J.
fn restitute(bodies: &mut Bodies<'_>, points: &mut [Candidate], law: ImpactLaw, start: f64) {
    let colliding = |p: &&Candidate| p.colliding && p.now > 0.0;
    let mut scale = 1.0;
    if law == ImpactLaw::Stronge {
        // work of compression along the straight path from zero to each point's impulse: the path
        // that the sweeps take has no physical meaning
        let work = |p: &Candidate| 0.5 * p.now * -p.start;
        let mut wanted: f64 =
            points.iter().filter(colliding).map(|p| p.restitution * p.restitution * work(p)).sum();
        let carried = |p: &Candidate| {
            bodies.frictions[p.group as usize].carried(usize::from(p.point), usize::from(p.lane))
        };
        let driven = points.iter().any(|p| carried(p) != 0.0);
        if !driven {
            wanted = wanted.min(start - energy(bodies.cells));
        }
        let before: Vec<Cell> = bodies.cells.to_vec();
        for p in points.iter().filter(colliding) {
            let (l, k) = (usize::from(p.lane), usize::from(p.point));
            bodies.groups[p.group as usize].apply(l, k, p.restitution * p.now, bodies.cells);
        }
        let gained = |p: &Candidate| {
            let g = &bodies.groups[p.group as usize];
            let (l, k) = (usize::from(p.lane), usize::from(p.point));
            0.5 * p.restitution * p.now * (g.rate(l, k, bodies.cells) - g.rate(l, k, &before))
        };
        let plain: f64 = points.iter().filter(colliding).map(gained).sum();
        bodies.cells.copy_from_slice(&before);
        scale = if plain > 0.0 { (wanted.max(0.0) / plain).sqrt() } else { 0.0 };
    }
    for i in 0..points.len() {
        let p = &mut points[i];
        if !p.colliding || p.now <= 0.0 {
            continue;
        }
        let (l, k) = (usize::from(p.lane), usize::from(p.point));
        let more = scale * p.restitution * p.now;
        p.now += more;
        bodies.groups[p.group as usize].apply(l, k, more, bodies.cells);
        let (group, lane) = (p.group, p.lane);
        rub(bodies, points, group, lane);
    }
}

/// Friction of one manifold against its present sliding, with the cone on the accumulated sum.
/// Returns the change of a rate.
fn rub(bodies: &mut Bodies<'_>, points: &[Candidate], group: u32, lane: u8) -> f64 {
    let load: f64 = points
        .iter()
        .filter(|p| p.group == group && p.lane == lane)
        .map(|p| p.impulse + p.now)
        .sum();
    let l = usize::from(lane);
    let g = &bodies.groups[group as usize];
    let f = &mut bodies.frictions[group as usize];
    if f.grip.sticking.0[l] <= 0.0 {
        return 0.0;
    }
    let (u, spin) = f.rates(g, l, bodies.cells);
    let inverse = [f.grip.inverse[0].0[l], f.grip.inverse[1].0[l], f.grip.inverse[2].0[l]];
    let sum = [f.grip.impulse[0].0[l], f.grip.impulse[1].0[l]];
    let mut wish = [
        sum[0] - (inverse[0] * u[0] + inverse[1] * u[1]),
        sum[1] - (inverse[1] * u[0] + inverse[2] * u[1]),
    ];
    let length = |p: [f64; 2]| (p[0] * p[0] + p[1] * p[1]).sqrt();
    if length(wish) > f.grip.sticking.0[l] * load {
        // against the sliding, as in `Friction::answer`
        let r = f.grip.glide.0[l];
        let slide = [sum[0] - r * u[0], sum[1] - r * u[1]];
        let k = if length(slide) > 0.0 { f.grip.sliding.0[l] * load / length(slide) } else { 0.0 };
        wish = slide.map(|x| x * k);
    }
    let change = [wish[0] - f.grip.impulse[0].0[l], wish[1] - f.grip.impulse[1].0[l]];
    let most = f.grip.spin_lever.0[l] * load;
    // `clamp` panics where a bound is no number
    let twist = (f.grip.spin.0[l] - spin * f.grip.spin_inverse.0[l]).max(-most).min(most);
    let turn = twist - f.grip.spin.0[l];
    (f.grip.impulse[0].0[l], f.grip.impulse[1].0[l], f.grip.spin.0[l]) = (wish[0], wish[1], twist);
    f.apply(g, l, change, turn, bodies.cells);
    g.linear.0[l] * (change[0].abs() + change[1].abs())
}
