//! The program `kreisel`: check, run, record, plot and play multibody scenes. A library, so that
//! the Python package can bring the program along.

mod args;
mod chart;
mod command;
mod exit;
mod output;
pub mod paths;
mod play;
mod progress;
mod recent;
mod render;
mod runner;
mod scene_file;
mod source;
pub mod sweep;
mod table;
mod validate;
mod watch;

use args::{Args, Command};
use clap::Parser;
use std::ffi::OsString;

pub use chart::{Chart, Line, MAX_LINES, svg};
pub use play::{Frames, page};
pub use watch::{Closest, Watch};

/// Runs the program with these arguments, the first of which is its own name; gives the exit code.
/// Wrong arguments end the process, as the argument parser does.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    exit::end_with_the_reader();
    let args = Args::parse_from(arguments);
    let result = match &args.command {
        Command::New(a) => command::new::run(a),
        Command::Check(a) => command::check::run(a),
        Command::Run(a) => command::run::run(a),
        Command::Info(a) => command::info::run(a),
        Command::Analyse(a) => command::analyse::run(a),
        Command::Plot(a) => command::plot::run(a),
        Command::Compare(a) => command::compare::run(a),
        Command::Convert(a) => command::convert::run(a),
        Command::Replay(a) => command::replay::run(a),
        Command::Diff(a) => command::diff::run(a),
        Command::Export(a) => command::export::run(a),
        Command::Validate(a) => command::validate::run(a),
        Command::Play(a) => command::play::run(a),
        Command::View(a) => command::view::run(a),
        Command::Render(a) => command::render::run(a),
        Command::Distance(a) => command::distance::run(a),
        Command::Clearance(a) => command::clearance::run(a),
        Command::Sweep(a) => command::sweep::run(a),
        Command::Optimise(a) => command::optimise::run(a),
        Command::Identify(a) => command::identify::run(a),
        Command::Doctor(a) => command::doctor::run(a),
        Command::Man(a) => command::man::run(a),
        Command::Schema => command::reference::schema(),
        Command::Merge(a) => command::merge::run(a),
        Command::Reference => command::reference::scene_keys(),
        Command::Commands => command::reference::commands(),
        Command::Methods(a) => command::methods::run(a),
        Command::Completions { shell } => command::reference::completions(*shell),
    };
    match result {
        Ok(code) => code as u8,
        Err(failure) => {
            failure.print();
            failure.code as u8
        }
    }
}
