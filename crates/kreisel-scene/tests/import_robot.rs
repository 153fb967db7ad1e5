//! Robots by the numbers of their MJCF files: coordinates, keyframes, controls, tendons, springs by
//! time constant, joints at sites, pairs of geoms. Expected values are closed forms.

use kreisel_dynamics::{BodyId, Control, Coordinate, JointId, Vec3, World};
use kreisel_scene::record::Changes;
use kreisel_scene::{Code, Scene, SceneError, Simulation, parse};

fn read(text: &str) -> Result<Scene, SceneError> {
    parse("m.xml", text)
}

fn scene(text: &str) -> Scene {
    read(text).unwrap_or_else(|e| {
        panic!("{:?}", e.problems.iter().map(ToString::to_string).collect::<Vec<_>>())
    })
}

fn body(world: &World, name: &str) -> BodyId {
    world.body_named(name).unwrap_or_else(|| panic!("there is no body {name}"))
}

fn joint(world: &World, name: &str) -> JointId {
    world.joint_named(name).unwrap_or_else(|| panic!("there is no joint {name}"))
}

fn angle(world: &World, name: &str) -> f64 {
    world.coordinate(joint(world, name), Coordinate::Angle).unwrap()
}

/// A cube of 2 kg and 0.1 m: I = m a²/6 about each axis.
const CUBE: &str = r#"<geom type="box" size=".05 .05 .05" mass="2" contype="0" conaffinity="0"/>"#;
const INERTIA: f64 = 2.0 * 0.01 / 6.0;

/// Two links of 1 m and 0.5 m in a plane, the second hinge counted from 0.3 rad.
const ARM: &str = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
    <body name="upper"><joint name="a" axis="0 0 1"/><geom type="box" size=".05 .05 .05" mass="2"/>
      <body name="lower" pos="1 0 0"><joint name="b" axis="0 0 1" ref="0.3" range="-9 9"/>
        <geom type="box" size=".05 .05 .05" pos=".5 0 0" mass="2"/></body></body>
    <body name="ball" pos="0 0 3"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <actuator><position joint="b" kp="10" gear="2" ctrlrange="-1 1"/><motor joint="a" gear="3"/></actuator>
  <keyframe>
    <key name="bent" qpos="0.4 1.0  1 2 3 0 1 0 0" qvel="0.5 -2  1 0 0 0 0 4" ctrl="5 2"/>
    <key name="wound" qpos="0.4 7.3  0 0 3 1 0 0 0"/>
  </keyframe></mujoco>"#;

/// The lower link starts where the first has turned by 0.4 rad, and is turned by 0.4 + 1 − 0.3; it
/// moves as its origin does, which turns with the first link, and about it.
#[test]
fn a_keyframe_places_bodies_by_the_coordinates_of_the_file() {
    let mut scene = scene(ARM);
    let robot = scene.robot.clone().unwrap();
    assert_eq!((robot.size(), robot.start().len()), ((9, 8), 9));
    assert!(robot.set_key(&mut scene.world, "bent").unwrap());
    let w = &scene.world;
    let lower = body(w, "lower");
    let elbow = Vec3::new(0.4_f64.cos(), 0.4_f64.sin(), 0.0);
    assert!(w.position(lower).unwrap().distance(elbow) < 1e-14);
    let turn: f64 = 0.4 + 1.0 - 0.3;
    let along = Vec3::new(turn.cos(), turn.sin(), 0.0);
    assert!((w.rotation(lower).unwrap() * Vec3::X).distance(along) < 1e-14);
    // ω = 0.5 − 2; the elbow moves with 0.5 × elbow, the centre at half a metre with −1.5 × along
    // more
    let spin = |rate: f64, arm: Vec3| Vec3::Z.cross(arm) * rate;
    let expected = spin(0.5, elbow) + spin(-1.5, along * 0.5);
    assert!(w.velocity(lower).unwrap().distance(expected) < 1e-14);
    assert!((angle(w, "b") - 0.7).abs() < 1e-14, "coordinates are 0 here in the pose of the file");

    // the free body: half a turn about x, and its spin along its own axes
    let ball = body(w, "ball");
    assert!(w.position(ball).unwrap().distance(Vec3::new(1.0, 2.0, 3.0)) < 1e-14);
    assert!(w.angular_velocity(ball).unwrap().distance(Vec3::new(0.0, 0.0, -4.0)) < 1e-14);

    // The control 5 is bound to 1, which is an angle of 1/2 behind the gear, counted from 0.3; the
    // motor's torque is 3 · 2.
    let value = |k: usize| match &w.motor(w.motors().nth(k).unwrap()).unwrap().control {
        Control::Effort(s) | Control::Servo { set: s, .. } | Control::Velocity(s) => s.at(0.0),
        other => other.schedule().at(0.0),
    };
    assert!((value(0) - (0.5 - 0.3)).abs() < 1e-14 && (value(1) - 6.0).abs() < 1e-14);
}

