//! `[[motor]]`, its servo, and values over time.

use crate::property::codec::{
    Codec, Listed, Nested, Number, OrNone, Ref, Size, Text, Unlimited, WordOf, Written,
};
use crate::property::table_macro::table;
use crate::property::{Choice, Described, Fault, Form, Value};
use kreisel_dynamics::{
    Control, Coordinate, Cylinder, Interpolation, JointId, JointKind, Motor, Muscle, Pid, Schedule,
    Target, Winding, World,
};
use std::any::Any;

table! {
    /// A motor on a coordinate of a joint; exactly one of `effort`, `velocity`, `servo`,
    /// `electric`, `muscle`, `hydraulic` and `brake`. A value over time is a number or
    /// `{ points = [[t, value], …], interpolation = "linear" }`.
    static MOTOR: Motor = "motor", "[[motor]]", Item;
    blank Motor::new(JointId::NONE, Coordinate::Angle, Control::Effort(Schedule::constant(0.0)));
    choices &[Choice::exactly_one(&[
        "effort", "velocity", "servo", "electric", "muscle", "hydraulic", "brake",
    ])];
    {
    /// unique name; default "motor 1", …
    name: Text = it.name;
    /// the joint it drives; another one is driven by the coordinate that it has
    joint: Driven = { get: |it| Some((it.joint, it.coordinate)), set: |it, x| drive(it, x) }
        => .required();
    /// what it drives; default the angle where the joint has one, else the position
    coordinate: WordOf<Coordinate> = it.coordinate;
    /// gives this torque or force
    effort: OverTime = it.control as Control::Effort => .unit_of(effort, "N m or N");
    /// holds this rate with at most `max_effort`
    velocity: OverTime = it.control as Control::Velocity => .unit_of(rate, "rad/s or m/s");
    /// follows a set value with a PID controller
    servo: Nested<Servo> = {
        get: |it| Servo::of(&it.control),
        set: |it, s| it.control = Control::Servo { target: s.target, set: s.set, pid: s.pid }
    } => .unit_of(value, "");
    /// turns by the voltage on its winding: a direct-current motor
    electric: Nested<Electric> = {
        get: |it| Electric::of(&it.control),
        set: |it, s| it.control = Control::Electric { voltage: s.voltage, winding: s.winding }
    } => .unit_of(volt, "V");
    /// pulls as a muscle by its excitation
    muscle: Nested<Fibre> = {
        get: |it| Fibre::of(&it.control),
        set: |it, f| it.control = Control::Muscle { excitation: f.excitation, muscle: f.muscle }
    } => .unit_of(no_unit, "");
    /// moves as a hydraulic cylinder by the opening of its valve
    hydraulic: Nested<Hydraulic> = {
        get: |it| Hydraulic::of(&it.control),
        set: |it, c| it.control = Control::Hydraulic { valve: c.valve, cylinder: c.cylinder }
    } => .unit_of(no_unit, "");
    /// brakes: its damping, N m s/rad or N s/m
    brake: OverTime = it.control as Control::Damper => .unit_of(damping, "N m s/rad or N s/m");
    /// time constant with which it follows what it is told, from the first value on; default 0
    lag: Number = it.lag => .unit("s").not_negative();
    /// largest effort; default none
    max_effort: Unlimited = it.max_effort => .unit_of(effort, "N m or N").not_negative();
    }
}

/// Another joint is driven by the coordinate that it has; the same one as before.
fn drive(it: &mut Motor, (joint, natural): (JointId, Coordinate)) {
    if it.joint != joint {
        (it.joint, it.coordinate) = (joint, natural);
    }
}

/// A servo: the content of [`Control::Servo`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Servo {
    target: Target,
    set: Schedule,
    pid: Pid,
}

impl Servo {
    fn of(control: &Control) -> Option<Self> {
        let Control::Servo { target, set, pid } = control else { return None };
        Some(Self { target: *target, set: set.clone(), pid: *pid })
    }

    /// The set value, if it is one of this target.
    fn set(&self, target: Target) -> Option<Schedule> {
        (self.target == target).then(|| self.set.clone())
    }
}

