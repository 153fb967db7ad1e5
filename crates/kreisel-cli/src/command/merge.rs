//! `kreisel merge`: two scenes in one file.

use crate::args::Merge;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::scene_file::load_plain;

/// Loads both and writes them as one scene.
pub fn run(args: &Merge) -> Result<Exit, Failure> {
    if args.name.is_empty() || args.name.contains('/') {
        return Err(Failure::usage("--name is a word without `/`"));
    }
    let first = load_plain(&args.first, args.allow_outside)?;
    let second = load_plain(&args.second, args.allow_outside)?;
    let text = kreisel_scene::merge(&first, &second, &args.name);
    output::write(&args.output, text.as_bytes())?;
    let lost = kreisel_scene::left_out(&first, &second);
    if !lost.is_empty() && !args.quiet {
        eprintln!(
            "warning: of {} these are not taken over: {}",
            args.second.display(),
            lost.join(", ")
        );
    }
    if !output::is_stream(&args.output) {
        output::say(&args.output, args.quiet, &format!("wrote {}", args.output.display()));
    }
    Ok(Exit::Success)
}
