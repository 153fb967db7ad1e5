//! One impact of two rigid bodies with Coulomb friction, integrated through compression and
//! restitution.
//!
//! Reference: Lennerz 2000, chapter 5 (L-76 to L-90), after Mirtich 1996, with the corrections that
//! docs/sources.md lists. Poses are constant during the impact; the relative velocity u of the
//! contact points changes by Δu = K p. While the points slide, the friction impulse opposes the
//! slip, so that du/dp_z = K ξ(θ), and the direction θ of the slip turns as it goes: the final
//! impulse is the end of a path, not the solution of an equation.
//!
//! | file | what |
//! |---|---|
//! | `collision.rs` | what goes in, and what is refused |
//! | `matrix.rs` | collision frame and matrix K (5.9) |
//! | `slip.rs` | the Coulomb equation (5.20) |
//! | `sticking.rs` | stable sticking (5.15), the one ray of unstable sticking (theorem 5.7) |
//! | `closed.rs` | closed forms where the slip does not turn (L-84) |
//! | `restitution.rs` | where compression and restitution end: Stronge, Poisson, Newton |
//! | `regular.rs` | the path over the impulse divided by the slip: regular where the slip vanishes (the default) |
//! | `clocked.rs`, `runge_kutta.rs` | the path over p_z (L-82), and over u_z and W_z (L-83) |
//! | `path.rs` | the phases put together |
//! | `response.rs`, `trace.rs` | what comes out |
//! | `micro.rs` | micro-collisions and the whole pipeline (L-87 to L-90) |
//!
//! ```
//! use kreisel_dynamics::impact::{Collision, CollisionBody, collide};
//! use kreisel_dynamics::{Mat3, Vec3};
//! // a solid sphere of 1 kg and 1 m hits the ground with 1 m/s while it slides with 2 m/s
//! let ball = CollisionBody { inverse_mass: 1.0, inverse_inertia: Mat3::IDENTITY * 2.5, arm: -Vec3::Z };
//! let hit = Collision::new([ball, CollisionBody::FIXED], Vec3::Z, Vec3::new(2.0, 0.0, -1.0)).friction(0.5).restitution(0.5);
//! let response = collide(&hit)?;
//! // friction stops the slip: p_x = -2/3.5; restitution: p_z = 1.5
//! assert!((response.impulse - Vec3::new(-2.0 / 3.5, 0.0, 1.5)).length() < 1e-12);
//! # Ok::<(), kreisel_dynamics::impact::CollisionError>(())
//! ```

mod clocked;
mod closed;
mod collision;
mod matrix;
mod micro;
mod path;
mod regular;
mod response;
mod restitution;
mod runge_kutta;
mod slip;
mod sticking;
mod trace;

pub use collision::{Collision, CollisionBody, CollisionError, Parametrisation};
pub use micro::{MicroRule, Shell, ShellKind, ShellResponse, respond};
pub use response::{Regime, Response, Stick, collide, collide_traced};
pub use restitution::{Hypothesis, Stage};
pub use trace::{Trace, TracePoint};
