//! The energy ledger (P6): what happens is booked, and what is left over shrinks with the square of
//! the step.

mod common;

use common::{DOWN_Y, DOWN_Z, box_chain, double_pendulum_3d, plain_world};
use kreisel_dynamics::{
    Body, BodyId, Control, Coordinate, Friction, Joint, Motor, Schedule, Spring, SpringMode, Vec3,
    World,
};

struct Sums {
    change: f64,
    residual: f64,
    /// Largest magnitude of the running sum of residuals.
    largest: f64,
}

/// Runs for `duration` with steps of `h`, checks every step's book-keeping, adds up.
fn book(world: &mut World, duration: f64, h: f64, mut before: impl FnMut(&mut World)) -> Sums {
    let mut sums = Sums { change: 0.0, residual: 0.0, largest: 0.0 };
    let mut energy = world.energy().total();
    for step in 0..(duration / h).round() as usize {
        before(world);
        let pushed = world.energy().total() - energy;
        let report = world.step(h);
        common::converged(&report, step);
        let l = report.ledger;
        let sum = l.change - l.motors - l.user - l.kinematic
            + l.damping
            + l.friction
            + l.impacts
            + l.correction;
        // impulses of the user are work that was done before the step
        assert!((sum - l.residual).abs() < 1e-12 * (1.0 + l.change.abs()), "step {step}: {l:?}");
        assert!(
            (l.energy.total() - world.energy().total()).abs() < 1e-10 * (1.0 + energy.abs()),
            "step {step}"
        );
        assert!(
            (energy + pushed + l.change - l.energy.total()).abs() < 1e-9 * (1.0 + energy.abs()),
            "step {step}"
        );
        energy = l.energy.total();
        sums.change += l.change;
        sums.residual += l.residual;
        sums.largest = sums.largest.max(sums.residual.abs());
    }
    sums
}

/// The running sum of residuals is below `bound` at `h` and falls at least by 3 (or `factor`) with
/// the step halved.
#[track_caller]
fn assert_honest(name: &str, duration: f64, h: f64, bound: f64, make: impl Fn() -> World) {
    assert_honest_by(3.0, name, duration, h, bound, make);
}

#[track_caller]
fn assert_honest_by(
    factor: f64,
    name: &str,
    duration: f64,
    h: f64,
    bound: f64,
    make: impl Fn() -> World,
) {
    let [coarse, fine] = [h, 0.5 * h].map(|h| book(&mut make(), duration, h, |_| {}).largest);
    assert!(coarse < bound, "{name}: residual {coarse} J at {h} s");
    assert!(fine < coarse / factor + 1e-9, "{name}: {coarse} J at {h} s, {fine} J at half of it");
}

#[test]
fn a_double_pendulum_has_a_small_residual() {
    assert_honest("double pendulum", 2.0, 0.005, 0.05, || double_pendulum_3d(1e-10).0);
}

#[test]
fn a_torque_motor_on_a_double_pendulum_is_booked_as_work() {
    let make = || {
        let mut world = plain_world(DOWN_Y, 1e-10);
        let (_, joints) = box_chain(&mut world, 2, 0.5, 0.1, Joint::hinge);
        let control = Control::Effort(Schedule::linear(vec![(0.0, 2.0), (2.0, -3.0)]));
        world.add_motor(Motor::new(joints[1], Coordinate::Angle, control)).unwrap();
        world
    };
    assert_honest("torque motor", 1.0, 0.002, 0.05, make);
}

#[test]
fn a_velocity_motor_is_booked_as_work() {
    let make = || {
        let mut world = plain_world(DOWN_Y, 1e-10);
        let (_, joints) = box_chain(&mut world, 2, 0.5, 0.1, Joint::hinge);
        let control = Control::Velocity(Schedule::linear(vec![(0.0, 0.0), (1.0, 3.0)]));
        world.add_motor(Motor::new(joints[0], Coordinate::Angle, control)).unwrap();
        world
    };
    // a changing set rate is held for a step at a time: first order
    assert_honest_by(1.9, "velocity motor", 1.0, 0.002, 0.01, make);
}

#[test]
fn joint_friction_is_booked_as_a_loss() {
    let make = || {
        let mut world = plain_world(DOWN_Y, 1e-10);
        box_chain(&mut world, 2, 0.5, 0.1, |a, b| {
            Joint::hinge(a, b).friction(Friction { coordinate: Coordinate::Angle, effort: 0.2 })
        });
        world
    };
    let sums = book(&mut make(), 2.0, 0.002, |_| {});
    assert!(sums.change < -0.2 && sums.largest < 0.02, "{} {}", sums.change, sums.largest);
}

