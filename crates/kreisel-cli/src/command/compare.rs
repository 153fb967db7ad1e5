//! `kreisel compare`: one scene with several methods, orders and steps; error, energy and cost side
//! by side.

use crate::args::Compare;
use crate::chart::{self, Chart, Line};
use crate::exit::{Exit, Failure};
use crate::runner::{self, Summary};
use crate::source::{self, Kind};
use crate::table::grid;
use kreisel_analysis::methods::{self, Method};
use kreisel_dynamics::{Settings, Stabiliser, Substeps, Vec3};
use kreisel_scene::Scene;
use kreisel_scene::record::{Changes, Data};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Most runs of one comparison: more do not fit a table.
const MAX_RUNS: usize = 200;

/// Stands for the multiplier method with each of its stabilisers.
const EACH: &str = "lagrange/each";

/// Stands for the direct method, multipliers, and every method of the literature.
const ALL: &str = "all";

/// One run of the comparison.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Entry {
    pub method: String,
    /// 0 where the method has one of its own.
    order: u32,
    step: f64,
    /// Largest distance of any body from the reference, at any common time, m.
    pub error: f64,
    /// The same at the last common time, m.
    final_error: f64,
    /// Measured order: how the error fell from the next larger step.
    measured_order: Option<f64>,
    /// Largest unexplained energy, J; beside methods of the literature the largest distance from
    /// the reference's energy.
    pub energy_error: f64,
    /// Largest gap of a joint, m; of methods of the literature m or rad.
    pub joint_error: f64,
    /// Largest misalignment of a joint, rad.
    joint_misalignment: f64,
    steps: u64,
    /// Steps in which a joint was out of tolerance.
    missed: u64,
    /// Rounds of joint and velocity correction, or states at which forces were evaluated.
    rounds: u64,
    pub wall_time: f64,
    /// Why a method of the literature has no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Where all bodies are, at multiples of the largest step.
type Track = Vec<(f64, Vec<Vec3>)>;

/// A track with the energy at its times; none in a table.
#[derive(Default)]
struct Motion {
    track: Track,
    energy: Vec<f64>,
}

impl Motion {
    /// Largest distance of the energies at common rows.
    fn energy_off(&self, other: &Self) -> f64 {
        let pairs = self.energy.iter().zip(&other.energy);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}

/// Compares.
pub fn run(args: &Compare) -> Result<Exit, Failure> {
    let mut scene = crate::scene_file::load(&args.scene, &args.params)?;
    if args.substeps > 0 {
        let settings =
            Settings { substeps: Substeps::Fixed(args.substeps), ..scene.world.settings().clone() };
        scene.world.set_settings(settings).map_err(|e| Failure::usage(e.to_string()))?;
    }
    let entries = entries(args, &scene)?;
    if args.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&entries).map_err(|e| Failure::resource(e.to_string()))?
        );
    } else if !args.quiet {
        print!("{}", table(&entries));
    }
    if let Some(out) = &args.out {
        chart::write(&charts(&entries, &scene), out, args.size)?;
        if !args.quiet && !args.json && out != Path::new("-") {
            println!("wrote {}", out.display());
        }
    }
    Ok(Exit::Success)
}

