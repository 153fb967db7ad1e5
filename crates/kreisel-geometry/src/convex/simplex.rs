//! The point of a simplex closest to the origin: the subproblem of GJK.
//!
//! Up to four points of the difference A − B, each with the points of A and B it comes from.
//! [`Simplex::reduce`] finds the closest point and keeps only the vertices of the smallest face
//! that contains it (Ericson 2005, section 5.1, Voronoi regions of vertex, edge, triangle and
//! tetrahedron). A flat tetrahedron is treated as its four faces, it never "contains" the origin.

use glam::DVec3;

/// A point of the difference, and the two points that it is the difference of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vertex {
    pub(super) y: DVec3,
    pub(super) a: DVec3,
    pub(super) b: DVec3,
}

#[derive(Clone, Debug)]
pub(super) struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    len: usize,
}

impl Simplex {
    pub(super) fn new(vertex: Vertex) -> Self {
        Self { vertices: [vertex; 4], weights: [1.0, 0.0, 0.0, 0.0], len: 1 }
    }

    pub(super) fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.len]
    }

    pub(super) fn push(&mut self, vertex: Vertex) {
        self.vertices[self.len] = vertex;
        self.len += 1;
    }

    /// The closest points of A and B for the current weights.
    pub(super) fn witness(&self) -> (DVec3, DVec3) {
        let mut sum = (DVec3::ZERO, DVec3::ZERO);
        for (v, &w) in self.vertices().iter().zip(&self.weights) {
            sum.0 += v.a * w;
            sum.1 += v.b * w;
        }
        sum
    }

    /// Shrinks to the face closest to the origin and returns its closest point; `None` if the
    /// origin is inside a tetrahedron.
    pub(super) fn reduce(&mut self) -> Option<DVec3> {
        let y = |i: usize| self.vertices[i].y;
        let best = match self.len {
            1 => Face::vertex(0),
            2 => segment([0, 1], y(0), y(1)),
            3 => triangle([0, 1, 2], y(0), y(1), y(2)),
            _ => tetrahedron([y(0), y(1), y(2), y(3)])?,
        };
        let mut closest = DVec3::ZERO;
        let mut kept = self.vertices;
        for k in 0..best.len {
            kept[k] = self.vertices[best.index[k]];
            closest += kept[k].y * best.weight[k];
        }
        self.vertices = kept;
        self.len = best.len;
        self.weights = [best.weight[0], best.weight[1], best.weight[2], 0.0];
        Some(closest)
    }
}

/// A face of the simplex with the barycentric coordinates of its point closest to the origin.
struct Face {
    index: [usize; 3],
    weight: [f64; 3],
    len: usize,
}

impl Face {
    fn vertex(i: usize) -> Self {
        Self { index: [i, 0, 0], weight: [1.0, 0.0, 0.0], len: 1 }
    }
}

fn segment([i, j]: [usize; 2], a: DVec3, b: DVec3) -> Face {
    let d = b - a;
    let (t, length2) = (-a.dot(d), d.length_squared());
    if t <= 0.0 {
        Face::vertex(i)
    } else if t >= length2 {
        Face::vertex(j)
    } else {
        let t = t / length2;
        Face { index: [i, j, 0], weight: [1.0 - t, t, 0.0], len: 2 }
    }
}

fn triangle([i, j, k]: [usize; 3], a: DVec3, b: DVec3, c: DVec3) -> Face {
    let n = (b - a).cross(c - a);
    let area2 = n.length_squared();
    // signed areas of the triangles that the origin's projection forms with the edges
    let (u, v, w) = (b.cross(c).dot(n), c.cross(a).dot(n), a.cross(b).dot(n));
    if u > 0.0 && v > 0.0 && w > 0.0 && area2 > 0.0 {
        let sum = u + v + w;
        return Face { index: [i, j, k], weight: [u / sum, v / sum, w / sum], len: 3 };
    }
    let edges = [(segment([i, j], a, b), [a, b]), (segment([j, k], b, c), [b, c]), (segment([k, i], c, a), [c, a])];
    let distance = |(face, [p, q]): &(Face, [DVec3; 2])| match (face.len, face.weight[1]) {
        (2, t) => (*p * face.weight[0] + *q * t).length_squared(),
        _ => p.length_squared().min(q.length_squared()),
    };
    let mut best = (f64::INFINITY, 0);
    for (m, edge) in edges.iter().enumerate() {
        let d = distance(edge);
        if d < best.0 {
            best = (d, m);
        }
    }
    let [e, f, g] = edges;
    [e, f, g].into_iter().nth(best.1).map_or(Face::vertex(i), |(face, _)| face)
}

fn tetrahedron(y: [DVec3; 4]) -> Option<Face> {
    let faces = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]];
    let volume = (y[1] - y[0]).cross(y[2] - y[0]).dot(y[3] - y[0]);
    let size = y.iter().map(|p| (*p - y[0]).length_squared()).fold(0.0, f64::max);
    let flat = volume.abs() <= 1e-14 * size * size.sqrt();
    let mut best: Option<(f64, Face)> = None;
    for [i, j, k, opposite] in faces {
        let n = (y[j] - y[i]).cross(y[k] - y[i]);
        let (origin, other) = (-y[i].dot(n), (y[opposite] - y[i]).dot(n));
        if !flat && origin * other > 0.0 {
            continue;
        }
        let face = triangle([i, j, k], y[i], y[j], y[k]);
        let closest = (0..face.len).map(|m| y[face.index[m]] * face.weight[m]).sum::<DVec3>();
        let d = closest.length_squared();
        if best.as_ref().is_none_or(|(least, _)| d < *least) {
            best = Some((d, face));
        }
    }
    best.map(|(_, face)| face)
}
