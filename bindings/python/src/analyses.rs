//! What engineers ask of a mechanism besides its motion, for `kreisel.analyses`. Answers come as
//! dictionaries; the world moves only where that is said.

use crate::core::Core;
use crate::errors;
use crate::report::json;
use kreisel_analysis::{
    Actuator, AnalysisError, DryFriction, Goal, Inverse, Reach, Search, Spline, Track, all_inputs,
    all_outputs, named,
};
use kreisel_dynamics::{Connector, Controller, ControllerKind, Quat, Vec3, World};
use kreisel_session::session::Session;
use pyo3::prelude::*;
use serde::Serialize;

/// An answer, or what is in its way.
fn told<'py, T: Serialize>(
    py: Python<'py>,
    answer: Result<T, AnalysisError>,
) -> PyResult<Bound<'py, PyAny>> {
    let answer = answer.map_err(|e| failed(py, &e))?;
    let tree = serde_json::to_value(answer).map_err(|e| errors::refused(py, e.to_string()))?;
    json(py, &tree)
}

fn failed(py: Python<'_>, error: &AnalysisError) -> PyErr {
    let class = if matches!(error, AnalysisError::Unknown(_)) { "UnknownName" } else { "Refused" };
    let help = match error {
        AnalysisError::Refused { help, .. } if !help.is_empty() => format!("; {help}"),
        _ => String::new(),
    };
    errors::raise(py, class, format!("{error}{help}"))
}

fn friction(py: Python<'_>, word: &str) -> PyResult<DryFriction> {
    match word {
        "refuse" => Ok(DryFriction::Refuse),
        "without" => Ok(DryFriction::Without),
        "stuck" => Ok(DryFriction::Stuck),
        other => Err(errors::refused(
            py,
            format!("friction is \"refuse\", \"without\" or \"stuck\", not \"{other}\""),
        )),
    }
}

/// The world with the outer forces of its scene that act now.
fn loaded(s: &mut Session) -> Result<World, String> {
    let mut world = s.simulation().world.clone();
    let now = world.time();
    let forces = s.simulation().run_settings().forces.clone();
    for f in forces.iter().filter(|f| (f.from..f.until).contains(&now)) {
        world.apply_torque(f.body, f.torque).map_err(|e| e.to_string())?;
        let center = world.body(f.body).map_or(Vec3::ZERO, |b| b.mass.center);
        let at = Connector::body(f.body, f.at.unwrap_or(center));
        let push = Controller::new(ControllerKind::Vector(f.force), vec![at]).active();
        world.add_controller(push).map_err(|e| e.to_string())?;
    }
    Ok(world)
}

impl Core {
    fn subject(&self, py: Python<'_>) -> PyResult<World> {
        self.with(py, loaded)?.map_err(|e| errors::refused(py, e))
    }

    /// Puts the bodies where they are in another world; their velocities, too.
    fn take_over(&self, py: Python<'_>, from: &World) -> PyResult<()> {
        let done = self.with(py, |s| {
            let world = &mut s.simulation_mut().world;
            let ids: Vec<_> = world.bodies().collect();
            ids.into_iter().try_for_each(|id| {
                let pose = from.position(id).zip(from.rotation(id));
                let speed = from.velocity(id).zip(from.angular_velocity(id));
                let (Some((x, q)), Some((v, w))) = (pose, speed) else { return Ok(()) };
                world.set_pose(id, x, q)?;
                // what does not move has no velocity to be given
                let _ = world.set_velocity(id, v, w);
                Ok(())
            })
        })?;
        done.map_err(|e: kreisel_dynamics::ModelError| errors::refused(py, e.to_string()))
    }
}

