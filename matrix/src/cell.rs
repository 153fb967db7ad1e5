//! One cell: a case run in one way, and the verdict.

use crate::case::{Case, Judge, Keep, length, minus, plus, times};
use crate::future::{Future, future};
use crate::reference::{Deviation, Trajectory, Vector, integrate, integrate_off};
use crate::way::Way;
use kreisel_dynamics::{Status, Vec3, World};
use kreisel_scene::Simulation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Errors are shares of the motion's range, at least of this many metres.
const RANGE: f64 = 0.05;
/// Up to this share a motion is right.
const RIGHT: f64 = 0.01;
/// Energy that must stay may change by this share of the motion's, at 100 steps a second.
const ENERGY: f64 = 1e-3;
/// Up to this share it is coarse, if half the step has as much less error as the stated order
/// promises.
const COARSE: f64 = 0.1;
/// Below this share errors are rounding and tolerances of joints: no order is asked.
const FLOOR: f64 = 1e-5;
/// An error of order p that falls with the length of the substeps to the power p may lie above that
/// by this factor: impacts come at other places of a substep, and rounding of their number.
const CHANCE: f64 = 1.62;
/// The step is halved at most so often to see how the error falls (errors that are small anyway:
/// less often), and until there are so many times as many substeps.
const HALVINGS: u32 = 6;
const HALVINGS_WHERE_SMALL: u32 = 2;
const ENOUGH: f64 = 16.0;
/// What half the step must leave of an error that falls in proportion to it.
const SLOWLY: f64 = 0.6;
/// Shares of a step that impacts may come late by, to see what that leads to.
const LATE: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Tolerance of joints, m, with what measuring differently may add.
const TOLERANCE: f64 = 1.5e-6;
/// Unexplained energy beyond this share of the motion's is told.
const UNEXPLAINED: f64 = 0.01;

/// The judgement of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// Within 1 %, and of the stated order.
    Right,
    /// Within 10 %, and of the stated order: the step is large for this motion.
    Coarse,
    /// More than 10 % off, but of the stated order, and a motion that amplifies errors: with a
    /// start that is off by 1 %, and impacts that come late by a step in fast time, the reference
    /// itself is off by as much.
    Sensitive,
    /// Within 1 %, or within 10 % and falling at least in proportion to the step, but not of the
    /// stated order.
    LowOrder,
    /// The scene is refused with a diagnostic.
    Refused,
    /// The motion is wrong, or joints are open though the step says they are not.
    Wrong,
    /// The run does not end in its time.
    Endless,
    /// The program fell.
    Crash,
}

/// What a cell gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The judgement.
    pub verdict: Verdict,
    /// Whether some step's status was not `Converged`.
    pub named: bool,
    /// Largest error as a share of the motion's range.
    pub error: f64,
    /// The same with half the step, where it was asked.
    pub half: Option<f64>,
    /// Largest gap of a joint in a step with status `Converged`, m.
    pub gap: f64,
    /// Unexplained energy as a share of the motion's.
    pub unexplained: f64,
    /// Number of steps by status.
    pub statuses: BTreeMap<String, u32>,
    /// The diagnostic of a refusal, or why a cell is wrong.
    pub message: String,
    /// Number of warnings of the scene.
    pub warnings: usize,
    /// What a state in the middle of the run is worth, where it was asked.
    pub future: Option<Future>,
}

impl Outcome {
    /// A cell without a run.
    pub fn of(verdict: Verdict, message: impl Into<String>) -> Self {
        Self {
            verdict,
            named: false,
            error: 0.0,
            half: None,
            gap: 0.0,
            unexplained: 0.0,
            statuses: BTreeMap::new(),
            message: message.into(),
            warnings: 0,
            future: None,
        }
    }

    /// Wrong without a word.
    pub fn silent(&self) -> bool {
        self.verdict == Verdict::Wrong && !self.named
    }

    /// Whether a joint was open in a step that converged.
    pub fn open(&self) -> bool {
        self.gap > TOLERANCE
    }

    /// Not wrong, but some step said that it is.
    pub fn alarm(&self) -> bool {
        self.named
            && !matches!(
                self.verdict,
                Verdict::Wrong | Verdict::Refused | Verdict::Endless | Verdict::Crash
            )
    }
}

/// The motion that is expected.
pub struct Expected {
    /// Places of the probes' points at the case's times.
    points: Vec<Vec<Vector>>,
    /// Longest way of any of them from its start, m.
    range: f64,
    /// Largest kinetic energy, J.
    kinetic: f64,
    /// Largest rate of each coordinate.
    fastest: Vec<f64>,
    /// Number of impacts on the way.
    impacts: usize,
}

