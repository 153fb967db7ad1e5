//! The next collision of free bodies (Lennerz 2000, section 2.6.1, L-12): the earliest time at
//! which some pair meets, and all pairs that are in contact then.

use super::flight::{Flying, place};
use super::{Events, start};
use crate::contact::{Collider, ContactSettings, allowed};
use crate::error::ModelError;
use crate::model::Model;
use crate::state::State;
use crate::world::Inputs;
use kreisel_geometry::broad::{BoxTree, BroadPhase};
use kreisel_geometry::impact::{ImpactQuery, Outcome, time_of_impact};
use kreisel_geometry::query::{Proximity, distance};

/// A pair of colliders in contact: where, and how fast they approach, m/s.
type Meeting = ([u32; 2], Proximity, f64);

/// Time and pairs of the next collision within `within` seconds; `linked` are slots of bodies that
/// do not collide, sorted.
pub(crate) fn next(
    colliders: &[Collider],
    model: &Model,
    state: &State,
    linked: &[[u32; 2]],
    within: f64,
    tolerance: f64,
) -> Result<Option<(f64, Vec<Meeting>)>, ModelError> {
    let refused = |e: &dyn std::fmt::Display| ModelError::Query(e.to_string());
    for (what, x) in [("the time", within), ("the tolerance", tolerance)] {
        if !(x > 0.0 && x.is_finite()) {
            return Err(refused(&format!("{what} must be positive and finite, it is {x}")));
        }
    }
    let (flights, _) = start(model, state, &Inputs::default(), 0.0);
    let settings = ContactSettings { touch: tolerance, ..model.settings.contact.clone() };
    let events = Events::new(model, colliders, flights, within, &settings);

    // pairs whose ways come near each other, but for those that touch already
    let boxes: Vec<_> = (0..colliders.len() as u32).map(|i| events.sweep(i)).collect();
    let flying =
        |i: u32| Flying { flight: events.flight(i), collider: &colliders[i as usize], now: 0.0 };
    let near = |[a, b]: [u32; 2], time: f64| {
        let pose = |i: u32| colliders[i as usize].pose(&place(&events.flight(i).at(time)));
        distance(&colliders[a as usize].shape, &pose(a), &colliders[b as usize].shape, &pose(b))
    };
    let apart = |pair: &[u32; 2]| {
        let [p, q] = pair.map(|i| &colliders[i as usize]);
        !p.sensor
            && !q.sensor
            && allowed(p, q)
            && linked.binary_search(&[p.slot, q.slot]).is_err()
            && near(*pair, 0.0).is_some_and(|d| d.distance > tolerance)
    };
    let pairs: Vec<[u32; 2]> = BoxTree::default().pairs(&boxes).into_iter().filter(apart).collect();

    // the earliest of their meetings
    let mut first: Option<f64> = None;
    for &[a, b] in &pairs {
        let (p, q) = (flying(a), flying(b));
        let query = ImpactQuery::new(first.unwrap_or(within), tolerance);
        let found = time_of_impact(&p.collider.shape, &p, &q.collider.shape, &q, &query);
        match found.map_err(|e| refused(&e))? {
            Outcome::Free => {}
            Outcome::Hit(hit) => first = Some(first.map_or(hit.time, |t| t.min(hit.time))),
            Outcome::FreeUntil(t) => {
                let message =
                    format!("the search was given up after {t} s: give a larger tolerance");
                return Err(refused(&message));
            }
        }
    }
    let Some(time) = first else { return Ok(None) };

    // all that are in contact then
    let meeting = |pair: [u32; 2]| {
        let near = near(pair, time).filter(|d| d.distance <= tolerance * (1.0 + 1e-9))?;
        let speed = |i: u32, at| {
            let s = events.flight(i).at(time);
            s.velocity + s.angular_velocity.cross(at - s.position)
        };
        let approach = -(speed(pair[0], near.a) - speed(pair[1], near.b)).dot(near.normal);
        Some((pair, near, approach))
    };
    Ok(Some((time, pairs.into_iter().filter_map(meeting).collect())))
}
