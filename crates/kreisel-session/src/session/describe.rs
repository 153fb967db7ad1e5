//! What exists, described for the page.

use super::{Session, elements};
use crate::protocol::{
    AnchorView, BodyView, ColliderView, GeometryView, JointView, MarkerView, MotorView, PartView,
    SceneView, SensorView, ShowView, SpringView,
};
use base64::Engine;
use kreisel_dynamics::{BodyId, Coordinate, JointId, RotationPart, Vec3};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::{Pose, Shape, TriMesh};
use kreisel_scene::Show;

/// Sides of round shapes that are sent as meshes.
const SIDES: u32 = 48;

impl Session {
    /// Describes everything that exists.
    pub fn describe(&self) -> SceneView {
        let world = &self.document.sim.world;
        let ids: Vec<BodyId> = world.bodies().collect();
        let joint_ids: Vec<JointId> = world.joints().collect();
        // Both are in the order of their slots.
        let index = |id: BodyId| ids.binary_search(&id).map_or(-1, |k| k as i32);
        let place = |id: BodyId| {
            (world.position(id).unwrap_or_default(), world.rotation(id).unwrap_or_default())
        };
        let local = |id: BodyId, p: Vec3| {
            let (x, q) = place(id);
            (q.conjugate() * (p - x)).to_array()
        };
        let direction = |id: BodyId, v: Vec3| (place(id).1.conjugate() * v).to_array();
        let bodies = ids.iter().filter_map(|&id| {
            let body = world.body(id)?;
            let look = self.document.looks().get(&id);
            Some(BodyView {
                name: world.body_name(id)?.to_string(),
                kind: body.kind.name().into(),
                color: look.and_then(|l| l.color),
                mass: body.mass.mass,
                center: body.mass.center.to_array(),
                parts: parts(look.and_then(|l| l.shown.as_ref())),
                opacity: look.map_or(1.0, |l| l.finish.opacity),
                reflection: look.map_or(0.0, |l| l.finish.reflection),
                texture: look.map_or_else(String::new, |l| l.finish.texture.clone()),
            })
        });
        let joints = joint_ids.iter().filter_map(|&id| {
            let (joint, frames) = (world.joint(id)?, world.joint_frames(id)?);
            let [a, b] = joint.bodies;
            let angle = joint.kind.parts().1 == RotationPart::Angle;
            let range = |c: Coordinate| {
                let limit = joint.limits.iter().find(|l| l.coordinate == c);
                let bound = |x: f64| Some(x).filter(|x| x.is_finite());
                limit.map_or([None; 2], |l| [bound(l.min), bound(l.max)])
            };
            let free = || Coordinate::ALL.into_iter().filter(|c| joint.kind.has(*c));
            let rope = joint.kind.rows() == 0
                && joint.limits.iter().any(|l| l.coordinate.name() == "length");
            Some(JointView {
                name: world.joint_name(id)?.to_string(),
                kind: if rope { "rope" } else { joint.kind.name() }.into(),
                bodies: [index(a), index(b)],
                anchors: [local(a, frames[0].point), local(b, frames[1].point)],
                axis: direction(a, frames[0].axes.x_axis),
                axis2: angle.then(|| direction(b, frames[1].axes.y_axis)),
                supports: (world.joint_supports_local(id).into_iter())
                    .map(|(body, point)| AnchorView {
                        body: index(body),
                        point: point.to_array(),
                        moving: None,
                    })
                    .collect(),
                active: joint.active,
                velocity_only: joint.velocity_only,
                coordinates: free().map(|c| c.name().to_owned()).collect(),
                ranges: free().map(range).collect(),
            })
        });
        let springs = world.springs().filter_map(|id| {
            let (spring, anchors) = (world.spring(id)?, world.spring_anchors(id)?);
            let [a, b] = spring.bodies;
            Some(SpringView {
                name: world.spring_name(id)?.to_string(),
                bodies: [index(a), index(b)],
                anchors: [local(a, anchors[0]), local(b, anchors[1])],
                length: world.spring_length(id)?,
            })
        });
        let motors = world.motors().filter_map(|id| {
            let motor = world.motor(id)?;
            Some(MotorView {
                name: world.motor_name(id)?.to_string(),
                joint: joint_ids.binary_search(&motor.joint).map_or(-1, |k| k as i32),
                coordinate: motor.coordinate.name().into(),
            })
        });
        let sensors = world.sensors().filter_map(|id| {
            let sensor = world.sensor(id)?;
            Some(SensorView {
                name: world.sensor_name(id)?.to_string(),
                kind: sensor.kind.name().into(),
                body: sensor.body.map_or(-1, index),
                at: sensor.at.unwrap_or_default().to_array(),
                forward: sensor.forward.to_array(),
            })
        });
        let colliders = world.colliders().filter_map(|id| {
            let collider = world.collider(id)?;
            Some(ColliderView {
                name: world.collider_name(id)?.to_string(),
                body: index(collider.body),
                active: collider.active,
            })
        });
        let run = self.document.sim.run_settings();
        let markers = run.markers.iter().map(|m| MarkerView {
            name: m.name.clone(),
            body: index(m.body),
            at: m.at.to_array(),
        });
        let beside = run.forces.iter().map(|f| f.name.clone());
        let beside = beside.chain(run.motions.iter().map(|m| m.name.clone()));
        let beside = beside.chain(run.emitters.iter().map(|e| e.name.clone()));
        let shown = self.document.scene.shown(world, self.document.looks());
        let there = |s: &Show| s.body == BodyId::WORLD || world.body(s.body).is_some();
        let shows = shown.into_iter().filter(there).map(|s| ShowView {
            body: index(s.body),
            color: s.color,
            parts: parts(Some(&s.shape)),
        });
        let tolerance = world.settings().tolerance;
        SceneView {
            revision: self.revision,
            load: self.loads,
            title: self.document.title.clone(),
            description: self.document.scene.description.clone().unwrap_or_default(),
            gravity: world.gravity().to_array(),
            camera: self.document.scene.camera.map(|c| [c.eye.to_array(), c.target.to_array()]),
            step: self.document.sim.step_size(),
            tolerance: [tolerance.position, tolerance.angle],
            ground: world
                .body(BodyId::WORLD)
                .and_then(|b| b.shape.as_ref())
                .map_or(Vec::new(), |s| parts(Some(s))),
            bodies: bodies.collect(),
            colliders: colliders.collect(),
            joints: joints.collect(),
            springs: springs.collect(),
            motors: motors.collect(),
            elements: elements::describe(world, index),
            curves: elements::curves(world),
            fields: elements::fields(world),
            procedures: elements::procedures(world),
            sensors: sensors.collect(),
            markers: markers.collect(),
            forces: beside.collect(),
            locked: self.document.locked.iter().cloned().collect(),
            shows: shows.collect(),
            method: world.settings().method.name().into(),
        }
    }
}

