//! Collisions and contact with friction, joints included (Bender 2007, chapter 5; B-75 to B-92).
//!
//! A step with contacts is a symmetric kick-drift-kick around what the chains do anyway:
//!
//! 1. *Kick* at t₀ (`position`): impulses that keep the previewed gaps of t₀ + h open. Manifolds,
//!    rows and islands are those found at the end of the last step.
//! 2. *Drift*: every chain and every loose body advances as it would without contacts, kicked
//!    velocities and all.
//! 3. *Detect* at t₀ + h (`detect`): broad phase, narrow phase, manifolds with their memory,
//!    islands, colours, rows.
//! 4. *Hold* (`velocity`): contacts that push stop approaching or rebound, friction acts with the
//!    sum of both impulses.
//!
//! Resting bodies get half their weight in each kick and stand still exactly; constant sliding is
//! exact, too. A jointed chain is one exact block in both solves (`chain`).
//!
//! | file | concept |
//! |---|---|
//! | `material`, `settings`, `collider` | what the user says |
//! | `pairs`, `narrow/`, `manifold`, `detect` | where shapes touch |
//! | `island`, `parts`, `color`, `setup`, `cells`, `rows`, `friction`, `loads` | the equations, four or eight manifolds at a time |
//! | `accelerate`, `prime`, `position`, `single`, `shock`, `velocity`, `impact`, `chain` | their solution |
//! | `stage`, `hold`, `rebound`, `step`, `again`, `recovery`, `time`, `checkpoint`, `sleep`, `report` | the step and what it tells |

mod accelerate;
mod again;
mod cells;
mod chain;
mod chance;
mod checkpoint;
mod collider;
mod color;
mod detect;
mod friction;
mod hold;
mod impact;
mod island;
mod loads;
mod manifold;
mod material;
mod narrow;
mod pairs;
mod parts;
mod position;
mod prime;
mod rebound;
mod recovery;
mod report;
mod rows;
mod settings;
mod setup;
mod shock;
mod single;
mod sleep;
mod stage;
mod step;
mod time;
mod velocity;

pub(crate) use collider::{Collider, Kind, Place};
pub use material::{Material, PairMaterial, Rule};
pub(crate) use material::{Surface, combine};
pub(crate) use pairs::allowed;
pub use report::{ContactInfo, ContactReport};
pub(crate) use settings::check_coefficients;
pub use settings::{
    Cone, ContactMode, ContactSettings, ContactTime, ImpactLaw, Iteration, Precision,
};
pub(crate) use step::{Args, Losses};

use crate::model::Model;
use crate::system::System;
use cells::{Cell, SingleCell};
use chain::Chain;
use color::Coloring;
use friction::Friction;
use island::Islands;
use manifold::{Brief, Manifold};
use pairs::Pairs;
use rows::AllRows;
use serde::{Deserialize, Serialize};
use setup::BodyView;

/// A body that no system moves.
const NOWHERE: (u32, u32) = (u32::MAX, 0);

/// Memory of contacts that outlives a step: part of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContactMemory {
    /// Manifolds in the present poses, sorted by pair.
    pub manifolds: Vec<Manifold>,
    /// Pairs of colliders that touch, sorted, and whether one is a sensor.
    pub touching: Vec<([u32; 2], bool)>,
    /// Duration of the last step, s.
    pub last_h: f64,
    /// Whether limits were struck at its end: the contacts' impulses then are no guess for the next
    /// one.
    #[serde(default)]
    pub struck: bool,
    /// Longest step that the manifolds reach for; 0 when they do not belong to the present poses.
    pub valid_h: f64,
    /// How calm bodies are, by slot; empty when nothing sleeps.
    pub rest: Vec<sleep::Rest>,
}

