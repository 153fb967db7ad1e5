//! `[world]`: gravity, time, and how the world is stepped.

use super::names::Built;
use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::{Fields, Reader};
use kreisel_dynamics::{Method, Order, Rotation, Settings, Stepping, Substeps, Tolerance, bounds};
use std::time::Duration;

/// Words for methods, also those of chains.
pub(super) const METHODS: &[(&str, Method)] = &[
    ("direct", Method::Direct),
    ("iterative", Method::Iterative),
    ("cut", Method::Cut),
    ("lagrange", Method::Lagrange),
];

const STEPPINGS: &[(&str, Stepping)] =
    &[("auto", Stepping::Auto), ("symmetric", Stepping::Symmetric), ("energy", Stepping::Energy)];

/// How time passes.
pub(super) struct Timing {
    pub step: f64,
    pub duration: f64,
    /// Steps per row of a recording that says nothing else.
    pub oversampling: u32,
    /// Whether a live run follows the clock.
    pub real_time: bool,
}

impl Default for Timing {
    fn default() -> Self {
        Self { step: 0.01, duration: 10.0, oversampling: 1, real_time: false }
    }
}

/// Reads `[world]` into the world's settings; what it does not say stays as it is.
pub(super) fn read(reader: &mut Reader, scene: &Fields<'_>, built: &mut Built, timing: &mut Timing) {
    let Some(node) = scene.get("world") else { return };
    let Some(table) = reader.table(node, "a table") else { return };
    let fields = reader.fields(table, &node.span, &grammar::WORLD);
    if let Some(step) = fields.get("step").and_then(|n| reader.positive(n, "the step")) {
        timing.step = step;
    }
    if let Some(rate) = fields.get("rate").and_then(|n| reader.positive(n, "the rate")) {
        timing.step = 1.0 / rate;
        if fields.has("step") {
            let first = reader.place(fields.place("step"));
            let message = "a world has a step or a rate, not both";
            reader.error(Code::WrongValue, fields.place("rate"), message, "second one").also(&first, "first one");
        }
    }
    if let Err(e) = bounds::STEP.check("world", "step", timing.step) {
        reader.model_error(&fields, &e);
    }
    if let Some(n) = fields.get("oversampling").and_then(|n| reader.count(n, "the number of steps per row", 1_000_000))
    {
        timing.oversampling = n.max(1);
    }
    if let Some(on) = fields.get("real_time").and_then(|n| reader.flag(n)) {
        timing.real_time = on;
    }
    if let Some(duration) = fields.get("duration").and_then(|n| reader.positive(n, "the duration")) {
        timing.duration = duration;
    }
    if let Some(gravity) = fields.get("gravity").and_then(|n| reader.vec3(n, Unit::Plain))
        && let Err(e) = built.world.set_gravity(gravity)
    {
        reader.model_error(&fields, &e);
    }
    if let Some(time) = fields.get("time").and_then(|n| reader.plain(n))
        && let Err(e) = built.world.set_time(time)
    {
        reader.model_error(&fields, &e);
    }
    let settings = settings(reader, &fields, built.world.settings().clone());
    if let Err(e) = built.world.set_settings(settings) {
        reader.model_error(&fields, &e);
    }
    if let Some(n) = fields.get("ground") {
        super::contact::ground(reader, n, built);
    }
}

