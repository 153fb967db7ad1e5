//! Bodies as the integrators see them: one flat vector of numbers for the moving ones, and frames
//! of all bodies for the constraints.
//!
//! Velocities are scaled as in the impulse methods, y = M^½ (v, Rᵀω), and rows likewise, B = J
//! M^−½: the mass matrix becomes the unit matrix, A = B Bᵀ, and a multiplier λ accelerates by Bᵀλ.
//! Axes without inertia (mass points, thin rods) get a zero in place of 1/√I, so that nothing turns
//! them.

use crate::body::BodyKind;
use crate::constraint::second::Frame;
use crate::math::{Mat3, Quat, Vec3, rotation};
use crate::model::Model;
use crate::state::{BodyState, State};

/// Marks a body that no force moves.
pub(crate) const UNMOVED: u32 = u32::MAX;

/// Numbers per body in the flat vector: position, quaternion, velocity, angular velocity.
pub(crate) const PER_BODY: usize = 13;

/// What is constant about a moving body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inertia {
    pub slot: u32,
    pub mass: f64,
    pub moments: Vec3,
    /// 1/√m.
    pub ism: f64,
    /// 1/√I by principal axis, zero where there is no inertia.
    pub isi: Vec3,
}

/// The bodies of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    pub moving: Vec<Inertia>,
    /// Index among the moving bodies by slot, or [`UNMOVED`].
    pub index: Vec<u32>,
    /// Slots of kinematic bodies.
    pub kinematic: Vec<u32>,
    /// Frames of all bodies by slot, at the trial state.
    pub frames: Vec<Frame>,
    /// States of all bodies at the start of the step, by slot.
    start: Vec<BodyState>,
    start_time: f64,
}

impl Bodies {
    pub fn new(model: &Model) -> Self {
        let slots = model.bodies.slots();
        let mut out = Self {
            index: vec![UNMOVED; slots],
            frames: vec![Frame::ORIGIN; slots],
            ..Self::default()
        };
        for (slot, _, body) in model.bodies.iter() {
            match body.desc.kind {
                BodyKind::Static => {}
                BodyKind::Kinematic => out.kinematic.push(slot),
                BodyKind::Dynamic => {
                    out.index[slot as usize] = out.moving.len() as u32;
                    let inverse = |x: f64| if x > 0.0 { 1.0 / x.sqrt() } else { 0.0 };
                    let (mass, moments) = (body.desc.mass.mass, body.moments);
                    let isi = Vec3::new(inverse(moments.x), inverse(moments.y), inverse(moments.z));
                    out.moving.push(Inertia { slot, mass, moments, ism: inverse(mass), isi });
                }
            }
        }
        out
    }

    /// Remembers the state and writes the moving bodies into the head of `y`.
    pub fn load(&mut self, state: &State, y: &mut [f64]) {
        self.start.clone_from(&state.bodies);
        self.start_time = state.time;
        for (slot, s) in state.bodies.iter().enumerate() {
            self.frames[slot] = Frame {
                x: s.position,
                r: Mat3::from_quat(s.rotation),
                v: s.velocity,
                w: s.angular_velocity,
            };
        }
        for (b, y) in self.moving.iter().zip(y.chunks_exact_mut(PER_BODY)) {
            let s = state.slot(b.slot);
            y[..3].copy_from_slice(&s.position.to_array());
            y[3..7].copy_from_slice(&s.rotation.to_array());
            y[7..10].copy_from_slice(&s.velocity.to_array());
            y[10..13].copy_from_slice(&s.angular_velocity.to_array());
        }
    }

    /// Frames of the trial state `y` at time `t`. Kinematic bodies keep their velocities, angular
    /// ones too: the thesis does not say which.
    pub fn place(&mut self, t: f64, y: &[f64]) {
        for (b, y) in self.moving.iter().zip(y.chunks_exact(PER_BODY)) {
            let q = Quat::from_slice(&y[3..7]);
            // inside Runge-Kutta stages the quaternion is no unit
            let unit = if q.length_squared() > 0.0 { q.normalize() } else { Quat::IDENTITY };
            self.frames[b.slot as usize] = Frame {
                x: Vec3::from_slice(y),
                r: Mat3::from_quat(unit),
                v: Vec3::from_slice(&y[7..]),
                w: Vec3::from_slice(&y[10..]),
            };
        }
        let passed = t - self.start_time;
        for &slot in &self.kinematic {
            let s = &self.start[slot as usize];
            let f = &mut self.frames[slot as usize];
            f.x = s.position + s.velocity * passed;
            f.r = Mat3::from_quat((rotation(s.angular_velocity * passed) * s.rotation).normalize());
        }
    }

