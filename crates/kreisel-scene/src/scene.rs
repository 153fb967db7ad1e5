//! A loaded scene: a world ready to run, and what belongs to it besides physics.

use crate::items::{Appearance, RunSettings};
use crate::problem::Problem;
use crate::robot::Robot;
use crate::script::{Script, ScriptMemory};
use crate::source::{Place, Source, Span};
use kreisel_dynamics::{BodyId, BodyKind, Interpolation, Quat, Vec3, World};
use kreisel_geometry::Shape;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A scene that has been read, checked and built.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The text it was read from.
    pub source: Source,
    /// One line that says what it shows.
    pub title: Option<String>,
    /// More about it.
    pub description: Option<String>,
    /// The world as it stands at the start.
    pub world: World,
    /// Time from one report to the next, s.
    pub step: f64,
    /// How long a run takes unless the user says otherwise, s.
    pub duration: f64,
    /// Whether a live run chooses step and steps per frame so that it keeps up with the clock.
    pub real_time: bool,
    /// Steps per row of a recording, where nothing else is said.
    pub oversampling: u32,
    /// Outer forces over time.
    pub forces: Vec<Force>,
    /// Named points of bodies.
    pub markers: Vec<Marker>,
    /// Keyframes that lead kinematic bodies.
    pub motions: Vec<Motion>,
    /// What makes bodies during a run.
    pub emitters: Vec<Emitter>,
    /// What is switched on and off along the way.
    pub switches: Vec<Switch>,
    /// Parts of keyframes.
    pub keys: Vec<KeyPart>,
    /// How bodies look.
    pub looks: Vec<Look>,
    /// What the surfaces of bodies look like besides, of those that are not as usual.
    pub finishes: Vec<(BodyId, Finish)>,
    /// What is shown besides the bodies' own shapes, fixed to a body or to the world.
    pub shows: Vec<Show>,
    /// The solids of bodies, for contacts and queries; mass points have none.
    pub shapes: Vec<(BodyId, Shape)>,
    /// What is recorded.
    pub record: Record,
    /// Where the playback looks from.
    pub camera: Option<Camera>,
    /// Scripts with procedures that go along with a run.
    pub scripts: Vec<Arc<Script>>,
    /// Scripts in another language, which the host runs.
    pub foreign: Vec<ForeignScript>,
    /// What the scripts of a saved run remember, in their order; empty at a start.
    pub script_memory: Vec<Option<ScriptMemory>>,
    /// What is suspicious.
    pub warnings: Vec<Problem>,
    /// Other files that it was read from: their paths without links, in the order of reading.
    pub files: Vec<std::path::PathBuf>,
    /// Where every named item is defined.
    pub spans: BTreeMap<String, Place>,
    /// Coordinates, controls and keyframes of a model of another program, as its file counts them.
    pub robot: Option<Robot>,
}

impl Scene {
    /// The solid of a body, in the body's frame.
    pub fn shape(&self, body: BodyId) -> Option<&Shape> {
        let at = self.shapes.binary_search_by_key(&body, |s| s.0).ok()?;
        Some(&self.shapes[at].1)
    }

    /// What is shown besides the bodies' own shapes: what the scene shows, and the colliders of
    /// bodies of `world` that are not shown as something else.
    pub fn shown(&self, world: &World, looks: &BTreeMap<BodyId, Appearance>) -> Vec<Show> {
        let mut out = self.shows.clone();
        for collider in world.colliders().filter_map(|id| world.collider(id)) {
            let look = looks.get(&collider.body);
            let replaced = look.is_some_and(|l| l.shown.is_some() && l.shown != l.solid);
            if !replaced && !collider.sensor {
                let color = look.and_then(|l| l.color);
                out.push(Show { body: collider.body, shape: collider.placed(), color });
            }
        }
        out
    }

    /// The same of the scene as it was read.
    pub fn shown_at_start(&self) -> Vec<Show> {
        self.shown(&self.world, &RunSettings::of(self).looks)
    }

    /// How time passes.
    pub fn timing(&self) -> Timing {
        let Self { step, duration, oversampling, real_time, .. } = *self;
        Timing { step, duration, oversampling, real_time }
    }
}

/// A script in a language that the host of the scene runs, such as Python.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignScript {
    /// The language.
    pub language: String,
    /// Name of the text that it stands in.
    pub name: String,
    /// Its own text.
    pub text: String,
    /// Line of the source that it begins in, from 1.
    pub line: usize,
    /// Times at which `on_time` is called, s, rising.
    pub at: Vec<f64>,
    /// Interval at which `on_time` is called, s.
    pub every: Option<f64>,
    /// Whether its statements run, or its functions are only defined.
    pub generate: bool,
    /// The scene's parameters.
    pub params: BTreeMap<String, f64>,
}

/// How time passes in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Time from one report to the next, s.
    pub step: f64,
    /// How long a run takes unless the user says otherwise, s.
    pub duration: f64,
    /// Steps per row of a recording that says nothing else.
    pub oversampling: u32,
    /// Whether a live run follows the clock.
    pub real_time: bool,
}

