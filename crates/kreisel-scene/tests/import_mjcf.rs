//! MJCF models as MuJoCo means them: includes, contact bits, exclusions, meshes, fitted primitives,
//! actuators, warnings.

use kreisel_dynamics::{BodyId, Coordinate, Vec3, World};
use kreisel_scene::{Code, Options, Scene, SceneError, Simulation, parse_as};
use std::path::{Path, PathBuf};

/// A folder of this test with some files in it.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("import_mjcf").join(name);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn load(folder: &Path, file: &str) -> Result<Scene, SceneError> {
    kreisel_scene::load(folder.join(file))
}

fn parse(text: &str) -> Scene {
    parse_as("m.xml", text, &Options::default()).unwrap_or_else(|e| panic!("{:?}", e.problems))
}

fn named(world: &World, name: &str) -> BodyId {
    world.body_named(name).unwrap_or_else(|| panic!("there is no body {name}"))
}

/// Whether two bodies may meet by their groups and shapes.
fn meet(scene: &Scene, a: &str, b: &str) -> bool {
    let [a, b] = [a, b].map(|n| scene.world.body(named(&scene.world, n)).unwrap());
    let groups = a.groups.with & b.groups.member != 0 && b.groups.with & a.groups.member != 0;
    groups && a.shape.is_some() && b.shape.is_some()
}

const ROBOT: &str = r#"<mujoco model="robot">
  <compiler angle="radian"/>
  <default><default class="link"><geom contype="0" conaffinity="0"/></default></default>
  <worldbody>
    <body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom class="link" size="0.1"/></body>
  </worldbody>
  <actuator><motor joint="j"/></actuator>
</mujoco>"#;

#[test]
fn an_included_robot_is_there_with_its_defaults_and_actuators() {
    let scene = r#"<mujoco model="scene"><include file="robots/robot.xml"/>
        <worldbody><geom name="floor" type="plane" size="1 1 1"/></worldbody></mujoco>"#;
    let folder = folder("include", &[("scene.xml", scene), ("robots/robot.xml", ROBOT)]);
    let scene = load(&folder, "scene.xml").unwrap_or_else(|e| panic!("{:?}", e.problems));
    assert_eq!(
        (scene.world.bodies().count(), scene.world.joints().count(), scene.world.motors().count()),
        (2, 1, 1)
    );
    assert!(!meet(&scene, "floor", "arm"), "the class of the included file holds for its geoms");
    assert_eq!(scene.title.as_deref(), Some("scene"));
}

#[test]
fn paths_of_nested_includes_start_from_the_main_folder_or_their_own_and_problems_are_told_in_their_file()
 {
    let files = [
        ("main.xml", "<mujoco><include file=\"sub/a.xml\"/></mujoco>"),
        ("sub/a.xml", "<mujocoinclude>\n<include file=\"sub/b.xml\"/></mujocoinclude>"),
        (
            "sub/b.xml",
            "<mujoco>\n\n  <worldbody><body><joint range=\"a b\"/><geom size=\"1\"/></body></worldbody></mujoco>",
        ),
    ];
    let folder = folder("nested", &files);
    // MuJoCo 4.0 takes both: from the main folder, and from that of the including file.
    let own = "<mujocoinclude><include file=\"c.xml\"/></mujocoinclude>";
    self::folder(
        "nested",
        &[
            ("own.xml", "<mujoco><include file=\"sub/own.xml\"/></mujoco>"),
            ("sub/own.xml", own),
            ("sub/c.xml", ROBOT),
        ],
    );
    assert_eq!(load(&folder, "own.xml").map(|s| s.world.bodies().count()).ok(), Some(1));
    let error = load(&folder, "main.xml").unwrap_err();
    let problem = &error.problems[0];
    assert!(problem.source.name.ends_with("b.xml"), "{}", problem.source.name);
    assert_eq!((problem.line_column(), problem.code), ((3, 27), Code::WrongValue), "{problem}");
    assert_eq!(problem.source.excerpt(&problem.span), "range=\"a b\"");
}

