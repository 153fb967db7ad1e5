//! Friction of several manifolds side by side: one impulse at the centre of pressure with the cone
//! on the *accumulated* sum (B-80, B-81, B-86, corrected), a twist about the normal, and resistance
//! to rolling.
//!
//! The printed rule adds µ |Δλ| in every sweep and stops bodies metres too early at tight
//! tolerances; the sum does not depend on the number of sweeps. Sticking: the sum stays inside the
//! cone of µ_s. Beyond it the sum is scaled back to µ_d λ, which points against the sliding.

use super::cells::Motion;
use super::manifold::POINTS;
use super::rows::{Group, Width};
use crate::lanes::{F4, Lanes, dot, set_three, three};
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
    /// 1/trace of the response: a step towards the direction of sliding that converges (below 2
    /// over its largest eigenvalue).
    pub glide: N,
    /// Impulse of the whole step, and that of the sweep before.
    pub impulse: [N; 2],
    pub last: [N; 2],
    /// Coefficients.
    pub sliding: N,
    pub sticking: N,
    /// Twist: angular rows along the normal, inverse response, impulse of the whole step, that of
    /// the sweep before, and the lever of the cone.
    pub spin_a: [N; 3],
    pub spin_b: [N; 3],
    pub spin_inverse: N,
    pub spin: N,
    pub spin_last: N,
    pub spin_lever: N,
    /// What is added to sliding and twist: the motion of kinematic bodies and, where sweeps act on
    /// changes, that before the solve.
    pub bias: [N; 2],
    pub spin_bias: N,
}

/// Friction rows of a group: what sweeps read first, then the rest.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Friction<N = F4> {
    pub grip: Grip<N>,
    /// Whether any lane rolls with resistance, and whether a kinematic body moves in any.
    pub rolls: bool,
    pub carries: bool,
    /// Impulse and twist that the start of the step has applied.
    pub before: [N; 2],
    pub spin_before: N,
    /// Normal impulses that the velocities have before the sweeps.
    pub start: [N; POINTS],
    pub restitution: N,
    /// Sum of the sizes of all changes of the normal impulse: what the printed rule takes for the
    /// cone.
    pub paid: N,
    /// What kinematic bodies give: normal rates of the points, sliding, twist, and rolling.
    pub carried: [N; POINTS],
    pub drift: [N; 2],
    pub drift_spin: N,
    pub drift_roll: [N; 2],
    /// Rolling: angular rows along the tangents, inverse responses, biases, impulse, that of the
    /// sweep before, and the lever.
    pub roll_a: [[N; 3]; 2],
    pub roll_b: [[N; 3]; 2],
    pub roll_inverse: [N; 2],
    pub roll_bias: [N; 2],
    pub roll: [N; 2],
    pub roll_last: [N; 2],
    pub roll_lever: N,
}

/// Four lanes of a pair.
#[inline(always)]
fn two<N: Lanes>(x: &[N; 2], q: usize) -> [F4; 2] {
    [x[0].four(q), x[1].four(q)]
}

/// Sets four lanes of a pair.
#[inline(always)]
fn set_two<N: Lanes>(to: &mut [N; 2], q: usize, x: [F4; 2]) {
    to[0].set_four(q, x[0]);
    to[1].set_four(q, x[1]);
}

fn get(v: &[F4; 3], l: usize) -> Vec3 {
    Vec3::new(v[0].0[l], v[1].0[l], v[2].0[l])
}

impl<N: Width> Grip<N> {
    /// Four lanes, with impulses and biases of zero.
    #[inline(always)]
    pub fn four(&self, q: usize) -> Grip {
        let zero = F4::ZERO;
        Grip {
            tangent: [three(&self.tangent[0], q), three(&self.tangent[1], q)],
            a: [three(&self.a[0], q), three(&self.a[1], q)],
            b: [three(&self.b[0], q), three(&self.b[1], q)],
            inverse: three(&self.inverse, q),
            glide: self.glide.four(q),
            sliding: self.sliding.four(q),
            sticking: self.sticking.four(q),
            spin_a: three(&self.spin_a, q),
            spin_b: three(&self.spin_b, q),
            spin_inverse: self.spin_inverse.four(q),
            spin_lever: self.spin_lever.four(q),
            impulse: [zero; 2],
            last: [zero; 2],
            spin: zero,
            spin_last: zero,
            bias: [zero; 2],
            spin_bias: zero,
        }
    }

