//! Detection: from poses to manifolds, islands and rows.

use super::Contacts;
use super::collider::{Collider, Place};
use super::manifold::{Brief, Manifold};
use super::narrow::{self, Room};
use super::pairs::Known;
use crate::lanes::LANES;
use crate::math::{Mat3, Quat, Vec3, rotation};
use crate::state::State;
use crate::system::{System, mat3, vec3};

/// What one thread finds, and its room for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    manifolds: Vec<Manifold>,
    briefs: Vec<Brief>,
    room: Room,
}

/// Pairs that one thread looks at in any case.
const HANDFUL: usize = 256;

impl Contacts {
    /// Reads poses and velocities: of moving bodies from the systems, of the others from the state,
    /// moved on by `passed`.
    pub(super) fn read(&mut self, systems: &[System], state: &State, passed: f64) {
        let n = self.homes.len();
        let nothing = Place { x: Vec3::ZERO, q: Quat::IDENTITY, r: Mat3::IDENTITY };
        self.places.resize(n, nothing);
        self.speeds.resize(n, [Vec3::ZERO; 2]);
        for s in systems {
            for (i, &slot) in s.slots.iter().enumerate() {
                let (g, l) = (&s.groups[i / LANES], i % LANES);
                let q = Quat::from_xyzw(g.q[0].0[l], g.q[1].0[l], g.q[2].0[l], g.q[3].0[l]);
                let r = mat3(&g.r, l);
                self.places[slot as usize] = Place { x: vec3(&g.x, l), q, r };
                let local = Vec3::new(g.y[3].0[l], g.y[4].0[l], g.y[5].0[l]) * vec3(&g.isi, l);
                let v = Vec3::new(g.y[0].0[l], g.y[1].0[l], g.y[2].0[l]) * g.ism.0[l];
                self.speeds[slot as usize] = [v, r * local];
            }
        }
        for c in self.colliders.iter().filter(|c| !c.moves) {
            let b = state.slot(c.slot);
            let mut place = Place { x: b.position, q: b.rotation, r: Mat3::from_quat(b.rotation) };
            if c.kinematic && passed > 0.0 {
                place.x += b.velocity * passed;
                place.q = (rotation(b.angular_velocity * passed) * b.rotation).normalize();
                place.r = Mat3::from_quat(place.q);
            }
            self.places[c.slot as usize] = place;
            self.speeds[c.slot as usize] = [b.velocity, b.angular_velocity];
        }
    }

    /// Manifolds for a step of `h` from a state, without systems: for methods that solve contacts
    /// themselves.
    pub fn look(&mut self, state: &State, h: f64, gravity: Vec3, fresh: bool) {
        self.read_state(state);
        if !fresh || self.memory.valid_h < h * (1.0 - 1e-9) {
            self.detect(h, gravity);
        }
        self.ready = false;
    }

    /// Manifolds at the end of such a step, with the impulses of those that it was made with.
    pub fn settle(&mut self, state: &State, h: f64, model: &crate::model::Model, impacts: u32) {
        self.read_state(state);
        self.detect(h, model.gravity);
        self.memory.last_h = h;
        self.report = super::ContactReport { impacts, ..super::ContactReport::default() };
        self.spent = false;
        self.sum_up(model.settings.contact.touch);
        self.report.islands = 0;
    }

    fn read_state(&mut self, state: &State) {
        let n = self.homes.len();
        self.places.resize(n, Place { x: Vec3::ZERO, q: Quat::IDENTITY, r: Mat3::IDENTITY });
        self.speeds.resize(n, [Vec3::ZERO; 2]);
        for c in &self.colliders {
            let b = state.slot(c.slot);
            self.places[c.slot as usize] =
                Place { x: b.position, q: b.rotation, r: Mat3::from_quat(b.rotation) };
            self.speeds[c.slot as usize] = [b.velocity, b.angular_velocity];
        }
    }

