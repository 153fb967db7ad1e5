//! Constraints between connectors, as the user describes them (Wagner 5.2, 6.2.3; W-27 to W-53,
//! W-174).
//!
//! | kind | rows | connectors |
//! |---|---|---|
//! | point to point | 3 | P₁, P₂ |
//! | distance, unit distance | 1 | P₁, P₂ |
//! | orientation | 2 | axis P₁P₂, axis P₃P₄ |
//! | in line | 2 | axis P₁P₂, point P₃ |
//! | ortho | 1 | axis P₁P₂, axis P₃P₄ |
//! | hinge | 5 | axis P₁P₂, axis P₃P₄; P₁ and P₃ coincide |
//! | slide | 4 | axis P₁P₂, axis P₃P₄ |
//! | universal | 4 | axis P₁P₂, axis P₃P₄; P₁ and P₃ coincide |
//! | point to path | 3 | P₁, nearest point of a curve |
//! | point to function | 3 | P₁, function |
//! | equal velocity | 3 (velocity) | P₁, P₂ |
//! | equal velocity norm | 1 (velocity) | P₁, P₂ |
//! | velocity to function | 3 (velocity) | P₁, function whose value is the velocity |
//! | expression | one per formula | any |
//! | coupling | 1 | none: coordinates of joints |
//! | gear, rack, screw, belt, differential, cam, constant velocity | 1 (a belt: wheels − 1) | none: joints |
//! | point on curve | 2 | P₁, nearest point of a curve |
//! | cable | 1 | points in the order of the cable; centres and sides of round bodies after them |
//! | plugin | those of its law | those of its law |
//!
//! An axis is two points of one body, or two fixed points. Connectors that are left out become
//! fixed points where their partners are when the constraint is added.

use super::{Connector, CurveId, Transmission, Wrap};
use crate::arena::id;
use crate::body::BodyId;
use crate::formula::{ExprError, Expression};
use crate::joint::{Coordinate, JointId};
use crate::plugin::{ConstraintLaw, Plugin};
use crate::words::words;

id! {
    /// Names a constraint of a [`World`](crate::World).
    ConstraintId
}

words! {
    /// What a point does at the end of its path.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum PathEnd {
        /// It stays.
        Stop = "stop",
        /// It goes back.
        Reverse = "reverse",
    }
}

/// The share of one joint in a coupling: a polynomial p(q) of its coordinate without constant term.
#[derive(Clone, Debug, PartialEq)]
pub struct CoupledJoint {
    /// The joint.
    pub joint: JointId,
    /// Its coordinate; angles are counted over turns.
    pub coordinate: Coordinate,
    /// Factors of q, q², q³, …
    pub factors: Vec<f64>,
}

impl CoupledJoint {
    /// A share that is proportional to the coordinate.
    pub fn new(joint: JointId, coordinate: Coordinate, factor: f64) -> Self {
        Self { joint, coordinate, factors: vec![factor] }
    }
}

