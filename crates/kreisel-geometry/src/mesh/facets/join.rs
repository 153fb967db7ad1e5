//! Triangles joined to convex polygons: neighbours in one plane are joined while the union stays
//! convex (after Hertel and Mehlhorn 1983, but along whole chains of edges at a time, so that the
//! rows of a grid join to one rectangle).
//!
//! Two convex polygons in a plane share a straight chain of edges; their union is convex if it is
//! at both ends of the chain. O(n) joins of rims of at most 512 edges; they grow in rounds, so that
//! strips do not become long before they join side by side.

use crate::TriMesh;
use glam::DVec3;

/// Rims are not joined to longer ones in each round, so that large flat meshes take no square of
/// their size; in small ones strips may grow as long as they like.
const LONGEST: [usize; 3] = [32, 128, 512];
const SMALL: usize = 1 << 15;
/// Sine of the angle up to which triangles are in one plane.
const PLANE: f64 = 1e-9;

/// A polygon of triangles.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    pub(super) normal: DVec3,
    /// The triangle with the least number.
    pub(super) triangle: u32,
    /// Edges in their order: from and to, and a vertex of the triangle beyond if there is one.
    pub(super) rim: Vec<([u32; 2], Option<u32>)>,
}

/// An edge of a rim: its ends, and the edge of a triangle on its other side.
#[derive(Clone, Copy)]
struct Edge {
    ends: [u32; 2],
    /// Number 3 t + k of edge k of triangle t.
    twin: Option<u32>,
}

struct Polygon {
    normal: DVec3,
    triangle: u32,
    rim: Vec<Edge>,
}

/// The convex polygons of a mesh. Triangles without an area are left out.
pub(super) fn facets(mesh: &TriMesh) -> Vec<Joined> {
    let twins = twins(mesh);
    let mut owner: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
    let mut polygons: Vec<Option<Polygon>> = mesh
        .triangles()
        .iter()
        .enumerate()
        .map(|(t, v)| {
            let [a, b, c] = mesh.triangle(t);
            let n = (b - a).cross(c - a);
            let longest = (b - a)
                .length_squared()
                .max((c - b).length_squared())
                .max((a - c).length_squared());
            let edge = |k: usize| Edge { ends: [v[k], v[(k + 1) % 3]], twin: twins[3 * t + k] };
            let solid = n.length() > 1e-14 * longest;
            solid.then(|| Polygon {
                normal: n.normalize(),
                triangle: t as u32,
                rim: vec![edge(0), edge(1), edge(2)],
            })
        })
        .collect();

    // each polygon takes up neighbours until none fits; strips that were made join in later rounds
    let rounds = if mesh.triangles().len() <= SMALL { &LONGEST[2..] } else { &LONGEST[..] };
    for &longest in rounds {
        let mut joined = true;
        while joined {
            joined = false;
            for p in 0..polygons.len() {
                let mut at = 0;
                while let Some(larger) =
                    next(mesh, &polygons, &mut owner, p as u32, longest, &mut at)
                {
                    polygons[p] = Some(larger);
                    joined = true;
                }
                // those that were taken up
                if owner[p] != p as u32 {
                    polygons[p] = None;
                }
            }
        }
    }

    let opposite = |e: u32| {
        let t = mesh.triangles()[e as usize / 3];
        t[(e as usize % 3 + 2) % 3]
    };
    let solid = |e: &u32| {
        let [a, b, c] = mesh.triangle(*e as usize / 3);
        (b - a).cross(c - a) != DVec3::ZERO
    };
    polygons
        .into_iter()
        .flatten()
        .map(|p| Joined {
            normal: p.normal,
            triangle: p.triangle,
            rim: p.rim.iter().map(|e| (e.ends, e.twin.filter(solid).map(opposite))).collect(),
        })
        .collect()
}

/// For each edge of each triangle the one on its other side, where exactly two triangles meet that
/// have the same side outwards.
fn twins(mesh: &TriMesh) -> Vec<Option<u32>> {
    let mut edges: Vec<([u32; 2], u32, bool)> = Vec::with_capacity(3 * mesh.triangles().len());
    for (t, v) in mesh.triangles().iter().enumerate() {
        for k in 0..3 {
            let (from, to) = (v[k], v[(k + 1) % 3]);
            edges.push(([from.min(to), from.max(to)], (3 * t + k) as u32, from < to));
        }
    }
    edges.sort_unstable();
    let mut twins = vec![None; 3 * mesh.triangles().len()];
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, a, forward), (_, b, other)] = group
            && forward != other
        {
            (twins[*a as usize], twins[*b as usize]) = (Some(*b), Some(*a));
        }
    }
    twins
}

