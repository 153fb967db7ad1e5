//! Sensors against closed forms, and what their samples suffer on the way out.

use kreisel_dynamics::{
    Body, BodyId, BodyKind, Control, Coordinate, Joint, JointKind, Material, Method, Motor,
    MotorId, Pid, Quality, Quat, Schedule, Sensor, SensorId, SensorKind as K, Settings, Shape,
    Target, Vec3, World,
};

const G: f64 = 9.81;

fn value(world: &World, id: SensorId) -> Vec<f64> {
    world.sensor_value(id).unwrap().to_vec()
}

/// An arm of 2 kg and 1 m along x, held at the origin by a joint.
fn arm(kind: JointKind, method: Method) -> (World, BodyId, kreisel_dynamics::JointId) {
    let mut world = World::new();
    world.set_settings(Settings { method, ..Settings::default() }).unwrap();
    let body = Body::cuboid(2.0, Vec3::new(1.0, 0.1, 0.1)).ghost().at(Vec3::new(0.5, 0.0, 0.0));
    let arm = world.add_body(body).unwrap();
    let joint =
        world.add_joint(Joint::new(kind, BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Y)).unwrap();
    (world, arm, joint)
}

/// A physical pendulum from the horizontal: ω² = 2 m g l sin φ / I, α = m g l cos φ / I. At the
/// distance r from the pivot an accelerometer whose x axis points outwards reads
/// −ω² r − g sin φ along x and −α r + g cos φ along z.
#[test]
fn an_accelerometer_on_a_pendulum_reads_the_closed_form() {
    let h = 1e-3;
    let (mut world, arm, joint) = arm(JointKind::Hinge, Method::Direct);
    let mut settings = world.settings().clone();
    // joints closed to 1e-6 m leave 2e-3 m/s² at this step, more than the mean does
    settings.tolerance.position = 1e-9;
    world.set_settings(settings).unwrap();
    let (mass, l, r) = (2.0, 0.5, 0.9);
    let inertia = mass * ((1.0 + 0.01) / 12.0 + l * l);
    let on = |kind| Sensor::on(kind, arm, Vec3::new(r - l, 0.0, 0.0));
    let accelerometer = world.add_sensor(on(K::Accelerometer)).unwrap();
    let gyro = world.add_sensor(on(K::Gyro)).unwrap();
    let turn = world.add_sensor(on(K::AngularAcceleration)).unwrap();
    assert!(world.sensor_value(accelerometer).is_none(), "no acceleration before the first step");
    let mut worst: f64 = 0.0;
    for _ in 0..1500 {
        let before = world.coordinate(joint, Coordinate::Angle).unwrap();
        world.step(h);
        let after = world.coordinate(joint, Coordinate::Angle).unwrap();
        // the middle of the step, which the means are second order at
        let phi = 0.5 * (before + after);
        let spin = 2.0 * mass * G * l * phi.sin() / inertia;
        let alpha = mass * G * l * phi.cos() / inertia;
        let a = value(&world, accelerometer);
        worst = worst
            .max((a[0] + spin * r + G * phi.sin()).abs())
            .max((a[2] + alpha * r - G * phi.cos()).abs());
        worst = worst.max(a[1].abs()).max((value(&world, turn)[1] - alpha).abs());
        let rate = world.coordinate_rate(joint, Coordinate::Angle).unwrap();
        assert!((value(&world, gyro)[1] - rate).abs() < 1e-12);
    }
    // a mean over h differs from the middle by a''' h²/24; the turn of the frame within a step by
    // (ω h)²/8 of the acceleration: ω up to 5.4 rad/s, accelerations up to 36 m/s²
    assert!(worst < 36.0 * (5.4 * h) * (5.4 * h), "{worst}");
}

