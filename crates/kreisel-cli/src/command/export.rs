//! `kreisel export`: the motion as glTF with animation.

use crate::args::Export;
use crate::exit::{Exit, Failure};
use crate::runner;
use crate::source::{self, Kind};
use kreisel_scene::export::{Motion, gltf};
use kreisel_scene::record::Changes;
use serde::Serialize;

/// The numbers as JSON.
#[derive(Serialize)]
struct Outcome {
    bodies: usize,
    frames: usize,
    /// Keyframes before and after thinning.
    keyframes_before: usize,
    keyframes: usize,
    bytes: usize,
}

/// Exports a scene or a recording.
pub fn run(args: &Export) -> Result<Exit, Failure> {
    let ending =
        args.out.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if ending == "html" {
        return super::export_page::run(args);
    }
    if !["glb", "gltf"].contains(&ending.as_str()) {
        return Err(Failure::usage(format!("{}: choose .glb, .gltf or .html", args.out.display())));
    }
    let positive = |x: f64| x.is_finite() && x > 0.0;
    if !(args.tolerance >= 0.0 && args.tolerance.is_finite() && positive(args.rate)) {
        return Err(Failure::usage("--tolerance is zero or more, --rate is positive"));
    }
    let (scene, motion) = match source::kind(&args.file) {
        Kind::Recording => {
            let recording = source::recording(&args.file, args.quiet)?;
            let scene =
                crate::scene_file::of_recording(&recording, &args.file, args.params.allow_outside)?;
            let motion = Motion::of_recording(&scene, &recording, args.rate)
                .map_err(|e| Failure::file(&args.file, e))?;
            (scene, motion)
        }
        Kind::Table => {
            return Err(Failure::usage(
                "a table does not say what the bodies look like; give a recording",
            ));
        }
        Kind::Scene => {
            let mut scene = crate::scene_file::load(&args.file, &args.params)?;
            let until = runner::end(&mut scene, args.until, &Changes::default())?;
            let stride = (1.0 / (args.rate * scene.step)).round().max(1.0) as u64;
            let mut motion = Motion::new(&scene);
            let summary = runner::run(&scene, until, args.quiet || args.json, |k, world, _| {
                if k > 0 && k % stride == 0 {
                    motion.push(world);
                }
                Ok(())
            })?;
            if summary.interrupted {
                eprintln!(
                    "interrupted at {:.3} s; the motion up to there is exported",
                    summary.time
                );
            }
            (scene, motion)
        }
    };
    let file = gltf(&scene, &motion, args.tolerance);
    let bytes = if ending == "glb" { file.glb() } else { file.text().into_bytes() };
    std::fs::write(&args.out, &bytes).map_err(|e| Failure::file(&args.out, e))?;
    let outcome = Outcome {
        bodies: motion.positions.len(),
        frames: motion.times.len(),
        keyframes_before: file.frames,
        keyframes: file.keyframes,
        bytes: bytes.len(),
    };
    if args.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&outcome).map_err(|e| Failure::resource(e.to_string()))?
        );
    } else if !args.quiet {
        println!(
            "wrote {}: {} bodies, {} frames, {} of {} keyframes kept, {:.1} kB",
            args.out.display(),
            outcome.bodies,
            outcome.frames,
            outcome.keyframes,
            outcome.keyframes_before,
            outcome.bytes as f64 / 1e3
        );
    }
    Ok(Exit::Success)
}
