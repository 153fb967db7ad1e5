//! A closed loop: a four-bar linkage of hinges, driven by a motor. Three of its twenty rows are
//! redundant, which is no trouble.

use kreisel::prelude::*;

fn main() -> Result<(), ModelError> {
    let mut world = World::new();
    let bar = |from: Vec3, to: Vec3| {
        let way = to - from;
        let turn = Quat::from_rotation_arc(Vec3::X, way.normalize());
        let size = Vec3::new(way.length(), 0.04, 0.04);
        Body::cuboid(way.length(), size).ghost().at(0.5 * (from + to)).rotated(turn)
    };

    // crank, coupler and rocker between two pivots on the ground
    let points =
        [Vec3::ZERO, Vec3::new(0.0, 0.0, 0.2), Vec3::new(0.8, 0.0, 0.6), Vec3::new(0.7, 0.0, 0.0)];
    let crank = world.add_body(bar(points[0], points[1]).named("crank"))?;
    let coupler = world.add_body(bar(points[1], points[2]).named("coupler"))?;
    let rocker = world.add_body(bar(points[2], points[3]).named("rocker"))?;
    let chain = [BodyId::WORLD, crank, coupler, rocker, BodyId::WORLD];
    let mut hinges = Vec::new();
    for (k, at) in points.into_iter().enumerate() {
        hinges.push(world.add_joint(Joint::hinge(chain[k], chain[k + 1]).at(at).axis(Vec3::Y))?);
    }
    world.add_motor(Motor::velocity(hinges[0], Coordinate::Angle, 6.0))?;

    // what the loop makes redundant, and how exactly it stays closed
    let analysis = world.analyse();
    println!(
        "{} degrees of freedom, {} redundant rows",
        analysis.freedom,
        analysis.redundant.len()
    );
    let (mut worst, mut swing) = (0.0_f64, [f64::INFINITY, f64::NEG_INFINITY]);
    for _ in 0..300 {
        let report = world.step(0.01);
        worst = worst.max(report.worst.map_or(0.0, |w| w.position));
        let angle = world.coordinate(hinges[3], Coordinate::Angle).unwrap_or_default();
        swing = [swing[0].min(angle), swing[1].max(angle)];
    }
    let [low, high] = swing.map(f64::to_degrees);
    println!("the rocker swings from {low:.1} to {high:.1} degrees");
    println!("the largest error of a joint was {worst:.1e} m");
    Ok(())
}
