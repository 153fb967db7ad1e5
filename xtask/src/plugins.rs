//! `cargo xtask plugins`: the example of laws from outside, built as a user would build it, and its
//! scene, which nothing else can run.

use crate::process::{self, output, root, run, target};

pub const HELP: &str = "\
cargo xtask plugins                 build the example of laws from outside (examples/plugins) and run its scene
";

/// Builds the example, runs its scene, writes its own format, and sees that the program without the
/// laws refuses the scene.
pub fn check() -> Result<(), String> {
    let folder = root().join("examples/plugins");
    let (scene, manifest) = (folder.join("scene.toml"), folder.join("Cargo.toml"));
    let out = target().join("plugins");
    std::fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let (recording, table) = (out.join("run.kreisel"), out.join("run.dat"));
    let program = || {
        let mut command = process::cargo();
        command.args(["run", "--quiet", "--target-dir"]).arg(target());
        command.arg("--manifest-path").arg(&manifest).arg("--");
        command
    };
    run(program().arg("check").arg(&scene))?;
    run(program().arg("run").arg(&scene).arg("--record").arg(&recording))?;
    run(program().arg("convert").arg(&recording).arg(&table))?;
    let text = std::fs::read_to_string(&table).map_err(|e| format!("{}: {e}", table.display()))?;
    let head = text.lines().next().unwrap_or_default();
    if !head.starts_with("# time ") || text.lines().count() < 1000 {
        return Err(format!("{} is not what the exporter writes: {head}", table.display()));
    }
    if let Ok(words) = output(
        process::cargo()
            .args(["run", "--quiet", "-p", "kreisel-cli", "--"])
            .arg("check")
            .arg(&scene),
    ) {
        return Err(format!("a program without the laws takes the scene: {words}"));
    }
    println!("the example works, and a program without its laws refuses its scene");
    Ok(())
}
