//! One page that holds everything: the viewer, the engine and a scene with its files. It runs from
//! disk, without a server.

use crate::assets::{Packed, Viewer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;

/// Unpacks the viewer's script and runs it as a module of the page itself: a page from disk may
/// import nothing, not even from its own memory.
const UNPACK: &str = "\
const packed = document.getElementById('kreisel-viewer').textContent.trim();
const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
const script = document.createElement('script');
script.type = 'module';
script.textContent = await new Response(stream).text();
document.body.append(script);";

/// A scene with the files that it reads, by name; `name` is one of them.
#[derive(serde::Serialize)]
pub struct Bundle {
    /// The scene's own name.
    pub name: String,
    #[serde(serialize_with = "encoded")]
    /// Names, with slashes, and bytes.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Bundle {
    /// Whether the scene needs the whole engine: a robot, a mesh from a file, a script. A page gets
    /// the small one only where none of these can be meant.
    pub fn needs_all(&self) -> bool {
        self.files.iter().any(|(name, bytes)| {
            let ending = name.rsplit_once('.').map_or("", |(_, e)| e).to_ascii_lowercase();
            let text = String::from_utf8_lossy(bytes).replace("description", "");
            !matches!(ending.as_str(), "toml" | "json") || text.contains("script")
        })
    }
}

/// Files as base64, by name.
fn encoded<S: serde::Serializer>(
    files: &BTreeMap<String, Vec<u8>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(files.iter().map(|(name, bytes)| (name, STANDARD.encode(bytes))))
}

/// The page as one text, or what this program was built without.
pub fn whole(bundle: &Bundle) -> Result<String, &'static str> {
    let text =
        |name: &str| Viewer::get(name).map(|file| String::from_utf8_lossy(&file.data).into_owned());
    let viewer = "the viewer (build it with `cargo xtask web`, then the program again)";
    let engine = "the engine for pages (build it with `cargo xtask wasm`, then the program again)";
    let page = text("index.html").ok_or(viewer)?;
    let folder = if bundle.needs_all() { "full/" } else { "" };
    let script = Packed::get(&format!("{folder}kreisel.js")).ok_or(engine)?;
    let module = Packed::get(&format!("{folder}kreisel_bg.wasm.gz")).ok_or(engine)?;
    let scene = serde_json::to_string(bundle).map_err(|_| "a scene that can be written")?;

    // what the page's own lines refer to takes their place
    let (mut head, mut body) = (String::new(), String::new());
    for line in page.lines() {
        let named = |key: &str| {
            let name = line.split_once(key)?.1.split('"').next()?.trim_start_matches("./");
            text(name)
        };
        if line.contains("<script") && line.contains("src=") {
            let name = line
                .split_once("src=\"")
                .and_then(|(_, rest)| rest.split(['"', '/']).find(|p| p.ends_with(".js")));
            let packed = name.and_then(|name| Packed::get(&format!("{name}.gz")));
            // a viewer that was built without its packed twin stands in the page as it is
            let script = match packed {
                Some(packed) => {
                    let viewer = STANDARD.encode(&packed.data);
                    let packed =
                        element("script", "type=\"text/plain\" id=\"kreisel-viewer\"", &viewer);
                    format!("{packed}{}", element("script", "type=\"module\"", UNPACK))
                }
                None => element("script", "type=\"module\"", &named("src=\"").ok_or(viewer)?),
            };
            body += &script;
        } else if line.contains("rel=\"stylesheet\"") {
            head += &format!("<style>\n{}\n</style>\n", named("href=\"").ok_or(viewer)?);
        } else if line.contains("</body>") {
            head += &element(
                "script",
                "type=\"text/plain\" id=\"kreisel-glue\"",
                &String::from_utf8_lossy(&script.data),
            );
            head += &element(
                "script",
                "type=\"text/plain\" id=\"kreisel-engine\"",
                &STANDARD.encode(&module.data),
            );
            head += &element("script", "type=\"application/json\" id=\"kreisel-scene\"", &scene);
            head += &std::mem::take(&mut body);
            head += line;
            head.push('\n');
        } else {
            head += line;
            head.push('\n');
        }
    }
    Ok(head)
}

/// An element around a text in which nothing ends it. (In scripts and JSON a slash may be escaped.)
fn element(tag: &str, attributes: &str, text: &str) -> String {
    format!(
        "<{tag} {attributes}>{}</{tag}>\n",
        text.replace("</script", "<\\/script").replace("<!--", "\\u003c!--")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gets_the_whole_engine_where_its_scene_may_need_it() {
        let needs = |name: &str, text: &str| {
            let files = BTreeMap::from([(name.to_owned(), text.as_bytes().to_vec())]);
            Bundle { name: name.to_owned(), files }.needs_all()
        };
        assert!(!needs("a.toml", "description = \"hull\"\n[[body]]"));
        assert!(needs("a.toml", "[[script]]\nbuild = ''"));
        assert!(needs("arm.xml", "<mujoco/>") && needs("Arm.URDF", "<robot/>"));
        let two = [("a.toml", "[[body]]"), ("parts/a.OBJ", "v 0 0 0")];
        let files = two.map(|(n, t)| (n.to_owned(), t.as_bytes().to_vec())).into();
        assert!(Bundle { name: "a.toml".into(), files }.needs_all(), "a mesh beside it");
    }

    #[test]
    fn a_scene_cannot_end_the_element_that_it_stands_in() {
        let text = element("script", "type=\"application/json\"", "{\"a\":\"</script><b>\"}");
        assert_eq!(text.matches("</script").count(), 1);
        assert!(text.contains("<\\/script><b>"), "{text}");
    }
}
