//! Ctrl-C leaves valid files.
#![cfg(unix)]

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
    while std::fs::metadata(&csv).map_or(0, |m| m.len()) < 10_000 && start.elapsed() < Duration::from_secs(30) {
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
