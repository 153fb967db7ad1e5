//! Friction of four manifolds side by side: one impulse at the centre of pressure with the cone on the *accumulated* sum
//! (B-80, B-81, B-86 with the correction G-09), a twist about the normal, and resistance to rolling.
//!
//! The printed rule adds µ |Δλ| in every sweep and stops bodies metres too early at tight tolerances; the sum does not
//! depend on the number of sweeps. Sticking: the sum stays inside the cone of µ_s. Beyond it the sum is scaled
//! back to µ_d λ, which points against the sliding.

use super::manifold::Manifold;
use super::material::Surface;
use super::rows::{BodyView, Group};
use crate::lanes::{F4, LANES};
use crate::math::{Vec3, basis};

/// Friction rows of a group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Friction {
    /// Two tangents, with their angular rows for both bodies.
    pub tangent: [[F4; 3]; 2],
    pub a: [[F4; 3]; 2],
    pub b: [[F4; 3]; 2],
    /// Inverse of the 2×2 response: xx, xy, yy.
    pub inverse: [F4; 3],
    /// Motion of kinematic bodies.
    pub bias: [F4; 2],
    /// Impulse of this solve, and what the start of the step has applied already.
    pub impulse: [F4; 2],
    pub before: [F4; 2],
    /// Coefficients.
    pub sliding: F4,
    pub sticking: F4,
    /// Twist: angular rows along the normal, inverse response, bias, impulse, what came before, and the lever of the cone.
    pub spin_a: [F4; 3],
    pub spin_b: [F4; 3],
    pub spin_inverse: F4,
    pub spin_bias: F4,
    pub spin: F4,
    pub spin_before: F4,
    pub spin_lever: F4,
    /// Rolling: angular rows along the tangents, inverse responses, biases, impulse, and the lever.
    pub roll_a: [[F4; 3]; 2],
    pub roll_b: [[F4; 3]; 2],
    pub roll_inverse: [F4; 2],
    pub roll_bias: [F4; 2],
    pub roll: [F4; 2],
    pub roll_lever: F4,
    /// Whether any lane rolls with resistance.
    pub rolls: bool,
}

fn set(v: &mut [F4; 3], l: usize, x: Vec3) {
    v[0].0[l] = x.x;
    v[1].0[l] = x.y;
    v[2].0[l] = x.z;
}

fn get(v: &[F4; 3], l: usize) -> Vec3 {
    Vec3::new(v[0].0[l], v[1].0[l], v[2].0[l])
}

impl Friction {
    /// Puts a manifold into lane `l`.
    pub fn fill(&mut self, l: usize, m: &Manifold, s: &Surface, a: &BodyView, b: &BodyView) {
        let frame = basis(m.normal);
        let middle = 0.5 * ((a.x + a.r * m.middle[0]) + (b.x + b.r * m.middle[1]));
        let (ra, rb) = (middle - a.x, middle - b.x);
        let moved = a.carried(ra) - b.carried(rb);
        let masses = a.inverse_root_mass * a.inverse_root_mass + b.inverse_root_mass * b.inverse_root_mass;
        let mut rows = [[Vec3::ZERO; 2]; 2];
        for k in 0..2 {
            let t = frame.col(k + 1);
            rows[k] = [a.scaled(ra.cross(t)), -b.scaled(rb.cross(t))];
            set(&mut self.tangent[k], l, t);
            set(&mut self.a[k], l, rows[k][0]);
            set(&mut self.b[k], l, rows[k][1]);
            self.bias[k].0[l] = t.dot(moved);
            self.impulse[k].0[l] = 0.0;
            self.before[k].0[l] = 0.0;
        }
        let product = |p: [Vec3; 2], q: [Vec3; 2]| p[0].dot(q[0]) + p[1].dot(q[1]);
        let (xx, xy, yy) =
            (masses + product(rows[0], rows[0]), product(rows[0], rows[1]), masses + product(rows[1], rows[1]));
        let det = xx * yy - xy * xy;
        let inverse = if det > 0.0 { [yy / det, -xy / det, xx / det] } else { [0.0; 3] };
        for k in 0..3 {
            self.inverse[k].0[l] = inverse[k];
        }
        self.sliding.0[l] = s.sliding;
        self.sticking.0[l] = s.sticking;
        let one = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        let (na, nb) = (a.scaled(m.normal), -b.scaled(m.normal));
        set(&mut self.spin_a, l, na);
        set(&mut self.spin_b, l, nb);
        self.spin_inverse.0[l] = one(na.length_squared() + nb.length_squared());
        self.spin_bias.0[l] = m.normal.dot(a.spin - b.spin);
        self.spin.0[l] = 0.0;
        self.spin_before.0[l] = 0.0;
        self.spin_lever.0[l] = s.sliding * m.lever + s.spinning;
        self.roll_lever.0[l] = s.rolling;
        if s.rolling > 0.0 {
            self.rolls = true;
            for k in 0..2 {
                let t = frame.col(k + 1);
                let (ta, tb) = (a.scaled(t), -b.scaled(t));
                set(&mut self.roll_a[k], l, ta);
                set(&mut self.roll_b[k], l, tb);
                self.roll_inverse[k].0[l] = one(ta.length_squared() + tb.length_squared());
                self.roll_bias[k].0[l] = t.dot(a.spin - b.spin);
                self.roll[k].0[l] = 0.0;
            }
        }
    }

