//! Fields, and controllers that are no rows, under the impulse methods: forces that are constant
//! during a step.
//!
//! They are taken at the middle of the step, to which bodies go with their velocities, these
//! forces, and the accelerations that everything else (joints, contacts, gravity) gave them in the
//! last step: second order, also where forces depend on velocities and bodies are jointed. After a
//! break in the motion (an edit, an impact) gravity stands for everything else: first order in that
//! step.

use super::bodies::PER_BODY;
use super::forces::Powers;
use super::machine::Machine;
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::state::{BodyState, State};

impl Machine {
    /// Force and torque by slot of the body over a step of `h`; PID controllers integrate their
    /// errors. `smooth` tells whether the motion goes on from the last step.
    pub fn outer_forces(
        &mut self,
        model: &Model,
        state: &State,
        h: f64,
        smooth: bool,
    ) -> Vec<(Vec3, Vec3)> {
        self.prepare(model);
        if !smooth || self.memory.others.len() != self.bodies.moving.len() {
            self.memory.others = vec![(model.gravity, Vec3::ZERO); self.bodies.moving.len()];
        }
        (self.began, self.span, self.holds) = (state.time, h, true);
        let n = PER_BODY * self.bodies.moving.len();
        let mut y = vec![0.0; n];
        self.bodies.load(state, &mut y);
        self.bodies.place(state.time, &y);
        let mut integrals: Vec<f64> = self
            .pids
            .iter()
            .flat_map(|p| self.memory.integrals.get(p).copied().unwrap_or_default())
            .collect();
        let mut rates = vec![0.0; integrals.len()];
        self.outer(model, state.time, &integrals, &mut rates, &mut Powers::default());
        let mut a = Vec::with_capacity(6 * self.bodies.moving.len());
        for (b, (force, torque)) in self.bodies.moving.iter().zip(&self.efforts) {
            let turn = self.bodies.frames[b.slot as usize].r.transpose() * *torque * b.isi;
            let push = *force * b.ism;
            a.extend([push.x, push.y, push.z, turn.x, turn.y, turn.z]);
        }
        let mut dy = vec![0.0; n];
        self.bodies.rates(&y, &a, &mut dy);
        let half = 0.5 * h;
        for (dy, (push, turn)) in dy.chunks_exact_mut(PER_BODY).zip(&self.memory.others) {
            for k in 0..3 {
                dy[7 + k] += push[k];
                dy[10 + k] += turn[k];
            }
        }
        for (y, d) in y.iter_mut().zip(&dy) {
            *y += half * d;
        }
        self.bodies.place(state.time + half, &y);
        let middle: Vec<f64> = integrals.iter().zip(&rates).map(|(i, r)| i + half * r).collect();
        self.outer(model, state.time + half, &middle, &mut rates, &mut Powers::default());
        for (i, r) in integrals.iter_mut().zip(&rates) {
            *i += h * r;
        }
        for (slot, i) in self.pids.iter().zip(integrals.chunks_exact(3)) {
            self.memory.integrals.insert(*slot, [i[0], i[1], i[2]]);
        }
        self.keep_thrusts(model, state.time, h);
        let mut out = vec![(Vec3::ZERO, Vec3::ZERO); state.bodies.len()];
        for (b, e) in self.bodies.moving.iter().zip(&self.efforts) {
            out[b.slot as usize] = *e;
        }
        out
    }

    /// After a step of `h` under the forces of [`Self::outer_forces`]: what everything else gave
    /// the bodies, whose velocities were `before`.
    pub fn note_others(
        &mut self,
        before: &[BodyState],
        state: &State,
        outer: &[(Vec3, Vec3)],
        h: f64,
    ) {
        for (other, b) in self.memory.others.iter_mut().zip(&self.bodies.moving) {
            let (was, now) = (&before[b.slot as usize], state.slot(b.slot));
            let (force, torque) = outer[b.slot as usize];
            let turned = Mat3::from_quat(was.rotation);
            let push = (now.velocity - was.velocity) / h - force / b.mass;
            let spin = turned * (turned.transpose() * torque * b.isi * b.isi);
            *other = (push, (now.angular_velocity - was.angular_velocity) / h - spin);
        }
    }

    /// The motion was broken: what was noted of the last step says nothing of the next.
    pub fn forget_others(&mut self) {
        self.memory.others.clear();
    }

    /// Sums the forces of controllers and fields into `efforts`.
    fn outer(
        &mut self,
        model: &Model,
        t: f64,
        integrals: &[f64],
        rates: &mut [f64],
        powers: &mut Powers,
    ) {
        self.efforts.clear();
        self.efforts.resize(self.bodies.moving.len(), (Vec3::ZERO, Vec3::ZERO));
        let as_rows = std::mem::take(&mut self.as_rows);
        self.controllers(model, t, integrals, rates, powers, &as_rows);
        self.as_rows = as_rows;
        self.fields(model, powers);
    }

    /// Frames of a state, for whoever asks where connectors are.
    pub fn stand(&mut self, model: &Model, state: &State) {
        self.prepare(model);
        let mut y = vec![0.0; PER_BODY * self.bodies.moving.len()];
        self.bodies.load(state, &mut y);
        self.bodies.place(state.time, &y);
    }
}
