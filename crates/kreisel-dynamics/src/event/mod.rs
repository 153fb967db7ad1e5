//! The event-driven step: exact flight from collision to collision, one collision at a time.
//!
//! Reference: Lennerz 2000, sections 4.3 and 4.5 (L-66 to L-68, L-75, corrected: docs/sources.md)
//! with the response of chapter 5 (`impact`). Every body flies on its own clock. The collision heap
//! holds for each near pair the time at which it must be looked at; a pair that is due is measured,
//! and if it lies within its shell and approaches, it collides and the pairs of both partners are
//! keyed anew.
//!
//! | a pair | is looked at next |
//! |---|---|
//! | outside its shell | when it enters the shell: never late, by the certain time of impact |
//! | inside, at distance δ | when δ has shrunk by η ε, or when a hop of its present speed must be over, whichever is first |
//!
//! The second row replaces the thesis's conservative bound (|v| + ω r), which forces ten to a
//! hundred times as many collisions on spinning bodies for the same motion. A resting contact hops
//! by about η ε on the level of its shell where restitution by depth is 1.
//!
//! Work is bounded: after `max_events` the bodies that are still due, and those near them, stand
//! still until the end of the step with their velocities kept (their time runs slower), and the
//! report counts them. Outside the shell nothing tunnels; deep inside it only periodic looks
//! protect, and restitution by depth feeds a little energy (docs/limits.md).

mod collide;
mod flight;
mod next;
mod report;

use crate::body::BodyKind;
use crate::contact::{Collider, ContactSettings, Contacts, Surface, allowed, combine};
use crate::math::Vec3;
use crate::model::Model;
use crate::report::{Energy, Status, StepReport};
use crate::state::State;
use crate::world::{Inputs, kinetic};
use flight::{Flight, Flying, place};
use kreisel_geometry::Shape;
use kreisel_geometry::broad::{Aabb, BoxTree, BroadPhase};
use kreisel_geometry::impact::{CollisionHeap, ImpactQuery, Outcome, PairKey, time_of_impact};
use std::collections::BTreeMap;

pub(crate) use next::next;

/// η: the fraction of the shell by which a contact may sink between two looks. Friction acts only
/// at collisions, so its error grows with the length of a hop, √(2 η ε/g). On a slope of 20° with
/// μ = 0.3 and ε = 0.1 mm a box is 7.6 % too fast with η = 0.02 and 3.5 % with this.
const PROGRESS: f64 = 2e-4;
/// Steps of one time-of-impact search; a safe time is known even when they are spent.
const SEARCH_STEPS: u32 = 10_000;

/// What has collided, by pair of colliders.
#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    impulse: Vec3,
    normal: Vec3,
    point: Vec3,
    gap: f64,
    /// Speed and normal impulse of the first collision of the step.
    speed: f64,
    first: f64,
}

/// One step under way.
struct Events<'a> {
    model: &'a Model,
    colliders: &'a [Collider],
    /// Flights by slot.
    flights: Vec<Flight>,
    /// Coefficients by pair, computed once.
    surfaces: BTreeMap<PairKey, Surface>,
    boxes: Vec<Aabb>,
    heap: CollisionHeap,
    end: f64,
    gravity: f64,
    shell: f64,
    touches: BTreeMap<PairKey, Touch>,
    impacts: u32,
    micro: u32,
    /// Energy lost in collisions: normal part, friction, J.
    lost: [f64; 2],
    /// Work of kinematic bodies, J.
    carried: f64,
    penetration: f64,
}

/// Advances a world of free bodies by `h`.
pub(crate) fn step(
    contacts: &mut Contacts,
    model: &Model,
    state: &mut State,
    inputs: &mut Inputs,
    h: f64,
) -> StepReport {
    let before = energy(model, state);
    let (flights, mut work) = start(model, state, inputs, h);
    let settings = &model.settings.contact;
    let colliders: &[Collider] = if settings.on { &contacts.colliders } else { &[] };
    let mut events = Events::new(model, colliders, flights, h, settings);
    events.find_pairs();
    let stalled = events.run(settings.max_events);
    let quarantined = events.finish(state, inputs, h, &mut work);
    let done = report::Done { stalled, quarantined, before, work, h };
    let (touches, figures) = events.figures(&done);
    report::tell(contacts, model, state, inputs, &touches, figures, done)
}

