//! A cubic spline through points, with its first two derivatives: what a table of a motion means.
//!
//! The second derivative is continuous and linear in each piece; at both ends the third derivative
//! of the first two and of the last two pieces is the same ("not a knot"; de Boor 1978, IV), so
//! that a cubic is met exactly. Values are right to the fourth, accelerations to the second order
//! of the distance of the points.

/// A spline.
#[derive(Clone, Debug)]
pub struct Spline {
    /// Times, values, second derivatives.
    points: Vec<(f64, f64, f64)>,
}

impl Spline {
    /// Through at least two points (time, value), in rising order of time; none otherwise.
    pub fn new(points: &[(f64, f64)]) -> Option<Self> {
        let rising = points.windows(2).all(|w| w[0].0 < w[1].0);
        let finite = points.iter().all(|p| p.0.is_finite() && p.1.is_finite());
        if points.len() < 2 || !rising || !finite {
            return None;
        }
        let n = points.len();
        let mut second = vec![0.0; n];
        if n == 3 {
            // one parabola
            let slope =
                |k: usize| (points[k + 1].1 - points[k].1) / (points[k + 1].0 - points[k].0);
            second = vec![2.0 * (slope(1) - slope(0)) / (points[2].0 - points[0].0); 3];
        } else if n > 3 {
            second = second_derivatives(points);
        }
        Some(Self { points: points.iter().zip(second).map(|(p, s)| (p.0, p.1, s)).collect() })
    }

    /// Through at least two points, with these rates at both ends instead of the condition there.
    pub fn clamped(points: &[(f64, f64)], rates: [f64; 2]) -> Option<Self> {
        let plain = Self::new(points)?;
        if !rates.iter().all(|r| r.is_finite()) {
            return None;
        }
        let n = points.len();
        let h = |k: usize| points[k + 1].0 - points[k].0;
        let slope = |k: usize| (points[k + 1].1 - points[k].1) / h(k);

        // a tridiagonal system whose first and last rows are the rates
        let (mut mid, mut rhs) = (vec![0.0; n], vec![0.0; n]);
        for k in 0..n {
            (mid[k], rhs[k]) = match k {
                0 => (2.0 * h(0), 6.0 * (slope(0) - rates[0])),
                k if k == n - 1 => (2.0 * h(k - 1), 6.0 * (rates[1] - slope(k - 1))),
                k => (2.0 * (h(k - 1) + h(k)), 6.0 * (slope(k) - slope(k - 1))),
            };
        }
        for k in 1..n {
            let share = h(k - 1) / mid[k - 1];
            mid[k] -= share * h(k - 1);
            rhs[k] -= share * rhs[k - 1];
        }
        let mut out = plain;
        let mut next = 0.0;
        for k in (0..n).rev() {
            let over = if k + 1 < n { h(k) * next } else { 0.0 };
            next = (rhs[k] - over) / mid[k];
            out.points[k].2 = next;
        }
        Some(out)
    }

    /// Value, rate and acceleration at a time; the end pieces go on outside.
    pub fn at(&self, t: f64) -> [f64; 3] {
        let k = self.points.partition_point(|p| p.0 <= t).clamp(1, self.points.len() - 1);
        let ((t0, y0, s0), (t1, y1, s1)) = (self.points[k - 1], self.points[k]);
        let h = t1 - t0;
        let (a, b) = ((t1 - t) / h, (t - t0) / h);
        let value = a * y0 + b * y1 + ((a * a * a - a) * s0 + (b * b * b - b) * s1) * h * h / 6.0;
        let rate = (y1 - y0) / h + ((3.0 * b * b - 1.0) * s1 - (3.0 * a * a - 1.0) * s0) * h / 6.0;
        [value, rate, a * s0 + b * s1]
    }

    /// First and last time.
    pub fn span(&self) -> [f64; 2] {
        [self.points[0].0, self.points[self.points.len() - 1].0]
    }
}

/// The tridiagonal system of the inner points, the ends eliminated by the condition there.
fn second_derivatives(p: &[(f64, f64)]) -> Vec<f64> {
    let n = p.len();
    let h: Vec<f64> = (0..n - 1).map(|k| p[k + 1].0 - p[k].0).collect();
    let slope = |k: usize| (p[k + 1].1 - p[k].1) / h[k];
    let m = n - 2;
    let (mut low, mut mid, mut up, mut rhs) =
        (vec![0.0; m], vec![0.0; m], vec![0.0; m], vec![0.0; m]);
    for k in 0..m {
        (low[k], mid[k], up[k]) = (h[k], 2.0 * (h[k] + h[k + 1]), h[k + 1]);
        rhs[k] = 6.0 * (slope(k + 1) - slope(k));
    }
    // s₀ = s₁ + (s₁ − s₂) h₀/h₁, and so at the other end
    let (first, last) = (h[0] / h[1], h[n - 2] / h[n - 3]);
    mid[0] += low[0] * (1.0 + first);
    up[0] -= low[0] * first;
    mid[m - 1] += up[m - 1] * (1.0 + last);
    low[m - 1] -= up[m - 1] * last;

    // elimination and substitution; the matrix is diagonally dominant but for the end rows
    for k in 1..m {
        let share = low[k] / mid[k - 1];
        mid[k] -= share * up[k - 1];
        rhs[k] -= share * rhs[k - 1];
    }
    let mut s = vec![0.0; n];
    for k in (0..m).rev() {
        let next = if k + 1 < m { up[k] * s[k + 2] } else { 0.0 };
        s[k + 1] = (rhs[k] - next) / mid[k];
    }
    s[0] = s[1] + (s[1] - s[2]) * first;
    s[n - 1] = s[n - 2] + (s[n - 2] - s[n - 3]) * last;
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_met_with_its_derivatives() {
        let f = |t: f64| {
            [1.0 - t + 2.0 * t * t - t * t * t, -1.0 + 4.0 * t - 3.0 * t * t, 4.0 - 6.0 * t]
        };
        let points: Vec<(f64, f64)> =
            [0.0, 0.3, 0.5, 1.1, 1.2, 2.0].iter().map(|&t| (t, f(t)[0])).collect();
        let spline = Spline::new(&points).unwrap();
        for t in [0.0, 0.1, 0.4, 0.9, 1.15, 1.7, 2.0] {
            for (found, expected) in spline.at(t).iter().zip(f(t)) {
                assert!((found - expected).abs() < 1e-12, "{found} instead of {expected} at {t}");
            }
        }
        assert!(Spline::new(&[(0.0, 1.0), (0.0, 2.0)]).is_none());

        // and by its rates at the ends, two points being enough
        for cut in [&points[..], &[points[0], points[5]]] {
            let spline = Spline::clamped(cut, [f(0.0)[1], f(2.0)[1]]).unwrap();
            for t in [0.0, 0.4, 1.15, 2.0] {
                for (found, expected) in spline.at(t).iter().zip(f(t)) {
                    assert!((found - expected).abs() < 1e-12, "{found} not {expected} at {t}");
                }
            }
        }
    }
}
