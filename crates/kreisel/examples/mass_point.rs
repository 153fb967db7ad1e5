//! The whole pendulum of Schmitt and Thüring (5.1): one point, one distance, and its period.
use kreisel::prelude::*;
fn main() -> Result<(), ModelError> {
    let mut world = World::new();
    let at = Vec3::new(5.0_f64.to_radians().sin(), 0.0, -5.0_f64.to_radians().cos());
    let bob = world.add_body(Body::point(1.0).at(at))?;
    world.add_joint(Joint::distance(BodyId::WORLD, bob, Vec3::ZERO, at))?;
    let (mut rises, mut last) = (Vec::new(), at.x);
    while rises.len() < 11 {
        world.step(0.02);
        let x = world.position(bob).unwrap_or_default().x;
        if last < 0.0 && x >= 0.0 {
            rises.push(world.time() - 0.02 * x / (x - last));
        }
        last = x;
    }
    println!("period {:.4} s; the exact one is 2.0070 s", (rises[10] - rises[0]) / 10.0);
    Ok(())
}
