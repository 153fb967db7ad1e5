//! Contact: a stack of crates is struck by a ball, and what happens is read from events.

use kreisel::prelude::*;

fn main() -> Result<(), ModelError> {
    let mut world = World::new();
    let floor = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(floor), Material::rough(0.6))?;

    // three crates, and a heavy ball that rolls towards them
    for k in 0..3 {
        let crate_ = Body::cuboid(2.0, Vec3::splat(0.4)).named(format!("crate {}", k + 1));
        world.add_body(crate_.at(Vec3::Z * (0.2 + 0.4 * f64::from(k))))?;
    }
    let ball = Body::sphere(5.0, 0.2).named("ball").material(Material::rough(0.6).bouncing(0.3));
    let ball = ball.at(Vec3::new(-3.0, 0.0, 0.2)).moving(Vec3::X * 4.0).spinning(Vec3::Y * 20.0);
    let ball = world.add_body(ball)?;

    for _ in 0..200 {
        let report = world.step(0.01);
        for event in &report.events {
            if let Event::ContactBegin { names, speed, impulse, .. } = event
                && *speed > 0.5
            {
                let [a, b] = names;
                println!("{:.2} s: {a} meets {b} at {speed:.2} m/s, {impulse:.2} N s", report.time);
            }
        }
    }

    // what rests on what now
    for contact in world.contacts().filter(|c| c.force.length() > 1.0) {
        let [a, b] = contact.bodies.map(|id| world.bodies().name(id).unwrap_or_default());
        println!("{a} and {b} press with {:.1} N", contact.force.length());
    }
    let speed = world.velocity(ball).unwrap_or_default().length();
    println!("the ball is left with {speed:.2} m/s");
    Ok(())
}
