//! A first program with contact: what the prelude has is enough, and bodies made by their short
//! names touch the ground.

use kreisel::prelude::*;

/// A cube of 0.2 m and a ball of radius 0.1 m fall on the ground and rest on it: their centres stay
/// 0.1 m above.
#[test]
fn a_cube_and_a_ball_come_to_rest_on_the_ground() -> Result<(), ModelError> {
    let mut world = World::new();
    world
        .set_ground(Some(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 }), Material::default())?;
    let cube = world.add_body(Body::cuboid(1.0, Vec3::splat(0.2)).at(Vec3::new(0.0, 0.0, 0.5)))?;
    let ball = world.add_body(Body::sphere(1.0, 0.1).at(Vec3::new(1.0, 0.0, 0.5)))?;
    let ghost = world.add_body(Body::sphere(1.0, 0.1).ghost().at(Vec3::new(2.0, 0.0, 0.5)))?;
    for _ in 0..300 {
        assert_eq!(world.step(0.01).status, Status::Converged);
    }
    for body in [cube, ball] {
        let z = world.position(body).unwrap_or_default().z;
        assert!((z - 0.1).abs() < 1e-3, "{z}");
    }
    // what has no shape falls for 3 s: 9.81 / 2 * 9 m
    let z = world.position(ghost).unwrap_or_default().z;
    assert!((z - (0.5 - 44.145)).abs() < 1e-6, "{z}");
    Ok(())
}
