//! Still pictures of a scene as SVG: flat-shaded solids, painted from far to near, with their
//! shadows on the ground.
//!
//! Several times in one picture are shown one over the other, the earlier ones fainter.

mod camera;
mod polyhedron;
mod svg;

use camera::Camera;
use kreisel_dynamics::{
    BodyId, BodyKind, Connector, ConstraintKind, ControllerKind, Curve, Vec3, World,
};
use kreisel_geometry::{Pose, Shape};
use kreisel_scene::Scene;
use kreisel_scene::export::{PALETTE, SCENERY};
use polyhedron::{Solid, solids};
use svg::Svg;

/// Opacity of the first of several times.
const FAINT: f64 = 0.2;

/// Draws the scene as it stands in each of the worlds, the last one fully.
pub fn render(scene: &Scene, worlds: &[World], size: (u32, u32)) -> String {
    render_with_lines(scene, worlds, &[], size)
}

/// Draws placed shapes and lines between points, such as the shortest ones.
pub fn picture(items: &[(&Shape, Pose)], lines: &[(Vec3, Vec3)], size: (u32, u32)) -> String {
    let drawn: Vec<(Vec<Solid>, Pose)> =
        items.iter().map(|(shape, pose)| (solids(Some(shape)), *pose)).collect();
    let points: Vec<Vec3> = (drawn.iter())
        .flat_map(|(solids, pose)| solids.iter().flat_map(|s| s.extent()).map(|p| pose.point(p)))
        .chain(lines.iter().flat_map(|l| [l.0, l.1]))
        .collect();
    let camera = Camera::new(&points, Vec3::Z, None, size);
    let mut svg = Svg::new(&camera, size);
    svg.grid();
    for (solids, pose) in &drawn {
        svg.shadow(solids, pose);
    }
    for (k, (solids, pose)) in drawn.iter().enumerate() {
        svg.add(solids, pose, PALETTE[k % PALETTE.len()], 0.85);
    }
    svg.paint();
    lines.iter().for_each(|l| svg.witness(l.0, l.1));
    svg.finish()
}

/// As [`render`], with lines on top.
pub fn render_with_lines(
    scene: &Scene,
    worlds: &[World],
    lines: &[(Vec3, Vec3)],
    size: (u32, u32),
) -> String {
    let mut bodies: Vec<Drawn> =
        scene.world.bodies().enumerate().map(|(k, id)| Drawn::new(scene, id, k)).collect();
    bodies.extend(scene.shown_at_start().iter().map(|show| Drawn {
        id: show.body,
        solids: solids(Some(&show.shape)),
        color: show.color.unwrap_or(SCENERY),
    }));
    let up = (-scene.world.gravity()).try_normalize().unwrap_or(Vec3::Z);
    let mut points = Vec::new();
    for world in worlds {
        for body in &bodies {
            let pose = body.pose(world);
            points.extend(body.solids.iter().flat_map(|s| s.extent()).map(|p| pose.point(p)));
        }
    }
    let links: Vec<Links> = worlds.iter().map(|w| Links::new(&scene.world, w)).collect();
    points.extend(links.iter().flat_map(Links::ends));
    points.extend(curves(scene).into_iter().flatten());
    let mut camera = Camera::new(&points, up, scene.camera, size);
    if let Some(height) = floor(scene) {
        camera.level = height;
    }
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
        // points without their rods say nothing
        if k < last {
            links[k].lines.iter().for_each(|&[a, b]| svg.line(a, b, 0.6 * opacity));
        }
        for body in &bodies {
            svg.add(&body.solids, &body.pose(world), body.color, opacity);
        }
        svg.paint();
    }
    if let Some(links) = links.last() {
        links.draw(&mut svg);
    }
    curves(scene).iter().for_each(|c| svg.curve(c));
    lines.iter().for_each(|l| svg.witness(l.0, l.1));
    svg.finish()
}

/// Pieces that a curve is drawn with.
const PIECES: u32 = 64;

/// The curves of a scene as points along them.
pub fn curves(scene: &Scene) -> Vec<Vec<Vec3>> {
    let world = &scene.world;
    let along =
        |c: &Curve| (0..=PIECES).map(|k| c.point(f64::from(k) / f64::from(PIECES))).collect();
    world.curves().filter_map(|id| world.curve(id)).map(along).collect()
}

