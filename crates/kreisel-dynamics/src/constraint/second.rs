//! Parts at the level of accelerations: C, C' and the bias c in C'' = J v' + c, all exact
//! (Wagner 2001, section 5.1 and appendix G).
//!
//! Every vector u that is fixed to a body moves as u' = ω × u, u'' = ω × (ω × u) + ω' × u; the last
//! term belongs to J v', the rest is the vector's *bias*. A product of two such jets is a jet
//! again, so that C'' needs no derivation by hand. The bodies of both sides may be anything that
//! has a pose and a velocity.
//!
//! Three parts take another function than [`super::Parts::residual`], because here constraints are
//! drawn together from any distance and a gradient must not vanish on the way: tilts and angles are
//! measured as angles instead of sines, the rotation of a fixed part by its half angle, and a
//! distance as a length.

use super::{Pair, Parts, Row, dot_row, plane, point, turn_row};
use crate::constraint::coordinate;
use crate::joint::{Coordinate, LocalFrame, PositionPart, RotationPart};
use crate::math::{Mat3, Quat, Vec3, fun};

/// Below this length a direction is noise (m, or the sine of an angle).
pub(crate) const TINY: f64 = 1e-9;

/// Pose and velocity of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Centre of mass.
    pub x: Vec3,
    /// From the principal frame to the world.
    pub r: Mat3,
    pub v: Vec3,
    /// World coordinates.
    pub w: Vec3,
}

impl Frame {
    pub const ORIGIN: Self =
        Self { x: Vec3::ZERO, r: Mat3::IDENTITY, v: Vec3::ZERO, w: Vec3::ZERO };
}

/// A vector with its rate and its bias.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Jet3 {
    pub x: Vec3,
    pub d: Vec3,
    pub dd: Vec3,
}

impl Jet3 {
    /// A vector fixed to a body that turns with `w`.
    pub fn turning(u: Vec3, w: Vec3) -> Self {
        let d = w.cross(u);
        Self { x: u, d, dd: w.cross(d) }
    }

    pub fn sum(a: Self, b: Self, sign: f64) -> Self {
        Self { x: a.x + b.x * sign, d: a.d + b.d * sign, dd: a.dd + b.dd * sign }
    }

    pub fn dot(a: &Self, b: &Self) -> Jet {
        Jet {
            x: a.x.dot(b.x),
            d: a.d.dot(b.x) + a.x.dot(b.d),
            dd: a.dd.dot(b.x) + 2.0 * a.d.dot(b.d) + a.x.dot(b.dd),
        }
    }

    /// Length; where there is none the rate and bias are zero.
    pub fn length(&self) -> Jet {
        let l = self.x.length();
        if l < TINY {
            return Jet { x: l, d: 0.0, dd: 0.0 };
        }
        let u = self.x / l;
        let d = u.dot(self.d);
        Jet { x: l, d, dd: (self.d.length_squared() - d * d) / l + u.dot(self.dd) }
    }
}

/// A number with its rate and its bias.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Jet {
    pub x: f64,
    pub d: f64,
    pub dd: f64,
}

impl Jet {
    pub fn plus(self, b: Self) -> Self {
        Self { x: self.x + b.x, d: self.d + b.d, dd: self.dd + b.dd }
    }

    fn minus(self, c: f64) -> Self {
        Self { x: self.x - c, ..self }
    }

    fn scaled(self, k: f64) -> Self {
        Self { x: self.x * k, d: self.d * k, dd: self.dd * k }
    }
}

/// One row: C with its rate and bias, and the Jacobian.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SecondRow {
    pub c: Jet,
    pub row: Row,
}

/// The vectors of a joint with their rates and biases.
pub(crate) struct MovingPair {
    pub pair: Pair,
    axes: [[Jet3; 3]; 2],
    d: Jet3,
    w: [Vec3; 2],
}

impl MovingPair {
    pub fn new(frames: &[LocalFrame; 2], a: &Frame, b: &Frame) -> Self {
        let pose = |f: &Frame| super::Pose { x: f.x, r: f.r };
        let pair = Pair::new(frames, pose(a), pose(b));
        let turning = |m: &Mat3, w: Vec3| [0, 1, 2].map(|k| Jet3::turning(m.col(k), w));
        let point = |f: &Frame, arm: Vec3| {
            Jet3::sum(Jet3 { x: f.x, d: f.v, dd: Vec3::ZERO }, Jet3::turning(arm, f.w), 1.0)
        };
        let d = Jet3::sum(point(b, pair.arm[1]), point(a, pair.arm[0]), -1.0);
        let axes = [turning(&pair.axes[0], a.w), turning(&pair.axes[1], b.w)];
        // the difference of the anchors as the pair has it, free of the large coordinates of both
        // bodies
        Self { d: Jet3 { x: pair.d, ..d }, axes, w: [a.w, b.w], pair }
    }

