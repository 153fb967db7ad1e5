//! Keys of the top level and of what belongs to a scene besides its mechanics: parameters,
//! instances, scripts, display, recording, camera.

use super::{FRAME, LET, REPEAT, Section, WHEN, key};

/// The top level.
pub static SCENE: Section = Section {
    title: "a scene",
    doc: "The top level of the file.",
    keys: &[
        key("version", "1", "version of the scene format; default 1"),
        key("title", "text", "one line that says what the scene shows"),
        key("description", "text", "more about it: where it comes from, what to look for"),
        key(
            "include",
            "file or array of files",
            "files that are read as if their items stood here; their `[world]`, `[params]` and the like may be overruled here",
        ),
        key("params", "table", "names for use in expressions; a value may use the names above it"),
        key("world", "table", "gravity, step, method, tolerances"),
        key("contact", "table", "collisions and contacts: laws, tolerances, materials of pairs"),
        key("body", "array of tables", "bodies"),
        key("collider", "array of tables", "further surfaces of bodies"),
        key("point", "array of tables", "mass points"),
        key("rod", "array of tables", "distances between points"),
        key("thread", "array of tables", "distances that may shrink"),
        key("rail", "array of tables", "points on segments and lines"),
        key("polygon", "array of tables", "points in plane outlines"),
        key("instance", "array of tables", "scenes inside this scene"),
        key("joint", "array of tables", "joints"),
        key("motor", "array of tables", "motors and servos on joints"),
        key("spring", "array of tables", "springs and dampers"),
        key("force", "array of tables", "outer forces and torques over a span of time"),
        key("marker", "array of tables", "named points of bodies"),
        key("motion", "array of tables", "keyframes that lead kinematic bodies"),
        key("emitter", "array of tables", "what makes bodies during a run"),
        key("show", "array of tables", "geometry that is only shown"),
        key(
            "script",
            "one, or array of tables",
            "scripts that add items, and procedures that are called during a run",
        ),
        key(
            "lagrange",
            "table",
            "solver, stabiliser and integrator of the Lagrange multiplier method",
        ),
        key("curve", "array of tables", "curves for paths"),
        key("constraint", "array of tables", "constraints between connectors"),
        key("controller", "array of tables", "forces that depend on the state"),
        key("field", "array of tables", "force fields"),
        key("procedure", "array of tables", "what happens when bodies come near"),
        key("sensor", "array of tables", "what is measured, with noise and delay"),
        key("switch", "array of tables", "what is switched on and off, and when"),
        key("key", "array of tables", "keyframes: named states that a run can start in"),
        key("record", "table", "what is written to files"),
        key("camera", "table", "where the playback looks from"),
        key(
            "memory",
            "table",
            "what the run of a saved world remembers; written by the program, not by hand",
        ),
    ],
};

/// `[params]`, whose keys are the user's.
pub static PARAMS: Section = Section {
    title: "[params]",
    doc: "Names of your own with numbers or expressions; each may use the ones above it.",
    keys: &[],
};

/// `[[instance]]`.
pub static INSTANCE: Section = Section {
    title: "[[instance]]",
    doc: "Another scene inside this one, as often as wished. Its bodies, joints and so on are called \"name/…\"; its `[world]`, `[record]` and `[camera]` are not used.",
    keys: &[
        key("scene", "file", "the scene: TOML, JSON, URDF or MJCF"),
        key("name", "text", "what its names begin with"),
        key("position", "[x, y, z] m", "where its origin lies; default [0, 0, 0]"),
        key("rotation", "table", "how it is turned; default not at all"),
        key("set", "table of expressions", "other values for its parameters"),
        FRAME,
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `[script]`.
pub static SCRIPT: Section = Section {
    title: "[script]",
    doc: "A rhai script. Its statements run when the scene is loaded and add items (`add_body(#{ … })`, `add_joint`, …, with the keys of the tables here); its functions `on_step`, `on_time`, `on_limit`, `on_break` and `on_collision` are called during a run.",
    keys: &[
        key("build", "text", "the script"),
        key(
            "language",
            "\"rhai\" or \"python\"",
            "language of the script; Python runs only where the scene is loaded from Python with leave to do so (`kr.load(path, python=True)`), and is refused elsewhere; default \"rhai\"",
        ),
        key("file", "file", "the script from a file, instead of `build`"),
        key(
            "within",
            "name of an instance",
            "the script's names are those inside the instance \"name/…\"; such a script adds no items: what a saved scene has of its instances",
        ),
        key(
            "params",
            "table of numbers",
            "with `within`: the parameters that the script knows; default those of the scene",
        ),
        key("at", "array of times, s", "when `on_time` is called"),
        key("every", "s", "interval at which `on_time` is called, from time 0 on"),
        key(
            "generate",
            "true or false",
            "whether the statements run; a saved scene holds what they made; default true",
        ),
    ],
};

/// `[[show]]`.
pub static SHOW: Section = Section {
    title: "[[show]]",
    doc: "Geometry that is only shown: no mass, no contact.",
    keys: &[
        key("body", "name", "the body that carries it; default \"world\""),
        key("shape", "table or array of tables", "what is shown, in the body's frame"),
        key("color", "\"#rrggbb\" or a name", "its colour"),
        REPEAT,
        LET,
        WHEN,
    ],
};

/// `[record]`.
pub static RECORD: Section = Section {
    title: "[record]",
    doc: "What is written to files.",
    keys: &[
        key("every", "s", "time between rows; default every step"),
        key(
            "quantities",
            "array",
            "what is recorded: see below; default energies, worst joint error, and all bodies' positions of small scenes",
        ),
    ],
};

/// A point to record.
pub static POINT: Section = Section {
    title: "a recorded point",
    doc: "A point fixed to a body, recorded in world coordinates.",
    keys: &[
        key("name", "text", "name of its columns"),
        key("body", "name", "the body"),
        key("point", "[x, y, z] m", "the point in the body's frame"),
    ],
};

/// `[camera]`.
pub static CAMERA: Section = Section {
    title: "[camera]",
    doc: "Where the playback looks from. Without it, it looks at everything.",
    keys: &[
        key("eye", "[x, y, z] m", "where the camera is"),
        key("target", "[x, y, z] m", "what it looks at"),
    ],
};

/// `[memory]`.
pub static MEMORY: Section = Section {
    title: "[memory]",
    doc: "What the run of a saved world remembers: impulses for the warm start, sums of controllers, counted angles, samples of sensors, places on curves, frames of joints to the bit, and the scripts' `this`. With it the world goes on with the same bits. Written by the program; it is of no use once the text above it is changed, and a warning says so.",
    keys: &[
        key("program", "text", "version of the program that wrote it"),
        key("of", "text", "hash of the text above and of `bits`"),
        key("bits", "text", "what is remembered, as base64"),
    ],
};