/// Everything about contact in a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts {
    built: Option<u64>,
    pub colliders: Vec<Collider>,
    /// Generations of the colliders' bodies.
    generations: Vec<u32>,
    /// Class of each collider's material, and coefficients by pair of classes.
    class: Vec<u32>,
    classes: usize,
    table: Vec<Surface>,
    /// System and place in it of each body, by slot.
    homes: Vec<(u32, u32)>,
    /// System of jointed bodies, by slot.
    chain_of: Vec<u32>,
    places: Vec<Place>,
    views: Vec<BodyView>,
    speeds: Vec<[crate::math::Vec3; 2]>,
    reach: Vec<f64>,
    pairs: Pairs,
    pub memory: ContactMemory,
    old: Vec<Manifold>,
    /// What lists and searches ask of the manifolds, and whether it is of those at hand.
    briefs: Vec<Brief>,
    surveyed: bool,
    touched: Vec<([u32; 2], bool)>,
    islands: Islands,
    /// Systems of islands in which something has rebounded in the present step.
    rebounding: Vec<u32>,
    coloring: Coloring,
    rows: AllRows,
    /// Where the loads of each manifold lie.
    seats: Vec<u32>,
    /// Inverse roots of the masses of the cells.
    roots: Vec<f64>,
    /// Velocities in the solve, before it, and truly.
    cells: Vec<Cell>,
    reference: Vec<Cell>,
    actual: Vec<Cell>,
    /// Velocities of the sweep before.
    last: Vec<Cell>,
    /// Changes of velocities in single precision, and those of the sweep before.
    changes: Vec<SingleCell>,
    last_changes: Vec<SingleCell>,
    /// Velocities half way through a solve.
    middle: Vec<Cell>,
    /// Manifolds that threads have found.
    found: Vec<detect::Found>,
    /// How far the surface of each body has come at most, m, and where it was seen last, by slot.
    odometers: Vec<f64>,
    seen: Vec<Place>,
    /// Velocities at the last look, whether bodies are as they were then, by slot, and the step
    /// that the manifolds at hand were found for then, s; 0 if they are others.
    seen_speeds: Vec<[crate::math::Vec3; 2]>,
    unchanged: Vec<bool>,
    found_for: f64,
    /// Whether the step runs in a pool of threads.
    pub threads: bool,
    layers: shock::Layers,
    chains: Vec<Chain>,
    /// Impulses of joints against the kick, by system and row.
    deferred: Vec<Vec<f64>>,
    /// Cells of both bodies and number of points of each manifold, island by island.
    link: Vec<([u32; 2], u32)>,
    /// Colliders that answer to impulses in this step, and bodies, by slot, that sleep through it.
    active: Vec<bool>,
    frozen: Vec<bool>,
    /// Size of each body, by slot, and scratch of sleeping.
    sizes: Vec<f64>,
    parents: Vec<u32>,
    checkpoints: Vec<checkpoint::Checkpoint>,
    sums: Vec<checkpoint::Sums>,
    /// Preview velocities with the kick, by slot, when a step is made again.
    solved: Vec<Option<Cell>>,
    solution: Vec<Cell>,
    start: Vec<Manifold>,
    /// The contacts of the start of a step that is made again.
    begin: Vec<Manifold>,
    gaps: Vec<([u32; 2], f64)>,
    /// Velocities after the kick, group by group, and manifolds with new overlaps.
    kicked: Vec<[crate::lanes::F4; 6]>,
    met: Vec<bool>,
    candidates: Vec<impact::Candidate>,
    /// New overlap from which on a fast step is made again, m, and the least of it that any pair of
    /// bodies can have.
    overlap: f64,
    shallow: f64,
    /// Bodies that are drawn apart, and whether there are any.
    draws: Vec<recovery::Draw>,
    draws_any: bool,
    /// Whether the step ended a solve or a search because of a limit that the user has set.
    spent: bool,
    /// How much of an overlap's usual share is taken out in the part of a step at hand: a short one
    /// that ends with a strike takes as much as its length, so that bodies are not thrown.
    recovered: f64,
    /// Duration of the part of the step at hand, s.
    passed: f64,
    /// Whether groups and rows belong to the manifolds and poses at hand.
    ready: bool,
    pub report: ContactReport,
    /// Time that detection took in the last step.
    pub detection: std::time::Duration,
    /// Mode "event": what collided in the last step.
    pub events: Vec<ContactInfo>,
}

impl Contacts {
    /// Whether anything can touch.
    pub fn is_active(&self, model: &Model) -> bool {
        model.settings.contact.on && self.colliders.len() > 1
    }