/// A cantilever of 2 kg with its centre at 0.5 m: the wall holds it with +m g and −m g l about y.
/// The same moment holds it on a hinge when a motor gives it, whatever way the motor is stepped.
#[test]
fn a_force_torque_sensor_reads_the_whole_load_however_it_is_held() {
    let (weight, moment) = (2.0 * G, 2.0 * G * 0.5);
    type Hold = fn(&mut World, kreisel_dynamics::JointId) -> Option<MotorId>;
    let effort = |w: &mut World, j| {
        let control = Control::Effort(Schedule::constant(-2.0 * G * 0.5));
        Some(w.add_motor(Motor::new(j, Coordinate::Angle, control)).unwrap())
    };
    let velocity = |w: &mut World, j| {
        let control = Control::Velocity(Schedule::constant(0.0));
        Some(w.add_motor(Motor::new(j, Coordinate::Angle, control)).unwrap())
    };
    let ways: [(&str, JointKind, Hold); 4] = [
        ("fixed", JointKind::Fixed, |_, _| None),
        ("effort", JointKind::Hinge, effort),
        ("velocity", JointKind::Hinge, velocity),
        ("servo", JointKind::Hinge, |w, joint| {
            let pid = Pid::pd(4e3, 0.05);
            let control =
                Control::Servo { target: Target::Position, set: Schedule::constant(0.0), pid };
            Some(w.add_motor(Motor::new(joint, Coordinate::Angle, control)).unwrap())
        }),
    ];
    for method in [Method::Direct, Method::Iterative, Method::Lagrange] {
        for (name, kind, hold) in ways {
            let (mut world, arm, joint) = arm(kind, method);
            let motor = hold(&mut world, joint);
            let all = Sensor { joint: Some(joint), ..Sensor::new(K::ForceTorque) };
            let on_wall = Sensor { body: Some(BodyId::WORLD), ..all.clone() };
            let at_tip =
                Sensor { body: Some(arm), at: Some(Vec3::new(0.5, 0.0, 0.0)), ..all.clone() };
            let cell = Sensor { forward: Vec3::Z, up: Vec3::X, kind: K::LoadCell, ..all.clone() };
            let ids = [all, on_wall, at_tip, cell].map(|s| world.add_sensor(s).unwrap());
            for _ in 0..1000 {
                world.step(1e-3);
            }
            // the servo sags by m g l / 4e3: its frame is turned by 2.5e-3 rad
            let (tilt, within) = if name == "servo" { (moment / 4e3, 2e-4) } else { (0.0, 1e-6) };
            let near = |what: &str, a: f64, b: f64| {
                assert!((a - b).abs() < within * weight, "{method:?} {name} {what}: {a} for {b}");
            };
            let v = value(&world, ids[0]);
            near("force x", v[0], -weight * f64::sin(tilt));
            near("force z", v[2], weight * f64::cos(tilt));
            near("torque y", v[4], -moment * f64::cos(tilt));
            let v = value(&world, ids[1]);
            near("on the wall, z", v[2], -weight);
            near("on the wall, y", v[4], moment * f64::cos(tilt));
            // about the tip the weight, 0.5 m inwards, is held from the other side
            near("at the tip", value(&world, ids[2])[4], moment * f64::cos(tilt));
            near("load cell", value(&world, ids[3])[0], weight * f64::cos(tilt));
            if let Some(motor) = motor {
                let effort = world.add_sensor(Sensor::of_motor(K::MotorEffort, motor)).unwrap();
                world.step(1e-3);
                near("effort", value(&world, effort)[0], -moment * f64::cos(tilt));
            }
        }
    }
}

