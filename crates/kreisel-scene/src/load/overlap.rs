//! Warning of bodies that overlap at the start and would be pushed apart.

use super::names::Built;
use crate::crowd::overlapping;
use crate::read::Reader;
use kreisel_dynamics::{BodyId, BodyKind, BodySurface};
use kreisel_geometry::broad::Aabb;
use kreisel_geometry::{Pose, Shape, query};
use std::collections::BTreeSet;

/// Pairs that are looked at, bodies that are looked through, triangles of a mesh: more would make
/// loading slow.
const MAX_PAIRS: usize = 20_000;
const MAX_BODIES: usize = 20_000;
const MAX_TRIANGLES: usize = 2_000;

/// Looks for the deepest overlap of bodies that collide.
pub(super) fn look(reader: &mut Reader, built: &Built) {
    let world = &built.world;
    let settings = &world.settings().contact;
    if !settings.on {
        return;
    }
    let mut bodies: Vec<(BodyId, BodyKind, BodySurface<'_>, Pose)> = Vec::new();
    for id in world.bodies() {
        let Some(body) = world.body(id) else { continue };
        let frame = Pose::new(
            world.position(id).unwrap_or_default(),
            world.rotation(id).unwrap_or_default(),
        );
        let solid = |s: &BodySurface<'_>| !s.sensor && s.one_way.is_none() && light(s.shape);
        for surface in world.surfaces(id).filter(solid) {
            let own = surface.collider.is_none();
            let pose = if own { frame } else { frame.then(&surface.pose) };
            bodies.push((id, body.kind, surface, pose));
        }
    }
    if bodies.len() > MAX_BODIES {
        return;
    }
    let mut joined = BTreeSet::new();
    for joint in world.joints().filter_map(|j| world.joint(j)).filter(|j| !j.collide) {
        let point = joint.bodies[1];
        for a in joint.all_bodies().filter(|&a| a != point) {
            joined.insert((a.min(point), a.max(point)));
        }
    }
    for c in world.constraints().filter_map(|c| world.constraint(c)).filter(|c| !c.collide) {
        joined.extend(c.linked().map(|[a, b]| (a.min(b), a.max(b))));
    }
    let boxes: Vec<Aabb> = bodies.iter().map(|(_, _, s, pose)| Aabb::of(s.shape, pose)).collect();
    let pairs = overlapping(&boxes, MAX_PAIRS);
    let mut deepest: Option<(f64, BodyId, BodyId)> = None;
    let mut count = 0;
    for [i, j] in pairs {
        let ((a, kind_a, first, pose_a), (b, kind_b, second, pose_b)) =
            (&bodies[i as usize], &bodies[j as usize]);
        let moves = [kind_a, kind_b].contains(&&BodyKind::Dynamic) && a != b;
        let meet = first.groups.with & second.groups.member != 0
            && second.groups.with & first.groups.member != 0;
        if !moves || !meet || joined.contains(&((*a).min(*b), (*a).max(*b))) {
            continue;
        }
        let Some(p) = query::distance(first.shape, pose_a, second.shape, pose_b) else { continue };
        if p.distance < -settings.touch {
            count += 1;
            if deepest.is_none_or(|d| p.distance < d.0) {
                deepest = Some((p.distance, *a, *b));
            }
        }
    }
    let Some((distance, a, b)) = deepest else { return };
    let name = |id| world.body_name(id).unwrap_or_default();
    let Some(place) = built.spans.get(&*name(b)) else { return };
    let more = if count > 1 { format!(", the deepest of {count} pairs") } else { String::new() };
    let message = format!(
        "\"{}\" and \"{}\" overlap by {:.3e} m at the start{more}",
        name(a),
        name(b),
        -distance
    );
    let help = "contact pushes them apart, which moves them; place them apart, join them, put them into different `groups`, or write `collide = false`";
    reader.warning_at(place, message, "overlaps").help(help);
}

/// Whether a shape is quick to look at.
fn light(shape: &Shape) -> bool {
    match shape {
        Shape::Mesh(mesh) => mesh.triangles().len() <= MAX_TRIANGLES,
        Shape::HeightField(field) => field.heights().len() <= MAX_TRIANGLES,
        Shape::Compound(parts) => parts.len() <= 100 && parts.iter().all(|p| light(&p.shape)),
        _ => true,
    }
}
