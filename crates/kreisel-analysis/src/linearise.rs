//! The linear system about a state: x' = A x + B u, y = C x + D u in independent coordinates.
//!
//! The state is x = (δs, δu, δw): independent displacements, independent velocities, and the
//! integrals of servos that have one; [`crate::tangent`] has the equations. A world at rest in
//! equilibrium gives the A of textbooks, (0 1; −M⁻¹K −M⁻¹D). About a motion it is the Jacobian of
//! the equations of motion in a chart that is fixed at the state.
//!
//! Inputs are efforts of motors, set values of servos, and forces at points of bodies; outputs are
//! coordinates of joints and points of bodies, with their rates. None of them feeds through: D = 0.

use crate::conditions::solve;
use crate::error::AnalysisError;
use crate::mechanism::{dot, push};
use crate::named::path_of;
use crate::obstacles::DryFriction;
use crate::tangent::{Tangent, singular_mass};
use faer::Mat;
use kreisel_dynamics::{
    BodyId, Control, Coordinate, JointId, Measured, MotorId, Probe, Target, Vec3, World,
};

/// What acts on the linear system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// Effort of a motor, or the set value of a servo.
    Motor(MotorId),
    /// A force at a point of a body (in its frame) along an axis of the world.
    Force(BodyId, Vec3, usize),
}

/// What is measured of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// A free coordinate of a joint.
    Coordinate(JointId, Coordinate),
    /// Its rate.
    Rate(JointId, Coordinate),
    /// Place of a point of a body (in its frame) along an axis of the world.
    Point(BodyId, Vec3, usize),
    /// Its velocity.
    Speed(BodyId, Vec3, usize),
}

/// A linear system.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Linear {
    /// Independent displacements, independent velocities, integrals of servos.
    pub states: [usize; 3],
    /// A, row by row.
    pub a: Vec<Vec<f64>>,
    /// B.
    pub b: Vec<Vec<f64>>,
    /// C.
    pub c: Vec<Vec<f64>>,
    /// D.
    pub d: Vec<Vec<f64>>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Conditions that others imply.
    pub redundant: usize,
    /// Largest acceleration or velocity of the state itself, in SI units: zero in equilibrium.
    pub unrest: f64,
    /// What was taken otherwise than a step takes it.
    pub notes: Vec<String>,
}

/// A servo with an integral.
struct Integral {
    row: Measured,
    share: f64,
    target: Target,
}

