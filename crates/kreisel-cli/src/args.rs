//! The command line.

use crate::exit::EXIT_CODES;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Multibody dynamics: describe a mechanism in a scene file, check it, run it, plot it, play it.
#[derive(Debug, Parser)]
#[command(name = "kreisel", version, about, after_help = EXIT_CODES, max_term_width = 100)]
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
    /// Plot columns of a recording as SVG
    Plot(Plot),
    /// Run a scene and show it in the browser
    Play(Play),
    /// Draw a scene as SVG, at one time or several
    Render(Render),
    /// Print the keys of the scene format as Markdown
    #[command(hide = true)]
    Reference,
    /// Print this program's commands as Markdown
    #[command(hide = true)]
    Commands,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Arguments of `new`.
#[derive(Debug, clap::Args)]
pub struct New {
    /// The file to write; an existing file is not touched
    pub file: PathBuf,
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// Scene files
    #[arg(required = true)]
    pub scenes: Vec<PathBuf>,
    /// Print a list of problems as JSON
    #[arg(long)]
    pub json: bool,
    /// Print errors only
    #[arg(short, long)]
    pub quiet: bool,
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
    /// Method: direct, iterative, cut or lagrange, instead of the scene's
    #[arg(long)]
    pub method: Option<String>,
    /// Order of accuracy: 2, 4, 6 or 8, instead of the scene's
    #[arg(long)]
    pub order: Option<u32>,
    #[command(flatten)]
    pub params: Params,
}

/// Parameters of a scene.
#[derive(Debug, clap::Args)]
pub struct Params {
    /// Another value for a parameter of the scene; repeatable
    #[arg(long = "set", value_name = "NAME=NUMBER", value_parser = assignment)]
    pub set: Vec<(String, f64)>,
}

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// Scene file
    pub scene: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// File to record to, as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Quantity to record, such as energy.total or "link *.position"; repeatable, instead of the scene's
    #[arg(long, value_name = "PATH")]
    pub record: Vec<String>,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress bar and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `info`.
#[derive(Debug, clap::Args)]
pub struct Info {
    /// Scene file
    pub scene: PathBuf,
    #[command(flatten)]
    pub params: Params,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `plot`.
#[derive(Debug, clap::Args)]
pub struct Plot {
    /// Recording, as written by `run --csv`
    pub csv: PathBuf,
    /// Columns to plot, such as energy.total or "arm.position.*" (default: the energies)
    pub columns: Vec<String>,
    /// File to write
    #[arg(short, long, value_name = "FILE", default_value = "plot.svg")]
    pub output: PathBuf,
    /// Column for the horizontal axis
    #[arg(long, value_name = "COLUMN", default_value = "time")]
    pub x: String,
    /// Logarithmic vertical axis; values up to zero are left out
    #[arg(long)]
    pub log: bool,
    /// Title of the plot
    #[arg(long)]
    pub title: Option<String>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "900x500", value_parser = size)]
    pub size: (u32, u32),
}

/// Arguments of `play`.
#[derive(Debug, clap::Args)]
pub struct Play {
    /// Scene file
    pub scene: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Write the playback to this file (one self-contained page)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Do not serve the page; only with --html
    #[arg(long, requires = "html")]
    pub once: bool,
    /// Port to serve on; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// No progress bar
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `render`.
#[derive(Debug, clap::Args)]
pub struct Render {
    /// Scene file
    pub scene: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Times to draw, in s, separated by commas; the last one fully, the others faintly
    #[arg(long, value_name = "S,S,…", value_delimiter = ',', default_value = "0")]
    pub at: Vec<f64>,
    /// File to write
    #[arg(short, long, value_name = "FILE", default_value = "scene.svg")]
    pub output: PathBuf,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1000x560", value_parser = size)]
    pub size: (u32, u32),
}

fn assignment(text: &str) -> Result<(String, f64), String> {
    let parts =
        text.split_once('=').and_then(|(name, value)| Some((name.trim().to_owned(), value.trim().parse().ok()?)));
    parts.filter(|p: &(String, f64)| p.1.is_finite()).ok_or_else(|| "write it as n=50".into())
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    parts
        .filter(|&(w, h)| (100..=10_000).contains(&w) && (100..=10_000).contains(&h))
        .ok_or_else(|| "write it as 900x500".into())
}
