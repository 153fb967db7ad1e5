//! Applied forces at a trial state: gravity, springs, motors, the user's forces, controllers and
//! fields.

use super::machine::Machine;
use super::points::{PathMemory, Place, Point};
use crate::connector::PlacedPoint;
use crate::constraint::second::{Frame, MovingPair};
use crate::force::{Command, Control, ControllerKind, Target, Winding};
use crate::joint::Coordinate;
use crate::math::{Mat3, Vec3};
use crate::model::{JointRecord, Model};
use crate::plugin::{ForceLaw, Plugin, PluginPoint, PluginState};
use crate::system::rows::follow;
use crate::world::Inputs;

/// Power of applied forces other than gravity and springs, W.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Powers {
    pub user: f64,
    pub motors: f64,
    pub damping: f64,
    pub friction: f64,
    pub constraints: f64,
    /// Of kinematic bodies through contacts.
    pub kinematic: f64,
}

impl Machine {
    fn push(&mut self, slot: u32, force: Vec3, torque: Vec3) {
        if let Some(e) = self.efforts.get_mut(self.bodies.index[slot as usize] as usize) {
            *e = (e.0 + force, e.1 + torque);
        }
    }

    /// Power of a force on a body that it moves.
    fn power(&self, slot: u32, force: Vec3, torque: Vec3) -> f64 {
        let f = &self.bodies.frames[slot as usize];
        if self.bodies.index[slot as usize] == super::bodies::UNMOVED {
            return 0.0;
        }
        force.dot(f.v) + torque.dot(f.w)
    }

    /// Sums all forces into `efforts`; `integrals` are those of the PID controllers, `rates` get
    /// their rates.
    pub fn forces(
        &mut self,
        model: &Model,
        inputs: &Inputs,
        angles: &[f64],
        t: f64,
        integrals: &[f64],
        rates: &mut [f64],
    ) -> Powers {
        let mut powers = Powers::default();
        self.efforts.clear();
        self.efforts
            .extend(self.bodies.moving.iter().map(|b| (model.gravity * b.mass, Vec3::ZERO)));
        for i in 0..self.bodies.moving.len() {
            let slot = self.bodies.moving[i].slot;
            if let Some(&(f, n)) = inputs.efforts.get(slot as usize) {
                self.push(slot, f, n);
                powers.user += self.power(slot, f, n);
            }
        }
        self.springs(model, &mut powers);
        self.motors(model, angles, t, &mut powers);
        self.passives(model, angles, &mut powers);
        self.controllers(model, t, integrals, rates, &mut powers, &[]);
        self.fields(model, &mut powers);
        powers
    }

    fn springs(&mut self, model: &Model, powers: &mut Powers) {
        for (_, _, s) in model.springs.iter() {
            let slots = s.desc.bodies.map(|b| b.index);
            let end = |k: usize| {
                let f: &Frame = &self.bodies.frames[slots[k] as usize];
                let arm = f.r * s.anchors[k];
                (arm, f.x + arm, f.v + f.w.cross(arm))
            };
            let ((arm1, a, va), (arm2, b, vb)) = (end(0), end(1));
            let (d, rate) = (b - a, vb - va);
            let unit = d.normalize_or_zero();
            let drag = if s.desc.isotropic { rate } else { unit * rate.dot(unit) } * s.desc.damping;
            let force = unit * (s.desc.stiffness * (d.length() - s.length)) + drag;
            self.push(slots[0], force, arm1.cross(force));
            self.push(slots[1], -force, -arm2.cross(force));
            powers.damping += drag.dot(rate);
        }
    }

