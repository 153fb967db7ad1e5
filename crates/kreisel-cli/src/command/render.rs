//! `kreisel render`: a still picture of a scene.

use crate::args::Render;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::render::render;
use crate::runner;

/// Runs a scene and draws it at the wanted times.
pub fn run(args: &Render) -> Result<Exit, Failure> {
    let stream = output::is_stream(&args.output);
    if !stream && args.output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("svg")) {
        return Err(Failure::usage(format!(
            "{}: pictures of scenes are .svg",
            args.output.display()
        )));
    }
    let mut scene = crate::scene_file::load(&args.scene, &args.overrides.params)?;
    let mut times = args.at.clone();
    times.sort_by(f64::total_cmp);
    if times.iter().any(|t| !(t.is_finite() && *t >= 0.0)) {
        return Err(Failure::usage("times of --at are zero or more"));
    }
    let last = times.last().copied().unwrap_or(0.0);
    runner::apply(&args.overrides, &mut scene)?;
    let half = scene.step / 2.0;
    let (mut worlds, mut next) = (Vec::new(), times.iter().peekable());
    runner::run(&scene, last, true, |_, world, _| {
        while next.next_if(|t| world.time() >= **t - half).is_some() {
            worlds.push(world.clone());
        }
        Ok(())
    })?;
    output::write(&args.output, render(&scene, &worlds, args.size).as_bytes())?;
    if !stream {
        output::say(&args.output, args.quiet, &format!("wrote {}", args.output.display()));
    }
    Ok(Exit::Success)
}
