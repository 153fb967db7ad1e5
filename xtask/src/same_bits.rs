//! `cargo xtask same-bits`: scenes run natively and by the WASM module in Node must end in the same
//! state, to the bit.

use crate::process::{self, kreisel, root};
use std::path::Path;
use std::process::Command;

/// Help of the chore.
pub const HELP: &str = "\
cargo xtask same-bits [--steps N] [SCENE…]
                                    run scenes natively and by the WASM module, 1000 steps unless told otherwise, and
                                    compare the hashes of their states; without a scene, every scene of the gallery
";

/// Three scenes with what could differ: joints and loops, contact with friction, a script.
const SAMPLE: [&str; 3] =
    ["scenes/iftomm/a04-bricard.toml", "scenes/contact/wall.toml", "scenes/scripts/bang-bang.toml"];

/// Runs the comparison with the release build.
pub fn run(args: &[&str]) -> Result<(), String> {
    let (mut steps, mut scenes) = ("1000".to_owned(), Vec::new());
    let mut rest = args.iter();
    while let Some(&word) = rest.next() {
        match word {
            "--steps" => steps = (*rest.next().ok_or("--steps needs a number")?).to_owned(),
            scene => scenes.push(scene.to_owned()),
        }
    }
    if scenes.is_empty() {
        scenes = crate::docs::shown()?;
    }
    crate::wasm::build()?;
    compare(&kreisel()?, &steps, &scenes)?;
    // the package's own names and numbers
    script("bindings/wasm/package.mjs")
}

/// The sample of continuous integration, with the program as the tests have built it.
pub fn sample() -> Result<(), String> {
    compare(&process::kreisel_dev()?, "200", &SAMPLE.map(str::to_owned))
}

fn compare(program: &Path, steps: &str, scenes: &[String]) -> Result<(), String> {
    let mut command = Command::new("node");
    command
        .current_dir(root())
        .arg("bindings/wasm/same-bits.mjs")
        .arg(program)
        .arg(crate::wasm::package());
    process::run(command.arg(steps).args(scenes))?;

    // and what nobody holds any more is given back
    script("bindings/wasm/memory.mjs")
}

/// Runs a script over the package.
fn script(path: &str) -> Result<(), String> {
    let mut command = Command::new("node");
    command.current_dir(root()).args(["--expose-gc", path]).arg(crate::wasm::package());
    process::run(&mut command)
}