    /// Force motors follow their schedules, continuous servos their targets, sampled ones hold the
    /// effort of the step's start; all along axes that turn.
    fn motors(&mut self, model: &Model, angles: &[f64], t: f64, powers: &mut Powers) {
        for (i, _, motor) in model.motors.iter() {
            let Some(joint) = model.joint(motor.desc.joint).filter(|j| j.desc.active) else {
                continue;
            };
            let max = motor.desc.max_effort;
            let command = Command::new(&motor.desc, self.commands.get(i as usize), self.began);
            let effort = match &motor.desc.control {
                Control::Effort(_) => command.at(t).clamp(-max, max),
                Control::Servo { target, pid, .. } => match self.servos.iter().find(|s| s.0 == i) {
                    Some(&(_, first, sum)) => {
                        let (value, rate) = self.coordinate(
                            joint,
                            motor.desc.joint.index,
                            motor.desc.coordinate,
                            angles,
                        );
                        let (e, slope) = match target {
                            Target::Position => (value - command.at(t), rate - command.slope(t)),
                            Target::Velocity => (rate - command.at(t), 0.0),
                        };
                        let integral = sum + 0.5 * (t - self.began) * (first + e);
                        pid.effort(e, slope, integral).clamp(-max, max)
                    }
                    None => self.motor_efforts[i as usize],
                },
                Control::Electric { winding, .. } => match self.servos.iter().find(|s| s.0 == i) {
                    Some(&(_, first, current)) => {
                        let (_, rate) = self.coordinate(
                            joint,
                            motor.desc.joint.index,
                            motor.desc.coordinate,
                            angles,
                        );
                        let span = t - self.began;
                        let u =
                            if span > 0.0 { command.mean(self.began, t) } else { command.at(t) };
                        let current = winding.current(u, 0.5 * (first + rate), current, span);
                        // without inductance the current follows the present rate
                        let now = Winding { inductance: 0.0, ..*winding };
                        let lags = winding.inductance > 0.0;
                        let i = if lags {
                            current
                        } else {
                            now.current(command.at(t), rate, 0.0, span)
                        };
                        (winding.constant * i).clamp(-max, max)
                    }
                    None => self.motor_efforts[i as usize],
                },
                Control::Muscle { muscle, .. } => {
                    let active = self.servos.iter().find(|s| s.0 == i).map_or(0.0, |s| s.2);
                    let told = command.mean(self.began, t);
                    let active = muscle.activation(told, active, t - self.began);
                    let (slot, of) = (motor.desc.joint.index, motor.desc.coordinate);
                    let (value, rate) = self.coordinate(joint, slot, of, angles);
                    muscle.effort(value, rate, active).clamp(-max, max)
                }
                Control::Damper(_) => {
                    let (slot, of) = (motor.desc.joint.index, motor.desc.coordinate);
                    let (_, rate) = self.coordinate(joint, slot, of, angles);
                    (-command.at(t).max(0.0) * rate).clamp(-max, max)
                }
                Control::Velocity(_) | Control::Hydraulic { .. } => continue,
            };
            self.motor_efforts[i as usize] = effort;
            powers.motors += self.push_along(joint, motor.desc.coordinate, effort);
        }
    }

    /// An effort along the coordinate of a joint; returns its power.
    fn push_along(&mut self, joint: &JointRecord, coordinate: Coordinate, effort: f64) -> f64 {
        let mut sum = 0.0;
        if let Some(guide) = &joint.guide {
            for (slot, force, torque) in super::guide::Rails::new(guide).along(&self.bodies.frames)
            {
                self.push(slot, force * effort, torque * effort);
                sum += self.power(slot, force * effort, torque * effort);
            }
            return sum;
        }
        let slots = joint.desc.bodies.map(|b| b.index);
        let [a, b] = slots.map(|s| self.bodies.frames[s as usize]);
        let row = MovingPair::new(&joint.frames, &a, &b).coordinate(coordinate).row;
        for (slot, force, torque) in [(slots[0], -row.n, row.a[0]), (slots[1], row.n, row.a[1])] {
            self.push(slot, force * effort, torque * effort);
            sum += self.power(slot, force * effort, torque * effort);
        }
        sum
    }

    /// Springs and dampers of joints. Rotors are refused (`model/check.rs`).
    fn passives(&mut self, model: &Model, angles: &[f64], powers: &mut Powers) {
        for (slot, joint, p) in crate::engine::passives(model) {
            let (value, rate) = self.coordinate(joint, slot, p.coordinate, angles);
            self.push_along(joint, p.coordinate, p.effort(value, rate));
            powers.damping += p.damping * rate * rate;
        }
    }

    /// A joint's coordinate, counted over many turns, and its rate.
    fn coordinate(
        &self,
        joint: &JointRecord,
        slot: u32,
        coordinate: Coordinate,
        angles: &[f64],
    ) -> (f64, f64) {
        let frames = &self.bodies.frames;
        let c = match &joint.guide {
            Some(guide) => super::guide::Rails::new(guide).coordinate(frames),
            None => {
                let [a, b] = joint.desc.bodies.map(|b| &frames[b.index as usize]);
                MovingPair::new(&joint.frames, a, b).coordinate(coordinate).c
            }
        };
        (follow(c.x, angles.get(slot as usize).copied().unwrap_or(0.0), coordinate), c.d)
    }

