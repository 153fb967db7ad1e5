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

#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports))]

mod crowd;
mod driven;
pub mod export;
mod expr;
#[cfg(not(target_arch = "wasm32"))]
mod external;
mod file_set;
mod files;
pub mod grammar;
#[cfg(feature = "importers")]
mod import;
#[cfg(not(feature = "importers"))]
#[path = "import_lacking.rs"]
mod import;
pub mod items;
mod json;
mod keyframe;
mod load;
mod memory;
mod node;
mod problem;
pub mod property;
mod read;
pub mod record;
mod rewrite;
mod robot;
mod sampled;
mod save;
mod scene;
mod schema;
#[cfg(feature = "scripts")]
mod script;
#[cfg(not(feature = "scripts"))]
#[path = "script_lacking.rs"]
mod script;
mod simulation;
mod source;
mod tally;

pub use crowd::{crowd, overlapping};
pub use expr::{CONSTANTS, FUNCTIONS};
#[cfg(not(target_arch = "wasm32"))]
pub use external::{Answered, External, ExternalError, Terms};
pub use file_set::FileSet;
pub use kreisel_geometry::LACKS;
pub use load::{Options, extend, home, load, load_as, load_with, parse, parse_as, parse_with};
pub use problem::{Code, Problem, SceneError, Severity, nearest};
pub use rewrite::{Rewritten, Syntax, rewrite, rewrite_as};
pub use robot::{Cable, Drive, Freedom, Key, Link, Robot, Tendon};
pub use sampled::{Rate, Sampled};
pub use save::{Saved, addition, excerpt, left_out, merge, pasted, save, save_run};
pub use scene::{
    Camera, Emitter, Finish, Force, ForeignScript, KeyPart, KeyTo, Look, Marker, Motion, Record,
    Scene, Show, Switch, SwitchTo, Timing, Wanted,
};
pub use schema::schema;
pub use script::{PROCEDURES, Script, ScriptMemory};
pub use simulation::{Beside, Simulation, last_step};
pub use source::{Place, Source, Span};
pub use tally::{Broken, Tally, Worst, WorstEnergy};
