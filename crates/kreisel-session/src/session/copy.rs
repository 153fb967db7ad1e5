//! Copies of bodies with what connects them (W-143): equal parameters, names of their own.

use super::{Document, Outcome, limits, refuse};
use kreisel_dynamics::{Body, BodyId, Joint, JointId, Motor, PositionPart, Spring, Vec3, World};
use kreisel_scene::Marker;
use std::collections::{BTreeMap, BTreeSet};

/// Free names made from others: "arm 2", "arm 3", … It remembers how far it has counted, so that
/// many copies of one name cost no more than as many names.
#[derive(Default)]
pub(super) struct FreeNames {
    next: BTreeMap<String, u64>,
    /// Names of what does not stand in the world.
    others: BTreeSet<String>,
}

impl FreeNames {
    /// Those beside the items of a document.
    pub fn of(d: &Document) -> Self {
        let others = d.sim.run_settings().names().map(str::to_owned).collect();
        Self { others, ..Self::default() }
    }

    /// The name itself where it is free, else the first free one made from it.
    pub fn take(&mut self, world: &World, name: &str) -> String {
        let taken = |n: &str| world.has_name(n) || self.others.contains(n);
        if !taken(name) {
            return name.to_owned();
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
        let stem = if stem.is_empty() { name } else { stem };
        let next = self.next.entry(stem.to_owned()).or_insert(2);
        loop {
            let candidate = format!("{stem} {next}");
            *next += 1;
            if !taken(&candidate) {
                return candidate;
            }
        }
    }
}

/// Whether something has this name.
pub(super) fn taken(d: &Document, name: &str) -> bool {
    d.sim.world.has_name(name) || d.sim.run_settings().names().any(|n| n == name)
}

pub(super) fn copy(d: &mut Document, objects: &[String], offset: Vec3) -> Outcome {
    // A body that is named twice is copied once.
    let mut seen = BTreeSet::new();
    let found = objects.iter().filter_map(|n| d.sim.world.body_named(n));
    let ids: Vec<BodyId> = found.filter(|b| *b != BodyId::WORLD && seen.insert(*b)).collect();
    if ids.is_empty() {
        return refuse("select at least one body to copy");
    }
    if ids.len() > limits::COPIES {
        return refuse(format!(
            "at most {} bodies are copied at once, these are {}",
            limits::COPIES,
            ids.len()
        ));
    }
    limits::bodies(&d.sim.world, ids.len())?;
    let source = d.sim.world.clone();
    let looks = std::sync::Arc::clone(&d.sim.run_settings().looks);
    let copies = insert(d, &source, &ids, offset)?;
    let mut names = FreeNames::of(d);
    for (old, new) in copies {
        if let Some(look) = looks.get(&old) {
            d.looks_mut().insert(new, look.clone());
        }
        let (world, run) = d.sim.parts_mut();
        for marker in run.markers.clone().into_iter().filter(|m| m.body == old) {
            let name = names.take(world, &marker.name);
            names.others.insert(name.clone());
            run.markers.push(Marker { name, body: new, ..marker });
        }
    }
    limits::crowd(&d.sim.world)
}

/// Adds bodies of another world (or the same) with the joints, springs, motors, constraints and
/// controllers among them and to the world itself.
pub(super) fn insert(
    d: &mut Document,
    source: &World,
    ids: &[BodyId],
    offset: Vec3,
) -> Outcome<BTreeMap<BodyId, BodyId>> {
    let mut names = FreeNames::of(d);
    let world = &mut d.sim.world;
    let mut twins: BTreeMap<BodyId, BodyId> = BTreeMap::new();
    for &id in ids {
        let Some(body) = source.body(id) else { continue };
        let name = source.body_name(id).unwrap_or_default();
        let twin = Body {
            name: names.take(world, &name),
            position: source.position(id).unwrap_or_default() + offset,
            rotation: source.rotation(id).unwrap_or_default(),
            velocity: source.velocity(id).unwrap_or_default(),
            angular_velocity: source.angular_velocity(id).unwrap_or_default(),
            ..body.clone()
        };
        twins.insert(id, world.add_body(twin)?);
    }
    let copied = twins.clone();
    twins.insert(BodyId::WORLD, BodyId::WORLD);
    let mut joints: BTreeMap<JointId, JointId> = BTreeMap::new();
    for id in source.joints() {
        let (Some(joint), Some(frames)) = (source.joint(id), source.joint_frames(id)) else {
            continue;
        };
        let [Some(&a), Some(&b)] = joint.bodies.map(|b| twins.get(&b)) else { continue };
        let places = source.joint_places(id).unwrap_or_default();
        let more: Option<Vec<_>> =
            places.iter().skip(2).map(|(b, at)| Some((*twins.get(b)?, *at + offset))).collect();
        let Some(more) = more else { continue };
        let twin = Joint {
            more,
            name: names.take(world, &source.joint_name(id).unwrap_or_default()),
            bodies: [a, b],
            anchors: frames.map(|f| f.point + offset),
            axis: frames[0].axes.x_axis,
            axis2: joint.axis2.map(|_| {
                let angle = joint.kind.parts().1 == kreisel_dynamics::RotationPart::Angle;
                if angle { frames[1].axes.y_axis } else { frames[1].axes.x_axis }
            }),
            length: source
                .joint_length(id)
                .filter(|_| joint.kind.parts().0 == PositionPart::Distance),
            ..joint.clone()
        };
        joints.insert(id, world.add_joint(twin)?);
    }
    for id in source.springs() {
        let (Some(spring), Some(anchors)) = (source.spring(id), source.spring_anchors(id)) else {
            continue;
        };
        let [Some(&a), Some(&b)] = spring.bodies.map(|b| twins.get(&b)) else { continue };
        let twin = Spring {
            name: names.take(world, &source.spring_name(id).unwrap_or_default()),
            bodies: [a, b],
            anchors: anchors.map(|p| p + offset),
            length: source.spring_length(id),
            ..spring.clone()
        };
        world.add_spring(twin)?;
    }
    for id in source.motors() {
        let Some(motor) = source.motor(id) else { continue };
        let Some(&joint) = joints.get(&motor.joint) else { continue };
        let name = names.take(world, &source.motor_name(id).unwrap_or_default());
        world.add_motor(Motor { name, joint, ..motor.clone() })?;
    }
    super::elements::copy(world, source, &twins, &joints, offset, |world, name| {
        names.take(world, name)
    })?;
    Ok(copied)
}
