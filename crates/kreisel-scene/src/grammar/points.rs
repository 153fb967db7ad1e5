//! Keys of systems of mass points (Schmitt and Thüring 2000): points, rods, threads, rails and
//! polygons.

use crate::grammar::{FRAME, LET, REPEAT, Section, WHEN, key};

/// `[[point]]`.
pub static MASS_POINT: Section = Section {
    title: "[[point]]",
    doc: "A mass point, or several of the same kind: a body without rotation.",
    keys: &[
        key(
            "name",
            "text or array of texts",
            "unique name; with `positions`, \"p\" gives \"p1\", \"p2\", …; default \"point 1\", …",
        ),
        key("mass", "kg", "default 1; that of a fixed point does not matter"),
        key("position", "[x, y, z] m", "default [0, 0, 0]"),
        key("positions", "[[x, y, z], …] m", "instead of `position`: one point at each place"),
        key("velocity", "[x, y, z] m/s", "default none"),
        key("fixed", "true or false", "a suspension, which no force moves; default false"),
        key(
            "radius",
            "m",
            "the point meets obstacles like a ball of this radius that cannot turn; default none: it meets nothing",
        ),
        key(
            "restitution",
            "0 to 1",
            "how much of the approach speed comes back from an obstacle; default 0",
        ),
        key("friction", "number", "coefficient of friction on obstacles; default 0: points slide"),
        key("color", "\"#rrggbb\" or a name", "colour in the playback"),
        FRAME,
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `[[rod]]`.
pub static ROD: Section = Section {
    title: "[[rod]]",
    doc: "Rods: points keep their distances. A list of points is a chain of rods, from each to the next.",
    keys: &[
        key(
            "name",
            "text",
            "unique name; several rods are called \"name1\", \"name2\", …; default \"rod 1\", …",
        ),
        key(
            "points",
            "array of places",
            "two or more: a name of a point or body (its origin; `*` stands for anything), a fixed place [x, y, z], or `{ body = name, point = [x, y, z] }`",
        ),
        key("length", "m", "of each rod; default the present distance"),
        key(
            "closed",
            "true or false",
            "a rod from the last point to the first, too; default false",
        ),
        key(
            "braced",
            "true or false",
            "a rod between any two points, which makes a rigid body of them; default false",
        ),
        key("breaking", "N", "load at which a rod breaks; default never"),
        FRAME,
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `[[thread]]`.
pub static THREAD: Section = Section {
    title: "[[thread]]",
    doc: "Threads: distances that may shrink but not exceed their length. A list of points is a chain of threads.",
    keys: &[
        key(
            "name",
            "text",
            "unique name; several threads are called \"name1\", \"name2\", …; default \"thread 1\", …",
        ),
        key("points", "array of places", "as in `[[rod]]`"),
        key("length", "m", "of each thread; default the present distance"),
        key(
            "closed",
            "true or false",
            "a thread from the last point to the first, too; default false",
        ),
        key(
            "restitution",
            "0 to 1",
            "how much of the speed comes back when a thread goes taut; default 0",
        ),
        key("breaking", "N", "load at which a thread breaks; default never"),
        FRAME,
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `[[rail]]`.
pub static RAIL: Section = Section {
    title: "[[rail]]",
    doc: "A point slides without friction on the segment between two places, which may move, or on an endless line of the world.",
    keys: &[
        key("name", "text", "unique name; default \"rail 1\", …"),
        key("point", "a place", "what slides: as an item of `points` in `[[rod]]`"),
        key("on", "array of two places", "the ends of the segment"),
        key(
            "along",
            "[x, y, z]",
            "instead of `on`: the direction of a line through the present place of the point",
        ),
        key(
            "ends",
            "true or false",
            "whether the point stops at the ends of the segment; default true",
        ),
        key("restitution", "0 to 1", "how much of the speed comes back from the ends; default 0"),
        key("friction", "N", "largest dry friction along the rail; default 0"),
        FRAME,
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `[[polygon]]`.
pub static POLYGON: Section = Section {
    title: "[[polygon]]",
    doc: "A point slides without friction in a plane convex outline, whose corners may move as parts of something rigid.",
    keys: &[
        key("name", "text", "unique name; default \"polygon 1\", …"),
        key("point", "a place", "what slides: as an item of `points` in `[[rod]]`"),
        key("corners", "array of places", "three or more, in their order around the outline"),
        key("edges", "true or false", "whether the point stays within the outline; default true"),
        key("restitution", "0 to 1", "how much of the speed comes back from the edges; default 0"),
        FRAME,
        REPEAT,
        LET,
        WHEN,
    ],
};

/// An item of `points`.
pub static PLACE: Section = Section {
    title: "a place",
    doc: "A point of a body; a name alone is the body's origin, [x, y, z] alone a fixed place of the world.",
    keys: &[
        key("body", "name", "the body"),
        key("point", "[x, y, z] m", "where on it, in its frame; default [0, 0, 0]"),
    ],
};
