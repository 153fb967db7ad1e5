//! What can be wrong with a model, said so that the culprit is named.

use kreisel_geometry::MassError;

/// A number as people write it: with an exponent where it would be a row of zeros.
fn plain(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e15).contains(&size) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// A refused edit of a world. Nothing has been changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A number is NaN or infinite.
    #[error("{item}: {field} is not a finite number")]
    NotFinite {
        /// The body, joint or force concerned.
        item: String,
        /// The field concerned.
        field: &'static str,
    },
    /// A number is outside its range.
    #[error("{item}: {field} must be {must}, it is {}", plain(*.value))]
    OutOfRange {
        /// The body, joint or force concerned.
        item: String,
        /// The field concerned.
        field: &'static str,
        /// The rule that is broken.
        must: &'static str,
        /// The value given.
        value: f64,
    },
    /// The mass properties cannot be those of a body.
    #[error("{body}: {source}")]
    Mass {
        /// The body concerned.
        body: String,
        /// What is wrong.
        source: MassError,
    },
    /// The shape cannot be that of a body.
    #[error("{body}: {source}")]
    Shape {
        /// The body concerned.
        body: String,
        /// What is wrong.
        source: kreisel_geometry::ShapeError,
    },
    /// An axis of length zero.
    #[error("{item}: {field} has length zero, it needs a direction")]
    ZeroAxis {
        /// The joint or force concerned.
        item: String,
        /// The field concerned.
        field: &'static str,
    },
    /// The two axes of a joint are parallel.
    #[error("{joint}: its two axes are parallel, they must differ in direction")]
    ParallelAxes {
        /// The joint concerned.
        joint: String,
    },
    /// A joint or spring between a body and itself.
    #[error("{item} connects {body} with itself")]
    SameBody {
        /// The joint or spring concerned.
        item: String,
        /// The body concerned.
        body: String,
    },
    /// A joint without a dynamic body.
    #[error("{item} connects {a} and {b}, neither of which can move")]
    NothingMoves {
        /// The joint or spring concerned.
        item: String,
        /// One body.
        a: String,
        /// The other body.
        b: String,
    },
    /// The name is taken.
    #[error("the name \"{0}\" is already taken")]
    DuplicateName(String),
    /// No such body.
    #[error("{0} refers to a body that does not exist (or no longer)")]
    UnknownBody(String),
    /// No such joint.
    #[error("{0} refers to a joint that does not exist (or no longer)")]
    UnknownJoint(String),
    /// No such force.
    #[error("{0} refers to a spring, motor or force that does not exist (or no longer)")]
    UnknownForce(String),
    /// No such curve.
    #[error("{0} refers to a curve that does not exist (or no longer)")]
    UnknownCurve(String),
    /// No such constraint, controller or field.
    #[error(
        "{0} refers to a constraint, controller, field or procedure that does not exist (or no longer)"
    )]
    UnknownElement(String),
    /// A question that has no answer.
    #[error("{0}")]
    Query(String),
    /// An axis whose points do not belong together.
    #[error(
        "{item}: the two points of its {field} must belong to one body, or both be fixed points at rest"
    )]
    BadAxis {
        /// The constraint concerned.
        item: String,
        /// The axis concerned.
        field: &'static str,
    },
    /// The method is not one of single chains.
    #[error("the Lagrange multiplier method is chosen for the whole world, not for one chain")]
    NotForChains,
    /// The joint has no such coordinate.
    #[error("{joint} is a {kind} joint: it has no {coordinate} to limit, brake, drive or measure")]
    NoCoordinate {
        /// The joint concerned.
        joint: String,
        /// Its type.
        kind: &'static str,
        /// The coordinate asked for.
        coordinate: &'static str,
    },
    /// Joints that are coupled start from different bodies.
    #[error(
        "{item}: its joints must share a body that they start from (of a gear on an arm that turns, name the arm's hinge as `carrier`)"
    )]
    NoCommonBody {
        /// The constraint concerned.
        item: String,
    },
    /// The snapshot belongs to another model.
    #[error(
        "the snapshot has {snapshot} bodies and revision {revision}; this world has {world} bodies and another revision"
    )]
    ForeignSnapshot {
        /// Bodies in the snapshot.
        snapshot: usize,
        /// Bodies in this world.
        world: usize,
        /// Revision of the snapshot.
        revision: u64,
    },
    /// Mode "event" of contact knows bodies only.
    #[error(
        "{0}: contact mode \"event\" knows bodies and collisions only; joints, springs, motors and constraints need mode \"step\""
    )]
    EventMode(String),
    /// Mode "event" of contact knows no tori.
    #[error("{0}: contact mode \"event\" knows no torus; take mode \"step\", a disc or a mesh")]
    EventTorus(String),
    /// Fast contact time and the multiplier method know Newton's law only.
    #[error(
        "contact: law \"{0}\" acts with time \"exact\" and with mode \"event\" only; fast time and the multiplier method use Newton's law"
    )]
    ImpactLaw(&'static str),
    /// The corners of a polygon make no outline.
    #[error("{0}: its corners must lie in one plane, in the order of a convex outline")]
    Outline(String),
    /// Energy-momentum steps know rows between two bodies only.
    #[error(
        "{0}: energy-momentum steps know joints between two bodies only, not rails, polygons, formulas, inequalities and locks; take stepping \"auto\" or \"symmetric\""
    )]
    NotForEnergy(String),
    /// A joint cannot have a spring, damper or rotor there.
    #[error(
        "joint \"{joint}\" cannot have stiffness, damping or armature on its {coordinate}: {why}"
    )]
    #[allow(missing_docs, reason = "the message describes them")]
    Passive { joint: String, coordinate: &'static str, why: &'static str },
    /// A law that is written outside is not there, or not as it must be.
    #[error("{item}: {why}")]
    Plugin {
        /// The constraint, controller, sensor or setting concerned.
        item: String,
        /// What is wrong.
        why: crate::plugin::PluginError,
    },
    /// The world body cannot be changed.
    #[error("the world itself cannot be {0}")]
    TheWorld(&'static str),
}
