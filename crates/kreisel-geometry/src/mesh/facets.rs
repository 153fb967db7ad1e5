//! The facets of a mesh: convex polygons of coplanar triangles, with what lies beyond their edges.
//!
//! Contact looks at facets instead of triangles for two reasons. A flat floor of ten thousand
//! triangles is one polygon, and costs as much as one. And an edge inside a surface that is flat
//! or bends inwards there is nothing to run into: its normals belong to the facets beside it
//! ([`Facets::is_real`]), so that bodies slide and roll over it as over a plane.
//!
//! Facets come from triangles by joining neighbours while the union is plane and convex (`join`);
//! they are found by a tree of boxes (`tree`). O(n log n), once for each mesh.

mod join;
mod tree;

use super::TriMesh;
use glam::DVec3;
use tree::BoxTree;

/// Sine of the angle up to which facets that meet in an edge are plane.
const FLAT: f64 = 1e-9;
/// Sine of the angle by which a normal may lean out of the range that an edge or a corner has.
const LEAN: f64 = 1e-3;

/// One facet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    /// Outward unit normal n and offset: n·x = offset in its plane.
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    /// The triangle with the least number in it.
    pub(crate) triangle: u32,
    first: u32,
    count: u32,
}

/// All facets of a mesh, in its frame.
#[derive(Clone, Debug)]
pub(crate) struct Facets {
    list: Vec<Facet>,
    /// Corners of all facets, counter-clockwise seen from outside.
    corners: Vec<DVec3>,
    /// For the edge from each corner to the next: the unit vector across it into the facet beyond;
    /// none at the rim of an open mesh, and where more than two triangles meet.
    beyond: Vec<Option<DVec3>>,
    /// The mesh's number of each corner, and the vertices round each vertex of the mesh.
    vertices: Vec<u32>,
    around: Vec<DVec3>,
    around_from: Vec<u32>,
    tree: BoxTree,
}

impl Facets {
    /// Finds the facets of a mesh.
    pub(super) fn new(mesh: &TriMesh) -> Self {
        let (around_from, around) = around(mesh);
        let mut facets = Self {
            list: Vec::new(),
            corners: Vec::new(),
            beyond: Vec::new(),
            vertices: Vec::new(),
            around,
            around_from,
            tree: BoxTree::default(),
        };
        for loop_ in join::facets(mesh) {
            facets.add(mesh, &loop_);
        }
        let boxes = facets.list.iter().map(|f| {
            let corners = facets.corners(f);
            corners.iter().fold((corners[0], corners[0]), |(lo, hi), &c| (lo.min(c), hi.max(c)))
        });
        facets.tree = BoxTree::new(boxes.collect());
        facets
    }

    /// Adds a facet without the corners in which nothing changes.
    fn add(&mut self, mesh: &TriMesh, facet: &join::Joined) {
        let n = facet.rim.len();
        let edge = |k: usize| {
            let ([from, to], beyond) = facet.rim[k % n];
            (mesh.vertices()[to as usize] - mesh.vertices()[from as usize], beyond)
        };
        let across = |k: usize| {
            let (along, beyond) = edge(k);
            let u = along.normalize_or_zero();
            beyond.map(|p| {
                let out =
                    mesh.vertices()[p as usize] - mesh.vertices()[facet.rim[k % n].0[0] as usize];
                (out - u * u.dot(out)).normalize_or_zero()
            })
        };
        let first = self.corners.len();
        for k in 0..n {
            let (before, after) =
                (edge(k + n - 1).0.normalize_or_zero(), edge(k).0.normalize_or_zero());
            let same = match (across(k + n - 1), across(k)) {
                (Some(a), Some(b)) => a.dot(b) > 1.0 - 1e-12,
                (a, b) => a.is_none() && b.is_none(),
            };
            if same && before.cross(after).length() <= FLAT && before.dot(after) > 0.0 {
                continue;
            }
            let vertex = facet.rim[k].0[0];
            self.corners.push(mesh.vertices()[vertex as usize]);
            self.vertices.push(vertex);
            self.beyond.push(across(k));
        }
        // a corner that was left out leaves its edge to the one before, which has the same beyond
        let offset = facet.normal.dot(self.corners[first]);
        let count = (self.corners.len() - first) as u32;
        let (normal, triangle) = (facet.normal, facet.triangle);
        self.list.push(Facet { normal, offset, triangle, first: first as u32, count });
    }

