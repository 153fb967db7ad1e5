//! `kreisel check`: every problem of a scene with its place.

use crate::args::{Check, Params};
use crate::exit::{self, Exit, Failure, print_problems};
use kreisel_scene::{Problem, Severity};
use serde::Serialize;

/// A problem as JSON.
#[derive(Serialize)]
pub struct Entry<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    severity: &'static str,
    code: &'static str,
    message: &'a str,
    help: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// A problem with its place.
    pub fn new(problem: &'a Problem) -> Self {
        let (line, column) = problem.line_column();
        Self {
            file: &problem.source.name,
            line,
            column,
            severity: if problem.severity == Severity::Error { "error" } else { "warning" },
            code: problem.code.name(),
            message: &problem.message,
            help: problem.help.as_deref(),
        }
    }
}

/// Checks every scene.
pub fn run(args: &Check) -> Result<Exit, Failure> {
    let params = Params {
        set: Vec::new(),
        allow_outside: args.allow_outside,
        packages: args.packages.clone(),
        lenient: args.lenient,
    };
    let mut problems = Vec::new();
    for path in &args.scenes {
        match crate::scene_file::load(path, &params) {
            Ok(scene) => {
                if !args.quiet && !args.json {
                    let bodies = count(scene.world.bodies().count(), "body", "bodies");
                    let joints = count(scene.world.joints().count(), "joint", "joints");
                    let constraints = match scene.world.constraints().count() {
                        0 => String::new(),
                        n => format!(", {}", count(n, "constraint", "constraints")),
                    };
                    println!("{}: good ({bodies}, {joints}{constraints})", path.display());
                }
                problems.extend(scene.warnings);
            }
            Err(error) => problems.extend(error.problems),
        }
    }
    let failed = problems.iter().any(|p| p.severity == Severity::Error);
    let code = exit::code(&problems);
    if args.quiet {
        problems.retain(|p| p.severity == Severity::Error);
    }
    if args.json {
        let entries: Vec<Entry<'_>> = problems.iter().map(Entry::new).collect();
        let text =
            serde_json::to_string_pretty(&entries).map_err(|e| Failure::resource(e.to_string()))?;
        println!("{text}");
    } else {
        print_problems(&problems);
    }
    if failed { Err(Failure::silent(code)) } else { Ok(Exit::Success) }
}

/// "1 body" or "2 bodies".
fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}
