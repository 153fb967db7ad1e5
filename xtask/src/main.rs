//! Chores of the project, run as `cargo xtask NAME`. No dependencies, so that it starts at once.

mod bench;
mod book;
mod counts;
mod demo;
mod deny;
mod docs;
mod fuzz;
mod matrix;
mod npm;
mod oracle;
mod package;
mod plugins;
mod process;
mod python;
mod robots;
mod robots_mujoco;
mod same_bits;
mod site;
mod soak;
mod sources;
mod test;
mod wasm;
mod web;
mod wrap;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask demo [SCENE] [--once]   build the viewer and the program, and run a scene live in the browser
                                    (--once, or CI in the environment: write a recording and a page, and end)
cargo xtask web                     build the viewer into web/dist
cargo xtask wasm                    build the engine for pages into web/engine, and the npm package into target/wasm/package
cargo xtask site [FOLDER]           build a static site into target/site: gallery, viewer, engine and scenes, no server needed
cargo xtask test                    everything that continuous integration checks
cargo xtask fuzz [--minutes N] [--seed N] [--only NAME] [--first K] [--count N] [--keep] [--folder F]
                                    mutated files of every format through their loaders and random commands through live
                                    worlds, 1 minute unless told otherwise; findings are kept in the folder
cargo xtask docs [--check]          write the reference pages and pictures under docs/ (or see that they are current)
cargo xtask package [--build]       the crates as registries get them, the built viewer in the server's (--build: each built
                                    from its package)
cargo xtask soak [MINUTES]          a live session of 16 clients, three of them hostile, for 10 minutes unless told otherwise:
                                    frames per second of the host, who is to get 55
cargo xtask wrap [--check]          fill paragraphs of comments and pages in which a line has more than 100 characters
cargo xtask sources                 see that docs/sources.md explains every code of a source (B-51, W-144, …), and no other,
                                    and that links between pages and files that they name lead somewhere
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match words.split_first() {
        Some((&"demo", rest)) => demo::run(rest),
        Some((&"test", [])) => test::run(),
        Some((&"web", [])) => web::build(),
        Some((&"web", ["--test"])) => web::test(),
        Some((&"wasm", [])) => wasm::build(),
        Some((&"site", rest)) => site::run(rest),
        Some((&"package", rest)) => package::run_with(rest),
        Some((&"soak", rest)) => soak::run_with(rest),
        Some((&"same-bits", rest)) => same_bits::run(rest),
        Some((&"bench", ["geometry", names @ ..])) => bench::geometry(names),
        Some((&"bench", ["points"])) => bench::points(),
        Some((&"bench", rest)) => bench::run(rest),
        Some((&"counts", rest)) => counts::run(rest),
        Some((&"deny", [])) => deny::run(),
        Some((&"robots", rest)) => robots::run(rest),
        Some((&"fuzz", rest)) => fuzz::run(rest),
        Some((&"matrix", rest)) => matrix::run(rest),
        Some((&"oracle", rest)) => oracle::run(rest),
        Some((&"python", rest)) => python::run_with(rest),
        Some((&"plugins", [])) => plugins::check(),
        Some((&"docs", [])) => docs::write(),
        Some((&"docs", ["--check"])) => docs::check(),
        Some((&"wrap", rest)) => wrap::run(rest),
        Some((&"sources", [])) => sources::check().and_then(|()| docs::links()),
        Some((&"help" | &"--help" | &"-h", _)) | None => {
            print!(
                "{HELP}{}{}{}{}{}{}{}{}{}",
                python::HELP,
                plugins::HELP,
                same_bits::HELP,
                matrix::HELP,
                bench::HELP,
                counts::HELP,
                deny::HELP,
                robots::HELP,
                oracle::HELP
            );
            Ok(())
        }
        Some(_) => Err(format!("unknown chore: {}\n\n{HELP}", args.join(" "))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
