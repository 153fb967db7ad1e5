//! Warnings of contacts whose motion depends on how they are resolved: elastic bodies that touch
//! when something strikes them, and friction so large that a body may jam.

use super::names::Built;
use crate::read::Reader;
use kreisel_dynamics::{BodyId, BodyKind, BodySurface, ContactMode, ContactTime, Method, World};
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

/// A surface that takes part, and the body that it is one of.
struct Part<'a> {
    id: BodyId,
    kind: BodyKind,
    surface: BodySurface<'a>,
}

impl Part<'_> {
    /// Where it is.
    fn pose(&self, world: &World) -> Pose {
        let frame = Pose::new(
            world.position(self.id).unwrap_or_default(),
            world.rotation(self.id).unwrap_or_default(),
        );
        if self.surface.collider.is_none() { frame } else { frame.then(&self.surface.pose) }
    }

    /// Whether it touches in one point, through which impacts pass in a row.
    fn is_round(&self) -> bool {
        matches!(
            self.surface.shape,
            Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Torus { .. }
        )
    }
}

/// Surfaces that take part, the ground among them.
fn colliding(built: &Built) -> Vec<Part<'_>> {
    let world = &built.world;
    let all = world.bodies().filter(|id| *id != BodyId::WORLD).chain([BodyId::WORLD]);
    let bodies = all.filter_map(|id| Some((id, world.body(id)?.kind)));
    let parts = bodies
        .flat_map(|(id, kind)| world.surfaces(id).map(move |surface| Part { id, kind, surface }));
    parts.filter(|p| !p.surface.sensor).collect()
}

/// Elastic bodies in a row, as in Newton's cradle: fast time lets all of them rebound at once.
fn touching(reader: &mut Reader, built: &Built, parts: &[Part<'_>]) {
    let (world, settings) = (&built.world, &built.world.settings().contact);
    let elastic: Vec<_> = parts.iter().filter(|p| p.kind == BodyKind::Dynamic).collect();
    for (k, a) in elastic.iter().enumerate() {
        for b in elastic[k + 1..].iter().filter(|b| b.id != a.id) {
            let restitution = settings.between(a.surface.material, b.surface.material)[0];
            if restitution == 0.0 || !a.is_round() || !b.is_round() {
                continue;
            }
            let (p, q) = (a.surface.shape, b.surface.shape);
            let near = query::distance(p, &a.pose(world), q, &b.pose(world))
                .is_some_and(|d| d.distance.abs() <= settings.touch);
            let name = |id| world.body_name(id).unwrap_or_default();
            let Some(place) = built.spans.get(&*name(b.id)).filter(|_| near) else { continue };
            let message = format!(
                "\"{}\" and \"{}\" are elastic and touch: an impact that passes through both is shared out at once",
                name(a.id),
                name(b.id)
            );
            let help = "write `time = \"exact\"` in [contact]: impacts then go from body to body, as in Newton's cradle";
            reader.warning_at(place, message, "touches another").help(help);
            return;
        }
    }
}

/// Friction that may lift what it brakes (Painlevé): impulse methods can gain energy there.
fn jamming(reader: &mut Reader, built: &Built, parts: &[Part<'_>]) {
    let settings = &built.world.settings().contact;
    for a in parts.iter().filter(|p| p.kind == BodyKind::Dynamic && !p.is_round()) {
        let others = parts.iter().filter(|b| b.id != a.id);
        let most = others.map(|b| settings.between(a.surface.material, b.surface.material)[1]);
        let most = most.fold(0.0_f64, f64::max);
        let name = built.world.body_name(a.id).unwrap_or_default();
        let Some(place) = built.spans.get(&*name).filter(|_| most > JAMMING) else { continue };
        let message = format!(
            "\"{name}\" may meet friction of {most}: above 1 a body that slides tip-down can jam"
        );
        let help = "the step may feed it energy, which the run then names; take friction up to 1, or `method = \"lagrange\"`";
        reader.warning_at(place, message, "jams").help(help);
        return;
    }
}
