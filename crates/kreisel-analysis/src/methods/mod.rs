//! The other methods of the literature on the same scene: what each of them makes of the rows,
//! forces and masses that the engine's own methods see.
//!
//! They are here to be compared ([`simulate`], `kreisel compare --methods all`), not to be used:
//! all of them are dense, know equations only, and look at a world through
//! [`kreisel_dynamics::Probe`] without ever stepping it.
//!
//! | file | methods |
//! |---|---|
//! | `stage` | the world at trial states, in a chart about the pose of the step's start |
//! | `laws` | accelerations: penalty, augmented Lagrange, multipliers and their stabilisers |
//! | `one_step` | those laws under the classic method of Runge and Kutta, with projection |
//! | `reduced` | independent coordinates: partitioning, coordinates of joints |
//! | `impulse` | the impulse step with dense matrices; free motion and correction |
//! | `bdf` | BDF of order 2 for index 3 |
//! | `radau` | Radau IIA of order 5 for index 1, 2, 3 and the form of Gear, Gupta, Leimkuhler |
//!
//! Velocities and displacements are scaled, y = M^½ (v, Rᵀω), so that M is the unit matrix.

mod bdf;
mod impulse;
mod laws;
mod one_step;
mod radau;
mod reduced;
pub(crate) mod stage;
mod words;

use crate::error::AnalysisError;
use kreisel_dynamics::World;
use stage::Stage;
use std::time::{Duration, Instant};

/// A method of the literature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Stiff springs and dampers in place of joints.
    Penalty,
    /// The same, added to the masses: (M + αJᵀJ) a.
    MassPenalty,
    /// That, repeated until the multipliers stand: augmented Lagrange.
    AugmentedLagrange,
    /// Lagrange multipliers on accelerations, nothing against drift.
    Multipliers,
    /// Multipliers with Baumgarte's stabiliser.
    Baumgarte,
    /// Multipliers with Baumgarte's stabiliser and an integral of the error.
    BaumgarteIntegral,
    /// Rosen and Edelstein: the stabiliser inside the Lagrange function, multipliers as states.
    RosenEdelstein,
    /// Multipliers, then poses and velocities projected onto the joints.
    Projected,
    /// Accelerations by the null space of the rows.
    NullSpace,
    /// Independent and dependent columns.
    Partitioned,
    /// Independent coordinates of joints.
    JointCoordinates,
    /// Faure: multipliers by conjugate gradients without a matrix.
    Faure,
    /// Free motion, then correction of the poses.
    Decoupled,
    /// The impulse step with dense matrices.
    DenseImpulse,
    /// BDF of order 2, index 3.
    BdfIndex3,
    /// Radau IIA of order 5 on the equations of index 1, with error control.
    RadauIndex1,
    /// The same on index 2.
    RadauIndex2,
    /// The same on index 3.
    RadauIndex3,
    /// The same on the stabilised index 2 of Gear, Gupta and Leimkuhler.
    RadauGgl,
}

/// How to simulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Step, s. Methods with error control take as many steps in it as they need.
    pub step: f64,
    /// End, s.
    pub until: f64,
    /// Largest error of a step with error control, rad or shares of the world's measure.
    pub tolerance: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { step: 1e-3, until: 1.0, tolerance: 1e-8 }
    }
}

/// What a simulation cost, and how well the joints were kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Outcome {
    /// Steps taken.
    pub steps: u64,
    /// Steps that error control threw away.
    pub rejected: u64,
    /// States at which forces and rows were evaluated.
    pub evaluations: u64,
    /// Largest error of a row on poses after a step, m or rad.
    pub joint_error: f64,
    /// Time that the method took, without what was done with its states.
    pub time: Duration,
}