    /// Adds controllers; those in `as_rows` only as far as their rows leave something over.
    pub(super) fn controllers(
        &mut self,
        model: &Model,
        t: f64,
        integrals: &[f64],
        rates: &mut [f64],
        powers: &mut Powers,
        as_rows: &[u32],
    ) {
        rates.fill(0.0);
        let mut pid = 0;
        for (slot, _, c) in model.controllers.iter() {
            let is_row = as_rows.contains(&slot);
            let own = matches!(c.desc.kind, ControllerKind::Pid { .. }).then(|| {
                pid += 1;
                3 * (pid - 1)
            });
            let follows = matches!(c.desc.kind, ControllerKind::Trajectory { .. });
            let asked = c.desc.active && t >= c.desc.from && t < c.desc.until;
            let thrusts = c.desc.active && matches!(c.desc.kind, ControllerKind::Thruster { .. });
            if !(asked || thrusts) || is_row && !follows {
                continue;
            }
            if let ControllerKind::Plugin(plugin) = &c.desc.kind {
                self.plugin(model, plugin, &c.points, t, powers);
                continue;
            }
            let place = Place { curves: &model.curves, frames: &self.bodies.frames, t };
            let first = place.point(&c.points[0], None, PathMemory::default());
            let second =
                c.points.get(1).map(|p| place.point(p, Some(&first), PathMemory::default()));
            let target = second.map(|s| s.jet).unwrap_or_default();
            let (force, on_second) = match c.desc.kind {
                ControllerKind::Plugin(_) => continue,
                ControllerKind::Vector(f) => (f, Vec3::ZERO),
                ControllerKind::Spring { stiffness, damping, .. } => {
                    let r = target.x - first.jet.x;
                    let unit = r.normalize_or_zero();
                    let rate = unit.dot(target.d - first.jet.d);
                    let f = unit * (stiffness * (r.length() - c.length) + damping * rate);
                    (f, -f)
                }
                ControllerKind::Thruster { thrust, direction, lag, .. } => {
                    let now = self.memory.integrals.get(&slot).map_or(0.0, |f| f[0]);
                    let asked = if asked { thrust } else { 0.0 };
                    // a force that is held over the step, or is over within it, acts as its mean
                    let f = match self.holds || lag < self.span {
                        true => ControllerKind::lagged_mean(asked, now, lag, self.span),
                        false => ControllerKind::lagged(asked, now, lag, t - self.began),
                    };
                    if let Some((slot, _)) = first.body {
                        let turn = self.bodies.frames[slot as usize].r * (c.torque * f);
                        self.push(slot, Vec3::ZERO, turn);
                        powers.user += self.power(slot, Vec3::ZERO, turn);
                    }
                    let local = c.direction * f;
                    (
                        first.body.map_or(direction, |(slot, _)| {
                            self.bodies.frames[slot as usize].r * local
                        }),
                        Vec3::ZERO,
                    )
                }
                ControllerKind::Drag { density, viscosity, wind } => {
                    if let Some((slot, _)) = first.body {
                        let (f, torque) = self.drag(slot, density, viscosity, wind);
                        self.push(slot, f, torque);
                        powers.damping -= self.power(slot, f, torque);
                    }
                    continue;
                }
                ControllerKind::Trajectory { alpha, beta } => {
                    let mass = second.and_then(|s| s.body).map_or(0.0, |(slot, _)| self.mass(slot));
                    let damping = beta * (2.0 * alpha).sqrt() * mass;
                    // the row damps against the target, the controller against the world
                    let pull = (first.jet.x - target.x) * (alpha * mass) - target.d * damping;
                    (Vec3::ZERO, if is_row { -first.jet.d * damping } else { pull })
                }
                ControllerKind::Pid { position, velocity, integral } => {
                    let e = target.x - first.jet.x;
                    let at = own.unwrap_or(0);
                    rates[at..at + 3].copy_from_slice(&e.to_array());
                    let sum = Vec3::from_slice(&integrals[at..]);
                    let f = e * position + (target.d - first.jet.d) * velocity + sum * integral;
                    (f, -f)
                }
            };
            for (point, f) in [(Some(first), force), (second, on_second)] {
                if let Some((slot, arm)) = point.and_then(|p| p.body) {
                    let [m, n] = point.map_or([1.0, 1.0], |p| p.lock.masks());
                    let (f, torque) = (f * m, arm.cross(f) * n);
                    if f.is_finite() && torque.is_finite() {
                        self.push(slot, f, torque);
                        powers.user += self.power(slot, f, torque);
                    }
                }
            }
        }
    }

