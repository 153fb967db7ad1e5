//! Sensitivities of motions against closed forms and central differences of runs; motions of least
//! effort; dimensions that must change; workspaces.

use kreisel_analysis::minimise::Range;
use kreisel_analysis::{
    Actuator, AnalysisError, Moving, Output, Spacetime, assemble, motion_sensitivity, reconcile,
    spacetime, workspace,
};
use kreisel_dynamics::{
    Body, BodyId, Coordinate, Joint, MassProperties, Mat3, Order, Passive, Settings, Spring, Vec3,
    World,
};

fn bar(mass: f64, center: Vec3, at: Vec3) -> Body {
    Body::dynamic(MassProperties {
        mass,
        center,
        inertia: Mat3::from_diagonal(Vec3::new(0.03, 0.1, 0.12)),
    })
    .at(at)
}

/// A four-bar of hinged bars with a spring, let go; parameters: stiffness, place of a pin, mass,
/// centre of mass, and the crank's speed.
fn four_bar(p: &[f64]) -> Result<World, AnalysisError> {
    let mut world = World::new();
    let crank = world.add_body(bar(1.0, Vec3::new(0.0, 0.0, 0.2), Vec3::ZERO)).unwrap();
    let coupler =
        world.add_body(bar(p[2], Vec3::new(p[3], 0.0, 0.0), Vec3::new(0.0, 0.0, 0.4))).unwrap();
    let rocker = world.add_body(bar(1.5, Vec3::new(0.0, 0.0, 0.3), Vec3::X)).unwrap();
    let pin = Vec3::new(p[1], 0.0, 0.6);
    let mut joints = Vec::new();
    for (a, b, at) in [
        (BodyId::WORLD, crank, Vec3::ZERO),
        (crank, coupler, 0.4 * Vec3::Z),
        (coupler, rocker, pin),
        (BodyId::WORLD, rocker, Vec3::X),
    ] {
        joints.push(world.add_joint(Joint::hinge(a, b).at(at).axis(Vec3::Y)).unwrap());
    }
    let spring = Spring::new(
        BodyId::WORLD,
        coupler,
        Vec3::new(-0.5, 0.0, 0.8),
        Vec3::new(0.3, 0.0, 0.5),
        p[0],
    );
    world.add_spring(spring.length(0.3)).unwrap();
    // the speed of the crank, and of everything with it
    let arm = Vec3::new(0.0, 0.0, 0.2);
    world.set_velocity(crank, (p[4] * Vec3::Y).cross(arm), p[4] * Vec3::Y).unwrap();
    assemble(&mut world, 1e-13)?;
    Ok(world)
}

#[test]
fn a_motion_moves_with_its_parameters_as_runs_beside_it_say() {
    let at = [60.0, 1.05, 2.0, 0.4, 1.0];
    let outputs: Vec<Output> = {
        let world = four_bar(&at).unwrap();
        let coupler = world.bodies().nth(1).unwrap();
        let angles = world.joints().map(|j| Output::Coordinate(j, Coordinate::Angle));
        let rates = world.joints().take(1).map(|j| Output::Rate(j, Coordinate::Angle));
        let places = (0..3).map(|k| Output::Point(coupler, Vec3::new(0.5, 0.0, 0.1), k));
        angles.chain(rates).chain(places).collect()
    };
    let until = 0.4;
    let found = motion_sensitivity(four_bar, &at, &outputs, 1e-3, until).unwrap();

    // runs of the engine at two neighbours
    let read = |p: &[f64]| -> Vec<f64> {
        let mut world = four_bar(p).unwrap();
        let settings = Settings { order: Order::Six, ..world.settings().clone() };
        world.set_settings(settings).unwrap();
        for _ in 0..200 {
            world.step(until / 200.0);
        }
        let joints: Vec<_> = world.joints().collect();
        let angles: Vec<f64> =
            joints.iter().map(|&j| world.coordinate(j, Coordinate::Angle).unwrap()).collect();
        let rate = world.coordinate_rate(joints[0], Coordinate::Angle).unwrap();
        let place = world.point(world.bodies().nth(1).unwrap(), Vec3::new(0.5, 0.0, 0.1)).unwrap();
        angles.into_iter().chain([rate]).chain(place.to_array()).collect()
    };
    let last = found.derivatives.last().unwrap();
    let mut worst = 0.0_f64;
    for k in 0..at.len() {
        let h = 1e-3 * at[k];
        let beside = |side: f64| {
            let mut p = at;
            p[k] += side * h;
            read(&p)
        };
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(beside);
        let slope = |i: usize| (8.0 * (c[i] - b[i]) - (d[i] - a[i])) / (12.0 * h);
        let size = (0..outputs.len()).map(|i| slope(i).abs()).fold(0.0, f64::max);
        for i in 0..outputs.len() {
            worst = worst.max((last[i][k] - slope(i)).abs() / size);
        }
    }
    println!("sensitivities of a moving four-bar: {worst:.1e} of central differences");
    assert!(worst < 1e-6, "{worst:e}");
}

