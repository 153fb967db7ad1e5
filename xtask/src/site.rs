//! `cargo xtask site`: a folder that any web server can serve, from any place: the gallery, the
//! book, the viewer with the engine in the page, the scenes. It needs no server of ours and no
//! special headers.

use crate::docs;
use crate::process::{root, target};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// The mark by which the page knows that it has no server: the folder of the engine.
const MARK: &str = "<meta name=\"kreisel-engine\" content=\"engine/\" />";

/// Keeps the site for use without a network.
const OFFLINE: &str =
    "navigator.serviceWorker && navigator.serviceWorker.register('offline.js').catch(() => {})";

/// Style of the gallery.
const STYLE: &str = "\
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 16px; max-width: 1200px; }
h2 { margin: 32px 0 8px; font-size: 17px; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(240px, 1fr)); gap: 12px; padding: 0; list-style: none; }
a { color: inherit; text-decoration: none; display: block; border: 1px solid #8884; border-radius: 8px; overflow: hidden; }
a:hover, a:focus-visible { outline: 2px solid #d98200; }
img { width: 100%; aspect-ratio: 16 / 9; display: block; background: #fff; }
span { display: block; padding: 6px 10px; }";

/// Builds the site into `target/site`, or into the folder that is given.
pub fn run(args: &[&str]) -> Result<(), String> {
    let folder = match args {
        [] => target().join("site"),
        [folder] => root().join(folder),
        _ => return Err("site takes one folder".into()),
    };
    crate::wasm::build()?;
    crate::web::build()?;
    write(&folder)?;
    println!(
        "{}: serve it with any web server, such as `python3 -m http.server`",
        folder.display()
    );
    Ok(())
}

/// Puts together what was built.
pub fn write(folder: &Path) -> Result<(), String> {
    // a site of before goes, but nothing that is not one
    if folder.join("view.html").exists() {
        std::fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    copy(&root().join("web/dist"), folder)?;
    copy(&root().join("scenes"), &folder.join("scenes"))?;
    copy(&root().join("docs/pictures"), &folder.join("pictures"))?;
    crate::book::write(&folder.join("book"))?;
    for file in ["kreisel.js", "kreisel_bg.wasm", "full/kreisel.js", "full/kreisel_bg.wasm"] {
        copy(&crate::wasm::engine().join(file), &folder.join("engine").join(file))?;
    }

    // the viewer, told that it is alone
    let page = read(&folder.join("index.html"))?;
    let (head, rest) = page.split_once("</head>").ok_or("web/dist/index.html has no head")?;
    put(&folder.join("view.html"), &format!("{head}{MARK}\n  </head>{rest}"))?;
    put(&folder.join("index.html"), &gallery()?)?;

    // names of all files, so that a scene's meshes and parts can be fetched when it is opened
    let mut names = Vec::new();
    list(&folder.join("scenes"), "", &mut names)?;
    names.sort();
    put(&folder.join("scenes/index.json"), &format!("[\n{}\n]\n", quoted(&names).join(",\n")))?;
    offline(folder)
}

fn quoted(names: &[String]) -> Vec<String> {
    names.iter().map(|n| format!("\"{n}\"")).collect()
}

/// The script that keeps the site for use without a network: all files but pictures, which are kept
/// as they are seen.
fn offline(folder: &Path) -> Result<(), String> {
    let mut names = Vec::new();
    list(folder, "", &mut names)?;
    names.retain(|n| !n.starts_with("pictures/"));
    names.sort();
    // another content is another version
    let mut hash = DefaultHasher::new();
    for name in &names {
        let path = folder.join(name);
        (name, std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?)
            .hash(&mut hash);
    }
    // the folder itself is the gallery, too
    names.push("./".into());
    let script = read(&root().join("web/site/offline.js"))?;
    let script = script.replace("/*version*/", &format!("{:016x}", hash.finish()));
    put(&folder.join("offline.js"), &script.replace("/*files*/", &quoted(&names).join(",")))
}

/// Every scene with its picture; a click runs it.
fn gallery() -> Result<String, String> {
    let (mut body, mut last) = (String::new(), String::new());
    for scene in docs::shown()? {
        let group = scene
            .trim_start_matches("scenes/")
            .rsplit_once('/')
            .map_or("first steps", |s| s.0)
            .to_owned();
        if group != last {
            body += &format!(
                "{}<h2>{group}</h2>\n<ul>\n",
                if last.is_empty() { "" } else { "</ul>\n" }
            );
            last = group;
        }
        let text = read(&root().join(&scene))?;
        let title = docs::title(&text).unwrap_or(&scene);
        let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let (name, picture) = (scene.trim_start_matches("scenes/"), docs::picture(&scene));
        body += &format!(
            "<li><a href=\"view.html?scene={name}\"><img src=\"{picture}\" alt=\"\" loading=\"lazy\" />\
             <span>{title}</span></a></li>\n"
        );
    }
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n<title>Kreisel</title>\n\
         <link rel=\"icon\" href=\"data:,\" />\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>Kreisel</h1>\n\
         <p>Multibody dynamics in the page: click a scene to run it, grab it and change it. Or drop a scene of your own \
         (TOML, MJCF, URDF with its meshes) on the <a style=\"display:inline\" href=\"view.html\">viewer</a>; nothing is \
         sent anywhere. How it all works is in the <a style=\"display:inline\" href=\"book/tour.html\">book</a>.</p>\n{body}</ul>\n<script>{OFFLINE}</script>\n</body>\n</html>\n"
    ))
}

/// Copies a file or a folder.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let wrong = |e: std::io::Error| format!("{}: {e}", from.display());
    if from.is_file() {
        std::fs::create_dir_all(to.parent().unwrap_or(to)).map_err(wrong)?;
        return std::fs::copy(from, to).map(drop).map_err(wrong);
    }
    std::fs::create_dir_all(to).map_err(wrong)?;
    for entry in std::fs::read_dir(from).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Names of the files of a folder, with slashes.
fn list(folder: &Path, prefix: &str, out: &mut Vec<String>) -> Result<(), String> {
    let wrong = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            list(&entry.path(), &format!("{name}/"), out)?;
        } else {
            out.push(name);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
