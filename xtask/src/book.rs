//! The book as pages of the static site: what Markdown the chapters use, turned into HTML, with a
//! list of chapters beside it. Pictures of scenes and links to scene files lead to the viewer.
//! Formulas stay as they are written.

use crate::docs;
use crate::process::root;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const STYLE: &str = "\
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { margin: 0; display: grid; grid-template-columns: minmax(180px, 260px) minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 16px; box-sizing: border-box; border-right: 1px solid #8884; font-size: 14px; }
nav a { display: block; padding: 2px 0; color: inherit; text-decoration: none; }
nav a[aria-current] { font-weight: 600; }
main { padding: 16px 32px 64px; max-width: 900px; }
pre { padding: 12px; overflow: auto; border-radius: 6px; background: #8882; }
code { font-size: 0.9em; }
table { border-collapse: collapse; display: block; overflow: auto; }
th, td { border: 1px solid #8884; padding: 4px 10px; text-align: left; vertical-align: top; }
img { max-width: 100%; background: #fff; }
@media (max-width: 700px) { body { display: block; } nav { position: static; height: auto; border: 0; } }";

/// A chapter: its file below `docs`, and its title.
struct Chapter {
    file: String,
    title: String,
}

/// Writes the book into the folder.
pub fn write(folder: &Path) -> Result<(), String> {
    let chapters = chapters()?;
    let scenes: BTreeMap<String, String> =
        docs::shown()?.into_iter().map(|scene| (docs::picture(&scene), scene)).collect();
    for chapter in chapters.iter().filter(|c| !c.file.is_empty()) {
        let path = root().join("docs").join(&chapter.file);
        let text =
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let up = "../".repeat(chapter.file.matches('/').count());
        let body = Page { scenes: &scenes, up: &up, file: &chapter.file }.html(&text);
        let mut list = String::new();
        for c in &chapters {
            if c.file.is_empty() {
                let _ = writeln!(list, "<h4>{}</h4>", escaped(&c.title));
                continue;
            }
            let here = if c.file == chapter.file { " aria-current=\"page\"" } else { "" };
            let (to, title) = (html_name(&c.file), escaped(&c.title));
            let _ = writeln!(list, "<a href=\"{up}{to}\"{here}>{title}</a>");
        }
        let page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
             <title>{} · Kreisel</title>\n<link rel=\"icon\" href=\"data:,\" />\n\
             <style>\n{STYLE}\n</style>\n</head>\n<body>\n<nav>\n\
             <a href=\"{up}../index.html\">Kreisel: all scenes</a>\n{list}</nav>\n\
             <main>\n{body}</main>\n</body>\n</html>\n",
            escaped(&chapter.title)
        );
        let to = folder.join(html_name(&chapter.file));
        let parent = to.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
        std::fs::write(&to, page).map_err(|e| format!("{}: {e}", to.display()))?;
    }
    Ok(())
}

/// Chapters in the order of the summary; a heading is one without a file.
fn chapters() -> Result<Vec<Chapter>, String> {
    let path = root().join("docs/SUMMARY.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut out = Vec::new();
    for line in text.lines() {
        if let Some((title, rest)) = line.strip_prefix("- [").and_then(|l| l.split_once("](")) {
            let file = rest.trim_end_matches(')').to_owned();
            out.push(Chapter { file, title: title.to_owned() });
        } else if let Some(title) = line.strip_prefix("# ").filter(|t| *t != "Summary") {
            out.push(Chapter { file: String::new(), title: title.to_owned() });
        }
    }
    Ok(out)
}

fn html_name(file: &str) -> String {
    file.replace(".md", ".html")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A heading's name in links: as the book's other renderers make it.
fn anchor(text: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || c == '-' || c == '_' || c == ' ';
    text.chars().filter(|c| kept(*c)).collect::<String>().to_lowercase().replace(' ', "-")
}

/// A chapter that is being turned.
struct Page<'a> {
    /// Scenes by the names of their pictures.
    scenes: &'a BTreeMap<String, String>,
    /// From the chapter to the book's folder.
    up: &'a str,
    file: &'a str,
}

impl Page<'_> {
    fn html(&self, text: &str) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let (mut out, mut at) = (String::new(), 0);
        while at < lines.len() {
            let line = lines[at];
            let trimmed = line.trim_start();
            if trimmed.is_empty() || trimmed.starts_with("<!--") {
                at += 1;
            } else if let Some(fence) = trimmed.strip_prefix("```") {
                at = code(&lines, at, fence, &mut out);
            } else if let Some(words) = heading(line) {
                let level = line.len() - line.trim_start_matches('#').len();
                let inner = self.inline(words);
                let _ = writeln!(out, "<h{level} id=\"{}\">{inner}</h{level}>", anchor(words));
                at += 1;
            } else if line.starts_with('|') {
                at = self.table(&lines, at, &mut out);
            } else if item(line).is_some() {
                at = self.list(&lines, at, &mut out);
            } else {
                let end =
                    (at..lines.len()).find(|k| ends_paragraph(lines[*k])).unwrap_or(lines.len());
                let end = end.max(at + 1);
                let _ = writeln!(out, "<p>{}</p>", self.inline(&lines[at..end].join("\n")));
                at = end;
            }
        }
        out
    }

    fn table(&self, lines: &[&str], mut at: usize, out: &mut String) -> usize {
        let begin = at;
        out.push_str("<table>\n");
        while at < lines.len() && lines[at].starts_with('|') {
            let rule = |c: &String| !c.is_empty() && c.chars().all(|c| "-: ".contains(c));
            let cells = cells(lines[at]);
            if at != begin + 1 || !cells.iter().all(rule) {
                let tag = if at == begin { "th" } else { "td" };
                let row: String =
                    cells.iter().map(|c| format!("<{tag}>{}</{tag}>", self.inline(c))).collect();
                let _ = writeln!(out, "<tr>{row}</tr>");
            }
            at += 1;
        }
        out.push_str("</table>\n");
        at
    }

    /// A list; lines that are indented belong to the item above them, items of their own among
    /// them.
    fn list(&self, lines: &[&str], mut at: usize, out: &mut String) -> usize {
        let ordered = item(lines[at]).is_some_and(|(mark, _)| mark.ends_with('.'));
        let tag = if ordered { "ol" } else { "ul" };
        let _ = writeln!(out, "<{tag}>");
        while let Some((mark, first)) = lines.get(at).and_then(|l| item(l)) {
            let width = mark.len() + 1;
            let mut inner = vec![first];
            at += 1;
            while at < lines.len() {
                let line = lines[at];
                let indented = line.starts_with("  ");
                let blank = line.trim().is_empty();
                let goes_on = lines.get(at + 1).is_some_and(|l| l.starts_with("  "));
                if !(indented || blank && goes_on || !blank && item(line).is_none()) {
                    break;
                }
                if !indented && !blank && (heading(line).is_some() || ends_paragraph(line)) {
                    break;
                }
                let cut = line.len() - line.trim_start().len();
                inner.push(line.get(width.min(cut)..).unwrap_or_default());
                at += 1;
            }
            let own = self.html(&inner.join("\n"));
            // an item of one paragraph is written without one
            let plain = own.trim_end().strip_prefix("<p>").and_then(|p| p.strip_suffix("</p>"));
            let own = plain.filter(|p| !p.contains("<p>")).map_or(own.clone(), str::to_owned);
            let _ = writeln!(out, "<li>{own}</li>");
        }
        let _ = writeln!(out, "</{tag}>");
        at
    }

    /// Code, pictures, links and bold words of a text.
    fn inline(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some(next) = rest.chars().next() {
            // code stands as it is, between marks of any length
            if next == '`' {
                let length = rest.len() - rest.trim_start_matches('`').len();
                let (marks, after) = rest.split_at(length);
                if let Some(end) = after.find(marks) {
                    let _ = write!(out, "<code>{}</code>", escaped(after[..end].trim()));
                    rest = &after[end + length..];
                    continue;
                }
            }
            if let Some((words, to, after)) = rest.strip_prefix("![").and_then(link) {
                out.push_str(&self.picture(words, to));
                rest = after;
                continue;
            }
            if let Some((words, to, after)) = rest.strip_prefix('[').and_then(link) {
                let inner = self.inline(words);
                match self.address(to) {
                    Some(address) => {
                        let _ = write!(out, "<a href=\"{}\">{inner}</a>", escaped(&address));
                    }
                    None => out.push_str(&inner),
                }
                rest = after;
                continue;
            }
            if let Some((bold, after)) = rest.strip_prefix("**").and_then(|r| r.split_once("**")) {
                let _ = write!(out, "<strong>{}</strong>", self.inline(bold));
                rest = after;
                continue;
            }
            // the marks of formulas are written with two strokes
            let taken = if rest.starts_with("\\\\") { 2 } else { next.len_utf8() };
            out.push_str(if taken == 2 { "\\" } else { "" });
            if taken != 2 {
                out.push_str(&escaped(&rest[..taken]));
            }
            rest = &rest[taken..];
        }
        out
    }

    /// A picture; that of a scene leads to the scene.
    fn picture(&self, words: &str, to: &str) -> String {
        let words = escaped(words);
        let name = to.trim_start_matches("../");
        let image =
            format!("<img src=\"{}../{name}\" alt=\"{words}\" loading=\"lazy\" />", self.up);
        match self.scenes.get(name) {
            Some(scene) => {
                let scene = scene.trim_start_matches("scenes/");
                format!("<a href=\"{}../view.html?scene={scene}\">{image}</a>", self.up)
            }
            None => image,
        }
    }

    /// Where a link leads on the site; nothing for what is not part of it.
    fn address(&self, to: &str) -> Option<String> {
        if to.starts_with("http") || to.starts_with('#') {
            return Some(to.to_owned());
        }
        let (path, part) =
            to.split_once('#').map_or((to, String::new()), |(p, a)| (p, format!("#{a}")));
        if let Some(scene) = path.split_once("scenes/").filter(|_| path.starts_with("../")) {
            let opens = [".toml", ".xml", ".urdf"].iter().any(|e| path.ends_with(e));
            return opens.then(|| format!("{}../view.html?scene={}", self.up, scene.1));
        }
        // a chapter beside this one, or in the other folder
        let folder = self.file.rsplit_once('/').map_or("", |f| f.0);
        let plain = path.trim_start_matches("../");
        let within = if path.starts_with("../") && folder.is_empty() { None } else { Some(plain) };
        within.filter(|p| p.ends_with(".md")).map(|_| format!("{}{part}", html_name(path)))
    }
}

fn heading(line: &str) -> Option<&str> {
    let words = line.trim_start_matches('#');
    (words.len() < line.len()).then(|| words.strip_prefix(' ')).flatten()
}

/// The mark of a list's item and the rest of its line.
fn item(line: &str) -> Option<(&str, &str)> {
    let (mark, rest) = line.split_once(' ')?;
    let number = mark
        .strip_suffix('.')
        .is_some_and(|n| !n.is_empty() && n.len() < 3 && n.chars().all(|c| c.is_ascii_digit()));
    (mark == "-" || mark == "*" || number).then_some((mark, rest))
}

fn ends_paragraph(line: &str) -> bool {
    line.trim().is_empty()
        || line.starts_with('|')
        || line.trim_start().starts_with("```")
        || heading(line).is_some()
        || item(line).is_some_and(|(mark, _)| !mark.ends_with('.'))
}

/// A fenced block; gives the line after it.
fn code(lines: &[&str], begin: usize, language: &str, out: &mut String) -> usize {
    let indent = lines[begin].len() - lines[begin].trim_start().len();
    let mut at = begin + 1;
    let _ = write!(out, "<pre><code class=\"language-{}\">", escaped(language));
    while at < lines.len() && !lines[at].trim_start().starts_with("```") {
        let line = lines[at];
        let cut = indent.min(line.len() - line.trim_start().len());
        out.push_str(&escaped(&line[cut..]));
        out.push('\n');
        at += 1;
    }
    out.push_str("</code></pre>\n");
    at + 1
}

/// The rest of a link or picture: words, address, and what follows.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (words, rest) = text.split_once("](")?;
    // brackets within the words belong to them
    if words.contains("\n\n") || words.matches('[').count() != words.matches(']').count() {
        return None;
    }
    let (to, after) = rest.split_once(')')?;
    (!to.contains(char::is_whitespace)).then_some((words, to, after))
}

