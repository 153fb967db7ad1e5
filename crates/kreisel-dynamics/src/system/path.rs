//! Paths of ball joints, factorised and solved in four lanes.
//!
//! A path (a chain, a rope) has no branches for the lanes to work on side by side, so it is cut:
//! lane l holds the l-th quarter of its bodies, and joint (l, g) is the one before body (l, g). The
//! first joint of each lane is a *separator*. All other joints of a lane are eliminated from front
//! to back, four lanes at once; every column then has two blocks below: its successor and its
//! lane's separator. What is left are four separators in a row.
//!
//! ```text
//! lane 0   S₀ ─ (0,1) ─ (0,2) … (0,q−1) ─┐        D    diagonal block of a column
//! lane 1   S₁ ─ (1,1) ─ (1,2) … (1,q−1) ─┤S₂      N    its block with the next joint
//! lane 2   S₂ ─ …                                 S    its block with the separator (rows of the separator)
//! lane 3   S₃ ─ …
//! ```
//!
//! Twice the operations of the order from both ends, at four times the speed, and nothing is
//! scattered: assembly, residuals and rates find the neighbours of a joint in its own lane. Only
//! the last body of a lane pulls on the next lane's separator.
//!
//! Blocks are inverted by cofactors (one division). A block whose pivots are small beside its
//! diagonal (extreme mass ratios) ends the work: the general factor, which pivots and drops rows,
//! takes over for that pose.

use super::balls::Slot;
use super::group::Group;
use super::path_kernels as kernels;
use super::rows::Errors;
use super::{NONE, Node, System};
use crate::lanes::{F4, LANES};

/// Shorter paths gain nothing: the separators are a fourth of them.
const SHORTEST: usize = 24;

/// Bodies of each lane: equal, the last lanes one less.
pub(super) fn lane_lengths(bodies: usize) -> [usize; LANES] {
    let longest = bodies.div_ceil(LANES);
    let short = longest * LANES - bodies;
    std::array::from_fn(|l| longest - usize::from(l >= LANES - short))
}

/// Order of the bodies of a path that lays its quarters into the lanes: `None` when the joints
/// (pairs of bodies, or a body and the frame) do not make a long path with at most one end held.
pub(super) fn interleave(bodies: usize, joints: &[[Option<usize>; 2]]) -> Option<Vec<usize>> {
    if bodies < SHORTEST {
        return None;
    }
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); bodies];
    let mut held = None;
    for pair in joints {
        match *pair {
            [Some(a), Some(b)] => {
                near[a].push(b);
                near[b].push(a);
            }
            [Some(a), None] | [None, Some(a)] => {
                if held.replace(a).is_some() {
                    return None;
                }
            }
            [None, None] => return None,
        }
    }
    let links: usize = near.iter().map(Vec::len).sum();
    if near.iter().any(|n| n.len() > 2) || links != 2 * (bodies - 1) {
        return None;
    }
    let first = held.or_else(|| near.iter().position(|n| n.len() == 1))?;
    if near[first].len() != 1 {
        return None;
    }
    let mut path = vec![first];
    let mut last = usize::MAX;
    while let Some(&next) = near[path[path.len() - 1]].iter().find(|&&b| b != last) {
        last = path[path.len() - 1];
        path.push(next);
        if path.len() > bodies {
            return None;
        }
    }
    if path.len() != bodies {
        return None;
    }
    let lengths = lane_lengths(bodies);
    let starts = starts(lengths);
    let groups = lengths[0];
    let mut order = Vec::with_capacity(bodies);
    for g in 0..groups {
        order.extend((0..LANES).filter(|&l| g < lengths[l]).map(|l| path[starts[l] + g]));
    }
    Some(order)
}

fn starts(lengths: [usize; LANES]) -> [usize; LANES] {
    std::array::from_fn(|l| lengths[..l].iter().sum())
}

/// Four joints of the path, one per lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Four {
    pub(super) row: [u32; LANES],
    pub(super) active: [bool; LANES],
    /// +1 where the joint's second body is the one behind it, −1 where it is the one before, 0 in
    /// idle lanes.
    pub(super) sign: F4,
    pub(super) inverse_length2: F4,
    /// 1 in idle lanes: their diagonal.
    pub(super) pad: F4,
}

/// A column of the factor: D⁻¹ (lower triangle), N D⁻¹ and S D⁻¹ by rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Column {
    pub(super) inverse: [F4; 6],
    pub(super) next: [F4; 9],
    pub(super) separator: [F4; 9],
}

/// A path of ball joints.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) joints: Vec<Four>,
    pub(super) columns: Vec<Column>,
    /// Joints of each lane, the separator included.
    pub(super) lengths: [usize; LANES],
    /// For each lane but the last: its last column's block with the next separator, times D⁻¹.
    pub(super) tails: [[f64; 9]; 3],
    /// The separators' factor: inverse blocks, and blocks with the next one.
    pub(super) inverse: [[f64; 9]; LANES],
    pub(super) next: [[f64; 9]; 3],
    /// The joint of the first body with the frame.
    pub(super) held: Option<u32>,
    /// Scratch of the solution.
    pub(super) z: Vec<[F4; 3]>,
    /// Whether the factor belongs to the present poses.
    pub(super) ready: bool,
}

/// The joints (node and side) before and behind each body.
pub(super) type Sides = Vec<[Option<(usize, usize)>; 2]>;

