//! The kinds of joints, as pairs of a position and a rotation part (Bender 3.2.3, 3.2.4; B-17 to
//! B-29).

use super::Coordinate;
use crate::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// What a joint does to the relative position of its anchors.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum PositionPart {
        /// Nothing (T0).
        Free = "free",
        /// The second anchor stays in the plane through the first with the axis as normal (T1).
        Plane = "plane",
        /// The second anchor stays on the line through the first along the axis (T2).
        Line = "line",
        /// The anchors coincide (T3).
        Point = "point",
        /// The anchors keep their distance.
        Distance = "distance",
        /// The second anchor stays on the line through two points of one or two bodies; only in
        /// [`JointKind::Rail`].
        Rail = "rail",
        /// The second anchor stays in the plane of points of one or several bodies; only in
        /// [`JointKind::Polygon`].
        Polygon = "polygon",
    }
}

words! {
    /// What a joint does to the relative rotation of its bodies.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum RotationPart {
        /// Nothing (R0).
        Free = "free",
        /// The angle between an axis on each body is kept (R1).
        Angle = "angle",
        /// Both bodies share the direction of one axis (R2).
        Axis = "axis",
        /// No relative rotation (R3).
        Fixed = "fixed",
    }
}

impl PositionPart {
    /// Number of degrees of freedom removed.
    pub const fn rows(self) -> usize {
        match self {
            Self::Free => 0,
            Self::Plane | Self::Distance | Self::Polygon => 1,
            Self::Line | Self::Rail => 2,
            Self::Point => 3,
        }
    }
}

impl RotationPart {
    /// Number of degrees of freedom removed.
    pub const fn rows(self) -> usize {
        match self {
            Self::Free => 0,
            Self::Angle => 1,
            Self::Axis => 2,
            Self::Fixed => 3,
        }
    }
}

/// The kind of a joint: a named one, or any combination of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the table in the module's documentation describes them")]
pub enum JointKind {
    Ball,
    Line,
    Plane,
    Distance,
    Translation,
    Direction,
    DoubleRotation,
    Hinge,
    Cylindrical,
    Slider,
    Universal,
    Fixed,
    Rail,
    Polygon,
    /// Any position part with any rotation part.
    Combined(PositionPart, RotationPart),
}

impl JointKind {
    /// A joint that takes nothing away: a carrier of limits, friction and motors.
    pub const FREE: Self = Self::Combined(PositionPart::Free, RotationPart::Free);

    /// All named kinds between two bodies.
    pub const NAMED: [Self; 12] = [
        Self::Ball,
        Self::Line,
        Self::Plane,
        Self::Distance,
        Self::Translation,
        Self::Direction,
        Self::DoubleRotation,
        Self::Hinge,
        Self::Cylindrical,
        Self::Slider,
        Self::Universal,
        Self::Fixed,
    ];

    /// The parts it is made of.
    pub const fn parts(self) -> (PositionPart, RotationPart) {
        use PositionPart as P;
        use RotationPart as R;
        match self {
            Self::Ball => (P::Point, R::Free),
            Self::Line => (P::Line, R::Free),
            Self::Plane => (P::Plane, R::Free),
            Self::Distance => (P::Distance, R::Free),
            Self::Translation => (P::Free, R::Fixed),
            Self::Direction => (P::Free, R::Axis),
            Self::DoubleRotation => (P::Free, R::Angle),
            Self::Hinge => (P::Point, R::Axis),
            Self::Cylindrical => (P::Line, R::Axis),
            Self::Slider => (P::Line, R::Fixed),
            Self::Universal => (P::Point, R::Angle),
            Self::Fixed => (P::Point, R::Fixed),
            Self::Rail => (P::Rail, R::Free),
            Self::Polygon => (P::Polygon, R::Free),
            Self::Combined(p, r) => (p, r),
        }
    }

    /// Number of degrees of freedom removed.
    pub const fn rows(self) -> usize {
        let (p, r) = self.parts();
        p.rows() + r.rows()
    }

    /// Name as in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Line => "line",
            Self::Plane => "plane",
            Self::Distance => "distance",
            Self::Translation => "translation",
            Self::Direction => "direction",
            Self::DoubleRotation => "double-rotation",
            Self::Hinge => "hinge",
            Self::Cylindrical => "cylindrical",
            Self::Slider => "slider",
            Self::Universal => "universal",
            Self::Fixed => "fixed",
            Self::Rail => "rail",
            Self::Polygon => "polygon",
            Self::Combined(..) => "combined",
        }
    }

    /// Whether the joint leaves the coordinate free, so that it can be limited, braked, driven and
    /// measured.
    pub fn has(self, coordinate: Coordinate) -> bool {
        use PositionPart as P;
        use RotationPart as R;
        let (p, r) = self.parts();
        if matches!(p, P::Rail | P::Polygon) {
            return coordinate == Coordinate::Position;
        }
        match coordinate {
            Coordinate::Angle => matches!(r, R::Axis | R::Free),
            Coordinate::Position => matches!(p, P::Line | P::Free),
            Coordinate::Length => matches!(p, P::Free | P::Plane | P::Line),
            Coordinate::Swing => matches!(r, R::Free | R::Angle),
        }
    }
}
