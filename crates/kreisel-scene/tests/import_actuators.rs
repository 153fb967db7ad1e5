//! Actuators, tendons and surroundings of MJCF models beside MuJoCo 4.0.0 with the same text: its
//! rule of fourth order with steps of 10 µs, read after 0.3 s.

use kreisel_dynamics::{Coordinate, Vec3};
use kreisel_geometry::Pose;
use kreisel_geometry::query::{Ray, cast_ray};
use kreisel_scene::{Options, Scene, Severity, Simulation, parse_as};

fn load(text: &str) -> Scene {
    let scene = parse_as("model.xml", text, &Options::default());
    let scene = scene.unwrap_or_else(|e| panic!("{e:?}"));
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    scene
}

/// After 0.3 s in steps of 1 ms, every one sound.
fn run(scene: &Scene) -> Simulation {
    let mut run = Simulation::new(scene);
    run.set_step_size(1e-3);
    for _ in 0..300 {
        let report = run.step();
        assert_eq!(report.status, kreisel_dynamics::Status::Converged, "{report:?}");
    }
    run
}

fn angle(run: &Simulation, joint: &str) -> f64 {
    let id = run.world.joint_named(joint).unwrap_or_else(|| panic!("no joint {joint}"));
    run.world.coordinate(id, Coordinate::Angle).unwrap()
}

#[track_caller]
fn near(value: f64, expected: f64, bound: f64) {
    assert!((value - expected).abs() < bound, "{value} for {expected}");
}

/// A sprung tendon over a peg, with a second branch behind a pulley, pulls an arm of two links.
#[test]
fn a_tendon_around_a_peg_and_over_a_pulley_moves_an_arm() {
    let scene = load(WRAP);
    // as MuJoCo measures it
    let cable = scene.world.constraint_named("t").unwrap();
    near(scene.world.cable_way(cable).unwrap()[0], 0.66912271, 1e-8);
    let run = run(&scene);
    near(angle(&run, "j"), -0.1654756924694526, 1e-4);
    near(angle(&run, "k"), 4.005136845181318, 2e-3);
}

#[test]
fn a_muscle_swings_a_pendulum() {
    near(angle(&run(&load(MUSCLE)), "j"), -1.024727391779095, 1e-4);
}

#[test]
fn a_fluid_slows_what_falls_and_turns() {
    let mut scene = load(FLUID);
    let robot = scene.robot.clone().unwrap();
    assert!(robot.set_key(&mut scene.world, "k").unwrap());
    let run = run(&scene);
    let body = run.world.bodies().find(|b| run.world.body(*b).is_some()).unwrap();
    let (p, q) = (run.world.position(body).unwrap(), run.world.rotation(body).unwrap());
    let expected = [0.1727610169022668, -0.0011184838230153236, 0.7208991142394054];
    p.to_array().into_iter().zip(expected).for_each(|(x, y)| near(x, y, 1e-4));
    let expected = [0.8885193310291338, 0.04809184295366052, 0.2522891962736386, 0.380224584255754];
    [q.w, q.x, q.y, q.z].into_iter().zip(expected).for_each(|(x, y)| near(x, y, 2e-4));
}

/// A thruster whose lag begins at 0, and one that turns, at a tilted site.
#[test]
fn thrusters_at_a_site_push_and_turn() {
    let run = run(&load(THRUST));
    let body = run.world.bodies().next().unwrap();
    let (p, q) = (run.world.position(body).unwrap(), run.world.rotation(body).unwrap());
    let expected = [0.017373990421756927, -0.0540913789768525, 0.6767112994533024];
    p.to_array().into_iter().zip(expected).for_each(|(x, y)| near(x, y, 1e-4));
    let expected =
        [0.14831706155752492, 0.7495603548721426, -0.5362794506075135, 0.35856055905661643];
    let sign = (q.w * expected[0]).signum();
    [q.w, q.x, q.y, q.z].into_iter().zip(expected).for_each(|(x, y)| near(sign * x, y, 1e-3));
}

/// Three copies of a pendulum, and one that a damper of MJCF brakes.
#[test]
fn copies_swing_alike_and_a_damper_brakes() {
    let scene = load(BRAKE);
    let run = run(&scene);
    for joint in ["j-0", "j-1", "j-2"] {
        near(angle(&run, joint), 0.630677813481018, 1e-4);
    }
    near(angle(&run, "q"), 0.4278879348783644, 1e-4);
}

/// What would change the motion is an error with its line, and a warning for whoever takes that.
#[test]
fn losses_are_errors_unless_lenient() {
    let text = "<mujoco><worldbody><body name=\"b\"><joint name=\"j\"/><geom size=\".1\"/></body></worldbody>\n\
        <actuator><adhesion body=\"b\" ctrlrange=\"0 1\"/></actuator></mujoco>";
    let error = parse_as("model.xml", text, &Options::default()).unwrap_err();
    let first = &error.problems[0];
    assert_eq!(first.line_column().0, 2, "{error:?}");
    assert!(first.message.contains("<adhesion>"), "{error:?}");
    assert!(first.help.as_deref().unwrap_or_default().contains("--lenient"), "{error:?}");
    let lenient = Options { lenient: true, ..Options::default() };
    let scene = parse_as("model.xml", text, &lenient).unwrap();
    assert!(scene.warnings.iter().all(|p| p.severity == Severity::Warning));
    assert_eq!(scene.warnings.len(), 1);
}

