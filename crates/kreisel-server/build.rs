//! Finds the built viewer and the engine for pages, and sees that they are embedded: in the
//! packaged crate they lie in `viewer` and `engine` (`cargo xtask package` puts them there), in the
//! source tree where npm and `cargo xtask wasm` leave them. A clone without them compiles, too: the
//! build says so, the program says so with its version, and it serves a page that says how to build
//! the viewer.

use std::path::{Path, PathBuf};

/// The folder in the package if it is there, else that in the source tree, made if need be.
fn folder(packaged: &str, tree: &str) -> PathBuf {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed={packaged}");
    let own = here.join(packaged);
    if own.exists() {
        return own;
    }
    let tree = here.join(tree);
    // A missing folder would make every build start anew; an empty one does not. A package whose
    // maker left them out has no tree around it, and is not written to.
    if !tree.exists() && here.join("../../web/package.json").exists() {
        let _ = std::fs::create_dir_all(&tree);
    }
    println!("cargo::rerun-if-changed={}", tree.display());
    tree
}

/// Text of a type that holds the files of a folder.
fn embedded(name: &str, doc: &str, folder: &Path) -> String {
    format!(
        "/// {doc}\n#[derive(rust_embed::RustEmbed)]\n#[folder = {folder:?}]\n#[allow_missing = true]\npub(crate) struct {name};\n"
    )
}

fn main() {
    let viewer = folder("viewer", "../../web/dist");
    let engine = folder("engine", "../../web/engine/packed");
    let text = embedded("Viewer", "The files of the viewer.", &viewer)
        + &embedded(
            "Packed",
            "The engine for pages: the module packed, and the script around it.",
            &engine,
        );
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("assets.rs");
    if let Err(e) = std::fs::write(&out, text) {
        println!("cargo::error={}: {e}", out.display());
    }
    println!("cargo::rustc-check-cfg=cfg(without_viewer)");
    if !viewer.join("index.html").exists() {
        println!("cargo::rustc-cfg=without_viewer");
        println!(
            "cargo::warning=the viewer is not built: `kreisel view` will have no page. Run `npm ci && npm run build` in web/ \
             first, or `cargo xtask demo`, and build again"
        );
    }
}