    /// Finds manifolds for the poses at hand that serve for a step of `h`.
    pub(super) fn detect(&mut self, h: f64, gravity: Vec3) {
        let start = crate::clock::Instant::now();
        // a body at rest is carried this far by gravity
        let fall = 0.5 * gravity.length() * h * h;
        self.reach.clear();
        for c in &self.colliders {
            let [v, w] = self.speeds[c.slot as usize];
            let way = if c.moves || c.kinematic { h * (v.length() + turning(c, w)) } else { 0.0 };
            let fall = if c.moves { fall } else { 0.0 };
            self.reach.push(0.5 * c.nearness() + way + fall);
        }
        let way = |slot: u32| h * self.speeds[slot as usize][0];
        self.pairs.update(&self.colliders, &self.places, &self.reach, way, self.threads);
        self.pairs.choose(&self.colliders, &self.places);
        std::mem::swap(&mut self.old, &mut self.memory.manifolds);
        let (manifolds, briefs) =
            (std::mem::take(&mut self.memory.manifolds), std::mem::take(&mut self.briefs));
        let mut found = std::mem::take(&mut self.found);
        let threads = if self.threads { rayon::current_num_threads() } else { 1 };
        found.resize_with(threads.max(1), Default::default);
        (found[0].manifolds, found[0].briefs) = (manifolds, briefs);
        self.count_ways(h);
        let mut known = self.pairs.take_known();
        self.detect_side_by_side(self.pairs.now(), &mut known, h, fall, &mut found);
        self.pairs.give_known(known);
        self.memory.manifolds = std::mem::take(&mut found[0].manifolds);
        self.briefs = std::mem::take(&mut found[0].briefs);
        (self.found, self.surveyed) = (found, true);
        (self.memory.valid_h, self.found_for) = (h, if self.pairs.is_crowded() { 0.0 } else { h });
        self.ready = false;
        self.detection += start.elapsed();
    }

    /// Adds to the odometers how far the surfaces of bodies have come at most since the last look,
    /// and notes which bodies are and move as they did then, bit by bit.
    fn count_ways(&mut self, h: f64) {
        let n = self.places.len();
        if self.seen.len() != n {
            // nobody knows anything yet
            self.odometers.clear();
            self.odometers.resize(n, 0.0);
            self.seen.clone_from(&self.places);
            self.found_for = 0.0;
        }
        let valid = self.found_for == h && self.seen_speeds.len() == n && !self.pairs.is_crowded();
        self.unchanged.clear();
        self.unchanged.resize(n, valid);
        if valid {
            for (k, same) in self.unchanged.iter_mut().enumerate() {
                let (now, then) = (&self.places[k], &self.seen[k]);
                *same = now.x == then.x && now.q == then.q && self.speeds[k] == self.seen_speeds[k];
            }
        }
        self.seen_speeds.clone_from(&self.speeds);
        // the surfaces of one body stand side by side
        for own in self.colliders.chunk_by(|a, b| a.slot == b.slot) {
            let slot = own[0].slot as usize;
            let (now, before) = (&self.places[slot], &mut self.seen[slot]);
            let turned = 2.0 * (before.q.conjugate() * now.q).xyz().length();
            let radius = own.iter().fold(0.0_f64, |r, c| r.max(c.radius));
            let around = if turned > 0.0 { turned * radius } else { 0.0 };
            self.odometers[slot] += (now.x - before.x).length() + around;
            *before = *now;
        }
    }

    /// Manifolds of consecutive pairs, found on as many threads as there are places for them; all
    /// come to the first place. `known` belongs to the pairs.
    fn detect_side_by_side(
        &self,
        pairs: &[[u32; 2]],
        known: &mut [Known],
        h: f64,
        fall: f64,
        to: &mut [Found],
    ) {
        if to.len() < 2 || pairs.len() < HANDFUL {
            return self.detect_pairs(pairs, known, h, fall, &mut to[0]);
        }
        let (first, second) = to.split_at_mut(to.len() / 2);
        let cut = pairs.len() * first.len() / (first.len() + second.len());
        let (a, b) = pairs.split_at(cut);
        let (p, q) = known.split_at_mut(cut);
        rayon::join(
            || self.detect_side_by_side(a, p, h, fall, first),
            || self.detect_side_by_side(b, q, h, fall, second),
        );
        first[0].manifolds.extend_from_slice(&second[0].manifolds);
        first[0].briefs.extend_from_slice(&second[0].briefs);
    }

    /// Looks through the manifolds anew.
    pub(super) fn survey(&mut self) {
        self.briefs.clear();
        self.briefs.extend(self.memory.manifolds.iter().map(Brief::of));
        self.surveyed = true;
    }

    /// Manifolds of consecutive pairs.
    fn detect_pairs(
        &self,
        pairs: &[[u32; 2]],
        known: &mut [Known],
        h: f64,
        fall: f64,
        to: &mut Found,
    ) {
        let Found { manifolds: out, briefs, room } = to;
        out.clear();
        briefs.clear();
        let mut at = pairs.first().map_or(0, |first| self.old.partition_point(|m| m.pair < *first));
        for (&pair, known) in pairs.iter().zip(known) {
            while at < self.old.len() && self.old[at].pair < pair {
                at += 1;
            }
            let mut end = at;
            while end < self.old.len() && self.old[end].pair == pair {
                end += 1;
            }
            if self.pairs.swept[pair[0] as usize].overlaps(&self.pairs.swept[pair[1] as usize]) {
                self.detect_pair(pair, &self.old[at..end], h, fall, known, room, out);
                briefs.extend(out[briefs.len()..].iter().map(Brief::of));
            }
            at = end;
        }
    }