    /// C = u·d with u fixed to the first body.
    fn across(&self, axis: usize) -> SecondRow {
        let u = &self.axes[0][axis];
        SecondRow { c: Jet3::dot(u, &self.d), row: plane::row(&self.pair, u.x) }
    }

    /// The product of an axis of each side.
    fn product(&self, first: usize, second: usize, sign: f64) -> SecondRow {
        let (a, b) = (&self.axes[0][first], &self.axes[1][second]);
        SecondRow { c: Jet3::dot(a, b).scaled(sign), row: dot_row(a.x, b.x, sign) }
    }

    /// C = |d| − D. Coinciding anchors are pushed apart along x.
    fn length(&self, target: f64) -> SecondRow {
        let c = self.d.length();
        let u = if c.x < TINY { Vec3::X } else { self.d.x / c.x };
        let arm = &self.pair.arm;
        SecondRow { c: c.minus(target), row: Row { n: u, a: [u.cross(arm[0]), arm[1].cross(u)] } }
    }

    /// The angle between x₁ and an axis of the second side. Parallel axes are turned about a
    /// perpendicular one.
    fn angle(&self, second: usize) -> SecondRow {
        let (a, b) = (self.axes[0][0].x, self.axes[1][second].x);
        let cos = Jet3::dot(&self.axes[0][0], &self.axes[1][second]);
        let cross = a.cross(b);
        let sin = cross.length();
        let x = fun::atan2(sin, cos.x);
        if sin < TINY {
            return SecondRow {
                c: Jet { x, d: 0.0, dd: 0.0 },
                row: turn_row(crate::math::basis(a).y_axis),
            };
        }
        let d = -cos.d / sin;
        let dd = -(cos.dd + cos.x * d * d) / sin;
        SecondRow { c: Jet { x, d, dd }, row: turn_row(cross / sin) }
    }

    /// The tilt of x₂ against `sense` times x₁ as an angle: C = s φ/sin φ with s = (x₁·z₂, −x₁·y₂)
    /// and φ the angle between the axes. Its Jacobian has full rank at every tilt below 180°.
    fn tilt(&self, sense: f64) -> [SecondRow; 2] {
        let s = [self.product(0, 2, sense), self.product(0, 1, -sense)];
        let cos = self.product(0, 0, sense);
        if cos.c.x < -1.0 + 1e-9 {
            // upside down: any way round will do
            let [y, z] = [self.axes[1][1].x, self.axes[1][2].x];
            let about = |axis, x| SecondRow { c: Jet { x, d: 0.0, dd: 0.0 }, row: turn_row(axis) };
            return [about(y, std::f64::consts::PI), about(z, 0.0)];
        }
        let (f, f1, f2) = angle_by_sine(cos.c.x);
        s.map(|s| {
            let (c, q) = (s.c, cos.c);
            let dd = c.dd * f + 2.0 * c.d * f1 * q.d + c.x * (f2 * q.d * q.d + f1 * q.dd);
            SecondRow {
                c: Jet { x: c.x * f, d: c.d * f + c.x * f1 * q.d, dd },
                row: combine(&s.row, f, &cos.row, c.x * f1),
            }
        })
    }

    /// Relative rotation: C = 2 u with the relative quaternion p = (w, u), w ≥ 0; near zero the
    /// rotation vector.
    fn turn(&self) -> [SecondRow; 3] {
        let a = &self.pair.axes[0];
        let p = Quat::from_mat3(&(a.transpose() * self.pair.axes[1])).normalize();
        let p = if p.w < 0.0 { -p } else { p };
        // in the axes of frame 1: p' = ½ (ω₂ ∘ p − p-side of ω₁), with ω measured there
        let w = self.w.map(|w| a.transpose() * w);
        let pure = |v: Vec3| Quat::from_xyzw(v.x, v.y, v.z, 0.0);
        let dp = (pure(w[1] - w[0]) * p) * 0.5;
        // p = conj(q₁) q₂: p'' = conj(q₁)'' q₂ + 2 conj(q₁)' q₂' + conj(q₁) q₂'' with q'' = −¼|ω|²
        // q
        let square = -0.25 * (w[0].length_squared() + w[1].length_squared());
        let ddp = p * square + (pure(-w[0]) * (pure(w[1]) * p)) * 0.5;
        [Vec3::X, Vec3::Y, Vec3::Z].map(|e| {
            let pick = |q: Quat| 2.0 * e.dot(q.xyz());
            let axis = *a * (e * p.w + p.xyz().cross(e));
            SecondRow { c: Jet { x: pick(p), d: pick(dp), dd: pick(ddp) }, row: turn_row(axis) }
        })
    }