/// Runs everything that is asked for.
pub(super) fn entries(args: &Compare, scene: &Scene) -> Result<Vec<Entry>, Failure> {
    let plan = Plan::new(args, scene)?;
    let reference = plan.reference(args, scene)?;
    let others = plan.runs.iter().any(|r| Method::of(&r.0).is_some());
    let mut entries: Vec<Entry> = Vec::new();
    for (method, order, step) in &plan.runs {
        let mut entry =
            Entry { method: method.clone(), order: *order, step: *step, ..Entry::default() };
        let motion = match Method::of(method) {
            Some(other) => {
                if !args.quiet && !args.json {
                    eprintln!("running {method}, step {step} s");
                }
                match plan.other(args, scene, other, *step, &mut entry) {
                    Ok(motion) => motion,
                    Err(said) => {
                        entry.refused = Some(said);
                        entries.push(entry);
                        continue;
                    }
                }
            }
            None => {
                if !args.quiet && !args.json {
                    eprintln!("running {method}, order {order}, step {step} s");
                }
                let changes = Changes {
                    method: Some(method.clone()),
                    order: Some(*order),
                    ..Changes::default()
                };
                let (motion, summary, rounds) = plan.track(scene, &changes, *step)?;
                entry.energy_error = summary.residual;
                entry.joint_error = summary.worst.as_ref().map_or(0.0, |w| w.position);
                entry.joint_misalignment = summary.worst.as_ref().map_or(0.0, |w| w.angle);
                entry.steps = summary.steps;
                entry.missed = summary.not_converged + summary.budget_spent + summary.quarantined;
                (entry.rounds, entry.wall_time) = (rounds, summary.wall_time);
                motion
            }
        };
        (entry.error, entry.final_error) = distance(&motion.track, &reference.track)?;
        if others {
            entry.energy_error = motion.energy_off(&reference);
        }
        let same = |e: &&Entry| {
            e.method == *method && e.order == *order && e.refused.is_none() && e.step > *step
        };
        entry.measured_order = entries
            .last()
            .filter(same)
            .map(|e| (e.error / entry.error).ln() / (e.step / step).ln())
            .filter(|o| o.is_finite());
        entries.push(entry);
    }
    Ok(entries)
}

/// What is to be run.
struct Plan {
    runs: Vec<(String, u32, f64)>,
    largest: f64,
    smallest: f64,
    until: f64,
}

