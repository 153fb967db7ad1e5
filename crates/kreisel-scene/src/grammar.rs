//! The keys of the scene format, once: the reader checks against them, "did you mean" draws on them, and the
//! reference page is printed from them.

pub use crate::grammar_elements::{CONNECTOR, CONSTRAINT, CONTROLLER, CURVE, FIELD, LAGRANGE, PROCEDURE, SWITCH};
use std::fmt::Write as _;

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value looks like.
    pub form: &'static str,
    /// What it means, with its default.
    pub doc: &'static str,
}

/// One kind of table.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// How it is written: `[world]`, `[[body]]`, or the key that holds it.
    pub title: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

pub(crate) const fn key(name: &'static str, form: &'static str, doc: &'static str) -> Key {
    Key { name, form, doc }
}

pub(crate) const REPEAT: Key = key(
    "repeat",
    "count, or table of counters",
    "makes the item several times: `50` counts `i` from 0 to 49; `{ i = 10, j = \"1..n\" }` nests counters, the last fastest",
);
pub(crate) const LET: Key =
    key("let", "table of expressions", "names for use in this item's expressions, evaluated for every repetition");
pub(crate) const WHEN: Key = key("when", "condition", "the item is made only where this is true (not 0)");
const FRAME: Key = key(
    "frame",
    "name of a body",
    "positions and directions of this item are given in the frame of that body as it stands at the start; default \"world\"",
);

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
        key("instance", "array of tables", "scenes inside this scene"),
        key("joint", "array of tables", "joints"),
        key("motor", "array of tables", "motors and servos on joints"),
        key("spring", "array of tables", "springs and dampers"),
        key("force", "array of tables", "outer forces and torques over a span of time"),
        key("show", "array of tables", "geometry that is only shown"),
        key("script", "table", "a script that adds items, and procedures that are called during a run"),
        key("lagrange", "table", "solver, stabiliser and integrator of the Lagrange multiplier method"),
        key("curve", "array of tables", "curves for paths"),
        key("constraint", "array of tables", "constraints between connectors"),
        key("controller", "array of tables", "forces that depend on the state"),
        key("field", "array of tables", "force fields"),
        key("procedure", "array of tables", "what happens when bodies come near"),
        key("switch", "array of tables", "what is switched on and off, and when"),
        key("record", "table", "what is written to files"),
        key("camera", "table", "where the playback looks from"),
    ],
};

/// `[world]`.
pub static WORLD: Section = Section {
    title: "[world]",
    doc: "How the world is stepped. Every key has a default.",
    keys: &[
        key("gravity", "[x, y, z] m/s²", "default [0, 0, -9.81]"),
        key(
            "step",
            "s",
            "time from one report and frame to the next; default 0.01. The engine divides it further as the tolerance asks",
        ),
        key("rate", "1/s", "steps per second of model time, instead of `step`"),
        key("oversampling", "count", "steps per row of a recording, where `[record]` says nothing else; default 1"),
        key("time", "s", "time at the start; default 0"),
        key("duration", "s", "how long a run takes unless `--until` says otherwise; default 10"),
        key(
            "method",
            "\"direct\", \"iterative\", \"cut\" or \"lagrange\"",
            "how the joint equations are solved; default \"direct\"",
        ),
        key("stepping", "\"auto\", \"symmetric\" or \"energy\"", "kind of step; default \"auto\""),
        key("order", "2, 4, 6 or 8", "order of accuracy; default 2"),
        key(
            "tolerance",
            "number, or table `position`, `angle`, `velocity`, `angular_velocity`",
            "how exact joints are after each step, in m, rad, m/s and rad/s; default 1e-6 each",
        ),
        key(
            "substeps",
            "\"auto\", count, `{ target = m }` or `{ error = m }`",
            "substeps per step: chosen by the first preview's error, fixed, or by the local error; default \"auto\"",
        ),
        key(
            "rotation",
            "\"splitting\", \"rk4\", \"matrix\", \"euler\", `{ taylor = order }` or `{ cash-karp = error }`",
            "how free bodies turn; default \"splitting\"",
        ),
        key(
            "max_rounds",
            "count",
            "most rounds of correction in a substep; default 30 for factorised and 20 000 for iterated joints",
        ),
        key("time_budget", "s", "most wall time for a step, which then ends with what it has; default none"),
        key(
            "velocity_correction",
            "true or false",
            "whether velocities are corrected after each substep; default true",
        ),
        key(
            "warm_start",
            "true or false",
            "whether joint correction starts from the last step's impulses; default true",
        ),
        key("relaxation", "number", "weight of each correction of the iterative method, below 2; default 1"),
        key("impulse_limit", "N s", "most impulse of a joint against its position error in one step; default none"),
        key("threads", "count", "threads for independent chains, 0 for all of the machine; default 1"),
        key(
            "contacts",
            "\"on\" or \"off\"",
            "whether bodies collide; default \"on\". Bodies that a joint connects do not",
        ),
        key(
            "ground",
            "m, or table",
            "height of a horizontal floor below everything; `{ height = 0, friction = 0.5, … }` gives it a material; default none",
        ),
    ],
};

