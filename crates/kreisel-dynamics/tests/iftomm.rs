//! The basic problems of the IFToMM benchmark library (A01 to A04) at the tolerances we promise.

mod common;

use common::{DOWN_Y, Reference, plain_world};
use kreisel_dynamics::{
    Body, BodyId, Control, Coordinate, Joint, JointId, MassProperties, Motor, Quat, Schedule,
    Spring, Status, Vec3, World,
};

#[test]
fn a01_the_pendulum_ends_where_the_library_says() {
    let mut world = plain_world(DOWN_Y, 1e-12);
    let mass = world.add_body(Body::point(1.0).at(-Vec3::X)).unwrap();
    world.add_joint(Joint::distance(BodyId::WORLD, mass, Vec3::ZERO, -Vec3::X)).unwrap();
    let e0 = world.energy().total();
    let reference = Reference::load("a01_pendulum");
    let mut worst = 0.0_f64;
    for k in 1..=100 {
        common::run(&mut world, 0.1, 100);
        let there = Vec3::from_array([
            reference.at(0.1 * f64::from(k), "P1_x_m"),
            reference.at(0.1 * f64::from(k), "P1_y_m"),
            0.0,
        ]);
        worst = worst.max(world.center_of_mass(mass).unwrap().distance(there));
        assert!((world.energy().total() - e0).abs() < 5e-5, "energy at {k}");
    }
    assert!(worst < 1e-4, "{worst}");
    // published: P1(10 s) = (-0.275087462576, -0.961419205099)
    assert!(
        world.center_of_mass(mass).unwrap().distance(Vec3::new(
            -0.275_087_462_576,
            -0.961_419_205_099,
            0.0
        )) < 1e-4
    );
}

/// N windows of slender rods with hinges in space.
fn n_four_bar(n: usize) -> (World, BodyId, Vec<JointId>) {
    let mut world = plain_world(DOWN_Y, 1e-9);
    // a slender rod along y; its own axis has a thousandth of the inertia, which the plane motion
    // does not feel
    let i = 1.0 / 12.0;
    let crank = MassProperties::principal_moments(1.0, Vec3::new(i, 1e-3 * i, i));
    let coupler = MassProperties::principal_moments(1.0, Vec3::new(1e-3 * i, i, i));
    let mut joints = Vec::new();
    let mut cranks = Vec::new();
    for k in 0..=n {
        let x = k as f64;
        // crank rate −1 rad/s about z: the tops move with +1 m/s in x
        let body = Body::dynamic(crank)
            .at(Vec3::new(x, 0.5, 0.0))
            .moving(Vec3::X * 0.5)
            .spinning(-Vec3::Z);
        cranks.push(world.add_body(body).unwrap());
        joints
            .push(world.add_joint(Joint::hinge(BodyId::WORLD, cranks[k]).at(Vec3::X * x)).unwrap());
    }
    for k in 0..n {
        let x = k as f64;
        let rod = world
            .add_body(Body::dynamic(coupler).at(Vec3::new(x + 0.5, 1.0, 0.0)).moving(Vec3::X))
            .unwrap();
        joints.push(
            world.add_joint(Joint::hinge(cranks[k], rod).at(Vec3::new(x, 1.0, 0.0))).unwrap(),
        );
        joints.push(
            world
                .add_joint(Joint::hinge(rod, cranks[k + 1]).at(Vec3::new(x + 1.0, 1.0, 0.0)))
                .unwrap(),
        );
    }
    (world, cranks[0], joints)
}

/// Runs 10 s with step `h`: largest error of B0 (m) and of the energy (J).
fn run_four_bar(n: usize, h: f64, reference: &str) -> (f64, f64) {
    let reference = Reference::load(reference);
    let (mut world, crank, _) = n_four_bar(n);
    let e0 = world.energy().total();
    let (mut off, mut energy) = (0.0_f64, 0.0_f64);
    for k in 1..=100 {
        for step in 0..(0.1 / h).round() as usize {
            let report = world.step(h);
            common::converged(&report, step);
            energy = energy.max((report.ledger.energy.total() - e0).abs());
        }
        let t = 0.1 * f64::from(k);
        let b0 = world.point(crank, Vec3::Y * 0.5).unwrap();
        off = off.max(b0.distance(Vec3::new(
            reference.at(t, "B0_x_m"),
            reference.at(t, "B0_y_m"),
            0.0,
        )));
    }
    (off, energy)
}

#[test]
fn a02_one_window_converges_to_the_reference() {
    let (coarse, _) = run_four_bar(1, 2e-3, "a02_fourbar_n1");
    let (fine, energy) = run_four_bar(1, 1e-3, "a02_fourbar_n1");
    println!("A02 N = 1: {coarse:e} {fine:e} m, {energy:e} J");
    assert!(fine < 1e-3 && energy < 1e-2, "{fine} m {energy} J");
    assert!(((coarse / fine).log2() - 2.0).abs() < 0.1, "{coarse} {fine}");
}

