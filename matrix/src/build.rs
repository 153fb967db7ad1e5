//! Building a case: a base mechanism with two elements.

use crate::base::{Base, Kind};
use crate::case::{Case, Gap, Judge, Keep, Probe, body, minus, plus, vector};
use crate::element::{ALL, BALL, Element};
use crate::reference::{
    Anchor, Coordinate, Law, Link, Mass, Motion, Row, Schedule, System, Time, Vector,
};
use std::fmt::Write as _;

/// What holds a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// The hinge or slider of the base.
    Plain,
    /// A ball joint.
    Ball,
    /// A universal joint.
    Universal,
    /// Nothing moves.
    Fixed,
    /// A rod of 0.3 m.
    Distance,
    /// A rope of 0.35 m, slack at the start.
    Rope,
    /// A `[[constraint]]` of type hinge.
    HingeConstraint,
    /// A `[[constraint]]` of type point-to-point.
    PointConstraint,
    /// A `[[constraint]]` of type distance, 0.3 m.
    DistanceConstraint,
}

/// What the elements ask of the mechanism before it is built.
pub struct Plan {
    /// The base.
    pub base: Base,
    /// How each link is held.
    pub forms: Vec<Form>,
    /// Keys that can be given only once, with the link.
    pub taken: Vec<(&'static str, usize)>,
    /// Whether bodies collide.
    pub contact: bool,
    /// Which links collide.
    pub collide: Vec<bool>,
    /// The kinematic body under the first link.
    pub drive: Option<Element>,
}

/// A link in the making.
#[derive(Clone, Debug)]
pub struct Site {
    /// Number of the link in the base.
    pub at: usize,
    /// Hinge or slider.
    pub kind: Kind,
    /// Number of its coordinate.
    pub link: usize,
    /// Name of its body.
    pub body: String,
    /// Name of its joint.
    pub joint: String,
    /// Centre of mass at the start.
    pub center: Vector,
    /// Its end.
    pub tip: Vector,
    /// Coordinates (by bits) that turn it.
    pub turns: u32,
}

/// A case in the making.
pub struct Build {
    /// The mechanism.
    pub system: System,
    /// Words of joints, by link.
    pub joints: Vec<String>,
    /// Words of other items.
    pub items: String,
    /// What is compared.
    pub probes: Vec<Probe>,
    /// What joints keep.
    pub gaps: Vec<Gap>,
    /// Lines for `[world]`.
    pub world: String,
    /// Height of the ground.
    pub floor: f64,
    /// Materials of the bodies that collide.
    pub material: String,
}

const UP: Vector = [0.0, 0.0, 1.0];
/// Moments of inertia of a link.
const INERTIA: Vector = [0.01, 0.085, 0.085];

impl Build {
    /// A point of the world.
    pub fn world(&self, point: Vector) -> Anchor {
        Anchor { link: None, point }
    }

    /// Adds a row.
    pub fn row(&mut self, coordinate: Coordinate, law: Law) {
        self.system.rows.push(Row { coordinate, law });
    }

    /// Adds a force along a coordinate.
    pub fn force(
        &mut self,
        coordinate: Coordinate,
        f: impl Fn(Time, f64, f64) -> f64 + Send + Sync + 'static,
    ) {
        self.row(coordinate, Law::Force(Box::new(f)));
    }

    /// Adds a force of the world at a point.
    pub fn push(&mut self, at: Anchor, f: impl Fn(Time) -> Vector + Send + Sync + Copy + 'static) {
        for k in [0, 2] {
            let way: Vector = std::array::from_fn(|l| if l == k { 1.0 } else { 0.0 });
            self.force(Coordinate::Along(way, self.world([0.0; 3]), at, 0.0), move |t, _, _| {
                f(t)[k]
            });
        }
    }

    /// Adds the words of a motor.
    pub fn motor(&mut self, s: &Site, keys: &str) {
        let _ = write!(self.items, "\n[[motor]]\njoint = \"{}\"\n{keys}\n", s.joint);
    }