#[test]
fn a_keyframe_beyond_half_a_turn_keeps_its_turns() {
    let mut scene = scene(ARM);
    Changes { key: Some("wound".into()), ..Changes::default() }.apply(&mut scene).unwrap();
    assert!((angle(&scene.world, "b") - 7.0).abs() < 1e-12, "{}", angle(&scene.world, "b"));
    let unknown =
        Changes { key: Some("bend".into()), ..Changes::default() }.apply(&mut scene).unwrap_err();
    assert!(unknown.contains("bend") && unknown.contains("bent, wound"), "{unknown}");
}

#[test]
fn a_keyframe_of_the_wrong_size_is_refused_at_its_line() {
    let text = ARM.replace("qpos=\"0.4 7.3  0 0 3 1 0 0 0\"", "qpos=\"0.4 7.3\"");
    let problem = read(&text).unwrap_err().problems.remove(0);
    assert_eq!(problem.code, Code::WrongValue);
    assert!(
        problem.message.contains("takes 9 coordinates") && problem.message.contains("here are 2"),
        "{problem}"
    );
}

/// Two hinges of one body with one anchor are a universal joint: the same motion as a scene's own,
/// with friction of the air in neither. What the light link adds is 1e-7 of the inertia.
#[test]
fn two_hinges_of_one_body_move_as_a_universal_joint() {
    let inertial = r#"<inertial pos="0.3 0.1 -0.4" mass="1.5" diaginertia="0.02 0.03 0.04"/>"#;
    let model = scene(&format!(
        r#"<mujoco><option timestep="0.001"/><worldbody><body name="b">
           <joint axis="1 0 0"/><joint axis="0 1 0"/>{inertial}</body></worldbody></mujoco>"#
    ));
    let own = parse(
        "u.toml",
        r#"world = { step = 0.001, gravity = [0, 0, -9.81] }
           [[body]]
           name = "b"
           mass = 1.5
           center = [0.3, 0.1, -0.4]
           inertia = [0.02, 0.03, 0.04]
           [[joint]]
           type = "universal"
           bodies = ["world", "b"]
           axis = [1, 0, 0]
           axis2 = [0, 1, 0]"#,
    )
    .unwrap_or_else(|e| panic!("{:?}", e.problems));
    let end = |scene: &Scene| {
        let mut run = Simulation::new(scene);
        (0..500).for_each(|_| drop(run.step()));
        run.world.center_of_mass(body(&run.world, "b")).unwrap()
    };
    let (a, b) = (end(&model), end(&own));
    assert!(a.distance(Vec3::new(0.3, 0.1, -0.4)) > 0.1, "it swings");
    assert!(a.distance(b) < 1e-5, "{a} and {b}");
}

