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
            "point-to-point, distance, unit-distance, orientation, in-line, ortho, hinge, slide, universal, point-to-path, point-to-function, equal-velocity, equal-velocity-norm, velocity-to-function, expression, velocity-expression, coupling, point-on-curve, cable, gear, rack, screw, belt, differential, cam or constant-velocity",
            "what it demands",
        ),
        key("connectors", "array of connectors", "points, or two points per axis"),
        key("length", "m", "of a distance or a cable; default the present one"),
        key("speed", "m/s", "along the curve of a path; default 1"),
        key("end", "\"stop\" or \"reverse\"", "what happens at the end of a path; default \"stop\""),
        key(
            "formulas",
            "array of expressions",
            "each has to be zero; variables are t, x1, y1, z1, x2, … (and vx1, … of a velocity-expression)",
        ),
        key(
            "joints",
            "array of names",
            "of a coupling: the joints whose coordinates depend on each other; of a gear or belt the hinges of its wheels, of a rack pinion and slider, of a screw the joint (or what turns and what moves along), of a differential both shafts and the case, of a cam itself and its follower, of a constant-velocity coupling a ball joint along the shafts",
        ),
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
        key(
            "ratio",
            "number",
            "of a gear: angle of the second wheel by that of the first; negative where they mesh outside",
        ),
        key("teeth", "array of 2 numbers", "of a gear, instead of `ratio`: teeth of both wheels"),
        key(
            "internal",
            "true or false",
            "of a gear with `teeth`: one wheel is a ring with teeth inside; default false",
        ),
        key("carrier", "name", "of a gear whose axes turn: the hinge of the arm that carries them"),
        key(
            "radius",
            "m",
            "of a rack: rolling radius of the pinion; of a cable: radius of its drum, negative if it winds up",
        ),
        key("lead", "m", "of a screw: way of one turn"),
        key("radii", "array of m", "of a belt: radii of the wheels; negative where it runs over its back"),
        key("share", "number", "of a differential: what the first shaft takes of the torque; default 0.5"),
        key("profile", "expression", "of a cam: position of the follower by the coordinate `q` of the cam"),
        key("drum", "name", "of a cable: the hinge of a drum that gives `radius` more of it per radian"),
        key(
            "phase",
            "number, or one per equation",
            "of a gear, rack, screw, belt, differential or cam: what stands on the right of its equation; default as it stands",
        ),
        key("locked", "array of row numbers from 1", "rows that are left out; default none"),
        key(
            "one_sided",
            "true or false",
            "rows need only stay at or above zero: a follower may lift off, a cable hang loose; default false, true for cables",
        ),
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
