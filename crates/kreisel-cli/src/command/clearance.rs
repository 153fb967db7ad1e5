//! `kreisel clearance`: the smallest distance of every pair of bodies over a run.

use super::placed::{bodies, pose};
use crate::args::Overrides;
use crate::exit::{Exit, Failure};
use crate::render::render_with_lines;
use crate::runner;
use kreisel_dynamics::{BodyId, BodyKind, Vec3, World};
use kreisel_geometry::broad::{Aabb, PairFilter};
use kreisel_geometry::query::{Proximity, distance};
use kreisel_geometry::{Pose, Shape};
use kreisel_scene::Scene;
use serde_json::json;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Arguments of `clearance`.
#[derive(Debug, clap::Args)]
pub struct Clearance {
    /// Scene file
    pub scene: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Bodies that a joint connects count, too
    #[arg(long)]
    pub jointed: bool,
    /// Leave out pairs that never come closer than this, in m
    #[arg(long, value_name = "M")]
    pub within: Option<f64>,
    /// Record the distances of all pairs at every step, as CSV for `kreisel plot`
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw the scene at its smallest distance, with the shortest line, to this SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress bar
    #[arg(short, long)]
    pub quiet: bool,
}

/// Most pairs that are followed.
const MAX_PAIRS: usize = 1_000_000;

/// A pair and its smallest distance so far.
struct Pair {
    bodies: [usize; 2],
    best: Option<(Proximity, f64)>,
}

/// The bodies with their shapes, and the pairs among them.
struct Watch {
    bodies: Vec<(BodyId, String, Shape)>,
    pairs: Vec<Pair>,
    /// The smallest distance of all, and the world then.
    closest: Option<(usize, World)>,
}

/// Runs a scene and watches its distances.
pub fn run(args: &Clearance) -> Result<Exit, Failure> {
    let mut scene = crate::scene_file::load(&args.scene, &args.overrides.params)?;
    let until = runner::apply(&args.overrides, &mut scene)?;
    let mut watch = Watch::new(&scene, args.jointed)?;
    let mut csv = args.csv.as_deref().map(|path| Csv::new(path, &watch)).transpose()?;
    let summary = runner::run(&scene, until, args.quiet || args.json, |_, world, _| {
        let row = watch.look(world, csv.is_some());
        match &mut csv {
            Some(csv) => csv.row(world.time(), &row),
            None => Ok(()),
        }
    })?;
    if let Some(csv) = csv {
        csv.finish()?;
    }
    if let (Some(path), Some((k, world))) = (&args.svg, &watch.closest)
        && let Some((p, _)) = &watch.pairs[*k].best
    {
        let picture = render_with_lines(&scene, std::slice::from_ref(world), &[(p.a, p.b)], (1000, 560));
        std::fs::write(path, picture).map_err(|e| Failure::file(path, e))?;
    }
    let limit = args.within.unwrap_or(f64::INFINITY);
    let mut order: Vec<(&Pair, &Proximity, f64)> =
        watch.pairs.iter().filter_map(|p| p.best.as_ref().map(|(b, t)| (p, b, *t))).collect();
    order.retain(|(_, b, _)| b.distance <= limit);
    // the sort keeps the order of the scene among equals
    order.sort_by(|x, y| x.1.distance.total_cmp(&y.1.distance));
    let name = |p: &Pair, k: usize| watch.bodies[p.bodies[k]].1.clone();
    if args.json {
        let pairs: Vec<_> = order
            .iter()
            .map(|(pair, b, time)| {
                json!({
                    "bodies": [name(pair, 0), name(pair, 1)],
                    "distance": b.distance,
                    "time": time,
                    "points": [b.a.to_array(), b.b.to_array()],
                    "overlap": b.distance <= 0.0,
                })
            })
            .collect();
        let all = json!({ "until": summary.time, "steps": summary.steps, "pairs": pairs });
        println!("{}", serde_json::to_string_pretty(&all).map_err(|e| Failure::resource(e.to_string()))?);
    } else {
        println!("{} pairs over {:.4} s, {} steps", watch.pairs.len(), summary.time, summary.steps);
        let labels: Vec<String> = order.iter().map(|(p, ..)| format!("{} - {}", name(p, 0), name(p, 1))).collect();
        let width = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
        for (label, (_, b, time)) in labels.iter().zip(&order) {
            let kind = if b.distance <= 0.0 { "  overlap" } else { "" };
            println!("{label:width$}  {:>12.6} m  at {time:.4} s  {}{kind}", b.distance, point(b.a));
        }
        for path in [&args.csv, &args.svg].into_iter().flatten() {
            println!("wrote {}", path.display());
        }
    }
    Ok(if summary.interrupted { Exit::Interrupted } else { Exit::Success })
}

