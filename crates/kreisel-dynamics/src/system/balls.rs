//! Systems of ball joints only, four bodies at a time.
//!
//! Chains, trees and nets of ball joints are the models people measure engines with, and their rows have a simple form:
//! ±1/√m times the unit matrix, and G = ±I^−½ (l × Rᵀe) with the arm l. Each body's joints are dealt to *slots*; slot k of
//! four neighbouring bodies forms lanes, so that rows, previewed anchors, impulses and the blocks of A are computed
//! for four bodies at once. Other systems go through [`super::rows`], which knows every kind of row; both give the same
//! numbers up to rounding.

use super::group::Group;
use super::rows::Errors;
use super::{NONE, Node, System};
use crate::lanes::{F4, LANES, add_scaled, mat_vec};
use crate::simd::kernel;

/// One joint side for each of four bodies.
#[derive(Clone, Debug)]
struct Slot {
    group: u32,
    /// Whether the lane has a joint, its first row and its diagonal block.
    active: [bool; LANES],
    row: [u32; LANES],
    diag: [u32; LANES],
    /// Arms in the bodies' frames; ±1/√m; ±I^−½.
    arm: [F4; 3],
    m: F4,
    isi: [F4; 3],
    /// Angular rows: row i in entries 3i to 3i + 2.
    g: [F4; 9],
    /// Previewed anchors.
    end: [F4; 3],
}

/// Two slots of the same four bodies: an off-diagonal block per lane.
#[derive(Clone, Debug)]
struct Cross {
    slots: [u32; 2],
    /// Where the block goes, and whether the second slot's joint is the later one.
    target: [u32; LANES],
    transposed: [bool; LANES],
}

/// Where a joint's anchors are found: slot and lane, or a body that is not moved by impulses.
#[derive(Clone, Copy, Debug)]
enum End {
    Lane(u32, u8),
    Fixed(u32),
}

/// What the residual of a joint needs, close together.
#[derive(Clone, Copy, Debug)]
struct Link {
    ends: [End; 2],
    inverse_length2: f64,
}

/// The lanes of a system of ball joints.
#[derive(Clone, Debug)]
pub(crate) struct Balls {
    slots: Vec<Slot>,
    crosses: Vec<Cross>,
    /// Slots and crosses of each group.
    of_group: Vec<[std::ops::Range<u32>; 2]>,
    links: Vec<Link>,
    /// (Transverse frequency)² per force, by joint.
    stiffness: Vec<f64>,
    /// Joints with a side on a body that impulses do not move.
    anchored: Vec<u32>,
}

