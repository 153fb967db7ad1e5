//! A world at trial states, for analyses: forces, rows, rotors and points as functions of poses and
//! velocities that the world itself never takes.
//!
//! Velocities and displacements are scaled as everywhere in the engine, y = M^½ (v, Rᵀω): without
//! rotors the mass matrix is the unit matrix. Only columns that have inertia are there, so that
//! mass points have three and thin rods five of them ([`Probe::columns`]). A displacement moves a
//! body by its first three numbers and turns it about its own axes by the other three.
//!
//! The rows are those of the multiplier method, which knows every joint, constraint, limit and
//! contact as a function of the state; the forces are those that all methods evaluate there.

use super::bodies::{PER_BODY, UNMOVED};
use super::element::{Element, Hold};
use super::evaluate::wanted_rate;
use super::guide::Rails;
use super::machine::{Machine, Role};
use crate::body::BodyId;
use crate::constraint::second::{Frame, MovingPair};
use crate::contact::Contacts;
use crate::force::{Control, MotorId, Target};
use crate::joint::{Coordinate, JointId};
use crate::math::{Quat, Vec3};
use crate::model::JointRecord;
use crate::state::State;
use crate::system::rows::follow;
use crate::world::World;
use std::sync::Arc;

/// How a row is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowKind {
    /// C = 0 on poses.
    Position,
    /// A condition on velocities: the row has a rate and no function of poses.
    Velocity,
    /// C ≥ 0: a limit or an inequality.
    OneSided,
    /// C ≥ 0: shapes that must not overlap, with their coefficient of friction.
    Contact(f64),
    /// The slip of the contact before it.
    Slip,
    /// Dry friction of at most this effort (N or N m) against the rate.
    Friction(f64),
    /// A velocity motor; the rate counts from the wanted one. At most this effort.
    Drive(MotorId, f64),
}

/// A row: a function of the state with its derivatives.
#[derive(Clone, Debug)]
pub struct ProbeRow {
    /// Whose row it is.
    pub name: Arc<str>,
    /// How it is held.
    pub kind: RowKind,
    /// C, m or rad; zero for rows on velocities.
    pub value: f64,
    /// C', or the error of a condition on velocities.
    pub rate: f64,
    /// c in C'' = J a + c.
    pub bias: f64,
    /// J by scaled column.
    pub row: Vec<(usize, f64)>,
    /// Direction of the force by scaled column where it is not J: connectors that are locked.
    pub force: Option<Vec<(usize, f64)>>,
}

/// A free coordinate of a joint, or what else is measured, with its derivatives.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Its value.
    pub value: f64,
    /// Its rate.
    pub rate: f64,
    /// c in q'' = J a + c.
    pub bias: f64,
    /// J by scaled column.
    pub row: Vec<(usize, f64)>,
}

/// A world at a trial state.
#[derive(Clone, Debug)]
pub struct Probe<'a> {
    world: &'a World,
    machine: Machine,
    contacts: Option<Contacts>,
    /// Bodies, then integrals of PID controllers.
    y: Vec<f64>,
    t: f64,
    angles: Vec<f64>,
    /// Body among the moving ones, axis, and 1/√m or 1/√I.
    columns: Vec<(usize, usize, f64)>,
    /// Column by body and axis.
    at: Vec<Option<usize>>,
}

impl World {
    /// The world at trial states; it begins at the present one.
    pub fn probe(&self) -> Probe<'_> {
        let mut machine = self.machine_of(&self.model);
        let n = PER_BODY * machine.bodies.moving.len();
        let mut y = vec![0.0; n];
        machine.bodies.load(&self.state, &mut y);
        let stored = |p: &u32| machine.memory.integrals.get(p).copied().unwrap_or_default();
        y.extend(machine.pids.iter().flat_map(stored));

        // continuous servos are functions of the state once their integrals are known
        machine.began = self.state.time;
        for (i, _, motor) in self.model.motors.iter() {
            let Control::Servo { target, pid, .. } = &motor.desc.control else { continue };
            let is_inertia = *target == Target::Velocity && pid.derivative_time > 0.0;
            if pid.window.is_none() && !is_inertia {
                let integral = self.engine.controllers.get(i as usize).map_or(0.0, |c| c.integral);
                machine.servos.push((i, 0.0, integral));
            }
        }