/// What a constraint demands.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintKind {
    /// Two points coincide: a ball joint, or a goal for a point.
    PointToPoint,
    /// Two points keep a distance in m; `None` takes the present one.
    Distance(Option<f64>),
    /// Two points keep the distance 1 m.
    UnitDistance,
    /// Two axes are parallel or antiparallel, whichever is nearer when the constraint is switched
    /// on.
    Orientation,
    /// A point stays on an axis.
    InLine,
    /// Two axes are perpendicular.
    Ortho,
    /// Two bodies turn about a common axis.
    Hinge,
    /// A body slides along and turns about an axis of the other.
    Slide,
    /// Two bodies share a point and keep an axis of each perpendicular.
    Universal,
    /// A point runs along a curve.
    PointToPath {
        /// Speed along the curve, m/s; negative runs backwards.
        speed: f64,
        /// What happens at the end.
        end: PathEnd,
    },
    /// A point follows a function of time.
    PointToFunction,
    /// Two points have the same velocity.
    EqualVelocity,
    /// Two points have the same speed.
    EqualVelocityNorm,
    /// The velocity of a point follows a function of time.
    VelocityToFunction,
    /// Formulas in the coordinates x1, y1, z1, x2, … of the connectors and the time t, each of
    /// which has to be zero.
    Expression(Vec<Expression>),
    /// The same with the velocities vx1, vy1, vz1, … of the connectors.
    VelocityExpression(Vec<Expression>),
    /// Coordinates of joints depend on each other: the polynomials of all joints sum to `value`. A
    /// gear (two angles), a rack (angle and position), a screw (both of one joint), a differential
    /// (three angles).
    Coupling {
        /// The joints with their polynomials.
        joints: Vec<CoupledJoint>,
        /// Their sum.
        value: f64,
    },
    /// Coordinates of joints that a machine element ties together.
    Transmission {
        /// The element.
        of: Transmission,
        /// Phase of each equation; empty takes the present ones.
        phase: Vec<f64>,
    },
    /// A point slides on a curve.
    PointOnCurve,
    /// A cable through points, free to slide: their distances sum to its length, and to less where
    /// it is one-sided and hangs loose.
    Cable {
        /// m; `None` takes the present one.
        length: Option<f64>,
        /// A drum that gives more cable as its hinge turns: joint and radius, m.
        drum: Option<(JointId, f64)>,
        /// Round bodies that it runs over.
        wraps: Vec<Wrap>,
        /// What the way from each of its points to the next counts: 1, or a share behind a pulley;
        /// 0 where another branch begins. Missing ones count 1.
        weights: Vec<f64>,
    },
    /// Rows of a law that is written outside.
    Plugin(Plugin<dyn ConstraintLaw>),
}

impl ConstraintKind {
    /// Number of rows before component locks.
    pub fn rows(&self) -> usize {
        match self {
            Self::Distance(_)
            | Self::UnitDistance
            | Self::Ortho
            | Self::EqualVelocityNorm
            | Self::Coupling { .. }
            | Self::Cable { .. } => 1,
            Self::Transmission { of, .. } => of.rows(),
            Self::Orientation | Self::InLine | Self::PointOnCurve => 2,
            Self::PointToPoint
            | Self::PointToPath { .. }
            | Self::PointToFunction
            | Self::EqualVelocity
            | Self::VelocityToFunction => 3,
            Self::Slide | Self::Universal => 4,
            Self::Hinge => 5,
            Self::Expression(list) | Self::VelocityExpression(list) => list.len(),
            Self::Plugin(plugin) => plugin.rows(),
        }
    }

    /// Whether velocities are constrained instead of positions.
    pub fn is_velocity(&self) -> bool {
        match self {
            Self::Plugin(plugin) => plugin.is_velocity(),
            kind => matches!(
                kind,
                Self::EqualVelocity
                    | Self::EqualVelocityNorm
                    | Self::VelocityToFunction
                    | Self::VelocityExpression(_)
            ),
        }
    }

    /// Whether it is made of the user's formulas or rows.
    pub(crate) fn is_typed(&self) -> bool {
        matches!(self, Self::Expression(_) | Self::VelocityExpression(_) | Self::Plugin(_))
    }

    /// Number of connectors that it takes; `None` for any number.
    pub(crate) fn connectors(&self) -> Option<usize> {
        Some(match self {
            Self::Expression(_)
            | Self::VelocityExpression(_)
            | Self::Plugin(_)
            | Self::Coupling { .. }
            | Self::Transmission { .. }
            | Self::Cable { .. } => return None,
            Self::InLine => 3,
            Self::Orientation | Self::Ortho | Self::Hinge | Self::Slide | Self::Universal => 4,
            _ => 2,
        })
    }

