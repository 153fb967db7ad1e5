//! Robots from URDF and MJCF.

use kreisel_dynamics::{Coordinate, Vec3, World};
use kreisel_scene::{Code, Scene, Simulation, load, parse};
use std::path::Path;

fn scene(path: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(path);
    load(path).unwrap_or_else(|e| panic!("{:?}", e.problems))
}

fn run(scene: &Scene, steps: usize) -> World {
    let mut run = Simulation::new(scene);
    for _ in 0..steps {
        run.step();
    }
    run.world
}

const PENDULUM: &str = r#"
    [world]
    step = 0.002
    [[body]]
    name = "rod"
    mass = 2
    center = [0.5, 0, 0]
    inertia = [0.01, 0.2, 0.2]
    position = [0, 0, 1]
    [[joint]]
    name = "pivot"
    type = "hinge"
    bodies = ["world", "rod"]
    at = [0, 0, 1]
    axis = [0, 1, 0]
"#;

#[test]
fn a_urdf_pendulum_moves_as_the_same_pendulum_written_as_a_scene() {
    let urdf = r#"<robot name="p"><link name="world"/>
        <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
            <inertia ixx="0.01" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="pivot" type="continuous"><parent link="world"/><child link="rod"/>
            <origin xyz="0 0 1"/><axis xyz="0 1 0"/></joint></robot>"#;
    let mut robot = parse("p.urdf", urdf).unwrap();
    robot.step = 0.002;
    let same = parse("p.toml", PENDULUM).unwrap();
    assert_eq!(run(&robot, 500).state_hash(), run(&same, 500).state_hash());
}

#[test]
fn an_mjcf_pendulum_moves_as_the_same_pendulum_written_as_a_scene() {
    let mjcf = r#"<mujoco model="p"><worldbody><body name="rod" pos="0 0 1">
        <joint name="pivot" axis="0 1 0"/>
        <inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.2 0.2"/></body></worldbody></mujoco>"#;
    let model = parse("p.xml", mjcf).unwrap();
    let same = parse("p.toml", PENDULUM).unwrap();
    assert_eq!(run(&model, 500).state_hash(), run(&same, 500).state_hash());
}

#[test]
fn the_loop_of_the_four_bar_is_closed_and_stays_so() {
    let scene = scene("robots/four-bar.urdf");
    let analysis = scene.world.analyse();
    // planar four-bar of four hinges: 20 conditions on 18 coordinates, 1 degree of freedom, rank 17
    assert_eq!((analysis.bodies, analysis.joints, analysis.loops), (3, 4, 1));
    assert_eq!((analysis.rank, analysis.freedom), (17, 1));
    let world = run(&scene, 200);
    let closure = world.joint_named("closure").unwrap();
    assert!(world.joint_error(closure).unwrap().0 < 1e-6);
    assert!(world.motor_named("motor").is_some());
    let shaft = world.joint(world.joint_named("shaft").unwrap()).unwrap();
    assert!(shaft.passive[0].damping > 0.0 && shaft.passive[0].coordinate == Coordinate::Angle);
}

#[test]
fn poses_of_links_follow_the_origins_of_their_joints() {
    let scene = scene("robots/four-bar.urdf");
    let at = |name: &str| scene.world.position(scene.world.body_named(name).unwrap()).unwrap();
    // The crank stands upright (pitch of -90 degrees), the coupler lies level on its end.
    assert!(at("coupler").distance(Vec3::new(0.0, 0.0, 0.4)) < 1e-12, "{}", at("coupler"));
    assert!(at("rocker").distance(Vec3::X) < 1e-12);
    let coupler = scene.world.body_named("coupler").unwrap();
    assert!((scene.world.rotation(coupler).unwrap() * Vec3::X).distance(Vec3::X) < 1e-12);
}

