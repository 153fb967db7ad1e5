//! Springs of a chain: those that are rows, and those that are forces.
//!
//! A damped spring is a law on the distance of its anchors (`step/law.rs`): implicit, so that
//! neither its damping nor its stiffness limits the step, and solved together with joints and
//! contacts. Undamped ones are forces at both ends of every substep, which keep their energy; so
//! are those that have no single row (drag in all directions, no length at rest), and nets of
//! springs, whose factor would cost more than short substeps.
//!
//! In energy-momentum steps all springs with nodes are rows of another kind
//! (`step/energy_springs.rs`).

use super::guide::NO_EDGE;
use super::{Bound, BoundKind, BoundState, NONE, Node, System, SystemSpring};
use crate::constraint::coordinate::Measure;
use crate::joint::{Coordinate, LocalFrame, Passive};
use crate::math::{Mat3, Vec3};
use crate::settings::{Method, Stepping};
use crate::step::law::Law;

/// Springs that swing faster than this, rad/s (100 times a second), get a node of their own where
/// energy-momentum steps may be taken: nobody looks at such vibrations, but following them takes
/// many symmetric substeps.
const STIFF: f64 = 628.0;

/// Damped springs for each moving body, beyond which a chain is a net. A car has one for each
/// wheel, a cloth six for each point.
const MOST_PER_BODY: usize = 2;

impl SystemSpring {
    /// Whether its force is added to the others in symmetric substeps.
    pub fn is_force(&self) -> bool {
        self.continuous && !self.law
    }

    fn acts(&self) -> bool {
        self.continuous && (self.stiffness + self.damping) * self.response > 0.0
    }

    /// Whether it acts along a line alone: drag in all directions has no single row.
    fn is_row(&self) -> bool {
        self.acts() && self.bodies[0] != self.bodies[1] && !(self.isotropic && self.damping > 0.0)
    }

    fn law(&self) -> Law {
        let of = Passive::new(Coordinate::Length);
        let of =
            Passive { stiffness: self.stiffness, damping: self.damping, rest: self.length, ..of };
        Law::spring(&of)
    }
}

/// Longest substep that an explicit spring with damping allows, s: a quarter of the stability
/// limits 2/ω and 2/(d a) of the kick-drift-kick step, for the response `a` of its ends.
fn longest(s: &SystemSpring) -> f64 {
    0.5 / (s.stiffness * s.response).sqrt().max(s.damping * s.response)
}

/// Decides which springs are laws, and notes what the others ask of substeps.
pub(super) fn sort_springs(system: &mut System, moving: usize) {
    let is_law = |s: &SystemSpring| s.is_row() && s.damping > 0.0 && s.length > 0.0;
    let laws = system.springs.iter().filter(|s| is_law(s)).count();
    for s in &mut system.springs {
        s.law = is_law(s) && laws <= MOST_PER_BODY * moving;
        if s.is_force() {
            system.spring_h = system.spring_h.min(longest(s));
        }
    }

    // how many share a body
    let mut on_body = vec![0_u32; moving];
    for &b in system.springs.iter().filter(|s| s.law).flat_map(|s| &s.bodies) {
        if let Some(count) = on_body.get_mut(b as usize) {
            *count += 1;
        }
    }
    for s in &mut system.springs {
        let count = |b: u32| on_body.get(b as usize).copied().unwrap_or(0);
        s.crowd = f64::from(count(s.bodies[0]).max(count(s.bodies[1])));
    }
}

/// Nodes of springs, one row each: those of laws, and for energy-momentum steps all springs of a
/// chain as soon as one is stiff.
pub(super) fn spring_nodes(
    system: &mut System,
    moving: usize,
    method: Method,
    stepping: Stepping,
) -> Vec<(Node, Vec<Bound>)> {
    let stiff = match stepping {
        Stepping::Symmetric => false,
        Stepping::Auto => 0.5 / system.spring_h > STIFF,
        Stepping::Energy => true,
    };
    let mut nodes = Vec::new();
    for (i, s) in system.springs.iter().enumerate().filter(|(_, s)| s.acts()) {
        if s.law || stiff && s.is_row() && method == Method::Direct {
            let side = s.bodies.map(|b| if (b as usize) < moving { 0 } else { NONE });
            let frames = s.anchors.map(|origin| LocalFrame { origin, axes: Mat3::IDENTITY });
            let node = Node {
                spring: i as u32,
                bodies: s.bodies,
                rows: 1,
                side,
                frames,
                ..super::layout::bare_node()
            };
            nodes.push((node, if s.law { vec![bound(s)] } else { Vec::new() }));
        } else {
            system.loose_h = system.loose_h.min(longest(s));
        }
    }
    nodes
}

/// The row of a law.
fn bound(s: &SystemSpring) -> Bound {
    Bound {
        node: 0,
        row: 0,
        measure: Measure::Of(Coordinate::Length),
        edge: NO_EDGE,
        kind: BoundKind::Law(s.law()),
        state: BoundState::Held,
        start: 0.0,
        end: 0.0,
        along: Vec3::ZERO,
        rebound: None,
        struck: None,
        rate_before: 0.0,
    }
}
