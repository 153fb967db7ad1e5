//! `[[constraint]]` and `[[switch]]`.

use super::names::Built;
use super::{formula, item, transmission};
use crate::expr::Unit;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::property::kinds::natural;
use crate::read::{Fields, Reader, optional};
use crate::scene::{Switch, SwitchTo};
use kreisel_dynamics::{Constraint, ConstraintKind, Coordinate, CoupledJoint, ModelError, PathEnd, variables};

/// Notes success or refusal of an item.
fn finish<T>(
    reader: &mut Reader,
    fields: &Fields<'_>,
    built: &mut Built,
    given: &str,
    result: Result<T, ModelError>,
) -> Option<()> {
    match result {
        Ok(_) => {
            built.built(reader, given, None, fields.span);
            Some(())
        }
        Err(e) => {
            reader.model_error(fields, &e);
            None
        }
    }
}

/// The nodes of an array.
pub(super) fn array<'n>(reader: &mut Reader, node: &'n Node, wanted: &str) -> Option<&'n [Node]> {
    if let Value::Array(items) = &node.value {
        return Some(items);
    }
    let message = format!("expected {wanted}, found {}", node.kind());
    reader.error(Code::WrongType, &node.span, message, "not an array");
    None
}

/// Reads a constraint and adds it to the world.
pub(super) fn constraint(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let name = built.claim(reader, fields, "constraint");
    // a coupling has joints instead
    let coupling = fields.has("joints") && !fields.has("connectors");
    let connectors = if coupling { Some(Vec::new()) } else { item::connectors(reader, fields, built) };
    let count = connectors.as_ref().map_or(0, Vec::len);
    let kind = kind(reader, fields, count, built);
    let mut out = Constraint::new(kind?, connectors?);
    if let Some(n) = fields.get("locked") {
        for item in array(reader, n, "an array of row numbers")? {
            let row = reader.count(item, "the row", out.kind.rows() as u32)?;
            if row == 0 {
                reader.error(Code::WrongValue, &item.span, "rows are counted from 1", "no such row");
                return None;
            }
            out = out.locking(&[row as usize - 1]);
        }
    }
    // a cable can hang loose unless it is said to be a rod that is led round corners
    let loose = matches!(out.kind, ConstraintKind::Cable { .. });
    out.one_sided = optional(fields.get("one_sided"), |n| reader.flag(n))?.unwrap_or(loose);
    out.active = optional(fields.get("active"), |n| reader.flag(n))?.unwrap_or(true);
    out.assemble = optional(fields.get("assemble"), |n| reader.flag(n))?.unwrap_or(false);
    out.collide = optional(fields.get("collide"), |n| reader.flag(n))?.unwrap_or(false);
    out.alpha = optional(fields.get("alpha"), |n| reader.plain(n))?;
    out.gamma = optional(fields.get("gamma"), |n| reader.plain(n))?;
    out.breaking =
        optional(fields.get("breaking"), |n| reader.number_or_infinite(n, Unit::Plain))?.unwrap_or(f64::INFINITY);
    let name = name?;
    out.name.clone_from(&name);
    let result = built.world.add_constraint(out);
    if let Some(actual) = result.as_ref().ok().and_then(|id| built.world.constraint_name(*id)) {
        built.built(reader, &name, Some(&actual), fields.span);
    }
    finish(reader, fields, built, &name, result)
}