table! {
    /// A PID controller; exactly one of `position` and `velocity`.
    static SERVO: Servo = "servo", "servo", Nested;
    blank Servo { target: Target::Position, set: Schedule::constant(0.0), pid: Pid::pd(0.0, 0.0) };
    choices &[Choice::exactly_one(&["position", "velocity"])];
    {
    /// set value of the coordinate, an angle or in m
    position: OverTime = {
        get: |it| it.set(Target::Position),
        set: |it, s| (it.target, it.set) = (Target::Position, s)
    } => .outer_unit();
    /// set value of its rate, an angular velocity or in m/s
    velocity: OverTime = {
        get: |it| it.set(Target::Velocity),
        set: |it, s| (it.target, it.set) = (Target::Velocity, s)
    } => .outer_rate();
    /// effort per unit of error: N m/rad, N/m, …
    gain: Number = it.pid.gain => .required();
    /// default none (no integral part)
    integral_time: Unlimited = it.pid.integral_time => .unit("s").positive();
    /// 0 is no derivative part
    derivative_time: Number = it.pid.derivative_time => .unit("s").not_negative();
    /// past steps that the integral covers: makes the servo the discrete controller of the thesis,
    /// sampled once a step; without it the servo acts continuously, its integral over all of its
    /// past
    window: OrNone<Size> = it.pid.window => .within(0.0, 1e6);
    }
}

/// An electric motor: the content of [`Control::Electric`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Electric {
    voltage: Schedule,
    winding: Winding,
}

impl Electric {
    fn of(control: &Control) -> Option<Self> {
        let Control::Electric { voltage, winding } = control else { return None };
        Some(Self { voltage: voltage.clone(), winding: *winding })
    }
}

table! {
    /// The winding of a direct-current motor: L di/dt = U - R i - K rate, effort K i.
    static ELECTRIC: Electric = "electric", "electric", Nested;
    blank Electric {
        voltage: Schedule::constant(0.0),
        winding: Winding { constant: 0.0, resistance: 0.0, inductance: 0.0 },
    };
    {
    /// voltage on the winding
    voltage: OverTime = it.voltage => .outer_unit().required();
    /// K: effort by current, N m/A or N/A, and voltage by rate, V s/rad or V s/m
    constant: Number = it.winding.constant => .required();
    /// R, ohm
    resistance: Number = it.winding.resistance => .unit("ohm").positive().required();
    /// L, henry
    inductance: Number = it.winding.inductance => .unit("H").not_negative();
    }
}

/// A muscle: the content of [`Control::Muscle`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fibre {
    excitation: Schedule,
    muscle: Muscle,
}

impl Fibre {
    fn of(control: &Control) -> Option<Self> {
        let Control::Muscle { excitation, muscle } = control else { return None };
        Some(Self { excitation: excitation.clone(), muscle: *muscle })
    }
}

table! {
    /// A muscle after Hill: it pulls with force (a FL FV + FP) by its activation a, its length and
    /// its speed.
    static FIBRE: Fibre = "muscle", "muscle", Nested;
    blank Fibre { excitation: Schedule::constant(0.0), muscle: Muscle::new(0.0, 0.0) };
    {
    /// excitation, from 0 to 1
    excitation: OverTime = it.excitation => .outer_unit().required();
    /// largest isometric force
    force: Number = it.muscle.force => .unit("N").positive().required();
    /// length of the fibre at which it pulls best
    optimal: Number = it.muscle.optimal => .unit("m").positive().required();
    /// length that is not the fibre's: that of its tendon
    slack: Number = it.muscle.slack => .unit("m");
    /// length for a unit of the coordinate: 1 on a length, the lever arm (m) on an angle
    arm: Number = it.muscle.arm;
    /// normalised length below which it does not pull actively
    shortest: Number = it.muscle.shortest;
    /// normalised length above which it does not pull actively
    longest: Number = it.muscle.longest;
    /// largest speed of shortening, optimal lengths per second
    fastest: Number = it.muscle.fastest => .unit("1/s").positive();
    /// passive force at its longest, in terms of `force`
    passive: Number = it.muscle.passive => .not_negative();
    /// force while it is stretched fast, in terms of `force`
    eccentric: Number = it.muscle.eccentric;
    /// time constants of activation and deactivation
    times: Listed<Number, 2, 2> = it.muscle.times => .unit("s").not_negative();
    }
}

/// A hydraulic cylinder: the content of [`Control::Hydraulic`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hydraulic {
    valve: Schedule,
    cylinder: Cylinder,
}

impl Hydraulic {
    fn of(control: &Control) -> Option<Self> {
        let Control::Hydraulic { valve, cylinder } = control else { return None };
        Some(Self { valve: valve.clone(), cylinder: *cylinder })
    }
}

