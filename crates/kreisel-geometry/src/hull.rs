//! Convex polyhedra: the convex hull of a point set with its vertices, edges and planar faces.
//!
//! The hull is found by Quickhull (Barber, Dobkin, Huhdanpaa 1996) in `quickhull`, coplanar
//! triangles are merged to polygons in `polygons`, and the result is stored as half-edges, which is
//! what feature walks (V-Clip), hill climbing and contact clipping need. Expected O(n log n), worst
//! case O(n²).
//!
//! Failure: fewer than four points that are not in one plane (to 1e-10 of the size) give
//! [`HullError::Flat`].

mod decompose;
mod polygons;
mod quickhull;

pub use decompose::Decomposition;

use crate::mass::surface::VolumeMoments;
use crate::{MassProperties, TriMesh};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Why points have no convex hull with a volume.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HullError {
    /// A coordinate is NaN, infinite or beyond 1e100.
    #[error("point {0} is {1}: every coordinate must be a finite number below 1e100")]
    Point(usize, DVec3),
    /// There are more points than 32-bit indices can name.
    #[error("{0} points are too many for a convex hull")]
    TooLarge(usize),
    /// All points lie in one plane (or there are fewer than four).
    #[error("the {0} points span no volume")]
    Flat(usize),
    /// Rounding broke the surface; the points are at the limit of the number format.
    #[error("the convex hull is numerically degenerate")]
    Degenerate,
    /// The program was built without convex decomposition (feature `decomposition`).
    #[error("{} convex decomposition", crate::LACKS)]
    Lacking,
}

/// One directed edge of a face; its twin runs the other way in the neighbouring face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfEdge {
    /// Vertex where the edge starts.
    pub origin: u32,
    /// The same edge in the neighbouring face.
    pub twin: u32,
    /// The next edge of this face, counter-clockwise seen from outside.
    pub next: u32,
    /// The face to the left.
    pub face: u32,
}

/// A planar face n·x = offset with outward unit normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: DVec3,
    /// Distance of the plane from the origin along the normal.
    pub offset: f64,
    /// One of its half-edges.
    pub edge: u32,
}

/// A convex polyhedron.
///
/// ```
/// use glam::DVec3;
/// use kreisel_geometry::ConvexHull;
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.1)];
/// let hull = ConvexHull::new(&points).unwrap();
/// assert_eq!(hull.vertices().len(), 4);
/// assert!((hull.volume() - 1.0 / 6.0).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawHull", into = "RawHull")]
pub struct ConvexHull {
    vertices: Vec<DVec3>,
    edges: Vec<HalfEdge>,
    faces: Vec<Face>,
    /// One outgoing half-edge of each vertex.
    outgoing: Vec<u32>,
    /// The vertices that share an edge with vertex v are `neighbours[first[v]..first[v + 1]]`.
    neighbours: Vec<u32>,
    first: Vec<u32>,
    /// Where hill climbing starts: the farthest vertex for each cell of a cube of directions,
    /// `grid` by `grid` cells on each of its six sides.
    starts: Vec<u32>,
    grid: usize,
}

/// A hull is stored as its vertices: they determine the rest.
#[derive(Serialize, Deserialize)]
struct RawHull {
    points: Vec<DVec3>,
}

impl TryFrom<RawHull> for ConvexHull {
    type Error = HullError;
    fn try_from(raw: RawHull) -> Result<Self, HullError> {
        Self::new(&raw.points)
    }
}

impl From<ConvexHull> for RawHull {
    fn from(hull: ConvexHull) -> Self {
        Self { points: hull.vertices }
    }
}

impl ConvexHull {
    /// The convex hull of `points`.
    pub fn new(points: &[DVec3]) -> Result<Self, HullError> {
        if points.len() >= u32::MAX as usize / 8 {
            return Err(HullError::TooLarge(points.len()));
        }
        if let Some(i) = points.iter().position(|v| !v.is_finite() || v.abs().max_element() > 1e100)
        {
            return Err(HullError::Point(i, points[i]));
        }
        let triangles = quickhull::triangles(points)?;
        polygons::assemble(points, &triangles)
    }

    /// A box with the full edge lengths `size`.
    pub fn cuboid(size: DVec3) -> Result<Self, HullError> {
        Self::new(crate::mesh::generate::cuboid(size).vertices())
    }

    /// The vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The half-edges, two for each edge.
    pub fn edges(&self) -> &[HalfEdge] {
        &self.edges
    }

