//! Curves: uniform B-splines that start and end at their outer control points (W-23 to W-25).
//!
//! Two points make a line, three a parabola, four a Bézier curve of third degree, more a cubic
//! spline. The parameter runs from 0 to 1.

use crate::arena::id;
use crate::error::ModelError;
use crate::math::Vec3;
use serde::{Deserialize, Serialize};

id! {
    /// Names a curve of a [`World`](crate::World).
    CurveId
}

/// A curve in space, ready to be added with [`World::add_curve`](crate::World::add_curve).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Unique name; empty means "curve N".
    pub name: String,
    /// Control points, m; two or more.
    pub points: Vec<Vec3>,
}

/// A point of a curve with its derivatives by the parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CurvePoint {
    pub u: f64,
    pub p: Vec3,
    pub d: Vec3,
    pub dd: Vec3,
}

impl Curve {
    /// A curve through its first and last point.
    pub fn new(points: Vec<Vec3>) -> Self {
        Self { name: String::new(), points }
    }

    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    pub(crate) fn check(&self, name: &str) -> Result<(), ModelError> {
        for point in &self.points {
            crate::bounds::POSITION.check_vector(name, "points", *point)?;
        }
        let length: f64 = self.points.windows(2).map(|w| w[0].distance(w[1])).sum();
        let fault = |must, value| ModelError::OutOfRange {
            item: name.to_owned(),
            field: "points",
            must,
            value,
        };
        if self.points.len() < 2 {
            return Err(fault("two or more", self.points.len() as f64));
        }
        // a curve without extent has no direction to lead anything along
        if length < 1e-9 {
            return Err(fault("apart from each other (the curve has no length)", length));
        }
        Ok(())
    }

    fn degree(&self) -> usize {
        3.min(self.points.len() - 1)
    }

    /// Knot `i` of the clamped uniform knot vector.
    fn knot(&self, i: usize) -> f64 {
        let (d, spans) = (self.degree(), self.points.len() - self.degree());
        i.saturating_sub(d).min(spans) as f64 / spans as f64
    }

    /// Point and derivatives at parameter `u` (brought to 0..=1), by de Boor's scheme.
    pub(crate) fn at(&self, u: f64) -> CurvePoint {
        let u = if u.is_finite() { u.clamp(0.0, 1.0) } else { 0.0 };
        let (d, spans) = (self.degree(), self.points.len() - self.degree());
        let span = ((u * spans as f64) as usize).min(spans - 1);
        let k = span + d;
        // control points of the curve and of its derivatives on this span
        let mut levels: [[Vec3; 4]; 3] = [[Vec3::ZERO; 4]; 3];
        levels[0][..=d].copy_from_slice(&self.points[span..=span + d]);
        for order in 1..=2.min(d) {
            let degree = d + 1 - order;
            for j in order..=d {
                let gap = self.knot(span + j + degree) - self.knot(span + j);
                levels[order][j] =
                    (levels[order - 1][j] - levels[order - 1][j - 1]) * (degree as f64 / gap);
            }
        }
        let mut out = [Vec3::ZERO; 3];
        for order in 0..=2.min(d) {
            let degree = d - order;
            let mut c = levels[order];
            for r in 1..=degree {
                for j in (order + r..=d).rev() {
                    let (left, right) = (self.knot(span + j), self.knot(span + j + degree + 1 - r));
                    let s = (u - left) / (right - left);
                    c[j] = c[j - 1] * (1.0 - s) + c[j] * s;
                }
            }
            out[order] = c[d];
        }
        debug_assert!(k < self.points.len() + d);
        CurvePoint { u, p: out[0], d: out[1], dd: out[2] }
    }

    /// A direction that the curve does not run along, so that a frame made with it turns steadily:
    /// of the axes, the diagonals and the normal of a plane curve the one that stays farthest from
    /// the tangent.
    pub(crate) fn aside(&self) -> Vec3 {
        let samples = 16 * (self.points.len() - self.degree());
        let tangent = |i: usize| self.at(i as f64 / samples as f64).d.normalize_or_zero();
        let normals = (1..self.points.len()).map(|k| {
            let ahead = self.points[k] - self.points[0];
            ahead.cross(self.points[self.points.len() - 1] - self.points[k]).normalize_or_zero()
        });
        let fixed = [
            [0, 0, 1],
            [0, 1, 0],
            [1, 0, 0],
            [1, 1, 0],
            [1, -1, 0],
            [0, 1, 1],
            [0, 1, -1],
            [1, 0, 1],
            [1, 0, -1],
        ];
        let fixed = fixed.map(|e| Vec3::from_array(e.map(f64::from)).normalize());
        let apart = |e: &Vec3| {
            (0..=samples).map(|i| tangent(i).cross(*e).length()).fold(f64::INFINITY, f64::min)
        };
        let mut best = (0.0, Vec3::Z);
        for e in fixed.into_iter().chain(normals) {
            let found = apart(&e);
            // a later one must be clearly better: rounding decides nothing
            if found > best.0 + 1e-9 {
                best = (found, e);
            }
        }
        best.1
    }

