//! Workers: other processes of this program, so that a cell that does not end or falls takes
//! nothing with it.

use crate::cell::{Outcome, Verdict};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often the processor time of a worker is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Wall time is at most so many times the processor time that is allowed: a worker that sleeps or
/// waits ends, too.
const WAITING: u32 = 20;

/// Ticks a second in which Linux counts processor time for programs (`sysconf(_SC_CLK_TCK)`).
const TICKS: f64 = 100.0;

/// Most time for a reference, s.
const REFERENCE_TIME: u64 = 60;

/// A process that answers one line with one line.
struct Worker {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// What came of a question.
enum Reply {
    Line(String),
    Late,
    Gone,
}

impl Worker {
    fn new() -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut child = Command::new(program)
            .arg("--worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| e.to_string())?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a worker without pipes".into());
        };
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, lines })
    }

    fn ask(&mut self, question: &str, limit: Duration) -> Reply {
        if writeln!(self.input, "{question}").is_err() {
            return Reply::Gone;
        }
        // on a busy machine the time that the worker computes counts, not the time that it waits
        let (begun, used) = (Instant::now(), self.processor_time());
        loop {
            match self.lines.recv_timeout(LOOK.min(limit)) {
                Ok(line) => return Reply::Line(line),
                Err(RecvTimeoutError::Disconnected) => return Reply::Gone,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let computed = match (used, self.processor_time()) {
                (Some(before), Some(now)) => now.saturating_sub(before),
                _ => begun.elapsed(),
            };
            if computed >= limit || begun.elapsed() >= WAITING * limit {
                return Reply::Late;
            }
        }
    }

    /// Processor time of the worker so far, where the system tells it (Linux: fields 14 and 15 of
    /// `/proc/PID/stat`, counted behind the name in brackets).
    fn processor_time(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
        let user: f64 = fields.next()?.parse().ok()?;
        let system: f64 = fields.next()?.parse().ok()?;
        Some(Duration::from_secs_f64((user + system) / TICKS))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A case with the outcomes of its ways, or why there is no reference.
pub type Row = (usize, Result<Vec<(usize, Outcome)>, String>);

/// Runs all cells; `each` is called when a case is done.
pub fn run(
    cases: &[(usize, Vec<usize>)],
    threads: usize,
    limit: Duration,
    each: impl Fn(usize) + Sync,
) -> Result<Vec<Row>, String> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let rows: Mutex<Vec<Row>> = Mutex::default();
    let failure: Mutex<Option<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut worker = None;
                while let Some((case, ways)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match one(&mut worker, *case, ways, limit) {
                        Ok(row) => {
                            if let Ok(mut rows) = rows.lock() {
                                rows.push((*case, row));
                            }
                        }
                        Err(e) => {
                            if let Ok(mut f) = failure.lock() {
                                *f = Some(e);
                            }
                            break;
                        }
                    }
                    each(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        }
    });
    if let Ok(Some(e)) = failure.into_inner() {
        return Err(e);
    }
    let mut rows = rows.into_inner().map_err(|e| e.to_string())?;
    rows.sort_by_key(|r| r.0);
    Ok(rows)
}

/// All ways of one case.
fn one(
    worker: &mut Option<Worker>,
    case: usize,
    ways: &[usize],
    limit: Duration,
) -> Result<Result<Vec<(usize, Outcome)>, String>, String> {
    let mut ask = |question: &str, limit: Duration| -> Result<Reply, String> {
        let mut live = match worker.take() {
            Some(w) => w,
            None => Worker::new()?,
        };
        let reply = live.ask(question, limit);
        // a worker that is late or gone is replaced
        if matches!(reply, Reply::Line(_)) {
            *worker = Some(live);
        }
        Ok(reply)
    };
    // the reference first: its time does not count for the first cell
    match ask(&format!("{case}"), Duration::from_secs(REFERENCE_TIME))? {
        Reply::Line(line) if line.is_empty() => {}
        Reply::Line(line) => return Ok(Err(line)),
        Reply::Late => return Ok(Err("the reference takes too long".into())),
        Reply::Gone => return Ok(Err("the reference fell".into())),
    }
    let mut outcomes = Vec::new();
    for &way in ways {
        let outcome = match ask(&format!("{case} {way}"), limit)? {
            Reply::Line(line) => serde_json::from_str(&line).map_err(|e| format!("{e}: {line}"))?,
            Reply::Late => {
                Outcome::of(Verdict::Endless, format!("not done in {} s", limit.as_secs()))
            }
            Reply::Gone => Outcome::of(Verdict::Crash, "the program fell"),
        };
        outcomes.push((way, outcome));
    }
    Ok(Ok(outcomes))
}

/// The worker's side: references are kept for the case at hand.
pub fn serve() -> Result<(), String> {
    let cases = crate::list::cases();
    let mut known: Option<(usize, Result<crate::cell::Expected, String>)> = None;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let mut numbers = line.split(' ').filter_map(|w| w.parse::<usize>().ok());
        let case_number = numbers.next().ok_or("no case")?;
        let case = cases.get(case_number).ok_or("no such case")?;
        if known.as_ref().is_none_or(|k| k.0 != case_number) {
            known = Some((case_number, crate::cell::expect(case)));
        }
        let Some((_, expected)) = &known else { continue };
        let answer = match (expected, numbers.next()) {
            (Err(e), _) => e.clone(),
            (Ok(_), None) => String::new(),
            (Ok(expected), Some(way)) => {
                let way = crate::way::ALL.get(way).ok_or("no such way")?;
                serde_json::to_string(&crate::cell::judge(case, way, expected))
                    .map_err(|e| e.to_string())?
            }
        };
        println!("{}", answer.replace('\n', " "));
    }
    Ok(())
}
