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
