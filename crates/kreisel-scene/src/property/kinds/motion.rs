//! `[[motion]]`.

use crate::property::codec::{Codec, Flag, Listed, Number, Ref, Text, Vector, WordOf, Written};
use crate::property::table_macro::table;
use crate::property::{Fault, Form, Value};
use crate::scene::Motion;
use kreisel_dynamics::{BodyId, BodyKind, Interpolation, World};

table! {
    /// Leads a kinematic body through keyframes: poses at given times, held before the first and
    /// after the last.
    static MOTION: Motion = "motion", "[[motion]]", Item;
    blank Motion {
        name: String::new(),
        body: BodyId::WORLD,
        times: Vec::new(),
        positions: Vec::new(),
        rotations: Vec::new(),
        interpolation: Interpolation::Linear,
        repeat: false,
        active: true,
    };
    check |it, world| check(it, world);
    {
    /// unique name; default "motion 1", …
    name: Text = it.name;
    /// the body, which is kinematic
    body: Ref<BodyId> = it.body => .required();
    /// times of the keyframes, rising
    times: Listed<Number, 2, 100_000> = it.times => .unit("s").required();
    /// origin of the body's frame at each of them
    positions: Listed<Vector, 2, 100_000> = it.positions => .unit("m").point().required();
    /// rotation at each of them, as an axis times an angle; in between it turns the
    /// short way about one axis at one rate. Default the body's at the start
    rotations: Listed<Vector, 0, 100_000> = it.rotations => .unit("rad").turn();
    /// how positions go from one to the next
    interpolation: WordOf<Interpolation> = it.interpolation;
    /// begins anew after the last keyframe
    cycle: Flag = it.repeat;
    /// a motion that is not active leaves the body to itself, and one is not while its body is not
    /// kinematic: a run may let go of it
    active: Leading = {
        get: |it| Some((it.active, it.body)),
        set: |it, x| it.active = x.0
    };
    }
}

fn check(it: &Motion, world: &World) -> Result<(), Fault> {
    let n = it.times.len();
    if it.times.windows(2).any(|t| t[0] >= t[1]) {
        return Err(Fault::new("times of keyframes rise").under("times"));
    }
    if it.positions.len() != n {
        let words = format!("{n} times and {} positions: one for each", it.positions.len());
        return Err(Fault::new(words).under("positions"));
    }
    if !it.rotations.is_empty() && it.rotations.len() != n {
        let words = format!("{n} times and {} rotations: one for each", it.rotations.len());
        return Err(Fault::new(words).under("rotations"));
    }
    if it.active && !kinematic(it.body, world) {
        let help = "give the body kind = \"kinematic\"";
        return Err(Fault::new("keyframes lead kinematic bodies only").help(help).under("body"));
    }
    Ok(())
}

fn kinematic(body: BodyId, world: &World) -> bool {
    world.body(body).is_some_and(|b| b.kind == BodyKind::Kinematic)
}

/// Whether it is switched on and its body can be led; one of no body yet is as it was switched.
struct Leading;
impl Written for Leading {
    const FORM: Form = Form::Flag;
}
impl Codec<(bool, BodyId)> for Leading {
    fn write((on, body): &(bool, BodyId), world: &World) -> Value {
        Value::Flag(*on && (*body == BodyId::WORLD || kinematic(*body, world)))
    }
    fn read(value: Value, world: &World) -> Result<(bool, BodyId), Fault> {
        Ok((Flag::read(value, world)?, BodyId::WORLD))
    }
}
