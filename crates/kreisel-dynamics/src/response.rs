//! How a body answers to a force when its joints answer along with it: what a hand must know that
//! moves the body by a force of its own, whatever hangs on it.
//!
//! In scaled velocities y = M^½ v (velocity of the centre of mass in world coordinates, angular
//! velocity in the body's principal frame) joints project orthogonally onto the motions that they
//! allow. The answer of one body to a scaled force x = M^-½ f is therefore the 6 × 6 block A of
//! that projector: eigenvalues from 0 (held) to 1 (free). A light handle that carries a thousand
//! times its mass has one near 1/1001.
//!
//! | what | how |
//! |---|---|
//! | A | a unit force for each of the six, and one solve with the factor of the joint equations |
//! | fall | gravity and gyroscopic torques of the whole chain, projected alike |
//! | force for a wanted acceleration | (A² + ε²) x = A (y − fall), f = M^½ x |
//!
//! ε takes the directions out in which joints hold the body: nothing is gained by pulling there.
//! Contacts, springs, motors and limits are left out; they are met as resistance, which makes
//! the true body heavier than this one, never lighter. Cost: a copy of the chain, one factorisation
//! and seven solves, all linear in its joints.

use crate::body::{BodyId, BodyKind};
use crate::lanes::{F4, LANES};
use crate::math::{Mat3, Quat, Vec3};
use crate::settings::Method;
use crate::system::{BoundKind, BoundState, System};
use crate::world::World;

/// Eigenvalues of A below this count as held: chains up to a hundred thousand times heavier than
/// the body are carried, and rounding (1e-12 and less for such chains) is not taken for freedom.
const HELD: f64 = 1e-6;

/// How one body answers to a force during the next step.
#[derive(Clone, Debug)]
pub struct Response {
    rotation: Quat,
    /// Square roots of the mass and of the principal moments.
    root_mass: f64,
    root_moments: Vec3,
    /// Answer to unit forces, scaled: column by column.
    block: [[f64; 6]; 6],
    /// Scaled acceleration without a force of the user.
    fall: [f64; 6],
}

impl World {
    /// How a dynamic body answers to a force, its joints included where the method solves them
    /// directly; else as if it were free. `None` for what no force moves.
    pub fn response(&mut self, body: BodyId) -> Option<Response> {
        let record = self.model.body(body).filter(|b| b.desc.kind == BodyKind::Dynamic)?;
        let state = *self.state.slot(body.index);
        let mut response = Response {
            rotation: state.rotation,
            root_mass: record.desc.mass.mass.sqrt(),
            root_moments: record.moments.map(f64::sqrt),
            block: std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j)))),
            fall: [0.0; 6],
        };
        let gravity = self.model.gravity;
        response.fall = scaled_fall(&response, state.angular_velocity, gravity);

        // the chain is copied: what the next step finds must not depend on who asked
        self.engine.prepare(&self.model, &self.state);
        let number = |s: &System| s.slots.iter().position(|&slot| slot == body.index);
        let found = self.engine.systems.iter().find_map(|s| number(s).map(|i| (s, i)));
        let Some((chain, i)) = found.filter(|(s, _)| s.direct && s.is_tied()) else {
            return Some(response);
        };
        if self.model.settings.method == Method::Lagrange {
            return Some(response);
        }
        let mut chain = chain.clone();
        chain.import(&self.state);
        chain.leave_joints_only();

        // unit forces one after the other, then gravity on all bodies
        for k in 0..6 {
            chain.still();
            chain.groups[i / LANES].y[k].0[i % LANES] = 1.0;
            chain.allow();
            let answer = chain.scaled(i);
            for (row, a) in response.block.iter_mut().zip(answer) {
                row[k] = a;
            }
        }
        chain.still();
        for n in 0..chain.slots.len() {
            let slot = chain.slots[n];
            let Some(other) = self.model.bodies.iter().find(|b| b.0 == slot).map(|b| b.2) else {
                continue;
            };
            let s = self.state.slot(slot);
            let own = Response {
                rotation: s.rotation,
                root_mass: other.desc.mass.mass.sqrt(),
                root_moments: other.moments.map(f64::sqrt),
                ..response.clone()
            };
            let fall = scaled_fall(&own, s.angular_velocity, gravity);
            for k in 0..6 {
                chain.groups[n / LANES].y[k].0[n % LANES] = fall[k];
            }
        }
        chain.allow();
        response.fall = chain.scaled(i);
        Some(response)
    }
}