/// Integrates the case on its own.
pub fn expect(case: &Case) -> Result<Expected, String> {
    let last = case.times.last().copied().unwrap_or(0.0);
    let grid = 30;
    let mut all: Vec<f64> = (1..=grid).map(|k| last * f64::from(k) / f64::from(grid)).collect();
    all.extend(&case.times);
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let Trajectory { at, rates, impacts, .. } = integrate(&case.system, &all)?;
    let points = |q: &[f64]| places(case, q);
    let start = points(&vec![0.0; case.system.size()]);
    let mut range = RANGE;
    let mut kinetic = 0.0_f64;
    let mut fastest = vec![0.0_f64; case.system.size()];
    for (k, q) in at.iter().enumerate() {
        for (most, rate) in fastest.iter_mut().zip(&rates[k]) {
            *most = most.max(rate.abs());
        }
        for (a, b) in points(q).into_iter().zip(&start) {
            range = range.max(length(minus(a, *b)));
        }
        let time = crate::reference::Time { t: all[k], within: all[k] };
        let e = case.system.equations(time, q, &rates[k], &[]);
        let twice: f64 = e
            .mass
            .iter()
            .zip(&rates[k])
            .map(|(m, u)| u * crate::reference::system::dot_n(m, &rates[k]))
            .sum();
        kinetic = kinetic.max(0.5 * twice);
    }
    let index = |t: f64| all.iter().position(|a| (a - t).abs() < 1e-9).unwrap_or(0);
    Ok(Expected {
        points: case.times.iter().map(|&t| points(&at[index(t)])).collect(),
        range,
        kinetic,
        fastest,
        impacts,
    })
}

/// Where the points of the probes are.
pub fn places(case: &Case, q: &[f64]) -> Vec<Vector> {
    let poses = case.system.poses(q);
    case.probes
        .iter()
        .flat_map(|p| probe_points(p.origin).map(|x| poses[p.link].point(x).map(|j| j.v)))
        .collect()
}

/// How far the motion is off, as a share of its range, where it is put off on purpose.
fn off_by(case: &Case, expected: &Expected, deviations: impl Iterator<Item = Deviation>) -> f64 {
    let mut off = 0.0_f64;
    for deviation in deviations {
        let Ok(motion) = integrate_off(&case.system, &case.times, &deviation) else { continue };
        for (q, right) in motion.at.iter().zip(&expected.points) {
            let ways = places(case, q).into_iter().zip(right).map(|(a, b)| length(minus(a, *b)));
            off = ways.fold(off, f64::max);
        }
    }
    off / expected.range
}

/// The same where impacts, or every second one of them, come late by up to `delay`.
fn late(case: &Case, expected: &Expected, delay: f64) -> f64 {
    let by =
        |share: f64| (0..3).map(move |which| Deviation { delay: share * delay, which, rate: None });
    off_by(case, expected, LATE.into_iter().flat_map(by))
}

/// The same where the rates at the start are off by `RIGHT` of their largest: what each leads to,
/// together.
fn amplified(case: &Case, expected: &Expected) -> f64 {
    let put_off = |(k, most): (usize, &f64)| {
        let deviation = Deviation { rate: Some((k, RIGHT * most)), ..Deviation::default() };
        off_by(case, expected, std::iter::once(deviation))
    };
    expected.fastest.iter().enumerate().map(put_off).sum()
}

/// Whether the error falls with the length of the substeps as the order promises.
#[derive(Clone, Copy, Debug, Default)]
struct Fall {
    /// As the stated order.
    stated: bool,
    /// At least in proportion to the substeps.
    slowly: bool,
    /// The error with half the step.
    half: Option<f64>,
    /// The error with the shortest step, and how many times as many substeps that took.
    last: (f64, f64),
}

/// Halves the step until the error has fallen as the order promises. The engine chooses substeps
/// that do not always become shorter with the step (a vibration that it follows sets their length):
/// what counts is how many it really took.
fn fall(case: &Case, way: &Way, expected: &Expected, full: &Run, order: f64) -> Fall {
    let mut out = Fall::default();
    let steps = |run: &Run| run.substeps.max(1) as f64;
    let most = if full.error <= RIGHT { HALVINGS_WHERE_SMALL } else { HALVINGS };
    for k in 1..=most {
        let finer = run(case, way, way.rate << k, expected).ok();
        let error = finer.as_ref().map_or(f64::MAX, |r| r.error);
        if k == 1 {
            out.half = Some(error);
            out.slowly |= error <= full.error * SLOWLY;
        }
        let shorter = finer.as_ref().map_or(1.0, |r| steps(r) / steps(full));
        out.last = (error, shorter);
        out.slowly |= shorter > CHANCE && error <= full.error * CHANCE / shorter;
        let asked = full.error * CHANCE * shorter.powf(-order);
        if error <= FLOOR || shorter > CHANCE && error <= asked {
            out.stated = true;
            break;
        }
        // what falls slowly at once is judged as before: the rest is for errors that seem to stay
        if shorter >= ENOUGH || out.slowly && full.error < COARSE {
            break;
        }
    }
    out
}

