//! A robot by the numbers of its own file, for programs that compare it with others:
//! `cargo run --release --example robot_states -- robot.xml` reads lines from its input and answers
//! with lines.
//!
//! | line | answer |
//! |---|---|
//! | (at the start) | `link NAME MASS CENTRE INERTIA` for each link (inertia about the centre by rows), then `ready COORDINATES RATES CONTROLS` |
//! | `off NAME` | takes a joint or constraint out |
//! | `bare` | no contact, no limits, no dry friction |
//! | `undriven` | no motors |
//! | `place q… ; u…` | `poses` of the links: position, quaternion w, x, y, z |
//! | `control c…` | (none) |
//! | `accelerate` | `rates` of the rates |
//! | `run STEP TIME` | `coordinates` at the end, started where `place` has put the robot |
//!
//! Accelerations come from the multiplier method, with servos as the efforts that they give and
//! rotors as inertia on their coordinates: a = a₀ + R τ with τ = −I q'' for the rotors' efforts,
//! where R has the answers to a unit of effort on each rotor.

use kreisel::scene::{Freedom, Link, Options, Robot, load_as};
use kreisel::{
    BodyId, Control, Coordinate, Joint, JointId, Motor, MotorId, Quat, Scene, Schedule, Simulation,
    Target, Vec3, World,
};
use std::error::Error;
use std::io::{BufRead as _, Write as _};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: robot_states FILE")?;
    let scene =
        match load_as(&path, &Options { allow_outside: true, lenient: true, ..Options::default() })
        {
            Ok(scene) => scene,
            Err(e) => {
                let first = e.problems.first().map(|p| format!("line {}: {p}", p.line_column().0));
                println!("refused {}", first.unwrap_or_default().replace('\n', " "));
                return Ok(());
            }
        };
    let Some(robot) = scene.robot.clone() else {
        println!("refused no coordinates: only MJCF models have them");
        return Ok(());
    };
    let mut judge = Judge { scene, robot };
    judge.introduce();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "off" => judge.off(rest)?,
            "bare" => judge.bare()?,
            "undriven" => judge.undriven()?,
            "place" => judge.place(rest)?,
            "control" => judge.robot.actuate(&mut judge.scene.world, &numbers(rest)?)?,
            "accelerate" => print("rates", &judge.accelerations()?),
            "run" => {
                let given = numbers(rest)?;
                let (step, time) = (given[0], given[1]);
                print("coordinates", &judge.run(step, time));
            }
            _ => return Err(format!("unknown: {word}").into()),
        }
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn numbers(text: &str) -> Result<Vec<f64>, std::num::ParseFloatError> {
    text.split_whitespace().map(str::parse).collect()
}

fn print(word: &str, list: &[f64]) {
    let text: Vec<String> = list.iter().map(|x| format!("{x:e}")).collect();
    println!("{word} {}", text.join(" "));
}

struct Judge {
    scene: Scene,
    robot: Robot,
}

/// Acceleration of a body's centre of mass, and its angular acceleration.
type Accelerations = Vec<(BodyId, Vec3, Vec3)>;

impl Judge {
    fn introduce(&self) {
        let world = &self.scene.world;
        for link in &self.robot.links {
            let Some(mass) =
                world.body_named(&link.body).and_then(|b| world.body(b)).map(|b| b.mass)
            else {
                continue;
            };
            let m = mass.inertia;
            let rows: Vec<f64> =
                [m.x_axis, m.y_axis, m.z_axis].iter().flat_map(|c| c.to_array()).collect();
            let c = mass.center;
            let text: Vec<String> =
                [mass.mass, c.x, c.y, c.z].iter().chain(&rows).map(|x| format!("{x:e}")).collect();
            println!("link {} {}", link.body.replace(' ', "_"), text.join(" "));
        }
        let (q, u) = self.robot.size();
        println!("ready {q} {u} {}", self.robot.drives.len());
    }