#[test]
fn damped_springs_are_booked_as_losses() {
    for mode in [SpringMode::Continuous, SpringMode::Constant] {
        let make = || {
            let mut world = plain_world(DOWN_Z, 1e-10);
            let (bodies, _) = box_chain(&mut world, 2, 0.5, 0.1, Joint::ball);
            let spring =
                Spring::new(BodyId::WORLD, bodies[1], Vec3::new(0.5, 0.3, 0.2), Vec3::X, 100.0);
            world.add_spring(spring.damping(3.0).mode(mode)).unwrap();
            world
        };
        let [coarse, fine] = [0.002, 0.001].map(|h| book(&mut make(), 1.0, h, |_| {}).largest);
        // second order for continuous forces, first order for forces held over a step
        let factor = if mode == SpringMode::Continuous { 3.6 } else { 1.7 };
        assert!(fine < coarse / factor && coarse < 0.5, "{mode:?}: {coarse} {fine}");
    }
}

#[test]
fn the_work_of_the_user_is_booked() {
    let mut world = plain_world(DOWN_Z, 1e-10);
    let body = world.add_body(Body::cuboid(2.0, Vec3::new(0.3, 0.2, 0.1)).ghost()).unwrap();
    let mut count = 0;
    let sums = book(&mut world, 1.0, 0.002, |w| {
        let at = w.center_of_mass(body).unwrap();
        w.apply_force(body, Vec3::new(3.0, 1.0, 25.0), at).unwrap();
        w.apply_torque(body, Vec3::new(0.0, 0.01, 0.02)).unwrap();
        count += 1;
    });
    assert!(count == 500 && sums.change > 10.0, "{}", sums.change);
    assert!(sums.largest < 1e-4, "{}", sums.largest);
}

#[test]
fn an_impulse_of_the_user_is_booked_in_the_next_step() {
    let mut world = plain_world(Vec3::ZERO, 1e-10);
    let body = world.add_body(Body::sphere(2.0, 0.1).ghost()).unwrap();
    world.apply_impulse(body, Vec3::X * 4.0, Vec3::ZERO).unwrap();
    // p²/2m = 4 J
    let ledger = world.step(0.01).ledger;
    assert!((ledger.user - 4.0).abs() < 1e-12 && (ledger.change - 4.0).abs() < 1e-12, "{ledger:?}");
    assert!(ledger.residual.abs() < 1e-12, "{ledger:?}");
}

#[test]
fn a_lift_books_its_work_to_rounding() {
    let mut world = plain_world(DOWN_Z, 1e-10);
    let lift = Body::kinematic().moving(Vec3::new(0.3, 0.0, 2.0));
    let lift = world.add_body(lift).unwrap();
    let load = Body::cuboid(3.0, Vec3::splat(0.2))
        .ghost()
        .at(Vec3::new(0.0, 0.0, -0.5))
        .moving(Vec3::new(0.3, 0.0, 2.0));
    let load = world.add_body(load).unwrap();
    world.add_joint(Joint::ball(lift, load).at(Vec3::ZERO)).unwrap();
    let mut work = 0.0;
    for step in 0..100 {
        let l = world.step(0.01).ledger;
        work += l.kinematic;
        assert!(l.residual.abs() < 1e-11, "step {step}: {l:?}");
    }
    // m g v t
    assert!((work - 3.0 * 9.81 * 2.0).abs() < 1e-9, "{work}");
}

#[test]
fn a_kinematic_crank_books_its_work() {
    for energy in [false, true] {
        assert_honest("kinematic crank", 1.0, 0.004, 0.1, || {
            let mut world = plain_world(DOWN_Y, 1e-10);
            common::change(&mut world, |s| {
                s.stepping = if energy {
                    kreisel_dynamics::Stepping::Energy
                } else {
                    kreisel_dynamics::Stepping::Symmetric
                };
            });
            let crank = Body::kinematic().spinning(Vec3::Z * 3.0);
            let crank = world.add_body(crank).unwrap();
            // moves along with the crank's end: no impact at the start
            let rod = Body::cuboid(1.0, Vec3::new(0.5, 0.05, 0.05))
                .ghost()
                .at(Vec3::X * 0.45)
                .moving(Vec3::Y * 0.6);
            let rod = world.add_body(rod).unwrap();
            world.add_joint(Joint::ball(crank, rod).at(Vec3::X * 0.2)).unwrap();
            world
        });
    }
}
