//! Why an analysis has no answer.

/// Why an analysis has no answer. Every message says what stands in the way and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AnalysisError {
    /// The world has something that the analysis cannot represent.
    #[error("{item}: {why}; {help}")]
    Refused {
        /// Name of the item.
        item: String,
        /// What about it.
        why: String,
        /// How to go on.
        help: String,
    },
    /// No such item, or not of this kind.
    #[error("there is no {0}")]
    Unknown(String),
    /// Nothing that can move.
    #[error("nothing moves: the world has no dynamic body")]
    Empty,
    /// Joints and constraints cannot all be met from here.
    #[error(
        "the conditions cannot be met: {worst} is off by {error:.3e} after {iterations} rounds; {help}"
    )]
    NotAssembled {
        /// Joint or constraint with the largest error.
        worst: String,
        /// Its error, m or rad.
        error: f64,
        /// Rounds made.
        iterations: usize,
        /// How to go on.
        help: String,
    },
    /// The forces do not come to rest anywhere near.
    #[error(
        "no equilibrium: after {iterations} rounds {body} is still pushed by {force:.3e} (N or N m) \
         and nothing holds it; add a spring, a joint or a contact, or fix it"
    )]
    NoEquilibrium {
        /// The body that is pushed most.
        body: String,
        /// Force or torque on it.
        force: f64,
        /// Rounds made.
        iterations: usize,
    },
    /// The efforts at hand cannot give the motion.
    #[error(
        "the actuators cannot give this motion: {missing:.3e} of a generalised force of {wanted:.3e} is missing \
         at {time} s, mostly along {item}; add a motor there"
    )]
    NotActuated {
        /// Joint or body along which the force is missing.
        item: String,
        /// What is missing, in N or N m scaled by the inertia.
        missing: f64,
        /// What is wanted.
        wanted: f64,
        /// Time, s.
        time: f64,
    },
    /// A matrix that should be regular is not.
    #[error("{0} is singular: {1}")]
    Singular(&'static str, String),
    /// The library of matrices gave up.
    #[error("the eigenvalues did not converge")]
    Eigenvalues,
}

impl AnalysisError {
    pub(crate) fn refused(
        item: impl Into<String>,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::Refused { item: item.into(), why: why.into(), help: help.into() }
    }
}
