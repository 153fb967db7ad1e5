//! Named points of bodies, on which things are made later (W-20, W-176).

use super::make::name;
use super::{Document, Outcome, copy, limits, refuse, vector};
use crate::protocol::EndSpec;
use kreisel_scene::Marker;

/// Marks a point.
pub(super) fn add(d: &mut Document, given: &str, at: &EndSpec) -> Outcome {
    limits::others(d.sim.run_settings().markers.len())?;
    let Some(body) = d.sim.world.body_named(&at.body) else {
        return refuse(format!("there is no body \"{}\"", at.body));
    };
    let place = vector("the point", at.point)?;
    let given = name(given)?;
    if copy::taken(d, &given) {
        return refuse(format!("the name \"{given}\" is taken"));
    }
    let free = || (1..).map(|k: u32| format!("marker {k}")).find(|n| !copy::taken(d, n));
    let name = if given.is_empty() { free().unwrap_or_default() } else { given };
    d.sim.parts_mut().1.markers.push(Marker { name, body, at: place });
    Ok(())
}