    /// Friction impulse of lane `l` on the first body, in the world.
    pub fn impulse(&self, l: usize) -> Vec3 {
        get(&self.tangent[0], l) * self.impulse[0].0[l] + get(&self.tangent[1], l) * self.impulse[1].0[l]
    }

    /// A world vector in the tangents of lane `l`.
    pub fn tangential(&self, l: usize, v: Vec3) -> [f64; 2] {
        [get(&self.tangent[0], l).dot(v), get(&self.tangent[1], l).dot(v)]
    }

    /// Adds tangential impulse `p` and twist `s` of lane `l` to the velocities.
    pub fn apply(&self, g: &Group, l: usize, p: [f64; 2], s: f64, cells: &mut [super::rows::Cell]) {
        for side in 0..2 {
            let cell = g.bodies[side][l] as usize;
            if cell == 0 {
                continue;
            }
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let (rows, spin) = if side == 0 { (&self.a, &self.spin_a) } else { (&self.b, &self.spin_b) };
            let c = &mut cells[cell];
            for i in 0..3 {
                let force = self.tangent[0][i].0[l] * p[0] + self.tangent[1][i].0[l] * p[1];
                c.linear.0[i] += sign * force * g.inverse_root_mass[side].0[l];
                c.angular.0[i] += rows[0][i].0[l] * p[0] + rows[1][i].0[l] * p[1] + spin[i].0[l] * s;
            }
        }
    }

    /// Tangential velocity and spin about the normal of lane `l`.
    pub fn rates(&self, g: &Group, l: usize, cells: &[super::rows::Cell]) -> ([f64; 2], f64) {
        let (a, b) = (&cells[g.bodies[0][l] as usize], &cells[g.bodies[1][l] as usize]);
        let mut out = [self.bias[0].0[l], self.bias[1].0[l]];
        let mut spin = self.spin_bias.0[l];
        for i in 0..3 {
            let linear = a.linear.0[i] * g.inverse_root_mass[0].0[l] - b.linear.0[i] * g.inverse_root_mass[1].0[l];
            for k in 0..2 {
                out[k] += self.tangent[k][i].0[l] * linear
                    + self.a[k][i].0[l] * a.angular.0[i]
                    + self.b[k][i].0[l] * b.angular.0[i];
            }
            spin += self.spin_a[i].0[l] * a.angular.0[i] + self.spin_b[i].0[l] * b.angular.0[i];
        }
        (out, spin)
    }
}

/// Shortens a pair to the disk: inside the sticking radius nothing happens, outside it is scaled to the sliding radius.
#[inline(always)]
pub(super) fn onto_disk(p: [F4; 2], sliding: F4, sticking: F4) -> [F4; 2] {
    let mut out = p;
    for l in 0..LANES {
        let square = p[0].0[l] * p[0].0[l] + p[1].0[l] * p[1].0[l];
        if square > sticking.0[l] * sticking.0[l] {
            let k = sliding.0[l] / square.sqrt();
            out[0].0[l] = p[0].0[l] * k;
            out[1].0[l] = p[1].0[l] * k;
        }
    }
    out
}

impl Friction {
    /// Tangential components of lane `l` as a world vector.
    pub fn tangential_vector(&self, l: usize, p: [f64; 2]) -> Vec3 {
        get(&self.tangent[0], l) * p[0] + get(&self.tangent[1], l) * p[1]
    }
}
