//! The convex hull round a mesh, where it answers a distance query at once.
//!
//! The hulls of two meshes contain them, so the distance of the hulls is a lower bound (Lennerz
//! 2000, section 3.3.1, L-27). GJK finds it in one to three microseconds with the closest points.
//! If these lie on triangles of the meshes, and those triangles are no farther apart, the search is
//! over before it began: always for convex meshes, often for parts that lie side by side. If the
//! hulls overlap, little is lost.
//!
//! The hull is exact to 1e-10 of its size only, which is not exact enough here: every vertex of the
//! mesh must be a vertex of the hull or, up to rounding, inside. A mesh with bulges in between has
//! no outer hull. Neither have meshes so large that finding out would take long.

use super::MeshTree;
use crate::elementary::point_triangle;
use crate::{ConvexHull, TriMesh};
use glam::DVec3;

/// Meshes with more triangles have no outer hull: their tree is what takes time and memory already.
const MOST_TRIANGLES: usize = 1 << 16;
/// Most comparisons of vertices with faces when a mesh is checked: some milliseconds.
const MOST_CHECKS: usize = 4_000_000;
/// What a vertex may be outside, as a part of the size: rounding of the planes.
const ROUNDING: f64 = 1e-15;

/// A convex hull whose vertices know the triangles of the mesh round them.
#[derive(Clone, Debug)]
pub(crate) struct OuterHull {
    pub(crate) hull: ConvexHull,
    /// The triangles round vertex v are `around[first[v]..first[v + 1]]`.
    first: Vec<u32>,
    around: Vec<u32>,
}

impl OuterHull {
    /// The hull of a mesh, if it helps.
    pub(super) fn new(mesh: &TriMesh) -> Option<Self> {
        if mesh.triangles().len() > MOST_TRIANGLES {
            return None;
        }
        let mut uses: Vec<([u64; 3], u32)> = Vec::with_capacity(3 * mesh.triangles().len());
        for (t, triangle) in mesh.iter().enumerate() {
            uses.extend(triangle.map(|p| (key(p), t as u32)));
        }
        uses.sort_unstable();
        let vertices: Vec<&[([u64; 3], u32)]> = uses.chunk_by(|a, b| a.0 == b.0).collect();
        let points: Vec<DVec3> =
            vertices.iter().map(|v| DVec3::from_array(v[0].0.map(f64::from_bits))).collect();
        let hull = ConvexHull::new(&points).ok()?;
        let (mut first, mut around) = (vec![0], Vec::new());
        let mut on_hull = vec![false; points.len()];
        for &p in hull.vertices() {
            let at = vertices.binary_search_by(|v| v[0].0.cmp(&key(p))).ok()?;
            on_hull[at] = true;
            around.extend(vertices[at].iter().map(|u| u.1));
            first.push(around.len() as u32);
        }
        let others: Vec<DVec3> =
            points.iter().zip(on_hull).filter(|p| !p.1).map(|p| *p.0).collect();
        if others.len() * hull.faces().len() > MOST_CHECKS {
            return None;
        }
        let size = points.iter().map(|p| p.length()).fold(0.0, f64::max);
        let outside =
            |p: &DVec3| hull.faces().iter().any(|f| f.normal.dot(*p) - f.offset > ROUNDING * size);
        if others.iter().any(outside) {
            return None;
        }
        Some(Self { hull, first, around })
    }

    /// Of the triangles round a vertex of the hull, the one closest to a point.
    pub(crate) fn triangle_near(&self, tree: &MeshTree, vertex: u32, point: DVec3) -> Option<u32> {
        let range = *self.first.get(vertex as usize)? as usize
            ..*self.first.get(vertex as usize + 1)? as usize;
        let distance = |t: u32| point_triangle(point, tree.triangle(t)).squared;
        let ranked = self.around[range].iter().map(|&t| (distance(t), t));
        ranked.min_by(|s, t| s.0.total_cmp(&t.0).then(s.1.cmp(&t.1))).map(|r| r.1)
    }
}

/// The bits of the coordinates, −0 as +0.
fn key(p: DVec3) -> [u64; 3] {
    p.to_array().map(|x| (x + 0.0).to_bits())
}