#[test]
fn cycles_second_includes_and_missing_files_are_refused_with_their_place() {
    let twice = "<mujoco>\n<include file=\"r.xml\"/>\n<include file=\"r.xml\"/></mujoco>";
    let files = [
        ("a.xml", "<mujoco><include file=\"b.xml\"/></mujoco>"),
        ("b.xml", "<mujoco>\n  <include file=\"a.xml\"/></mujoco>"),
        ("twice.xml", twice),
        ("r.xml", ROBOT),
        ("missing.xml", "<mujoco>\n<include file=\"nowhere.xml\"/></mujoco>"),
        ("inner/out.xml", "<mujoco><include file=\"../r.xml\"/></mujoco>"),
    ];
    let folder = folder("refused", &files);
    let first = |file: &str| load(&folder, file).unwrap_err().problems.remove(0);
    let cycle = first("a.xml");
    assert_eq!((cycle.code, cycle.line_column().0), (Code::Cycle, 2));
    assert!(cycle.source.name.ends_with("b.xml"));
    assert_eq!(
        (first("twice.xml").code, first("twice.xml").line_column().0),
        (Code::DuplicateName, 3)
    );
    assert_eq!((first("missing.xml").code, first("missing.xml").line_column().0), (Code::File, 2));
    assert_eq!(first("inner/out.xml").code, Code::File, "outside of the scene's folder");
}

/// MuJoCo: (contype1 & conaffinity2) || (contype2 & conaffinity1).
#[test]
fn bodies_meet_by_the_rule_of_their_contact_bits() {
    let bits = [(0, 0), (1, 1), (1, 0), (0, 1), (2, 2), (2, 1), (4, 3), (3, 4)];
    let mut text = String::from("<mujoco><worldbody>");
    for (k, (t, a)) in bits.iter().enumerate() {
        text += &format!(
            "<body name=\"b{k}\" pos=\"{k} 0 0\"><freejoint/><geom size=\"0.1\" contype=\"{t}\" conaffinity=\"{a}\"/></body>"
        );
    }
    let scene = parse(&(text + "</worldbody></mujoco>"));
    for (i, a) in bits.iter().enumerate() {
        for (j, b) in bits.iter().enumerate().filter(|(j, _)| *j != i) {
            let expected = a.0 & b.1 != 0 || b.0 & a.1 != 0;
            assert_eq!(
                meet(&scene, &format!("b{i}"), &format!("b{j}")),
                expected,
                "{a:?} and {b:?}"
            );
        }
    }
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
}

#[test]
fn excluded_bodies_do_not_meet_and_others_still_do() {
    let scene = parse(
        r#"<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/></body>
        <body name="b" pos="1 0 1"><freejoint/><geom size="0.1"/></body>
        <body name="c" pos="2 0 1"><freejoint/><geom size="0.1"/></body></worldbody>
        <contact><exclude body1="a" body2="b"/><exclude body1="world" body2="c"/></contact></mujoco>"#,
    );
    assert!(!meet(&scene, "a", "b") && !meet(&scene, "floor", "c"));
    assert!(
        meet(&scene, "a", "c")
            && meet(&scene, "b", "c")
            && meet(&scene, "floor", "a")
            && meet(&scene, "floor", "b")
    );
}

#[test]
fn geoms_for_the_eye_only_do_not_stop_a_fall() {
    let fall = |bits: &str| {
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
            <body name="ball" pos="0 0 0.2"><freejoint/><geom size="0.1" {bits}/></body></worldbody></mujoco>"#
        );
        let scene = parse(&text);
        let mut run = Simulation::new(&scene);
        (0..250).for_each(|_| drop(run.step()));
        run.world.position(named(&run.world, "ball")).unwrap().z
    };
    // free fall over 0.5 s: 0.2 - g t² / 2
    assert!((fall("contype=\"0\" conaffinity=\"0\"") - (0.2 - 0.5 * 9.81 * 0.25)).abs() < 1e-9);
    assert!((fall("") - 0.1).abs() < 1e-3);
}

