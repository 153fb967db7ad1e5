//! The coordinates that joints leave free.

use serde::{Deserialize, Serialize};

/// A free coordinate of a joint: the second body against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coordinate {
    /// Angle about the axis, counted over many turns, rad. For a ball joint: the twist.
    Angle,
    /// Position of the second anchor along the axis, from the first, m.
    Position,
    /// Distance of the anchors, m.
    Length,
    /// Angle between the axes of the two bodies, rad (a ball joint's swing cone).
    Swing,
}

impl Coordinate {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Angle, Self::Position, Self::Length, Self::Swing];

    /// Name as in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Angle => "angle",
            Self::Position => "position",
            Self::Length => "length",
            Self::Swing => "swing",
        }
    }

    /// Unit of the coordinate.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Angle | Self::Swing => "rad",
            Self::Position | Self::Length => "m",
        }
    }
}
