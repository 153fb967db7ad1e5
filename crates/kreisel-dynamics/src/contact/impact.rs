//! Collisions: all points that collide at once, at fixed positions (B-77 to B-83, B-88; Bender 2007, section 5.2).
//!
//! A pass takes the points that approach faster than resting contacts do, and only those (G-19): with the merely touching
//! ones among them Newton's cradle comes out wrong. Impulses are swept until every target is met; new collisions that
//! they cause are the next pass.
//!
//! | law | target |
//! |---|---|
//! | Newton | u_n⁺ = −e u_n⁻ |
//! | Poisson | u_n = 0, then e times each point's impulse again |
//! | Stronge | u_n = 0, then an impulse that gives back e² of each point's work |
//!
//! The seam for other laws: [`resolve`] maps rows (bodies, normals, arms), velocities, restitution and friction to impulses and
//! new velocities; nothing else of the engine takes part.

use super::friction::Friction;
use super::rows::{Cell, Group};
use super::settings::ImpactLaw;

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
    /// Work of the present pass, J.
    work: f64,
    target: f64,
    colliding: bool,
    /// Whether it collided in any pass.
    pub hit: bool,
}

impl Candidate {
    pub fn new(group: usize, lane: usize, point: usize, restitution: f64) -> Self {
        Self { group: group as u32, lane: lane as u8, point: point as u8, restitution, ..Self::default() }
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

/// Resolves all collisions of an island. `block` brings jointed bodies back onto their joints. Friction impulses are left in
/// the friction rows. Returns the number of passes.
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
            (p.now, p.work) = (0.0, 0.0);
            any |= p.colliding;
            p.hit |= p.colliding;
        }
        if !any {
            return pass;
        }
        compress(bodies, points, law.tolerance, &mut block);
        if law.law != ImpactLaw::Newton {
            restitute(bodies, points, law.law);
            block(bodies.cells);
        }
        for p in points.iter_mut() {
            p.impulse += p.now;
        }
    }
    PASSES
}

fn rate(b: &Bodies<'_>, p: &Candidate) -> f64 {
    let g = &b.groups[p.group as usize];
    let (l, k) = (usize::from(p.lane), usize::from(p.point));
    g.rate(l, k, b.cells) + g.points[k].carried.0[l]
}

/// Sweeps until all colliding points have their target velocity.
fn compress(bodies: &mut Bodies<'_>, points: &mut [Candidate], tolerance: f64, block: &mut impl FnMut(&mut [Cell])) {
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
            p.work += change * (before + 0.5 * change * response);
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

/// The second phase of Poisson's and Stronge's laws.
fn restitute(bodies: &mut Bodies<'_>, points: &mut [Candidate], law: ImpactLaw) {
    for i in 0..points.len() {
        let p = &mut points[i];
        if !p.colliding || p.now <= 0.0 {
            continue;
        }
        let (l, k) = (usize::from(p.lane), usize::from(p.point));
        let g = &bodies.groups[p.group as usize];
        let more = match law {
            ImpactLaw::Stronge => p.restitution * (2.0 * -p.work.min(0.0) / g.points[k].response.0[l]).sqrt(),
            _ => p.restitution * p.now,
        };
        p.now += more;
        g.apply(l, k, more, bodies.cells);
        let (group, lane) = (p.group, p.lane);
        rub(bodies, points, group, lane);
    }
}

/// Friction of one manifold against its present sliding, with the cone on the accumulated sum. Returns the change of a rate.
fn rub(bodies: &mut Bodies<'_>, points: &[Candidate], group: u32, lane: u8) -> f64 {
    let load: f64 = points.iter().filter(|p| p.group == group && p.lane == lane).map(|p| p.impulse + p.now).sum();
    let l = usize::from(lane);
    let g = &bodies.groups[group as usize];
    let f = &mut bodies.frictions[group as usize];
    if f.sticking.0[l] <= 0.0 {
        return 0.0;
    }
    let (u, spin) = f.rates(g, l, bodies.cells);
    let inverse = [f.inverse[0].0[l], f.inverse[1].0[l], f.inverse[2].0[l]];
    let mut wish = [
        f.impulse[0].0[l] - (inverse[0] * u[0] + inverse[1] * u[1]),
        f.impulse[1].0[l] - (inverse[1] * u[0] + inverse[2] * u[1]),
    ];
    let size = (wish[0] * wish[0] + wish[1] * wish[1]).sqrt();
    if size > f.sticking.0[l] * load {
        wish = wish.map(|x| x * f.sliding.0[l] * load / size);
    }
    let change = [wish[0] - f.impulse[0].0[l], wish[1] - f.impulse[1].0[l]];
    let most = f.spin_lever.0[l] * load;
    let twist = (f.spin.0[l] - spin * f.spin_inverse.0[l]).clamp(-most, most);
    let turn = twist - f.spin.0[l];
    (f.impulse[0].0[l], f.impulse[1].0[l], f.spin.0[l]) = (wish[0], wish[1], twist);
    f.apply(g, l, change, turn, bodies.cells);
    g.linear.0[l] * (change[0].abs() + change[1].abs())
}
