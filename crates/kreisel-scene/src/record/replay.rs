//! Replay: the scene of a recording is run again, and every state hash is compared.

use super::columns::Columns;
use super::format::{Changes, HASH};
use super::input::{Input, InputError};
use super::recording::Recording;
use crate::load::{Options, parse_as};
use crate::problem::SceneError;
use crate::scene::Scene;
use crate::simulation::Simulation;
use kreisel_dynamics::{Method, Order, Settings, Status, StepReport, bounds};
use serde::Deserialize;
use serde::de::value::{Error as NameError, StrDeserializer};

/// What a replay found.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// States compared.
    pub compared: usize,
    /// The first step whose state differs: its number, its time, and the columns that differ with
    /// both values (recorded, now).
    pub differs: Option<(u64, f64, Vec<(String, f64, f64)>)>,
}

/// Why a recording cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// Its scene does not load.
    #[error("the recorded scene does not load")]
    Scene(#[from] SceneError),
    /// Its changes cannot be made.
    #[error("{0}")]
    Changes(String),
    /// An input cannot be given.
    #[error("before step {0}: {1}")]
    Input(u64, InputError),
}

impl Changes {
    /// Makes the changes to a scene that was loaded with [`Changes::params`].
    pub fn apply(&self, scene: &mut Scene) -> Result<(), String> {
        if let Some(step) = self.step {
            if !bounds::STEP.holds(step) {
                return Err(format!("the step must be {}, it is {step}", bounds::STEP.must));
            }
            scene.step = step;
        }
        let mut settings = scene.world.settings().clone();
        if let Some(word) = &self.method {
            choose(&mut settings, word)?;
        }
        if let Some(n) = self.order {
            settings.order = Order::from_number(n)
                .ok_or_else(|| format!("the order is 2, 4, 6 or 8, not {n}"))?;
        }
        scene.world.set_settings(settings).map_err(|e| e.to_string())?;
        if let Some(key) = &self.key {
            start_in(scene, key)?;
        }
        Ok(())
    }
}

/// Puts a scene into a keyframe.
fn start_in(scene: &mut Scene, key: &str) -> Result<(), String> {
    let keys = scene.key_names();
    if keys.is_empty() {
        return Err(format!("there is no keyframe \"{key}\": the scene has none"));
    }
    if !keys.iter().any(|k| k == key) {
        return Err(format!("there is no keyframe \"{key}\"; there are {}", keys.join(", ")));
    }
    scene.set_key(key).map(|_| ()).map_err(|e| e.to_string())
}

/// Takes the method that `words` name: `direct`, or `lagrange/spring/rk2`, where the words after
/// the first choose the parts of the multiplier method in any order.
fn choose(settings: &mut Settings, words: &str) -> Result<(), String> {
    let mut list = words.split('/');
    let first = list.next().unwrap_or_default();
    settings.method = named(first).map_err(|e| format!("the method is not known: {e}"))?;
    for word in list {
        if settings.method != Method::Lagrange {
            return Err(format!(
                "the method {first} has no parts to choose; {word} belongs to lagrange"
            ));
        }
        let l = &mut settings.lagrange;
        // "impulse" and "none" are stabilisers, "direct" is a solver: no word is two of them
        if let Ok(stabiliser) = named(word) {
            l.stabiliser = stabiliser;
        } else if let Ok(integrator) = named(word) {
            l.integrator = integrator;
        } else if let Ok(solver) = named(word) {
            l.solver = solver;
        } else if let Ok(policy) = named(word) {
            l.on_singular = policy;
        } else if let Ok(order) = named(word) {
            l.contacts = order;
        } else {
            return Err(format!(
                "{word} is no stabiliser (baumgarte, spring, impulse, none), integrator (euler, rk2, rk4, cash-karp, \
                 bulirsch-stoer, implicit), solver (direct, direct-svd, baraff, baraff-svd), way to meet contradictions (abort, \
                 least-squares, damped, lock) or order of contacts (coupled, sequential, feedback) of the method lagrange"
            ));
        }
    }
    Ok(())
}

/// A choice by its name.
fn named<'de, T: Deserialize<'de>>(word: &'de str) -> Result<T, NameError> {
    T::deserialize(StrDeserializer::<NameError>::new(word))
}

impl Recording {
    /// The scene of this recording, as it was run. Files that it names are read from the folder of
    /// `options`, if there is one ([`home`](crate::home) finds it).
    pub fn scene(&self, options: &Options) -> Result<Scene, ReplayError> {
        let options = Options { params: self.header.changes.params.clone(), ..options.clone() };
        let mut scene = parse_as(&self.header.scene, &self.header.text, &options)?;
        self.header.changes.apply(&mut scene).map_err(ReplayError::Changes)?;
        Ok(scene)
    }
}

/// Runs a scene (that of the recording, or another) with the recording's inputs and compares the
/// states, bit by bit. `each` is called with the number of rows done; false stops.
pub fn replay(
    recording: &Recording,
    scene: &Scene,
    mut each: impl FnMut(usize) -> bool,
) -> Result<Replay, ReplayError> {
    let mut simulation = Simulation::new(scene);
    simulation.set_step_size(recording.header.step);
    let mut inputs = recording.inputs.iter().peekable();
    let mut report = StepReport::default();
    let columns = Columns::everything(scene).ok();
    for (row, expected) in recording.hashes.iter().enumerate() {
        let target = recording.step_of(row);
        while simulation.steps() < target {
            let done = simulation.steps();
            while let Some((_, input)) = inputs.next_if(|i| i.0 <= done) {
                input.apply(&mut simulation.world).map_err(|e| ReplayError::Input(done, e))?;
                if let Input::Step(step) = input {
                    simulation.set_step_size(*step);
                }
            }
            report = simulation.step();
            if report.status == Status::Interrupted {
                return Ok(Replay { compared: row, differs: None });
            }
        }
        if simulation.world.state_hash()[..HASH] != expected[..] {
            let mut found = Vec::new();
            if let Some(columns) = &columns {
                for (column, now) in
                    columns.columns().iter().zip(columns.row(&simulation.world, &report))
                {
                    // Wall times differ in every run.
                    let k = recording
                        .columns()
                        .iter()
                        .position(|c| c.name == column.name && !c.name.contains(".time_"));
                    let Some(k) = k else { continue };
                    let then = recording.values[k][row];
                    if then.to_bits() != now.to_bits() {
                        found.push((column.name.clone(), then, now));
                    }
                }
            }
            let differs = Some((target, simulation.world.time(), found));
            return Ok(Replay { compared: row + 1, differs });
        }
        if !each(row + 1) {
            return Ok(Replay { compared: row + 1, differs: None });
        }
    }
    Ok(Replay { compared: recording.rows(), differs: None })
}