/// A box of 0.2 × 0.4 × 0.6 m as OBJ, its centre at (1, 0, 0).
const BOX: &str = "v 0.9 -0.2 -0.3\nv 1.1 -0.2 -0.3\nv 1.1 0.2 -0.3\nv 0.9 0.2 -0.3\nv 0.9 -0.2 0.3\nv 1.1 -0.2 0.3\nv 1.1 0.2 0.3\nv 0.9 0.2 0.3\nf 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 3 4 8\nf 3 8 7\nf 1 5 8\nf 1 8 4\nf 2 3 7\nf 2 7 6\n";

#[test]
fn a_mesh_is_named_by_its_file_up_to_the_last_dot_and_gives_mass() {
    let model = r#"<mujoco><compiler meshdir="assets"/><asset><mesh file="link_0.0.obj"/></asset>
        <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="link_0.0" density="500"/></body></worldbody></mujoco>"#;
    let folder = folder("stem", &[("m.xml", model), ("assets/link_0.0.obj", BOX)]);
    let scene = load(&folder, "m.xml").unwrap_or_else(|e| panic!("{:?}", e.problems));
    let mass = scene.world.body(named(&scene.world, "b")).unwrap().mass;
    // 500 kg/m³ · 0.2 · 0.4 · 0.6 m³
    assert!((mass.mass - 24.0).abs() < 1e-9 && mass.center.distance(Vec3::X) < 1e-12);
}

#[test]
fn primitives_are_fitted_to_meshes() {
    use kreisel_geometry::{Pose, query};
    let fitted = |geom: &str, compiler: &str| {
        let model = format!(
            r#"<mujoco>{compiler}<asset><mesh name="m" file="box.obj"/></asset><worldbody>
            <body name="b"><freejoint/><geom mesh="m" {geom}/></body></worldbody></mujoco>"#
        );
        let folder = folder(
            &format!("fitted {}", geom.len() + 100 * compiler.len()),
            &[("m.xml", &model), ("box.obj", BOX)],
        );
        let scene = load(&folder, "m.xml").unwrap_or_else(|e| panic!("{:?}", e.problems));
        let shape = scene.world.body(named(&scene.world, "b")).unwrap().shape.clone().unwrap();
        // Extent along an axis from the centre of the box: where a small ball far away would touch.
        move |axis: Vec3| {
            let ball = kreisel_geometry::Shape::Sphere { radius: 0.5 };
            let far = Pose::at(Vec3::X + 10.0 * axis);
            10.0 - 0.5 - query::distance(&shape, &Pose::IDENTITY, &ball, &far).unwrap().distance
        }
    };
    let near = |extent: &dyn Fn(Vec3) -> f64, expected: [f64; 3]| {
        for (axis, e) in Vec3::AXES.into_iter().zip(expected) {
            assert!((extent(axis) - e).abs() < 1e-6, "{axis}: {} instead of {e}", extent(axis));
        }
    };
    // The box of equal inertia of a box is itself.
    near(&fitted("type=\"box\"", ""), [0.1, 0.2, 0.3]);
    // z along the smallest moment, here the longest edge; the radius is the mean of the other half
    // edges.
    near(&fitted("type=\"cylinder\"", ""), [0.15, 0.15, 0.3]);
    near(&fitted("type=\"sphere\"", ""), [0.2, 0.2, 0.2]);
    near(&fitted("type=\"sphere\" fitscale=\"0.5\"", ""), [0.1, 0.1, 0.1]);
    let corner = 0.14_f64.sqrt();
    near(&fitted("type=\"sphere\"", "<compiler fitaabb=\"true\"/>"), [corner, corner, corner]);
}

