//! `kreisel play`: runs a scene and shows it in the browser.

use super::run::exit;
use crate::args::Play;
use crate::exit::{Exit, Failure, print_problems};
use crate::play::{Frames, page, serve};
use crate::runner;
use kreisel_scene::Simulation;

/// Runs a scene, then writes or serves its playback.
pub fn run(args: &Play) -> Result<Exit, Failure> {
    let mut scene = crate::scene_file::load(&args.scene, &args.overrides.params)?;
    let until = runner::apply(&args.overrides, &mut scene)?;
    if !args.quiet {
        print_problems(&scene.warnings);
    }
    let steps = Simulation::new(&scene).steps_until(until);
    let mut frames = Frames::new(&scene.world, scene.step, steps);
    let summary = runner::run(&scene, until, args.quiet, |k, world, report| {
        frames.take(k, world, report);
        Ok(())
    })?;
    let html = page(&scene, &frames).map_err(|e| Failure::resource(e.to_string()))?;
    if let Some(path) = &args.html {
        std::fs::write(path, &html).map_err(|e| Failure::file(path, e))?;
        println!(
            "wrote {} ({} frames, {:.1} MB)",
            path.display(),
            frames.times.len(),
            html.len() as f64 / 1e6
        );
    }
    if args.once {
        return Ok(exit(&summary));
    }
    runner::end_on_interrupt();
    serve(&html, args.port, |address| println!("playing at {address} (Ctrl-C to end)"))
        .map_err(|e| Failure::resource(format!("port {}: {e}", args.port)))?;
    Ok(exit(&summary))
}