    /// Sets the rows of four lanes.
    #[inline(always)]
    pub fn set_four(&mut self, q: usize, from: &Grip) {
        for k in 0..2 {
            set_three(&mut self.tangent[k], q, from.tangent[k]);
            set_three(&mut self.a[k], q, from.a[k]);
            set_three(&mut self.b[k], q, from.b[k]);
        }
        set_three(&mut self.inverse, q, from.inverse);
        self.glide.set_four(q, from.glide);
        self.sliding.set_four(q, from.sliding);
        self.sticking.set_four(q, from.sticking);
        set_three(&mut self.spin_a, q, from.spin_a);
        set_three(&mut self.spin_b, q, from.spin_b);
        self.spin_inverse.set_four(q, from.spin_inverse);
        self.spin_lever.set_four(q, from.spin_lever);
    }

    /// Sets the impulses with which sweeps begin in four lanes.
    #[inline(always)]
    pub fn set_start(&mut self, q: usize, impulse: [F4; 2], spin: F4) {
        set_two(&mut self.impulse, q, impulse);
        set_two(&mut self.last, q, impulse);
        self.spin.set_four(q, spin);
        self.spin_last.set_four(q, spin);
    }
    /// Tangential components as world vectors.
    #[inline(always)]
    pub fn world(&self, p: [N; 2]) -> [N; 3] {
        let [t, u] = &self.tangent;
        [t[0] * p[0] + u[0] * p[1], t[1] * p[0] + u[1] * p[1], t[2] * p[0] + u[2] * p[1]]
    }

    /// Sliding velocities at the centre of pressure; `mass` are the inverse roots of the masses.
    #[inline(always)]
    pub fn slip(&self, mass: [N; 2], v: &Motion<N>) -> [N; 2] {
        let mut out = [N::ZERO; 2];
        for k in 0..2 {
            out[k] = v.along(self.tangent[k], mass) + dot(self.a[k], v.wa) + dot(self.b[k], v.wb);
        }
        out
    }

    /// Relative spin about the normal.
    #[inline(always)]
    pub fn twisting(&self, v: &Motion<N>) -> N {
        dot(self.spin_a, v.wa) + dot(self.spin_b, v.wb)
    }

    /// The friction that answers to the sliding velocity `rate` under a normal impulse `load`, when
    /// `sum` acts already: what stops the sliding, if the cone of sticking holds it.
    ///
    /// Otherwise µ_d λ against the sliding. Its direction must not come from K⁻¹u, which points
    /// elsewhere where the contact is not equally easy to push in all directions (an egg, a rod): p
    /// ← −µ_d λ (r u − p)/|r u − p| has −u/|u| as its fixed point.
    #[inline(always)]
    pub fn answer(&self, sum: [N; 2], rate: [N; 2], load: N) -> [N; 2] {
        let [xx, xy, yy] = self.inverse;
        let stick =
            [sum[0] - (xx * rate[0] + xy * rate[1]), sum[1] - (xy * rate[0] + yy * rate[1])];
        let r = self.glide;
        let slide = [sum[0] - r * rate[0], sum[1] - r * rate[1]];
        let (radius, most) = (self.sliding * load, self.sticking * load);
        let (size, long) =
            (stick[0] * stick[0] + stick[1] * stick[1], slide[0] * slide[0] + slide[1] * slide[1]);
        let (least, k) = (most * most, radius * long.sqrt().inverse());
        [
            size.where_larger(least, slide[0] * k, stick[0]),
            size.where_larger(least, slide[1] * k, stick[1]),
        ]
    }

