//! The lanes' work on systems of ball joints: rows, blocks of A, impulses, previews, rates and
//! residuals, four bodies at a time.

use super::balls::{Balls, Cross, End, Slot};
use super::group::Group;
use super::rows::Errors;
use super::{NONE, System};
use crate::lanes::{F4, LANES, add_scaled, mat_vec};
use crate::simd::kernel;

/// Rows of one slot for the present rotation.
#[inline(always)]
pub(super) fn refresh_slot(s: &mut Slot, r: &[F4; 9]) {
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
pub(super) fn entry(g: &[F4; 9], i: usize, h: &[F4; 9], j: usize) -> F4 {
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
fn assemble_body(
    balls: &mut Balls,
    groups: &[Group],
    values: &mut [f64],
    diag: &[u32],
    original: &mut [f64],
) {
    values.fill(0.0);
    for (group, [slots, crosses]) in groups.iter().zip(&balls.of_group) {
        for s in &mut balls.slots[slots.start as usize..slots.end as usize] {
            refresh_slot(s, &group.r);
            add_diagonal(s, values);
        }
        for c in &balls.crosses[crosses.start as usize..crosses.end as usize] {
            add_cross(
                c,
                &balls.slots[c.slots[0] as usize],
                &balls.slots[c.slots[1] as usize],
                values,
            );
        }
    }
    for (&d, o) in diag.iter().zip(original.chunks_exact_mut(3)) {
        let d = &values[d as usize..][..9];
        (o[0], o[1], o[2]) = (d[0], d[4], d[8]);
    }
}

#[inline(always)]
fn gather(z: &[f64], row: &[u32; LANES], i: usize) -> F4 {
    F4([
        z[row[0] as usize + i],
        z[row[1] as usize + i],
        z[row[2] as usize + i],
        z[row[3] as usize + i],
    ])
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
            rate[i] =
                s.m * y[i] + (s.g[3 * i] * y[3] + s.g[3 * i + 1] * y[4] + s.g[3 * i + 2] * y[5]);
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

kernel! { pub(super) fn assemble_kernel(balls: &mut Balls, groups: &[Group], values: &mut [f64], diag: &[u32], original: &mut [f64]) = assemble_body }
kernel! { pub(super) fn apply_kernel(balls: &Balls, groups: &mut [Group], z: &[f64]) = apply_body }
kernel! { pub(super) fn apply_preview_kernel(balls: &mut Balls, groups: &mut [Group], z: &[f64], h: f64) = apply_preview_body }
kernel! { pub(super) fn ends_kernel(balls: &mut Balls, groups: &[Group]) = ends_body }
kernel! { pub(super) fn rates_kernel(balls: &Balls, groups: &[Group], out: &mut [f64]) = rates_body }
kernel! { pub(super) fn residual_kernel(s: &mut System, balls: &Balls) -> Errors = residual_body }
kernel! { pub(super) fn load_kernel(balls: &Balls, lambda: &[f64], mu: &[f64]) -> f64 = load_body }