/// Linearises a world about its present state.
pub fn linearise(
    world: &World,
    inputs: &[Input],
    outputs: &[Output],
    friction: DryFriction,
) -> Result<Linear, AnalysisError> {
    let mut t = Tangent::new(world, friction)?;
    let integrals = integrals(world, &t.mechanism.probe);
    let outs = outputs.to_vec();
    check_outputs(&outs, &t.mechanism.probe)?;
    let mut measured = |p: &Probe<'_>| outs.iter().filter_map(|o| measure(p, *o)).collect();
    let d = t.derivatives(&mut measured);
    let (n, m, k) = (d.width, d.rows, outs.len());
    let [fq, fv] = t.freedom();
    let fw = integrals.len();

    // columns of displacements and velocities of all bodies for each state
    let mut q = Mat::<f64>::zeros(n, fq + fv + fw);
    let mut v = Mat::<f64>::zeros(n, fq + fv + fw);
    for s in 0..fq {
        for i in 0..n {
            q[(i, s)] = t.places.free[(i, s)];
        }
    }
    let drift = d.by_pose.subrows(n + m, m) * &q;
    for s in 0..fq {
        let demand: Vec<f64> = (0..m).map(|i| -drift[(i, s)]).collect();
        for (i, x) in t.speeds.shortest(&demand).into_iter().enumerate() {
            v[(i, s)] = x;
        }
    }
    for u in 0..fv {
        for i in 0..n {
            v[(i, fq + u)] = t.speeds.free[(i, u)];
        }
    }

    // forces and demands on accelerations
    let mut force = d.by_pose.subrows(0, n) * &q + d.by_velocity.subrows(0, n) * &v;
    for (w, integral) in integrals.iter().enumerate() {
        for &(i, x) in &integral.row.row {
            force[(i, fq + fv + w)] += integral.share * x;
        }
    }
    let demand = d.by_pose.subrows(n, m) * &q + d.by_velocity.subrows(n, m) * &v;
    let (acceleration, by_force) = respond(&t, &force, &demand)?;

    // rates of the state
    let states = fq + fv + fw;
    let mut a = vec![vec![0.0; states]; states];
    for s in 0..states {
        let here: Vec<f64> = (0..n).map(|i| q[(i, s)]).collect();
        let turning = t.turning(&here);
        let rate: Vec<f64> = (0..n).map(|i| v[(i, s)] + turning[i]).collect();
        for (i, x) in t.places.along(&rate).into_iter().enumerate() {
            a[i][s] = x;
        }
        let change: Vec<f64> = (0..n).map(|i| acceleration[(i, s)]).collect();
        for (i, x) in t.speeds.along(&change).into_iter().enumerate() {
            a[fq + i][s] = x;
        }
        let speed: Vec<f64> = (0..n).map(|i| v[(i, s)]).collect();
        for (i, integral) in integrals.iter().enumerate() {
            a[fq + fv + i][s] = match integral.target {
                Target::Position => dot(&integral.row.row, &here),
                Target::Velocity => dot(&integral.row.row, &speed),
            };
        }
    }

    // inputs
    let mut b = vec![vec![0.0; inputs.len()]; states];
    for (k, input) in inputs.iter().enumerate() {
        let row = acts(world, &t.mechanism.probe, *input)?;
        let mut f = vec![0.0; n];
        push(&mut f, &row, 1.0);
        let f = Mat::from_fn(n, 1, |i, _| f[i]);
        let y = by_force(&f)?;
        for i in 0..fv {
            b[fq + i][k] = y[(i, 0)];
        }
        // the integral of a servo counts from its set value
        if let Input::Motor(id) = input {
            let servos = world.motors().filter(|m| has_integral(world, *m));
            for (i, _) in servos.enumerate().filter(|(_, m)| m == id) {
                b[fq + fv + i][k] = -1.0;
            }
        }
    }

    // outputs: their values follow displacements, their rates both
    let values =
        d.by_pose.subrows(n + 2 * m, 2 * k) * &q + d.by_velocity.subrows(n + 2 * m, 2 * k) * &v;
    let pick = |i: usize| match outs[i] {
        Output::Coordinate(..) | Output::Point(..) => i,
        Output::Rate(..) | Output::Speed(..) => k + i,
    };
    let c = (0..k).map(|i| (0..states).map(|s| values[(pick(i), s)]).collect()).collect();
    Ok(Linear {
        states: [fq, fv, fw],
        a,
        b,
        c,
        d: vec![vec![0.0; inputs.len()]; k],
        inputs: inputs.iter().map(|i| name_input(world, *i)).collect(),
        outputs: outputs.iter().map(|o| name_output(world, *o)).collect(),
        redundant: t.speeds.count - t.speeds.rank,
        unrest: t.unrest(),
        notes: t.notes.clone(),
    })
}

/// Accelerations for forces and demands, and the independent accelerations for forces alone.
fn respond<'t>(
    t: &'t Tangent<'_>,
    force: &Mat<f64>,
    demand: &Mat<f64>,
) -> Result<(Mat<f64>, impl Fn(&Mat<f64>) -> Result<Mat<f64>, AnalysisError> + 't), AnalysisError> {
    let n = force.nrows();
    let by_force = move |f: &Mat<f64>| {
        let along = t.side().free.transpose() * f;
        if along.nrows() == 0 {
            Ok(along)
        } else {
            solve(&t.mass, &along).ok_or_else(singular_mass)
        }
    };
    let mut held = Mat::<f64>::zeros(n, force.ncols());
    for s in 0..force.ncols() {
        let wanted: Vec<f64> = (0..demand.nrows()).map(|i| -demand[(i, s)]).collect();
        for (i, x) in t.speeds.shortest(&wanted).into_iter().enumerate() {
            held[(i, s)] = x;
        }
    }
    let rest = force - &t.whole_mass * &held;
    let free = by_force(&rest)?;
    Ok((held + &t.speeds.free * free, by_force))
}

/// All free coordinates of joints with their rates: the outputs if none are named.
pub fn all_outputs(world: &World) -> Vec<Output> {
    let places = world.coordinates().map(|(j, c)| Output::Coordinate(j, c));
    places.chain(world.coordinates().map(|(j, c)| Output::Rate(j, c))).collect()
}