    fn off(&mut self, name: &str) -> Result<(), kreisel::ModelError> {
        let world = &mut self.scene.world;
        if let Some(joint) = world.joint_named(name) {
            world.set_joint_active(joint, false)?;
        } else if let Some(constraint) = world.constraint_named(name) {
            world.set_constraint_active(constraint, false)?;
        }
        Ok(())
    }

    fn bare(&mut self) -> Result<(), kreisel::ModelError> {
        let world = &mut self.scene.world;
        let mut settings = world.settings().clone();
        settings.contact.on = false;
        world.set_settings(settings)?;
        for id in world.joints().collect::<Vec<_>>() {
            let Some(joint) = world.joint(id).cloned() else { continue };
            world.set_joint(id, Joint { limits: Vec::new(), friction: Vec::new(), ..joint })?;
        }
        Ok(())
    }

    fn undriven(&mut self) -> Result<(), kreisel::ModelError> {
        let world = &mut self.scene.world;
        for motor in world.motors().collect::<Vec<_>>() {
            world.remove_motor(motor)?;
        }
        Ok(())
    }

    fn place(&mut self, text: &str) -> Result<(), Box<dyn Error>> {
        let (q, u) = text.split_once(';').ok_or("place takes coordinates ; rates")?;
        self.robot.place(&mut self.scene.world, &numbers(q)?, &numbers(u)?)?;
        let world = &self.scene.world;
        let mut out = Vec::new();
        for link in &self.robot.links {
            let body = world.body_named(&link.body).ok_or("a link is missing")?;
            let (x, r) = (
                world.position(body).unwrap_or_default(),
                world.rotation(body).unwrap_or(Quat::IDENTITY),
            );
            out.extend([x.x, x.y, x.z, r.w, r.x, r.y, r.z]);
        }
        print("poses", &out);
        Ok(())
    }

    /// Rates of the robot's rates.
    fn accelerations(&self) -> Result<Vec<f64>, Box<dyn Error>> {
        let mut world = self.scene.world.clone();
        for force in &self.scene.forces {
            let point =
                force.at.map_or(world.center_of_mass(force.body), |at| world.point(force.body, at));
            world.apply_force(force.body, force.force, point.unwrap_or_default())?;
            world.apply_torque(force.body, force.torque)?;
        }
        let rotors = rotors(&mut world)?;

        // without the rotors' efforts, and the answers to a unit of each
        let free = world.multipliers().accelerations;
        let second = |of: &Accelerations| -> Vec<f64> {
            rotors.iter().map(|r| second_rate(&world, of, r.joint, r.coordinate)).collect()
        };
        let start = second(&free);
        let n = rotors.len();
        let mut matrix = vec![vec![0.0; n + 1]; n];
        let mut answers = Vec::new();
        for (k, rotor) in rotors.iter().enumerate() {
            let mut pushed = world.clone();
            pushed.set_motor_value(rotor.motor, rotor.effort + rotor.unit)?;
            let answer = pushed.multipliers().accelerations;
            for (row, (x, x0)) in second(&answer).into_iter().zip(&start).enumerate() {
                matrix[row][k] = (x - x0) / rotor.unit * rotor.inertia;
            }
            answers.push(answer);
        }
        for (k, row) in matrix.iter_mut().enumerate() {
            row[k] += 1.0;
            row[n] = start[k];
        }
        let rates = solved(matrix);
        let mut sum = free.clone();
        for ((answer, rotor), rate) in answers.iter().zip(&rotors).zip(&rates) {
            let effort = -rotor.inertia * rate / rotor.unit;
            for ((s, a), f) in sum.iter_mut().zip(answer).zip(&free) {
                s.1 += (a.1 - f.1) * effort;
                s.2 += (a.2 - f.2) * effort;
            }
        }
        Ok(self.robot.links.iter().flat_map(|l| self.of_link(&world, &sum, l)).collect())
    }

