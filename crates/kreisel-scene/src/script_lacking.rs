//! In place of scripts, in builds without them. Scenes with scripts are refused when they are
//! loaded, so that none of these ever holds anything.

use crate::items::RunSettings;
use crate::problem::Problem;
use crate::source::Source;
use kreisel_dynamics::{StepReport, World};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The procedures that a script may have: none here.
pub const PROCEDURES: &[(&str, &[&str], &str)] = &[];

/// A script that has been checked.
#[derive(Clone, Debug)]
pub struct Script {
    /// The text that it stands in.
    pub source: Source,
    /// Its own text.
    pub text: String,
    /// Times at which `on_time` is called, s, rising.
    pub at: Vec<f64>,
    /// Interval at which `on_time` is called, s.
    pub every: Option<f64>,
    /// What the names it uses begin with in the world.
    pub prefix: String,
    /// The scene's parameters.
    pub params: BTreeMap<String, f64>,
}

/// The memory of a script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptMemory {}

/// What a script acts on.
pub(crate) struct Stage<'a> {
    pub world: &'a mut World,
    pub run: &'a mut RunSettings,
}

/// A script that goes along with a run.
#[derive(Clone, Debug)]
pub(crate) struct Running;

/// What a script was at one time.
#[derive(Clone, Debug)]
pub(crate) struct Kept;

impl Running {
    pub fn new(_script: &Arc<Script>) -> Self {
        Self
    }

    pub fn with_memory(self, _memory: &ScriptMemory, _world: &World) -> Self {
        self
    }

    pub fn memory(&self, _world: &World) -> Option<ScriptMemory> {
        None
    }

    pub fn kept(&self) -> Kept {
        Kept
    }

    pub fn restore(&mut self, _kept: &Kept) {}

    pub fn before(&mut self, stage: &mut Stage<'_>, _problems: &mut Vec<Problem>) {
        let _ = (&stage.world, &stage.run);
    }

    pub fn after(
        &mut self,
        _stage: &mut Stage<'_>,
        _report: &StepReport,
        _problems: &mut Vec<Problem>,
    ) {
    }

    pub fn take_stop(&self) -> bool {
        false
    }

    pub fn messages(&self) -> Vec<String> {
        Vec::new()
    }
}
