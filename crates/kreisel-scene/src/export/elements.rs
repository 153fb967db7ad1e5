//! What is no body, in a glTF file (W-153, B-103): joint points, markers, springs, constraints,
//! controllers, curves, centres of fields, and velocities as arrows. Points on bodies are children
//! of their nodes; what links two points is a cylinder that is moved, turned and stretched by
//! keyframes.

use super::gltf::Writer;
use super::motion::Motion;
use crate::scene::Scene;
use glam::{Quat as Turn, Vec3 as Point};
use kreisel_dynamics::{BodyId, Connector, ControllerKind, FieldKind, Quat, Vec3, World};
use kreisel_geometry::{Pose, Shape, shape::Part};
use serde_json::json;

/// What is written besides the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Joints, markers, springs, constraints, controllers, curves and fields.
    pub elements: bool,
    /// Velocities of the bodies as arrows, a tenth of a second of motion long.
    pub velocities: bool,
}

/// Radius of points and links, of the size of the scene.
const THIN: f64 = 0.006;
/// Places of a curve.
const PLACES: u32 = 100;
/// Length of the arrow of a velocity of 1 m/s, m.
const ARROW: f32 = 0.1;
/// Sign colours: positions, velocities, controllers, curves, fields, markers.
const POSITION: [u8; 3] = [61, 139, 255];
const VELOCITY: [u8; 3] = [255, 77, 77];
const CONTROLLER: [u8; 3] = [255, 196, 0];
const CURVE: [u8; 3] = [47, 210, 122];
const FIELD: [u8; 3] = [185, 140, 255];
const MARKER: [u8; 3] = [255, 224, 138];

/// An end of a link: a point of a body (its place in the motion), or of space.
#[derive(Clone, Copy, Debug)]
struct End {
    body: Option<usize>,
    point: Vec3,
}

impl End {
    fn at(self, motion: &Motion, frame: usize) -> Vec3 {
        let Some(k) = self.body else { return self.point };
        motion.positions[k][frame] + motion.rotations[k][frame] * self.point
    }
}

/// Adds all of them.
pub(super) fn add(w: &mut Writer, scene: &Scene, motion: &Motion, tolerance: f64, extras: Extras) {
    let bodies: Vec<BodyId> = scene.world.bodies().take(motion.positions.len()).collect();
    let place = |id: BodyId| bodies.iter().position(|b| *b == id);
    if extras.elements {
        joints(w, scene, place);
        links(w, scene, motion, tolerance, place);
        still(w, &scene.world);
    }
    if extras.velocities {
        velocities(w, scene, motion, tolerance);
    }
}

/// Points of joints and markers, carried by their bodies.
fn joints(w: &mut Writer, scene: &Scene, place: impl Fn(BodyId) -> Option<usize>) {
    let world = &scene.world;
    let size = THIN * w.extent;
    let ball = Shape::Sphere { radius: 2.0 * size };
    for id in world.joints() {
        let (Some(joint), Some(frames)) = (world.joint(id), world.joint_frames(id)) else {
            continue;
        };
        let name = format!("joint {}", world.joint_name(id).unwrap_or_default());
        let color = if joint.velocity_only { VELOCITY } else { POSITION };
        let [a, b] = joint.bodies;
        let (body, point) =
            if b == BodyId::WORLD { (a, frames[0].point) } else { (b, frames[1].point) };
        let local = local(world, body, point);
        w.carried(place(body), &name, &ball, color, local);
    }
    let cube = Shape::Box { size: Vec3::splat(3.0 * size) };
    for marker in &scene.markers {
        w.carried(place(marker.body), &format!("marker {}", marker.name), &cube, MARKER, marker.at);
    }
}

fn local(world: &World, body: BodyId, point: Vec3) -> Vec3 {
    let (x, q) =
        (world.position(body).unwrap_or_default(), world.rotation(body).unwrap_or_default());
    if body == BodyId::WORLD { point } else { q.conjugate() * (point - x) }
}