    /// Rates of a link's rates, from the accelerations of bodies.
    fn of_link(&self, world: &World, of: &Accelerations, link: &Link) -> Vec<f64> {
        let Some(body) = world.body_named(&link.body) else { return Vec::new() };
        let joint = link.joint.as_deref().and_then(|j| world.joint_named(j));
        let r = world.rotation(body).unwrap_or(Quat::IDENTITY).conjugate();
        match (link.freedom, joint) {
            (Freedom::Hinge { .. }, Some(joint)) => {
                vec![second_rate(world, of, joint, Coordinate::Angle)]
            }
            (Freedom::Slide { .. }, Some(joint)) => {
                vec![second_rate(world, of, joint, Coordinate::Position)]
            }
            (Freedom::Ball { .. }, Some(joint)) => {
                let above = world.joint(joint).map_or(BodyId::WORLD, |j| j.bodies[0]);
                let (w1, w2) = (spin(world, above), spin(world, body));
                (r * (of_body(of, body).1 - of_body(of, above).1 + w2.cross(w1)))
                    .to_array()
                    .to_vec()
            }
            _ => {
                let origin = world.position(body).unwrap_or_default();
                let spun = r * of_body(of, body).1;
                point(world, of, body, origin)
                    .into_iter()
                    .next_back()
                    .unwrap_or_default()
                    .to_array()
                    .into_iter()
                    .chain(spun.to_array())
                    .collect()
            }
        }
    }

    /// The robot's coordinates after a time.
    fn run(&self, step: f64, time: f64) -> Vec<f64> {
        let mut run = Simulation::new(&self.scene);
        run.set_step_size(step);
        for _ in 0..run.steps_until(time) {
            run.step();
        }
        let world = &run.world;
        let mut out = Vec::new();
        for link in &self.robot.links {
            let body = world.body_named(&link.body).unwrap_or(BodyId::WORLD);
            let joint = link.joint.as_deref().and_then(|j| world.joint_named(j));
            let coordinate = |c| joint.and_then(|j| world.coordinate(j, c)).unwrap_or(f64::NAN);
            let (x, r) = (
                world.position(body).unwrap_or_default(),
                world.rotation(body).unwrap_or(Quat::IDENTITY),
            );
            match link.freedom {
                Freedom::Hinge { reference, .. } => {
                    out.push(coordinate(Coordinate::Angle) + reference)
                }
                Freedom::Slide { reference, .. } => {
                    out.push(coordinate(Coordinate::Position) + reference)
                }
                Freedom::Ball { .. } => {
                    let above =
                        joint.and_then(|j| world.joint(j)).map_or(BodyId::WORLD, |j| j.bodies[0]);
                    let carried =
                        world.rotation(above).unwrap_or(Quat::IDENTITY) * link.pose.rotation;
                    let q = carried.conjugate() * r;
                    out.extend([q.w, q.x, q.y, q.z]);
                }
                Freedom::Free => out.extend([x.x, x.y, x.z, r.w, r.x, r.y, r.z]),
            }
        }
        out
    }
}

/// A rotor or motor with the motor that stands for its effort.
struct Rotor {
    motor: MotorId,
    joint: JointId,
    coordinate: Coordinate,
    inertia: f64,
    /// What the motors of the coordinate give.
    effort: f64,
    /// An effort that is seen beside the others, and not too large.
    unit: f64,
}

