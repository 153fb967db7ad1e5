//! Which pairs are tested at all: the pair matrix.
//!
//! Reference: Bender 2007, section 4.5 (B-62): two static bodies never collide, the user excludes
//! pairs, bodies that a joint connects usually ignore each other.

use std::collections::BTreeSet;

/// Group and mask of a body: two bodies meet if each one's mask contains the other's group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The groups that the body belongs to, as bits.
    pub member: u32,
    /// The groups that it collides with, as bits.
    pub with: u32,
}

impl Default for Groups {
    fn default() -> Self {
        Self { member: 1, with: u32::MAX }
    }
}

/// Decides about pairs of bodies.
///
/// ```
/// use kreisel_geometry::broad::{Groups, PairFilter};
/// let mut filter = PairFilter::new(3);
/// filter.set_static(0, true);
/// filter.exclude(1, 2);
/// assert!(filter.allows(0, 1) && !filter.allows(2, 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairFilter {
    groups: Vec<Groups>,
    fixed: Vec<bool>,
    excluded: BTreeSet<[u32; 2]>,
}

impl PairFilter {
    /// For `n` moving bodies that all may meet.
    pub fn new(n: usize) -> Self {
        Self {
            groups: vec![Groups::default(); n],
            fixed: vec![false; n],
            excluded: BTreeSet::new(),
        }
    }

    /// Declares a body static or moving. Unknown numbers are ignored.
    pub fn set_static(&mut self, body: u32, fixed: bool) {
        if let Some(x) = self.fixed.get_mut(body as usize) {
            *x = fixed;
        }
    }

    /// Sets the groups of a body. Unknown numbers are ignored.
    pub fn set_groups(&mut self, body: u32, groups: Groups) {
        if let Some(x) = self.groups.get_mut(body as usize) {
            *x = groups;
        }
    }

    /// Never tests this pair, for example because a joint connects it.
    pub fn exclude(&mut self, a: u32, b: u32) {
        self.excluded.insert([a.min(b), a.max(b)]);
    }

    /// Tests this pair again.
    pub fn include(&mut self, a: u32, b: u32) {
        self.excluded.remove(&[a.min(b), a.max(b)]);
    }

    /// Whether a pair is to be tested. A body that the filter does not know is a moving one in all
    /// groups.
    pub fn allows(&self, a: u32, b: u32) -> bool {
        let fixed = |i: u32| self.fixed.get(i as usize).copied().unwrap_or(false);
        let groups = |i: u32| self.groups.get(i as usize).copied().unwrap_or_default();
        let (g, h) = (groups(a), groups(b));
        a != b
            && !(fixed(a) && fixed(b))
            && g.with & h.member != 0
            && h.with & g.member != 0
            && !self.excluded.contains(&[a.min(b), a.max(b)])
    }

    /// Keeps the allowed pairs.
    pub fn retain(&self, pairs: &mut Vec<[u32; 2]>) {
        pairs.retain(|&[a, b]| self.allows(a, b));
    }
}
