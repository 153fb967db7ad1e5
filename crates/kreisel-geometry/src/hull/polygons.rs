//! Merges the coplanar triangles of a hull to polygons and links the half-edges.
//!
//! Triangles join the face of a neighbour when all their corners lie within 1e-10 of the size from
//! its plane; the largest triangle of a face gives the plane. Vertices in the middle of an edge or
//! a face disappear. Every interior angle of a polygon stays below π, every vertex keeps at least
//! three edges. O(n log n).
//!
//! Should a merged face not be a simple loop (needles at the limit of the number format), the
//! triangles are kept as they are.

use super::{ConvexHull, Face, HalfEdge, HullError};
use glam::DVec3;

/// Builds the polyhedron from the hull's triangles.
pub(super) fn assemble(points: &[DVec3], triangles: &[[u32; 3]]) -> Result<ConvexHull, HullError> {
    let neighbours = neighbours(triangles).ok_or(HullError::Degenerate)?;
    let groups = coplanar_groups(points, triangles, &neighbours);
    let single: Vec<u32> = (0..triangles.len() as u32).collect();
    loops(triangles, &neighbours, &groups)
        .and_then(|l| link(points, l))
        .or_else(|| loops(triangles, &neighbours, &single).and_then(|l| link(points, l)))
        .ok_or(HullError::Degenerate)
}

/// For each triangle the neighbours across its three edges.
fn neighbours(triangles: &[[u32; 3]]) -> Option<Vec<[u32; 3]>> {
    let mut edges: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(3 * triangles.len());
    for (i, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            edges.push((t[k], t[(k + 1) % 3], i as u32, k as u32));
        }
    }
    edges.sort_unstable();
    let mut result = vec![[u32::MAX; 3]; triangles.len()];
    for &(from, to, i, k) in &edges {
        let at = edges.partition_point(|e| (e.0, e.1) < (to, from));
        let twin = edges.get(at).filter(|e| (e.0, e.1) == (to, from))?;
        result[i as usize][k as usize] = twin.2;
    }
    Some(result)
}

/// The number of the face to which each triangle belongs.
fn coplanar_groups(points: &[DVec3], triangles: &[[u32; 3]], neighbours: &[[u32; 3]]) -> Vec<u32> {
    let (lo, hi) =
        points.iter().fold((points[0], points[0]), |(lo, hi), &p| (lo.min(p), hi.max(p)));
    let tolerance = 1e-10 * (hi - lo).max_element();
    let corners = |i: u32| triangles[i as usize].map(|v| points[v as usize]);
    let cross = |i: u32| {
        let [a, b, c] = corners(i);
        (b - a).cross(c - a)
    };
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    order.sort_by(|&i, &j| {
        cross(j).length_squared().total_cmp(&cross(i).length_squared()).then(i.cmp(&j))
    });
    let mut group = vec![u32::MAX; triangles.len()];
    let mut count = 0;
    for start in order {
        if group[start as usize] != u32::MAX {
            continue;
        }
        let normal = cross(start).normalize_or_zero();
        let origin = corners(start)[0];
        group[start as usize] = count;
        let mut stack = vec![start];
        while let Some(i) = stack.pop() {
            for n in neighbours[i as usize] {
                let flat = corners(n).iter().all(|&p| (p - origin).dot(normal).abs() <= tolerance);
                if group[n as usize] == u32::MAX && flat && cross(n).dot(normal) >= 0.0 {
                    group[n as usize] = count;
                    stack.push(n);
                }
            }
        }
        count += 1;
    }
    group
}

