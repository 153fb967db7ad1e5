//! `kreisel view` as a user starts it: where it listens, what it says about it, and what it leaves
//! when it is ended.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const SCENE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/pendulum.toml");

/// Starts the program and reads its first lines.
fn view(args: &[&str], lines: usize) -> (Child, Vec<String>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kreisel"))
        .args(["view", SCENE, "--no-open", "--port", "0"])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let (send, lines_said) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        out.lines().map_while(Result::ok).all(|line| send.send(line).is_ok())
    });
    // What is not said within a while is not said at all.
    let said =
        (0..lines).map_while(|_| lines_said.recv_timeout(Duration::from_secs(20)).ok()).collect();
    (child, said)
}

/// Ctrl-C; whether it ended well.
fn interrupt(mut child: Child) -> bool {
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
    child.wait().unwrap().success()
}

#[test]
fn it_listens_on_this_machine_only_and_leaves_its_journal() {
    let journal = std::env::temp_dir().join(format!("kreisel-view-{}.jsonl", std::process::id()));
    let (child, said) = view(&["--journal", journal.to_str().unwrap()], 2);
    let address = said[0].strip_prefix("listening on http://127.0.0.1:").expect("its own machine");
    let (port, token) = address.split_once("/#").expect("a token, on this machine too");
    assert!(port.parse::<u16>().is_ok_and(|p| p > 0) && token.len() == 32, "{address}");
    assert!(interrupt(child));
    let replayed =
        Command::new(env!("CARGO_BIN_EXE_kreisel")).arg("replay").arg(&journal).output().unwrap();
    assert!(replayed.status.success(), "{}", String::from_utf8_lossy(&replayed.stderr));
    std::fs::remove_file(&journal).unwrap();
}

#[test]
fn another_address_comes_with_a_token_and_a_word_about_it() {
    let (child, said) = view(&["--listen", "0.0.0.0"], 3);
    let token = said[0].split_once("/#").expect("a token in the fragment").1;
    assert!(token.len() == 32 && token.chars().all(|c| c.is_ascii_hexdigit()), "{token}");
    assert!(interrupt(child));
    assert!(
        said.get(2).is_some_and(|l| l.contains("token") && l.contains("not encrypted")),
        "{said:?}"
    );
    // Each start has its own.
    let (child, again) = view(&["--listen", "0.0.0.0"], 3);
    assert_ne!(again[0].split_once("/#").map(|p| p.1), Some(token));
    assert!(interrupt(child));
}
