//! Points on rails and in polygons whose supports move (Schmitt and Thüring 2000, section 4; S-05,
//! S-06): rows over up to four bodies, held by the direct and the iterative method alike.

mod common;

use common::{DOWN_Y, change, converged, plain_world};
use kreisel_dynamics::{
    Body, BodyId, Control, Coordinate, Friction, Joint, Method, ModelError, Motor, Quat, Schedule,
    Stepping, Vec3, World,
};

const METHODS: [Method; 3] = [Method::Direct, Method::Iterative, Method::Cut];

fn point(world: &mut World, mass: f64, at: Vec3, velocity: Vec3) -> BodyId {
    world.add_body(Body { velocity, ..Body::point(mass).at(at) }).unwrap()
}

fn place(world: &World, body: BodyId) -> (BodyId, Vec3) {
    (body, world.position(body).unwrap())
}

fn rod(world: &mut World, a: BodyId, b: BodyId) {
    let (p, q) = (world.position(a).unwrap(), world.position(b).unwrap());
    world.add_joint(Joint::distance(a, b, p, q)).unwrap();
}

/// A dumbbell of two points of 1.5 kg, 2 m apart, that spins with 1.2 rad/s, and a point of 0.7 kg
/// that slides between them.
fn dumbbell(method: Method, ends: Option<f64>) -> (World, [BodyId; 3], kreisel_dynamics::JointId) {
    let mut world = plain_world(Vec3::ZERO, 1e-10);
    change(&mut world, |s| s.method = method);
    let spin = Vec3::new(0.0, 0.0, 1.2);
    let drift = Vec3::new(0.3, -0.2, 0.1);
    let at = |x: f64| Vec3::X * x;
    let [a, b, p] = [(-1.0, 1.5), (1.0, 1.5), (0.25, 0.7)]
        .map(|(x, mass)| point(&mut world, mass, at(x), spin.cross(at(x)) + drift));
    rod(&mut world, a, b);
    let mut rail =
        Joint::rail([place(&world, a), place(&world, b)], place(&world, p)).named("rail");
    if let Some(restitution) = ends {
        rail = rail.with_ends(restitution);
    }
    let rail = world.add_joint(rail).unwrap();
    (world, [a, b, p], rail)
}

#[test]
fn a_point_on_a_spinning_rail_moves_as_energy_and_angular_momentum_say() {
    for method in METHODS {
        let (mut world, [a, b, p], rail) = dumbbell(method, None);
        let (momentum, spin) = world.momentum();
        let energy = world.energy().total();
        for step in 0..400 {
            converged(&world.step(0.0025), step);
            let (p1, l1) = world.momentum();
            assert!((p1 - momentum).length() < 1e-12, "{method:?}, step {step}: {p1}");
            // the moment of a rail's impulses is its gap times the impulse: 1e-10 m in each of 400
            // steps
            assert!((l1 - spin).length() < 1e-7, "{method:?}, step {step}: {l1} {spin}");
            assert!(world.joint_error(rail).unwrap().0 <= 1e-10, "{method:?}, step {step}");
        }
        // Closed form: about the common centre of mass the rail has I = 2 M, and the point the
        // reduced mass µ = 2Mm/(2M + m); (I + µ r²) ω = L and µ r'² + (I + µ r²) ω² = 2 E.
        let mass = 3.0 * 0.7 / 3.7;
        let [pa, pb, pp] = [a, b, p].map(|i| world.position(i).unwrap());
        let [va, vb, vp] = [a, b, p].map(|i| world.velocity(i).unwrap());
        let (middle, u) = ((pa + pb) * 0.5, (pb - pa).normalize());
        let (r, rate) = ((pp - middle).dot(u), (vp - (va + vb) * 0.5).dot(u));
        let inertia = |r: f64| 3.0 + mass * r * r;
        let l = inertia(0.25) * 1.2;
        let double_energy = inertia(0.25) * 1.2 * 1.2;
        let expected = ((double_energy - l * l / inertia(r)) / mass).sqrt();
        // second order at h = 0.0025: relative 1e-5
        assert!(
            (rate - expected).abs() < 3e-5 * expected,
            "{method:?}: {rate} at {r}, expected {expected}"
        );
        assert!(r > 0.4, "it has moved outwards: {r}");
        assert!((world.energy().total() / energy - 1.0).abs() < 1e-5, "{method:?}");
        assert!((world.coordinate(rail, Coordinate::Position).unwrap() - 1.0 - r).abs() < 1e-9);
        assert!((world.coordinate_rate(rail, Coordinate::Position).unwrap() - rate).abs() < 1e-6);
    }
}

