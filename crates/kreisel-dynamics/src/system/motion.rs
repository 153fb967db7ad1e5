//! Moving a system: state in and out, previews, commits, energies.

use super::{System, mat3, set3, vec3};
use crate::constraint::Pose;
use crate::flow;
use crate::lanes::LANES;
use crate::math::{Mat3, Quat, Vec3, rotation};
use crate::settings::Rotation;
use crate::state::{BodyState, State};
use crate::system::group::{commit_all, preview_all};

/// Poses and velocities at the start of a substep, to go back to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Saved {
    y: Vec<[crate::lanes::F4; 6]>,
    pose: Vec<([crate::lanes::F4; 3], [crate::lanes::F4; 4], [crate::lanes::F4; 9])>,
    others: Vec<(Vec3, Quat)>,
    clock: f64,
}

impl Saved {
    /// Half the square of the scaled velocities of body `i`, and its place.
    pub fn body(&self, i: usize) -> (f64, Vec3) {
        let (g, l) = (i / LANES, i % LANES);
        (0.5 * self.y[g].iter().map(|y| y.0[l] * y.0[l]).sum::<f64>(), vec3(&self.pose[g].0, l))
    }

    /// Place and rotation of body `i`.
    pub fn pose(&self, i: usize) -> (Vec3, Quat) {
        let ((x, q, _), l) = (&self.pose[i / LANES], i % LANES);
        (vec3(x, l), Quat::from_xyzw(q[0].0[l], q[1].0[l], q[2].0[l], q[3].0[l]))
    }
}

impl System {
    /// Takes over the world's state.
    pub fn import(&mut self, state: &State) {
        self.clock = state.time;
        for i in 0..self.slots.len() {
            self.place(i, state.slot(self.slots[i]));
        }
        // targets of constraints are placed by whoever knows where they go
        for o in self.others.iter_mut().filter(|o| o.slot < crate::connector::STAND_IN) {
            let s = state.slot(o.slot);
            (o.x, o.q) = (s.position, s.rotation);
            o.now = Pose { x: s.position, r: Mat3::from_quat(s.rotation) };
            o.then = o.now;
            (o.velocity, o.angular_velocity) = (s.velocity, s.angular_velocity);
        }
    }

    /// Gives moving body `i` a state.
    pub fn place(&mut self, i: usize, s: &BodyState) {
        let (g, l) = (&mut self.groups[i / LANES], i % LANES);
        set3(&mut g.x, l, s.position);
        for (k, c) in
            [s.rotation.x, s.rotation.y, s.rotation.z, s.rotation.w].into_iter().enumerate()
        {
            g.q[k].0[l] = c;
        }
        // the same rotation matrix, bit by bit, as the lanes compute
        g.r = crate::lanes::quat_matrix(g.q);
        let local = mat3(&g.r, l).transpose() * s.angular_velocity;
        for k in 0..3 {
            g.y[k].0[l] = g.sm.0[l] * s.velocity[k];
            g.y[3 + k].0[l] = g.si[k].0[l] * local[k];
        }
    }

    /// State of moving body `i`.
    pub fn body_state(&self, i: usize) -> BodyState {
        let (g, l) = (&self.groups[i / LANES], i % LANES);
        let isi = vec3(&g.isi, l);
        let local = Vec3::new(g.y[3].0[l], g.y[4].0[l], g.y[5].0[l]) * isi;
        BodyState {
            position: vec3(&g.x, l),
            rotation: Quat::from_xyzw(g.q[0].0[l], g.q[1].0[l], g.q[2].0[l], g.q[3].0[l]),
            velocity: Vec3::new(g.y[0].0[l], g.y[1].0[l], g.y[2].0[l]) * g.ism.0[l],
            angular_velocity: mat3(&g.r, l) * local,
        }
    }

    /// Previews all bodies over `h` with their present velocities.
    pub fn preview(&mut self, h: f64) {
        self.ahead = h;
        preview_all(&mut self.groups, h);
        if self.rotation != Rotation::Splitting {
            self.preview_rotation(0..self.slots.len(), h);
        }
        if let Some(balls) = &mut self.balls {
            balls.ends(&self.groups);
        }
        self.preview_others(h);
    }

