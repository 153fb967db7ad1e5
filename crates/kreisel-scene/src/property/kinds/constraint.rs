//! `[[constraint]]`: its type, what it acts on, and what the types need besides.

use super::connector::Connectors;
use super::motor::Driven;
use crate::property::codec::{
    Codec, Flag, Formula, Listed, Number, OrNone, Text, Unlimited, WordOf, Written, formula, unknown_word,
};
use crate::property::table_macro::table;
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::words::Word;
use kreisel_dynamics::{
    Connector, Constraint, ConstraintKind, Coordinate, CoupledJoint, JointId, PathEnd, World, variables,
};
use std::any::Any;

table! {
    /// A constraint between connectors. The impulse methods hold all but formulas, inequalities, locks
    /// and equal-velocity-norm. Connectors that are left out become fixed points where their partners
    /// are.
    static CONSTRAINT: Constraint = "constraint", "[[constraint]]", Item;
    blank Constraint::new(ConstraintKind::PointToPoint, Vec::new());
    check |it, _| check(it);
    {
    /// unique name; default "constraint 1", …
    name: Text = it.name;
    /// what it demands
    r#type: TypeWord = { get: |it| Some(it.kind.clone()), set: |it, x| set_type(&mut it.kind, x) } => .required();
    /// points, or two points per axis
    connectors: Connectors = { get: |it| Some(it.connectors.clone()), set: |it, x| set_connectors(it, x)? }
        => .required().only("type", TypeWord::CONNECTED).spread();
    /// of a distance; default the present one
    length: OrNone<Number> = { get: |it| length(&it.kind), set: |it, x| set_length(&mut it.kind, x) }
        => .unit("m").positive().only("type", &["distance"]);
    /// along the curve of a path; default 1
    speed: Number = { get: |it| path(&it.kind).map(|p| p.0), set: |it, x| set_speed(&mut it.kind, x) }
        => .unit("m/s").only("type", &["point-to-path"]);
    /// what happens at the end of a path; default "stop"
    end: WordOf<PathEnd> = { get: |it| path(&it.kind).map(|p| p.1), set: |it, x| set_end(&mut it.kind, x) }
        => .only("type", &["point-to-path"]);
    /// each has to be zero; variables are t, x1, y1, z1, x2, … (and vx1, … of a velocity-expression)
    formulas: Formulas = { get: |it| formulas(&it.kind).map(written), set: |it, x| set_formulas(it, &x)? }
        => .required().variables(variables_of).only("type", &["expression", "velocity-expression"]);
    /// of a coupling: the joints whose coordinates depend on each other
    joints: Listed<Driven, 1, 1000> = { get: |it| coupled(&it.kind, driven), set: |it, x| set_joints(&mut it.kind, x) }
        => .required().only("type", &["coupling"]);
    /// of a coupling, one per joint; default the angle of a joint that has one, else its position
    coordinates: Listed<WordOf<Coordinate>, 1, 1000> = {
        get: |it| coupled(&it.kind, |j| j.coordinate),
        set: |it, x| each_joint(&mut it.kind, x, "coordinate", |j, c| j.coordinate = c)?
    } => .only("type", &["coupling"]);
    /// of a coupling, one per joint: factor of the coordinate, or of its powers 1, 2, …; their sum
    /// keeps `value`
    factors: Listed<Factors, 1, 1000> = {
        get: |it| coupled(&it.kind, |j| j.factors.clone()),
        set: |it, x| each_joint(&mut it.kind, x, "factor, or one array of factors,", |j, f| j.factors = f)?
    } => .required().only("type", &["coupling"]);
    /// of a coupling: what the products sum to, rad or m; default 0
    value: Number = { get: |it| sum(&it.kind), set: |it, x| set_sum(&mut it.kind, x) } => .only("type", &["coupling"]);
    /// rows that are left out, counted from 1; default none
    locked: Rows = { get: |it| Some(it.locked.clone()), set: |it, x| it.locked = x } => .within(1.0, MOST_ROWS);
    /// rows need only stay at or above zero
    one_sided: Flag = it.one_sided;
    /// a constraint that is not active does nothing
    active: Flag = it.active;
    /// its own speed of settling; default that of `[lagrange]`
    alpha: OrNone<Number> = it.alpha => .unit("1/s").not_negative();
    /// its own beta/alpha; default that of `[lagrange]`
    gamma: OrNone<Number> = it.gamma => .not_negative();
    /// load at which it switches itself off; default none
    breaking: Unlimited = it.breaking => .unit_of(|_, _| "", "N or N m").not_negative();
    /// whether the bodies that it links collide with each other
    collide: Flag = it.collide;
    /// freeze the last body until the constraint is met
    assemble: Flag = it.assemble;
    }
}

/// Most rows of a constraint: formulas may be many.
const MOST_ROWS: f64 = 1000.0;