    /// The facets whose boxes overlap a box, in ascending order.
    pub(crate) fn within(&self, lo: DVec3, hi: DVec3, found: &mut Vec<u32>) {
        found.clear();
        self.tree.within(lo, hi, found);
        found.sort_unstable();
    }

    pub(crate) fn facet(&self, number: u32) -> &Facet {
        &self.list[number as usize]
    }

    /// The corners of a facet, counter-clockwise seen from outside.
    pub(crate) fn corners(&self, facet: &Facet) -> &[DVec3] {
        &self.corners[facet.first as usize..(facet.first + facet.count) as usize]
    }

    /// How far a point of the plane is inside those edges of a facet that can be run into from the
    /// side of `up`, its normal or the opposite; infinite if there are none.
    pub(crate) fn inside(&self, facet: &Facet, up: DVec3, x: DVec3) -> f64 {
        let (corners, beyond) = (self.corners(facet), self.beyond(facet));
        let mut least = f64::INFINITY;
        for k in 0..corners.len() {
            // beyond an edge that is flat or bends inwards the surface goes on
            if beyond[k].is_some_and(|b| b.dot(up) >= -FLAT.sqrt()) {
                continue;
            }
            let along = corners[if k + 1 == corners.len() { 0 } else { k + 1 }] - corners[k];
            let inward = facet.normal.cross(along).normalize_or_zero();
            least = least.min(inward.dot(x - corners[k]));
        }
        least
    }

    fn beyond(&self, facet: &Facet) -> &[Option<DVec3>] {
        &self.beyond[facet.first as usize..(facet.first + facet.count) as usize]
    }

    /// Whether the surface has nothing beyond the edge or corner of a facet that is farthest along
    /// `d`, a unit vector from it to a partner: if it has, that is closer.
    pub(crate) fn is_real(&self, facet: &Facet, d: DVec3) -> bool {
        if d.dot(facet.normal).abs() > 1.0 - 0.5 * LEAN * LEAN {
            return true;
        }
        let corners = self.corners(facet);
        let n = corners.len();
        let top = (0..n)
            .fold(0, |best, k| if corners[k].dot(d) > corners[best].dot(d) { k } else { best });
        // an edge across d, or a corner
        for k in [top, (top + n - 1) % n] {
            let along = (corners[(k + 1) % n] - corners[k]).normalize_or_zero();
            if along.dot(d).abs() <= LEAN {
                return self.beyond(facet)[k].is_none_or(|b| b.dot(d) <= LEAN);
            }
        }
        let v = self.vertices[facet.first as usize + top] as usize;
        let around = &self.around[self.around_from[v] as usize..self.around_from[v + 1] as usize];
        around.iter().all(|w| (*w - corners[top]).normalize_or_zero().dot(d) <= LEAN)
    }
}

