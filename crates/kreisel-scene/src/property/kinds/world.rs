//! `[world]` with its tolerance, substeps, rotation and ground.

use crate::property::codec::{
    Codec, Count, Flag, Nested, Number, OrNone, Size, Text, Vector, WordOf, Written, unknown_word,
};
use crate::property::table_macro::table;
use crate::property::{Choice, Described, Fault, Form, Value};
use crate::scene::Timing;
use kreisel_dynamics::words::Word;
use kreisel_dynamics::{
    ContactSettings, Lagrange, Material, Method, Order, Rotation, Settings, Stepping, Substeps,
    Tolerance, Vec3, World, bounds,
};
use std::time::Duration;

/// All that `[world]`, `[contact]` and `[lagrange]` describe.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldItem {
    /// Gravity, m/s².
    pub gravity: Vec3,
    /// Time on the clock, s.
    pub time: f64,
    /// How time passes.
    pub timing: Timing,
    /// How the world is stepped.
    pub settings: Settings,
    /// The floor.
    pub ground: Option<Ground>,
}

/// A horizontal floor and its material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ground {
    /// Height, m.
    pub height: f64,
    /// Its surface.
    pub material: Material,
}

table! {
    /// How the world is stepped. Every key has a default.
    static WORLD: WorldItem = "world", "[world]", Section;
    blank WorldItem {
        gravity: World::default().gravity(),
        time: 0.0,
        timing: Timing::default(),
        settings: Settings::default(),
        ground: None,
    };
    choices &[Choice::at_most_one(&["step", "rate"])];
    {
    /// acceleration of free fall
    gravity: Vector = it.gravity => .unit("m/s²").bound(bounds::GRAVITY);
    /// time from one report and frame to the next, which the engine divides further as the
    /// tolerance asks
    step: Number = it.timing.step => .unit("s").bound(bounds::STEP);
    /// steps per second of model time, instead of `step`
    rate: Number = { get: |it| Some(1.0 / it.timing.step), set: |it, x| it.timing.step = 1.0 / x }
        => .unit("1/s").within(1.0 / bounds::STEP.high, 1.0 / bounds::STEP.low).alias();
    /// steps per row of a recording, where `[record]` says nothing else
    oversampling: Count = it.timing.oversampling => .within(1.0, 1e6);
    /// whether `view` chooses step and steps per frame so that the world keeps up with the clock,
    /// starting from `step` (10 to 1000 steps per second). `run` and the others have no clock and
    /// take `step`
    real_time: Flag = it.timing.real_time;
    /// time at the start
    time: Number = it.time => .unit("s").bound(bounds::TIME);
    /// how long a run takes unless `--until` says otherwise
    duration: Number = it.timing.duration => .unit("s").positive();
    /// how the joint equations are solved
    method: WordOf<Method> = it.settings.method;
    /// kind of step
    stepping: WordOf<Stepping> = it.settings.stepping;
    /// order of accuracy
    order: OrderNumber = it.settings.order;
    /// how exact joints are after each step; one number is for all four, in m, rad, m/s and rad/s;
    /// default 1e-6 each
    tolerance: Tolerances = it.settings.tolerance => .bound(bounds::TOLERANCE);
    /// substeps per step: chosen by the first preview's error, fixed, or by the local error
    substeps: SubstepsForm = it.settings.substeps => .within(1.0, 1e6);
    /// how free bodies turn
    rotation: RotationForm = it.settings.rotation;
    /// most rounds of correction in a substep; default 30 for factorised and 20 000 for iterated
    /// joints
    max_rounds: OrNone<Count> = it.settings.max_rounds => .within(1.0, 1e6);
    /// most wall time for a step, which then ends with what it has; default none, in `view` a
    /// second or five steps
    time_budget: OrNone<Seconds> = it.settings.time_budget => .unit("s").within(1e-9, 1e9);
    /// whether velocities are corrected after each substep
    velocity_correction: Flag = it.settings.velocity_correction;
    /// whether joint correction starts from the last step's impulses
    warm_start: Flag = it.settings.warm_start;
    /// weight of each correction of the iterative method
    relaxation: Number = it.settings.relaxation => .between(0.0, 2.0);
    /// most impulse of a joint against its position error in one step; default none
    impulse_limit: OrNone<Number> = it.settings.impulse_limit => .unit("N s").positive();
    /// threads for independent chains and for contacts, 0 for all of the machine
    threads: Size = it.settings.threads => .within(0.0, 1024.0);
    /// whether bodies collide. Bodies that a joint or a constraint links do not
    contacts: OnOff = it.settings.contact.on;
    /// height of a horizontal floor below everything; `{ height = 0, friction = 0.5, … }` gives it
    /// a material; default none
    ground: OrNone<GroundForm> = it.ground => .unit("m");
    /// collisions and contacts
    contact: Nested<ContactSettings> = {
        get: |it| Some(it.settings.contact.clone()),
        set: |it, x| {
            // whether there are any stands under `contacts`
            let on = it.settings.contact.on;
            it.settings.contact = ContactSettings { on, ..x };
        }
    } => .section();
    /// the multiplier method
    lagrange: Nested<Lagrange> = it.settings.lagrange => .section();
    }
}

