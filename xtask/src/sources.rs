//! `cargo xtask sources`: every code of a source, such as the ones in comments and ids of
//! experiments, has a line in docs/sources.md, and every line there is used.
//!
//! A code is one or two capital letters, a hyphen and digits. Two of them with "to" between them
//! stand for all codes from the first to the last.

use crate::process::root;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The page that explains the codes.
const KEY: &str = "docs/sources.md";

/// Where codes are looked for. This chore itself is no such place.
const PLACES: [&str; 10] = [
    "bench/src",
    "crates",
    "docs",
    "fuzz",
    "matrix",
    "scenes",
    "validation",
    "web/src",
    "web/tests",
    ".",
];

/// Kinds of files that are read.
const ENDINGS: [&str; 6] = ["rs", "md", "toml", "ts", "css", "html"];

/// Folders of what is built or bought.
const SKIPPED: [&str; 4] = ["target", "node_modules", "dist", "pictures"];

/// Compares the codes of the tree with those of the key.
pub fn check() -> Result<(), String> {
    let mut used = BTreeMap::new();
    for place in PLACES {
        let mut files = Vec::new();
        collect(&root().join(place), place != ".", &mut files)?;
        for file in files {
            let name =
                file.strip_prefix(root()).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            if name != KEY {
                for (code, line) in codes(&read(&file)?) {
                    used.entry(code).or_insert_with(|| format!("{name}:{line}"));
                }
            }
        }
    }
    let page = read(&root().join(KEY))?;
    let mut explained = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, code) in page.lines().enumerate().filter_map(|(n, l)| Some((n + 1, row(l)?))) {
        if explained.insert(code.clone(), number).is_some() {
            wrong.push(format!("{KEY}:{number}: {code} has two lines"));
        }
    }
    for (code, place) in &used {
        if !explained.contains_key(code) {
            wrong.push(format!("{place}: {code} is not explained in {KEY}"));
        }
    }
    for (code, number) in &explained {
        if !used.contains_key(code) {
            wrong.push(format!("{KEY}:{number}: {code} occurs nowhere"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The code that a line of a table explains.
fn row(line: &str) -> Option<String> {
    let cell = line.strip_prefix("| ")?.split(" |").next()?;
    match codes(cell).as_slice() {
        [(code, _)] if code == cell => Some(code.clone()),
        _ => None,
    }
}

/// All codes of a text with their lines, those inside ranges included.
fn codes(text: &str) -> Vec<(String, usize)> {
    let leader = |word: &&str| !matches!(*word, "//" | "///" | "//!" | "#" | "*");
    let words: Vec<(&str, usize)> = text
        .lines()
        .enumerate()
        .flat_map(|(n, line)| line.split_whitespace().filter(leader).map(move |word| (word, n + 1)))
        .collect();
    let mut out = Vec::new();
    for (i, &(word, line)) in words.iter().enumerate() {
        let found = in_word(word);
        if let Some((first, from)) = found.last()
            && let [(_, _), ("to", _), (end, _), ..] = words[i..]
            && let Some((second, to)) = in_word(end).first()
            && prefix(first) == prefix(second)
        {
            let width = first.len() - prefix(first).len() - 1;
            out.extend((from + 1..*to).map(|k| (format!("{}-{k:0width$}", prefix(first)), line)));
        }
        out.extend(found.into_iter().map(|(code, _)| (code, line)));
    }
    out
}

/// The letters of a code.
fn prefix(code: &str) -> &str {
    code.split('-').next().unwrap_or_default()
}

/// Codes of one word with their numbers.
fn in_word(word: &str) -> Vec<(String, u32)> {
    let bytes = word.as_bytes();
    let part = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    let mut out = Vec::new();
    for (hyphen, _) in word.match_indices('-') {
        let letters = bytes[..hyphen].iter().rev().take_while(|c| c.is_ascii_uppercase()).count();
        let digits = bytes[hyphen + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
        let (start, end) = (hyphen - letters, hyphen + 1 + digits);
        let alone = !bytes[..start].last().is_some_and(|&c| part(c) || c == b'-' || c == b'.')
            && !bytes.get(end).is_some_and(|&c| part(c) || c == b'*');
        if (1..=2).contains(&letters)
            && alone
            && let Ok(number) = word[hyphen + 1..end].parse()
        {
            out.push((word[start..end].to_owned(), number));
        }
    }
    out
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
        } else if path.extension().is_some_and(|e| ENDINGS.iter().any(|ending| e == *ending)) {
            out.push(path);
        }
    }
    out.sort();
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        codes(text).into_iter().map(|(code, _)| code).collect()
    }

    #[test]
    fn codes_are_found_alone_in_ids_and_in_ranges() {
        assert_eq!(names("a joint (B-17, B-18; eq. 3)"), ["B-17", "B-18"]);
        assert_eq!(names("id = \"wagner/AT-01\"\n`bender/E-09(c)`"), ["AT-01", "E-09"]);
        assert_eq!(names("//! (B-08 to\n//! B-11)"), ["B-09", "B-10", "B-08", "B-11"]);
        assert_eq!(names("`lennerz/T-1-slow`"), ["T-1"]);
    }

    #[test]
    fn other_words_with_hyphens_are_no_codes() {
        assert!(
            names("UTF-8 x-1 MPL-2.0 A-b 1e-3 AVX-512 2026-11-18 --B-1 v.B-1 B-1x E-1*").is_empty()
        );
    }

    #[test]
    fn lines_of_tables_explain_a_code() {
        assert_eq!(row("| B-51 | 6.2 | different methods |").as_deref(), Some("B-51"));
        assert_eq!(row("| B-51 and B-52 | 6.2 | x |"), None);
        assert_eq!(row("B-51 is a code"), None);
    }
}