#[test]
fn a_body_without_joints_is_part_of_its_parent() {
    let scene = parse(
        r#"<mujoco><worldbody><body name="a"><joint axis="0 1 0"/><geom type="box" size="0.1 0.1 0.1" mass="1"/>
        <body name="b" pos="1 0 0"><geom type="box" size="0.1 0.1 0.1" mass="3"/>
        <body name="c" pos="1 0 0"><joint axis="0 1 0"/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body></body></body>
        </worldbody></mujoco>"#,
    );
    assert_eq!((scene.world.bodies().count(), scene.world.joints().count()), (2, 2));
    let mass = scene.world.body(named(&scene.world, "a")).unwrap().mass;
    assert!(
        (mass.mass - 4.0).abs() < 1e-12 && mass.center.distance(Vec3::new(0.75, 0.0, 0.0)) < 1e-12
    );
    // Steiner: both cubes have m s² / 6, at 0.75 m and 0.25 m from the common centre
    let own = 4.0 * 0.04 / 6.0;
    let steiner = 1.0 * 0.75 * 0.75 + 3.0 * 0.25 * 0.25;
    assert!((mass.inertia.y_axis.y - own - steiner).abs() < 1e-12);
}

/// With the gear g a position actuator is a spring of g² kp on the coordinate, MuJoCo's kp (u - g
/// q) g.
#[test]
fn a_geared_position_actuator_holds_a_load_where_statics_say() {
    let scene = parse(
        r#"<mujoco><option timestep="0.001"/><worldbody><body name="b"><joint name="j" type="slide" axis="0 0 1" damping="20"/>
        <geom type="box" size="0.1 0.1 0.1" mass="2"/></body></worldbody>
        <actuator><position joint="j" kp="50" gear="2"/></actuator></mujoco>"#,
    );
    let mut run = Simulation::new(&scene);
    (0..5000).for_each(|_| drop(run.step()));
    let z = run.world.position(named(&run.world, "b")).unwrap().z;
    assert!((z + 2.0 * 9.81 / (50.0 * 4.0)).abs() < 1e-4, "{z}");
}

/// Spring, damper and rotor of a joint are the joint's own: (I + a) q'' = −k (q − r) − d q', whose
/// damped vibration is known.
#[test]
fn a_joint_has_the_spring_damper_and_rotor_of_the_model() {
    let scene = parse(
        r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0" timestep="0.001"/><worldbody><body name="b">
        <joint name="j" axis="0 0 1" stiffness="8" springref="0.5" damping="0.2" armature="0.06"/>
        <geom type="box" size=".1 .1 .1" mass="3"/></body></worldbody></mujoco>"#,
    );
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    let mut run = Simulation::new(&scene);
    (0..500).for_each(|_| drop(run.step()));
    let q = run.world.coordinate(run.world.joint_named("j").unwrap(), Coordinate::Angle).unwrap();
    // I = m (a² + b²)/12 of a cube of 0.2 m
    let inertia: f64 = 3.0 * 0.08 / 12.0 + 0.06;
    let decay = 0.2 / (2.0 * inertia);
    let omega = (8.0 / inertia - decay * decay).sqrt();
    let (t, r): (f64, f64) = (0.5, 0.5);
    let expected =
        r - r * (-decay * t).exp() * ((omega * t).cos() + decay / omega * (omega * t).sin());
    // a second-order step leads by (h ω)²/24 of the phase, of a swing of half a radian
    let lead = 0.5 * (0.001 * omega).powi(2) / 24.0 * omega * t;
    assert!((q - expected).abs() < 1.2 * lead, "{q} instead of {expected}");
}

#[test]
fn a_general_actuator_with_an_affine_bias_is_a_servo_and_the_reference_is_taken_away() {
    let scene = parse(
        r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><body name="b">
        <joint name="j" type="slide" axis="1 0 0" ref="0.3" range="0 1" damping="20"/>
        <geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody>
        <actuator><general joint="j" biastype="affine" gainprm="100" biasprm="0 -100 0" ctrlrange="0.5 1"/></actuator></mujoco>"#,
    );
    let joint = scene.world.joint(scene.world.joint_named("j").unwrap()).unwrap();
    assert!((joint.limits[0].min + 0.3).abs() < 1e-12 && (joint.limits[0].max - 0.7).abs() < 1e-12);
    let mut run = Simulation::new(&scene);
    (0..2500).for_each(|_| drop(run.step()));
    // control 0 is brought to 0.5, where the coordinate began at 0.3
    let x = run.world.position(named(&run.world, "b")).unwrap().x;
    assert!((x - 0.2).abs() < 1e-3, "{x}");
}

