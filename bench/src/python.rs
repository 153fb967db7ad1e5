//! Peers that are reached through Python: `bench/python/precision.py` runs them and prints one line
//! of JSON per run.

use serde::Deserialize;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The Python that has the peers installed, if any.
pub struct Python {
    /// Its program; `None` where there is none.
    pub program: Option<PathBuf>,
}

/// One run of a peer.
#[derive(Clone, Debug, Deserialize)]
pub struct PeerRun {
    /// Name of engine and setting.
    pub name: String,
    /// Processor time per 0.01 s, ms.
    pub ms: f64,
    /// Tip of the chain at the end, m.
    pub tip: [f64; 3],
}

impl Python {
    /// Runs the script once; gives the runs, and one line for every peer that is missing.
    pub fn precision(&self) -> (Vec<PeerRun>, Vec<String>) {
        let Some(program) = &self.program else {
            return (
                Vec::new(),
                vec!["MuJoCo and pinocchio are not in this run: no Python was given.".into()],
            );
        };
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/python/precision.py");
        let output = Command::new(program).arg(script).stderr(Stdio::inherit()).output();
        let Ok(output) = output else {
            return (
                Vec::new(),
                vec![format!(
                    "MuJoCo and pinocchio are not in this run: {program:?} does not start."
                )],
            );
        };
        let text = String::from_utf8_lossy(&output.stdout);
        let (mut runs, mut missing) = (Vec::new(), Vec::new());
        for line in text.lines() {
            match serde_json::from_str(line) {
                Ok(run) => runs.push(run),
                Err(_) => missing.push(line.to_owned()),
            }
        }
        (runs, missing)
    }
}
