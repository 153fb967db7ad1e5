//! One arm per command.

use super::grip::{Grip, Motion};
use super::hand::{Hand, chain, chain_mass};
use super::{
    Document, Effort, Outcome, Session, clipboard, controllers, copy, drive, edit, elements, load,
    lock, make, marker, refuse, scale, set, vector,
};
use crate::protocol::{Command, HandMotion};
use kreisel_dynamics::{BodyKind, Quat, Vec3, bounds};

/// Hands of one client.
const HANDS: u8 = 2;
/// Strengths of hands against the usual one.
const STRENGTH: std::ops::RangeInclusive<f64> = 0.0..=1000.0;
/// Most steps that one force lasts.
const LONGEST: f64 = 1e6;

pub(super) fn apply(s: &mut Session, client: u32, command: &Command) -> Outcome {
    lock::admit(&s.document, command)?;
    match command {
        Command::Push { body, impulse, point } => {
            let id = s.body(body)?;
            let (impulse, point) = (vector("the impulse", *impulse)?, vector("the point", *point)?);
            Ok(s.document.sim.world.apply_impulse(id, impulse, point)?)
        }
        Command::Force { body, force, torque, seconds } => {
            let id = s.body(body)?;
            let (force, torque) = (vector("the force", *force)?, vector("the torque", *torque)?);
            let steps = (seconds / s.document.sim.step_size()).round();
            if !(0.0..=LONGEST).contains(&steps) || s.efforts.len() >= 256 {
                return refuse(
                    "a force lasts from one step to a million, and at most 256 act at once",
                );
            }
            s.efforts.push(Effort { body: id, force, torque, steps: (steps as u64).max(1) });
            Ok(())
        }
        Command::Grab { body, point, target, turn, strength } => {
            let id = s.body(body)?;
            let world = &s.document.sim.world;
            if world.body(id).is_none_or(|b| b.kind != BodyKind::Dynamic) {
                return refuse(format!("\"{body}\" cannot be grabbed: it is not dynamic"));
            }
            if !STRENGTH.contains(strength) {
                return refuse("the strength of a hand is from 0 to 1000");
            }
            let hand = Hand {
                body: id,
                point: vector("the point", *point)?,
                target: vector("the target", *target)?,
                turn: turn.map(quaternion).transpose()?,
                strength: *strength,
                load: chain_mass(world, id),
                force: Vec3::ZERO,
            };
            s.hands.insert(client, hand);
            Ok(())
        }
        Command::Drag { target, turn } => {
            let (target, turn) =
                (vector("the target", *target)?, turn.map(quaternion).transpose()?);
            // A drag that arrives after the body was removed or the hand let go is no error.
            if let Some(hand) = s.hands.get_mut(&client) {
                hand.target = target;
                hand.turn = if hand.turn.is_some() { turn.or(hand.turn) } else { None };
            }
            Ok(())
        }
        Command::Release => {
            s.hands.remove(&client);
            s.last_edit.1.clear();
            Ok(())
        }
        Command::Hold { hand, body, point, strength, motion } => {
            let id = s.body(body)?;
            let world = &s.document.sim.world;
            if world.body(id).is_none_or(|b| b.kind != BodyKind::Dynamic) {
                return refuse(format!("\"{body}\" cannot be held: it is not dynamic"));
            }
            if !STRENGTH.contains(strength) {
                return refuse("the strength of a hand is from 0 to 1000");
            }
            if *hand >= HANDS {
                return refuse(format!("a client has {HANDS} hands, numbered from 0"));
            }
            let (chain, load) = chain(world, id);
            let grip = Grip {
                body: id,
                point: vector("the point", *point)?,
                hand: moved(motion)?,
                strength: *strength,
                chain,
                load,
                silent: 0.0,
                open: None,
                force: Vec3::ZERO,
                torque: Vec3::ZERO,
            };
            s.grips.insert((client, *hand), grip);
            Ok(())
        }
        Command::Carry { hand, motion } => {
            let motion = moved(motion)?;
            // As with a drag: what it held may be gone.
            if let Some(grip) = s.grips.get_mut(&(client, *hand)).filter(|g| g.is_closed()) {
                grip.carry(motion);
            }
            Ok(())
        }
        Command::LetGo { hand, velocity, spin } => {
            let (velocity, spin) = rates(*velocity, *spin)?;
            if let Some(grip) = s.grips.get_mut(&(client, *hand)).filter(|g| g.is_closed()) {
                grip.throw(velocity, spin);
            }
            s.last_edit.1.clear();
            Ok(())
        }
        Command::Place { body, position, rotation } => {
            let id = s.body(body)?;
            let (position, rotation) = (vector("the position", *position)?, quaternion(*rotation)?);
            edit::edit(s, &format!("place {body}"), |d| {
                Ok(d.sim.world.set_pose(id, position, rotation)?)
            })
        }
        // A property is set as a whole or not at all: without a past there is nothing to keep.
        Command::Set { object, key, value } if !s.past => {
            set::set(&mut s.document, object, key, value)?;
            s.changed();
            Ok(())
        }
        Command::Set { object, key, value } => {
            edit::edit(s, &format!("set {key} of {object}"), |d| set::set(d, object, key, value))
        }
        Command::AddBody { name, shape } => edit::edit(s, "", |d| make::body(d, name, shape)),
        Command::AddJoint { name, kind, bodies, anchors, axis, axis2 } => {
            edit::edit(s, "", |d| make::joint(d, name, kind, bodies, *anchors, *axis, *axis2))
        }
        Command::AddSpring { name, bodies, anchors, stiffness, damping } => {
            edit::edit(s, "", |d| make::spring(d, name, bodies, *anchors, *stiffness, *damping))
        }
        Command::AddMotor { name, motor } => edit::edit(s, "", |d| make::motor(d, name, motor)),
        Command::AddConstraint { name, kind, bodies, points, axis } => {
            edit::edit(s, "", |d| elements::add_constraint(d, name, kind, bodies, *points, *axis))
        }
        Command::AddController { name, kind, bodies, points } => {
            edit::edit(s, "", |d| controllers::add(d, name, kind, bodies, *points))
        }
        Command::Connect { name, kind, ends, active } => {
            edit::edit(s, "", |d| elements::connect(d, name, kind, ends, *active))
        }
        Command::AddMarker { name, at } => edit::edit(s, "", |d| marker::add(d, name, at)),
        Command::Paste { text, offset } => {
            let offset = vector("the offset", *offset)?;
            clipboard::paste(s, text, offset)
        }
        Command::Lock { objects, on } => edit::edit(s, "", |d| lock::set(d, objects, *on)),
        Command::Drive { joint, coordinate, value } => {
            let thing = format!("drive {joint}");
            edit::edit(s, &thing, |d| drive::drive(d, joint, coordinate, *value))
        }
        Command::Scale { body, factors } => {
            let factors = vector("the scale", *factors)?;
            edit::edit(s, &format!("scale {body}"), |d| scale::scale(d, body, factors))
        }
        Command::Reset { objects } => edit::edit(s, "", |d| edit::reset(d, objects)),
        Command::AddCurve { name, points } => {
            edit::edit(s, "", |d| elements::add_curve(d, name, points))
        }
        Command::AddField { name, kind, strength, vector } => {
            edit::edit(s, "", |d| elements::add_field(d, name, kind, *strength, *vector))
        }
        Command::Remove { objects } => edit::edit(s, "", |d| edit::remove(d, objects)),
        Command::Copy { objects, offset } => {
            let offset = vector("the offset", *offset)?;
            edit::edit(s, "", |d| copy::copy(d, objects, offset))
        }
        Command::Scatter { objects, distance, turn, seed } => {
            edit::edit(s, "", |d| edit::scatter(d, objects, *distance, *turn, *seed))
        }
        Command::Undo => travel(s, |s| s.undo.undo(&mut s.document), "there is nothing to undo"),
        Command::Redo => travel(s, |s| s.undo.redo(&mut s.document), "there is nothing to redo"),
        Command::Rewind { time } => {
            let here = (s.steps, "rewind".to_owned());
            let Some((document, other)) = s.history.rewind(*time) else {
                return refuse("there is nothing to go back to");
            };
            let before = std::mem::replace(&mut s.document, document);
            if other {
                // a slider that is dragged goes back many times
                if s.last_edit != here {
                    s.undo.keep(before);
                    s.last_edit = here;
                }
                s.notes.push(format!(
                    "at {:.3} s something else existed than later: undo goes back to what there was",
                    s.document.sim.world.time()
                ));
            }
            s.let_go();
            s.revision += 1;
            s.report = kreisel_dynamics::StepReport {
                time: s.document.sim.world.time(),
                ..Default::default()
            };
            Ok(())
        }
        Command::Pace { step } => {
            if !s.document.sim.real_time() {
                return refuse("the pace is chosen in real-time mode only; set the step instead");
            }
            if !bounds::LIVE_STEP.holds(*step) {
                return refuse(format!("a step is {}", bounds::LIVE_STEP.must));
            }
            s.document.sim.set_step_size(*step);
            Ok(())
        }
        Command::Restart => {
            let scene = std::sync::Arc::clone(&s.document.start.scene);
            let locked = s.document.locked.clone();
            if let Some(time) = s.document.built {
                let words =
                    "belongs to a later time and is not there at the start: undo brings it back";
                s.notes.push(format!("what was changed from {time:.3} s on {words}"));
            }
            s.undo.keep(s.document.clone());
            start(s, Document::new(&scene));
            s.document.locked = locked;
            lock::forget(&mut s.document);
            Ok(())
        }
        Command::Extend { name, text } => load::extend(s, name, text),
        Command::Load { name, text, merge } => load::load(s, name, text, *merge),
    }
}

