//! Equilibria against closed forms.

use kreisel_analysis::{Search, equilibrium};
use kreisel_dynamics::{
    Body, BodyId, ContactSettings, Coordinate, Joint, Limit, MassProperties, Mat3, Settings, Shape,
    Vec3, World,
};

/// A double pendulum hangs straight down from wherever it starts, and never stands on its head.
#[test]
fn a_double_pendulum_hangs_down_even_from_its_head() {
    for tilt in [0.0, 0.1, 2.0] {
        let mut world = World::new();
        let along = |k: f64| Vec3::new(k * f64::sin(tilt), 0.0, k * f64::cos(tilt));
        let link = |at: Vec3| {
            Body::dynamic(MassProperties {
                mass: 1.0,
                center: Vec3::ZERO,
                inertia: Mat3::IDENTITY * 0.02,
            })
            .at(at)
        };
        let (a, b) =
            (world.add_body(link(along(0.5))).unwrap(), world.add_body(link(along(1.5))).unwrap());
        world.add_joint(Joint::hinge(BodyId::WORLD, a).at(Vec3::ZERO).axis(Vec3::Y)).unwrap();
        world.add_joint(Joint::hinge(a, b).at(along(1.0)).axis(Vec3::Y)).unwrap();
        let found = equilibrium(&mut world, &Search::default()).unwrap();
        let at = world.center_of_mass(b).unwrap();
        assert!(
            at.distance(Vec3::new(0.0, 0.0, -1.5)) < 1e-9,
            "{at} from a tilt of {tilt}: {found:?}"
        );
        assert_eq!(found.unstable, 0);
        // the upper hinge carries both weights
        let hinge =
            found.reactions.iter().find(|r| r.body == *world.body_name(a).unwrap()).unwrap();
        assert!((hinge.force[2] - 2.0 * 9.81).abs() < 1e-9 && hinge.determined, "{hinge:?}");

        // plain Newton's method stays on the head
        if tilt == 0.0 {
            let mut world = World::new();
            let a = world.add_body(link(along(0.5))).unwrap();
            world.add_joint(Joint::hinge(BodyId::WORLD, a).at(Vec3::ZERO).axis(Vec3::Y)).unwrap();
            let found =
                equilibrium(&mut world, &Search { any: true, ..Search::default() }).unwrap();
            assert_eq!(found.unstable, 1);
        }
    }
}

/// A lever against a limit, and a ball that comes to lie on the ground.
#[test]
fn limits_and_contacts_push_and_never_pull() {
    let mut world = World::new();
    let arm = Body::dynamic(MassProperties {
        mass: 2.0,
        center: Vec3::ZERO,
        inertia: Mat3::IDENTITY * 0.01,
    });
    let arm = world.add_body(arm.at(Vec3::X)).unwrap();
    let mut joint = Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Y);
    joint.limits.push(Limit::new(Coordinate::Angle, -0.3, 0.3));
    let hinge = world.add_joint(joint).unwrap();
    let found = equilibrium(&mut world, &Search::default()).unwrap();
    let angle = world.coordinate(hinge, Coordinate::Angle).unwrap();
    assert!((angle - 0.3).abs() < 1e-9, "{angle}: {found:?}");
    assert_eq!(found.pushing.len(), 1);

    // a ball above the ground comes to lie on it: its contact carries the weight
    let mut world = World::new();
    world
        .set_settings(Settings {
            contact: ContactSettings { on: true, ..ContactSettings::default() },
            ..Settings::default()
        })
        .unwrap();
    let ground = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world
        .set_ground(
            Some(ground),
            kreisel_dynamics::Material { friction: 0.0, ..Default::default() },
        )
        .unwrap();
    let ball = world.add_body(Body::sphere(3.0, 0.2).at(Vec3::new(0.0, 0.0, 0.25))).unwrap();
    let found = equilibrium(&mut world, &Search::default()).unwrap();
    let height = world.center_of_mass(ball).unwrap().z;
    assert!((height - 0.2).abs() < 1e-9, "{height}: {found:?}");
    let push = &found.reactions[0];
    assert!((push.force[2] - 3.0 * 9.81).abs() < 1e-9, "{push:?}");
    assert_eq!(found.neutral, 5, "it may roll, spin and slide");
}

