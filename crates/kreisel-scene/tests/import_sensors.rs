//! Sensors of MJCF beside MuJoCo's own.

use kreisel_dynamics::{Tolerance, World};
use kreisel_scene::{Code, Scene, parse};

const MODEL: &str = r#"<mujoco><compiler angle="radian"/><option timestep="1e-5"/><worldbody>
  <geom type="plane" size="5 5 .1" pos="0 0 -3" contype="0" conaffinity="0"/>
  <body name="upper" pos="0 0 0.5"><joint name="a" axis="0 1 0" damping="0.3"/>
    <geom type="box" size=".5 .05 .04" pos=".5 0 0" mass="2" contype="0" conaffinity="0"/>
    <site name="mid" pos=".4 .02 .01" euler="0.3 -0.2 0.5"/>
    <body name="lower" pos="1 0 0"><joint name="b" axis="0 0 1" ref="0.3" armature="0.01"/>
      <geom type="box" size=".25 .03 .05" pos=".25 0 0" mass="1" contype="0" conaffinity="0"/>
      <site name="tip" pos=".5 .01 -.02" euler="0.1 0.7 -0.4"/></body></body>
  <body name="post" pos="3 0 0.2"><geom name="post" type="sphere" size=".5"/></body>
  <site name="eye" pos="0 0.1 0.2" zaxis="1 0 0"/>
 </worldbody>
 <actuator><motor name="ma" joint="a"/><position name="pb" joint="b" kp="5"/></actuator>
 <sensor>
  <accelerometer name="acc" site="tip"/><gyro name="gyr" site="tip"/><velocimeter name="vel" site="tip"/>
  <force name="for" site="tip"/><torque name="tor" site="tip"/>
  <force name="forU" site="mid"/><torque name="torU" site="mid"/>
  <jointpos name="ja" joint="a"/><jointpos name="jb" joint="b"/><jointvel name="vb" joint="b"/>
  <jointactuatorfrc name="fa" joint="a"/><actuatorfrc name="fb" actuator="pb"/>
  <framepos name="fp" objtype="site" objname="tip"/>
  <framequat name="fq" objtype="site" objname="tip"/>
  <framexaxis name="fx" objtype="site" objname="tip"/><framezaxis name="fz" objtype="site" objname="tip"/>
  <framelinvel name="fl" objtype="site" objname="tip"/><frameangvel name="fw" objtype="site" objname="tip"/>
  <framelinvel name="flr" objtype="site" objname="tip" reftype="xbody" refname="upper"/>
  <framepos name="fpr" objtype="site" objname="tip" reftype="xbody" refname="upper"/>
  <frameangacc name="faa" objtype="site" objname="tip"/>
  <rangefinder name="ran" site="eye"/><clock name="clk"/>
 </sensor></mujoco>
"#;

fn scene(text: &str) -> Scene {
    parse("m.xml", text).unwrap_or_else(|e| panic!("{e}"))
}

fn value(world: &World, name: &str) -> Vec<f64> {
    let id = world.sensor_named(name).unwrap_or_else(|| panic!("there is no sensor {name}"));
    world.sensor_value(id).unwrap_or_else(|| panic!("{name} has no value")).to_vec()
}

