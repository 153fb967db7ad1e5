//! `kreisel analyse equilibrium` and `mobility`.

use super::{Common, Dry, Subject, print_json};
use crate::exit::{Exit, Failure};
use crate::table::{Table, grid};
use kreisel_analysis::Search;
use std::path::PathBuf;

/// Arguments of `analyse equilibrium`.
#[derive(Debug, clap::Args)]
pub struct Equilibrium {
    #[command(flatten)]
    pub common: Common,
    /// Accept the nearest equilibrium, stable or not
    #[arg(long)]
    pub any: bool,
    /// What dry friction of joints does: sticks where it is, or is left out
    #[arg(long, value_enum, default_value = "without")]
    pub friction: Dry,
    /// Write the scene with its bodies at rest there
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `analyse mobility`.
#[derive(Debug, clap::Args)]
pub struct Mobility {
    #[command(flatten)]
    pub common: Common,
}

/// Finds the equilibrium.
pub fn equilibrium(args: &Equilibrium) -> Result<Exit, Failure> {
    let mut subject = Subject::load(&args.common)?;
    let search = Search { any: args.any, friction: args.friction.into(), ..Search::default() };
    let found = kreisel_analysis::equilibrium(&mut subject.world, &search);
    let found = subject.explain(found)?;
    if let Some(path) = &args.output {
        subject.save(path)?;
    }
    if args.common.json {
        return print_json(&found);
    }
    let mut t = Table::default();
    t.line("rounds", found.rounds);
    t.line("independent coordinates", found.freedom);
    t.line("redundant conditions", found.redundant);
    t.line("directions without stiffness", found.neutral);
    t.line("directions in which it falls over", found.unstable);
    t.line("force left over", format!("{:.1e} of all forces", found.residual));
    t.line("largest error of a joint", format!("{:.1e} m or rad", found.error));
    if !found.pushing.is_empty() {
        t.line("limits and contacts that push", found.pushing.join(", "));
    }
    print!("{t}");
    let rows: Vec<Vec<String>> = found
        .reactions
        .iter()
        .map(|r| {
            let mut row = vec![r.name.clone(), r.body.clone()];
            row.extend(r.force.iter().chain(&r.torque).map(|x| format!("{:.6}", x + 0.0)));
            row.push(if r.determined { "yes".into() } else { "shared".into() });
            row
        })
        .collect();
    if !rows.is_empty() {
        let head = ["joint", "on", "Fx/N", "Fy/N", "Fz/N", "Mx/Nm", "My/Nm", "Mz/Nm", "determined"];
        print!("{}", grid(&head, &rows));
    }
    subject.tell(&found.notes);
    if let Some(path) = &args.output {
        println!("wrote {}", path.display());
    }
    Ok(Exit::Success)
}

/// Counts freedoms.
pub fn mobility(args: &Mobility) -> Result<Exit, Failure> {
    let subject = Subject::load(&args.common)?;
    let found = subject.explain(kreisel_analysis::mobility(&subject.world))?;
    if args.common.json {
        return print_json(&found);
    }
    let mut t = Table::default();
    t.line("freedoms at this pose", found.freedom);
    t.line("freedoms beside it", found.lasting);
    t.line(
        "conditions",
        format!("{}, of which {} are redundant", found.conditions, found.redundant),
    );
    t.line("margin to a singular pose", format!("{:.3e} of 1", found.margin));
    for (name, rows) in found.shared.iter().filter(|s| s.1 > 0) {
        t.line("shares its load", format!("{name}, {rows} of its conditions"));
    }
    print!("{t}");
    let rows: Vec<Vec<String>> = found
        .coordinates
        .iter()
        .map(|(name, share)| vec![name.clone(), format!("{share:.6}")])
        .collect();
    if !rows.is_empty() {
        print!("{}", grid(&["coordinate", "takes part"], &rows));
    }
    if found.lasting < found.freedom {
        println!("note: this pose is singular: it has more freedoms than the poses beside it");
    }
    subject.tell(&[]);
    Ok(Exit::Success)
}
