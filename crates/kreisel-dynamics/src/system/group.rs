//! Four bodies side by side, and their free motion (Bender 3.1.2).
//!
//! Translation is exact for constant force. Rotation: with principal moments I₁, I₂, I₃ (ordered so
//! that I₁ and I₂ are the closest pair) the kinetic energy is L²/2I₂ + ½(1/I₃ − 1/I₂) L₃² + ½(1/I₁
//! − 1/I₂) L₁². The first two terms are a symmetric top, whose flow is two rotations; the third is
//! a rotation about axis 1 that is put in halves around it (Strang). Exact for symmetric bodies,
//! second order and time-symmetric otherwise, and the world angular momentum is kept exactly.
//! Torques act as half kicks at both ends.

use crate::lanes::{
    F4, LANES, add_scaled, cos_sinc, mat_t_vec, mat_vec, quat_exp, quat_matrix, quat_mul,
    quat_normalize, times,
};
use crate::simd::kernel;

/// Four bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// √m and 1/√m (both 0 in idle lanes).
    pub sm: F4,
    pub ism: F4,
    /// √I and 1/√I (0 for no inertia), in the order of the flow's axes.
    pub si: [F4; 3],
    pub isi: [F4; 3],
    /// 1/I₂, 1/I₃ − 1/I₂, 1/I₁ − 1/I₂.
    pub i2: F4,
    pub k3: F4,
    pub k1: F4,
    /// Whether any k1 is not zero.
    pub asymmetric: bool,
    /// Constant acceleration and torque during the step (world).
    pub acc: [F4; 3],
    pub torque: [F4; 3],
    /// Present pose.
    pub x: [F4; 3],
    pub q: [F4; 4],
    pub r: [F4; 9],
    /// Scaled velocities: √m v, √I Rᵀω.
    pub y: [F4; 6],
    /// Previewed pose.
    pub x1: [F4; 3],
    pub q1: [F4; 4],
    pub r1: [F4; 9],
}

impl Group {
    /// Angular momentum in the body frames with half of the step's torque.
    #[inline(always)]
    fn kicked(&self, h: f64) -> [F4; 3] {
        let half = F4::splat(0.5 * h);
        let t = mat_t_vec(&self.r, self.torque);
        add_scaled(times(self.si, [self.y[3], self.y[4], self.y[5]]), half, t)
    }

    /// Free flow over `h`: fills the previewed pose.
    #[inline(always)]
    pub fn preview(&mut self, h: f64) {
        self.preview_translation(h);
        let l = self.kicked(h);
        let hh = F4::splat(h);
        let dq = if self.asymmetric {
            let half = F4::splat(0.5 * h);
            let (a, l) = turn_first(l, half * self.k1);
            let (b, l) = self.top(l, hh);
            let (c, _) = turn_first(l, half * self.k1);
            quat_mul(quat_mul(a, b), c)
        } else {
            self.top_only(l, hh)
        };
        self.q1 = quat_normalize(quat_mul(self.q, dq));
        self.r1 = quat_matrix(self.q1);
    }

    #[inline(always)]
    pub fn preview_translation(&mut self, h: f64) {
        let (hh, half) = (F4::splat(h), F4::splat(0.5 * h * h));
        for k in 0..3 {
            self.x1[k] = self.x[k] + hh * (self.ism * self.y[k]) + half * self.acc[k];
        }
    }

    /// Flow of the symmetric top as a rotation in the body frame: exp(h L/I₂) exp(h (1/I₃ − 1/I₂)
    /// L₃ e₃).
    #[inline(always)]
    fn top_only(&self, l: [F4; 3], h: F4) -> [F4; 4] {
        let k = h * self.i2;
        let a = quat_exp([l[0] * k, l[1] * k, l[2] * k]);
        let half = F4::splat(0.5) * h * self.k3 * l[2];
        let (c, s) = cos_sinc(half * half);
        let s = s * half;
        // product with (0, 0, s, c)
        [a[0] * c + a[1] * s, a[1] * c - a[0] * s, a[2] * c + a[3] * s, a[3] * c - a[2] * s]
    }

    /// The same, with the angular momentum as seen from the turned body.
    #[inline(always)]
    fn top(&self, l: [F4; 3], h: F4) -> ([F4; 4], [F4; 3]) {
        let q = self.top_only(l, h);
        // exp(h L/I₂) leaves L alone; the second factor turns it about e₃ by −h k₃ L₃
        let half = F4::splat(0.5) * h * self.k3 * l[2];
        let (c, s) = cos_sinc(half * half);
        let s = s * half;
        let (cos, sin) = (c * c - s * s, F4::splat(2.0) * c * s);
        (q, [cos * l[0] + sin * l[1], cos * l[1] - sin * l[0], l[2]])
    }

