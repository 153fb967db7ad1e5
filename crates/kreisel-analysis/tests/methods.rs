//! The other methods against a closed form and against each other.

use kreisel_analysis::methods::{Method, Options, simulate};
use kreisel_dynamics::{
    Body, BodyId, Coordinate, Joint, Limit, MassProperties, Mat3, Passive, Vec3, World,
};

fn bar(at: Vec3) -> Body {
    Body::dynamic(MassProperties {
        mass: 1.2,
        center: Vec3::ZERO,
        inertia: Mat3::from_diagonal(Vec3::new(0.02, 0.11, 0.13)),
    })
    .at(at)
}

/// Two bars on hinges across each other, released from the horizontal.
fn double() -> World {
    let mut world = World::new();
    let a = world.add_body(bar(0.5 * Vec3::X)).unwrap();
    let b = world.add_body(bar(1.5 * Vec3::X)).unwrap();
    world.add_joint(Joint::hinge(BodyId::WORLD, a).at(Vec3::ZERO).axis(Vec3::Y)).unwrap();
    world.add_joint(Joint::hinge(a, b).at(Vec3::X).axis(Vec3::new(0.0, 1.0, 0.3))).unwrap();
    world
}

/// A parallelogram of three hinged bars: three conditions are redundant.
fn four_bar() -> World {
    let mut world = World::new();
    let crank = world.add_body(bar(Vec3::new(0.0, 0.0, 0.5))).unwrap();
    let coupler = world.add_body(bar(Vec3::new(0.7, 0.0, 1.0))).unwrap();
    let rocker = world.add_body(bar(Vec3::new(1.4, 0.0, 0.5))).unwrap();
    for (a, b, at) in [
        (BodyId::WORLD, crank, Vec3::ZERO),
        (crank, coupler, Vec3::Z),
        (coupler, rocker, Vec3::new(1.4, 0.0, 1.0)),
        (BodyId::WORLD, rocker, 1.4 * Vec3::X),
    ] {
        world.add_joint(Joint::hinge(a, b).at(at).axis(Vec3::Y)).unwrap();
    }
    let id = world.bodies().next().unwrap();
    world.apply_torque(id, Vec3::Y).unwrap();
    world.set_velocity(crank, Vec3::new(1.0, 0.0, 0.0), 2.0 * Vec3::Y).unwrap();
    world.set_velocity(coupler, Vec3::new(2.0, 0.0, 0.0), Vec3::ZERO).unwrap();
    world.set_velocity(rocker, Vec3::new(1.0, 0.0, 0.0), 2.0 * Vec3::Y).unwrap();
    world
}

/// Where the last body is at the end, and the largest change of energy.
fn end(world: &World, method: Method, step: f64, until: f64) -> (Vec3, f64, f64) {
    let last = world.bodies().last().unwrap();
    let start = world.energy().total();
    let (mut place, mut drift) = (Vec3::ZERO, 0.0_f64);
    let options = Options { step, until, tolerance: 1e-10 };
    let done = simulate(world, method, &options, |_, w| {
        place = w.center_of_mass(last).unwrap();
        drift = drift.max((w.energy().total() - start).abs());
    })
    .unwrap_or_else(|e| panic!("{}: {e}", method.word()));
    (place, drift, done.joint_error)
}

/// Error of the end at two steps against a projected run at an eighth of the finer one, the order
/// that follows, and what is allowed.
#[test]
fn every_method_comes_to_the_same_end() {
    let mut bad = Vec::new();
    // the parallelogram is flat, and singular, at about half a second
    let scenes = [("double pendulum", double(), 0.5), ("four-bar", four_bar(), 0.25)];
    for (name, world, until) in scenes {
        let (exact, ..) = end(&world, Method::Projected, 2.5e-4, until);
        for method in Method::all() {
            let (first, ..) = end(&world, method, 4e-3, until);
            let (second, drift, joint) = end(&world, method, 2e-3, until);
            let (coarse, fine) = (first.distance(exact), second.distance(exact));
            let order = (coarse / fine).log2();
            println!(
                "{name:16} {:20} {coarse:.1e} {fine:.1e} order {order:.1} \
                 energy {drift:.1e} joints {joint:.1e}",
                method.word()
            );
            let most = match method {
                Method::Penalty => 2e-3,
                Method::Decoupled => 3e-2,
                Method::BdfIndex3 => 1e-3,
                Method::DenseImpulse => 1e-4,
                _ => 1e-6,
            };
            // joints give way by λ|J|²/Ω², which goes with h²: what is left without it
            let left = match method {
                Method::Penalty => ((4.0 * second - first) / 3.0).distance(exact),
                _ => fine,
            };
            if !(left < most) {
                bad.push(format!("{name}, {}: {left:e}", method.word()));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}

/// W-162: at one state the null space gives the accelerations of the multipliers, so that one step
/// of both ends at the same place to rounding; W-165: Faure's ends there to its tolerance.
#[test]
fn null_space_and_conjugate_gradients_are_multipliers() {
    let world = four_bar();
    let (a, ..) = end(&world, Method::Multipliers, 1e-3, 1e-3);
    let (b, ..) = end(&world, Method::NullSpace, 1e-3, 1e-3);
    let (c, ..) = end(&world, Method::Baumgarte, 1e-3, 1e-3);
    let (d, ..) = end(&world, Method::Faure, 1e-3, 1e-3);
    assert!(a.distance(b) < 1e-14 && c.distance(d) < 1e-13, "{a} {b} {c} {d}");
}

#[test]
fn what_a_method_cannot_do_is_refused_by_name() {
    let mut world = double();
    let hinge = world.joints().next().unwrap();
    let free = world.joints().nth(1).unwrap();
    let options = Options { step: 1e-3, until: 1.0, ..Options::default() };
    let refusal = |world: &World| {
        simulate(world, Method::Baumgarte, &options, |_, _| ()).unwrap_err().to_string()
    };

    // a limit that the fall reaches
    let mut limited = world.joint(hinge).unwrap().clone();
    limited.limits.push(Limit {
        coordinate: Coordinate::Angle,
        min: -0.2,
        max: 0.2,
        restitution: 0.0,
    });
    world.replace_joint(hinge, limited).unwrap();
    assert!(refusal(&world).contains("is reached at"), "{}", refusal(&world));

    // dry friction, an armature
    let mut rotor = world.joint(free).unwrap().clone();
    rotor.passive.push(Passive { armature: 0.1, ..Passive::new(Coordinate::Angle) });
    world.replace_joint(free, rotor).unwrap();
    assert!(refusal(&world).contains("armature"), "{}", refusal(&world));

    // a ball joint has two coordinates for its three freedoms
    let mut balls = World::new();
    let a = balls.add_body(bar(0.5 * Vec3::X)).unwrap();
    balls.add_joint(Joint::ball(BodyId::WORLD, a).at(Vec3::ZERO)).unwrap();
    let why = simulate(&balls, Method::JointCoordinates, &options, |_, _| ()).unwrap_err();
    assert!(why.to_string().contains("2 of 3 freedoms"), "{why}");
}