    fn detect_pair(
        &self,
        pair: [u32; 2],
        kept: &[Manifold],
        h: f64,
        fall: f64,
        known: &mut Known,
        room: &mut Room,
        out: &mut Vec<Manifold>,
    ) {
        let [a, b] = pair.map(|c| &self.colliders[c as usize]);
        let places = [&self.places[a.slot as usize], &self.places[b.slot as usize]];
        if self.is_still(pair) {
            out.extend_from_slice(kept);
            return;
        }
        // a step that is made again moves some of the bodies only
        if self.unchanged[a.slot as usize] && self.unchanged[b.slot as usize] {
            let from = out.len();
            out.extend_from_slice(kept);
            for m in &mut out[from..] {
                (m.foretold, m.settled, m.drawn) = (false, false, false);
                m.share = m.shares();
            }
            return;
        }
        if !kept.is_empty() && kept.iter().all(|m| m.still_fits(places[0], places[1])) {
            let from = out.len();
            out.extend_from_slice(kept);
            for m in &mut out[from..] {
                m.follow(places[0], places[1]);
                m.share = m.shares();
            }
            return;
        }
        let [va, wa] = self.speeds[a.slot as usize];
        let [vb, wb] = self.speeds[b.slot as usize];
        let (way, turned) = ((va - vb) * h, h * (turning(a, wa) + turning(b, wb)));
        let margin = 0.5 * (a.nearness() + b.nearness())
            + way.length()
            + turned
            + if a.moves != b.moves { fall } else { 0.0 };
        // told apart before, and not moved far enough since
        let odometer = self.odometers[a.slot as usize] + self.odometers[b.slot as usize];
        if kept.is_empty() && known.until - odometer > margin {
            return;
        }
        let from = out.len();
        // the normal of the deepest region has moved on with the second body
        let deepest = kept.iter().reduce(|p, q| if q.gap() < p.gap() { q } else { p });
        let guess = deepest.map(|m| places[1].r * m.normal_b);
        narrow::collide(
            pair,
            a,
            b,
            places,
            margin,
            way,
            turned,
            guess,
            &mut known.cache,
            room,
            out,
        );
        let clear = known.cache.least_distance().filter(|_| out.len() == from);
        known.until = clear.map_or(0.0, |gap| odometer + gap * (1.0 - 1e-9));
        if a.one_way.is_some() || b.one_way.is_some() {
            one_way(a, b, places, [va, vb], from, kept, out);
        }
        for m in &mut out[from..] {
            let best = kept.iter().filter(|o| o.normal.dot(m.normal) > 0.7);
            let best = best.fold(None, |best: Option<&Manifold>, o| match best {
                Some(b) if b.normal.dot(m.normal) >= o.normal.dot(m.normal) => Some(b),
                _ => Some(o),
            });
            if let Some(o) = best {
                m.inherit(o);
            }
            m.share = m.shares();
        }
    }
}

/// Speed that turning gives to the surface; a ball turns in itself.
fn turning(c: &Collider, w: Vec3) -> f64 {
    match c.kind {
        super::collider::Kind::Sphere(_) => w.length() * c.offset.length(),
        _ if c.radius.is_finite() => w.length() * c.radius,
        _ => 0.0,
    }
}

/// Drops contacts with the open side of a one-way shape. A contact that has begun stays until the
/// bodies part.
fn one_way(
    a: &Collider,
    b: &Collider,
    places: [&Place; 2],
    [va, vb]: [Vec3; 2],
    from: usize,
    kept: &[Manifold],
    out: &mut Vec<Manifold>,
) {
    if kept.iter().any(|m| m.pushed() > 0.0) {
        return;
    }
    // the normal points to the first body: for a one-way first shape the solid side looks along −n
    let closed = |m: &Manifold| {
        let side = |c: &Collider, place: &Place, n: Vec3, v: Vec3| match c.one_way {
            // from the open side, or already inside: let it pass
            Some(up) => {
                let up = place.r * up;
                n.dot(up) > 0.5 && v.dot(up) <= 0.0 && m.gap() > -0.1 * c.size
            }
            None => true,
        };
        side(b, places[1], m.normal, va - vb) && side(a, places[0], -m.normal, vb - va)
    };
    let mut k = from;
    while k < out.len() {
        if closed(&out[k]) {
            k += 1;
        } else {
            out.remove(k);
        }
    }
}
