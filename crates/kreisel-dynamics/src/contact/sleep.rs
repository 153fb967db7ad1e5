//! Sleeping (B-111; Bender 2007, section 7.2): islands that hardly move stand still until something
//! comes.
//!
//! A body is calm while it stays within [`WAY`] of a place for [`CALM`] seconds; the place counts,
//! not the speed, because a pile that rests may tremble. An island whose bodies are all calm falls
//! asleep as a whole: velocities are zero, poses stay bit by bit, contacts keep their impulses. It
//! wakes, as a whole and alone,
//!
//! * before the step in which the preview of a contact with something awake would close (no impulse
//!   is missed);
//! * when a force other than gravity acts on one of its bodies, or a kinematic body moves against
//!   it;
//! * with everything else when the model or the state is changed from outside, or the step's
//!   duration.
//!
//! Chains with motors or springs never sleep.

use super::Contacts;
use super::manifold::Manifold;
use crate::lanes::LANES;
use crate::math::{Quat, Vec3};
use crate::system::{BoundKind, System, set3, vec3};
use serde::{Deserialize, Serialize};

/// Way of any point of a body, m, and time, s, within which it counts as calm.
const WAY: f64 = 1e-3;
const CALM: f64 = 0.5;

/// A body that does not sleep.
const AWAKE: u32 = u32::MAX;

/// What is known about the rest of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rest {
    /// Where it was when it last moved, and how long ago, s.
    x: Vec3,
    q: Quat,
    calm: f64,
    /// The sleeping island that it belongs to: the smallest slot in it.
    island: u32,
}

impl Rest {
    /// Gives the island the number that its first body has in a world without gaps.
    pub fn renumber(&mut self, number: impl Fn(u32) -> Option<u32>) {
        if self.island != AWAKE {
            self.island = number(self.island).unwrap_or(AWAKE);
        }
    }
}

impl Default for Rest {
    fn default() -> Self {
        Self { x: Vec3::INFINITY, q: Quat::IDENTITY, calm: 0.0, island: AWAKE }
    }
}

impl Contacts {
    /// Whether a body sleeps.
    pub fn is_asleep(&self, slot: u32) -> bool {
        self.memory.rest.get(slot as usize).is_some_and(|r| r.island != AWAKE)
    }

    /// Whether a body slept through the last step.
    pub fn has_slept(&self, slot: u32) -> bool {
        self.frozen.get(slot as usize).copied().unwrap_or(false)
    }

    /// Everything is awake.
    pub(super) fn wake_all(&mut self) {
        self.memory.rest.clear();
    }

    /// Whether collider `c` answers to impulses in this step.
    fn answers(&self, c: u32) -> bool {
        let c = &self.colliders[c as usize];
        c.moves && !self.is_asleep(c.slot)
    }

    /// Brings the lists of who is awake up to date, and keeps sleepers where they are.
    pub(super) fn tuck_in(&mut self, systems: &mut [System]) {
        self.active.clear();
        let rest = &self.memory.rest;
        let sleeps = |slot: u32| rest.get(slot as usize).is_some_and(|r| r.island != AWAKE);
        self.active.extend(self.colliders.iter().map(|c| c.moves && !sleeps(c.slot)));
        let was = std::mem::take(&mut self.frozen);
        self.frozen.extend(self.memory.rest.iter().map(|r| r.island != AWAKE));
        for s in systems.iter_mut() {
            s.asleep = s.is_tied() && s.slots.first().is_some_and(|&slot| self.is_asleep(slot));
            if s.is_tied() {
                continue;
            }
            // loose bodies share a system: sleepers are those that do not fall
            for i in 0..s.slots.len() {
                let slept = was.get(s.slots[i] as usize).copied().unwrap_or(false);
                let acc = &mut s.groups[i / LANES].acc;
                if self.is_asleep(s.slots[i]) {
                    set3(acc, i % LANES, Vec3::ZERO);
                } else if slept && vec3(acc, i % LANES) == Vec3::ZERO {
                    set3(acc, i % LANES, s.gravity);
                }
            }
        }
    }

    /// Wakes islands on which something else than gravity acts; true if there are any.
    pub(super) fn wake_pushed(&mut self, systems: &[System]) -> bool {
        let mut woken = false;
        for s in systems {
            for (i, &slot) in s.slots.iter().enumerate() {
                let (g, l) = (&s.groups[i / LANES], i % LANES);
                if self.is_asleep(slot)
                    && (vec3(&g.acc, l) != s.gravity || vec3(&g.torque, l) != Vec3::ZERO)
                {
                    self.wake(slot);
                    woken = true;
                }
            }
        }
        woken
    }

    fn wake(&mut self, slot: u32) {
        let island = self.memory.rest[slot as usize].island;
        for r in self.memory.rest.iter_mut().filter(|r| r.island == island && island != AWAKE) {
            *r = Rest::default();
        }
    }

    /// Wakes islands that something awake is going to touch within `h`; true if there are any.
    pub(super) fn wake_touched(&mut self, h: f64, gravity: Vec3) -> bool {
        if self.memory.rest.iter().all(|r| r.island == AWAKE) {
            return false;
        }
        let fall = 0.5 * gravity.length() * h * h;
        let mut touched = Vec::new();
        for m in self.memory.manifolds.iter().filter(|m| !m.sensor) {
            for (sleeper, other) in [(0, 1), (1, 0)] {
                let slot = self.colliders[m.pair[sleeper] as usize].slot;
                let stirs = self.answers(m.pair[other]) || self.is_driven(m.pair[other]);
                if self.is_asleep(slot) && stirs && self.closes(m, h, fall) {
                    touched.push(slot);
                }
            }
        }
        for &slot in &touched {
            self.wake(slot);
        }
        !touched.is_empty()
    }