/// Every one of several hinges has a spring, a damper, a rotor and limits of its own.
#[test]
fn joints_of_one_body_keep_their_springs_dampers_rotors_and_limits() {
    let scene = scene(&format!(
        r#"<mujoco><compiler angle="radian"/><worldbody><body name="b">
           <joint name="x" axis="1 0 0" damping="0.1" stiffness="2"/>
           <joint name="y" axis="0 1 0" pos="0 0 1" armature="0.3" range="-1 2" frictionloss="0.5"/>{CUBE}
           </body></worldbody><actuator><motor name="m" joint="y"/></actuator></mujoco>"#
    ));
    let w = &scene.world;
    let [x, y] = ["x", "y"].map(|n| w.joint(joint(w, n)).unwrap());
    assert_eq!((x.passive[0].damping, x.passive[0].stiffness), (0.1, 2.0));
    assert_eq!((y.passive[0].armature, y.limits[0].min, y.limits[0].max), (0.3, -1.0, 2.0));
    assert_eq!(
        (y.friction[0].effort, w.motor(w.motor_named("m").unwrap()).unwrap().joint),
        (0.5, joint(w, "y"))
    );
    assert!(scene.warnings.iter().all(|p| p.code != Code::Unsupported), "{:?}", scene.warnings);
}

/// A force F along a tendon L = c₁q₁ + c₂q₂ turns joints of inertia I with cᵢF/I each.
#[test]
fn a_fixed_tendon_pulls_its_joints_by_their_factors() {
    let text = format!(
        r#"<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody>
           <body><joint name="p" axis="0 0 1"/>{CUBE}</body>
           <body pos="1 0 0"><joint name="q" axis="0 0 1"/>{CUBE}</body></worldbody>
           <tendon><fixed name="both"><joint joint="p" coef="0.5"/><joint joint="q" coef="-2"/></fixed></tendon>
           <actuator><motor tendon="both" gear="0.1" ctrlrange="-3 3"/></actuator>
           <keyframe><key name="pull" ctrl="0.02"/></keyframe></mujoco>"#
    );
    let mut scene = scene(&text);
    assert!(scene.robot.clone().unwrap().set_key(&mut scene.world, "pull").unwrap());
    let mut run = Simulation::new(&scene);
    (0..200).for_each(|_| drop(run.step()));
    let way = 0.5 * (0.02 * 0.1) / INERTIA * 0.2 * 0.2;
    for (name, factor) in [("p", 0.5), ("q", -2.0)] {
        let found = angle(&run.world, name);
        assert!(
            (found / (factor * way) - 1.0).abs() < 1e-5,
            "{name}: {found} for {}",
            factor * way
        );
    }
}

/// A spring of a tendon with stiffness k turns a joint of inertia I by the factor c as one of c²k.
#[test]
fn the_spring_of_a_tendon_swings_with_the_factor_squared() {
    let text = format!(
        r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0" timestep="0.001"/><worldbody>
           <body><joint name="p" axis="0 0 1" ref="0.2"/>{CUBE}</body></worldbody>
           <tendon><fixed name="t" stiffness="0.5"><joint joint="p" coef="0.4"/></fixed></tendon>
           <keyframe><key name="off" qpos="0.3"/></keyframe></mujoco>"#
    );
    let mut scene = scene(&text);
    scene.robot.clone().unwrap().set_key(&mut scene.world, "off").unwrap();
    let mut run = Simulation::new(&scene);
    let omega = (0.16 * 0.5 / INERTIA).sqrt();
    (0..1000).for_each(|_| drop(run.step()));
    let expected = 0.1 * omega.cos();
    assert!(
        (angle(&run.world, "p") - expected).abs() < 1e-5,
        "{} for {expected}",
        angle(&run.world, "p")
    );
}

