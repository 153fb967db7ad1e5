//! Ctrl-C and SIGTERM are obeyed inside a step, and leave files that are good.
#![cfg(unix)]

use kreisel_scene::record::{End, Recording};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A chain of 4000 links whose joints are swept to 1e-12 m: the first step takes minutes.
const SLOW: &str = r#"
    [world]
    step = 0.1
    method = "iterative"
    tolerance = 1e-12
    contacts = "off"
    [[body]]
    repeat = 4000
    name = "b{i}"
    shape = { box = [1.0, 0.1, 0.1] }
    mass = 1.0
    position = ["i + 0.5", 0, 0]
    [[joint]]
    type = "ball"
    bodies = ["world", "b0"]
    at = [0, 0, 0]
    [[joint]]
    repeat = { i = "1..4000" }
    type = "ball"
    bodies = ["b{i - 1}", "b{i}"]
    at = ["i", 0, 0]
"#;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("kreisel-signals-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn kreisel() -> Command {
    Command::new(env!("CARGO_BIN_EXE_kreisel"))
}

/// Sends a signal; gives the exit code and how long the end took.
fn end(mut child: Child, signal: &str) -> (Option<i32>, Duration) {
    assert!(
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success()
    );
    let start = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            break child.wait().unwrap().code();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    (code, start.elapsed())
}

fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn run_gives_up_the_step_it_is_in_and_its_recording_is_whole() {
    for signal in ["-TERM", "-INT"] {
        let folder = folder(&format!("run{signal}"));
        let (scene, file) = (folder.join("slow.toml"), folder.join("out.kreisel"));
        std::fs::write(&scene, SLOW).unwrap();
        let run = kreisel()
            .arg("run")
            .arg(&scene)
            .arg("--record")
            .arg(&file)
            .arg("--quiet")
            .spawn()
            .unwrap();
        wait_for(&file);
        std::thread::sleep(Duration::from_millis(500));
        let (code, took) = end(run, signal);
        assert_eq!(code, Some(130), "{signal}");
        // a second is what is promised; the machine of the tests may be busy
        assert!(took < Duration::from_secs(5), "{signal}: {took:?}");
        let recording = Recording::read(&file).unwrap();
        assert_eq!(
            (recording.end.clone(), recording.rows()),
            (End::Complete, 1),
            "the start, and no step"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn view_ends_on_sigterm_with_the_last_line_of_its_journal() {
    let folder = folder("view");
    let journal = folder.join("session.jsonl");
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/pendulum.toml");
    let mut view = kreisel()
        .args(["view", scene, "--no-open", "--port", "0", "--journal"])
        .arg(&journal)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(view.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
    // The header is there before anything has happened, and no other session gets the file.
    let header = std::fs::read_to_string(&journal).unwrap();
    assert!(header.starts_with("{\"kreisel_journal\"") && header.lines().count() == 1, "{header}");
    let second = kreisel()
        .args(["view", scene, "--no-open", "--port", "0", "--journal"])
        .arg(&journal)
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&second.stderr).contains("another run is writing"));
    let (code, took) = end(view, "-TERM");
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(5), "{took:?}");
    let text = std::fs::read_to_string(&journal).unwrap();
    assert!(text.lines().last().unwrap().contains("\"hash\""), "{text}");
    let replayed = kreisel().arg("replay").arg(&journal).arg("--json").output().unwrap();
    assert!(replayed.status.success());
    let outcome: serde_json::Value = serde_json::from_slice(&replayed.stdout).unwrap();
    assert_eq!(outcome["compared"], true);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn two_runs_do_not_write_one_file() {
    let folder = folder("two");
    let (scene, file) = (
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/pendulum.toml"),
        folder.join("out.kreisel"),
    );
    let first = kreisel()
        .args(["run", scene, "--until", "1e6", "--quiet", "--record"])
        .arg(&file)
        .spawn()
        .unwrap();
    let start = Instant::now();
    while std::fs::metadata(&file).map_or(0, |m| m.len()) < 100_000
        && start.elapsed() < Duration::from_secs(30)
    {
        std::thread::sleep(Duration::from_millis(10));
    }
    for option in ["--record", "--csv"] {
        let second = kreisel().args(["run", scene, option]).arg(&file).output().unwrap();
        assert_eq!(second.status.code(), Some(3), "{option}");
        assert!(
            String::from_utf8_lossy(&second.stderr).contains("another run is writing"),
            "{option}"
        );
    }
    assert_eq!(end(first, "-TERM").0, Some(130));
    let recording = Recording::read(&file).unwrap();
    assert!(recording.end == End::Complete && recording.rows() > 100);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_full_disk_behind_the_standard_output_is_an_error_and_a_reader_that_left_is_none() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/pendulum.toml");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let out =
        kreisel().args(["run", scene, "--until", "0.1", "--json"]).stdout(full).output().unwrap();
    assert_eq!(out.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&out.stderr).contains("the standard output cannot be written"));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let out =
        kreisel().args(["run", scene, "--until", "0.1", "--json"]).stdout(writer).output().unwrap();
    assert_eq!((out.status.code(), &*out.stderr), (Some(141), &b""[..]));
}

#[test]
fn absurd_journals_are_refused_at_once() {
    let folder = folder("journal");
    let file = folder.join("j1.jsonl");
    let header = r#"{"kreisel_journal":1,"program":"0","name":"a.toml","text":"[[body]]\nname=\"a\"\nshape={sphere=0.1}\n","params":[],"step":null,"method":null,"order":null}"#;
    std::fs::write(&file, format!("{header}\n{{\"steps\":18446744073709551615,\"hash\":\"x\"}}\n"))
        .unwrap();
    let start = Instant::now();
    let out = kreisel().arg("replay").arg(&file).output().unwrap();
    assert_eq!(out.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&out.stderr).contains("line 2"));
    assert!(start.elapsed() < Duration::from_secs(10));
    std::fs::remove_dir_all(&folder).unwrap();
}
