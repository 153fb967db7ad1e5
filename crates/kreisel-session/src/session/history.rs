//! The past: a ring of states to go back to, and documents to undo edits.

use kreisel_dynamics::{BodyId, Snapshot};
use kreisel_scene::items::{Appearance, RunSettings};
use kreisel_scene::{Beside, Scene, Simulation};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};

/// Stored states per simulated second.
const RATE: f64 = 30.0;
/// Most stored states: a minute.
const MOST: usize = 1800;
/// Memory for stored states, in bytes; a large world goes back less far.
const MEMORY: usize = if cfg!(target_arch = "wasm32") { 64 << 20 } else { 256 << 20 };
/// Most edits that can be undone.
const EDITS: usize = 100;

/// The model with its state and its looks: all that an edit can change.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub sim: Simulation,
    pub title: String,
    /// What the model was made from: forces, scripts, what is shown and recorded.
    pub scene: Arc<Scene>,
    /// What a restart goes back to: the scene with the edits that were made before its first step.
    pub start: Arc<Start>,
    /// Names of what is locked.
    pub locked: BTreeSet<String>,
    /// Time of the first edit after that, s.
    pub built: Option<f64>,
    /// Branch of the past that it stands on.
    pub branch: u32,
}

/// The start of a scene.
#[derive(Debug)]
pub(crate) struct Start {
    pub scene: Arc<Scene>,
    /// What it has besides its world, once somebody has asked for it.
    run: OnceLock<RunSettings>,
}

impl Start {
    pub fn new(scene: Arc<Scene>) -> Arc<Self> {
        Arc::new(Self { scene, run: OnceLock::new() })
    }

    /// What it has besides its world.
    pub fn run(&self) -> &RunSettings {
        self.run.get_or_init(|| RunSettings::of(&self.scene))
    }
}

impl Document {
    pub fn new(scene: &Arc<Scene>) -> Self {
        let title = scene.title.clone().unwrap_or_else(|| {
            let name = scene.source.name.to_string();
            name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
        });
        Self {
            sim: Simulation::new(scene),
            title,
            scene: Arc::clone(scene),
            start: Start::new(Arc::clone(scene)),
            locked: BTreeSet::new(),
            built: None,
            branch: 0,
        }
    }

    /// How bodies look.
    pub fn looks(&self) -> &BTreeMap<BodyId, Appearance> {
        &self.sim.run_settings().looks
    }

    /// The same, to be changed.
    pub fn looks_mut(&mut self) -> &mut BTreeMap<BodyId, Appearance> {
        Arc::make_mut(&mut self.sim.parts_mut().1.looks)
    }

    /// A rough size in bytes: a body's state, its share of joints and impulses.
    fn size(&self) -> usize {
        1000 + 400 * self.sim.world.bodies().count()
    }
}

struct Entry {
    time: f64,
    snapshot: Snapshot,
    beside: Beside,
    /// The model it belongs to.
    base: Arc<Document>,
    branch: u32,
}

/// A ring of states.
///
/// Whoever goes back and then on again begins a new branch. The states at hand are one line from
/// the oldest to the newest; a document of an earlier branch shares those with it that are not
/// later than itself and not of a later branch.
pub(crate) struct History {
    entries: VecDeque<Entry>,
    base: Arc<Document>,
    /// Where the world stands in the ring; entries after it are the future that a rewind left.
    at: usize,
    branch: u32,
    /// States that a restart left, for whoever undoes it.
    left: Option<(u32, VecDeque<Entry>)>,
}

impl History {
    pub fn new(document: &Document) -> Self {
        let base = Arc::new(document.clone());
        Self { entries: VecDeque::new(), base, at: 0, branch: document.branch, left: None }
    }

    /// The model has changed, where the world stands: going back to this moment finds it changed.
    pub fn rebase(&mut self, document: &mut Document) {
        self.base = Arc::new(document.clone());
        self.entries.truncate(self.at + 1);
        self.store(document);
    }