/// Walls at x = ±3 and y = ±2, a lidar at (1, −0.5) that is turned by 30°: the nearest wall along
/// each direction.
#[test]
fn a_lidar_in_a_box_reads_the_distances_to_its_walls() {
    let mut world = World::new();
    let wall = |x: f64, y: f64, size: Vec3| {
        Body { shape: Some(Shape::Box { size }), ..Body::fixed() }.at(Vec3::new(x, y, 0.0))
    };
    for s in [-1.0, 1.0] {
        world.add_body(wall(3.5 * s, 0.0, Vec3::new(1.0, 9.0, 2.0))).unwrap();
        world.add_body(wall(0.0, 2.5 * s, Vec3::new(9.0, 1.0, 2.0))).unwrap();
    }
    let turn = std::f64::consts::FRAC_PI_6;
    let car = Body {
        rotation: Quat::from_rotation_z(turn),
        kind: BodyKind::Kinematic,
        ..Body::sphere(1.0, 0.2)
    };
    let car = world.add_body(car.at(Vec3::new(1.0, -0.5, 0.0))).unwrap();
    let rays = 72;
    let fan = std::f64::consts::TAU;
    let lidar =
        world.add_sensor(Sensor { rays, fan, ..Sensor::on(K::Lidar, car, Vec3::ZERO) }).unwrap();
    let range = world.add_sensor(Sensor::on(K::Range, car, Vec3::ZERO)).unwrap();
    let short =
        world.add_sensor(Sensor { reach: 0.5, ..Sensor::on(K::Range, car, Vec3::ZERO) }).unwrap();
    let seen = value(&world, lidar);
    assert_eq!(seen.len(), 72);
    for (k, seen) in seen.iter().enumerate() {
        let angle = turn - 0.5 * fan + fan * k as f64 / f64::from(rays);
        let (dx, dy) = (angle.cos(), angle.sin());
        let to = |d: f64, from: f64, wall: f64| {
            if d.abs() < 1e-12 { f64::MAX } else { (wall * d.signum() - from) / d }
        };
        let expected = to(dx, 1.0, 3.0).min(to(dy, -0.5, 2.0));
        assert!((seen - expected).abs() < 1e-12, "ray {k}: {seen} for {expected}");
    }
    assert!((value(&world, range)[0] - 2.0 / turn.cos()).abs() < 1e-12);
    assert_eq!(value(&world, short), [-1.0], "nothing within reach");
}

/// A cube of 3 kg falls, lands and lies.
#[test]
fn touch_and_contact_read_the_weight_of_what_lies() {
    let mut world = World::new();
    world
        .set_ground(Some(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 }), Material::default())
        .unwrap();
    let cube =
        world.add_body(Body::cuboid(3.0, Vec3::splat(0.2)).at(Vec3::new(0.0, 0.0, 0.15))).unwrap();
    let [touch, contact, force] = [K::Touch, K::Contact, K::ContactForce]
        .map(|k| world.add_sensor(Sensor::on(k, cube, Vec3::ZERO)).unwrap());
    let far = Sensor { reach: 0.05, ..Sensor::on(K::Touch, cube, Vec3::ZERO) };
    let far = world.add_sensor(far).unwrap();
    world.step(1e-3);
    assert_eq!([value(&world, touch), value(&world, contact)], [[0.0], [0.0]]);
    for _ in 0..1500 {
        world.step(1e-3);
    }
    assert!((value(&world, touch)[0] - 3.0 * G).abs() < 1e-3);
    assert!((value(&world, force)[2] - 3.0 * G).abs() < 1e-3);
    assert_eq!(value(&world, contact), [1.0]);
    assert_eq!(value(&world, far), [0.0], "the ground is 0.1 m away from the sensor");
}

/// Two bodies that are led: one turns about z with 2 rad/s, one goes along x with 3 m/s.
#[test]
fn frames_are_seen_from_a_turning_body() {
    let mut world = World::new();
    let led =
        |at: Vec3| Body { kind: BodyKind::Kinematic, ..Body::sphere(1.0, 0.1).ghost() }.at(at);
    let table = led(Vec3::ZERO);
    let table = world.add_body(Body { angular_velocity: Vec3::Z * 2.0, ..table }).unwrap();
    let car =
        world.add_body(Body { velocity: Vec3::X * 3.0, ..led(Vec3::new(0.0, 1.0, 0.0)) }).unwrap();
    let seen = |world: &mut World, kind, on| {
        world.add_sensor(Sensor { relative_to: table, ..Sensor::on(kind, on, Vec3::ZERO) }).unwrap()
    };
    let place = seen(&mut world, K::Position, car);
    let speed = seen(&mut world, K::LinearVelocity, car);
    let spin = seen(&mut world, K::AngularVelocity, car);
    let turn = seen(&mut world, K::Orientation, car);
    let axis = seen(&mut world, K::Direction, car);
    for _ in 0..250 {
        world.step(1e-3);
    }
    let (t, angle) = (0.25, 0.5_f64);
    let back = Quat::from_rotation_z(-angle);
    let offset = Vec3::new(3.0 * t, 1.0, 0.0);
    let near = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12) && a.len() == b.len()
    };
    assert!(near(&value(&world, place), &(back * offset).to_array()));
    let velocity = back * (Vec3::X * 3.0 - (Vec3::Z * 2.0).cross(offset));
    assert!(near(&value(&world, speed), &velocity.to_array()));
    assert!(near(&value(&world, spin), &[0.0, 0.0, -2.0]));
    assert!(near(&value(&world, turn), &back.to_array()));
    assert!(near(&value(&world, axis), &(back * Vec3::X).to_array()));
}

