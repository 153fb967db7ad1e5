//! States of rows (held or sliding, open or closed), and the accelerations and impulses that they
//! lead to.

use super::dense::solve;
use super::row::{Law, Time};
use super::system::{Equations, System, dot_n};

/// Rates below this count as none when states are found, in m/s or rad/s.
pub const STILL: f64 = 1e-7;
/// Gaps below this count as closed when states are found, m or rad.
pub const SHUT: f64 = 1e-8;

/// The state of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// Forces and open stops: the row takes no part.
    Free,
    /// The row holds its rate, and a stop its place.
    Held,
    /// The coordinate runs ahead of the wished rate (+1) or behind it (-1): the effort is at its
    /// bound.
    Sliding(f64),
}

/// Accelerations and the efforts of all rows.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Accelerations of the coordinates (or changes of their rates).
    pub accelerations: Vec<f64>,
    /// Efforts (or impulses) by row.
    pub efforts: Vec<f64>,
}

/// What a condition demands of the rows that are held.
struct Demand {
    /// Right side by row, for rows that are held.
    target: Vec<f64>,
    /// Sum of the forces; none for impulses.
    force: Vec<f64>,
    /// Whether bounded efforts act: they have no impulses.
    bounded: bool,
}

/// Solves M a = f + Jᵀλ with J a = target for the rows that are held.
fn answer(system: &System, e: &Equations, states: &[State], demand: &Demand) -> Option<Answer> {
    let n = system.size();
    let held: Vec<usize> = (0..states.len()).filter(|&r| states[r] == State::Held).collect();
    let size = n + held.len();
    let mut a = vec![vec![0.0; size]; size];
    let mut b = vec![0.0; size];
    for k in 0..n {
        a[k][..n].copy_from_slice(&e.mass[k]);
        b[k] = demand.force[k];
    }
    for (i, &r) in held.iter().enumerate() {
        for k in 0..n {
            a[k][n + i] -= e.lines[r].gradient[k];
            a[n + i][k] = e.lines[r].gradient[k];
        }
        b[n + i] = demand.target[r];
    }
    // efforts at their bounds are known; those of rubbing follow the normal force, which is an
    // unknown
    for (r, row) in system.rows.iter().enumerate() {
        let State::Sliding(side) = states[r] else { continue };
        match row.law {
            Law::Bounded(_, bound) if demand.bounded => {
                for k in 0..n {
                    b[k] -= side * bound * e.lines[r].gradient[k];
                }
            }
            Law::Rub(normal, mu) => {
                let i = held.iter().position(|&x| x == normal)?;
                for k in 0..n {
                    a[k][n + i] += side * mu * e.lines[r].gradient[k];
                }
            }
            _ => {}
        }
    }
    let x = solve(a, b)?;
    let mut efforts = vec![0.0; states.len()];
    for (i, &r) in held.iter().enumerate() {
        efforts[r] = x[n + i];
    }
    for (r, row) in system.rows.iter().enumerate() {
        if let State::Sliding(side) = states[r] {
            efforts[r] = match row.law {
                Law::Bounded(_, bound) if demand.bounded => -side * bound,
                Law::Rub(normal, mu) => -side * mu * efforts[normal],
                _ => 0.0,
            };
        }
    }
    Some(Answer { accelerations: x[..n].to_vec(), efforts })
}

impl System {
    /// The rate (and its slope) that a row wishes.
    pub fn wish(&self, r: usize, time: Time) -> (f64, f64) {
        match &self.rows[r].law {
            Law::Hold(s) | Law::Bounded(s, _) => s.at(time),
            _ => (0.0, 0.0),
        }
    }

    /// The largest effort of a row, given the efforts of all.
    pub fn bound(&self, r: usize, efforts: &[f64]) -> f64 {
        match self.rows[r].law {
            Law::Bounded(_, bound) => bound,
            Law::Rub(normal, mu) => mu * efforts[normal],
            _ => f64::INFINITY,
        }
    }

    /// Accelerations in given states.
    pub fn accelerate(&self, e: &Equations, states: &[State], time: Time) -> Option<Answer> {
        let target = (0..states.len()).map(|r| self.wish(r, time).1 - e.lines[r].bias).collect();
        answer(self, e, states, &Demand { target, force: e.force.clone(), bounded: true })
    }

    /// The states that rows can be in by their gaps and rates alone.
    fn choices(&self, e: &Equations, time: Time) -> Vec<Vec<State>> {
        let open = |r: usize| e.lines[r].value > SHUT || e.lines[r].rate > STILL;
        let slide = |r: usize| {
            let ahead = e.lines[r].rate - self.wish(r, time).0;
            if ahead.abs() > STILL {
                vec![State::Sliding(ahead.signum())]
            } else {
                vec![State::Held, State::Sliding(1.0), State::Sliding(-1.0)]
            }
        };
        let choice = |r: usize| match self.rows[r].law {
            Law::Force(_) | Law::Wound(..) => vec![State::Free],
            Law::Hold(_) => vec![State::Held],
            Law::Bounded(..) => slide(r),
            Law::Stop(_) if open(r) => vec![State::Free],
            Law::Stop(_) => vec![State::Held, State::Free],
            Law::Rub(normal, _) if open(normal) => vec![State::Free],
            Law::Rub(..) => slide(r),
        };
        (0..self.rows.len()).map(choice).collect()
    }