fn parts(shape: Option<&Shape>) -> Vec<PartView> {
    let mut out = Vec::new();
    match shape {
        Some(shape) => collect(shape, Pose::IDENTITY, &mut out),
        None => out.push(part(GeometryView::Point, Pose::IDENTITY)),
    }
    out
}

fn part(geometry: GeometryView, pose: Pose) -> PartView {
    PartView { geometry, position: pose.position.to_array(), rotation: pose.rotation.to_array() }
}

/// Compounds are flattened.
fn collect(shape: &Shape, pose: Pose, out: &mut Vec<PartView>) {
    let geometry = match shape {
        Shape::Sphere { radius } => GeometryView::Ellipsoid { radii: [*radius; 3] },
        Shape::Ellipsoid { radii } => GeometryView::Ellipsoid { radii: radii.to_array() },
        Shape::Box { size } => GeometryView::Box { size: size.to_array() },
        Shape::Cylinder { radius, height } => {
            GeometryView::Cylinder { radius: *radius, height: *height }
        }
        Shape::Capsule { radius, height } => {
            GeometryView::Capsule { radius: *radius, height: *height }
        }
        Shape::Cone { radius, height } => GeometryView::Cone { radius: *radius, height: *height },
        Shape::HalfSpace { normal, offset } => {
            GeometryView::Plane { normal: normal.to_array(), offset: *offset }
        }
        Shape::Disc { radius, height, rim } => {
            mesh(&generate::disc(*radius, *height, *rim, SIDES, SIDES / 8), false)
        }
        Shape::Torus { radius, tube } => {
            mesh(&generate::torus(*radius, *tube, SIDES, SIDES / 2), false)
        }
        Shape::Hull(hull) => mesh(&hull.to_mesh(), true),
        Shape::Mesh(m) => mesh(m, false),
        Shape::HeightField(field) => mesh(&field.to_mesh(), false),
        Shape::Compound(parts) => {
            for p in parts {
                collect(&p.shape, pose.then(&p.pose), out);
            }
            return;
        }
    };
    out.push(part(geometry, pose));
}

fn mesh(m: &TriMesh, flat: bool) -> GeometryView {
    let engine = base64::engine::general_purpose::STANDARD;
    let vertices: Vec<u8> = m
        .vertices()
        .iter()
        .flat_map(|v| v.to_array())
        .flat_map(|x| (x as f32).to_le_bytes())
        .collect();
    let triangles: Vec<u8> = m.triangles().iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
    GeometryView::Mesh {
        vertices: engine.encode(vertices),
        triangles: engine.encode(triangles),
        flat,
    }
}
