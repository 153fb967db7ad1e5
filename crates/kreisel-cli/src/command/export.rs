//! `kreisel export`: the motion as glTF with animation.

use crate::args::Export;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::runner;
use crate::source::{self, Kind};
use kreisel_geometry::mesh::write::{Written, write};
use kreisel_geometry::{Pose, TriMesh};
use kreisel_scene::Scene;
use kreisel_scene::export::{Extras, Motion, Surface, gltf_with};
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
    let out =
        output::one_of(args.out.as_ref(), args.output.as_ref(), "such as motion.glb or page.html")?;
    let ending = output::format(&out, args.to.as_ref());
    if ending == "html" {
        return super::export_page::run(args, &out);
    }
    let mesh = Written::from_extension(&ending);
    if !["glb", "gltf"].contains(&ending.as_str()) && mesh.is_none() {
        return Err(Failure::usage(format!(
            "{}: choose .glb, .gltf or .html; .obj, .stl, .ply or .wrl for the shapes alone",
            out.display()
        )));
    }
    if mesh.is_none() && args.body.is_some() {
        return Err(Failure::usage("--body goes with obj, stl, ply and wrl"));
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
    if let Some(format) = mesh {
        let solid = shapes(&scene, &motion, args.body.as_deref())?;
        output::write(&out, &write(&solid, format))?;
        let words = format!("wrote {}: {} triangles", out.display(), solid.triangles().len());
        output::say(&out, args.quiet || output::is_stream(&out), &words);
        return Ok(Exit::Success);
    }
    let extras = Extras { elements: !args.bodies_only, velocities: args.velocities };
    let file = gltf_with(&scene, &motion, args.tolerance, extras);
    let bytes = if ending == "glb" { file.glb() } else { file.text().into_bytes() };
    let stream = output::is_stream(&out);
    if stream && args.json {
        return Err(Failure::usage(
            "- and --json both write to the standard output: take one of them",
        ));
    }
    output::write(&out, &bytes)?;
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
    } else if !args.quiet && !stream {
        println!(
            "wrote {}: {} bodies, {} frames, {} of {} keyframes kept, {:.1} kB",
            out.display(),
            outcome.bodies,
            outcome.frames,
            outcome.keyframes,
            outcome.keyframes_before,
            outcome.bytes as f64 / 1e3
        );
    }
    Ok(Exit::Success)
}

/// The shapes of all bodies as one mesh, where they stand at the end; or of one, in its own frame.
fn shapes(scene: &Scene, motion: &Motion, body: Option<&str>) -> Result<TriMesh, Failure> {
    let known = |name: &str| scene.world.body_named(name).is_some();
    if let Some(name) = body.filter(|name| !known(name)) {
        return Err(Failure::usage(format!("there is no body \"{name}\"")));
    }
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (k, id) in scene.world.bodies().enumerate() {
        let own = body.is_none_or(|name| scene.world.body_named(name) == Some(id));
        let look = scene.looks.iter().find(|l| l.body == id).and_then(|l| l.shape.as_ref());
        let Some(shape) = look.filter(|_| own) else { continue };
        let Some(mesh) = Surface::of(shape).mesh() else { continue };
        let end =
            || Some(Pose::new(*motion.positions.get(k)?.last()?, *motion.rotations[k].last()?));
        let pose = if body.is_some() { Pose::IDENTITY } else { end().unwrap_or_default() };
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices().iter().map(|v| pose.point(*v)));
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|i| i + first)));
    }
    TriMesh::new(vertices, triangles)
        .map_err(|_| Failure::usage("there is no shape to write: mass points have none"))
}
