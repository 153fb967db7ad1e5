//! Ctrl-C leaves valid files; so does death.
#![cfg(unix)]

use kreisel_scene::record::{End, Recording};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn an_interrupted_run_leaves_a_csv_of_whole_rows_and_says_130() {
    let folder = std::env::temp_dir().join(format!("kreisel-interrupt-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let csv = folder.join("out.csv");
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/pendulum.toml");
    let mut run = Command::new(env!("CARGO_BIN_EXE_kreisel"))
        .args(["run", scene, "--until", "1e6", "--csv"])
        .arg(&csv)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while std::fs::metadata(&csv).map_or(0, |m| m.len()) < 10_000
        && start.elapsed() < Duration::from_secs(30)
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let status = run.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    let text = std::fs::read_to_string(&csv).unwrap();
    assert!(text.ends_with('\n'));
    let columns = text.lines().next().unwrap().split(',').count();
    assert!(text.lines().count() > 10 && text.lines().all(|l| l.split(',').count() == columns));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Records a long run, ends it with a signal once some blocks are written, and gives its exit code.
fn record_until(file: &Path, signal: &str) -> Option<i32> {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/pendulum.toml");
    let mut run = Command::new(env!("CARGO_BIN_EXE_kreisel"))
        .args(["run", scene, "--until", "1e6", "--quiet", "--record"])
        .arg(file)
        .spawn()
        .unwrap();
    let start = Instant::now();
    while std::fs::metadata(file).map_or(0, |m| m.len()) < 200_000
        && start.elapsed() < Duration::from_secs(30)
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").args([signal, &run.id().to_string()]).status().unwrap().success());
    run.wait().unwrap().code()
}

#[test]
fn an_interrupted_recording_is_complete_and_a_killed_one_is_good_up_to_its_last_block() {
    let folder = std::env::temp_dir().join(format!("kreisel-record-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("out.kreisel");
    assert_eq!(record_until(&file, "-INT"), Some(130));
    let recording = Recording::read(&file).unwrap();
    assert_eq!(recording.end, End::Complete);
    assert!(recording.rows() > 100);

    // a new file: the length of the old one would end the waiting at once
    std::fs::remove_file(&file).unwrap();
    assert_eq!(record_until(&file, "-KILL"), None);
    let recording = Recording::read(&file).unwrap();
    assert_ne!(recording.end, End::Complete);
    assert!(recording.rows() >= 128, "{} rows", recording.rows());
    std::fs::remove_dir_all(&folder).unwrap();
}
