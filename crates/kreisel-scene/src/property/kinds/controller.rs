//! `[[controller]]`.

use super::connector::Connectors;
use super::plugin::{self, Parameters};
use crate::property::codec::{Codec, Flag, Number, OrNone, Text, Vector, Written, unknown_word};
use crate::property::table_macro::table;
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::plugin::{ForceLaw, Plugin};
use kreisel_dynamics::words::Word;
use kreisel_dynamics::{Controller, ControllerKind, Vec3, World};

table! {
    /// A force that depends on the state.
    static CONTROLLER: Controller = "controller", "[[controller]]", Item;
    blank Controller::new(TypeWord::KINDS[1](), Vec::new());
    check |it, _| law(&it.kind).map_or(Ok(()), plugin::check);
    {
    /// unique name; default "controller 1", …
    name: Text = it.name;
    /// what it does; another type begins without strength
    r#type: TypeWord = { get: |it| Some(it.kind.clone()), set: |it, x| set_type(&mut it.kind, x) } => .required();
    /// one for a vector, thruster or drag, as many as its law takes for a plugin, two for the
    /// others; the second follows the first on a trajectory
    connectors: Connectors = it.connectors => .required().spread();
    /// of a vector
    force: Vector = { get: |it| force(&it.kind), set: |it, x| set_force(&mut it.kind, x) }
        => .unit("N").direction().required().only("type", &["vector"]);
    /// of a spring
    stiffness: Number = { get: |it| get(it, "stiffness"), set: |it, x| set(it, "stiffness", x) }
        => .unit("N/m").required().only("type", &["spring"]);
    /// of a spring
    damping: Number = { get: |it| get(it, "damping"), set: |it, x| set(it, "damping", x) }
        => .unit("N s/m").only("type", &["spring"]);
    /// rest length of a spring; default the present one
    length: OrNone<Number> = { get: |it| Some(length(&it.kind)), set: |it, x| set_length(&mut it.kind, x) }
        => .unit("m").only("type", &["spring"]);
    /// of a trajectory
    alpha: Number = { get: |it| get(it, "alpha"), set: |it, x| set(it, "alpha", x) }
        => .unit("1/s²").required().only("type", &["trajectory"]);
    /// damping of a trajectory; default 1
    beta: Number = { get: |it| get(it, "beta"), set: |it, x| set(it, "beta", x) } => .only("type", &["trajectory"]);
    /// gain of a pid on the error
    position: Number = { get: |it| get(it, "position"), set: |it, x| set(it, "position", x) }
        => .unit("N/m").required().only("type", &["pid"]);
    /// gain of a pid on its rate; default 0
    velocity: Number = { get: |it| get(it, "velocity"), set: |it, x| set(it, "velocity", x) }
        => .unit("N s/m").only("type", &["pid"]);
    /// gain of a pid on its integral; default 0
    integral: Number = { get: |it| get(it, "integral"), set: |it, x| set(it, "integral", x) }
        => .unit("N/(m s)").only("type", &["pid"]);
    /// of a thruster, when it is on for long
    thrust: Number = { get: |it| get(it, "thrust"), set: |it, x| set(it, "thrust", x) }
        => .unit("N").required().only("type", &["thruster"]);
    /// of a thruster, in the frame of its body; default none for one that only turns
    direction: Vector = { get: |it| direction(&it.kind), set: |it, x| set_direction(&mut it.kind, x) }
        => .only("type", &["thruster"]);
    /// of a thruster: its torque for a unit of the thrust, in the frame of its body
    torque: Vector = { get: |it| torque(&it.kind), set: |it, x| set_torque(&mut it.kind, x) }
        => .unit("m").only("type", &["thruster"]);
    /// of a drag: density of the fluid; default 0
    density: Number = { get: |it| get(it, "density"), set: |it, x| set(it, "density", x) }
        => .unit("kg/m³").not_negative().only("type", &["drag"]);
    /// of a drag: viscosity of the fluid; default 0
    viscosity: Number = { get: |it| get(it, "viscosity"), set: |it, x| set(it, "viscosity", x) }
        => .unit("Pa s").not_negative().only("type", &["drag"]);
    /// of a drag: velocity of the fluid
    wind: Vector = { get: |it| wind(&it.kind), set: |it, x| set_wind(&mut it.kind, x) }
        => .unit("m/s").direction().only("type", &["drag"]);
    /// of a thruster: time constant with which it follows; default 0
    lag: Number = { get: |it| get(it, "lag"), set: |it, x| set(it, "lag", x) }
        => .unit("s").not_negative().only("type", &["thruster"]);
    /// of a plugin: the name under which the program has registered the law; a scene never loads
    /// code by itself
    plugin: Text = { get: |it| law(&it.kind).map(|l| l.name().to_owned()), set: |it, x| set_name(&mut it.kind, x) }
        => .required().only("type", &["plugin"]);
    /// of a plugin: numbers for its law; default those that the law declares
    parameters: Parameters = {
        get: |it| law(&it.kind).map(|l| l.parameters().to_vec()),
        set: |it, x| set_parameters(&mut it.kind, x)
    } => .only("type", &["plugin"]);
    /// a controller that is not active does nothing
    active: Flag = it.active;
    /// acts from then on; default always
    from: OrNone<Number> = {
        get: |it| Some(Some(it.from).filter(|t| t.is_finite())),
        set: |it, x| it.from = x.unwrap_or(f64::NEG_INFINITY)
    } => .unit("s");
    /// acts until then; default always
    until: OrNone<Number> = {
        get: |it| Some(Some(it.until).filter(|t| t.is_finite())),
        set: |it, x| it.until = x.unwrap_or(f64::INFINITY)
    } => .unit("s");
    }
}

