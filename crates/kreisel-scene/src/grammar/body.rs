//! Keys of bodies and of rotations.

use super::{FRAME, LET, REPEAT, Section, WHEN, key};

/// `[[body]]`.
pub static BODY: Section = Section {
    title: "[[body]]",
    doc: "A rigid body or a mass point.",
    keys: &[
        key("name", "text", "unique name; default \"body 1\", \"body 2\", …"),
        key(
            "kind",
            "\"dynamic\", \"static\" or \"kinematic\"",
            "moved by forces, never, or by its given velocity; default \"dynamic\"",
        ),
        key("shape", "table, array of tables, or \"point\"", "gives the mass properties and the look"),
        key("mass", "kg", "mass; the shape gives the inertia"),
        key("density", "kg/m³", "instead of `mass`; default 1000"),
        key(
            "inertia",
            "[Jx, Jy, Jz] or three rows, kg m²",
            "inertia tensor about the centre of mass, along the body's axes, instead of the shape's",
        ),
        key("center", "[x, y, z] m", "centre of mass in the body's frame, instead of the shape's"),
        key("position", "[x, y, z] m", "origin of the body's frame; default [0, 0, 0]"),
        key("rotation", "table", "rotation from the body's frame to the world; default none"),
        key("velocity", "[x, y, z] m/s", "velocity of the centre of mass; default none"),
        key("angular_velocity", "[x, y, z] angular velocity", "in world coordinates; default none"),
        key("now", "table", "present state of a saved body, set when all joints have been made from the poses above"),
        key("method", "as in `[world]`", "method of the whole chain that this body belongs to; default the world's"),
        key("collide", "true or false", "whether the shape touches other bodies; default true"),
        key("material", "name", "name of the material for `[[contact.pair]]`"),
        key("restitution", "0 to 1", "how much of the approach speed comes back; default 0"),
        key("friction", "number", "coefficient of sliding friction; default 0.5"),
        key("static_friction", "number", "coefficient of static friction; default that of sliding"),
        key("rolling", "m", "resistance to rolling as a lever arm; default 0"),
        key("spinning", "m", "resistance to spinning about the normal as a lever arm; default 0"),
        key(
            "groups",
            "table `member`, `with`",
            "collision groups as lists of numbers from 0 to 31; default member [0], with all",
        ),
        key("sensor", "true or false", "the shape only reports what touches it; default false"),
        key(
            "one_way",
            "[x, y, z]",
            "solid only against bodies that come against this direction of its frame; default none",
        ),
        key("color", "\"#rrggbb\" or a name", "colour in the playback"),
        key("display", "as `shape`", "shown instead of `shape`, without mass"),
        FRAME,
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `groups` of a body.
pub static GROUPS: Section = Section {
    title: "groups",
    doc: "Two bodies meet if each one's `with` names a group of the other.",
    keys: &[
        key("member", "array of numbers 0 to 31", "the groups that the body belongs to; default [0]"),
        key("with", "array of numbers 0 to 31", "the groups that it collides with; default all"),
    ],
};

/// `now` of a body.
pub static NOW: Section = Section {
    title: "now",
    doc: "The state of a body as the engine holds it, to the bit; written by the program when it saves a running world.",
    keys: &[
        key("center", "[x, y, z] m", "centre of mass"),
        key("principal", "[x, y, z, w]", "rotation from the principal axes to the world, as a quaternion"),
        key("velocity", "[x, y, z] m/s", "velocity of the centre of mass"),
        key("angular_velocity", "[x, y, z] angular velocity", "in world coordinates"),
        key(
            "kind",
            "word",
            "`static` or `kinematic`: what the body has become, though joints or constraints were made while it moved",
        ),
    ],
};

/// `rotation` of a body.
pub static ROTATION: Section = Section {
    title: "rotation",
    doc: "A rotation, in one of four forms: about a coordinate axis (`x`, `y` or `z`), about any axis, by Euler angles, or as a quaternion.",
    keys: &[
        key("x", "angle", "about the x axis"),
        key("y", "angle", "about the y axis"),
        key("z", "angle", "about the z axis"),
        key("axis", "[x, y, z]", "axis, with `angle`"),
        key("angle", "angle", "angle about `axis`"),
        key(
            "euler",
            "[a, b, c] angles",
            "three rotations one after the other about the body's own (turned) axes, in the order of `order`",
        ),
        key(
            "order",
            "\"xyz\", \"xzy\", \"yxz\", \"yzx\", \"zxy\" or \"zyx\"",
            "axes of the Euler angles; default \"xyz\"",
        ),
        key("quaternion", "[x, y, z, w]", "w is the scalar part"),
    ],
};
