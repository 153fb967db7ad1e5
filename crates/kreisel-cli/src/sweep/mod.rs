//! Sweeps: a scene at many values of its parameters, one row each. The command and the Python
//! package share all of it.

mod npz;
mod parquet;
mod row;
mod sample;
mod table;
mod task;

pub use npz::write as write_npz;
pub use parquet::write as write_parquet;
pub use row::{Row, Status, csv_line};
pub use sample::{Plan, Range, points};
pub use table::{Table, columns};
pub use task::{Measure, Source, Task};

use kreisel_dynamics::Interrupt;
use kreisel_scene::Options;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Whether a table of this ending is written at the end, from rows that are kept beside it.
pub fn is_late(ending: &str) -> bool {
    matches!(ending, "npz" | "parquet")
}

/// What makes two sweeps the same: program, scene with its files, points, measures, duration.
pub fn mark(task: &Task, points: &[Vec<f64>], measures: &[(String, String)]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    add(env!("CARGO_PKG_VERSION").as_bytes());
    match &task.source {
        Source::Text(text) => add(text.as_bytes()),
        Source::File(path) => {
            add(&std::fs::read(path).unwrap_or_default());
            // a scene that cannot be read without its values names no files
            let options = Options {
                allow_outside: task.allow_outside,
                params: task.params.clone(),
                ..Options::default()
            };
            let files = kreisel_scene::load_as(path, &options).map(|s| s.files).unwrap_or_default();
            for file in files {
                add(&std::fs::read(file).unwrap_or_default());
            }
        }
    }
    for (name, value) in &task.params {
        add(name.as_bytes());
        add(&value.to_le_bytes());
    }
    for name in &task.names {
        add(name.as_bytes());
    }
    for (name, text) in measures {
        add(name.as_bytes());
        add(text.as_bytes());
    }
    add(&task.duration.map_or([255; 8], f64::to_le_bytes));
    for x in points.iter().flatten() {
        add(&x.to_le_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Runs points from `first` on, on threads, and gives their rows in order. False if it was
/// interrupted.
pub fn run(
    task: &Task,
    points: &[Vec<f64>],
    first: usize,
    threads: usize,
    interrupt: &Interrupt,
    mut each: impl FnMut(Row) -> Result<(), String>,
) -> Result<bool, String> {
    let next = AtomicUsize::new(first);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(point) = points.get(k).filter(|_| !interrupt.is_set()) else { break };
                    let Some(row) = task.run(k as u64, point, interrupt) else { break };
                    if sender.send(row).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);

        // rows that are early wait for those before them
        let (mut wanted, mut early) = (first as u64, BTreeMap::new());
        let mut failed = Ok(());
        for row in receiver {
            early.insert(row.index, row);
            while let Some(row) = early.remove(&wanted) {
                wanted += 1;
                if failed.is_ok() {
                    failed = each(row);
                }
            }
            if failed.is_err() {
                interrupt.set();
                break;
            }
        }
        failed.map(|()| wanted == points.len() as u64)
    })
}