#[test]
fn the_ends_of_a_rail_stop_the_point_or_send_it_back() {
    for method in [Method::Direct, Method::Iterative] {
        for restitution in [0.0, 1.0] {
            let (mut world, _, rail) = dumbbell(method, Some(restitution));
            let (momentum, spin) = world.momentum();
            let energy = world.energy().kinetic;
            let mut turned = false;
            for step in 0..3000 {
                converged(&world.step(0.0025), step);
                let s = world.coordinate(rail, Coordinate::Position).unwrap();
                assert!((-1e-6..=2.0 + 1e-6).contains(&s), "{method:?}, step {step}: {s}");
                turned |=
                    s > 1.5 && world.coordinate_rate(rail, Coordinate::Position).unwrap() < -1e-3;
            }
            let s = world.coordinate(rail, Coordinate::Position).unwrap();
            let left = world.energy().kinetic / energy;
            if restitution == 0.0 {
                // the centrifugal force holds it there
                assert!((s - 2.0).abs() < 1e-6 && !turned, "{method:?}: {s}");
                assert!(left < 0.99, "{method:?}: the stop swallows energy: {left}");
            } else {
                assert!(turned && (left - 1.0).abs() < 1e-3, "{method:?}: {left}");
            }
            let (p1, l1) = world.momentum();
            assert!(
                (p1 - momentum).length() < 1e-11 && (l1 - spin).length() < 1e-6,
                "{method:?}: {l1} {spin}"
            );
        }
    }
}

/// A square plate of four points of 2 kg, 2 m wide, tilted and spinning, and a point of 1 kg on it.
/// A fifth point below makes it rigid: distances within a plane do not keep it plane to first
/// order.
fn plate(
    method: Method,
    gravity: Vec3,
    restitution: f64,
) -> (World, [BodyId; 4], BodyId, kreisel_dynamics::JointId) {
    let mut world = plain_world(gravity, 1e-10);
    change(&mut world, |s| s.method = method);
    let turn = Quat::from_rotation_x(0.3) * Quat::from_rotation_y(-0.2);
    let spin = Vec3::new(0.4, 0.1, 0.9);
    let corner = |x: f64, y: f64| turn * Vec3::new(x, y, 0.0);
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| {
        let at = corner(x, y);
        point(&mut world, 2.0, at, spin.cross(at))
    });
    let below = turn * Vec3::new(0.0, 0.0, -1.0);
    let keel = point(&mut world, 2.0, below, spin.cross(below));
    for i in 0..4 {
        rod(&mut world, keel, corners[i]);
        for j in 0..i {
            rod(&mut world, corners[j], corners[i]);
        }
    }
    let at = corner(0.2, -0.3);
    let p = point(&mut world, 1.0, at, spin.cross(at) + turn * Vec3::new(0.9, 0.5, 0.0));
    let list = corners.map(|c| place(&world, c));
    let polygon = Joint::polygon(&list, place(&world, p)).with_ends(restitution).named("plate");
    let joint = world.add_joint(polygon).unwrap();
    (world, corners, p, joint)
}