/// Springs, constraints and controllers between two points, and points that are led.
fn links(
    w: &mut Writer,
    scene: &Scene,
    motion: &Motion,
    tolerance: f64,
    place: impl Fn(BodyId) -> Option<usize>,
) {
    let world = &scene.world;
    let end = |body: BodyId, point: Vec3| End { body: place(body), point };
    let of = |c: &Connector| match c {
        Connector::Body { body, point, .. } => Some(end(*body, *point)),
        Connector::Nearest { .. } => None,
        still => Some(End { body: None, point: world.connector_position(still)? }),
    };
    for id in world.springs() {
        let (Some(spring), Some(at)) = (world.spring(id), world.spring_anchors(id)) else {
            continue;
        };
        let ends = [0, 1].map(|k| end(spring.bodies[k], local(world, spring.bodies[k], at[k])));
        let name = format!("spring {}", world.spring_name(id).unwrap_or_default());
        link(w, motion, tolerance, &name, CONTROLLER, &ends);
    }
    for id in world.constraints() {
        let Some(c) = world.constraint(id).filter(|c| c.active) else { continue };
        let ends: Vec<End> = c.connectors.iter().filter_map(of).collect();
        let color = if c.kind.is_velocity() { VELOCITY } else { POSITION };
        let name = format!("constraint {}", world.constraint_name(id).unwrap_or_default());
        link(w, motion, tolerance, &name, color, &ends);
    }
    for id in world.controllers() {
        let Some(c) = world.controller(id).filter(|c| c.active) else { continue };
        let ends: Vec<End> = c.connectors.iter().filter_map(of).collect();
        let name = format!("controller {}", world.controller_name(id).unwrap_or_default());
        match (&c.kind, &ends[..]) {
            // a cone along the force
            (ControllerKind::Vector(force), [from]) if force.length() > 0.0 => {
                let long = 10.0 * THIN * w.extent;
                let tip = Shape::Cone { radius: 0.2 * long, height: long };
                let turn = Quat::from_rotation_arc(Vec3::Z, force.normalize());
                let pose = Pose::new(turn * Vec3::Z * (0.5 * long), turn);
                let shape = Shape::Compound(vec![Part { pose, shape: tip }]);
                let node = w.free(&name, &shape, CONTROLLER);
                let path: Vec<Point> =
                    (0..motion.times.len()).map(|f| from.at(motion, f).as_vec3()).collect();
                w.led(node, motion, &path, tolerance);
            }
            _ => link(w, motion, tolerance, &name, CONTROLLER, &ends),
        }
    }
}

/// A cylinder between every two ends that follow each other; a ball where there is one only.
fn link(w: &mut Writer, motion: &Motion, tolerance: f64, name: &str, color: [u8; 3], ends: &[End]) {
    let size = THIN * w.extent;
    let frames = || 0..motion.times.len();
    if let [one] = ends {
        let node = w.free(name, &Shape::Sphere { radius: 2.0 * size }, color);
        let path: Vec<Point> = frames().map(|f| one.at(motion, f).as_vec3()).collect();
        w.led(node, motion, &path, tolerance);
        return;
    }
    for pair in ends.windows(2) {
        // one metre long: its scale is its length
        let rod = Shape::Cylinder { radius: size, height: 1.0 };
        let node = w.free(name, &rod, color);
        let (mut middles, mut turns, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for f in frames() {
            let (a, b) = (pair[0].at(motion, f), pair[1].at(motion, f));
            let way = b - a;
            middles.push((0.5 * (a + b)).as_vec3());
            turns.push(Quat::from_rotation_arc(Vec3::Z, way.normalize_or(Vec3::Z)).as_quat());
            scales.push(Point::new(1.0, 1.0, way.length().max(1e-6) as f32));
        }
        w.stretched(node, motion, &middles, &turns, &scales, tolerance);
    }
}

/// Curves as lines, and the centres of radial fields.
fn still(w: &mut Writer, world: &World) {
    for id in world.curves() {
        let Some(curve) = world.curve(id) else { continue };
        let name = format!("curve {}", world.curve_name(id).unwrap_or_default());
        let at = |k: u32| curve.point(f64::from(k) / f64::from(PLACES)).as_vec3().to_array();
        let points: Vec<[f32; 3]> = (0..=PLACES).map(at).collect();
        w.line(&name, &points, CURVE);
    }
    for id in world.fields() {
        let Some(field) = world.field(id).filter(|f| f.active) else { continue };
        let FieldKind::Radial { center, .. } = field.kind else { continue };
        let name = format!("field {}", world.field_name(id).unwrap_or_default());
        let radius = 5.0 * THIN * w.extent;
        let node = w.free(&name, &Shape::Sphere { radius }, FIELD);
        w.nodes[node]["translation"] = json!(center.as_vec3().to_array());
    }
}

/// Arrows from the origins of the bodies along their velocities, which are differences of places.
fn velocities(w: &mut Writer, scene: &Scene, motion: &Motion, tolerance: f64) {
    let radius = THIN * w.extent;
    let shaft = Shape::Cylinder { radius, height: 0.8 };
    let tip = Shape::Cone { radius: 2.5 * radius, height: 0.2 };
    let part = |shape, z| Part { pose: Pose::new(Vec3::Z * z, Quat::IDENTITY), shape };
    let arrow = Shape::Compound(vec![part(shaft, 0.4), part(tip, 0.9)]);
    let last = motion.times.len().saturating_sub(1);
    for (k, id) in scene.world.bodies().enumerate() {
        let Some(places) = motion.positions.get(k).filter(|_| last > 0) else { break };
        let name = format!("velocity of {}", scene.world.body_name(id).unwrap_or_default());
        let node = w.free(&name, &arrow, CURVE);
        let (mut from, mut turns, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for f in 0..=last {
            let (a, b) = (f.saturating_sub(1), (f + 1).min(last));
            let velocity = (places[b] - places[a]) / (motion.times[b] - motion.times[a]).max(1e-12);
            let way = velocity.as_vec3() * ARROW;
            from.push(places[f].as_vec3());
            turns.push(Turn::from_rotation_arc(Point::Z, way.normalize_or(Point::Z)));
            scales.push(Point::new(1.0, 1.0, way.length().max(1e-6)));
        }
        w.stretched(node, motion, &from, &turns, &scales, tolerance);
    }
}
