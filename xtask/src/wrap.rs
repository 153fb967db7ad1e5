//! `cargo xtask wrap`: comments of the code and prose of the pages keep to 100 characters a line,
//! which rustfmt does not see to.
//!
//! A paragraph in which a line is too long is filled anew; all others stay as they are. Tables,
//! headings, pictures, formulas and code are left alone, and so are pages that a program prints.

use crate::process::root;
use std::path::{Path, PathBuf};

/// Characters in a line.
const WIDTH: usize = 100;

/// Where files are looked for; the root itself without its folders.
const PLACES: [&str; 10] = [
    ".",
    "bench/src",
    "bindings",
    "crates",
    "docs",
    "fuzz",
    "matrix",
    "web/src",
    "web/tests",
    "xtask",
];

/// Folders of what is built or bought.
const SKIPPED: [&str; 4] = ["target", "node_modules", "dist", "pictures"];

/// Written by programs.
const PRINTED: [&str; 2] = ["web/src/bindings.ts", "docs/bench.md"];

/// What follows this in a page is printed by a program.
const MARKER: &str = "<!-- Below this line: printed";

/// Wraps what is too long, or names the files that would change.
pub fn run(args: &[&str]) -> Result<(), String> {
    let check = match args {
        [] => false,
        ["--check"] => true,
        _ => return Err("cargo xtask wrap [--check]".into()),
    };
    let mut wrong = Vec::new();
    for place in PLACES {
        let mut files = Vec::new();
        collect(&root().join(place), place != ".", &mut files)?;
        for file in files {
            let name =
                file.strip_prefix(root()).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            if PRINTED.contains(&name.as_str()) {
                continue;
            }
            let old = std::fs::read_to_string(&file).map_err(|e| format!("{name}: {e}"))?;
            let new = if name.ends_with(".md") { page(&old) } else { code(&old) };
            if new != old && check {
                wrong.push(name);
            } else if new != old {
                std::fs::write(&file, new).map_err(|e| format!("{name}: {e}"))?;
                println!("{name}");
            }
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "lines beyond {WIDTH} characters (run `cargo xtask wrap`):\n{}",
            wrong.join("\n")
        ))
    }
}

fn collect(folder: &Path, deep: bool, out: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| format!("{}: {e}", folder.display()))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if deep && !SKIPPED.contains(&name.as_ref()) {
                collect(&path, deep, out)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs" || e == "ts" || e == "md") {
            out.push(path);
        }
    }
    out.sort();
    Ok(())
}

/// A page, down to the part that is printed.
fn page(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let end = lines.iter().position(|l| l.starts_with(MARKER)).unwrap_or(lines.len());
    let mut out = filled(&lines[..end], WIDTH);
    out.extend(lines[end..].iter().map(|l| (*l).to_owned()));
    out.join("\n")
}

/// The comments of a program.
fn code(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let (mut out, mut i) = (Vec::new(), 0);
    while i < lines.len() {
        let Some(head) = leader(lines[i]) else {
            out.push(lines[i].to_owned());
            i += 1;
            continue;
        };
        let block: Vec<&str> = lines[i..]
            .iter()
            .map_while(|l| (leader(l)? == head).then(|| &l[head.len()..]))
            .collect();
        i += block.len();
        let bare: Vec<&str> = block.iter().map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
        let width = WIDTH - head.chars().count() - 1;
        for line in filled(&bare, width) {
            out.push(format!("{head} {line}").trim_end().to_owned());
        }
    }
    out.join("\n")
}

/// Indentation and mark of a line that is nothing but a comment.
fn leader(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let mark = ["//!", "///", "//"].into_iter().find(|m| bare.starts_with(m))?;
    let rest = &bare[mark.len()..];
    (!rest.starts_with('/')).then(|| &line[..line.len() - rest.len()])
}

