//! Questions to a world: rays, shapes on a way, overlaps, closest points and the next collision.

use kreisel::prelude::*;

fn main() -> Result<(), ModelError> {
    let mut world = World::new();
    let floor = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(floor), Material::default())?;
    let post = world.add_body(
        Body::fixed().named("post").shape(Shape::Box { size: Vec3::new(0.2, 0.2, 2.0) }),
    )?;
    let sign = Shape::Box { size: Vec3::new(0.05, 0.8, 0.5) };
    world.add_collider(Collider::new(post, sign).named("sign").at(Vec3::Z * 1.2))?;
    let ball = Body::sphere(1.0, 0.1).named("ball").at(Vec3::new(-2.0, 0.0, 1.0));
    let ball = world.add_body(ball.moving(Vec3::new(3.0, 0.0, 3.5)))?;
    let name = |id| world.bodies().name(id).unwrap_or_default();

    // a ray from the ball ahead: the ball itself is left out
    let mut query = world.query().without(ball);
    let eye = world.position(ball).unwrap_or_default();
    if let Some((surface, hit)) = query.cast_ray(eye, Vec3::X, 10.0) {
        println!("ahead: {} in {:.2} m", name(surface.body), hit.distance);
    }

    // a box that is pushed the same way
    let crate_ = Shape::Box { size: Vec3::splat(0.6) };
    if let Some(hit) = query.cast_shape(&crate_, &Pose::at(eye), Vec3::X * 4.0, 1e-6)? {
        println!("the crate gets {:.3} m far, at {:?}", 4.0 * hit.share, hit.point.to_array());
    }

    // what is where, and how far apart
    let at = Pose::at(Vec3::new(0.0, 0.3, 1.2));
    for surface in query.overlapping(&Shape::Sphere { radius: 0.1 }, &at)? {
        let collider = surface.collider.and_then(|c| world.colliders().name(c));
        println!("there is {}, {collider:?}", name(surface.body));
    }
    if let Some(closest) = world.query().closest_points(ball, post) {
        println!("ball and post are {:.3} m apart", closest.distance);
    }

    // when free flight ends, and where
    if let Some(next) = world.next_collision(2.0, 1e-6)? {
        for pair in &next.pairs {
            let [a, b] = pair.closest.surfaces.map(|s| name(s.body));
            println!("in {:.4} s {a} meets {b} at {:.2} m/s", next.time, pair.approach);
        }
    }
    Ok(())
}
