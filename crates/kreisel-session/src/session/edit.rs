//! Edits: kept for undo, refused as a whole, and what exists is described anew after them.

use super::history::Start;
use super::{Document, Outcome, Session, copy, refuse};
use kreisel_dynamics::{BodyId, BodyKind, Quat, Vec3};
use kreisel_scene::items::Item;
use std::sync::Arc;

/// Makes an edit; a refused one leaves the document as it was. Edits of the same `thing` without a
/// step between them (a handle that is dragged, a slider) are undone as one.
pub(super) fn edit(
    s: &mut Session,
    thing: &str,
    change: impl FnOnce(&mut Document) -> Outcome,
) -> Outcome {
    let before = s.document.clone();
    if let Err(e) = change(&mut s.document) {
        // An edit of several parts may have done some of them.
        s.document = before;
        return Err(e);
    }
    settle(s, thing, before);
    Ok(())
}

/// After an edit: keeps what was before it, and lets hands know what they hold now.
pub(super) fn settle(s: &mut Session, thing: &str, before: Document) {
    let told = same_model(&before, &s.document);
    let same = !thing.is_empty() && s.last_edit == (s.steps, thing.to_owned());
    if !same && s.past {
        s.undo.keep(before);
    }
    s.last_edit = (s.steps, thing.to_owned());
    // what is built before the first step belongs to the start
    if s.document.sim.steps() == 0 {
        if s.past {
            s.document.start = Start::new(Arc::new(s.as_scene()));
        }
    } else if s.document.built.is_none() {
        s.document.built = Some(s.document.sim.world.time());
    }
    let world = &s.document.sim.world;
    s.hands.retain(|_, h| world.body(h.body).is_some_and(|b| b.kind == BodyKind::Dynamic));
    let loads: Vec<f64> =
        s.hands.values().map(|h| super::hand::chain_mass(world, h.body)).collect();
    for (hand, load) in s.hands.values_mut().zip(loads) {
        hand.load = load;
    }
    s.grips.retain(|_, g| world.body(g.body).is_some_and(|b| b.kind == BodyKind::Dynamic));
    for grip in s.grips.values_mut() {
        (grip.chain, grip.load) = super::hand::chain(world, grip.body);
    }
    // where only poses and velocities changed, what exists need not be described anew
    if told && s.past {
        s.history.again(&mut s.document);
    } else {
        s.changed();
    }
}

/// Whether two documents differ in state only: what the page is told about what exists is the same.
fn same_model(a: &Document, b: &Document) -> bool {
    let (x, y) = (a.sim.run_settings(), b.sim.run_settings());
    let (v, w) = (&a.sim.world, &b.sim.world);
    v.revision() == w.revision()
        && v.gravity() == w.gravity()
        && v.settings() == w.settings()
        && Arc::ptr_eq(&x.looks, &y.looks)
        && (x.timing, &x.forces, &x.markers) == (y.timing, &y.forces, &y.markers)
        && (&x.motions, &x.emitters) == (&y.motions, &y.emitters)
        && a.locked == b.locked
        && Arc::ptr_eq(&a.scene, &b.scene)
}

/// Removes objects; what hung on an object that is gone already is gone with it.
pub(super) fn remove(d: &mut Document, objects: &[String]) -> Outcome {
    let mut found = 0;
    for name in objects {
        if let Some(id) = d.sim.world.body_named(name) {
            d.looks_mut().remove(&id);
        }
        if d.sim.parts_mut().1.remove(name) || d.sim.world.remove_named(name)? {
            found += 1;
        }
    }
    // what stood on a body goes with it, and what is locked stays
    let (world, run) = d.sim.parts_mut();
    run.forget(world);
    if let Some(locked) = d.locked.iter().find(|n| !copy::taken(d, n)) {
        return refuse(format!("\"{locked}\" hangs on it and is locked"));
    }
    if found == 0 { refuse("nothing of that name exists") } else { Ok(()) }
}

/// Makes objects what they were at the start of the scene (W-140).
pub(super) fn reset(d: &mut Document, objects: &[String]) -> Outcome {
    let start = Arc::clone(&d.start);
    let (world, run) = d.sim.parts_mut();
    for name in objects {
        let Some(item) = Item::named(world, run, name) else {
            return refuse(format!("there is nothing named \"{name}\""));
        };
        if Item::named(&start.scene.world, start.run(), name).is_none() {
            return refuse(format!("\"{name}\" was not there at the start of the scene"));
        }
        if let Err(fault) = item.reset_to(world, run, (&start.scene.world, start.run())) {
            return refuse(fault.to_string());
        }
    }
    Ok(())
}

/// Displaces and turns bodies at random (W-141, W-142).
pub(super) fn scatter(
    d: &mut Document,
    objects: &[String],
    distance: f64,
    turn: bool,
    seed: u32,
) -> Outcome {
    if !(0.0..=1e3).contains(&distance) {
        return refuse("the distance is from 0 to 1000 m");
    }
    let locked: Vec<BodyId> = d.locked.iter().filter_map(|n| d.sim.world.body_named(n)).collect();
    let world = &mut d.sim.world;
    let ids: Vec<_> = if objects.is_empty() {
        world.bodies().collect()
    } else {
        objects.iter().filter_map(|n| world.body_named(n)).collect()
    };
    let mut random = Random(u64::from(seed));
    for id in ids {
        if locked.contains(&id) || world.body(id).is_none_or(|b| b.kind != BodyKind::Dynamic) {
            continue;
        }
        let shift = Vec3::new(random.next(), random.next(), random.next()) * distance;
        let (position, mut rotation) =
            (world.position(id).unwrap_or_default(), world.rotation(id).unwrap_or_default());
        if turn {
            // Uniform on the rotations: a direction of a 4-dimensional ball (rejection).
            let q = loop {
                let q = Quat::from_xyzw(random.next(), random.next(), random.next(), random.next());
                if (0.01..=1.0).contains(&q.length_squared()) {
                    break q.normalize();
                }
            };
            rotation = q;
        }
        world.set_pose(id, position + shift, rotation)?;
    }
    Ok(())
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere.
struct Random(u64);

impl Random {
    /// A number from −1 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