fn kind(reader: &mut Reader, fields: &Fields<'_>, connectors: usize, built: &Built) -> Option<ConstraintKind> {
    let words: Vec<(&str, u8)> = [
        "point-to-point",
        "distance",
        "unit-distance",
        "orientation",
        "in-line",
        "ortho",
        "hinge",
        "slide",
        "universal",
        "point-to-path",
        "point-to-function",
        "equal-velocity",
        "equal-velocity-norm",
        "velocity-to-function",
        "expression",
        "velocity-expression",
        "coupling",
        "point-on-curve",
        "cable",
    ]
    .into_iter()
    .chain(transmission::WORDS)
    .zip(0..)
    .collect();
    let node = reader.required(fields, "type")?;
    Some(match reader.choice(node, "type of constraint", &words)? {
        0 => ConstraintKind::PointToPoint,
        1 => ConstraintKind::Distance(optional(fields.get("length"), |n| reader.positive(n, "the length"))?),
        2 => ConstraintKind::UnitDistance,
        3 => ConstraintKind::Orientation,
        4 => ConstraintKind::InLine,
        5 => ConstraintKind::Ortho,
        6 => ConstraintKind::Hinge,
        7 => ConstraintKind::Slide,
        8 => ConstraintKind::Universal,
        9 => {
            let end = fields.get("end").and_then(|n| reader.word(n, "end of a path")).unwrap_or(PathEnd::Stop);
            let speed = optional(fields.get("speed"), |n| reader.plain(n))?.unwrap_or(1.0);
            ConstraintKind::PointToPath { speed, end }
        }
        10 => ConstraintKind::PointToFunction,
        11 => ConstraintKind::EqualVelocity,
        12 => ConstraintKind::EqualVelocityNorm,
        13 => ConstraintKind::VelocityToFunction,
        16 => coupling(reader, fields, built)?,
        17 => ConstraintKind::PointOnCurve,
        18 => transmission::cable(reader, fields, built)?,
        n if n > 18 => transmission::transmission(reader, fields, built, usize::from(n - 19))?,
        n => {
            let names = variables(connectors, n == 15);
            let node = reader.required(fields, "formulas")?;
            let items = array(reader, node, "an array of expressions")?;
            let list: Vec<_> = items.iter().map(|i| formula::read(reader, i, &names)).collect();
            let list: Option<Vec<_>> = list.into_iter().collect();
            if n == 15 { ConstraintKind::VelocityExpression(list?) } else { ConstraintKind::Expression(list?) }
        }
    })
}

/// The joints of a coupling, with the factors of their coordinates.
fn coupling(reader: &mut Reader, fields: &Fields<'_>, built: &Built) -> Option<ConstraintKind> {
    let node = reader.required(fields, "joints")?;
    let names = array(reader, node, "an array of names of joints")?;
    let node = reader.required(fields, "factors")?;
    let factors = reader.array(node, names.len(), "one factor, or one array of factors, per joint")?;
    let words = match fields.get("coordinates") {
        Some(n) => Some(reader.array(n, names.len(), "one coordinate per joint")?),
        None => None,
    };
    let mut joints = Vec::new();
    for (k, (name, factor)) in names.iter().zip(factors).enumerate() {
        let joint = built.joint(reader, name)?;
        let coordinate = match words {
            Some(words) => reader.word(&words[k], "coordinate")?,
            None => built.world.joint(joint).map_or(Coordinate::Angle, |j| natural(j.kind)),
        };
        let factors: Option<Vec<f64>> = match &factor.value {
            Value::Array(list) => list.iter().map(|n| reader.plain(n)).collect(),
            _ => reader.plain(factor).map(|f| vec![f]),
        };
        joints.push(CoupledJoint { joint, coordinate, factors: factors? });
    }
    let value = optional(fields.get("value"), |n| reader.plain(n))?.unwrap_or(0.0);
    Some(ConstraintKind::Coupling { joints, value })
}

/// Reads a switch.
pub(super) fn switch(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let at = reader.required(fields, "at").and_then(|n| reader.plain(n));
    let to = if let Some(n) = fields.get("body") {
        let body = built.body(reader, n);
        let kind = reader.required(fields, "kind").and_then(|n| reader.word(n, "kind of body"));
        SwitchTo::Kind(body?, kind?)
    } else {
        let n = reader.required(fields, "item")?;
        let short = reader.text(n)?;
        let name = format!("{}{short}", built.prefix);
        let w = &built.world;
        let known = w.joint_named(&name).is_some()
            || w.constraint_named(&name).is_some()
            || w.controller_named(&name).is_some()
            || w.field_named(&name).is_some();
        if !known {
            if !built.failed.contains(&name) {
                built.unknown(reader, n, &short, "item", built.spans.keys().map(String::as_str));
            }
            return None;
        }
        SwitchTo::Active(name, optional(fields.get("active"), |n| reader.flag(n))?.unwrap_or(true))
    };
    built.switches.push(Switch { at: at?, to });
    Some(())
}