/// `sensordata` of MuJoCo 4.0.0 (the wheel on PyPI) after `mj_forward` of this model with qpos
/// 0.4 0.9, qvel 1.1 −0.7 and ctrl 3 1.2. Means over a step of 1e-5 s stand for accelerations and
/// forces of that instant: they change by up to 65 a second
/// (MuJoCo's from step to step), which is 3.3e-4 in half a step.
#[test]
fn sensors_of_a_model_read_what_mujoco_reads() {
    let expected: [(&str, &[f64]); 23] = [
        ("acc", &[-2.097161439208, 6.231738058041, -8.43429740849]),
        ("gyr", &[0.580047489724, 1.150120740319, -0.201908871405]),
        ("vel", &[1.076890869187, -0.077133710824, -1.15926176789]),
        ("for", &[-2.407387055726, 3.936440407499, -6.141829573516]),
        ("tor", &[0.929945251918, -0.62308787331, -0.814537798509]),
        ("forU", &[-11.380088089279, 9.220174240325, 6.198710084678]),
        ("torU", &[1.800124213687, 4.457818587959, 0.800267001558]),
        ("ja", &[0.4]),
        ("jb", &[0.9]),
        ("vb", &[-0.7]),
        ("fa", &[3.0]),
        ("fb", &[1.5]),
        ("fp", &[1.288164146506, 0.290574592847, -0.066341154332]),
        ("fq", &[0.849045906845, -0.098539467471, 0.501734309326, 0.132942484803]),
        ("fx", &[0.461177957159, 0.12686728183, -0.878191086627]),
        ("fz", &[0.825790760001, 0.300732674623, 0.477105312391]),
        ("fl", &[-0.435629423442, -0.284914967905, -1.496189114541]),
        ("fw", &[-0.272592839616, 1.1, -0.644742695802]),
        ("flr", &[0.2034022149926, -0.2849149679046, -1.249000902703e-16]),
        ("fpr", &[1.407021382721, 0.290574592847, -0.02]),
        ("faa", &[2.381371033723, 10.443217383951, 7.609780150165]),
        ("ran", &[2.510102051443]),
        ("clk", &[0.0]),
    ];
    let mut scene = scene(MODEL);
    let robot = scene.robot.clone().unwrap();
    robot.place(&mut scene.world, &[0.4, 0.9], &[1.1, -0.7]).unwrap();
    robot.actuate(&mut scene.world, &[3.0, 1.2]).unwrap();
    let world = &mut scene.world;
    let mut settings = world.settings().clone();
    settings.tolerance = Tolerance { position: 1e-12, angle: 1e-12, ..settings.tolerance };
    world.set_settings(settings).unwrap();

    // positions and velocities at once, means after the step
    let before = world.clone();
    world.step(1e-5);
    for (name, expected) in expected {
        let id = world.sensor_named(name).unwrap_or_else(|| panic!("there is no sensor {name}"));
        let mean = world.sensor(id).unwrap().kind.is_mean();
        let mut found = value(if mean { world } else { &before }, name);
        if name == "fq" {
            // x, y, z, w
            found.rotate_right(1);
        }
        let within = if mean { 4e-4 } else { 1e-9 };
        assert_eq!(found.len(), expected.len(), "{name}");
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < within, "{name}: {found:?} for {expected:?}");
        }
    }
}

#[test]
fn sensors_that_have_no_counterpart_are_named() {
    let parts = r#"<touch name="t" site="s"/><framelinacc objtype="site" objname="s"/>
        <magnetometer site="s"/><subtreecom body="b"/><framepos objtype="body" objname="b"/>
        <force site="s"/><actuatorfrc actuator="m"/><jointpos joint="j" cutoff="0.5" noise="3"/>"#;
    let text = format!(
        r#"<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/><site name="s"/>
        <body name="c" pos="1 0 0"><joint name="j"/><geom size=".1"/></body></body></worldbody>
        <actuator><motor name="m" joint="j" gear="5"/></actuator><sensor>{parts}</sensor></mujoco>"#
    );
    let scene = scene(&text);
    let messages: Vec<String> = scene.warnings.iter().map(ToString::to_string).collect();
    let named = |words: &str| messages.iter().filter(|m| m.contains(words)).count();
    for words in [
        "site of <touch>",
        "<framelinacc>",
        "<magnetometer>",
        "<subtreecom>",
        "<framepos>",
        "<force>",
        "gear",
    ] {
        assert!(named(words) > 0, "{words}: {messages:?}");
    }
    // the touch sensor of the body, and the joint's, cut off and without noise
    assert_eq!(scene.world.sensors().count(), 2);
    let last = scene.world.sensors().last().and_then(|s| scene.world.sensor(s)).unwrap();
    assert_eq!((last.quality.saturation, last.quality.noise), (Some(0.5), 0.0));
    let unknown = text.replace("joint=\"j\" cutoff", "joint=\"k\" cutoff");
    let error = parse("m.xml", &unknown).map(|_| ()).unwrap_err();
    assert!(error.problems.iter().any(|p| p.code == Code::UnknownName));
}
