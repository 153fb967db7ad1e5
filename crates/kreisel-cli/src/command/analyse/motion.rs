//! `kreisel analyse motion-sensitivity`.

use super::sensitivity::Stop;
use super::{Common, Subject, print_json, unknown};
use crate::exit::{Exit, Failure};
use crate::table::grid;
use kreisel_analysis::{all_outputs, named};
use kreisel_dynamics::World;
use std::path::PathBuf;

/// Arguments of `analyse motion-sensitivity`.
#[derive(Debug, clap::Args)]
pub struct MotionSensitivity {
    #[command(flatten)]
    pub common: Common,
    /// A parameter of the scene; repeatable
    #[arg(long = "parameter", value_name = "NAME=NUMBER", value_parser = crate::args::assignment, required = true, allow_hyphen_values = true)]
    pub parameters: Vec<(String, f64)>,
    /// JOINT.angle, JOINT.angle_rate, BODY.x or BODY.vx; repeatable (default: all coordinates of
    /// joints)
    #[arg(long = "output-quantity", value_name = "PATH")]
    pub outputs: Vec<String>,
    /// Simulated time in s (default: the scene's duration)
    #[arg(long, value_name = "S")]
    pub until: Option<f64>,
    /// Step in s (default: the scene's)
    #[arg(long, value_name = "S")]
    pub step: Option<f64>,
    /// CSV table of values and derivatives over time
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Prints how the end of the motion changes with parameters of the scene.
pub fn run(args: &MotionSensitivity) -> Result<Exit, Failure> {
    let build = |values: &[f64]| -> Result<Subject, Failure> {
        let mut params = args.common.params.clone();
        params.set.extend(args.parameters.iter().zip(values).map(|(p, v)| (p.0.clone(), *v)));
        Subject::load_with(&args.common.scene, &params)
    };
    let at: Vec<f64> = args.parameters.iter().map(|p| p.1).collect();
    let subject = build(&at)?;
    let outputs = match args.outputs.as_slice() {
        [] => all_outputs(&subject.world)
            .into_iter()
            .take(subject.world.coordinates().count())
            .collect(),
        paths => paths
            .iter()
            .map(|p| named::output(&subject.world, p))
            .collect::<Result<Vec<_>, _>>()
            .map_err(unknown)?,
    };
    let world = |values: &[f64]| -> Result<World, Stop> {
        build(values).map(|s| s.world).map_err(Stop::Scene)
    };
    let step = args.step.unwrap_or(subject.scene.step);
    let until = args.until.unwrap_or(subject.scene.duration);
    let found = match kreisel_analysis::motion_sensitivity(world, &at, &outputs, step, until) {
        Ok(found) => found,
        Err(Stop::Scene(failure)) => return Err(failure),
        Err(Stop::Analysis(error)) => return subject.explain(Err(error)),
    };

    // a table over time
    if let Some(path) = &args.output {
        let mut head = vec!["time".to_owned()];
        for o in &found.outputs {
            head.push(o.clone());
            head.extend(args.parameters.iter().map(|p| format!("{o} by {}", p.0)));
        }
        let mut text = crate::sweep::csv_line(head.into_iter());
        for (k, t) in found.times.iter().enumerate() {
            let mut row = vec![t.to_string()];
            for (value, slopes) in found.values[k].iter().zip(&found.derivatives[k]) {
                row.push(format!("{value:e}"));
                row.extend(slopes.iter().map(|s| format!("{s:e}")));
            }
            text += &crate::sweep::csv_line(row.into_iter());
        }
        std::fs::write(path, text).map_err(|e| Failure::file(path, e))?;
    }
    if args.common.json {
        return print_json(&found);
    }
    let (Some(t), Some(values), Some(slopes)) =
        (found.times.last(), found.values.last(), found.derivatives.last())
    else {
        return Ok(Exit::Success);
    };
    let mut head = vec![format!("at {t} s"), "value".into()];
    head.extend(args.parameters.iter().map(|p| format!("by {}", p.0)));
    let rows: Vec<Vec<String>> = (0..found.outputs.len())
        .map(|i| {
            let mut row = vec![found.outputs[i].clone(), format!("{:.9}", values[i] + 0.0)];
            row.extend(slopes[i].iter().map(|d| format!("{:.9e}", d + 0.0)));
            row
        })
        .collect();
    print!("{}", grid(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows));
    subject.tell(&[]);
    if let Some(path) = &args.output {
        println!("wrote {}", path.display());
    }
    Ok(Exit::Success)
}