/// `ground` of `[world]`.
pub static GROUND: Section = Section {
    title: "ground",
    doc: "A horizontal floor, perpendicular to the z axis, and its material.",
    keys: &[
        key("height", "m", "default 0"),
        key("material", "name", "name for `[[contact.pair]]`"),
        key("restitution", "0 to 1", "default 0"),
        key("friction", "number", "coefficient of sliding friction; default 0.5"),
        key("static_friction", "number", "coefficient of static friction; default that of sliding"),
        key("rolling", "m", "resistance to rolling as a lever arm; default 0"),
        key("spinning", "m", "resistance to spinning about the normal as a lever arm; default 0"),
    ],
};

/// `[contact]`.
pub static CONTACT: Section = Section {
    title: "[contact]",
    doc: "How collisions and contacts are resolved. Every key has a default.",
    keys: &[
        key(
            "mode",
            "\"step\" or \"event\"",
            "all contacts of a step together, or one collision at a time with exact flight in between (no joints, springs or motors); default \"step\"",
        ),
        key(
            "time",
            "\"fast\" or \"exact\"",
            "bodies that meet during a step end it in touch, or the step is cut where they meet; default \"fast\"",
        ),
        key("law", "\"newton\", \"poisson\" or \"stronge\"", "law of impact; default \"newton\""),
        key("tolerance", "m", "error that the position solve may leave; default 1e-6"),
        key("max_sweeps", "count", "most sweeps of the position solve in a step; default 40"),
        key("velocity_sweeps", "count", "most sweeps of the velocity solve in a step; default 8"),
        key(
            "touch",
            "m",
            "shapes that are closer touch; slower than a fall through this distance is rest; default 1e-3",
        ),
        key("push_speed", "m/s", "fastest separation of bodies that overlap; default 1"),
        key("max_events", "count", "mode \"event\": most collisions and checks in a step; default 100000"),
        key(
            "micro",
            "\"cone\", \"velocity\" or \"never\"",
            "mode \"event\": slow collisions reverse the velocity if the impulse, or the velocity, lies in the friction cone; default \"cone\"",
        ),
        key(
            "friction",
            "a rule",
            "how two coefficients of friction become one: product, sum, minimum, maximum, mean or geometric; default \"mean\"",
        ),
        key("restitution", "a rule", "how two restitutions become one; default \"maximum\""),
        key("pair", "array of tables", "coefficients of two named materials"),
    ],
};

/// `[[contact.pair]]`.
pub static MATERIAL_PAIR: Section = Section {
    title: "[[contact.pair]]",
    doc: "Coefficients of two named materials, instead of what the rules give.",
    keys: &[
        key("between", "[name, name]", "the materials, as `material` of the bodies names them"),
        key("restitution", "0 to 1", "default by the rule"),
        key("friction", "number", "sliding friction; default by the rule"),
        key("static_friction", "number", "static friction; default `friction`"),
    ],
};

/// `tolerance` of `[world]`.
pub static TOLERANCE: Section = Section {
    title: "tolerance",
    doc: "How exact joints are after each step.",
    keys: &[
        key("position", "m", "gap of position parts; default 1e-6"),
        key("angle", "angle", "misalignment of rotation parts; default 1e-6 rad"),
        key("velocity", "m/s", "relative velocity of position parts; default 1e-6"),
        key("angular_velocity", "angular velocity", "relative angular velocity of rotation parts; default 1e-6 rad/s"),
    ],
};

/// `substeps` of `[world]`.
pub static SUBSTEPS: Section = Section {
    title: "substeps",
    doc: "How the number of substeps is chosen.",
    keys: &[
        key("target", "m", "wanted joint error of the first preview, for a body of 0.1 m"),
        key("error", "m", "wanted local error of the step"),
    ],
};

/// `rotation` of `[world]`.
pub static INTEGRATOR: Section = Section {
    title: "rotation",
    doc: "How free bodies turn.",
    keys: &[
        key("taylor", "order", "Taylor series of this order"),
        key("cash-karp", "error", "Cash-Karp 5(4) with step-size control to this error"),
    ],
};

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
    ],
};

/// `shape` of a body.
pub static SHAPE: Section = Section {
    title: "shape",
    doc: "A solid. One of the first ten keys; `axis` turns it, `position` and `rotation` place it in the body's frame. An array of such tables is one rigid body of several parts.",
    keys: &[
        key("box", "[x, y, z] m", "full edge lengths"),
        key("sphere", "m", "radius"),
        key("cylinder", "`{ radius = m, height = m }`", "along the axis"),
        key("capsule", "`{ radius = m, height = m }`", "a cylinder of that height between two half-spheres"),
        key("cone", "`{ radius = m, height = m }`", "base at -height/2, tip at +height/2 of the axis"),
        key("ellipsoid", "[x, y, z] m", "semi-axes"),
        key("hull", "[[x, y, z], …] m, or mesh file", "the convex hull of points, or of the vertices of a mesh"),
        key(
            "mesh",
            "mesh file, or table `vertices`, `triangles`",
            "a triangle mesh from OBJ, STL, glTF or GLB. One that is not closed has no mass of its own: it gets that of its convex hull, with a warning",
        ),
        key(
            "half_space",
            "[x, y, z], or table `normal`, `offset`",
            "everything behind a plane with this outward normal, through the origin or at an offset; not for dynamic bodies",
        ),
        key("height_field", "table", "terrain; for bodies that do not move"),
        key("scale", "number or [x, y, z]", "factor for the coordinates of `mesh` and `hull`; default 1"),
        key("axis", "\"x\", \"y\" or \"z\"", "axis of cylinder, capsule and cone; default \"z\""),
        key("position", "[x, y, z] m", "centre of the part in the body's frame"),
        key("rotation", "table", "rotation of the part in the body's frame"),
    ],
};

