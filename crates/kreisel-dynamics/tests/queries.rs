//! Questions to a world: what rays and shapes meet, what overlaps, how far it is, and what collides
//! next (Lennerz 2000, section 2.6.1, L-11 and L-12).

use kreisel_dynamics::{
    Body, BodyId, Collider, Joint, Material, Quat, Shape, SurfaceId, Vec3, World,
};
use kreisel_geometry::Pose;

const G: f64 = 9.81;

fn ground() -> World {
    let mut world = World::new();
    let floor = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(floor), Material::default()).unwrap();
    world
}

#[test]
fn rays_see_bodies_colliders_and_the_ground_but_no_sensors() {
    let mut world = ground();
    let ball = world.add_body(Body::sphere(1.0, 0.5).at(Vec3::Z * 2.0)).unwrap();
    let hat = Collider::new(ball, Shape::Box { size: Vec3::new(1.0, 1.0, 0.1) }).at(Vec3::Z);
    let hat = world.add_collider(hat).unwrap();
    let halo = Collider::new(ball, Shape::Sphere { radius: 1.5 }).sensor();
    world.add_collider(halo).unwrap();

    let mut query = world.query();
    let (surface, hit) = query.cast_ray(Vec3::Z * 9.0, -Vec3::Z, 20.0).unwrap();
    assert_eq!(surface, SurfaceId { body: ball, collider: Some(hat) });
    assert!((hit.distance - 5.95).abs() < 1e-12);
    let all: Vec<_> = query.cast_ray_all(Vec3::Z * 9.0, -Vec3::Z, 20.0);
    let all: Vec<_> = all.into_iter().map(|(s, h)| (s.body, h.point.z)).collect();
    assert_eq!(all.len(), 3);
    assert!(all[1].0 == ball && (all[1].1 - 2.5).abs() < 1e-12);
    assert!(all[2].0 == BodyId::WORLD && all[2].1.abs() < 1e-12);

    let mut rest = query.without(ball);
    let (surface, hit) = rest.cast_ray(Vec3::Z * 9.0, -Vec3::Z, 20.0).unwrap();
    assert_eq!((surface.body, hit.distance), (BodyId::WORLD, 9.0));
}

#[test]
fn shapes_are_stopped_where_they_touch() {
    let mut world = ground();
    let post = Body::fixed().shape(Shape::Box { size: Vec3::new(0.2, 0.2, 2.0) });
    let post = world.add_body(post.at(Vec3::X * 3.0)).unwrap();
    let query = world.query();
    let ball = Shape::Sphere { radius: 0.4 };
    let hit = query.cast_shape(&ball, &Pose::at(Vec3::Z), Vec3::X * 10.0, 1e-9).unwrap().unwrap();
    // 3 − 0.1 − 0.4 m of 10 m
    assert!((hit.share - 0.25).abs() < 1e-9 && hit.surface.body == post, "{hit:?}");
    assert!((hit.normal + Vec3::X).length() < 1e-9);
    assert_eq!(query.cast_shape(&ball, &Pose::at(Vec3::Z), Vec3::Y, 1e-9).unwrap(), None);
    assert!(
        query.cast_shape(&Shape::Sphere { radius: -1.0 }, &Pose::IDENTITY, Vec3::X, 1e-9).is_err()
    );
}

#[test]
fn overlaps_and_closest_points_are_those_of_the_nearest_surfaces() {
    let mut world = World::new();
    let a = world.add_body(Body::sphere(1.0, 0.5)).unwrap();
    let b = world.add_body(Body::sphere(1.0, 0.5).at(Vec3::X * 4.0)).unwrap();
    let arm = Collider::new(b, Shape::Sphere { radius: 0.25 }).at(Vec3::X * -2.0);
    let arm = world.add_collider(arm).unwrap();
    let mut query = world.query();
    let closest = query.closest_points(a, b).unwrap();
    // 2 − 0.5 − 0.25 m
    assert!((closest.distance - 1.25).abs() < 1e-12);
    assert_eq!(closest.surfaces[1], SurfaceId { body: b, collider: Some(arm) });
    assert!((closest.points[0] - Vec3::X * 0.5).length() < 1e-12);
    let probe = Shape::Sphere { radius: 0.3 };
    let found = query.overlapping(&probe, &Pose::at(Vec3::X * 1.5)).unwrap();
    assert_eq!(found, [SurfaceId { body: b, collider: Some(arm) }]);
    assert_eq!(query.containing(Vec3::X * 4.1).len(), 1);
    let (surface, distance, _) = query.closest_to(Vec3::X * -2.0, 10.0).unwrap();
    assert!(surface.body == a && (distance - 1.5).abs() < 1e-12);
}

