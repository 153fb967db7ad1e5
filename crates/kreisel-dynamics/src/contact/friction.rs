//! Friction of four manifolds side by side: one impulse at the centre of pressure with the cone on the *accumulated* sum
//! (B-80, B-81, B-86 with the correction G-09), a twist about the normal, and resistance to rolling.
//!
//! The printed rule adds µ |Δλ| in every sweep and stops bodies metres too early at tight tolerances; the sum does not
//! depend on the number of sweeps. Sticking: the sum stays inside the cone of µ_s. Beyond it the sum is scaled
//! back to µ_d λ, which points against the sliding.

use super::manifold::POINTS;
use super::rows::{Group, Motion, Width};
use crate::lanes::{F4, Lanes, dot};
use crate::math::Vec3;

/// What sweeps read and write of the friction of a group.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Grip<N = F4> {
    /// Two tangents, with their angular rows for both bodies.
    pub tangent: [[N; 3]; 2],
    pub a: [[N; 3]; 2],
    pub b: [[N; 3]; 2],
    /// Inverse of the 2×2 response: xx, xy, yy.
    pub inverse: [N; 3],
    /// 1/trace of the response: a step towards the direction of sliding that converges (below 2 over its largest eigenvalue).
    pub glide: N,
    /// Impulse of the whole step, and that of the sweep before.
    pub impulse: [N; 2],
    pub last: [N; 2],
    /// Coefficients.
    pub sliding: N,
    pub sticking: N,
    /// Twist: angular rows along the normal, inverse response, impulse of the whole step, that of the sweep before, and the lever of the cone.
    pub spin_a: [N; 3],
    pub spin_b: [N; 3],
    pub spin_inverse: N,
    pub spin: N,
    pub spin_last: N,
    pub spin_lever: N,
    /// What is added to sliding and twist: the motion of kinematic bodies.
    pub bias: [N; 2],
    pub spin_bias: N,
}

/// Friction rows of a group: what sweeps read first, then the rest.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Friction {
    pub grip: Grip,
    /// Whether any lane rolls with resistance, and whether a kinematic body moves in any.
    pub rolls: bool,
    pub carries: bool,
    /// Impulse and twist that the start of the step has applied.
    pub before: [F4; 2],
    pub spin_before: F4,
    pub restitution: F4,
    /// Sum of the sizes of all changes of the normal impulse: what the printed rule takes for the cone.
    pub paid: F4,
    /// Normal rates that kinematic bodies give to the points.
    pub carried: [F4; POINTS],
    /// Rolling: angular rows along the tangents, inverse responses, biases, impulse, that of the sweep before, and the lever.
    pub roll_a: [[F4; 3]; 2],
    pub roll_b: [[F4; 3]; 2],
    pub roll_inverse: [F4; 2],
    pub roll_bias: [F4; 2],
    pub roll: [F4; 2],
    pub roll_last: [F4; 2],
    pub roll_lever: F4,
}

fn get(v: &[F4; 3], l: usize) -> Vec3 {
    Vec3::new(v[0].0[l], v[1].0[l], v[2].0[l])
}

impl<N: Width> Grip<N> {
    /// Sliding velocities at the centre of pressure.
    #[inline(always)]
    pub fn slip(&self, g: &Group<N>, v: &Motion<N>) -> [N; 2] {
        let mut out = self.bias;
        for k in 0..2 {
            out[k] += v.along(self.tangent[k], g.inverse_root_mass) + dot(self.a[k], v.wa) + dot(self.b[k], v.wb);
        }
        out
    }

    /// Relative spin about the normal.
    #[inline(always)]
    pub fn twisting(&self, v: &Motion<N>) -> N {
        dot(self.spin_a, v.wa) + dot(self.spin_b, v.wb) + self.spin_bias
    }

    /// The friction that answers to the sliding velocity `rate` under a normal impulse `load`, when `sum` acts already: what stops the
    /// sliding, if the cone of sticking holds it.
    ///
    /// Otherwise µ_d λ against the sliding. Its direction must not come from K⁻¹u, which points elsewhere where the contact is
    /// not equally easy to push in all directions (an egg, a rod): p ← −µ_d λ (r u − p)/|r u − p| has −u/|u| as its fixed point.
    #[inline(always)]
    pub fn answer(&self, sum: [N; 2], rate: [N; 2], load: N) -> [N; 2] {
        let [xx, xy, yy] = self.inverse;
        let stick = [sum[0] - (xx * rate[0] + xy * rate[1]), sum[1] - (xy * rate[0] + yy * rate[1])];
        let r = self.glide;
        let slide = [sum[0] - r * rate[0], sum[1] - r * rate[1]];
        let (radius, most) = (self.sliding * load, self.sticking * load);
        let (size, long) = (stick[0] * stick[0] + stick[1] * stick[1], slide[0] * slide[0] + slide[1] * slide[1]);
        let (least, k) = (most * most, radius * long.sqrt().inverse());
        [size.where_larger(least, slide[0] * k, stick[0]), size.where_larger(least, slide[1] * k, stick[1])]
    }

