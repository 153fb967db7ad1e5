//! Integration over smooth pieces, with the times between them located.

use super::mode::State;
use super::row::{Law, Row, Time};
use super::system::{Line, System};

/// Local error of a step, absolute and relative.
const ACCURACY: f64 = 1e-11;
/// Longest step, s: no event may come and go within one.
const LONGEST: f64 = 2e-3;
/// Most steps and events: a mechanism that needs more is not one to judge others by.
const MOST: usize = 5_000_000;
/// Slack of the conditions that end a piece, so that none ends where it begins.
const GAP: f64 = 1e-10;
const RATE: f64 = 1e-8;
const EFFORT: f64 = 1e-7;

/// A motion at chosen times.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// Coordinates at the chosen times.
    pub at: Vec<Vec<f64>>,
    /// Rates at the chosen times.
    pub rates: Vec<Vec<f64>>,
    /// Number of events on the way.
    pub events: usize,
    /// Number of the events that are impacts.
    pub impacts: usize,
}

/// Coordinates, rates, and the integrals of the rows that have one.
#[derive(Clone, Debug)]
struct Point {
    t: f64,
    q: Vec<f64>,
    u: Vec<f64>,
    wound: Vec<f64>,
}

/// What these change by.
struct Slope {
    q: Vec<f64>,
    u: Vec<f64>,
    wound: Vec<f64>,
}

/// Dormand and Prince's coefficients.
const C: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
const E: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

impl System {
    /// Rates, accelerations, and what integrals gather.
    fn derivative(&self, p: &Point, states: &[State], within: f64) -> Option<Slope> {
        let time = Time { t: p.t, within };
        let e = self.equations(time, &p.q, &p.u, &p.wound);
        let gathered = |(row, line): (&Row, &Line)| match row.law {
            Law::Wound(_, goal) => goal - line.value,
            _ => 0.0,
        };
        let wound = self.rows.iter().zip(&e.lines).map(gathered).collect();
        let u = self.accelerate(&e, states, time)?.accelerations;
        Some(Slope { q: p.u.clone(), u, wound })
    }

    /// One step and the size of its error (1 is just allowed).
    fn step(&self, p: &Point, h: f64, states: &[State], within: f64) -> Option<(Point, f64)> {
        let n = self.size();
        let mut slopes: Vec<Slope> = Vec::with_capacity(7);
        let mut end = p.clone();
        for s in 0..7 {
            let mut at = Point { t: p.t + C[s] * h, ..p.clone() };
            for (j, slope) in slopes.iter().enumerate() {
                let add = |to: &mut [f64], by: &[f64]| {
                    to.iter_mut().zip(by).for_each(|(x, d)| *x += h * A[s][j] * d);
                };
                add(&mut at.q, &slope.q);
                add(&mut at.u, &slope.u);
                add(&mut at.wound, &slope.wound);
            }
            slopes.push(self.derivative(&at, states, within)?);
            end = at;
        }
        let mut worst = 0.0_f64;
        for k in 0..n {
            let sum = |f: &dyn Fn(&Slope) -> f64| -> f64 {
                h * slopes.iter().zip(E).map(|(s, e)| e * f(s)).sum::<f64>()
            };
            let (q, u) = (sum(&|s| s.q[k]), sum(&|s| s.u[k]));
            worst = worst.max(q.abs() / (ACCURACY * (1.0 + p.q[k].abs())));
            worst = worst.max(u.abs() / (ACCURACY * (1.0 + p.u[k].abs())));
        }
        Some((end, if worst.is_finite() { worst } else { f64::INFINITY }))
    }

    /// The smallest of the conditions under which the states last: negative when one has ended.
    fn margin(&self, p: &Point, states: &[State], within: f64) -> f64 {
        let time = Time { t: p.t, within };
        let e = self.equations(time, &p.q, &p.u, &p.wound);
        let Some(a) = self.accelerate(&e, states, time) else { return -1.0 };
        let margin = |r: usize| match (&self.rows[r].law, states[r]) {
            // after a late impact the way back is still to go
            (Law::Stop(_), State::Free) if e.lines[r].value < -GAP && e.lines[r].rate > 0.0 => {
                f64::INFINITY
            }
            (Law::Stop(_), State::Free) => e.lines[r].value + GAP,
            (Law::Stop(_), State::Held) => a.efforts[r] + EFFORT,
            (Law::Bounded(..) | Law::Rub(..), State::Held) => {
                self.bound(r, &a.efforts) - a.efforts[r].abs() + EFFORT
            }
            (Law::Bounded(..) | Law::Rub(..), State::Sliding(side)) => {
                side * (e.lines[r].rate - self.wish(r, time).0) + RATE
            }
            _ => f64::INFINITY,
        };
        (0..states.len()).map(margin).fold(f64::INFINITY, f64::min)
    }