    /// Name as in scene files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::PointToPoint => "point-to-point",
            Self::Distance(_) => "distance",
            Self::UnitDistance => "unit-distance",
            Self::Orientation => "orientation",
            Self::InLine => "in-line",
            Self::Ortho => "ortho",
            Self::Hinge => "hinge",
            Self::Slide => "slide",
            Self::Universal => "universal",
            Self::PointToPath { .. } => "point-to-path",
            Self::PointToFunction => "point-to-function",
            Self::EqualVelocity => "equal-velocity",
            Self::EqualVelocityNorm => "equal-velocity-norm",
            Self::VelocityToFunction => "velocity-to-function",
            Self::Expression(_) => "expression",
            Self::VelocityExpression(_) => "velocity-expression",
            Self::Coupling { .. } => "coupling",
            Self::Transmission { of, .. } => of.name(),
            Self::PointOnCurve => "point-on-curve",
            Self::Cable { .. } => "cable",
            Self::Plugin(_) => "plugin",
        }
    }

    /// The joints that it needs.
    pub fn joints(&self) -> Vec<JointId> {
        match self {
            Self::Coupling { joints, .. } => joints.iter().map(|j| j.joint).collect(),
            Self::Transmission { of, .. } => of.joints(),
            Self::Cable { drum, .. } => drum.iter().map(|d| d.0).collect(),
            _ => Vec::new(),
        }
    }

    /// Puts other joints in the place of those that it needs; false where one has no other.
    pub fn map_joints(&mut self, mut other: impl FnMut(JointId) -> Option<JointId>) -> bool {
        let list: Vec<&mut JointId> = match self {
            Self::Coupling { joints, .. } => joints.iter_mut().map(|j| &mut j.joint).collect(),
            Self::Transmission { of, phase } => {
                // angles of copies count from zero again
                phase.clear();
                of.joints_mut()
            }
            Self::Cable { drum: Some(drum), length, .. } => {
                *length = None;
                vec![&mut drum.0]
            }
            _ => Vec::new(),
        };
        list.into_iter().all(|joint| other(*joint).map(|o| *joint = o).is_some())
    }

    /// Whether it acts on joints alone and has no connectors.
    pub fn couples(&self) -> bool {
        matches!(self, Self::Coupling { .. } | Self::Transmission { .. })
    }
}

/// A constraint, ready to be added with [`World::add_constraint`](crate::World::add_constraint).
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Unique name; empty means "constraint N".
    pub name: String,
    /// What it demands.
    pub kind: ConstraintKind,
    /// What it acts on, in the order of the table.
    pub connectors: Vec<Connector>,
    /// Rows that are suppressed (component locks, W-33); missing ones count as false.
    pub locked: Vec<bool>,
    /// Rows need only stay at or above zero instead of being zero (W-53).
    pub one_sided: bool,
    /// A switched-off constraint does nothing and keeps its links.
    pub active: bool,
    /// Speed of settling α, 1/s; `None` takes the world's.
    pub alpha: Option<f64>,
    /// β/α; `None` takes the world's.
    pub gamma: Option<f64>,
    /// Largest multiplier (N or N m) before the constraint switches itself off (W-64); may be +∞.
    pub breaking: f64,
    /// Assembling mode (W-116): the last body is frozen until the constraint is met, then the first
    /// one takes over its motion.
    pub assemble: bool,
    /// Whether the bodies that it links collide with each other, as
    /// [`Joint::collide`](crate::Joint::collide) says of joints.
    pub collide: bool,
}

impl Constraint {
    /// An active constraint of any kind.
    pub fn new(kind: ConstraintKind, connectors: Vec<Connector>) -> Self {
        Self {
            name: String::new(),
            kind,
            connectors,
            locked: Vec::new(),
            one_sided: false,
            active: true,
            alpha: None,
            gamma: None,
            breaking: f64::INFINITY,
            assemble: false,
            collide: false,
        }
    }

    /// Two points coincide.
    pub fn point_to_point(first: Connector, second: Connector) -> Self {
        Self::new(ConstraintKind::PointToPoint, vec![first, second])
    }

    /// Two points keep a distance.
    pub fn distance(first: Connector, second: Connector, length: f64) -> Self {
        Self::new(ConstraintKind::Distance(Some(length)), vec![first, second])
    }

    /// Formulas in x1, y1, z1, x2, … and t, each of which has to be zero.
    pub fn expression(formulas: &[&str], connectors: Vec<Connector>) -> Result<Self, ExprError> {
        let names = variables(connectors.len(), false);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let list: Result<Vec<_>, _> =
            formulas.iter().map(|f| Expression::new(f, &names, &[])).collect();
        Ok(Self::new(ConstraintKind::Expression(list?), connectors))
    }