    /// The point at parameter `u`, m.
    pub fn point(&self, u: f64) -> Vec3 {
        self.at(u).p
    }

    /// The point nearest to `x`. Near `before`, the parameter of the last step, the search stays on
    /// its branch: a target that jumps between branches within a step would tear the point along.
    pub(crate) fn nearest(&self, x: Vec3, before: Option<f64>) -> CurvePoint {
        let samples = 8 * (self.points.len() - self.degree());
        let step = 1.0 / samples as f64;
        let (mut low, mut high) = (0.0, 1.0);
        match before {
            Some(u) => (low, high) = ((u - 2.0 * step).max(0.0), (u + 2.0 * step).min(1.0)),
            None => {
                let distance = |i: &usize| self.at(*i as f64 * step).p.distance_squared(x);
                let best =
                    (0..=samples).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
                low = (low + (best as f64 - 1.0) * step).max(0.0);
                high = (high.min((best as f64 + 1.0) * step)).min(1.0);
            }
        }
        // the sign of (B − x)·B' tells the side; halve until it is found
        let slope = |u: f64| {
            let c = self.at(u);
            (c.p - x).dot(c.d)
        };
        if slope(low) >= 0.0 {
            return self.at(low);
        }
        if slope(high) <= 0.0 {
            return self.at(high);
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if slope(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.at(0.5 * (low + high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Vec3> {
        [
            [0.0, 0.0, 0.0],
            [1.0, 2.0, 0.5],
            [3.0, -1.0, 0.0],
            [4.0, 1.0, 1.0],
            [6.0, 0.0, -1.0],
            [7.0, 2.0, 0.0],
        ]
        .map(Vec3::from_array)
        .to_vec()
    }

    #[test]
    fn four_points_make_the_bezier_curve_and_fewer_its_lower_degrees() {
        let p = points();
        for n in 2..=4 {
            let curve = Curve::new(p[..n].to_vec());
            for u in [0.0, 0.2, 0.7, 1.0] {
                // Bernstein polynomials of degree n − 1
                let d = n - 1;
                let mut expected = Vec3::ZERO;
                for (i, p) in p[..n].iter().enumerate() {
                    let choose = [[1.0, 1.0, 0.0, 0.0], [1.0, 2.0, 1.0, 0.0], [1.0, 3.0, 3.0, 1.0]]
                        [d - 1][i];
                    let power = |x: f64, k: usize| (0..k).fold(1.0, |y, _| y * x);
                    expected += *p * (choose * power(u, i) * power(1.0 - u, d - i));
                }
                assert!(curve.point(u).distance(expected) < 1e-14, "{n} points, u = {u}");
            }
        }
    }

    #[test]
    fn derivatives_are_differences_and_the_ends_are_the_outer_points() {
        for n in 2..=6 {
            let curve = Curve::new(points()[..n].to_vec());
            assert_eq!((curve.point(0.0), curve.point(1.0)), (points()[0], points()[n - 1]));
            let h = 1e-5;
            for u in [0.11, 0.41, 0.55, 0.9] {
                let (a, m, b) = (curve.at(u - h), curve.at(u), curve.at(u + h));
                assert!(((b.p - a.p) / (2.0 * h)).distance(m.d) < 1e-6);
                assert!(((b.d - a.d) / (2.0 * h)).distance(m.dd) < 1e-5, "{n} points at {u}");
            }
        }
    }

    #[test]
    fn the_nearest_point_is_as_near_as_the_best_of_many() {
        let curve = Curve::new(points());
        for x in [Vec3::new(1.0, 0.3, 0.2), Vec3::new(5.0, 1.0, 0.0), Vec3::new(-1.0, 0.0, 0.0)] {
            let found = curve.nearest(x, None).p.distance(x);
            let best = (0..=10_000)
                .map(|i| curve.point(f64::from(i) / 1e4).distance(x))
                .fold(f64::INFINITY, f64::min);
            assert!(found <= best + 1e-9, "{found} {best}");
        }
    }
}