/// A clock shows when samples are taken and given out: at 20 a second and 0.03 s late, the last
/// multiple of 0.05 s that is 0.03 s old.
#[test]
fn samples_come_at_their_rate_and_late_by_their_delay() {
    let mut world = World::new();
    let slow = Quality { rate: Some(20.0), delay: 0.03, ..Quality::default() };
    let clock = world.add_sensor(Sensor::new(K::Clock).quality(slow)).unwrap();
    let late = Quality { delay: 0.01, ..Quality::default() };
    let late = world.add_sensor(Sensor::new(K::Clock).quality(late)).unwrap();
    for k in 1..=1000 {
        world.step(1e-3);
        let t = f64::from(k);
        let expected = 0.05 * ((t - 30.0) / 50.0).floor().max(0.0);
        assert!(
            (value(&world, clock)[0] - expected).abs() < 1e-9,
            "{k} ms: {:?}",
            value(&world, clock)
        );
        assert!((value(&world, late)[0] - 1e-3 * (t - 10.0).max(0.0)).abs() < 1e-9);
    }
}

#[test]
fn bias_bounds_and_resolution_act_in_this_order() {
    let mut world = World::new();
    let with = |bias, saturation, resolution| Quality {
        bias: vec![bias],
        saturation,
        resolution,
        ..Quality::default()
    };
    let ids = [with(0.26, None, 0.0), with(0.26, None, 0.1), with(-5.0, Some(0.26), 0.1)]
        .map(|q| world.add_sensor(Sensor::new(K::Clock).quality(q)).unwrap());
    let [plain, steps, cut] = ids.map(|id| value(&world, id)[0]);
    assert_eq!(plain, 0.26);
    assert!((steps - 0.3).abs() < 1e-15 && (cut + 0.3).abs() < 1e-15, "{steps} {cut}");
}

/// Mean, variance and correlation of 20000 samples within five of their standard errors; the walk
/// of the bias after a second within five of its own in the mean of 200 runs.
#[test]
fn noise_is_normal_and_its_own_for_every_sensor() {
    let mut world = World::new();
    let quality = |seed| Quality { noise: 0.5, seed, ..Quality::default() };
    let still = Body { kind: BodyKind::Static, ..Body::sphere(1.0, 0.1) };
    let body = world.add_body(still).unwrap();
    let gyro = |seed| Sensor::on(K::Gyro, body, Vec3::ZERO).quality(quality(seed));
    let [a, b, c] = [gyro(0), gyro(0), gyro(1)].map(|s| world.add_sensor(s).unwrap());
    let drift = Quality { drift: 0.2, ..Quality::default() };
    let walks: Vec<_> = (0..200)
        .map(|seed| {
            world
                .add_sensor(Sensor::new(K::Clock).quality(Quality { seed, ..drift.clone() }))
                .unwrap()
        })
        .collect();
    let n = 20_000;
    let (mut sum, mut square, mut cross) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    let mut walked = 0.0;
    for k in 1..=n {
        world.step(1e-3);
        let [a, b, c] = [a, b, c].map(|id| value(&world, id));
        for i in 0..3 {
            sum[i] += a[i];
            square[i] += a[i] * a[i];
        }
        cross = [cross[0] + a[0] * a[1], cross[1] + a[0] * b[0], cross[2] + a[0] * c[0]];
        if k == 1000 {
            walked =
                walks.iter().map(|id| (value(&world, *id)[0] - world.time()).powi(2)).sum::<f64>()
                    / 200.0;
        }
    }
    let n = f64::from(n);
    for i in 0..3 {
        assert!((sum[i] / n).abs() < 5.0 * 0.5 / n.sqrt(), "mean {}", sum[i] / n);
        assert!(
            (square[i] / n - 0.25).abs() < 5.0 * 0.25 * (2.0 / n).sqrt(),
            "variance {}",
            square[i] / n
        );
        assert!((cross[i] / n).abs() < 5.0 * 0.25 / n.sqrt(), "correlation {}", cross[i] / n);
    }
    assert!((walked - 0.04).abs() < 5.0 * 0.04 * (2.0_f64 / 200.0).sqrt(), "walk {walked}");
}

