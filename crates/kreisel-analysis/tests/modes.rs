//! Modes and linear systems against closed forms.

use kreisel_analysis::{DryFriction, Search, all_outputs, equilibrium, linearise, modes};
use kreisel_dynamics::{
    Body, BodyId, Coordinate, Joint, JointId, JointKind, MassProperties, Mat3, Passive, Vec3, World,
};
use std::f64::consts::{PI, TAU};

/// A bar along x with mass and moments of inertia across.
fn bar(mass: f64, across: f64, at: Vec3) -> Body {
    let inertia = Mat3::from_diagonal(Vec3::new(1e-3 * across, across, across));
    Body::dynamic(MassProperties { mass, center: Vec3::ZERO, inertia }).at(at)
}

/// A hinge about y with a spring on its angle.
fn sprung(a: BodyId, b: BodyId, at: Vec3, stiffness: f64) -> Joint {
    let passive = Passive { stiffness, ..Passive::new(Coordinate::Angle) };
    let mut joint = Joint::hinge(a, b).at(at).axis(Vec3::Y);
    joint.passive.push(passive);
    joint
}

/// A physical pendulum with an armature: ω² = m g l/(I + m l² + gear² J), textbook.
#[test]
fn a_pendulum_with_a_rotor_has_its_frequency_and_its_damping() {
    let mut world = World::new();
    let arm = world.add_body(bar(2.0, 0.3, Vec3::new(0.0, 0.0, -0.5))).unwrap();
    let (damping, armature, gear) = (0.4, 0.01, 5.0);
    let mut joint = Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Y);
    joint.passive.push(Passive { damping, armature, gear, ..Passive::new(Coordinate::Angle) });
    let hinge = world.add_joint(joint).unwrap();
    let found = modes(&world, DryFriction::Refuse).unwrap();
    let inertia = 0.3 + 2.0 * 0.25 + gear * gear * armature;
    let square = 2.0 * 9.81 * 0.5 / inertia;
    assert_eq!((found.freedom, found.modes.len()), (1, 1));
    assert!(
        (found.modes[0].square / square - 1.0).abs() < 1e-9,
        "{} instead of {square}",
        found.modes[0].square
    );

    // λ² + c/I λ + ω² = 0
    let half = damping / (2.0 * inertia);
    let e = found.eigenvalues[0];
    assert!((e.real + half).abs() < 1e-9, "{e:?}");
    assert!((e.imaginary - (square - half * half).sqrt()).abs() < 1e-9, "{e:?}");
    assert!((e.damping - half / square.sqrt()).abs() < 1e-9, "{e:?}");

    // C maps the state to the angle and its rate: C A B for a torque would be 1/I
    let linear = linearise(&world, &[], &all_outputs(&world), DryFriction::Refuse).unwrap();
    assert_eq!((linear.states, linear.outputs.len()), ([1, 1, 0], 2));
    assert_eq!(linear.outputs[0], format!("{}.angle", world.joint_name(hinge).unwrap()));
    assert!(
        (linear.c[0][0] - linear.c[1][1]).abs() < 1e-9 && linear.c[0][1].abs() < 1e-9,
        "{:?}",
        linear.c
    );
}