    /// Adds a tangential impulse to the velocities.
    #[inline(always)]
    pub fn rub(&self, [ma, mb]: [N; 2], v: &mut Motion<N>, p: [N; 2]) {
        let t = &self.tangent;
        for i in 0..3 {
            let force = t[0][i] * p[0] + t[1][i] * p[1];
            v.va[i] += force * ma;
            v.vb[i] = v.vb[i] - force * mb;
            v.wa[i] += self.a[0][i] * p[0] + self.a[1][i] * p[1];
            v.wb[i] += self.b[0][i] * p[0] + self.b[1][i] * p[1];
        }
    }
}

impl<N: Width> Friction<N> {
    /// Forgets the step before: all that is not computed when the rows are filled.
    #[inline(always)]
    pub fn begin(&mut self) {
        let grip = &mut self.grip;
        (grip.impulse, grip.spin) = ([N::ZERO; 2], N::ZERO);
        (self.before, self.spin_before, self.paid) = ([N::ZERO; 2], N::ZERO, N::ZERO);
        (self.roll, self.roll_last) = ([N::ZERO; 2], [N::ZERO; 2]);
        (self.rolls, self.carries) = (false, false);
    }

    /// Sets the rows of four lanes.
    #[inline(always)]
    pub fn set_four(&mut self, q: usize, from: &Friction) {
        self.grip.set_four(q, &from.grip);
        self.restitution.set_four(q, from.restitution);
        if self.carries {
            for k in 0..POINTS {
                self.carried[k].set_four(q, from.carried[k]);
            }
            set_two(&mut self.drift, q, from.drift);
            self.drift_spin.set_four(q, from.drift_spin);
        }
        if self.rolls {
            for k in 0..2 {
                set_three(&mut self.roll_a[k], q, from.roll_a[k]);
                set_three(&mut self.roll_b[k], q, from.roll_b[k]);
            }
            set_two(&mut self.roll_inverse, q, from.roll_inverse);
            set_two(&mut self.drift_roll, q, from.drift_roll);
            self.roll_lever.set_four(q, from.roll_lever);
        }
    }

    /// Normal rates that kinematic bodies give to four lanes of the points.
    #[inline(always)]
    pub fn carried_four(&self, q: usize) -> [F4; POINTS] {
        if self.carries {
            [0, 1, 2, 3].map(|k| self.carried[k].four(q))
        } else {
            [F4::ZERO; POINTS]
        }
    }

    /// Sliding and twist that kinematic bodies give to four lanes.
    #[inline(always)]
    pub fn drift_four(&self, q: usize) -> ([F4; 2], F4) {
        if self.carries {
            (two(&self.drift, q), self.drift_spin.four(q))
        } else {
            ([F4::ZERO; 2], F4::ZERO)
        }
    }

    /// Impulse and twist that the start of the step has applied in four lanes.
    #[inline(always)]
    pub fn before_four(&self, q: usize) -> ([F4; 2], F4) {
        (two(&self.before, q), self.spin_before.four(q))
    }

    /// Normal impulses of point `k` before the sweeps in four lanes.
    #[inline(always)]
    pub fn start_four(&self, k: usize, q: usize) -> F4 {
        self.start[k].four(q)
    }

    /// Sets what sweeps add in four lanes: the motion of kinematic bodies and, where they act on
    /// changes, that before them.
    #[inline(always)]
    pub fn set_bias(&mut self, q: usize, before: Option<([F4; 2], &Motion)>) {
        let (mut slip, mut spin) = self.drift_four(q);
        if let Some((mass, v)) = before {
            let grip = self.grip.four(q);
            let u = grip.slip(mass, v);
            (slip, spin) = ([slip[0] + u[0], slip[1] + u[1]], spin + grip.twisting(v));
        }
        set_two(&mut self.grip.bias, q, slip);
        self.grip.spin_bias.set_four(q, spin);
        if self.rolls {
            for k in 0..2 {
                let rolling = before.map_or(F4::ZERO, |(_, v)| self.rolling_four(q, k, v));
                self.roll_bias[k].set_four(q, self.drift_roll[k].four(q) + rolling);
            }
        }
    }

    /// Keeps the normal impulses before the sweeps of four lanes.
    #[inline(always)]
    pub fn set_starts(&mut self, q: usize, g: &Group) {
        for k in 0..g.count as usize {
            self.start[k].set_four(q, g.points[k].impulse);
        }
    }

