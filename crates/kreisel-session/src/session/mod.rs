//! A session: a scene that runs, is grabbed and edited. It knows no clock, no thread and no
//! network: the same commands between the same steps give the same bits. The journal relies on
//! this.

mod apply;
mod budget;
mod clipboard;
mod controllers;
mod copy;
mod describe;
mod drive;
mod edit;
mod elements;
mod grip;
mod hand;
mod history;
mod inspect;
mod limits;
mod load;
mod lock;
mod make;
mod marker;
mod program;
mod sample;
mod save;
mod scale;
mod set;
mod tables;

pub use grip::Grip;
pub use hand::Hand;
pub use program::Checkpoint;
pub use sample::Samples;

use crate::protocol::Command;
use history::{Document, History, Undo};
use kreisel_dynamics::{BodyId, BodyKind, Event, Interrupt, Status, StepReport, Vec3, World};
use kreisel_scene::{Options, Scene, Simulation};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A force that lasts.
#[derive(Clone, Copy, Debug)]
struct Effort {
    body: BodyId,
    force: Vec3,
    torque: Vec3,
    steps: u64,
}

/// A running scene with its hands and its past.
pub struct Session {
    document: Document,
    hands: BTreeMap<u32, Hand>,
    /// Hands of virtual reality, by client and number.
    grips: BTreeMap<(u32, u8), Grip>,
    efforts: Vec<Effort>,
    history: History,
    undo: Undo,
    /// Step and thing of the last edit.
    last_edit: (u64, String),
    steps: u64,
    revision: u32,
    loads: u32,
    report: StepReport,
    residual: f64,
    /// Where files that scenes name are looked for.
    files: Options,
    /// What the sender of the last commands should know.
    notes: Vec<String>,
    /// Which elements were active when they were last described.
    alive: Vec<bool>,
    /// Gives up the step that is being made.
    interrupt: Interrupt,
    /// Wall time of a step where the scene says nothing.
    budget: Option<Duration>,
    /// Whether states and edits are kept, to go back to.
    past: bool,
    /// Degrees of freedom of what existed at a revision.
    freedom: Mutex<Option<(u32, f64)>>,
}

/// Why a command was refused: in words for its sender.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

impl From<kreisel_dynamics::ModelError> for Box<Refused> {
    fn from(e: kreisel_dynamics::ModelError) -> Self {
        Self::new(Refused(e.to_string()))
    }
}

/// Result of a command.
pub type Outcome<T = ()> = Result<T, Box<Refused>>;

fn refuse<T>(text: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Refused(text.into())))
}

impl Session {
    /// A session at the start of a scene.
    pub fn new(scene: Scene) -> Self {
        let scene = Arc::new(scene);
        let document = Document::new(&scene);
        let mut session = Self {
            history: History::new(&document),
            document,
            hands: BTreeMap::new(),
            grips: BTreeMap::new(),
            efforts: Vec::new(),
            undo: Undo::default(),
            last_edit: (0, String::new()),
            steps: 0,
            revision: 1,
            loads: 1,
            report: StepReport::default(),
            residual: 0.0,
            files: Options::default(),
            notes: Vec::new(),
            alive: Vec::new(),
            interrupt: Interrupt::default(),
            budget: None,
            past: true,
            freedom: Mutex::new(None),
        };
        session.alive = alive(&session.document.sim.world);
        session.history.record(&mut session.document, 0);
        session
    }

    /// The same, with a folder for the files that scenes name which are loaded later.
    pub fn with_files(mut self, files: &Options) -> Self {
        self.files = Options { params: Vec::new(), ..files.clone() };
        self
    }

    /// The same, with a flag that gives up the step which is being made.
    pub fn with_interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// The same, with a time budget for steps of scenes that state none. A step that spends it ends
    /// with what it has, and the session is then no longer repeatable to the bit; the budget is no
    /// part of what is saved.
    pub fn with_budget(mut self, budget: Duration) -> Self {
        self.budget = Some(budget);
        budget::give(&mut self.document.sim.world, self.budget);
        self.history.clear(&self.document);
        self.history.record(&mut self.document, 0);
        self
    }

    /// Applies a command of a client. A refused one changes nothing.
    pub fn apply(&mut self, client: u32, command: &Command) -> Outcome {
        let before = self.revision;
        let outcome = apply::apply(self, client, command);
        budget::give(&mut self.document.sim.world, self.budget);
        if self.revision != before {
            self.alive = alive(&self.document.sim.world);
        }
        outcome
    }

