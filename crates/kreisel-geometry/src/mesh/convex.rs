//! Whether the solid inside a closed mesh is convex: then its hull is the same solid, and contact
//! need not look at triangles.
//!
//! An edge that bends inwards decides at once. Otherwise every triangle must lie in a plane that
//! has the hull on its inner side, and the volumes must agree, so that the surface covers the hull
//! once. O(n log n), once for each mesh.

use super::TriMesh;
use crate::ConvexHull;
use glam::DVec3;
use std::sync::Arc;

/// Part of the size by which a mesh may be off its hull: rounding in files of single precision is
/// larger, and no reason to be exact.
const FLAT: f64 = 1e-9;

impl TriMesh {
    /// The hull of the mesh if both are the same solid; `None` if the mesh is open or not convex.
    /// Found out at the first call.
    ///
    /// ```
    /// use kreisel_geometry::mesh::generate;
    /// assert_eq!(generate::cuboid(glam::DVec3::ONE).as_convex().unwrap().faces().len(), 6);
    /// assert!(generate::torus(1.0, 0.2, 16, 8).as_convex().is_none());
    /// ```
    pub fn as_convex(&self) -> Option<&ConvexHull> {
        self.convex.get_or_init(|| self.find_convex().map(Arc::new)).as_deref()
    }

    fn find_convex(&self) -> Option<ConvexHull> {
        if !self.is_closed() {
            return None;
        }
        let (lo, hi) = self.bounds();
        let slack = FLAT * (hi - lo).length();

        // no vertex of a neighbour is above the plane of a triangle
        let edges = self.sorted_edges();
        for pair in edges.chunks_exact(2) {
            let [a, b, c] = self.triangle(pair[0].triangle as usize);
            let n = (b - a).cross(c - a).try_normalize()?;
            let neighbour = self.triangle(pair[1].triangle as usize);
            if neighbour.iter().any(|v| n.dot(*v - a) > slack) {
                return None;
            }
        }

        // no vertex at all
        let used: Vec<DVec3> =
            self.triangles().iter().flatten().map(|&v| self.vertices()[v as usize]).collect();
        let hull = ConvexHull::new(&used).ok()?;
        for [a, b, c] in self.iter() {
            let n = (b - a).cross(c - a).try_normalize()?;
            let farthest = hull.vertices()[hull.climb(n, hull.start(n)) as usize];
            if n.dot(farthest - a) > slack {
                return None;
            }
        }

        // once, not twice
        let volume = self.volume().ok()?;
        ((volume - hull.volume()).abs() <= 1e-6 * hull.volume()).then_some(hull)
    }
}
