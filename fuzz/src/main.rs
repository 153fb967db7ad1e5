//! `cargo xtask fuzz`: mutated files of every format go through their loaders, bytes through the
//! targets of the geometry, and random programs of commands and steps through live worlds, for a
//! given time and from a given seed.
//!
//! A stable-toolchain driver: no coverage guides it, but it runs everywhere. Input number k of a
//! target follows from the seed and k alone, so that any input can be made again:
//! `--only NAME --seed S --first K --count 1 --keep`.
//!
//! A finding is a panic, an input that takes more than the target's time, or a process that grows
//! beyond 256 MB over what it began with. Panics and slow inputs are written to files and counted,
//! and the run goes on; the exit code is then 1. An input that ends the process (an abort, no
//! memory) lies in the last thousand before the number that was printed last.

mod corpus;
mod mutate;
mod sequence;
mod targets;

use mutate::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use targets::{TARGETS, Target};

/// Largest growth of the process's memory that one target may cause, in bytes (issue 3: 256 MB for
/// files up to 1 MB).
const MEMORY: u64 = 256 << 20;

/// Time after which an input that has not come back is taken for a hang, and the process is ended.
const HANG: Duration = Duration::from_secs(120);

/// Findings of one target that are kept; a broken target would fill the disk.
const MOST_KEPT: u64 = 20;

/// What the command line asks for.
struct Wish {
    minutes: f64,
    seed: u64,
    first: u64,
    count: u64,
    only: Option<String>,
    keep: bool,
    folder: PathBuf,
}

/// What a target has shown.
#[derive(Default)]
struct Tally {
    inputs: u64,
    panics: u64,
    slow: u64,
    worst: Duration,
}

fn main() {
    let wish = wish();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let chosen: Vec<&Target> =
        TARGETS.iter().filter(|t| wish.only.as_ref().is_none_or(|o| o == t.name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
        eprintln!("there is no such target; there are {}", names.join(", "));
        std::process::exit(2);
    }
    let each = Duration::from_secs_f64(wish.minutes * 60.0 / chosen.len() as f64);
    // The input is kept with its message; a backtrace for each would bury the report.
    std::panic::set_hook(Box::new(|_| {}));
    let mut findings = 0;
    for target in chosen {
        findings += run(target, &wish, &corpus::files(&root, target.name), each);
    }
    if findings > 0 {
        std::process::exit(1);
    }
}

/// Runs one target; gives the number of findings.
fn run(target: &Target, wish: &Wish, corpus: &[Vec<u8>], each: Duration) -> u64 {
    assert!(!corpus.is_empty(), "no files for {}", target.name);
    let start = Instant::now();
    let before = peak_memory();
    let watch = Watch::start(target.name, start);
    let mut tally = Tally::default();
    while start.elapsed() < each && tally.inputs < wish.count {
        let number = wish.first + tally.inputs;
        let input = mutate::mutate(corpus, &mut Random::new(wish.seed, number));
        if wish.keep {
            // Written before it is tried: an abort leaves it there.
            keep(wish, target.name, "input", number, &input);
        }
        let begin = Instant::now();
        watch.begin(number, begin.duration_since(start));
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        let mut took = begin.elapsed();
        if took > target.longest {
            // The machine may have been busy with something else: again, by the processor's time.
            took = took.min(processor_time(|| {
                drop(catch_unwind(AssertUnwindSafe(|| (target.run)(&input))))
            }));
        }
        if let Err(panic) = outcome {
            tally.panics += 1;
            let said = panic.downcast_ref::<String>().cloned();
            let said = said
                .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
                .unwrap_or_default();
            println!("{}: input {number} panics: {said}", target.name);
            if tally.panics <= MOST_KEPT {
                keep(wish, target.name, "panic", number, &input);
            }
        }
        if took > target.longest {
            tally.slow += 1;
            println!("{}: input {number} takes {took:?}", target.name);
            if tally.slow <= MOST_KEPT {
                keep(wish, target.name, "slow", number, &input);
            }
        }
        tally.worst = tally.worst.max(took);
        tally.inputs += 1;
    }
    watch.end();
    let grown = peak_memory().saturating_sub(before);
    let steps = sequence::STEPS.swap(0, Ordering::Relaxed);
    let made = if steps > 0 { format!(", {steps} steps") } else { String::new() };
    println!(
        "{}: {} inputs from {} files in {:.0} s{made}, longest {:?}, {} MB more memory, {} panics, {} slow",
        target.name,
        tally.inputs,
        corpus.len(),
        start.elapsed().as_secs_f64(),
        tally.worst,
        grown >> 20,
        tally.panics,
        tally.slow
    );
    tally.panics + tally.slow + u64::from(grown > MEMORY)
}

/// Processor time that something takes on this thread; the wall time where the system does not
/// tell.
fn processor_time(work: impl FnOnce()) -> Duration {
    let read = || -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok()
    };
    let (start, before) = (Instant::now(), read());
    work();
    match before.zip(read()) {
        Some((a, b)) => Duration::from_nanos(b - a),
        None => start.elapsed(),
    }
}

