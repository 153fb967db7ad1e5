//! Arguments of commands on scene files.

use super::Params;
use std::path::PathBuf;

/// Arguments of `new`.
#[derive(Debug, clap::Args)]
pub struct New {
    /// The file to write; an existing file is not touched
    pub file: PathBuf,
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// Scene files; - is the standard input
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
    /// Folder of a package that a robot's file names as package://NAME/…; repeatable
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = super::package)]
    pub packages: Vec<(String, PathBuf)>,
    /// Load robots without what is not read of their files although it would change the motion
    #[arg(long)]
    pub lenient: bool,
}

/// Arguments of `info`.
#[derive(Debug, clap::Args)]
pub struct Info {
    /// Scene file; - is the standard input
    pub scene: PathBuf,
    #[command(flatten)]
    pub params: Params,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
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
    /// File to write; - is the standard output
    #[arg(short, long, value_name = "FILE", default_value = "merged.toml")]
    pub output: PathBuf,
    /// No message
    #[arg(short, long)]
    pub quiet: bool,
    /// Let the scenes read files outside their folders
    #[arg(long)]
    pub allow_outside: bool,
}
