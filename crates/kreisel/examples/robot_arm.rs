//! A robot arm: two links with servos follow a path of their tip, by inverse kinematics in closed
//! form.

use kreisel::prelude::*;

/// Lengths of the links, m.
const LENGTHS: [f64; 2] = [0.5, 0.4];

/// Angles of shoulder and elbow that bring the tip to a point of the plane y = 0.
fn angles(x: f64, z: f64) -> [f64; 2] {
    let [a, b] = LENGTHS;
    let cos = ((x * x + z * z - a * a - b * b) / (2.0 * a * b)).clamp(-1.0, 1.0);
    let elbow = cos.acos();
    let shoulder = (-z).atan2(x) - (b * elbow.sin()).atan2(a + b * elbow.cos());
    [shoulder, elbow]
}

fn main() -> Result<(), ModelError> {
    let mut world = World::new();
    let [a, b] = LENGTHS;
    let link = |length: f64| Body::cuboid(2.0 * length, Vec3::new(length, 0.05, 0.05));
    let upper = world.add_body(link(a).named("upper").at(Vec3::X * (0.5 * a)))?;
    let lower = world.add_body(link(b).named("lower").at(Vec3::X * (a + 0.5 * b)))?;

    // hinges about y, each with a servo that holds a set value with a bounded torque
    let shoulder =
        world.add_joint(Joint::hinge(BodyId::WORLD, upper).named("shoulder").axis(Vec3::Y))?;
    let elbow =
        world.add_joint(Joint::hinge(upper, lower).named("elbow").at(Vec3::X * a).axis(Vec3::Y))?;
    let mut servos = Vec::new();
    for joint in [shoulder, elbow] {
        let servo = Motor::servo(joint, Coordinate::Angle, Pid::pd(800.0, 0.05)).max_effort(60.0);
        servos.push(world.add_motor(servo)?);
    }

    // the tip goes along a line
    let (from, to) = (Vec3::new(0.7, 0.0, 0.3), Vec3::new(0.7, 0.0, -0.3));
    for k in 0..400 {
        let share = f64::from(k).min(300.0) / 300.0;
        let goal = from.lerp(to, share);
        for (servo, angle) in servos.iter().zip(angles(goal.x, goal.z)) {
            world.set_motor_value(*servo, angle)?;
        }
        world.step(0.01);
        if k % 50 == 49 {
            let tip = world.point(lower, Vec3::X * (0.5 * b)).unwrap_or_default();
            let torque = servos.iter().map(|s| world.motor_effort(*s).unwrap_or_default());
            let torque: Vec<String> = torque.map(|t| format!("{t:.1}")).collect();
            println!(
                "{:.1} s: tip at ({:.3}, {:.3}), {:.1} mm off, torques {} N m",
                world.time(),
                tip.x,
                tip.z,
                1000.0 * tip.distance(goal),
                torque.join(", ")
            );
        }
    }
    Ok(())
}