    /// The faces.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The half-edges that leave vertex `v`, clockwise seen from outside.
    pub fn edges_from(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.outgoing[v as usize];
        cycle(start, move |e| self.edges[self.edges[e as usize].twin as usize].next)
    }

    /// The half-edges of face `f`, counter-clockwise seen from outside.
    pub fn edges_of(&self, f: u32) -> impl Iterator<Item = u32> + '_ {
        cycle(self.faces[f as usize].edge, move |e| self.edges[e as usize].next)
    }

    /// Where half-edge `e` starts and ends.
    pub fn ends(&self, e: u32) -> [DVec3; 2] {
        let edge = self.edges[e as usize];
        [edge.origin, self.edges[edge.next as usize].origin].map(|v| self.vertices[v as usize])
    }

    /// A vertex that is far along `d`.
    pub(crate) fn start(&self, d: DVec3) -> u32 {
        let a = d.abs();
        let k = if a.x >= a.y && a.x >= a.z { 0 } else { 1 + usize::from(a.z > a.y) };
        let side = 2 * k + usize::from(d[k] < 0.0);
        // a NaN becomes cell 0
        let cell =
            |x: f64| ((0.5 * (x / a[k] + 1.0) * self.grid as f64) as usize).min(self.grid - 1);
        self.starts[(side * self.grid + cell(d[(k + 1) % 3])) * self.grid + cell(d[(k + 2) % 3])]
    }

    /// The vertex farthest along `d`, found by climbing over the edges from `from`: a local maximum
    /// of a linear function over a convex polyhedron is the global one.
    pub(crate) fn climb(&self, d: DVec3, from: u32) -> u32 {
        let mut best = from;
        let mut height = self.vertices[best as usize].dot(d);
        loop {
            let here = best as usize;
            for &to in &self.neighbours[self.first[here] as usize..self.first[here + 1] as usize] {
                let h = self.vertices[to as usize].dot(d);
                if h > height {
                    (best, height) = (to, h);
                }
            }
            if best as usize == here {
                return best;
            }
        }
    }

    /// Lists the neighbours and fills the table of starts: about four vertices for each cell.
    fn prepare(&mut self) {
        self.first.push(0);
        for v in 0..self.vertices.len() as u32 {
            let ends =
                self.edges_from(v).map(|e| self.edges[self.edges[e as usize].twin as usize].origin);
            let ends: Vec<u32> = ends.collect();
            self.neighbours.extend(ends);
            self.first.push(self.neighbours.len() as u32);
        }
        self.grid = (self.vertices.len() / 24).isqrt().clamp(2, 24);
        let n = self.grid;
        let mut best = 0;
        for i in 0..6 * n * n {
            let at = |cell: usize| (cell as f64 + 0.5) / n as f64 * 2.0 - 1.0;
            let side = i / (n * n);
            let mut d = DVec3::ZERO;
            d[side / 2] = if side.is_multiple_of(2) { 1.0 } else { -1.0 };
            d[(side / 2 + 1) % 3] = at(i / n % n);
            d[(side / 2 + 2) % 3] = at(i % n);
            best = self.climb(d, best);
            self.starts.push(best);
        }
    }

    /// Volume.
    pub fn volume(&self) -> f64 {
        self.moments().volume()
    }

    /// Mass properties for a uniform density in kg/m³.
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        self.moments().mass_properties(density)
    }

    /// The faces cut into triangles, as a closed mesh.
    pub fn to_mesh(&self) -> TriMesh {
        TriMesh::trusted(self.vertices.clone(), self.triangles().collect())
    }

    fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        (0..self.faces.len() as u32).flat_map(move |f| {
            let apex = self.edges[self.faces[f as usize].edge as usize].origin;
            self.edges_of(f).skip(1).filter_map(move |e| {
                let edge = self.edges[e as usize];
                let to = self.edges[edge.next as usize].origin;
                (to != apex).then_some([apex, edge.origin, to])
            })
        })
    }

    fn moments(&self) -> VolumeMoments {
        let middle = self.vertices.iter().sum::<DVec3>() / self.vertices.len() as f64;
        VolumeMoments::of(middle, self.triangles().map(|t| t.map(|v| self.vertices[v as usize])))
    }
}

/// start, step(start), … until it comes back to start.
fn cycle(start: u32, step: impl Fn(u32) -> u32) -> impl Iterator<Item = u32> {
    let mut next = Some(start);
    std::iter::from_fn(move || {
        let here = next?;
        let after = step(here);
        next = (after != start).then_some(after);
        Some(here)
    })
}

#[cfg(test)]
mod tests;