/// Two points tell place and turn of a body.
pub fn probe_points(origin: Vector) -> [Vector; 2] {
    [origin, plus(origin, [0.5, 0.0, 0.0])]
}

/// The text of a scene.
pub fn scene(case: &Case, way: &Way, rate: u32) -> String {
    let duration = case.times.last().copied().unwrap_or(0.0);
    let contacts = if case.contact { "" } else { "contacts = \"off\"\n" };
    let finer = if rate > way.rate { way.finer(rate / way.rate) } else { String::new() };
    format!(
        "# {}; {}\n[world]\nstep = \"1 / {rate}\"\nduration = {duration}\n{contacts}{}{finer}{}\n{}{}",
        case.name, way.name, way.world, case.world, way.tables, case.text
    )
}

/// What a run gave.
struct Run {
    error: f64,
    gap: f64,
    residual: f64,
    statuses: BTreeMap<String, u32>,
    warnings: usize,
    /// Substeps of all steps together.
    substeps: u64,
}

fn point(world: &World, body: Option<&(String, Vector)>, start: Vector) -> Option<Vector> {
    let Some((name, origin)) = body else { return Some(start) };
    let id = world.body_named(name)?;
    world.point(id, Vec3::from_array(minus(start, *origin))).map(|p| p.to_array())
}

/// The largest gap of the case's joints.
fn gap(case: &Case, world: &World) -> f64 {
    let one = |g: &crate::case::Gap| -> Option<f64> {
        let a = point(world, g.bodies[0].as_ref(), g.points[0])?;
        let b = point(world, g.bodies[1].as_ref(), g.points[1])?;
        let d = minus(b, a);
        Some(match &g.keep {
            Keep::Point => length(d),
            Keep::Distance(l) => (length(d) - l).abs(),
            Keep::Rope(l) => (length(d) - l).max(0.0),
            Keep::Line(axis) => {
                let n = minus(point(world, g.bodies[0].as_ref(), plus(g.points[0], *axis))?, a);
                let along: f64 = n.iter().zip(&d).map(|(x, y)| x * y).sum();
                length(minus(d, times(n, along)))
            }
        })
    };
    case.gaps.iter().filter_map(one).fold(0.0, f64::max)
}

fn run(case: &Case, way: &Way, rate: u32, expected: &Expected) -> Result<Run, String> {
    let text = scene(case, way, rate);
    // the first problem stands for all, without the name of the item
    let refusal = |e: kreisel_scene::SceneError| {
        let first = e.problems.first().map_or(String::new(), |p| p.message.clone());
        first.split_once(": ").map_or(first.clone(), |(_, rest)| rest.to_owned())
    };
    let scene = kreisel_scene::parse("cell.toml", &text).map_err(refusal)?;
    let mut simulation = Simulation::new(&scene);
    let mut out = Run {
        error: 0.0,
        gap: 0.0,
        residual: 0.0,
        statuses: BTreeMap::new(),
        warnings: scene.warnings.len(),
        substeps: 0,
    };
    let start = simulation.world.energy().total();
    let mut balance = 0.0;
    let mut done = 0;
    for (k, &time) in case.times.iter().enumerate() {
        let until = (time * f64::from(rate)).round() as u32;
        while done < until {
            let report = simulation.step();
            done += 1;
            out.substeps += u64::from(report.substeps);
            let status = match &report.status {
                Status::Converged => {
                    out.gap = out.gap.max(gap(case, &simulation.world));
                    "Converged".to_owned()
                }
                other => format!("{other:?}")
                    .split([' ', '{', '('])
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            };
            *out.statuses.entry(status).or_default() += 1;
            balance += report.ledger.residual;
            out.residual = worst(out.residual, balance.abs());
            if let Judge::Energy(scale) = case.judge {
                out.error =
                    worst(out.error, (simulation.world.energy().total() - start).abs() / scale);
            }
        }
        if case.judge == Judge::Motion {
            for (i, probe) in case.probes.iter().enumerate() {
                let Some(id) = simulation.world.body_named(&probe.body) else { continue };
                for (j, place) in probe_points([0.0; 3]).into_iter().enumerate() {
                    let at = simulation
                        .world
                        .point(id, Vec3::from_array(place))
                        .unwrap_or(Vec3::NAN)
                        .to_array();
                    let error = length(minus(at, expected.points[k][2 * i + j])) / expected.range;
                    out.error = worst(out.error, error);
                }
            }
        }
    }
    Ok(out)
}

