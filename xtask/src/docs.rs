//! `cargo xtask docs`: pages printed by the program and pictures drawn by it, so that neither goes
//! stale; links are checked.

use crate::process::{kreisel_dev, output, root, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Pages of which the part below the marker is printed by a command.
const PAGES: [(&str, &str); 2] =
    [("docs/scene-format.md", "reference"), ("docs/commands.md", "commands")];

/// The page whose part below the marker lists every scene with its picture.
const GALLERY: &str = "docs/gallery.md";

/// Scenes that show more at other times than the usual one.
const TIMES: [(&str, &str); 32] = [
    ("scenes/machines/delta-robot.toml", "1"),
    ("scenes/machines/stewart-platform.toml", "3"),
    ("scenes/machines/planetary-gear.toml", "1"),
    ("scenes/machines/excavator.toml", "2.5"),
    ("scenes/machines/walking-linkage.toml", "0.6,0.8,1,1.2"),
    ("scenes/machines/tower-crane.toml", "0,4,9"),
    ("scenes/machines/closed-loop-leg.toml", "1.2,2"),
    ("scenes/machines/gripper.toml", "3"),
    ("scenes/machines/scissor-lift.toml", "0,6"),
    ("scenes/machines/humanoid.toml", "0,3"),
    ("scenes/machines/quadruped.toml", "1.5"),
    ("scenes/machines/car.toml", "0,2.5,5"),
    ("scenes/iftomm/a04-bricard.toml", "0,0.4,0.7,0.9,1.1"),
    ("scenes/iftomm/a03-andrews-squeezer.toml", "0,0.02"),
    ("scenes/chains/chain.toml", "0,0.6,1,1.3,1.5"),
    ("scenes/features/four-bar.toml", "1,1.6,2.2,2.8"),
    ("scenes/chains/net.toml", "1"),
    ("scenes/chains/necklace.toml", "0.9"),
    ("scenes/features/kinematic-crank.toml", "0,0.1,0.2,0.3"),
    ("scenes/chains/star.toml", "0.4"),
    ("scenes/bender/e03-tree-127.toml", "1"),
    ("scenes/contact/wall.toml", "3"),
    ("scenes/contact/chain-on-ground.toml", "4"),
    ("scenes/contact/heap.toml", "4"),
    ("scenes/schmitt/5.2-cube.toml", "0,0.64,1.28,1.92"),
    ("scenes/points/net.toml", "0.6"),
    ("scenes/points/obstacles.toml", "0,0.2,0.4,0.6,0.8"),
    ("scenes/contact/sleeping.toml", "2.5,2.8,4"),
    ("scenes/contact/bouncing.toml", "0,0.3,0.5,0.7"),
    ("scenes/features/springs.toml", "0,0.06,0.12"),
    ("scenes/wagner/one-sided.toml", "0,0.15,0.3,0.45,0.6,0.75"),
    ("scenes/wagner/point-to-path.toml", "0,1,2,3"),
];

/// What other scenes include has nothing to show.
const PARTS: [&str; 1] = ["scenes/composition/common.toml"];

/// Times of all other scenes, s.
const USUAL: &str = "0,0.3,0.6";

/// Pictures of the book that are not in the gallery: file and command.
const FIGURES: [(&str, &str); 25] = [
    (
        "docs/pictures/bricard.svg",
        "render scenes/iftomm/a04-bricard.toml --at 0,0.4,0.7,0.9,1.1 --output",
    ),
    ("docs/pictures/tour-energy.svg", "plot scenes/pendulum.toml energy --until 4 --quiet --out"),
    (
        "docs/pictures/tour-angle.svg",
        "plot scenes/pendulum.toml pivot.angle --until 4 --quiet --out",
    ),
    (
        "docs/pictures/tour-compare.svg",
        "compare scenes/pendulum.toml --orders 2,4 --steps 0.04,0.02,0.01 --until 2 --quiet --out",
    ),
    (
        "docs/pictures/compare-orders.svg",
        "compare scenes/reference/double_pendulum.toml --orders 2,4,6,8 --steps 0.02,0.01,0.005,0.0025 --until 1 --quiet --out",
    ),
    (
        "docs/pictures/work-precision-e09.svg",
        "compare scenes/bender/e09-double-pendulum.toml --orders 2,4,6,8 --steps 0.04,0.02,0.01,0.005 --until 2 --quiet --out",
    ),
    (
        "docs/pictures/work-precision-a02.svg",
        "compare scenes/iftomm/a02-four-bar.toml --orders 2,4,6,8 --steps 0.04,0.02,0.01,0.005 --until 2 --quiet --out",
    ),
    (
        "docs/pictures/work-precision-a04.svg",
        "compare scenes/iftomm/a04-bricard.toml --orders 2,4,6,8 --steps 0.04,0.02,0.01,0.005 --until 2 --quiet --out",
    ),
    (
        "docs/pictures/points-5.1.svg",
        "render scenes/schmitt/5.1-pendulum.toml --set amplitude=1 --at 0,0.2,0.4,0.6,0.8,1 --size 700x420 --output",
    ),
    (
        "docs/pictures/points-5.2.svg",
        "render scenes/schmitt/5.2-cube.toml --at 0,0.64,1.28,1.92 --size 700x420 --output",
    ),
    (
        "docs/pictures/points-5.3.svg",
        "render scenes/schmitt/5.3-triple-pendulum.toml --at 0,0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8 --size 700x420 --output",
    ),
    (
        "docs/pictures/points-5.4.svg",
        "render scenes/schmitt/5.4-threads.toml --at 9,9.1,9.2,9.3,9.37 --size 700x420 --output",
    ),
    (
        "docs/pictures/points-5.5.svg",
        "render scenes/schmitt/5.5-rail.toml --at 0,0.2,0.4,0.6,0.8,1 --size 700x420 --output",
    ),
    (
        "docs/pictures/points-5.6.svg",
        "render scenes/schmitt/5.6-closed-chain.toml --at 0,0.2,0.4,0.6,0.8 --size 700x420 --output",
    ),
    (
        "docs/pictures/points-5.7.svg",
        "render scenes/schmitt/5.7-top.toml --at 0,0.02,0.21 --size 700x420 --output",
    ),
    (
        "docs/pictures/points-net.svg",
        "render scenes/points/net.toml --at 0.4 --size 700x420 --output",
    ),
    (
        "docs/pictures/points-plate.svg",
        "render scenes/points/plate.toml --at 0,0.5 --size 700x420 --output",
    ),
    (
        "docs/pictures/points-5.1-energy.svg",
        "plot scenes/schmitt/5.1-pendulum.toml energy.total --until 4 --size 700x320 --quiet --out",
    ),
    (
        "docs/pictures/points-5.2-path.svg",
        "plot scenes/schmitt/5.2-cube.toml p6.position.y --x p6.position.x --until 8 --size 700x320 --quiet --out",
    ),
    (
        "docs/pictures/points-5.3-energy.svg",
        "plot scenes/schmitt/5.3-triple-pendulum.toml energy.kinetic energy.potential energy.total --size 700x320 --quiet --out",
    ),
    (
        "docs/pictures/points-5.4-energy.svg",
        "plot scenes/schmitt/5.4-threads.toml energy.kinetic energy.total --size 700x320 --quiet --out",
    ),
    (
        "docs/pictures/points-5.5-rail.svg",
        "plot scenes/schmitt/5.5-rail.toml p1.position.x p4.position.x --size 700x320 --quiet --out",
    ),
    (
        "docs/pictures/points-5.6-energy.svg",
        "plot scenes/schmitt/5.6-closed-chain.toml energy.kinetic energy.total --size 700x320 --quiet --out",
    ),
    (
        "docs/pictures/points-5.7-axis.svg",
        "plot scenes/schmitt/5.7-top.toml p2.position.y --x p2.position.x --size 500x500 --quiet --out",
    ),
    (
        "docs/pictures/points-5.1-orders.svg",
        "compare scenes/schmitt/5.1-pendulum.toml --orders 2,4,6 --steps 0.08,0.04,0.02,0.01 --until 2 --quiet --out",
    ),
];

/// The JSON Schema of the scene format, for editors.
const SCHEMA: &str = "docs/scene.schema.json";

const MARKER: &str = "<!-- Below this line: printed by `cargo xtask docs`. -->\n";

/// Writes the pages and pictures anew. (Pictures follow the engine's last digits and are not
/// compared.)
pub fn write() -> Result<(), String> {
    let program = kreisel_dev()?;
    let folder = root().join("docs/pictures/scenes");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for scene in shown()? {
        let times = TIMES.iter().find(|t| t.0 == scene).map_or(USUAL, |t| t.1);
        let picture = format!("docs/{}", picture(&scene));
        let args = ["render", &scene, "--at", times, "--size", "800x450", "--output", &picture];
        output(Command::new(&program).current_dir(root()).args(args))?;
    }
    for (file, command) in FIGURES {
        output(Command::new(&program).current_dir(root()).args(command.split(' ')).arg(file))?;
    }
    std::fs::write(root().join(SCHEMA), schema()?).map_err(|e| format!("{SCHEMA}: {e}"))?;
    for (page, text) in pages()? {
        std::fs::write(root().join(page), text).map_err(|e| format!("{page}: {e}"))?;
    }
    links()?;
    // The book is plain Markdown; where mdBook is installed it is built too.
    match Command::new("mdbook").arg("--version").output() {
        Ok(_) => run(Command::new("mdbook").current_dir(root().join("docs")).arg("build")),
        Err(_) => Ok(()),
    }
}

/// Sees that the pages are what the program prints, and that no link of the book leads nowhere.
pub fn check() -> Result<(), String> {
    if read(&root().join(SCHEMA))? != schema()? {
        return Err(format!("{SCHEMA} is not current: run `cargo xtask docs`"));
    }
    for (page, text) in pages()? {
        if read(&root().join(page))? != text {
            return Err(format!("{page} is not current: run `cargo xtask docs`"));
        }
    }
    links()
}

/// The schema as the program prints it.
fn schema() -> Result<String, String> {
    output(Command::new(kreisel_dev()?).arg("schema"))
}

/// The pages as they should be.
fn pages() -> Result<Vec<(&'static str, String)>, String> {
    let program = kreisel_dev()?;
    let mut out = Vec::new();
    for (page, command) in PAGES {
        let printed = output(Command::new(&program).arg(command))?;
        out.push((page, format!("{}{MARKER}\n{printed}", head(page)?)));
    }
    out.push((GALLERY, format!("{}{MARKER}\n{}", head(GALLERY)?, gallery()?)));
    Ok(out)
}

/// What stands above the marker of a page.
fn head(page: &str) -> Result<String, String> {
    let old = read(&root().join(page))?;
    let (head, _) =
        old.split_once(MARKER).ok_or_else(|| format!("{page} has no marker line:\n{MARKER}"))?;
    Ok(head.to_owned())
}

/// Every scene with its title and picture, folder by folder.
fn gallery() -> Result<String, String> {
    let (mut out, mut last) = (String::new(), String::new());
    for scene in shown()? {
        let folder = scene.rsplit_once('/').map_or("", |s| s.0).to_owned();
        if folder != last {
            out += &format!("\n## {folder}\n\n");
            last = folder;
        }
        let text = read(&root().join(&scene))?;
        let title = title(&text).unwrap_or(&scene);
        out += &format!(
            "**{title}** ([`{scene}`](../{scene}))\n\n![{title}]({})\n\n",
            picture(&scene)
        );
    }
    Ok(out.trim_start().to_owned())
}

/// The title of a scene, by its text.
pub fn title(text: &str) -> Option<&str> {
    text.lines().find_map(|l| l.strip_prefix("title = \"")?.strip_suffix('"'))
}

/// The picture of a scene, from the folder of the book.
pub fn picture(scene: &str) -> String {
    let name = scene.trim_start_matches("scenes/").trim_end_matches(".toml").replace('/', "-");
    format!("pictures/scenes/{name}.svg")
}

/// The scenes of the gallery; those of the audit are tests.
pub fn shown() -> Result<Vec<String>, String> {
    let hidden = |s: &String| PARTS.contains(&s.as_str()) || s.starts_with("scenes/audit/");
    Ok(scenes()?.into_iter().filter(|s| !hidden(s)).collect())
}

/// All scenes but the broken ones, as paths from the root, sorted.
pub fn scenes() -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    collect(&root().join("scenes"), "toml", &mut found)?;
    let base = root();
    let name =
        |p: &PathBuf| p.strip_prefix(&base).unwrap_or(p).to_string_lossy().replace('\\', "/");
    let mut out: Vec<String> =
        found.iter().map(name).filter(|p| !p.starts_with("scenes/broken/")).collect();
    out.sort();
    Ok(out)
}

