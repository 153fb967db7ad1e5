//! Systems of ball joints only, four bodies at a time.
//!
//! Chains, trees and nets of ball joints are the models people measure engines with, and their rows
//! have a simple form: ±1/√m times the unit matrix, and G = ±I^−½ (l × Rᵀe) with the arm l. Each
//! body's joints are dealt to *slots*; slot k of four neighbouring bodies forms lanes, so that
//! rows, previewed anchors, impulses and the blocks of A are computed for four bodies at once.
//! Other systems go through [`super::rows`], which knows every kind of row; both give the same
//! numbers up to rounding.

use super::ball_kernels as kernels;
use super::group::Group;
use super::path::Path;
use super::rows::Errors;
use super::{NONE, Node, System};
use crate::lanes::{F4, LANES};

/// One joint side for each of four bodies.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) group: u32,
    /// Whether the lane has a joint, its first row and its diagonal block.
    pub(super) active: [bool; LANES],
    pub(super) row: [u32; LANES],
    pub(super) diag: [u32; LANES],
    /// Arms in the bodies' frames; ±1/√m; ±I^−½.
    pub(super) arm: [F4; 3],
    pub(super) m: F4,
    pub(super) isi: [F4; 3],
    /// Angular rows: row i in entries 3i to 3i + 2.
    pub(super) g: [F4; 9],
    /// Previewed anchors.
    pub(super) end: [F4; 3],
}

/// Two slots of the same four bodies: an off-diagonal block per lane.
#[derive(Clone, Debug)]
pub(super) struct Cross {
    pub(super) slots: [u32; 2],
    /// Where the block goes, and whether the second slot's joint is the later one.
    pub(super) target: [u32; LANES],
    pub(super) transposed: [bool; LANES],
}

/// Where a joint's anchors are found: slot and lane, or a body that is not moved by impulses.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Lane(u32, u8),
    Fixed(u32),
}

/// What the residual of a joint needs, close together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) ends: [End; 2],
    pub(super) inverse_length2: f64,
}

/// The lanes of a system of ball joints.
#[derive(Clone, Debug)]
pub(crate) struct Balls {
    pub(super) slots: Vec<Slot>,
    pub(super) crosses: Vec<Cross>,
    /// Slots and crosses of each group.
    pub(super) of_group: Vec<[std::ops::Range<u32>; 2]>,
    pub(super) links: Vec<Link>,
    /// (Transverse frequency)² per force, by joint.
    pub(super) stiffness: Vec<f64>,
    /// Joints with a side on a body that impulses do not move.
    pub(super) anchored: Vec<u32>,
    /// The still shorter cut for a path without branches.
    pub(super) path: Option<Path>,
}

/// A joint on a body: node and side.
type Side = Option<(usize, usize)>;

/// The joints of each body, in the order of elimination.
fn joints_of_bodies(system: &System) -> Vec<Vec<Side>> {
    let mut sides: Vec<Vec<Side>> = vec![Vec::new(); system.slots.len()];
    for (k, node) in system.nodes.iter().enumerate() {
        for s in (0..2).filter(|&s| node.side[s] != NONE) {
            sides[node.bodies[s] as usize].push(Some((k, s)));
        }
    }
    sides
}

impl Balls {
    /// The lanes, if every joint of the system is a plain ball joint and the factor solves them
    /// all.
    pub fn new(system: &System) -> Option<Self> {
        // in the order of elimination every node then has rows 3k to 3k + 2
        let plain = |n: &Node| n.ball && !n.iterative && !n.velocity_only;
        if system.nodes.is_empty() || !system.nodes.iter().all(plain) {
            return None;
        }
        let path = Path::new(system);
        let sides = match &path {
            Some((_, sides)) => sides.iter().map(|s| s.to_vec()).collect(),
            None => joints_of_bodies(system),
        };
        let mut balls = Self {
            slots: Vec::new(),
            crosses: Vec::new(),
            of_group: Vec::new(),
            links: Vec::new(),
            stiffness: Vec::new(),
            anchored: Vec::new(),
            path: path.map(|p| p.0),
        };
        let anchored = |n: &Node| n.side[0] == NONE || n.side[1] == NONE;
        balls.anchored = (0..system.nodes.len() as u32)
            .filter(|&k| anchored(&system.nodes[k as usize]))
            .collect();
        let link = |n: &Node| Link {
            ends: [End::Fixed(n.bodies[0]), End::Fixed(n.bodies[1])],
            inverse_length2: n.inverse_length2,
        };
        balls.links = system.nodes.iter().map(link).collect();
        balls.stiffness = system.nodes.iter().map(|n| n.stiffness).collect();
        for (g, four) in sides.chunks(LANES).enumerate() {
            let (first, first_cross) = (balls.slots.len(), balls.crosses.len() as u32);
            for depth in 0..four.iter().map(Vec::len).max().unwrap_or(0) {
                let slot = balls.slot(system, g, four, depth);
                balls.slots.push(slot);
            }
            for a in first..balls.slots.len() {
                for b in first..a {
                    balls.cross(system, four, [a, b], [a - first, b - first]);
                }
            }
            let slots = first as u32..balls.slots.len() as u32;
            balls.of_group.push([slots, first_cross..balls.crosses.len() as u32]);
        }
        Some(balls)
    }

