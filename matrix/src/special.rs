//! Cases of their own: what the audit found, beyond pairs on links.

use crate::case::{Case, Judge, Probe, body};
use crate::reference::{
    Anchor, Coordinate, Law, Link, Mass, Motion, Row, Schedule, System, Vector,
};
use std::fmt::Write as _;

/// How many there are.
pub const COUNT: usize = 9;

const GRAVITY: Vector = [0.0, 0.0, -9.81];
const DOWN_TO: Vector = [0.0, -1.0, 0.0];

fn link(
    parent: Option<usize>,
    motion: Motion,
    axis: Vector,
    point: Vector,
    mass: Option<Mass>,
) -> Link {
    Link { parent, motion, axis, point, rate: 0.0, mass }
}

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        robot(),
        sprung(3000.0),
        sprung(10_000.0),
        elastic_limit(),
        touching_boxes(),
        free_damper(500.0),
        free_damper(4e4),
        sliding_box(0.0),
        sliding_box(2.0),
    ]
}

/// Six hinges, each moved by a servo with gain 400 and damping 40.
fn robot() -> Case {
    let mut system = System { gravity: GRAVITY, ..System::default() };
    let (mut text, mut joints, mut motors, mut probes) =
        (String::new(), String::new(), String::new(), Vec::new());
    for i in 0..6_usize {
        let f = i as f64;
        let axis = match i {
            0 => [0.0, 0.0, 1.0],
            3 | 5 => [1.0, 0.0, 0.0],
            _ => [0.0, 1.0, 0.0],
        };
        let at = [0.0, 0.0, 0.3 * f];
        // a box of 0.08, 0.08 and 0.3 m
        let m = 5.0 - 0.7 * f;
        let side = m * (0.0064 + 0.09) / 12.0;
        let mass = Mass {
            mass: m,
            center: [0.0, 0.0, 0.3 * f + 0.15],
            inertia: [side, side, m * 0.0128 / 12.0],
        };
        system.links.push(link(i.checked_sub(1), Motion::Turn, axis, at, Some(mass)));
        let target = 0.2 * (f + 1.0);
        let effort = move |_, x: f64, v: f64| 400.0 * (target - x) - 40.0 * v;
        system
            .rows
            .push(Row { coordinate: Coordinate::Link(i), law: Law::Force(Box::new(effort)) });
        let under = if i == 0 { "world".to_owned() } else { format!("l{}", i - 1) };
        let _ = write!(
            joints,
            "\n[[joint]]\nname = \"j{i}\"\ntype = \"hinge\"\n\
             bodies = [\"{under}\", \"l{i}\"]\nat = {at:?}\naxis = {axis:?}\n"
        );
        let _ = write!(
            motors,
            "\n[[motor]]\njoint = \"j{i}\"\nservo = {{ position = {target:?}, gain = 400, derivative_time = 0.1 }}\n"
        );
        probes.push(Probe { body: format!("l{i}"), origin: mass.center, link: i });
    }
    for i in 0..6 {
        if let Some(mass) = system.links[i].mass {
            body(&mut text, &format!("l{i}"), &mass, "", &system, i);
        }
    }
    Case {
        probes,
        ..case(
            "6R arm · servos 400/40",
            [text, joints, motors].concat(),
            system,
            vec![0.2, 0.4, 0.6],
        )
    }
}

/// A case that is judged by its motion.
fn case(name: &str, text: String, system: System, times: Vec<f64>) -> Case {
    Case {
        name: name.into(),
        text,
        world: String::new(),
        system,
        probes: Vec::new(),
        gaps: Vec::new(),
        contact: false,
        judge: Judge::Motion,
        times,
    }
}

/// A mass on a damped spring on a wheel that stands on the ground.
fn sprung(c: f64) -> Case {
    let top = Mass { mass: 250.0, center: [0.0, 0.0, 0.8], inertia: [1.6; 3] };
    let wheel = Mass { mass: 25.0, center: [0.0, 0.0, 0.3], inertia: [0.9; 3] };
    let up = [0.0, 0.0, 1.0];
    let mut system = System { gravity: GRAVITY, ..System::default() };
    system.links.push(link(None, Motion::Slide, up, [0.0; 3], Some(top)));
    system.links.push(link(None, Motion::Slide, up, [0.0; 3], Some(wheel)));
    let ends = [
        Anchor { link: Some(0), point: top.center },
        Anchor { link: Some(1), point: wheel.center },
    ];
    let effort = move |_, l: f64, v: f64| -40_000.0 * (l - 0.5) - c * v;
    system.rows.push(Row {
        coordinate: Coordinate::Distance(ends[0], ends[1]),
        law: Law::Force(Box::new(effort)),
    });
    system.rows.push(Row { coordinate: Coordinate::Above(1, 0.0), law: Law::Stop(0.0) });
    let mut text = String::new();
    body(&mut text, "top", &top, "shape = { box = [0.2, 0.2, 0.2] }", &system, 0);
    body(&mut text, "wheel", &wheel, "shape = { sphere = 0.3 }", &system, 1);
    let _ = write!(
        text,
        "\n[[spring]]\nbodies = [\"top\", \"wheel\"]\nat = [[0, 0, 0.8], [0, 0, 0.3]]\n\
         stiffness = 40000\ndamping = {c}\n"
    );
    let probes = vec![
        Probe { body: "top".into(), origin: top.center, link: 0 },
        Probe { body: "wheel".into(), origin: wheel.center, link: 1 },
    ];
    let world = "ground = 0\n".to_owned();
    let name = format!("sprung mass on the ground · damping {c}");
    Case { probes, world, contact: true, ..case(&name, text, system, vec![0.2, 1.0, 2.0]) }
}

