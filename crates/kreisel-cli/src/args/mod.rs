//! The command line.

mod numbers;
mod pictures;
mod scenes;

pub use numbers::{Compare, Convert, Diff, Plot, Replay, Run, Validate};
pub use pictures::{Export, Play, Render, View};
pub use scenes::{Check, Info, Merge, New};

use crate::exit::EXIT_CODES;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// The version, and which build it is.
const VERSION: &str = if kreisel_server::net::HAS_VIEWER {
    env!("CARGO_PKG_VERSION")
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (without viewer)")
};

/// Multibody dynamics: describe a mechanism in a scene file, check it, run it, plot it, play it.
#[derive(Debug, Parser)]
#[command(name = "kreisel", version = VERSION, about, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a commented starter scene
    New(New),
    /// Check scenes and print every problem with its place
    Check(Check),
    /// Run a scene and record it
    Run(Run),
    /// Say what a scene is made of: bodies, joints, degrees of freedom, loops, rank
    Info(Info),
    /// Ask what a mechanism does at rest, in vibration, or driven: equilibrium, modes, inverse
    /// dynamics
    Analyse(crate::command::analyse::Analyse),
    /// Plot any recorded quantities to SVG, PNG or the terminal
    Plot(Plot),
    /// Run a scene with several methods, orders and steps: error, energy and cost side by side
    Compare(Compare),
    /// Write a recording as CSV, NumPy archive or JSON, or a scene in another format
    Convert(Convert),
    /// Run a recorded scene or a live session's journal again and compare, bit by bit
    Replay(Replay),
    /// Say where two recordings begin to differ, and by how much
    Diff(Diff),
    /// Write the motion as glTF with animation, or the scene as a page that runs it
    Export(Export),
    /// Run the table of experiments and print measured against expected
    Validate(Validate),
    /// Run a scene and show it in the browser
    Play(Play),
    /// Run a scene live in the browser: grab it, edit it, measure it
    View(View),
    /// Draw a scene as SVG, at one time or several
    Render(Render),
    /// Measure how far apart two shapes are: mesh files, or bodies of scenes
    Distance(crate::command::distance::Distance),
    /// Run a scene and find the smallest distance of every pair of bodies
    Clearance(crate::command::clearance::Clearance),
    /// Run a scene at many values of its parameters, one row of a table each
    Sweep(crate::command::sweep::Sweep),
    /// Find the parameters at which a run is best
    Optimise(crate::command::optimise::Optimise),
    /// Find the parameters with which a scene moves as it was recorded
    Identify(crate::command::identify::Identify),
    /// Say what this program is and whether this machine lets it work
    Doctor(crate::command::doctor::Doctor),
    /// Print the JSON Schema of the scene format, for editors
    Schema,
    /// Merge two scenes into one; names of the second get a prefix
    Merge(Merge),
    /// Print the keys of the scene format as Markdown
    #[command(hide = true)]
    Reference,
    /// Print this program's commands as Markdown
    #[command(hide = true)]
    Commands,
    /// Print the comparison of methods as Markdown
    #[command(hide = true)]
    Methods(crate::command::methods::Methods),
    /// Print manual pages, or write them into a folder
    Man(crate::command::man::Man),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Settings that a run may change.
#[derive(Debug, clap::Args)]
pub struct Overrides {
    /// Simulated time to stop at, in s (default: the scene's duration)
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub until: Option<f64>,
    /// Step size in s, instead of the scene's
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Method: direct, iterative, cut or lagrange, instead of the scene's; lagrange/spring/rk2 also
    /// chooses stabiliser, integrator and solver
    #[arg(long)]
    pub method: Option<String>,
    /// Order of accuracy: 2, 4, 6 or 8, instead of the scene's
    #[arg(long)]
    pub order: Option<u32>,
    #[command(flatten)]
    pub params: Params,
}

/// Parameters of a scene.
#[derive(Clone, Debug, clap::Args)]
pub struct Params {
    /// Another value for a parameter of the scene; repeatable
    #[arg(long = "set", value_name = "NAME=NUMBER", value_parser = assignment)]
    pub set: Vec<(String, f64)>,
    /// Let the scene read files outside its folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Folder of a package that a robot's file names as package://NAME/…; repeatable
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    pub packages: Vec<(String, PathBuf)>,
    /// Load a robot without what is not read of its file although it would change the motion
    #[arg(long)]
    pub lenient: bool,
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    let (name, folder) = text.split_once('=').ok_or("write it as NAME=DIR")?;
    let folder = PathBuf::from(folder);
    if !folder.is_dir() {
        return Err(format!("there is no folder {}", folder.display()));
    }
    Ok((name.trim().to_owned(), folder))
}

pub(crate) fn assignment(text: &str) -> Result<(String, f64), String> {
    let parts = text
        .split_once('=')
        .and_then(|(name, value)| Some((name.trim().to_owned(), value.trim().parse().ok()?)));
    parts.filter(|p: &(String, f64)| p.1.is_finite()).ok_or_else(|| "write it as n=50".into())
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    parts
        .filter(|&(w, h)| (100..=10_000).contains(&w) && (100..=10_000).contains(&h))
        .ok_or_else(|| "write it as 900x500".into())
}