/// Height of the scene's floor against gravity, if it has one that lies level.
pub fn floor(scene: &Scene) -> Option<f64> {
    let up = (-scene.world.gravity()).try_normalize().unwrap_or(Vec3::Z);
    match scene.world.body(BodyId::WORLD)?.shape.as_ref()? {
        Shape::HalfSpace { normal, offset } if normal.dot(up) > 0.999 => Some(*offset),
        _ => None,
    }
}

/// A body, or what is shown on one, as it is drawn.
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
        Pose::new(
            world.position(self.id).unwrap_or_default(),
            world.rotation(self.id).unwrap_or_default(),
        )
    }
}

/// What joints and springs look like in a world.
#[derive(Default)]
struct Links {
    springs: Vec<[Vec3; 2]>,
    /// Rods, threads, rails and the outlines of polygons.
    lines: Vec<[Vec3; 2]>,
    joints: Vec<Vec3>,
}

impl Links {
    fn new(start: &World, now: &World) -> Self {
        use kreisel_dynamics::PositionPart as P;
        // Anchors are described in world coordinates at the start; they move with their bodies.
        let moved = |body: BodyId, anchor: Vec3| {
            let rotation = start.rotation(body).unwrap_or_default();
            let local = rotation.conjugate() * (anchor - start.position(body).unwrap_or_default());
            now.point(body, local).unwrap_or(anchor)
        };
        let mut out = Self::default();
        for spring in start.springs().filter_map(|id| start.spring(id)) {
            out.springs.push([0, 1].map(|k| moved(spring.bodies[k], spring.anchors[k])));
        }
        for joint in start.joints().filter_map(|id| start.joint(id)) {
            let [a, b] = [0, 1].map(|k| moved(joint.bodies[k], joint.anchors[k]));
            let more = joint.more.iter().map(|&(body, at)| moved(body, at));
            let supports: Vec<Vec3> = [a].into_iter().chain(more).collect();
            match joint.kind.parts().0 {
                P::Line => {}
                // what a point slides on, not what it is away from
                P::Rail => out.lines.extend(supports.windows(2).map(|w| [w[0], w[1]])),
                P::Polygon => {
                    let next = |i: usize| supports[(i + 1) % supports.len()];
                    out.lines.extend(supports.iter().enumerate().map(|(i, &from)| [from, next(i)]));
                }
                _ if a.distance(b) > 1e-6 => out.lines.push([a, b]),
                _ => {}
            }
            out.joints.push(b);
        }
        out.elements(now);
        out
    }

    /// Constraints between connectors and controllers: what they link, as the viewer shows it.
    fn elements(&mut self, now: &World) {
        let apart = |a: Vec3, b: Vec3| a.is_finite() && b.is_finite() && a.distance(b) > 1e-6;
        let places = |list: &[Connector]| -> Vec<Vec3> {
            list.iter().filter_map(|c| now.connector_position(c)).collect()
        };
        for c in now
            .constraints()
            .filter_map(|id| now.constraint(id))
            .filter(|c| c.active && !c.kind.is_velocity())
        {
            use ConstraintKind as K;
            let axes = matches!(
                c.kind,
                K::Orientation | K::InLine | K::Ortho | K::Hinge | K::Slide | K::Universal
            );
            let points = places(&c.connectors);
            // The second point of an axis tells a direction and is nothing to see.
            let shown: Vec<Vec3> = points
                .iter()
                .enumerate()
                .filter(|(k, _)| !axes || k % 2 == 0)
                .map(|(_, p)| *p)
                .collect();
            self.lines.extend(shown.windows(2).filter(|w| apart(w[0], w[1])).map(|w| [w[0], w[1]]));
        }
        for c in now.controllers().filter_map(|id| now.controller(id)).filter(|c| c.active) {
            if let [a, b] = places(&c.connectors)[..]
                && apart(a, b)
            {
                let coil = matches!(c.kind, ControllerKind::Spring { .. });
                if coil { self.springs.push([a, b]) } else { self.lines.push([a, b]) }
            }
        }
    }

    /// Everything that belongs into the picture.
    fn ends(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.springs.iter().chain(&self.lines).flatten().copied()
    }

    fn draw(&self, svg: &mut Svg<'_>) {
        self.springs.iter().for_each(|&[a, b]| svg.spring(a, b));
        self.lines.iter().for_each(|&[a, b]| svg.line(a, b, 1.0));
        self.joints.iter().for_each(|&p| svg.dot(p));
    }
}
