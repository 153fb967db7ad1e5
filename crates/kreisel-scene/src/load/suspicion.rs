//! Warnings: what can be built but is probably not what was meant.

use super::names::Built;
use super::world::Timing;
use crate::read::Reader;
use kreisel_dynamics::{BodyKind, PositionPart};
use std::collections::BTreeSet;

/// Gap of anchors from which on it is reported, m.
const GAP: f64 = 1e-6;

/// Looks over the finished world.
pub(super) fn look(reader: &mut Reader, built: &Built, timing: &Timing) {
    anchors_apart(reader, built);
    stiff_springs(reader, built, timing);
}

fn anchors_apart(reader: &mut Reader, built: &Built) {
    let mut said = BTreeSet::new();
    for id in built.world.joints() {
        let (Some(joint), Some(name)) = (built.world.joint(id), built.world.joint_name(id)) else { continue };
        let gap = joint.anchors[0].distance(joint.anchors[1]);
        if joint.kind.parts().0 != PositionPart::Point || gap <= GAP {
            continue;
        }
        let Some(span) = built.spans.get(&*name) else { continue };
        // A repeated joint is one place in the text: one warning is enough.
        if !said.insert(span.start) {
            continue;
        }
        let message = format!("the anchors of \"{name}\" are {gap:.3e} m apart");
        reader
            .warning(span, message, "starts torn")
            .help("the first step pulls the bodies together, which gives them speed; if that is meant, ignore this");
    }
}

/// A spring whose own period is shorter than a few steps is not resolved by them.
fn stiff_springs(reader: &mut Reader, built: &Built, timing: &Timing) {
    for id in built.world.springs() {
        let Some(spring) = built.world.spring(id) else { continue };
        let inverse: f64 = spring
            .bodies
            .iter()
            .filter_map(|b| built.world.body(*b))
            .filter(|b| b.kind == BodyKind::Dynamic)
            .map(|b| 1.0 / b.mass.mass)
            .sum();
        // Without stiffness the period is infinite, and no step is too large.
        let period = std::f64::consts::TAU / (spring.stiffness * inverse).sqrt();
        if period > 5.0 * timing.step {
            continue;
        }
        let Some(span) = built.spans.get(&spring.name) else { continue };
        let message = format!(
            "the spring \"{}\" swings with a period of {period:.2e} s, the step is {} s",
            spring.name, timing.step
        );
        reader.warning(span, message, "stiff for this step").help("take a step of a fifth of the period or less");
    }
}
