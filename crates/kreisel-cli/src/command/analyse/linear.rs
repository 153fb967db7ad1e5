//! `kreisel analyse linearise` and `response`.

use super::{About, Common, Subject, print_json, unknown};
use crate::exit::{Exit, Failure};
use crate::table::grid;
use kreisel_analysis::{Linear, all_inputs, all_outputs, named};

/// A scene, the state to look at, what goes in and what comes out.
#[derive(Debug, clap::Args)]
pub struct Linearise {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    /// Name of a motor, or BODY.x, BODY.y, BODY.z for a force at a body's centre of mass;
    /// repeatable (default: all motors)
    #[arg(long = "input", value_name = "NAME")]
    pub inputs: Vec<String>,
    /// JOINT.angle, JOINT.angle_rate, BODY.x or BODY.vx; repeatable (default: all coordinates of
    /// joints and their rates)
    #[arg(long = "output", value_name = "PATH")]
    pub outputs: Vec<String>,
}

/// Arguments of `analyse response`.
#[derive(Debug, clap::Args)]
pub struct Response {
    #[command(flatten)]
    pub system: Linearise,
    /// Lowest frequency, Hz
    #[arg(long, default_value = "0.1", value_name = "HZ")]
    pub from: f64,
    /// Highest frequency, Hz
    #[arg(long, default_value = "10", value_name = "HZ")]
    pub to: f64,
    /// Number of frequencies, evenly spaced on a logarithmic scale
    #[arg(long, default_value = "21")]
    pub points: usize,
}

/// Prints the linear system.
pub fn linearise(args: &Linearise) -> Result<Exit, Failure> {
    let (subject, linear) = linear(args)?;
    if args.common.json {
        return print_json(&linear);
    }
    let [q, v, w] = linear.states;
    println!("{q} independent displacements, {v} independent velocities, {w} integrals of servos");
    println!("{} redundant conditions", linear.redundant);
    if linear.unrest > 1e-6 {
        println!(
            "note: the state is no equilibrium: it moves or accelerates by {:.3e}",
            linear.unrest
        );
    }
    for (name, matrix) in [("A", &linear.a), ("B", &linear.b), ("C", &linear.c)] {
        if matrix.is_empty() || matrix[0].is_empty() {
            continue;
        }
        println!("\n{name}");
        for row in matrix {
            println!(
                "{}",
                row.iter().map(|x| format!("{:>16.9e}", x + 0.0)).collect::<Vec<_>>().join(" ")
            );
        }
    }
    println!("\ninputs: {}", linear.inputs.join(", "));
    println!("outputs: {}", linear.outputs.join(", "));
    subject.tell(&linear.notes);
    Ok(Exit::Success)
}

/// Prints gains and phases.
pub fn response(args: &Response) -> Result<Exit, Failure> {
    let sound = args.from > 0.0
        && args.to >= args.from
        && args.to.is_finite()
        && (1..=100_000).contains(&args.points);
    if !sound {
        return Err(Failure::usage(
            "--from and --to are positive and rise, --points is 1 to 100000",
        ));
    }
    let (subject, linear) = linear(&args.system)?;
    if linear.inputs.is_empty() {
        return Err(Failure::usage("nothing goes in: name a motor or a body with --input"));
    }
    let last = (args.points - 1).max(1) as f64;
    let frequencies: Vec<f64> =
        (0..args.points).map(|k| args.from * (args.to / args.from).powf(k as f64 / last)).collect();
    let found = subject.explain(kreisel_analysis::response(&linear, &frequencies))?;
    if args.system.common.json {
        return print_json(&serde_json::json!({ "outputs": linear.outputs, "responses": found }));
    }
    let mut head = vec!["Hz".to_owned(), "input".into()];
    head.extend(linear.outputs.iter().flat_map(|o| [format!("|{o}|"), "phase/rad".into()]));
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|r| {
            let mut row = vec![format!("{:.6}", r.frequency), r.input.clone()];
            row.extend(
                r.gain
                    .iter()
                    .zip(&r.phase)
                    .flat_map(|(g, p)| [format!("{g:.6e}"), format!("{p:.6}")]),
            );
            row
        })
        .collect();
    print!("{}", grid(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows));
    subject.tell(&linear.notes);
    Ok(Exit::Success)
}

fn linear(args: &Linearise) -> Result<(Subject, Linear), Failure> {
    let subject = Subject::about(&args.common, &args.about)?;
    let inputs = match args.inputs.as_slice() {
        [] => all_inputs(&subject.world),
        names => names
            .iter()
            .map(|n| named::input(&subject.world, n))
            .collect::<Result<_, _>>()
            .map_err(unknown)?,
    };
    let outputs = match args.outputs.as_slice() {
        [] => all_outputs(&subject.world),
        names => names
            .iter()
            .map(|n| named::output(&subject.world, n))
            .collect::<Result<_, _>>()
            .map_err(unknown)?,
    };
    let found =
        kreisel_analysis::linearise(&subject.world, &inputs, &outputs, args.about.friction.into());
    let linear = subject.explain(found)?;
    Ok((subject, linear))
}
