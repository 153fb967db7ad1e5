//! Sensitivities of equilibria against closed forms and against differences of whole searches.

use kreisel_analysis::{AnalysisError, Output, Search, equilibrium, sensitivity};
use kreisel_dynamics::{
    Body, BodyId, Coordinate, Joint, JointId, MassProperties, Mat3, Passive, Spring, Vec3, World,
};

fn bar(mass: f64, center: Vec3, at: Vec3) -> Body {
    Body::dynamic(MassProperties {
        mass,
        center,
        inertia: Mat3::from_diagonal(Vec3::new(0.01, 0.1, 0.1)),
    })
    .at(at)
}

/// A four-bar of three hinged bars with a spring; parameters: stiffness, length of the coupler's
/// pin, mass, and place of the coupler's centre of mass.
fn four_bar(p: &[f64]) -> Result<World, AnalysisError> {
    let mut world = World::new();
    let crank = world.add_body(bar(1.0, Vec3::new(0.0, 0.0, 0.2), Vec3::ZERO)).unwrap();
    let coupler =
        world.add_body(bar(p[2], Vec3::new(p[3], 0.0, 0.0), Vec3::new(0.0, 0.0, 0.4))).unwrap();
    let rocker = world.add_body(bar(1.5, Vec3::new(0.0, 0.0, 0.3), Vec3::X)).unwrap();
    let pin = Vec3::new(p[1], 0.0, 0.6);
    for (a, b, at) in [
        (BodyId::WORLD, crank, Vec3::ZERO),
        (crank, coupler, 0.4 * Vec3::Z),
        (coupler, rocker, pin),
        (BodyId::WORLD, rocker, Vec3::X),
    ] {
        world.add_joint(Joint::hinge(a, b).at(at).axis(Vec3::Y)).unwrap();
    }
    let spring = Spring::new(
        BodyId::WORLD,
        coupler,
        Vec3::new(-0.5, 0.0, 0.8),
        Vec3::new(0.3, 0.0, 0.5),
        p[0],
    );
    world.add_spring(spring.length(0.3)).unwrap();
    Ok(world)
}

#[test]
fn a_four_bar_moves_with_its_parameters_as_searches_beside_it_say() {
    let at = [120.0, 1.05, 2.0, 0.4];
    let outputs: Vec<Output> = {
        let world = four_bar(&at).unwrap();
        let coupler = world.bodies().nth(1).unwrap();
        let angles = world.joints().map(|j| Output::Coordinate(j, Coordinate::Angle));
        angles.chain((0..3).map(|k| Output::Point(coupler, Vec3::new(0.5, 0.0, 0.1), k))).collect()
    };
    let found = sensitivity(four_bar, &at, &outputs, &Search::default()).unwrap();

    // a search at each of two neighbours
    let read = |p: &[f64]| -> Vec<f64> {
        let mut world = four_bar(p).unwrap();
        equilibrium(&mut world, &Search::default()).unwrap();
        let joints: Vec<JointId> = world.joints().collect();
        let place = world.point(world.bodies().nth(1).unwrap(), Vec3::new(0.5, 0.0, 0.1)).unwrap();
        let angles = joints.iter().map(|&j| world.coordinate(j, Coordinate::Angle).unwrap());
        angles.chain(place.to_array()).collect()
    };
    let mut worst = 0.0_f64;
    for k in 0..at.len() {
        let h = 1e-4 * at[k];
        let beside = |side: f64| {
            let mut p = at;
            p[k] += side * h;
            read(&p)
        };
        let (low, high) = (beside(-1.0), beside(1.0));
        let size =
            (0..outputs.len()).map(|i| ((high[i] - low[i]) / (2.0 * h)).abs()).fold(0.0, f64::max);
        for i in 0..outputs.len() {
            let difference = (high[i] - low[i]) / (2.0 * h);
            worst = worst.max((found.derivatives[i][k] - difference).abs() / size);
        }
    }
    println!("sensitivities of a four-bar: {worst:.1e} of central differences");
    assert!(worst < 1e-6, "{worst:e}: {found:?}");
}

/// A pendulum with a hinge spring that rests at π/2: k (φ − π/2) + m g l sin φ = 0, so that
/// dφ/dk = (π/2 − φ)/(k + m g l cos φ).
#[test]
fn a_sprung_pendulum_has_the_derivative_of_its_equation() {
    let build = |p: &[f64]| -> Result<World, AnalysisError> {
        let mut world = World::new();
        let arm = world.add_body(bar(1.0, Vec3::new(0.0, 0.0, -0.5), Vec3::ZERO)).unwrap();
        let mut joint = Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Y);
        let rest = std::f64::consts::FRAC_PI_2;
        joint.passive.push(Passive { stiffness: p[0], rest, ..Passive::new(Coordinate::Angle) });
        world.add_joint(joint).unwrap();
        Ok(world)
    };
    let joint = build(&[5.0]).unwrap().joints().next().unwrap();
    let outputs = [Output::Coordinate(joint, Coordinate::Angle)];
    let found = sensitivity(build, &[5.0], &outputs, &Search::default()).unwrap();
    let angle = found.values[0];
    let balance = 5.0 * (angle - std::f64::consts::FRAC_PI_2) + 9.81 * 0.5 * angle.sin();
    assert!(balance.abs() < 1e-9, "{balance:e}");
    let expected = (std::f64::consts::FRAC_PI_2 - angle) / (5.0 + 9.81 * 0.5 * angle.cos());
    assert!(
        (found.derivatives[0][0] / expected - 1.0).abs() < 1e-8,
        "{found:?} instead of {expected}"
    );
}
