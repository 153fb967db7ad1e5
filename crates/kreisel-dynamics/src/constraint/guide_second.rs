//! Rails and polygons at the level of accelerations, for the multiplier method: C with its rate and
//! its bias ([`super::second`]).
//!
//! With weights sₖ of the supports, q' = v_P − Σ sₖ vₖ and a direction e, every row of a guide has
//! C' = e·q' ([`super::guide`]), hence
//!
//! C'' = e·(a_P − Σ sₖ aₖ) + e'·q' − e·Σ sₖ' vₖ
//!
//! The first term is J v' and the points' own biases; the others are what remains. e' follows from
//! the products that stay: n·u = 0 gives n'·u = −n·u', and so on for the dual vectors of u and v.
//! The directions across a rail are kept at the instant: what is demanded of C'' is then a demand
//! on a vector across the rail, whatever basis it is written in.

use super::guide::{Guide, GuideKind, MAX_PLACES};
use super::second::{Jet, Jet3};
use crate::math::{Vec3, basis};

/// A row of a guide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuideRow {
    pub c: Jet,
    /// Direction of the force on the point.
    pub e: Vec3,
    /// Shares of its reversed force on the supports.
    pub weights: [f64; 3],
}

/// What all rows of a guide share at an instant: weights with their rates, and q'.
struct Motion {
    weights: [f64; 3],
    rates: [f64; 3],
    q: Vec3,
    /// The points' biases, weighted alike.
    bias: Vec3,
    /// Σ sₖ' vₖ.
    turn: Vec3,
}

impl Motion {
    fn new(p: &[Jet3; MAX_PLACES], weights: [f64; 3], rates: [f64; 3]) -> Self {
        let mut m = Self { weights, rates, q: p[0].d, bias: p[0].dd, turn: Vec3::ZERO };
        for k in 0..3 {
            m.q -= p[k + 1].d * weights[k];
            m.bias -= p[k + 1].dd * weights[k];
            m.turn += p[k + 1].d * rates[k];
        }
        m
    }

    fn row(&self, x: f64, e: Vec3, de: Vec3) -> GuideRow {
        let c = Jet { x, d: e.dot(self.q), dd: e.dot(self.bias - self.turn) + de.dot(self.q) };
        GuideRow { c, e, weights: self.weights }
    }
}

/// The plane of a polygon with its rates: normal, and the vectors that read the coordinates.
struct Plane {
    n: Jet3,
    dual: [Jet3; 2],
    /// Height of the point over it.
    height: f64,
    motion: Motion,
}

impl Plane {
    fn new(p: &[Jet3; MAX_PLACES]) -> Self {
        let minus = |a: &Jet3, b: &Jet3| Jet3::sum(*a, *b, -1.0);
        let (u, v, r) = (minus(&p[2], &p[1]), minus(&p[3], &p[1]), minus(&p[0], &p[1]));
        let n = u.x.cross(v.x).normalize_or(Vec3::Z);
        let (uu, uv, vv) = (u.x.length_squared(), u.x.dot(v.x), v.x.length_squared());
        let det = uu * vv - uv * uv;
        let (a, b) = ((u.x * vv - v.x * uv) / det, (v.x * uu - u.x * uv) / det);
        let dn = -a * n.dot(u.d) - b * n.dot(v.d);
        let turned = |x: Vec3| -a * x.dot(u.d) - b * x.dot(v.d) - n * x.dot(dn);
        let (s, t, height) = (a.dot(r.x), b.dot(r.x), n.dot(r.x));
        // r = s u + t v + c n, differentiated and read by the dual vectors
        let rest = r.d - u.d * s - v.d * t - dn * height;
        let (ds, dt) = (a.dot(rest), b.dot(rest));
        let jet = |x, d| Jet3 { x, d, dd: Vec3::ZERO };
        let motion = Motion::new(p, [1.0 - s - t, s, t], [-ds - dt, ds, dt]);
        Self { n: jet(n, dn), dual: [jet(a, turned(a)), jet(b, turned(b))], height, motion }
    }
}

