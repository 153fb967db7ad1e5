//! Motors and outer forces as TOML.

use super::Part;
use super::text::{number, vector};
use kreisel_dynamics::{Control, Interpolation, Schedule, Target, Vec3};
use std::fmt::Write as _;

impl Part<'_> {
    pub(super) fn motors(&self, out: &mut String) {
        for id in self.world.motors() {
            let (Some(motor), Some(name)) = (self.world.motor(id), self.world.motor_name(id)) else { continue };
            let joint = self.world.joint_name(motor.joint).unwrap_or_default();
            let _ = writeln!(out, "\n[[motor]]\nname = {}\njoint = {}", self.named(&name), self.named(&joint));
            let _ = writeln!(out, "coordinate = \"{}\"", motor.coordinate.name());
            let _ = match &motor.control {
                Control::Effort(s) => writeln!(out, "effort = {}", schedule(s)),
                Control::Velocity(s) => writeln!(out, "velocity = {}", schedule(s)),
                Control::Servo { target, set, pid } => {
                    let key = match target {
                        Target::Position => "position",
                        Target::Velocity => "velocity",
                    };
                    let mut keys = vec![format!("{key} = {}", schedule(set)), format!("gain = {}", number(pid.gain))];
                    if pid.integral_time.is_finite() {
                        keys.push(format!("integral_time = {}", number(pid.integral_time)));
                    }
                    keys.push(format!("derivative_time = {}", number(pid.derivative_time)));
                    keys.extend(pid.window.map(|n| format!("window = {n}")));
                    writeln!(out, "servo = {{ {} }}", keys.join(", "))
                }
            };
            if motor.max_effort.is_finite() {
                let _ = writeln!(out, "max_effort = {}", number(motor.max_effort));
            }
        }
    }

    pub(super) fn forces(&self, out: &mut String) {
        for force in &self.scene.forces {
            let _ = writeln!(out, "\n[[force]]\nbody = {}", self.body_name(force.body));
            let _ = writeln!(out, "force = {}", vector(force.force));
            if force.torque != Vec3::ZERO {
                let _ = writeln!(out, "torque = {}", vector(force.torque));
            }
            if let Some(at) = force.at {
                let _ = writeln!(out, "at = {}", vector(at));
            }
            let _ = writeln!(out, "from = {}", number(force.from));
            if force.until.is_finite() {
                let _ = writeln!(out, "until = {}", number(force.until));
            }
        }
    }
}

fn schedule(schedule: &Schedule) -> String {
    if let [(_, value)] = schedule.points[..] {
        return number(value);
    }
    let points: Vec<String> =
        schedule.points.iter().map(|(t, y)| format!("[{}, {}]", number(*t), number(*y))).collect();
    let word = match schedule.interpolation {
        Interpolation::Hold => "hold",
        Interpolation::Linear => "linear",
        Interpolation::Smooth => "smooth",
    };
    format!("{{ points = [{}], interpolation = \"{word}\" }}", points.join(", "))
}
