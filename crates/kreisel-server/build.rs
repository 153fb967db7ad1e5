//! Sees that new files of the built viewer are embedded. A clone without `web/dist` compiles, too:
//! the build says so, the program says so with its version, and it serves a page that says how to
//! build the viewer.

fn main() {
    let dist = std::path::Path::new("../../web/dist");
    // A missing folder would make every build start anew; an empty one does not.
    if !dist.exists() {
        let _ = std::fs::create_dir_all(dist);
    }
    // The engine for pages (`cargo xtask wasm`), for the same reason.
    let engine = std::path::Path::new("../../web/engine/packed");
    if !engine.exists() {
        let _ = std::fs::create_dir_all(engine);
    }
    println!("cargo::rerun-if-changed=../../web/engine/packed");
    println!("cargo::rerun-if-changed=../../web/dist");
    println!("cargo::rustc-check-cfg=cfg(without_viewer)");
    if !dist.join("index.html").exists() {
        println!("cargo::rustc-cfg=without_viewer");
        println!(
            "cargo::warning=the viewer is not built: `kreisel view` will have no page. Run `npm ci && npm run build` in web/ \
             first, or `cargo xtask demo`, and build again"
        );
    }
}