/// A kind of another type takes the place of the old one.
fn set_type(kind: &mut ControllerKind, new: ControllerKind) {
    if kind.name() != new.name() {
        *kind = new;
    }
}

/// The number of a kind that a key names.
fn number<'k>(kind: &'k mut ControllerKind, key: &str) -> Option<&'k mut f64> {
    match (key, kind) {
        ("stiffness", ControllerKind::Spring { stiffness: x, .. })
        | ("damping", ControllerKind::Spring { damping: x, .. })
        | ("alpha", ControllerKind::Trajectory { alpha: x, .. })
        | ("beta", ControllerKind::Trajectory { beta: x, .. })
        | ("position", ControllerKind::Pid { position: x, .. })
        | ("velocity", ControllerKind::Pid { velocity: x, .. })
        | ("integral", ControllerKind::Pid { integral: x, .. })
        | ("thrust", ControllerKind::Thruster { thrust: x, .. })
        | ("lag", ControllerKind::Thruster { lag: x, .. })
        | ("density", ControllerKind::Drag { density: x, .. })
        | ("viscosity", ControllerKind::Drag { viscosity: x, .. }) => Some(x),
        _ => None,
    }
}

fn get(it: &Controller, key: &str) -> Option<f64> {
    number(&mut it.kind.clone(), key).copied()
}

fn set(it: &mut Controller, key: &str, to: f64) {
    if let Some(x) = number(&mut it.kind, key) {
        *x = to;
    }
}

fn force(kind: &ControllerKind) -> Option<Vec3> {
    if let ControllerKind::Vector(force) = kind { Some(*force) } else { None }
}

fn set_force(kind: &mut ControllerKind, to: Vec3) {
    if let ControllerKind::Vector(force) = kind {
        *force = to;
    }
}

fn direction(kind: &ControllerKind) -> Option<Vec3> {
    if let ControllerKind::Thruster { direction, .. } = kind { Some(*direction) } else { None }
}

fn set_direction(kind: &mut ControllerKind, to: Vec3) {
    if let ControllerKind::Thruster { direction, .. } = kind {
        *direction = to;
    }
}

fn torque(kind: &ControllerKind) -> Option<Vec3> {
    if let ControllerKind::Thruster { torque, .. } = kind { Some(*torque) } else { None }
}

fn set_torque(kind: &mut ControllerKind, to: Vec3) {
    if let ControllerKind::Thruster { torque, .. } = kind {
        *torque = to;
    }
}

fn wind(kind: &ControllerKind) -> Option<Vec3> {
    if let ControllerKind::Drag { wind, .. } = kind { Some(*wind) } else { None }
}

fn set_wind(kind: &mut ControllerKind, to: Vec3) {
    if let ControllerKind::Drag { wind, .. } = kind {
        *wind = to;
    }
}

fn law(kind: &ControllerKind) -> Option<&Plugin<dyn ForceLaw>> {
    if let ControllerKind::Plugin(plugin) = kind { Some(plugin) } else { None }
}

fn set_name(kind: &mut ControllerKind, to: String) {
    if let ControllerKind::Plugin(plugin) = kind {
        *plugin = plugin.with_name(to);
    }
}

fn set_parameters(kind: &mut ControllerKind, to: Vec<(String, f64)>) {
    if let ControllerKind::Plugin(plugin) = kind {
        *plugin = plugin.with_parameters(to);
    }
}

fn length(kind: &ControllerKind) -> Option<f64> {
    if let ControllerKind::Spring { length, .. } = kind { *length } else { None }
}

fn set_length(kind: &mut ControllerKind, to: Option<f64>) {
    if let ControllerKind::Spring { length, .. } = kind {
        *length = to;
    }
}

/// The word after `type`; the numbers stand under keys of their own.
struct TypeWord;
impl TypeWord {
    const KINDS: [fn() -> ControllerKind; 7] = [
        || ControllerKind::Vector(Vec3::ZERO),
        || ControllerKind::Spring { stiffness: 0.0, damping: 0.0, length: None },
        || ControllerKind::Trajectory { alpha: 0.0, beta: 1.0 },
        || ControllerKind::Pid { position: 0.0, velocity: 0.0, integral: 0.0 },
        || ControllerKind::Thruster {
            thrust: 0.0,
            direction: Vec3::ZERO,
            lag: 0.0,
            torque: Vec3::ZERO,
        },
        || ControllerKind::Drag { density: 0.0, viscosity: 0.0, wind: Vec3::ZERO },
        || ControllerKind::Plugin(Plugin::default()),
    ];
    const WORDS: &[Word] = &[
        Word { word: "vector", doc: "a constant force" },
        Word { word: "spring", doc: "a spring with a damper between two points" },
        Word { word: "trajectory", doc: "draws the second point after the first" },
        Word { word: "pid", doc: "draws the first point to the second" },
        Word { word: "thruster", doc: "pushes a body along a direction that is fixed to it" },
        Word { word: "drag", doc: "drag of a fluid on a body" },
        Word { word: "plugin", doc: "a law that the program has registered" },
    ];
}
impl Written for TypeWord {
    const FORM: Form = Form::Words(Self::WORDS);
}
impl Codec<ControllerKind> for TypeWord {
    fn write(kind: &ControllerKind, _: &World) -> Value {
        Value::Text(kind.name().into())
    }
    fn read(value: Value, _: &World) -> Result<ControllerKind, Fault> {
        let Value::Text(word) = &value else {
            return Fault::expected("a type of controller", &value);
        };
        let found = Self::KINDS.into_iter().map(|k| k()).find(|k| k.name() == word);
        found.ok_or_else(|| unknown_word(word, Self::WORDS.iter().map(|w| w.word)))
    }
}