fn collect(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| format!("{}: {e}", folder.display()))?.path();
        if path.is_dir() {
            collect(&path, ending, out)?;
        } else if path.extension().is_some_and(|e| e == ending) {
            out.push(path);
        }
    }
    Ok(())
}

/// Sees that every link to a file leads somewhere, that every page stands in the summary, and that
/// the files that CONTRIBUTING.md names are there.
pub fn links() -> Result<(), String> {
    let mut pages =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root().join(page)).to_vec();
    collect(&root().join("docs"), "md", &mut pages)?;
    let summary = read(&root().join("docs/SUMMARY.md"))?;
    let mut wrong = missing(&read(&root().join("CONTRIBUTING.md"))?);
    for page in &pages {
        let text = read(page)?;
        let folder = page.parent().unwrap_or(page);
        for part in text.split("](").skip(1) {
            let target = part.split([')', ' ', '#']).next().unwrap_or_default();
            let outside =
                target.is_empty() || target.contains("://") || target.starts_with("mailto:");
            if !outside && !folder.join(target).exists() {
                wrong.push(format!("{}: {target} is not there", page.display()));
            }
        }
        let name =
            page.strip_prefix(root().join("docs")).map(|p| p.to_string_lossy().replace('\\', "/"));
        if let Ok(name) = name
            && name != "SUMMARY.md"
            && !summary.contains(&format!("]({name})"))
        {
            wrong.push(format!("docs/SUMMARY.md does not list {name}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Files in the first column of tables that are not there. A word in front of a file names the
/// crate that it is in.
fn missing(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for cell in text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next()) {
        let mut base = root();
        for (i, piece) in cell.split('`').enumerate() {
            let word = piece.trim().trim_start_matches(',').trim();
            if i % 2 == 0 {
                if !word.is_empty() {
                    base = root().join(format!("crates/kreisel-{word}/src"));
                }
            } else if Path::new(piece).extension().is_some_and(|e| e.len() <= 6)
                && !piece.contains(' ')
                && !base.join(piece).exists()
                && !root().join(piece).exists()
            {
                out.push(format!("CONTRIBUTING.md: {piece} is not there"));
            }
        }
    }
    out
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
