//! Every constraint: rows against finite differences, action and reaction, the exact discrete
//! gradient.

use super::*;
use crate::joint::Coordinate;
use crate::math::{Quat, Vec3, rotation};

/// A deterministic stream of numbers in −1..1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vec(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
    fn frame(&mut self) -> LocalFrame {
        LocalFrame { origin: self.vec(), axes: Mat3::from_quat(rotation(self.vec() * 2.0)) }
    }
}

fn all_parts() -> Vec<Parts> {
    let mut list = Vec::new();
    for position in [
        PositionPart::Free,
        PositionPart::Plane,
        PositionPart::Line,
        PositionPart::Point,
        PositionPart::Distance,
    ] {
        for rotation in
            [RotationPart::Free, RotationPart::Angle, RotationPart::Axis, RotationPart::Fixed]
        {
            list.push(Parts { position, rotation, length: 0.8, angle: (0.28, 0.96) });
        }
    }
    list
}

/// Two bodies at arbitrary poses, moved by (δx, δθ) each.
struct Placed {
    frames: [LocalFrame; 2],
    x: [Vec3; 2],
    q: [Quat; 2],
}

impl Placed {
    fn random(n: &mut Numbers) -> Self {
        Self {
            frames: [n.frame(), n.frame()],
            x: [n.vec(), n.vec()],
            q: [rotation(n.vec()), rotation(n.vec())],
        }
    }
    fn pair(&self, dx: [Vec3; 2], dq: [Quat; 2]) -> Pair {
        let pose = |k: usize| Pose { x: self.x[k] + dx[k], r: Mat3::from_quat(dq[k] * self.q[k]) };
        Pair::new(&self.frames, pose(0), pose(1))
    }
    fn rest(&self) -> Pair {
        self.pair([Vec3::ZERO; 2], [Quat::IDENTITY; 2])
    }
}

fn rate(row: &Row, v: [Vec3; 2], w: [Vec3; 2]) -> f64 {
    row.n.dot(v[1] - v[0]) + row.a[0].dot(w[0]) + row.a[1].dot(w[1])
}

#[test]
fn rows_are_the_derivatives_of_the_residuals() {
    let mut n = Numbers(1);
    for parts in all_parts() {
        for _ in 0..20 {
            let placed = Placed::random(&mut n);
            let (v, w) = ([n.vec(), n.vec()], [n.vec(), n.vec()]);
            let mut rows = [Row::default(); MAX_PART_ROWS];
            parts.rows(&placed.rest(), &mut rows);
            let e = 1e-5;
            let at = |s: f64| {
                let mut c = [0.0; MAX_PART_ROWS];
                let p = placed.pair(v.map(|v| v * (s * e)), w.map(|w| rotation(w * (s * e))));
                parts.residual(&p, &mut c);
                c
            };
            let (plus, minus) = (at(1.0), at(-1.0));
            for i in 0..parts.rows_len() {
                let difference = (plus[i] - minus[i]) / (2.0 * e);
                let exact = rate(&rows[i], v, w);
                assert!(
                    (difference - exact).abs() < 1e-7,
                    "{parts:?} row {i}: {difference} against {exact}"
                );
            }
        }
    }
}

#[test]
fn coordinate_rows_are_the_derivatives_of_the_coordinates() {
    let mut n = Numbers(2);
    for coordinate in
        [Coordinate::Angle, Coordinate::Position, Coordinate::Length, Coordinate::Swing]
    {
        for _ in 0..50 {
            let placed = Placed::random(&mut n);
            let (v, w) = ([n.vec(), n.vec()], [n.vec(), n.vec()]);
            let exact = rate(&coordinate::row(&placed.rest(), coordinate), v, w);
            let e = 1e-6;
            let at = |s: f64| {
                coordinate::value(
                    &placed.pair(v.map(|v| v * (s * e)), w.map(|w| rotation(w * (s * e)))),
                    coordinate,
                )
            };
            let difference = coordinate::wrap(at(1.0) - at(-1.0)) / (2.0 * e);
            assert!(
                (difference - exact).abs() < 2e-7 * (1.0 + exact.abs()),
                "{coordinate:?}: {difference}, {exact}"
            );
        }
    }
}

