//! How a world is stepped: method, stepping, order, tolerances, budgets.

use crate::bounds::{self, Bound};
use crate::words::words;
use serde::{Deserialize, Serialize};
use std::time::Duration;

words! {
    /// How the joint equations are solved. Chosen per world and, if wished, per independent chain.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Method {
        /// One sparse factorisation per substep for all joints (Bender 3.3.2): the default.
        Direct = "direct",
        /// One joint after the other until all are within tolerance (Bender 3.3.1).
        Iterative = "iterative",
        /// Trees by factorisation, loop-closing joints one after the other (Bender 3.3.2.3,
        /// "cutting").
        Cut = "cut",
        /// Forces instead of impulses: Lagrange multipliers with a stabiliser (Wagner 2001). For
        /// whole worlds only.
        Lagrange = "lagrange",
    }
}

words! {
    /// Which step carries the bodies forward.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Stepping {
        /// The symmetric impulse step (kick, free flow, velocity correction): cheapest and most
        /// accurate.
        Symmetric = "symmetric",
        /// The energy-momentum step: energy never grows, whatever the step and the mass ratio. It
        /// needs the direct method; chains with iterated joints take symmetric steps, and so does a
        /// world with an impulse limit.
        Energy = "energy",
        /// Symmetric where it is stable, energy-momentum where light bodies are taut between heavy
        /// ones.
        Auto = "auto",
    }
}

/// Order of accuracy of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Order {
    /// The plain step.
    Two,
    /// Extrapolated from 1 and 2 base steps.
    Four,
    /// Extrapolated from 1, 2 and 3 base steps.
    Six,
    /// Extrapolated from 1, 2, 3 and 4 base steps.
    Eight,
}

impl Order {
    /// Number of runs in the extrapolation.
    pub fn columns(self) -> usize {
        match self {
            Self::Two => 1,
            Self::Four => 2,
            Self::Six => 3,
            Self::Eight => 4,
        }
    }

    /// 2, 4, 6 or 8 as an order.
    pub fn from_number(n: u32) -> Option<Self> {
        Some(match n {
            2 => Self::Two,
            4 => Self::Four,
            6 => Self::Six,
            8 => Self::Eight,
            _ => return None,
        })
    }
}

/// How a free body turns during a substep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rotation {
    /// Exact for symmetric bodies, a symmetric splitting of second order otherwise; keeps the
    /// angular momentum exactly.
    Splitting,
    /// Classical Runge-Kutta of order 4 (the thesis's choice).
    Rk4,
    /// Runge-Kutta 4 on the rotation matrix instead of the quaternion, with orthonormalisation.
    Matrix,
    /// Taylor series of the given order.
    Taylor(u8),
    /// Cash-Karp 5(4) with step-size control to the given error.
    CashKarp(f64),
    /// Explicit Euler, for comparison only.
    Euler,
}

/// How many substeps a step is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Substeps {
    /// As many as keep the local error below `target` metres (measured on joints, scaled for bodies
    /// of 0.1 m).
    Auto {
        /// Wanted size of the first preview's joint error, in m for a body of 0.1 m.
        target: f64,
    },
    /// Always this many. Nothing but the tolerance is checked. (At orders above 2 a substep in
    /// which dry friction or a bounded motor turns is cut where it does.)
    Fixed(u32),
    /// As many as keep the stated local error of the (extrapolated) step, in m, below the bound.
    Error(f64),
}

impl Substeps {
    /// The target of [`Substeps::Auto`] unless it is set, m.
    pub const TARGET: f64 = 3e-5;
}

/// How exact joints are after each step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Gap of translational parts, in m.
    pub position: f64,
    /// Misalignment of rotational parts, in rad.
    pub angle: f64,
    /// Relative velocity of translational parts, in m/s.
    pub velocity: f64,
    /// Relative angular velocity of rotational parts, in rad/s.
    pub angular_velocity: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::uniform(1e-6)
    }
}

impl Tolerance {
    /// The same number for metres, radians and their rates.
    pub fn uniform(value: f64) -> Self {
        Self { position: value, angle: value, velocity: value, angular_velocity: value }
    }
}

