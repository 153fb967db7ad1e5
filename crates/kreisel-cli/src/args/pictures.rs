//! Arguments of commands that show a world.

use super::{Overrides, Params, size};
use std::path::PathBuf;

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// Scene, which is run, or recording (.kreisel)
    pub file: PathBuf,
    /// File to write: .glb or .gltf, or .html, a page that runs the scene without a server; .obj,
    /// .stl, .ply or .wrl of the shapes as they stand at the end; - is the standard output
    pub out: Option<PathBuf>,
    /// The same, as an option
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Format, where the file's name does not say it
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,
    /// Only this body, in its own frame (meshes only)
    #[arg(long, value_name = "NAME")]
    pub body: Option<String>,
    /// Write velocities as arrows, too
    #[arg(long)]
    pub velocities: bool,
    /// Leave out what is no body: joints, springs, constraints, controllers, curves
    /// and fields
    #[arg(long)]
    pub bodies_only: bool,
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
    /// Scene file; without it a start page shows the scenes of this folder and its gallery, and
    /// those viewed before
    pub scene: Option<PathBuf>,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Port to serve on; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Address to serve on; the token that everybody needs is printed with the address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: std::net::IpAddr,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
    /// Wait for the run button instead of running at once
    #[arg(long)]
    pub paused: bool,
    /// Write the journal of the session to this file as it happens; `kreisel replay` repeats it
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Port on this machine where devices that are felt get a packet of forces after every step; 0
    /// takes a free one
    #[arg(long, value_name = "PORT")]
    pub force_channel: Option<u16>,
}

/// Arguments of `render`.
#[derive(Debug, clap::Args)]
pub struct Render {
    /// Scene file; - is the standard input
    pub scene: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Times to draw, in s, separated by commas; the last one fully, the others faintly
    #[arg(long, value_name = "S,S,…", value_delimiter = ',', default_value = "0")]
    pub at: Vec<f64>,
    /// File to write; - is the standard output
    #[arg(short, long, value_name = "FILE", default_value = "scene.svg")]
    pub output: PathBuf,
    /// No message
    #[arg(short, long)]
    pub quiet: bool,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1000x560", value_parser = size)]
    pub size: (u32, u32),
}
