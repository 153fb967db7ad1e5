//! Box3D (f32) through its C interface: a soft-step solver that sweeps over the joints once per
//! substep.
//!
//! Settings are the substeps; 4 is its default. `stiff` sets the joints to 1e6 Hz: the soft default
//! leaves millimetres whatever the substeps. Its speed cap is lifted, shapes collide with nothing,
//! bodies never sleep, one worker.

use crate::engine::{Engine, Pose, Setup};
use crate::scene::{GRAVITY, Scene};
use box3d_sys::*;
use glam::{DQuat, DVec3};

/// The settings that are measured.
pub fn setups() -> Vec<Setup> {
    [(4, false), (64, true), (128, true)]
        .map(|(substeps, stiff)| Setup {
            name: format!("box3d {}{substeps}", if stiff { "stiff " } else { "" }),
            ours: false,
            load: Box::new(move |scene| Box::new(Box3d::load(scene, substeps, stiff))),
        })
        .into()
}

struct Box3d {
    world: b3WorldId,
    bodies: Vec<b3BodyId>,
    step: f32,
    substeps: i32,
}

fn narrow(v: DVec3) -> b3Vec3 {
    b3Vec3 { x: v.x as f32, y: v.y as f32, z: v.z as f32 }
}

fn wide(v: b3Vec3) -> DVec3 {
    DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

fn turn(q: DQuat) -> b3Quat {
    b3Quat { v: narrow(q.xyz()), s: q.w as f32 }
}

impl Box3d {
    fn load(scene: &Scene, substeps: i32, stiff: bool) -> Self {
        assert!(scene.only_balls(), "Box3D is measured on ball joints only");
        // SAFETY: plain calls of the C interface; every id is used only while its world lives.
        unsafe {
            let mut definition = b3DefaultWorldDef();
            definition.enableSleep = false;
            definition.workerCount = 1;
            definition.maximumLinearSpeed = 1e5;
            definition.gravity = narrow(GRAVITY);
            let world = b3CreateWorld(&definition);
            let ground = b3CreateBody(world, &b3DefaultBodyDef());
            let bodies: Vec<b3BodyId> = scene
                .blocks
                .iter()
                .map(|b| {
                    let mut definition = b3DefaultBodyDef();
                    definition.type_ = b3BodyType_b3_dynamicBody;
                    definition.position =
                        b3Pos { x: b.position.x as _, y: b.position.y as _, z: b.position.z as _ };
                    definition.rotation = turn(b.rotation);
                    definition.linearVelocity = narrow(b.velocity);
                    definition.angularVelocity = narrow(b.spin);
                    definition.linearDamping = 0.0;
                    definition.angularDamping = 0.0;
                    definition.enableSleep = false;
                    let body = b3CreateBody(world, &definition);
                    let half = narrow(b.size / 2.0);
                    let hull = b3MakeBoxHull(half.x, half.y, half.z);
                    let mut shape = b3DefaultShapeDef();
                    shape.density = (b.mass / b.size.element_product()) as f32;
                    shape.filter.maskBits = 0;
                    b3CreateHullShape(body, &shape, &hull.base);
                    body
                })
                .collect();
            for l in &scene.links {
                let mut joint = b3DefaultSphericalJointDef();
                let body = |k: usize| l.bodies[k].map_or(ground, |i| bodies[i]);
                let local = |k: usize| {
                    narrow(l.bodies[k].map_or(l.anchor, |i| scene.blocks[i].local(l.anchor)))
                };
                joint.base.bodyIdA = body(0);
                joint.base.bodyIdB = body(1);
                joint.base.localFrameA.p = local(0);
                joint.base.localFrameB.p = local(1);
                joint.base.localFrameA.q = turn(DQuat::IDENTITY);
                joint.base.localFrameB.q = turn(DQuat::IDENTITY);
                joint.base.collideConnected = false;
                if stiff {
                    joint.base.constraintHertz = 1e6;
                    joint.base.constraintDampingRatio = 1.0;
                }
                b3CreateSphericalJoint(world, &joint);
            }
            Self { world, bodies, step: scene.step as f32, substeps }
        }
    }
}

impl Drop for Box3d {
    fn drop(&mut self) {
        // SAFETY: the world was made in `load` and is used no more.
        unsafe { b3DestroyWorld(self.world) }
    }
}

impl Engine for Box3d {
    fn step(&mut self) {
        // SAFETY: the world lives as long as `self`.
        unsafe { b3World_Step(self.world, self.step, self.substeps) }
    }

    fn sample(&self, out: &mut Vec<Pose>) {
        out.clear();
        // SAFETY: the bodies live as long as their world, and that as long as `self`.
        out.extend(self.bodies.iter().map(|&b| unsafe {
            let t = b3Body_GetTransform(b);
            let q = t.q.v;
            Pose {
                position: DVec3::new(t.p.x as f64, t.p.y as f64, t.p.z as f64),
                rotation: DQuat::from_xyzw(
                    f64::from(q.x),
                    f64::from(q.y),
                    f64::from(q.z),
                    f64::from(t.q.s),
                ),
                velocity: wide(b3Body_GetLinearVelocity(b)),
                spin: wide(b3Body_GetAngularVelocity(b)),
            }
        }));
    }
}
