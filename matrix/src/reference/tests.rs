//! The integrator against closed forms and independent values.

use super::*;

const G: f64 = 9.81;

/// A rod of 1 kg and 1 m with a square section of 0.1 m, hinged at one end and level at the start;
/// it falls to negative angles.
fn arm() -> System {
    let mass = Mass {
        mass: 1.0,
        center: [0.5, 0.0, 0.0],
        inertia: [0.02 / 12.0, 1.01 / 12.0, 1.01 / 12.0],
    };
    let link = Link {
        parent: None,
        motion: Motion::Turn,
        axis: [0.0, -1.0, 0.0],
        point: [0.0; 3],
        rate: 0.0,
        mass: Some(mass),
    };
    System { links: vec![link], gravity: [0.0, 0.0, -G], ..System::default() }
}

/// A mass of 1 kg that slides along x, without gravity.
fn cart(rate: f64) -> System {
    let mass = Mass { mass: 1.0, center: [0.0; 3], inertia: [1.0; 3] };
    let link = Link {
        parent: None,
        motion: Motion::Slide,
        axis: [1.0, 0.0, 0.0],
        point: [0.0; 3],
        rate,
        mass: Some(mass),
    };
    System { links: vec![link], ..System::default() }
}

fn row(law: Law) -> Row {
    Row { coordinate: Coordinate::Link(0), law }
}

#[test]
fn a_pendulum_keeps_its_energy() {
    let system = arm();
    let run = integrate(&system, &[0.5, 1.0, 3.0]).unwrap();
    let moment = 0.25 + 1.01 / 12.0;
    for (q, u) in run.at.iter().zip(&run.rates) {
        let energy = 0.5 * moment * u[0] * u[0] + G * 0.5 * q[0].sin();
        assert!(energy.abs() < 1e-9, "{energy}");
    }
}

#[test]
fn a_damped_oscillator_is_the_closed_form() {
    let mut system = cart(1.0);
    let (k, c): (f64, f64) = (40.0, 2.0);
    system.rows.push(row(Law::Force(Box::new(move |_, x, v| -k * x - c * v))));
    let run = integrate(&system, &[1.3]).unwrap();
    let w = (k - 0.25 * c * c).sqrt();
    let expected = (-0.5 * c * 1.3_f64).exp() * (w * 1.3).sin() / w;
    assert!((run.at[0][0] - expected).abs() < 1e-10, "{} for {expected}", run.at[0][0]);
}

#[test]
fn dry_friction_in_a_falling_arm_is_the_value_of_the_audit() {
    // an RK4 of its own gave -0.677105 rad at 0.4 s
    let mut system = arm();
    system.rows.push(row(Law::Bounded(Schedule::constant(0.0), 2.0)));
    let run = integrate(&system, &[0.4]).unwrap();
    assert!((run.at[0][0] + 0.677105).abs() < 1e-6, "{}", run.at[0][0]);
}

#[test]
fn a_bounded_motor_lifts_the_arm_to_the_value_of_the_audit() {
    // 5.5 N m against 4.905 N m of weight: 0.14324 rad at 0.4 s
    let mut system = arm();
    system.rows.push(row(Law::Bounded(Schedule::constant(2.0), 5.5)));
    let run = integrate(&system, &[0.4]).unwrap();
    assert!((run.at[0][0] - 0.14324).abs() < 1e-5, "{}", run.at[0][0]);
}

#[test]
fn a_sliding_mass_stops_where_its_energy_is_used_up() {
    // ½ v² = f x; it stands after v/f
    let mut system = cart(2.0);
    system.rows.push(row(Law::Bounded(Schedule::constant(0.0), 5.0)));
    let run = integrate(&system, &[1.0]).unwrap();
    assert!((run.at[0][0] - 0.4).abs() < 1e-9, "{}", run.at[0][0]);
    assert!(run.rates[0][0].abs() < 1e-7);
}