    /// Adds a tangential impulse to the velocities.
    #[inline(always)]
    pub fn rub(&self, g: &Group<N>, v: &mut Motion<N>, p: [N; 2]) {
        let t = &self.tangent;
        let [ma, mb] = g.inverse_root_mass;
        for i in 0..3 {
            let force = t[0][i] * p[0] + t[1][i] * p[1];
            v.va[i] += force * ma;
            v.vb[i] = v.vb[i] - force * mb;
            v.wa[i] += self.a[0][i] * p[0] + self.a[1][i] * p[1];
            v.wb[i] += self.b[0][i] * p[0] + self.b[1][i] * p[1];
        }
    }
}

impl Friction {
    /// Forgets the step before: all that is not computed for every lane when the rows are filled.
    #[inline(always)]
    pub fn begin(&mut self) {
        let grip = &mut self.grip;
        (grip.impulse, grip.spin, grip.sliding, grip.sticking) = ([F4::ZERO; 2], F4::ZERO, F4::ZERO, F4::ZERO);
        (self.before, self.spin_before) = ([F4::ZERO; 2], F4::ZERO);
        (self.paid, self.restitution) = (F4::ZERO, F4::ZERO);
        (self.roll, self.roll_last, self.roll_lever, self.rolls) = ([F4::ZERO; 2], [F4::ZERO; 2], F4::ZERO, false);
    }

    /// Normal rate that kinematic bodies give to point `k` of lane `l`.
    #[inline(always)]
    pub fn carried(&self, k: usize, l: usize) -> f64 {
        if self.carries { self.carried[k].0[l] } else { 0.0 }
    }

    /// Impulse of the hold alone.
    #[inline(always)]
    pub fn held(&self) -> [F4; 2] {
        [self.grip.impulse[0] - self.before[0], self.grip.impulse[1] - self.before[1]]
    }

    /// Tangential components as world vectors.
    #[inline(always)]
    pub fn world(&self, p: [F4; 2]) -> [F4; 3] {
        let [t, u] = &self.grip.tangent;
        [t[0] * p[0] + u[0] * p[1], t[1] * p[0] + u[1] * p[1], t[2] * p[0] + u[2] * p[1]]
    }

    /// Friction impulse of lane `l` on the first body, in the world.
    pub fn impulse(&self, l: usize) -> Vec3 {
        self.vector(l, [self.grip.impulse[0].0[l], self.grip.impulse[1].0[l]])
    }

    /// Tangential components of lane `l` as a world vector.
    pub fn vector(&self, l: usize, p: [f64; 2]) -> Vec3 {
        get(&self.grip.tangent[0], l) * p[0] + get(&self.grip.tangent[1], l) * p[1]
    }

    /// Adds tangential impulse `p` and twist `s` of lane `l` to the velocities.
    pub fn apply(&self, g: &Group, l: usize, p: [f64; 2], s: f64, cells: &mut [super::rows::Cell]) {
        let f = &self.grip;
        for side in 0..2 {
            let cell = g.bodies[side][l] as usize;
            if cell == 0 {
                continue;
            }
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let (rows, spin) = if side == 0 { (&f.a, &f.spin_a) } else { (&f.b, &f.spin_b) };
            let c = &mut cells[cell];
            for i in 0..3 {
                let force = f.tangent[0][i].0[l] * p[0] + f.tangent[1][i].0[l] * p[1];
                c.linear.0[i] += sign * force * g.inverse_root_mass[side].0[l];
                c.angular.0[i] += rows[0][i].0[l] * p[0] + rows[1][i].0[l] * p[1] + spin[i].0[l] * s;
            }
        }
    }

    /// Tangential velocity and spin about the normal of lane `l`.
    pub fn rates(&self, g: &Group, l: usize, cells: &[super::rows::Cell]) -> ([f64; 2], f64) {
        let (a, b) = (&cells[g.bodies[0][l] as usize], &cells[g.bodies[1][l] as usize]);
        let f = &self.grip;
        let (mut out, mut spin) = ([f.bias[0].0[l], f.bias[1].0[l]], f.spin_bias.0[l]);
        for i in 0..3 {
            let linear = a.linear.0[i] * g.inverse_root_mass[0].0[l] - b.linear.0[i] * g.inverse_root_mass[1].0[l];
            for k in 0..2 {
                out[k] +=
                    f.tangent[k][i].0[l] * linear + f.a[k][i].0[l] * a.angular.0[i] + f.b[k][i].0[l] * b.angular.0[i];
            }
            spin += f.spin_a[i].0[l] * a.angular.0[i] + f.spin_b[i].0[l] * b.angular.0[i];
        }
        (out, spin)
    }
}

/// Brings a number into [−most, most].
#[inline(always)]
pub(super) fn clamp<N: Lanes>(x: N, most: N) -> N {
    -((-(x.max(-most))).max(-most))
}

/// Shortens a pair to the disk: inside the sticking radius nothing happens, outside it is scaled to the sliding radius.
#[inline(always)]
pub(super) fn onto_disk(p: [F4; 2], sliding: F4, sticking: F4) -> [F4; 2] {
    let square = p[0] * p[0] + p[1] * p[1];
    let k = square.where_larger(sticking * sticking, sliding / square.sqrt(), F4::splat(1.0));
    [p[0] * k, p[1] * k]
}
