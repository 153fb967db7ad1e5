//! What engineers ask of a mechanism: where it rests, how it vibrates, what moves it.
//!
//! All analyses work on the independent coordinates of a world at the true rank of its conditions
//! ([`conditions`]), so that loops and redundant joints need no attention.
//!
//! | function | question |
//! |---|---|
//! | [`assemble`] | which is the nearest pose that meets all joints? |
//! | [`equilibrium`] | where does it come to rest, and what do the joints carry? |
//! | [`linearise`] | what linear system is it about a state? |
//! | [`modes`] | at which frequencies does it vibrate, and how? |
//! | [`response`] | how does it answer an oscillation? |
//! | [`inverse_kinematics`] | how must it stand to reach a goal? |
//! | [`inverse_dynamics`] | which efforts give a motion? |
//! | [`sensitivity`] | how does its rest change with a parameter? |
//! | [`motion_sensitivity`] | how does its motion change with a parameter? |
//! | [`minimise`](minimise::minimise), [`fit`](fit::fit) | which parameters are best, which fit a recording? |
//! | [`spacetime`] | which motion meets goals at the least effort? |
//! | [`reconcile`] | which dimensions must change so that it can be put together? |
//! | [`workspace`] | where can a body be, and what does it take to hold it there? |
//! | [`mobility`] | how many freedoms has it, and how near is a singular pose? |
//! | [`methods`] | what do the other methods of the literature make of it? |

pub mod conditions;
mod equilibrium;
mod error;
pub mod fit;
mod inverse_dynamics;
mod inverse_kinematics;
mod linearise;
mod mechanism;
pub mod methods;
pub mod minimise;
mod mobility;
mod modes;
mod motion;
pub mod named;
mod obstacles;
mod quadratic;
mod reactions;
mod reconcile;
mod response;
mod sensitivity;
mod spacetime;
mod spline;
mod stiffness;
mod tangent;
mod workspace;

pub use equilibrium::{Equilibrium, Search, equilibrium};
pub use error::AnalysisError;
pub use inverse_dynamics::{Actuator, Efforts, Inverse, Track, inverse_dynamics};
pub use inverse_kinematics::{Goal, Reach, Reached, assemble, inverse_kinematics};
pub use linearise::{Input, Linear, Output, all_inputs, all_outputs, linearise};
pub use mechanism::Mechanism;
pub use mobility::{Mobility, mobility};
pub use modes::{BodyShape, Eigenvalue, Mode, Modes, modes};
pub use motion::{MotionSensitivity, motion_sensitivity};
pub use obstacles::DryFriction;
pub use reactions::Reaction;
pub use reconcile::{Reconciled, reconcile};
pub use response::{Response, response};
pub use sensitivity::{Sensitivity, sensitivity};
pub use spacetime::{Moving, Plan, Spacetime, spacetime};
pub use spline::Spline;
pub use tangent::Tangent;
pub use workspace::{Place, Workspace, workspace};
