//! A growing convex polytope of triangles, linked by adjacency: what the expanding polytope
//! algorithm works on.
//!
//! A new point removes the faces that it sees. They are found by a flood over the neighbours from
//! one face that certainly is seen, so that they are connected whatever rounding does; their rim
//! must be one simple loop, and the cone over it must consist of triangles with an area. A point
//! that cannot be added in this way is refused and leaves the polytope as it was. The surface is
//! thus a topological sphere at all times: V vertices have exactly 2 V − 4 faces.
//!
//! O(faces seen) for each point.

use super::simplex::Vertex;
use glam::DVec3;
use smallvec::SmallVec;

/// A triangle narrower than this part of the size has no certain normal.
const NARROW: f64 = 1e-11;
/// A point lower than this part of the size over a face does not see it.
const SEEN: f64 = 1e-14;
/// At the second attempt a point also sees faces whose planes it is in, to this part of the size.
const COPLANAR: f64 = 1e-12;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    corners: [u32; 3],
    /// Across the edges from corner 0 to 1, 1 to 2, 2 to 0.
    neighbours: [u32; 3],
    /// Outward unit normal.
    pub(super) normal: DVec3,
    /// Distance of the plane from the origin along the normal.
    pub(super) distance: f64,
    state: State,
    /// The flood that has seen this face last.
    mark: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Open,
    /// Part of the surface; no point could be added over it.
    Blocked,
    /// Not part of the surface; the place is free.
    Removed,
}

/// An edge between a face that is seen and one that is not, in the direction of the former.
#[derive(Clone, Copy)]
struct Rim {
    from: u32,
    to: u32,
    beyond: u32,
}

pub(super) struct Polytope {
    vertices: Vec<Vertex>,
    faces: Vec<Face>,
    free: Vec<u32>,
    floods: u32,
    /// The scale of tolerances.
    size: f64,
}

impl Polytope {
    /// A tetrahedron; `None` if it is flat.
    pub(super) fn tetrahedron(mut v: [Vertex; 4], size: f64) -> Option<Self> {
        // faces outwards: the fourth corner must be below the first three
        if (v[1].y - v[0].y).cross(v[2].y - v[0].y).dot(v[3].y - v[0].y) > 0.0 {
            v.swap(1, 2);
        }
        let corners = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
        let neighbours = [[2, 3, 1], [0, 3, 2], [1, 3, 0], [2, 1, 0]];
        let mut polytope = Self {
            vertices: v.to_vec(),
            faces: Vec::with_capacity(64),
            free: vec![],
            floods: 0,
            size,
        };
        for (corners, neighbours) in corners.into_iter().zip(neighbours) {
            let (normal, distance) = polytope.plane(corners)?;
            polytope.faces.push(Face {
                corners,
                neighbours,
                normal,
                distance,
                state: State::Open,
                mark: 0,
            });
        }
        Some(polytope)
    }

    /// The plane of three vertices; `None` if they are too close to one line.
    fn plane(&self, corners: [u32; 3]) -> Option<(DVec3, f64)> {
        let [p, q, r] = corners.map(|i| self.vertices[i as usize].y);
        let (e, f) = (q - p, r - p);
        let n = e.cross(f);
        let (area, longest) = (n.length(), e.length().max(f.length()).max((r - q).length()));
        if area <= NARROW * self.size * longest || area == 0.0 {
            return None;
        }
        let normal = n / area;
        Some((normal, normal.dot(p).max(normal.dot(q)).max(normal.dot(r))))
    }

    /// The open face whose plane is closest to the origin, the first of equals.
    pub(super) fn closest_open(&self) -> Option<(u32, Face)> {
        let mut best: Option<(u32, &Face)> = None;
        for (i, f) in self.faces.iter().enumerate() {
            if f.state == State::Open && best.is_none_or(|(_, b)| f.distance < b.distance) {
                best = Some((i as u32, f));
            }
        }
        best.map(|(i, f)| (i, *f))
    }

