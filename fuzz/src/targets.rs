//! What bytes are given to, one target per format or promise.

use crate::sequence;
use kreisel_geometry::mesh::read::{Format, read};
use std::time::Duration;

/// Longest time that a file may take to be read (issue 3: files up to 1 MB; those here are far
/// smaller).
const READING: Duration = Duration::from_secs(2);

/// Longest time for a program of some dozen steps, wild ones among them.
const STEPPING: Duration = Duration::from_secs(20);

/// One target.
pub struct Target {
    pub name: &'static str,
    pub longest: Duration,
    pub run: fn(&[u8]),
}

const fn reading(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, longest: READING, run }
}

pub const TARGETS: &[Target] = &[
    reading("toml", |b| scene("x.toml", b)),
    reading("json", |b| scene("x.json", b)),
    reading("script", script),
    reading("expression", expression),
    reading("urdf", |b| scene("x.urdf", b)),
    reading("mjcf", |b| scene("x.xml", b)),
    reading("obj", |b| drop(read(b, Format::Obj))),
    reading("stl", |b| drop(read(b, Format::Stl))),
    reading("gltf", |b| drop(read(b, Format::Gltf))),
    reading("collada", |b| drop(read(b, Format::Collada))),
    reading("recording", recording),
    reading("csv", |b| drop(kreisel_scene::record::Data::from_csv(b))),
    reading("client", |b| {
        drop(serde_json::from_slice::<kreisel_session::protocol::ClientMessage>(b))
    }),
    reading("journal", journal),
    reading("snapshot", snapshot),
    // Geometry from bytes: promises that must hold whatever the numbers are.
    reading("triangle-pairs", kreisel_geometry::fuzzing::triangles),
    reading("mesh-distances", kreisel_geometry::fuzzing::meshes),
    reading("hierarchies", kreisel_geometry::fuzzing::hierarchies),
    reading("impacts", kreisel_geometry::fuzzing::impacts),
    // Live worlds under random commands.
    Target { name: "step-sequence", longest: STEPPING, run: sequence::run },
];

fn scene(name: &str, bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = kreisel_scene::parse(name, text);
    }
}

/// A script that builds.
fn script(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let quoted = serde_json::to_string(text).unwrap_or_default();
        let _ = kreisel_scene::parse("x.json", &format!("{{\"script\": {{\"build\": {quoted}}}}}"));
    }
}

/// An expression as the value of a parameter.
fn expression(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let quoted = text.replace(['\\', '"', '\n', '\r'], " ");
        let _ = kreisel_scene::parse("x.toml", &format!("[params]\nx = \"{quoted}\"\n"));
    }
}

/// A recording, and the scene in it.
fn recording(bytes: &[u8]) {
    if let Ok(recording) = kreisel_scene::record::Recording::from_bytes(bytes) {
        let _ = recording.scene(&kreisel_scene::Options::default());
        let _ = recording.into_data();
    }
}

/// A journal, repeated for as long as it states few steps: a file may ask for any number of them.
fn journal(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let steps = |line: &str| -> Option<u64> {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        value.get("step").or_else(|| value.get("steps"))?.as_u64()
    };
    if text.lines().filter_map(steps).all(|n| n <= 100) {
        let _ =
            kreisel_session::journal::replay(text, &kreisel_scene::Options::default(), |_| true);
    }
}

/// A stored state, given back to a world: it fits or is refused.
fn snapshot(bytes: &[u8]) {
    let Ok(snapshot) = postcard::from_bytes::<kreisel_dynamics::Snapshot>(bytes) else { return };
    let Ok(scene) = kreisel_scene::parse("x.toml", crate::corpus::PENDULUM) else { return };
    let mut world = scene.world;
    // A state may hold any speed.
    let budget = kreisel_dynamics::Settings {
        time_budget: Some(Duration::from_millis(50)),
        ..world.settings().clone()
    };
    if world.set_settings(budget).is_err() {
        return;
    }
    if world.restore(&snapshot).is_ok() {
        world.step(0.01);
        sequence::finite(&world);
    }
}