    /// The state has changed, where the world stands, and nothing else.
    pub fn again(&mut self, document: &mut Document) {
        self.entries.truncate(self.at + 1);
        self.store(document);
    }

    /// Stores the state after a step if its turn has come.
    pub fn record(&mut self, document: &mut Document, step: u64) {
        self.entries.truncate(self.at + 1);
        let stride = (1.0 / (RATE * document.sim.step_size())).round().max(1.0) as u64;
        if step.is_multiple_of(stride) {
            self.store(document);
        }
    }

    /// Stores the state, instead of one of the same time.
    fn store(&mut self, document: &mut Document) {
        let time = document.sim.world.time();
        if self.entries.back().is_some_and(|e| e.time == time) {
            self.entries.pop_back();
        }
        let most = (MEMORY / document.size()).clamp(10, MOST);
        while self.entries.len() >= most {
            self.entries.pop_front();
        }
        let (snapshot, beside) = (document.sim.world.snapshot(), document.sim.beside());
        self.entries.push_back(Entry {
            time,
            snapshot,
            beside,
            base: Arc::clone(&self.base),
            branch: self.branch,
        });
        self.at = self.entries.len() - 1;
    }

    /// The document at the stored time nearest to `time`, and whether its model is another one.
    pub fn rewind(&mut self, time: f64) -> Option<(Document, bool)> {
        let distance = |k: &usize| (self.entries[*k].time - time).abs();
        let nearest = (0..self.entries.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let entry = &self.entries[nearest];
        let mut document = Document::clone(&entry.base);
        document.sim.world.restore(&entry.snapshot).ok()?;
        document.sim.restore_beside(&entry.beside);
        let other = self.base.sim.world.revision() != entry.base.sim.world.revision();
        self.base = Arc::clone(&entry.base);
        self.at = nearest;
        self.branch += 1;
        document.branch = self.branch;
        Some((document, other))
    }

    /// Goes on from a document that was undone or made again: what lies before it stays.
    pub fn travel(&mut self, document: &mut Document) {
        if let Some((branch, entries)) = self.left.take_if(|l| l.0 == document.branch) {
            (self.branch, self.entries) = (self.branch.max(branch), entries);
        }
        let now = document.sim.world.time();
        self.entries.retain(|e| e.branch <= document.branch && e.time <= now);
        self.begin(document);
    }

    /// Goes on from the start of a scene; the states until now are kept for an undo.
    pub fn restart(&mut self, document: &mut Document) {
        self.left = Some((self.branch, std::mem::take(&mut self.entries)));
        self.begin(document);
    }

    fn begin(&mut self, document: &mut Document) {
        self.branch += 1;
        document.branch = self.branch;
        self.base = Arc::new(document.clone());
        self.store(document);
    }

    pub fn clear(&mut self, document: &Document) {
        *self = Self::new(document);
    }

    pub fn times(&self) -> [f64; 2] {
        [self.entries.front().map_or(0.0, |e| e.time), self.entries.back().map_or(0.0, |e| e.time)]
    }
}

/// Documents before and after edits.
#[derive(Default)]
pub(crate) struct Undo {
    past: VecDeque<Document>,
    future: Vec<Document>,
}

impl Undo {
    /// Keeps the document as it was before an edit.
    pub fn keep(&mut self, document: Document) {
        let most = (MEMORY / (4 * document.size())).clamp(3, EDITS);
        while self.past.len() >= most {
            self.past.pop_front();
        }
        self.past.push_back(document);
        self.future.clear();
    }

    pub fn undo(&mut self, document: &mut Document) -> bool {
        let Some(old) = self.past.pop_back() else { return false };
        self.future.push(std::mem::replace(document, old));
        true
    }

    pub fn redo(&mut self, document: &mut Document) -> bool {
        let Some(new) = self.future.pop() else { return false };
        self.past.push_back(std::mem::replace(document, new));
        true
    }

    pub fn depth(&self) -> [usize; 2] {
        [self.past.len(), self.future.len()]
    }
}
