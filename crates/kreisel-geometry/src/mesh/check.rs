//! Validation of triangle meshes: the defect is named, with the triangle or the edge where it is.
//!
//! Reference: Lennerz 2000, section 2.3 (L-03): a boundary representation is a closed orientable
//! 2-manifold when every edge has exactly two incident faces that run through it in opposite
//! directions, and when the faces round each vertex form one fan. O(n log n) by sorting the
//! directed edges; the first defect in the order of the triangles is reported, so that the message
//! does not depend on the sort.

use super::TriMesh;
use glam::DVec3;

/// What is wrong with a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshDefect {
    /// There is no triangle.
    #[error("the mesh has no triangles")]
    Empty,
    /// There are more vertices or triangles than 32-bit indices can name.
    #[error("the mesh has {0} {1}, at most 4294967295 can be numbered")]
    TooLarge(usize, &'static str),
    /// A coordinate is NaN, infinite or so large that its square overflows.
    #[error("vertex {0} is {1}: every coordinate must be a finite number below 1e100")]
    Vertex(usize, DVec3),
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {vertex}, the mesh has {count}")]
    Index {
        /// Number of the triangle.
        triangle: usize,
        /// The vertex it refers to.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// A triangle uses one vertex twice or has its corners on one line.
    #[error("triangle {0} has no area")]
    ZeroArea(usize),
    /// Two triangles have the same three corners.
    #[error("triangles {0} and {1} have the same corners")]
    Duplicate(usize, usize),
    /// An edge belongs to one triangle only.
    #[error(
        "the surface is open: only triangle {triangle} has the edge between the vertices {from} and {to}"
    )]
    Open {
        /// Number of the triangle.
        triangle: usize,
        /// First vertex of the edge.
        from: u32,
        /// Second vertex of the edge.
        to: u32,
    },
    /// An edge belongs to more than two triangles.
    #[error(
        "{count} triangles meet in the edge between the vertices {from} and {to}, a solid has two"
    )]
    NonManifoldEdge {
        /// How many triangles meet.
        count: usize,
        /// First vertex of the edge.
        from: u32,
        /// Second vertex of the edge.
        to: u32,
    },
    /// Two neighbours run through their common edge in the same direction.
    #[error("the triangles {0} and {1} are oriented against each other")]
    Orientation(usize, usize),
    /// The triangles round a vertex form more than one fan.
    #[error("the surface touches itself in vertex {0}")]
    NonManifoldVertex(u32),
    /// The volume is negative: all triangles show their inner side.
    #[error(
        "the surface is inside out (its volume is {0} m³): the triangles must run counter-clockwise seen from outside"
    )]
    InsideOut(f64),
    /// The surface is closed but flat.
    #[error("the surface encloses no volume")]
    NoVolume,
}

/// An edge of one triangle, with its ends in ascending order.
pub(super) struct HalfEdge {
    ends: [u32; 2],
    pub(super) triangle: u32,
    forward: bool,
}

/// Checks what every mesh must have: triangles, finite vertices, valid indices.
pub(super) fn indices_and_numbers(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
) -> Result<(), MeshDefect> {
    if triangles.is_empty() {
        return Err(MeshDefect::Empty);
    }
    for (count, what) in [(vertices.len(), "vertices"), (triangles.len(), "triangles")] {
        if count >= u32::MAX as usize {
            return Err(MeshDefect::TooLarge(count, what));
        }
    }
    if let Some(i) = vertices.iter().position(|v| !v.is_finite() || v.abs().max_element() > 1e100) {
        return Err(MeshDefect::Vertex(i, vertices[i]));
    }
    for (triangle, t) in triangles.iter().enumerate() {
        if let Some(&vertex) = t.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(MeshDefect::Index { triangle, vertex, count: vertices.len() });
        }
    }
    Ok(())
}

impl TriMesh {
    /// Checks that the mesh is the boundary of a solid: no degenerate triangles, closed, orientable
    /// and oriented, manifold at every edge and vertex. Shells may be several (a hollow body,
    /// separate parts).
    pub fn check_closed(&self) -> Result<(), MeshDefect> {
        self.check_degenerate()?;
        let edges = self.sorted_edges();
        self.check_edges(&edges)?;
        self.check_fans(&edges)
    }

