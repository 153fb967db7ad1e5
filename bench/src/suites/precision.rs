//! Error against time: how much work a given accuracy of the *motion* costs, not only of the
//! joints.
//!
//! Measured: distance of the end of chain10 from a reference trajectory after 2 s (the chain has
//! cracked once by then and the motion is chaotic: errors grow a thousandfold), over processor time
//! per 0.01 s.
//!
//! The reference integrates the planar chain in its ten angles, without any engine:
//! Gragg-Bulirsch-Stoer extrapolation of order 24 in 120-bit arithmetic, step 2.5 ms; the same with
//! the doubled step differs by 5.7e-10, DOP853 in double precision by 5e-11, the energy drifts by
//! 9e-20 J.

use super::Options;
use crate::engine::Engine;
use crate::engines::kreisel::Kreisel;
use crate::page::Section;
use crate::race::median;
use crate::scenes::chain;
use crate::table::{Table, digits, ratio, small};
use crate::{clock::thread_seconds, python::PeerRun};
use glam::DVec3;
use kreisel_dynamics::{Order, Settings, Stepping, Substeps, Tolerance};
use serde_json::json;

/// Heading on the page.
pub const TITLE: &str = "Accuracy of the motion against time";

const ABOUT: &str = "\
The ten-link chain released from the horizontal: distance of its end from an independent reference trajectory after 2 s,
over processor time per 0.01 s. Kreisel with orders 2, 4, 6 and 8 and a fixed number of substeps per 0.01 s (`x4`), or
with substeps chosen by a bound on the local error (`error 1e-9`), joints to 1e-10 m (order 2: 1e-8 m); MuJoCo and
pinocchio with classical Runge-Kutta steps in joint coordinates. Pinocchio's loop is written in Python: part of its time is
that.";

/// The end of the chain at 2 s, from the reference.
const TIP: DVec3 = DVec3::new(0.51173605324898608, 0.0039198302456934864, 0.0);

const STEPS: usize = 200;

/// The accuracies that are compared, m.
const BOUNDS: [f64; 2] = [1e-3, 1e-6];

/// Runs the suite.
pub fn run(options: &Options) -> Section {
    let rounds = if options.quick { 2 } else { 7 };
    let settings = settings();
    let mut ours: Vec<Point> = settings.iter().map(|(name, _)| Point::new(name, true)).collect();
    let mut peers: Vec<Point> = Vec::new();
    let mut missing = Vec::new();
    for round in 0..rounds {
        eprintln!("precision: round {} of {rounds}", round + 1);
        for (point, (_, settings)) in ours.iter_mut().zip(&settings) {
            let (ms, tip) = travel(settings);
            point.times.push(ms);
            point.error = tip.distance(TIP);
        }
        let (runs, absent) = options.python.precision();
        missing = absent;
        for PeerRun { name, ms, tip } in runs {
            let k = peers.iter().position(|p| p.name == name).unwrap_or_else(|| {
                peers.push(Point::new(&name, false));
                peers.len() - 1
            });
            peers[k].times.push(ms);
            peers[k].error = DVec3::from(tip).distance(TIP);
        }
    }
    let mut summary =
        Table::new("Cheapest way to an accuracy", &["end within", "ratio", "kreisel", "peer"]);
    for bound in BOUNDS {
        let (us, them) = (cheapest(&ours, bound), cheapest(&peers, bound));
        summary.row([
            format!("{bound:.0e} m"),
            us.zip(them).map_or("-".into(), |(a, b)| ratio(a.ratio_of(b))),
            us.map_or("not reached".into(), Point::text),
            them.map_or("none".into(), Point::text),
        ]);
    }
    summary.note(format!(
        "Both sides are the cheapest that met the bound, picked after the run among {} settings of Kreisel and {} of the \
         peers; errors of a chaotic motion at one moment scatter by a factor of a few, and the side with more settings gains.",
        ours.len(),
        peers.len()
    ));
    missing.into_iter().for_each(|m| summary.note(m));
    let mut all =
        Table::new("All settings", &["engine", "ms per 0.01 s", "error of the end at 2 s, m"]);
    for p in ours.iter().chain(&peers) {
        all.row([p.name.clone(), digits(median(&p.times)), small(p.error)]);
    }
    let pictures = vec![("work-precision-chain10.svg", diagram(ours.iter().chain(&peers)))];
    let point =
        |p: &Point| json!({ "name": p.name, "ours": p.ours, "times": p.times, "error": p.error });
    let data = ours.iter().chain(&peers).map(point).collect();
    Section { title: TITLE, about: ABOUT, tables: vec![summary, all], pictures, data }
}

