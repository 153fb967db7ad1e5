//! The program as it is called. (This file also makes `cargo test --workspace` build the program,
//! with the features that everything else is built with: `cargo xtask test` runs that build.)

use std::process::{Command, Output};

fn matrix(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kreisel-matrix")).args(args).output().unwrap()
}

#[test]
fn scenes_that_are_written_load_without_a_problem() {
    let folder = std::env::temp_dir().join(format!("kreisel-matrix-{}", std::process::id()));
    let out = matrix(&[
        "--only",
        "arm · damped spring · limit; direct",
        "--write",
        folder.to_str().unwrap(),
    ]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));

    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(files.len() > 5, "one file for each way of the direct method: {}", files.len());
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(kreisel_scene::parse("cell.toml", &text).is_ok(), "{}", file.display());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_unknown_option_is_named_and_exits_with_2() {
    let out = matrix(&["--qiuck"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("unknown option --qiuck"));
}