impl Default for Timing {
    fn default() -> Self {
        Self { step: 0.01, duration: 10.0, oversampling: 1, real_time: false }
    }
}

/// An outer force and torque on a body over a span of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Unique name.
    pub name: String,
    /// The body.
    pub body: BodyId,
    /// Force in world coordinates, N.
    pub force: Vec3,
    /// Torque in world coordinates, N m.
    pub torque: Vec3,
    /// Where the force acts, in the body's frame, m; `None` is the centre of mass.
    pub at: Option<Vec3>,
    /// Start, s.
    pub from: f64,
    /// End, s; may be +∞.
    pub until: f64,
}

/// A named point of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Unique name.
    pub name: String,
    /// The body.
    pub body: BodyId,
    /// Where, in the body's frame, m.
    pub at: Vec3,
}

/// Keyframes of a kinematic body.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Unique name.
    pub name: String,
    /// The body.
    pub body: BodyId,
    /// Rising times, s.
    pub times: Vec<f64>,
    /// Origin of the body's frame at each, m.
    pub positions: Vec<Vec3>,
    /// Rotation at each, as rotation vectors, rad; empty leaves the rotation as it is.
    pub rotations: Vec<Vec3>,
    /// How positions go from one to the next.
    pub interpolation: Interpolation,
    /// Whether it begins anew after the last.
    pub repeat: bool,
    /// Whether it acts.
    pub active: bool,
}

/// Makes copies of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Emitter {
    /// Unique name; copies are called by it and a number.
    pub name: String,
    /// The body that is copied.
    pub body: BodyId,
    /// Where copies begin, m.
    pub position: Vec3,
    /// With what velocity, m/s.
    pub velocity: Vec3,
    /// Largest deviation of the place along each axis, m.
    pub spread: Vec3,
    /// Time between two copies, s.
    pub every: f64,
    /// Time of the first, s.
    pub from: f64,
    /// End, s; may be +∞.
    pub until: f64,
    /// Most copies.
    pub most: u32,
    /// The same one gives the same deviations.
    pub seed: u32,
    /// Copies that have been made.
    pub emitted: u32,
    /// Whether it acts.
    pub active: bool,
}

/// Something that changes at a time of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// When, s.
    pub at: f64,
    /// What.
    pub to: SwitchTo,
}

/// What a switch does.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchTo {
    /// A joint, constraint, controller or field by name, on or off.
    Active(String, bool),
    /// What moves a body.
    Kind(BodyId, BodyKind),
}

/// A part of a keyframe.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyPart {
    /// Name of the keyframe.
    pub key: String,
    /// What it says.
    pub to: KeyTo,
}

/// What a part of a keyframe says.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyTo {
    /// How a body stands and moves.
    Body {
        /// The body.
        body: BodyId,
        /// Its origin, m.
        position: Vec3,
        /// Its rotation.
        rotation: Quat,
        /// Velocity of its centre of mass, m/s.
        velocity: Vec3,
        /// Angular velocity, rad/s.
        angular_velocity: Vec3,
    },
    /// What a motor is told.
    Motor {
        /// Its name.
        motor: String,
        /// Effort, rate, set value, voltage, excitation or valve.
        value: f64,
    },
}

/// How a body looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The body.
    pub body: BodyId,
    /// What is drawn; `None` is a mass point or a body without a shape.
    pub shape: Option<Shape>,
    /// Red, green and blue from 0 to 255.
    pub color: Option<[u8; 3]>,
}

/// What a surface looks like besides its colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Finish {
    /// 1 is opaque, 0 is not seen.
    pub opacity: f64,
    /// How clearly it mirrors: 0 is dull, 1 a mirror.
    pub reflection: f64,
    /// Name of the picture file that is laid on it; empty for none.
    pub texture: String,
}

impl Default for Finish {
    fn default() -> Self {
        Self { opacity: 1.0, reflection: 0.0, texture: String::new() }
    }
}

/// Geometry without mass and contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Show {
    /// The body that carries it; [`BodyId::WORLD`] for what stands still.
    pub body: BodyId,
    /// What is drawn, in the frame of the body.
    pub shape: Shape,
    /// Red, green and blue from 0 to 255.
    pub color: Option<[u8; 3]>,
}

/// What a run records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Time between rows in s; `None` is every step.
    pub every: Option<f64>,
    /// The quantities; empty takes the usual ones.
    pub quantities: Vec<Wanted>,
}

/// A quantity to record, as the scene names it.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// By path: `energy.total`, `arm.position`, `knee.angle`, `link *.position`.
    Path(String, Span),
    /// A point fixed to a body.
    Point {
        /// Name of its columns.
        name: String,
        /// The body.
        body: BodyId,
        /// The point in the body's frame, m.
        point: Vec3,
    },
}

/// Where a view looks from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the camera is, m.
    pub eye: Vec3,
    /// What it looks at, m.
    pub target: Vec3,
}
