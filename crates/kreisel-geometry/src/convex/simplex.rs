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

    /// The face closest to the origin and its closest point; `None` if the origin is inside a
    /// tetrahedron.
    pub(super) fn nearest(&self) -> Option<(Face, DVec3)> {
        let y = |i: usize| self.vertices[i].y;
        let face = match self.len {
            1 => Face::vertex(0),
            2 => segment([0, 1], y(0), y(1)),
            3 => triangle([0, 1, 2], y(0), y(1), y(2)),
            _ => tetrahedron([y(0), y(1), y(2), y(3)])?,
        };
        let mut closest = DVec3::ZERO;
        for k in 0..face.len {
            closest += y(face.index[k]) * face.weight[k];
        }
        Some((face, closest))
    }

    /// Shrinks to a face.
    pub(super) fn keep(&mut self, face: &Face) {
        let v = [0, 1, 2].map(|k| self.vertices[face.index[k]]);
        self.vertices[..3].copy_from_slice(&v);
        self.len = face.len;
        self.weights = [face.weight[0], face.weight[1], face.weight[2], 0.0];
    }

    /// Forgets the last vertex; the weights are those from before it came.
    pub(super) fn pop(&mut self) {
        self.len -= 1;
    }

    /// Shrinks to the face closest to the origin and returns its closest point; `None` if the
    /// origin is inside a tetrahedron.
    pub(super) fn reduce(&mut self) -> Option<DVec3> {
        let (face, closest) = self.nearest()?;
        self.keep(&face);
        Some(closest)
    }
}

/// A face of the simplex with the barycentric coordinates of its point closest to the origin.
pub(super) struct Face {
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
    // the closest point is on an edge that the projection lies beyond; a needle's sides are not
    // certain
    let longest2 = (b - a).length_squared().max((c - a).length_squared());
    let needle = area2 <= 1e-12 * longest2 * longest2;
    let beyond = [w, u, v].map(|area| needle || area <= 0.0);
    let mut best = (f64::INFINITY, Face::vertex(i));
    for (from, to, beyond) in
        [((i, a), (j, b), beyond[0]), ((j, b), (k, c), beyond[1]), ((k, c), (i, a), beyond[2])]
    {
        if beyond {
            let face = segment([from.0, to.0], from.1, to.1);
            let d = match face.len {
                2 => (from.1 * face.weight[0] + to.1 * face.weight[1]).length_squared(),
                _ if face.index[0] == from.0 => from.1.length_squared(),
                _ => to.1.length_squared(),
            };
            if d < best.0 {
                best = (d, face);
            }
        }
    }
    best.1
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