/// What nothing holds is named.
#[test]
fn a_falling_body_is_named() {
    let mut world = World::new();
    world.add_body(Body::sphere(1.0, 0.1).named("stone")).unwrap();
    let told = equilibrium(&mut world, &Search::default()).unwrap_err().to_string();
    assert!(told.contains("stone") && told.contains("nothing holds it"), "{told}");
}

/// A helix of tetrahedra of 1002 rigid members, every node on three others: forces by the method of
/// joints, from the free end on, each from three equations of its own.
#[test]
fn a_truss_of_a_thousand_members_carries_what_the_method_of_joints_says() {
    let (nodes, members) = (334, 3 * 334);
    let turn = f64::acos(-2.0 / 3.0);
    let at = |k: usize| {
        let (s, c) = (turn * k as f64).sin_cos();
        let radius = 3.0 * f64::sqrt(3.0) / 10.0;
        Vec3::new(radius * c, radius * s, k as f64 / f64::sqrt(10.0))
    };
    // the first three nodes are the ground
    let mut world = World::new();
    let ids: Vec<BodyId> = (0..nodes)
        .map(|k| world.add_body(Body::point(1.0 + 0.5 * (k % 3) as f64).at(at(k + 3))).unwrap())
        .collect();
    let body = |k: usize| if k < 3 { BodyId::WORLD } else { ids[k - 3] };
    for k in 3..nodes + 3 {
        for back in 1..=3 {
            let rod = Joint::distance(body(k - back), body(k), at(k - back), at(k));
            world.add_joint(rod).unwrap();
        }
    }
    assert_eq!(world.joints().count(), members);
    let found = equilibrium(&mut world, &Search::default()).unwrap();
    assert_eq!((found.freedom, found.redundant), (0, 0));

    // from the end: what hangs on a node is carried by its three rods to the nodes before it
    let mut load: Vec<Vec3> =
        (0..nodes).map(|k| -9.81 * (1.0 + 0.5 * (k % 3) as f64) * Vec3::Z).collect();
    let mut pull = vec![[0.0; 3]; nodes];
    for k in (0..nodes).rev() {
        let way = [1, 2, 3].map(|back| at(k + 3 - back) - at(k + 3));
        let whole = Mat3::from_cols(way[0], way[1], way[2]).determinant();
        let f = -load[k];
        pull[k] = [
            Mat3::from_cols(f, way[1], way[2]).determinant() / whole,
            Mat3::from_cols(way[0], f, way[2]).determinant() / whole,
            Mat3::from_cols(way[0], way[1], f).determinant() / whole,
        ];
        for back in 1..=3 {
            if k >= back {
                load[k - back] -= pull[k][back - 1] * way[back - 1];
            }
        }
    }
    let most = pull.iter().flatten().fold(0.0_f64, |m, p| m.max(p.abs()));
    let names: Vec<String> =
        world.joints().map(|j| world.joint_name(j).unwrap().to_string()).collect();
    let mut worst = 0.0_f64;
    for (k, id) in ids.iter().enumerate() {
        let own = world.body_name(*id).unwrap().to_string();
        for back in 1..=3 {
            let rod = &names[3 * k + back - 1];
            let force = found.reactions.iter().find(|r| r.name == *rod && r.body == own).unwrap();
            let way = at(k + 3 - back) - at(k + 3);
            let off = Vec3::from_array(force.force) - pull[k][back - 1] * way;
            worst = worst.max(off.length());
        }
    }
    println!("truss: {:.1e} of the largest force, {most:.1} N", worst / most);
    assert!(worst < 1e-9 * most, "{worst:e} of {most:e}");
    assert!(
        ids.iter()
            .enumerate()
            .all(|(k, b)| { world.center_of_mass(*b).unwrap().distance(at(k + 3)) < 1e-9 })
    );
}