#[test]
fn the_next_collision_has_its_time_and_all_its_pairs() {
    let mut world = ground();
    let ball = |x: f64, z: f64| Body::sphere(1.0, 0.1).at(Vec3::new(x, 0.0, z));
    let first = world.add_body(ball(0.0, 1.1)).unwrap();
    let second = world.add_body(ball(3.0, 1.1)).unwrap();
    world.add_body(ball(6.0, 2.1)).unwrap();
    let tolerance = 1e-9;
    let next = world.next_collision(1.0, tolerance).unwrap().unwrap();

    // a fall through 1 m: never late, and early by what the tolerance is at that speed
    let fall = (2.0 / G).sqrt();
    assert!(next.time <= fall && fall - next.time < 1e-8, "{} {fall}", next.time);
    let bodies: Vec<_> = next.pairs.iter().map(|p| p.closest.surfaces.map(|s| s.body)).collect();
    assert_eq!(bodies, [[BodyId::WORLD, first], [BodyId::WORLD, second]]);
    for pair in &next.pairs {
        assert!((pair.approach - (2.0 * G).sqrt()).abs() < 1e-6, "{pair:?}");
        assert!(pair.closest.distance <= tolerance * 1.001);
    }
    assert_eq!(world.next_collision(0.4, tolerance).unwrap(), None);
    assert!(world.next_collision(-1.0, tolerance).is_err());
}

#[test]
fn a_turning_rod_meets_what_its_tip_reaches() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let rod = Body::cuboid(1.0, Vec3::new(2.0, 0.02, 0.02)).spinning(Vec3::Z);
    let rod = world.add_body(rod).unwrap();
    // a thin wall at 45°: the rod's side meets its end at the middle of the half height
    let wall = Body::fixed().shape(Shape::Sphere { radius: 0.01 });
    let angle = std::f64::consts::FRAC_PI_4;
    let at = Vec3::new(angle.cos(), angle.sin(), 0.0) * 0.9;
    let wall = world.add_body(wall.at(at).rotated(Quat::IDENTITY)).unwrap();
    let next = world.next_collision(2.0, 1e-9).unwrap().unwrap();

    // where the distance of the sphere's centre from the rod's axis is 0.02 m
    let expected = angle - (0.02_f64 / 0.9).asin();
    assert!(next.time <= expected && expected - next.time < 1e-7, "{} {expected}", next.time);
    assert_eq!(next.pairs[0].closest.surfaces.map(|s| s.body), [rod, wall]);
}

#[test]
fn what_touches_already_and_what_joints_link_is_no_news() {
    let mut world = ground();
    world.add_body(Body::sphere(1.0, 0.1).at(Vec3::Z * 0.1)).unwrap();
    let a = world.add_body(Body::sphere(1.0, 0.1).at(Vec3::new(5.0, 0.0, 50.0))).unwrap();
    let b = Body::sphere(1.0, 0.1).at(Vec3::new(6.0, 0.0, 50.0)).moving(Vec3::X * -9.0);
    let b = world.add_body(b).unwrap();
    let joint = world.add_joint(Joint::hinge(a, b).at(Vec3::new(5.5, 0.0, 50.0))).unwrap();
    assert_eq!(world.next_collision(0.5, 1e-6).unwrap(), None);
    world.remove_joint(joint).unwrap();
    let next = world.next_collision(0.5, 1e-6).unwrap().unwrap();
    // 1 − 0.2 m at 9 m/s
    assert!((next.time - 0.8 / 9.0).abs() < 1e-6);
}