impl Plan {
    fn new(args: &Compare, scene: &Scene) -> Result<Self, Failure> {
        let settings = scene.world.settings();
        let own =
            serde_json::to_value(settings.method).ok().and_then(|v| v.as_str().map(str::to_owned));
        let mut methods = if args.methods.is_empty() {
            vec![own.unwrap_or_default()]
        } else {
            args.methods.clone()
        };
        if let Some(k) = methods.iter().position(|m| m == EACH) {
            methods.splice(k..=k, Stabiliser::ALL.map(|s| format!("lagrange/{}", s.name())));
        }
        if let Some(k) = methods.iter().position(|m| m == ALL) {
            let own = ["direct", "lagrange"].map(str::to_owned);
            let others = Method::all().map(|m| m.word().to_owned());
            methods.splice(k..=k, own.into_iter().chain(others));
        }
        let orders = if args.orders.is_empty() {
            vec![2 * settings.order.columns() as u32]
        } else {
            args.orders.clone()
        };
        let mut steps = args.steps.clone();
        if steps.is_empty() {
            steps = [1.0, 2.0, 4.0, 8.0].map(|n| scene.step / n).to_vec();
        }
        if let Some(bad) = steps.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
            return Err(Failure::usage(format!("steps must be positive, one is {bad}")));
        }
        steps.sort_by(|a, b| b.total_cmp(a));
        let (largest, smallest) = (steps[0], steps[steps.len() - 1]);
        for step in &steps {
            let n = largest / step;
            if (n - n.round()).abs() > 1e-6 * n {
                return Err(Failure::usage(format!(
                    "states are compared at multiples of the largest step: {step} s does not fit into {largest} s a whole number of times"
                )));
            }
        }
        let until = args.until.unwrap_or(scene.duration);
        if !(until.is_finite() && until >= largest) {
            return Err(Failure::usage(format!(
                "--until must be at least the largest step, it is {until}"
            )));
        }
        // methods of the literature have an order of their own, and some choose their steps
        let each = |m: &String| match Method::of(m) {
            Some(_) => vec![(m.clone(), 0)],
            None => orders.iter().map(|o| (m.clone(), *o)).collect::<Vec<_>>(),
        };
        let pairs: Vec<(String, u32)> = methods.iter().flat_map(each).collect();
        let of = |(m, o): &(String, u32)| {
            let controlled = Method::of(m).is_some_and(Method::is_controlled);
            let count = if controlled { 1 } else { steps.len() };
            steps[..count].iter().map(|s| (m.clone(), *o, *s)).collect::<Vec<_>>()
        };
        let runs: Vec<(String, u32, f64)> = pairs.iter().flat_map(of).collect();
        if runs.len() > MAX_RUNS {
            return Err(Failure::usage(format!(
                "{} runs are too many; up to {MAX_RUNS}",
                runs.len()
            )));
        }
        // Mistakes in the last combination should not cost all the runs before it.
        for (method, order) in pairs.iter().filter(|p| Method::of(&p.0).is_none()) {
            let changes =
                Changes { method: Some(method.clone()), order: Some(*order), ..Changes::default() };
            changes.apply(&mut scene.clone()).map_err(Failure::usage)?;
        }
        Ok(Self { runs, largest, smallest, until })
    }

    /// Runs the scene; gives where the bodies are, the summary and the rounds.
    fn track(
        &self,
        scene: &Scene,
        changes: &Changes,
        step: f64,
    ) -> Result<(Motion, Summary, u64), Failure> {
        let mut scene = scene.clone();
        let changes = Changes { step: Some(step), ..changes.clone() };
        let until = runner::end(&mut scene, Some(self.until), &changes)?;
        let stride = (self.largest / step).round().max(1.0) as u64;
        let bodies: Vec<_> = scene.world.bodies().collect();
        let (mut motion, mut rounds) = (Motion::default(), 0);
        let summary = runner::run(&scene, until, true, |k, world, report| {
            rounds += u64::from(report.rounds) + u64::from(report.velocity_rounds);
            if k % stride == 0 {
                let places =
                    bodies.iter().map(|b| world.position(*b).unwrap_or(Vec3::NAN)).collect();
                motion.track.push((world.time(), places));
                motion.energy.push(world.energy().total());
            }
            Ok(())
        })?;
        if summary.interrupted {
            return Err(Failure::silent(Exit::Interrupted));
        }
        Ok((motion, summary, rounds))
    }

    /// Runs the scene by a method of the literature; an error in words where it has no answer.
    fn other(
        &self,
        args: &Compare,
        scene: &Scene,
        method: Method,
        step: f64,
        entry: &mut Entry,
    ) -> Result<Motion, String> {
        if !scene.scripts.is_empty() || !scene.forces.is_empty() || !scene.switches.is_empty() {
            return Err(
                "scripts, outer forces and switches are the scene's, not its world's".into()
            );
        }
        let bodies: Vec<_> = scene.world.bodies().collect();
        let stride = (self.largest / step).round().max(1.0) as u64;
        let options = methods::Options { step, until: self.until, tolerance: args.tolerance };
        let (mut motion, mut k) = (Motion::default(), 0);
        let done = methods::simulate(&scene.world, method, &options, |t, world| {
            if k % stride == 0 {
                let places =
                    bodies.iter().map(|b| world.position(*b).unwrap_or(Vec3::NAN)).collect();
                motion.track.push((t, places));
                motion.energy.push(world.energy().total());
            }
            k += 1;
        })
        .map_err(|e| e.to_string())?;
        (entry.joint_error, entry.steps) = (done.joint_error, done.steps);
        (entry.rounds, entry.wall_time) = (done.evaluations, done.time.as_secs_f64());
        Ok(motion)
    }

    fn reference(&self, args: &Compare, scene: &Scene) -> Result<Motion, Failure> {
        let path = Path::new(&args.reference);
        if source::kind(path) != Kind::Scene {
            let data = source::data(path, &[], None, &args.params, args.quiet)?;
            return Ok(Motion { track: positions(&data, scene)?, energy: Vec::new() });
        }
        let order = args.reference.strip_prefix("order").and_then(|n| n.parse::<u32>().ok()).ok_or_else(|| {
            let what = &args.reference;
            Failure::usage(format!("--reference is order2, order4, order6, order8, a recording or a table, not {what}"))
        })?;
        if !args.quiet && !args.json {
            eprintln!(
                "running the reference: direct, order {order}, step {} s",
                self.smallest / 2.0
            );
        }
        let changes =
            Changes { method: Some("direct".into()), order: Some(order), ..Changes::default() };
        Ok(self.track(scene, &changes, self.smallest / 2.0)?.0)
    }
}