    /// Checks that no triangle is degenerate or there twice.
    pub fn check_degenerate(&self) -> Result<(), MeshDefect> {
        for (i, [a, b, c]) in self.iter().enumerate() {
            let longest = (b - a)
                .length_squared()
                .max((c - b).length_squared())
                .max((a - c).length_squared());
            if (b - a).cross(c - a).length() <= 1e-14 * longest {
                return Err(MeshDefect::ZeroArea(i));
            }
        }
        let mut sorted: Vec<([u32; 3], u32)> = Vec::with_capacity(self.triangles().len());
        for (i, t) in self.triangles().iter().enumerate() {
            let mut key = *t;
            key.sort_unstable();
            sorted.push((key, i as u32));
        }
        sorted.sort_unstable();
        match sorted.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| (w[1].1, w[0].1)).min() {
            Some((second, first)) => Err(MeshDefect::Duplicate(first as usize, second as usize)),
            None => Ok(()),
        }
    }

    /// The edges of all triangles, those with the same ends one after the other.
    pub(super) fn sorted_edges(&self) -> Vec<HalfEdge> {
        let mut edges = Vec::with_capacity(3 * self.triangles().len());
        for (i, t) in self.triangles().iter().enumerate() {
            for k in 0..3 {
                let (from, to) = (t[k], t[(k + 1) % 3]);
                edges.push(HalfEdge {
                    ends: [from.min(to), from.max(to)],
                    triangle: i as u32,
                    forward: from < to,
                });
            }
        }
        edges.sort_unstable_by_key(|e| (e.ends, e.triangle));
        edges
    }

    fn check_edges(&self, edges: &[HalfEdge]) -> Result<(), MeshDefect> {
        let mut first: Option<(u32, MeshDefect)> = None;
        for group in edges.chunk_by(|a, b| a.ends == b.ends) {
            let ([from, to], triangle) = (group[0].ends, group[0].triangle);
            let defect = match group {
                [a, b] if a.forward != b.forward => continue,
                [a, b] => MeshDefect::Orientation(a.triangle as usize, b.triangle as usize),
                [_] => MeshDefect::Open { triangle: triangle as usize, from, to },
                _ => MeshDefect::NonManifoldEdge { count: group.len(), from, to },
            };
            if first.as_ref().is_none_or(|(t, _)| triangle < *t) {
                first = Some((triangle, defect));
            }
        }
        first.map_or(Ok(()), |(_, defect)| Err(defect))
    }

    /// Every vertex must have one fan: walking over the edges from one of its triangles reaches all
    /// of them.
    fn check_fans(&self, edges: &[HalfEdge]) -> Result<(), MeshDefect> {
        let mut count = vec![0_u32; self.vertices().len()];
        let mut seed = vec![u32::MAX; self.vertices().len()];
        for (i, t) in self.triangles().iter().enumerate() {
            for &v in t {
                count[v as usize] += 1;
                seed[v as usize] = i as u32;
            }
        }
        let partner = |from: u32, to: u32, triangle: u32| {
            let ends = [from.min(to), from.max(to)];
            let at = edges.partition_point(|e| e.ends < ends);
            if edges[at].triangle == triangle { edges[at + 1].triangle } else { edges[at].triangle }
        };
        for v in 0..self.vertices().len() as u32 {
            let (n, start) = (count[v as usize], seed[v as usize]);
            let (mut triangle, mut steps) = (start, 0);
            while steps < n {
                let t = self.triangles()[triangle as usize];
                let k = t.iter().position(|&x| x == v).unwrap_or(0);
                triangle = partner(v, t[(k + 1) % 3], triangle);
                steps += 1;
                if triangle == start {
                    break;
                }
            }
            if steps < n {
                return Err(MeshDefect::NonManifoldVertex(v));
            }
        }
        Ok(())
    }
}