/// Rows are left out that it has.
fn check(it: &Constraint) -> Result<(), Fault> {
    let rows = it.kind.rows();
    let Some(k) = it.locked.iter().rposition(|l| *l).filter(|k| *k >= rows) else { return Ok(()) };
    let place = it.locked[..k].iter().filter(|l| **l).count();
    let message = format!("there is no row {}: a constraint of type \"{}\" has {rows}", k + 1, it.kind.name());
    Err(Fault::new(message).under(place).under("locked"))
}

/// A kind of another type takes the place of the old one.
fn set_type(kind: &mut ConstraintKind, new: ConstraintKind) {
    if kind.name() != new.name() {
        *kind = new;
    }
}

/// The names of the variables of its formulas.
fn variables_of(item: &dyn Any) -> Vec<String> {
    let it = item.downcast_ref::<Constraint>();
    it.map_or(Vec::new(), |it| variables(it.connectors.len(), it.kind.is_velocity()))
}

/// Other connectors; formulas keep their text, and what it refers to.
fn set_connectors(it: &mut Constraint, connectors: Vec<Connector>) -> Result<(), Fault> {
    let text = formulas(&it.kind).map(written).filter(|_| connectors.len() != it.connectors.len());
    it.connectors = connectors;
    text.map_or(Ok(()), |text| set_formulas(it, &text))
}

fn formulas(kind: &ConstraintKind) -> Option<&[Expression]> {
    match kind {
        ConstraintKind::Expression(list) | ConstraintKind::VelocityExpression(list) => Some(list),
        _ => None,
    }
}

fn written(formulas: &[Expression]) -> Value {
    Value::List(formulas.iter().map(Formula::value).collect())
}

fn set_formulas(it: &mut Constraint, value: &Value) -> Result<(), Fault> {
    let names = variables_of(it);
    let Value::List(items) = value else { return Fault::expected("an array of formulas", value) };
    let read = items.iter().enumerate().map(|(k, v)| formula(v, &names).map_err(|f| f.under(k)));
    let read: Vec<Expression> = read.collect::<Result<_, _>>()?;
    if let ConstraintKind::Expression(list) | ConstraintKind::VelocityExpression(list) = &mut it.kind {
        *list = read;
    }
    Ok(())
}

fn length(kind: &ConstraintKind) -> Option<Option<f64>> {
    if let ConstraintKind::Distance(length) = kind { Some(*length) } else { None }
}

fn set_length(kind: &mut ConstraintKind, to: Option<f64>) {
    if let ConstraintKind::Distance(length) = kind {
        *length = to;
    }
}

fn path(kind: &ConstraintKind) -> Option<(f64, PathEnd)> {
    if let ConstraintKind::PointToPath { speed, end } = kind { Some((*speed, *end)) } else { None }
}

fn set_speed(kind: &mut ConstraintKind, to: f64) {
    if let ConstraintKind::PointToPath { speed, .. } = kind {
        *speed = to;
    }
}

fn set_end(kind: &mut ConstraintKind, to: PathEnd) {
    if let ConstraintKind::PointToPath { end, .. } = kind {
        *end = to;
    }
}

/// Something of every joint of a coupling.
fn coupled<T>(kind: &ConstraintKind, what: fn(&CoupledJoint) -> T) -> Option<Vec<T>> {
    if let ConstraintKind::Coupling { joints, .. } = kind { Some(joints.iter().map(what).collect()) } else { None }
}

fn driven(joint: &CoupledJoint) -> (JointId, Coordinate) {
    (joint.joint, joint.coordinate)
}

/// Other joints; those that were there keep their coordinates and factors, the others begin with 1.
fn set_joints(kind: &mut ConstraintKind, to: Vec<(JointId, Coordinate)>) {
    let ConstraintKind::Coupling { joints, .. } = kind else { return };
    let of = |k: usize, joint: JointId, natural: Coordinate| match joints.get(k) {
        Some(old) if old.joint == joint => old.clone(),
        Some(old) => CoupledJoint { joint, coordinate: natural, factors: old.factors.clone() },
        None => CoupledJoint::new(joint, natural, 1.0),
    };
    *joints = to.into_iter().enumerate().map(|(k, (joint, natural))| of(k, joint, natural)).collect();
}

/// Gives every joint of a coupling its own.
fn each_joint<T>(
    kind: &mut ConstraintKind,
    list: Vec<T>,
    what: &str,
    set: fn(&mut CoupledJoint, T),
) -> Result<(), Fault> {
    let ConstraintKind::Coupling { joints, .. } = kind else { return Ok(()) };
    if list.len() != joints.len() {
        let found = format!("found {} for {}", list.len(), joints.len());
        return Err(Fault::new(format!("expected one {what} per joint, {found}")));
    }
    joints.iter_mut().zip(list).for_each(|(joint, x)| set(joint, x));
    Ok(())
}

fn sum(kind: &ConstraintKind) -> Option<f64> {
    if let ConstraintKind::Coupling { value, .. } = kind { Some(*value) } else { None }
}

fn set_sum(kind: &mut ConstraintKind, to: f64) {
    if let ConstraintKind::Coupling { value, .. } = kind {
        *value = to;
    }
}

