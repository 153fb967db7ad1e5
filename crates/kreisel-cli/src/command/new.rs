//! `kreisel new`: a commented starter scene.

use crate::args::New;
use crate::exit::{Exit, Failure};
use std::io::Write;

/// The starter scene.
pub const STARTER: &str = include_str!("starter.toml");

/// Writes the starter scene.
pub fn run(args: &New) -> Result<Exit, Failure> {
    let file = std::fs::File::create_new(&args.file);
    let mut file = file.map_err(|e| Failure::file(&args.file, e))?;
    file.write_all(STARTER.as_bytes()).map_err(|e| Failure::file(&args.file, e))?;
    let name = args.file.display();
    println!(
        "wrote {name}\n\nnext:\n  kreisel check {name}\n  kreisel view {name}\n  kreisel run {name} --csv out.csv"
    );
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_starter_scene_has_no_problems() {
        let scene = kreisel_scene::parse("starter.toml", super::STARTER).expect("a good scene");
        assert_eq!(scene.warnings, []);
    }
}
