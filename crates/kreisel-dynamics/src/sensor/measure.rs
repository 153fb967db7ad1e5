//! The exact values of sensors.

use super::{Sensor, SensorKind};
use crate::body::BodyId;
use crate::constraint::coordinate;
use crate::contact::ContactInfo;
use crate::engine::pair;
use crate::force::{Control, MotorId};
use crate::joint::{Coordinate, JointId};
use crate::math::{Quat, Vec3};
use crate::report::Reaction;
use crate::settings::Method;
use crate::state::BodyState;
use crate::world::World;

/// Where a sensor is, how it stands and how it moves, in world coordinates.
pub(super) struct Site {
    pub place: Vec3,
    pub turn: Quat,
    velocity: Vec3,
    spin: Vec3,
}

impl World {
    /// What an exact sensor would give out, after a step of `h` or before any.
    pub(super) fn exact(&self, sensor: &Sensor, h: Option<f64>) -> Option<Vec<f64>> {
        use SensorKind as K;
        let (kind, c) = (sensor.kind, sensor.coordinate);
        let vector = |v: Vec3| Some(v.to_array().to_vec());
        let site = || self.site(sensor, &self.state.bodies);
        Some(match kind {
            K::Clock => vec![self.time()],
            K::Plugin => {
                let wanted = sensor.channels().len();
                return sensor.plugin.ask(|law| {
                    let found = law.measure(self)?;
                    if found.len() != wanted {
                        return Err(format!("{} numbers for {wanted} channels", found.len()));
                    }
                    Ok(found)
                });
            }
            K::JointPosition => vec![self.coordinate(sensor.joint?, c)?],
            K::JointRate => vec![self.coordinate_rate(sensor.joint?, c)?],
            K::JointEffort => vec![
                self.driven(sensor.joint?, c).map(|m| self.motor_effort(m).unwrap_or(0.0)).sum(),
            ],
            K::MotorEffort => vec![self.motor_effort(sensor.motor?)?],
            K::MotorRate => vec![self.motor_rate(sensor.motor?)?],
            K::MotorPower => vec![self.motor_power(sensor.motor?)?],
            K::Gyro | K::Velocimeter => {
                let s = site()?;
                let v = if kind == K::Gyro { s.spin } else { s.velocity };
                return vector(s.turn.conjugate() * v);
            }
            K::Position
            | K::Direction
            | K::LinearVelocity
            | K::AngularVelocity
            | K::Orientation => {
                return self.seen_from(sensor, &site()?);
            }
            K::Accelerometer | K::LinearAcceleration | K::AngularAcceleration => {
                return vector(self.acceleration(sensor, h?)?);
            }
            K::ForceTorque | K::LoadCell | K::JointForce | K::JointTorque => {
                let (force, torque) = self.transmitted(sensor)?;
                match kind {
                    K::LoadCell => vec![force.x],
                    K::JointForce => return vector(force),
                    K::JointTorque => return vector(torque),
                    _ => [force.to_array(), torque.to_array()].concat(),
                }
            }
            K::ContactForce | K::Touch | K::Contact => return self.pressed(sensor, &site()?),
            K::Range | K::Lidar => self.distances(sensor, &site()?),
        })
    }

    /// Place and motion of a sensor's frame among these states.
    fn site(&self, sensor: &Sensor, states: &[BodyState]) -> Option<Site> {
        let body = sensor.body?;
        let at = sensor.at.unwrap_or_default();
        self.frame(body, at, sensor.turn()?, states)
    }

    /// A frame fixed to a body.
    fn frame(&self, body: BodyId, at: Vec3, turn: Quat, states: &[BodyState]) -> Option<Site> {
        let record = self.model.body(body)?;
        let s = states.get(body.index as usize)?;
        let own = s.rotation * record.principal.conjugate();
        let arm = own * (at - record.center);
        Some(Site {
            place: s.position + arm,
            turn: own * turn,
            velocity: s.velocity + s.angular_velocity.cross(arm),
            spin: s.angular_velocity,
        })
    }

    /// Place, direction, rotation or velocity as another body's frame has it; velocities are those
    /// that an observer sees who turns with it.
    fn seen_from(&self, sensor: &Sensor, site: &Site) -> Option<Vec<f64>> {
        let base =
            self.frame(sensor.relative_to, Vec3::ZERO, Quat::IDENTITY, &self.state.bodies)?;
        let back = base.turn.conjugate();
        let offset = site.place - base.place;
        let v = match sensor.kind {
            SensorKind::Position => offset,
            SensorKind::Direction => site.turn * Vec3::X,
            SensorKind::LinearVelocity => site.velocity - base.velocity - base.spin.cross(offset),
            SensorKind::AngularVelocity => site.spin - base.spin,
            _ => return Some((back * site.turn).normalize().to_array().to_vec()),
        };
        Some((back * v).to_array().to_vec())
    }

