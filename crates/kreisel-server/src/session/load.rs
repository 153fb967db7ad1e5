//! Another scene, instead of the present one or merged into it.

use super::apply::start;
use super::{Document, Look, Outcome, Session, copy, edit, refuse};
use kreisel_dynamics::{BodyId, Vec3};
use std::sync::Arc;

/// Longest text of a scene that is loaded live, in bytes.
const LONGEST: usize = 4 << 20;

pub(super) fn load(s: &mut Session, name: &str, text: &str, merge: bool) -> Outcome {
    if text.len() > LONGEST {
        return refuse(format!("a scene that is loaded live has at most {LONGEST} bytes"));
    }
    let scene = match kreisel_scene::parse_as(name, text, &s.files) {
        Ok(scene) => scene,
        Err(e) => {
            let first = e.problems.first().map(|p| {
                let (line, column) = p.line_column();
                format!("{name}:{line}:{column}: {}", p.message)
            });
            return refuse(first.unwrap_or_else(|| format!("{name} cannot be read")));
        }
    };
    if merge {
        return edit::edit(s, "", |d| {
            let ids: Vec<BodyId> = scene.world.bodies().collect();
            let twins = copy::insert(d, &scene.world, &ids, Vec3::ZERO)?;
            for look in &scene.looks {
                if let Some(&twin) = twins.get(&look.body) {
                    d.looks.insert(twin, Look { shape: look.shape.clone(), color: look.color });
                }
            }
            Ok(())
        });
    }
    s.undo.keep(s.document.clone());
    s.scene = Arc::new(scene);
    s.loads += 1;
    let document = Document::new(&s.scene);
    start(s, document);
    Ok(())
}