    /// Adds the impulses against rolling of four lanes to the velocities.
    #[inline(always)]
    pub fn roll_four(&self, q: usize, v: &mut Motion) {
        for k in 0..2 {
            v.turn(three(&self.roll_a[k], q), three(&self.roll_b[k], q), self.roll[k].four(q));
        }
    }

    /// Sets what the start of the step has applied in four lanes.
    #[inline(always)]
    pub fn set_before(&mut self, q: usize, impulse: [F4; 2], spin: F4) {
        set_two(&mut self.before, q, impulse);
        self.spin_before.set_four(q, spin);
    }

    /// Impulse and twist of the hold alone, in four lanes.
    #[inline(always)]
    pub fn held_four(&self, q: usize) -> ([F4; 2], F4) {
        let ([x, y], spin) = self.before_four(q);
        let [u, v] = two(&self.grip.impulse, q);
        ([u - x, v - y], self.grip.spin.four(q) - spin)
    }

    /// Rate of rolling about tangent `k`.
    #[inline(always)]
    pub fn rolling(&self, k: usize, v: &Motion<N>) -> N {
        dot(self.roll_a[k], v.wa) + dot(self.roll_b[k], v.wb)
    }

    /// The same in four lanes.
    #[inline(always)]
    pub fn rolling_four(&self, q: usize, k: usize, v: &Motion) -> F4 {
        dot(three(&self.roll_a[k], q), v.wa) + dot(three(&self.roll_b[k], q), v.wb)
    }
}

impl Friction {
    /// Normal rate that kinematic bodies give to point `k` of lane `l`.
    #[inline(always)]
    pub fn carried(&self, k: usize, l: usize) -> f64 {
        if self.carries { self.carried[k].0[l] } else { 0.0 }
    }

    /// Friction impulse and twist of lane `l` times what kinematic bodies give to sliding and
    /// twist.
    pub fn carried_work(&self, l: usize) -> f64 {
        if !self.carries {
            return 0.0;
        }
        let along = |k: usize| self.grip.impulse[k].0[l] * self.drift[k].0[l];
        along(0) + along(1) + self.grip.spin.0[l] * self.drift_spin.0[l]
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
    pub fn apply(
        &self,
        g: &Group,
        l: usize,
        p: [f64; 2],
        s: f64,
        cells: &mut [super::cells::Cell],
    ) {
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
                c.angular.0[i] +=
                    rows[0][i].0[l] * p[0] + rows[1][i].0[l] * p[1] + spin[i].0[l] * s;
            }
        }
    }

    /// Tangential velocity and spin about the normal of lane `l`.
    pub fn rates(&self, g: &Group, l: usize, cells: &[super::cells::Cell]) -> ([f64; 2], f64) {
        let (a, b) = (&cells[g.bodies[0][l] as usize], &cells[g.bodies[1][l] as usize]);
        let f = &self.grip;
        let (mut out, mut spin) = ([self.drift[0].0[l], self.drift[1].0[l]], self.drift_spin.0[l]);
        if !self.carries {
            (out, spin) = ([0.0; 2], 0.0);
        }
        for i in 0..3 {
            let linear = a.linear.0[i] * g.inverse_root_mass[0].0[l]
                - b.linear.0[i] * g.inverse_root_mass[1].0[l];
            for k in 0..2 {
                out[k] += f.tangent[k][i].0[l] * linear
                    + f.a[k][i].0[l] * a.angular.0[i]
                    + f.b[k][i].0[l] * b.angular.0[i];
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

/// Shortens a pair to the disk: inside the sticking radius nothing happens, outside it is scaled to
/// the sliding radius.
#[inline(always)]
pub(super) fn onto_disk<N: Lanes>(p: [N; 2], sliding: N, sticking: N) -> [N; 2] {
    let square = p[0] * p[0] + p[1] * p[1];
    let k = square.where_larger(sticking * sticking, sliding / square.sqrt(), N::splat(1.0));
    [p[0] * k, p[1] * k]
}
