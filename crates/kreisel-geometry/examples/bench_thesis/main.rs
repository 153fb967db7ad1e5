//! The benchmarks that the thesis asks for and has no numbers of (Lennerz 2000, chapters 3 and 4):
//! the measurements of docs/volumes.md.
//!
//! `cargo run --release -p kreisel-geometry --example bench_thesis [-- FOLDER]`: with a folder the
//! plots are written there, tables are printed.

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../shared/peers.rs"]
mod peers;
#[path = "../../../../bench/src/plot.rs"]
mod plot;

mod advancement;
mod approximate;
mod broad_phases;
mod coins;
mod fronts;
mod volumes;

use std::path::PathBuf;

/// Where plots go, and how they are written.
pub struct Plots(Option<PathBuf>);

impl Plots {
    /// Writes a plot with logarithmic axes, and prints its points.
    fn add(&self, name: &str, lines: &[plot::Line], across: &str, up: &str) {
        println!("\n{name}: {up} over {across}");
        for (line, points) in lines {
            let points: Vec<String> =
                points.iter().map(|(x, y)| format!("{x:.4}: {y:.4}")).collect();
            println!("  {line}: {}", points.join(", "));
        }
        if let Some(folder) = &self.0 {
            let file = folder.join(format!("volumes-{name}.svg"));
            std::fs::write(&file, plot::work_precision(lines, across, up))
                .expect("the folder can be written");
        }
    }
}

fn main() {
    let plots = Plots(std::env::args().nth(1).map(PathBuf::from));
    volumes::run(&plots);
    approximate::run(&plots);
    advancement::run(&plots);
    coins::run(&plots);
    broad_phases::run(&plots);
    fronts::run(&plots);
    println!("\n{}", peers::circumstances());
}
