//! Continuous springs in the energy-momentum step: the discrete gradient of their energy.
//!
//! For a spring of energy V = D/2 (|d| − l)² between anchors d apart, of length l₀ and l₁ at the
//! ends of the substep, the row n = (d₀ + d₁)/(l₀ + l₁) at the mean arms has the rate n·(d₁ − d₀) =
//! l₁ − l₀ exactly, so that the force F n with
//!
//! F = D ((l₀ + l₁)/2 − l) + C (l₁ − l₀)/h
//!
//! does exactly the work V₀ − V₁ and loses C (l₁ − l₀)²/h. Soft springs are iterated with the
//! joints; the substep is short enough for that (`loose_h`). A stiff spring is a row of the joint
//! system: its impulse λ along n is an unknown with
//!
//! λ + h F(l₁) = 0,   linearised: n dx + α dλ = −α (λ + h F),   α = 1/(h (D/2 + C/h)),
//!
//! and the compliance α joins the diagonal. An infinite D is a distance joint; no D limits the
//! substep.

use super::energy_stiffness::distance;
use crate::constraint::Row;
use crate::math::{Mat3, Vec3};
use crate::system::{NONE, System, SystemSpring};

/// A spring between the poses at both ends of a substep.
pub(super) struct Stretch {
    /// The row of its length, as for a joint.
    pub row: Row,
    /// What it pulls with along the row, N.
    pub pull: f64,
    /// The force that has no row (drag across), N on the first body, and the mean arms.
    pub across: Vec3,
    pub arms: [Vec3; 2],
    /// Mean of the vectors between the anchors, and of their lengths.
    mean: Vec3,
    length: f64,
    /// Energy taken by damping, J.
    pub loss: f64,
}

impl Stretch {
    /// Impulse on the first body over the substep.
    pub fn impulse(&self, h: f64) -> Vec3 {
        (self.row.n * self.pull + self.across) * h
    }

    /// Geometric stiffness of an impulse λ along the row on each body.
    pub fn stiffness(&self, lambda: f64) -> [Mat3; 2] {
        if self.length > 0.0 {
            distance(self.arms, self.mean, lambda / self.length)
        } else {
            [Mat3::ZERO; 2]
        }
    }
}

impl SystemSpring {
    /// How the impulse over a substep grows with the length at its end, N s/m.
    fn response_of_impulse(&self, h: f64) -> f64 {
        0.5 * h * self.stiffness + self.damping
    }
}

impl System {
    /// A spring for the poses at both ends of the substep.
    pub(super) fn stretch(&self, s: &SystemSpring, h: f64) -> Stretch {
        let ends = |k: usize| {
            let (now, then) = (self.pose(s.bodies[k]), self.pose_then(s.bodies[k]));
            let arms = [now.r * s.anchors[k], then.r * s.anchors[k]];
            ([now.x + arms[0], then.x + arms[1]], (arms[0] + arms[1]) * 0.5)
        };
        let ((a, arm1), (b, arm2)) = (ends(0), ends(1));
        let d = [b[0] - a[0], b[1] - a[1]];
        let [l0, l1] = d.map(Vec3::length);
        let (mean, length) = ((d[0] + d[1]) * 0.5, 0.5 * (l0 + l1));
        let n = if length > 0.0 { mean / length } else { Vec3::ZERO };
        let rate = (d[1] - d[0]) / h;
        let along = (l1 - l0) / h;
        let across = if s.isotropic { (rate - n * along) * s.damping } else { Vec3::ZERO };
        Stretch {
            row: Row { n, a: [n.cross(arm1), arm2.cross(n)] },
            pull: s.stiffness * (length - s.length) + s.damping * along,
            across,
            arms: [arm1, arm2],
            mean,
            length,
            loss: (s.damping * along * along + across.dot(rate)) * h,
        }
    }

    /// Energy that damping takes over the substep at hand.
    pub(super) fn spring_loss(&self, h: f64) -> f64 {
        self.springs.iter().filter(|s| s.continuous).map(|s| self.stretch(s, h).loss).sum()
    }

    /// Lets springs with nodes take part in a substep of length `h` until [`System::rest_springs`].
    pub(super) fn engage_springs(&mut self, h: f64) {
        if self.springs.iter().all(|s| s.node == NONE) {
            return;
        }
        self.sprung_h = h;
        for s in self.springs.iter().filter(|s| s.node != NONE) {
            self.factor.mask[s.node as usize] = 1;
            let row = self.nodes[s.node as usize].row0 as usize;
            if self.memory.last_h == 0.0 {
                // no guess yet: as it pulls now
                self.lambda[row] =
                    -h * (self.spring_force(s).force.dot(self.spring_line(s).normalize_or_zero()));
            }
        }
    }

    /// Switches the springs' rows off again.
    pub(super) fn rest_springs(&mut self) {
        if self.sprung_h == 0.0 {
            return;
        }
        self.sprung_h = 0.0;
        for s in self.springs.iter().filter(|s| s.node != NONE) {
            self.factor.mask[s.node as usize] = 0;
            for side in self.nodes[s.node as usize].side.into_iter().filter(|&side| side != NONE) {
                self.b[side as usize..][..6].fill(0.0);
            }
        }
    }

    /// From a spring's first anchor to its second.
    pub(super) fn spring_line(&self, s: &SystemSpring) -> Vec3 {
        let [a, b] = [0, 1].map(|k| {
            let pose = self.pose(s.bodies[k]);
            pose.x + pose.r * s.anchors[k]
        });
        b - a
    }

    /// Adds the compliance of springs to the diagonal.
    pub(crate) fn soften(&mut self) {
        for s in self.springs.iter().filter(|s| s.node != NONE) {
            let k = s.node as usize;
            let alpha = 1.0 / s.response_of_impulse(self.sprung_h);
            self.factor.values[self.factor.diag[k] as usize] += alpha;
            self.factor.original[self.nodes[k].row0 as usize] += alpha;
        }
    }

    /// What is missing in λ + h F of a spring with a node: as the residual of its row, and as a
    /// length that the bodies would be off by, m.
    pub(super) fn spring_residual(
        &self,
        s: &SystemSpring,
        stretch: &Stretch,
        lambda: f64,
        h: f64,
    ) -> (f64, f64) {
        let off = lambda + h * stretch.pull;
        (off / s.response_of_impulse(h), 0.5 * h * s.response * off.abs())
    }
}
