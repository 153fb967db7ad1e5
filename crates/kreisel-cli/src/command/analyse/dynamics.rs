//! `kreisel analyse inverse-dynamics`.

use super::{Common, Subject, print_json};
use crate::exit::{Exit, Failure};
use crate::table::{Table, grid};
use kreisel_analysis::{Actuator, Inverse, Spline, Track};
use kreisel_scene::record::Data;
use std::path::PathBuf;

/// Arguments of `analyse inverse-dynamics`.
#[derive(Debug, clap::Args)]
pub struct InverseDynamics {
    #[command(flatten)]
    pub common: Common,
    /// CSV table of the motion: a column `time` in s, the others named JOINT.angle, JOINT.position,
    /// …; a cubic spline goes through its points
    #[arg(long, value_name = "FILE")]
    pub motion: PathBuf,
    /// A coordinate that can push, with the weight of its squared effort; repeatable (default:
    /// those of all motors)
    #[arg(long = "actuator", value_name = "JOINT.angle[=WEIGHT]")]
    pub actuators: Vec<String>,
    /// Efforts per second
    #[arg(long, default_value = "100", value_name = "HZ")]
    pub rate: f64,
    /// CSV table of the efforts
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Finds the efforts.
pub fn run(args: &InverseDynamics) -> Result<Exit, Failure> {
    if !(args.rate.is_finite() && args.rate > 0.0) {
        return Err(Failure::usage("--rate is positive"));
    }
    let mut subject = Subject::load(&args.common)?;
    let actuators = actuators(&subject, &args.actuators)?;

    // the table as splines
    let file = std::fs::File::open(&args.motion).map_err(|e| Failure::file(&args.motion, e))?;
    let data = Data::from_csv(file).map_err(|e| Failure::file(&args.motion, e))?;
    let times = data
        .column("time")
        .ok_or_else(|| Failure::file(&args.motion, "there is no column \"time\""))?;
    let mut splines = Vec::new();
    for column in data.columns.iter().filter(|c| c.name != "time") {
        let (joint, coordinate) = subject.coordinate(&column.name)?;
        let values = data.column(&column.name).unwrap_or_default();
        let points: Vec<(f64, f64)> = times.iter().copied().zip(values.iter().copied()).collect();
        let why = "at least two points with rising times and finite values make a motion";
        splines.push((
            joint,
            coordinate,
            Spline::new(&points).ok_or_else(|| Failure::file(&args.motion, why))?,
        ));
    }
    let [from, until] = splines
        .first()
        .ok_or_else(|| Failure::file(&args.motion, "there is no coordinate"))?
        .2
        .span();
    let count = ((until - from) * args.rate).round();
    if !(count < 1e7) {
        return Err(Failure::usage("--rate gives more than ten million efforts"));
    }
    let at: Vec<f64> = (0..=count as usize).map(|k| from + k as f64 / args.rate).collect();
    let tracks: Vec<Track<'_>> = splines
        .iter()
        .map(|(joint, coordinate, spline)| Track {
            joint: *joint,
            coordinate: *coordinate,
            motion: Box::new(|t| spline.at(t)),
        })
        .collect();
    let found = kreisel_analysis::inverse_dynamics(
        &mut subject.world,
        &tracks,
        &actuators,
        &at,
        &Inverse::default(),
    );
    let found = subject.explain(found)?;

    // a table of the efforts
    if let Some(path) = &args.output {
        let mut text = format!("time,{},power\n", found.actuators.join(","));
        for ((t, efforts), power) in found.times.iter().zip(&found.efforts).zip(&found.power) {
            let numbers: Vec<String> =
                efforts.iter().chain([power]).map(|x| format!("{x:e}")).collect();
            text += &format!("{t},{}\n", numbers.join(","));
        }
        std::fs::write(path, text).map_err(|e| Failure::file(path, e))?;
    }
    if args.common.json {
        return print_json(&found);
    }
    let mut t = Table::default();
    t.line("freedoms", found.freedom);
    t.line("times", format!("{} from {from} s to {until} s", found.times.len()));
    let power = found.power.iter().map(|p| p.abs()).fold(0.0, f64::max);
    t.line("largest power", format!("{power:.6} W"));
    print!("{t}");
    let rows: Vec<Vec<String>> = (0..found.actuators.len())
        .map(|k| {
            let all = found.efforts.iter().map(|e| e[k]);
            let (low, high) =
                all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            vec![found.actuators[k].clone(), format!("{low:.6}"), format!("{high:.6}")]
        })
        .collect();
    print!("{}", grid(&["actuator", "lowest", "highest"], &rows));
    let rows: Vec<Vec<String>> = found
        .envelope
        .iter()
        .map(|(n, f, m)| vec![n.clone(), format!("{f:.6}"), format!("{m:.6}")])
        .collect();
    print!("{}", grid(&["joint", "largest force/N", "largest torque/Nm"], &rows));
    subject.tell(&found.notes);
    if let Some(path) = &args.output {
        println!("wrote {}", path.display());
    }
    Ok(Exit::Success)
}

pub(super) fn actuators(subject: &Subject, named: &[String]) -> Result<Vec<Actuator>, Failure> {
    if named.is_empty() {
        let of = |id| subject.world.motor(id).map(|m| (m.joint, m.coordinate));
        let mut all: Vec<_> = subject.world.motors().filter_map(of).collect();
        all.sort();
        all.dedup();
        if all.is_empty() {
            return Err(Failure::usage(
                "nothing pushes: the scene has no motor; name a coordinate with --actuator",
            ));
        }
        return Ok(all
            .into_iter()
            .map(|(joint, coordinate)| Actuator { joint, coordinate, weight: 1.0 })
            .collect());
    }
    let one = |text: &String| {
        let (path, weight) = match text.rsplit_once('=') {
            Some((path, number)) => {
                let wrong =
                    || Failure::usage(format!("\"{text}\": the weight is a positive number"));
                let weight: f64 = number.trim().parse().map_err(|_| wrong())?;
                (path, Some(weight).filter(|w| w.is_finite() && *w > 0.0).ok_or_else(wrong)?)
            }
            None => (text.as_str(), 1.0),
        };
        let (joint, coordinate) = subject.coordinate(path)?;
        Ok(Actuator { joint, coordinate, weight })
    };
    named.iter().map(one).collect()
}
