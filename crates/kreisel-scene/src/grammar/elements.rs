//! Keys of constraints between connectors, controllers and switches.

use super::{LET, REPEAT, Section, WHEN, key};

/// `[[constraint]]`.
pub static CONSTRAINT: Section = Section {
    title: "[[constraint]]",
    doc: "A constraint between connectors. The impulse methods hold all but formulas, inequalities, locks and equal-velocity-norm. Connectors that are left out become fixed points where their partners are.",
    keys: &[
        key("name", "text", "unique name; default \"constraint 1\", …"),
        key(
            "type",
            "point-to-point, distance, unit-distance, orientation, in-line, ortho, hinge, slide, universal, point-to-path, point-to-function, equal-velocity, equal-velocity-norm, velocity-to-function, expression, velocity-expression or coupling",
            "what it demands",
        ),
        key("connectors", "array of connectors", "points, or two points per axis"),
        key("length", "m", "of a distance; default the present one"),
        key("speed", "m/s", "along the curve of a path; default 1"),
        key("end", "\"stop\" or \"reverse\"", "what happens at the end of a path; default \"stop\""),
        key(
            "formulas",
            "array of expressions",
            "each has to be zero; variables are t, x1, y1, z1, x2, … (and vx1, … of a velocity-expression)",
        ),
        key("joints", "array of names", "of a coupling: the joints whose coordinates depend on each other"),
        key(
            "coordinates",
            "array of \"angle\", \"position\", \"length\" or \"swing\"",
            "of a coupling, one per joint; default the angle of a joint that has one, else its position",
        ),
        key(
            "factors",
            "array of numbers, or of arrays",
            "of a coupling, one per joint: factor of the coordinate, or of its powers 1, 2, …; their sum keeps `value`",
        ),
        key("value", "number", "of a coupling: what the products sum to, rad or m; default 0"),
        key("locked", "array of row numbers from 1", "rows that are left out; default none"),
        key("one_sided", "true or false", "rows need only stay at or above zero; default false"),
        key("active", "true or false", "a constraint that is not active does nothing; default true"),
        key("alpha", "1/s", "its own speed of settling; default that of `[lagrange]`"),
        key("gamma", "number", "its own beta/alpha; default that of `[lagrange]`"),
        key("breaking", "N or N m", "load at which it switches itself off; default none"),
        key("collide", "true or false", "whether the bodies that it links collide with each other; default false"),
        key("assemble", "true or false", "freeze the last body until the constraint is met; default false"),
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `[[switch]]`.
pub static SWITCH: Section = Section {
    title: "[[switch]]",
    doc: "Switches something on or off, or changes what moves a body, at a time of the run.",
    keys: &[
        key("at", "s", "when; the first step that starts then or later"),
        key("item", "name", "a joint, constraint, controller or field"),
        key("active", "true or false", "whether the item is on from then on; default true"),
        key("body", "name", "a body, instead of `item`"),
        key("kind", "\"dynamic\", \"static\" or \"kinematic\"", "what moves the body from then on"),
        REPEAT,
        LET,
        WHEN,
    ],
};
