//! rapier3d (f32) with impulse joints: a soft-step solver that sweeps over the joints.
//!
//! Settings are "substeps x sweeps per substep"; 4 is its default. Joints are warm-started (off by
//! default: that helps it), the speed cap of 400 m/s is lifted (a whip passes it), bodies collide
//! only in scenes with friction and never sleep.

use crate::engine::{Engine, Setup};
use crate::scene::{GRAVITY, Scene};
use glam::{DQuat, DVec3};
use kreisel_dynamics::Shape;
use rapier3d::parry::utils::Array2;
use rapier3d::prelude::*;

/// rapier with so many substeps and sweeps in each.
pub fn setup(substeps: usize, sweeps: usize) -> Setup {
    let name = if sweeps == 1 {
        format!("rapier {substeps}")
    } else {
        format!("rapier {substeps}x{sweeps}")
    };
    Setup {
        name,
        ours: false,
        load: Box::new(move |scene| Box::new(Rapier::load(scene, substeps, sweeps))),
    }
}

/// rapier as it comes: 4 substeps of one sweep, contacts at 30 Hz.
pub fn contact_setup() -> Setup {
    Setup {
        name: "rapier".into(),
        ours: false,
        load: Box::new(|scene| Box::new(Rapier::load(scene, 4, 1))),
    }
}

struct Rapier {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

fn narrow(v: DVec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn wide(v: Vector) -> DVec3 {
    DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

/// A shape as rapier has it; its cylinders stand along y.
fn collider(shape: &Shape) -> ColliderBuilder {
    let upright =
        Pose::from_parts(Vector::ZERO, Rotation::from_rotation_x(std::f32::consts::FRAC_PI_2));
    match shape {
        Shape::Sphere { radius } => ColliderBuilder::ball(*radius as f32),
        Shape::Box { size } => {
            let half = narrow(*size / 2.0);
            ColliderBuilder::cuboid(half.x, half.y, half.z)
        }
        Shape::Capsule { radius, height } => {
            ColliderBuilder::capsule_z(0.5 * *height as f32, *radius as f32)
        }
        Shape::Cylinder { radius, height } => {
            ColliderBuilder::cylinder(0.5 * *height as f32, *radius as f32).position(upright)
        }
        Shape::Hull(hull) => {
            let points: Vec<Vector> = hull.vertices().iter().map(|&v| narrow(v)).collect();
            ColliderBuilder::convex_hull(&points).expect("the points have a hull")
        }
        Shape::Cone { radius, height } => {
            ColliderBuilder::cone(0.5 * *height as f32, *radius as f32).position(upright)
        }
        Shape::Compound(parts) if parts.len() == 1 && parts[0].pose.rotation == DQuat::IDENTITY => {
            let mut part = collider(&parts[0].shape);
            part.position.translation += narrow(parts[0].pose.position);
            part
        }
        Shape::Mesh(mesh) => {
            let vertices = mesh.vertices().iter().map(|&v| narrow(v)).collect();
            ColliderBuilder::trimesh(vertices, mesh.triangles().to_vec())
                .expect("the mesh has triangles")
        }
        Shape::HeightField(field) => {
            // rows run along −z of rapier's frame, which is y of ours, about the middle
            let (rows, columns, spacing) = (field.rows(), field.columns(), field.spacing());
            let at = |i: usize| field.heights()[(rows - 1 - i % rows) * columns + i / rows] as f32;
            let heights = Array2::new(rows, columns, (0..rows * columns).map(at).collect());
            let size =
                DVec3::new(spacing.x * (columns - 1) as f64, 1.0, spacing.y * (rows - 1) as f64);
            let middle = Vector::new(0.5 * size.x as f32, 0.5 * size.z as f32, 0.0);
            let turned =
                Pose::from_parts(middle, Rotation::from_rotation_x(std::f32::consts::FRAC_PI_2));
            ColliderBuilder::heightfield(heights, narrow(size)).position(turned)
        }
        other => panic!("a {} is not measured beside rapier", other.kind()),
    }
}

impl Rapier {
    fn load(scene: &Scene, substeps: usize, sweeps: usize) -> Self {
        assert!(scene.only_balls(), "rapier is measured on ball joints only");
        let mut world = PhysicsWorld { gravity: narrow(GRAVITY), ..PhysicsWorld::default() };
        let p = &mut world.integration_parameters;
        p.dt = scene.step as f32;
        p.num_solver_iterations = substeps;
        p.num_internal_pgs_iterations = sweeps;
        p.warmstart_joints = scene.friction.is_none();
        p.normalized_max_linear_velocity = 1e5;
        let mut bodies = Vec::with_capacity(scene.blocks.len());
        for b in &scene.blocks {
            let r = b.rotation;
            let rotation = Rotation::from_xyzw(r.x as f32, r.y as f32, r.z as f32, r.w as f32);
            let mass = MassProperties::new(Vector::ZERO, b.mass as f32, narrow(b.moments()));
            let body =
                if b.fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
            let mut body = body
                .pose(Pose::from_parts(narrow(b.position), rotation))
                .linvel(narrow(b.velocity))
                .angvel(narrow(b.spin))
                .can_sleep(false);
            if scene.friction.is_none() {
                body = body.additional_mass_properties(mass);
            }
            let handle = world.insert_body(body);
            if let Some(friction) = scene.friction {
                let collider = collider(&b.shape()).mass(b.mass as f32);
                world.insert_collider(
                    collider.friction(friction as f32).restitution(0.0),
                    Some(handle),
                );
            }
            bodies.push(handle);
        }
        let ground = world.insert_body(RigidBodyBuilder::fixed());
        for l in &scene.links {
            let handle = |k: usize| l.bodies[k].map_or(ground, |i| bodies[i]);
            let local = |k: usize| {
                narrow(l.bodies[k].map_or(l.anchor, |i| scene.blocks[i].local(l.anchor)))
            };
            let joint = SphericalJointBuilder::new()
                .local_anchor1(local(0))
                .local_anchor2(local(1))
                .contacts_enabled(false);
            world.insert_impulse_joint(handle(0), handle(1), joint);
        }
        Self { world, bodies }
    }
}

impl Engine for Rapier {
    fn step(&mut self) {
        self.world.step();
    }

    fn sample(&self, out: &mut Vec<crate::engine::Pose>) {
        out.clear();
        out.extend(self.bodies.iter().map(|&h| {
            let b = &self.world.bodies[h];
            let q = b.rotation();
            crate::engine::Pose {
                position: wide(b.translation()),
                rotation: DQuat::from_xyzw(
                    f64::from(q.x),
                    f64::from(q.y),
                    f64::from(q.z),
                    f64::from(q.w),
                ),
                velocity: wide(b.linvel()),
                spin: wide(b.angvel()),
            }
        }));
    }
}
