//! What must not matter: where a machine stands, how it is turned, in which units and in which
//! order it is written down, which body of a joint comes first, left and right, the direction of
//! time, and whether a body is one piece or two that are welded.
//!
//! No reference is needed: the same motion is computed twice and compared. Joints are held to 1e-13
//! so that only rounding and the iteration's last digits differ; a motion of 0.5 s enlarges them by
//! a factor of a few tens.

mod common;

use common::{change, moving};
use kreisel_dynamics::{
    Body, BodyId, Joint, MassProperties, Order, Quat, Settings, Spring, Stepping, Substeps,
    Tolerance, Vec3, World,
};

const STEPS: usize = 100;
const TIME: f64 = 0.5;

/// How a machine is written down.
#[derive(Clone, Copy)]
struct Telling {
    shift: Vec3,
    turn: Quat,
    /// Left and right exchanged (in x).
    mirrored: bool,
    /// A metre, a kilogram and a second in the units used.
    length: f64,
    mass: f64,
    time: f64,
    /// Bodies and joints in the reverse order; the bodies of each joint exchanged; every joint
    /// twice.
    backwards: bool,
    swapped: bool,
    doubled: bool,
    /// The second body as two halves with a fixed joint between them.
    welded: bool,
}

const PLAIN: Telling = Telling {
    shift: Vec3::ZERO,
    turn: Quat::IDENTITY,
    mirrored: false,
    length: 1.0,
    mass: 1.0,
    time: 1.0,
    backwards: false,
    swapped: false,
    doubled: false,
    welded: false,
};

impl Telling {
    /// A vector that is no place.
    fn arrow(&self, v: Vec3) -> Vec3 {
        let m = if self.mirrored { Vec3::new(-v.x, v.y, v.z) } else { v };
        self.turn * m * self.length
    }

    fn place(&self, v: Vec3) -> Vec3 {
        self.arrow(v) + self.shift
    }

    /// A direction in space; about an axis that is mirrored things turn the other way, which joints
    /// do not mind.
    fn direction(&self, v: Vec3) -> Vec3 {
        self.arrow(v) / self.length
    }

    fn spin(&self, w: Vec3) -> Vec3 {
        let m = if self.mirrored { Vec3::new(w.x, -w.y, -w.z) } else { w };
        self.turn * m / self.time
    }

    fn back(&self, p: Vec3) -> Vec3 {
        let v = self.turn.conjugate() * (p - self.shift) / self.length;
        if self.mirrored { Vec3::new(-v.x, v.y, v.z) } else { v }
    }
}

/// Three boxes: the first on a ball joint, the second on a hinge, the third on a slider with a
/// spring; in three-dimensional motion.
fn machine(t: &Telling) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    world
        .set_gravity(t.direction(Vec3::new(0.0, 0.0, -9.81)) * t.length / (t.time * t.time))
        .unwrap();
    let exact = Tolerance {
        position: 1e-13 * t.length,
        angle: 1e-13,
        velocity: 1e-12 * t.length / t.time,
        angular_velocity: 1e-12 / t.time,
    };
    change(&mut world, |s: &mut Settings| {
        s.tolerance = exact;
        s.stepping = Stepping::Symmetric;
        s.substeps = Substeps::Fixed(1);
    });
    let spin = Vec3::new(0.4, -1.0, 0.7);
    let sizes = [Vec3::new(0.3, 0.1, 0.05), Vec3::new(0.4, 0.08, 0.12), Vec3::new(0.2, 0.1, 0.1)];
    let centres =
        [Vec3::new(0.15, 0.02, -0.01), Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.8, 0.01, 0.03)];
    let mut ids = [BodyId::WORLD; 3];
    let mut order = vec![0, 1, 2];
    if t.backwards {
        order.reverse();
    }
    let mut other_half = None;
    for k in order {
        let add = |world: &mut World, mass: f64, size: Vec3, centre: Vec3| {
            let body = Body::dynamic(MassProperties::cuboid(mass * t.mass, size * t.length))
                .at(t.place(centre))
                .rotated(t.turn)
                .moving(t.arrow(spin.cross(centre)) / t.time)
                .spinning(t.spin(spin));
            world.add_body(body).unwrap()
        };
        let mass = [1.0, 2.0, 0.5][k];
        if k == 1 && t.welded {
            let quarter = Vec3::new(0.25 * sizes[k].x, 0.0, 0.0);
            let half = Vec3::new(0.5 * sizes[k].x, sizes[k].y, sizes[k].z);
            ids[k] = add(&mut world, 0.5 * mass, half, centres[k] - quarter);
            other_half = Some(add(&mut world, 0.5 * mass, half, centres[k] + quarter));
        } else {
            ids[k] = add(&mut world, mass, sizes[k], centres[k]);
        }
    }
    let far = other_half.unwrap_or(ids[1]);
    let pair = |a: BodyId, b: BodyId| if t.swapped { (b, a) } else { (a, b) };
    let (w, a) = pair(BodyId::WORLD, ids[0]);
    let (b, c) = pair(ids[0], ids[1]);
    let (d, e) = pair(far, ids[2]);
    let mut joints = vec![
        Joint::ball(w, a).at(t.place(Vec3::ZERO)),
        Joint::hinge(b, c)
            .at(t.place(Vec3::new(0.3, 0.0, 0.0)))
            .axis(t.direction(Vec3::new(0.1, 1.0, 0.2))),
        Joint::slider(d, e)
            .at(t.place(Vec3::new(0.7, 0.0, 0.0)))
            .axis(t.direction(Vec3::new(1.0, 0.2, 0.0))),
    ];
    if let Some(half) = other_half {
        joints.push(Joint::fixed(ids[1], half).at(t.place(centres[1])));
    }
    if t.backwards {
        joints.reverse();
    }
    for joint in joints {
        if t.doubled {
            world.add_joint(joint.clone()).unwrap();
        }
        world.add_joint(joint).unwrap();
    }
    let (from, to) = (t.place(Vec3::new(0.6, 0.0, 0.05)), t.place(Vec3::new(0.8, 0.02, 0.06)));
    let stiffness = 40.0 * t.mass / (t.time * t.time);
    world.add_spring(Spring::new(far, ids[2], from, to, stiffness)).unwrap();
    (world, ids.to_vec())
}

