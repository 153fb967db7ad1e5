//! One self-contained page: the data of a run inside the player's HTML.

use super::frames::Frames;
use super::solids::{Solid, shown, solids};
use base64::Engine;
use kreisel_dynamics::{BodyId, World};
use kreisel_scene::Scene;
use kreisel_scene::export::SCENERY;
use serde::Serialize;

const PLAYER: &str = include_str!("player.html");

#[derive(Serialize)]
struct Data {
    title: String,
    description: String,
    gravity: [f64; 3],
    eye: Option<[f64; 3]>,
    target: Option<[f64; 3]>,
    bodies: Vec<BodyData>,
    /// What stands still and is only shown.
    scenery: Vec<Solid>,
    /// Height of the scene's floor.
    ground: Option<f64>,
    links: Vec<Link>,
    /// Points along the scene's curves.
    curves: Vec<Vec<[f64; 3]>>,
    times: Vec<f64>,
    energies: Vec<[f64; 3]>,
    errors: Vec<f64>,
    tolerance: f64,
    /// Little-endian f32: x, y, z and quaternion x, y, z, w of each body, frame after frame.
    poses: String,
}

#[derive(Serialize)]
struct BodyData {
    name: String,
    color: Option<[u8; 3]>,
    fixed: bool,
    solids: Vec<Solid>,
}

/// A joint, spring, rope, or a piece of a rail or of a polygon's outline: two anchors fixed to
/// bodies (−1 is the world).
#[derive(Serialize)]
struct Link {
    kind: &'static str,
    bodies: [i64; 2],
    anchors: [[f64; 3]; 2],
}

/// The page of a run.
pub fn page(scene: &Scene, frames: &Frames) -> Result<String, serde_json::Error> {
    let world = &scene.world;
    let ids: Vec<BodyId> = world.bodies().collect();
    let shown_besides = scene.shown_at_start();
    let shows = |id: BodyId| -> Vec<Solid> {
        let all = shown_besides.iter().filter(|s| s.body == id);
        all.flat_map(|s| shown(&s.shape, s.color.unwrap_or(SCENERY))).collect()
    };
    let bodies = ids.iter().map(|&id| {
        let look = scene.looks.iter().find(|l| l.body == id);
        BodyData {
            name: world.body_name(id).map(|n| n.to_string()).unwrap_or_default(),
            color: look.and_then(|l| l.color),
            fixed: world.body(id).is_some_and(|b| b.kind != kreisel_dynamics::BodyKind::Dynamic),
            solids: solids(look.and_then(|l| l.shape.as_ref()))
                .into_iter()
                .chain(shows(id))
                .collect(),
        }
    });
    let mut bytes = Vec::with_capacity(frames.poses.len() * 4);
    for x in &frames.poses {
        bytes.extend(x.to_le_bytes());
    }
    let data = Data {
        title: scene.title.clone().unwrap_or_else(|| scene.source.name.to_string()),
        description: scene.description.clone().unwrap_or_default(),
        gravity: world.gravity().to_array(),
        eye: scene.camera.map(|c| c.eye.to_array()),
        target: scene.camera.map(|c| c.target.to_array()),
        bodies: bodies.collect(),
        scenery: shows(BodyId::WORLD),
        ground: crate::render::floor(scene),
        links: links(world, &ids),
        curves: crate::render::curves(scene)
            .iter()
            .map(|c| c.iter().map(|p| p.to_array()).collect())
            .collect(),
        times: frames.times.clone(),
        energies: frames.energies.clone(),
        errors: frames.errors.clone(),
        tolerance: world.settings().tolerance.position,
        poses: base64::engine::general_purpose::STANDARD.encode(bytes),
    };
    // `</` would end the script element that holds the data.
    let json = serde_json::to_string(&data)?.replace("</", "<\\/");
    Ok(PLAYER.replace("\"DATA\"", &json))
}

fn links(world: &World, ids: &[BodyId]) -> Vec<Link> {
    let guides = world.joints().flat_map(|id| {
        // rails are open, outlines of polygons closed
        let places = world.joint_supports_local(id);
        let pairs = if places.len() > 2 { places.len() } else { places.len().saturating_sub(1) };
        (0..pairs).map(move |k| (places[k], places[(k + 1) % places.len()])).collect::<Vec<_>>()
    });
    let own = |id: &kreisel_dynamics::JointId| world.joint_supports_local(*id).is_empty();
    let joints = world.joints().filter(own).filter_map(|id| {
        let (j, anchors) = (world.joint(id)?, world.joint_anchors_local(id)?);
        let (point, rope) =
            (j.kind.rows() > 0, j.limits.iter().any(|l| l.coordinate.name() == "length"));
        let kind = match j.kind.parts().0 {
            kreisel_dynamics::PositionPart::Distance => "rod",
            _ if rope && !point => "rope",
            _ => "joint",
        };
        Some((kind, j.bodies, anchors))
    });
    let springs = world.springs().filter_map(|id| {
        Some(("spring", world.spring(id)?.bodies, world.spring_anchors_local(id)?))
    });
    let index = |id: BodyId| ids.binary_search(&id).map_or(-1, |k| k as i64);
    let guides = guides.map(|(a, b)| Link {
        kind: "rail",
        bodies: [index(a.0), index(b.0)],
        anchors: [a.1.to_array(), b.1.to_array()],
    });
    let joints = joints.chain(springs).map(|(kind, bodies, anchors)| Link {
        kind,
        bodies: bodies.map(index),
        anchors: anchors.map(|p| p.to_array()),
    });
    guides.chain(joints).collect()
}
