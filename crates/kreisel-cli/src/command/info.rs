//! `kreisel info`: what a scene is made of.

use crate::args::Info;
use crate::exit::{Exit, Failure};
use crate::table::Table;

/// Prints bodies, joints, degrees of freedom, loops, rank and redundant rows.
pub fn run(args: &Info) -> Result<Exit, Failure> {
    let scene = crate::scene_file::load(&args.scene, &args.params)?;
    let analysis = scene.world.analyse();
    if args.json {
        let text = serde_json::to_string_pretty(&analysis)
            .map_err(|e| Failure::resource(e.to_string()))?;
        println!("{text}");
        return Ok(Exit::Success);
    }
    let mut t = Table::default();
    if let Some(title) = &scene.title {
        t.line("title", title);
    }
    t.line("bodies", format!("{} that move, {:.6} kg", analysis.bodies, analysis.mass));
    if analysis.constraints == 0 {
        t.line(
            "joints",
            format!(
                "{} with {} conditions, rank {}",
                analysis.joints, analysis.rows, analysis.rank
            ),
        );
    } else {
        t.line("joints", format!("{} with {} conditions", analysis.joints, analysis.rows));
        let (count, rows) = (analysis.constraints, analysis.constraint_rows);
        t.line(
            "constraints",
            format!("{count} with {rows} conditions, rank {} with the joints", analysis.rank),
        );
    }
    t.line("degrees of freedom", analysis.freedom);
    t.line("chains", analysis.chains);
    t.line("loops", analysis.loops);
    t.line("springs", scene.world.springs().count());
    t.line("motors", scene.world.motors().count());
    t.line("step", format!("{} s", scene.step));
    t.line("duration", format!("{} s", scene.duration));
    for r in &analysis.redundant {
        let by: Vec<&str> = r.implied_by.iter().map(|n| &**n).collect();
        t.line("redundant", format!("{} of {}, implied by {}", r.row, r.name, by.join(", ")));
    }
    print!("{t}");
    Ok(Exit::Success)
}
