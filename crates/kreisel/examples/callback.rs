//! Code between the steps: a controller balances a pole on a cart and puts it upright again when it
//! is pushed. There are no callbacks to register: whoever steps the world acts in between.

use kreisel::prelude::*;

fn main() -> Result<(), ModelError> {
    let mut world = World::new();
    let cart = world.add_body(Body::cuboid(1.0, Vec3::new(0.3, 0.2, 0.1)).named("cart"))?;
    let pole = Body::cuboid(0.2, Vec3::new(0.04, 0.04, 1.0)).named("pole").at(Vec3::Z * 0.5);
    let pole = world.add_body(pole)?;
    let rail = world.add_joint(Joint::slider(BodyId::WORLD, cart).named("rail").axis(Vec3::X))?;
    let pivot = world.add_joint(Joint::hinge(cart, pole).named("pivot").axis(Vec3::Y))?;
    let drive = world.add_motor(Motor::effort(rail, Coordinate::Position, 0.0))?;

    for k in 0..600 {
        // somebody pushes the pole
        if k == 200 {
            let top = world.point(pole, Vec3::Z * 0.5).unwrap_or_default();
            world.apply_impulse(pole, Vec3::X * 0.05, top)?;
        }

        // state feedback on the cart and the pole
        let read = |joint, c| {
            let (q, v) = (world.coordinate(joint, c), world.coordinate_rate(joint, c));
            (q.unwrap_or_default(), v.unwrap_or_default())
        };
        let ((x, v), (tilt, rate)) =
            (read(rail, Coordinate::Position), read(pivot, Coordinate::Angle));
        world.set_motor_value(drive, 1.0 * x + 2.0 * v + 30.0 * tilt + 6.0 * rate)?;
        let report = world.step(0.01);
        if !matches!(report.status, Status::Converged) {
            println!("{:.2} s: {:?}", report.time, report.status);
        }
        if k % 100 == 99 {
            println!(
                "{:.0} s: cart at {x:.3} m, pole {:.2} degrees",
                world.time(),
                tilt.to_degrees()
            );
        }
    }
    Ok(())
}