impl Balls {
    /// The lanes, if every joint of the system is a plain ball joint and the factor solves them all.
    pub fn new(system: &System) -> Option<Self> {
        // in the order of elimination every node then has rows 3k to 3k + 2
        let plain = |n: &Node| n.ball && !n.iterative && !n.velocity_only;
        if system.nodes.is_empty() || !system.nodes.iter().all(plain) {
            return None;
        }
        let mut sides: Vec<Vec<(usize, usize)>> = vec![Vec::new(); system.slots.len()];
        for (k, node) in system.nodes.iter().enumerate() {
            for s in (0..2).filter(|&s| node.side[s] != NONE) {
                sides[node.bodies[s] as usize].push((k, s));
            }
        }
        let mut balls = Self {
            slots: Vec::new(),
            crosses: Vec::new(),
            of_group: Vec::new(),
            links: Vec::new(),
            stiffness: Vec::new(),
            anchored: Vec::new(),
        };
        let anchored = |n: &Node| n.side[0] == NONE || n.side[1] == NONE;
        balls.anchored = (0..system.nodes.len() as u32).filter(|&k| anchored(&system.nodes[k as usize])).collect();
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

    fn slot(&mut self, system: &System, g: usize, four: &[Vec<(usize, usize)>], depth: usize) -> Slot {
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
            let Some(&(k, s)) = list.get(depth) else { continue };
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

    fn cross(&mut self, system: &System, four: &[Vec<(usize, usize)>], slots: [usize; 2], depth: [usize; 2]) {
        let mut cross = Cross { slots: slots.map(|s| s as u32), target: [NONE; LANES], transposed: [false; LANES] };
        for (l, list) in four.iter().enumerate() {
            let (Some(&(a, _)), Some(&(b, _))) = (list.get(depth[0]), list.get(depth[1])) else { continue };
            if let Some(target) = system.factor.find(a.max(b) as u32, a.min(b) as u32) {
                cross.target[l] = target;
                cross.transposed[l] = b > a;
            }
        }
        self.crosses.push(cross);
    }
}

/// Rows of one slot for the present rotation.
#[inline(always)]
fn refresh_slot(s: &mut Slot, r: &[F4; 9]) {
    for i in 0..3 {
        // Rᵀ eᵢ is row i of R
        let e = [r[i], r[3 + i], r[6 + i]];
        s.g[3 * i] = s.isi[0] * (s.arm[1] * e[2] - s.arm[2] * e[1]);
        s.g[3 * i + 1] = s.isi[1] * (s.arm[2] * e[0] - s.arm[0] * e[2]);
        s.g[3 * i + 2] = s.isi[2] * (s.arm[0] * e[1] - s.arm[1] * e[0]);
    }
}

/// Entry (i, j) of G Hᵀ.
#[inline(always)]
fn entry(g: &[F4; 9], i: usize, h: &[F4; 9], j: usize) -> F4 {
    g[3 * i] * h[3 * j] + g[3 * i + 1] * h[3 * j + 1] + g[3 * i + 2] * h[3 * j + 2]
}

/// Diagonal blocks of one slot.
#[inline(always)]
fn add_diagonal(s: &Slot, values: &mut [f64]) {
    let m = s.m * s.m;
    let d = [
        m + entry(&s.g, 0, &s.g, 0),
        entry(&s.g, 1, &s.g, 0),
        m + entry(&s.g, 1, &s.g, 1),
        entry(&s.g, 2, &s.g, 0),
        entry(&s.g, 2, &s.g, 1),
        m + entry(&s.g, 2, &s.g, 2),
    ];
    for l in 0..LANES {
        if s.active[l] {
            let v = &mut values[s.diag[l] as usize..][..9];
            v[0] += d[0].0[l];
            v[3] += d[1].0[l];
            v[4] += d[2].0[l];
            v[6] += d[3].0[l];
            v[7] += d[4].0[l];
            v[8] += d[5].0[l];
        }
    }
}

/// Off-diagonal blocks of two slots of the same bodies.
#[inline(always)]
fn add_cross(c: &Cross, a: &Slot, b: &Slot, values: &mut [f64]) {
    let m = a.m * b.m;
    let mut p = [F4::ZERO; 9];
    for i in 0..3 {
        for j in 0..3 {
            p[3 * i + j] = entry(&a.g, i, &b.g, j);
        }
        p[4 * i] += m;
    }
    for l in 0..LANES {
        if c.target[l] == NONE {
            continue;
        }
        let v = &mut values[c.target[l] as usize..][..9];
        if c.transposed[l] {
            for i in 0..3 {
                for j in 0..3 {
                    v[3 * j + i] += p[3 * i + j].0[l];
                }
            }
        } else {
            for i in 0..9 {
                v[i] += p[i].0[l];
            }
        }
    }
}

/// Rows and matrix in the present poses, group by group while they are at hand.
#[inline(always)]
fn assemble_body(balls: &mut Balls, groups: &[Group], values: &mut [f64], diag: &[u32], original: &mut [f64]) {
    values.fill(0.0);
    for (group, [slots, crosses]) in groups.iter().zip(&balls.of_group) {
        for s in &mut balls.slots[slots.start as usize..slots.end as usize] {
            refresh_slot(s, &group.r);
            add_diagonal(s, values);
        }
        for c in &balls.crosses[crosses.start as usize..crosses.end as usize] {
            add_cross(c, &balls.slots[c.slots[0] as usize], &balls.slots[c.slots[1] as usize], values);
        }
    }
    for (&d, o) in diag.iter().zip(original.chunks_exact_mut(3)) {
        let d = &values[d as usize..][..9];
        (o[0], o[1], o[2]) = (d[0], d[4], d[8]);
    }
}

#[inline(always)]
fn gather(z: &[f64], row: &[u32; LANES], i: usize) -> F4 {
    F4([z[row[0] as usize + i], z[row[1] as usize + i], z[row[2] as usize + i], z[row[3] as usize + i]])
}

/// Adds the impulses of one slot. Lanes without a joint have zero rows.
#[inline(always)]
fn apply_slot(s: &Slot, y: &mut [F4; 6], z: &[f64]) {
    let (a, b, c) = (gather(z, &s.row, 0), gather(z, &s.row, 1), gather(z, &s.row, 2));
    y[0] += s.m * a;
    y[1] += s.m * b;
    y[2] += s.m * c;
    for k in 0..3 {
        y[3 + k] += s.g[k] * a + s.g[3 + k] * b + s.g[6 + k] * c;
    }
}

#[inline(always)]
fn apply_body(balls: &Balls, groups: &mut [Group], z: &[f64]) {
    for s in &balls.slots {
        apply_slot(s, &mut groups[s.group as usize].y, z);
    }
}

/// Adds impulses, previews bodies and anchors, group by group while they are at hand.
#[inline(always)]
fn apply_preview_body(balls: &mut Balls, groups: &mut [Group], z: &[f64], h: f64) {
    for (group, [slots, _]) in groups.iter_mut().zip(&balls.of_group) {
        let slots = &mut balls.slots[slots.start as usize..slots.end as usize];
        for s in slots.iter() {
            apply_slot(s, &mut group.y, z);
        }
        group.preview(h);
        for s in slots {
            s.end = add_scaled(group.x1, F4::splat(1.0), mat_vec(&group.r1, s.arm));
        }
    }
}

#[inline(always)]
fn ends_body(balls: &mut Balls, groups: &[Group]) {
    for s in &mut balls.slots {
        let g = &groups[s.group as usize];
        s.end = add_scaled(g.x1, F4::splat(1.0), mat_vec(&g.r1, s.arm));
    }
}

#[inline(always)]
fn rates_body(balls: &Balls, groups: &[Group], out: &mut [f64]) {
    for s in &balls.slots {
        let y = &groups[s.group as usize].y;
        let mut rate = [F4::ZERO; 3];
        for i in 0..3 {
            rate[i] = s.m * y[i] + (s.g[3 * i] * y[3] + s.g[3 * i + 1] * y[4] + s.g[3 * i + 2] * y[5]);
        }
        for l in 0..LANES {
            if s.active[l] {
                let o = &mut out[s.row[l] as usize..][..3];
                o[0] += rate[0].0[l];
                o[1] += rate[1].0[l];
                o[2] += rate[2].0[l];
            }
        }
    }
}

/// Residuals from the previewed anchors.
#[inline(always)]
fn residual_body(s: &mut System, balls: &Balls) -> Errors {
    let scale = 1.0 / (s.tolerance.position * s.tolerance.position);
    let (mut worst, mut node, mut relative) = (0.0, NONE, 0.0);
    for (k, link) in balls.links.iter().enumerate() {
        let mut p = [[0.0; 3]; 2];
        for side in 0..2 {
            p[side] = match link.ends[side] {
                End::Lane(slot, l) => {
                    let (e, l) = (&balls.slots[slot as usize].end, usize::from(l));
                    [e[0].0[l], e[1].0[l], e[2].0[l]]
                }
                End::Fixed(body) => {
                    let pose = s.others[body as usize - s.slots.len()].then;
                    (pose.x + pose.r * s.nodes[k].frames[side].origin).to_array()
                }
            };
        }
        let d = [p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]];
        s.residual[3 * k..3 * k + 3].copy_from_slice(&d);
        let gap = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        // written so that NaN counts as the worst error
        if !(gap <= worst) {
            (worst, node) = (gap, k as u32);
        }
        let r = gap * link.inverse_length2;
        if !(r <= relative) {
            relative = r;
        }
    }
    Errors { ratio: (worst * scale).sqrt(), node, relative: f64::sqrt(relative) }
}

/// Largest |λ + µ|² stiffness² over all joints.
#[inline(always)]
fn load_body(balls: &Balls, lambda: &[f64], mu: &[f64]) -> f64 {
    let mut worst = 0.0;
    for (k, s) in balls.stiffness.iter().enumerate() {
        let (l, m) = (&lambda[3 * k..3 * k + 3], &mu[3 * k..3 * k + 3]);
        let p = [l[0] + m[0], l[1] + m[1], l[2] + m[2]];
        let load = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * (s * s);
        worst = if load > worst { load } else { worst };
    }
    worst
}

kernel! { fn assemble_kernel(balls: &mut Balls, groups: &[Group], values: &mut [f64], diag: &[u32], original: &mut [f64]) = assemble_body }
kernel! { fn apply_kernel(balls: &Balls, groups: &mut [Group], z: &[f64]) = apply_body }
kernel! { fn apply_preview_kernel(balls: &mut Balls, groups: &mut [Group], z: &[f64], h: f64) = apply_preview_body }
kernel! { fn ends_kernel(balls: &mut Balls, groups: &[Group]) = ends_body }
kernel! { fn rates_kernel(balls: &Balls, groups: &[Group], out: &mut [f64]) = rates_body }
kernel! { fn residual_kernel(s: &mut System, balls: &Balls) -> Errors = residual_body }
kernel! { fn load_kernel(balls: &Balls, lambda: &[f64], mu: &[f64]) -> f64 = load_body }

impl Balls {
    /// Rows and matrix in the present poses.
    pub fn assemble(&mut self, groups: &[Group], values: &mut [f64], diag: &[u32], original: &mut [f64]) {
        assemble_kernel(self, groups, values, diag, original);
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
        apply_kernel(self, groups, z);
    }

    /// Adds the impulses `z` and previews bodies and anchors over `h`.
    pub fn apply_preview(&mut self, groups: &mut [Group], z: &[f64], h: f64) {
        apply_preview_kernel(self, groups, z, h);
    }

    /// Adds the rates of the residuals to `out`.
    pub fn add_rates(&self, groups: &[Group], out: &mut [f64]) {
        rates_kernel(self, groups, out);
    }

    /// Anchors in the previewed poses.
    pub fn ends(&mut self, groups: &[Group]) {
        ends_kernel(self, groups);
    }

    /// Residuals of the previewed anchors.
    pub fn residual(&self, system: &mut System) -> Errors {
        residual_kernel(system, self)
    }

    /// Largest product of a joint's impulse and its stiffness.
    pub fn load(&self, lambda: &[f64], mu: &[f64]) -> f64 {
        load_kernel(self, lambda, mu).sqrt()
    }
}