/// Replaces motors by the efforts that they give, and takes rotors out; lists the coordinates that
/// have either.
fn rotors(world: &mut World) -> Result<Vec<Rotor>, kreisel::ModelError> {
    let mut out: Vec<Rotor> = Vec::new();
    let mut given: Vec<(JointId, Coordinate, f64, f64)> = Vec::new();
    for id in world.motors().collect::<Vec<_>>() {
        let Some(motor) = world.motor(id).cloned() else { continue };
        let q = world.coordinate(motor.joint, motor.coordinate).unwrap_or(0.0);
        let rate = world.coordinate_rate(motor.joint, motor.coordinate).unwrap_or(0.0);
        let effort = match &motor.control {
            Control::Effort(s) => s.at(0.0),
            Control::Servo { target: Target::Position, set, pid } => {
                pid.gain * (set.at(0.0) - q - pid.derivative_time * rate)
            }
            Control::Servo { set, pid, .. } => pid.gain * (set.at(0.0) - rate),
            Control::Damper(c) => -c.at(0.0) * rate,
            Control::Muscle { muscle, .. } => muscle.effort(q, rate, 0.0),
            _ => 0.0,
        };
        given.push((
            motor.joint,
            motor.coordinate,
            effort.clamp(-motor.max_effort, motor.max_effort),
            0.0,
        ));
        world.remove_motor(id)?;
    }
    for id in world.joints().collect::<Vec<_>>() {
        let Some(mut joint) = world.joint(id).cloned() else { continue };
        for p in &mut joint.passive {
            given.push((id, p.coordinate, 0.0, p.inertia()));
            p.armature = 0.0;
        }
        world.set_joint(id, joint)?;
    }
    for (joint, coordinate, effort, inertia) in given {
        if let Some(known) = out.iter_mut().find(|r| r.joint == joint && r.coordinate == coordinate)
        {
            known.effort += effort;
            known.inertia += inertia;
            continue;
        }
        let control = Control::Effort(Schedule::constant(0.0));
        let motor = world.add_motor(Motor::new(joint, coordinate, control))?;
        out.push(Rotor { motor, joint, coordinate, inertia, effort, unit: 1.0 });
    }
    for rotor in &mut out {
        world.set_motor_value(rotor.motor, rotor.effort)?;
        rotor.unit = rotor.effort.abs().max(1e-3);
    }
    out.retain(|r| r.inertia > 0.0);
    Ok(out)
}

fn spin(world: &World, body: BodyId) -> Vec3 {
    world.angular_velocity(body).unwrap_or_default()
}

fn of_body(of: &Accelerations, body: BodyId) -> (Vec3, Vec3) {
    of.iter().find(|a| a.0 == body).map_or((Vec3::ZERO, Vec3::ZERO), |a| (a.1, a.2))
}

/// Velocity and acceleration of a point that moves with a body.
fn point(world: &World, of: &Accelerations, body: BodyId, at: Vec3) -> [Vec3; 2] {
    let (a, alpha) = of_body(of, body);
    let (v, w) = (world.velocity(body).unwrap_or_default(), spin(world, body));
    let arm = at - world.center_of_mass(body).unwrap_or(at);
    [v + w.cross(arm), a + alpha.cross(arm) + w.cross(w.cross(arm))]
}

/// Second derivative of a hinge's angle or a slider's position.
fn second_rate(world: &World, of: &Accelerations, joint: JointId, coordinate: Coordinate) -> f64 {
    let (Some(desc), Some([first, second])) = (world.joint(joint), world.joint_frames(joint))
    else {
        return 0.0;
    };
    let axis = first.axes.x_axis;
    let [(_, alpha1), (_, alpha2)] = desc.bodies.map(|b| of_body(of, b));
    if coordinate == Coordinate::Angle {
        return axis.dot(alpha2 - alpha1);
    }
    // s = axis · (x₂ − x₁), twice derived; the axis turns with the first body
    let w = spin(world, desc.bodies[0]);
    let ([v1, a1], [v2, a2]) = (
        point(world, of, desc.bodies[0], first.point),
        point(world, of, desc.bodies[1], second.point),
    );
    let (axis1, axis2) = (w.cross(axis), alpha1.cross(axis) + w.cross(w.cross(axis)));
    axis2.dot(second.point - first.point) + 2.0 * axis1.dot(v2 - v1) + axis.dot(a2 - a1)
}

/// Solves a linear system, right-hand side in the last column, by elimination with pivots.
fn solved(mut m: Vec<Vec<f64>>) -> Vec<f64> {
    let n = m.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|a, b| m[*a][k].abs().total_cmp(&m[*b][k].abs())).unwrap_or(k);
        m.swap(k, pivot);
        let top = m[k].clone();
        for row in m.iter_mut().skip(k + 1) {
            let f = row[k] / top[k];
            row.iter_mut().zip(&top).skip(k).for_each(|(x, t)| *x -= f * t);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| m[k][j] * x[j]).sum();
        x[k] = (m[k][n] - sum) / m[k][k];
    }
    x
}
