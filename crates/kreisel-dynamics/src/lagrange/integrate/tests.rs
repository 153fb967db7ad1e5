//! Orders (AT-39) and accuracies of the integrators on problems with a closed form.

use super::super::settings::{Integrator, Lagrange};
use super::*;
use crate::math::fun;

/// y'' = −y with a time-dependent push: y₀ = sin t + t²/10 − 1/5 solves y₀'' = −y₀ + t²/10.
struct Pushed;
impl Flow for Pushed {
    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        (dy[0], dy[1]) = (y[1], -y[0] + t * t / 10.0);
    }
    fn tidy(&mut self, _: &mut [f64]) {}
    fn counted(&self) -> usize {
        2
    }
}

fn exact(t: f64) -> f64 {
    fun::sin(t) + t * t / 10.0 - 0.2
}

fn error(integrator: Integrator, steps: usize, accuracy: f64) -> f64 {
    let settings = Lagrange { integrator, accuracy, ..Lagrange::default() };
    let mut y = vec![exact(0.0), 1.0];
    let (mut hint, mut scratch) = (0.0, Scratch::default());
    let h = 2.0 / steps as f64;
    for k in 0..steps {
        advance(&mut Pushed, &settings, h * k as f64, h, &mut y, &mut hint, &mut scratch);
    }
    (y[0] - exact(2.0)).abs()
}

#[test]
fn halving_the_step_shows_the_order() {
    for (integrator, order) in [
        (Integrator::Euler, 1.0),
        (Integrator::Rk2, 2.0),
        (Integrator::Rk4, 4.0),
        (Integrator::Implicit, 2.0),
    ] {
        let (coarse, fine) = (error(integrator, 40, 1e-4), error(integrator, 80, 1e-4));
        let seen = (coarse / fine).log2();
        assert!((seen - order).abs() < 0.2, "{integrator:?}: order {seen}");
    }
}

#[test]
fn the_fifth_order_of_cash_and_karp_shows() {
    let error = |steps: usize| {
        let mut y = vec![exact(0.0), 1.0];
        let h = 2.0 / steps as f64;
        for n in 0..steps {
            let mut s = Scratch::default();
            let [k1, k2, k3, k4, k5, k6, out, e] = s.vectors(2);
            let t = h * n as f64;
            Pushed.rates(t, &y, k1);
            cash_karp::once(&mut Pushed, t, h, &y, &mut [k1, k2, k3, k4, k5, k6], out, e);
            y.copy_from_slice(out);
        }
        (y[0] - exact(2.0)).abs()
    };
    let seen = (error(10) / error(20)).log2();
    assert!((seen - 5.0).abs() < 0.3, "order {seen}");
}

#[test]
fn adaptive_integrators_meet_their_accuracy_and_land_on_the_end() {
    for integrator in [Integrator::CashKarp, Integrator::BulirschStoer] {
        for accuracy in [1e-4, 1e-8, 1e-11] {
            // the error of a whole run is a few local errors
            let e = error(integrator, 3, accuracy);
            assert!(e < 20.0 * accuracy, "{integrator:?} {accuracy:e}: {e:e}");
        }
    }
}

/// y' = −λ(y − cos t) − sin t with λh = 300: an explicit method would explode.
struct Stiff;
impl Flow for Stiff {
    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        dy[0] = -3000.0 * (y[0] - fun::cos(t)) - fun::sin(t);
    }
    fn tidy(&mut self, _: &mut [f64]) {}
    fn counted(&self) -> usize {
        1
    }
}

#[test]
fn the_implicit_step_takes_stiff_problems() {
    let settings = Lagrange { integrator: Integrator::Implicit, ..Lagrange::default() };
    let mut y = vec![2.0];
    let (mut hint, mut scratch) = (0.0, Scratch::default());
    for k in 0..50 {
        advance(&mut Stiff, &settings, 0.1 * f64::from(k), 0.1, &mut y, &mut hint, &mut scratch);
    }
    assert!((y[0] - fun::cos(5.0)).abs() < 1e-2, "{}", y[0]);
}
