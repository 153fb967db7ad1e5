//! Keys of `[world]` and `[contact]`: gravity, time, methods, tolerances, the ground.

use super::{Section, key};

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
        key(
            "real_time",
            "true or false",
            "whether `view` chooses step and steps per frame so that the world keeps up with the clock, starting from `step` (10 to 1000 steps per second); default false. `run` and the others have no clock and take `step`",
        ),
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
        key(
            "time_budget",
            "s",
            "most wall time for a step, which then ends with what it has; default none, in `view` a second or five steps",
        ),
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
        key("threads", "count", "threads for independent chains and for contacts, 0 for all of the machine; default 1"),
        key(
            "contacts",
            "\"on\" or \"off\"",
            "whether bodies collide; default \"on\". Bodies that a joint or a constraint links do not",
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
        key("max_sweeps", "count", "most sweeps of the position solve; default 40, more in small islands"),
        key("velocity_sweeps", "count", "most sweeps of the velocity solve in a step; default 8"),
        key(
            "touch",
            "m",
            "shapes that are closer touch; slower than a fall through this distance is rest; default 1e-3",
        ),
        key("push_speed", "m/s", "fastest separation of bodies that overlap; default 1"),
        key(
            "overlap",
            "m",
            "a fast step in which bodies come to overlap by more is made again (small bodies: by a fiftieth of their size); default 2e-3",
        ),
        key(
            "sleep",
            "true or false",
            "whether groups of bodies that touch and hardly move (1 mm in 0.5 s) stand still until something touches them; default false",
        ),
        key(
            "shock",
            "count",
            "sweeps after which contacts that are not solved yet are solved layer by layer from the ground upwards (shock propagation); default 0, never",
        ),
        key(
            "iteration",
            "\"extrapolated\" or \"plain\"",
            "the position solve starts from the last step and is extrapolated from sweep to sweep, or it is as the thesis has it, without both (slow; for comparison); default \"extrapolated\"",
        ),
        key(
            "precision",
            "\"auto\" or \"double\"",
            "sweeps over large heaps of bodies of similar mass (256 contact regions and more, 1 : 100) with tolerances from 1e-6 on may use single precision for changes of velocities, or all is in double precision; default \"auto\"",
        ),
        key(
            "cone",
            "\"accumulated\" or \"printed\"",
            "friction by the sum of the normal impulses, or by the sum of their changes as the thesis prints it (stops bodies too early; for comparison); default \"accumulated\"",
        ),
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
