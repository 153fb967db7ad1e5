//! One file of a scene: its tree, and the files that it includes.

use crate::import;
use crate::json;
use crate::node::{Table, Value};
use crate::problem::Code;
use crate::read::Reader;
use crate::source::{Source, Span};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

/// Most files that include or hold each other, one inside the other.
const MAX_DEPTH: usize = 16;

/// A file that has been parsed, with all that it includes.
pub(super) struct Document {
    pub source: Source,
    /// Folder that its paths start from.
    pub folder: Option<PathBuf>,
    /// Its path without links, if it is a file.
    pub path: Option<PathBuf>,
    pub table: Table,
    pub includes: Vec<Rc<Document>>,
}

/// The files that have been parsed, and those that are being read, from the outermost to the
/// innermost.
#[derive(Default)]
pub(super) struct Library {
    known: BTreeMap<PathBuf, Rc<Document>>,
    stack: Vec<PathBuf>,
}

impl Document {
    /// The files in the order in which they are read: what a file includes comes before it, each
    /// once.
    pub fn order<'d>(self: &'d Rc<Self>, out: &mut Vec<&'d Rc<Self>>) {
        if out.iter().any(|d| Rc::ptr_eq(d, self)) {
            return;
        }
        for include in &self.includes {
            include.order(out);
        }
        out.push(self);
    }
}

impl Library {
    /// Parses the text that the reader is at, and everything it includes.
    pub fn parse(&mut self, reader: &mut Reader, path: Option<PathBuf>) -> Option<Rc<Document>> {
        let (source, table) = tree(reader)?;
        let folder = reader.folder.clone();
        let includes = self.within(path.as_ref(), |library| library.includes(reader, &table));
        let document = Rc::new(Document { source, folder, path, table, includes: includes? });
        if let Some(path) = &document.path {
            self.known.insert(path.clone(), Rc::clone(&document));
        }
        Some(document)
    }

    /// Does something while a file counts as being read, so that one that holds itself is noticed.
    pub fn within<T>(&mut self, path: Option<&PathBuf>, action: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.stack.len();
        self.stack.extend(path.cloned());
        let out = action(self);
        self.stack.truncate(depth);
        out
    }

    fn includes(&mut self, reader: &mut Reader, table: &Table) -> Option<Vec<Rc<Document>>> {
        let Some(node) = table.get("include") else { return Some(Vec::new()) };
        let list = match &node.value {
            Value::Array(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let mut out = Vec::new();
        for item in list {
            let relative = reader.text(item)?;
            out.push(self.open(reader, &relative, &item.span)?);
        }
        Some(out)
    }

    /// The document of a file that the text names; parsed once.
    pub fn open(
        &mut self,
        reader: &mut Reader,
        relative: &str,
        span: &Span,
    ) -> Option<Rc<Document>> {
        let path = reader.file_path(relative, span)?;
        if let Some(at) = self.stack.iter().position(|p| *p == path) {
            let chain: Vec<String> = self.stack[at..]
                .iter()
                .chain([&path])
                .map(|p| {
                    p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
                })
                .collect();
            let message = format!("\"{relative}\" holds itself");
            let help = format!("{}: leave one of them out", chain.join(" reads "));
            reader.error(Code::Cycle, span, message, "cyclic").help(help);
            return None;
        }
        if self.stack.len() >= MAX_DEPTH {
            let message = format!("files are read inside each other more than {MAX_DEPTH} deep");
            reader.error(Code::TooLarge, span, message, "too deep");
            return None;
        }
        if let Some(known) = self.known.get(&path) {
            return Some(Rc::clone(known));
        }
        let found = reader.file_at(path, relative, span)?;
        let text = reader.utf8(relative, found.bytes, span)?;
        let folder = found.path.parent().map(PathBuf::from);
        let outer = reader.enter(&Source::new(found.name, text), folder.as_ref());
        let document = self.parse(reader, Some(found.path));
        reader.leave(outer);
        document
    }
}

/// The tree of the text that the reader is at, by the ending of its name, and the text that its
/// places lie in: that of a model which includes others is put together from theirs.
pub(crate) fn tree(reader: &mut Reader) -> Option<(Source, Table)> {
    let source = reader.source.clone();
    let ending = source.name.rsplit_once('.').map_or("", |(_, e)| e).to_ascii_lowercase();
    match ending.as_str() {
        "json" => of_json(reader, &source.text).map(|t| (source, t)),
        "urdf" | "xml" | "mjcf" | "sdf" | "world" => import::tree(reader),
        _ => of_toml(reader, &source.text).map(|t| (source, t)),
    }
}

fn of_toml(reader: &mut Reader, text: &str) -> Option<Table> {
    let (document, errors) = toml::de::DeTable::parse_recoverable(text);
    let wrong = !errors.is_empty();
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        reader.error(Code::Syntax, &span, error.message().trim_end().to_owned(), "here");
    }
    (!wrong).then(|| Table::from_toml(document.get_ref()))
}

fn of_json(reader: &mut Reader, text: &str) -> Option<Table> {
    match json::parse(text) {
        Ok(table) => Some(table),
        Err((message, span)) => {
            reader.error(Code::Syntax, &span, message, "here");
            None
        }
    }
}
