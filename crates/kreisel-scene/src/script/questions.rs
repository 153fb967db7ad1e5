//! What procedures can ask and change besides single properties: contacts, the report of the last
//! step, names, masses, surfaces, rotations; removing items and ending the run.

use super::host::{Handle, Host, Outcome, found, real, told};
use super::numbers::{number, refuse};
use kreisel_dynamics::{BodyId, MassProperties, Material, Quat, Status, StepReport, World};
use rhai::{Array, Dynamic, Engine, Map};

/// Registers everything; names are looked up with the script's prefix.
pub(super) fn register(engine: &mut Engine, host: &Host, prefix: &str) {
    rotations(engine);
    masses(engine);
    surfaces(engine);
    let (shared, own) = (host.clone(), prefix.to_owned());
    engine.register_fn("contacts", move || contacts(&shared.lock().world, &own));
    let shared = host.clone();
    engine.register_fn("report", move || report(&shared.lock().report));
    let (shared, own) = (host.clone(), prefix.to_owned());
    engine.register_fn("names", move |kind: &str| names(&shared.lock().world, kind, &own));
    let (shared, own) = (host.clone(), prefix.to_owned());
    engine.register_fn("remove", move |name: &str| {
        match shared.lock().world.remove_named(&format!("{own}{name}")) {
            Ok(true) => Ok(()),
            Ok(false) => refuse(format!("there is nothing called \"{name}\"")),
            Err(e) => refuse(e.to_string()),
        }
    });
    let shared = host.clone();
    engine.register_fn("stop", move || shared.lock().stop = true);
}

/// The quaternion x, y, z, w of a body.
fn rotations(engine: &mut Engine) {
    engine.register_get("rotation", |b: &mut Handle<BodyId>| {
        let q = found(b.host.lock().world.rotation(b.id), "body")?;
        Outcome::Ok(q.to_array().map(Dynamic::from).to_vec())
    });
    engine.register_set("rotation", |b: &mut Handle<BodyId>, to: Array| {
        let numbers: Vec<f64> = to.iter().filter_map(number).collect();
        let &[x, y, z, w] = numbers.as_slice() else {
            return refuse("expected a rotation: the quaternion [x, y, z, w]");
        };
        let world = &mut b.host.lock().world;
        let position = found(world.position(b.id), "body")?;
        told(world.set_pose(b.id, position, Quat::from_xyzw(x, y, z, w)))
    });
}

/// The mass: the same body of another density.
fn masses(engine: &mut Engine) {
    engine.register_set("mass", |b: &mut Handle<BodyId>, to: Dynamic| {
        let mass = real(&to)?;
        if !(mass > 0.0 && mass.is_finite()) {
            return refuse(format!("a mass is positive, it is {mass}"));
        }
        let world = &mut b.host.lock().world;
        let (old, kind) = found(world.body(b.id).map(|d| (d.mass, d.kind)), "body")?;
        let inertia = old.inertia * (mass / old.mass);
        told(world.set_body(b.id, MassProperties { mass, inertia, ..old }, kind))
    });
}

/// Friction, restitution and the like of a body's surface.
fn surfaces(engine: &mut Engine) {
    type Place = fn(&mut Material) -> &mut f64;
    let numbers: [(&str, Place); 4] = [
        ("friction", |m| &mut m.friction),
        ("restitution", |m| &mut m.restitution),
        ("rolling", |m| &mut m.rolling),
        ("spinning", |m| &mut m.spinning),
    ];
    for (name, place) in numbers {
        engine.register_get(name, move |b: &mut Handle<BodyId>| {
            let mut material =
                found(b.host.lock().world.body(b.id).map(|d| d.material.clone()), "body")?;
            Outcome::Ok(*place(&mut material))
        });
        engine.register_set(name, move |b: &mut Handle<BodyId>, to: Dynamic| {
            let world = &mut b.host.lock().world;
            let mut material = found(world.body(b.id).map(|d| d.material.clone()), "body")?;
            *place(&mut material) = real(&to)?;
            told(world.set_material(b.id, material))
        });
    }
}

/// Contacts of the last step, one map each.
fn contacts(world: &World, prefix: &str) -> Array {
    let name = |id: BodyId| {
        let whole = if id == BodyId::WORLD {
            "world".into()
        } else {
            world.body_name(id).unwrap_or_default()
        };
        Dynamic::from(whole.strip_prefix(prefix).unwrap_or(&whole).to_owned())
    };
    let one = |c: kreisel_dynamics::ContactInfo| {
        let entries = [
            ("first", name(c.bodies[0])),
            ("second", name(c.bodies[1])),
            ("point", Dynamic::from(c.point)),
            ("normal", Dynamic::from(c.normal)),
            ("force", Dynamic::from(c.force)),
            ("gap", c.gap.into()),
        ];
        Dynamic::from_map(entries.into_iter().map(|(k, v)| (k.into(), v)).collect::<Map>())
    };
    world.contacts().map(one).collect()
}

/// The report of the last step.
fn report(report: &StepReport) -> Map {
    let worst = report.worst.as_ref();
    let entries: [(&str, Dynamic); 8] = [
        ("ok", (report.status == Status::Converged).into()),
        ("worst", worst.map_or(Dynamic::UNIT, |w| w.name.to_string().into())),
        ("error", worst.map_or(0.0, |w| w.position).into()),
        ("angle_error", worst.map_or(0.0, |w| w.angle).into()),
        ("residual", report.ledger.residual.into()),
        ("substeps", i64::from(report.substeps).into()),
        ("contacts", i64::from(report.contact.points).into()),
        ("penetration", report.contact.penetration.into()),
    ];
    entries.into_iter().map(|(k, v)| (k.into(), v)).collect()
}

/// Names of all items of a kind that belong to the script's instance.
fn names(world: &World, kind: &str, prefix: &str) -> Outcome<Array> {
    if !World::KINDS.contains(&kind) {
        return refuse(format!(
            "there is no kind of item \"{kind}\": write one of {}",
            World::KINDS.join(", ")
        ));
    }
    let all = world.names_of(kind);
    Ok(all.iter().filter_map(|n| n.strip_prefix(prefix)).map(|n| n.to_owned().into()).collect())
}