fn point(p: Vec3) -> String {
    let [x, y, z] = p.to_array().map(|x| if x.abs() < 5e-5 { 0.0 } else { x });
    format!("({x:.4}, {y:.4}, {z:.4})")
}

impl Watch {
    fn new(scene: &Scene, jointed: bool) -> Result<Self, Failure> {
        let bodies = bodies(scene);
        let number = |id: BodyId| bodies.iter().position(|b| b.0 == id).map(|i| i as u32);
        let mut filter = PairFilter::new(bodies.len());
        for (i, (id, ..)) in bodies.iter().enumerate() {
            let fixed = *id == BodyId::WORLD || scene.world.body(*id).is_some_and(|b| b.kind == BodyKind::Static);
            filter.set_static(i as u32, fixed);
        }
        if !jointed {
            for joint in scene.world.joints().filter_map(|id| scene.world.joint(id)) {
                if let [Some(a), Some(b)] = joint.bodies.map(number) {
                    filter.exclude(a, b);
                }
            }
        }
        let n = bodies.len();
        if n * n.saturating_sub(1) / 2 > MAX_PAIRS {
            return Err(Failure::usage(format!(
                "{n} bodies have more than {MAX_PAIRS} pairs; that is too many to follow"
            )));
        }
        let mut pairs = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                if filter.allows(i as u32, j as u32) {
                    pairs.push(Pair { bodies: [i, j], best: None });
                }
            }
        }
        Ok(Self { bodies, pairs, closest: None })
    }

    /// Looks at all pairs; gives their distances if `all` are wanted. A pair whose boxes are
    /// farther apart than it ever was needs no closer look.
    fn look(&mut self, world: &World, all: bool) -> Vec<f64> {
        let poses: Vec<Pose> = self.bodies.iter().map(|b| pose(world, b.0)).collect();
        let boxes: Vec<Aabb> = self.bodies.iter().zip(&poses).map(|(b, p)| Aabb::of(&b.2, p)).collect();
        let mut row = Vec::new();
        for k in 0..self.pairs.len() {
            let [i, j] = self.pairs[k].bodies;
            let least = self.pairs[k].best.as_ref().map_or(f64::INFINITY, |b| b.0.distance);
            if !all && boxes[i].distance(&boxes[j]) > least.max(0.0) {
                continue;
            }
            let Some(p) = distance(&self.bodies[i].2, &poses[i], &self.bodies[j].2, &poses[j]) else { continue };
            if all {
                row.push(p.distance);
            }
            if p.distance < least {
                let best = self.closest.as_ref().and_then(|(k, _)| self.pairs[*k].best.as_ref());
                if best.is_none_or(|b| p.distance < b.0.distance) {
                    self.closest = Some((k, world.clone()));
                }
                self.pairs[k].best = Some((p, world.time()));
            }
        }
        row
    }
}

/// Distances over time.
struct Csv<'a> {
    path: &'a Path,
    out: BufWriter<File>,
}

impl<'a> Csv<'a> {
    fn new(path: &'a Path, watch: &Watch) -> Result<Self, Failure> {
        let mut csv = Self { path, out: BufWriter::new(File::create(path).map_err(|e| Failure::file(path, e))?) };
        let quoted = |[i, j]: [usize; 2]| format!("\"{}-{} [m]\"", watch.bodies[i].1, watch.bodies[j].1);
        let mut header = vec!["time [s]".to_owned()];
        header.extend(watch.pairs.iter().map(|p| quoted(p.bodies).replace('\n', " ")));
        csv.write(&header.join(","))?;
        Ok(csv)
    }

    fn row(&mut self, time: f64, row: &[f64]) -> Result<(), Failure> {
        let mut line = format!("{time}");
        for d in row {
            line.push_str(&format!(",{d}"));
        }
        self.write(&line)
    }

    fn write(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.out, "{line}").map_err(|e| Failure::file(self.path, e))
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|e| Failure::file(self.path, e))
    }
}