#[test]
fn a02_two_windows_pass_their_singular_poses_within_1e_2_joule_at_1_ms() {
    let (off, energy) = run_four_bar(2, 1e-3, "a02_fourbar_n2");
    println!("A02 N = 2: {off:e} m, {energy:e} J");
    assert!(energy <= 1e-2, "{energy} J");
    assert!(off < 2e-3, "{off} m");
}

#[test]
fn a02_forty_windows_pass_the_singular_pose_on_one_branch() {
    let (mut world, _, joints) = n_four_bar(40);
    assert_eq!((joints.len(), world.analyse().freedom), (121, 1));
    let e0 = world.energy().total();
    let mut turned = 0.0_f64;
    for step in 0..1500 {
        let report = world.step(1e-3);
        common::converged(&report, step);
        assert!(
            (report.ledger.energy.total() - e0).abs() < 0.2,
            "step {step}: {}",
            report.ledger.energy.total() - e0
        );
        // all cranks stay parallel: the mechanism has not branched
        let angles: Vec<f64> =
            joints[..41].iter().map(|&j| world.coordinate(j, Coordinate::Angle).unwrap()).collect();
        turned = turned.min(angles[0]);
        assert!(angles.iter().all(|a| (a - angles[0]).abs() < 1e-4), "step {step}");
    }
    // through the horizontal and through the lower dead point
    assert!(turned < -3.0, "{turned}");
}

/// Andrews' squeezer with hinges in space (IVP test set; all numbers in benchmarks.md).
fn andrews() -> (World, JointId) {
    let [rr, d, ss, e, zt, zf, u] = [7e-3, 28e-3, 35e-3, 2e-2, 4e-2, 2e-2, 4e-2];
    let [ra, da, sa, sb, ea, ta, tb] =
        [9.2e-4, 1.15e-2, 1.874e-2, 1.043e-2, 1.421e-2, 2.308e-2, 9.16e-3];
    let [fa, ua, ub, sc, sd] = [1.421e-2, 1.228e-2, 4.49e-3, 1.8e-2, 2e-2];
    let (a, b, c) = (
        Vec3::new(-0.06934, -0.00227, 0.0),
        Vec3::new(-0.03635, 0.03273, 0.0),
        Vec3::new(0.014, 0.072, 0.0),
    );
    let beta: f64 = -0.0617138900142764;
    let (theta, gamma, phi): (f64, f64, f64) = (0.0, 0.455279819163070, 0.222668390165886);
    let (delta, omega, epsilon): (f64, f64, f64) =
        (0.487364979543843, -0.222668390165886, 1.23054744454982);
    let at = |angle: f64, x: f64, y: f64| {
        Vec3::new(x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos(), 0.0)
    };
    let f = at(beta, rr, 0.0);
    let tip = f - at(beta + theta, d, 0.0);
    let (g, h) = (a + at(delta, zt, 0.0), a + at(epsilon, 0.0, -u));
    let mut world = plain_world(Vec3::ZERO, 1e-10);
    let mut body = |mass: f64, moment: f64, center: Vec3| {
        world
            .add_body(
                Body::dynamic(MassProperties::principal_moments(mass, Vec3::splat(moment)))
                    .at(center),
            )
            .unwrap()
    };
    let k1 = body(0.04325, 2.194e-6, at(beta, ra, 0.0));
    let k2 = body(0.00365, 4.410e-7, f - at(beta + theta, da, 0.0));
    let k3 = body(0.02373, 5.255e-6, b + at(gamma, sb, -sa));
    let k4 = body(0.00706, 5.667e-7, g + at(phi + delta, 0.0, -(e - ea)));
    let k5 = body(0.07050, 1.169e-5, a + at(delta, ta, tb));
    let k6 = body(0.00706, 5.667e-7, h + at(omega + epsilon, zf - fa, 0.0));
    let k7 = body(0.05498, 1.912e-5, a + at(epsilon, -ub, -ua));
    // the loops close: E from three sides
    assert!(tip.distance(b + at(gamma, 0.0, -ss)) < 1e-12);
    assert!(tip.distance(g + at(phi + delta, 0.0, -e)) < 1e-12);
    assert!(tip.distance(h + at(omega + epsilon, zf, 0.0)) < 1e-12);
    let w = BodyId::WORLD;
    let mut crank = None;
    for (first, second, point) in [
        (w, k1, Vec3::ZERO),
        (k1, k2, f),
        (k2, k3, tip),
        (k2, k4, tip),
        (k2, k6, tip),
        (w, k3, b),
        (k4, k5, g),
        (w, k5, a),
        (k6, k7, h),
        (w, k7, a),
    ] {
        let joint = world.add_joint(Joint::hinge(first, second).at(point)).unwrap();
        crank.get_or_insert(joint);
    }
    let crank = crank.unwrap();
    world
        .add_spring(Spring::new(k3, w, b + at(gamma, sd, -sc), c, 4530.0).length(0.07785))
        .unwrap();
    world
        .add_motor(Motor::new(crank, Coordinate::Angle, Control::Effort(Schedule::constant(0.033))))
        .unwrap();
    (world, crank)
}