    /// Gives the ground and what meets it a material.
    pub fn ground(&mut self, share: f64, mu: f64) {
        self.world = format!(
            "ground = {{ height = {:?}, restitution = {share:?}, friction = {mu:?} }}\n",
            self.floor
        );
        self.material = format!("restitution = {share:?}\nfriction = {mu:?}\n");
    }
}

/// The case of a base with an element on its first and others on its last link; nothing where they
/// do not go together.
pub fn case(base: Base, first: usize, others: &[usize]) -> Option<Case> {
    let links = base.places.len();
    let mut plan = Plan {
        base,
        forms: vec![Form::Plain; links],
        taken: Vec::new(),
        contact: false,
        collide: vec![false; links],
        drive: None,
    };
    let a = ALL[first].1;
    let others: Vec<(&str, Element)> = others.iter().map(|&k| ALL[k]).collect();
    if !a.plan(&mut plan, 0) || !others.iter().all(|(_, b)| b.plan(&mut plan, links - 1)) {
        return None;
    }
    // one ground has one material
    let grounds = std::iter::once(a).chain(others.iter().map(|o| o.1));
    let mut grounds = grounds.filter(|e| matches!(e, Element::Contact(..)));
    let ground = grounds.next();
    if grounds.any(|e| Some(e) != ground) {
        return None;
    }
    let mut build = Build {
        system: System { gravity: [0.0, 0.0, -9.81], ..System::default() },
        joints: vec![String::new(); links],
        items: String::new(),
        probes: Vec::new(),
        gaps: Vec::new(),
        world: String::new(),
        floor: -0.45,
        material: String::new(),
    };
    let mut sites = Vec::new();
    let mut carrier: Option<(String, usize, Vector)> = drive(&plan, &mut build);
    let mut shift = [0.0; 3];
    for at in 0..links {
        let site = link(&plan, &mut build, at, carrier.as_ref(), &mut shift);
        carrier = Some((site.body.clone(), site.link, site.center));
        sites.push(site);
    }
    if base.closed {
        close(&mut build, &sites[links - 1]);
    }
    a.apply(&mut build, &sites[0]);
    for (_, b) in &others {
        b.apply(&mut build, &sites[links - 1]);
    }

    // bodies are written last: their velocities follow from all links, their materials from the
    // elements
    let mut text = String::new();
    for (at, s) in sites.iter().enumerate() {
        let ball = vector(minus(s.tip, s.center));
        let material = if plan.collide[at] { build.material.as_str() } else { "collide = false\n" };
        let extra = format!("shape = {{ sphere = {BALL}, position = {ball} }}\n{material}");
        let mass = build.system.links[s.link].mass?;
        body(&mut text, &s.body, &mass, &extra, &build.system, s.link);
    }
    let joints: String = build.joints.concat();
    let mut name = format!("{} · {}", base.name, ALL[first].0);
    for (other, _) in &others {
        name += &format!(" · {other}");
    }
    Some(Case {
        name,
        text: format!("{}{text}{joints}{}", drive_text(&plan), build.items),
        world: build.world,
        system: build.system,
        probes: build.probes,
        gaps: build.gaps,
        contact: plan.contact,
        judge: Judge::Motion,
        times: vec![0.2, 0.4, 0.6],
    })
}

/// Velocity of a base that travels, m/s.
const TRAVEL: Vector = [0.4, 0.0, 0.3];
/// Speed of a base that turns about -y, rad/s, and the point it turns about.
const TURN: (f64, Vector) = (1.5, [-0.4, 0.0, 0.0]);

fn drive_text(plan: &Plan) -> String {
    let motion = match plan.drive {
        Some(Element::Travel) => format!("position = [0, 0, 0]\nvelocity = {}", vector(TRAVEL)),
        Some(_) => format!("position = {}\nangular_velocity = [0, {}, 0]", vector(TURN.1), -TURN.0),
        None => return String::new(),
    };
    format!(
        "\n[[body]]\nname = \"base\"\nkind = \"kinematic\"\nshape = {{ sphere = 0.05 }}\ncollide = false\n{motion}\n"
    )
}

/// The links of a kinematic body.
fn drive(plan: &Plan, build: &mut Build) -> Option<(String, usize, Vector)> {
    let slide = |axis: Vector, rate: f64, parent: Option<usize>| Link {
        parent,
        motion: Motion::Slide,
        axis,
        point: [0.0; 3],
        rate,
        mass: None,
    };
    match plan.drive? {
        Element::Travel => {
            build.system.links.push(slide([1.0, 0.0, 0.0], TRAVEL[0], None));
            build.system.links.push(slide(UP, TRAVEL[2], Some(0)));
            build.row(Coordinate::Link(0), Law::Hold(Schedule::constant(TRAVEL[0])));
            build.row(Coordinate::Link(1), Law::Hold(Schedule::constant(TRAVEL[2])));
            Some(("base".into(), 1, [0.0; 3]))
        }
        _ => {
            build.system.links.push(Link {
                motion: Motion::Turn,
                axis: [0.0, -1.0, 0.0],
                point: TURN.1,
                ..slide(UP, TURN.0, None)
            });
            build.row(Coordinate::Link(0), Law::Hold(Schedule::constant(TURN.0)));
            Some(("base".into(), 0, TURN.1))
        }
    }
}

/// Adds a link with its joint.
fn link(
    plan: &Plan,
    build: &mut Build,
    at: usize,
    carrier: Option<&(String, usize, Vector)>,
    shift: &mut Vector,
) -> Site {
    let place = plan.base.places[at];
    let (name, joint) = (format!("b{}", at + 1), format!("j{}", at + 1));
    let under = carrier.map(|c| c.1);
    let hold = plus(place.anchor, *shift);
    let form = plan.forms[at];
    // rods and ropes put the body at a distance
    let away = match form {
        Form::Distance | Form::DistanceConstraint => 0.3,
        Form::Rope => 0.25,
        _ => 0.0,
    };
    *shift = plus(*shift, [away, 0.0, 0.0]);
    let (anchor, center, tip) =
        (plus(place.anchor, *shift), plus(place.center, *shift), plus(place.tip, *shift));
    let mass = Mass { mass: 1.0, center, inertia: INERTIA };

    // coordinates: one, or three of a body that only a rod or rope holds
    let first = build.system.links.len();
    let turn = Link {
        parent: under,
        motion: Motion::Turn,
        axis: place.axis,
        point: anchor,
        rate: 0.0,
        mass: Some(mass),
    };
    if away > 0.0 {
        let free =
            Link { motion: Motion::Slide, axis: [1.0, 0.0, 0.0], mass: None, parent: None, ..turn };
        build.system.links.push(free);
        build.system.links.push(Link { axis: UP, parent: Some(first), ..free });
        build.system.links.push(Link { point: center, parent: Some(first + 1), ..turn });
    } else {
        let motion = if place.kind == Kind::Hinge { Motion::Turn } else { Motion::Slide };
        build.system.links.push(Link { motion, ..turn });
    }
    let link = build.system.links.len() - 1;

    // conditions that the coordinates do not hold by themselves
    let ends = [Anchor { link: under, point: hold }, Anchor { link: Some(link), point: anchor }];
    match form {
        Form::Distance | Form::DistanceConstraint => {
            build.row(Coordinate::Distance(ends[0], ends[1]), Law::Hold(Schedule::constant(0.0)));
        }
        Form::Rope => build.row(Coordinate::Slack(0.35, ends[0], ends[1]), Law::Stop(0.0)),
        Form::Fixed => build.row(Coordinate::Link(link), Law::Hold(Schedule::constant(0.0))),
        _ => {}
    }
    let keep = match form {
        Form::Distance | Form::DistanceConstraint => Keep::Distance(0.3),
        Form::Rope => Keep::Rope(0.35),
        _ if place.kind == Kind::Slider => Keep::Line(place.axis),
        _ => Keep::Point,
    };
    build.gaps.push(Gap {
        bodies: [carrier.map(|c| (c.0.clone(), c.2)), Some((name.clone(), center))],
        points: [hold, anchor],
        keep,
    });
    build.probes.push(Probe { body: name.clone(), origin: center, link });
    build.joints[at] = joint_text(plan, at, &joint, carrier, &name, [hold, anchor], center);

    // which coordinates turn the body
    let mut turns = 0;
    let mut up = Some(link);
    while let Some(k) = up {
        if build.system.links[k].motion == Motion::Turn {
            turns |= 1 << k;
        }
        up = build.system.links[k].parent;
    }
    Site { at, kind: place.kind, link, body: name, joint, center, tip, turns }
}

/// The words of a joint or constraint.
fn joint_text(
    plan: &Plan,
    at: usize,
    name: &str,
    carrier: Option<&(String, usize, Vector)>,
    body: &str,
    points: [Vector; 2],
    center: Vector,
) -> String {
    let place = plan.base.places[at];
    let holder = carrier.map_or("world", |c| c.0.as_str());
    let head = format!("\n[[joint]]\nname = \"{name}\"\nbodies = [\"{holder}\", \"{body}\"]\n");
    // a joint to the world must not keep the body from meeting the ground
    let collide = if plan.contact && holder == "world" { "collide = true\n" } else { "" };
    let axis = vector(place.axis);
    let one = format!("at = {}\n", vector(points[0]));
    let two = format!("at = [{}, {}]\n", vector(points[0]), vector(points[1]));
    let first = |p: Vector| match carrier {
        Some((b, _, origin)) => {
            format!("{{ body = \"{b}\", point = {} }}", vector(minus(p, *origin)))
        }
        None => format!("{{ fixed = {} }}", vector(p)),
    };
    let second =
        |p: Vector| format!("{{ body = \"{body}\", point = {} }}", vector(minus(p, center)));
    let constraint = |kind: &str, connectors: String| {
        format!(
            "\n[[constraint]]\nname = \"{name}\"\ntype = \"{kind}\"\nconnectors = [{connectors}]\n"
        )
    };
    match plan.forms[at] {
        Form::Plain => {
            let kind = if place.kind == Kind::Hinge { "hinge" } else { "slider" };
            format!("{head}type = \"{kind}\"\n{one}axis = {axis}\n{collide}")
        }
        Form::Ball => format!("{head}type = \"ball\"\n{one}{collide}"),
        Form::Universal => {
            format!("{head}type = \"universal\"\n{one}axis = {axis}\naxis2 = [0, 0, 1]\n{collide}")
        }
        Form::Fixed => format!("{head}type = \"fixed\"\n{one}{collide}"),
        Form::Distance => format!("{head}type = \"distance\"\n{two}{collide}"),
        Form::Rope => format!("{head}type = \"rope\"\n{two}length = 0.35\n{collide}"),
        Form::HingeConstraint => {
            let beside = plus(points[0], place.axis);
            let list =
                [first(points[0]), first(beside), second(points[1]), second(beside)].join(", ");
            constraint("hinge", list)
        }
        Form::PointConstraint => {
            constraint("point-to-point", [first(points[0]), second(points[1])].join(", "))
        }
        Form::DistanceConstraint => {
            constraint("distance", [first(points[0]), second(points[1])].join(", "))
        }
    }
}

/// Keeps the last tip on its height.
fn close(build: &mut Build, s: &Site) {
    let _ = write!(
        build.items,
        "\n[[joint]]\nname = \"loop\"\nbodies = [\"world\", \"{}\"]\ntype = \"plane\"\nat = {}\naxis = [0, 0, 1]\n",
        s.body,
        vector(s.tip)
    );
    let tip = Anchor { link: Some(s.link), point: s.tip };
    build.row(
        Coordinate::Along(UP, build.world(s.tip), tip, 0.0),
        Law::Hold(Schedule::constant(0.0)),
    );
}
