//! `<include file="…"/>` of MJCF: the elements of other files take its place.
//!
//! As in MuJoCo, paths start from the folder of the main file, or from that of the file that names
//! them where the main folder has no such file, and a file is included once.

use super::{document, xml};
use crate::problem::Code;
use crate::read::Reader;
use crate::source::{Piece, Source, Span};
use std::path::{Path, PathBuf};

/// Most files that include each other, one inside the other.
const MAX_DEPTH: usize = 16;

/// The text under way.
struct Whole {
    text: String,
    pieces: Vec<Piece>,
    /// Files being read, from the outermost to the innermost.
    stack: Vec<PathBuf>,
    /// Files that have been read.
    known: Vec<PathBuf>,
    /// Folder of the main file, as the user wrote it.
    shown: PathBuf,
    /// Folder of the file being read, from that of the main file.
    folder: PathBuf,
}

/// The text that the reader is at, with what it includes in place; itself if it includes nothing.
pub(super) fn whole(reader: &mut Reader) -> Option<Source> {
    let main = reader.source.clone();
    if !main.text.contains("<include") {
        return Some(main);
    }
    // URDF has no such element: there it is left out with a warning.
    let document = document(reader, &main.text)?;
    if !document.root_element().has_tag_name("mujoco") {
        return Some(main);
    }
    let own = Path::new(&*main.name)
        .file_name()
        .zip(reader.folder.as_ref())
        .map(|(name, folder)| folder.join(name));
    let path = own.and_then(|p| reader.files.shelf.canonical(&p).ok());
    let stack: Vec<PathBuf> = path.into_iter().collect();
    let shown = Path::new(&*main.name).parent().map(Path::to_path_buf).unwrap_or_default();
    let mut whole = Whole {
        text: String::new(),
        pieces: Vec::new(),
        known: stack.clone(),
        stack,
        shown,
        folder: PathBuf::new(),
    };
    let before = reader.errors();
    whole.add(reader, &main, &document, 0..main.text.len());
    (reader.errors() == before)
        .then(|| Source::of_pieces(main.name.clone(), whole.text, whole.pieces))
}

impl Whole {
    /// Adds a part of a file, with other files in place of its `<include>`.
    fn add(
        &mut self,
        reader: &mut Reader,
        source: &Source,
        document: &roxmltree::Document<'_>,
        part: Span,
    ) {
        let mut from = part.start;
        for node in document.descendants().filter(|n| n.has_tag_name("include")) {
            let range = node.range();
            if range.start < from || range.end > part.end {
                continue;
            }
            self.copy(source, from..range.start);
            from = range.end;
            if let Some(file) = xml::required(reader, node, "file") {
                self.file(reader, file, &xml::place(node, "file"));
            }
        }
        self.copy(source, from..part.end);
    }

    fn copy(&mut self, source: &Source, span: Span) {
        self.pieces.push(Piece {
            start: self.text.len(),
            source: source.clone(),
            span: span.clone(),
        });
        self.text.push_str(source.excerpt(&span));
    }

    /// Adds what stands inside the first element of a file.
    fn file(&mut self, reader: &mut Reader, file: &str, span: &Span) {
        let is_there = |path: &Path| reader.is_file(path);
        let beside = self.folder.join(file);
        let file = if !is_there(Path::new(file)) && is_there(&beside) {
            beside
        } else {
            PathBuf::from(file)
        };
        let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        let file = &*file.to_string_lossy();
        let Some(path) = reader.file_path(file, span) else { return };
        // One file once, and not inside itself.
        if self.stack.contains(&path) {
            reader.error(Code::Cycle, span, format!("\"{file}\" includes itself"), "cyclic");
            return;
        }
        if self.known.contains(&path) {
            let help = "MuJoCo, too, includes a file once; leave one of them out";
            reader
                .error(
                    Code::DuplicateName,
                    span,
                    format!("\"{file}\" is included twice"),
                    "second time",
                )
                .help(help);
            return;
        }
        if self.stack.len() >= MAX_DEPTH {
            let message = format!("files include each other more than {MAX_DEPTH} deep");
            reader.error(Code::TooLarge, span, message, "too deep");
            return;
        }
        let Some(found) = reader.file_at(path.clone(), file, span) else { return };
        let Some(text) = reader.utf8(file, found.bytes, span) else { return };
        self.known.push(path.clone());
        // The problems of the file are told at their places in it; its paths start from the main
        // folder.
        let source = Source::new(self.shown.join(file).display().to_string(), text);
        let outer = reader.enter(&source, reader.folder.clone().as_ref());
        self.stack.push(path);
        let folder = std::mem::replace(&mut self.folder, folder);
        if let Some(document) = document(reader, &source.text) {
            let root = document.root_element();
            match (root.tag_name().name(), root.first_child(), root.last_child()) {
                ("mujoco" | "mujocoinclude", Some(first), Some(last)) => {
                    self.add(reader, &source, &document, first.range().start..last.range().end);
                }
                ("mujoco" | "mujocoinclude", ..) => {}
                (other, ..) => {
                    let message = format!("<{other}> is no part of a model (MJCF)");
                    let help = "included files begin with <mujoco> or <mujocoinclude>";
                    reader
                        .error(Code::Syntax, &xml::tag(root), message, "first element")
                        .help(help);
                }
            }
        }
        self.folder = folder;
        self.stack.pop();
        reader.leave(outer);
    }
}