#[test]
fn a_point_slides_on_a_moving_plate_and_stays_inside_its_outline() {
    for method in [Method::Direct, Method::Iterative] {
        for restitution in [0.0, 0.5, 1.0] {
            let (mut world, corners, p, joint) = plate(method, Vec3::ZERO, restitution);
            let (momentum, spin) = world.momentum();
            let energy = world.energy().kinetic;
            let mut last = energy;
            for step in 0..800 {
                let report = world.step(0.005);
                converged(&report, step);
                let (p1, l1) = world.momentum();
                // the impulses of the plane have no moment; those of the edges act at the point,
                // off the plane by the tolerance of 1e-10 m, with about 1 N s in each of some ten
                // impacts
                assert!((p1 - momentum).length() < 1e-11, "{method:?}, step {step}: {p1}");
                assert!((l1 - spin).length() < 1e-9, "{method:?}, step {step}: {l1} {spin}");
                let [a, b, _, d] = corners.map(|c| world.position(c).unwrap());
                let (u, v) = ((b - a) * 0.5, (d - a) * 0.5);
                let r = world.position(p).unwrap() - a;
                let (x, y, height) = (r.dot(u), r.dot(v), r.dot(u.cross(v)));
                assert!(height.abs() < 1e-9, "{method:?}, step {step}: {height}");
                assert!(
                    x.min(y).min(2.0 - x).min(2.0 - y) > -1e-6,
                    "{method:?}, step {step}: {x} {y}"
                );
                let now = world.energy().kinetic;
                assert!(
                    now < last + 1e-3 * energy,
                    "{method:?}, step {step}: edges give no energy"
                );
                last = now;
            }
            let left = world.energy().kinetic / energy;
            println!("{method:?}, restitution {restitution}: {left} of the energy is left");
            if restitution == 1.0 {
                assert!((left - 1.0).abs() < 1e-3, "{method:?}: {left}");
            } else {
                assert!(left < 0.995, "{method:?}, {restitution}: {left}");
            }
            let from_edge = world.coordinate(joint, Coordinate::Position).unwrap();
            assert!((-1e-6..=1.0).contains(&from_edge));
        }
    }
}

#[test]
fn redundant_guides_are_no_burden() {
    let (mut world, [a, b, p], _) = dumbbell(Method::Direct, None);
    // the same rail again, and once more the other way round
    for ends in [[a, b], [b, a]] {
        let joint = Joint::rail(ends.map(|e| place(&world, e)), place(&world, p));
        world.add_joint(joint).unwrap();
    }
    let analysis = world.analyse();
    assert_eq!(
        (analysis.rows, analysis.rank),
        (7, 3),
        "a rod and one rail take three degrees of freedom"
    );
    let (mut single, ids, _) = dumbbell(Method::Direct, None);
    for step in 0..200 {
        converged(&world.step(0.005), step);
        converged(&single.step(0.005), step);
    }
    let apart = world.position(p).unwrap().distance(single.position(ids[2]).unwrap());
    assert!(apart < 1e-8, "{apart}");
}

#[test]
fn guides_join_rigid_bodies_points_and_the_world() {
    for method in METHODS {
        let mut world = plain_world(DOWN_Y, 1e-9);
        change(&mut world, |s| s.method = method);
        let door = world
            .add_body(
                Body::cuboid(3.0, Vec3::new(1.0, 0.2, 0.2)).ghost().at(Vec3::new(0.5, 0.0, 0.0)),
            )
            .unwrap();
        world.add_joint(Joint::hinge(BodyId::WORLD, door).axis(Vec3::Z)).unwrap();
        let p = point(&mut world, 0.5, Vec3::new(1.5, 0.0, 0.0), Vec3::ZERO);
        // from the tip of a swinging bar to a fixed place
        let ends = [(door, Vec3::X), (BodyId::WORLD, Vec3::new(2.0, 0.0, 0.0))];
        let rail = world.add_joint(Joint::rail(ends, place(&world, p))).unwrap();
        // and a bob on a plate whose corners are the bar's, the world's and the point's
        let bob = point(&mut world, 0.2, Vec3::new(1.0, 0.0, 0.3), Vec3::ZERO);
        let corners =
            [(door, Vec3::X * 0.2), (p, Vec3::X * 1.5), (BodyId::WORLD, Vec3::new(1.0, 0.0, 1.0))];
        let plane = world.add_joint(Joint::polygon(&corners, place(&world, bob))).unwrap();
        let energy = world.energy().total();
        for step in 0..100 {
            converged(&world.step(0.002), step);
            for joint in [rail, plane] {
                assert!(world.joint_error(joint).unwrap().0 <= 1e-9, "{method:?}, step {step}");
            }
        }
        assert!(
            (world.energy().total() - energy).abs() < 1e-3,
            "{method:?}: {}",
            world.energy().total() - energy
        );
        let load = world.reaction(rail).unwrap().force;
        assert!(load.length() > 0.1 && load.is_finite(), "{load}");
    }
}

