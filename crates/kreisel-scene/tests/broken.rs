//! Every file in `scenes/broken` has the message it must give beside it (`NAME.txt`).
//!
//! `KREISEL_BLESS=1 cargo test -p kreisel-scene --test broken` writes the messages anew; read them
//! before you commit.

use kreisel_scene::{Options, Problem, Severity};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/broken");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "toml" || e == "urdf" || e == "xml"));
    files.sort();
    files
}

fn problems(path: &Path) -> (bool, Vec<Problem>) {
    let name = format!("scenes/broken/{}", path.file_name().unwrap().to_string_lossy());
    let options = Options { folder: path.parent().map(Path::to_path_buf), ..Options::default() };
    match kreisel_scene::parse_as(&name, &std::fs::read_to_string(path).unwrap(), &options) {
        Ok(scene) => (true, scene.warnings),
        Err(error) => (false, error.problems),
    }
}

fn render(problems: &[Problem]) -> String {
    let handler =
        GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let mut text = String::new();
    for problem in problems {
        handler.render_report(&mut text, problem).unwrap();
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

#[test]
fn every_broken_scene_gives_the_message_that_stands_beside_it() {
    let bless = std::env::var_os("KREISEL_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in files() {
        let (_, problems) = problems(&path);
        let (actual, expected) = (render(&problems), path.with_extension("txt"));
        if bless {
            std::fs::write(&expected, actual).unwrap();
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != actual {
            wrong.push(format!("{}:\n{actual}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "these messages differ from the ones on file:\n{}", wrong.join("\n"));
}

#[test]
fn broken_scenes_are_refused_and_suspicious_ones_only_warned_of() {
    for path in files() {
        let (loaded, problems) = problems(&path);
        let warning = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("warning-"));
        assert_eq!(loaded, warning, "{}", path.display());
        assert!(!problems.is_empty(), "{}", path.display());
        let worst = problems.iter().map(|p| p.severity).max();
        assert_eq!(
            worst,
            Some(if warning { Severity::Warning } else { Severity::Error }),
            "{}",
            path.display()
        );
    }
}

#[test]
fn every_message_has_its_place_inside_the_text() {
    for path in files() {
        for p in problems(&path).1 {
            assert!(
                p.span.start <= p.span.end && p.span.end <= p.source.text.len(),
                "{}: {:?}",
                path.display(),
                p.span
            );
        }
    }
}
