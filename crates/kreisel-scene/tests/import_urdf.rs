//! URDF files as they are found: massless frames, axes of fixed joints, impossible inertias, empty
//! shapes, packages.

use kreisel_dynamics::{BodyId, Vec3, World};
use kreisel_scene::{Code, Options, Scene, parse};
use std::path::Path;

fn good(text: &str) -> Scene {
    parse("r.urdf", text).unwrap_or_else(|e| panic!("{:?}", e.problems))
}

fn named(world: &World, name: &str) -> BodyId {
    world.body_named(name).unwrap_or_else(|| panic!("there is no body {name}"))
}

fn inertial(mass: f64, [xx, yy, zz]: [f64; 3]) -> String {
    format!(
        "<inertial><mass value=\"{mass}\"/><inertia ixx=\"{xx}\" iyy=\"{yy}\" izz=\"{zz}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
    )
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, x: f64) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/><origin xyz=\"{x} 0 0\"/><axis xyz=\"{}\"/></joint>",
        if kind == "fixed" { "0 0 0" } else { "0 1 0" }
    )
}

#[test]
fn massless_links_on_fixed_joints_are_part_of_what_carries_them() {
    let text = format!(
        "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\">{}</link><link name=\"tool0\">{}</link><link name=\"frame\"/>{}{}{}</robot>",
        inertial(2.0, [0.1, 0.1, 0.1]),
        inertial(0.0, [0.0, 0.0, 0.0]),
        joint("turn", "continuous", "base", "arm", 0.0),
        joint("mount", "fixed", "arm", "tool0", 1.0),
        joint("tip", "fixed", "tool0", "frame", 1.0),
    );
    let scene = good(&text);
    assert_eq!((scene.world.bodies().count(), scene.world.joints().count()), (2, 1));
    assert_eq!(scene.warnings, []);
    assert_eq!(scene.world.body(named(&scene.world, "arm")).unwrap().mass.mass, 2.0);
}

#[test]
fn a_massless_link_that_moves_takes_the_mass_of_what_is_fixed_to_it() {
    let text = format!(
        "<robot name=\"r\"><link name=\"base\"/><link name=\"virtual\"/><link name=\"arm\">{}</link>{}{}</robot>",
        inertial(2.0, [0.1, 0.2, 0.3]),
        joint("turn", "continuous", "base", "virtual", 0.0),
        joint("mount", "fixed", "virtual", "arm", 1.0),
    );
    let scene = good(&text);
    let mass = scene.world.body(named(&scene.world, "virtual")).unwrap().mass;
    assert_eq!((scene.world.joints().count(), mass.mass, mass.center), (1, 2.0, Vec3::X));
    assert!((mass.inertia.y_axis.y - 0.2).abs() < 1e-15);
    assert_eq!(scene.warnings, []);
}

#[test]
fn a_massless_link_on_a_moving_joint_is_named_and_given_little() {
    let text = format!(
        "<robot name=\"r\"><link name=\"base\"/><link name=\"nut\">{}</link>{}</robot>",
        inertial(0.0, [0.0; 3]),
        joint("turn", "continuous", "base", "nut", 0.0),
    );
    let scene = good(&text);
    assert_eq!(scene.world.body(named(&scene.world, "nut")).unwrap().mass.mass, 1e-3);
    assert!(
        scene.warnings[0].message.contains("\"nut\" moves but has no mass"),
        "{}",
        scene.warnings[0]
    );
}

#[test]
fn impossible_inertias_are_repaired_with_a_warning_that_names_the_link() {
    let of = |moments: [f64; 3]| {
        let text = format!(
            "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\">{}</link>{}</robot>",
            inertial(1.0, moments),
            joint("turn", "continuous", "base", "arm", 0.0),
        );
        let scene = good(&text);
        let warned =
            scene.warnings.iter().any(|w| w.code == Code::Physics && w.message.contains("\"arm\""));
        (scene.world.body(named(&scene.world, "arm")).unwrap().mass.inertia, warned)
    };
    let diagonal = |m: kreisel_dynamics::Mat3| Vec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z);
    let (inertia, warned) = of([1.0, 1.0, 3.0]);
    assert!(warned && diagonal(inertia).distance(Vec3::new(1.5, 1.5, 3.0)) < 1e-12);
    assert!(of([-0.1, 1.0, 1.0]).1);
    // a ball of 1 kg of water: r³ = 3 m / (4 π ρ), J = 2/5 m r²
    let (inertia, warned) = of([0.0; 3]);
    let r = (3.0 / (4.0 * std::f64::consts::PI * 1000.0)).cbrt();
    assert!(warned && diagonal(inertia).distance(Vec3::splat(0.4 * r * r)) < 1e-15);
    assert!(!of([1.0, 1.0, 1.5]).1);
}