/// All motors but velocity motors: the inputs if none are named.
pub fn all_inputs(world: &World) -> Vec<Input> {
    let drives = |id: &MotorId| {
        world
            .motor(*id)
            .is_some_and(|m| matches!(m.control, Control::Effort(_) | Control::Servo { .. }))
    };
    world.motors().filter(drives).map(Input::Motor).collect()
}

fn has_integral(world: &World, id: MotorId) -> bool {
    let control = world.motor(id).map(|m| &m.control);
    matches!(control, Some(Control::Servo { pid, .. }) if pid.integral_time.is_finite())
}

fn integrals(world: &World, probe: &Probe<'_>) -> Vec<Integral> {
    let of = |id: MotorId| {
        let motor = world.motor(id)?;
        let Control::Servo { target, pid, .. } = &motor.control else { return None };
        let row = probe.coordinate(motor.joint, motor.coordinate)?;
        Some(Integral { row, share: -pid.gain / pid.integral_time, target: *target })
    };
    world.motors().filter(|id| has_integral(world, *id)).filter_map(of).collect()
}

/// Direction of the force of an input for a unit of it.
fn acts(
    world: &World,
    probe: &Probe<'_>,
    input: Input,
) -> Result<Vec<(usize, f64)>, AnalysisError> {
    match input {
        Input::Motor(id) => {
            let unknown = || AnalysisError::Unknown("such motor".into());
            let motor = world.motor(id).ok_or_else(unknown)?;
            let row = probe.coordinate(motor.joint, motor.coordinate).ok_or_else(unknown)?.row;
            let gain = match &motor.control {
                Control::Effort(_) => 1.0,
                Control::Servo { pid, .. } => pid.gain,
                Control::Velocity(_)
                | Control::Electric { .. }
                | Control::Muscle { .. }
                | Control::Hydraulic { .. }
                | Control::Damper(_) => {
                    let name = world.motor_name(id).map_or_else(String::new, |n| n.to_string());
                    let why = "a motor of this kind does not give what is set as an effort";
                    return Err(AnalysisError::refused(
                        name,
                        why,
                        "make it a servo of the rate, or an effort",
                    ));
                }
            };
            Ok(row.into_iter().map(|(i, x)| (i, gain * x)).collect())
        }
        Input::Force(body, point, axis) => {
            let rows = probe
                .point(body, point)
                .ok_or_else(|| AnalysisError::Unknown("such body".into()))?;
            Ok(rows[axis % 3].row.clone())
        }
    }
}

pub(crate) fn measure(probe: &Probe<'_>, output: Output) -> Option<Measured> {
    match output {
        Output::Coordinate(j, c) | Output::Rate(j, c) => probe.coordinate(j, c),
        Output::Point(b, p, axis) | Output::Speed(b, p, axis) => {
            probe.point(b, p).map(|r| r[axis % 3].clone())
        }
    }
}

fn check_outputs(outputs: &[Output], probe: &Probe<'_>) -> Result<(), AnalysisError> {
    match outputs.iter().find(|o| measure(probe, **o).is_none()) {
        Some(o) => Err(AnalysisError::Unknown(format!("such output: {o:?}"))),
        None => Ok(()),
    }
}

fn name_input(world: &World, input: Input) -> String {
    match input {
        Input::Motor(id) => world.motor_name(id).map_or_else(String::new, |n| n.to_string()),
        Input::Force(b, _, axis) => {
            format!("{}.force.{}", name_body(world, b), ["x", "y", "z"][axis % 3])
        }
    }
}

pub(crate) fn name_output(world: &World, output: Output) -> String {
    let axis = |k: usize| ["x", "y", "z"][k % 3];
    match output {
        Output::Coordinate(j, c) => path_of(world, j, c),
        Output::Rate(j, c) => format!("{}_rate", path_of(world, j, c)),
        Output::Point(b, _, k) => format!("{}.{}", name_body(world, b), axis(k)),
        Output::Speed(b, _, k) => format!("{}.v{}", name_body(world, b), axis(k)),
    }
}

fn name_body(world: &World, body: BodyId) -> String {
    world.body_name(body).map_or_else(String::new, |n| n.to_string())
}