/// Where the scene's bodies are in a recording.
fn positions(data: &Data, scene: &Scene) -> Result<Track, Failure> {
    let mut columns = Vec::new();
    for body in scene.world.bodies() {
        let name = scene.world.body_name(body).unwrap_or_default();
        let axis = |c: &str| data.column(&format!("{name}.position.{c}"));
        let (Some(x), Some(y), Some(z)) = (axis("x"), axis("y"), axis("z")) else {
            return Err(Failure::usage(format!("the reference has no {name}.position")));
        };
        columns.push((x, y, z));
    }
    let row = |k: usize| {
        (data.values[0][k], columns.iter().map(|c| Vec3::new(c.0[k], c.1[k], c.2[k])).collect())
    };
    Ok((0..data.rows()).map(row).collect())
}

/// Largest distance of any body at any common time, and at the last one.
fn distance(track: &Track, reference: &Track) -> Result<(f64, f64), Failure> {
    let (mut worst, mut last, mut common) = (0.0_f64, 0.0_f64, 0);
    let mut from = 0;
    for (time, places) in track {
        let room = 1e-9 * (1.0 + time);
        while reference.get(from).is_some_and(|r| r.0 < time - room) {
            from += 1;
        }
        let Some((_, exact)) = reference.get(from).filter(|r| (r.0 - time).abs() <= room) else {
            continue;
        };
        last = places
            .iter()
            .zip(exact)
            .map(|(a, b)| a.distance(*b))
            .fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a });
        worst = if last > worst || last.is_nan() { last } else { worst };
        common += 1;
    }
    // The start is always common, and always equal.
    if common < 2 {
        return Err(Failure::usage("the reference has no time in common with the runs"));
    }
    Ok((worst, last))
}

fn table(entries: &[Entry]) -> String {
    let head = [
        "method",
        "order",
        "step [s]",
        "error [m]",
        "falls with",
        "energy [J]",
        "joints [m]",
        "rounds",
        "missed",
        "time [s]",
    ];
    let row = |e: &Entry| {
        vec![
            e.method.clone(),
            if e.order == 0 { String::new() } else { e.order.to_string() },
            chart::number(e.step),
            format!("{:.2e}", e.error),
            e.measured_order.map_or(String::new(), |o| format!("h^{o:.2}")),
            format!("{:.2e}", e.energy_error),
            format!("{:.2e}", e.joint_error),
            e.rounds.to_string(),
            e.missed.to_string(),
            format!("{:.3}", e.wall_time),
        ]
    };
    let done = entries.iter().filter(|e| e.refused.is_none());
    let mut out = grid(&head, &done.map(row).collect::<Vec<_>>());
    for e in entries {
        if let Some(said) = &e.refused {
            out += &format!("note: {} has no answer: {said}\n", e.method);
        }
    }
    out
}

/// Error over step, and error over cost.
fn charts(entries: &[Entry], scene: &Scene) -> [Chart; 2] {
    let mut groups: BTreeMap<(String, u32), Vec<&Entry>> = BTreeMap::new();
    for e in entries.iter().filter(|e| e.refused.is_none()) {
        groups.entry((e.method.clone(), e.order)).or_default().push(e);
    }
    let one_method = entries.iter().all(|e| e.method == entries[0].method);
    let lines = |x: fn(&Entry) -> f64| {
        let line = |(key, list): (&(String, u32), &Vec<&Entry>)| Line {
            label: match key.1 {
                0 => key.0.clone(),
                order => format!("{}, order {order}", key.0),
            },
            unit: "m".into(),
            points: list.iter().map(|e| (x(e), e.error)).collect(),
            marked: true,
        };
        groups.iter().map(line).collect::<Vec<_>>()
    };
    let chart = |title: Option<String>, x_label: &str, lines| Chart {
        title,
        x_label: x_label.into(),
        y_label: "largest error of position [m]".into(),
        log: (true, true),
        lines,
    };
    [
        chart(scene.title.clone(), "step [s]", lines(|e| e.step)),
        // Rounds of one method are its cost on any machine; those of different methods are not
        // alike.
        if one_method {
            chart(None, "rounds of correction", lines(|e| e.rounds as f64))
        } else {
            chart(None, "wall time [s]", lines(|e| e.wall_time))
        },
    ]
}
