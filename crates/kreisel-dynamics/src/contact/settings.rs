//! How contacts are found and resolved.

use super::material::{Material, PairMaterial, Rule, combine};
use crate::error::ModelError;
use crate::impact::MicroRule;
use crate::plugin::{ContactLaw, Plugin};
use crate::settings::Method;
use crate::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// What happens between two steps when bodies meet (B-70, B-71).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum ContactTime {
        /// Bodies that would meet during the step end it in touch; what was missed is found at the
        /// end of the step and the step is made again with it.
        Fast = "fast",
        /// The step is cut where bodies meet and goes on from there.
        Exact = "exact",
    }
}

words! {
    /// How the time between two steps is filled.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum ContactMode {
        /// All contacts of a step together, with joints (Bender 2007).
        Step = "step",
        /// One collision at a time, each integrated through compression and restitution, exact
        /// flight in between (Lennerz 2000). Bodies only: no joints, springs or motors.
        Event = "event",
    } default Step
}

words! {
    /// Law of impact (B-77 to B-79, L-81).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum ImpactLaw {
        /// Approach speed times restitution comes back.
        Newton = "newton",
        /// Impulse of compression times restitution comes back.
        Poisson = "poisson",
        /// Energy of compression times restitution squared comes back.
        Stronge = "stronge",
    }
}

words! {
    /// Which normal impulse counts for the friction cone (B-80, B-81).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Cone {
        /// The sum over all sweeps: friction does not depend on how the impulse came about.
        Accumulated = "accumulated",
        /// The size of each sweep's change, as printed in the thesis: what is taken back adds
        /// friction, too, so that bodies stop too early at tight tolerances. For comparison.
        Printed = "printed",
    } default Accumulated
}

words! {
    /// How the position solve goes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Iteration {
        /// From the impulses of the last step (B-110), extrapolated from sweep to sweep.
        Extrapolated = "extrapolated",
        /// As the thesis has it: from nothing in every step, one sweep after the other. For
        /// comparison.
        Plain = "plain",
    } default Extrapolated
}

words! {
    /// Numbers of the sweeps.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Precision {
        /// Single precision for changes of velocities in large heaps of bodies of similar mass,
        /// where the tolerance allows it; double elsewhere.
        Auto = "auto",
        /// Double precision everywhere.
        Double = "double",
    } default Auto
}

/// Settings of contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactSettings {
    /// Whether shapes collide at all.
    pub on: bool,
    /// All contacts together, or one collision at a time.
    pub mode: ContactMode,
    /// What happens when bodies meet during a step.
    pub time: ContactTime,
    /// Law of impact.
    pub law: ImpactLaw,
    /// How far contacts may be from where they should be after the position solve, in m.
    pub tolerance: f64,
    /// Most sweeps of the position solve in a step; `None` for 40 in large islands and for more in
    /// small ones, where they are cheap. A step that ends by this limit, not by the tolerance, says
    /// so ([`Status::BudgetSpent`](crate::Status::BudgetSpent)).
    pub max_sweeps: Option<u32>,
    /// Most sweeps of the velocity solve in a step; five times as many where joints take part.
    pub velocity_sweeps: u32,
    /// Shapes that are closer than this touch, in m. A contact that approaches slower than a body
    /// falls through it, √(2 g touch), is at rest (B-75).
    pub touch: f64,
    /// Speed at which bodies that overlap are pushed apart at the most, in m/s.
    pub push_speed: f64,
    /// A fast step in which bodies come to overlap by more than this is made again, in m. Small
    /// bodies are held to a fiftieth of their size.
    pub overlap: f64,
    /// Whether islands that hardly move fall asleep until something touches them.
    pub sleep: bool,
    /// Sweeps of the position solve after which an island that has not converged is solved layer by
    /// layer instead, from the ground upwards (shock propagation, B-83, B-85); 0 for never.
    pub shock: u32,
    /// How the position solve goes.
    pub iteration: Iteration,
    /// Numbers of the sweeps.
    pub precision: Precision,
    /// How much friction a normal impulse allows.
    pub cone: Cone,
    /// Combination of friction coefficients.
    pub friction: Rule,
    /// Combination of restitutions.
    pub restitution: Rule,
    /// Mode "event": most collisions and checks in a step. Bodies that would need more stand still
    /// until its end, and the report says so.
    pub max_events: u32,
    /// Mode "event": which slow collisions reverse the velocity.
    pub micro: MicroRule,
    /// Coefficients of named pairs of materials.
    pub pairs: Vec<PairMaterial>,
    /// A law that is written outside; it has the last word on the coefficients. None has an empty
    /// name.
    #[serde(skip)]
    pub plugin: Plugin<dyn ContactLaw>,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            on: true,
            mode: ContactMode::Step,
            time: ContactTime::Fast,
            law: ImpactLaw::Newton,
            tolerance: 1e-6,
            max_sweeps: None,
            velocity_sweeps: 8,
            touch: 1e-3,
            push_speed: 1.0,
            overlap: 2e-3,
            sleep: false,
            shock: 0,
            iteration: Iteration::Extrapolated,
            precision: Precision::Auto,
            cone: Cone::Accumulated,
            friction: Rule::Mean,
            restitution: Rule::Maximum,
            max_events: 100_000,
            micro: MicroRule::Cone,
            pairs: Vec::new(),
            plugin: Plugin::default(),
        }
    }
}

impl ContactSettings {
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let positive = |field, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(ModelError::OutOfRange {
                    item: "contact".into(),
                    field,
                    must: "positive",
                    value,
                })
            }
        };
        crate::bounds::TOLERANCE.check("contact", "contact tolerance", self.tolerance)?;
        positive("touch", self.touch)?;
        positive("push speed", self.push_speed)?;
        positive("overlap", self.overlap)?;
        positive("contact sweeps", f64::from(self.max_sweeps.unwrap_or(1)))?;
        positive("event limit", f64::from(self.max_events))?;
        positive("velocity sweeps", f64::from(self.velocity_sweeps))?;
        for p in &self.pairs {
            let item = format!("pair of \"{}\" and \"{}\"", p.between[0], p.between[1]);
            check_coefficients(
                &item,
                p.restitution.unwrap_or(0.0),
                &[p.friction, p.static_friction],
            )?;
        }
        Ok(())
    }
}

impl ContactSettings {
    /// Laws that share out the impulse of compression need it to be found at the instant of the
    /// impact.
    pub(crate) fn check_law(&self, method: Method) -> Result<(), ModelError> {
        let at_once = self.time == ContactTime::Fast || method == Method::Lagrange;
        if self.mode == ContactMode::Step && at_once && self.law != ImpactLaw::Newton {
            return Err(ModelError::ImpactLaw(self.law.name()));
        }
        Ok(())
    }

    /// Restitution and coefficient of sliding that two materials make together.
    pub fn between(&self, a: &Material, b: &Material) -> [f64; 2] {
        let s = combine(a, b, self);
        [s.restitution, s.sliding]
    }
}

/// Restitution from 0 to 1, the others zero or more and finite.
pub(crate) fn check_coefficients(
    item: &str,
    restitution: f64,
    others: &[Option<f64>],
) -> Result<(), ModelError> {
    let refuse = |field, must, value| {
        Err(ModelError::OutOfRange { item: item.to_owned(), field, must, value })
    };
    if !(0.0..=1.0).contains(&restitution) {
        return refuse("restitution of the material", "from 0 to 1", restitution);
    }
    for &value in others.iter().flatten() {
        if !(value >= 0.0 && value.is_finite()) {
            return refuse("friction of the material", "zero or more", value);
        }
    }
    Ok(())
}