/// The line of a rail: vector between the ends, and the motion of the foot.
fn line(p: &[Jet3; MAX_PLACES]) -> (Jet3, Motion, Vec3) {
    let (d, r) = (Jet3::sum(p[2], p[1], -1.0), Jet3::sum(p[0], p[1], -1.0));
    let dd = d.x.length_squared();
    let s = r.x.dot(d.x) / dd;
    let ds = (r.d.dot(d.x) + r.x.dot(d.d) - 2.0 * s * d.x.dot(d.d)) / dd;
    (d, Motion::new(p, [1.0 - s, s, 0.0], [-ds, ds, 0.0]), r.x - d.x * s)
}

impl Guide {
    /// The rows that hold the point.
    pub fn second_rows(&self, p: &[Jet3; MAX_PLACES]) -> Vec<GuideRow> {
        match self.kind {
            GuideKind::Rail => {
                let (d, motion, w) = line(p);
                let frame = basis(d.x.normalize_or(Vec3::X));
                // e·w'' with e kept: d s' of the foot drops out of w' but its part d' s' stays
                // twice
                let drift = d.d * motion.rates[1];
                [frame.y_axis, frame.z_axis]
                    .map(|e| {
                        let mut row = motion.row(e.dot(w), e, Vec3::ZERO);
                        row.c.dd -= e.dot(drift);
                        row
                    })
                    .to_vec()
            }
            GuideKind::Polygon => {
                let plane = Plane::new(p);
                vec![plane.motion.row(plane.height, plane.n.x, plane.n.d)]
            }
        }
    }