    /// Formulas that may also use the velocities vx1, vy1, vz1, ….
    pub fn velocity_expression(
        formulas: &[&str],
        connectors: Vec<Connector>,
    ) -> Result<Self, ExprError> {
        let names = variables(connectors.len(), true);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let list: Result<Vec<_>, _> =
            formulas.iter().map(|f| Expression::new(f, &names, &[])).collect();
        Ok(Self::new(ConstraintKind::VelocityExpression(list?), connectors))
    }

    /// The sum of polynomials in the coordinates of joints keeps a value.
    pub fn coupling(joints: Vec<CoupledJoint>, value: f64) -> Self {
        Self::new(ConstraintKind::Coupling { joints, value }, Vec::new())
    }

    /// A machine element between joints, in the phase in which they stand.
    pub fn transmission(of: Transmission) -> Self {
        Self::new(ConstraintKind::Transmission { of, phase: Vec::new() }, Vec::new())
    }

    /// Two angles in a fixed ratio: the second turns `ratio` times as far as the first, the other
    /// way round if it is negative (wheels that mesh outside).
    pub fn gear(first: JointId, second: JointId, ratio: f64) -> Self {
        Self::transmission(Transmission::Gear { joints: [first, second], ratio, carrier: None })
    }

    /// A point that slides on a curve.
    pub fn point_on_curve(point: Connector, curve: CurveId) -> Self {
        Self::new(ConstraintKind::PointOnCurve, vec![point, Connector::Nearest { curve }])
    }

    /// A cable through points, which may hang loose; its length is the present one.
    pub fn cable(points: Vec<Connector>) -> Self {
        let (wraps, weights) = (Vec::new(), Vec::new());
        let kind = ConstraintKind::Cable { length: None, drum: None, wraps, weights };
        let mut out = Self::new(kind, points);
        out.one_sided = true;
        out
    }

    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Suppresses rows.
    pub fn locking(mut self, rows: &[usize]) -> Self {
        for &row in rows {
            self.locked.resize(self.locked.len().max(row + 1), false);
            self.locked[row] = true;
        }
        self
    }

    /// Adds it switched off.
    pub fn inactive(mut self) -> Self {
        self.active = false;
        self
    }

    /// Switches assembling mode on.
    pub fn assembling(mut self) -> Self {
        self.assemble = true;
        self
    }

    /// Lets the bodies that it links collide with each other.
    pub fn colliding(mut self) -> Self {
        self.collide = true;
        self
    }

    /// Pairs of bodies that it links.
    pub fn linked(&self) -> impl Iterator<Item = [BodyId; 2]> + '_ {
        let body =
            |c: &Connector| if let Connector::Body { body, .. } = c { Some(*body) } else { None };
        let bodies = move |list| <[Connector]>::iter(list).filter_map(body);
        let pairs = (0..self.connectors.len())
            .filter_map(move |i| Some((body(&self.connectors[i])?, i + 1)));
        pairs.flat_map(move |(a, next)| {
            bodies(&self.connectors[next..]).filter(move |b| *b != a).map(move |b| [a, b])
        })
    }

    /// Whether row `i` is in force.
    pub(crate) fn has_row(&self, i: usize) -> bool {
        !self.locked.get(i).copied().unwrap_or(false)
    }

    /// Rows in force.
    pub(crate) fn row_count(&self) -> usize {
        (0..self.kind.rows()).filter(|&i| self.has_row(i)).count()
    }
}

/// Names of the variables of an expression constraint: t, then x, y, z of every connector, then
/// their velocities.
pub fn variables(connectors: usize, velocities: bool) -> Vec<String> {
    let mut out = vec!["t".to_owned()];
    for prefix in if velocities { &["", "v"][..] } else { &[""][..] } {
        for k in 1..=connectors {
            out.extend(["x", "y", "z"].map(|axis| format!("{prefix}{axis}{k}")));
        }
    }
    out
}