table! {
    /// A horizontal floor, perpendicular to the z axis, and its material.
    static GROUND: Ground = "ground", "ground", Nested;
    blank Ground::default();
    {
    /// above the origin
    height: Number = it.height => .unit("m").bound(bounds::POSITION);
    /// name for `[[contact.pair]]`
    material: Text = it.material.name;
    /// how much of the approach speed comes back
    restitution: Number = it.material.restitution => .within(0.0, 1.0);
    /// coefficient of sliding friction
    friction: Number = it.material.friction => .not_negative();
    /// coefficient of static friction; default that of sliding
    static_friction: OrNone<Number> = it.material.static_friction => .not_negative();
    /// resistance to rolling as a lever arm
    rolling: Number = it.material.rolling => .unit("m").not_negative();
    /// resistance to spinning about the normal as a lever arm
    spinning: Number = it.material.spinning => .unit("m").not_negative();
    }
}

table! {
    /// How exact joints are after each step.
    static TOLERANCE: Tolerance = "tolerance", "tolerance", Nested;
    blank Tolerance::default();
    {
    /// gap of position parts
    position: Number = it.position => .unit("m").bound(bounds::TOLERANCE);
    /// misalignment of rotation parts
    angle: Number = it.angle => .unit("rad").bound(bounds::TOLERANCE);
    /// relative velocity of position parts
    velocity: Number = it.velocity => .unit("m/s").bound(bounds::TOLERANCE);
    /// relative angular velocity of rotation parts
    angular_velocity: Number = it.angular_velocity => .unit("rad/s").bound(bounds::TOLERANCE);
    }
}

table! {
    /// How the number of substeps is chosen.
    static SUBSTEPS: Substeps = "substeps", "substeps", Nested;
    blank Substeps::Fixed(0);
    choices &[Choice::exactly_one(&["target", "error"])];
    {
    /// wanted joint error of the first preview, for a body of 0.1 m
    target: Number = {
        get: |it| match it { Substeps::Auto { target } => Some(*target), _ => None },
        set: |it, x| *it = Substeps::Auto { target: x }
    } => .unit("m").bound(bounds::ERROR);
    /// wanted local error of the step
    error: Number = {
        get: |it| match it { Substeps::Error(error) => Some(*error), _ => None },
        set: |it, x| *it = Substeps::Error(x)
    } => .unit("m").bound(bounds::ERROR);
    }
}

table! {
    /// How free bodies turn.
    static INTEGRATOR: Rotation = "integrator", "rotation", Nested;
    blank Rotation::Splitting;
    choices &[Choice::exactly_one(&["taylor", "cash-karp"])];
    {
    /// Taylor series of this order
    taylor: Count = {
        get: |it| match it { Rotation::Taylor(n) => Some(u32::from(*n)), _ => None },
        set: |it, n| *it = Rotation::Taylor(n as u8)
    } => .within(1.0, 30.0);
    /// Cash-Karp 5(4) with step-size control to this error
    cash_karp: Number = {
        get: |it| match it { Rotation::CashKarp(error) => Some(*error), _ => None },
        set: |it, x| *it = Rotation::CashKarp(x)
    } => .bound(bounds::ERROR).called("cash-karp");
    }
}

/// 2, 4, 6 or 8.
struct OrderNumber;
impl Written for OrderNumber {
    const FORM: Form = Form::OneOf(&[2, 4, 6, 8]);
}
impl Codec<Order> for OrderNumber {
    fn write(order: &Order, _: &World) -> Value {
        Value::Number(2.0 * order.columns() as f64)
    }
    fn read(value: Value, _: &World) -> Result<Order, Fault> {
        let Value::Number(x) = value else { return Fault::expected("2, 4, 6 or 8", &value) };
        Order::from_number(x as u32).ok_or_else(|| Fault::new(format!("there is no order {x}")))
    }
}

/// A number for all four, or a table.
struct Tolerances;
impl Written for Tolerances {
    const FORM: Form = Form::Either(&[Form::Number, Form::Table(Tolerance::table)]);
}
impl Codec<Tolerance> for Tolerances {
    fn write(tolerance: &Tolerance, world: &World) -> Value {
        Nested::write(tolerance, world)
    }
    fn read(value: Value, world: &World) -> Result<Tolerance, Fault> {
        match value {
            Value::Number(x) => Ok(Tolerance::uniform(x)),
            value => Nested::read(value, world),
        }
    }
}

