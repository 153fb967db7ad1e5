//! The matrices over the velocities of all bodies: against finite differences, against motions that
//! the impulse method has made, and against energies.

use kreisel_dynamics::{
    Body, BodyId, Coordinate, Joint, JointKind, MassProperties, Passive, PositionPart, Quat,
    RotationPart, Vec3, VelocityRows, World,
};

/// All velocities as one vector, in the order of the bodies.
fn velocities(world: &World) -> Vec<f64> {
    let both =
        |b| [world.velocity(b).unwrap().to_array(), world.angular_velocity(b).unwrap().to_array()];
    world.bodies().flat_map(|b| both(b).concat()).collect()
}

fn times(rows: &VelocityRows, v: &[f64]) -> Vec<f64> {
    rows.values.chunks(rows.width).map(|r| r.iter().zip(v).map(|(a, b)| a * b).sum()).collect()
}

/// Two boxes with centres of mass beside their frames, hung from the world and from each other.
fn mechanism(kind: JointKind) -> World {
    let mut world = World::new();
    let turn = Quat::from_rotation_y(0.3) * Quat::from_rotation_z(0.4);
    let inertia = kreisel_dynamics::Mat3::from_diagonal(Vec3::new(0.02, 0.03, 0.04));
    let mass = MassProperties { mass: 1.3, center: Vec3::new(0.05, -0.02, 0.1), inertia };
    let a = Body::dynamic(mass)
        .at(Vec3::new(0.3, 0.1, 0.0))
        .rotated(turn)
        .spinning(Vec3::new(2.0, -1.0, 3.0));
    let b = Body::dynamic(mass).at(Vec3::new(0.8, -0.1, 0.1)).spinning(Vec3::new(-1.0, 4.0, 1.0));
    let (a, b) = (world.add_body(a).unwrap(), world.add_body(b).unwrap());
    for (first, second, at) in [(BodyId::WORLD, a, Vec3::ZERO), (a, b, Vec3::new(0.55, 0.0, 0.05))]
    {
        let mut joint = Joint::new(kind, first, second).at(at).axis(Vec3::new(0.2, 1.0, 0.3));
        if kind.parts().1 == RotationPart::Angle {
            joint.axis2 = Some(Vec3::new(1.0, 0.1, 0.4));
        }
        if kind.parts().0 == PositionPart::Distance {
            joint.anchors[1] = at + Vec3::new(0.1, 0.0, -0.2);
        }
        world.add_joint(joint).unwrap();
    }
    world
}

/// Kinds between two bodies.
fn kinds() -> impl Iterator<Item = JointKind> {
    JointKind::NAMED
        .into_iter()
        .filter(|k| !matches!(k.parts().0, PositionPart::Rail | PositionPart::Polygon))
}

#[test]
fn rows_of_coordinates_are_their_differences() {
    let h = 1e-6;
    for kind in kinds() {
        let mut world = mechanism(kind);
        for _ in 0..20 {
            world.step(0.01);
        }
        let rows = world.coordinate_jacobian();
        for (column, (body, k)) in
            world.bodies().flat_map(|b| (0..6).map(move |k| (b, k))).enumerate()
        {
            // a displacement of the centre of mass, or a turn about it
            let moved = |sign: f64| {
                let mut w = world.clone();
                let (x, q, c) = (
                    w.position(body).unwrap(),
                    w.rotation(body).unwrap(),
                    w.center_of_mass(body).unwrap(),
                );
                let axis = Vec3::AXES[k % 3] * (sign * h);
                let (x, q) = if k < 3 {
                    (x + axis, q)
                } else {
                    let turn = Quat::from_scaled_axis(axis);
                    (c + turn * (x - c), turn * q)
                };
                w.set_pose(body, x, q).unwrap();
                w
            };
            let (plus, minus) = (moved(1.0), moved(-1.0));
            for (i, (joint, c)) in world.coordinates().enumerate() {
                // a length and a swing have no derivative at zero
                let edge = matches!(c, Coordinate::Length | Coordinate::Swing);
                if edge && world.coordinate(joint, c).unwrap().abs() < 1e-3 {
                    continue;
                }
                let d = (plus.coordinate(joint, c).unwrap() - minus.coordinate(joint, c).unwrap())
                    / (2.0 * h);
                let row = rows.row(i)[column];
                // second differences are of the size h², rounding of 1e-16/h
                assert!(
                    (d - row).abs() < 2e-8,
                    "{kind:?} {} {body:?} {k}: {d} and {row}",
                    c.name()
                );
            }
        }
    }
}

