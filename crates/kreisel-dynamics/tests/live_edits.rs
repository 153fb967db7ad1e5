//! Edits of a running world: names, properties, masses. Nothing that is fixed to a body moves.

use kreisel_dynamics::{
    Body, BodyId, BodyKind, Coordinate, Joint, Limit, MassProperties, ModelError, Quat, Spring,
    Vec3, World,
};

fn pendulum() -> (World, BodyId, kreisel_dynamics::JointId) {
    let mut world = World::new();
    let turn = Quat::from_rotation_y(0.4);
    let arm = Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.2))
        .ghost()
        .named("arm")
        .at(turn * Vec3::new(0.5, 0.0, 0.0))
        .rotated(turn);
    let arm = world.add_body(arm).unwrap();
    let joint =
        world.add_joint(Joint::hinge(BodyId::WORLD, arm).named("pivot").axis(Vec3::Y)).unwrap();
    for _ in 0..30 {
        world.step(0.01);
    }
    (world, arm, joint)
}

#[test]
fn joint_frames_follow_their_bodies() {
    let (world, _, joint) = pendulum();
    let [a, b] = world.joint_frames(joint).unwrap();
    // A hinge holds its anchors together and its axes parallel, within the default tolerance of
    // 1e-6.
    assert!(a.point.distance(b.point) <= 1e-6 && a.axes.x_axis.distance(b.axes.x_axis) <= 1e-6);
    assert_eq!(a.axes.x_axis, Vec3::Y);
}

#[test]
fn a_body_with_another_mass_keeps_its_frame_and_its_joints() {
    let (mut world, arm, joint) = pendulum();
    let spring = Spring::new(
        BodyId::WORLD,
        arm,
        Vec3::Z,
        world.point(arm, Vec3::new(0.5, 0.0, 0.0)).unwrap(),
        2.0,
    );
    let spring = world.add_spring(spring).unwrap();
    let before = (world.position(arm).unwrap(), world.rotation(arm).unwrap());
    let (frames, anchors) =
        (world.joint_frames(joint).unwrap(), world.spring_anchors(spring).unwrap());
    // Another centre of mass and other principal axes.
    let mut mass = MassProperties::cuboid(3.0, Vec3::new(0.2, 0.6, 0.1));
    mass.center = Vec3::new(0.1, -0.05, 0.02);
    world.set_body(arm, mass, BodyKind::Dynamic).unwrap();
    assert!(before.0.distance(world.position(arm).unwrap()) < 1e-14);
    assert!(before.1.dot(world.rotation(arm).unwrap()).abs() > 1.0 - 1e-14);
    for (old, new) in frames.iter().zip(world.joint_frames(joint).unwrap()) {
        assert!(
            old.point.distance(new.point) < 1e-14
                && old.axes.x_axis.distance(new.axes.x_axis) < 1e-14
        );
    }
    for (old, new) in anchors.iter().zip(world.spring_anchors(spring).unwrap()) {
        assert!(old.distance(new) < 1e-14);
    }
    for _ in 0..50 {
        let report = world.step(0.01);
        assert!(report.worst.is_none_or(|w| w.position <= 1e-6 && w.angle <= 1e-6));
    }
}

#[test]
fn a_changed_limit_counts_from_the_same_zero() {
    let (mut world, _, joint) = pendulum();
    let angle = world.coordinate(joint, Coordinate::Angle).unwrap();
    let mut desc = world.joint(joint).unwrap().clone();
    desc.limits = vec![Limit::new(Coordinate::Angle, -1.0, angle + 0.01)];
    world.set_joint(joint, desc).unwrap();
    assert_eq!(world.coordinate(joint, Coordinate::Angle), Some(angle));
    for _ in 0..100 {
        world.step(0.01);
        let now = world.coordinate(joint, Coordinate::Angle).unwrap();
        // A limit holds like a joint: to the tolerance of 1e-6.
        assert!(now <= angle + 0.01 + 1e-6, "{now}");
    }
}

#[test]
fn names_change_everywhere_and_stay_unique() {
    let (mut world, arm, joint) = pendulum();
    world.rename("arm", "rod").unwrap();
    assert_eq!((world.body_named("rod"), world.body_named("arm")), (Some(arm), None));
    assert_eq!(world.body(arm).unwrap().name, "rod");
    assert_eq!(world.rename("pivot", "rod"), Err(ModelError::DuplicateName("rod".into())));
    assert_eq!(world.rename("world", "earth"), Err(ModelError::TheWorld("renamed")));
    world.rename("pivot", "nail").unwrap();
    assert_eq!(&*world.step(0.01).worst.unwrap().name, "nail");
    assert_eq!(world.joint_named("nail"), Some(joint));
}

#[test]
fn refused_edits_change_nothing() {
    let (mut world, arm, joint) = pendulum();
    let hash = world.state_hash();
    let good = world.body(arm).unwrap().mass;
    let bad = MassProperties { mass: -1.0, ..good };
    assert!(matches!(world.set_body(arm, bad, BodyKind::Dynamic), Err(ModelError::Mass { .. })));
    assert!(matches!(
        world.set_body(arm, good, BodyKind::Static),
        Err(ModelError::NothingMoves { .. })
    ));
    let mut desc = world.joint(joint).unwrap().clone();
    desc.limits = vec![Limit::new(Coordinate::Position, 0.0, 1.0)];
    assert!(matches!(world.set_joint(joint, desc), Err(ModelError::NoCoordinate { .. })));
    assert_eq!(world.state_hash(), hash);
    assert_eq!(world.body(arm).unwrap().mass, good);
}
