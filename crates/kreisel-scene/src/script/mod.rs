//! Scripts in scenes: rhai, in a sandbox.
//!
//! A script's statements run once, when the scene is loaded, and add items; its functions
//! `on_step`, `on_time`, `on_limit`, `on_break` and `on_collision` are called while the scene runs.
//! A script sees nothing but the scene: no files, no clock, no other modules. Elementary functions
//! are the compiled-in ones and maps are sorted, so that a script does the same on every machine.

mod build;
mod host;
mod memory;
mod numbers;
mod properties;
mod questions;
mod running;
mod space;

pub(crate) use build::{Item, build, compile};
pub use memory::ScriptMemory;
pub(crate) use running::{Kept, Running, Stage};

use crate::source::{Source, Span};
use kreisel_dynamics::clock::Instant;
use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicFnPackage, BasicIteratorPackage, BasicMapPackage,
    BasicStringPackage, LanguageCorePackage, LogicPackage, MoreStringPackage, Package,
};
use rhai::{AST, Engine, EvalAltResult, OptimizationLevel, Position};
use std::collections::BTreeMap;
use std::time::Duration;

/// Most operations of a script when it builds, and of a procedure in one call.
const BUILD_OPERATIONS: u64 = 5_000_000;
const CALL_OPERATIONS: u64 = 1_000_000;

/// Longest time for either. Operations bound the work of plain scripts; this bounds ones that copy
/// huge arrays.
const LONGEST: Duration = Duration::from_secs(2);

/// The procedures that a script may have, with their arguments.
pub const PROCEDURES: &[(&str, &[&str], &str)] = &[
    ("on_step", &[], "before every step"),
    (
        "on_time",
        &["t"],
        "before the step that reaches each time of `at`, and every `every` seconds",
    ),
    (
        "on_limit",
        &["joint", "speed"],
        "after a step in which a joint hit a limit, with the speed of the impact",
    ),
    (
        "on_break",
        &["joint", "force", "torque"],
        "after a step in which a joint broke, with its load",
    ),
    (
        "on_collision",
        &["first", "second", "impulse"],
        "after a step in which two bodies collided, with the impulse along the normal",
    ),
];

/// A script that has been checked.
#[derive(Clone, Debug)]
pub struct Script {
    /// The text that it stands in: the scene, or a file of its own.
    pub source: Source,
    /// Where its own text begins in the source, if it stands there unchanged.
    pub(crate) offset: Option<usize>,
    /// The place of the whole script in the source.
    pub(crate) span: Span,
    /// Its own text.
    pub text: String,
    /// Times at which `on_time` is called, s, rising.
    pub at: Vec<f64>,
    /// Interval at which `on_time` is called, s.
    pub every: Option<f64>,
    /// What the names it uses begin with in the world: "left/" inside the instance "left".
    pub prefix: String,
    /// The scene's parameters.
    pub params: BTreeMap<String, f64>,
    pub(crate) ast: AST,
}

/// What is wrong in a script, and where in its own text.
pub(crate) struct ScriptError {
    pub message: String,
    pub position: Position,
}

impl From<Box<EvalAltResult>> for ScriptError {
    fn from(error: Box<EvalAltResult>) -> Self {
        let inner = error.unwrap_inner();
        let at = match inner.position() {
            at if at.is_none() => error.position(),
            at => at,
        };
        let message = match inner {
            EvalAltResult::ErrorTooManyOperations(_) => {
                "the script takes too many operations".to_owned()
            }
            EvalAltResult::ErrorTerminated(_, _) => "the script takes too long".to_owned(),
            EvalAltResult::ErrorRuntime(value, _) => value.to_string(),
            other => {
                // The position is told by the place; in the words it would stand twice.
                let words = other.to_string();
                words.rsplit_once(" (line ").map_or(words.clone(), |(w, _)| w.to_owned())
            }
        };
        Self { message, position: at }
    }
}

impl Script {
    /// The place, in the source, of a position in the script.
    pub(crate) fn place(&self, position: Position) -> Span {
        let (Some(offset), Some(line)) = (self.offset, position.line()) else {
            return self.span.clone();
        };
        let start: usize = self.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let rest = self.text.get(start..).unwrap_or_default();
        let column = position.position().unwrap_or(1).saturating_sub(1);
        let (at, _) = rest.char_indices().nth(column).unwrap_or((rest.len(), ' '));
        let word = rest[at..]
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len() - at)
            .max(1);
        let start = (offset + start + at).min(self.source.text.len());
        let mut end = (start + word).min(self.source.text.len());
        while !self.source.text.is_char_boundary(end) {
            end += 1;
        }
        start..end
    }
}

/// An engine with the language, the mathematics and the limits, and nothing else.
pub(crate) fn sandbox(operations: u64) -> Engine {
    let mut engine = Engine::new_raw();
    engine.register_global_module(LanguageCorePackage::new().as_shared_module());
    engine.register_global_module(ArithmeticPackage::new().as_shared_module());
    engine.register_global_module(LogicPackage::new().as_shared_module());
    engine.register_global_module(BasicStringPackage::new().as_shared_module());
    engine.register_global_module(MoreStringPackage::new().as_shared_module());
    engine.register_global_module(BasicArrayPackage::new().as_shared_module());
    engine.register_global_module(BasicMapPackage::new().as_shared_module());
    engine.register_global_module(BasicIteratorPackage::new().as_shared_module());
    engine.register_global_module(BasicFnPackage::new().as_shared_module());
    // Powers of floats would call the platform's library; `pow` is the compiled-in one.
    engine.disable_symbol("**").disable_symbol("**=").disable_symbol("eval");
    engine.set_optimization_level(OptimizationLevel::None);
    engine.set_strict_variables(true);
    engine.set_max_operations(operations);
    engine.set_max_call_levels(32);
    engine.set_max_expr_depths(64, 64);
    engine.set_max_string_size(64 << 10);
    engine.set_max_array_size(100_000);
    engine.set_max_map_size(10_000);
    engine.set_max_variables(1000);
    engine.set_max_functions(200);
    let mut start = None;
    let clock = std::sync::Mutex::new(move |done: u64| {
        let begun: &mut Option<Instant> = &mut start;
        if done <= 1 {
            *begun = None;
        }
        begun.get_or_insert_with(Instant::now).elapsed() > LONGEST
    });
    engine.on_progress(move |done| {
        // Looking at the clock at every operation would cost more than most operations.
        if done > 1 && done % 64 != 0 {
            return None;
        }
        let mut late = clock.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        late(done).then_some(rhai::Dynamic::UNIT)
    });
    numbers::register(&mut engine);
    space::register(&mut engine);
    engine
}