/// The flights at the start of the step; forces of the user act as constant acceleration and as two
/// kicks.
fn start(model: &Model, state: &State, inputs: &Inputs, h: f64) -> (Vec<Flight>, f64) {
    let rest = Flight {
        from: 0.0,
        start: *state.slot(0),
        acceleration: Vec3::ZERO,
        moments: Vec3::ZERO,
        inverse: Vec3::ZERO,
        inverse_mass: 0.0,
        stalled: false,
    };
    let mut flights = vec![rest; model.bodies.slots()];
    let mut work = 0.0;
    for (slot, _, body) in model.bodies.iter() {
        let f = &mut flights[slot as usize];
        f.start = *state.slot(slot);
        if body.desc.kind != BodyKind::Dynamic {
            continue;
        }
        let i = body.moments;
        f.moments = i;
        f.inverse = Vec3::select(i.cmpgt(Vec3::ZERO), i.recip(), Vec3::ZERO);
        f.inverse_mass = 1.0 / body.desc.mass.mass;
        f.acceleration = model.gravity;
        if let Some(&(force, torque)) = inputs.efforts.get(slot as usize) {
            f.acceleration += force * f.inverse_mass;
            work += kick(f, torque * (0.5 * h));
        }
    }
    (flights, work)
}

/// Changes the angular momentum; returns the work done.
fn kick(f: &mut Flight, impulse: Vec3) -> f64 {
    let q = f.start.rotation;
    let change = q * (f.inverse * (q.conjugate() * impulse));
    f.start.angular_velocity += change;
    impulse.dot(f.start.angular_velocity - change * 0.5)
}

fn energy(model: &Model, state: &State) -> Energy {
    let mut e = Energy::default();
    for (slot, _, body) in model.bodies.iter().filter(|b| b.2.desc.kind == BodyKind::Dynamic) {
        let s = state.slot(slot);
        e.kinetic += kinetic(body.desc.mass.mass, body.moments, s);
        e.potential -= body.desc.mass.mass * model.gravity.dot(s.position);
    }
    e
}

impl<'a> Events<'a> {
    fn new(
        model: &'a Model,
        colliders: &'a [Collider],
        flights: Vec<Flight>,
        end: f64,
        settings: &ContactSettings,
    ) -> Self {
        Self {
            model,
            colliders,
            flights,
            surfaces: BTreeMap::new(),
            boxes: Vec::new(),
            heap: CollisionHeap::default(),
            end,
            gravity: model.gravity.length(),
            shell: settings.touch,
            touches: BTreeMap::new(),
            impacts: 0,
            micro: 0,
            lost: [0.0; 2],
            carried: 0.0,
            penetration: 0.0,
        }
    }

    fn flight(&self, collider: u32) -> &Flight {
        &self.flights[self.colliders[collider as usize].slot as usize]
    }

    /// The box that a collider sweeps from its flight's start to the end of the step, with its
    /// shell.
    fn sweep(&self, i: u32) -> Aabb {
        let (c, f) = (&self.colliders[i as usize], self.flight(i));
        let margin = 0.5 * self.shell + 1e-12;
        let still = !c.moves && !c.kinematic || f.stalled;
        if still || !c.half.is_finite() {
            return c.bounds(&place(&f.start), margin);
        }
        let (x, v, t) = (f.start.position, f.start.velocity, self.end - f.from);
        let last = x + v * t + f.acceleration * (0.5 * t * t);
        let (mut lo, mut hi) = (x.min(last), x.max(last));
        for k in 0..3 {
            // the top of the parabola
            let top = -v[k] / f.acceleration[k];
            if f.acceleration[k] != 0.0 && top > 0.0 && top < t {
                let y = x[k] + 0.5 * v[k] * top;
                (lo[k], hi[k]) = (lo[k].min(y), hi[k].max(y));
            }
        }
        Aabb { lo, hi }.enlarged(c.radius + margin)
    }

