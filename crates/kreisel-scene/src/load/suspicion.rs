//! Warnings: what can be built but is probably not what was meant.

use super::names::Built;
use super::{impacts, overlap, sampling};
use crate::read::Reader;
use crate::scene::Timing;
use kreisel_dynamics::{BodyKind, PositionPart};
use std::collections::BTreeSet;

/// Gap of anchors from which on it is reported, m.
const GAP: f64 = 1e-6;

/// Ratio of masses across a joint from which on it is reported: beyond it, light bodies are taut
/// between heavy ones, and steps become expensive.
const RATIO: f64 = 1e5;

/// Joint conditions up to which redundancy is looked for: its cost grows with their cube.
const MAX_ROWS: usize = 300;

/// Looks over the finished world.
pub(super) fn look(reader: &mut Reader, built: &Built, timing: &Timing) {
    anchors_apart(reader, built);
    stiff_springs(reader, built, timing);
    sampling::look(reader, built, timing);
    mass_ratios(reader, built);
    redundant_loops(reader, built);
    overlap::look(reader, built);
    impacts::look(reader, built);
}

fn anchors_apart(reader: &mut Reader, built: &Built) {
    let mut said = BTreeSet::new();
    for id in built.world.joints() {
        let (Some(joint), Some(name)) = (built.world.joint(id), built.world.joint_name(id)) else {
            continue;
        };
        let gap = joint.anchors[0].distance(joint.anchors[1]);
        if joint.kind.parts().0 != PositionPart::Point || gap <= GAP {
            continue;
        }
        let Some(place) = built.spans.get(&*name) else { continue };
        // A repeated joint is one place in the text: one warning is enough.
        if !said.insert((place.source.name.clone(), place.span.start)) {
            continue;
        }
        let message = format!("the anchors of \"{name}\" are {gap:.3e} m apart");
        reader
            .warning_at(place, message, "starts torn")
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
        // substeps follow the vibration of a damped spring as long as it takes less than 4 rad in a
        // step
        let damped = spring.damping > 0.0 && !spring.isotropic;
        let longest = if damped { std::f64::consts::TAU / 4.0 } else { 5.0 };
        if period > longest * timing.step {
            continue;
        }
        let Some(place) = built.spans.get(&spring.name) else { continue };
        let message = format!(
            "the spring \"{}\" swings with a period of {period:.2e} s, the step is {} s",
            spring.name, timing.step
        );
        reader
            .warning_at(place, message, "stiff for this step")
            .help("take a step of a fifth of the period or less");
    }
}

fn mass_ratios(reader: &mut Reader, built: &Built) {
    let mut said = BTreeSet::new();
    for id in built.world.joints() {
        let (Some(joint), Some(name)) = (built.world.joint(id), built.world.joint_name(id)) else {
            continue;
        };
        let mass = |k: usize| {
            let body = built.world.body(joint.bodies[k]).filter(|b| b.kind == BodyKind::Dynamic)?;
            Some((body.mass.mass, built.world.body_name(joint.bodies[k])?))
        };
        let (Some(a), Some(b)) = (mass(0), mass(1)) else { continue };
        let (heavy, light) = if a.0 >= b.0 { (a, b) } else { (b, a) };
        let ratio = heavy.0 / light.0;
        let Some(place) = built.spans.get(&*name).filter(|_| ratio >= RATIO) else { continue };
        if !said.insert((place.source.name.clone(), place.span.start)) {
            continue;
        }
        let message = format!(
            "\"{}\" is {ratio:.1e} times as heavy as \"{}\", which it is joined to",
            heavy.1, light.1
        );
        let help = "the joint holds, but steps are expensive; is a unit wrong (g for kg)?";
        reader.warning_at(place, message, "extreme mass ratio").help(help);
    }
}

/// Loops whose joints imply each other.
fn redundant_loops(reader: &mut Reader, built: &Built) {
    let world = &built.world;
    let rows: usize = world.joints().filter_map(|j| world.joint(j)).map(|j| j.kind.rows()).sum();
    if rows > MAX_ROWS || rows == 0 {
        return;
    }
    let analysis = world.analyse();
    let Some(first) = analysis.redundant.first() else { return };
    let Some(place) = built.spans.get(&*first.name) else { return };
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for r in &analysis.redundant {
        names.insert(&*r.name);
        names.extend(r.implied_by.iter().map(|n| &**n));
    }
    let all: Vec<String> = names.iter().take(8).map(|n| format!("\"{n}\"")).collect();
    let dots = if names.len() > 8 { ", …" } else { "" };
    let count = analysis.redundant.len();
    let conditions = if count == 1 { "condition" } else { "conditions" };
    let message = format!(
        "{count} joint {conditions} of {} follow from the others (rank {}): {}{dots}",
        analysis.rows,
        analysis.rank,
        all.join(", ")
    );
    let help = "the motion is right, but how these joints share their load is not determined; a ball or cylindrical joint in place of a hinge removes it";
    reader.warning_at(place, message, "closes a redundant loop").help(help);
}
