//! The sliding path over the variables of the thesis: p_z, u_z, W_z.
//!
//! Reference: Lennerz 2000, section 5.5 (L-82, L-83; eq. 5.20, 5.22 to 5.27, corrected:
//! docs/sources.md).
//!
//! | parametrisation | compression | restitution |
//! |---|---|---|
//! | A (L-82) | p_z, end located | p_z, end located |
//! | B (L-83) | u_z; p_z while k_z ξ is not positive | u_z up to the bridging speed (5.22), then W_z (Stronge); u_z (Newton); p_z (Poisson) |
//!
//! Near sticking the direction of the slip can turn fast; steps are limited to a fraction of the
//! slip, which then falls geometrically. This makes both slower than the regular path; they are
//! kept as the independent check that they are.

use super::path::{Point, STICK, Slide};
use super::restitution::Goal;
use super::runge_kutta::{Vector, step};
use super::slip::Slip;
use crate::math::fun;

/// Error per step, of scaled numbers of order one.
const TOLERANCE: f64 = 1e-14;
/// Slip may change by this fraction of itself in one step.
const SLIP_CHANGE: f64 = 0.5;
/// u_z may be the clock where it grows at least at this fraction of K's largest entry.
const RISING: f64 = 1e-2;
const MAX_STEPS: u32 = 200_000;

/// The independent variable.
#[derive(Clone, Copy, PartialEq)]
enum Clock {
    Impulse,
    Speed,
    Work,
}

impl Clock {
    fn read(self, y: &Vector) -> f64 {
        match self {
            Self::Impulse => y[4],
            Self::Speed => y[2],
            Self::Work => y[3],
        }
    }
}

/// Rates over p_z (5.20), divided by the clock's own.
fn rates(slip: &Slip, clock: Clock, y: &Vector) -> Vector {
    let s = (y[0] * y[0] + y[1] * y[1]).sqrt();
    let a = slip.rate(y[0] / s, y[1] / s) / slip.cos;
    let over_impulse = [a.x, a.y, a.z, y[2], 1.0];
    let unit = match clock {
        Clock::Impulse => return over_impulse,
        Clock::Speed => a.z,
        Clock::Work => y[2],
    };
    over_impulse.map(|x| x / unit)
}

fn point(y: &Vector) -> Point {
    Point { u: crate::math::Vec3::new(y[0], y[1], y[2]), work: y[3], normal: y[4] }
}

/// Slides to the goal or to sticking, over p_z or (`thesis`) over u_z and W_z.
pub(super) fn slide(
    slip: &Slip,
    from: &Point,
    goal: &Goal,
    thesis: bool,
    note: &mut dyn FnMut(&Point),
) -> Option<Slide> {
    let mut y = [from.u.x, from.u.y, from.u.z, from.work, from.normal];
    let bridge = bridge(slip, from, goal);
    let mut size: f64 = 1e-3;
    let mut last = Clock::Impulse;
    for steps in 1..=MAX_STEPS {
        let (clock, end) =
            if thesis { choose(slip, &y, goal, bridge) } else { (Clock::Impulse, None) };
        if clock != last {
            // the size was in other units
            (last, size) = (clock, 1e-3);
        }
        let rate = |y: &Vector| rates(slip, clock, y);
        let now = rate(&y);
        let s = point(&y).slip();
        let turn = (now[0] * now[0] + now[1] * now[1]).sqrt();
        let mut h = if turn > 0.0 { size.min(SLIP_CHANGE * s / turn) } else { size };
        // the end of the clock's interval is known: land on it
        let remaining = end.map(|e: f64| e - clock.read(&y));
        let landing = remaining.is_some_and(|r| h >= r);
        if let Some(r) = remaining
            && landing
        {
            h = r;
        }
        let (mut next, error) = step(rate, &y, h);
        if !next.iter().all(|x| x.is_finite()) || error > TOLERANCE && h > 1e-13 {
            let shrink =
                if error.is_finite() { 0.9 * fun::pow(TOLERANCE / error, 0.2) } else { 0.1 };
            size = h * shrink.clamp(0.1, 0.9);
            continue;
        }
        if error < TOLERANCE && !landing {
            let growth = if error > 0.0 { 0.9 * fun::pow(TOLERANCE / error, 0.2) } else { 4.0 };
            size = size.max(h) * growth.clamp(1.0, 4.0);
        }
        let arrived = goal.excess(&point(&next)) >= 0.0 || landing && is_goal(clock, goal, end);
        if arrived && !landing {
            next = locate(slip, clock, &y, h, goal);
        }
        note(&point(&next));
        if arrived {
            return Some(Slide { end: point(&next), stuck: false, steps });
        }
        if point(&next).slip() <= STICK {
            return Some(Slide { end: point(&next), stuck: true, steps });
        }
        y = next;
    }
    None
}

/// Whether the end of the clock's interval is the goal itself, and not the end of the bridge.
fn is_goal(clock: Clock, goal: &Goal, end: Option<f64>) -> bool {
    match (clock, goal) {
        (Clock::Speed, Goal::Speed(v)) => end == Some(*v),
        (Clock::Work, Goal::Work(_)) | (Clock::Impulse, Goal::Impulse(_)) => true,
        _ => false,
    }
}

/// Parametrisation B: the clock of the present phase and the end of its interval, if known.
fn choose(slip: &Slip, y: &Vector, goal: &Goal, bridge: Option<f64>) -> (Clock, Option<f64>) {
    let s = (y[0] * y[0] + y[1] * y[1]).sqrt();
    let rising = slip.rate(y[0] / s, y[1] / s).z > RISING * slip.cos;
    match *goal {
        Goal::Impulse(p) => (Clock::Impulse, Some(p)),
        Goal::Speed(v) if rising => (Clock::Speed, Some(v)),
        Goal::Work(w) => match bridge {
            Some(b) if y[2] < b && rising => (Clock::Speed, Some(b)),
            Some(b) if y[2] >= b => (Clock::Work, Some(w)),
            _ => (Clock::Impulse, None),
        },
        Goal::Speed(_) => (Clock::Impulse, None),
    }
}

/// The speed up to which restitution runs over u_z, because W_z is singular at u_z = 0 (5.22). It
/// does not overshoot the work. `None` where K₃₃ ≤ μ √(K₃₁² + K₃₂²), where the bound does not
/// exist: then p_z is the clock.
fn bridge(slip: &Slip, from: &Point, goal: &Goal) -> Option<f64> {
    let Goal::Work(w) = goal else { return None };
    let k = slip.k.z_axis;
    let friction = slip.sin / slip.cos;
    let slowest = k.z - friction * (k.x * k.x + k.y * k.y).sqrt();
    (slowest > 0.0).then(|| (2.0 * (w - from.work) * slowest).sqrt().max(from.u.z))
}

/// Shrinks a step that went beyond the goal until it ends on it.
fn locate(slip: &Slip, clock: Clock, y: &Vector, h: f64, goal: &Goal) -> Vector {
    let (mut low, mut high) = (0.0, h);
    let mut best = *y;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        best = step(|y| rates(slip, clock, y), y, middle).0;
        if goal.excess(&point(&best)) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    best
}
