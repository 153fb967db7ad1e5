//! Loads a scene file and runs it: `cargo run --example scene -- scenes/pendulum.toml`.

use kreisel::Simulation;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: scene FILE");
        return ExitCode::FAILURE;
    };
    let scene = match kreisel::load(&path) {
        Ok(scene) => scene,
        Err(error) => {
            for problem in &error.problems {
                let (line, column) = problem.line_column();
                eprintln!("{path}:{line}:{column}: {problem}");
            }
            return ExitCode::FAILURE;
        }
    };
    let mut run = Simulation::new(&scene);
    for _ in 0..run.steps_until(scene.duration) {
        run.step();
    }
    println!(
        "{} bodies after {:.2} s: {:.6} J",
        run.world.bodies().count(),
        run.world.time(),
        run.world.energy().total()
    );
    ExitCode::SUCCESS
}