    fn slot(&mut self, system: &System, g: usize, four: &[Vec<Side>], depth: usize) -> Slot {
        let group = &system.groups[g];
        let mut slot = Slot {
            group: g as u32,
            active: [false; LANES],
            row: [0; LANES],
            diag: [0; LANES],
            arm: [F4::ZERO; 3],
            m: F4::ZERO,
            isi: [F4::ZERO; 3],
            g: [F4::ZERO; 9],
            end: [F4::ZERO; 3],
        };
        for (l, list) in four.iter().enumerate() {
            let Some(&Some((k, s))) = list.get(depth) else { continue };
            let node = &system.nodes[k];
            let sign = if s == 1 { 1.0 } else { -1.0 };
            slot.active[l] = true;
            slot.row[l] = node.row0;
            slot.diag[l] = system.factor.diag[k];
            slot.m.0[l] = sign * group.ism.0[l];
            for c in 0..3 {
                slot.arm[c].0[l] = node.frames[s].origin[c];
                slot.isi[c].0[l] = sign * group.isi[c].0[l];
            }
            self.links[k].ends[s] = End::Lane(self.slots.len() as u32, l as u8);
        }
        slot
    }

    fn cross(&mut self, system: &System, four: &[Vec<Side>], slots: [usize; 2], depth: [usize; 2]) {
        let mut cross = Cross {
            slots: slots.map(|s| s as u32),
            target: [NONE; LANES],
            transposed: [false; LANES],
        };
        for (l, list) in four.iter().enumerate() {
            let (Some(&Some((a, _))), Some(&Some((b, _)))) =
                (list.get(depth[0]), list.get(depth[1]))
            else {
                continue;
            };
            if let Some(target) = system.factor.find(a.max(b) as u32, a.min(b) as u32) {
                cross.target[l] = target;
                cross.transposed[l] = b > a;
            }
        }
        self.crosses.push(cross);
    }
}

impl Balls {
    /// Rows and matrix in the present poses.
    pub fn assemble(
        &mut self,
        groups: &[Group],
        values: &mut [f64],
        diag: &[u32],
        original: &mut [f64],
    ) {
        if let Some(path) = &mut self.path {
            path.ready = false;
        }
        kernels::assemble_kernel(self, groups, values, diag, original);
    }

    /// Rows and factor of a path; false when there is none, or when it needs the general factor in
    /// this pose.
    pub fn factorize_path(&mut self, groups: &[Group]) -> bool {
        self.path.as_mut().is_some_and(|p| p.factorize(&mut self.slots, groups))
    }

    /// Solves with the factor of the path; false when the general factor is the present one.
    pub fn solve_path(&mut self, z: &mut [f64]) -> bool {
        match &mut self.path {
            Some(path) if path.ready => path.solve(z),
            _ => return false,
        }
        true
    }

    /// Velocities of anchors on kinematic bodies.
    pub fn refresh_bias(&self, system: &mut System) {
        for &k in &self.anchored {
            let node = &system.nodes[k as usize];
            for s in (0..2).filter(|&s| node.side[s] == NONE) {
                let other = &system.others[node.bodies[s] as usize - system.slots.len()];
                let arm = other.now.r * node.frames[s].origin;
                let velocity = other.velocity + other.angular_velocity.cross(arm);
                let signed = if s == 1 { velocity } else { -velocity };
                system.bias[node.row0 as usize..][..3].copy_from_slice(&signed.to_array());
            }
        }
    }

    /// Adds the impulses `z` to the velocities.
    pub fn apply(&self, groups: &mut [Group], z: &[f64]) {
        kernels::apply_kernel(self, groups, z);
    }

    /// Adds the impulses `z` and previews bodies and anchors over `h`.
    pub fn apply_preview(&mut self, groups: &mut [Group], z: &[f64], h: f64) {
        kernels::apply_preview_kernel(self, groups, z, h);
    }

    /// Adds the rates of the residuals to `out`.
    pub fn add_rates(&self, groups: &[Group], out: &mut [f64]) {
        match &self.path {
            Some(path) => path.add_rates(&self.slots, groups, out),
            None => kernels::rates_kernel(self, groups, out),
        }
    }

    /// Anchors in the previewed poses.
    pub fn ends(&mut self, groups: &[Group]) {
        kernels::ends_kernel(self, groups);
    }

    /// Residuals of the previewed anchors.
    pub fn residual(&self, system: &mut System) -> Errors {
        match &self.path {
            Some(path) => path.residual(system, &self.slots),
            None => kernels::residual_kernel(system, self),
        }
    }

    /// Largest product of a joint's impulse and its stiffness.
    pub fn load(&self, lambda: &[f64], mu: &[f64]) -> f64 {
        kernels::load_kernel(self, lambda, mu).sqrt()
    }
}
