//! The ways in which a scene is stepped: method, order, stepping, substeps, contact time, step.

/// One way.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Its name.
    pub name: &'static str,
    /// Lines for `[world]`.
    pub world: &'static str,
    /// Lines of other tables.
    pub tables: &'static str,
    /// Order of accuracy that it states; 0 where it states a bound instead.
    pub order: u32,
    /// Steps per second.
    pub rate: u32,
    /// Only for scenes in which bodies collide.
    pub contact: bool,
    /// Whether states in the middle of the run are tried, too.
    pub state: bool,
}

/// The default of `substeps`: the error of a substep that it aims at, m.
const TARGET: f64 = 3e-5;

impl Way {
    /// Lines for `[world]` that make so many times shorter the substeps that the engine chooses:
    /// their error is of one order more than the motion's.
    pub fn finer(&self, times: u32) -> String {
        if self.world.contains("substeps") || self.world.contains("lagrange") {
            return String::new();
        }
        let target = TARGET / f64::from(times).powi(self.order as i32 + 1);
        format!("substeps = {{ target = {target:e} }}\n")
    }

    /// Whether a step with an impact ends in touch: neither exact time, nor single collisions, nor
    /// multipliers.
    pub fn is_fast(&self) -> bool {
        !self.contact && self.world != LAGRANGE
    }
}

const fn way(name: &'static str, world: &'static str, order: u32, rate: u32) -> Way {
    Way { name, world, tables: "", order, rate, contact: false, state: false }
}

const fn with(way: Way, tables: &'static str) -> Way {
    Way { tables, ..way }
}

const fn exact(way: Way) -> Way {
    Way { tables: "[contact]\ntime = \"exact\"\n", contact: true, ..way }
}

const fn state(way: Way) -> Way {
    Way { state: true, ..way }
}

const LAGRANGE: &str = "method = \"lagrange\"\n";

/// All ways.
pub const ALL: &[Way] = &[
    state(way("direct", "", 2, 100)),
    state(way("direct, order 4", "order = 4\n", 4, 100)),
    way("direct, order 6", "order = 6\n", 6, 100),
    way("direct, order 8", "order = 8\n", 8, 100),
    way("direct, symmetric", "stepping = \"symmetric\"\n", 2, 100),
    way("direct, 4 substeps", "substeps = 4\n", 2, 100),
    way("direct, 1 substep, order 4", "substeps = 1\norder = 4\n", 4, 100),
    way("direct, error 1e-6", "substeps = { error = 1e-6 }\n", 0, 100),
    way("direct, order 4, error 1e-6", "order = 4\nsubsteps = { error = 1e-6 }\n", 0, 100),
    way("direct, 2 rounds", "max_rounds = 2\n", 2, 100),
    state(way("energy", "stepping = \"energy\"\n", 2, 100)),
    state(way("iterative", "method = \"iterative\"\n", 2, 100)),
    way("iterative, order 4", "method = \"iterative\"\norder = 4\n", 4, 100),
    way("cut", "method = \"cut\"\n", 2, 100),
    state(way("multipliers", LAGRANGE, 2, 100)),
    with(way("multipliers, none", LAGRANGE, 2, 100), "[lagrange]\nstabiliser = \"none\"\n"),
    with(way("multipliers, impulse", LAGRANGE, 2, 100), "[lagrange]\nstabiliser = \"impulse\"\n"),
    with(way("multipliers, spring", LAGRANGE, 2, 100), "[lagrange]\nstabiliser = \"spring\"\n"),
    way("direct, 1/30 s", "", 2, 30),
    way("direct, order 4, 1/30 s", "order = 4\n", 4, 30),
    way("energy, 1/30 s", "stepping = \"energy\"\n", 2, 30),
    way("multipliers, 1/30 s", LAGRANGE, 2, 30),
    way("direct, 2 ms", "", 2, 500),
    way("direct, order 4, 2 ms", "order = 4\n", 4, 500),
    way("multipliers, 2 ms", LAGRANGE, 2, 500),
    exact(way("direct, exact", "", 1, 100)),
    exact(way("direct, order 4, exact", "order = 4\n", 1, 100)),
    exact(way("iterative, exact", "method = \"iterative\"\n", 1, 100)),
    exact(way("energy, exact", "stepping = \"energy\"\n", 1, 100)),
    with(exact(way("direct, event", "", 1, 100)), "[contact]\nmode = \"event\"\n"),
];
