//! How the Lagrange multiplier method works: solver, stabiliser, integrator, and what happens to
//! contradictory constraints (Wagner 2001, sections 6.3 and 6.6.2; W-65 to W-92). All of it may be
//! changed while the world runs.

use crate::error::ModelError;
use crate::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// How the multipliers are found (W-66 to W-71).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum MultiplierSolver {
        /// Dense Cholesky factorisation of all rows: cost cubic in their number. The reference for
        /// the others.
        Direct = "direct",
        /// Dense singular value decomposition of all rows.
        DirectSvd = "direct-svd",
        /// Baraff's factorisation along trees: cost linear in the bodies, cubic in the rows that
        /// close loops.
        Baraff = "baraff",
        /// As `Baraff`, with a singular value decomposition of the rows that close loops: the
        /// default.
        BaraffSvd = "baraff-svd",
    }
}

words! {
    /// What draws constraints together and keeps them there (W-78 to W-82, B-57).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Stabiliser {
        /// The accelerations obey C'' + 2αC' + β²C = 0, whatever the masses.
        Baumgarte = "baumgarte",
        /// A spring and a damper along each row, added after the multipliers: settling depends on
        /// the masses.
        Spring = "spring",
        /// Impulses remove C and C' after every step, as in the impulse methods; nothing is left to
        /// settle.
        Impulse = "impulse",
        /// Nothing: constraints drift with the error of the integrator.
        None = "none",
    }
}

words! {
    /// How the differential equations are integrated (W-84 to W-90).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Integrator {
        /// Explicit Euler, first order: for comparison.
        Euler = "euler",
        /// Midpoint rule, second order.
        Rk2 = "rk2",
        /// Classical Runge-Kutta, fourth order: the default.
        Rk4 = "rk4",
        /// Cash-Karp 4(5) with step-size control to `accuracy`.
        CashKarp = "cash-karp",
        /// Bulirsch-Stoer extrapolation with step-size control to `accuracy`.
        BulirschStoer = "bulirsch-stoer",
        /// Linearly implicit, second order, strongly damping: for stiff springs.
        Implicit = "implicit",
    }
}

words! {
    /// What happens to constraints that contradict each other (W-73 to W-75). The report names them
    /// in every case.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum OnSingular {
        /// The step is not made; the youngest of the constraints is switched off, and the next step
        /// goes on without it.
        Abort = "abort",
        /// The motion that violates them least: the default.
        LeastSquares = "least-squares",
        /// Damped least squares: also targets that cannot be reached stay bounded. Constraints
        /// become a little soft.
        Damped = "damped",
        /// Rows that the others leave no room for are ignored.
        Lock = "lock",
    }
}

words! {
    /// In which order constraints and one-sided constraints (inequalities, resting contacts) are
    /// solved (W-103).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum ContactOrder {
        /// Together, as one complementarity problem: the default.
        Coupled = "coupled",
        /// First the constraints, then the contact forces on top, as in the thesis. Joints then
        /// give way under load.
        Sequential = "sequential",
        /// As `Sequential`, but the contact forces of the last evaluation count among the outer
        /// forces.
        Feedback = "feedback",
    }
}

/// Settings of the Lagrange multiplier method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lagrange {
    /// How the multipliers are found.
    pub solver: MultiplierSolver,
    /// What draws constraints together.
    pub stabiliser: Stabiliser,
    /// How the motion is integrated.
    pub integrator: Integrator,
    /// Speed of settling α in 1/s: a constraint is met after about 5/α to 10/α.
    pub alpha: f64,
    /// β/α: 1 settles without swinging, more swings.
    pub gamma: f64,
    /// Rate in 1/s at which velocity constraints settle; `None` takes α.
    pub velocity_rate: Option<f64>,
    /// Singular values below this share of the largest count as zero.
    pub tolerance: f64,
    /// Wanted relative accuracy of the adaptive integrators.
    pub accuracy: f64,
    /// Share of the largest diagonal element that damped least squares add.
    pub damping: f64,
    /// What happens to contradictory constraints.
    pub on_singular: OnSingular,
    /// Constraints and contacts together or one after the other.
    pub contacts: ContactOrder,
}

impl Default for Lagrange {
    fn default() -> Self {
        Self {
            solver: MultiplierSolver::BaraffSvd,
            stabiliser: Stabiliser::Baumgarte,
            integrator: Integrator::Rk4,
            alpha: 5.0,
            gamma: 1.0,
            velocity_rate: None,
            tolerance: 1e-6,
            accuracy: 1e-4,
            damping: 1e-2,
            on_singular: OnSingular::LeastSquares,
            contacts: ContactOrder::Coupled,
        }
    }
}

impl Lagrange {
    /// β of the stabiliser.
    pub fn beta(&self) -> f64 {
        self.alpha * self.gamma
    }

    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let rule = |field, value: f64, low: f64, must| {
            if value >= low && value.is_finite() {
                Ok(())
            } else {
                Err(ModelError::OutOfRange { item: "settings".into(), field, must, value })
            }
        };
        rule("alpha", self.alpha, 0.0, "zero or more")?;
        rule("gamma", self.gamma, 0.0, "zero or more")?;
        rule("velocity rate", self.velocity_rate.unwrap_or(0.0), 0.0, "zero or more")?;
        rule("singular value tolerance", self.tolerance, 0.0, "zero or more")?;
        rule("singular value tolerance", 1.0 - self.tolerance, f64::MIN_POSITIVE, "below 1")?;
        rule("accuracy", self.accuracy, 1e-15, "at least 1e-15")?;
        rule("least squares damping", self.damping, f64::MIN_POSITIVE, "positive")
    }
}