#[test]
fn a_body_whose_gravity_is_compensated_stays() {
    let scene = parse(
        r#"<mujoco><worldbody><body name="b" pos="0 0 1" gravcomp="1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#,
    );
    let mut run = Simulation::new(&scene);
    (0..500).for_each(|_| drop(run.step()));
    assert!((run.world.position(named(&run.world, "b")).unwrap().z - 1.0).abs() < 1e-9);
}

#[test]
fn what_is_dropped_is_named_once_for_each_kind_with_its_number() {
    let joints = |k: usize| {
        format!(
            "<body><joint name=\"j{k}\" margin=\"0.1\" range=\"-90 90\"/><geom size=\"0.1\" solref=\"0.01 1\"/></body>"
        )
    };
    let text = format!(
        "<mujoco>\n<worldbody>{}</worldbody>\n<tendon><spatial stiffness=\"1\"/></tendon>\n<equality><joint joint1=\"j1\"/></equality>
        <actuator><muscle/><general joint=\"j0\" dyntype=\"integrator\"/></actuator></mujoco>",
        (0..40).map(joints).collect::<String>()
    );
    let lenient = Options { lenient: true, ..Options::default() };
    let scene = parse_as("m.xml", &text, &lenient).unwrap();
    let with = |word: &str| {
        let found: Vec<_> = scene.warnings.iter().filter(|w| w.message.contains(word)).collect();
        assert_eq!(found.len(), 1, "{word}: {:?}", scene.warnings);
        found[0].message.clone()
    };
    for word in ["margin", "solref"] {
        assert!(with(word).contains("(40 places like this"), "{}", with(word));
    }
    for word in ["<spatial>", "<muscle>", "<general>"] {
        with(word);
    }
}

/// `<equality><joint>` is q₁ = Σ cₖ q₂ᵏ: with the inertias I of both and q₁ = −2 q₂ a torque T on
/// joint 2 gives q₂'' = T/(I₂ + 4 I₁). The boxes have 12 · I = m (a² + b²) = 2 · 0.02 kg m².
#[test]
fn an_equality_of_joints_couples_their_coordinates() {
    let text = r#"<mujoco><option gravity="0 0 0"/><worldbody>
        <body name="a"><joint name="ja" axis="0 0 1"/><geom type="box" size=".05 .05 .05" mass="2"/></body>
        <body name="b" pos="1 0 0"><joint name="jb" axis="0 0 1"/><geom type="box" size=".05 .05 .05" mass="2"/></body>
        </worldbody><actuator><motor joint="jb" ctrlrange="0.1 1" ctrllimited="true"/></actuator>
        <equality><joint joint1="ja" joint2="jb" polycoef="0 -2 0 0 0"/></equality></mujoco>"#;
    let scene = kreisel_scene::parse("model.xml", text).unwrap();
    let mut world = scene.world.clone();
    for _ in 0..100 {
        world.step(0.01);
    }
    let angle = |name| {
        let joint = world.joint_named(name).unwrap();
        world.coordinate(joint, Coordinate::Angle).unwrap()
    };
    let expected = 0.5 * 0.1 / (5.0 * 2.0 * 0.02 / 12.0);
    assert!((angle("jb") - expected).abs() < 1e-7, "{} for {expected}", angle("jb"));
    assert!((angle("ja") + 2.0 * angle("jb")).abs() < 1e-6);
    // what is saved is coupled again
    let saved = kreisel_scene::save(&scene, &world);
    let again = kreisel_scene::parse("saved.toml", &saved).unwrap();
    assert_eq!(again.world.constraints().count(), 1, "{saved}");
}

#[test]
fn an_equality_of_an_unknown_joint_is_an_error_with_its_name() {
    let text = r#"<mujoco><worldbody><body><joint name="ja"/><geom size=".1"/></body></worldbody>
        <equality><joint joint1="ja" joint2="jc"/></equality></mujoco>"#;
    let error = kreisel_scene::parse("model.xml", text).unwrap_err();
    assert!(error.to_string().contains("there is no joint \"jc\""), "{error}");
}