    /// What the sender of the last commands should know though they were not refused.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Makes one step with the hands' forces; tells what happened.
    pub fn step(&mut self) -> Vec<Event> {
        let h = self.document.sim.step_size();
        let world = &mut self.document.sim.world;
        let model = world.revision();
        world.set_interrupt(self.interrupt.clone());
        for hand in self.hands.values_mut() {
            hand.pull(world, h);
        }
        grip::pull_all(&mut self.grips, world, h);
        for e in &mut self.efforts {
            e.steps -= 1;
            // A body that was removed since feels nothing.
            if let Some(center) = world.center_of_mass(e.body) {
                let _ = world.apply_force(e.body, e.force, center);
                let _ = world.apply_torque(e.body, e.torque);
            }
        }
        self.efforts.retain(|e| e.steps > 0);
        let mut report = self.document.sim.step();
        if report.status == Status::Interrupted {
            // The world stands where it stood: there was no step.
            self.report.status = Status::Interrupted;
            return Vec::new();
        }
        self.steps += 1;
        self.residual += report.ledger.residual;
        let events = std::mem::take(&mut report.events);
        self.report = report;
        // What broke, was switched off as contradictory, or by the scene, a script or a procedure,
        // is drawn so; what was stored before belongs to the model before. Other changes of
        // scripts, which may come with every step, are not drawn.
        if self.document.sim.world.revision() != model {
            let alive = alive(&self.document.sim.world);
            if alive != self.alive {
                self.alive = alive;
                self.changed();
            }
        }
        if self.past {
            self.history.record(&mut self.document, self.steps);
        }
        events
    }

    /// The model has changed: a new description, and a new base for stored states.
    fn changed(&mut self) {
        self.revision += 1;
        if self.past {
            self.history.rebase(&mut self.document);
        }
    }

    /// What went wrong in scripts since the last call; the procedures concerned are off.
    pub fn take_problems(&mut self) -> Vec<kreisel_scene::Problem> {
        self.document.sim.take_problems()
    }

    /// What scripts have printed since the last call.
    pub fn take_messages(&mut self) -> Vec<String> {
        self.document.sim.take_messages()
    }

    /// Whether the last step spent its time budget: it is then not repeatable.
    pub fn is_cut(&self) -> bool {
        let budget = self.document.sim.world.settings().time_budget;
        self.report.status == Status::BudgetSpent
            && budget.is_some_and(|b| self.report.times.total >= b)
    }

    /// The running simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.document.sim
    }

    /// Report of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Sum of the energy ledger's residuals, J.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// Steps made in this session, those that were undone included.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Counts changes of what exists.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// The hands by client.
    pub fn hands(&self) -> impl Iterator<Item = (u32, &Hand)> {
        self.hands.iter().map(|(k, h)| (*k, h))
    }

    /// Hands of virtual reality that hold something, by client and number.
    pub fn grips(&self) -> impl Iterator<Item = ((u32, u8), &Grip)> {
        self.grips.iter().filter(|(_, g)| g.is_closed()).map(|(k, g)| (*k, g))
    }

    /// All hands let go, and forces end.
    fn let_go(&mut self) {
        self.hands.clear();
        self.grips.clear();
        self.efforts.clear();
    }

    /// Where the connectors are now that move by formulas.
    pub fn moving(&self) -> impl Iterator<Item = Vec3> {
        elements::moving(&self.document.sim.world)
    }

    /// First and last time that can be gone back to, s.
    pub fn times(&self) -> [f64; 2] {
        self.history.times()
    }

    /// Edits that can be undone and redone.
    pub fn edits(&self) -> [usize; 2] {
        self.undo.depth()
    }

    /// Hash of the present state.
    pub fn hash(&self) -> String {
        self.document.sim.world.state_hash().iter().map(|b| format!("{b:02x}")).collect()
    }

    /// The scene that was loaded.
    pub fn scene(&self) -> &Scene {
        &self.document.scene
    }

    fn body(&self, name: &str) -> Outcome<BodyId> {
        match self.document.sim.world.body_named(name) {
            Some(id) => Ok(id),
            None => refuse(format!("there is no body \"{name}\"")),
        }
    }
}

/// Whether each joint, constraint, controller, field and procedure is active, and each body
/// dynamic.
fn alive(world: &World) -> Vec<bool> {
    let bodies =
        world.bodies().filter_map(|id| world.body(id)).map(|b| b.kind == BodyKind::Dynamic);
    let joints = world.joints().filter_map(|id| world.joint(id)).map(|j| j.active);
    let constraints = world.constraints().filter_map(|id| world.constraint(id)).map(|c| c.active);
    let controllers = world.controllers().filter_map(|id| world.controller(id)).map(|c| c.active);
    let fields = world.fields().filter_map(|id| world.field(id)).map(|f| f.active);
    let procedures = world.procedures().filter_map(|id| world.procedure(id)).map(|p| p.active);
    bodies
        .chain(joints)
        .chain(constraints)
        .chain(controllers)
        .chain(fields)
        .chain(procedures)
        .collect()
}

/// A vector of numbers that the library takes for places; what is no place (a force, an impulse)
/// has the same bound here.
fn vector(what: &str, v: [f64; 3]) -> Outcome<Vec3> {
    let bound = kreisel_dynamics::bounds::POSITION;
    match v.into_iter().find(|x| !bound.holds(*x)) {
        None => Ok(Vec3::from_array(v)),
        Some(x) => refuse(format!("{what} has numbers of at most {:e}, not {x}", bound.high)),
    }
}
