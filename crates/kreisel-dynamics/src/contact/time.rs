//! When bodies meet within a step (B-70; L-62 to L-65): conservative advancement over ballistic
//! flight for a first estimate that never jumps over a thin body.

use super::Contacts;
use super::collider::{Collider, Place};
use crate::math::Vec3;
use kreisel_geometry::impact::{Ballistic, ImpactQuery, Outcome, time_of_impact};

/// Openings of the search for one pair: far more than a smooth flight needs.
const STEPS: u32 = 2000;

fn flight(c: &Collider, place: &Place, [velocity, spin]: [Vec3; 2], gravity: Vec3) -> Ballistic {
    Ballistic {
        start: c.pose(place),
        // the centre of mass in the shape's frame
        center: c.turn.conjugate() * -c.offset,
        velocity,
        spin,
        acceleration: if c.moves { gravity } else { Vec3::ZERO },
    }
}

impl Contacts {
    /// Time until the first pair that is apart now meets, at most `until`.
    pub(super) fn first_meeting(
        &self,
        until: f64,
        gravity: Vec3,
        touch: f64,
        tolerance: f64,
    ) -> f64 {
        let mut first = until;
        let mut at = 0;
        let manifolds = &self.memory.manifolds;
        for &pair in self.pairs.now() {
            while at < manifolds.len() && manifolds[at].pair < pair {
                at += 1;
            }
            // manifolds of this pair that touch already are contacts, not meetings
            let mine = manifolds[at..].iter().take_while(|m| m.pair == pair);
            let [a, b] = pair.map(|c| &self.colliders[c as usize]);
            let touches = mine.clone().any(|m| m.gap() <= touch);
            if touches
                || a.sensor
                || b.sensor
                || !self.pairs.swept[pair[0] as usize].overlaps(&self.pairs.swept[pair[1] as usize])
            {
                continue;
            }
            let motion = |c: &Collider| {
                let slot = c.slot as usize;
                flight(c, &self.places[slot], self.speeds[slot], gravity)
            };
            let query = ImpactQuery { until: first, tolerance, margin: 0.0, max_steps: STEPS };
            match time_of_impact(&a.shape, &motion(a), &b.shape, &motion(b), &query) {
                Ok(Outcome::Hit(hit)) => first = first.min(hit.time),
                Ok(Outcome::FreeUntil(t)) => first = first.min(t.max(1e-3 * until)),
                Ok(Outcome::Free) | Err(_) => {}
            }
        }
        first
    }

    /// The deepest overlap of a pair that was farther apart than `near` at the start, m, and its
    /// approach speed, m/s.
    pub(super) fn deepest_new(&self, near: f64) -> (f64, f64) {
        let was = &self.gaps;
        let mut deepest = (0.0, 0.0);
        for m in self.memory.manifolds.iter().filter(|m| !m.sensor) {
            let before =
                was.binary_search_by(|w| w.0.cmp(&m.pair)).map_or(f64::INFINITY, |k| was[k].1);
            if before <= near {
                continue;
            }
            for k in m.points() {
                let (depth, [a, b]) = (-m.gap.0[k], m.anchors(k));
                if depth <= deepest.0 {
                    continue;
                }
                let velocity = |k: usize, local: Vec3| {
                    let slot = self.colliders[m.pair[k] as usize].slot as usize;
                    let [v, w] = self.speeds[slot];
                    v + w.cross(self.places[slot].r * local)
                };
                deepest = (depth, -m.normal.dot(velocity(0, a) - velocity(1, b)));
            }
        }
        deepest
    }
}
