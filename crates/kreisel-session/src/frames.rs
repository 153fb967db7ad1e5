//! A frame of a session.

use crate::protocol::Layers;
use crate::protocol::frame::{self, Header, Writer, section};
use crate::session::{Grip, Session};
use kreisel_dynamics::{BodyId, BodyKind, ItemId, JointId, Status, Vec3};

/// Most contacts in a frame: more cannot be told apart in a view.
const MOST_CONTACTS: usize = 4000;

/// How the simulation keeps its pace.
pub struct Pace {
    /// Whether it runs.
    pub running: bool,
    /// Simulated seconds per second.
    pub factor: f64,
    /// The wanted one; 0 is as fast as it goes.
    pub speed: f64,
    /// Wall time of a step, s.
    pub step_time: f64,
}

/// The present state as bytes.
pub fn frame(session: &Session, layers: Layers, pace: &Pace, rows: Vec<f64>) -> Vec<u8> {
    let world = &session.simulation().world;
    let bodies: Vec<BodyId> = world.bodies().collect();
    let joints: Vec<JointId> = world.joints().collect();
    let report = session.report();
    // f32 has 7 digits: far from the world's origin positions count from a body, so that they keep
    // micrometres.
    let origin = origin(
        world.position(bodies.first().copied().unwrap_or(BodyId::WORLD)).unwrap_or_default(),
    );
    let energy = if report.time > 0.0 { report.ledger.energy } else { world.energy() };
    let mut flags = if pace.running { frame::RUNNING } else { 0 };
    if report.status == Status::Converged {
        flags |= frame::CONVERGED;
    }
    let worst = report.worst.as_ref();
    let [undo, redo] = session.edits();
    let header = Header {
        scene: session.revision(),
        step: session.steps() as u32,
        time: world.time(),
        origin: origin.to_array(),
        energy: [energy.kinetic, energy.potential, energy.spring],
        worst: worst.map_or([0.0; 2], |w| [w.position, w.angle]),
        worst_joint: worst
            .and_then(|w| match w.item {
                ItemId::Joint(id) => joints.binary_search(&id).ok(),
                _ => None,
            })
            .map_or(-1, |k| k as i32),
        flags,
        history: session.times(),
        residual: session.residual(),
        real_time_factor: pace.factor as f32,
        speed: pace.speed as f32,
        step_time: pace.step_time as f32,
        step_size: session.simulation().step_size() as f32,
        edits: [undo as u16, redo as u16],
    };
    let mut out = Writer::new(&header, bodies.len());
    for &id in &bodies {
        let position = world.position(id).unwrap_or_default() - origin;
        out.pose(position.to_array(), world.rotation(id).unwrap_or_default().to_array());
    }
    if layers.velocities {
        let values: Vec<f64> = bodies
            .iter()
            .flat_map(|&id| {
                let (v, w) = (
                    world.velocity(id).unwrap_or_default(),
                    world.angular_velocity(id).unwrap_or_default(),
                );
                [v.x, v.y, v.z, w.x, w.y, w.z]
            })
            .collect();
        out.floats(section::VELOCITIES, values.into_iter());
    }
    if layers.reactions {
        // In the order of the joints; one that is off has none.
        let all = world.reactions();
        let mut next = all.iter().peekable();
        let values: Vec<f64> = joints
            .iter()
            .flat_map(|&id| {
                let r = next.next_if(|r| r.0 == id).map(|r| r.1).unwrap_or_default();
                [r.force.x, r.force.y, r.force.z, r.torque.x, r.torque.y, r.torque.z]
            })
            .collect();
        out.floats(section::REACTIONS, values.into_iter());
    }
    if layers.errors {
        let values: Vec<f64> = joints
            .iter()
            .flat_map(|&id| world.joint_error(id).map_or([0.0; 2], |(a, b)| [a, b]))
            .collect();
        out.floats(section::ERRORS, values.into_iter());
    }
    if layers.contacts {
        let touching = world
            .contacts()
            .filter(|c| !c.sensor && c.force.length_squared() > 0.0)
            .take(MOST_CONTACTS);
        let values: Vec<f64> = touching
            .flat_map(|c| {
                // On the body that it moves: a floor that is pressed tells less than what it
                // carries.
                let still = world.body(c.bodies[0]).is_none_or(|b| b.kind != BodyKind::Dynamic);
                let sense = if still { -1.0 } else { 1.0 };
                let (p, n) = (c.point - origin, c.force.normalize_or_zero() * sense);
                [p.x, p.y, p.z, n.x, n.y, n.z, c.force.length()]
            })
            .collect();
        out.floats(section::CONTACTS, values.into_iter());
    }
    if !rows.is_empty() {
        out.doubles(section::SAMPLES, rows.into_iter());
    }
    let moving: Vec<f64> = session.moving().flat_map(|p| (p - origin).to_array()).collect();
    if !moving.is_empty() {
        out.floats(section::MOVING, moving.into_iter());
    }
    let hands: Vec<f64> = session
        .hands()
        .filter_map(|(client, hand)| {
            let (a, b) = (world.point(hand.body, hand.point)? - origin, hand.target - origin);
            let body = bodies.binary_search(&hand.body).ok()? as f64;
            Some([f64::from(client), body, a.x, a.y, a.z, b.x, b.y, b.z])
        })
        .flatten()
        .collect();
    if !hands.is_empty() {
        out.floats(section::HANDS, hands.into_iter());
    }
    let holds = holds(session, &bodies, origin);
    if !holds.is_empty() {
        out.floats(section::HOLDS, holds.into_iter());
    }
    out.finish()
}

/// What hands of virtual reality hold, and what they feel.
fn holds(session: &Session, bodies: &[BodyId], origin: Vec3) -> Vec<f64> {
    let world = &session.simulation().world;
    let felt = |body: BodyId| {
        let contacts = world.contacts().filter(|c| !c.sensor && c.bodies.contains(&body));
        let joints = world
            .joints()
            .filter(|&j| world.joint(j).is_some_and(|j| j.active && j.bodies.contains(&body)));
        let joints: f64 = joints.filter_map(|j| world.reaction(j)).map(|r| r.force.length()).sum();
        [contacts.map(|c| c.force.length()).sum(), joints]
    };
    let one = |((client, hand), grip): ((u32, u8), &Grip)| {
        let (at, f) = (world.point(grip.body, grip.point)? - origin, grip.force);
        let body = bodies.binary_search(&grip.body).ok()? as f64;
        let [contacts, joints] = felt(grip.body);
        let client = [f64::from(client), f64::from(hand), body];
        Some(client.into_iter().chain([at.x, at.y, at.z, f.x, f.y, f.z, contacts, joints]))
    };
    session.grips().filter_map(one).flatten().collect()
}

/// The world's origin, or a point near the bodies when they are far away.
fn origin(near: Vec3) -> Vec3 {
    if near.length() < 1000.0 { Vec3::ZERO } else { near.round() }
}