    /// All near pairs, keyed.
    fn find_pairs(&mut self) {
        self.boxes = (0..self.colliders.len() as u32).map(|i| self.sweep(i)).collect();
        let pairs = BoxTree::default().pairs(&self.boxes);
        for [a, b] in pairs {
            if self.meets(a, b) {
                self.look(PairKey::new(a, b), 0.0, false);
            }
        }
    }

    fn meets(&self, a: u32, b: u32) -> bool {
        let (p, q) = (&self.colliders[a as usize], &self.colliders[b as usize]);
        !p.sensor && !q.sensor && allowed(p, q)
    }

    fn surface(&mut self, pair: PairKey) -> Surface {
        let [a, b] = pair.bodies().map(|i| &self.colliders[i as usize]);
        let settings = &self.model.settings.contact;
        *self.surfaces.entry(pair).or_insert_with(|| combine(&a.material, &b.material, settings))
    }

    /// Works through the heap. Returns the number of bodies that had to stand still.
    fn run(&mut self, limit: u32) -> u32 {
        let mut count = 0;
        while let Some((pair, time)) = self.heap.earliest().filter(|e| e.1 < self.end) {
            if count >= limit {
                return self.stall(time);
            }
            count += 1;
            self.heap.pop_due(time);
            self.look(pair, time, true);
        }
        0
    }

    /// When a pair must be looked at again, given its distance and the speed at which it parts.
    fn schedule(&mut self, pair: PairKey, now: f64, gap: f64, parting: f64) {
        let [a, b] = pair.bodies();
        let sink = PROGRESS * self.shell;
        let mut until = self.end - now;
        let mut level = self.shell;
        if gap <= self.shell {
            // a hop at this speed and the fall by `sink` after it
            let fall =
                if self.gravity > 0.0 { (2.0 * sink / self.gravity).sqrt() } else { f64::INFINITY };
            until = until.min(parting.max(0.0) / self.gravity + fall);
            level = gap - sink;
        }
        if !(until > 0.0) {
            return;
        }
        let tolerance = 0.25 * sink;
        let mut next = now + until;
        // balls that part now cannot close the gap before the hop is over: no search needed
        let hop =
            gap <= self.shell && parting >= 0.0 && 0.5 * self.pull(a, b) * until * until < gap;
        if level > tolerance && !hop {
            let [p, q] = [a, b].map(|i| Flying {
                flight: self.flight(i),
                collider: &self.colliders[i as usize],
                now,
            });
            let query = ImpactQuery {
                margin: level - tolerance,
                max_steps: SEARCH_STEPS,
                ..ImpactQuery::new(until, tolerance)
            };
            match time_of_impact(&p.collider.shape, &p, &q.collider.shape, &q, &query) {
                Ok(Outcome::Hit(hit)) => next = now + hit.time,
                Ok(Outcome::FreeUntil(t)) => next = now + t,
                Ok(Outcome::Free) => {}
                // a half-space that turns: looked at as often as a hop lasts
                Err(_) => next = now + until.min((2.0 * sink / self.gravity.max(1.0)).sqrt()),
            }
        }
        // the clock must advance
        let next = next.max(now.next_up());
        if next < self.end {
            self.heap.set(pair, next);
        }
    }

    /// Bound of the acceleration with which the gap of balls and resting half-spaces can close,
    /// m/s²; infinite for other shapes, whose closest points change.
    fn pull(&self, a: u32, b: u32) -> f64 {
        let turning = |i: u32| {
            let (spin, rate) = self.flight(i).spin_bounds();
            let c = &self.colliders[i as usize];
            match c.shape {
                Shape::Sphere { .. } => (spin * spin + rate) * c.offset.length(),
                Shape::HalfSpace { .. } if spin == 0.0 => 0.0,
                _ => f64::INFINITY,
            }
        };
        (self.flight(a).acceleration - self.flight(b).acceleration).length()
            + turning(a)
            + turning(b)
    }