    /// Rates of positions and quaternions, and of velocities from the scaled accelerations `a`.
    pub fn rates(&self, y: &[f64], a: &[f64], dy: &mut [f64]) {
        let bodies = self.moving.iter().zip(y.chunks_exact(PER_BODY));
        for ((b, y), (a, dy)) in bodies.zip(a.chunks_exact(6).zip(dy.chunks_exact_mut(PER_BODY))) {
            dy[..3].copy_from_slice(&y[7..10]);
            let spin = Quat::from_xyzw(y[10], y[11], y[12], 0.0) * Quat::from_slice(&y[3..7]) * 0.5;
            dy[3..7].copy_from_slice(&spin.to_array());
            for k in 0..3 {
                dy[7 + k] = a[k] * b.ism;
            }
            let turn = self.frames[b.slot as usize].r * (Vec3::from_slice(&a[3..]) * b.isi);
            dy[10..13].copy_from_slice(&turn.to_array());
        }
    }

    /// Makes quaternions units again.
    pub fn normalise(&self, y: &mut [f64]) {
        for y in y.chunks_exact_mut(PER_BODY).take(self.moving.len()) {
            let q = Quat::from_slice(&y[3..7]);
            if q.length_squared() > 0.0 {
                y[3..7].copy_from_slice(&q.normalize().to_array());
            }
        }
    }

    /// Scaled velocities of the trial frames.
    pub fn scaled(&self, out: &mut Vec<f64>) {
        out.clear();
        for b in &self.moving {
            let f = &self.frames[b.slot as usize];
            let local = f.r.transpose() * f.w;
            for k in 0..3 {
                out.push(f.v[k] / b.ism);
            }
            for k in 0..3 {
                out.push(if b.isi[k] > 0.0 { local[k] / b.isi[k] } else { 0.0 });
            }
        }
    }

    /// Adds a change of scaled velocities to the velocities in `y`.
    pub fn kick(&self, y: &mut [f64], change: &[f64]) {
        for ((b, y), c) in
            self.moving.iter().zip(y.chunks_exact_mut(PER_BODY)).zip(change.chunks_exact(6))
        {
            let turn = self.frames[b.slot as usize].r * (Vec3::from_slice(&c[3..]) * b.isi);
            for k in 0..3 {
                y[7 + k] += c[k] * b.ism;
                y[10 + k] += turn[k];
            }
        }
    }

    /// Largest way (m) or turn (rad) in a scaled displacement.
    pub fn largest(&self, change: &[f64]) -> f64 {
        let sizes = self.moving.iter().zip(change.chunks_exact(6)).map(|(b, c)| {
            let (way, turn) = (Vec3::from_slice(c) * b.ism, Vec3::from_slice(&c[3..]) * b.isi);
            way.length().max(turn.length())
        });
        sizes.fold(0.0, f64::max)
    }

    /// Moves and turns the bodies in `y` by a scaled displacement.
    pub fn shift(&self, y: &mut [f64], change: &[f64]) {
        for ((b, y), c) in
            self.moving.iter().zip(y.chunks_exact_mut(PER_BODY)).zip(change.chunks_exact(6))
        {
            for k in 0..3 {
                y[k] += c[k] * b.ism;
            }
            let turn = self.frames[b.slot as usize].r * (Vec3::from_slice(&c[3..]) * b.isi);
            let q = (rotation(turn) * Quat::from_slice(&y[3..7])).normalize();
            y[3..7].copy_from_slice(&q.to_array());
        }
    }

    /// Writes the moving bodies of `y` into the state and moves kinematic ones on to time `t`.
    pub fn store(&mut self, t: f64, y: &[f64], state: &mut State) {
        self.place(t, y);
        for (b, y) in self.moving.iter().zip(y.chunks_exact(PER_BODY)) {
            state.bodies[b.slot as usize] = BodyState {
                position: Vec3::from_slice(y),
                rotation: Quat::from_slice(&y[3..7]),
                velocity: Vec3::from_slice(&y[7..]),
                angular_velocity: Vec3::from_slice(&y[10..]),
            };
        }
        let passed = t - self.start_time;
        for &slot in &self.kinematic {
            let s = &self.start[slot as usize];
            let position = s.position + s.velocity * passed;
            let turned = (rotation(s.angular_velocity * passed) * s.rotation).normalize();
            if position.is_finite() && turned.is_finite() {
                let now = &mut state.bodies[slot as usize];
                (now.position, now.rotation) = (position, turned);
            }
        }
        state.time = t;
    }
}