    /// Adds the forces of a law that is written outside.
    fn plugin(
        &mut self,
        model: &Model,
        plugin: &Plugin<dyn ForceLaw>,
        connectors: &[PlacedPoint],
        t: f64,
        powers: &mut Powers,
    ) {
        // where its connectors are
        let place = Place { curves: &model.curves, frames: &self.bodies.frames, t };
        let first = place.point(&connectors[0], None, PathMemory::default());
        let all: Vec<Point> = connectors
            .iter()
            .map(|p| place.point(p, Some(&first), PathMemory::default()))
            .collect();
        let points: Vec<PluginPoint> =
            all.iter().map(|p| PluginPoint { position: p.jet.x, velocity: p.jet.d }).collect();

        // what it says
        let mut forces = vec![Vec3::ZERO; points.len()];
        let now = PluginState { time: t, points: &points };
        let answer = plugin.ask(|law| {
            law.forces(&now, &mut forces)?;
            let finite = forces.iter().all(|f| f.is_finite());
            if finite { Ok(()) } else { Err("a force is not finite".to_owned()) }
        });
        if answer.is_none() {
            return;
        }
        for (point, f) in all.iter().zip(forces) {
            if let Some((slot, arm)) = point.body {
                let [m, n] = point.lock.masks();
                let (f, torque) = (f * m, arm.cross(f) * n);
                self.push(slot, f, torque);
                powers.user += self.power(slot, f, torque);
            }
        }
    }

    /// Drag of a fluid on a body, as on the box that has its mass and its moments of inertia: of
    /// second power by density, of first power by viscosity as on a sphere of its mean edge.
    fn drag(&self, slot: u32, density: f64, viscosity: f64, wind: Vec3) -> (Vec3, Vec3) {
        use std::f64::consts::PI;
        let at = self.bodies.index[slot as usize] as usize;
        let (Some(b), f) = (self.bodies.moving.get(at), &self.bodies.frames[slot as usize]) else {
            return (Vec3::ZERO, Vec3::ZERO);
        };
        let m = b.moments;
        let edge = |j: f64, k: f64, i: f64| (6.0 * (j + k - i).max(0.0) / b.mass).sqrt();
        let s = Vec3::new(edge(m.y, m.z, m.x), edge(m.x, m.z, m.y), edge(m.x, m.y, m.z));
        let back = f.r.transpose();
        let (v, w) = (back * (f.v - wind), back * f.w);
        let mean = (s.x + s.y + s.z) / 3.0;
        let mut force = v * (-3.0 * PI * mean * viscosity);
        let mut torque = w * (-PI * mean * mean * mean * viscosity);
        let square = |x: f64| x * x.abs();
        force -=
            Vec3::new(s.y * s.z * square(v.x), s.x * s.z * square(v.y), s.x * s.y * square(v.z))
                * (0.5 * density);
        let fourth = |a: f64, b: f64| a * a * a * a + b * b * b * b;
        torque -= Vec3::new(
            s.x * fourth(s.y, s.z) * square(w.x),
            s.y * fourth(s.x, s.z) * square(w.y),
            s.z * fourth(s.x, s.y) * square(w.z),
        ) * (density / 64.0);
        (f.r * force, f.r * torque)
    }

    /// After a step from `t` to `t + h`: what thrusters have come to.
    pub fn keep_thrusts(&mut self, model: &Model, t: f64, h: f64) {
        for (slot, _, c) in model.controllers.iter() {
            let ControllerKind::Thruster { thrust, lag, .. } = c.desc.kind else { continue };
            let middle = t + 0.5 * h;
            let asked = if middle >= c.desc.from && middle < c.desc.until { thrust } else { 0.0 };
            let now = self.memory.integrals.get(&slot).map_or(0.0, |f| f[0]);
            let then = if c.desc.active { ControllerKind::lagged(asked, now, lag, h) } else { 0.0 };
            self.memory.integrals.insert(slot, [then, 0.0, 0.0]);
        }
    }

    fn mass(&self, slot: u32) -> f64 {
        self.bodies.moving.get(self.bodies.index[slot as usize] as usize).map_or(0.0, |b| b.mass)
    }

    pub(super) fn fields(&mut self, model: &Model, powers: &mut Powers) {
        for (_, _, field) in model.fields.iter().filter(|(_, _, f)| f.desc.active) {
            for i in 0..self.bodies.moving.len() {
                let b = self.bodies.moving[i];
                let f = self.bodies.frames[b.slot as usize];
                let spin = f.r * (Mat3::from_diagonal(b.moments) * (f.r.transpose() * f.w));
                let (force, torque) = field.desc.effort(b.mass, spin, f.x, f.v);
                self.push(b.slot, force, torque);
                let power = self.power(b.slot, force, torque);
                if matches!(field.desc.kind, crate::FieldKind::Friction(_)) {
                    powers.damping -= power;
                } else {
                    powers.user += power;
                }
            }
        }
    }
}