#[test]
fn a_point_off_its_rail_or_plate_is_drawn_onto_it() {
    for method in METHODS {
        let mut world = plain_world(Vec3::ZERO, 1e-9);
        change(&mut world, |s| {
            s.method = method;
            s.substeps = kreisel_dynamics::Settings::default().substeps;
        });
        let corners = [Vec3::ZERO, Vec3::X * 2.0, Vec3::new(1.0, 2.0, 0.0)];
        let ids = corners.map(|at| point(&mut world, 1.0, at, Vec3::ZERO));
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            rod(&mut world, ids[i], ids[j]);
        }
        let list = ids.map(|c| place(&world, c));
        // 0.6 m beside the rail, and 0.4 m above the plate
        let [a, b] = [Vec3::new(0.7, -0.6, 0.0), Vec3::new(1.0, 0.6, 0.4)]
            .map(|at| point(&mut world, 1.0, at, Vec3::ZERO));
        let rail = world.add_joint(Joint::rail([list[0], list[1]], place(&world, a))).unwrap();
        let plate = world.add_joint(Joint::polygon(&list, place(&world, b))).unwrap();
        for _ in 0..50 {
            world.step(0.01);
        }
        for joint in [rail, plate] {
            let gap = world.joint_error(joint).unwrap().0;
            assert!(gap < 1e-8, "{method:?}: {gap}");
        }
        let (momentum, _) = world.momentum();
        assert!(momentum.length() < 1e-9, "{method:?}: {momentum}");
    }
}

#[test]
fn what_makes_no_guide_is_refused() {
    let mut world = plain_world(Vec3::ZERO, 1e-9);
    let [a, b, c, p] =
        [0.0, 1.0, 2.0, 0.5].map(|x| point(&mut world, 1.0, Vec3::X * x, Vec3::ZERO));
    let at = |x: f64| Vec3::X * x;
    let same = Joint::rail([(a, at(0.0)), (b, at(1.0))], (a, at(0.0)));
    assert!(matches!(world.add_joint(same), Err(ModelError::SameBody { .. })));
    let short = Joint::rail([(a, at(0.0)), (b, at(0.0))], (p, at(0.5)));
    assert!(matches!(world.add_joint(short), Err(ModelError::OutOfRange { field: "length", .. })));
    let line = Joint::polygon(&[(a, at(0.0)), (b, at(1.0)), (c, at(2.0))], (p, at(0.5)));
    assert!(matches!(world.add_joint(line), Err(ModelError::Outline(_))));
    let few = Joint::polygon(&[(a, at(0.0)), (b, at(1.0))], (p, at(0.5)));
    assert!(matches!(
        world.add_joint(few),
        Err(ModelError::OutOfRange { field: "number of bodies", .. })
    ));
    let mut more = Joint::distance(a, p, at(0.0), at(0.5));
    more.more = vec![(b, at(1.0))];
    assert!(matches!(
        world.add_joint(more),
        Err(ModelError::OutOfRange { field: "number of bodies", .. })
    ));
    let good = world.add_joint(Joint::rail([(a, at(0.0)), (b, at(1.0))], (p, at(0.5)))).unwrap();
    // a support that goes takes the rail with it
    world.remove_body(b).unwrap();
    assert!(world.joint(good).is_none());
}

/// The multiplier method as the referee: the same motion, limits with their restitution included.
#[test]
fn the_multiplier_method_moves_points_on_guides_alike() {
    let run = |method: Method, restitution: f64, h: f64| {
        let (mut world, ids, rail) = dumbbell(method, Some(restitution));
        let energy = world.energy().kinetic;
        for _ in 0..(5.0 / h) as usize {
            let report = world.step(h);
            // the symmetric step's energy swings by itself; the referee's does not
            assert!(
                method == Method::Direct || report.ledger.residual.abs() < 1e-6,
                "{}",
                report.ledger.residual
            );
            let s = world.coordinate(rail, Coordinate::Position).unwrap();
            assert!((-1e-5..=2.0 + 1e-5).contains(&s), "{method:?}: {s}");
        }
        assert!(world.joint_error(rail).unwrap().0 < 1e-8, "{method:?}");
        (ids.map(|i| world.position(i).unwrap()), world.energy().kinetic / energy)
    };
    // Without rebound both agree to the second order of the step. The rebound of the impulse method
    // is taken from the rate before the second kick: first order, 2e-4 of 1 m/s at 1 ms, which
    // grows to 3.5e-3 m in the three seconds that follow.
    for (restitution, apart) in [(0.0, 2e-4), (1.0, 4e-3)] {
        let referee = run(Method::Lagrange, restitution, 0.0025);
        let (places, left) = run(Method::Direct, restitution, 0.001);
        assert!((left - referee.1).abs() < 1e-4, "{restitution}: {left} {}", referee.1);
        for (a, b) in places.iter().zip(&referee.0) {
            assert!(a.distance(*b) < apart, "{restitution}: {a} {b}");
        }
    }
    let ends = [Method::Direct, Method::Lagrange].map(|method| {
        let (mut world, _, p, joint) = plate(method, Vec3::ZERO, 1.0);
        for _ in 0..1500 {
            world.step(0.001);
        }
        assert!(world.joint_error(joint).unwrap().0 < 1e-7, "{method:?}");
        assert!(world.coordinate(joint, Coordinate::Position).unwrap() > -1e-5);
        world.position(p).unwrap()
    });
    // two impacts at edges in 1.5 s
    assert!(ends[0].distance(ends[1]) < 1e-3, "{} {}", ends[0], ends[1]);
}

