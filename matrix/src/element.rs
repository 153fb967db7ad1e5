//! The kinds of elements: for each the words of a scene and the row of the integrator, from the
//! same numbers.

use crate::base::Kind;
use crate::build::{Build, Form, Plan, Site};
use crate::case::{minus, plus, vector};
use crate::reference::{Anchor, Coordinate, Law, Schedule, Time};
use std::fmt::Write as _;

/// What is put on a link or into its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// Nothing.
    None,
    /// Another joint in the place of the hinge.
    Joint(Form),
    /// A spring from the tip to the world: stiffness, damping, whether its force is constant over a
    /// step.
    Spring(f64, f64, bool),
    /// A servo: on the rate or the place, gain, derivative time.
    Servo(bool, f64, f64),
    /// A motor that holds a rate, which rises from rest to 1.5 in 0.3 s.
    Velocity,
    /// A motor that holds 2 with at most 5.5.
    Saturated,
    /// A constant effort.
    Effort,
    /// An effort that rises from 0 to 8 in 0.4 s.
    Ramp,
    /// A servo on the place with an integral part.
    Integral,
    /// Spring and damper of the joint itself.
    Passive(f64, f64),
    /// A rotor that turns or slides with the coordinate: its inertia.
    Rotor(f64),
    /// Dry friction of the joint.
    Friction,
    /// A lower bound of the coordinate, with restitution.
    Limit(f64),
    /// A controller of type spring.
    ControllerSpring,
    /// A controller of type pid, without integral part.
    ControllerPid,
    /// A controller of type vector.
    ControllerVector,
    /// A force over a span of time.
    Outer,
    /// A medium that takes speed.
    Drag,
    /// A field that attracts to a point.
    Radial,
    /// A field of gravity.
    Gravity,
    /// A ball at the tip that meets the ground: restitution and friction.
    Contact(f64, f64),
    /// A one-sided formula that keeps the tip above a height.
    OneSided,
    /// The mechanism stands on a kinematic body that travels.
    Travel,
    /// The mechanism stands on a kinematic body that turns.
    Turntable,
}

/// All elements with their names.
pub const ALL: &[(&str, Element)] = &[
    ("nothing", Element::None),
    ("ball", Element::Joint(Form::Ball)),
    ("universal", Element::Joint(Form::Universal)),
    ("fixed", Element::Joint(Form::Fixed)),
    ("distance", Element::Joint(Form::Distance)),
    ("rope", Element::Joint(Form::Rope)),
    ("hinge constraint", Element::Joint(Form::HingeConstraint)),
    ("point-to-point constraint", Element::Joint(Form::PointConstraint)),
    ("distance constraint", Element::Joint(Form::DistanceConstraint)),
    ("one-sided constraint", Element::OneSided),
    ("spring", Element::Spring(40.0, 0.0, false)),
    ("damped spring", Element::Spring(40.0, 4.0, false)),
    ("stiff damper", Element::Spring(100.0, 500.0, false)),
    ("constant spring", Element::Spring(40.0, 0.0, true)),
    ("velocity servo", Element::Servo(true, 2.0, 0.0)),
    ("stiff velocity servo", Element::Servo(true, 100.0, 0.0)),
    ("servo", Element::Servo(false, 30.0, 0.1)),
    ("stiff servo", Element::Servo(false, 300.0, 0.0)),
    ("stiff damped servo", Element::Servo(false, 300.0, 0.1)),
    ("integral servo", Element::Integral),
    ("sprung joint", Element::Passive(40.0, 2.0)),
    ("stiffly damped joint", Element::Passive(0.0, 500.0)),
    ("rotor", Element::Rotor(0.5)),
    ("velocity motor", Element::Velocity),
    ("bounded motor", Element::Saturated),
    ("effort", Element::Effort),
    ("effort ramp", Element::Ramp),
    ("friction", Element::Friction),
    ("limit", Element::Limit(0.0)),
    ("elastic limit", Element::Limit(1.0)),
    ("spring controller", Element::ControllerSpring),
    ("pid controller", Element::ControllerPid),
    ("vector controller", Element::ControllerVector),
    ("outer force", Element::Outer),
    ("drag field", Element::Drag),
    ("radial field", Element::Radial),
    ("gravity field", Element::Gravity),
    ("contact", Element::Contact(0.0, 0.0)),
    ("bouncing contact", Element::Contact(0.7, 0.0)),
    ("rubbing contact", Element::Contact(0.0, 0.5)),
    ("travelling base", Element::Travel),
    ("turning base", Element::Turntable),
];

/// Radius of the ball at a tip, m.
pub const BALL: f64 = 0.05;

impl Element {
    /// Whether it drives or limits the coordinate of the joint.
    fn needs_coordinate(self) -> bool {
        use Element as E;
        matches!(
            self,
            E::Servo(..)
                | E::Integral
                | E::Passive(..)
                | E::Rotor(_)
                | E::Velocity
                | E::Saturated
                | E::Effort
                | E::Ramp
                | E::Friction
                | E::Limit(_)
        )
    }

