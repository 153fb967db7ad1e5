//! Scenes of the Kreisel multibody simulator: a file format for mechanisms, with diagnostics that
//! name the culprit.
//!
//! A scene is TOML (or JSON with the same keys) in SI units; angles may be written `"30 deg"`.
//! Parameters, expressions and repetition write big models in few lines. Everything wrong in a
//! scene is reported at once, each problem at its place in the text.
//!
//! ```
//! let scene = kreisel_scene::parse("pendulum.toml", r#"
//!     [[body]]
//!     name = "arm"
//!     shape = { box = [1.0, 0.1, 0.1] }
//!     mass = 1.0
//!     position = [0.5, 0, 0]
//!
//!     [[joint]]
//!     type = "hinge"
//!     bodies = ["world", "arm"]
//!     axis = [0, 1, 0]
//! "#)?;
//! let mut run = kreisel_scene::Simulation::new(&scene);
//! for _ in 0..100 {
//!     run.step();
//! }
//! assert!((run.world.time() - 1.0).abs() < 1e-12);
//! # Ok::<(), kreisel_scene::SceneError>(())
//! ```

mod crowd;
pub mod export;
mod expr;
mod file_set;
mod files;
pub mod grammar;
mod import;
pub mod items;
mod json;
mod load;
mod memory;
mod node;
mod problem;
pub mod property;
mod read;
pub mod record;
mod rewrite;
mod robot;
mod save;
mod scene;
mod schema;
mod script;
mod simulation;
mod source;
mod tally;

pub use crowd::{crowd, overlapping};
pub use expr::{CONSTANTS, FUNCTIONS};
pub use file_set::FileSet;
pub use load::{Options, extend, home, load, load_as, load_with, parse, parse_as, parse_with};
pub use problem::{Code, Problem, SceneError, Severity, nearest};
pub use rewrite::{Rewritten, Syntax, rewrite, rewrite_as};
pub use robot::{Drive, Freedom, Key, Link, Robot, Tendon};
pub use save::{Saved, addition, left_out, merge, save, save_run};
pub use scene::{
    Camera, Force, ForeignScript, Look, Record, Scene, Show, Switch, SwitchTo, Timing, Wanted,
};
pub use schema::schema;
pub use script::{PROCEDURES, Script, ScriptMemory};
pub use simulation::{Beside, Simulation, last_step};
pub use source::{Place, Source, Span};
pub use tally::{Broken, Tally, Worst, WorstEnergy};