    /// Previews the bodies that impulses do not move.
    pub fn preview_others(&mut self, h: f64) {
        for o in &mut self.others {
            let turned = rotation(o.angular_velocity * h) * o.q;
            o.then = Pose { x: o.x + o.velocity * h, r: Mat3::from_quat(turned.normalize()) };
        }
    }

    /// Previews the group that holds one body.
    pub fn preview_one(&mut self, body: usize, h: f64) {
        let g = body / LANES;
        preview_all(&mut self.groups[g..=g], h);
        if self.rotation != Rotation::Splitting {
            self.preview_rotation(g * LANES..((g + 1) * LANES).min(self.slots.len()), h);
        }
    }

    /// The other ways of turning, body by body.
    fn preview_rotation(&mut self, bodies: std::ops::Range<usize>, h: f64) {
        for i in bodies {
            let (g, l) = (&mut self.groups[i / LANES], i % LANES);
            let q = Quat::from_xyzw(g.q[0].0[l], g.q[1].0[l], g.q[2].0[l], g.q[3].0[l]);
            let torque = mat3(&g.r, l).transpose() * vec3(&g.torque, l);
            let si = vec3(&g.si, l);
            let momentum =
                si * Vec3::new(g.y[3].0[l], g.y[4].0[l], g.y[5].0[l]) + torque * (0.5 * h);
            let isi = vec3(&g.isi, l);
            let turned = flow::rotate(self.rotation, q, momentum, isi * isi, h);
            for (k, c) in [turned.x, turned.y, turned.z, turned.w].into_iter().enumerate() {
                g.q1[k].0[l] = c;
            }
            if l == LANES - 1 || i + 1 == self.slots.len() {
                g.r1 = crate::lanes::quat_matrix(g.q1);
            }
        }
    }

    /// Takes the previewed poses as the present ones after `h`, with the forces' kick over the time
    /// `kick`.
    pub fn commit(&mut self, h: f64, kick: f64) {
        commit_all(&mut self.groups, kick);
        for o in &mut self.others {
            o.q = (rotation(o.angular_velocity * h) * o.q).normalize();
            o.x = o.then.x;
            o.now = o.then;
        }
        self.clock += h;
        self.factored = false;
    }

    /// Remembers the present poses and velocities.
    pub fn save(&self, saved: &mut Saved) {
        saved.y.clear();
        saved.y.extend(self.groups.iter().map(|g| g.y));
        saved.pose.clear();
        saved.pose.extend(self.groups.iter().map(|g| (g.x, g.q, g.r)));
        saved.others.clear();
        saved.others.extend(self.others.iter().map(|o| (o.x, o.q)));
        saved.clock = self.clock;
    }

    /// Goes back to remembered velocities; poses stay.
    pub fn restore_velocities(&mut self, saved: &Saved) {
        for (g, y) in self.groups.iter_mut().zip(&saved.y) {
            g.y = *y;
        }
    }

    /// Goes back to remembered poses and velocities. Rows and factor must be renewed.
    pub fn restore(&mut self, saved: &Saved) {
        self.restore_velocities(saved);
        for (g, p) in self.groups.iter_mut().zip(&saved.pose) {
            (g.x, g.q, g.r) = *p;
        }
        for (o, p) in self.others.iter_mut().zip(&saved.others) {
            (o.x, o.q) = *p;
            o.now = Pose { x: o.x, r: Mat3::from_quat(o.q) };
        }
        self.clock = saved.clock;
        self.factored = false;
    }

    /// Kinetic energy: half the square of the scaled velocities.
    pub fn kinetic(&self) -> f64 {
        0.5 * super::group::squares(&self.groups)
    }

    /// Largest angular velocity, rad/s.
    pub fn max_spin(&self) -> f64 {
        let mut worst = 0.0_f64;
        for g in &self.groups {
            for l in 0..LANES {
                let mut w2 = 0.0;
                for k in 0..3 {
                    let w = g.isi[k].0[l] * g.y[3 + k].0[l];
                    w2 += w * w;
                }
                worst = worst.max(w2);
            }
        }
        worst.sqrt()
    }

    /// Whether all velocities and poses are numbers.
    pub fn is_finite(&self) -> bool {
        self.groups.iter().all(|g| {
            let sum = |v: &[crate::lanes::F4]| v.iter().all(|x| x.0.iter().all(|c| c.is_finite()));
            sum(&g.x) && sum(&g.q) && sum(&g.y)
        })
    }
}