/// Sensors go on with the same bits after a restore, and do not change the motion.
#[test]
fn samples_have_the_same_bits_after_a_restore_and_leave_the_motion_alone() {
    let (mut bare, ..) = arm(JointKind::Hinge, Method::Direct);
    let (mut world, body, joint) = arm(JointKind::Hinge, Method::Direct);
    let q = Quality { noise: 0.1, drift: 0.1, delay: 0.02, rate: Some(90.0), ..Quality::default() };
    let imu =
        world.add_sensor(Sensor::on(K::Accelerometer, body, Vec3::X).quality(q.clone())).unwrap();
    let turn = world.add_sensor(Sensor::on(K::Orientation, body, Vec3::X).quality(q)).unwrap();
    let load =
        world.add_sensor(Sensor { joint: Some(joint), ..Sensor::new(K::ForceTorque) }).unwrap();
    let run = |world: &mut World| {
        let mut all = Vec::new();
        for _ in 0..100 {
            world.step(5e-3);
            for id in [imu, turn, load] {
                all.extend(value(world, id).iter().map(|x| x.to_bits()));
            }
        }
        all
    };
    for _ in 0..50 {
        world.step(5e-3);
        bare.step(5e-3);
    }
    let snapshot = world.snapshot();
    let first = run(&mut world);
    let length: f64 = value(&world, turn).iter().map(|x| x * x).sum();
    assert!((length - 1.0).abs() < 1e-12, "a noisy rotation is a rotation");
    world.restore(&snapshot).unwrap();
    assert_eq!(run(&mut world), first);
    for _ in 0..100 {
        bare.step(5e-3);
    }
    assert_eq!(bare.state_hash(), world.state_hash());
}

#[test]
fn sensors_go_with_what_they_read_and_wrong_ones_are_refused() {
    let (mut world, body, joint) = arm(JointKind::Hinge, Method::Direct);
    let motor = Motor::new(joint, Coordinate::Angle, Control::Effort(Schedule::constant(1.0)));
    let motor = world.add_motor(motor).unwrap();
    let sensors = [
        Sensor::of_motor(K::MotorPower, motor),
        Sensor::of_joint(K::JointPosition, joint, Coordinate::Angle),
        Sensor::on(K::Gyro, body, Vec3::ZERO),
    ];
    let wrong = [
        Sensor::new(K::Gyro),
        Sensor::new(K::JointRate),
        Sensor::of_joint(K::JointRate, joint, Coordinate::Length),
        Sensor::new(K::MotorEffort),
        Sensor::on(K::Gyro, body, Vec3::ZERO).facing(Vec3::X, Vec3::X),
        Sensor::new(K::Clock).quality(Quality { noise: -1.0, ..Quality::default() }),
        Sensor::on(K::Gyro, body, Vec3::ZERO)
            .quality(Quality { bias: vec![1.0, 2.0], ..Quality::default() }),
        Sensor { rays: 0, ..Sensor::on(K::Lidar, body, Vec3::ZERO) },
    ];
    for sensor in wrong {
        assert!(world.add_sensor(sensor.clone()).is_err(), "{sensor:?}");
    }
    let ids = sensors.map(|s| world.add_sensor(s).unwrap());
    world.step(0.01);
    assert!(value(&world, ids[0])[0] > 0.0, "the motor does work");
    world.remove_motor(motor).unwrap();
    assert_eq!(world.sensors().count(), 2);
    world.remove_joint(joint).unwrap();
    assert_eq!(world.sensors().count(), 1);
    world.remove_body(body).unwrap();
    assert_eq!(world.sensors().count(), 0);
}
