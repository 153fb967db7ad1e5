//! What constraints between connectors take of a body's freedom (Wagner, section 6.2): the numbers
//! of each kind by hand.

use kreisel_dynamics::{
    Body, BodyId, Connector, Constraint, ConstraintKind, Joint, Method, Settings, Vec3, World,
};

/// Freedom left to a body that is linked to the world by one constraint of the kind.
fn freedom(kind: ConstraintKind, points: &[Vec3], method: Method) -> (usize, usize, usize) {
    let mut world = World::new();
    world.set_settings(Settings { method, ..Settings::default() }).unwrap();
    let body = world.add_body(Body::cuboid(1.0, Vec3::new(0.3, 0.2, 0.1))).unwrap();
    let on = points.iter().map(|p| Connector::Body {
        body,
        point: *p,
        lock: kreisel_dynamics::Lock::None,
    });
    let fixed = points.iter().map(|p| Connector::Fixed { position: *p, velocity: Vec3::ZERO });
    world.add_constraint(Constraint::new(kind, on.chain(fixed).collect())).unwrap();
    let a = world.analyse();
    (a.constraints, a.constraint_rows, a.freedom)
}

#[test]
fn every_kind_takes_what_its_definition_says() {
    let point = [Vec3::ZERO];
    let axis = [Vec3::ZERO, Vec3::X];
    for method in [Method::Direct, Method::Lagrange] {
        // a point held: three translations; an axis held: all but the turn about it
        assert_eq!(freedom(ConstraintKind::PointToPoint, &point, method), (1, 3, 3), "{method:?}");
        assert_eq!(freedom(ConstraintKind::Hinge, &axis, method).2, 1, "{method:?}");
        // along and about the axis; any shift and the turn about a direction
        assert_eq!(freedom(ConstraintKind::Slide, &axis, method).2, 2, "{method:?}");
        assert_eq!(freedom(ConstraintKind::Orientation, &axis, method).2, 4, "{method:?}");
    }
}

#[test]
fn a_constraint_that_a_joint_implies_takes_nothing_more() {
    let mut world = World::new();
    let body = world.add_body(Body::cuboid(1.0, Vec3::new(0.3, 0.2, 0.1))).unwrap();
    world.add_joint(Joint::ball(BodyId::WORLD, body)).unwrap();
    let on = Connector::Body { body, point: Vec3::ZERO, lock: kreisel_dynamics::Lock::None };
    let fixed = Connector::Fixed { position: Vec3::ZERO, velocity: Vec3::ZERO };
    world.add_constraint(Constraint::new(ConstraintKind::PointToPoint, vec![on, fixed])).unwrap();
    let a = world.analyse();
    assert_eq!(
        (a.joints, a.rows, a.constraints, a.constraint_rows, a.rank, a.freedom),
        (1, 3, 1, 3, 3, 3)
    );
}
