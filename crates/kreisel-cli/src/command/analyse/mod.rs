//! `kreisel analyse`: what engineers ask of a mechanism besides its motion.
//!
//! One file per question. All of them load a scene, give its world the outer forces that act at its
//! start, and may let it settle first.

mod balance;
mod dynamics;
mod kinematics;
mod linear;
mod motion;
mod reconcile;
mod sensitivity;
mod shapes;
mod spacetime;
mod workspace;

use crate::args::Params;
use crate::exit::{Exit, Failure, print_problems};
use kreisel_analysis::{AnalysisError, DryFriction, Search, named};
use kreisel_dynamics::{Connector, Controller, ControllerKind, Coordinate, JointId, Vec3, World};
use kreisel_scene::{Code, Problem, Scene, Severity};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `analyse`.
#[derive(Debug, clap::Args)]
pub struct Analyse {
    /// What to ask
    #[command(subcommand)]
    pub what: Question,
}

/// The questions.
#[derive(Debug, clap::Subcommand)]
pub enum Question {
    /// Where does it come to rest, and what do its joints carry?
    Equilibrium(balance::Equilibrium),
    /// At which frequencies does it vibrate, and how?
    Modes(shapes::Modes),
    /// What linear system is it about its state?
    Linearise(linear::Linearise),
    /// How does it answer oscillating efforts?
    Response(linear::Response),
    /// How must it stand to reach a goal?
    InverseKinematics(kinematics::InverseKinematics),
    /// Which efforts give a motion?
    InverseDynamics(dynamics::InverseDynamics),
    /// How does its rest change with parameters of the scene?
    Sensitivity(sensitivity::Sensitivity),
    /// How does its motion change with parameters of the scene?
    MotionSensitivity(motion::MotionSensitivity),
    /// Which motion meets goals at the least effort?
    Spacetime(spacetime::Spacetime),
    /// Where can a body be, and what does it take to hold it there?
    Workspace(workspace::Workspace),
    /// Which dimensions must change so that it can be put together?
    Reconcile(reconcile::Reconcile),
    /// How many freedoms has it, and how near is a singular pose?
    Mobility(balance::Mobility),
}

/// What all questions need.
#[derive(Debug, clap::Args)]
pub struct Common {
    /// Scene file
    pub scene: PathBuf,
    #[command(flatten)]
    pub params: Params,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// What a linear law makes of dry friction.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Dry {
    /// A scene with dry friction is refused
    Refuse,
    /// It is left out
    Without,
    /// It sticks: what it acts on does not move
    Stuck,
}

impl From<Dry> for DryFriction {
    fn from(dry: Dry) -> Self {
        match dry {
            Dry::Refuse => Self::Refuse,
            Dry::Without => Self::Without,
            Dry::Stuck => Self::Stuck,
        }
    }
}

/// The state to look at.
#[derive(Debug, clap::Args)]
pub struct About {
    /// Find the equilibrium first, and look at that
    #[arg(long)]
    pub settle: bool,
    /// What to do with dry friction, which no linear law describes
    #[arg(long, value_enum, default_value = "refuse")]
    pub friction: Dry,
}

/// Answers a question.
pub fn run(args: &Analyse) -> Result<Exit, Failure> {
    match &args.what {
        Question::Equilibrium(a) => balance::equilibrium(a),
        Question::Modes(a) => shapes::run(a),
        Question::Linearise(a) => linear::linearise(a),
        Question::Response(a) => linear::response(a),
        Question::InverseKinematics(a) => kinematics::run(a),
        Question::InverseDynamics(a) => dynamics::run(a),
        Question::Sensitivity(a) => sensitivity::run(a),
        Question::MotionSensitivity(a) => motion::run(a),
        Question::Spacetime(a) => spacetime::run(a),
        Question::Workspace(a) => workspace::run(a),
        Question::Reconcile(a) => reconcile::run(a),
        Question::Mobility(a) => balance::mobility(a),
    }
}

/// A scene, and its world with the outer forces that act at its start.
struct Subject {
    scene: Scene,
    world: World,
    notes: Vec<String>,
}

impl Subject {
    fn load(common: &Common) -> Result<Self, Failure> {
        Self::load_with(&common.scene, &common.params)
    }

