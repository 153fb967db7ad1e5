//! Warnings of contacts whose motion depends on how they are resolved: elastic bodies that touch
//! when something strikes them, and friction so large that a body may jam.

use super::names::Built;
use crate::read::Reader;
use kreisel_dynamics::{Body, BodyId, BodyKind, ContactMode, ContactTime, Method};
use kreisel_geometry::{Pose, Shape, query};

/// Bodies that are looked through: more would make loading slow.
const MAX_BODIES: usize = 500;

/// Friction up to which no step feeds energy to a body that slides tip-down: the rod of
/// `audit/painleve` gains none at 0.9.
const JAMMING: f64 = 1.0;

/// Looks for both.
pub(super) fn look(reader: &mut Reader, built: &Built) {
    let settings = built.world.settings();
    if !settings.contact.on || settings.contact.mode == ContactMode::Event {
        return;
    }
    let bodies = colliding(built);
    if bodies.len() > MAX_BODIES {
        return;
    }
    if settings.contact.time == ContactTime::Fast || settings.method == Method::Lagrange {
        touching(reader, built, &bodies);
    }
    if settings.method != Method::Lagrange {
        jamming(reader, built, &bodies);
    }
}

/// Bodies that have a shape and take part, the ground among them.
fn colliding(built: &Built) -> Vec<(BodyId, &Body)> {
    let world = &built.world;
    let all = world.bodies().filter(|id| *id != BodyId::WORLD).chain([BodyId::WORLD]);
    let bodies = all.filter_map(|id| Some((id, world.body(id)?)));
    bodies.filter(|(_, b)| b.shape.is_some() && !b.sensor).collect()
}

/// Elastic bodies in a row, as in Newton's cradle: fast time lets all of them rebound at once.
fn touching(reader: &mut Reader, built: &Built, bodies: &[(BodyId, &Body)]) {
    let (world, settings) = (&built.world, &built.world.settings().contact);
    let elastic: Vec<_> = bodies.iter().filter(|(_, b)| b.kind == BodyKind::Dynamic).collect();
    for (k, (i, a)) in elastic.iter().enumerate() {
        for (j, b) in &elastic[k + 1..] {
            if settings.between(&a.material, &b.material)[0] == 0.0 || !round(a) || !round(b) {
                continue;
            }
            let pose = |id| {
                Pose::new(
                    world.position(id).unwrap_or_default(),
                    world.rotation(id).unwrap_or_default(),
                )
            };
            let (Some(p), Some(q)) = (&a.shape, &b.shape) else { continue };
            let near = query::distance(p, &pose(*i), q, &pose(*j))
                .is_some_and(|d| d.distance.abs() <= settings.touch);
            let name = |id| world.body_name(id).unwrap_or_default();
            let Some(place) = built.spans.get(&*name(*j)).filter(|_| near) else { continue };
            let message = format!(
                "\"{}\" and \"{}\" are elastic and touch: an impact that passes through both is shared out at once",
                name(*i),
                name(*j)
            );
            let help = "write `time = \"exact\"` in [contact]: impacts then go from body to body, as in Newton's cradle";
            reader.warning_at(place, message, "touches another").help(help);
            return;
        }
    }
}

/// Shapes that touch in one point, through which impacts pass in a row.
fn round(body: &Body) -> bool {
    matches!(body.shape, Some(Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Torus { .. }))
}

/// Friction that may lift what it brakes (Painlevé): impulse methods can gain energy there.
fn jamming(reader: &mut Reader, built: &Built, bodies: &[(BodyId, &Body)]) {
    let settings = &built.world.settings().contact;
    for (i, a) in bodies.iter().filter(|(_, b)| b.kind == BodyKind::Dynamic && !round(b)) {
        let most = bodies
            .iter()
            .filter(|(j, _)| j != i)
            .map(|(_, b)| settings.between(&a.material, &b.material)[1]);
        let most = most.fold(0.0_f64, f64::max);
        let name = built.world.body_name(*i).unwrap_or_default();
        let Some(place) = built.spans.get(&*name).filter(|_| most > JAMMING) else { continue };
        let message = format!(
            "\"{name}\" may meet friction of {most}: above 1 a body that slides tip-down can jam"
        );
        let help = "the step may feed it energy, which the run then names; take friction up to 1, or `method = \"lagrange\"`";
        reader.warning_at(place, message, "jams").help(help);
        return;
    }
}