/// A mass on a spring: x = x₀ cos ωt, ω² = k/m, so that dx/dk = −x₀ t sin(ωt)/(2 m ω).
#[test]
fn an_oscillator_has_the_derivative_of_its_closed_form() {
    let build = |p: &[f64]| -> Result<World, AnalysisError> {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).unwrap();
        let cart = world.add_body(bar(2.0, Vec3::ZERO, Vec3::ZERO)).unwrap();
        let mut joint = Joint::slider(BodyId::WORLD, cart).at(Vec3::ZERO).axis(Vec3::X);
        let spring = Passive { stiffness: p[0], rest: 0.3, ..Passive::new(Coordinate::Position) };
        joint.passive.push(spring);
        world.add_joint(joint).unwrap();
        Ok(world)
    };
    let joint = build(&[50.0]).unwrap().joints().next().unwrap();
    let outputs = [Output::Coordinate(joint, Coordinate::Position)];
    let found = motion_sensitivity(build, &[50.0], &outputs, 1e-3, 1.0).unwrap();
    for (t, d) in found.times.iter().zip(&found.derivatives).step_by(100) {
        let w = 5.0;
        let expected = -(-0.3) * t * f64::sin(w * t) / (2.0 * 2.0 * w);
        assert!((d[0][0] - expected).abs() < 1e-9, "{} not {expected} at {t}", d[0][0]);
    }
}

/// A mass moved over the way d in the time T from rest to rest with least ∫F²: a cubic, and 12 m²
/// d²/T³ (Kirk 1970).
#[test]
fn a_mass_is_moved_by_a_cubic() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let cart = world.add_body(bar(2.0, Vec3::ZERO, Vec3::ZERO)).unwrap();
    let joint =
        world.add_joint(Joint::slider(BodyId::WORLD, cart).at(Vec3::ZERO).axis(Vec3::X)).unwrap();
    let c = Coordinate::Position;
    let moving = |through: Vec<(f64, f64)>| Moving {
        joint,
        coordinate: c,
        through,
        rates: [0.0; 2],
        range: Range { low: -2.0, high: 2.0 },
    };
    let actuators = [Actuator { joint, coordinate: c, weight: 1.0 }];
    let fine = Spacetime { efforts: 40, ..Spacetime::default() };
    let plan =
        spacetime(&world, &[moving(vec![(0.0, 0.0), (0.8, 0.5)])], &actuators, &fine).unwrap();
    let exact = 12.0 * 4.0 * 0.25 / 0.512;
    // the midpoint rule of a square of a line
    assert!((plan.cost / exact - 1.0).abs() < 1e-5, "{} not {exact}", plan.cost);
    for t in [0.1, 0.3, 0.5, 0.7] {
        let s = t / 0.8;
        let cubic = 0.5 * s * s * (3.0 - 2.0 * s);
        assert!((plan.splines[0].at(t)[0] - cubic).abs() < 1e-6);
    }

    // a place on the way costs more, and is passed
    let by = moving(vec![(0.0, 0.0), (0.2, 0.4), (0.8, 0.5)]);
    let dear = spacetime(&world, &[by], &actuators, &fine).unwrap();
    assert!(dear.cost > 1.5 * plan.cost && (dear.splines[0].at(0.2)[0] - 0.4).abs() < 1e-12);
    assert!(dear.cost <= dear.cost_before);
}

/// A pendulum swung up to the horizontal needs less effort the slow way than the smooth one; its
/// torque at the end holds it, m g l.
#[test]
fn an_arm_is_lifted_with_less_effort_than_the_smooth_motion_needs() {
    let mut world = World::new();
    let arm = world.add_body(bar(1.0, Vec3::new(0.0, 0.0, -0.5), Vec3::ZERO)).unwrap();
    let joint =
        world.add_joint(Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Y)).unwrap();
    let c = Coordinate::Angle;
    let moving = Moving {
        joint,
        coordinate: c,
        through: vec![(0.0, 0.0), (2.0, 1.5)],
        rates: [0.0; 2],
        range: Range { low: -2.0, high: 2.0 },
    };
    let actuators = [Actuator { joint, coordinate: c, weight: 1.0 }];
    let plan = spacetime(&world, &[moving], &actuators, &Spacetime::default()).unwrap();
    assert!(plan.cost < 0.8 * plan.cost_before, "{} of {}", plan.cost, plan.cost_before);
    assert!(plan.converged);
    // it swings back first
    assert!(plan.values[0].iter().any(|x| *x < -0.01), "{:?}", plan.values);
}