/// The vertex loop of each group, without vertices that have fewer than three faces.
fn loops(triangles: &[[u32; 3]], neighbours: &[[u32; 3]], group: &[u32]) -> Option<Vec<Vec<u32>>> {
    let mut rim: Vec<(u32, u32, u32)> = Vec::new();
    for (i, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            if group[neighbours[i][k] as usize] != group[i] {
                rim.push((group[i], t[k], t[(k + 1) % 3]));
            }
        }
    }
    rim.sort_unstable();
    if rim.windows(2).any(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1)) {
        return None;
    }
    let vertices = triangles.iter().flatten().max()? + 1;
    let mut degree = vec![0_u32; vertices as usize];
    rim.iter().for_each(|e| degree[e.1 as usize] += 1);
    let mut result = Vec::new();
    for edges in rim.chunk_by(|a, b| a.0 == b.0) {
        let mut ring = vec![edges[0].1];
        let mut at = edges[0].2;
        while at != edges[0].1 && ring.len() <= edges.len() {
            ring.push(at);
            at = edges[edges.binary_search_by_key(&at, |e| e.1).ok()?].2;
        }
        if ring.len() != edges.len() {
            return None;
        }
        ring.retain(|&v| degree[v as usize] >= 3);
        if ring.len() < 3 {
            return None;
        }
        result.push(ring);
    }
    (result.len() >= 4).then_some(result)
}

/// Numbers the used vertices, makes the half-edges and finds the twins; `None` if an edge has none,
/// or is the twin of two.
fn link(points: &[DVec3], loops: Vec<Vec<u32>>) -> Option<ConvexHull> {
    let mut used: Vec<u32> = loops.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let number = |v: u32| used.binary_search(&v).ok().map(|i| i as u32);
    let vertices: Vec<DVec3> = used.iter().map(|&v| points[v as usize]).collect();
    let (mut edges, mut faces): (Vec<HalfEdge>, Vec<Face>) = (Vec::new(), Vec::new());
    for (face, ring) in loops.iter().enumerate() {
        let (first, n) = (edges.len() as u32, ring.len() as u32);
        for (k, &v) in ring.iter().enumerate() {
            let next = first + (k as u32 + 1) % n;
            edges.push(HalfEdge { origin: number(v)?, twin: u32::MAX, next, face: face as u32 });
        }
        let corners: Vec<DVec3> = ring.iter().map(|&v| points[v as usize]).collect();
        let (normal, offset) = plane(&corners);
        faces.push(Face { normal, offset, edge: first });
    }
    let ends = |e: &HalfEdge, edges: &[HalfEdge]| (e.origin, edges[e.next as usize].origin);
    let mut directed: Vec<((u32, u32), u32)> =
        edges.iter().enumerate().map(|(i, e)| (ends(e, &edges), i as u32)).collect();
    directed.sort_unstable();
    let mut outgoing = vec![0; vertices.len()];
    for i in 0..edges.len() {
        let (from, to) = ends(&edges[i], &edges);
        edges[i].twin = directed[directed.binary_search_by_key(&(to, from), |d| d.0).ok()?].1;
        outgoing[from as usize] = i as u32;
    }
    // an edge that stands twice would have walks about a vertex that never end
    if (0..edges.len()).any(|i| edges[edges[i].twin as usize].twin as usize != i) {
        return None;
    }
    let (neighbours, first, starts) = (Vec::new(), Vec::new(), Vec::new());
    let mut hull =
        ConvexHull { vertices, edges, faces, outgoing, neighbours, first, starts, grid: 1 };
    hull.prepare();
    Some(hull)
}

/// Outward normal by Newell's sum, the plane moved out to the outermost corner so that it bounds
/// the face.
fn plane(corners: &[DVec3]) -> (DVec3, f64) {
    let origin = corners[0];
    let mut normal = DVec3::ZERO;
    for i in 1..corners.len() - 1 {
        normal += (corners[i] - origin).cross(corners[i + 1] - origin);
    }
    let normal = normal.normalize_or_zero();
    (normal, corners.iter().map(|&p| normal.dot(p)).fold(f64::MIN, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Faces that stand twice, as rounding left them of the hull of a robot's finger: walks about a
    /// vertex did not end, and took all memory.
    #[test]
    fn a_surface_in_which_edges_stand_twice_is_no_hull() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let faces = vec![vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![2, 0, 3]];
        assert!(link(&points, faces.clone()).is_some());
        assert!(link(&points, [faces.clone(), faces].concat()).is_none());
    }
}