/// Where the three bodies end, told plainly. Of a welded body the middle of its halves.
fn ends(t: &Telling) -> Vec<Vec3> {
    let (mut world, ids) = machine(t);
    common::run(&mut world, TIME * t.time, STEPS);
    let centre = |id: BodyId| t.back(moving(&world, id).position);
    let mut out: Vec<Vec3> = ids.iter().map(|&id| centre(id)).collect();
    if t.welded {
        let half = world.bodies().find(|id| !ids.contains(id)).unwrap();
        out[1] = (out[1] + centre(half)) * 0.5;
    }
    out
}

#[track_caller]
fn same(t: Telling, tolerance: f64) {
    let (plain, told) = (ends(&PLAIN), ends(&t));
    let moved = plain[2].distance(Vec3::new(0.8, 0.01, 0.03));
    assert!(moved > 0.3, "it moves: {moved}");
    for (p, q) in plain.iter().zip(&told) {
        assert!(p.distance(*q) < tolerance, "{p} {q}: {:e}", p.distance(*q));
    }
}

#[test]
fn it_does_not_matter_where_it_stands() {
    // places of 100 m have a last digit of 1.4e-14
    same(Telling { shift: Vec3::new(100.0, -50.0, 20.0), ..PLAIN }, 1e-10);
}

#[test]
fn it_does_not_matter_how_it_is_turned() {
    let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 1.234);
    same(Telling { turn, ..PLAIN }, 1e-11);
}

#[test]
fn it_does_not_matter_what_is_left_and_what_is_right() {
    same(Telling { mirrored: true, ..PLAIN }, 1e-11);
}

#[test]
fn units_do_not_matter() {
    // millimetres, grams and milliseconds; feet, pounds and minutes
    same(Telling { length: 1e3, mass: 1e3, time: 1e3, ..PLAIN }, 1e-11);
    same(Telling { length: 3.280_84, mass: 2.204_62, time: 1.0 / 60.0, ..PLAIN }, 1e-11);
}

#[test]
fn the_order_of_writing_does_not_matter() {
    same(Telling { backwards: true, ..PLAIN }, 1e-11);
}

#[test]
fn it_does_not_matter_which_body_of_a_joint_comes_first() {
    same(Telling { swapped: true, ..PLAIN }, 1e-11);
}

#[test]
fn a_joint_said_twice_is_a_joint() {
    same(Telling { doubled: true, ..PLAIN }, 1e-10);
}

#[test]
fn two_welded_halves_are_one_body() {
    // the rotation of one body and of two is split differently: equal to the order of the step,
    // here 6
    let run = |welded: bool| {
        let t = Telling { welded, ..PLAIN };
        let (mut world, ids) = machine(&t);
        change(&mut world, |s| {
            s.order = Order::from_number(6).unwrap();
            s.tolerance = Tolerance::uniform(1e-12);
        });
        common::run(&mut world, TIME, STEPS);
        moving(&world, ids[2]).position
    };
    let (one, two) = (run(false), run(true));
    assert!(one.distance(two) < 1e-8, "{one} {two}: {:e}", one.distance(two));
}

#[test]
fn time_can_be_turned_round() {
    let (mut world, ids) = machine(&PLAIN);
    let start: Vec<Vec3> = ids.iter().map(|&id| moving(&world, id).position).collect();
    common::run(&mut world, TIME, STEPS);
    for &id in &ids {
        let state = moving(&world, id);
        world.set_velocity(id, -state.velocity, -state.angular_velocity).unwrap();
    }
    common::run(&mut world, TIME, STEPS);
    for (&id, start) in ids.iter().zip(&start) {
        let body = moving(&world, id);
        let (back, turned) =
            (body.position.distance(*start), body.rotation.angle_between(Quat::IDENTITY));
        // the symmetric step is its own inverse
        assert!(back < 1e-9 && turned < 1e-6, "{back:e} {turned:e}");
    }
}