/// The polygon that has taken up triangle `t`.
fn root(owner: &mut [u32], mut t: u32) -> u32 {
    while owner[t as usize] != t {
        owner[t as usize] = owner[owner[t as usize] as usize];
        t = owner[t as usize];
    }
    t
}

/// Polygon `p` together with the first neighbour that fits, from edge `at` of its rim on; it owns
/// that neighbour then.
fn next(
    mesh: &TriMesh,
    polygons: &[Option<Polygon>],
    owner: &mut [u32],
    p: u32,
    longest: usize,
    at: &mut usize,
) -> Option<Polygon> {
    let own = polygons[p as usize].as_ref().filter(|_| owner[p as usize] == p)?;
    let n = own.rim.len();
    let mut tried = u32::MAX;
    for step in 0..n {
        let k = (*at + step) % n;
        let Some(twin) = own.rim[k].twin else { continue };
        let q = root(owner, twin / 3);
        if q == p || q == tried {
            continue;
        }
        tried = q;
        let Some(other) = polygons[q as usize].as_ref() else { continue };
        if own.normal.cross(other.normal).length() > PLANE || own.normal.dot(other.normal) < 0.0 {
            continue;
        }
        if let Some(rim) = union(mesh, own, other, k, [p, q], owner, longest) {
            owner[q as usize] = p;
            *at = k.min(rim.len() - 1);
            // the larger one knows its plane better
            let normal = if n >= other.rim.len() { own.normal } else { other.normal };
            return Some(Polygon { normal, triangle: own.triangle.min(other.triangle), rim });
        }
    }
    None
}

/// The rim of the union of two polygons that share edge `k` of the first, if that is plane, simple
/// and convex.
fn union(
    mesh: &TriMesh,
    a: &Polygon,
    b: &Polygon,
    k: usize,
    [p, q]: [u32; 2],
    owner: &mut [u32],
    longest: usize,
) -> Option<Vec<Edge>> {
    let (n, m) = (a.rim.len(), b.rim.len());
    let along = |e: &Edge| {
        (mesh.vertices()[e.ends[1] as usize] - mesh.vertices()[e.ends[0] as usize])
            .normalize_or_zero()
    };
    let turns_left = |x: &Edge, y: &Edge| {
        let (u, v) = (along(x), along(y));
        x.ends[1] == y.ends[0] && u.cross(v).dot(a.normal) >= -PLANE && u.dot(v) > -1.0 + PLANE
    };

    // the chain of edges round k that borders on the other one
    let mut borders = |e: &Edge, other: u32| e.twin.is_some_and(|t| root(owner, t / 3) == other);
    let (mut first, mut length) = (k, 1);
    while length < n && borders(&a.rim[(first + n - 1) % n], q) {
        (first, length) = ((first + n - 1) % n, length + 1);
    }
    while length < n && borders(&a.rim[(first + length) % n], q) {
        length += 1;
    }
    if length >= n || length >= m || n + m - 2 * length > longest {
        return None;
    }
    // where a side of the first goes on straight, the second would stand out
    let (before, after) = (&a.rim[(first + n - 1) % n], &a.rim[(first + length) % n]);
    let straight = |x: &Edge, y: &Edge| along(x).cross(along(y)).dot(a.normal) <= PLANE;
    if straight(before, &a.rim[first]) || straight(&a.rim[(first + length - 1) % n], after) {
        return None;
    }

    // the same chain, in the opposite order, is all that the second has of the first
    let from = (0..m).find(|&j| borders(&b.rim[j], p) && !borders(&b.rim[(j + m - 1) % m], p))?;
    let bordering = (0..m).filter(|&j| borders(&b.rim[j], p)).count();
    let here = (0..n).filter(|&j| borders(&a.rim[j], q)).count();
    if bordering != length || here != length {
        return None;
    }
    let (opens, closes) = (&b.rim[(from + length) % m], &b.rim[(from + m - 1) % m]);
    if !turns_left(before, opens) || !turns_left(closes, after) {
        return None;
    }

    // what is left of both, one after the other, in one plane
    let mut rim: Vec<Edge> = Vec::with_capacity(n + m - 2 * length);
    rim.extend((0..n - length).map(|j| a.rim[(first + length + j) % n]));
    rim.extend((0..m - length).map(|j| b.rim[(from + length + j) % m]));
    let origin = mesh.vertices()[rim[0].ends[0] as usize];
    let way = |e: &Edge| mesh.vertices()[e.ends[0] as usize] - origin;
    let size = rim.iter().map(|e| way(e).length()).fold(0.0, f64::max);
    rim.iter().all(|e| way(e).dot(a.normal).abs() <= PLANE * size).then_some(rim)
}