/// All settings of a world's step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Solution of the joint equations.
    pub method: Method,
    /// Kind of step.
    pub stepping: Stepping,
    /// Order of accuracy.
    pub order: Order,
    /// Exactness of the joints.
    pub tolerance: Tolerance,
    /// Number of substeps.
    pub substeps: Substeps,
    /// Free rotation.
    pub rotation: Rotation,
    /// Most rounds of joint correction (and of velocity correction) in one substep; `None` means 30
    /// for factorised and 20 000 for iterated joints.
    pub max_rounds: Option<u32>,
    /// Most wall time for one step; when it is spent the step ends with what it has ("anytime",
    /// B-48). A world with a time budget is not reproducible to the bit.
    pub time_budget: Option<Duration>,
    /// Whether velocities are corrected after each substep (Bender 3.2.1).
    pub velocity_correction: bool,
    /// Most impulse a joint may apply to remove its position error in one step, in N s (B-49).
    pub impulse_limit: Option<f64>,
    /// Whether joint correction starts from the impulses of the step before (Schmitt's open
    /// question S-17).
    pub warm_start: bool,
    /// Over-relaxation of iterated joints: each correction is taken this many times (Schmitt's
    /// weight; 1.0 to 1.4 help, 2 and more diverge).
    pub relaxation: f64,
    /// How the Lagrange multiplier method works; the impulse methods take no notice.
    pub lagrange: crate::lagrange::Lagrange,
    /// Threads for independent chains; 0 means as many as the machine has.
    pub threads: usize,
    /// Collisions and contacts.
    pub contact: crate::contact::ContactSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::Direct,
            stepping: Stepping::Auto,
            order: Order::Two,
            tolerance: Tolerance::default(),
            substeps: Substeps::Auto { target: Substeps::TARGET },
            rotation: Rotation::Splitting,
            max_rounds: None,
            time_budget: None,
            velocity_correction: true,
            impulse_limit: None,
            warm_start: true,
            relaxation: 1.0,
            lagrange: crate::lagrange::Lagrange::default(),
            threads: 1,
            contact: crate::contact::ContactSettings::default(),
        }
    }
}

impl Settings {
    /// Checks that the numbers make sense; tells all that do not.
    pub fn check(&self) -> Result<(), Vec<crate::ModelError>> {
        let mut problems = Vec::new();
        let mut positive = |field, value: f64| {
            if !(value > 0.0 && value.is_finite()) {
                let item = "settings".into();
                problems.push(crate::ModelError::OutOfRange {
                    item,
                    field,
                    must: "positive",
                    value,
                });
            }
        };
        let t = &self.tolerance;
        positive("round limit", f64::from(self.max_rounds.unwrap_or(1)));
        positive("impulse limit", self.impulse_limit.unwrap_or(1.0));
        match self.substeps {
            Substeps::Fixed(n) => positive("number of substeps", f64::from(n)),
            Substeps::Auto { .. } | Substeps::Error(_) => {}
        }
        if let Rotation::Taylor(n) = self.rotation {
            positive("order of the Taylor series", f64::from(n));
        }
        let mut within = |bound: Bound, field, value: f64| {
            problems.extend(bound.check("settings", field, value).err())
        };
        within(bounds::TOLERANCE, "position tolerance", t.position);
        within(bounds::TOLERANCE, "angle tolerance", t.angle);
        within(bounds::TOLERANCE, "velocity tolerance", t.velocity);
        within(bounds::TOLERANCE, "angular velocity tolerance", t.angular_velocity);
        match self.substeps {
            Substeps::Auto { target } => within(bounds::ERROR, "substep target", target),
            Substeps::Error(e) => within(bounds::ERROR, "error bound", e),
            Substeps::Fixed(_) => {}
        }
        if let Rotation::CashKarp(e) = self.rotation {
            within(bounds::ERROR, "error bound of the rotation", e);
        }
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            let (item, value) = ("settings".into(), self.relaxation);
            let (field, must) = ("relaxation", "between 0 and 2");
            problems.push(crate::ModelError::OutOfRange { item, field, must, value });
        }
        problems.extend(self.contact.check().err());
        problems.extend(self.contact.check_law(self.method).err());
        problems.extend(self.lagrange.check().err());
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}
