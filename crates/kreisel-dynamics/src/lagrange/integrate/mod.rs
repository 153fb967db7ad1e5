//! Integrators of y' = f(t, y) (Wagner 6.3.4.2 and appendix F; W-84 to W-90). All are one-step
//! methods: nothing of the past survives a step but the adaptive ones' idea of a good step size,
//! which a restart forgets (W-89).

mod bulirsch_stoer;
mod cash_karp;
mod fixed;
mod implicit;

use super::settings::{Integrator, Lagrange};

/// What is integrated.
pub(crate) trait Flow {
    /// Rates of `y` at time `t`.
    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]);
    /// Brings `y` back to where it belongs (units quaternions) after a step.
    fn tidy(&mut self, y: &mut [f64]);
    /// Leading numbers of `y` that count for the error; the rest are sums for the report.
    fn counted(&self) -> usize;
    /// Longest substep of integrators of fixed steps.
    fn longest(&self) -> f64 {
        f64::INFINITY
    }
    /// Whether time is up: what is left of the step is made in one piece.
    fn spent(&self) -> bool {
        false
    }
}

/// Vectors that are used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    v: Vec<Vec<f64>>,
}

impl Scratch {
    fn vectors<const N: usize>(&mut self, n: usize) -> [&mut Vec<f64>; N] {
        self.v.resize_with(self.v.len().max(N), Vec::new);
        for v in &mut self.v[..N] {
            v.clear();
            v.resize(n, 0.0);
        }
        let mut rest = self.v.iter_mut();
        std::array::from_fn(|_| rest.next().expect("resized above"))
    }
}

/// What an integration did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Work {
    pub steps: u32,
    pub rejected: u32,
    /// Shortest steps that were still not as accurate as wanted.
    pub missed: u32,
}

/// Carries `y` from `t` over `h`. `hint` is the adaptive integrators' next step size, zero for
/// none.
pub(crate) fn advance(
    flow: &mut impl Flow,
    settings: &Lagrange,
    t: f64,
    h: f64,
    y: &mut Vec<f64>,
    hint: &mut f64,
    scratch: &mut Scratch,
) -> Work {
    let method = match settings.integrator {
        Integrator::Euler => fixed::euler,
        Integrator::Rk2 => fixed::midpoint,
        Integrator::Rk4 => fixed::classical,
        Integrator::Implicit => {
            implicit::step(flow, t, h, y);
            flow.tidy(y);
            return Work { steps: 1, ..Work::default() };
        }
        Integrator::CashKarp => {
            return cash_karp::advance(flow, t, h, settings.accuracy, y, hint, scratch);
        }
        Integrator::BulirschStoer => {
            return bulirsch_stoer::advance(flow, t, h, settings.accuracy, y, hint);
        }
    };
    let mut work = Work::default();
    let substeps = (h / flow.longest() - SLIGHTLY).ceil().max(1.0) as u32;
    let mut now = t;
    for k in 0..substeps {
        // what time has run out for is made in one piece
        let rest = t + h - now;
        let last = k + 1 == substeps || flow.spent();
        let substep = if last { rest } else { rest / f64::from(substeps - k) };
        method(flow, now, substep, y, scratch);
        flow.tidy(y);
        work.steps += 1;
        now += substep;
        if last {
            break;
        }
    }
    work
}

/// Share of a substep that rounding may make a step longer by.
const SLIGHTLY: f64 = 1e-6;

/// Numbers below a millimetre, a milliradian or a millimetre per second are measured against that:
/// coordinates that are zero but for rounding would never be accurate enough.
const SMALL: f64 = 1e-3;

/// Largest error over wanted accuracy, each number scaled by |y| + |h y'| (Numerical Recipes,
/// 16.2).
fn ratio(error: &[f64], y: &[f64], dy: &[f64], h: f64, accuracy: f64, counted: usize) -> f64 {
    let mut worst = 0.0_f64;
    for i in 0..counted {
        let r = (error[i] / (y[i].abs() + (h * dy[i]).abs() + SMALL)).abs();
        // written so that NaN counts as the worst
        if !(r <= worst) {
            worst = r;
        }
    }
    worst / accuracy
}

#[cfg(test)]
mod tests;
