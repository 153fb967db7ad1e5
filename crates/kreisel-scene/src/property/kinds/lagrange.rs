//! `[lagrange]`.

use crate::property::codec::{Number, OrNone, WordOf};
use crate::property::table_macro::table;
use kreisel_dynamics::{
    ContactOrder, Integrator, Lagrange, MultiplierSolver, OnSingular, Stabiliser,
};

table! {
    /// How the Lagrange multiplier method works (`method = "lagrange"` in `[world]`).
    static LAGRANGE: Lagrange = "lagrange", "[lagrange]", Section;
    blank Lagrange::default();
    {
    /// how multipliers are found
    solver: WordOf<MultiplierSolver> = it.solver;
    /// what draws constraints together and keeps them there
    stabiliser: WordOf<Stabiliser> = it.stabiliser;
    /// how the motion is integrated
    integrator: WordOf<Integrator> = it.integrator;
    /// speed of settling: a constraint is met after about 5/alpha to 10/alpha
    alpha: Number = it.alpha => .unit("1/s").not_negative();
    /// beta/alpha: 1 settles without swinging
    gamma: Number = it.gamma => .not_negative();
    /// speed at which velocity constraints settle; default alpha
    velocity_rate: OrNone<Number> = it.velocity_rate => .unit("1/s").not_negative();
    /// share of the largest singular value below which others count as zero
    tolerance: Number = it.tolerance => .within(0.0, 1.0);
    /// relative accuracy of the adaptive integrators
    accuracy: Number = it.accuracy => .within(1e-15, f64::INFINITY);
    /// strength of damped least squares
    damping: Number = it.damping => .positive();
    /// what happens to contradictory constraints
    on_singular: WordOf<OnSingular> = it.on_singular;
    /// whether contacts and one-sided constraints are solved together with the others
    contacts: WordOf<ContactOrder> = it.contacts;
    }
}