impl Path {
    /// The path, if the system's bodies lie in the lanes as [`interleave`] puts them; and the
    /// joints of each body.
    pub fn new(system: &System) -> Option<(Self, Sides)> {
        let bodies = system.slots.len();
        if bodies < SHORTEST {
            return None;
        }
        let lengths = lane_lengths(bodies);
        let starts = starts(lengths);
        let place = |b: usize| starts[b % LANES] + b / LANES;
        let mut sides: Sides = vec![[None; 2]; bodies];
        let mut held = None;
        for (k, node) in system.nodes.iter().enumerate() {
            let moving = |s: usize| Some(node.bodies[s] as usize).filter(|_| node.side[s] != NONE);
            let ends: [(usize, usize, usize); 2] = match [moving(0), moving(1)] {
                [Some(a), Some(b)] if place(b) == place(a) + 1 => [(a, 0, 1), (b, 1, 0)],
                [Some(a), Some(b)] if place(a) == place(b) + 1 => [(b, 1, 1), (a, 0, 0)],
                [Some(a), None] | [None, Some(a)] if place(a) == 0 && held.is_none() => {
                    held = Some(k as u32);
                    let s = usize::from(node.side[1] != NONE);
                    [(a, s, 0); 2]
                }
                _ => return None,
            };
            for (body, side, behind) in ends {
                let at = &mut sides[body][behind];
                if at.is_some_and(|other| other != (k, side)) {
                    return None;
                }
                *at = Some((k, side));
            }
        }
        let linked = |b: usize| place(b) + 1 == bodies || sides[b][1].is_some();
        if !(0..bodies).all(linked) {
            return None;
        }
        let four = |g: usize| {
            let mut four = Four {
                row: [0; LANES],
                active: [false; LANES],
                sign: F4::ZERO,
                inverse_length2: F4::ZERO,
                pad: F4::splat(1.0),
            };
            for l in 0..LANES {
                let Some((k, side)) = sides.get(LANES * g + l).and_then(|s| s[0]) else { continue };
                let node: &Node = &system.nodes[k];
                (four.row[l], four.active[l], four.pad.0[l]) = (node.row0, true, 0.0);
                four.sign.0[l] = if side == 1 { 1.0 } else { -1.0 };
                four.inverse_length2.0[l] = node.inverse_length2;
            }
            four
        };
        let groups = lengths[0];
        let path = Self {
            joints: (0..groups).map(four).collect(),
            columns: vec![Column::default(); groups],
            lengths,
            tails: [[0.0; 9]; 3],
            inverse: [[0.0; 9]; LANES],
            next: [[0.0; 9]; 3],
            held,
            z: vec![[F4::ZERO; 3]; groups],
            ready: false,
        };
        Some((path, sides))
    }

    /// Renews the rows in the slots and the factor; false when a block is too near to singular.
    pub fn factorize(&mut self, slots: &mut [Slot], groups: &[Group]) -> bool {
        self.ready = kernels::factorize_kernel(self, slots, groups);
        self.ready
    }

    /// Solves A z = z.
    pub fn solve(&mut self, z: &mut [f64]) {
        kernels::solve_kernel(self, z);
    }

    /// Adds the rates of the residuals to `out`.
    pub fn add_rates(&self, slots: &[Slot], groups: &[Group], out: &mut [f64]) {
        kernels::rates_kernel(self, slots, groups, out);
    }

    /// Residuals of the previewed anchors.
    pub fn residual(&self, system: &mut System, slots: &[Slot]) -> Errors {
        let point = self.held.map_or([0.0; 3], |k| {
            let node = &system.nodes[k as usize];
            let side = usize::from(node.side[0] != NONE);
            let pose = system.others[node.bodies[side] as usize - system.slots.len()].then;
            (pose.x + pose.r * node.frames[side].origin).to_array()
        });
        let scale = 1.0 / system.tolerance.position;
        let (worst, node, relative) =
            kernels::residual_kernel(self, slots, &mut system.residual, point);
        Errors { ratio: f64::sqrt(worst) * scale, node, relative: f64::sqrt(relative) }
    }

    /// Group of the last joint of a lane.
    #[inline(always)]
    pub(super) fn last(&self, lane: usize) -> usize {
        self.lengths[lane] - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_of_a_path_lie_in_the_lanes() {
        assert_eq!(lane_lengths(26), [7, 7, 6, 6]);
        let joints: Vec<[Option<usize>; 2]> = std::iter::once([None, Some(0)])
            .chain((1..26).map(|b| [Some(b - 1), Some(b)]))
            .collect();
        let order = interleave(26, &joints).expect("a path");
        assert_eq!(order[..5], [0, 7, 14, 20, 1]);
        assert_eq!(order[24..], [6, 13]);
    }

    #[test]
    fn rings_branches_and_paths_held_twice_are_no_paths() {
        let path: Vec<[Option<usize>; 2]> = (1..30).map(|b| [Some(b - 1), Some(b)]).collect();
        assert!(interleave(30, &path).is_some());
        for more in [[Some(0), Some(29)], [Some(3), Some(9)], [None, Some(12)], [Some(3), Some(4)]]
        {
            let mut joints = path.clone();
            joints.push(more);
            assert!(interleave(30, &joints).is_none(), "{more:?}");
        }
        let mut twice = path;
        twice.extend([[None, Some(0)], [Some(29), None]]);
        assert!(interleave(30, &twice).is_none());
    }
}