    /// Whether a stop that is free is being struck.
    fn strikes(&self, p: &Point, states: &[State], within: f64) -> bool {
        let e = self.equations(Time { t: p.t, within }, &p.q, &p.u, &p.wound);
        let struck =
            |r: usize| matches!((&self.rows[r].law, states[r]), (Law::Stop(_), State::Free));
        (0..states.len()).any(|r| struck(r) && e.lines[r].value < 0.0 && e.lines[r].rate < -RATE)
    }

    /// Rates after impulses and the states that follow.
    fn restart(&self, p: &mut Point, within: f64) -> Result<Vec<State>, String> {
        let time = Time { t: p.t, within };
        let e = self.equations(time, &p.q, &p.u, &p.wound);
        p.u = self.impact(&e, &p.u, time).ok_or_else(|| format!("no impulses fit at {} s", p.t))?;
        let e = self.equations(time, &p.q, &p.u, &p.wound);
        let states = self.states(&e, time).ok_or_else(|| format!("no states fit at {} s", p.t))?;
        p.u = self
            .settle(&e, &p.u, &states, time)
            .ok_or_else(|| format!("nothing settles at {} s", p.t))?;
        Ok(states)
    }
}

/// How a motion is put off on purpose, to see what that leads to.
#[derive(Clone, Debug, Default)]
pub struct Deviation {
    /// Stops are struck so much too late, s: what a step that does not locate impacts does at best.
    pub delay: f64,
    /// Which of them: all, or every second one from the first or the second on (0, 1, 2).
    pub which: usize,
    /// A coordinate and what its rate is off by at the start.
    pub rate: Option<(usize, f64)>,
}

/// The motion from rest coordinates, at rising times.
pub fn integrate(system: &System, times: &[f64]) -> Result<Trajectory, String> {
    integrate_off(system, times, &Deviation::default())
}

/// The same, put off.
pub fn integrate_off(
    system: &System,
    times: &[f64],
    off: &Deviation,
) -> Result<Trajectory, String> {
    let mut out = Trajectory::default();
    let mut rates: Vec<f64> = system.links.iter().map(|l| l.rate).collect();
    if let Some((k, change)) = off.rate {
        rates[k] += change;
    }
    let wound = vec![0.0; system.rows.len()];
    let mut p = Point { t: 0.0, q: vec![0.0; system.size()], u: rates, wound };
    let last = times.last().copied().unwrap_or(0.0);
    let mut stops: Vec<f64> = system
        .corners
        .iter()
        .copied()
        .filter(|&t| t > 0.0 && t < last)
        .chain(times.iter().copied())
        .collect();
    stops.sort_by(f64::total_cmp);
    stops.dedup();
    let (mut work, mut strikes) = (0, 0);
    let mut h: f64 = 1e-5;
    let mut next = 0;
    for &stop in &stops {
        let within = 0.5 * (p.t + stop);
        let mut states = system.restart(&mut p, within)?;
        while p.t < stop {
            work += 1;
            if work > MOST {
                return Err(format!("more than {MOST} steps and events"));
            }
            let length = h.min(LONGEST).min(stop - p.t);
            let (end, error) =
                system.step(&p, length, &states, within).ok_or("a singular mechanism")?;
            if error > 1.0 {
                h = length * (0.9 * error.powf(-0.2)).clamp(0.1, 0.9);
                if h < 1e-14 {
                    return Err(format!("the step vanishes at {} s", p.t));
                }
                continue;
            }
            if system.margin(&end, &states, within) < 0.0 {
                // the time at which a state ends, by halving
                let (mut low, mut high) = (0.0, length);
                while high - low > 1e-15 + 1e-13 * length {
                    let middle = 0.5 * (low + high);
                    let (at, _) =
                        system.step(&p, middle, &states, within).ok_or("a singular mechanism")?;
                    if system.margin(&at, &states, within) < 0.0 {
                        high = middle
                    } else {
                        low = middle
                    }
                }
                p = system.step(&p, high, &states, within).ok_or("a singular mechanism")?.0;
                if system.strikes(&p, &states, within) {
                    strikes += 1;
                    let delayed = off.which == 0 || (strikes + off.which).is_multiple_of(2);
                    let late = if delayed { off.delay.min(stop - p.t) } else { 0.0 };
                    p = system.step(&p, late, &states, within).ok_or("a singular mechanism")?.0;
                }
                let before = p.u.clone();
                states = system.restart(&mut p, within)?;
                out.events += 1;
                let jumped =
                    p.u.iter().zip(&before).any(|(after, before)| (after - before).abs() > RATE);
                out.impacts += usize::from(jumped);
                h = 1e-5;
                continue;
            }
            p = end;
            if stop - p.t < 1e-14 {
                p.t = stop;
            }
            h = length * (0.9 * error.max(1e-10).powf(-0.2)).clamp(0.2, 4.0);
        }
        if next < times.len() && stop == times[next] {
            out.at.push(p.q.clone());
            out.rates.push(p.u.clone());
            next += 1;
        }
    }
    Ok(out)
}
