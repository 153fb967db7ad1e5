//! Which pairs of bodies can meet: boxes that are fat enough to serve for several steps, and the
//! filters (B-61, B-62).
//!
//! The list of pairs is made anew only when some shape, with the way it can go in a step, leaves
//! its fat box; fat boxes reach ahead along the motion. A longer list than needed changes nothing
//! but time: the narrow phase drops what is too far.

use super::again::DEEP_SHARE;
use super::chance;
use super::collider::{Collider, Place};
use crate::math::Vec3;
use crate::model::Model;
use kreisel_geometry::broad::{Aabb, BoxTree, BroadPhase};
use kreisel_geometry::contact::ContactCache;

/// What a fat box adds to the way of one step, m; at most a quarter of the shape.
const FAT: f64 = 0.05;

/// Steps that a fat box reaches ahead: the list serves as long, and making it costs as much as
/// looking through one ten times as long.
const AHEAD: f64 = 3.0;

/// A list with more pairs than so many times the bodies is looked through for heaps of bodies
/// inside each other.
const CROWDED: usize = 16;

/// Deep overlaps of one body that are looked at, on average; bodies that do not overlap have room
/// for twelve neighbours of their size.
const NEIGHBOURS: u32 = 16;

/// How a pair was told apart, and for how long that holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    pub cache: ContactCache,
    /// The pair has no contacts within a margin until the odometers of both bodies exceed this by
    /// less than the margin, m; 0 is unknown.
    pub until: f64,
}

/// Candidates for contact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    tree: BoxTree,
    fat: Vec<Aabb>,
    /// Shapes with the way they can go in the coming step.
    pub swept: Vec<Aabb>,
    /// Pairs of numbers of colliders, sorted.
    list: Vec<[u32; 2]>,
    /// What each pair of the list knows; never changes what is found.
    known: Vec<Known>,
    old: (Vec<[u32; 2]>, Vec<Known>),
    /// The same for the pairs that are looked at in a crowd, and where they stand in the list.
    chosen_known: Vec<Known>,
    chosen_at: Vec<u32>,
    /// Those of them that are looked at where the list is crowded, and whether it is.
    chosen: Vec<[u32; 2]>,
    crowded: bool,
    /// Scratch: deep pairs of each collider, and its other pairs in a heap.
    crowd: Vec<[u32; 2]>,
    /// Slots of bodies that a joint or a constraint links, sorted: they do not collide.
    excluded: Vec<[u32; 2]>,
    fresh: bool,
}

impl Pairs {
    /// Learns which pairs joints and constraints exclude; the list is made anew at the next update.
    pub fn rebuild(&mut self, model: &Model) {
        self.fresh = false;
        // colliders have new numbers
        self.list.clear();
        self.known.clear();
        self.excluded = model.linked_slots();
    }

    /// Pairs to look at, sorted.
    pub fn now(&self) -> &[[u32; 2]] {
        if self.crowded { &self.chosen } else { &self.list }
    }

    /// Whether bodies lie inside each other in heaps, so that not all pairs are looked at.
    pub fn is_crowded(&self) -> bool {
        self.crowded
    }

    /// Chooses pairs in heaps of bodies that lie inside each other, where all pairs would be half
    /// the square of the bodies: each body keeps about [`NEIGHBOURS`] of the pairs whose cores
    /// overlap, by chance, and as many of the others that it has with bodies of the heap. As the
    /// heap comes apart all of them come into sight.
    pub fn choose(&mut self, colliders: &[Collider], places: &[Place]) {
        self.crowded = self.list.len() > CROWDED * colliders.len();
        if !self.crowded {
            return;
        }
        let deep = |p: &[u32; 2]| {
            let [a, b] = p.map(|c| &colliders[c as usize]);
            let (near, size) = (a.core + b.core, a.size.min(b.size));
            let [x, y] = [a, b].map(|c| c.middle(&places[c.slot as usize]));
            a.moves
                && b.moves
                && !a.sensor
                && !b.sensor
                && (x - y).length() < near - DEEP_SHARE * size
        };
        // deep pairs of each collider; those that have many make the heaps, and have other pairs in
        // them
        self.crowd.clear();
        self.crowd.resize(colliders.len(), [0; 2]);
        for p in self.list.iter().filter(|p| deep(p)) {
            p.iter().for_each(|&c| self.crowd[c as usize][0] += 1);
        }
        let most = |crowd: &[[u32; 2]], p: &[u32; 2], k: usize| {
            p.map(|c| crowd[c as usize][k]).into_iter().max()
        };
        let in_heap =
            |crowd: &[[u32; 2]], p: &[u32; 2]| p.iter().all(|&c| crowd[c as usize][0] > NEIGHBOURS);
        for p in self.list.iter().filter(|p| !deep(p)) {
            if in_heap(&self.crowd, p) {
                p.iter().for_each(|&c| self.crowd[c as usize][1] += 1);
            }
        }
        let kept = |p: &&[u32; 2]| {
            let k = usize::from(!deep(p));
            let of = most(&self.crowd, p, k).unwrap_or(0);
            k == 1 && !in_heap(&self.crowd, p)
                || chance::number(**p) * f64::from(of) < f64::from(NEIGHBOURS)
        };
        self.chosen.clear();
        self.chosen_at.clear();
        for (k, p) in self.list.iter().enumerate().filter(|(_, p)| kept(p)) {
            self.chosen.push(*p);
            self.chosen_at.push(k as u32);
        }
        // a long list alone (fast bodies) is no crowd
        self.crowded = self.chosen.len() < self.list.len();
    }