    /// The distance of the closest face, blocked ones included: no support plane is closer, but for
    /// rounding.
    pub(super) fn least_distance(&self) -> f64 {
        self.surface().map(|f| f.distance).fold(f64::INFINITY, f64::min)
    }

    fn surface(&self) -> impl Iterator<Item = &Face> {
        self.faces.iter().filter(|f| f.state != State::Removed)
    }

    /// The corners of all faces whose planes are at most `distance` from the origin.
    pub(super) fn faces_within(&self, distance: f64) -> impl Iterator<Item = [Vertex; 3]> + '_ {
        let within = move |f: &&Face| f.distance <= distance;
        self.surface().filter(within).map(|f| f.corners.map(|i| self.vertices[i as usize]))
    }

    /// Takes a face out of the search.
    pub(super) fn block(&mut self, face: u32) {
        self.faces[face as usize].state = State::Blocked;
    }

    /// Adds a point that sees `face`; false if that cannot be done without breaking the surface.
    pub(super) fn add(&mut self, face: u32, w: Vertex) -> bool {
        if self.vertices.iter().any(|v| v.y == w.y) {
            return false;
        }
        self.vertices.push(w);
        // a point in the plane of a neighbour makes a face without area, unless it replaces the
        // neighbour, too
        let done =
            [SEEN, -COPLANAR].into_iter().any(|height| self.replace(face, height * self.size));
        if !done {
            self.vertices.pop();
        }
        done
    }

    /// Replaces the faces that lie lower than `height` under the last vertex, as far as they are
    /// connected to `face`.
    fn replace(&mut self, face: u32, height: f64) -> bool {
        let (seen, rim) = self.flood(face, height);
        let Some(rim) = self.one_loop(rim) else { return false };

        // all new faces must have a plane before anything is changed
        let apex = self.vertices.len() as u32 - 1;
        let mut cone: SmallVec<[Face; 16]> = SmallVec::new();
        for edge in &rim {
            let corners = [edge.from, edge.to, apex];
            let Some((normal, distance)) = self.plane(corners) else { return false };
            let neighbours = [edge.beyond, NONE, NONE];
            cone.push(Face { corners, neighbours, normal, distance, state: State::Open, mark: 0 });
        }

        // the new faces take the places of the old ones first
        for f in &seen {
            self.faces[*f as usize].state = State::Removed;
        }
        self.free.extend(seen);
        let mut places: SmallVec<[u32; 16]> = SmallVec::new();
        for f in &cone {
            places.push(self.free.pop().unwrap_or(self.faces.len() as u32));
            match places.last() {
                Some(&k) if (k as usize) < self.faces.len() => self.faces[k as usize] = *f,
                _ => self.faces.push(*f),
            }
        }

        // neighbours: across the rim, and round the apex in the order of the loop
        let n = rim.len();
        for (i, edge) in rim.iter().enumerate() {
            let here = places[i];
            self.faces[here as usize].neighbours =
                [edge.beyond, places[(i + 1) % n], places[(i + n - 1) % n]];
            let beyond = &mut self.faces[edge.beyond as usize];
            for k in 0..3 {
                if beyond.corners[k] == edge.to && beyond.corners[(k + 1) % 3] == edge.from {
                    beyond.neighbours[k] = here;
                }
            }
        }
        true
    }

    /// The faces that the last vertex sees, connected to the first of them, and the edges round
    /// them.
    fn flood(&mut self, face: u32, height: f64) -> (SmallVec<[u32; 32]>, SmallVec<[Rim; 16]>) {
        self.floods += 1;
        let stamp = self.floods;
        let w = self.vertices[self.vertices.len() - 1].y;
        let mut seen: SmallVec<[u32; 32]> = SmallVec::new();
        seen.push(face);
        self.faces[face as usize].mark = stamp;
        let mut at = 0;
        while at < seen.len() {
            for next in self.faces[seen[at] as usize].neighbours {
                let f = &mut self.faces[next as usize];
                if f.mark != stamp && f.normal.dot(w) - f.distance > height {
                    f.mark = stamp;
                    seen.push(next);
                }
            }
            at += 1;
        }
        let mut rim = SmallVec::new();
        for &s in &seen {
            let f = self.faces[s as usize];
            for k in 0..3 {
                let beyond = f.neighbours[k];
                if self.faces[beyond as usize].mark != stamp {
                    rim.push(Rim { from: f.corners[k], to: f.corners[(k + 1) % 3], beyond });
                }
            }
        }
        (seen, rim)
    }

    /// The edges in the order of the loop that they form; `None` if they form several, or one that
    /// meets itself.
    fn one_loop(&self, rim: SmallVec<[Rim; 16]>) -> Option<SmallVec<[Rim; 16]>> {
        let mut sorted = rim;
        let n = sorted.len();
        if n < 3 {
            return None;
        }
        for i in 0..n - 1 {
            let to = sorted[i].to;
            let next = (i + 1..n).find(|&k| sorted[k].from == to)?;
            sorted.swap(i + 1, next);
        }
        // a vertex passed twice would start two edges
        let twice = (0..n).any(|i| (i + 1..n).any(|k| sorted[i].from == sorted[k].from));
        (sorted[n - 1].to == sorted[0].from && !twice).then_some(sorted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(y: DVec3) -> Vertex {
        Vertex { y, a: y, b: DVec3::ZERO }
    }

    /// Every edge has a twin in the neighbour that it names, and Euler's formula holds.
    fn check(polytope: &Polytope) {
        let live = polytope.surface().count();
        assert_eq!(live, 2 * polytope.vertices.len() - 4);
        for (i, f) in polytope.faces.iter().enumerate().filter(|(_, f)| f.state != State::Removed) {
            for k in 0..3 {
                let g = &polytope.faces[f.neighbours[k] as usize];
                assert!(g.state != State::Removed && f.neighbours[k] != i as u32);
                let edge = [f.corners[(k + 1) % 3], f.corners[k]];
                assert!((0..3).any(|m| [g.corners[m], g.corners[(m + 1) % 3]] == edge
                    && g.neighbours[m] == i as u32));
            }
        }
    }

    #[test]
    fn points_on_a_cube_of_coplanar_faces_and_on_a_sphere_keep_the_surface_closed() {
        let corners =
            [DVec3::new(1.0, 1.0, 1.0), DVec3::new(-1.0, -1.0, 1.0), DVec3::new(-1.0, 1.0, -1.0)];
        let start = [corners[0], corners[1], corners[2], DVec3::new(1.0, -1.0, -1.0)].map(vertex);
        for round in [false, true] {
            let mut polytope = Polytope::tetrahedron(start, 4.0).unwrap();
            for _ in 0..150 {
                let Some((face, f)) = polytope.closest_open() else { break };
                let n = f.normal;
                let w = if round { n * 3_f64.sqrt() } else { DVec3::ONE.copysign(n) };
                if w.dot(n) - f.distance < 1e-12 || !polytope.add(face, vertex(w)) {
                    polytope.block(face);
                }
                check(&polytope);
            }
            assert!(
                polytope.vertices.len() == if round { 154 } else { 8 },
                "{}",
                polytope.vertices.len()
            );
        }
    }

    #[test]
    fn a_point_that_is_there_already_is_refused_and_one_on_an_edge_splits_both_its_faces() {
        let start = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(vertex);
        let mut polytope = Polytope::tetrahedron(start, 1.0).unwrap();
        let below = (0..4).find(|&f| polytope.faces[f as usize].normal == -DVec3::Z).unwrap();
        assert!(!polytope.add(below, vertex(DVec3::X)));
        check(&polytope);
        assert!(polytope.add(below, vertex(DVec3::X * 0.5)));
        check(&polytope);
        assert!(
            Polytope::tetrahedron(
                [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X * 2.0].map(vertex),
                1.0
            )
            .is_none()
        );
    }
}