/// kv = 2 ζ √(kp I), with the inertia behind the gear; k = I/(T ζ)² and d = 2 I/T.
#[test]
fn damping_ratios_and_time_constants_are_those_of_the_inertia_that_is_felt() {
    let scene = scene(&format!(
        r#"<mujoco><worldbody>
           <body><joint name="p" axis="0 0 1" armature="0.1"/>{CUBE}</body>
           <body pos="1 0 0"><joint name="q" axis="0 0 1" springdamper="0.2 0.7"/>{CUBE}</body></worldbody>
           <actuator><position name="m" joint="p" kp="50" dampratio="0.8" gear="2"/></actuator></mujoco>"#
    ));
    let w = &scene.world;
    let Control::Servo { pid, .. } = &w.motor(w.motor_named("m").unwrap()).unwrap().control else {
        panic!("no servo")
    };
    let felt = (INERTIA + 0.1) / 4.0;
    let kv = 2.0 * 0.8 * (50.0 * felt).sqrt();
    assert!((pid.gain - 200.0).abs() < 1e-9);
    assert!(
        (pid.derivative_time - kv / 50.0).abs() < 1e-9,
        "{} for {}",
        pid.derivative_time,
        kv / 50.0
    );
    let spring = &w.joint(joint(w, "q")).unwrap().passive[0];
    assert!((spring.stiffness - INERTIA / (0.14 * 0.14)).abs() < 1e-9, "{}", spring.stiffness);
    assert!((spring.damping - 2.0 * INERTIA / 0.2).abs() < 1e-9);
}

#[test]
fn an_equality_at_sites_joins_them_and_a_pair_of_geoms_meets() {
    let text = r#"<mujoco><worldbody>
        <geom name="floor" type="plane" size="1 1 1" contype="0" conaffinity="0"/>
        <body name="a" pos="0 0 1"><freejoint/><geom name="foot" size=".1" contype="0" conaffinity="0"/>
          <site name="s" pos=".5 0 0"/></body>
        <body name="b" pos="1 0 1"><freejoint/><geom size=".1" contype="0" conaffinity="0"/>
          <frame pos="-.5 0 0"><site name="t"/></frame></body></worldbody>
        <equality><connect name="hook" site1="s" site2="t"/></equality>
        <contact><pair geom1="floor" geom2="foot"/></contact></mujoco>"#;
    let scene = scene(text);
    let hook = scene.world.joint(joint(&scene.world, "hook")).unwrap();
    assert!(
        hook.anchors.iter().all(|p| p.distance(Vec3::new(0.5, 0.0, 1.0)) < 1e-14),
        "{:?}",
        hook.anchors
    );
    let mut run = Simulation::new(&scene);
    (0..500).for_each(|_| drop(run.step()));
    let height = |name| run.world.position(body(&run.world, name)).unwrap().z;
    assert!(height("a") > 0.09, "the foot stands on the floor: {}", height("a"));
    assert!(height("b") < 0.08, "the other, of radius 0.1, has no pair and sinks: {}", height("b"));
    let unknown = read(&text.replace("site2=\"t\"", "site2=\"u\"")).unwrap_err();
    assert_eq!(unknown.problems[0].code, Code::UnknownName);
}

/// Shortcuts build on what the classes say, of their own kind and of <general>: gain and slopes as
/// MuJoCo 4.0 prints them for this model (gainprm[0], biasprm[1], biasprm[2]).
#[test]
fn actuators_take_over_gain_and_bias_of_their_classes() {
    let scene = scene(&format!(
        r#"<mujoco><default><general gainprm="7" biasprm="1 -3 -4" biastype="affine"/>
             <default class="v"><velocity kv="5"/></default><default class="p"><position kp="9" kv="2"/></default></default>
           <worldbody><body><joint name="j"/>{CUBE}</body></worldbody>
           <actuator><motor name="0" joint="j"/><position name="1" joint="j"/><velocity name="2" joint="j"/>
             <general name="3" joint="j" class="v"/><general name="4" joint="j" class="p"/>
             <position name="5" joint="j" class="v"/><velocity name="6" joint="j" class="p"/></actuator></mujoco>"#
    ));
    let w = &scene.world;
    let found = |name: &str| match &w.motor(w.motor_named(name).unwrap()).unwrap().control {
        Control::Servo { target: kreisel_dynamics::Target::Position, pid, .. } => {
            (pid.gain, pid.gain * pid.derivative_time)
        }
        Control::Servo { pid, .. } => (0.0, pid.gain),
        _ => (0.0, 0.0),
    };
    let expected =
        [(0.0, 0.0), (7.0, 4.0), (0.0, 7.0), (0.0, 5.0), (9.0, 2.0), (7.0, 4.0), (0.0, 7.0)];
    for (k, (stiffness, damping)) in expected.into_iter().enumerate() {
        let (s, d) = found(&k.to_string());
        assert!((s - stiffness).abs() < 1e-12 && (d - damping).abs() < 1e-12, "{k}: {s} and {d}");
    }
}