/// Terrain whose first row lies at the largest y, as a ray of MuJoCo finds it (2.8015 m at (−0.99,
/// −1.99)).
#[test]
fn terrain_stands_as_its_numbers_say() {
    let text = r#"<mujoco><asset><hfield name="h" nrow="2" ncol="3" size="1 2 3 .1"
        elevation="0 1 2  3 4 5"/></asset><worldbody><geom name="g" type="hfield" hfield="h" pos="0 0 1"/>
        <body pos="0 0 9"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"#;
    let scene = load(text);
    let ground = scene.world.body_named("g").unwrap();
    let (_, shape) = scene.shapes.iter().find(|s| s.0 == ground).expect("its terrain");
    let down = Ray { origin: Vec3::new(-0.99, -1.99, 5.0), direction: Vec3::NEG_Z };
    let hit = cast_ray(shape, &Pose::IDENTITY, &down, 10.0).expect("the ray hits");
    near(hit.point.z, 2.8015, 1e-6);
}

const WRAP: &str = r#"<mujoco> <compiler angle="radian"/> <option> <flag contact="disable"/> </option> <worldbody>
<site name="a" pos="0 0 0.5"/> <geom name="peg" type="cylinder" fromto="0.1 -0.1 0.3 0.1 0.1
0.3" size="0.05" contype="0" conaffinity="0"/> <site name="s" pos="0.3 0 0.35"/> <body pos="0 0
0"> <joint name="j" axis="0 1 0" damping="0.02"/> <geom type="box" size="0.2 0.02 0.02"
pos="0.2 0 0" mass="1" contype="0" conaffinity="0"/> <site name="b" pos="0.3 0 0.02"/> <body
pos="0.4 0 0"> <joint name="k" axis="0 1 0" damping="0.01"/> <geom type="box" size="0.1 0.02
0.02" pos="0.1 0 0" mass="0.4" contype="0" conaffinity="0"/> <site name="c" pos="0.1 0 0.02"/>
</body> </body> </worldbody> <tendon> <spatial name="t" stiffness="200" damping="2"
springlength="0.5"> <site site="a"/> <geom geom="peg" sidesite="s"/> <site site="b"/> <pulley
divisor="2"/> <site site="b"/> <site site="c"/> </spatial> </tendon> </mujoco>"#;

const MUSCLE: &str = r#"<mujoco> <compiler angle="radian"/> <option> <flag contact="disable"/>
</option> <worldbody> <body> <joint name="j" axis="0 1 0" range="-1.2 1.2"/> <geom
type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03" mass="1" contype="0" conaffinity="0"/>
</body> </worldbody> <actuator> <muscle name="m" joint="j" gear="0.04" lengthrange="-0.048
0.048" force="300" ctrllimited="true" ctrlrange="0.3 1"/> </actuator> </mujoco>"#;

const FLUID: &str = r#"<mujoco> <option density="900" viscosity="0.3" wind="0.2 0 0"> <flag contact="disable"/>
</option> <worldbody> <body pos="0 0 1"> <freejoint/> <geom type="box" size="0.1 0.05 0.02"
density="1500"/> </body> </worldbody> <keyframe> <key name="k" qpos="0 0 1 1 0 0 0" qvel="0.5 0
0 1 2 3"/> </keyframe> </mujoco>"#;

const THRUST: &str = r#"<mujoco> <option> <flag contact="disable"/> </option> <worldbody> <body pos="0 0 1">
<freejoint/> <geom type="box" size="0.1 0.1 0.02" mass="1"/> <site name="s" pos="0.05 0 0"
euler="0 20 0"/> </body> </worldbody> <actuator> <general name="a" site="s" gear="0 0 2 0 0
0.1" dyntype="filter" dynprm="0.1" gainprm="3" ctrlrange="1 5"/> <motor name="b" site="s"
gear="0 0 0 0.2 0 0" ctrlrange="0.5 1"/> </actuator> </mujoco>"#;

const BRAKE: &str = r#"<mujoco> <compiler angle="radian"/> <option> <flag contact="disable"/> </option> <worldbody>
<replicate count="3" offset="1 0 0" euler="0 0 0.5" sep="-"> <body pos="0 0.2 0"> <joint
name="j" axis="0 1 0"/> <geom type="capsule" fromto="0 0 0 0.3 0 -0.4" size="0.03" mass="1"/>
</body> </replicate> <body pos="0 0 3"> <joint name="q" axis="0 1 0"/> <geom type="capsule"
fromto="0 0 0 0.3 0 -0.4" size="0.03" mass="1"/> </body> </worldbody> <actuator> <damper
name="d" joint="q" kv="2" gear="0.5" ctrlrange="0.8 1"/> </actuator> </mujoco>"#;