#[test]
fn friction_and_a_spring_reverse_as_the_closed_form() {
    // m = 1, k = 100, f = 2, released at 0.5 from the spring's rest: after each half swing 2 f/k =
    // 0.04 less
    let mut system = cart(0.0);
    system.rows.push(row(Law::Force(Box::new(|_, x, _| -100.0 * (x + 0.5)))));
    system.rows.push(row(Law::Bounded(Schedule::constant(0.0), 2.0)));
    let half = std::f64::consts::PI / 10.0;
    let run = integrate(&system, &[half, 2.0 * half, 3.0 * half]).unwrap();
    for (k, expected) in [-0.46, 0.42, -0.38].iter().enumerate() {
        assert!((run.at[k][0] + 0.5 - expected).abs() < 1e-8, "{}", run.at[k][0]);
    }
}

#[test]
fn a_ball_bounces_as_the_closed_form() {
    // falls from 1 m, keeps half of its speed: it hits after √(2/g), and again after as long
    let mut system = cart(0.0);
    system.links[0].axis = [0.0, 0.0, 1.0];
    system.gravity = [0.0, 0.0, -G];
    system.rows.push(Row { coordinate: Coordinate::Above(0, -1.0), law: Law::Stop(0.5) });
    let fall = (2.0 / G).sqrt();
    let v = 0.5 * G * fall;
    let run = integrate(&system, &[1.4 * fall]).unwrap();
    let t = 0.4 * fall;
    let expected = -1.0 + v * t - 0.5 * G * t * t;
    assert!((run.at[0][0] - expected).abs() < 1e-8, "{} for {expected}", run.at[0][0]);
}

#[test]
fn a_held_double_pendulum_is_one_arm() {
    // the second link held straight: a rod of 2 kg and 2 m
    let mut system = arm();
    let mut second = system.links[0];
    second.parent = Some(0);
    second.point = [1.0, 0.0, 0.0];
    second.mass = second.mass.map(|m| Mass { center: [1.5, 0.0, 0.0], ..m });
    system.links.push(second);
    system
        .rows
        .push(Row { coordinate: Coordinate::Link(1), law: Law::Hold(Schedule::constant(0.0)) });
    let run = integrate(&system, &[0.7]).unwrap();
    let moment = 0.25 + 2.25 + 2.0 * 1.01 / 12.0;
    let energy = 0.5 * moment * run.rates[0][0].powi(2) + 2.0 * G * run.at[0][0].sin();
    assert!(energy.abs() < 1e-8, "{energy}");
    assert!(run.at[0][1].abs() < 1e-12);
}

#[test]
fn a_rod_on_a_rail_keeps_its_energy_and_its_rail() {
    // crank and slider: the tip of the second link stays on the height of its start
    let mut system = arm();
    let start = [0.5, 0.0, 0.6];
    system.links[0].mass = system.links[0].mass.map(|m| Mass { center: [0.25, 0.0, 0.3], ..m });
    let mut second = system.links[0];
    second.parent = Some(0);
    second.point = start;
    second.mass = second.mass.map(|m| Mass { center: [0.8, 0.0, 0.3], ..m });
    system.links.push(second);
    let (world, tip) =
        (Anchor { link: None, point: [0.0; 3] }, Anchor { link: Some(1), point: [1.1, 0.0, 0.0] });
    let up = Coordinate::Along([0.0, 0.0, 1.0], world, tip, 0.0);
    system.rows.push(Row { coordinate: up, law: Law::Hold(Schedule::constant(0.0)) });
    let run = integrate(&system, &[0.8]).unwrap();
    let poses = system.poses(&run.at[0]);
    assert!(poses[1].point([1.1, 0.0, 0.0])[2].v.abs() < 1e-9);
    // kinetic energy ½ q'ᵀ M q' against the fall of the two centres
    let e = system.equations(Time { t: 0.8, within: 0.8 }, &run.at[0], &run.rates[0], &[]);
    let kinetic: f64 =
        (0..2).map(|k| 0.5 * run.rates[0][k] * system::dot_n(&e.mass[k], &run.rates[0])).sum();
    let height = poses[0].point([0.25, 0.0, 0.3])[2].v + poses[1].point([0.8, 0.0, 0.3])[2].v;
    assert!((kinetic + G * (height - 0.6)).abs() < 1e-8, "{kinetic}");
}
