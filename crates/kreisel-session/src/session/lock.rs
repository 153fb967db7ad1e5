//! What is locked is neither changed nor taken by hands, until it is unlocked. Forces and impulses
//! of the world act on it all the same.

use super::{Document, Outcome, copy, refuse};
use crate::protocol::Command;

/// Locks and unlocks.
pub(super) fn set(d: &mut Document, objects: &[String], on: bool) -> Outcome {
    for name in objects {
        if !copy::taken(d, name) {
            return refuse(format!("there is nothing named \"{name}\""));
        }
        if on {
            d.locked.insert(name.clone());
        } else {
            d.locked.remove(name);
        }
    }
    Ok(())
}

/// Forgets what is no longer there.
pub(super) fn forget(d: &mut Document) {
    let mut locked = std::mem::take(&mut d.locked);
    locked.retain(|n| copy::taken(d, n));
    d.locked = locked;
}

/// Refuses what would change something that is locked.
pub(super) fn admit(d: &Document, command: &Command) -> Outcome {
    let one = |name: &String| {
        if d.locked.contains(name) {
            return refuse(format!("\"{name}\" is locked: unlock it first"));
        }
        Ok(())
    };
    match command {
        Command::Set { object: name, .. }
        | Command::Place { body: name, .. }
        | Command::Push { body: name, .. }
        | Command::Force { body: name, .. }
        | Command::Grab { body: name, .. }
        | Command::Hold { body: name, .. }
        | Command::Scale { body: name, .. }
        | Command::Drive { joint: name, .. } => one(name),
        Command::Remove { objects } | Command::Reset { objects } => {
            objects.iter().try_for_each(one)
        }
        _ => Ok(()),
    }
}