        // columns with inertia
        let mut columns = Vec::new();
        let mut at = vec![None; 6 * machine.bodies.moving.len()];
        for (b, inertia) in machine.bodies.moving.iter().enumerate() {
            for k in 0..6 {
                let scale = if k < 3 { inertia.ism } else { inertia.isi[k - 3] };
                if scale > 0.0 {
                    at[6 * b + k] = Some(columns.len());
                    columns.push((b, k, scale));
                }
            }
        }
        let mut angles = self.engine.angles.clone();
        angles.resize(self.model.joints.slots(), 0.0);
        let mut probe = Probe {
            world: self,
            machine,
            contacts: None,
            y,
            t: self.state.time,
            angles,
            columns,
            at,
        };
        probe.look_for_contacts(0.0);
        probe
    }
}

impl Probe<'_> {
    /// Scaled columns: body, axis (0 to 2 ways, 3 to 5 turns about its principal axes), and the
    /// factor 1/√m or 1/√I from scaled to real velocities.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = (BodyId, usize, f64)> + '_ {
        let id = |slot: u32| self.world.bodies().find(|b| b.index == slot).unwrap_or(BodyId::WORLD);
        let ids: Vec<BodyId> = self.machine.bodies.moving.iter().map(|b| id(b.slot)).collect();
        self.columns.iter().map(move |&(b, k, s)| (ids[b], k, s))
    }

    /// The world that is probed.
    pub fn world(&self) -> &World {
        self.world
    }

    /// Time of the trial state, s.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Sets the time: kinematic bodies, schedules and targets follow it.
    pub fn set_time(&mut self, t: f64) {
        self.t = t;
        self.machine.began = t;
        self.place();
    }

    /// Poses, velocities and counted turns, to come back to.
    pub fn save(&self) -> (Vec<f64>, Vec<f64>) {
        (self.y.clone(), self.angles.clone())
    }

    /// Comes back to a saved state.
    pub fn restore(&mut self, saved: &(Vec<f64>, Vec<f64>)) {
        self.y.clone_from(&saved.0);
        self.angles.clone_from(&saved.1);
        self.place();
    }

    /// Moves all bodies by a scaled displacement.
    pub fn shift(&mut self, change: &[f64]) {
        let full = self.full(change);
        self.machine.bodies.shift(&mut self.y, &full);
        self.place();
    }

    /// Moves one body by a step along one column.
    pub fn nudge(&mut self, column: usize, step: f64) {
        let mut change = vec![0.0; self.columns.len()];
        change[column] = step;
        self.shift(&change);
    }

    /// Scaled velocities.
    pub fn velocities(&self) -> Vec<f64> {
        let mut all = Vec::new();
        self.machine.bodies.scaled(&mut all);
        self.columns.iter().map(|&(b, k, _)| all[6 * b + k]).collect()
    }

    /// Sets scaled velocities.
    pub fn set_velocities(&mut self, v: &[f64]) {
        for y in self.y.chunks_exact_mut(PER_BODY).take(self.machine.bodies.moving.len()) {
            y[7..].fill(0.0);
        }
        let full = self.full(v);
        self.machine.bodies.kick(&mut self.y, &full);
        self.place();
    }

    /// Puts a dynamic body at a pose of its frame, with the velocity of the frame's origin and its
    /// angular velocity; other bodies stay as they are.
    pub fn place_body(&mut self, body: BodyId, at: Vec3, turn: Quat, velocity: Vec3, spin: Vec3) {
        let (Some(record), Some(&k)) =
            (self.world.model.body(body), self.machine.bodies.index.get(body.index as usize))
        else {
            return;
        };
        if k == UNMOVED {
            return;
        }
        let arm = turn * record.center;
        let y = &mut self.y[PER_BODY * k as usize..][..PER_BODY];
        y[..3].copy_from_slice(&(at + arm).to_array());
        y[3..7].copy_from_slice(&(turn * record.principal).normalize().to_array());
        y[7..10].copy_from_slice(&(velocity + spin.cross(arm)).to_array());
        y[10..].copy_from_slice(&spin.to_array());
        self.place();
    }

    /// Pose of a body's frame, velocity of its origin, and its angular velocity.
    pub fn body_state(&self, body: BodyId) -> Option<(Vec3, Quat, Vec3, Vec3)> {
        let record = self.world.model.body(body)?;
        let f = self.machine.bodies.frames.get(body.index as usize)?;
        let turn = (Quat::from_mat3(&f.r) * record.principal.conjugate()).normalize();
        let arm = turn * record.center;
        Some((f.x - arm, turn, f.v - f.w.cross(arm), f.w))
    }

    /// Counts the turns of joints from here on: after a displacement that stays.
    pub fn count_turns(&mut self) {
        let state = self.state();
        for (slot, _, joint) in self.world.model.joints.iter() {
            if joint.guide.is_none() && joint.desc.kind.has(Coordinate::Angle) {
                self.angles[slot as usize] =
                    crate::engine::counted(joint, slot, Coordinate::Angle, &state, &self.angles);
            }
        }
    }

    /// Looks for contacts of shapes that are nearer than a reach, m (at least the world's touch
    /// distance), at the present poses.
    pub fn look_for_contacts(&mut self, reach: f64) {
        let model = &self.world.model;
        let mut contacts =
            self.contacts.take().unwrap_or_else(|| self.world.engine.contacts.clone());
        contacts.prepare(model, &[]);
        if contacts.is_active(model) {
            let mut state = self.state();
            for b in &mut state.bodies {
                (b.velocity, b.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
            }
            // the search looks as far as bodies fall in this time
            let gravity = model.gravity.length().max(1e-3);
            contacts.look(&state, (2.0 * reach / gravity).sqrt().max(1e-3), model.gravity, false);
            self.machine.meet(model, &contacts);
        } else {
            self.machine.part();
        }
        self.contacts = Some(contacts);
    }

    /// Generalised forces at the trial state by scaled column, those of gyroscopes included:
    /// without joints and rotors they are the scaled accelerations.
    pub fn forces(&mut self) -> Vec<f64> {
        let n = PER_BODY * self.machine.bodies.moving.len();
        let mut rates = vec![0.0; self.y.len() - n];
        let world = self.world;
        self.machine.forces(
            &world.model,
            &world.inputs,
            &self.angles,
            self.t,
            &self.y[n..],
            &mut rates,
        );
        let mut full = Vec::with_capacity(6 * self.machine.bodies.moving.len());
        for (b, (force, torque)) in self.machine.bodies.moving.iter().zip(&self.machine.efforts) {
            let f = &self.machine.bodies.frames[b.slot as usize];
            let w = f.r.transpose() * f.w;
            let turn = (f.r.transpose() * *torque - w.cross(b.moments * w)) * b.isi;
            let push = *force * b.ism;
            full.extend([push.x, push.y, push.z, turn.x, turn.y, turn.z]);
        }
        self.columns.iter().map(|&(b, k, _)| full[6 * b + k]).collect()
    }

    /// All rows at the trial state: equalities first, then friction and velocity motors, then
    /// one-sided rows, whether they touch or not.
    pub fn rows(&mut self) -> Vec<ProbeRow> {
        let m = &mut self.machine;
        m.activate(&vec![true; m.candidates.len()]);
        m.evaluate_rows(&self.world.model, &self.angles, self.t);
        let mut out = Vec::with_capacity(m.rows.c.len());
        for (e, source) in self.machine.elements.iter().zip(&self.machine.sources) {
            for i in 0..e.rows {
                let row = e.row0 + i;
                let rows = &self.machine.rows;
                let (value, rate, bias) = (rows.c[row], rows.rate[row], rows.bias[row]);
                let (kind, value, rate, bias) = match (e.hold, source.role()) {
                    (Hold::Position, _) => (RowKind::Position, value, rate, bias),
                    // of velocity constraints C is `c` and its bias is `rate`
                    (Hold::Velocity, _) => (RowKind::Velocity, 0.0, value, rate),
                    (Hold::OneSided, _) => (RowKind::OneSided, value, rate, bias),
                    (Hold::Contact(cones), _) if i == 0 => {
                        (RowKind::Contact(cones.sticking()), value, rate, bias)
                    }
                    (Hold::Contact(cones), _) if i < 3 && cones.sticking() > 0.0 => {
                        (RowKind::Slip, 0.0, rate, bias)
                    }
                    // resistance to rolling and spinning holds nothing in an analysis
                    (Hold::Contact(_), _) => (RowKind::Friction(0.0), 0.0, rate, bias),
                    (Hold::Effort(most), Some(Role::Drive(slot))) => {
                        let id = self.world.motors().find(|m| m.index == slot);
                        let kind =
                            id.map_or(RowKind::Friction(most), |id| RowKind::Drive(id, most));
                        let of = &self.machine.commands;
                        let wanted = wanted_rate(&self.world.model, slot, self.t, of, self.t).0;
                        (kind, 0.0, rate - wanted, bias)
                    }
                    (Hold::Effort(most), _) => (RowKind::Friction(most), 0.0, rate, bias),
                };
                let force = e.locked.then(|| self.sparse(e, i, &rows.g));
                out.push(ProbeRow {
                    name: e.name.clone(),
                    kind,
                    value,
                    rate,
                    bias,
                    row: self.sparse(e, i, &rows.b),
                    force,
                });
            }
        }
        out
    }

    /// Constraints whose formulas have no finite value at the states probed so far.
    pub fn failed(&self) -> &[Arc<str>] {
        &self.machine.failed
    }

    /// Rotors on joints: inertia (kg m² or kg) and the coordinate that turns them.
    pub fn rotors(&self) -> Vec<(f64, Measured)> {
        let all = crate::engine::passives(&self.world.model);
        let turning = all.filter(|(_, _, p)| p.inertia() > 0.0);
        turning
            .map(|(slot, joint, p)| (p.inertia(), self.measured(joint, slot, p.coordinate)))
            .collect()
    }

    /// A free coordinate of a joint.
    pub fn coordinate(&self, joint: JointId, coordinate: Coordinate) -> Option<Measured> {
        let record = self.world.model.joint(joint).filter(|j| j.desc.kind.has(coordinate))?;
        Some(self.measured(record, joint.index, coordinate))
    }

    /// Place of a point of a body, given in the body's frame, along x, y and z.
    pub fn point(&self, body: BodyId, local: Vec3) -> Option<[Measured; 3]> {
        let record = self.world.model.body(body)?;
        let f = self.machine.bodies.frames[body.index as usize];
        let arm = f.r
            * (record.principal.conjugate() * local - record.principal.conjugate() * record.center);
        let (x, v) = (f.x + arm, f.v + f.w.cross(arm));
        let bias = f.w.cross(f.w.cross(arm));
        Some([0, 1, 2].map(|k| {
            let mut row = Vec::new();
            self.put(&mut row, body.index, Vec3::AXES[k], arm.cross(Vec3::AXES[k]));
            Measured { value: x[k], rate: v[k], bias: bias[k], row }
        }))
    }

    /// Axes of a body's frame (x, y, z) in world coordinates, and the rows of its rotation about
    /// the axes of the world.
    pub fn rotation(&self, body: BodyId) -> Option<(crate::Mat3, [Measured; 3])> {
        let record = self.world.model.body(body)?;
        let f = self.machine.bodies.frames[body.index as usize];
        let r = f.r * crate::Mat3::from_quat(record.principal.conjugate());
        Some((
            r,
            [0, 1, 2].map(|k| {
                let mut row = Vec::new();
                self.put(&mut row, body.index, Vec3::ZERO, Vec3::AXES[k]);
                Measured { value: 0.0, rate: f.w[k], bias: 0.0, row }
            }),
        ))
    }

    /// Rotation from a body's principal axes to the world.
    pub fn principal(&self, body: BodyId) -> Option<Quat> {
        let f = self.machine.bodies.frames.get(body.index as usize)?;
        Some(Quat::from_mat3(&f.r))
    }

    /// Writes the trial poses and velocities into a world of the same model.
    pub fn write_to(&self, world: &mut World) {
        let state = self.state();
        world.state.bodies.clone_from(&state.bodies);
        world.state.edits += 1;
        world.engine.angles.clone_from(&self.angles);
    }

    /// The bodies as the world keeps them.
    fn state(&self) -> State {
        let mut state = self.world.state.clone();
        for (b, y) in self.machine.bodies.moving.iter().zip(self.y.chunks_exact(PER_BODY)) {
            state.bodies[b.slot as usize] = crate::state::BodyState {
                position: Vec3::from_slice(y),
                rotation: Quat::from_slice(&y[3..]),
                velocity: Vec3::from_slice(&y[7..]),
                angular_velocity: Vec3::from_slice(&y[10..]),
            };
        }
        for &slot in &self.machine.bodies.kinematic {
            let f = &self.machine.bodies.frames[slot as usize];
            let s = &mut state.bodies[slot as usize];
            (s.position, s.rotation) = (f.x, Quat::from_mat3(&f.r));
        }
        state
    }

    fn place(&mut self) {
        self.machine.bodies.place(self.t, &self.y);
    }

    /// Six numbers per body from the columns with inertia.
    fn full(&self, columns: &[f64]) -> Vec<f64> {
        let mut full = vec![0.0; self.at.len()];
        for (&(b, k, _), x) in self.columns.iter().zip(columns) {
            full[6 * b + k] = *x;
        }
        full
    }

    /// A row of an element by column.
    fn sparse(&self, e: &Element, i: usize, values: &[f64]) -> Vec<(usize, f64)> {
        let mut out = Vec::with_capacity(6 * e.bodies.len());
        for (k, &body) in e.bodies.iter().enumerate() {
            for (j, x) in e.block(values, k)[6 * i..6 * i + 6].iter().enumerate() {
                if let (Some(c), true) = (self.at[6 * body as usize + j], *x != 0.0) {
                    out.push((c, *x));
                }
            }
        }
        out
    }

    /// Adds a gradient by velocity and angular velocity to a row.
    fn put(&self, row: &mut Vec<(usize, f64)>, slot: u32, linear: Vec3, angular: Vec3) {
        let body = self.machine.bodies.index[slot as usize];
        if body == UNMOVED {
            return;
        }
        let inertia = &self.machine.bodies.moving[body as usize];
        let local = self.machine.bodies.frames[slot as usize].r.transpose() * angular * inertia.isi;
        let linear = linear * inertia.ism;
        for j in 0..6 {
            let x = if j < 3 { linear[j] } else { local[j - 3] };
            let Some(c) = self.at[6 * body as usize + j].filter(|_| x != 0.0) else { continue };
            match row.iter_mut().find(|e| e.0 == c) {
                Some(e) => e.1 += x,
                None => row.push((c, x)),
            }
        }
    }

    fn measured(&self, joint: &JointRecord, slot: u32, coordinate: Coordinate) -> Measured {
        let frames: &[Frame] = &self.machine.bodies.frames;
        let mut row = Vec::new();
        if let Some(guide) = &joint.guide {
            let rails = Rails::new(guide);
            for (slot, force, torque) in rails.along(frames) {
                self.put(&mut row, slot, force, torque);
            }
            let c = rails.coordinate(frames);
            return Measured { value: c.x, rate: c.d, bias: c.dd, row };
        }
        let slots = joint.desc.bodies.map(|b| b.index);
        let [a, b] = slots.map(|s| &frames[s as usize]);
        let found = MovingPair::new(&joint.frames, a, b).coordinate(coordinate);
        self.put(&mut row, slots[0], -found.row.n, found.row.a[0]);
        self.put(&mut row, slots[1], found.row.n, found.row.a[1]);
        let start = self.angles.get(slot as usize).copied().unwrap_or(0.0);
        let value = follow(found.c.x, start, coordinate);
        Measured { value, rate: found.c.d, bias: found.c.dd, row }
    }
}

impl ProbeRow {
    /// Whether it must hold whatever its multiplier is.
    pub fn is_equality(&self) -> bool {
        matches!(self.kind, RowKind::Position | RowKind::Velocity)
    }
}