/// The larger one; what is no number is the largest.
fn worst(a: f64, b: f64) -> f64 {
    if b.is_finite() { a.max(b) } else { f64::MAX }
}

/// Judges a cell.
pub fn judge(case: &Case, way: &Way, expected: &Expected) -> Outcome {
    let full = match run(case, way, way.rate, expected) {
        Ok(run) => run,
        Err(message) => return Outcome::of(Verdict::Refused, message),
    };
    let mut out = Outcome {
        error: full.error,
        gap: full.gap,
        unexplained: (full.residual / expected.kinetic.max(0.05)).min(f64::MAX),
        named: full.statuses.keys().any(|s| s != "Converged"),
        statuses: full.statuses.clone(),
        warnings: full.warnings,
        ..Outcome::of(Verdict::Right, "")
    };

    // the stated order, by shorter steps
    let (mut falls, mut falls_slowly) = (true, false);
    let order = if case.contact { 1.0 } else { f64::from(way.order) };
    let judged = case.judge == Judge::Motion && order > 0.0;
    let mut last = (out.error, 1.0);
    if out.error > FLOOR && judged && out.error < f64::MAX {
        let fall = fall(case, way, expected, &full, order);
        (falls, falls_slowly, out.half, last) = (fall.stated, fall.slowly, fall.half, fall.last);
    }
    // contacts in fast time end a step in touch: an impact may come late by a step, and whether
    // half the step halves that is chance; so both errors are held against what the reference does
    // when its impacts are late
    let fast = case.contact && way.is_fast() && case.judge == Judge::Motion && expected.impacts > 0;
    if fast && out.error > RIGHT && !falls && !falls_slowly {
        let (whole, half) = (1.0 / f64::from(way.rate), 0.5 / f64::from(way.rate));
        if out.error <= late(case, expected, whole) {
            let error = run(case, way, 2 * way.rate, expected).map_or(f64::MAX, |r| r.error);
            out.half = Some(error);
            falls = false;
            falls_slowly = error <= RIGHT.max(late(case, expected, half));
        }
    }
    // the energy of a step of second order swings with the square of the step
    let longer = (100.0 / f64::from(way.rate)).max(1.0);
    let bound = if case.judge == Judge::Motion { RIGHT } else { ENERGY * longer * longer };
    let near = out.error < COARSE;
    let explained = || {
        let delay = if fast { late(case, expected, 1.0 / f64::from(way.rate)) } else { 0.0 };
        amplified(case, expected) + delay
    };
    out.verdict = match (out.error <= bound, falls) {
        (true, true) => Verdict::Right,
        (true, false) => Verdict::LowOrder,
        (false, true) if out.half.is_some() && near => Verdict::Coarse,
        (false, false) if falls_slowly && near => Verdict::LowOrder,
        (false, true) if out.half.is_some() && out.error <= explained() => Verdict::Sensitive,
        _ => Verdict::Wrong,
    };
    if out.verdict == Verdict::Wrong {
        let (error, times) = last;
        out.message = format!(
            "the motion is off by {:.1e} of its range, by {error:.1e} with {times:.1} times as many \
             substeps; a start 1 % off, and late impacts, lead to {:.1e}",
            out.error,
            explained()
        );
    }
    if out.gap > TOLERANCE {
        out.verdict = Verdict::Wrong;
        out.message = format!("a joint is {:.1e} m open in a step that converged", out.gap);
    }
    if out.verdict != Verdict::Wrong && way.state && case.judge == Judge::Motion {
        let scene = kreisel_scene::parse("cell.toml", &scene(case, way, way.rate))
            .map_err(|e| e.to_string());
        match scene.and_then(|scene| future(case, &scene, way.rate)) {
            Ok(found) => {
                out.future =
                    Some(Future { apart: (found.apart / expected.range).min(f64::MAX), ..found })
            }
            Err(message) => out.message = message,
        }
    }
    if out.unexplained > UNEXPLAINED && out.message.is_empty() {
        out.message = format!("{:.1e} of the motion's energy unexplained", out.unexplained);
    }
    out
}