/// Cells of a table's row; a stroke in code or behind a backslash is none.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let (mut out, mut cell, mut quoted, mut before) = (Vec::new(), String::new(), false, ' ');
    for c in inner.chars() {
        match c {
            '|' if before == '\\' => {
                cell.pop();
                cell.push('|');
            }
            '|' if !quoted => out.push(std::mem::take(&mut cell).trim().to_owned()),
            _ => {
                quoted ^= c == '`';
                cell.push(c);
            }
        }
        before = c;
    }
    out.push(cell.trim().to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_turned_and_pictures_of_scenes_lead_to_them() {
        let scenes = BTreeMap::from([(
            "pictures/scenes/contact-wall.svg".to_owned(),
            "scenes/contact/wall.toml".to_owned(),
        )]);
        let page = Page { scenes: &scenes, up: "", file: "gallery.md" };
        let html = |text: &str| page.html(text).trim_end().to_owned();
        assert_eq!(html("## In `a` view"), "<h2 id=\"in-a-view\">In <code>a</code> view</h2>");
        assert_eq!(
            html("![A wall](pictures/scenes/contact-wall.svg)"),
            "<p><a href=\"../view.html?scene=contact/wall.toml\"><img \
             src=\"../pictures/scenes/contact-wall.svg\" alt=\"A wall\" loading=\"lazy\" /></a></p>"
        );
        assert_eq!(
            html(
                "see [the **book**](live.md#hands), [`x`](../scenes/a/b.toml), [c](../crates/x.rs)"
            ),
            "<p>see <a href=\"live.html#hands\">the <strong>book</strong></a>, \
             <a href=\"../view.html?scene=a/b.toml\"><code>x</code></a>, c</p>"
        );
        assert_eq!(
            html("| a | b |\n|---|---|\n| `x|y` | <z |"),
            "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td><code>x|y</code></td><td>&lt;z</td></tr>\n</table>"
        );
        assert_eq!(
            html("- one\n  goes on\n- two\n\nafter"),
            "<ul>\n<li>one\ngoes on</li>\n<li>two</li>\n</ul>\n<p>after</p>"
        );
        assert_eq!(
            html("```toml\n[a] # <b>\n```"),
            "<pre><code class=\"language-toml\">[a] # &lt;b&gt;\n</code></pre>"
        );
        assert_eq!(html("<!-- printed -->\n\\\\(A\\\\)"), "<p>\\(A\\)</p>");
    }
}
