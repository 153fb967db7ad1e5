//! `<muscle>` of MJCF, and actuators with the muscle's gain: a muscle here.
//!
//! MuJoCo's length of a fibre is r₀ + (ℓ − ℓ₀)/L₀ with the range (r₀, r₁) of `gainprm`, the range
//! (ℓ₀, ℓ₁) that the actuator's length can have, and L₀ = (ℓ₁ − ℓ₀)/(r₁ − r₀): the optimal length
//! is L₀, and ℓ₀ − r₀ L₀ is slack. A force below 0 stands for scale over the acceleration that the
//! actuator gives at a unit of force.
//!
//! The range of lengths is `lengthrange`, or that of the joint's or tendon's limits: MuJoCo finds
//! the latter by a simulation, which ends a little beyond them.

use super::mjcf_drive::Law;
use super::xml::lost_because;
use crate::read::Reader;
use roxmltree::Node;

/// Numbers of a muscle, in the order of MuJoCo's `gainprm` for muscles.
const USUAL: [f64; 9] = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2];

/// Shortcuts for them in `<muscle>`; `range` stands for the first two.
const KEYS: [&str; 8] = ["force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax", "range"];

/// A muscle on the coordinate of a joint.
pub(super) struct Fibre {
    pub force: f64,
    pub optimal: f64,
    pub slack: f64,
    pub shortest: f64,
    pub longest: f64,
    pub fastest: f64,
    pub passive: f64,
    pub eccentric: f64,
    pub times: [f64; 2],
}

/// Its numbers; `range` is that of the actuator's length, `answer` the acceleration at a unit of
/// its force.
pub(super) fn fibre(
    reader: &mut Reader,
    node: Node<'_, '_>,
    law: &Law,
    range: Option<[f64; 2]>,
    answer: f64,
) -> Option<Fibre> {
    let mut p = USUAL;
    let general = law.list(reader, node, "gainprm").unwrap_or_default();
    if !node.has_tag_name("muscle") {
        p.iter_mut().zip(&general).for_each(|(to, from)| *to = *from);
    }
    for (k, key) in KEYS.into_iter().enumerate() {
        let Some(list) = law.list(reader, node, key) else { continue };
        match (key, list.as_slice()) {
            ("range", &[low, high]) => (p[0], p[1]) = (low, high),
            (_, &[x]) => p[k + 2] = x,
            _ => {}
        }
    }
    let mut times = [0.01, 0.04];
    let given = law.list(reader, node, "timeconst").or_else(|| law.list(reader, node, "dynprm"));
    times.iter_mut().zip(given.unwrap_or_default()).for_each(|(to, from)| *to = from);
    if law.list(reader, node, "tausmooth").is_some_and(|t| t.first().is_some_and(|t| *t > 0.0)) {
        lost_because(reader, node, "its time constants change at once here: no tausmooth");
        return None;
    }

    let own = law.list(reader, node, "lengthrange").filter(|l| l.len() == 2 && l[0] < l[1]);
    let Some([low, high]) = own.map(|l| [l[0], l[1]]).or(range) else {
        lost_because(reader, node, "it has no lengthrange, and what it pulls at no limits");
        return None;
    };
    let optimal = (high - low) / (p[1] - p[0]);
    let force = if p[2] < 0.0 { p[3] / answer } else { p[2] };
    if !(force.is_finite() && force > 0.0 && optimal > 0.0) {
        lost_because(reader, node, "its force or its optimal length is not positive");
        return None;
    }
    let [.., shortest, longest, fastest, passive, eccentric] = p;
    let slack = low - p[0] * optimal;
    Some(Fibre { force, optimal, slack, shortest, longest, fastest, passive, eccentric, times })
}