    /// The way along a rail; the distance from one edge of a polygon or from the nearest.
    pub fn second_coordinate(&self, p: &[Jet3; MAX_PLACES], edge: Option<usize>) -> GuideRow {
        let x = self.coordinate(&p.map(|p| p.x), edge);
        match self.kind {
            GuideKind::Rail => {
                let (d, motion, _) = line(p);
                let dd = d.x.length_squared();
                let e = d.x * (self.length / dd);
                let de = (d.d - d.x * (2.0 * d.x.dot(d.d) / dd)) * (self.length / dd);
                motion.row(x, e, de)
            }
            GuideKind::Polygon => {
                let plane = Plane::new(p);
                let s = plane.motion.weights;
                let inside = |e: &[f64; 3]| e[0] + e[1] * s[1] + e[2] * s[2];
                let nearest = || {
                    (0..self.edges.len())
                        .min_by(|&i, &j| inside(&self.edges[i]).total_cmp(&inside(&self.edges[j])))
                };
                let g = edge
                    .or_else(nearest)
                    .and_then(|k| self.edges.get(k))
                    .copied()
                    .unwrap_or_default();
                let [a, b] = &plane.dual;
                plane.motion.row(x, a.x * g[1] + b.x * g[2], a.d * g[1] + b.d * g[2])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points with constant accelerations.
    const PLACES: [[Vec3; 3]; 4] = [
        [Vec3::new(0.31, 0.22, 0.0), Vec3::new(0.4, -0.3, 0.2), Vec3::new(1.0, 0.5, -0.4)],
        [Vec3::new(0.1, -0.2, 0.05), Vec3::new(-0.2, 0.1, 0.3), Vec3::new(0.3, -0.7, 0.2)],
        [Vec3::new(1.3, 0.4, -0.1), Vec3::new(0.5, 0.2, -0.4), Vec3::new(-0.6, 0.1, 0.9)],
        [Vec3::new(-0.2, 0.9, 0.3), Vec3::new(0.1, -0.5, 0.2), Vec3::new(0.2, 0.8, -0.3)],
    ];

    fn at(t: f64, places: &[[Vec3; 3]; 4]) -> [Jet3; 4] {
        places.map(|[x, v, a]| Jet3 {
            x: x + v * t + a * (0.5 * t * t),
            d: v + a * t,
            dd: Vec3::ZERO,
        })
    }

    /// J a + bias.
    fn second(row: &GuideRow, places: &[[Vec3; 3]; 4]) -> f64 {
        let mut sum = row.e.dot(places[0][2]) + row.c.dd;
        for k in 0..3 {
            sum -= row.weights[k] * row.e.dot(places[k + 1][2]);
        }
        sum
    }

    #[test]
    fn rates_and_biases_are_the_derivatives_of_the_functions() {
        let h = 1e-4;
        let corners = [PLACES[1][0], PLACES[2][0], PLACES[3][0]];
        let polygon = Guide::polygon(&corners, [0, 1, 2]).unwrap();
        let row = |t: f64| polygon.second_rows(&at(t, &PLACES))[0];
        check(h, &row, &PLACES);
        // across a rail with the directions of the middle kept
        let rail = Guide::rail(1.2);
        let [e, f] = [0, 1].map(|k| rail.second_rows(&at(0.0, &PLACES))[k].e);
        let across = |t: f64| {
            let p = at(t, &PLACES).map(|p| p.x);
            rail.foot(&p).offset
        };
        for (k, e) in [e, f].into_iter().enumerate() {
            let now = rail.second_rows(&at(0.0, &PLACES))[k];
            let rate = e.dot(across(h) - across(-h)) / (2.0 * h);
            assert!((rate - now.c.d).abs() < 1e-7, "{rate} {}", now.c.d);
            let bend = e.dot(across(h) - across(0.0) * 2.0 + across(-h)) / (h * h);
            assert!(
                (bend - second(&now, &PLACES)).abs() < 1e-6,
                "{bend} {}",
                second(&now, &PLACES)
            );
        }
    }

    /// Coordinates on the condition: the point moves with the plane or the rail, so that it stays
    /// on it.
    #[test]
    fn coordinates_are_differentiated_too() {
        let h = 1e-4;
        let corners = [PLACES[1][0], PLACES[2][0], PLACES[3][0]];
        for guide in [Guide::rail(1.2), Guide::polygon(&corners, [0, 1, 2]).unwrap()] {
            let flat = guide.kind == GuideKind::Rail;
            // weights that run with the time: the point is on the guide at all times
            let weights = |t: f64| {
                let (s, u) = (
                    0.3 + 0.2 * t + 0.4 * t * t,
                    if flat { 0.0 } else { 0.25 - 0.1 * t + 0.3 * t * t },
                );
                [1.0 - s - u, s, u]
            };
            let point = |t: f64| {
                let (p, s) = (at(t, &PLACES), weights(t));
                p[1].x * s[0] + p[2].x * s[1] + p[3].x * s[2]
            };
            let derived = |t: f64| {
                let e = 1e-3;
                let v = (point(t + e) - point(t - e)) / (2.0 * e);
                (v, (point(t + e) - point(t) * 2.0 + point(t - e)) / (e * e))
            };
            let jets = |t: f64| {
                let mut p = at(t, &PLACES);
                p[0] = Jet3 { x: point(t), d: derived(t).0, dd: Vec3::ZERO };
                p
            };
            let mut places = PLACES;
            places[0] = [point(0.0), derived(0.0).0, derived(0.0).1];
            for edge in if flat { vec![None] } else { vec![Some(0), Some(1), Some(2)] } {
                let row = |t: f64| guide.second_coordinate(&jets(t), edge);
                let now = row(0.0);
                let rate = (row(h).c.x - row(-h).c.x) / (2.0 * h);
                assert!((rate - now.c.d).abs() < 1e-5, "{rate} {}", now.c.d);
                let bend = (row(h).c.d - row(-h).c.d) / (2.0 * h);
                assert!(
                    (bend - second(&now, &places)).abs() < 1e-4,
                    "{bend} {}",
                    second(&now, &places)
                );
            }
        }
    }

    fn check(h: f64, row: &dyn Fn(f64) -> GuideRow, places: &[[Vec3; 3]; 4]) {
        let now = row(0.0);
        let rate = (row(h).c.x - row(-h).c.x) / (2.0 * h);
        assert!((rate - now.c.d).abs() < 1e-7, "{rate} {}", now.c.d);
        let bend = (row(h).c.d - row(-h).c.d) / (2.0 * h);
        assert!((bend - second(&now, places)).abs() < 1e-6, "{bend} {}", second(&now, places));
    }
}
