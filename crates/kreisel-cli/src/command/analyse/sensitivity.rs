//! `kreisel analyse sensitivity`.

use super::{Common, Dry, Subject, print_json, unknown};
use crate::exit::{Exit, Failure};
use crate::table::grid;
use kreisel_analysis::{AnalysisError, Search, all_outputs, named};
use kreisel_dynamics::World;

/// Arguments of `analyse sensitivity`.
#[derive(Debug, clap::Args)]
pub struct Sensitivity {
    #[command(flatten)]
    pub common: Common,
    /// A parameter of the scene; repeatable
    #[arg(long = "parameter", value_name = "NAME=NUMBER", value_parser = crate::args::assignment, required = true)]
    pub parameters: Vec<(String, f64)>,
    /// JOINT.angle or BODY.x; repeatable (default: all coordinates of joints)
    #[arg(long = "output", value_name = "PATH")]
    pub outputs: Vec<String>,
    /// What dry friction of joints does: sticks where it is, or is left out
    #[arg(long, value_enum, default_value = "without")]
    pub friction: Dry,
}

/// Why a neighbouring scene has no answer.
pub(super) enum Stop {
    Scene(Failure),
    Analysis(AnalysisError),
}

impl From<AnalysisError> for Stop {
    fn from(error: AnalysisError) -> Self {
        Self::Analysis(error)
    }
}

/// Prints how the equilibrium changes with parameters of the scene.
pub fn run(args: &Sensitivity) -> Result<Exit, Failure> {
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
    let search = Search { friction: args.friction.into(), ..Search::default() };
    let world = |values: &[f64]| -> Result<World, Stop> {
        build(values).map(|s| s.world).map_err(Stop::Scene)
    };
    let found = match kreisel_analysis::sensitivity(world, &at, &outputs, &search) {
        Ok(found) => found,
        Err(Stop::Scene(failure)) => return Err(failure),
        Err(Stop::Analysis(error)) => return subject.explain(Err(error)),
    };
    if args.common.json {
        return print_json(&found);
    }
    let mut head = vec!["at rest".to_owned(), "value".into()];
    head.extend(args.parameters.iter().map(|p| format!("by {}", p.0)));
    let rows: Vec<Vec<String>> = (0..found.outputs.len())
        .map(|i| {
            let mut row = vec![found.outputs[i].clone(), format!("{:.9}", found.values[i] + 0.0)];
            row.extend(found.derivatives[i].iter().map(|d| format!("{:.9e}", d + 0.0)));
            row
        })
        .collect();
    print!("{}", grid(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows));
    subject.tell(&[]);
    Ok(Exit::Success)
}