    /// A free coordinate with its rate and bias; its value is not counted over turns.
    pub fn coordinate(&self, coordinate: Coordinate) -> SecondRow {
        match coordinate {
            Coordinate::Position => self.across(0),
            Coordinate::Length => self.length(0.0),
            Coordinate::Swing => self.angle(0),
            Coordinate::Angle => {
                let row = coordinate::row(&self.pair, Coordinate::Angle);
                let (x1, x2) = (&self.axes[0][0], &self.axes[1][0]);
                let relative = self.w[1] - self.w[0];
                let cos = Jet3::dot(x1, x2);
                let k = 1.0 / (1.0 + cos.x);
                // t = (x₁ + x₂)/(1 + cos); the rate is t·(ω₂ − ω₁)
                let dt = if k.is_finite() && k > 0.0 {
                    ((x1.d + x2.d) - (x1.x + x2.x) * (cos.d * k)) * k
                } else {
                    Vec3::ZERO
                };
                let c = Jet {
                    x: coordinate::value(&self.pair, Coordinate::Angle),
                    d: row.a[1].dot(relative),
                    dd: dt.dot(relative),
                };
                SecondRow { c, row }
            }
        }
    }
}

impl Parts {
    /// All rows with their rates and biases. `sense` −1 lets axes settle antiparallel.
    pub fn second_rows(&self, p: &MovingPair, sense: f64, out: &mut [SecondRow]) {
        let n = self.position.rows();
        match self.position {
            PositionPart::Free | PositionPart::Rail | PositionPart::Polygon => {}
            PositionPart::Plane => out[0] = p.across(0),
            PositionPart::Line => (out[0], out[1]) = (p.across(1), p.across(2)),
            PositionPart::Point => {
                for (i, row) in point::rows(&p.pair).into_iter().enumerate() {
                    out[i] = SecondRow { c: Jet { x: p.d.x[i], d: p.d.d[i], dd: p.d.dd[i] }, row };
                }
            }
            PositionPart::Distance => out[0] = p.length(self.length),
        }
        match self.rotation {
            RotationPart::Free => {}
            RotationPart::Angle => {
                let row = p.angle(1);
                out[n] =
                    SecondRow { c: row.c.minus(fun::atan2(self.angle.1, self.angle.0)), ..row };
            }
            RotationPart::Axis => out[n..n + 2].copy_from_slice(&p.tilt(sense)),
            RotationPart::Fixed => out[n..n + 3].copy_from_slice(&p.turn()),
        }
    }
}

fn combine(a: &Row, ka: f64, b: &Row, kb: f64) -> Row {
    Row { n: a.n * ka + b.n * kb, a: [0, 1].map(|k| a.a[k] * ka + b.a[k] * kb) }
}