/// Motors and dry friction on the way along a rail that moves.
#[test]
fn motors_and_friction_act_along_rails_under_every_method() {
    let run = |method: Method,
               motor: &dyn Fn(kreisel_dynamics::JointId) -> Option<Motor>,
               friction: f64| {
        let mut world = plain_world(DOWN_Y, 1e-9);
        change(&mut world, |s| s.method = method);
        let [a, b] = [0.0, 2.0].map(|x| point(&mut world, 1.0, Vec3::X * x, Vec3::ZERO));
        rod(&mut world, a, b);
        world.add_joint(Joint::ball(BodyId::WORLD, a)).unwrap();
        let p = point(&mut world, 0.5, Vec3::X * 0.5, Vec3::X * 0.3);
        let mut rail = Joint::rail([place(&world, a), place(&world, b)], place(&world, p));
        if friction > 0.0 {
            rail = rail.friction(Friction { coordinate: Coordinate::Position, effort: friction });
        }
        let rail = world.add_joint(rail).unwrap();
        if let Some(motor) = motor(rail) {
            world.add_motor(motor).unwrap();
        }
        for _ in 0..300 {
            world.step(0.001);
        }
        (
            world.coordinate(rail, Coordinate::Position).unwrap(),
            world.position(p).unwrap(),
            world.reaction(rail).unwrap(),
        )
    };
    type Make = fn(kreisel_dynamics::JointId) -> Option<Motor>;
    let none: Make = |_| None;
    let push: Make =
        |j| Some(Motor::new(j, Coordinate::Position, Control::Effort(Schedule::constant(0.8))));
    let drive: Make = |j| {
        Some(
            Motor::new(j, Coordinate::Position, Control::Velocity(Schedule::constant(0.3)))
                .max_effort(50.0),
        )
    };
    for (name, motor, friction) in
        [("friction", none, 0.4), ("effort", push, 0.0), ("velocity", drive, 0.0)]
    {
        let [(s, x, load), (s2, x2, load2)] =
            [Method::Direct, Method::Lagrange].map(|m| run(m, &motor, friction));
        assert!((s - s2).abs() < 1e-4 && x.distance(x2) < 1e-4, "{name}: {s} {s2}, {x} {x2}");
        assert!(
            load.force.distance(load2.force) < 0.05 * load.force.length(),
            "{name}: {} {}",
            load.force,
            load2.force
        );
        if name == "velocity" {
            assert!((s2 - 0.5 - 0.09).abs() < 1e-4, "{s2}");
        }
    }
}

#[test]
fn energy_steps_refuse_guides_by_name() {
    let (mut world, ..) = dumbbell(Method::Direct, None);
    let settings =
        kreisel_dynamics::Settings { stepping: Stepping::Energy, ..world.settings().clone() };
    let refused = world.set_settings(settings.clone()).unwrap_err();
    assert_eq!(refused, ModelError::NotForEnergy("rail".into()));
    let mut world = World::new();
    world.set_settings(settings).unwrap();
    let p = point(&mut world, 1.0, Vec3::X, Vec3::ZERO);
    let ends = [(BodyId::WORLD, Vec3::ZERO), (BodyId::WORLD, Vec3::X)];
    assert!(matches!(
        world.add_joint(Joint::rail(ends, (p, Vec3::X))),
        Err(ModelError::NotForEnergy(_))
    ));
}