    /// Learns about the model after an edit; manifolds of bodies that stay are kept.
    pub fn prepare(&mut self, model: &Model, systems: &[System]) {
        if self.built == Some(model.revision) {
            return;
        }
        self.built = Some(model.revision);
        self.overlap = model.settings.contact.overlap;
        let (old, old_generations) =
            (std::mem::take(&mut self.colliders), std::mem::take(&mut self.generations));
        self.colliders = collider::collect(model);
        let mut generation = vec![0; model.bodies.slots()];
        for (i, g, _) in model.bodies.iter() {
            generation[i as usize] = g;
        }
        let smallest = self.colliders.iter().fold(f64::INFINITY, |s, c| s.min(c.size));
        self.shallow = self.overlap.min(again::DEEP_SHARE * smallest);
        self.generations = self.colliders.iter().map(|c| generation[c.slot as usize]).collect();
        self.renumber(&old, &old_generations);
        self.classify(model);
        self.homes = vec![NOWHERE; model.bodies.slots()];
        self.chain_of = vec![u32::MAX; model.bodies.slots()];
        for (s, system) in systems.iter().enumerate() {
            for (i, &slot) in system.slots.iter().enumerate() {
                self.homes[slot as usize] = (s as u32, i as u32);
                if system.is_tied() {
                    self.chain_of[slot as usize] = s as u32;
                }
            }
        }
        self.deferred.resize(systems.len(), Vec::new());
        self.pairs.rebuild(model, &self.colliders);
        self.seen.clear();
        self.sizes.clear();
        self.sizes.resize(model.bodies.slots(), 0.0);
        for c in self.colliders.iter().filter(|c| c.radius.is_finite()) {
            self.sizes[c.slot as usize] = c.radius;
        }
        self.wake_all();
        self.islands.forget();
        self.memory.valid_h = 0.0;
        (self.ready, self.surveyed, self.found_for) = (false, false, 0.0);
    }

    /// Gives remembered pairs the numbers that their colliders have now, and forgets those that are
    /// gone.
    fn renumber(&mut self, old: &[Collider], old_generations: &[u32]) {
        let find = |i: u32| {
            let (slot, g) = (old.get(i as usize)?.slot, *old_generations.get(i as usize)?);
            let k = self.colliders.binary_search_by_key(&slot, |c| c.slot).ok()?;
            (self.generations[k] == g).then_some(k as u32)
        };
        let renamed = |p: [u32; 2]| Some([find(p[0])?, find(p[1])?]);
        let memory = &mut self.memory;
        memory.manifolds.retain_mut(|m| renamed(m.pair).map(|p| m.pair = p).is_some());
        memory.touching.retain_mut(|t| renamed(t.0).map(|p| t.0 = p).is_some());
    }

    /// Sorts materials into classes and computes all pairs once.
    fn classify(&mut self, model: &Model) {
        let mut kinds: Vec<&Material> = Vec::new();
        self.class.clear();
        for c in &self.colliders {
            let k = kinds.iter().position(|m| **m == c.material).unwrap_or_else(|| {
                kinds.push(&c.material);
                kinds.len() - 1
            });
            self.class.push(k as u32);
        }
        self.classes = kinds.len();
        self.table.clear();
        for a in &kinds {
            for b in &kinds {
                self.table.push(combine(a, b, &model.settings.contact));
            }
        }
    }

    /// Coefficients of a pair of colliders.
    pub fn surface(&self, pair: [u32; 2]) -> Surface {
        let [p, q] = pair.map(|c| self.class[c as usize] as usize);
        self.table[p * self.classes + q]
    }

    /// Pose of the body in a slot at the last look.
    pub fn place(&self, slot: u32) -> &Place {
        &self.places[slot as usize]
    }

    /// What a snapshot keeps; `fresh` says that nobody has changed the state since the last step.
    pub fn memory(&self, fresh: bool) -> ContactMemory {
        let mut memory = self.memory.clone();
        if !fresh {
            memory.valid_h = 0.0;
        }
        memory
    }

    /// Whether remembered contacts can belong to this world.
    pub fn fits(&self, memory: &ContactMemory) -> bool {
        let n = self.colliders.len() as u32;
        let known = |p: &[u32; 2]| p[0] < p[1] && p[1] < n;
        (memory.rest.is_empty() || memory.rest.len() == self.homes.len())
            && memory.touching.iter().all(|t| known(&t.0))
            && memory
                .manifolds
                .iter()
                .all(|m| known(&m.pair) && m.count as usize <= manifold::POINTS)
    }

    /// Takes over remembered contacts; rows and lists are made anew.
    pub fn restore(&mut self, memory: &ContactMemory) {
        self.memory.clone_from(memory);
        (self.ready, self.surveyed, self.found_for) = (false, false, 0.0);
    }
}