/// A four-bar whose coupler is too long by `d` along its own line: pins at (0,0,1), (1+d,0,1) with
/// slotted ends would have to give. Of coupler and base the one with the wider range gives more:
/// shares of the square of the range.
#[test]
fn dimensions_that_contradict_each_other_change_by_their_ranges() {
    // two fixed posts and a bar between them: the bar's length and a post's place must agree
    let build = |p: &[f64]| -> Result<World, AnalysisError> {
        let mut world = World::new();
        let link = world.add_body(bar(1.0, Vec3::ZERO, 0.5 * Vec3::X)).unwrap();
        world.add_joint(Joint::fixed(BodyId::WORLD, link).at(Vec3::ZERO)).unwrap();
        let ends = [Vec3::new(p[0], 0.0, 0.0), Vec3::new(p[1] - 0.5, 0.0, 0.0)];
        let mut pin = Joint::ball(BodyId::WORLD, link);
        pin = pin.between(ends[0], ends[1] + 0.5 * Vec3::X);
        world.add_joint(pin).unwrap();
        Ok(world)
    };
    let ranges = [Range { low: 0.9, high: 1.1 }, Range { low: 0.8, high: 1.2 }];
    let (world, found) = reconcile(build, &[1.05, 1.0], &ranges, 1e-10).unwrap();
    println!("{found:?}");
    let gap = 0.05;
    assert!((found.change[0] + gap * 0.2).abs() < 1e-6, "{found:?}");
    assert!((found.change[1] - gap * 0.8).abs() < 1e-6, "{found:?}");
    assert!(found.error < 1e-9 && (found.error_before - gap).abs() < 1e-9);
    assert!(world.bodies().count() == 1);

    // ranges that are too narrow say so
    let narrow = [Range { low: 1.04, high: 1.1 }, Range { low: 0.99, high: 1.01 }];
    assert!(reconcile(build, &[1.05, 1.0], &narrow, 1e-10).is_err());
}

/// A two-link arm reaches |l₁ − l₂| ≤ r ≤ l₁ + l₂; its efforts hold the weights.
#[test]
fn a_two_link_arm_reaches_a_ring_and_holds_its_weight() {
    let mut world = World::new();
    let (l1, l2) = (1.0, 0.6);
    let upper = world.add_body(bar(2.0, 0.5 * l1 * Vec3::X, Vec3::ZERO)).unwrap();
    let hand = world.add_body(bar(1.0, -0.5 * l2 * Vec3::X, Vec3::new(l1 + l2, 0.0, 0.0))).unwrap();
    let a =
        world.add_joint(Joint::hinge(BodyId::WORLD, upper).at(Vec3::ZERO).axis(Vec3::Y)).unwrap();
    let b = world.add_joint(Joint::hinge(upper, hand).at(l1 * Vec3::X).axis(Vec3::Y)).unwrap();
    // away from the stretched pose, which is singular
    let goal = [kreisel_analysis::Goal::Coordinate(b, Coordinate::Angle, 1.0)];
    kreisel_analysis::inverse_kinematics(&mut world, &goal, &Default::default()).unwrap();

    let line: Vec<f64> = (-18..=18).map(|k| 0.1 * f64::from(k) + 0.003).collect();
    let axes = [line.clone(), vec![0.0], line];
    let actuators = [(a, Coordinate::Angle), (b, Coordinate::Angle)];
    let map = workspace(&world, hand, &axes, false, &actuators).unwrap();
    for p in &map.places {
        let r = p.at[0].hypot(p.at[2]);
        // at the borders both answers are right
        if (r - (l1 + l2)).abs() > 1e-3 && (r - (l1 - l2)).abs() > 1e-3 {
            assert_eq!(p.reached, r < l1 + l2 && r > l1 - l2, "{p:?}");
        }
        if p.reached {
            // the elbow carries the hand's weight over the middle of the fore-arm
            let g = 9.81;
            let base = Vec3::new(p.at[0], 0.0, p.at[2]);
            let elbow_reach = p.efforts[1].abs() / (1.0 * g * 0.5 * l2);
            assert!(elbow_reach <= 1.0 + 1e-9, "{p:?} {base}");
        }
    }
    let envelope = map.envelope.iter().map(|e| e.1).fold(0.0, f64::max);
    assert!((envelope - 3.0 * 9.81).abs() < 1e-6, "{:?}", map.envelope);
}