#[test]
fn an_mjcf_arm_has_its_bodies_limits_masses_and_actuators() {
    let scene = scene("robots/arm.xml");
    let w = &scene.world;
    // floor, upper, lower; the hand has no joint and is part of the lower arm
    assert_eq!((scene.step, w.bodies().count(), w.joints().count()), (0.005, 3, 2));
    let mass = |n: &str| w.body(w.body_named(n).unwrap()).unwrap().mass;
    // capsule: cylinder of 0.5 m and a sphere, radius 0.05 m, 1000 kg/m³
    let pi = std::f64::consts::PI;
    let expected = 1000.0 * pi * 0.0025 * (0.5 + 4.0 / 3.0 * 0.05);
    assert!((mass("upper").mass - expected).abs() < 1e-9);
    assert!(mass("upper").center.distance(Vec3::new(0.25, 0.0, 0.0)) < 1e-12);
    // capsule of 0.4 m, radius 0.04 m, centre at 0.2 m, and the hand of 0.3 kg at 0.4 m
    let capsule = 1000.0 * pi * 0.0016 * (0.4 + 4.0 / 3.0 * 0.04);
    assert!((mass("lower").mass - capsule - 0.3).abs() < 1e-12);
    assert!((mass("lower").center.x - (0.2 * capsule + 0.4 * 0.3) / (capsule + 0.3)).abs() < 1e-12);
    let limit = w.joint(w.joint_named("shoulder").unwrap()).unwrap().limits[0];
    assert!(
        (limit.max - 120_f64.to_radians()).abs() < 1e-12 && limit.coordinate == Coordinate::Angle
    );
    assert_eq!(w.motor(w.motor_named("lift").unwrap()).unwrap().max_effort, 20.0);
    assert!(w.motor_named("bend").is_some());
    assert!(w.joint(w.joint_named("elbow").unwrap()).unwrap().passive[0].damping > 0.0);
}

