//! A journal in the making: in memory for those who ask for it, and in a file as it happens.

use super::{Header, Line};
use crate::protocol::Command;
use crate::session::Session;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Most bytes of a journal; after that the session goes on without one, and says so.
const MOST: usize = 256 << 20;

/// A journal in the making.
pub struct Journal {
    text: String,
    full: bool,
    /// Where each line goes at once, so that no kind of death loses it.
    file: Option<(PathBuf, File)>,
}

impl Journal {
    /// A journal in memory that has its header only.
    pub fn new(header: &Header) -> Self {
        let mut text = serde_json::to_string(header).unwrap_or_default();
        text.push('\n');
        Self { text, full: false, file: None }
    }

    /// The same, with a file that gets every line as it happens.
    pub fn create(path: &Path, header: &Header) -> io::Result<Self> {
        let mut journal = Self::new(header);
        let mut file = kreisel_scene::record::create(path)?;
        file.write_all(journal.text.as_bytes())?;
        journal.file = Some((path.to_path_buf(), file));
        Ok(journal)
    }

    /// Notes a command before it is applied; false when there is no more room for it.
    pub fn note(&mut self, step: u64, client: u32, command: &Command) -> bool {
        if self.full {
            return false;
        }
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

    /// Adds a line to the text and to the file; false when the disk is full.
    fn append(&mut self, line: &Line) -> bool {
        let start = self.text.len();
        self.text.push_str(&serde_json::to_string(line).unwrap_or_default());
        self.text.push('\n');
        // One write for a line: what a death cuts off is at most its end.
        self.file.as_mut().is_none_or(|(_, file)| file.write_all(&self.text.as_bytes()[start..]).is_ok())
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
        let ending = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
        let path =
            path.with_file_name(format!("{}-{number}{ending}", stem.trim_end_matches(&format!("-{}", number - 1))));
        Self::create(&path, header).unwrap_or_else(|_| Self::new(header))
    }

    /// Writes the last line to the file.
    pub fn close(mut self, session: &Session) {
        if self.file.is_some() && !self.full {
            self.append(&end(session));
        }
    }
}

fn end(session: &Session) -> Line {
    Line::End { steps: session.steps(), hash: session.hash() }
}
