//! Sensors of scene files: recorded, saved, read by scripts, refused where something is missing.

use kreisel_scene::record::Columns;
use kreisel_scene::{Scene, Simulation, parse, save};

const G: f64 = 9.81;

fn load(name: &str) -> Scene {
    let path = format!("{}/../../scenes/sensors/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    kreisel_scene::load(path).unwrap_or_else(|e| panic!("{e}"))
}

fn value(run: &Simulation, name: &str) -> Vec<f64> {
    run.world.sensor_value(run.world.sensor_named(name).unwrap()).unwrap().to_vec()
}

/// 2.5 kg g; the hand's centre is 0.1 m and the load's 0.3 m from the wrist, 0.7 m and 0.9 m from
/// the elbow, the forearm's 0.3 m.
#[test]
fn the_wrist_reads_what_hangs_on_it() {
    let scene = load("wrist");
    let mut run = Simulation::new(&scene);
    for _ in 0..1500 {
        run.step();
    }
    // the servo gives way by 2.6 / 2e4 of a radian, by whose square vertical forces differ
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-3, "{a} for {b}");
    let wrench = value(&run, "force-torque");
    near(wrench[2], 2.5 * G);
    near(wrench[4], -G * (0.5 * 0.1 + 2.0 * 0.3));
    near(value(&run, "scale")[0], 2.0 * G);
    near(value(&run, "torque")[0], -G * (1.5 * 0.3 + 0.5 * 0.7 + 2.0 * 0.9));
    near(value(&run, "power")[0], 0.0);
}

/// Columns have the names and units of the sensors' numbers, and hold what the sensors give.
#[test]
fn sensors_are_recorded_by_their_path() {
    let scene = load("imu");
    let columns = Columns::of(&scene).unwrap();
    let headers: Vec<String> = columns.columns().iter().map(|c| c.header()).collect();
    assert_eq!(headers[1], "accelerometer.value.x [m/s²]");
    assert_eq!(headers[4], "gyro.value.x [rad/s]");
    assert_eq!(headers[10], "attitude.value.w");
    assert_eq!(headers[11], "encoder.value [rad]");
    let mut run = Simulation::new(&scene);
    let report = run.step();
    let row = columns.row(&run.world, &report);
    assert_eq!(row[1..4], value(&run, "accelerometer"));
    assert_eq!(row[7..11], value(&run, "attitude"));
    // an encoder of 4096 marks
    let marks = row[11] / (std::f64::consts::TAU / 4096.0);
    assert!((marks - marks.round()).abs() < 1e-9);
}

/// A saved scene has the same sensors, and from the start gives the same bits.
#[test]
fn saved_sensors_give_the_same_bits() {
    for name in ["imu", "wrist", "lidar"] {
        let scene = load(name);
        let again =
            parse("saved.toml", &save(&scene, &scene.world)).unwrap_or_else(|e| panic!("{e}"));
        let ids: Vec<_> = scene.world.sensors().collect();
        assert_eq!(ids.len(), again.world.sensors().count());
        let [mut a, mut b] = [Simulation::new(&scene), Simulation::new(&again)];
        for _ in 0..100 {
            a.step();
            b.step();
        }
        for id in ids {
            let name = scene.world.sensor_name(id).unwrap();
            assert_eq!(value(&a, &name), value(&b, &name), "{name}");
        }
    }
}

/// The car sees the walls and never touches one: its script would end the run.
#[test]
fn a_script_steers_by_its_lidar() {
    let scene = load("lidar");
    let mut run = Simulation::new(&scene);
    let mut travelled = 0.0;
    for _ in 0..2400 {
        let before = run.world.position(run.world.body_named("car").unwrap()).unwrap();
        run.step();
        travelled +=
            run.world.position(run.world.body_named("car").unwrap()).unwrap().distance(before);
        assert!(!run.take_stop(), "{:?}", run.take_messages());
    }
    assert!(run.take_problems().is_empty());
    assert!((travelled - 12.0).abs() < 0.1, "{travelled}");
}

#[test]
fn a_sensor_without_what_it_reads_is_refused_by_name() {
    let body = "[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\n";
    for (keys, words) in [
        ("type = \"gyro\"", "needs `body`"),
        ("type = \"joint_rate\"", "needs `joint`"),
        ("type = \"motor_power\"", "needs `motor`"),
        ("type = \"motor_power\"\nmotor = \"drive\"", "there is no motor"),
        ("type = \"clock\"\nbody = \"ball\"", "`body`"),
        ("type = \"gyroscope\"", "gyro"),
        ("type = \"lidar\"\nbody = \"ball\"\nrays = 0", "rays"),
        ("type = \"gyro\"\nbody = \"ball\"\nbias = [1, 2]", "bias"),
    ] {
        let error = parse("x.toml", &format!("{body}[[sensor]]\n{keys}\n"))
            .map(|_| ())
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{keys}: {error}");
    }
}