table! {
    /// A hydraulic cylinder: the valve's share of the flow moves it, the pressure bounds its force;
    /// a closed valve holds it.
    static HYDRAULIC: Hydraulic = "hydraulic", "hydraulic", Nested;
    blank Hydraulic {
        valve: Schedule::constant(0.0),
        cylinder: Cylinder { area: 0.0, rod_area: f64::NAN, pressure: 0.0, flow: 0.0 },
    };
    {
    /// opening of the valve, from -1 (in) to 1 (out)
    valve: OverTime = it.valve => .outer_unit().required();
    /// area of the piston
    area: Number = {
        get: |it| Some(it.cylinder.area),
        set: |it, x| {
            let own = it.cylinder.rod_area;
            it.cylinder.rod_area = if own.is_nan() { x } else { own };
            it.cylinder.area = x;
        }
    } => .unit("m²").positive().required();
    /// area on the side of the rod; default that of the piston
    rod_area: Number = {
        get: |it| Some(it.cylinder.rod_area).filter(|x| !x.is_nan()),
        set: |it, x| it.cylinder.rod_area = x
    } => .unit("m²").positive();
    /// largest pressure
    pressure: Number = it.cylinder.pressure => .unit("Pa").positive().required();
    /// largest flow
    flow: Number = it.cylinder.flow => .unit("m³/s").positive().required();
    }
}

table! {
    /// Points in rising order of time; constant before the first and after the last.
    static SCHEDULE: Schedule = "schedule", "a value over time", Nested;
    blank Schedule::linear(Vec::new());
    check |s, _| {
        let falls = s.points.windows(2).position(|w| w[1].0 < w[0].0);
        falls.map_or(Ok(()), |k| {
            Err(Fault::new("the times of points must rise").under(0).under(k + 1).under("points"))
        })
    };
    {
    /// the points
    points: Listed<Point, 1, 1_000_000> = it.points => .outer_unit().required();
    /// what happens between them
    interpolation: WordOf<Interpolation> = it.interpolation;
    }
}

fn turns(item: &dyn Any) -> bool {
    let coordinate = item.downcast_ref::<Motor>().map(|m| m.coordinate);
    !matches!(coordinate, Some(Coordinate::Position | Coordinate::Length))
}

fn effort(item: &dyn Any, _: &World) -> &'static str {
    if turns(item) { "N m" } else { "N" }
}

fn rate(item: &dyn Any, _: &World) -> &'static str {
    if turns(item) { "rad/s" } else { "m/s" }
}

fn volt(_: &dyn Any, _: &World) -> &'static str {
    "V"
}

fn damping(item: &dyn Any, _: &World) -> &'static str {
    if turns(item) { "N m s/rad" } else { "N s/m" }
}

fn no_unit(_: &dyn Any, _: &World) -> &'static str {
    ""
}

fn value(item: &dyn Any, _: &World) -> &'static str {
    if turns(item) { "rad" } else { "m" }
}

/// The coordinate that is driven when none is named: the turn, or else the slide.
pub(super) fn natural(kind: JointKind) -> Coordinate {
    Coordinate::ALL.into_iter().find(|c| kind.has(*c)).unwrap_or(Coordinate::Angle)
}

/// A joint, with the coordinate that is driven unless another one is named.
pub(super) struct Driven;
impl Written for Driven {
    const FORM: Form = <Ref<JointId> as Written>::FORM;
}
impl Codec<(JointId, Coordinate)> for Driven {
    fn write(driven: &(JointId, Coordinate), world: &World) -> Value {
        Ref::write(&driven.0, world)
    }
    fn read(value: Value, world: &World) -> Result<(JointId, Coordinate), Fault> {
        let joint: JointId = Ref::read(value, world)?;
        Ok((joint, world.joint_kind(joint).map_or(Coordinate::Angle, natural)))
    }
}

/// A number, or a table of points.
struct OverTime;
impl Written for OverTime {
    const FORM: Form = Form::Either(&[Form::Number, Form::Table(Schedule::table)]);
}
impl Codec<Schedule> for OverTime {
    fn write(schedule: &Schedule, world: &World) -> Value {
        match schedule.points[..] {
            [(_, y)] => Value::Number(y),
            _ => Nested::write(schedule, world),
        }
    }
    fn read(value: Value, world: &World) -> Result<Schedule, Fault> {
        match value {
            Value::Number(y) => Ok(Schedule::constant(y)),
            value => Nested::read(value, world),
        }
    }
}

/// A point [t, value].
struct Point;
impl Written for Point {
    const FORM: Form = Form::Point;
}
impl Codec<(f64, f64)> for Point {
    fn write(point: &(f64, f64), _: &World) -> Value {
        Value::numbers([point.0, point.1])
    }
    fn read(value: Value, _: &World) -> Result<(f64, f64), Fault> {
        match value.as_numbers().as_deref() {
            Some(&[t, y]) => Ok((t, y)),
            _ => Fault::expected("a point [t, value]", &value),
        }
    }
}
