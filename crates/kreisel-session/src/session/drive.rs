//! A joint's coordinate by a slider: what hangs on one side of the joint is turned or shifted as a
//! whole, so that nothing else opens.

use super::{Document, Outcome, refuse};
use kreisel_dynamics::words::Words;
use kreisel_dynamics::{BodyId, BodyKind, Connector, Coordinate, JointId, Quat, Vec3, World};
use std::collections::BTreeSet;

pub(super) fn drive(d: &mut Document, joint: &str, word: &str, value: f64) -> Outcome {
    let world = &mut d.sim.world;
    let (Some(id), Some(c)) = (world.joint_named(joint), Coordinate::of_word(word)) else {
        return refuse(format!("there is no joint \"{joint}\" with a coordinate \"{word}\""));
    };
    let (Some(now), Some(record)) = (world.coordinate(id, c), world.joint(id)) else {
        return refuse(format!("\"{joint}\" has no {word}"));
    };
    if !value.is_finite() || c == Coordinate::Swing {
        return refuse("an angle, a position or a length is set, to a finite number");
    }
    let [first, second] = record.bodies;

    // the side that moves: what hangs on the second body, else on the first
    let (side, sign) = match (hanging(world, id, second, first), hanging(world, id, first, second))
    {
        (Some(side), _) => (side, 1.0),
        (None, Some(side)) => (side, -1.0),
        (None, None) => {
            return refuse(format!(
                "\"{joint}\" is part of a loop: a servo moves it, with all that goes along"
            ));
        }
    };

    // once forwards; joints that count the other way go the other way
    let before: Vec<_> =
        side.iter().filter_map(|b| Some((*b, world.position(*b)?, world.rotation(*b)?))).collect();
    let by = sign * (value - now);
    for step in [by, -by] {
        shift(world, id, c, &before, step)?;
        let off = world.coordinate(id, c).map_or(f64::INFINITY, |x| (x - value).abs());
        // an angle is counted without its full turns after a jump
        let turns =
            if c == Coordinate::Angle { (off / std::f64::consts::TAU).round() } else { 0.0 };
        if (off - turns * std::f64::consts::TAU).abs() < 1e-6 * (1.0 + value.abs()) {
            return Ok(());
        }
        for &(body, x, q) in &before {
            world.set_pose(body, x, q)?;
        }
    }
    refuse(format!("\"{joint}\" does not come to this {word} by moving one side of it"))
}

/// Turns or shifts bodies from where they were about a joint.
fn shift(
    world: &mut World,
    joint: JointId,
    c: Coordinate,
    bodies: &[(BodyId, Vec3, Quat)],
    by: f64,
) -> Outcome {
    let Some(frames) = world.joint_frames(joint) else { return refuse("the joint is gone") };
    let axis = frames[0].axes.x_axis.normalize_or(Vec3::X);
    for &(body, x, q) in bodies {
        let (position, rotation) = match c {
            Coordinate::Angle => {
                let turn = Quat::from_axis_angle(axis, by);
                let about = frames[1].point;
                (about + turn * (x - about), turn * q)
            }
            Coordinate::Length => {
                let way = (frames[1].point - frames[0].point).normalize_or(axis);
                (x + way * by, q)
            }
            _ => (x + axis * by, q),
        };
        world.set_pose(body, position, rotation.normalize())?;
    }
    Ok(())
}

/// The bodies that hang together with `from` when the joint is taken away; nothing where `other` is
/// among them or they cannot be moved.
fn hanging(world: &World, joint: JointId, from: BodyId, other: BodyId) -> Option<BTreeSet<BodyId>> {
    let links = links(world, joint);
    let (mut seen, mut rest) = (BTreeSet::from([from]), vec![from]);
    while let Some(body) = rest.pop() {
        if body == BodyId::WORLD
            || body == other
            || world.body(body).is_none_or(|b| b.kind == BodyKind::Static)
        {
            return None;
        }
        for group in links.iter().filter(|g| g.contains(&body)) {
            for &next in group {
                if seen.insert(next) {
                    rest.push(next);
                }
            }
        }
    }
    Some(seen)
}

/// What is linked by joints and constraints that act, without one joint.
fn links(world: &World, without: JointId) -> Vec<Vec<BodyId>> {
    let joints =
        world.joints().filter(|id| *id != without && world.joint(*id).is_some_and(|j| j.active));
    let joints = joints
        .filter_map(|id| Some(world.joint_places(id)?.into_iter().map(|(body, _)| body).collect()));
    let constraints = world.constraints().filter_map(|id| world.constraint(id));
    let constraints = constraints.filter(|c| c.active).map(|c| {
        let bodies = c.connectors.iter().map(|end| match end {
            Connector::Body { body, .. } => *body,
            _ => BodyId::WORLD,
        });
        bodies.collect()
    });
    joints.chain(constraints).collect()
}
