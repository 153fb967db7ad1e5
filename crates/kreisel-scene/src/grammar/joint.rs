//! Keys of joints, their limits, friction, springs, dampers, rotors and breaking loads.

use super::{FRAME, LET, REPEAT, Section, WHEN, key};

/// `[[joint]]`.
pub static JOINT: Section = Section {
    title: "[[joint]]",
    doc: "A joint between two bodies. Coordinates count the second body against the first.",
    keys: &[
        key("name", "text", "unique name; default \"joint 1\", …"),
        key(
            "type",
            "ball, hinge, slider, cylindrical, universal, fixed, line, plane, distance, translation, direction, double-rotation, rail, polygon, rope, free or combined",
            "what the joint takes away",
        ),
        key(
            "bodies",
            "[name, name]",
            "the two bodies; \"world\" is the world itself. A rail has three (an end, the point, the other end), a polygon more (a corner, the point, the other corners)",
        ),
        key(
            "at",
            "[x, y, z] m, or two such points",
            "the anchor, or one anchor per body (the joint then pulls them together); default the origin of `frame`",
        ),
        key("axis", "[x, y, z]", "hinge axis, rail, line, normal of the plane; default [0, 0, 1]"),
        key(
            "axis2",
            "[x, y, z]",
            "axis on the second body, if it differs; universal and double-rotation joints need it",
        ),
        key(
            "parts",
            "[position part, rotation part]",
            "of a combined joint: free, plane, line, point or distance; free, angle, axis or fixed",
        ),
        key("length", "m", "of a distance joint or rope; default the distance of the anchors"),
        key(
            "limits",
            "table",
            "bounds by coordinate: `{ angle = [\"-90 deg\", \"90 deg\"] }` or `{ angle = { min = …, max = …, restitution = 0.5 } }`",
        ),
        key("friction", "table", "largest dry friction by coordinate: `{ angle = 0.1 }`, in N m or N"),
        key(
            "stiffness",
            "number or table",
            "spring on the free coordinate, N m/rad or N/m; by coordinate where there are several: `{ angle = 10 }`; default none",
        ),
        key("damping", "number or table", "linear damping, N m s/rad or N s/m, in the same way; default none"),
        key("rest", "number or table", "coordinate at which the spring rests; default 0"),
        key(
            "armature",
            "number or table",
            "inertia of a rotor that turns with the coordinate, kg m² or kg; default none",
        ),
        key(
            "gear",
            "number or table",
            "turns of the rotor per turn of the joint: it counts by their square; default 1",
        ),
        key("breaking", "table `force`, `torque`", "load at which the joint breaks, in N and N m"),
        key("velocity_only", "true or false", "joins velocities only and lets positions drift; default false"),
        key("turns", "whole number", "whole turns to add to the counted angle at the start; default 0"),
        key("active", "true or false", "a joint that is not active does nothing; default true"),
        key("collide", "true or false", "whether the two bodies collide with each other; default false"),
        FRAME,
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `limits`, `friction`, `stiffness` and the like of a joint.
pub static COORDINATES: Section = Section {
    title: "limits, friction, stiffness, damping, rest, armature and gear",
    doc: "Coordinates of a joint.",
    keys: &[
        key("angle", "angle", "about the axis, counted over many turns; the twist of a ball joint"),
        key("position", "m", "along the axis"),
        key("length", "m", "distance of the anchors"),
        key("swing", "angle", "between the axes of the two bodies"),
    ],
};

/// One limit.
pub static LIMIT: Section = Section {
    title: "a limit",
    doc: "Bounds of one coordinate.",
    keys: &[
        key("min", "angle or m", "lower bound; default none"),
        key("max", "angle or m", "upper bound; default none"),
        key("restitution", "0 to 1", "how much of the speed comes back; default 0"),
    ],
};

/// `breaking` of a joint.
pub static BREAKING: Section = Section {
    title: "breaking",
    doc: "The load at which a joint breaks.",
    keys: &[
        key("force", "N", "largest reaction force; default none"),
        key("torque", "N m", "largest reaction torque; default none"),
    ],
};
