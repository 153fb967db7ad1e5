//! `kreisel analyse modes`, with a mode as an animation.

use super::{About, Common, Subject, print_json};
use crate::exit::{Exit, Failure};
use crate::play::{Frames, page};
use crate::table::grid;
use kreisel_analysis::Mode;
use kreisel_dynamics::StepReport;
use kreisel_scene::export::{Motion, gltf};
use std::path::{Path, PathBuf};

/// Frames of a period.
const FRAMES: usize = 48;
/// Periods that are shown.
const PERIODS: usize = 3;
/// Seconds that a period takes in the animation, so that all modes can be watched.
const PERIOD: f64 = 1.5;
/// Share of the scene's extent that the body with the largest way goes.
const WAY: f64 = 0.08;
/// Largest turn, rad.
const TURN: f64 = 0.35;

/// Arguments of `analyse modes`.
#[derive(Debug, clap::Args)]
pub struct Modes {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    /// Number of a mode, from 1, to write as an animation
    #[arg(long, requires = "output", default_value = "1")]
    pub mode: usize,
    /// File for the animation of the mode: a page that plays it (.html), or glTF (.glb or .gltf)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How far the mode goes, as a multiple of what is chosen
    #[arg(long, default_value = "1", value_name = "FACTOR")]
    pub amplitude: f64,
}

/// Finds modes.
pub fn run(args: &Modes) -> Result<Exit, Failure> {
    let subject = Subject::about(&args.common, &args.about)?;
    let found =
        subject.explain(kreisel_analysis::modes(&subject.world, args.about.friction.into()))?;
    let wrote = match &args.output {
        Some(path) => {
            let k = args.mode.wrapping_sub(1);
            let none = || {
                Failure::usage(format!(
                    "there is no mode {}: there are {}",
                    args.mode,
                    found.modes.len()
                ))
            };
            let mode = found.modes.get(k).ok_or_else(none)?;
            animate(&subject, mode, args.amplitude, path)?;
            true
        }
        None => false,
    };
    if args.common.json {
        return print_json(&found);
    }
    println!("{} independent coordinates, {} redundant conditions", found.freedom, found.redundant);
    let rows: Vec<Vec<String>> = found
        .modes
        .iter()
        .enumerate()
        .map(|(k, m)| {
            vec![
                (k + 1).to_string(),
                format!("{:.9}", m.frequency),
                format!("{:.9e}", m.square),
                most(m),
            ]
        })
        .collect();
    if !rows.is_empty() {
        print!("{}", grid(&["mode", "Hz undamped", "ω²/s⁻²", "moves most"], &rows));
    }
    let rows: Vec<Vec<String>> = found
        .eigenvalues
        .iter()
        .map(|e| {
            let numbers = [e.frequency, e.real, e.imaginary, e.damping];
            numbers.iter().map(|x| format!("{:.9}", x + 0.0)).collect()
        })
        .collect();
    if !rows.is_empty() {
        println!();
        print!("{}", grid(&["Hz", "real 1/s", "imaginary 1/s", "damping"], &rows));
    }
    subject.tell(&found.notes);
    if let (Some(path), true) = (&args.output, wrote) {
        println!("wrote {}", path.display());
    }
    Ok(Exit::Success)
}

/// The body with the largest way.
fn most(mode: &Mode) -> String {
    let way = |w: [f64; 3]| w.iter().map(|x| x * x).sum::<f64>();
    let found = mode.shape.iter().max_by(|a, b| way(a.way).total_cmp(&way(b.way)));
    found.map_or_else(String::new, |s| s.body.clone())
}

/// Writes a few periods of a mode.
fn animate(subject: &Subject, mode: &Mode, amplitude: f64, path: &Path) -> Result<(), Failure> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if !["glb", "gltf", "html"].contains(&ending.as_str()) {
        return Err(Failure::usage(format!("{}: choose .html, .glb or .gltf", path.display())));
    }
    if !(amplitude.is_finite() && amplitude != 0.0) {
        return Err(Failure::usage("--amplitude is a number other than 0"));
    }

    // as far as can be seen: a share of the extent, or a turn
    let size = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let way = mode.shape.iter().map(|s| size(s.way)).fold(0.0, f64::max);
    let turn = mode.shape.iter().map(|s| size(s.turn)).fold(0.0, f64::max);
    let places: Vec<_> =
        subject.world.bodies().filter_map(|b| subject.world.center_of_mass(b)).collect();
    let extent =
        places.iter().flat_map(|a| places.iter().map(move |b| a.distance(*b))).fold(0.0, f64::max);
    let by_way = if way > 0.0 && extent > 0.0 { WAY * extent / way } else { f64::INFINITY };
    let by_turn = if turn > 0.0 { TURN / turn } else { f64::INFINITY };
    let reach = by_way.min(by_turn);
    let reach =
        amplitude * if reach.is_finite() { reach } else { 0.1 / way.max(f64::MIN_POSITIVE) };

    let mut scene = subject.scene.clone();
    scene.world = subject.world.clone();
    let mut motion = Motion::new(&scene);
    let mut frames = Frames::new(&scene.world, PERIOD / FRAMES as f64, (FRAMES * PERIODS) as u64);
    for frame in 1..=FRAMES * PERIODS {
        let phase = frame as f64 / FRAMES as f64;
        let mut world = subject.world.clone();
        let shown = mode.show(&mut world, reach * (std::f64::consts::TAU * phase).sin());
        subject.explain(shown)?;
        motion.push(&world);
        frames.take(frame as u64, &world, &StepReport::default());
        let now = subject.world.time() + phase * PERIOD;
        for time in [motion.times.last_mut(), frames.times.last_mut()].into_iter().flatten() {
            *time = now;
        }
    }
    if ending == "html" {
        let page = page(&scene, &frames).map_err(|e| Failure::resource(e.to_string()))?;
        return std::fs::write(path, page).map_err(|e| Failure::file(path, e));
    }
    let file = gltf(&scene, &motion, 1e-4);
    let bytes = if ending == "glb" { file.glb() } else { file.text().into_bytes() };
    std::fs::write(path, bytes).map_err(|e| Failure::file(path, e))
}