/// Hencky's bar chain, simply supported: n rigid links of length a, mass m and inertia I, hinge
/// springs c between them. With w_i = sin(iθ), θ = kπ/n, the nodes' deflections are eigenvectors of
/// all matrices (they are Toeplitz with zero ends):
/// ω² = (c/a²)(2 − 2cos θ)² / [ (m/4)(2 + 2cos θ) + (I/a²)(2 − 2cos θ) ].
/// The links are hinged in space, 5 rows each, and close a loop over the ground: many rows are
/// redundant.
#[test]
fn a_beam_of_a_hundred_links_has_the_frequencies_of_henckys_chain() {
    let (n, a, m, inertia, c) = (100_usize, 0.05, 0.2, 2e-4, 40.0);
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let links: Vec<BodyId> = (0..n)
        .map(|k| {
            world.add_body(bar(m, inertia, Vec3::new((k as f64 + 0.5) * a, 0.0, 0.0))).unwrap()
        })
        .collect();
    world.add_joint(Joint::hinge(BodyId::WORLD, links[0]).at(Vec3::ZERO).axis(Vec3::Y)).unwrap();
    for k in 1..n {
        world
            .add_joint(sprung(links[k - 1], links[k], Vec3::new(k as f64 * a, 0.0, 0.0), c))
            .unwrap();
    }
    // the other end slides along x
    let end = Vec3::new(n as f64 * a, 0.0, 0.0);
    world
        .add_joint(Joint::new(JointKind::Line, BodyId::WORLD, links[n - 1]).at(end).axis(Vec3::X))
        .unwrap();

    let found = modes(&world, DryFriction::Refuse).unwrap();
    assert_eq!((found.freedom, found.redundant), (n - 1, 1), "one row of the roller is implied");
    let mut worst = 0.0_f64;
    for (k, mode) in found.modes.iter().enumerate() {
        let theta = (k + 1) as f64 * PI / n as f64;
        let (minus, plus) = (2.0 - 2.0 * theta.cos(), 2.0 + 2.0 * theta.cos());
        let square = c / (a * a) * minus * minus / (0.25 * m * plus + inertia / (a * a) * minus);
        worst = worst.max((mode.frequency / (square.sqrt() / TAU) - 1.0).abs());
    }
    println!("beam of {n} links: largest relative error of a frequency {worst:.2e}");
    assert!(worst < 1e-6, "{worst:e}");
}

/// A parallelogram four-bar that hangs: cranks of length r (mass m, inertia I about the pivot's
/// parallel through their middle) and a coupler that only translates.
/// ω² = (2 m g r/2 + M g r + k)/(2 (I + m r²/4) + M r²) with a spring k on one pivot.
#[test]
fn a_four_bar_has_its_closed_frequency_though_three_of_its_rows_are_redundant() {
    let (r, m, coupler, k) = (0.4, 0.5, 1.5, 3.0);
    let mut world = World::new();
    let inertia = m * r * r / 12.0;
    let upright = Mat3::from_diagonal(Vec3::new(inertia, inertia, 1e-4));
    let crank = |x: f64| {
        Body::dynamic(MassProperties { mass: m, center: Vec3::ZERO, inertia: upright })
            .at(Vec3::new(x, 0.0, -0.5 * r))
    };
    let (left, right) = (world.add_body(crank(0.0)).unwrap(), world.add_body(crank(1.0)).unwrap());
    let bar = world.add_body(bar(coupler, 0.2, Vec3::new(0.5, 0.0, -r))).unwrap();
    world.add_joint(sprung(BodyId::WORLD, left, Vec3::ZERO, k)).unwrap();
    for (a, b, at) in [
        (BodyId::WORLD, right, Vec3::X),
        (left, bar, -r * Vec3::Z),
        (right, bar, Vec3::X - r * Vec3::Z),
    ] {
        world.add_joint(Joint::hinge(a, b).at(at).axis(Vec3::Y)).unwrap();
    }
    let found = modes(&world, DryFriction::Refuse).unwrap();
    let square = (m * 9.81 * r + coupler * 9.81 * r + k)
        / (2.0 * (inertia + m * r * r / 4.0) + coupler * r * r);
    assert_eq!((found.freedom, found.redundant), (1, 3));
    let error = found.modes[0].frequency / (square.sqrt() / TAU) - 1.0;
    println!("four-bar: relative error of the frequency {error:.2e}");
    assert!(error.abs() < 1e-6);
}

