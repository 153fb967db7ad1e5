//! Sensitivities of a motion: how what is measured along a motion changes with parameters (L-113).
//!
//! The derivative of the state by a parameter is carried along with the motion,
//!
//! ```text
//! d/dt δr = δu,   d/dt δθ = δω + ω × δθ,   d/dt (δu, δω) = ∂a/∂z δz + ∂a/∂p
//! ```
//!
//! where a(z, p) are the accelerations that joints and forces make of a state, from the same factor
//! as everywhere. The right side is one directional derivative for each parameter: differences of
//! four worlds that were built for neighbouring values, put into the states z ± ε δz and z ± 2ε δz
//! (a rule of five points). Thus a long or sensitive motion costs no digits, which it does where
//! whole runs are compared.
//!
//! States are those of the bodies' frames: places and velocities of their origins, turns and
//! angular velocities about the axes of the world. A parameter may change anything but which items
//! there are: masses, lengths, centres of mass, stiffnesses, places, velocities. Motion and
//! derivatives go by the classic method of Runge and Kutta; after each step poses and velocities of
//! the motion are put back onto the joints. Smooth mechanisms only: friction, finite drives, and
//! limits or contacts that are reached are refused by name.

use crate::error::AnalysisError;
use crate::linearise::{Output, measure, name_output};
use crate::methods::Method;
use crate::methods::stage::Stage;
use kreisel_dynamics::{BodyId, BodyKind, Quat, Vec3, World};

/// Share of a parameter (or of 1, where it is zero) that differences go to each side.
const STEP: f64 = 5e-4;
/// Neighbours of the rule of five points, and their weights.
const POINTS: [(f64, f64); 4] =
    [(-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0)];

/// What is measured along a motion, with its derivatives.
#[derive(Clone, Debug, serde::Serialize)]
pub struct MotionSensitivity {
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Times, s.
    pub times: Vec<f64>,
    /// Values at each time, output by output.
    pub values: Vec<Vec<f64>>,
    /// Derivatives at each time, output by output, by each parameter.
    pub derivatives: Vec<Vec<Vec<f64>>>,
}

/// Four vectors for each body: place, turn, velocity, angular velocity; or their changes.
type Parts = Vec<[Vec3; 4]>;

/// Sensitivities of the motion of the world that `build` makes of parameters, in steps of `step`
/// up to `until`, s.
///
/// ```
/// use kreisel_analysis::{AnalysisError, Output, motion_sensitivity};
/// use kreisel_dynamics::{Body, Vec3, World};
/// // a throw: x = v t, dx/dv = t
/// let throw = |p: &[f64]| -> Result<World, AnalysisError> {
///     let mut world = World::new();
///     let ball = world.add_body(Body::point(1.0)).unwrap();
///     world.set_velocity(ball, p[0] * Vec3::X, Vec3::ZERO).unwrap();
///     Ok(world)
/// };
/// let ball = throw(&[3.0])?.bodies().next().unwrap();
/// let found =
///     motion_sensitivity(throw, &[3.0], &[Output::Point(ball, Vec3::ZERO, 0)], 0.01, 0.5)?;
/// assert!((found.derivatives.last().unwrap()[0][0] - 0.5).abs() < 1e-9);
/// # Ok::<(), AnalysisError>(())
/// ```
pub fn motion_sensitivity<E: From<AnalysisError>>(
    mut build: impl FnMut(&[f64]) -> Result<World, E>,
    parameters: &[f64],
    outputs: &[Output],
    step: f64,
    until: f64,
) -> Result<MotionSensitivity, E> {
    if !(step > 0.0 && until >= step && until / step < 1e7) {
        let why = "step and end are positive, and at most ten million steps";
        return Err(AnalysisError::refused("the motion", why, "give others").into());
    }
    let world = build(parameters)?;
    let widths: Vec<f64> =
        parameters.iter().map(|p| STEP * if *p == 0.0 { 1.0 } else { p.abs() }).collect();
    let mut neighbours = Vec::new();
    for (k, h) in widths.iter().enumerate() {
        for (side, _) in POINTS {
            let mut there = parameters.to_vec();
            there[k] += side * h;
            let other = build(&there)?;
            if !other.bodies().eq(world.bodies()) {
                let why = "it changes which items there are";
                let item = format!("parameter {}", k + 1);
                return Err(AnalysisError::refused(item, why, "choose another one").into());
            }
            neighbours.push(other);
        }
    }
    let mut carried = Carried::new(&world, &neighbours, &widths, outputs)?;
    let mut out = MotionSensitivity {
        outputs: outputs.iter().map(|o| name_output(&world, *o)).collect(),
        times: Vec::new(),
        values: Vec::new(),
        derivatives: Vec::new(),
    };
    carried.tell(&mut out)?;
    let steps = (until / step).round() as usize;
    for k in 1..=steps {
        carried.step(step)?;
        carried.time = world.time() + k as f64 * step;
        carried.tell(&mut out)?;
    }
    Ok(out)
}