#[test]
fn impulses_of_every_row_leave_momentum_and_angular_momentum_alone() {
    let mut n = Numbers(3);
    for parts in all_parts() {
        let mut placed = Placed::random(&mut n);
        if parts.position == PositionPart::Point {
            // opposite forces at two points apart are a couple: a torn ball joint turns its bodies,
            // a whole one does not
            let gap = placed.rest().d;
            placed.x[1] -= gap;
        }
        let mut rows = [Row::default(); MAX_PART_ROWS];
        parts.rows(&placed.rest(), &mut rows);
        for row in &rows[..parts.rows_len()] {
            // about the origin: x₂ × n − x₁ × n + a₁ + a₂; momentum n − n is zero by construction
            let sum = (placed.x[1] - placed.x[0]).cross(row.n) + row.a[0] + row.a[1];
            assert!(sum.length() < 1e-14, "{parts:?}: {sum}");
        }
    }
}

/// C(1) − C(0) = J(mean) · displacement, exactly, for finite motions with Cayley rotations.
#[test]
fn mean_vectors_give_an_exact_discrete_gradient() {
    let mut n = Numbers(4);
    for parts in all_parts() {
        let placed = Placed::random(&mut n);
        let (dx, phi) = ([n.vec(), n.vec()], [n.vec(), n.vec()]);
        let cayley = phi.map(|p| Quat::from_xyzw(p.x / 2.0, p.y / 2.0, p.z / 2.0, 1.0).normalize());
        let (before, after) = (placed.rest(), placed.pair(dx, cayley));
        let mean = Pair::mean(&before, &after);
        let mut rows = [Row::default(); MAX_PART_ROWS];
        parts.rows(&mean, &mut rows);
        let (mut c0, mut c1) = ([0.0; MAX_PART_ROWS], [0.0; MAX_PART_ROWS]);
        parts.residual(&before, &mut c0);
        parts.residual(&after, &mut c1);
        for i in 0..parts.rows_len() {
            let gradient = rate(&rows[i], dx, phi);
            assert!((c1[i] - c0[i] - gradient).abs() < 1e-13, "{parts:?} row {i}");
        }
    }
}

#[test]
fn small_residuals_measure_metres_and_radians() {
    let mut n = Numbers(5);
    for parts in all_parts() {
        let mut placed = Placed::random(&mut n);
        // start from a placement that meets every condition: equal frames at one point, shifted
        // along x by the length
        let frame = placed.pair([Vec3::ZERO; 2], [Quat::IDENTITY; 2]);
        let body2 = Mat3::from_quat(placed.q[1]);
        let mut axes2 = frame.axes[0];
        if parts.rotation == RotationPart::Angle {
            // an axis y₂ at the angle (0.28, 0.96) to x₁
            let y = axes2.x_axis * 0.28 + axes2.y_axis * 0.96;
            let x = axes2.x_axis * 0.96 - axes2.y_axis * 0.28;
            axes2 = Mat3::from_cols(x, y, axes2.z_axis);
        }
        placed.frames[1].axes = body2.transpose() * axes2;
        let offset = if parts.position == PositionPart::Distance {
            frame.axes[0].y_axis * 0.8
        } else {
            Vec3::ZERO
        };
        placed.x[1] += offset - frame.d;
        let (gap, tilt) = parts.error(&placed.rest());
        assert!(gap < 1e-14 && tilt < 1e-7, "{parts:?} {gap} {tilt}");
        // a small displacement: residual norms and errors agree to second order
        let (dx, dq) = (n.vec() * 1e-5, rotation(n.vec() * 1e-5));
        let p = placed.pair([Vec3::ZERO, dx], [Quat::IDENTITY, dq]);
        let (gap, tilt) = parts.error(&p);
        let mut c = [0.0; MAX_PART_ROWS];
        parts.residual(&p, &mut c);
        let k = parts.position.rows();
        let norm = |c: &[f64]| c.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((norm(&c[..k]) - gap).abs() < 1e-9, "{parts:?}");
        assert!((norm(&c[k..parts.rows_len()]) - tilt).abs() < 1e-9, "{parts:?} {tilt}");
        let mut far = [0.0; MAX_PART_ROWS];
        parts.residual_far(&p, &mut far);
        assert!(norm(&[far[3] - c[3], far[4] - c[4], far[5] - c[5]]) < 1e-9, "{parts:?}");
    }
}
