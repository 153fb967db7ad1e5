//! `kreisel analyse spacetime`.

use super::{Common, Subject, dynamics, print_json};
use crate::exit::{Exit, Failure};
use crate::table::{Table, grid};
use kreisel_analysis::minimise::Range;
use kreisel_analysis::{Moving, Spacetime as Settings};
use kreisel_dynamics::{Coordinate, JointId};
use std::path::PathBuf;

/// Arguments of `analyse spacetime`.
#[derive(Debug, clap::Args)]
pub struct Spacetime {
    #[command(flatten)]
    pub common: Common,
    /// Where a coordinate passes: times in s and values in rad or m; its first and last time are
    /// those of the motion, in which it rests. Repeatable, once for each coordinate
    #[arg(long = "through", value_name = "JOINT.angle=T:VALUE,T:VALUE,…", required = true)]
    pub through: Vec<String>,
    /// What a coordinate may not leave on the way; repeatable (default: its joint's limits, or five
    /// times its way to both sides)
    #[arg(long = "within", value_name = "JOINT.angle=LOW:HIGH")]
    pub within: Vec<String>,
    /// A coordinate that can push, with the weight of its squared effort; repeatable (default:
    /// those of all motors)
    #[arg(long = "actuator", value_name = "JOINT.angle[=WEIGHT]")]
    pub actuators: Vec<String>,
    /// Pieces between knots from start to end
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub pieces: usize,
    /// Efforts looked at in each piece
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub efforts: usize,
    /// CSV table of the motion, which `inverse-dynamics --motion` reads
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Rows of the table per second
    #[arg(long, default_value = "100", value_name = "HZ")]
    pub rate: f64,
}

/// Finds the motion.
pub fn run(args: &Spacetime) -> Result<Exit, Failure> {
    if !(args.rate.is_finite() && args.rate > 0.0) {
        return Err(Failure::usage("--rate is positive"));
    }
    let subject = Subject::load(&args.common)?;
    let actuators = dynamics::actuators(&subject, &args.actuators)?;
    let pair = |text: &str| -> Option<(f64, f64)> {
        let (a, b) = text.split_once(':')?;
        Some((a.trim().parse().ok()?, b.trim().parse().ok()?))
    };
    let named = |text: &str| -> Result<(JointId, Coordinate, Vec<(f64, f64)>), Failure> {
        let wrong = || Failure::usage(format!("\"{text}\": write it as JOINT.angle=0:0,1:0.5"));
        let (path, list) = text.rsplit_once('=').ok_or_else(wrong)?;
        let (joint, coordinate) = subject.coordinate(path)?;
        let list: Option<Vec<_>> = list.split(',').map(pair).collect();
        Ok((joint, coordinate, list.filter(|l| !l.is_empty()).ok_or_else(wrong)?))
    };
    let within: Vec<_> = args.within.iter().map(|t| named(t)).collect::<Result<_, _>>()?;
    let mut moving = Vec::new();
    for text in &args.through {
        let (joint, coordinate, through) = named(text)?;
        let own = within.iter().find(|w| (w.0, w.1) == (joint, coordinate)).map(|w| w.2[0]);
        let (low, high) = through
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p.1), h.max(p.1)));
        let limit = subject.world.joint(joint).and_then(|j| {
            j.limits.iter().find(|l| l.coordinate == coordinate).map(|l| (l.min, l.max))
        });
        let room = 5.0 * (high - low).max(0.1);
        let (least, most) = own.or(limit).unwrap_or((low - room, high + room));
        let range = Range { low: least.max(low - room), high: most.min(high + room) };
        moving.push(Moving { joint, coordinate, through, rates: [0.0; 2], range });
    }
    let settings = Settings { pieces: args.pieces, efforts: args.efforts, ..Settings::default() };
    let found = kreisel_analysis::spacetime(&subject.world, &moving, &actuators, &settings);
    let found = subject.explain(found)?;

    // the motion as a table
    let [from, until] = [found.knots[0], found.knots[found.knots.len() - 1]];
    if let Some(path) = &args.output {
        let head = std::iter::once("time".to_owned()).chain(found.coordinates.iter().cloned());
        let mut text = crate::sweep::csv_line(head);
        let count = ((until - from) * args.rate).ceil().clamp(1.0, 1e7) as usize;
        for k in 0..=count {
            let t = from + (until - from) * k as f64 / count as f64;
            let values = found.splines.iter().map(|s| format!("{:e}", s.at(t)[0]));
            text += &crate::sweep::csv_line(std::iter::once(t.to_string()).chain(values));
        }
        std::fs::write(path, text).map_err(|e| Failure::file(path, e))?;
    }
    if args.common.json {
        return print_json(&found);
    }
    let mut t = Table::default();
    t.line("motion", format!("{from} s to {until} s, {} knots", found.knots.len()));
    t.line("effort, ∫ Σ w τ² dt", format!("{:.9}", found.cost));
    t.line("of the smooth motion", format!("{:.9}", found.cost_before));
    let end = if found.converged { "" } else { ", not converged" };
    t.line("search", format!("{} rounds, {} motions{end}", found.rounds, found.motions));
    print!("{t}");
    let head: Vec<&str> =
        std::iter::once("time/s").chain(found.coordinates.iter().map(String::as_str)).collect();
    let rows: Vec<Vec<String>> = found
        .knots
        .iter()
        .enumerate()
        .map(|(i, t)| {
            let values = found.values.iter().map(|v| format!("{:.6}", v[i] + 0.0));
            std::iter::once(format!("{t:.4}")).chain(values).collect()
        })
        .collect();
    print!("{}", grid(&head, &rows));
    subject.tell(&found.efforts.notes);
    if let Some(path) = &args.output {
        println!("wrote {}", path.display());
    }
    Ok(Exit::Success)
}