/// The word after `type`; what a type needs stands under keys of its own.
struct TypeWord;
impl TypeWord {
    const KINDS: &[(ConstraintKind, &str)] = &[
        (ConstraintKind::PointToPoint, "two points coincide"),
        (ConstraintKind::Distance(None), "two points keep a distance"),
        (ConstraintKind::UnitDistance, "two points keep the distance 1 m"),
        (ConstraintKind::Orientation, "two axes are parallel"),
        (ConstraintKind::InLine, "a point stays on an axis"),
        (ConstraintKind::Ortho, "two axes are perpendicular"),
        (ConstraintKind::Hinge, "turns about a common axis"),
        (ConstraintKind::Slide, "slides along and turns about a common axis"),
        (ConstraintKind::Universal, "two axes share a point and are perpendicular"),
        (ConstraintKind::PointToPath { speed: 1.0, end: PathEnd::Stop }, "a point runs along a curve"),
        (ConstraintKind::PointToFunction, "a point follows a function of time"),
        (ConstraintKind::EqualVelocity, "two points have the same velocity"),
        (ConstraintKind::EqualVelocityNorm, "two points have the same speed"),
        (ConstraintKind::VelocityToFunction, "the velocity of a point follows a function of time"),
        (ConstraintKind::Expression(Vec::new()), "formulas in the places of points are zero"),
        (ConstraintKind::VelocityExpression(Vec::new()), "formulas that may use velocities are zero"),
        // without connectors: it stands last, for `CONNECTED`
        (ConstraintKind::Coupling { joints: Vec::new(), value: 0.0 }, "coordinates of joints depend on each other"),
    ];

    const WORDS: &[Word] = &{
        let mut out = [Word { word: "", doc: "" }; Self::KINDS.len()];
        let mut k = 0;
        while k < out.len() {
            out[k] = Word { word: Self::KINDS[k].0.name(), doc: Self::KINDS[k].1 };
            k += 1;
        }
        out
    };

    /// Types that act on connectors.
    const CONNECTED: &'static [&'static str] = &{
        let mut out = [""; Self::KINDS.len() - 1];
        let mut k = 0;
        while k < out.len() {
            out[k] = Self::KINDS[k].0.name();
            k += 1;
        }
        out
    };
}
impl Written for TypeWord {
    const FORM: Form = Form::Words(Self::WORDS);
}
impl Codec<ConstraintKind> for TypeWord {
    fn write(kind: &ConstraintKind, _: &World) -> Value {
        Value::Text(kind.name().into())
    }
    fn read(value: Value, _: &World) -> Result<ConstraintKind, Fault> {
        let Value::Text(word) = &value else { return Fault::expected("a type of constraint", &value) };
        let found = Self::KINDS.iter().find(|k| k.0.name() == word).map(|k| k.0.clone());
        found.ok_or_else(|| unknown_word(word, Self::WORDS.iter().map(|w| w.word)))
    }
}

/// Formulas as they are written: what their variables are depends on the connectors.
struct Formulas;
impl Written for Formulas {
    const FORM: Form = Form::List(&Form::Formula, 1, 1000);
}
impl Codec<Value> for Formulas {
    fn write(value: &Value, _: &World) -> Value {
        value.clone()
    }
    fn read(value: Value, _: &World) -> Result<Value, Fault> {
        Ok(value)
    }
}

/// A factor, or those of the powers 1, 2, ….
struct Factors;
impl Written for Factors {
    const FORM: Form = Form::Either(&[Form::Number, Form::List(&Form::Number, 1, 100)]);
}
impl Codec<Vec<f64>> for Factors {
    fn write(factors: &Vec<f64>, _: &World) -> Value {
        match factors[..] {
            [one] => Value::Number(one),
            _ => Value::numbers(factors.iter().copied()),
        }
    }
    fn read(value: Value, _: &World) -> Result<Vec<f64>, Fault> {
        match value {
            Value::Number(x) => Ok(vec![x]),
            other => other.as_numbers().ok_or_else(|| Fault::new("expected a number, or an array of numbers")),
        }
    }
}

/// Numbers of rows from 1.
struct Rows;
impl Written for Rows {
    const FORM: Form = Form::List(&Form::Count, 0, 1000);
}
impl Codec<Vec<bool>> for Rows {
    fn write(locked: &Vec<bool>, _: &World) -> Value {
        let rows = locked.iter().enumerate().filter(|(_, l)| **l);
        Value::numbers(rows.map(|(k, _)| (k + 1) as f64))
    }
    fn read(value: Value, _: &World) -> Result<Vec<bool>, Fault> {
        let Some(rows) = value.as_numbers() else { return Fault::expected("an array of row numbers", &value) };
        let mut locked = Vec::new();
        // the range of the property has been checked
        for row in rows.into_iter().filter_map(|x| (x as usize).checked_sub(1)) {
            locked.resize(locked.len().max(row + 1), false);
            locked[row] = true;
        }
        Ok(locked)
    }
}