/// "auto", a count, or a table with what decides.
struct SubstepsForm;
impl SubstepsForm {
    const AUTO: &[Word] = &[Word { word: "auto", doc: "chosen by the error of the first preview" }];
}
impl Written for SubstepsForm {
    const FORM: Form =
        Form::Either(&[Form::Words(Self::AUTO), Form::Count, Form::Table(Substeps::table)]);
}
impl Codec<Substeps> for SubstepsForm {
    fn write(substeps: &Substeps, world: &World) -> Value {
        match substeps {
            Substeps::Fixed(n) => Value::Number(f64::from(*n)),
            other if *other == Settings::default().substeps => Value::Text("auto".into()),
            other => Nested::write(other, world),
        }
    }
    fn read(value: Value, world: &World) -> Result<Substeps, Fault> {
        match value {
            Value::Text(word) if word == "auto" => Ok(Settings::default().substeps),
            Value::Text(word) => Err(unknown_word(&word, ["auto"].into_iter())),
            Value::Number(n) => Ok(Substeps::Fixed(n as u32)),
            value => Nested::read(value, world),
        }
    }
}

/// A word, or a table with what the method needs.
struct RotationForm;
impl RotationForm {
    const WORDS: &[Word] = &[
        Word {
            word: "splitting",
            doc: "exact for symmetric bodies, a symmetric splitting otherwise",
        },
        Word { word: "rk4", doc: "Runge-Kutta of order 4" },
        Word { word: "matrix", doc: "Runge-Kutta of order 4 on the rotation matrix" },
        Word { word: "euler", doc: "explicit Euler, for comparison" },
    ];
    const ALL: [Rotation; 4] =
        [Rotation::Splitting, Rotation::Rk4, Rotation::Matrix, Rotation::Euler];
}
impl Written for RotationForm {
    const FORM: Form = Form::Either(&[Form::Words(Self::WORDS), Form::Table(Rotation::table)]);
}
impl Codec<Rotation> for RotationForm {
    fn write(rotation: &Rotation, world: &World) -> Value {
        match Self::ALL.iter().position(|r| r == rotation) {
            Some(k) => Value::Text(Self::WORDS[k].word.into()),
            None => Nested::write(rotation, world),
        }
    }
    fn read(value: Value, world: &World) -> Result<Rotation, Fault> {
        let Value::Text(word) = &value else { return Nested::read(value, world) };
        let k = Self::WORDS.iter().position(|w| w.word == word);
        k.map(|k| Self::ALL[k])
            .ok_or_else(|| unknown_word(word, Self::WORDS.iter().map(|w| w.word)))
    }
}

/// Seconds of wall time.
struct Seconds;
impl Written for Seconds {
    const FORM: Form = Form::Number;
}
impl Codec<Duration> for Seconds {
    fn write(time: &Duration, _: &World) -> Value {
        Value::Number(time.as_secs_f64())
    }
    fn read(value: Value, _: &World) -> Result<Duration, Fault> {
        let Value::Number(x) = value else { return Fault::expected("a time in s", &value) };
        Duration::try_from_secs_f64(x).map_err(|e| Fault::new(e.to_string()))
    }
}

/// "on" or "off".
struct OnOff;
impl Written for OnOff {
    const FORM: Form = Form::Words(&[
        Word { word: "on", doc: "bodies collide" },
        Word { word: "off", doc: "they do not" },
    ]);
}
impl Codec<bool> for OnOff {
    fn write(on: &bool, _: &World) -> Value {
        Value::Text(if *on { "on" } else { "off" }.into())
    }
    fn read(value: Value, _: &World) -> Result<bool, Fault> {
        match &value {
            Value::Text(word) if word == "on" => Ok(true),
            Value::Text(word) if word == "off" => Ok(false),
            Value::Text(word) => Err(unknown_word(word, ["on", "off"].into_iter())),
            other => Fault::expected("\"on\" or \"off\"", other),
        }
    }
}

/// A height, or a table with a material.
struct GroundForm;
impl Written for GroundForm {
    const FORM: Form = Form::Either(&[Form::Number, Form::Table(Ground::table)]);
}
impl Codec<Ground> for GroundForm {
    fn write(ground: &Ground, world: &World) -> Value {
        Nested::write(ground, world)
    }
    fn read(value: Value, world: &World) -> Result<Ground, Fault> {
        match value {
            Value::Number(height) => Ok(Ground { height, material: Material::default() }),
            value => Nested::read(value, world),
        }
    }
}