    fn load_with(path: &Path, params: &Params) -> Result<Self, Failure> {
        let scene = crate::scene_file::load(path, params)?;
        let mut world = scene.world.clone();
        let mut notes = Vec::new();
        let now = world.time();
        for f in scene.forces.iter().filter(|f| (f.from..f.until).contains(&now)) {
            let failed =
                |e: kreisel_dynamics::ModelError| Failure::usage(format!("{}: {e}", f.name));
            // a torque acts the same at every pose, a force at its own point of the body
            world.apply_torque(f.body, f.torque).map_err(failed)?;
            let center = world.body(f.body).map_or(Vec3::ZERO, |b| b.mass.center);
            let at = Connector::body(f.body, f.at.unwrap_or(center));
            world
                .add_controller(Controller::new(ControllerKind::Vector(f.force), vec![at]).active())
                .map_err(failed)?;
        }
        if scene.forces.iter().any(|f| f.from > now || f.until < f64::INFINITY) {
            notes.push("outer forces are those of the scene's start".into());
        }
        for script in &scene.scripts {
            notes.push(format!("the script in {} is not run", script.source.name));
        }
        if !scene.switches.is_empty() {
            notes.push("switches are not thrown".into());
        }
        Ok(Self { scene, world, notes })
    }

    /// Loads it and lets it settle if that is wished.
    fn about(common: &Common, about: &About) -> Result<Self, Failure> {
        let mut subject = Self::load(common)?;
        if about.settle {
            let search = Search { friction: about.friction.into(), ..Search::default() };
            let found = kreisel_analysis::equilibrium(&mut subject.world, &search);
            let found = subject.explain(found)?;
            subject.notes.extend(found.notes);
        }
        Ok(subject)
    }

    /// The answer, or where in the scene stands what is in its way.
    fn explain<T>(&self, answer: Result<T, AnalysisError>) -> Result<T, Failure> {
        let error = match answer {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let place = match &error {
            AnalysisError::Refused { item, .. } => self.scene.spans.get(item),
            AnalysisError::NoEquilibrium { body, .. } => self.scene.spans.get(body),
            AnalysisError::NotActuated { item, .. } => self.scene.spans.get(item),
            AnalysisError::NotAssembled { worst, .. } => self.scene.spans.get(worst),
            _ => None,
        };
        let Some(place) = place else {
            eprintln!("error: {error}");
            return Err(Failure::silent(Exit::Wrong));
        };
        let (message, help) = match &error {
            AnalysisError::Refused { item, why, help } => {
                (format!("{item}: {why}"), Some(help.clone()))
            }
            other => (other.to_string(), None),
        };
        print_problems(&[Problem {
            severity: Severity::Error,
            code: Code::Unsupported,
            message,
            source: place.source.clone(),
            span: place.span.clone(),
            label: "this one".into(),
            also: None,
            help,
        }]);
        Err(Failure::silent(Exit::Wrong))
    }

    /// Writes the scene with the bodies where they are now.
    fn save(&self, path: &Path) -> Result<(), Failure> {
        let mut world = self.scene.world.clone();
        for id in self.world.bodies() {
            if let (Some(position), Some(rotation)) =
                (self.world.position(id), self.world.rotation(id))
            {
                world
                    .set_pose(id, position, rotation)
                    .map_err(|e| Failure::usage(e.to_string()))?;
                let _ = world.set_velocity(id, Vec3::ZERO, Vec3::ZERO);
            }
        }
        std::fs::write(path, kreisel_scene::save(&self.scene, &world))
            .map_err(|e| Failure::file(path, e))
    }

    /// Prints what was taken otherwise than in a run.
    fn tell(&self, more: &[String]) {
        for note in self.notes.iter().chain(more) {
            println!("note: {note}");
        }
    }

    /// A coordinate by its path: `crank.angle`.
    fn coordinate(&self, path: &str) -> Result<(JointId, Coordinate), Failure> {
        named::coordinate(&self.world, path).map_err(unknown)
    }
}

/// A name on the command line that means nothing.
fn unknown(error: AnalysisError) -> Failure {
    Failure::usage(error.to_string())
}

/// Prints an answer as JSON.
fn print_json(answer: &impl Serialize) -> Result<Exit, Failure> {
    println!(
        "{}",
        serde_json::to_string_pretty(answer).map_err(|e| Failure::resource(e.to_string()))?
    );
    Ok(Exit::Success)
}

/// Three numbers.
fn triple(text: &str) -> Option<Vec3> {
    let numbers: Vec<f64> =
        text.split(',').map(|x| x.trim().parse().ok()).collect::<Option<_>>()?;
    let [x, y, z] = numbers[..] else { return None };
    Some(Vec3::new(x, y, z)).filter(|v| v.is_finite())
}
