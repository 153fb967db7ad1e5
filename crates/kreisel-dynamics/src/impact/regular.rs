//! The sliding path over τ, dτ = dσ/s: regular where the slip s vanishes.
//!
//! This parametrisation is ours. Over the impulse the direction of the slip obeys θ' = h(θ)/s,
//! which is singular at the very point that decides between sticking and leaving. Over τ all
//! equations are products of sums:
//!
//! c' = −w h, w' = c h, s' = s g, u_z' = s a_z, W' = s u_z cos φ, p_z' = s cos φ with c = cos θ,
//! w = sin θ
//!
//! θ does not know of s, and a slip that dies out does so like an exponential. The solution is
//! entire enough for long steps of a Taylor series, whose coefficients follow from products alone
//! (no division, no root, no trigonometric function), and the series is its own dense output: the
//! end of a stage is a root of a polynomial.
//!
//! | | |
//! |---|---|
//! | cost | 9 products of series per step, typically 3 to 15 steps |
//! | error | about 1e-15 of the initial speed per step |

use super::path::{Point, STICK, Slide};
use super::restitution::Goal;
use super::slip::Slip;
use crate::math::{Vec3, fun};

/// Order of the series: near the optimum of work per length for full precision.
const ORDER: usize = 16;
/// Wanted size of the last terms.
const LAST_TERM: f64 = 1e-16;
/// Never reached by a contact that obeys the laws; bounds the work all the same.
pub(super) const MAX_STEPS: u32 = 4000;

type Series = [f64; ORDER + 1];

/// The Taylor coefficients of one step.
struct Expansion {
    c: Series,
    w: Series,
    s: Series,
    z: Series,
    work: Series,
    normal: Series,
}

/// Coefficient n of a product.
fn product(a: &Series, b: &Series, n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..=n {
        sum += a[i] * b[n - i];
    }
    sum
}

impl Expansion {
    fn new(slip: &Slip, c0: f64, w0: f64, s0: f64, at: &Point) -> Self {
        let zero = [0.0; ORDER + 1];
        let (mut c, mut w, mut s, mut z, mut work, mut normal) =
            (zero, zero, zero, zero, zero, zero);
        let (mut ax, mut ay, mut az, mut g, mut h) = (zero, zero, zero, zero, zero);
        (c[0], w[0], s[0], z[0], work[0], normal[0]) = (c0, w0, s0, at.u.z, at.work, at.normal);
        for n in 0..ORDER {
            let mut a = slip.k * Vec3::new(-slip.sin * c[n], -slip.sin * w[n], 0.0);
            if n == 0 {
                a += slip.k.z_axis * slip.cos;
            }
            (ax[n], ay[n], az[n]) = (a.x, a.y, a.z);
            g[n] = product(&ax, &c, n) + product(&ay, &w, n);
            h[n] = product(&ay, &c, n) - product(&ax, &w, n);
            let scale = 1.0 / (n + 1) as f64;
            c[n + 1] = -product(&w, &h, n) * scale;
            w[n + 1] = product(&c, &h, n) * scale;
            s[n + 1] = product(&s, &g, n) * scale;
            z[n + 1] = product(&s, &az, n) * scale;
            work[n + 1] = product(&s, &z, n) * scale * slip.cos;
            normal[n + 1] = s[n] * scale * slip.cos;
        }
        Self { c, w, s, z, work, normal }
    }

    /// The step for which the last terms are negligible.
    fn step(&self) -> f64 {
        let mut step = f64::INFINITY;
        for series in [&self.c, &self.w, &self.s, &self.z, &self.work, &self.normal] {
            for n in [ORDER - 1, ORDER] {
                if series[n] != 0.0 {
                    step = step.min(fun::pow(LAST_TERM / series[n].abs(), 1.0 / n as f64));
                }
            }
        }
        step
    }

    fn at(&self, t: f64) -> Point {
        let (c, w, s) = (value(&self.c, t), value(&self.w, t), value(&self.s, t));
        let length = (c * c + w * w).sqrt();
        let u = Vec3::new(s * c / length, s * w / length, value(&self.z, t));
        Point { u, work: value(&self.work, t), normal: value(&self.normal, t) }
    }

    /// Where the goal is reached in (0, t], if it is exceeded at t: safeguarded Newton on the
    /// polynomial.
    fn root(&self, goal: &Goal, t: f64) -> f64 {
        let (series, target) = match *goal {
            Goal::Speed(v) => (&self.z, v),
            Goal::Work(w) => (&self.work, w),
            Goal::Impulse(p) => (&self.normal, p),
        };
        let (mut low, mut high, mut x) = (0.0, t, t);
        for _ in 0..100 {
            let excess = value(series, x) - target;
            if excess < 0.0 {
                low = x;
            } else {
                high = x;
            }
            let newton = x - excess / slope(series, x);
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if excess == 0.0
                || (next - x).abs() <= f64::EPSILON * t
                || high - low <= f64::EPSILON * t
            {
                break;
            }
            x = next;
        }
        x
    }
}

fn value(series: &Series, t: f64) -> f64 {
    series.iter().rev().fold(0.0, |sum, a| sum * t + a)
}

fn slope(series: &Series, t: f64) -> f64 {
    (1..=ORDER).rev().fold(0.0, |sum, n| sum * t + n as f64 * series[n])
}

/// Slides from a point with slip to the goal or to sticking. `None` if neither is reached.
pub(super) fn slide(
    slip: &Slip,
    from: &Point,
    goal: &Goal,
    note: &mut dyn FnMut(&Point),
) -> Option<Slide> {
    let mut point = *from;
    for steps in 1..=MAX_STEPS {
        let s = point.slip();
        let expansion = Expansion::new(slip, point.u.x / s, point.u.y / s, s, &point);
        let step = expansion.step();
        if !(step > 0.0 && step.is_finite()) {
            return None;
        }
        let mut next = expansion.at(step);
        let arrived = goal.excess(&next) >= 0.0;
        if arrived {
            next = expansion.at(expansion.root(goal, step));
        }
        note(&next);
        if arrived {
            return Some(Slide { end: next, stuck: false, steps });
        }
        if next.slip() <= STICK {
            return Some(Slide { end: next, stuck: true, steps });
        }
        point = next;
    }
    None
}