#[test]
fn motions_of_the_impulse_method_obey_the_rows_of_conditions() {
    for kind in kinds() {
        let mut world = mechanism(kind);
        for _ in 0..40 {
            world.step(0.01);
        }
        let (rows, v) = (world.condition_jacobian(), velocities(&world));
        let analysis = world.analyse();
        assert_eq!(rows.names.len(), analysis.rows, "{kind:?}");
        for (name, rate) in rows.names.iter().zip(times(&rows, &v)) {
            // the tolerance of velocities, times the size of a row
            assert!(rate.abs() < 1e-5, "{kind:?} {name}: {rate}");
        }
        // and the rows forbid something: a push along one is seen
        if !rows.names.is_empty() {
            let push: Vec<f64> = v.iter().zip(rows.row(0)).map(|(v, r)| v + r).collect();
            assert!(times(&rows, &push)[0] > 0.1, "{kind:?}");
        }
    }
}

#[test]
fn rates_are_those_of_the_coordinates_and_points_move_as_they_say() {
    for kind in kinds() {
        let mut world = mechanism(kind);
        for _ in 0..30 {
            world.step(0.01);
        }
        let v = velocities(&world);
        let rates = times(&world.coordinate_jacobian(), &v);
        for ((joint, c), rate) in world.coordinates().zip(rates) {
            let known = world.coordinate_rate(joint, c).unwrap();
            assert!(
                (rate - known).abs() < 1e-12 * (1.0 + known.abs()),
                "{kind:?}: {rate} and {known}"
            );
        }
        let body = world.bodies().last().unwrap();
        let local = Vec3::new(0.3, -0.2, 0.5);
        let said = times(&world.point_jacobian(body, local).unwrap(), &v);
        let arm = world.point(body, local).unwrap() - world.center_of_mass(body).unwrap();
        let w = world.angular_velocity(body).unwrap();
        let known = world.velocity(body).unwrap() + w.cross(arm);
        for k in 0..3 {
            assert!((said[k] - known[k]).abs() < 1e-12 && said[3 + k] == w[k]);
        }
    }
}

#[test]
fn the_mass_matrix_gives_the_kinetic_energy_rotors_included() {
    let mut world = mechanism(JointKind::Hinge);
    let joint = world.joints().next().unwrap();
    let mut desc = world.joint(joint).unwrap().clone();
    desc.passive.push(Passive { armature: 0.3, gear: 2.0, ..Passive::new(Coordinate::Angle) });
    world.replace_joint(joint, desc).unwrap();
    for _ in 0..50 {
        world.step(0.01);
    }
    let v = velocities(&world);
    let momentum = times(&world.mass_matrix(), &v);
    let energy: f64 = 0.5 * momentum.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>();
    let known = world.energy().kinetic;
    assert!((energy - known).abs() < 1e-12 * known, "{energy} J and {known} J");
    assert!(known > 0.1);
}

#[test]
fn what_no_force_moves_has_no_columns() {
    let mut world = World::new();
    let post = world.add_body(Body::fixed().at(Vec3::X)).unwrap();
    let arm = world.add_body(Body::cuboid(1.0, Vec3::splat(0.1)).at(Vec3::X * 1.5)).unwrap();
    world.add_joint(Joint::hinge(post, arm).at(Vec3::X).axis(Vec3::Y)).unwrap();
    let width = 12;
    let (mass, rows) = (world.mass_matrix(), world.condition_jacobian());
    assert_eq!((mass.width, rows.width), (width, width));
    assert!((0..6).all(|i| mass.row(i).iter().all(|x| *x == 0.0)));
    assert!((0..rows.names.len()).all(|i| rows.row(i)[..6].iter().all(|x| *x == 0.0)));
    assert!(world.point_jacobian(post, Vec3::ZERO).unwrap().values.iter().all(|x| *x == 0.0));
    // a hinge about y: its rate is the arm's angular velocity about y
    assert_eq!(world.coordinate_jacobian().row(0)[6..], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
}
