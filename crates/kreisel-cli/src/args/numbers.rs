//! Arguments of commands that run, record, measure and compare.

use super::{Overrides, Params, size};
use std::path::PathBuf;

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// Scene file; - is the standard input
    pub scene: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Keyframe of the scene or of a robot's file that the run starts in
    #[arg(long, value_name = "NAME")]
    pub key: Option<String>,
    /// Controller in another program that answers at an address of this machine
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub controller: Option<std::net::SocketAddr>,
    /// Time between two questions to the controller, s; 0 asks before every step
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, requires = "controller")]
    pub period: f64,
    /// How long an answer is waited for, s by the clock; without it for ever
    #[arg(long, value_name = "SECONDS", requires = "controller")]
    pub deadline: Option<f64>,
    /// File to write a table to, as CSV; - prints it, and the summary goes to the error stream
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Recording to write (.kreisel): every quantity with state hashes, for replay, diff, plot,
    /// convert and export
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Scene to write at the end: the world as it stands then, from which another run goes on
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Keyframe to add to a file (.toml) at the end: the state as it is then, by this name
    #[arg(long, value_name = "NAME=FILE", value_parser = key_file)]
    pub save_key: Option<(String, PathBuf)>,
    /// Quantity of the table, such as energy.total or "link *.position"; repeatable, instead of the
    /// scene's
    #[arg(long, value_name = "PATH")]
    pub quantity: Vec<String>,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress bar and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

fn key_file(text: &str) -> Result<(String, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("write it as NAME=FILE")?;
    Ok((name.trim().to_owned(), PathBuf::from(file)))
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
    #[command(flatten)]
    pub params: Params,
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
    /// Methods, separated by commas (default: the scene's); lagrange/spring/rk2 also chooses
    /// stabiliser, integrator and solver, lagrange/each stands for every stabiliser; methods of the
    /// literature have words of their own (penalty, projected, radau-ggl, …), all stands for the
    /// direct method, multipliers and each of those
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Orders, separated by commas (default: the scene's)
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub orders: Vec<u32>,
    /// Steps in s, separated by commas; each must fit into the largest a whole number of times
    /// (default: the scene's and its halves down to an eighth)
    #[arg(long, value_name = "S,…", value_delimiter = ',')]
    pub steps: Vec<f64>,
    /// Largest error of a step of the methods of the literature that choose their steps
    #[arg(long, value_name = "X", default_value_t = 1e-8)]
    pub tolerance: f64,
    /// Substeps in every step, so that the step is what is compared; 0 leaves them to the scene
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub substeps: u32,
    /// What errors are counted from: order2 to order8 (direct, at half the smallest step), or a
    /// recording or table
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
    /// Recording (.kreisel), table (.csv), or scene (.toml, .json, .urdf, .xml, .mjcf)
    pub file: PathBuf,
    /// File to write: .csv, .npz or .json of a recording or table; .toml or .json of a scene; - is
    /// the standard output
    pub out: Option<PathBuf>,
    /// The same, as an option
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Format, where the file's name does not say it
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,
    /// Only these quantities of a recording; repeatable
    #[arg(long, value_name = "PATH")]
    pub quantity: Vec<String>,
    /// Work out parameters, repetition, instances and meshes of a scene: the file then needs no
    /// other
    #[arg(long)]
    pub flat: bool,
    #[command(flatten)]
    pub params: Params,
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
    /// Let the scene read files outside its folder
    #[arg(long)]
    pub allow_outside: bool,
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

/// Arguments of `validate`.
#[derive(Debug, clap::Args)]
pub struct Validate {
    /// Experiments or quantities whose id fits, such as "bender/E-1*" or schmitt/5.6/later-peak;
    /// all when none is named
    #[arg(value_name = "GLOB")]
    pub ids: Vec<String>,
    /// The same, as an option
    #[arg(long, value_name = "GLOB")]
    pub only: Option<String>,
    /// Only the quick ones (under a minute in all)
    #[arg(long)]
    pub quick: bool,
    /// Folder with the tables of experiments
    #[arg(long, value_name = "FOLDER", default_value = "validation")]
    pub table: PathBuf,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
    /// Write a report with plots: .md or .html
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Experiments at the same time
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub threads: usize,
    /// Only list the experiments
    #[arg(long)]
    pub list: bool,
    /// Let the scenes read files outside their folders
    #[arg(long)]
    pub allow_outside: bool,
    /// Print failures only
    #[arg(short, long)]
    pub quiet: bool,
}