#[pymethods]
impl Core {
    /// Where the world comes to rest; with `keep` it is put there.
    fn _equilibrium<'py>(
        &self,
        py: Python<'py>,
        any: bool,
        friction: &str,
        tolerance: f64,
        keep: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let friction = self::friction(py, friction)?;
        let _running = if keep { Some(self.claim(py)?) } else { None };
        let mut world = self.subject(py)?;
        let search = Search { any, friction, tolerance };
        let found = py.detach(|| kreisel_analysis::equilibrium(&mut world, &search));
        let poses: Vec<_> = world
            .bodies()
            .map(|id| {
                let (x, q) = (world.position(id), world.rotation(id));
                (x.unwrap_or_default().to_array(), q.unwrap_or_default().to_array())
            })
            .collect();
        let answer = told(py, found)?;
        answer.set_item("positions", poses.iter().map(|p| p.0.to_vec()).collect::<Vec<_>>())?;
        answer.set_item("quaternions", poses.iter().map(|p| p.1.to_vec()).collect::<Vec<_>>())?;
        if keep {
            self.take_over(py, &world)?;
        }
        Ok(answer)
    }

    /// Undamped frequencies with their shapes, eigenvalues with damping.
    fn _modes<'py>(&self, py: Python<'py>, friction: &str) -> PyResult<Bound<'py, PyAny>> {
        let friction = self::friction(py, friction)?;
        let world = self.subject(py)?;
        told(py, py.detach(|| kreisel_analysis::modes(&world, friction)))
    }

    /// The linear system about the present state, and its answer to oscillations.
    fn _linearise<'py>(
        &self,
        py: Python<'py>,
        inputs: Option<Vec<String>>,
        outputs: Option<Vec<String>>,
        friction: &str,
        frequencies: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let friction = self::friction(py, friction)?;
        let world = self.subject(py)?;
        let ins = inputs.map(|list| list.iter().map(|p| named::input(&world, p)).collect());
        let ins = ins.unwrap_or_else(|| Ok(all_inputs(&world))).map_err(|e| failed(py, &e))?;
        let outs = outputs.map(|list| list.iter().map(|p| named::output(&world, p)).collect());
        let outs = outs.unwrap_or_else(|| Ok(all_outputs(&world))).map_err(|e| failed(py, &e))?;
        let linear = py.detach(|| kreisel_analysis::linearise(&world, &ins, &outs, friction));
        match frequencies {
            None => told(py, linear),
            Some(all) => told(py, linear.and_then(|l| kreisel_analysis::response(&l, &all))),
        }
    }

    /// Freedoms, redundant conditions, how near a singular pose is.
    fn _mobility<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let world = self.subject(py)?;
        told(py, py.detach(|| kreisel_analysis::mobility(&world)))
    }

    /// Moves the world to the nearest pose that meets goals: (body, point, target), (body,
    /// quaternion), (coordinate, value).
    fn _inverse_kinematics<'py>(
        &self,
        py: Python<'py>,
        points: Vec<(String, [f64; 3], [f64; 3])>,
        rotations: Vec<(String, [f64; 4])>,
        coordinates: Vec<(String, f64)>,
        nearest: bool,
        tolerance: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _running = self.claim(py)?;
        let mut world = self.read(py, World::clone)?;
        let body = |name: &str| world.body_named(name).ok_or_else(|| self.no_body(py, name));
        let mut goals = Vec::new();
        for (name, local, target) in &points {
            let (local, target) = (Vec3::from_array(*local), Vec3::from_array(*target));
            goals.push(Goal::Point(body(name)?, local, target));
        }
        for (name, q) in &rotations {
            let q = Quat::from_array(*q);
            if !(q.is_finite() && q.length() > 0.5) {
                return Err(errors::refused(py, "a rotation is a quaternion x, y, z, w"));
            }
            goals.push(Goal::Rotation(body(name)?, q.normalize()));
        }
        for (path, x) in &coordinates {
            let (joint, c) = named::coordinate(&world, path).map_err(|e| failed(py, &e))?;
            goals.push(Goal::Coordinate(joint, c, *x));
        }
        let reach = Reach { tolerance, nearest };
        let found = py.detach(|| kreisel_analysis::inverse_kinematics(&mut world, &goals, &reach));
        let answer = told(py, found)?;
        self.take_over(py, &world)?;
        Ok(answer)
    }

    /// Efforts for a motion given by points of coordinates over time.
    fn _inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        motion: Vec<(String, Vec<(f64, f64)>)>,
        actuators: Option<Vec<(String, f64)>>,
        times: Vec<f64>,
        keep: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _running = if keep { Some(self.claim(py)?) } else { None };
        let mut world = self.subject(py)?;
        let coordinate = |w: &World, path: &str| named::coordinate(w, path);

        // the motion as splines
        let mut splines = Vec::new();
        for (path, points) in &motion {
            let (joint, c) = coordinate(&world, path).map_err(|e| failed(py, &e))?;
            let why = "at least two points with rising times and finite values make a motion";
            let spline = Spline::new(points).ok_or_else(|| errors::refused(py, why))?;
            splines.push((joint, c, spline));
        }
        let track = |(joint, coordinate, spline): &'_ (_, _, Spline)| Track {
            joint: *joint,
            coordinate: *coordinate,
            motion: {
                let spline = spline.clone();
                Box::new(move |t| spline.at(t))
            },
        };

        // what pushes
        let own = || {
            let of = |id| world.motor(id).map(|m| (m.joint, m.coordinate));
            let mut all: Vec<_> = world.motors().filter_map(of).collect();
            all.sort();
            all.dedup();
            all.into_iter().map(|(j, c)| (j, c, 1.0)).collect::<Vec<_>>()
        };
        let pushes = match &actuators {
            None => own(),
            Some(list) => list
                .iter()
                .map(|(path, w)| coordinate(&world, path).map(|(j, c)| (j, c, *w)))
                .collect::<Result<_, _>>()
                .map_err(|e| failed(py, &e))?,
        };
        let pushes: Vec<Actuator> = pushes
            .into_iter()
            .map(|(joint, coordinate, weight)| Actuator { joint, coordinate, weight })
            .collect();
        if pushes.is_empty() || pushes.iter().any(|a| !(a.weight > 0.0 && a.weight.is_finite())) {
            let why = "nothing pushes: name actuators with positive weights, or add motors";
            return Err(errors::refused(py, why));
        }

        let found = py.detach(|| {
            let tracks: Vec<Track<'_>> = splines.iter().map(track).collect();
            let settings = Inverse::default();
            kreisel_analysis::inverse_dynamics(&mut world, &tracks, &pushes, &times, &settings)
        });
        let answer = told(py, found)?;
        if keep {
            self.take_over(py, &world)?;
        }
        Ok(answer)
    }

    /// How the rest of the worlds that `build` makes of parameters changes with them.
    #[staticmethod]
    fn _sensitivity<'py>(
        py: Python<'py>,
        build: &Bound<'py, PyAny>,
        parameters: Vec<f64>,
        outputs: Option<Vec<String>>,
        friction: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let search = Search { friction: self::friction(py, friction)?, ..Search::default() };
        let world = |values: &[f64]| -> Result<World, Stop> {
            let made = build.call1((values.to_vec(),)).map_err(Stop::Python)?;
            let core = made.cast::<Self>().map_err(|e| Stop::Python(e.into()))?;
            core.get().subject(py).map_err(Stop::Python)
        };
        let first = world(&parameters).map_err(|e| e.into_error(py))?;
        let outs = match outputs {
            None => all_outputs(&first).into_iter().take(first.coordinates().count()).collect(),
            Some(list) => list
                .iter()
                .map(|p| named::output(&first, p))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|e| failed(py, &e))?,
        };
        let found = kreisel_analysis::sensitivity(world, &parameters, &outs, &search);
        told(py, Ok(found.map_err(|e| e.into_error(py))?))
    }
}

/// Why a neighbouring world has no answer.
enum Stop {
    Python(PyErr),
    Analysis(AnalysisError),
}

impl From<AnalysisError> for Stop {
    fn from(error: AnalysisError) -> Self {
        Self::Analysis(error)
    }
}

impl Stop {
    fn into_error(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Python(error) => error,
            Self::Analysis(error) => failed(py, &error),
        }
    }
}
