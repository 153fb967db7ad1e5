//! A large mesh from a file to a distance:
//! `cargo run --release -p kreisel-geometry --example bench_large [-- MILLIONS]` (one million
//! triangles unless said).
//!
//! A torus is written as a binary STL file into the folder for temporary files, read again,
//! checked, built and asked. Wall time and processor time of each part, and the largest memory of
//! the process so far, where the system tells it.

use glam::DVec3;
use kreisel_geometry::mesh::read::{Format, read};
use kreisel_geometry::query::{MeshQuery, mesh_distance};
use kreisel_geometry::{Pose, TriMesh, mesh::generate};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let millions: f64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1.0);
    let across = (millions.clamp(0.001, 100.0) * 1e6 / 4.0).sqrt() as u32;
    let file = std::env::temp_dir().join(format!("kreisel-large-{}.stl", std::process::id()));
    write_stl(&file, &generate::torus(1.0, 0.3, 2 * across, across))?;
    println!("| part | wall s | processor s | memory then | most so far |\n|---|---|---|---|---|");
    let bytes = part("file to memory", || std::fs::read(&file))?;
    std::fs::remove_file(&file)?;
    let size = bytes.len();
    let mesh = part("binary STL to mesh", move || read(&bytes, Format::Stl)).expect("a valid file");
    let closed = part("check of the surface", || mesh.is_closed());
    let tree = part("tree", || mesh.tree());
    let there = Pose::at(DVec3::new(0.1, 0.2, 1.0));
    let query = MeshQuery::default();
    let d = part("distance", || mesh_distance(tree, &there, tree, &Pose::IDENTITY, &query))
        .expect("no limit");
    println!(
        "\n{} triangles, {} blocks of boxes, {} MB file, closed: {closed}, distance {:.9} m",
        tree.len(),
        tree.blocks(),
        size / 1_000_000,
        d.distance
    );
    Ok(())
}

fn part<T>(name: &str, f: impl FnOnce() -> T) -> T {
    let (start, worked) = (Instant::now(), processor_seconds());
    let out = f();
    let (seconds, worked) = (start.elapsed().as_secs_f64(), processor_seconds() - worked);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = |key: &str| {
        let kb = status
            .lines()
            .find_map(|l| l.strip_prefix(key)?.split_whitespace().next()?.parse::<f64>().ok());
        kb.map_or("?".into(), |kb| format!("{:.0} MB", kb / 1e3))
    };
    println!(
        "| {name} | {seconds:.3} | {worked:.2} | {} | {} |",
        memory("VmRSS:"),
        memory("VmHWM:")
    );
    out
}

/// Processor time of all threads, in hundredths of a second as Linux counts.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|w| w.parse::<f64>().ok()).sum();
    ticks / 100.0
}

fn write_stl(path: &Path, mesh: &TriMesh) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    out.write_all(&[0; 80])?;
    out.write_all(&(mesh.triangles().len() as u32).to_le_bytes())?;
    for t in mesh.iter() {
        out.write_all(&[0; 12])?;
        for x in t.iter().flat_map(|p| p.to_array()) {
            out.write_all(&(x as f32).to_le_bytes())?;
        }
        out.write_all(&[0; 2])?;
    }
    out.flush()
}