/// A ball on a string of 0.3 m falls and hangs from it; on a spring of 50 N/m it swings about
/// m g / k below the length at which the spring rests, with √(k/m).
#[test]
fn a_tendon_between_two_sites_is_a_string_or_a_spring() {
    let text = |tendon: &str| {
        format!(
            r#"<mujoco><option timestep="0.001"/><worldbody><site name="top" pos="0 0 2"/>
               <body name="ball" pos="0 0 1.8"><joint name="z" type="slide" axis="0 0 1"/>
                 <geom size=".02" mass="0.5" contype="0" conaffinity="0"/><site name="eye"/></body></worldbody>
               <tendon><spatial name="string" {tendon}><site site="top"/><site site="eye"/></spatial></tendon></mujoco>"#
        )
    };
    let run = |tendon: &str, steps: usize| {
        let scene = scene(&text(tendon));
        let mut run = Simulation::new(&scene);
        (0..steps).for_each(|_| drop(run.step()));
        run.world.position(body(&run.world, "ball")).unwrap().z
    };
    let hangs = run(r#"limited="true" range="0 0.3""#, 1000);
    assert!((hangs - 1.7).abs() < 1e-5, "{hangs}");
    // A string of 0.15 m is longer than that at the start, 0.2 m: it holds the ball where it is.
    let held = run(r#"limited="true" range="0 0.15""#, 1000);
    assert!((held - 1.8).abs() < 1e-5, "{held}");
    let (sag, omega): (f64, f64) = (0.5 * 9.81 / 50.0, (50.0_f64 / 0.5).sqrt());
    let swings = run(r#"stiffness="50""#, 100);
    assert!((swings - (1.8 - sag * (1.0 - (0.1 * omega).cos()))).abs() < 1e-5, "{swings}");
}

/// A hinge with a range from 0.5 to 2 rad starts at 0.5, with a warning, and not with the speed
/// that a jump to its limit would give it; one with a partner that it follows stays.
#[test]
fn a_pose_beyond_limits_starts_at_them() {
    let text = format!(
        r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
           <body name="b"><joint name="j" axis="0 0 1" range="0.5 2"/>{CUBE}
             <body name="c" pos="1 0 0"><joint name="k" axis="0 0 1" range="-1 1"/>{CUBE}</body></body>
           <body name="d" pos="3 0 0"><joint name="l" axis="0 0 1" range="0.1 1"/>{CUBE}</body>
           <body name="e" pos="4 0 0"><joint name="m" axis="0 0 1"/>{CUBE}</body></worldbody>
           <equality><joint joint1="l" joint2="m"/></equality></mujoco>"#
    );
    let scene = scene(&text);
    let w = &scene.world;
    assert_eq!([angle(w, "k"), angle(w, "l")], [0.0, 0.0]);
    assert!((angle(w, "j") - 0.5).abs() < 1e-14);
    let elbow = Vec3::new(0.5_f64.cos(), 0.5_f64.sin(), 0.0);
    assert!(w.position(body(w, "c")).unwrap().distance(elbow) < 1e-14);
    assert!(
        scene.warnings.iter().any(|p| p.message.contains("beyond the limits of \"j\"")),
        "{:?}",
        scene.warnings
    );
    let mut run = Simulation::new(&scene);
    (0..100).for_each(|_| drop(run.step()));
    assert!((angle(&run.world, "j") - 0.5).abs() < 1e-9, "{}", angle(&run.world, "j"));
}
