//! The Lagrange multiplier method: constraints are fulfilled by forces, continuously (Wagner 2001).
//!
//! M v' = F + Jᵀλ,  J v' + c = 0  ⇒  (J M⁻¹ Jᵀ) λ = −(J M⁻¹ F + c)
//!
//! at every evaluation of the equations of motion; a stabiliser draws constraints together, and any
//! integrator carries the motion on. The same joints, motors, springs and limits as in the impulse
//! methods, and constraints between connectors on top.
//!
//! | file | what |
//! |---|---|
//! | `settings` | solvers, stabilisers, integrators and their parameters |
//! | `machine` | bodies and elements of the present model |
//! | `bodies` | the flat state, frames, scaling |
//! | `element` | rows of an element |
//! | `points` | rows of constraints between points |
//! | `contact` | contacts of shapes |
//! | `guide` | rails and polygons |
//! | `forces` | applied forces |
//! | `evaluate` | the right-hand side |
//! | `multipliers`, `tree`, `dense`, `boxed` | the solvers |
//! | `integrate` | the integrators |
//! | `fastest` | the substeps that the applied forces need |
//! | `advance` | a step with its events |
//! | `project` | errors taken out by displacements and impulses |
//! | `step` | a step of the world and its report |
//! | `outer` | controllers and fields for the impulse methods |
//! | `probe` | the world at trial states, for analyses |

mod advance;
mod bodies;
mod boxed;
mod contact;
mod dense;
mod element;
mod evaluate;
mod fastest;
mod forces;
mod freedom;
mod guide;
mod integrate;
mod machine;
mod multipliers;
mod outer;
mod points;
mod probe;
mod project;
mod query;
mod settings;
mod step;
mod tree;

pub(crate) use dense::Lu;
pub(crate) use fastest::MOST_SUBSTEPS;
pub(crate) use machine::{LagrangeMemory, Machine};
pub(crate) use points::{PathMemory, Place, Point, PointRow, rows as point_rows};
pub use probe::{Measured, Probe, ProbeRow, RowKind};
pub use query::{ConstraintForce, MultiplierInfo};
pub use settings::{ContactOrder, Integrator, Lagrange, MultiplierSolver, OnSingular, Stabiliser};
