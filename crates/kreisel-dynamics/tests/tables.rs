//! Typed tables: the same verbs for all kinds, edits in place that happen whole or not at all, and
//! items of any kind by id and name.

use kreisel_dynamics::{
    Body, BodyId, BodyKind, Connector, Constraint, ConstraintKind, Coordinate, Field, FieldKind,
    ItemId, Joint, Limit, Material, Motor, Shape, Spring, Vec3, World,
};

fn pendulum() -> (World, BodyId) {
    let mut world = World::new();
    let arm = Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).named("arm").at(Vec3::X * 0.5);
    let arm = world.bodies_mut().add(arm).unwrap();
    (world, arm)
}

#[test]
fn every_kind_is_found_by_id_and_name_and_removed() {
    let (mut world, arm) = pendulum();
    let pivot = Joint::hinge(BodyId::WORLD, arm).named("pivot").axis(Vec3::Y);
    let pivot = world.joints_mut().add(pivot).unwrap();
    let spring = Spring::new(BodyId::WORLD, arm, Vec3::Z, Vec3::X, 10.0).named("spring");
    let spring = world.springs_mut().add(spring).unwrap();
    let motor = Motor::effort(pivot, Coordinate::Angle, 1.0).named("motor");
    let motor = world.motors_mut().add(motor).unwrap();
    let wind = Field { name: "wind".into(), active: true, kind: FieldKind::Gravity(Vec3::X) };
    let wind = world.fields_mut().add(wind).unwrap();

    assert_eq!(world.joints().named("pivot"), Some(pivot));
    assert_eq!(world.joints().named("arm"), None);
    assert_eq!(world.joints().collect::<Vec<_>>(), [pivot]);
    assert_eq!(
        world.bodies().iter().map(|(id, b)| (id, b.name.clone())).next(),
        Some((arm, "arm".into()))
    );
    assert!(world.motors().contains(motor) && world.fields().contains(wind));
    assert_eq!(world.springs().name(spring).as_deref(), Some("spring"));
    assert_eq!(world.item_named("motor"), Some(ItemId::Motor(motor)));
    assert_eq!(world.item_name(ItemId::Field(wind)).as_deref(), Some("wind"));
    assert_eq!(world.bodies().count(), 1, "the world itself is no item of the table");

    // a field that is edited keeps its name
    world.fields_mut().edit(wind, |f| f.name = String::new()).unwrap();
    assert_eq!(world.fields().get(wind).unwrap().name, "wind");

    // what hangs on a joint goes with it, and old ids find nothing
    world.joints_mut().remove(pivot).unwrap();
    assert!(!world.motors().contains(motor));
    assert!(world.joints_mut().edit(pivot, |j| j.active = false).is_err());
}

#[test]
fn an_edit_starts_from_what_the_item_is_now() {
    let (mut world, arm) = pendulum();
    let pivot = Joint::hinge(BodyId::WORLD, arm).named("pivot").axis(Vec3::Y);
    let pivot = world.joints_mut().add(pivot).unwrap();
    for _ in 0..20 {
        world.step(0.01);
    }
    let (before, angle) = (world.state_hash(), world.coordinate(pivot, Coordinate::Angle));

    // nothing that moves is touched by a change of something else
    world.bodies_mut().edit(arm, |b| b.material = Material::rough(0.9)).unwrap();
    world
        .joints_mut()
        .edit(pivot, |j| j.limits.push(Limit::new(Coordinate::Angle, -2.0, 2.0)))
        .unwrap();
    assert_eq!(world.state_hash(), before);
    assert_eq!(world.coordinate(pivot, Coordinate::Angle), angle);
    assert_eq!(world.body(arm).unwrap().material.friction, 0.9);

    // a pose that is edited moves the body from where it is
    let at = world.position(arm).unwrap();
    world.bodies_mut().edit(arm, |b| b.position += Vec3::Z * 0.0).unwrap();
    assert_eq!(world.position(arm), Some(at));
    assert_eq!(world.bodies().now(arm).unwrap().position, at);
}

#[test]
fn an_edit_of_several_fields_happens_whole_or_not_at_all() {
    let (mut world, arm) = pendulum();
    let before = (world.state_hash(), world.body(arm).cloned());
    let refused = world.bodies_mut().edit(arm, |b| {
        b.shape = Some(Shape::Sphere { radius: 0.3 });
        b.velocity = Vec3::X;
        b.position.x = f64::NAN;
    });
    assert!(refused.is_err());
    assert_eq!((world.state_hash(), world.body(arm).cloned()), before);

    // a floor becomes a ball in one edit: neither is possible with the half of the other
    let floor = Body::fixed().shape(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 });
    let floor = world.bodies_mut().add(floor.at(-Vec3::Z)).unwrap();
    assert!(world.bodies_mut().edit(floor, |b| b.kind = BodyKind::Dynamic).is_err());
    world
        .bodies_mut()
        .edit(floor, |b| {
            let ball = Body::sphere(1.0, 0.2);
            (b.kind, b.shape, b.mass) = (ball.kind, ball.shape, ball.mass);
        })
        .unwrap();
    assert_eq!(world.body(floor).unwrap().kind, BodyKind::Dynamic);
}

#[test]
fn the_worst_item_of_a_report_is_named_by_an_id_of_its_kind() {
    let (mut world, arm) = pendulum();
    let at = |point| Connector::Body { body: arm, point, lock: kreisel_dynamics::Lock::None };
    let fixed = Connector::Fixed { position: Vec3::ZERO, velocity: Vec3::ZERO };
    let held = Constraint::new(ConstraintKind::PointToPoint, vec![at(Vec3::X * -0.5), fixed]);
    let held = world.constraints_mut().add(Constraint { name: "held".into(), ..held }).unwrap();
    let report = world.step(0.01);
    let worst = report.worst.expect("something is held");
    assert_eq!(worst.item, ItemId::Constraint(held));
    assert_eq!(world.item_name(worst.item), Some(worst.name));
}
