//! Micro-collisions: how a sequence of impacts becomes a resting, rolling or sliding contact.
//!
//! Reference: Lennerz 2000, sections 5.7 and 5.8 (L-87 to L-90, corrected: docs/sources.md). Round
//! each body lies a shell of thickness ε. An approach that is slower than a fall through the shell,
//! −u_z < √(2 g ε), is a micro-collision. It is answered
//!
//! 1. by the impulse p = −2 K⁻¹ u that reverses the velocity, which does no work, if the rule
//!    accepts it (type 2): it keeps bodies from creeping down slopes that friction could hold;
//! 2. else by an ordinary impact whose restitution grows with the depth d in the shell, e(d) = e +
//!    (e_max − e) d²/ε² (type 1): it keeps bodies from sinking through the shell. e(d) may exceed
//!    1, by which the energy of vibrations of amplitude ε is fed.

use super::collision::{Collision, CollisionError};
use super::matrix::Scaled;
use super::response::{Regime, Response, collide, nothing};
use crate::math::Vec3;
use crate::words::words;

words! {
    /// Which reversing impulses are accepted. The thesis's words are ambiguous, and it matters (the
    /// reference runs for Lennerz 2000, measured there).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum MicroRule {
        /// The reversing impulse lies in the friction cone: the natural reading.
        Cone = "cone",
        /// The relative velocity lies in the friction cone: creeps least, and keeps sliding
        /// contacts sliding.
        Velocity = "velocity",
        /// Never: every micro-collision is an impact with restitution by depth.
        Never = "never",
    } default Cone
}

/// The shell round the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shell {
    /// ε, in m.
    pub thickness: f64,
    /// Magnitude of gravity, m/s².
    pub gravity: f64,
    /// Distance of the bodies, in m; a negative one counts as 0.
    pub gap: f64,
    /// Restitution at the bottom of the shell.
    pub max_restitution: f64,
    /// Which reversing impulses are accepted.
    pub rule: MicroRule,
}

impl Shell {
    /// A shell with the thesis's largest restitution, 5, and rule.
    pub fn new(thickness: f64, gravity: f64, gap: f64) -> Self {
        Self { thickness, gravity, gap, max_restitution: 5.0, rule: MicroRule::default() }
    }

    /// Speed below which an approach is a micro-collision, m/s (L-87).
    pub fn speed(&self) -> f64 {
        (2.0 * self.gravity * self.thickness).sqrt()
    }

    /// Restitution at the present depth (L-88).
    pub fn restitution(&self, default: f64) -> f64 {
        let depth = ((self.thickness - self.gap) / self.thickness).clamp(0.0, 1.0);
        (self.max_restitution - default).max(0.0) * depth * depth + default
    }
}

/// How a contact in the shell was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// The bodies separate: nothing was done.
    Separating,
    /// An impact.
    Impact,
    /// A micro-collision with restitution by depth.
    Micro,
    /// A micro-collision that reversed the velocity.
    Reversed,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShellResponse {
    /// Which way.
    pub kind: ShellKind,
    /// Impulse, velocities, work.
    pub response: Response,
}

/// The whole pipeline (L-90): separating, micro-collision of either type, or impact.
pub fn respond(collision: &Collision, shell: &Shell) -> Result<ShellResponse, CollisionError> {
    for (field, value) in [
        ("shell thickness", shell.thickness),
        ("gravity", shell.gravity),
        ("gap", shell.gap),
        ("largest restitution", shell.max_restitution),
    ] {
        if !value.is_finite() {
            return Err(CollisionError::NotFinite(field));
        }
    }
    if !(shell.thickness > 0.0) {
        return Err(CollisionError::Range {
            field: "shell thickness",
            must: "positive",
            value: shell.thickness,
        });
    }
    let Some(scaled) = Scaled::new(collision)? else {
        return Ok(ShellResponse {
            kind: ShellKind::Separating,
            response: nothing(collision.velocity),
        });
    };
    if -scaled.start.z * scaled.speed >= shell.speed() {
        return Ok(ShellResponse { kind: ShellKind::Impact, response: collide(collision)? });
    }
    if let Some(response) = reverse(collision, &scaled, shell.rule) {
        return Ok(ShellResponse { kind: ShellKind::Reversed, response });
    }
    let micro = Collision { restitution: shell.restitution(collision.restitution), ..*collision };
    Ok(ShellResponse { kind: ShellKind::Micro, response: collide(&micro)? })
}

/// The reversing impulse (L-89), if it is accepted.
fn reverse(collision: &Collision, scaled: &Scaled, rule: MicroRule) -> Option<Response> {
    let p = scaled.impulse(scaled.start) * -2.0;
    let friction = collision.static_friction;
    let in_cone = |v: Vec3| v.z > 0.0 && v.x * v.x + v.y * v.y <= friction * friction * v.z * v.z;
    let accepted = match rule {
        MicroRule::Cone => in_cone(p),
        // the impulse must push all the same
        MicroRule::Velocity => in_cone(-scaled.start) && p.z > 0.0,
        MicroRule::Never => false,
    };
    accepted.then(|| Response {
        impulse: scaled.axes * p * (scaled.speed / scaled.stiffness),
        velocity: -collision.velocity,
        regime: Some(Regime::Sticking),
        ..nothing(collision.velocity)
    })
}
