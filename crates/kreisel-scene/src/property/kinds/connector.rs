//! Connectors of constraints and controllers.

use crate::property::Choice;
use crate::property::codec::{Formula, Listed, Nested, Number, Ref, Vector, WordOf};
use crate::property::table_macro::table;
use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::{BodyId, Connector, CurveId, Lock, Vec3};

table! {
    /// A point: one of `body`, `fixed`, `curve`, `nearest` and `function`.
    static CONNECTOR: Connector = "connector", "a connector", Nested;
    blank Connector::fixed(Vec3::ZERO);
    choices &[Choice::exactly_one(&["body", "fixed", "curve", "nearest", "function"])];
    {
    /// a point of this body
    body: Ref<BodyId> = { get: |it| body(it).map(|b| b.0), set: |it, x| *it = Connector::body(x, Vec3::ZERO) };
    /// where on the body, in its frame; default [0, 0, 0]
    point: Vector = {
        get: |it| body(it).map(|b| b.1),
        set: |it, x| if let Connector::Body { point, .. } = it { *point = x }
    } => .unit("m").with("body");
    /// what the force may not do to the body; default "none"
    lock: WordOf<Lock> = {
        get: |it| body(it).map(|b| b.2).filter(|l| *l != Lock::None),
        set: |it, x| if let Connector::Body { lock, .. } = it { *lock = x }
    } => .with("body");
    /// a point of space; live, where it is now
    fixed: Vector = { get: |it| fixed(it).map(|f| f.0), set: |it, x| *it = Connector::fixed(x) } => .unit("m").point();
    /// of a fixed point that moves
    velocity: Vector = {
        get: |it| fixed(it).map(|f| f.1),
        set: |it, x| if let Connector::Fixed { velocity, .. } = it { *velocity = x }
    } => .unit("m/s").direction().with("fixed");
    /// a point of this curve
    curve: Ref<CurveId> = {
        get: |it| curve(it).map(|c| c.0),
        set: |it, x| *it = Connector::Curve { curve: x, parameter: 0.0 }
    };
    /// where on the curve
    parameter: Number = {
        get: |it| curve(it).map(|c| c.1),
        set: |it, x| if let Connector::Curve { parameter, .. } = it { *parameter = x }
    } => .within(0.0, 1.0).required().with("curve");
    /// the point of this curve nearest to the first connector
    nearest: Ref<CurveId> = {
        get: |it| if let Connector::Nearest { curve } = it { Some(*curve) } else { None },
        set: |it, x| *it = Connector::Nearest { curve: x }
    };
    /// a point that moves by formulas in `t`, the time in s
    function: Listed<Formula, 3, 3> = { get: |it| function(it), set: |it, x| *it = Connector::Function(x) }
        => .unit("m").point().spread();
    }
}

/// The connectors of an item.
pub(crate) type Connectors = Listed<Nested<Connector>, 0, 1000>;

fn body(it: &Connector) -> Option<(BodyId, Vec3, Lock)> {
    if let Connector::Body { body, point, lock } = it { Some((*body, *point, *lock)) } else { None }
}

fn fixed(it: &Connector) -> Option<(Vec3, Vec3)> {
    if let Connector::Fixed { position, velocity } = it {
        Some((*position, *velocity))
    } else {
        None
    }
}

fn curve(it: &Connector) -> Option<(CurveId, f64)> {
    if let Connector::Curve { curve, parameter } = it { Some((*curve, *parameter)) } else { None }
}

fn function(it: &Connector) -> Option<[Expression; 3]> {
    if let Connector::Function(f) = it { Some(f.clone()) } else { None }
}