struct Point {
    name: String,
    ours: bool,
    times: Vec<f64>,
    error: f64,
}

impl Point {
    fn new(name: &str, ours: bool) -> Self {
        Self { name: name.to_owned(), ours, times: Vec::new(), error: f64::NAN }
    }

    fn text(&self) -> String {
        format!("{}: {} m in {} ms", self.name, small(self.error), digits(median(&self.times)))
    }

    fn ratio_of(&self, other: &Self) -> [f64; 3] {
        let mut ratios: Vec<f64> =
            self.times.iter().zip(&other.times).map(|(a, b)| b / a).collect();
        ratios.sort_by(f64::total_cmp);
        [median(&ratios), ratios[0], ratios[ratios.len() - 1]]
    }
}

/// Error over time, a line per engine and order.
fn diagram<'a>(points: impl Iterator<Item = &'a Point>) -> String {
    let mut lines: Vec<crate::plot::Line> = Vec::new();
    for p in points.filter(|p| p.error > 0.0) {
        // "kreisel order 6 x4" belongs to "kreisel order 6", "mujoco rk4 x8" to "mujoco rk4"
        let family = p.name.rsplit_once(" x").map_or(p.name.as_str(), |f| f.0);
        let family =
            family.split_once(" error").map_or(family.to_owned(), |f| format!("{}, adaptive", f.0));
        let at = (median(&p.times), p.error);
        match lines.iter_mut().find(|l| l.0 == family) {
            Some(line) => line.1.push(at),
            None => lines.push((family, vec![at])),
        }
    }
    crate::plot::work_precision(
        &lines,
        "processor time per 0.01 s, ms",
        "error of the end at 2 s, m",
    )
}

fn cheapest(points: &[Point], bound: f64) -> Option<&Point> {
    points
        .iter()
        .filter(|p| p.error <= bound)
        .min_by(|a, b| median(&a.times).total_cmp(&median(&b.times)))
}

fn settings() -> Vec<(String, Settings)> {
    let orders = [
        (Order::Two, 2, 1e-8, vec![8, 16, 32, 64, 128]),
        (Order::Four, 4, 1e-10, vec![2, 4, 8, 16, 32]),
        (Order::Six, 6, 1e-10, vec![1, 2, 4, 8, 16]),
        (Order::Eight, 8, 1e-10, vec![1, 2, 4, 8]),
    ];
    let mut out = Vec::new();
    for (order, number, tolerance, counts) in orders {
        let base = Settings {
            order,
            stepping: Stepping::Symmetric,
            tolerance: Tolerance::uniform(tolerance),
            ..Settings::default()
        };
        for count in counts {
            let settings = Settings { substeps: Substeps::Fixed(count), ..base.clone() };
            out.push((format!("kreisel order {number} x{count}"), settings));
        }
        for bound in
            [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9].into_iter().filter(|_| order != Order::Two)
        {
            let settings = Settings { substeps: Substeps::Error(bound), ..base.clone() };
            out.push((format!("kreisel order {number} error {bound:.0e}"), settings));
        }
    }
    out
}

/// Runs Kreisel: ms per step, and where the end of the chain is.
fn travel(settings: &Settings) -> (f64, DVec3) {
    let scene = chain(10);
    let mut engine = Kreisel::load(&scene, settings);
    let start = thread_seconds();
    for _ in 0..STEPS {
        engine.step();
    }
    let ms = (thread_seconds() - start) * 1e3 / STEPS as f64;
    let mut poses = Vec::new();
    engine.sample(&mut poses);
    let last = poses[poses.len() - 1];
    (ms, last.position + last.rotation * DVec3::new(0.05, 0.0, 0.0))
}