/// Simulates a world by one of the methods; the world given to `each` has the state after every
/// step of `options.step`, the start included.
///
/// What a method has no answer for is refused by name: friction, finite drives, limits and contacts
/// that are reached, controllers with a memory.
///
/// ```
/// use kreisel_analysis::methods::{Method, Options, simulate};
/// use kreisel_dynamics::{Body, BodyId, Joint, Vec3, World};
/// let mut world = World::new();
/// let bob = world.add_body(Body::point(1.0).at(Vec3::X)).unwrap();
/// world.add_joint(Joint::distance(BodyId::WORLD, bob, Vec3::ZERO, Vec3::X)).unwrap();
/// let options = Options { step: 0.01, until: 1.0, ..Options::default() };
/// let mut lowest = 0.0_f64;
/// let done = simulate(&world, Method::Projected, &options, |_, w| {
///     lowest = lowest.min(w.center_of_mass(bob).unwrap().z);
/// })
/// .unwrap();
/// assert!(done.joint_error < 1e-12 && lowest < -0.99);
/// ```
pub fn simulate(
    world: &World,
    method: Method,
    options: &Options,
    mut each: impl FnMut(f64, &World),
) -> Result<Outcome, AnalysisError> {
    let positive = |x: f64| x.is_finite() && x > 0.0;
    if !(positive(options.step) && positive(options.until) && positive(options.tolerance)) {
        return Err(AnalysisError::refused(
            "the options",
            "step, end and tolerance are positive numbers",
            "give others",
        ));
    }
    let mut stage = Stage::new(world, method)?;
    let mut shown = world.clone();
    each(world.time(), &shown);
    let mut stepper = stepper(method, options, &mut stage)?;
    let mut out = Outcome::default();
    let steps = (options.until / options.step).round().max(1.0) as u64;
    for k in 1..=steps {
        let began = Instant::now();
        let before = stage.time();
        stepper.step(&mut stage, options.step, &mut out)?;
        stage.check(&mut out.joint_error)?;
        out.time += began.elapsed();
        out.evaluations = stage.evaluations;

        // the time is counted, not summed
        let now = world.time() + k as f64 * options.step;
        debug_assert!((stage.time() - before - options.step).abs() < 1e-9);
        stage.set_time(now);
        stage.show(&mut shown);
        each(now, &shown);
    }
    Ok(out)
}

/// What makes a step.
trait Stepper {
    /// Goes on by `h` and settles there.
    fn step(
        &mut self,
        stage: &mut Stage<'_>,
        h: f64,
        out: &mut Outcome,
    ) -> Result<(), AnalysisError>;
}

fn stepper(
    method: Method,
    options: &Options,
    stage: &mut Stage<'_>,
) -> Result<Box<dyn Stepper>, AnalysisError> {
    use laws::Law;
    use one_step::RungeKutta;
    use radau::{Index, Radau};
    let law = |law| Box::new(RungeKutta::new(law, false)) as Box<dyn Stepper>;
    let radau = |index| Box::new(Radau::new(index, options)) as Box<dyn Stepper>;
    Ok(match method {
        Method::Penalty => law(Law::Penalty),
        Method::MassPenalty => law(Law::MassPenalty { repeated: false }),
        Method::AugmentedLagrange => law(Law::MassPenalty { repeated: true }),
        Method::Multipliers => law(Law::Multipliers),
        Method::Baumgarte => law(Law::Baumgarte),
        Method::BaumgarteIntegral => law(Law::BaumgarteIntegral),
        Method::RosenEdelstein => law(Law::RosenEdelstein),
        Method::Projected => Box::new(RungeKutta::new(Law::Multipliers, true)),
        Method::NullSpace => law(Law::NullSpace),
        Method::Faure => law(Law::Faure),
        Method::Partitioned => Box::new(reduced::Partitioned::default()),
        Method::JointCoordinates => Box::new(reduced::JointCoordinates::new(stage)?),
        Method::Decoupled => Box::new(impulse::Decoupled),
        Method::DenseImpulse => Box::new(impulse::DenseImpulse),
        Method::BdfIndex3 => Box::new(bdf::Bdf::default()),
        Method::RadauIndex1 => radau(Index::One),
        Method::RadauIndex2 => radau(Index::Two),
        Method::RadauIndex3 => radau(Index::Three),
        Method::RadauGgl => radau(Index::Stabilised),
    })
}