    /// States that agree with the accelerations they lead to.
    pub fn states(&self, e: &Equations, time: Time) -> Option<Vec<State>> {
        let choices = self.choices(e, time);
        combinations(&choices).find_map(|mut states| {
            self.rest_with_the_normal(&mut states);
            let a = self.accelerate(e, &states, time)?;
            let second = |r: usize| dot_n(&e.lines[r].gradient, &a.accelerations) + e.lines[r].bias;
            let fits = (0..states.len()).all(|r| {
                let several = choices[r].len() > 1;
                match (&self.rows[r].law, states[r]) {
                    (Law::Stop(_), State::Held) => a.efforts[r] >= -1e-9,
                    (Law::Stop(_), State::Free) => !several || second(r) >= -1e-9,
                    (Law::Bounded(..) | Law::Rub(..), State::Held) => {
                        a.efforts[r].abs() <= self.bound(r, &a.efforts) + 1e-9
                    }
                    (Law::Bounded(..) | Law::Rub(..), State::Sliding(side)) => {
                        !several || side * (second(r) - self.wish(r, time).1) >= 0.0
                    }
                    _ => true,
                }
            });
            fits.then_some(states)
        })
    }

    /// Rates without what is left of those that the held rows do not allow: they were small enough
    /// to count as none.
    pub fn settle(
        &self,
        e: &Equations,
        u: &[f64],
        states: &[State],
        time: Time,
    ) -> Option<Vec<f64>> {
        let target = (0..states.len()).map(|r| self.wish(r, time).0 - e.lines[r].rate).collect();
        let held: Vec<State> = states
            .iter()
            .map(|s| if *s == State::Held { State::Held } else { State::Free })
            .collect();
        let a = answer(
            self,
            e,
            &held,
            &Demand { target, force: vec![0.0; self.size()], bounded: false },
        )?;
        Some(u.iter().zip(&a.accelerations).map(|(u, a)| u + a).collect())
    }

    /// A contact that is open does not rub.
    fn rest_with_the_normal(&self, states: &mut [State]) {
        for r in 0..states.len() {
            if let Law::Rub(normal, _) = self.rows[r].law
                && states[normal] == State::Free
            {
                states[r] = State::Free;
            }
        }
    }

    /// New rates after impulses of conditions, stops that are hit, and their friction.
    pub fn impact(&self, e: &Equations, u: &[f64], time: Time) -> Option<Vec<f64>> {
        let rows = self.rows.len();
        let shut = |r: usize| e.lines[r].value <= SHUT;
        let choices: Vec<Vec<State>> = (0..rows)
            .map(|r| match self.rows[r].law {
                Law::Force(_) | Law::Wound(..) | Law::Bounded(..) => vec![State::Free],
                Law::Hold(_) => vec![State::Held],
                Law::Stop(_) if !shut(r) => vec![State::Free],
                Law::Stop(_) => vec![State::Held, State::Free],
                Law::Rub(normal, _) if !shut(normal) => vec![State::Free],
                Law::Rub(..) => vec![State::Held, State::Sliding(1.0), State::Sliding(-1.0)],
            })
            .collect();
        // the rate afterwards: that of the schedule, the rebound of an approach, none across a
        // contact
        let after = |r: usize| match self.rows[r].law {
            Law::Stop(share) => (-share * e.lines[r].rate).max(0.0),
            _ => self.wish(r, time).0,
        };
        let target: Vec<f64> = (0..rows).map(|r| after(r) - e.lines[r].rate).collect();
        let demand = Demand { target, force: vec![0.0; self.size()], bounded: false };
        combinations(&choices).find_map(|mut states| {
            self.rest_with_the_normal(&mut states);
            let a = answer(self, e, &states, &demand)?;
            let fits = (0..rows).all(|r| {
                let rate = e.lines[r].rate + dot_n(&e.lines[r].gradient, &a.accelerations);
                match (&self.rows[r].law, states[r]) {
                    (Law::Stop(_), State::Held) => a.efforts[r] >= -1e-12,
                    (Law::Stop(_), State::Free) => !shut(r) || rate >= after(r) - 1e-12,
                    (Law::Rub(..), State::Held) => {
                        a.efforts[r].abs() <= self.bound(r, &a.efforts) + 1e-12
                    }
                    (Law::Rub(..), State::Sliding(side)) => side * rate >= -1e-12,
                    _ => true,
                }
            });
            fits.then(|| u.iter().zip(&a.accelerations).map(|(u, a)| u + a).collect())
        })
    }
}

/// All ways to choose one of each, the first ones first.
fn combinations(choices: &[Vec<State>]) -> impl Iterator<Item = Vec<State>> + '_ {
    let count: usize = choices.iter().map(Vec::len).product();
    (0..count).map(move |mut k| {
        choices
            .iter()
            .map(|c| {
                let state = c[k % c.len()];
                k /= c.len();
                state
            })
            .collect()
    })
}
