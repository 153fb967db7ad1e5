//! Keys of what drives a world: motors with their schedules, springs, outer forces.

use super::{FRAME, LET, REPEAT, Section, WHEN, key};

/// `[[motor]]`.
pub static MOTOR: Section = Section {
    title: "[[motor]]",
    doc: "A motor on a coordinate of a joint; exactly one of `effort`, `velocity` and `servo`. A value over time is a number or `{ points = [[t, value], …], interpolation = \"linear\" }`.",
    keys: &[
        key("name", "text", "unique name; default \"motor 1\", …"),
        key("joint", "name", "the joint it drives"),
        key(
            "coordinate",
            "\"angle\", \"position\", \"length\" or \"swing\"",
            "what it drives; default the angle where the joint has one, else the position",
        ),
        key("effort", "N m or N, over time", "gives this torque or force"),
        key("velocity", "rad/s or m/s, over time", "holds this rate with at most `max_effort`"),
        key("servo", "table", "follows a set value with a PID controller"),
        key("max_effort", "N m or N", "largest effort; default none"),
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `servo` of a motor.
pub static SERVO: Section = Section {
    title: "servo",
    doc: "A PID controller; exactly one of `position` and `velocity`.",
    keys: &[
        key("position", "angle or m, over time", "set value of the coordinate"),
        key("velocity", "rad/s or m/s, over time", "set value of its rate"),
        key("gain", "N m/rad, N/m, …", "effort per unit of error"),
        key("integral_time", "s", "default none (no integral part)"),
        key("derivative_time", "s", "default 0 (no derivative part)"),
        key(
            "window",
            "count",
            "past steps that the integral covers: makes the servo the discrete controller of the thesis, sampled once a step; without it the servo acts continuously, its integral over all of its past",
        ),
    ],
};

/// A value over time.
pub static SCHEDULE: Section = Section {
    title: "a value over time",
    doc: "Points in rising order of time; constant before the first and after the last.",
    keys: &[
        key("points", "[[s, value], …]", "the points"),
        key("interpolation", "\"hold\", \"linear\" or \"smooth\"", "what happens between them; default \"linear\""),
    ],
};

/// `[[spring]]`.
pub static SPRING: Section = Section {
    title: "[[spring]]",
    doc: "A spring with a damper between two points.",
    keys: &[
        key("name", "text", "unique name; default \"spring 1\", …"),
        key("bodies", "[name, name]", "the two bodies"),
        key("at", "two points [x, y, z] m", "one anchor per body"),
        key("stiffness", "N/m", "force per length"),
        key("damping", "N s/m", "default 0"),
        key("length", "m", "rest length; default the distance of the anchors"),
        key(
            "mode",
            "\"continuous\" or \"constant\"",
            "force over a step: following the motion, or as it was at its start; default \"continuous\"",
        ),
        key("isotropic", "true or false", "damp sideways motion too; default false"),
        FRAME,
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `[[force]]`.
pub static FORCE: Section = Section {
    title: "[[force]]",
    doc: "An outer force or torque on a body, from one time to another.",
    keys: &[
        key("body", "name", "the body"),
        key("force", "[x, y, z] N", "force in world coordinates; default none"),
        key("torque", "[x, y, z] N m", "torque in world coordinates; default none"),
        key("at", "[x, y, z] m", "where the force acts, in the body's frame; default the centre of mass"),
        key("from", "s", "start; default 0"),
        key("until", "s", "end; default never. A step counts when its start lies between the two"),
        REPEAT,
        LET,
        WHEN,
    ],
};