/// The lines with every paragraph filled that has one beyond the width.
fn filled(lines: &[&str], width: usize) -> Vec<String> {
    let (mut out, mut i) = (Vec::new(), 0);
    let (mut fence, mut listed) = (false, false);
    while i < lines.len() {
        let line = lines[i];
        let (item, indent) = (item(line), line.len() - line.trim_start().len());
        let listing = item.is_none() && indent >= 4 && !listed;
        if line.trim_start().starts_with("```") {
            fence = !fence;
        }
        if fence || fixed(line) || listing {
            out.push(line.to_owned());
            i += 1;
            continue;
        }
        let goes_on = |l: &&&str| {
            let deeper = l.len() - l.trim_start().len() >= 4;
            !fixed(l) && self::item(l).is_none() && (item.is_some() || !deeper || indent >= 4)
        };
        let more = lines[i + 1..].iter().take_while(goes_on).count();
        let paragraph = &lines[i..=i + more];
        i += 1 + more;
        listed = item.is_some() || listed && indent > 0;
        if paragraph.iter().all(|l| l.chars().count() <= width) {
            out.extend(paragraph.iter().map(|l| (*l).to_owned()));
            continue;
        }
        let first = &line[..item.unwrap_or(indent)];
        let rest = " ".repeat(first.chars().count());
        let text: Vec<&str> = paragraph
            .iter()
            .enumerate()
            .map(|(k, l)| if k == 0 { &l[first.len()..] } else { l.trim() })
            .collect();
        fill(&text.join(" "), first, &rest, width, &mut out);
    }
    out
}

/// Lines that stay as they are.
fn fixed(line: &str) -> bool {
    let bare = line.trim();
    let definition = bare.starts_with('[') && bare.contains("]: ");
    bare.is_empty()
        || definition
        || ["|", "#", "```", "![", "<", ">", "\\\\[", "----"].iter().any(|s| bare.starts_with(s))
}

/// Length of what stands before the text of an item of a list.
fn item(line: &str) -> Option<usize> {
    let bare = line.trim_start();
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let mark = if bare.starts_with(['-', '*']) {
        1
    } else if digits > 0 && bare[digits..].starts_with('.') {
        digits + 1
    } else {
        return None;
    };
    let blank = bare[mark..].len() - bare[mark..].trim_start().len();
    (blank > 0).then(|| line.len() - bare.len() + mark + blank)
}

/// Fills lines with the words of a text.
fn fill(text: &str, first: &str, rest: &str, width: usize, out: &mut Vec<String>) {
    let mut line = first.to_owned();
    let mut empty = true;
    for word in words(text) {
        let fits = line.chars().count() + 1 + word.chars().count() <= width;
        if !empty && !fits {
            out.push(std::mem::replace(&mut line, rest.to_owned()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += &word;
        empty = false;
    }
    out.push(line);
}

/// Words of a text; what is in backticks or a formula is one, and none that would start a list or a
/// heading stands alone.
fn words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let (mut word, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        let span = if c == '`' {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            rest[ticks..].find(&rest[..ticks]).map(|end| 2 * ticks + end)
        } else if rest.starts_with("\\\\(") {
            rest.find("\\\\)").map(|end| end + 3)
        } else {
            None
        };
        let length = span.unwrap_or(c.len_utf8());
        if c.is_whitespace() {
            push(&mut out, std::mem::take(&mut word));
        } else {
            word += &rest[..length];
        }
        rest = &rest[length..];
    }
    push(&mut out, word);
    out
}

fn push(words: &mut Vec<String>, word: String) {
    let number = word.trim_end_matches(['.', ')']);
    let enumerates = number.len() < word.len()
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit());
    let marks = ["|", "#", "//", ">"].iter().any(|m| word.starts_with(m))
        || matches!(&*word, "-" | "+" | "*" | "=");
    match words.last_mut() {
        _ if word.is_empty() => {}
        Some(last) if enumerates || marks => {
            last.push(' ');
            *last += &word;
        }
        _ => words.push(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paragraphs_with_a_long_line_are_filled() {
        let short = "one\ntwo\n\n- three\n  four";
        assert_eq!(page(short), short);
        let long = format!("{} and `code with blanks` - end", "word ".repeat(19).trim());
        let wrapped = page(&format!("a\nb\n\n{long}"));
        assert_eq!(
            wrapped,
            format!("a\nb\n\n{}\n`code with blanks` - end", "word ".repeat(19) + "and")
        );
    }

    #[test]
    fn comments_keep_their_marks_and_lists_their_indent() {
        let text = format!("    /// * {}\nlet x = 1;\n", "word ".repeat(19).trim());
        let line = "word ".repeat(18);
        let expected = format!("    /// * {}\n    ///   word\nlet x = 1;\n", line.trim());
        assert_eq!(code(&text), expected);
    }

    #[test]
    fn tables_code_and_formulas_stay() {
        let wide = "x".repeat(120);
        for text in [
            format!("| {wide} |"),
            format!("```\n{wide} a\n```"),
            format!("    {wide} a"),
            format!("\\\\[ {wide} a"),
        ] {
            assert_eq!(page(&text), text);
        }
        assert_eq!(code(&format!("let s = \"{wide} a\";")), format!("let s = \"{wide} a\";"));
    }
}