/// An arm of 1 kg and 1 m on a hinge.
fn arm(center: Vector, point: Vector) -> (Mass, Link) {
    let mass = Mass { mass: 1.0, center, inertia: [0.02 / 12.0, 1.01 / 12.0, 1.01 / 12.0] };
    (mass, link(None, Motion::Turn, DOWN_TO, point, Some(mass)))
}

/// A pendulum that falls against an elastic limit for 30 s: its energy stays.
fn elastic_limit() -> Case {
    let (mass, link) = arm([0.5, 0.0, 0.0], [0.0; 3]);
    let system = System { links: vec![link], gravity: GRAVITY, ..System::default() };
    let mut text = String::new();
    body(&mut text, "a", &mass, "", &system, 0);
    text += "\n[[joint]]\ntype = \"hinge\"\nbodies = [\"world\", \"a\"]\naxis = [0, -1, 0]\n\
             limits = { angle = { min = \"-60 deg\", max = 2, restitution = 1 } }\n";
    // it falls by 60 degrees: m g/2 sin 60°
    let swing = 9.81 * 0.5 * 0.75_f64.sqrt();
    Case { judge: Judge::Energy(swing), ..case("elastic limit · 30 s", text, system, vec![30.0]) }
}

/// Two boxes end to end, linked by a hinge constraint: the second swings, whatever their faces do.
fn touching_boxes() -> Case {
    let (mass, link) = arm([1.0, 0.0, 0.0], [0.5, 0.0, 0.0]);
    let system = System { links: vec![link], gravity: GRAVITY, ..System::default() };
    let shape = "shape = { box = [1, 0.1, 0.1] }";
    let mut text = format!("\n[[body]]\nname = \"a\"\nkind = \"static\"\n{shape}\n");
    body(&mut text, "b", &mass, shape, &system, 0);
    text += "\n[[constraint]]\nname = \"h\"\ntype = \"hinge\"\n\
             connectors = [{ body = \"a\", point = [0.5, 0, 0] }, { body = \"a\", point = [0.5, 1, 0] }, \
             { body = \"b\", point = [-0.5, 0, 0] }, { body = \"b\", point = [-0.5, 1, 0] }]\n";
    let probes = vec![Probe { body: "b".into(), origin: mass.center, link: 0 }];
    Case {
        probes,
        contact: true,
        ..case("boxes end to end · hinge constraint", text, system, vec![0.2, 0.4, 0.6])
    }
}

/// A free body on one damped spring.
fn free_damper(c: f64) -> Case {
    let mass = Mass { mass: 1.0, center: [0.5, 0.0, 0.0], inertia: [0.001, 0.085, 0.085] };
    let mut system = System { gravity: GRAVITY, ..System::default() };
    system.links.push(link(None, Motion::Slide, [0.0, 0.0, 1.0], [0.0; 3], Some(mass)));
    let above = Anchor { link: None, point: [0.5, 0.0, 1.0] };
    let body_end = Anchor { link: Some(0), point: mass.center };
    let effort = move |_, l: f64, v: f64| -100.0 * (l - 1.0) - c * v;
    system.rows.push(Row {
        coordinate: Coordinate::Distance(above, body_end),
        law: Law::Force(Box::new(effort)),
    });
    let mut text = String::new();
    body(&mut text, "a", &mass, "", &system, 0);
    let _ = write!(
        text,
        "\n[[spring]]\nbodies = [\"world\", \"a\"]\nat = [[0.5, 0, 1], [0.5, 0, 0]]\nstiffness = 100\ndamping = {c}\n"
    );
    let probes = vec![Probe { body: "a".into(), origin: mass.center, link: 0 }];
    Case { probes, ..case(&format!("free body · damper {c}"), text, system, vec![0.2, 0.4, 0.6]) }
}

/// A box that slides on the ground with friction, drawn by a level spring with damping.
fn sliding_box(c: f64) -> Case {
    let mass = Mass { mass: 1.0, center: [0.0, 0.0, 0.1], inertia: [0.04 / 6.0; 3] };
    let mut system = System { gravity: GRAVITY, ..System::default() };
    let slide = link(None, Motion::Slide, [1.0, 0.0, 0.0], [0.0; 3], Some(mass));
    system.links.push(Link { rate: 1.5, ..slide });
    // low and soft enough that the box neither tips nor lifts: the normal force is the weight
    let end = Anchor { link: None, point: [-2.0, 0.0, 0.1] };
    let own = Anchor { link: Some(0), point: mass.center };
    let effort = move |_, l: f64, v: f64| -30.0 * (l - 2.0) - c * v;
    system.rows.push(Row {
        coordinate: Coordinate::Distance(end, own),
        law: Law::Force(Box::new(effort)),
    });
    let rub = Law::Bounded(Schedule::constant(0.0), 0.4 * 9.81);
    system.rows.push(Row { coordinate: Coordinate::Link(0), law: rub });
    let mut text = String::new();
    body(&mut text, "a", &mass, "shape = { box = [0.2, 0.2, 0.2] }\nfriction = 0.4", &system, 0);
    let _ = write!(
        text,
        "\n[[spring]]\nbodies = [\"world\", \"a\"]\nat = [[-2, 0, 0.1], [0, 0, 0.1]]\nstiffness = 30\ndamping = {c}\n"
    );
    let probes = vec![Probe { body: "a".into(), origin: mass.center, link: 0 }];
    let world = "ground = { height = 0, friction = 0.4 }\n".to_owned();
    let name = format!("box rubbing on the ground · spring, damping {c}");
    Case { probes, world, contact: true, ..case(&name, text, system, vec![0.2, 0.4, 0.6]) }
}