    /// Takes its place in the plan of a mechanism; false where it has none or another element has
    /// it.
    pub fn plan(self, plan: &mut Plan, at: usize) -> bool {
        let hinge = plan.base.places[at].kind == Kind::Hinge;
        let once = |key: &'static str, plan: &mut Plan| {
            let free = !plan.taken.contains(&(key, at));
            plan.taken.push((key, at));
            free
        };
        match self {
            Self::Joint(form) => {
                plan.forms[at] = form;
                once("form", plan) && hinge && !plan.taken.contains(&("coordinate", at))
            }
            Self::Friction => once("friction", plan) && self.coordinate(plan, at),
            Self::Passive(..) => once("passive", plan) && self.coordinate(plan, at),
            Self::Rotor(_) => once("rotor", plan) && self.coordinate(plan, at),
            Self::Limit(_) => once("limit", plan) && self.coordinate(plan, at),
            // two motors on one coordinate that both hold a rate contradict each other
            Self::Velocity => once("velocity", plan) && self.coordinate(plan, at),
            Self::Contact(..) => {
                plan.contact = true;
                plan.collide[at] = true;
                once("contact", plan)
            }
            Self::Travel | Self::Turntable => {
                plan.drive = Some(self);
                at == 0 && !plan.base.closed && once("drive", plan)
            }
            _ => !self.needs_coordinate() || self.coordinate(plan, at),
        }
    }

    fn coordinate(self, plan: &mut Plan, at: usize) -> bool {
        plan.taken.push(("coordinate", at));
        !plan.taken.contains(&("form", at))
    }

    /// Writes its words and its rows.
    pub fn apply(self, b: &mut Build, s: &Site) {
        let tip = Anchor { link: Some(s.link), point: s.tip };
        let local = vector(minus(s.tip, s.center));
        let own = Coordinate::Link(s.link);
        let connector = format!("{{ body = \"{}\", point = {local} }}", s.body);
        match self {
            Self::None | Self::Joint(_) | Self::Travel | Self::Turntable => {}
            Self::Spring(k, c, constant) => {
                let above = plus(s.tip, [0.0, 0.0, 1.0]);
                let mode = if constant { "mode = \"constant\"\n" } else { "" };
                let _ = write!(
                    b.items,
                    "\n[[spring]]\nbodies = [\"world\", \"{}\"]\nat = [{}, {}]\nstiffness = {k}\ndamping = {c}\n{mode}",
                    s.body,
                    vector(above),
                    vector(s.tip)
                );
                b.force(Coordinate::Distance(b.world(above), tip), move |_, l, v| {
                    -k * (l - 1.0) - c * v
                });
            }
            Self::Servo(velocity, gain, derivative) => {
                let target = if s.kind == Kind::Hinge { 0.5 } else { 0.2 };
                let what = if velocity { "velocity" } else { "position" };
                let lead = if derivative > 0.0 {
                    format!(", derivative_time = {derivative}")
                } else {
                    String::new()
                };
                b.motor(s, &format!("servo = {{ {what} = {target}, gain = {gain}{lead} }}"));
                if velocity {
                    b.force(own, move |_, _, v| gain * (target - v));
                } else {
                    b.force(own, move |_, x, v| gain * (target - x - derivative * v));
                }
            }
            Self::Integral => {
                let target = if s.kind == Kind::Hinge { 0.5 } else { 0.2 };
                b.motor(
                    s,
                    &format!(
                        "servo = {{ position = {target}, gain = 30, derivative_time = 0.1, \
                         integral_time = 0.25 }}"
                    ),
                );
                b.force(own, move |_, x, v| 30.0 * (target - x - 0.1 * v));
                b.row(own, Law::Wound(30.0 / 0.25, target));
            }
            Self::Passive(k, d) => {
                let rest = if s.kind == Kind::Hinge { 0.3 } else { 0.1 };
                let spring = if k > 0.0 {
                    format!("stiffness = {k}\nrest = {rest}\n")
                } else {
                    String::new()
                };
                let _ = writeln!(b.joints[s.at], "{spring}damping = {d}");
                b.force(own, move |_, x, v| k * (rest - x) - d * v);
            }
            Self::Rotor(inertia) => {
                let _ = writeln!(b.joints[s.at], "armature = {inertia}");
                b.system.rotors.push((s.link, inertia));
            }
            Self::Velocity => {
                b.motor(s, "velocity = { points = [[0, 0], [0.3, 1.5]] }");
                b.row(own, Law::Hold(Schedule(vec![(0.0, 0.0), (0.3, 1.5)])));
                b.system.corners.push(0.3);
            }
            Self::Saturated => {
                b.motor(s, "velocity = 2\nmax_effort = 5.5");
                b.row(own, Law::Bounded(Schedule::constant(2.0), 5.5));
            }
            Self::Effort => {
                b.motor(s, "effort = 3");
                b.force(own, |_, _, _| 3.0);
            }
            Self::Ramp => {
                b.motor(s, "effort = { points = [[0, 0], [0.4, 8]] }");
                b.force(own, |t, _, _| if t.within < 0.4 { 20.0 * t.t } else { 8.0 });
                b.system.corners.push(0.4);
            }
            Self::Friction => {
                let name = if s.kind == Kind::Hinge { "angle" } else { "position" };
                let _ = writeln!(b.joints[s.at], "friction = {{ {name} = 2 }}");
                b.row(own, Law::Bounded(Schedule::constant(0.0), 2.0));
            }
            Self::Limit(share) => {
                let (name, bound) =
                    if s.kind == Kind::Hinge { ("angle", -0.4) } else { ("position", -0.12) };
                let _ = writeln!(
                    b.joints[s.at],
                    "limits = {{ {name} = {{ min = {bound}, restitution = {share:?} }} }}"
                );
                b.row(Coordinate::Above(s.link, bound), Law::Stop(share));
            }
            Self::ControllerSpring => {
                let above = plus(s.tip, [0.0, 0.0, 1.0]);
                let _ = write!(
                    b.items,
                    "\n[[controller]]\ntype = \"spring\"\nconnectors = [{{ fixed = {} }}, {connector}]\n\
                     stiffness = 40\ndamping = 1\n",
                    vector(above)
                );
                b.force(Coordinate::Distance(b.world(above), tip), |_, l, v| -40.0 * (l - 1.0) - v);
            }
            Self::ControllerPid => {
                let goal = plus(s.tip, [-0.2, 0.0, 0.3]);
                let _ = write!(
                    b.items,
                    "\n[[controller]]\ntype = \"pid\"\nconnectors = [{connector}, {{ fixed = {} }}]\n\
                     position = 30\nvelocity = 3\n",
                    vector(goal)
                );
                for way in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] {
                    let along = Coordinate::Along(way, b.world(goal), tip, 0.0);
                    b.force(along, |_, x, v| -30.0 * x - 3.0 * v);
                }
            }
            Self::ControllerVector => {
                let _ = write!(
                    b.items,
                    "\n[[controller]]\ntype = \"vector\"\nconnectors = [{connector}]\n\
                     force = [1, 0, 3]\nactive = true\n"
                );
                b.push(tip, |_| [1.0, 0.0, 3.0]);
            }
            Self::Outer => {
                let _ = write!(
                    b.items,
                    "\n[[force]]\nbody = \"{}\"\nforce = [1, 0, 5]\nat = {local}\nfrom = 0.1\nuntil = 0.4\n",
                    s.body
                );
                let on = |t: Time| if t.within > 0.1 && t.within < 0.4 { 1.0 } else { 0.0 };
                b.push(tip, move |t| [on(t), 0.0, 5.0 * on(t)]);
                b.system.corners.extend([0.1, 0.4]);
            }
            Self::Drag => {
                b.items += "\n[[field]]\ntype = \"friction\"\nstrength = 2\n";
                b.system.drag += 2.0;
            }
            Self::Radial => {
                b.items +=
                    "\n[[field]]\ntype = \"radial\"\nstrength = -4\ncenter = [0.3, 0, -1.5]\n";
                let center = b.world([0.3, 0.0, -1.5]);
                let bodies: Vec<Anchor> = b
                    .probes
                    .iter()
                    .map(|p| Anchor { link: Some(p.link), point: p.origin })
                    .collect();
                for body in bodies {
                    b.force(Coordinate::Distance(center, body), |_, r, _| -4.0 / r);
                }
            }
            Self::Gravity => {
                b.items += "\n[[field]]\ntype = \"gravity\"\ngravity = [2, 0, 1]\n";
                b.system.gravity = plus(b.system.gravity, [2.0, 0.0, 1.0]);
            }
            Self::Contact(share, mu) => {
                b.ground(share, mu);
                let stop = b.system.rows.len();
                let up = Coordinate::Along([0.0, 0.0, 1.0], b.world([0.0; 3]), tip, b.floor + BALL);
                b.row(up, Law::Stop(share));
                if mu > 0.0 {
                    b.row(Coordinate::Roll(tip, BALL, s.turns), Law::Rub(stop, mu));
                }
            }
            Self::OneSided => {
                let floor = s.tip[2] - 0.3;
                let _ = write!(
                    b.items,
                    "\n[[constraint]]\ntype = \"expression\"\nconnectors = [{connector}]\n\
                     formulas = [\"z1 - ({floor:?})\"]\n\
                     one_sided = true\n"
                );
                b.row(
                    Coordinate::Along([0.0, 0.0, 1.0], b.world([0.0; 3]), tip, floor),
                    Law::Stop(0.0),
                );
            }
        }
    }
}
