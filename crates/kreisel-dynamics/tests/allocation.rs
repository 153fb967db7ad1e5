//! A steady step allocates nothing. Counted by thread: the harness allocates in a thread of its own
//! when it likes.
#![allow(unsafe_code, reason = "a global allocator that counts")]

mod common;

use kreisel_dynamics::{
    Body, BodyId, Control, Coordinate, Friction, Joint, JointKind, Limit, Material, Method, Motor,
    Pid, Schedule, Shape, Spring, Target, Vec3, World,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// One more in this thread; a thread that is ending no longer counts.
fn count() {
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: every call is handed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are those of the system allocator.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of 100 steps after 50 to get going.
fn allocations(world: &mut World) -> usize {
    for _ in 0..50 {
        world.step(0.005);
    }
    let before = COUNT.get();
    for _ in 0..100 {
        world.step(0.005);
    }
    COUNT.get() - before
}

fn chain(method: Method, kind: JointKind) -> World {
    let mut world = World::new();
    common::symmetric(&mut world);
    common::change(&mut world, |s| s.method = method);
    common::box_chain(&mut world, 8, 0.2, 0.05, |a, b| {
        let mut joint = Joint::new(kind, a, b).axis(Vec3::Y);
        joint.axis2 = (kind == JointKind::Universal).then_some(Vec3::Z);
        joint
    });
    world
}

/// Motors of all kinds, a spring, friction, a limit it rests at, a loop, a free body.
fn machine() -> World {
    let mut world = World::new();
    common::symmetric(&mut world);
    let mut arms = Vec::new();
    for k in 0..5 {
        let y = f64::from(k);
        let arm = world
            .add_body(
                Body::cuboid(1.0, Vec3::new(0.5, 0.1, 0.1)).ghost().at(Vec3::new(0.25, y, 0.0)),
            )
            .unwrap();
        let mut joint = Joint::hinge(BodyId::WORLD, arm).at(Vec3::Y * y).axis(Vec3::Y);
        if k == 3 {
            joint = joint.limit(Limit::new(Coordinate::Angle, -0.1, 0.1));
        }
        if k == 4 {
            joint = joint.friction(Friction { coordinate: Coordinate::Angle, effort: 0.5 });
        }
        arms.push((arm, world.add_joint(joint).unwrap()));
    }
    let servo = Control::Servo {
        target: Target::Position,
        set: Schedule::constant(0.5),
        pid: Pid { gain: 50.0, integral_time: 1.0, derivative_time: 0.1, window: Some(20) },
    };
    let controls = [
        Control::Effort(Schedule::constant(1.0)),
        Control::Velocity(Schedule::constant(1.0)),
        servo,
    ];
    for (&(_, joint), control) in arms.iter().zip(controls) {
        world.add_motor(Motor::new(joint, Coordinate::Angle, control).max_effort(20.0)).unwrap();
    }
    let spring = Spring::new(
        BodyId::WORLD,
        arms[4].0,
        Vec3::new(0.5, 4.0, 1.0),
        Vec3::new(0.5, 4.0, 0.0),
        20.0,
    );
    world.add_spring(spring.damping(1.0)).unwrap();
    world
        .add_joint(Joint::distance(arms[0].0, arms[1].0, Vec3::X * 0.5, Vec3::new(0.5, 1.0, 0.0)))
        .unwrap();
    world
        .add_body(Body::cuboid(1.0, Vec3::new(0.3, 0.2, 0.1)).ghost().spinning(Vec3::ONE))
        .unwrap();
    world
}

/// Boxes and balls at rest on the ground, on each other, and a chain that lies there.
fn resting() -> World {
    let mut world = World::new();
    world
        .set_ground(Some(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 }), Material::default())
        .unwrap();
    let cube = |size: Vec3, at: Vec3| Body::cuboid(1.0, size).shape(Shape::Box { size }).at(at);
    for k in 0..4 {
        world.add_body(cube(Vec3::ONE, Vec3::Z * (0.5 + f64::from(k)))).unwrap();
    }
    world
        .add_body(
            Body::sphere(1.0, 0.3)
                .shape(Shape::Sphere { radius: 0.3 })
                .at(Vec3::new(3.0, 0.0, 0.3)),
        )
        .unwrap();
    let size = Vec3::new(0.2, 0.1, 0.1);
    let links =
        [0.0, 0.25, 0.5].map(|x| world.add_body(cube(size, Vec3::new(x, 3.0, 0.05))).unwrap());
    for (k, pair) in links.windows(2).enumerate() {
        let at = Vec3::new(0.125 + 0.25 * k as f64, 3.0, 0.05);
        world.add_joint(Joint::hinge(pair[0], pair[1]).at(at).axis(Vec3::Y)).unwrap();
    }
    world
}

#[test]
fn a_steady_step_allocates_nothing() {
    for method in common::METHODS {
        for kind in [JointKind::Ball, JointKind::Hinge, JointKind::Universal] {
            assert_eq!(allocations(&mut chain(method, kind)), 0, "{method:?} {kind:?}");
        }
    }
    assert_eq!(allocations(&mut machine()), 0, "machine");
    assert_eq!(allocations(&mut resting()), 0, "contacts");
}
