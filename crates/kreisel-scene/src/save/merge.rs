//! Two scenes in one.

use super::{Part, head, tail};
use crate::items;
use crate::property::{Table, kinds};
use crate::scene::Scene;
use kreisel_dynamics::{BodyId, ContactSettings, Material, Settings, World};
use kreisel_geometry::Shape;
use std::any::Any;
use std::fmt::Write as _;

/// Two scenes in one, as TOML: the first as it is, the second with `name/` before all its names.
/// Gravity, step, method, recording and camera are those of the first, the floor, too, if it has
/// one; rules for pairs of materials are those of both. [`left_out`] names what the second scene
/// loses by this.
pub fn merge(first: &Scene, second: &Scene, name: &str) -> String {
    let mut out = String::new();
    let grounded = if floor(&first.world).is_some() { &first.world } else { &second.world };
    head(&mut out, first, &first.world, grounded, &contact(first, second));
    Part { scene: first, world: &first.world, prefix: String::new() }.write(&mut out);
    Part { scene: second, world: &second.world, prefix: format!("{name}/") }.write(&mut out);
    tail(&mut out, first, &first.world);
    out
}

/// The second scene as items for the first one's world, with `name/` before all its names: what
/// [`extend`](crate::extend) takes. Nothing of the first scene is written.
pub fn addition(first: &Scene, second: &Scene, name: &str) -> String {
    let mut out = String::from("version = 1\n");
    let one = |table: &Table, item: &dyn Any, key: &str| {
        table.values(item, &second.world).into_iter().find(|v| v.0 == key)
    };

    // the floor, and pairs of materials, where the first scene says nothing of them
    let ground = items::world_item(&second.world, &second.timing());
    if floor(&first.world).is_none()
        && let Some((key, value)) = one(&kinds::WORLD, &ground, "ground")
    {
        let _ = writeln!(out, "\n[world]\n{key} = {}", value.toml());
    }
    let pairs = contact(first, second);
    if pairs.pairs != first.world.settings().contact.pairs
        && let Some((key, value)) = one(&kinds::CONTACT, &pairs, "pair")
    {
        let _ = writeln!(out, "\n[contact]\n{key} = {}", value.toml());
    }

    Part { scene: second, world: &second.world, prefix: format!("{name}/") }.write(&mut out);
    out
}

/// What the second of two merged scenes says about the whole world and is not taken over, in words.
pub fn left_out(first: &Scene, second: &Scene) -> Vec<String> {
    let (a, b) = (first.world.settings(), second.world.settings());
    let mut out = Vec::new();
    let mut note = |differs: bool, what: &str| {
        if differs {
            out.push(what.to_owned());
        }
    };
    note(first.world.gravity() != second.world.gravity(), "gravity");
    note(first.step != second.step, "step");
    note(a.method != b.method, "method");
    note(without_method(a) != without_method(b), "settings of the method");
    note(
        floor(&second.world).is_some_and(|f| floor(&first.world).is_some_and(|own| own != f)),
        "ground",
    );
    note(a.contact.on != b.contact.on, "contacts on or off");
    let rules = |s: &Settings| ContactSettings { on: true, pairs: Vec::new(), ..s.contact.clone() };
    note(rules(a) != rules(b), "settings of contacts");
    let clash =
        |p: &kreisel_dynamics::PairMaterial| a.contact.pairs.iter().any(|q| same(q, p) && q != p);
    note(b.contact.pairs.iter().any(clash), "pairs of materials that both scenes name");
    out
}

/// Settings without those that are named by themselves.
fn without_method(s: &Settings) -> Settings {
    let usual = Settings::default();
    Settings { method: usual.method, contact: usual.contact, threads: usual.threads, ..s.clone() }
}

/// Height and material of the floor.
fn floor(world: &World) -> Option<(f64, Material)> {
    let ground = world.body(BodyId::WORLD)?;
    match &ground.shape {
        Some(Shape::HalfSpace { offset, .. }) => Some((*offset, ground.material.clone())),
        _ => None,
    }
}

/// The contact settings of the first scene, with the second one's pairs of materials that the first
/// does not name.
fn contact(first: &Scene, second: &Scene) -> ContactSettings {
    let mut out = first.world.settings().contact.clone();
    for pair in &second.world.settings().contact.pairs {
        if !out.pairs.iter().any(|own| same(own, pair)) {
            out.pairs.push(pair.clone());
        }
    }
    out
}

/// Whether two rules are for the same two materials.
fn same(a: &kreisel_dynamics::PairMaterial, b: &kreisel_dynamics::PairMaterial) -> bool {
    let [x, y] = &b.between;
    a.between == b.between || a.between == [y.clone(), x.clone()]
}