    /// What the pairs of [`Self::now`] know, for a while.
    pub fn take_known(&mut self) -> Vec<Known> {
        if !self.crowded {
            return std::mem::take(&mut self.known);
        }
        let mut taken = std::mem::take(&mut self.chosen_known);
        taken.clear();
        taken.extend(self.chosen_at.iter().map(|&k| self.known[k as usize]));
        taken
    }

    /// Gives it back.
    pub fn give_known(&mut self, taken: Vec<Known>) {
        if !self.crowded {
            self.known = taken;
            return;
        }
        for (&k, known) in self.chosen_at.iter().zip(&taken) {
            self.known[k as usize] = *known;
        }
        self.chosen_known = taken;
    }

    /// Brings boxes and list up to date; `reach` is how far each collider can get in the coming
    /// step, `way` where its velocity takes the body in a slot.
    pub fn update(
        &mut self,
        colliders: &[Collider],
        places: &[Place],
        reach: &[f64],
        way: impl Fn(u32) -> Vec3,
        threads: bool,
    ) {
        self.swept.clear();
        self.swept.extend(
            colliders.iter().zip(reach).map(|(c, r)| c.bounds(&places[c.slot as usize], *r)),
        );
        let holds = |fat: &Aabb, b: &Aabb| fat.lo.cmple(b.lo).all() && fat.hi.cmpge(b.hi).all();
        if self.fresh
            && self.fat.len() == self.swept.len()
            && self.fat.iter().zip(&self.swept).all(|(f, s)| holds(f, s))
        {
            return;
        }
        self.fresh = true;
        self.fat.clear();
        for (c, s) in colliders.iter().zip(&self.swept) {
            self.fat.push(if c.moves || c.kinematic {
                let (fat, ahead) = (s.enlarged(FAT.min(0.25 * c.size)), AHEAD * way(c.slot));
                fat.union(&Aabb { lo: fat.lo + ahead, hi: fat.hi + ahead })
            } else {
                *s
            });
        }
        std::mem::swap(&mut self.list, &mut self.old.0);
        std::mem::swap(&mut self.known, &mut self.old.1);
        self.list = if threads {
            self.tree.pairs_on_threads(&self.fat)
        } else {
            self.tree.pairs(&self.fat)
        };
        let excluded = &self.excluded;
        self.list.retain(|p| {
            let (a, b) = (&colliders[p[0] as usize], &colliders[p[1] as usize]);
            // colliders stand in the order of their bodies' slots
            allowed(a, b) && excluded.binary_search(&[a.slot, b.slot]).is_err()
        });
        // both lists are sorted: pairs that stay keep what they know
        self.known.clear();
        let mut known = self.old.0.iter().zip(&self.old.1).peekable();
        for p in &self.list {
            while known.next_if(|(q, _)| *q < p).is_some() {}
            self.known
                .push(known.next_if(|(q, _)| *q == p).map_or_else(Known::default, |(_, c)| *c));
        }
    }
}

/// Whether two colliders may meet at all.
pub(crate) fn allowed(a: &Collider, b: &Collider) -> bool {
    let moves = a.moves || b.moves || (a.sensor || b.sensor) && (a.kinematic || b.kinematic);
    moves && a.slot != b.slot && a.with & b.member != 0 && b.with & a.member != 0
}
