//! Another scene, instead of the present one or merged into it.

use super::apply::start;
use super::{Document, Outcome, Session, limits, refuse};
use kreisel_scene::{Options, Scene, SceneError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest text of a scene that is loaded live, in bytes.
const LONGEST: usize = 4 << 20;

/// How a text is read: in the folder of its name, if that lies in the session's, with bounds.
fn options(s: &Session, name: &str, text: &str) -> Outcome<Options> {
    if text.len() > LONGEST {
        return refuse(format!("a scene that is loaded live has at most {LONGEST} bytes"));
    }
    let inner = s.files.folder.as_deref().and_then(|folder| below(folder, name));
    let folder = inner.or_else(|| s.files.folder.clone());
    Ok(Options { max_items: Some(limits::BODIES), folder, ..s.files.clone() })
}

/// The folder of a file, if it lies in another folder, links followed.
fn below(folder: &Path, name: &str) -> Option<PathBuf> {
    let parent = Path::new(name).parent()?.canonicalize().ok()?;
    parent.starts_with(folder.canonicalize().ok()?).then_some(parent)
}

/// The first problem of a text, in one line.
fn unread<T>(name: &str, e: &SceneError) -> Outcome<T> {
    let first = e.problems.first().map(|p| {
        let (line, column) = p.line_column();
        let help = p.help.as_ref().map_or(String::new(), |h| format!("; {h}"));
        format!("{name}:{line}:{column}: {}{help}", p.message)
    });
    refuse(first.unwrap_or_else(|| format!("{name} cannot be read")))
}

/// Adds items under their own names.
pub(super) fn extend(s: &mut Session, name: &str, text: &str) -> Outcome {
    let old = s.as_scene();
    let new = match kreisel_scene::extend(&old, name, text, &options(s, name, text)?) {
        Ok(new) => new,
        Err(e) => return unread(name, &e),
    };
    limits::bodies(&new.world, 0)?;
    limits::crowd(&new.world)?;
    s.follow(&old, new);
    Ok(())
}

pub(super) fn load(s: &mut Session, name: &str, text: &str, merge: bool) -> Outcome {
    let scene = match kreisel_scene::parse_as(name, text, &options(s, name, text)?) {
        Ok(scene) => scene,
        Err(e) => return unread(name, &e),
    };
    limits::bodies(&scene.world, 0)?;
    limits::crowd(&scene.world)?;
    if merge {
        return join(s, name, scene);
    }
    s.undo.keep(s.document.clone());
    s.loads += 1;
    start(s, Document::new(&Arc::new(scene)));
    Ok(())
}

/// Merges a scene into the running world, with everything that it holds: its items are added under
/// new names. What exists goes on with its state, its warm start, its sums and its memory.
fn join(s: &mut Session, name: &str, mut scene: Scene) -> Outcome {
    begin_at(&mut scene, s.document.sim.world.time());
    let own = s.as_scene();
    let prefix = prefix(s, name);
    let text = kreisel_scene::addition(&own, &scene, &prefix);
    let merged = match kreisel_scene::extend(&own, name, &text, &s.files) {
        Ok(merged) => merged,
        Err(e) => {
            let first =
                e.problems.first().map_or("the two together are no scene", |p| p.message.as_str());
            return refuse(format!("{name} cannot be merged into this world: {first}"));
        }
    };
    limits::bodies(&merged.world, 0)?;
    limits::crowd(&merged.world)?;
    let lost = kreisel_scene::left_out(&own, &scene);
    if !lost.is_empty() {
        s.notes.push(format!(
            "{name} was merged without its {}: those of this world hold",
            lost.join(", ")
        ));
    }
    s.follow(&own, merged);
    Ok(())
}

/// What the names of a merged scene begin with: its file's name, and a number where that is taken.
fn prefix(s: &Session, name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.split('.').next().filter(|w| !w.is_empty()).unwrap_or("merged");
    let stem = stem.replace(char::is_control, " ");
    let taken = |p: &str| s.document.scene.spans.keys().any(|n| n.starts_with(p));
    let numbered = (1..).map(|k| if k == 1 { stem.clone() } else { format!("{stem} {k}") });
    numbered.into_iter().find(|p| !taken(&format!("{p}/"))).unwrap_or(stem)
}

/// The scene as if its clock began at `now`: forces, switches, curves of motors and calls of
/// scripts come that much later. Formulas of the time see the world's clock.
fn begin_at(scene: &mut Scene, now: f64) {
    for force in &mut scene.forces {
        force.from += now;
        force.until += now;
    }
    for switch in &mut scene.switches {
        switch.at += now;
    }
    for script in &mut scene.scripts {
        Arc::make_mut(script).at.iter_mut().for_each(|t| *t += now);
    }
    let world = &mut scene.world;
    for id in world.motors().collect::<Vec<_>>() {
        let Some(mut motor) = world.motor(id).cloned() else { continue };
        motor.control.schedule_mut().points.iter_mut().for_each(|p| p.0 += now);
        // The motor is as good as before: only times were added to.
        let _ = world.set_motor(id, motor);
    }
}