/// f(c) = φ/sin φ with cos φ = c, and its first two derivatives by c.
fn angle_by_sine(c: f64) -> (f64, f64, f64) {
    let u = 1.0 - c;
    if u < 0.5 {
        // f = Σ aₙ uⁿ with a₀ = 1, aₙ₊₁/aₙ = (n + 1)/(2n + 3); the ratio of terms stays below ¼
        let (mut f, mut f1, mut f2) = (1.0, 0.0, 0.0);
        let (mut a, mut power) = (1.0, 1.0);
        let mut last = 0.0;
        for n in 1..40 {
            let m = f64::from(n);
            a *= m / (2.0 * m + 1.0);
            f2 += m * (m - 1.0) * a * last;
            f1 += m * a * power;
            last = power;
            power *= u;
            f += a * power;
        }
        return (f, -f1, f2);
    }
    let s2 = 1.0 - c * c;
    let f = fun::acos(c.max(-1.0)) / s2.sqrt();
    let f1 = (c * f - 1.0) / s2;
    (f, f1, (f + 3.0 * c * f1) / s2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    struct Numbers(u64);
    impl Numbers {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
        fn vec(&mut self) -> Vec3 {
            Vec3::new(self.next(), self.next(), self.next())
        }
    }

    /// A body with constant acceleration and angular acceleration, followed exactly enough for
    /// differences.
    struct Mover {
        x: Vec3,
        q: Quat,
        v: Vec3,
        w: Vec3,
        a: Vec3,
        dw: Vec3,
    }
    impl Mover {
        fn random(n: &mut Numbers) -> Self {
            Self {
                x: n.vec(),
                q: rotation(n.vec() * 2.0),
                v: n.vec(),
                w: n.vec() * 2.0,
                a: n.vec(),
                dw: n.vec(),
            }
        }
        /// Pose after a short time by the Magnus series to fourth order.
        fn at(&self, t: f64) -> Frame {
            let turn =
                self.w * t + self.dw * (0.5 * t * t) + self.dw.cross(self.w) * (t * t * t / 12.0);
            let q = rotation(turn) * self.q;
            Frame {
                x: self.x + self.v * t + self.a * (0.5 * t * t),
                r: Mat3::from_quat(q),
                v: self.v + self.a * t,
                w: self.w + self.dw * t,
            }
        }
    }

    /// AT-12 to AT-15: J v' + c against differences of C, here for every part and coordinate.
    #[test]
    fn rows_and_biases_are_the_derivatives_of_the_functions() {
        let mut n = Numbers(11);
        let h = 1e-4;
        for _ in 0..40 {
            let movers = [Mover::random(&mut n), Mover::random(&mut n)];
            let frame = |n: &mut Numbers| LocalFrame {
                origin: n.vec(),
                axes: Mat3::from_quat(rotation(n.vec() * 2.0)),
            };
            let frames = [frame(&mut n), frame(&mut n)];
            let pair = |t: f64| MovingPair::new(&frames, &movers[0].at(t), &movers[1].at(t));
            let mut rows: Vec<Box<dyn Fn(f64) -> Vec<SecondRow>>> = Vec::new();
            for position in [
                PositionPart::Plane,
                PositionPart::Line,
                PositionPart::Point,
                PositionPart::Distance,
            ] {
                let parts = Parts {
                    position,
                    rotation: RotationPart::Free,
                    length: 0.7,
                    angle: (0.0, 1.0),
                };
                rows.push(Box::new(move |t| all(&parts, &pair(t))));
            }
            for rotation in [RotationPart::Angle, RotationPart::Axis, RotationPart::Fixed] {
                let parts = Parts {
                    position: PositionPart::Free,
                    rotation,
                    length: 0.7,
                    angle: (0.28, 0.96),
                };
                rows.push(Box::new(move |t| all(&parts, &pair(t))));
            }
            for c in
                [Coordinate::Angle, Coordinate::Position, Coordinate::Length, Coordinate::Swing]
            {
                rows.push(Box::new(move |t| vec![pair(t).coordinate(c)]));
            }
            for row in rows {
                let (now, before, after) = (row(0.0), row(-h), row(h));
                for i in 0..now.len() {
                    let r = &now[i].row;
                    let [a, b] = &movers;
                    let along = |v: [Vec3; 2], w: [Vec3; 2]| {
                        r.n.dot(v[1] - v[0]) + r.a[0].dot(w[0]) + r.a[1].dot(w[1])
                    };
                    let rate = along([a.v, b.v], [a.w, b.w]);
                    assert!((rate - now[i].c.d).abs() < 1e-11, "J v = {rate}, C' = {}", now[i].c.d);
                    let rate = (after[i].c.x - before[i].c.x) / (2.0 * h);
                    assert!(
                        (rate - now[i].c.d).abs() < 2e-5 * (1.0 + rate.abs()),
                        "{rate} {}",
                        now[i].c.d
                    );
                    let second = (after[i].c.d - before[i].c.d) / (2.0 * h);
                    let predicted = along([a.a, b.a], [a.dw, b.dw]) + now[i].c.dd;
                    assert!(
                        (second - predicted).abs() < 1e-4 * (1.0 + second.abs()),
                        "{second} {predicted}"
                    );
                }
            }
        }
    }

    fn all(parts: &Parts, p: &MovingPair) -> Vec<SecondRow> {
        let mut out = vec![SecondRow::default(); parts.rows_len()];
        parts.second_rows(p, 1.0, &mut out);
        out
    }
}
