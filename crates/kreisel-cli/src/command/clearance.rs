//! `kreisel clearance`: the smallest distance of every pair of bodies over a run.

use crate::args::Overrides;
use crate::exit::{Exit, Failure};
use crate::render::render_with_lines;
use crate::runner;
use crate::watch::Watch;
use kreisel_dynamics::Vec3;
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

/// Runs a scene and watches its distances.
pub fn run(args: &Clearance) -> Result<Exit, Failure> {
    let mut scene = crate::scene_file::load(&args.scene, &args.overrides.params)?;
    let until = runner::apply(&args.overrides, &mut scene)?;
    let mut watch = Watch::new(&scene, args.jointed).map_err(Failure::usage)?;
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
    if let (Some(path), Some((world, [a, b]))) = (&args.svg, watch.closest()) {
        let picture =
            render_with_lines(&scene, std::slice::from_ref(world), &[(a, b)], (1000, 560));
        std::fs::write(path, picture).map_err(|e| Failure::file(path, e))?;
    }
    let limit = args.within.unwrap_or(f64::INFINITY);
    let mut order = watch.closest_first();
    order.retain(|c| c.distance <= limit);
    if args.json {
        let pairs: Vec<_> = order
            .iter()
            .map(|c| {
                json!({
                    "bodies": c.names,
                    "distance": c.distance,
                    "time": c.time,
                    "points": c.points.map(|p| p.to_array()),
                    "overlap": c.distance <= 0.0,
                })
            })
            .collect();
        let all = json!({ "until": summary.time, "steps": summary.steps, "pairs": pairs });
        println!(
            "{}",
            serde_json::to_string_pretty(&all).map_err(|e| Failure::resource(e.to_string()))?
        );
    } else {
        println!(
            "{} pairs over {:.4} s, at the ends of {} steps",
            watch.pairs().len(),
            summary.time,
            summary.steps
        );
        let labels: Vec<String> = order.iter().map(|c| c.names.join(" - ")).collect();
        let width = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
        for (label, c) in labels.iter().zip(&order) {
            let kind = if c.distance <= 0.0 { "  overlap" } else { "" };
            println!(
                "{label:width$}  {:>12.6} m  at {:.4} s  {}{kind}",
                c.distance,
                c.time,
                point(c.points[0])
            );
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

/// Distances over time.
struct Csv<'a> {
    path: &'a Path,
    out: BufWriter<File>,
}

impl<'a> Csv<'a> {
    fn new(path: &'a Path, watch: &Watch) -> Result<Self, Failure> {
        let mut csv = Self {
            path,
            out: BufWriter::new(File::create(path).map_err(|e| Failure::file(path, e))?),
        };
        let quoted = |[a, b]: [&str; 2]| format!("\"{a}-{b} [m]\"");
        let mut header = vec!["time [s]".to_owned()];
        header.extend(watch.pairs().map(|p| quoted(p).replace('\n', " ")));
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