/// Writes a finding to its own file.
fn keep(wish: &Wish, target: &str, what: &str, number: u64, input: &[u8]) {
    let name = if what == "input" {
        format!("{target}-input")
    } else {
        format!("{target}-{what}-{number}")
    };
    let _ = std::fs::create_dir_all(&wish.folder);
    let path = wish.folder.join(name);
    if std::fs::write(&path, input).is_ok() && what != "input" {
        println!("  kept as {}", path.display());
    }
}

/// Most memory that the process has had, in bytes; zero where the system does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) << 10
}

/// A thread that ends the process when an input does not come back, and tells from time to time
/// where the run is.
struct Watch {
    state: std::sync::Arc<(AtomicU64, AtomicU64, AtomicU64)>,
    thread: std::thread::JoinHandle<()>,
}

impl Watch {
    fn start(name: &'static str, start: Instant) -> Self {
        let state = std::sync::Arc::new((AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)));
        let seen = std::sync::Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            let mut told = Instant::now();
            while seen.2.load(Ordering::Relaxed) == 0 {
                std::thread::park_timeout(Duration::from_secs(1));
                let (number, begun) =
                    (seen.0.load(Ordering::Relaxed), seen.1.load(Ordering::Relaxed));
                let since = start.elapsed().saturating_sub(Duration::from_micros(begun));
                if since > HANG && seen.2.load(Ordering::Relaxed) == 0 {
                    println!("{name}: input {number} does not end");
                    std::process::exit(1);
                }
                if told.elapsed() > Duration::from_secs(60) {
                    told = Instant::now();
                    println!("{name}: at input {number}");
                }
            }
        });
        Self { state, thread }
    }

    fn begin(&self, number: u64, at: Duration) {
        self.state.0.store(number, Ordering::Relaxed);
        self.state.1.store(at.as_micros() as u64, Ordering::Relaxed);
    }

    fn end(self) {
        self.state.2.store(1, Ordering::Relaxed);
        self.thread.thread().unpark();
        let _ = self.thread.join();
    }
}

fn wish() -> Wish {
    let args: Vec<String> = std::env::args().collect();
    let text =
        |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).cloned();
    let number = |name: &str| text(name).and_then(|t| t.parse::<u64>().ok());
    Wish {
        minutes: text("--minutes")
            .and_then(|t| t.parse().ok())
            .filter(|m| *m > 0.0 && *m < 1e6)
            .unwrap_or(1.0),
        seed: number("--seed").unwrap_or(1),
        first: number("--first").unwrap_or(0),
        count: number("--count").unwrap_or(u64::MAX),
        only: text("--only"),
        keep: args.iter().any(|a| a == "--keep"),
        folder: text("--folder")
            .map_or_else(|| std::env::temp_dir().join("kreisel-fuzz"), PathBuf::from),
    }
}
