//! A journal in the making: in memory for those who ask for it, and in a file as it happens.

use super::{Header, Line};
use crate::protocol::Command;
use crate::session::Session;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Most bytes of a journal; after that the session goes on without one, and says so.
const MOST: usize = 256 << 20;
/// Time between two times that the file is brought to the disk.
const SYNC: Duration = Duration::from_millis(500);

/// A journal in the making.
pub struct Journal {
    text: String,
    full: bool,
    /// Where each line goes at once, so that no death of the program loses it.
    file: Option<(PathBuf, Arc<Written>)>,
    /// Steps that the last line knows of.
    last: u64,
}

/// A file that is brought to the disk once a second, so that no death of the machine loses more.
struct Written {
    file: File,
    dirty: AtomicBool,
}

impl Written {
    /// The file, with a thread that ends when nobody writes any more. Bringing a file to a disk may
    /// take long: the simulation does not wait for it.
    fn start(file: File) -> Arc<Self> {
        let written = Arc::new(Self { file, dirty: AtomicBool::new(true) });
        let weak = Arc::downgrade(&written);
        let sync = move || {
            while let Some(written) = weak.upgrade() {
                if written.dirty.swap(false, Ordering::Relaxed) {
                    // a disk that fails is noticed by the next line
                    let _ = written.file.sync_data();
                }
                drop(written);
                std::thread::sleep(SYNC);
            }
        };
        // without the thread the system brings it to the disk when it likes
        let _ = std::thread::Builder::new().name("journal".into()).spawn(sync);
        written
    }

    fn write(&self, bytes: &[u8]) -> bool {
        let done = (&self.file).write_all(bytes).is_ok();
        self.dirty.store(true, Ordering::Relaxed);
        done
    }
}

impl Journal {
    /// A journal in memory that has its header only.
    pub fn new(header: &Header) -> Self {
        let mut text = serde_json::to_string(header).unwrap_or_default();
        text.push('\n');
        Self { text, full: false, file: None, last: 0 }
    }

    /// The same, with a file that gets every line as it happens.
    pub fn create(path: &Path, header: &Header) -> io::Result<Self> {
        let mut journal = Self::new(header);
        let mut file = kreisel_scene::record::create(path)?;
        file.write_all(journal.text.as_bytes())?;
        journal.file = Some((path.to_path_buf(), Written::start(file)));
        Ok(journal)
    }

    /// Notes a command before it is applied; false when there is no more room for it.
    pub fn note(&mut self, step: u64, client: u32, command: &Command) -> bool {
        if self.full {
            return false;
        }
        self.last = step;
        let line = Line::Command { step, client, command: Box::new(command.clone()) };
        let kept = self.append(&line);
        self.full = !kept || self.text.len() > MOST;
        !self.full
    }

    /// Notes that a step spent its time budget.
    pub fn note_cut(&mut self, step: u64) {
        if !self.full {
            self.full = !self.append(&Line::Cut { cut: step });
        }
    }

    /// Notes where the session is, if it has gone on since the last line: a replay of what died
    /// comes to here. Only a file is told: whoever asks for the text gets its end.
    pub fn beat(&mut self, session: &Session) {
        if self.full || self.last == session.steps() {
            return;
        }
        self.last = session.steps();
        if let Some((_, file)) = &self.file {
            let line = Line::At { at: session.steps(), hash: session.hash() };
            let mut text = serde_json::to_string(&line).unwrap_or_default();
            text.push('\n');
            self.full = !file.write(text.as_bytes());
        }
    }

    /// Adds a line to the text and to the file; false when the disk is full.
    fn append(&mut self, line: &Line) -> bool {
        let start = self.text.len();
        self.text.push_str(&serde_json::to_string(line).unwrap_or_default());
        self.text.push('\n');
        // One write for a line: what a death cuts off is at most its end.
        self.file.as_ref().is_none_or(|(_, file)| file.write(&self.text.as_bytes()[start..]))
    }

    /// Bytes so far: equal numbers mean that nothing was noted in between.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The file that it is written to.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|f| &*f.0)
    }

    /// The journal as it stands, closed with the present state.
    pub fn text(&self, session: &Session) -> String {
        format!("{}{}\n", self.text, serde_json::to_string(&end(session)).unwrap_or_default())
    }

    /// The journal of a world that cannot be asked any more.
    pub fn open_text(&self) -> &str {
        &self.text
    }

    /// The journal of another world after this one has ended: beside the file of this one, which
    /// stays ("s.jsonl", "s-2.jsonl").
    pub fn another(&self, number: u32, header: &Header) -> Self {
        let Some((path, _)) = &self.file else { return Self::new(header) };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let ending =
            path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
        let path = path.with_file_name(format!(
            "{}-{number}{ending}",
            stem.trim_end_matches(&format!("-{}", number - 1))
        ));
        Self::create(&path, header).unwrap_or_else(|_| Self::new(header))
    }

    /// Writes the last line to the file.
    pub fn close(mut self, session: &Session) {
        if self.file.is_some() && !self.full {
            self.append(&end(session));
        }
        if let Some((_, file)) = &self.file {
            let _ = file.file.sync_data();
        }
    }
}

fn end(session: &Session) -> Line {
    Line::End { steps: session.steps(), hash: session.hash() }
}