/// `cylinder`, `capsule`, `cone`.
pub static ROUND: Section = Section {
    title: "a round shape",
    doc: "Sizes of cylinder, capsule and cone.",
    keys: &[key("radius", "m", "radius"), key("height", "m", "height along the axis")],
};

/// `mesh` written out.
pub static MESH: Section = Section {
    title: "mesh",
    doc: "A mesh written out in the scene.",
    keys: &[
        key("vertices", "[[x, y, z], …] m", "the vertices"),
        key("triangles", "[[a, b, c], …]", "numbers of vertices, counted from 0, counter-clockwise seen from outside"),
    ],
};

/// `half_space`.
pub static HALF_SPACE: Section = Section {
    title: "half_space",
    doc: "All points with normal · x ≤ offset.",
    keys: &[
        key("normal", "[x, y, z]", "direction out of the ground; default [0, 0, 1]"),
        key("offset", "m", "distance of the plane from the origin along the normal; default 0"),
    ],
};

/// `height_field`.
pub static HEIGHT_FIELD: Section = Section {
    title: "height_field",
    doc: "Heights over a grid: columns along x, rows along y, from the origin of the body. Either `heights`, or `height` with `rows` and `columns`.",
    keys: &[
        key("spacing", "[dx, dy] m", "distance of neighbouring columns and rows"),
        key("heights", "[[z, …], …] m", "one row after the other"),
        key("height", "expression", "height at the place `x`, `y` (column `i`, row `j`): `\"0.1 * sin(x)\"`"),
        key("rows", "count", "number of rows, at least 2"),
        key("columns", "count", "number of columns, at least 2"),
    ],
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
        key("file", "file", "the script from a file, instead of `build`"),
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

/// `[[joint]]`.
pub static JOINT: Section = Section {
    title: "[[joint]]",
    doc: "A joint between two bodies. Coordinates count the second body against the first.",
    keys: &[
        key("name", "text", "unique name; default \"joint 1\", …"),
        key(
            "type",
            "ball, hinge, slider, cylindrical, universal, fixed, line, plane, distance, translation, direction, double-rotation, rope, free or combined",
            "what the joint takes away",
        ),
        key("bodies", "[name, name]", "the two bodies; \"world\" is the world itself"),
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

/// `limits` and `friction` of a joint.
pub static COORDINATES: Section = Section {
    title: "limits and friction",
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
        key("window", "count", "past steps that the integral covers; default 100 with `integral_time`"),
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
    keys: &[key("eye", "[x, y, z] m", "where the camera is"), key("target", "[x, y, z] m", "what it looks at")],
};

/// All sections in the order of the reference page.
pub static SECTIONS: &[&Section] = &[
    &SCENE,
    &WORLD,
    &GROUND,
    &CONTACT,
    &MATERIAL_PAIR,
    &TOLERANCE,
    &SUBSTEPS,
    &INTEGRATOR,
    &BODY,
    &GROUPS,
    &NOW,
    &SHAPE,
    &ROUND,
    &MESH,
    &HALF_SPACE,
    &HEIGHT_FIELD,
    &ROTATION,
    &INSTANCE,
    &JOINT,
    &COORDINATES,
    &LIMIT,
    &BREAKING,
    &MOTOR,
    &SERVO,
    &SCHEDULE,
    &SPRING,
    &FORCE,
    &SHOW,
    &SCRIPT,
    &LAGRANGE,
    &CURVE,
    &CONSTRAINT,
    &CONNECTOR,
    &CONTROLLER,
    &FIELD,
    &PROCEDURE,
    &SWITCH,
    &RECORD,
    &POINT,
    &CAMERA,
    &PARAMS,
];

/// `[params]`, whose keys are the user's.
pub static PARAMS: Section = Section {
    title: "[params]",
    doc: "Names of your own with numbers or expressions; each may use the ones above it.",
    keys: &[],
};

/// The tables of keys as Markdown.
pub fn reference() -> String {
    let mut out = String::new();
    for section in SECTIONS {
        let _ = writeln!(out, "### `{}`\n\n{}\n", section.title, section.doc);
        if section.keys.is_empty() {
            continue;
        }
        out.push_str("| key | value | meaning |\n|---|---|---|\n");
        for k in section.keys {
            let _ = writeln!(out, "| `{}` | {} | {} |", k.name, k.form, k.doc);
        }
        out.push('\n');
    }
    out
}