    /// Takes the previewed pose as the present one; velocities follow (angular momentum is kept),
    /// with the kick of the forces at hand over the time `kick`.
    #[inline(always)]
    pub fn commit(&mut self, kick: f64) {
        let hh = F4::splat(kick);
        let world = mat_vec(&self.r, times(self.si, [self.y[3], self.y[4], self.y[5]]));
        let after = add_scaled(world, hh, self.torque);
        (self.x, self.q, self.r) = (self.x1, self.q1, self.r1);
        let turned = mat_t_vec(&self.r, after);
        for k in 0..3 {
            self.y[3 + k] = self.isi[k] * turned[k];
            self.y[k] += hh * self.acc[k] * self.sm;
        }
    }
}

impl Group {
    /// Kick of the forces at hand over the time `kick`.
    #[inline(always)]
    pub fn kick(&mut self, kick: f64) {
        let hh = F4::splat(kick);
        let t = mat_t_vec(&self.r, self.torque);
        for k in 0..3 {
            self.y[k] += hh * self.acc[k] * self.sm;
            self.y[3 + k] += hh * self.isi[k] * t[k];
        }
    }
}

/// Rotation about axis 1 by rate·L₁, and the angular momentum as seen from the turned body.
#[inline(always)]
fn turn_first(l: [F4; 3], rate: F4) -> ([F4; 4], [F4; 3]) {
    let half = F4::splat(0.5) * rate * l[0];
    let (c, s) = cos_sinc(half * half);
    let s = s * half;
    let (cos, sin) = (c * c - s * s, F4::splat(2.0) * c * s);
    ([s, F4::ZERO, F4::ZERO, c], [l[0], cos * l[1] + sin * l[2], cos * l[2] - sin * l[1]])
}

/// Sum of the squares of all scaled velocities: twice the kinetic energy.
#[inline(always)]
fn squares_body(groups: &[Group]) -> f64 {
    let mut sum = F4::ZERO;
    for g in groups {
        let y = &g.y;
        sum +=
            (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) + (y[3] * y[3] + y[4] * y[4] + y[5] * y[5]);
    }
    (sum.0[0] + sum.0[1]) + (sum.0[2] + sum.0[3])
}

/// Work of the constant forces on the way to the previewed poses.
#[inline(always)]
fn work_body(groups: &[Group]) -> f64 {
    let mut sum = F4::ZERO;
    for g in groups {
        let d = [g.x1[0] - g.x[0], g.x1[1] - g.x[1], g.x1[2] - g.x[2]];
        sum += g.sm * g.sm * (g.acc[0] * d[0] + g.acc[1] * d[1] + g.acc[2] * d[2]);
    }
    (sum.0[0] + sum.0[1]) + (sum.0[2] + sum.0[3])
}

/// Sum of the constant forces' sizes, component by component.
#[inline(always)]
fn weight_body(groups: &[Group]) -> f64 {
    let mut sum = F4::ZERO;
    for g in groups {
        let mut f = F4::ZERO;
        for l in 0..LANES {
            f.0[l] = g.acc[0].0[l].abs() + g.acc[1].0[l].abs() + g.acc[2].0[l].abs();
        }
        sum += g.sm * g.sm * f;
    }
    (sum.0[0] + sum.0[1]) + (sum.0[2] + sum.0[3])
}

#[inline(always)]
fn preview_body(groups: &mut [Group], h: f64) {
    for g in groups {
        g.preview(h);
    }
}

#[inline(always)]
fn commit_body(groups: &mut [Group], kick: f64) {
    for g in groups {
        g.commit(kick);
    }
}

kernel! {
    /// Previews all groups over `h`.
    pub(crate) fn preview_all(groups: &mut [Group], h: f64) = preview_body
}
kernel! {
    /// Commits all groups.
    pub(crate) fn commit_all(groups: &mut [Group], kick: f64) = commit_body
}
kernel! {
    /// Twice the kinetic energy.
    pub(crate) fn squares(groups: &[Group]) -> f64 = squares_body
}
kernel! {
    /// Work of the constant forces on the way to the previewed poses.
    pub(crate) fn work(groups: &[Group]) -> f64 = work_body
}
kernel! {
    /// Sum of the constant forces' sizes.
    pub(crate) fn weight(groups: &[Group]) -> f64 = weight_body
}