/// The neighbours of each vertex: where those of vertex v begin, and all of them.
fn around(mesh: &TriMesh) -> (Vec<u32>, Vec<DVec3>) {
    let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(6 * mesh.triangles().len());
    for t in mesh.triangles() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            pairs.extend([[a, b], [b, a]]);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut from = vec![0; mesh.vertices().len() + 1];
    for p in &pairs {
        from[p[0] as usize + 1] += 1;
    }
    for v in 0..mesh.vertices().len() {
        from[v + 1] += from[v];
    }
    (from, pairs.iter().map(|p| mesh.vertices()[p[1] as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;
    use crate::HeightField;
    use glam::DVec2;

    fn area(facets: &Facets) -> f64 {
        let of = |f: &Facet| {
            let c = facets.corners(f);
            (1..c.len() - 1)
                .map(|k| (c[k] - c[0]).cross(c[k + 1] - c[0]).dot(f.normal))
                .sum::<f64>()
        };
        0.5 * facets.list.iter().map(of).sum::<f64>()
    }

    #[test]
    fn a_flat_field_is_one_facet_and_a_cube_has_six() {
        let flat =
            HeightField::new(21, 31, DVec2::new(0.5, 0.25), vec![1.0; 21 * 31]).unwrap().to_mesh();
        let facets = Facets::new(&flat);
        assert_eq!((facets.list.len(), facets.corners.len()), (1, 4));
        assert!((area(&facets) - 15.0 * 5.0).abs() < 1e-12);
        // a large one in a few: rims have at most 512 edges
        let large = HeightField::new(301, 301, DVec2::ONE, vec![0.0; 301 * 301]).unwrap().to_mesh();
        let facets = Facets::new(&large);
        assert!(facets.list.len() <= 50, "{}", facets.list.len());
        assert!((area(&facets) - 90_000.0).abs() < 1e-6);
        let cube = Facets::new(&generate::cuboid(DVec3::new(1.0, 2.0, 3.0)));
        assert_eq!((cube.list.len(), cube.corners.len()), (6, 24));
        assert!((area(&cube) - 22.0).abs() < 1e-12);
    }

    #[test]
    fn facets_cover_a_surface_once_whatever_its_form() {
        let wavy =
            |i: usize| 0.3 * ((i % 17) as f64 * 0.7).sin() + if i / 17 > 8 { 0.0 } else { 0.2 };
        let field =
            HeightField::new(17, 17, DVec2::ONE, (0..289).map(wavy).collect()).unwrap().to_mesh();
        for mesh in [generate::torus(1.0, 0.3, 24, 12), generate::cylinder(0.5, 1.0, 16), field] {
            let facets = Facets::new(&mesh);
            let expected: f64 =
                mesh.iter().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
            assert!((area(&facets) - expected).abs() < 1e-9 * expected);
            for f in &facets.list {
                let c = facets.corners(f);
                for k in 0..c.len() {
                    let (p, q, r) = (c[k], c[(k + 1) % c.len()], c[(k + 2) % c.len()]);
                    assert!((q - p).cross(r - q).dot(f.normal) >= -1e-12, "not convex");
                    assert!((f.normal.dot(p) - f.offset).abs() < 1e-9, "not plane");
                }
            }
        }
    }

    #[test]
    fn edges_that_bend_outwards_are_real_and_others_are_not() {
        // a ridge at x = 1, a valley at x = 2, flat rows beside them
        let profile = [0.0, 1.0, 0.0, 1.0];
        let heights = (0..16).map(|i| profile[i % 4]).collect();
        let facets = Facets::new(&HeightField::new(4, 4, DVec2::ONE, heights).unwrap().to_mesh());
        assert_eq!(facets.list.len(), 3);
        let side =
            facets.list.iter().find(|f| f.normal.x < 0.0 && facets.corners(f)[0].x < 0.5).unwrap();
        // over the ridge straight up, but not beyond the normal of the other side
        assert!(facets.is_real(side, DVec3::Z));
        assert!(!facets.is_real(side, DVec3::new(1.0, 0.0, 0.5).normalize()));
        // the middle of the valley's side is a metre from the ridge and has nothing else to run
        // into
        let other = facets.list.iter().find(|f| f.normal.x > 0.0).unwrap();
        let middle = DVec3::new(1.5, 1.5, 0.5);
        let inside = facets.inside(other, other.normal, middle);
        assert!((inside - 0.5_f64.sqrt()).abs() < 1e-12, "{inside}");
        // seen from below ridge and valley are exchanged; the ends of the field remain
        assert!((facets.inside(other, -other.normal, middle) - 0.5_f64.sqrt()).abs() < 1e-12);
        assert!(!facets.is_real(other, DVec3::NEG_Z.lerp(DVec3::X, 0.8).normalize()));
    }
}
