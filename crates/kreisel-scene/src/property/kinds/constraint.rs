//! `[[constraint]]`: its type, what it acts on, and what the types need besides.

use super::connector::Connectors;
use super::motor::Driven;
use super::plugin::{self, Parameters};
use crate::property::codec::{
    Codec, Flag, Formula, Listed, Nested, Number, OrNone, Ref, Size, Text, Unlimited, Vector,
    WordOf, Written, formula, unknown_word,
};
use crate::property::table_macro::table;
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::plugin::{ConstraintLaw, Plugin};
use kreisel_dynamics::words::Word;
use kreisel_dynamics::{
    Connector, Constraint, ConstraintKind, Coordinate, CoupledJoint, JointId, PathEnd,
    Transmission, World, Wrap, variables,
};
use std::any::Any;

table! {
    /// A constraint between connectors. The impulse methods hold all but formulas, inequalities,
    /// locks and equal-velocity-norm. Connectors that are left out become fixed points where their
    /// partners are.
    static CONSTRAINT: Constraint = "constraint", "[[constraint]]", Item;
    blank Constraint::new(ConstraintKind::PointToPoint, Vec::new());
    check |it, _| check(it);
    {
    /// unique name; default "constraint 1", …
    name: Text = it.name;
    /// what it demands
    r#type: TypeWord = { get: |it| Some(it.kind.clone()), set: |it, x| set_type(it, x) } => .required();
    /// points, or two points per axis
    connectors: Connectors = { get: |it| Some(it.connectors.clone()), set: |it, x| set_connectors(it, x)? }
        => .required().only("type", TypeWord::CONNECTED).spread();
    /// of a distance or a cable; default the present one
    length: OrNone<Number> = { get: |it| length(&it.kind), set: |it, x| set_length(&mut it.kind, x) }
        => .unit("m").positive().only("type", &["distance", "cable"]);
    /// along the curve of a path; default 1
    speed: Number = { get: |it| path(&it.kind).map(|p| p.0), set: |it, x| set_speed(&mut it.kind, x) }
        => .unit("m/s").only("type", &["point-to-path"]);
    /// what happens at the end of a path; default "stop"
    end: WordOf<PathEnd> = { get: |it| path(&it.kind).map(|p| p.1), set: |it, x| set_end(&mut it.kind, x) }
        => .only("type", &["point-to-path"]);
    /// each has to be zero; variables are t, x1, y1, z1, x2, … (and vx1, … of a
    /// velocity-expression)
    formulas: Formulas = { get: |it| formulas(&it.kind).map(written), set: |it, x| set_formulas(it, &x)? }
        => .required().variables(variables_of).only("type", &["expression", "velocity-expression"]);
    /// of a plugin: the name under which the program has registered the law; a scene never loads
    /// code by itself
    plugin: Text = { get: |it| law(&it.kind).map(|l| l.name().to_owned()), set: |it, x| set_name(&mut it.kind, x) }
        => .required().only("type", &["plugin"]);
    /// of a plugin: numbers for its law; default those that the law declares
    parameters: Parameters = {
        get: |it| law(&it.kind).map(|l| l.parameters().to_vec()),
        set: |it, x| set_parameters(&mut it.kind, x)
    } => .only("type", &["plugin"]);
    /// of a coupling: the joints whose coordinates depend on each other; of a gear or belt the
    /// hinges of its wheels, of a rack pinion and slider, of a screw the joint (or what turns and
    /// what moves along), of a differential both shafts and the case, of a cam itself and its
    /// follower, of a constant-velocity coupling a ball joint along the shafts
    joints: Listed<Driven, 1, 1000> = { get: |it| joints(&it.kind), set: |it, x| set_joints(&mut it.kind, x)? }
        => .required().only("type", TypeWord::JOINED);
    /// of a coupling or cam, one per joint; default the angle of a joint that has one, else its
    /// position
    coordinates: Listed<WordOf<Coordinate>, 1, 1000> = {
        get: |it| coordinates(&it.kind), set: |it, x| set_coordinates(&mut it.kind, x)?
    } => .only("type", &["coupling", "cam"]);
    /// of a coupling, one per joint: factor of the coordinate, or of its powers 1, 2, …; their sum
    /// keeps `value`
    factors: Listed<Factors, 1, 1000> = {
        get: |it| coupled(&it.kind, |j| j.factors.clone()),
        set: |it, x| each_joint(&mut it.kind, x, "factor, or one array of factors,", |j, f| j.factors = f)?
    } => .required().only("type", &["coupling"]);
    /// of a coupling: what the products sum to, rad or m; default 0
    value: Number = { get: |it| sum(&it.kind), set: |it, x| set_sum(&mut it.kind, x) } => .only("type", &["coupling"]);
    /// of a gear: angle of the second wheel by that of the first; negative where they mesh outside
    ratio: Number = { get: |it| measure(&it.kind, "ratio"), set: |it, x| set_measure(&mut it.kind, "ratio", x) }
        => .only("type", &["gear"]);
    /// of a gear, instead of `ratio`: teeth of both wheels
    teeth: Listed<Number, 2, 2> = { get: |it| teeth(&it.kind), set: |it, x| set_teeth(&mut it.kind, x) }
        => .positive().only("type", &["gear"]).alias();
    /// of a gear with `teeth`: one wheel is a ring with teeth inside; default false
    internal: Flag = { get: |it| internal(&it.kind), set: |it, x| set_internal(&mut it.kind, x) }
        => .only("type", &["gear"]).alias();
    /// of a gear whose axes turn: the hinge of the arm that carries them; default none
    carrier: OrNone<Ref<JointId>> = { get: |it| carrier(&it.kind), set: |it, x| set_carrier(&mut it.kind, x) }
        => .only("type", &["gear"]);
    /// of a screw: way of one turn
    lead: Number = { get: |it| measure(&it.kind, "lead"), set: |it, x| set_measure(&mut it.kind, "lead", x) }
        => .unit("m").required().only("type", &["screw"]);
    /// of a belt: radii of the wheels; negative where it runs over its back
    radii: Listed<Number, 1, 1000> = { get: |it| radii(&it.kind), set: |it, x| set_radii(&mut it.kind, x) }
        => .unit("m").required().only("type", &["belt"]);
    /// of a differential: what the first shaft takes of the torque; default 0.5
    share: Number = { get: |it| measure(&it.kind, "share"), set: |it, x| set_measure(&mut it.kind, "share", x) }
        => .only("type", &["differential"]);
    /// of a cam: position of the follower by the coordinate `q` of the cam
    profile: Profile = { get: |it| profile(&it.kind), set: |it, x| set_profile(&mut it.kind, x) }
        => .required().variables(|_| vec!["q".to_owned()]).only("type", &["cam"]);
    /// of a cable: the hinge of a drum that gives `radius` more of it per radian; default none
    drum: OrNone<Ref<JointId>> = { get: |it| drum(&it.kind), set: |it, x| set_drum(&mut it.kind, x) }
        => .only("type", &["cable"]);
    /// of a cable: round bodies that it runs over between its points; default none
    wraps: Listed<Nested<Wrap>, 0, 1000> = { get: |it| wraps(&it.kind), set: |it, x| set_wraps(&mut it.kind, x) }
        => .only("type", &["cable"]);
    /// of a cable: what the way from each of its points to the next counts; 0 where another branch
    /// begins; default 1 each
    weights: Listed<Number, 0, 1000> = { get: |it| weights(&it.kind), set: |it, x| set_weights(&mut it.kind, x) }
        => .not_negative().only("type", &["cable"]);
    /// of a rack: rolling radius of the pinion; of a cable: radius of its drum, negative if it
    /// winds up
    radius: OrNone<Number> = { get: |it| Some(radius(&it.kind)), set: |it, x| set_radius(&mut it.kind, x)? }
        => .unit("m").only("type", &["rack", "cable"]);
    /// of a gear, rack, screw, belt, differential or cam: what stands on the right of its equation,
    /// one number per equation; default as it stands
    phase: Factors = { get: |it| phase(&it.kind), set: |it, x| set_phase(&mut it.kind, x) }
        => .only("type", TypeWord::GEARED);
    /// rows that are left out, counted from 1; default none
    locked: Rows = { get: |it| Some(it.locked.clone()), set: |it, x| it.locked = x } => .within(1.0, MOST_ROWS);
    /// rows need only stay at or above zero: a follower may lift off, a cable hang loose; default
    /// false, of a cable true
    one_sided: Flag = it.one_sided => .usual(usually_one_sided);
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

table! {
    /// A sphere or a cylinder that a cable runs over. Its centre and side are connectors of the
    /// cable, but no points of its way.
    static WRAP: Wrap = "wrap", "a wrap", Nested;
    blank Wrap { after: 0, around: 0, radius: 0.0, axis: None, side: None };
    {
    /// number of the point of the cable after which it comes, from 1
    after: Size = { get: |it| Some(it.after + 1), set: |it, x| it.after = place(x) }
        => .within(1.0, MOST_CONNECTORS).required();
    /// number of the connector at its centre, from 1
    around: Size = { get: |it| Some(it.around + 1), set: |it, x| it.around = place(x) }
        => .within(1.0, MOST_CONNECTORS).required();
    /// its radius
    radius: Number = it.radius => .unit("m").positive().required();
    /// axis of a cylinder in the frame of its body; default none, a sphere
    axis: OrNone<Vector> = it.axis;
    /// number of a connector on the side on which the cable runs; default none, the shorter way
    side: OrNone<Size> = {
        get: |it| Some(it.side.map(|k| k + 1)),
        set: |it, x| it.side = x.map(place)
    } => .within(1.0, MOST_CONNECTORS);
    }
}

/// Largest number of a connector; there are never so many.
const MOST_CONNECTORS: f64 = 1e6;

/// Numbers of connectors count from 1 in scenes.
fn place(number: usize) -> usize {
    number.saturating_sub(1)
}

/// Most rows of a constraint: formulas may be many.
const MOST_ROWS: f64 = 1000.0;

/// Rows are left out that it has, and what a type needs is there.
fn check(it: &Constraint) -> Result<(), Fault> {
    let missing = |key: &'static str, what: &str| Err(Fault::new(format!("a {what} needs {key}")));
    match &it.kind {
        ConstraintKind::Transmission { of: Transmission::Gear { ratio, .. }, .. }
            if ratio.is_nan() =>
        {
            return missing("`ratio` or `teeth`", "gear");
        }
        ConstraintKind::Transmission { of: Transmission::Rack { radius, .. }, .. }
            if radius.is_nan() =>
        {
            return missing("`radius`", "rack");
        }
        ConstraintKind::Cable { drum: Some((_, radius)), .. } if radius.is_nan() => {
            return missing("`radius`", "drum");
        }
        ConstraintKind::Plugin(law) => return plugin::check(law),
        _ => {}
    }
    let rows = it.kind.rows();
    let Some(k) = it.locked.iter().rposition(|l| *l).filter(|k| *k >= rows) else { return Ok(()) };
    let place = it.locked[..k].iter().filter(|l| **l).count();
    let message = format!(
        "there is no row {}: a constraint of type \"{}\" has {rows}",
        k + 1,
        it.kind.name()
    );
    Err(Fault::new(message).under(place).under("locked"))
}

/// A kind of another type takes the place of the old one.
fn set_type(it: &mut Constraint, new: ConstraintKind) {
    if it.kind.name() != new.name() {
        it.kind = new;
        it.one_sided = matches!(it.kind, ConstraintKind::Cable { .. });
    }
}

/// A cable can hang loose unless it is said to be a rod that is led round corners.
fn usually_one_sided(item: &dyn Any) -> Value {
    let it = item.downcast_ref::<Constraint>();
    Value::Flag(it.is_some_and(|it| matches!(it.kind, ConstraintKind::Cable { .. })))
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

fn law(kind: &ConstraintKind) -> Option<&Plugin<dyn ConstraintLaw>> {
    if let ConstraintKind::Plugin(plugin) = kind { Some(plugin) } else { None }
}

fn set_name(kind: &mut ConstraintKind, to: String) {
    if let ConstraintKind::Plugin(plugin) = kind {
        *plugin = plugin.with_name(to);
    }
}

fn set_parameters(kind: &mut ConstraintKind, to: Vec<(String, f64)>) {
    if let ConstraintKind::Plugin(plugin) = kind {
        *plugin = plugin.with_parameters(to);
    }
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
    if let ConstraintKind::Expression(list) | ConstraintKind::VelocityExpression(list) =
        &mut it.kind
    {
        *list = read;
    }
    Ok(())
}

fn length(kind: &ConstraintKind) -> Option<Option<f64>> {
    if let ConstraintKind::Distance(length) | ConstraintKind::Cable { length, .. } = kind {
        Some(*length)
    } else {
        None
    }
}

fn set_length(kind: &mut ConstraintKind, to: Option<f64>) {
    if let ConstraintKind::Distance(length) | ConstraintKind::Cable { length, .. } = kind {
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
    if let ConstraintKind::Coupling { joints, .. } = kind {
        Some(joints.iter().map(what).collect())
    } else {
        None
    }
}

fn joints(kind: &ConstraintKind) -> Option<Vec<(JointId, Coordinate)>> {
    match kind {
        ConstraintKind::Coupling { joints, .. } => {
            Some(joints.iter().map(|j| (j.joint, j.coordinate)).collect())
        }
        ConstraintKind::Transmission { of, .. } => {
            let mut list = of.joints();
            if let Transmission::Gear { carrier: Some(_), .. } = of {
                list.pop();
            }
            Some(list.into_iter().map(|j| (j, Coordinate::Angle)).collect())
        }
        _ => None,
    }
}

/// Other joints; those of a coupling that were there keep their coordinates and factors, the others
/// begin with 1.
fn set_joints(kind: &mut ConstraintKind, to: Vec<(JointId, Coordinate)>) -> Result<(), Fault> {
    match kind {
        ConstraintKind::Coupling { joints, .. } => {
            let of = |k: usize, joint: JointId, natural: Coordinate| match joints.get(k) {
                Some(old) if old.joint == joint => old.clone(),
                Some(old) => {
                    CoupledJoint { joint, coordinate: natural, factors: old.factors.clone() }
                }
                None => CoupledJoint::new(joint, natural, 1.0),
            };
            *joints = to
                .into_iter()
                .enumerate()
                .map(|(k, (joint, natural))| of(k, joint, natural))
                .collect();
        }
        ConstraintKind::Transmission { of, phase } => {
            let old = of.clone();
            tie(of, &to)?;
            // those that were there keep their coordinates, and all of them the phase
            if let (
                Transmission::Cam { joints: now, coordinates, .. },
                Transmission::Cam { joints: then, coordinates: own, .. },
            ) = (&mut *of, &old)
            {
                for k in (0..2).filter(|k| now[*k] == then[*k]) {
                    coordinates[k] = own[k];
                }
            }
            if *of != old {
                phase.clear();
            }
        }
        _ => {}
    }
    Ok(())
}

/// Gives a transmission its joints.
fn tie(of: &mut Transmission, to: &[(JointId, Coordinate)]) -> Result<(), Fault> {
    let word = of.name();
    let wrong = |n: &str| Err(Fault::new(format!("a {word} has {n}, found {}", to.len())));
    match (of, to) {
        (Transmission::Cam { joints, coordinates, .. }, &[a, b]) => {
            (*joints, *coordinates) = ([a.0, b.0], [a.1, b.1]);
        }
        (Transmission::Gear { joints, .. } | Transmission::Rack { joints, .. }, [a, b])
        | (Transmission::Screw { joints, .. }, [a, b]) => *joints = [a.0, b.0],
        (Transmission::Screw { joints, .. }, [a]) => *joints = [a.0; 2],
        (Transmission::Belt { joints, .. }, list) => *joints = list.iter().map(|j| j.0).collect(),
        (Transmission::Differential { joints, .. }, [a, b, c]) => *joints = [a.0, b.0, c.0],
        (Transmission::ConstantVelocity { joint }, [a]) => *joint = a.0,
        (Transmission::Screw { .. }, _) => return wrong("one joint or two"),
        (Transmission::Differential { .. }, _) => return wrong("three joints"),
        (Transmission::ConstantVelocity { .. }, _) => return wrong("one joint"),
        _ => return wrong("two joints"),
    }
    Ok(())
}

fn coordinates(kind: &ConstraintKind) -> Option<Vec<Coordinate>> {
    match kind {
        ConstraintKind::Transmission { of: Transmission::Cam { coordinates, .. }, .. } => {
            Some(coordinates.to_vec())
        }
        _ => coupled(kind, |j| j.coordinate),
    }
}

fn set_coordinates(kind: &mut ConstraintKind, to: Vec<Coordinate>) -> Result<(), Fault> {
    if let ConstraintKind::Transmission { of: Transmission::Cam { coordinates, .. }, .. } = kind {
        let [a, b] = to[..] else {
            return Err(Fault::new("expected the coordinates of cam and follower"));
        };
        *coordinates = [a, b];
        return Ok(());
    }
    each_joint(kind, to, "coordinate", |j, c| j.coordinate = c)
}

/// The number that describes a transmission, if it has this key.
fn measure(kind: &ConstraintKind, key: &str) -> Option<f64> {
    let ConstraintKind::Transmission { of, .. } = kind else { return None };
    of.measure().filter(|m| m.0 == key).map(|m| m.2)
}

/// Another ratio, from where the wheels stand now.
fn set_measure(kind: &mut ConstraintKind, key: &str, to: f64) {
    let ConstraintKind::Transmission { of, phase } = kind else { return };
    if let Some((_, _, old)) = of.measure().filter(|m| m.0 == key)
        && old.to_bits() != to.to_bits()
    {
        of.set_measure(to);
        phase.clear();
    }
}

/// Teeth that give its ratio: those of the second wheel for one of the first, or the other way
/// round.
fn teeth(kind: &ConstraintKind) -> Option<Vec<f64>> {
    measure(kind, "ratio").map(|ratio| vec![ratio.abs(), 1.0])
}

/// Wheels mesh outside unless one is said to be a ring.
fn set_teeth(kind: &mut ConstraintKind, teeth: Vec<f64>) {
    if let ([first, second], Some(old)) = (&teeth[..], measure(kind, "ratio")) {
        let ratio = first / second;
        set_measure(kind, "ratio", if old > 0.0 { ratio } else { -ratio });
    }
}

fn internal(kind: &ConstraintKind) -> Option<bool> {
    measure(kind, "ratio").map(|ratio| ratio > 0.0)
}

fn set_internal(kind: &mut ConstraintKind, internal: bool) {
    if let Some(ratio) = measure(kind, "ratio") {
        set_measure(kind, "ratio", if internal { ratio.abs() } else { -ratio.abs() });
    }
}

fn carrier(kind: &ConstraintKind) -> Option<Option<JointId>> {
    if let ConstraintKind::Transmission { of: Transmission::Gear { carrier, .. }, .. } = kind {
        Some(*carrier)
    } else {
        None
    }
}

fn set_carrier(kind: &mut ConstraintKind, to: Option<JointId>) {
    if let ConstraintKind::Transmission { of: Transmission::Gear { carrier, .. }, phase } = kind
        && *carrier != to
    {
        *carrier = to;
        phase.clear();
    }
}

fn radii(kind: &ConstraintKind) -> Option<Vec<f64>> {
    if let ConstraintKind::Transmission { of: Transmission::Belt { radii, .. }, .. } = kind {
        Some(radii.clone())
    } else {
        None
    }
}

fn set_radii(kind: &mut ConstraintKind, to: Vec<f64>) {
    if let ConstraintKind::Transmission { of: Transmission::Belt { radii, .. }, phase } = kind
        && *radii != to
    {
        *radii = to;
        phase.clear();
    }
}

fn profile(kind: &ConstraintKind) -> Option<Expression> {
    if let ConstraintKind::Transmission { of: Transmission::Cam { profile, .. }, .. } = kind {
        Some(profile.clone())
    } else {
        None
    }
}

fn set_profile(kind: &mut ConstraintKind, to: Expression) {
    if let ConstraintKind::Transmission { of: Transmission::Cam { profile, .. }, .. } = kind {
        *profile = to;
    }
}

fn drum(kind: &ConstraintKind) -> Option<Option<JointId>> {
    if let ConstraintKind::Cable { drum, .. } = kind { Some(drum.map(|d| d.0)) } else { None }
}

fn set_drum(kind: &mut ConstraintKind, to: Option<JointId>) {
    if let ConstraintKind::Cable { drum, .. } = kind {
        *drum = to.map(|joint| (joint, drum.map_or(f64::NAN, |d| d.1)));
    }
}

fn wraps(kind: &ConstraintKind) -> Option<Vec<Wrap>> {
    if let ConstraintKind::Cable { wraps, .. } = kind { Some(wraps.clone()) } else { None }
}

/// Another way: the cable stays as long as it is.
fn set_wraps(kind: &mut ConstraintKind, to: Vec<Wrap>) {
    if let ConstraintKind::Cable { wraps, .. } = kind {
        *wraps = to;
    }
}

fn weights(kind: &ConstraintKind) -> Option<Vec<f64>> {
    if let ConstraintKind::Cable { weights, .. } = kind { Some(weights.clone()) } else { None }
}

fn set_weights(kind: &mut ConstraintKind, to: Vec<f64>) {
    if let ConstraintKind::Cable { weights, .. } = kind {
        *weights = to;
    }
}

fn radius(kind: &ConstraintKind) -> Option<f64> {
    match kind {
        ConstraintKind::Cable { drum, .. } => drum.map(|d| d.1),
        _ => measure(kind, "radius"),
    }
}

/// Another drum: the cable stays as long as it is.
fn set_radius(kind: &mut ConstraintKind, to: Option<f64>) -> Result<(), Fault> {
    // none where it is missing: the check says what it is needed for
    let Some(to) = to else {
        if radius(kind).is_some() {
            return Err(Fault::new("a radius can be another one, not none"));
        }
        return Ok(());
    };
    match kind {
        ConstraintKind::Cable { drum: None, .. } => {
            let help = "name the hinge of its drum under `drum`";
            return Err(Fault::new("a cable without a drum has no radius").help(help));
        }
        ConstraintKind::Cable { length, drum: Some((_, radius)), .. } => {
            if !radius.is_nan() && *radius != to {
                *length = None;
            }
            *radius = to;
        }
        _ => set_measure(kind, "radius", to),
    }
    Ok(())
}

fn phase(kind: &ConstraintKind) -> Option<Vec<f64>> {
    if let ConstraintKind::Transmission { phase, .. } = kind { Some(phase.clone()) } else { None }
}

fn set_phase(kind: &mut ConstraintKind, to: Vec<f64>) {
    if let ConstraintKind::Transmission { phase, .. } = kind {
        *phase = to;
    }
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

/// A type of constraint: a kind without its numbers, what it does.
type TypeEntry = (fn() -> ConstraintKind, Word);

const fn entry(kind: fn() -> ConstraintKind, word: &'static str, doc: &'static str) -> TypeEntry {
    (kind, Word { word, doc })
}

/// A transmission without its numbers; what is not a number yet must be written.
fn geared(of: Transmission) -> ConstraintKind {
    ConstraintKind::Transmission { of, phase: Vec::new() }
}

const NONE: JointId = JointId::NONE;

impl TypeWord {
    /// Types that act on connectors first, then coupling and transmissions, which act on joints.
    const KINDS: &[TypeEntry] = &[
        entry(|| ConstraintKind::PointToPoint, "point-to-point", "two points coincide"),
        entry(|| ConstraintKind::Distance(None), "distance", "two points keep a distance"),
        entry(|| ConstraintKind::UnitDistance, "unit-distance", "two points keep the distance 1 m"),
        entry(|| ConstraintKind::Orientation, "orientation", "two axes are parallel"),
        entry(|| ConstraintKind::InLine, "in-line", "a point stays on an axis"),
        entry(|| ConstraintKind::Ortho, "ortho", "two axes are perpendicular"),
        entry(|| ConstraintKind::Hinge, "hinge", "turns about a common axis"),
        entry(|| ConstraintKind::Slide, "slide", "slides along and turns about a common axis"),
        entry(
            || ConstraintKind::Universal,
            "universal",
            "two axes share a point and are perpendicular",
        ),
        entry(
            || ConstraintKind::PointToPath { speed: 1.0, end: PathEnd::Stop },
            "point-to-path",
            "a point runs along a curve",
        ),
        entry(
            || ConstraintKind::PointToFunction,
            "point-to-function",
            "a point follows a function of time",
        ),
        entry(
            || ConstraintKind::EqualVelocity,
            "equal-velocity",
            "two points have the same velocity",
        ),
        entry(
            || ConstraintKind::EqualVelocityNorm,
            "equal-velocity-norm",
            "two points have the same speed",
        ),
        entry(
            || ConstraintKind::VelocityToFunction,
            "velocity-to-function",
            "the velocity of a point follows a function of time",
        ),
        entry(
            || ConstraintKind::Expression(Vec::new()),
            "expression",
            "formulas in the places of points are zero",
        ),
        entry(
            || ConstraintKind::VelocityExpression(Vec::new()),
            "velocity-expression",
            "formulas that may use velocities are zero",
        ),
        entry(|| ConstraintKind::PointOnCurve, "point-on-curve", "a point slides on a curve"),
        entry(
            || {
                let (wraps, weights) = (Vec::new(), Vec::new());
                ConstraintKind::Cable { length: None, drum: None, wraps, weights }
            },
            "cable",
            "runs freely through points, and keeps its length or hangs loose",
        ),
        entry(
            || ConstraintKind::Plugin(Plugin::default()),
            "plugin",
            "rows of a law that the program has registered",
        ),
        entry(
            || ConstraintKind::Coupling { joints: Vec::new(), value: 0.0 },
            "coupling",
            "coordinates of joints depend on each other",
        ),
        entry(
            || geared(Transmission::Gear { joints: [NONE; 2], ratio: f64::NAN, carrier: None }),
            "gear",
            "two wheels mesh: spur, internal or bevel",
        ),
        entry(
            || geared(Transmission::Rack { joints: [NONE; 2], radius: f64::NAN }),
            "rack",
            "a pinion moves a rack",
        ),
        entry(
            || geared(Transmission::Screw { joints: [NONE; 2], lead: f64::NAN }),
            "screw",
            "a screw moves its nut",
        ),
        entry(
            || geared(Transmission::Belt { joints: Vec::new(), radii: Vec::new() }),
            "belt",
            "a belt or chain runs over wheels",
        ),
        entry(
            || geared(Transmission::Differential { joints: [NONE; 3], share: 0.5 }),
            "differential",
            "the case turns with the mean of two shafts",
        ),
        entry(cam, "cam", "a cam moves its follower"),
        entry(
            || geared(Transmission::ConstantVelocity { joint: NONE }),
            "constant-velocity",
            "two shafts turn at the same speed, whatever the angle between them",
        ),
    ];

    const WORDS: &[Word] = &words::<{ Self::KINDS.len() }>(Self::KINDS);

    /// Number of the types that act on connectors.
    const ON_CONNECTORS: usize = 19;

    /// Types that act on connectors.
    const CONNECTED: &'static [&'static str] = &names::<{ Self::ON_CONNECTORS }>(Self::WORDS, 0);

    /// Types that act on joints.
    const JOINED: &'static [&'static str] =
        &names::<{ Self::KINDS.len() - Self::ON_CONNECTORS }>(Self::WORDS, Self::ON_CONNECTORS);

    /// Those with phases.
    const GEARED: &'static [&'static str] = &names::<{ Self::KINDS.len() - Self::ON_CONNECTORS - 1 }>(
        Self::WORDS,
        Self::ON_CONNECTORS + 1,
    );
}

/// A cam whose profile is to be written.
fn cam() -> ConstraintKind {
    let coordinates = [Coordinate::Angle, Coordinate::Position];
    geared(Transmission::Cam { joints: [NONE; 2], coordinates, profile: Expression::constant(0.0) })
}

const fn words<const N: usize>(kinds: &[TypeEntry]) -> [Word; N] {
    let mut out = [Word { word: "", doc: "" }; N];
    let mut k = 0;
    while k < N {
        out[k] = kinds[k].1;
        k += 1;
    }
    out
}

/// The words of `N` types from number `first` on.
const fn names<const N: usize>(words: &[Word], first: usize) -> [&'static str; N] {
    let mut out = [""; N];
    let mut k = 0;
    while k < N {
        out[k] = words[first + k].word;
        k += 1;
    }
    out
}

impl Written for TypeWord {
    const FORM: Form = Form::Words(Self::WORDS);
}
impl Codec<ConstraintKind> for TypeWord {
    fn write(kind: &ConstraintKind, _: &World) -> Value {
        Value::Text(kind.name().into())
    }
    fn read(value: Value, _: &World) -> Result<ConstraintKind, Fault> {
        let Value::Text(word) = &value else {
            return Fault::expected("a type of constraint", &value);
        };
        let found = Self::KINDS.iter().find(|k| k.1.word == word).map(|k| k.0());
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
            other => other
                .as_numbers()
                .ok_or_else(|| Fault::new("expected a number, or an array of numbers")),
        }
    }
}

/// The profile of a cam: a formula in `q`.
struct Profile;
impl Written for Profile {
    const FORM: Form = Form::Formula;
}
impl Codec<Expression> for Profile {
    fn write(profile: &Expression, _: &World) -> Value {
        Formula::value(profile)
    }
    fn read(value: Value, _: &World) -> Result<Expression, Fault> {
        formula(&value, &["q".to_owned()])
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
        let Some(rows) = value.as_numbers() else {
            return Fault::expected("an array of row numbers", &value);
        };
        let mut locked = Vec::new();
        // the range of the property has been checked
        for row in rows.into_iter().filter_map(|x| (x as usize).checked_sub(1)) {
            locked.resize(locked.len().max(row + 1), false);
            locked[row] = true;
        }
        Ok(locked)
    }
}
