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
    /// Plot any recorded quantities to SVG, PNG or the terminal
    Plot(Plot),
    /// Run a scene with several methods, orders and steps: error, energy and cost side by side
    Compare(Compare),
    /// Write a recording as CSV, NumPy archive or JSON
    Convert(Convert),
    /// Run a recorded scene or a live session's journal again and compare, bit by bit
    Replay(Replay),
    /// Say where two recordings begin to differ, and by how much
    Diff(Diff),
    /// Write the motion as glTF with animation, for modelling tools
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
    /// Let the scenes read files outside their folders
    #[arg(long)]
    pub allow_outside: bool,
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
    /// Method: direct, iterative, cut or lagrange, instead of the scene's; lagrange/spring/rk2 also chooses stabiliser, integrator
    /// and solver
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
    /// Let the scene read files outside its folder
    #[arg(long)]
    pub allow_outside: bool,
}

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub struct Merge {
    /// Scene whose names, gravity, step, recording and camera stay
    pub first: PathBuf,
    /// Scene that is added
    pub second: PathBuf,
    /// What the names of the second scene begin with
    #[arg(long, default_value = "second")]
    pub name: String,
    /// File to write
    #[arg(short, long, value_name = "FILE", default_value = "merged.toml")]
    pub output: PathBuf,
    /// Let the scenes read files outside their folders
    #[arg(long)]
    pub allow_outside: bool,
}

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// Scene file
    pub scene: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// File to write a table to, as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Recording to write (.kreisel): every quantity with state hashes, for replay, diff, plot, convert and export
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Quantity of the table, such as energy.total or "link *.position"; repeatable, instead of the scene's
    #[arg(long, value_name = "PATH")]
    pub quantity: Vec<String>,
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
    /// Recording (.kreisel), table (.csv), or a scene, which is run
    pub file: PathBuf,
    /// Quantities to plot, such as energy.total or "arm.position.*" (default: the energies)
    pub columns: Vec<String>,
    /// Picture to write (.svg or .png); - prints to the terminal
    #[arg(short, long, value_name = "FILE", default_value = "plot.svg", visible_alias = "output")]
    pub out: PathBuf,
    /// Quantity of the horizontal axis
    #[arg(long, value_name = "PATH", default_value = "time")]
    pub x: String,
    /// Logarithmic vertical axis; values up to zero are left out
    #[arg(long)]
    pub log: bool,
    /// Logarithmic horizontal axis
    #[arg(long)]
    pub log_x: bool,
    /// Simulated time to stop at when a scene is run, in s
    #[arg(long, value_name = "S")]
    pub until: Option<f64>,
    /// Title of the plot
    #[arg(long)]
    pub title: Option<String>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "900x500", value_parser = size)]
    pub size: (u32, u32),
    /// No progress bar and no message
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
pub struct Compare {
    /// Scene file
    pub scene: PathBuf,
    /// Methods, separated by commas (default: the scene's); lagrange/spring/rk2 also chooses stabiliser, integrator and solver,
    /// lagrange/each stands for every stabiliser
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Orders, separated by commas (default: the scene's)
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub orders: Vec<u32>,
    /// Steps in s, separated by commas; each must fit into the largest a whole number of times (default: the scene's and its
    /// halves down to an eighth)
    #[arg(long, value_name = "S,…", value_delimiter = ',')]
    pub steps: Vec<f64>,
    /// Substeps in every step, so that the step is what is compared; 0 leaves them to the scene
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub substeps: u32,
    /// What errors are counted from: order2 to order8 (direct, at half the smallest step), or a recording or table
    #[arg(long, value_name = "REF", default_value = "order8")]
    pub reference: String,
    /// Simulated time to stop at, in s (default: the scene's duration)
    #[arg(long, value_name = "S")]
    pub until: Option<f64>,
    #[command(flatten)]
    pub params: Params,
    /// Picture to write (.svg or .png): error over step and over cost; - prints to the terminal
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Width and height of each of the two plots in pixels
    #[arg(long, value_name = "WxH", default_value = "900x420", value_parser = size)]
    pub size: (u32, u32),
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `convert`.
#[derive(Debug, clap::Args)]
pub struct Convert {
    /// Recording (.kreisel) or table (.csv)
    pub file: PathBuf,
    /// File to write: .csv, .npz or .json
    pub out: PathBuf,
    /// Only these quantities; repeatable
    #[arg(long, value_name = "PATH")]
    pub quantity: Vec<String>,
    /// No message
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `replay`.
#[derive(Debug, clap::Args)]
pub struct Replay {
    /// Recording (.kreisel), or journal of a live session
    pub file: PathBuf,
    /// Run this scene instead of the recorded one
    #[arg(long, value_name = "FILE")]
    pub scene: Option<PathBuf>,
    /// Record the replayed session to this file, as CSV (journals only)
    #[arg(long, value_name = "FILE", conflicts_with = "scene")]
    pub csv: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Diff {
    /// Recording (.kreisel) or table (.csv)
    pub a: PathBuf,
    /// Another one
    pub b: PathBuf,
    /// Differences up to this count as equal
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    pub tolerance: f64,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// Scene, which is run, or recording (.kreisel)
    pub file: PathBuf,
    /// File to write: .glb or .gltf
    pub out: PathBuf,
    /// Keyframes are thinned as long as no point of a body moves by more than this, in m
    #[arg(long, value_name = "M", default_value_t = 1e-4)]
    pub tolerance: f64,
    /// Frames per second before thinning
    #[arg(long, value_name = "HZ", default_value_t = 60.0)]
    pub rate: f64,
    /// Simulated time to stop at when a scene is run, in s
    #[arg(long, value_name = "S")]
    pub until: Option<f64>,
    #[command(flatten)]
    pub params: Params,
    /// Print the numbers as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress bar and no message
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `validate`.
#[derive(Debug, clap::Args)]
pub struct Validate {
    /// Only experiments whose id fits, such as "bender/*"
    #[arg(long, value_name = "GLOB")]
    pub only: Option<String>,
    /// Only the quick ones (under a minute in all)
    #[arg(long)]
    pub quick: bool,
    /// Folder with the tables of experiments
    #[arg(long, value_name = "FOLDER", default_value = "validation")]
    pub table: PathBuf,
    /// Write the results as JSON; - prints them
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a report with plots: .md or .html
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Experiments at the same time
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub threads: usize,
    /// Only list the experiments
    #[arg(long)]
    pub list: bool,
    /// Print failures only
    #[arg(short, long)]
    pub quiet: bool,
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

/// Arguments of `view`.
#[derive(Debug, clap::Args)]
pub struct View {
    /// Scene file
    pub scene: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Port to serve on; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Address to serve on; any but this machine's own demands a token, which is printed with the address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: std::net::IpAddr,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
    /// Wait for the run button instead of running at once
    #[arg(long)]
    pub paused: bool,
    /// Write the journal of the session to this file at the end; `kreisel replay` repeats it
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
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