fn settings(reader: &mut Reader, fields: &Fields<'_>, mut s: Settings) -> Settings {
    let set = |target: &mut _, value: Option<_>| {
        if let Some(v) = value {
            *target = v;
        }
    };
    set(&mut s.method, fields.get("method").and_then(|n| reader.choice(n, "method", METHODS)));
    if let Some(stepping) = fields.get("stepping").and_then(|n| reader.choice(n, "stepping", STEPPINGS)) {
        s.stepping = stepping;
    }
    if let Some(order) = fields.get("order").and_then(|n| order(reader, n)) {
        s.order = order;
    }
    if let Some(tolerance) = fields.get("tolerance").and_then(|n| tolerance(reader, n)) {
        s.tolerance = tolerance;
    }
    if let Some(substeps) = fields.get("substeps").and_then(|n| substeps(reader, n)) {
        s.substeps = substeps;
    }
    if let Some(rotation) = fields.get("rotation").and_then(|n| rotation(reader, n)) {
        s.rotation = rotation;
    }
    if let Some(rounds) = fields.get("max_rounds").and_then(|n| reader.count(n, "the round limit", 1_000_000)) {
        s.max_rounds = Some(rounds);
    }
    if let Some(budget) = fields.get("time_budget").and_then(|n| reader.positive(n, "the time budget")) {
        s.time_budget = Duration::try_from_secs_f64(budget).ok();
    }
    if let Some(on) = fields.get("velocity_correction").and_then(|n| reader.flag(n)) {
        s.velocity_correction = on;
    }
    if let Some(limit) = fields.get("impulse_limit").and_then(|n| reader.positive(n, "the impulse limit")) {
        s.impulse_limit = Some(limit);
    }
    if let Some(on) = fields.get("warm_start").and_then(|n| reader.flag(n)) {
        s.warm_start = on;
    }
    if let Some(weight) = fields.get("relaxation").and_then(|n| reader.positive(n, "the relaxation")) {
        s.relaxation = weight;
    }
    if let Some(threads) = fields.get("threads").and_then(|n| reader.count(n, "the number of threads", 1024)) {
        s.threads = threads as usize;
    }
    if let Some(on) = fields.get("contacts").and_then(|n| reader.choice(n, "word", &[("on", true), ("off", false)])) {
        s.contact.on = on;
    }
    s
}

fn order(reader: &mut Reader, node: &Node) -> Option<Order> {
    let n = reader.count(node, "the order", 8)?;
    let order = Order::from_number(n);
    if order.is_none() {
        let message = format!("the order must be 2, 4, 6 or 8, it is {n}");
        reader.error(Code::WrongValue, &node.span, message, "no such order");
    }
    order
}

fn tolerance(reader: &mut Reader, node: &Node) -> Option<Tolerance> {
    let Value::Table(table) = &node.value else {
        return Some(Tolerance::uniform(reader.positive(node, "the tolerance")?));
    };
    let fields = reader.fields(table, &node.span, &grammar::TOLERANCE);
    let mut out = Tolerance::default();
    let mut one = |key, target: &mut f64, unit| {
        if let Some(x) = fields.get(key).and_then(|n| reader.number(n, unit)) {
            *target = x;
        }
    };
    one("position", &mut out.position, Unit::Plain);
    one("angle", &mut out.angle, Unit::Angle);
    one("velocity", &mut out.velocity, Unit::Plain);
    one("angular_velocity", &mut out.angular_velocity, Unit::Rate);
    Some(out)
}

fn substeps(reader: &mut Reader, node: &Node) -> Option<Substeps> {
    match &node.value {
        Value::Text(word) if word == "auto" => Some(Settings::default().substeps),
        Value::Table(table) => {
            let fields = reader.fields(table, &node.span, &grammar::SUBSTEPS);
            if let Some(n) = fields.get("error") {
                return Some(Substeps::Error(reader.positive(n, "the error")?));
            }
            let n = reader.required(&fields, "target")?;
            Some(Substeps::Auto { target: reader.positive(n, "the target")? })
        }
        _ => {
            let n = reader.count(node, "the number of substeps", 1_000_000)?;
            if n == 0 {
                let message = "a step has at least one substep";
                reader
                    .error(Code::WrongValue, &node.span, message, "not possible")
                    .help("write \"auto\" to let the engine choose");
                return None;
            }
            Some(Substeps::Fixed(n))
        }
    }
}

fn rotation(reader: &mut Reader, node: &Node) -> Option<Rotation> {
    if let Value::Table(table) = &node.value {
        let fields = reader.fields(table, &node.span, &grammar::INTEGRATOR);
        if let Some(n) = fields.get("taylor") {
            return Some(Rotation::Taylor(reader.count(n, "the order", 30)? as u8));
        }
        let n = reader.required(&fields, "cash-karp")?;
        return Some(Rotation::CashKarp(reader.positive(n, "the error")?));
    }
    let words = [
        ("splitting", Rotation::Splitting),
        ("rk4", Rotation::Rk4),
        ("matrix", Rotation::Matrix),
        ("euler", Rotation::Euler),
    ];
    reader.choice(node, "way to turn bodies", &words)
}
