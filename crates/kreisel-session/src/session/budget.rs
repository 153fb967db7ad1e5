//! The time budget of a live world. A step that takes for ever would take the session with it: no
//! client could change what makes it so slow. The scene's own budget holds; a world without one
//! gets the session's.

use kreisel_dynamics::World;
use std::time::Duration;

/// Gives a world that has no time budget the session's.
pub(super) fn give(world: &mut World, budget: Option<Duration>) {
    if budget.is_none() || world.settings().time_budget.is_some() {
        return;
    }
    let settings = kreisel_dynamics::Settings { time_budget: budget, ..world.settings().clone() };
    // Only a number was added that is in range; nothing can be refused.
    let _ = world.set_settings(settings);
}

/// Takes the session's own budget out of a world that is written down.
pub(super) fn take(world: &mut World, budget: Option<Duration>) {
    if budget.is_some() && world.settings().time_budget == budget {
        let settings = kreisel_dynamics::Settings { time_budget: None, ..world.settings().clone() };
        let _ = world.set_settings(settings);
    }
}