    /// Wakes islands whose new overlaps with something awake were found at the end of a step that
    /// is made again.
    pub(super) fn wake_met(&mut self) -> bool {
        let mut met = Vec::new();
        for m in self.memory.manifolds.iter().filter(|m| m.foretold) {
            let slots = m.pair.map(|c| self.colliders[c as usize].slot);
            met.extend(slots.into_iter().filter(|&slot| self.is_asleep(slot)));
        }
        met.iter().for_each(|&slot| self.wake(slot));
        !met.is_empty()
    }

    /// Whether a kinematic body moves.
    fn is_driven(&self, c: u32) -> bool {
        let c = &self.colliders[c as usize];
        c.kinematic && self.speeds[c.slot as usize] != [Vec3::ZERO; 2]
    }

    /// Whether neither of a pair can move against the other.
    pub(super) fn is_still(&self, pair: [u32; 2]) -> bool {
        !self.memory.rest.is_empty() && pair.iter().all(|&c| !self.answers(c) && !self.is_driven(c))
    }

    /// Whether a gap closes within `h` at the present velocities and with gravity's help.
    fn closes(&self, m: &Manifold, h: f64, fall: f64) -> bool {
        let velocity = |k: usize, local: Vec3| {
            let slot = self.colliders[m.pair[k] as usize].slot as usize;
            let [v, w] = self.speeds[slot];
            v + w.cross(self.places[slot].r * local)
        };
        m.points().any(|k| {
            let [a, b] = m.anchors(k);
            m.gap.0[k] + h * m.normal.dot(velocity(0, a) - velocity(1, b)) - fall <= 0.0
        })
    }

    /// Sees who has been calm for `h` more, and lets calm islands fall asleep. Returns the kinetic
    /// energy that goes to sleep, J.
    pub(super) fn fall_asleep(&mut self, systems: &mut [System], h: f64) -> f64 {
        let slots = self.homes.len();
        self.memory.rest.resize(slots, Rest::default());
        self.watch(systems, h);
        // islands of those who are awake, by near contacts and chains
        let mut parent: Vec<u32> = std::mem::take(&mut self.parents);
        parent.clear();
        parent.extend(0..slots as u32);
        let mut supported = vec![false; slots];
        let mut join = |a: u32, b: u32| {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b) as usize] = a.min(b);
        };
        for s in systems.iter().filter(|s| s.is_tied()) {
            s.slots.iter().for_each(|&slot| join(s.slots[0], slot));
        }
        for m in self.memory.manifolds.iter().filter(|m| !m.sensor) {
            let [a, b] = m.pair.map(|c| &self.colliders[c as usize]);
            if self.answers(m.pair[0]) && self.answers(m.pair[1]) {
                join(a.slot, b.slot);
            }
            for c in [a, b].into_iter().filter(|c| c.moves) {
                supported[c.slot as usize] |= m.pushed() > 0.0;
            }
        }
        let mut calm = vec![true; slots];
        for s in systems.iter() {
            // what is typed may depend on the time
            let restless = !s.springs.is_empty()
                || !s.border.is_empty()
                || !s.actuators.is_empty()
                || s.bounds
                    .iter()
                    .any(|b| matches!(b.kind, BoundKind::Drive { .. } | BoundKind::Law(_)))
                || s.others
                    .iter()
                    .any(|o| o.velocity != Vec3::ZERO || o.angular_velocity != Vec3::ZERO);
            for &slot in &s.slots {
                let r = root(&mut parent, slot) as usize;
                let rest = &self.memory.rest[slot as usize];
                let alone = !s.is_tied() && !supported[slot as usize];
                calm[r] &= !restless && !alone && rest.calm >= CALM && rest.island == AWAKE;
            }
        }
        let mut taken = 0.0;
        for s in systems.iter_mut() {
            for i in 0..s.slots.len() {
                let slot = s.slots[i];
                let r = root(&mut parent, slot);
                if !calm[r as usize] || self.homes[slot as usize] == super::NOWHERE {
                    continue;
                }
                self.memory.rest[slot as usize].island = r;
                // the rows at hand still move it
                self.ready = false;
                let (g, l) = (&mut s.groups[i / LANES], i % LANES);
                for y in &mut g.y {
                    taken += 0.5 * y.0[l] * y.0[l];
                    y.0[l] = 0.0;
                }
            }
        }
        self.parents = parent;
        self.report.asleep = self.memory.rest.iter().filter(|r| r.island != AWAKE).count() as u32;
        taken
    }

    /// Counts how long bodies have stayed where they are.
    fn watch(&mut self, systems: &[System], h: f64) {
        for s in systems {
            for (i, &slot) in s.slots.iter().enumerate() {
                let (g, l) = (&s.groups[i / LANES], i % LANES);
                let rest = &mut self.memory.rest[slot as usize];
                if rest.island != AWAKE {
                    continue;
                }
                let x = vec3(&g.x, l);
                let q = Quat::from_xyzw(g.q[0].0[l], g.q[1].0[l], g.q[2].0[l], g.q[3].0[l]);
                let turned =
                    2.0 * (rest.q.conjugate() * q).xyz().length() * self.sizes[slot as usize];
                if x.distance(rest.x) + turned <= WAY {
                    rest.calm += h;
                } else {
                    *rest = Rest { x, q, ..Rest::default() };
                }
            }
        }
    }
}

fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}
