//! Two boxes: fifteen separating axes, then either the face of one clipped by the face of the
//! other, or two edges.
//!
//! Reference: Bender 2007, section 4.5.2.1 (clipping); Gottschalk et al. 1996 (the axes). Faces are
//! preferred to edges that separate hardly better, so that resting boxes keep their four points.

use super::super::collider::{Collider, Place};
use super::super::manifold::{Manifold, POINTS, choose_four};
use crate::math::{Mat3, Vec3};

/// An edge must separate better than a face by this part of the smaller box, or the face is taken.
const EDGE_BETTER: f64 = 2e-3;

/// Axes whose cross product is shorter than this are parallel.
const PARALLEL: f64 = 1e-6;

/// Cosine of the angle between an edge axis and a face normal up to which the face is taken.
const FLAT: f64 = 0.98;

/// Names of edge contacts start here.
const EDGE: u32 = 0x1000;

/// A box in the world.
struct Cube {
    x: Vec3,
    /// Axes.
    r: Mat3,
    h: Vec3,
}

impl Cube {
    fn new(c: &Collider, h: Vec3, place: &Place) -> Self {
        let r = if c.turn == crate::math::Quat::IDENTITY {
            place.r
        } else {
            place.r * Mat3::from_quat(c.turn)
        };
        Self { x: place.x + place.r * c.offset, r, h }
    }
}

pub(super) fn collide(
    pair: [u32; 2],
    (a, ha): (&Collider, Vec3),
    (b, hb): (&Collider, Vec3),
    places: [&Place; 2],
    margin: f64,
    way: Vec3,
    turning: f64,
    out: &mut Vec<Manifold>,
) {
    let (p, q) = (Cube::new(a, ha, places[0]), Cube::new(b, hb, places[1]));
    let d = p.x - q.x;
    let c = p.r.transpose() * q.r;
    let abs = Mat3::from_cols(c.x_axis.abs(), c.y_axis.abs(), c.z_axis.abs());
    // faces of the first and of the second box
    let (da, db) = (p.r.transpose() * d, q.r.transpose() * d);
    let face_a = da.abs() - (ha + abs * hb);
    let face_b = db.abs() - (hb + abs.transpose() * ha);
    let largest =
        |v: Vec3| [1, 2].into_iter().fold(0, |best, k| if v[k] > v[best] { k } else { best });
    let (i, j) = (largest(face_a), largest(face_b));
    let (sa, sb) = (face_a[i], face_b[j]);
    if sa > margin || sb > margin {
        return;
    }
    let (mut best, mut edges) = (f64::NEG_INFINITY, None);
    for i in 0..3 {
        for j in 0..3 {
            let cij = c.col(j)[i];
            let length2 = 1.0 - cij * cij;
            if length2 < PARALLEL {
                continue;
            }
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            // d·(aᵢ × bⱼ) in the first box's frame
            let t = da[i2] * c.col(j)[i1] - da[i1] * c.col(j)[i2];
            let reach = ha[i1] * abs.col(j)[i2]
                + ha[i2] * abs.col(j)[i1]
                + hb[j1] * abs.col(j2)[i]
                + hb[j2] * abs.col(j1)[i];
            let s = (t.abs() - reach) / length2.sqrt();
            if s > margin {
                return;
            }
            if s > best {
                (best, edges) = (s, Some((i, j)));
            }
        }
    }
    let slack = EDGE_BETTER * ha.min_element().min(hb.min_element());
    // the first box's face unless the second's is clearly better
    let first = sa >= sb - slack;
    let n =
        if first { p.r.col(i) * 1f64.copysign(da[i]) } else { q.r.col(j) * 1f64.copysign(db[j]) };
    let spread = sideways(n, way) + turning;
    let edges = edges.filter(|_| best > sa.max(sb) + slack);
    // Edges that cross over nearly parallel faces lie in the clipped region; one point alone would
    // let the boxes turn about it.
    let flat = |[i, j]: [usize; 2]| p.r.col(i).cross(q.r.col(j)).normalize().dot(n).abs() > FLAT;
    let from = out.len();
    if edges.is_none_or(|(i, j)| flat([i, j])) {
        // as they stand, or, when nothing is over the face, with the way they can go sideways
        for spread in [0.0, spread] {
            if first {
                face(pair, &p, &q, i, n, false, places, margin, spread, out);
            } else {
                face(pair, &q, &p, j, n, true, places, margin, spread, out);
            }
            if out.len() > from {
                break;
            }
        }
    }
    if let Some((i, j)) = edges
        && out.len() == from
    {
        edge_edge(pair, &p, &q, [i, j], d, places, margin, out);
    }
}

/// How far a way leads along the plane with normal `n`.
fn sideways(n: Vec3, way: Vec3) -> f64 {
    (way - n * n.dot(way)).length()
}

/// A corner on its way through the clipping: position, name of the corner, name of the edge that
/// starts here.
#[derive(Clone, Copy, Default)]
struct Corner {
    x: Vec3,
    name: u32,
    edge: u32,
}