/// A motion with its derivatives.
struct Carried<'a> {
    bodies: Vec<BodyId>,
    outputs: Vec<Output>,
    time: f64,
    /// The motion itself, and the neighbours: four to a parameter.
    main: Stage<'a>,
    beside: Vec<Stage<'a>>,
    widths: Vec<f64>,
    turns: Vec<Quat>,
    state: Parts,
    slopes: Vec<Parts>,
}

impl<'a> Carried<'a> {
    fn new(
        world: &'a World,
        neighbours: &'a [World],
        widths: &[f64],
        outputs: &[Output],
    ) -> Result<Self, AnalysisError> {
        let moves = |b: &BodyId| world.body(*b).is_some_and(|b| b.kind == BodyKind::Dynamic);
        let bodies: Vec<BodyId> = world.bodies().filter(moves).collect();
        let mut main = Stage::new(world, Method::Projected)?;
        main.project()?;
        let mut beside: Vec<Stage<'a>> = Vec::new();
        for other in neighbours {
            let mut stage = Stage::new(other, Method::Projected)?;
            stage.project()?;
            beside.push(stage);
        }
        let (turns, state) = read(&main, &bodies);

        // derivatives of the start
        let mut slopes = Vec::new();
        for (four, h) in beside.chunks(POINTS.len()).zip(widths) {
            let mut slope: Parts = vec![[Vec3::ZERO; 4]; bodies.len()];
            for (stage, (_, weight)) in four.iter().zip(POINTS) {
                let (there, parts) = read(stage, &bodies);
                for b in 0..bodies.len() {
                    let mut turn = (there[b] * turns[b].conjugate()).normalize();
                    if turn.w < 0.0 {
                        turn = -turn;
                    }
                    let change = [parts[b][0], turn.to_scaled_axis(), parts[b][2], parts[b][3]];
                    for i in 0..4 {
                        slope[b][i] += weight / h * change[i];
                    }
                }
            }
            slopes.push(slope);
        }
        Ok(Self {
            bodies,
            outputs: outputs.to_vec(),
            time: world.time(),
            main,
            beside,
            widths: widths.to_vec(),
            turns,
            state,
            slopes,
        })
    }

    fn step(&mut self, h: f64) -> Result<(), AnalysisError> {
        let n = self.bodies.len();
        let zero: Parts = vec![[Vec3::ZERO; 4]; n];
        let sets = 1 + self.slopes.len();
        // displacements in a chart about the start, velocities, and derivatives
        let mut start: Vec<Parts> = vec![self.state.clone()];
        for of in start[0].iter_mut() {
            of[0] = Vec3::ZERO;
            of[1] = Vec3::ZERO;
        }
        start.extend(self.slopes.iter().cloned());
        let mut rates: Vec<Vec<Parts>> = Vec::new();
        for share in [0.0, 0.5, 0.5, 1.0] {
            let mut here = start.clone();
            if let Some(r) = rates.last() {
                add(&mut here, share * h, r);
            }
            rates.push(self.rates(share * h, &here));
        }
        let mut end = start;
        for (weight, r) in [1.0, 2.0, 2.0, 1.0].into_iter().zip(&rates) {
            add(&mut end, weight * h / 6.0, r);
        }

        // the motion goes back onto its joints, the derivatives stay
        let turns = self.turns_at(&end[0]);
        let places = self.places_at(&end[0]);
        put(&mut self.main, self.time + h, &self.bodies, &turns, &places, &zero, 0.0);
        self.main.project()?;
        self.main.settle(0.0);
        self.main.set_time(self.time + h);
        self.main.check(&mut 0.0)?;
        (self.turns, self.state) = read(&self.main, &self.bodies);
        self.slopes = end.split_off(1);
        debug_assert_eq!(self.slopes.len() + 1, sets);
        Ok(())
    }

    fn turns_at(&self, z: &Parts) -> Vec<Quat> {
        let turned = |(q, p): (&Quat, &[Vec3; 4])| (Quat::from_scaled_axis(p[1]) * *q).normalize();
        self.turns.iter().zip(z).map(turned).collect()
    }

    /// The parts of a state with places instead of displacements.
    fn places_at(&self, z: &Parts) -> Parts {
        z.iter().zip(&self.state).map(|(z, s)| [s[0] + z[0], Vec3::ZERO, z[2], z[3]]).collect()
    }

    /// Rates of displacements, velocities and derivatives.
    fn rates(&mut self, after: f64, here: &[Parts]) -> Vec<Parts> {
        let n = self.bodies.len();
        let zero: Parts = vec![[Vec3::ZERO; 4]; n];
        let (turns, places) = (self.turns_at(&here[0]), self.places_at(&here[0]));
        let t = self.time + after;
        put(&mut self.main, t, &self.bodies, &turns, &places, &zero, 0.0);
        let a = accelerations(&mut self.main, &self.bodies);
        let mut out = vec![zero.clone()];
        for b in 0..n {
            let [_, x, u, w] = here[0][b];
            let first = x.cross(w);
            out[0][b] = [u, w - 0.5 * first + x.cross(first) / 12.0, a[b][0], a[b][1]];
        }
        for (k, slope) in here[1..].iter().enumerate() {
            let mut rate = zero.clone();
            let four = &mut self.beside[POINTS.len() * k..][..POINTS.len()];
            for (stage, (side, weight)) in four.iter_mut().zip(POINTS) {
                put(stage, t, &self.bodies, &turns, &places, slope, side * self.widths[k]);
                let a = accelerations(stage, &self.bodies);
                for b in 0..n {
                    rate[b][2] += weight / self.widths[k] * a[b][0];
                    rate[b][3] += weight / self.widths[k] * a[b][1];
                }
            }
            for b in 0..n {
                rate[b][0] = slope[b][2];
                rate[b][1] = slope[b][3] + here[0][b][3].cross(slope[b][1]);
            }
            out.push(rate);
        }
        out
    }

