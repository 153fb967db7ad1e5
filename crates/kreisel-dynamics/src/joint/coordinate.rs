//! The coordinates that joints leave free.

use crate::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// A free coordinate of a joint: the second body against the first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Coordinate {
        /// Angle about the axis, counted over many turns, rad. For a ball joint: the twist.
        Angle = "angle",
        /// Position of the second anchor along the axis, from the first, m.
        Position = "position",
        /// Distance of the anchors, m.
        Length = "length",
        /// Angle between the axes of the two bodies, rad (a ball joint's swing cone).
        Swing = "swing",
    }
}

impl Coordinate {
    /// Unit of the coordinate.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Angle | Self::Swing => "rad",
            Self::Position | Self::Length => "m",
        }
    }
}
