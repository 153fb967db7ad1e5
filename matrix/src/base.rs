//! Base mechanisms: one or two links in the plane of x and z, each on a hinge or a slider.

use crate::reference::Vector;

/// What holds a link unless an element takes something else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Turns about -y: positive angles lift what lies along x.
    Hinge,
    /// Slides along its axis, which points upwards or inwards: it falls to negative places.
    Slider,
}

/// One link and where it is held.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// What holds it.
    pub kind: Kind,
    /// Where, at the start, m.
    pub anchor: Vector,
    /// Centre of mass at the start, m.
    pub center: Vector,
    /// The end that springs and contacts meet, m.
    pub tip: Vector,
    /// Axis of the hinge or slider.
    pub axis: Vector,
}

/// A mechanism to put elements on.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// Its name.
    pub name: &'static str,
    /// Its links from the world outwards.
    pub places: &'static [Place],
    /// Whether the last tip slides on a level line, so that the links form a loop.
    pub closed: bool,
}

const AXIS: Vector = [0.0, -1.0, 0.0];
/// Up a slope of 30 degrees.
const SLOPE: Vector = [-0.866_025_403_784_438_6, 0.0, 0.5];

const fn hinge(anchor: Vector, center: Vector, tip: Vector) -> Place {
    Place { kind: Kind::Hinge, anchor, center, tip, axis: AXIS }
}

const fn slider(at: Vector, tip: Vector, axis: Vector) -> Place {
    Place { kind: Kind::Slider, anchor: at, center: at, tip, axis }
}

/// One arm on a hinge.
pub const ARM: Base = Base {
    name: "arm",
    places: &[hinge([0.0; 3], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0])],
    closed: false,
};

/// One block on a slope.
pub const SLOPED: Base =
    Base { name: "slope", places: &[slider([0.0; 3], [0.3, 0.0, 0.0], SLOPE)], closed: false };

/// Two arms.
pub const DOUBLE: Base = Base {
    name: "double",
    places: &[
        hinge([0.0; 3], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]),
        hinge([1.0, 0.0, 0.0], [1.5, 0.0, 0.0], [2.0, 0.0, 0.0]),
    ],
    closed: false,
};

/// A block on a slope that carries an arm.
pub const CART: Base = Base {
    name: "cart",
    places: &[
        slider([0.0; 3], [0.3, 0.0, 0.0], SLOPE),
        hinge([0.0; 3], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]),
    ],
    closed: false,
};

/// An arm with a block that slides along it.
pub const SLEEVE: Base = Base {
    name: "sleeve",
    places: &[
        hinge([0.0; 3], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]),
        slider([0.7, 0.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
    ],
    closed: false,
};

/// Crank and slider: the tip of the second arm stays on its height.
pub const CRANK: Base = Base {
    name: "crank",
    places: &[
        hinge([0.0; 3], [0.25, 0.0, 0.3], [0.5, 0.0, 0.6]),
        hinge([0.5, 0.0, 0.6], [0.9, 0.0, 0.3], [1.3, 0.0, 0.0]),
    ],
    closed: true,
};
