//! Sees that new files of the built viewer are embedded. A clone without `web/dist` compiles, too: it serves a page
//! that says how to build the viewer.

fn main() {
    let dist = std::path::Path::new("../../web/dist");
    // A missing folder would make every build start anew; an empty one does not.
    if !dist.exists() {
        let _ = std::fs::create_dir_all(dist);
    }
    println!("cargo::rerun-if-changed=../../web/dist");
}