#[test]
fn a03_the_squeezer_reaches_the_published_crank_angle() {
    let (mut world, crank) = andrews();
    let reference = Reference::load("a03_andrews");
    let beta0 = -0.0617138900142764;
    let e0 = world.energy().total();
    let analysis = world.analyse();
    assert_eq!((analysis.rows, analysis.rank, analysis.freedom), (50, 41, 1));
    let mut worst = 0.0_f64;
    for k in 1..=30 {
        common::run(&mut world, 1e-3, 100);
        let beta = world.coordinate(crank, Coordinate::Angle).unwrap() + beta0;
        worst = worst.max((beta - reference.at(1e-3 * f64::from(k), "beta_rad")).abs());
        // energy balance: T + V − E0 = torque · (beta − beta0)
        let balance = world.energy().total() - e0 - 0.033 * (beta - beta0);
        assert!(balance.abs() < 2e-4, "{k} ms: {balance} J");
    }
    let beta = world.coordinate(crank, Coordinate::Angle).unwrap() + beta0;
    println!("A03: beta(0.03) off by {:e} rad, worst {worst:e} rad", beta - 15.810_771_196_299_04);
    // published: beta 15.81077119629904 rad, rate 1139.920302151208 rad/s at 0.03 s
    assert!((beta - 15.810_771_196_299_04).abs() <= 1e-2, "{beta}");
    assert!(
        (world.coordinate_rate(crank, Coordinate::Angle).unwrap() - 1_139.920_302_151_208).abs()
            < 2.0
    );
}

/// The rectangular Bricard mechanism: five bricks, six hinges.
pub fn bricard() -> (World, [BodyId; 5]) {
    let mut world = plain_world(DOWN_Y, 1e-9);
    let p = [[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]]
        .map(|p| Vec3::from_array(p.map(f64::from)));
    let rods = [0, 1, 2, 3, 4].map(|i: usize| {
        let way = p[i + 1] - p[i];
        let turn = Quat::from_rotation_arc(Vec3::X, way);
        let body = Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1))
            .ghost()
            .at((p[i] + p[i + 1]) * 0.5)
            .rotated(turn);
        world.add_body(body).unwrap()
    });
    let axes = [Vec3::Y, Vec3::Z, Vec3::X, Vec3::Y, Vec3::Z, Vec3::X];
    for i in 0..6 {
        let first = if i == 0 { BodyId::WORLD } else { rods[i - 1] };
        let second = if i == 5 { BodyId::WORLD } else { rods[i] };
        world
            .add_joint(
                Joint::hinge(first, second).at(p[i]).axis(axes[i]).named(format!("P{}", i + 1)),
            )
            .unwrap();
    }
    (world, rods)
}

#[test]
fn a04_the_bricard_mechanism_has_rank_29_and_keeps_its_phase_for_10_s() {
    let (mut world, rods) = bricard();
    let analysis = world.analyse();
    assert_eq!(
        (analysis.rows, analysis.rank, analysis.freedom, analysis.redundant.len()),
        (30, 29, 1, 1)
    );
    let reference = Reference::load("a04_bricard");
    let e0 = world.energy().total();
    let (mut worst, mut energy) = (0.0_f64, 0.0_f64);
    for k in 1..=100 {
        for step in 0..100 {
            let report = world.step(1e-3);
            assert_eq!(report.status, Status::Converged, "step {step} of {k}: {:?}", report.worst);
            energy = energy.max((report.ledger.energy.total() - e0).abs());
        }
        let there = Vec3::from_array(
            ["P3_x_m", "P3_y_m", "P3_z_m"].map(|c| reference.at(0.1 * f64::from(k), c)),
        );
        worst = worst.max(world.point(rods[2], Vec3::X * -0.5).unwrap().distance(there));
    }
    println!("A04: P3 off by {worst:e} m, energy {energy:e} J");
    // published: P3(10 s)
    let end = Vec3::new(0.999_730_987_304, -0.999_999_963_826, -0.000_268_976_512);
    assert!(world.point(rods[2], Vec3::X * -0.5).unwrap().distance(end) < 1e-2);
    assert!(worst < 1e-2 && energy < 1e-2, "{worst} m, {energy} J");
    // freedom 1 at the end as well
    assert_eq!(world.analyse().rank, 29);
}