#[test]
fn several_joints_of_one_body_leave_it_as_many_freedoms_in_any_combination() {
    let model = |joints: &str| {
        let text = format!(
            "<mujoco><worldbody><body name=\"b\">{joints}<geom size=\"0.1\"/></body></worldbody></mujoco>"
        );
        parse("m.xml", &text).map(|s| s.world.analyse().freedom)
    };
    let planar = r#"<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>"#;
    assert_eq!(model(planar), Ok(3));
    assert_eq!(model(r#"<joint axis="1 0 0"/><joint axis="0 1 0"/>"#), Ok(2));
    assert_eq!(model(r#"<joint axis="1 0 0"/><joint axis="0 1 0" pos="0 0 1"/>"#), Ok(2));
    assert_eq!(model(r#"<joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/>"#), Ok(3));
    assert_eq!(model(r#"<joint type="slide" axis="0 0 1"/><joint axis="0 0 1"/>"#), Ok(2));
    assert_eq!(model(r#"<joint type="slide" axis="0 0 1"/><joint axis="1 0 0"/>"#), Ok(2));
    assert_eq!(model(r#"<joint type="ball"/><joint type="slide" axis="1 0 0"/>"#), Ok(4));
    assert_eq!(model("<freejoint/>"), Ok(6));
    let slides = ["1 0 0", "0 1 0", "0 0 1"]
        .map(|a| format!("<joint type=\"slide\" axis=\"{a}\"/>"))
        .concat();
    let hinges = ["1 0 0", "0 1 0", "0 0 1"].map(|a| format!("<joint axis=\"{a}\"/>")).concat();
    assert_eq!(model(&format!("{slides}{hinges}")), Ok(6));
    let both = r#"<freejoint/><joint axis="1 0 0"/>"#;
    assert_eq!(model(both).unwrap_err().problems[0].code, Code::Unsupported);
}

#[test]
fn a_robot_can_be_included_and_its_loop_closed_by_a_scene() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/robots");
    let text = "include = [\"four-bar.urdf\"]\n[[joint]]\nname = \"brace\"\ntype = \"fixed\"\nbodies = [\"world\", \"crank\"]\n";
    let options = kreisel_scene::Options { folder: Some(folder), ..Default::default() };
    let scene = kreisel_scene::parse_as("t.toml", text, &options)
        .unwrap_or_else(|e| panic!("{:?}", e.problems));
    assert_eq!(scene.world.joints().count(), 5);
    assert_eq!(scene.world.analyse().freedom, 0);
}

/// A base and a turned link of SDF: the joint stands in the child's frame, its axis too; the mimic
/// follows; links of the model do not meet each other.
#[test]
fn an_sdf_model_stands_where_its_poses_say() {
    let text = r#"<sdf version="1.9"><world name="w"><gravity>0 0 -9</gravity>
        <model name="arm"><pose>1 0 0 0 0 1.5707963267948966</pose>
          <frame name="mount" attached_to="base"><pose>0 0 2 0 0 0</pose></frame>
          <link name="base"><inertial><mass>3</mass></inertial></link>
          <link name="upper"><pose relative_to="mount">0.5 0 0 0 0 0</pose>
            <inertial><pose>0 0 0.1 0 0 0</pose><mass>2</mass>
              <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.2</izz></inertia></inertial>
            <collision name="c"><geometry><box><size>1 0.1 0.1</size></box></geometry>
              <surface><friction><ode><mu>0.7</mu></ode></friction></surface></collision></link>
          <link name="finger"><pose relative_to="upper">0.5 0 0 0 0 0</pose></link>
          <joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
          <joint name="swing" type="revolute"><parent>base</parent><child>upper</child>
            <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1e16</upper></limit>
              <dynamics><damping>0.3</damping></dynamics></axis></joint>
          <joint name="curl" type="revolute"><parent>upper</parent><child>finger</child>
            <axis><xyz>0 1 0</xyz><mimic joint="swing"><multiplier>2</multiplier>
              <offset>0.5</offset><reference>0.25</reference></mimic></axis></joint>
        </model></world></sdf>"#;
    let scene = parse("arm.sdf", text).unwrap_or_else(|e| panic!("{e:?}"));
    let w = &scene.world;
    assert_eq!(w.gravity().z, -9.0);
    // turned by a quarter about z: x of the model is y of the world
    let upper = w.body_named("upper").unwrap();
    let at = w.position(upper).unwrap();
    assert!((at - Vec3::new(1.0, 0.5, 2.0)).length() < 1e-12, "{at}");
    let mass = w.body(upper).unwrap().mass;
    assert!((mass.mass - 2.0).abs() < 1e-12 && (mass.center.z - 0.1).abs() < 1e-12);
    let swing = w.joint(w.joint_named("swing").unwrap()).unwrap();
    assert_eq!((swing.limits[0].min, swing.limits[0].max), (-1.0, f64::INFINITY));
    assert_eq!(swing.passive[0].damping, 0.3);
    let axis = w.joint_frames(w.joint_named("swing").unwrap()).unwrap()[1].axes.x_axis;
    assert!((axis.x + 1.0).abs() < 1e-12, "y of the model is −x of the world: {axis}");
    // q₂ = 2 (q₁ − 0.25) + 0.5
    let c = w.constraint(w.constraints().next().unwrap()).unwrap();
    let kreisel_dynamics::ConstraintKind::Coupling { joints, value } = &c.kind else { panic!() };
    assert_eq!((joints[0].factors[0], joints[1].factors[0], *value), (2.0, -1.0, 0.0));

    let unknown = text.replace("<parent>upper</parent>", "<parent>uper</parent>");
    let error = parse("arm.sdf", &unknown).unwrap_err();
    assert!(error.problems[0].message.contains("no link \"uper\""), "{error:?}");
    assert!(error.problems[0].help.as_deref().is_some_and(|h| h.contains("upper")));
    let gearbox = text.replace("name=\"curl\" type=\"revolute\"", "name=\"curl\" type=\"gearbox\"");
    assert!(parse("arm.sdf", &gearbox).is_err(), "it would move otherwise");
}

/// A keyframe is set by its name, noted from a run and read back from a saved scene.
#[test]
fn keyframes_are_set_and_saved_by_name() {
    let text = r#"
        [[body]]
        name = "arm"
        mass = 1.0
        shape = { box = [1, 0.1, 0.1] }
        [[joint]]
        name = "axle"
        type = "hinge"
        bodies = ["world", "arm"]
        axis = [0, 1, 0]
        [[motor]]
        name = "drive"
        joint = "axle"
        effort = 0
        [[key]]
        name = "up"
        body = "arm"
        rotation = { axis = [0, 1, 0], angle = "-90 deg" }
        angular_velocity = [0, 2, 0]
        [[key]]
        name = "up"
        motor = "drive"
        value = 3
    "#;
    let mut scene = parse("arm.toml", text).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(scene.key_names(), ["up"]);
    assert!(!scene.set_key("down").unwrap());
    assert!(scene.set_key("up").unwrap());
    let axle = scene.world.joint_named("axle").unwrap();
    let angle = Coordinate::Angle;
    let quarter = std::f64::consts::FRAC_PI_2;
    assert!((scene.world.coordinate(axle, angle).unwrap() + quarter).abs() < 1e-12);
    assert!((scene.world.coordinate_rate(axle, angle).unwrap() - 2.0).abs() < 1e-12);
    let drive = scene.world.motor_named("drive").unwrap();
    assert_eq!(scene.world.motor(drive).unwrap().control.schedule().at(0.0), 3.0);

    // a run from there, and its end as another keyframe
    let mut run = Simulation::new(&scene);
    (0..20).for_each(|_| drop(run.step()));
    scene.note_key("later", &run.world);
    let saved = kreisel_scene::save(&scene, &scene.world);
    let mut again = parse("again.toml", &saved).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(again.key_names(), ["up", "later"]);
    assert!(again.set_key("later").unwrap());
    let arm = again.world.body_named("arm").unwrap();
    let (p, q) = (again.world.rotation(arm).unwrap(), run.world.rotation(arm).unwrap());
    assert!(p.dot(q).abs() > 1.0 - 1e-14, "{p} and {q}");
}