/// Gravity, and the change of angular velocity of a body that turns freely: −J⁻¹ (ω × Jω).
fn scaled_fall(r: &Response, spin: Vec3, gravity: Vec3) -> [f64; 6] {
    let moments = r.root_moments * r.root_moments;
    let w = r.rotation.conjugate() * spin;
    let torque = -w.cross(moments * w);
    let turn = Vec3::select(moments.cmpgt(Vec3::ZERO), torque / r.root_moments, Vec3::ZERO);
    let fall = gravity * r.root_mass;
    [fall.x, fall.y, fall.z, turn.x, turn.y, turn.z]
}

impl Response {
    /// Force at the centre of mass and torque about it (world coordinates) that give the body these
    /// accelerations (of the centre of mass, and angular) as far as its joints allow.
    pub fn effort(&self, acceleration: Vec3, angular_acceleration: Vec3) -> (Vec3, Vec3) {
        let (lin, turn) = (
            acceleration * self.root_mass,
            self.rotation.conjugate() * angular_acceleration * self.root_moments,
        );
        let wish = [lin.x, lin.y, lin.z, turn.x, turn.y, turn.z];
        let lack: [f64; 6] = std::array::from_fn(|k| wish[k] - self.fall[k]);

        // (A² + ε²) x = A (y − fall), symmetric and positive definite
        let a = &self.block;
        let mut square = [[0.0; 6]; 6];
        let mut x = [0.0; 6];
        for i in 0..6 {
            for j in 0..6 {
                square[i][j] = (0..6).map(|k| a[k][i] * a[k][j]).sum::<f64>();
            }
            square[i][i] += HELD * HELD;
            x[i] = (0..6).map(|k| a[k][i] * lack[k]).sum();
        }
        cholesky(&mut square, &mut x);
        let force = Vec3::new(x[0], x[1], x[2]) * self.root_mass;
        let torque = self.rotation * (Vec3::new(x[3], x[4], x[5]) * self.root_moments);
        (force, torque)
    }

    /// Inertia tensor of the body alone about its centre of mass, world coordinates, kg m².
    pub fn inertia(&self) -> Mat3 {
        let turn = Mat3::from_quat(self.rotation);
        turn * Mat3::from_diagonal(self.root_moments * self.root_moments) * turn.transpose()
    }
}

/// Solves S x = b in place for a symmetric positive definite S.
fn cholesky(s: &mut [[f64; 6]; 6], x: &mut [f64; 6]) {
    for j in 0..6 {
        for k in 0..j {
            for i in j..6 {
                s[i][j] -= s[i][k] * s[j][k];
            }
        }
        let pivot = s[j][j].max(f64::MIN_POSITIVE).sqrt();
        for i in j..6 {
            s[i][j] /= pivot;
        }
    }
    for i in 0..6 {
        x[i] = (x[i] - (0..i).map(|k| s[i][k] * x[k]).sum::<f64>()) / s[i][i];
    }
    for i in (0..6).rev() {
        x[i] = (x[i] - (i + 1..6).map(|k| s[k][i] * x[k]).sum::<f64>()) / s[i][i];
    }
}

impl System {
    /// Rows and factor of what must hold, in the present poses: limits, friction, motors and laws
    /// take no part.
    fn leave_joints_only(&mut self) {
        self.phase = crate::step::law::Phase::Off;
        self.sprung_h = 0.0;
        for b in self.bounds.iter_mut().filter(|b| !matches!(b.kind, BoundKind::Law(_))) {
            b.state = BoundState::Idle;
        }
        self.refresh();
    }

    /// No velocities.
    fn still(&mut self) {
        for g in &mut self.groups {
            g.y = [F4::ZERO; 6];
        }
    }

    /// Projects the velocities onto what the joints allow.
    fn allow(&mut self) {
        let mut z = std::mem::take(&mut self.z);
        z.resize(self.row_count(), 0.0);
        self.rates(&mut z);
        // the motion of kinematic bodies is no answer to a force
        for (z, b) in z.iter_mut().zip(&self.bias) {
            *z = b - *z;
        }
        for b in self.bounds.iter().filter(|b| !self.is_held(b)) {
            z[self.nodes[b.node as usize].row0 as usize + usize::from(b.row)] = 0.0;
        }
        self.solve_velocities(&mut z);
        self.apply(&z);
        z.fill(0.0);
        self.z = z;
    }

    /// Scaled velocity of a body.
    fn scaled(&self, body: usize) -> [f64; 6] {
        let y = &self.groups[body / LANES].y;
        std::array::from_fn(|k| y[k].0[body % LANES])
    }
}