/// A top that spins upright on its point, where the state is a motion. ξ is the tilt, Ω its angular
/// velocity in the body, about the point (A = A_c + m l²), each scaled by √A. The independent
/// coordinates count the path of the centre (in space, share m l²/A) and the turn (in a chart fixed
/// at the state, share A_c/A), and only the turn's chart goes on with the spin, θ' = ω + ½ θ × ω:
/// ξ' = Ω − ½ i n (A_c/A) ξ. Euler's equation with the centripetal part of the path in space: A
/// Ω' = −i (A_c − C) n Ω + m g l ξ. So the eigenvalues iµ solve (µ + n A_c/2A)(µ + n (A_c − C)/A) +
/// m g l/A = 0; the spin adds two zeros.
#[test]
fn a_sleeping_top_is_linear_about_its_spin() {
    let mut world = World::new();
    let (across, along, mass, l, spin) = (0.02, 0.03, 1.0, 0.2, 60.0);
    let inertia = Mat3::from_diagonal(Vec3::new(across, across, along));
    let body = Body::dynamic(MassProperties { mass, center: Vec3::ZERO, inertia })
        .at(Vec3::new(0.0, 0.0, l));
    let top = world.add_body(body).unwrap();
    world.add_joint(Joint::ball(BodyId::WORLD, top).at(Vec3::ZERO)).unwrap();
    world.set_velocity(top, Vec3::ZERO, Vec3::new(0.0, 0.0, spin)).unwrap();
    let linear = linearise(&world, &[], &[], DryFriction::Refuse).unwrap();
    assert_eq!(linear.states, [3, 3, 0]);
    let about = across + mass * l * l;
    let (beta, q) = ((across - along) / about, mass * 9.81 * l / about);
    let chart = 0.5 * across / about;
    let (sum, product) = (spin * (chart + beta), spin * spin * chart * beta + q);

    // traces of A² and A⁴ are −2 (µ₁² + µ₂²) and 2 (µ₁⁴ + µ₂⁴)
    let squares = sum * sum - 2.0 * product;
    let fourths = squares * squares - 2.0 * product * product;
    let a = &linear.a;
    let n = a.len();
    let square: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| (0..n).map(|k| a[i][k] * a[k][j]).sum()).collect()).collect();
    let trace: f64 = (0..n).map(|i| square[i][i]).sum();
    let trace4: f64 =
        (0..n).map(|i| (0..n).map(|j| square[i][j] * square[j][i]).sum::<f64>()).sum();
    assert!((trace / (-2.0 * squares) - 1.0).abs() < 1e-8, "{trace} instead of {}", -2.0 * squares);
    assert!((trace4 / (2.0 * fourths) - 1.0).abs() < 1e-8, "{trace4} instead of {}", 2.0 * fourths);
}

/// A pendulum falls into its equilibrium, and modes refuse a state that is none.
#[test]
fn modes_want_an_equilibrium_and_friction_is_refused_by_name() {
    let mut world = World::new();
    let arm = world.add_body(bar(1.0, 0.1, Vec3::new(0.5, 0.0, 0.0))).unwrap();
    let mut joint = Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Y);
    let id: JointId = world.add_joint(joint.clone()).unwrap();
    let told = modes(&world, DryFriction::Refuse).unwrap_err().to_string();
    assert!(told.contains("equilibrium"), "{told}");
    let at = equilibrium(&mut world, &Search::default()).unwrap();
    assert!((world.coordinate(id, Coordinate::Angle).unwrap() - 0.5 * PI).abs() < 1e-9, "{at:?}");
    assert!(modes(&world, DryFriction::Refuse).is_ok());

    let mut world = World::new();
    let arm = world.add_body(bar(1.0, 0.1, Vec3::new(0.5, 0.0, 0.0))).unwrap();
    joint.bodies = [BodyId::WORLD, arm];
    joint.friction.push(kreisel_dynamics::Friction { coordinate: Coordinate::Angle, effort: 0.1 });
    world.add_joint(joint.named("rusty")).unwrap();
    let told = modes(&world, DryFriction::Refuse).unwrap_err().to_string();
    assert!(told.starts_with("rusty: dry friction"), "{told}");
}
