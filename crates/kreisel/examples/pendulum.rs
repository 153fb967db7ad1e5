//! A pendulum in code: how exact its joint stays and how well its energy is kept.

use kreisel::prelude::*;

fn main() -> Result<(), ModelError> {
    let mut world = World::new();
    let rod = Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).named("arm").at(Vec3::new(0.5, 0.0, 0.0));
    let arm = world.add_body(rod)?;
    let pivot = world.add_joint(Joint::hinge(BodyId::WORLD, arm).named("pivot").axis(Vec3::Y))?;
    let start = world.energy().total();
    let mut worst: f64 = 0.0;
    for _ in 0..1000 {
        let report = world.step(0.01);
        worst = worst.max(report.worst.map_or(0.0, |w| w.position));
    }
    let angle = world.coordinate(pivot, Coordinate::Angle).unwrap_or_default();
    println!("after {:.2} s the arm stands at {:.3} degrees", world.time(), angle.to_degrees());
    println!(
        "largest joint error {worst:.1e} m, energy change {:.1e} J",
        world.energy().total() - start
    );
    Ok(())
}