    /// Mean acceleration over the last step, from the change of velocity: of an accelerometer
    /// without gravity, in the frame as it stood in the middle of the step; else in world
    /// coordinates.
    fn acceleration(&self, sensor: &Sensor, h: f64) -> Option<Vec3> {
        let (before, now) =
            (self.site(sensor, &self.sensed_from)?, self.site(sensor, &self.state.bodies)?);
        if sensor.kind == SensorKind::AngularAcceleration {
            return Some((now.spin - before.spin) / h);
        }
        let mean = (now.velocity - before.velocity) / h;
        if sensor.kind == SensorKind::LinearAcceleration {
            return Some(mean);
        }
        let near = if before.turn.dot(now.turn) < 0.0 { -now.turn } else { now.turn };
        let middle = (before.turn + near).normalize();
        Some(middle.conjugate() * (mean - self.gravity()))
    }

    /// Motors on a coordinate of a joint.
    fn driven(&self, joint: JointId, c: Coordinate) -> impl Iterator<Item = MotorId> {
        let on = move |m: &MotorId| {
            self.motor(*m).is_some_and(|m| m.joint == joint && m.coordinate == c)
        };
        self.motors().filter(on)
    }

    /// Rate of the coordinate that a motor drives, rad/s or m/s.
    pub fn motor_rate(&self, motor: MotorId) -> Option<f64> {
        let m = self.motor(motor)?;
        self.coordinate_rate(m.joint, m.coordinate)
    }

    /// Power of a motor, W: its effort in the last step times the present rate.
    pub fn motor_power(&self, motor: MotorId) -> Option<f64> {
        Some(self.motor_effort(motor)? * self.motor_rate(motor)?)
    }

    /// All that a joint puts on its second body at that body's anchor, mean over the last step:
    /// its reaction with limits, friction, springs, dampers and motors on it.
    pub fn joint_wrench(&self, id: JointId) -> Option<Reaction> {
        let record = self.model.joint(id)?;
        let mut all = self.reaction(id)?;
        if record.guide.is_some() {
            return Some(all);
        }
        let pair = pair(record, &self.state);
        let mut add = |c: Coordinate, effort: f64| {
            let row = coordinate::row(&pair, c);
            all.force += row.n * effort;
            all.torque += (row.a[1] - pair.arm[1].cross(row.n)) * effort;
        };
        // what is a row of the factor is in the reaction; what is held over the step is not
        let explicit = self.model.settings.method == Method::Lagrange;
        for motor in self.motors().filter(|m| self.motor(*m).is_some_and(|m| m.joint == id)) {
            let is_row =
                || self.engine.systems.iter().any(|s| s.drive_effort(motor.index, 1.0).is_some());
            let m = self.motor(motor)?;
            let is_row =
                if explicit { matches!(m.control, Control::Velocity(_)) } else { is_row() };
            if !is_row {
                add(m.coordinate, self.motor_effort(motor).unwrap_or(0.0));
            }
        }
        for p in record.desc.passive.iter().filter(|_| explicit) {
            add(p.coordinate, self.passive_effort(id, p.coordinate).unwrap_or(0.0));
        }
        Some(all)
    }

    /// Force and torque of a joint on the sensor's body, about the sensor's place and in its frame.
    fn transmitted(&self, sensor: &Sensor) -> Option<(Vec3, Vec3)> {
        let id = sensor.joint?;
        let record = self.model.joint(id)?;
        let wrench = self.joint_wrench(id)?;
        let [first, second] = record.desc.bodies;
        let body = sensor.body.unwrap_or(second);
        let sign = if body == first && first != second { -1.0 } else { 1.0 };

        // from the anchor on the second body to the sensor's place
        let [near, far] = self.joint_anchors_local(id)?;
        let anchor = self.frame(second, far, Quat::IDENTITY, &self.state.bodies)?.place;
        let own = if body == second { far } else { near };
        let site =
            self.frame(body, sensor.at.unwrap_or(own), sensor.turn()?, &self.state.bodies)?;
        let torque = wrench.torque + (anchor - site.place).cross(wrench.force);
        let back = site.turn.conjugate();
        Some((sign * (back * wrench.force), sign * (back * torque)))
    }

    /// What contacts within reach put on the sensor's body.
    fn pressed(&self, sensor: &Sensor, site: &Site) -> Option<Vec<f64>> {
        let body = sensor.body?;
        let near = |c: &ContactInfo| {
            c.bodies.contains(&body) && c.point.distance(site.place) <= sensor.reach
        };
        let on = |c: &ContactInfo| if c.bodies[0] == body { c.force } else { -c.force };
        let contacts = self.contacts().filter(near);
        Some(match sensor.kind {
            SensorKind::ContactForce => {
                let force: Vec3 = contacts.map(|c| on(&c)).sum();
                (site.turn.conjugate() * force).to_array().to_vec()
            }
            SensorKind::Touch => vec![contacts.map(|c| c.force.dot(c.normal)).sum()],
            _ => {
                let mut presses =
                    contacts.map(|c| c.force != Vec3::ZERO || (c.sensor && c.gap <= 0.0));
                vec![f64::from(u8::from(presses.any(|p| p)))]
            }
        })
    }
}