/// Clips the face of `incident` that looks at the face `axis` of `reference`; `swapped` says that
/// the reference is the second. The face is widened by `spread`, the way that the boxes can go
/// sideways in a step: corners that are beside it now may be over it then.
fn face(
    pair: [u32; 2],
    reference: &Cube,
    incident: &Cube,
    axis: usize,
    n: Vec3,
    swapped: bool,
    places: [&Place; 2],
    margin: f64,
    spread: f64,
    out: &mut Vec<Manifold>,
) {
    // outwards from the reference face towards the incident box
    let toward = if swapped { n } else { -n };
    let look = incident.r.transpose() * toward;
    let k = [1, 2]
        .into_iter()
        .fold(0, |best, k| if look[k].abs() > look[best].abs() { k } else { best });
    let sign = -1f64.copysign(look[k]);
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let center = incident.x + incident.r.col(k) * (sign * incident.h[k]);
    let (u, v) = (incident.r.col(i) * incident.h[i], incident.r.col(j) * incident.h[j]);
    let mut polygon = [Corner::default(); 12];
    for (c, (s, t)) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].into_iter().enumerate()
    {
        polygon[c] = Corner { x: center + u * s + v * t, name: c as u32, edge: c as u32 };
    }
    let mut count = 4;
    for (side, other) in
        [(0, (axis + 1) % 3), (1, (axis + 1) % 3), (2, (axis + 2) % 3), (3, (axis + 2) % 3)]
    {
        let out_of = reference.r.col(other) * if side % 2 == 0 { 1.0 } else { -1.0 };
        let level = out_of.dot(reference.x) + reference.h[other] + spread;
        let mut next = [Corner::default(); 12];
        let mut made = 0;
        for c in 0..count {
            let (from, to) = (polygon[c], polygon[(c + 1) % count]);
            let (hf, ht) = (level - out_of.dot(from.x), level - out_of.dot(to.x));
            if hf >= 0.0 {
                next[made] = from;
                made += 1;
            }
            if (hf >= 0.0) != (ht >= 0.0) && made < 11 {
                let x = from.x + (to.x - from.x) * (hf / (hf - ht));
                let name = 16 + from.edge * 4 + side;
                // leaving: the new corner starts the cutting plane's edge
                let edge = if hf >= 0.0 { 4 + side } else { from.edge };
                next[made] = Corner { x, name, edge };
                made += 1;
            }
        }
        (polygon, count) = (next, made);
        if count == 0 {
            break;
        }
    }
    let level = toward.dot(reference.x) + reference.h[axis];
    let mut kept = [(Vec3::ZERO, 0.0); 12];
    let mut names = [0; 12];
    let mut found = 0;
    for c in &polygon[..count] {
        let gap = toward.dot(c.x) - level;
        // beside the face a corner may be lower without touching
        if gap <= margin && (spread == 0.0 || gap > 0.0) {
            kept[found] = (c.x, gap);
            names[found] = c.name;
            found += 1;
        }
    }
    if found == 0 {
        return;
    }
    let base = (axis as u32 * 2 + u32::from(toward.dot(reference.r.col(axis)) > 0.0)) * 12
        + (k as u32 * 2 + u32::from(sign > 0.0)) * 2
        + u32::from(swapped);
    let mut m = Manifold::new(pair, 0, n, places[0], places[1]);
    let mut add = |c: usize| {
        let (x, gap) = kept[c];
        let foot = x - toward * gap;
        let (pa, pb) = if swapped { (x, foot) } else { (foot, x) };
        m.push([base, names[c]], pa, pb, gap, places);
    };
    if found <= POINTS {
        (0..found).for_each(add);
    } else {
        let mut chosen = choose_four(&kept[..found], toward);
        chosen.sort_unstable();
        let mut last = usize::MAX;
        for c in chosen {
            if c != last {
                add(c);
            }
            last = c;
        }
    }
    out.push(m);
}

/// The closest points of two edges.
fn edge_edge(
    pair: [u32; 2],
    p: &Cube,
    q: &Cube,
    [i, j]: [usize; 2],
    d: Vec3,
    places: [&Place; 2],
    margin: f64,
    out: &mut Vec<Manifold>,
) {
    let (u, v) = (p.r.col(i), q.r.col(j));
    let cross = u.cross(v).normalize();
    let n = if cross.dot(d) < 0.0 { -cross } else { cross };
    let mut name = 0;
    let mut middle = |c: &Cube, along: usize, toward: Vec3| {
        let mut x = c.x;
        for k in (0..3).filter(|&k| k != along) {
            let s = 1f64.copysign(toward.dot(c.r.col(k)));
            name = 2 * name + u32::from(s > 0.0);
            x += c.r.col(k) * (s * c.h[k]);
        }
        x
    };
    let (a, b) = (middle(p, i, -n), middle(q, j, n));
    let w = b - a;
    let uv = u.dot(v);
    let s = (w.dot(u) - w.dot(v) * uv) / (1.0 - uv * uv);
    let t = s * uv - w.dot(v);
    let (pa, pb) = (a + u * s.clamp(-p.h[i], p.h[i]), b + v * t.clamp(-q.h[j], q.h[j]));
    let gap = (pa - pb).dot(n);
    if gap > margin {
        return;
    }
    let mut m = Manifold::new(pair, 0, n, places[0], places[1]);
    m.push([EDGE + (i * 3 + j) as u32, name], pa, pb, gap, places);
    out.push(m);
}