    /// After the velocities of the body of a collider have jumped: boxes and times of all pairs of
    /// its surfaces anew.
    fn rekey_body(&mut self, i: u32, now: f64) {
        for k in self.siblings(i) {
            self.rekey(k, now);
        }
    }

    /// All surfaces of the body of a collider, which stand side by side.
    fn siblings(&self, i: u32) -> std::ops::Range<u32> {
        let slot = self.colliders[i as usize].slot;
        let first = self.colliders.partition_point(|c| c.slot < slot);
        let end = self.colliders.partition_point(|c| c.slot <= slot);
        first as u32..end as u32
    }

    fn rekey(&mut self, i: u32, now: f64) {
        self.boxes[i as usize] = self.sweep(i);
        for pair in self.heap.pairs_of(i) {
            self.heap.remove(pair);
        }
        for k in 0..self.colliders.len() as u32 {
            if k != i
                && self.boxes[k as usize].overlaps(&self.boxes[i as usize])
                && self.meets(k, i)
            {
                self.look(PairKey::new(k, i), now, false);
            }
        }
    }

    /// The limit of events is reached: bodies that are due, and all that are near them, stand still
    /// until the end.
    fn stall(&mut self, now: f64) -> u32 {
        let mut due = vec![false; self.colliders.len()];
        while let Some(pair) = self.heap.pop_due(self.end) {
            for i in pair.bodies() {
                for k in self.siblings(i) {
                    due[k as usize] |= self.colliders[k as usize].moves;
                }
            }
        }
        // near ones would run into those that stand
        let mut open: Vec<u32> = (0..due.len() as u32).filter(|&i| due[i as usize]).collect();
        while let Some(i) = open.pop() {
            for k in 0..due.len() as u32 {
                let near =
                    self.boxes[k as usize].overlaps(&self.boxes[i as usize]) && self.meets(i, k);
                if near && self.colliders[k as usize].moves && !due[k as usize] {
                    for sibling in self.siblings(k) {
                        due[sibling as usize] = true;
                        open.push(sibling);
                    }
                }
            }
        }
        let mut slots: Vec<u32> =
            (0..due.len()).filter(|&i| due[i]).map(|i| self.colliders[i].slot).collect();
        slots.dedup();
        for &slot in &slots {
            let f = &mut self.flights[slot as usize];
            f.start = f.at(now.max(f.from));
            f.from = now.max(f.from);
            f.stalled = true;
        }
        slots.len() as u32
    }

    /// Writes the end of the step into the state; returns the slots whose numbers ceased to be
    /// finite, which stay where they were.
    fn finish(&mut self, state: &mut State, inputs: &Inputs, h: f64, work: &mut f64) -> Vec<u32> {
        let mut bad = Vec::new();
        for (slot, _, body) in self.model.bodies.iter() {
            if body.desc.kind == BodyKind::Static {
                continue;
            }
            let f = &self.flights[slot as usize];
            let mut end = *f;
            end.start = f.at(self.end);
            if let Some(&(force, torque)) = inputs.efforts.get(slot as usize)
                && body.desc.kind == BodyKind::Dynamic
            {
                *work += kick(&mut end, torque * (0.5 * h));
                *work += force.dot(end.start.position - state.slot(slot).position);
            }
            if end.start.is_finite() {
                state.bodies[slot as usize] = end.start;
            } else {
                let s = &mut state.bodies[slot as usize];
                (s.velocity, s.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
                bad.push(slot);
            }
        }
        state.time += h;
        bad
    }

    /// What the report needs.
    fn figures(self, done: &report::Done) -> (Vec<(PairKey, Touch)>, report::Figures) {
        let status = match done {
            d if !d.quarantined.is_empty() => Status::Quarantined,
            d if d.stalled > 0 => Status::BudgetSpent,
            _ => Status::Converged,
        };
        let figures = report::Figures {
            status,
            impacts: self.impacts,
            micro: self.micro,
            lost: self.lost,
            carried: self.carried,
            penetration: self.penetration,
        };
        (self.touches.into_iter().collect(), figures)
    }
}
