//! Still pictures of a scene as SVG: flat-shaded solids, painted from far to near, with their shadows on the ground.
//!
//! Several times in one picture are shown one over the other, the earlier ones fainter.

mod camera;
mod polyhedron;
mod svg;

use camera::Camera;
use kreisel_dynamics::{BodyId, BodyKind, Vec3, World};
use kreisel_geometry::Pose;
use kreisel_scene::Scene;
use kreisel_scene::export::PALETTE;
use polyhedron::{Solid, solids};
use svg::Svg;

/// Opacity of the first of several times.
const FAINT: f64 = 0.2;

/// Draws the scene as it stands in each of the worlds, the last one fully.
pub fn render(scene: &Scene, worlds: &[World], size: (u32, u32)) -> String {
    let bodies: Vec<Drawn> = scene.world.bodies().enumerate().map(|(k, id)| Drawn::new(scene, id, k)).collect();
    let up = (-scene.world.gravity()).try_normalize().unwrap_or(Vec3::Z);
    let mut points = Vec::new();
    for world in worlds {
        for body in &bodies {
            let pose = body.pose(world);
            points.extend(body.solids.iter().flat_map(|s| s.extent()).map(|p| pose.point(p)));
        }
    }
    let camera = Camera::new(&points, up, scene.camera, size);
    let mut svg = Svg::new(&camera, size);
    svg.grid();
    let last = worlds.len().saturating_sub(1);
    if let Some(world) = worlds.last() {
        for body in &bodies {
            svg.shadow(&body.solids, &body.pose(world));
        }
    }
    for (k, world) in worlds.iter().enumerate() {
        let opacity = if k == last { 1.0 } else { FAINT + (0.7 - FAINT) * k as f64 / last as f64 };
        for body in &bodies {
            svg.add(&body.solids, &body.pose(world), body.color, opacity);
        }
        svg.paint();
    }
    if let Some(world) = worlds.last() {
        links(&mut svg, &scene.world, world);
    }
    svg.finish()
}

/// A body as it is drawn.
struct Drawn {
    id: BodyId,
    solids: Vec<Solid>,
    color: [u8; 3],
}

impl Drawn {
    fn new(scene: &Scene, id: BodyId, number: usize) -> Self {
        let look = scene.looks.iter().find(|l| l.body == id);
        let moves = scene.world.body(id).is_some_and(|b| b.kind == BodyKind::Dynamic);
        let usual = if moves { PALETTE[number % PALETTE.len()] } else { [150, 156, 164] };
        Self {
            id,
            solids: solids(look.and_then(|l| l.shape.as_ref())),
            color: look.and_then(|l| l.color).unwrap_or(usual),
        }
    }

    fn pose(&self, world: &World) -> Pose {
        Pose::new(world.position(self.id).unwrap_or_default(), world.rotation(self.id).unwrap_or_default())
    }
}

/// Joints as dots; rods, ropes and springs as lines.
fn links(svg: &mut Svg<'_>, start: &World, now: &World) {
    // Anchors are described in world coordinates at the start; they move with their bodies.
    let moved = |body: BodyId, anchor: Vec3| {
        let rotation = start.rotation(body).unwrap_or_default();
        let local = rotation.conjugate() * (anchor - start.position(body).unwrap_or_default());
        now.point(body, local).unwrap_or(anchor)
    };
    for spring in start.springs().filter_map(|id| start.spring(id)) {
        let [a, b] = [0, 1].map(|k| moved(spring.bodies[k], spring.anchors[k]));
        svg.spring(a, b);
    }
    for joint in start.joints().filter_map(|id| start.joint(id)) {
        let [a, b] = [0, 1].map(|k| moved(joint.bodies[k], joint.anchors[k]));
        if a.distance(b) > 1e-6 && joint.kind.parts().0 != kreisel_dynamics::PositionPart::Line {
            svg.line(a, b);
        }
        svg.dot(b);
    }
}