/// Undo and redo: another document, with its own time.
fn travel(s: &mut Session, go: impl FnOnce(&mut Session) -> bool, nothing: &str) -> Outcome {
    if !go(s) {
        return refuse(nothing);
    }
    s.let_go();
    s.report = kreisel_dynamics::StepReport::default();
    s.history.travel(&mut s.document);
    s.revision += 1;
    s.last_edit.1.clear();
    Ok(())
}

/// Goes on with another document.
pub(super) fn start(s: &mut Session, document: Document) {
    s.document = document;
    s.let_go();
    s.residual = 0.0;
    s.report = kreisel_dynamics::StepReport::default();
    s.revision += 1;
    s.history.restart(&mut s.document);
}

pub(super) fn quaternion(q: [f64; 4]) -> Outcome<Quat> {
    let q = Quat::from_array(q);
    if q.is_finite() && (0.5..2.0).contains(&q.length()) {
        Ok(q.normalize())
    } else {
        refuse("a rotation is a quaternion of length 1")
    }
}

/// The motion of a hand, checked.
fn moved(motion: &HandMotion) -> Outcome<Motion> {
    let (velocity, spin) = rates(motion.velocity, motion.spin)?;
    Ok(Motion {
        target: vector("the target", motion.target)?,
        turn: quaternion(motion.turn)?,
        velocity,
        spin,
    })
}

/// Velocities of a hand, within what bodies can have.
fn rates(velocity: [f64; 3], spin: [f64; 3]) -> Outcome<(Vec3, Vec3)> {
    let (velocity, spin) = (Vec3::from_array(velocity), Vec3::from_array(spin));
    if !bounds::SPEED.holds(velocity.length()) || !bounds::SPIN.holds(spin.length()) {
        return refuse("a hand is as fast as a body can be, and no faster");
    }
    Ok((velocity, spin))
}