#[test]
fn shapes_without_extent_are_left_out() {
    let text = format!(
        "<robot name=\"r\"><link name=\"arm\">{}<collision><geometry><sphere radius=\"0\"/></geometry></collision></link></robot>",
        inertial(1.0, [1.0; 3])
    );
    let scene = good(&text);
    assert!(scene.world.body(named(&scene.world, "arm")).unwrap().shape.is_none());
    assert!(scene.warnings[0].message.contains("no extent"));
}

#[test]
fn packages_are_found_in_the_folders_above_where_that_is_allowed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("import_urdf");
    std::fs::create_dir_all(folder.join("robot_description/urdf")).unwrap();
    std::fs::create_dir_all(folder.join("robot_description/meshes")).unwrap();
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    std::fs::write(folder.join("robot_description/meshes/arm.obj"), mesh).unwrap();
    let text = format!(
        "<robot name=\"r\"><link name=\"arm\">{}<collision><geometry><mesh filename=\"package://robot_description/meshes/arm.obj\"/></geometry></collision></link></robot>",
        inertial(1.0, [1.0; 3])
    );
    let file = folder.join("robot_description/urdf/r.urdf");
    std::fs::write(&file, text).unwrap();
    let load = |allow_outside| {
        let options = Options { allow_outside, ..Options::default() };
        kreisel_scene::load_as(&file, &options).unwrap_or_else(|e| panic!("{:?}", e.problems))
    };
    let (inside, outside) = (load(false), load(true));
    assert!(
        inside.warnings[0].message.contains("outside the scene's folder"),
        "{}",
        inside.warnings[0]
    );
    assert_eq!(outside.warnings, []);
    assert!(outside.world.body(named(&outside.world, "arm")).unwrap().shape.is_some());
}

/// `<mimic>`: q = multiplier · other + offset, held from the first step on.
#[test]
fn a_joint_that_mimics_another_follows_it() {
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="1"/>
            <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>"#
        )
    };
    let text = format!(
        r#"<robot name="r"><link name="base"/>{}{}
        <joint name="a" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/></joint>
        <joint name="b" type="continuous"><parent link="base"/><child link="two"/><axis xyz="0 0 1"/>
        <origin xyz="1 0 0"/><mimic joint="a" multiplier="-0.5" offset="0.1"/></joint></robot>"#,
        link("one"),
        link("two")
    );
    let scene = parse("robot.urdf", &text).unwrap();
    let mut world = scene.world.clone();
    for _ in 0..100 {
        world.step(0.01);
    }
    let angle = |name| {
        let joint = world.joint_named(name).unwrap();
        world.coordinate(joint, kreisel_dynamics::Coordinate::Angle).unwrap()
    };
    assert!((angle("b") + 0.5 * angle("a") - 0.1).abs() < 1e-6, "{} {}", angle("a"), angle("b"));
    assert!(scene.warnings.iter().all(|w| !w.message.contains("mimic")), "{:?}", scene.warnings);
}

/// `ros2_control` makes a motor for each joint with a command interface, and a file beside the
/// robot closes its loop.
#[test]
fn command_interfaces_are_motors_and_loops_may_stand_beside() {
    let robot = r#"<robot name="r">
        <link name="base"/>
        <link name="a"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link>
        <link name="b"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link>
        <joint name="ja" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
          <limit lower="-1" upper="1" effort="5" velocity="1"/></joint>
        <joint name="jb" type="continuous"><parent link="base"/><child link="b"/>
          <origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint>
        <ros2_control name="hw" type="system">
          <hardware><plugin>x</plugin></hardware>
          <joint name="ja"><command_interface name="position"/><state_interface name="position"/></joint>
          <joint name="jb"><command_interface name="effort"/></joint>
        </ros2_control></robot>"#;
    let loops = r#"<robot><loop_joint name="close" type="ball"><parent link="a"/><child link="b"/>
        <origin xyz="0.5 0 0.5"/></loop_joint></robot>"#;
    let mut files = kreisel_scene::FileSet::default();
    for (name, text) in [("r.urdf", robot), ("r.loops.xml", loops)] {
        files.insert(name, text.as_bytes().to_vec());
    }
    let options = Options {
        files: Some(std::sync::Arc::new(files)),
        folder: Some(std::path::PathBuf::new()),
        ..Default::default()
    };
    let scene =
        kreisel_scene::parse_as("r.urdf", robot, &options).unwrap_or_else(|e| panic!("{e:?}"));
    let w = &scene.world;
    let of = |name: &str| w.motor(w.motor_named(name).unwrap()).unwrap().clone();
    assert!(matches!(of("ja motor").control, kreisel_dynamics::Control::Velocity(_)));
    assert_eq!(of("ja motor").max_effort, 5.0);
    assert!(matches!(of("jb motor").control, kreisel_dynamics::Control::Effort(_)));
    let close = w.joint_frames(w.joint_named("close").expect("the loop")).unwrap();
    assert!((close[0].point - Vec3::new(0.5, 0.0, 0.5)).length() < 1e-12);
}