    /// Values and derivatives of the outputs now.
    fn tell(&mut self, out: &mut MotionSensitivity) -> Result<(), AnalysisError> {
        let read = |stage: &Stage<'_>, o: &Output| {
            let unknown = || AnalysisError::Unknown(format!("such output: {o:?}"));
            let m = measure(&stage.m.probe, *o).ok_or_else(unknown)?;
            Ok::<f64, AnalysisError>(match o {
                Output::Rate(..) | Output::Speed(..) => m.rate,
                Output::Coordinate(..) | Output::Point(..) => m.value,
            })
        };
        let zero: Parts = vec![[Vec3::ZERO; 4]; self.bodies.len()];
        let (turns, places, t) = (self.turns.clone(), self.state.clone(), self.time);
        put(&mut self.main, t, &self.bodies, &turns, &places, &zero, 0.0);
        self.main.m.probe.count_turns();
        let values =
            self.outputs.iter().map(|o| read(&self.main, o)).collect::<Result<Vec<_>, _>>()?;
        let mut derivatives = vec![vec![0.0; self.slopes.len()]; self.outputs.len()];
        for (k, slope) in self.slopes.iter().enumerate() {
            let four = &mut self.beside[POINTS.len() * k..][..POINTS.len()];
            for (stage, (side, weight)) in four.iter_mut().zip(POINTS) {
                let by = side * self.widths[k];
                put(stage, t, &self.bodies, &turns, &places, slope, by);
                stage.m.probe.count_turns();
                for (i, o) in self.outputs.iter().enumerate() {
                    derivatives[i][k] += weight / self.widths[k] * read(stage, o)?;
                }
            }
        }
        out.times.push(t);
        out.values.push(values);
        out.derivatives.push(derivatives);
        Ok(())
    }
}

fn add(to: &mut [Parts], by: f64, rates: &[Parts]) {
    for (to, r) in to.iter_mut().flatten().zip(rates.iter().flatten()) {
        for i in 0..4 {
            to[i] += by * r[i];
        }
    }
}

fn read(stage: &Stage<'_>, bodies: &[BodyId]) -> (Vec<Quat>, Parts) {
    let of = |b: &BodyId| {
        let (at, turn, u, w) = stage.m.probe.body_state(*b).unwrap_or_default();
        (turn, [at, Vec3::ZERO, u, w])
    };
    bodies.iter().map(of).unzip()
}

/// Puts a world into a state that is `by` times a derivative away.
fn put(
    stage: &mut Stage<'_>,
    t: f64,
    bodies: &[BodyId],
    turns: &[Quat],
    places: &Parts,
    slope: &Parts,
    by: f64,
) {
    stage.m.probe.set_time(t);
    for (b, body) in bodies.iter().enumerate() {
        let turn = (Quat::from_scaled_axis(by * slope[b][1]) * turns[b]).normalize();
        let [at, u, w] = [0, 2, 3].map(|i| places[b][i] + by * slope[b][i]);
        stage.m.probe.place_body(*body, at, turn, u, w);
    }
}

/// Accelerations of the origins, and angular ones, at the trial state.
fn accelerations(stage: &mut Stage<'_>, bodies: &[BodyId]) -> Vec<[Vec3; 2]> {
    let f = stage.forces();
    let rows = stage.rows();
    let free = rows.times(&f);
    let demand: Vec<f64> = free.iter().zip(&rows.bias).map(|(f, c)| -c - f).collect();
    let change = rows.conditions(stage.width()).shortest(&demand);
    let mut own = vec![[Vec3::ZERO; 2]; bodies.len()];
    for (k, &(body, axis, scale)) in stage.m.columns.iter().enumerate() {
        if let Some(b) = bodies.iter().position(|x| *x == body) {
            own[b][axis / 3][axis % 3] = scale * (f[k] + change[k]);
        }
    }
    for (b, body) in bodies.iter().enumerate() {
        let turn = stage.m.probe.principal(*body).unwrap_or_default();
        let (_, frame, _, w) = stage.m.probe.body_state(*body).unwrap_or_default();
        let center = stage.m.probe.world().body(*body).map_or(Vec3::ZERO, |b| b.mass.center);
        let arm = frame * center;
        let spin = turn * own[b][1];
        own[b] = [own[b][0] - spin.cross(arm) - w.cross(w.cross(arm)), spin];
    }
    own
}
