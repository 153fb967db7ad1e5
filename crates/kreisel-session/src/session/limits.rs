//! How much a live world may hold. A guest can ask for a million bodies in a line of text; the
//! host's session must not die of it. A world that the host starts with is not bounded by these.

use super::{Outcome, refuse};
use kreisel_dynamics::World;

/// Most bodies, and most items of a scene that is loaded live.
pub(super) const BODIES: usize = 20_000;
/// Most joints, springs, motors and other elements of each kind.
pub(super) const OTHERS: usize = 100_000;
/// Most bodies that one command copies.
pub(super) const COPIES: usize = 2_000;
/// Most pairs of overlapping boxes for each body: packed spheres have less than ten. `PAIRS_MORE`
/// come on top, for few bodies.
pub(super) const PAIRS: usize = 16;
const PAIRS_MORE: usize = 1_000;

/// Whether `more` bodies still have room.
pub(super) fn bodies(world: &World, more: usize) -> Outcome {
    if world.bodies().count().saturating_add(more) <= BODIES {
        return Ok(());
    }
    refuse(format!("a live world has at most {BODIES} bodies"))
}

/// Whether one more of some other kind has room.
pub(super) fn others(count: usize) -> Outcome {
    if count < OTHERS {
        Ok(())
    } else {
        refuse(format!("a live world has at most {OTHERS} of them"))
    }
}

/// Refuses a world whose bodies stand inside each other: every pair is a contact, and a thousand
/// bodies have half a million.
pub(super) fn crowd(world: &World) -> Outcome {
    if !world.settings().contact.on {
        return Ok(());
    }
    let most = PAIRS * world.bodies().count() + PAIRS_MORE;
    if kreisel_scene::crowd(world, most + 1) <= most {
        return Ok(());
    }
    refuse(format!(
        "too many bodies stand inside each other: a live world has at most {PAIRS} pairs of overlapping bodies for each body \
         ({most} here)"
    ))
}
