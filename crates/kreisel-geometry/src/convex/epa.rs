//! Penetration depth by the expanding polytope algorithm.
//!
//! Reference: van den Bergen 2001 ("Proximity queries and penetration depth computation on 3D game objects"); Bender 2007,
//! B-64. Inside the difference A − B a polytope round the origin grows by the support point of its closest face until
//! that face lies on the boundary. For polyhedra the answer is exact after finitely many steps; for round shapes the polytope
//! is refined until the gap is below 1e-10 of the size or the step limit, and the direction is then polished with GJK. The
//! depth is the support function h(n) = max n·(A − B) of that direction: a valid separating translation in any case.
//!
//! Flat differences (two coplanar triangles) have no inside: depth 0 along their normal. O(k²) for k steps.

use super::gjk::Difference;
use super::simplex::Vertex;
use glam::DVec3;

const MAX_STEPS: u32 = 192;

/// A shortest translation −depth · direction of A that separates.
pub(super) struct Penetration {
    pub(super) depth: f64,
    /// Unit vector from the origin to the closest point of the boundary of A − B.
    pub(super) direction: DVec3,
    pub(super) a: DVec3,
    pub(super) b: DVec3,
}

struct Face {
    corners: [usize; 3],
    normal: DVec3,
    distance: f64,
}

/// Depth of the overlap that the simplex of GJK has shown.
pub(super) fn penetration(pair: &mut Difference, simplex: &[Vertex]) -> Penetration {
    let size = pair.size();
    let mut vertices = match tetrahedron(pair, simplex, size) {
        Ok(vertices) => vertices,
        Err(flat) => return flat,
    };
    let mut faces: Vec<Face> = Vec::new();
    for corners in [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]] {
        faces.extend(face(&vertices, corners));
    }
    if faces.is_empty() {
        return Penetration { depth: 0.0, direction: DVec3::Z, a: vertices[0].a, b: vertices[0].a };
    }
    let start = pair.steps;
    while pair.steps < start + MAX_STEPS {
        let best = closest(&faces);
        let (normal, distance) = (faces[best].normal, faces[best].distance);
        let w = pair.support(normal);
        if w.y.dot(normal) - distance <= 1e-10 * size || vertices.iter().any(|v| v.y == w.y) {
            break;
        }
        if !expand(&mut vertices, &mut faces, w) {
            break;
        }
    }
    let coarse = on_face(&vertices, &faces[closest(&faces)]);
    refine(pair, coarse, size)
}

/// The face closest to the origin, the first of equals.
fn closest(faces: &[Face]) -> usize {
    (0..faces.len()).fold(0, |b, i| if faces[i].distance < faces[b].distance { i } else { b })
}

/// Replaces the faces that see `w` by a cone over their rim; false if rounding leaves no closed rim.
fn expand(vertices: &mut Vec<Vertex>, faces: &mut Vec<Face>, w: Vertex) -> bool {
    let mut rim: Vec<[usize; 2]> = Vec::new();
    let mut kept = Vec::with_capacity(faces.len() + 2);
    let mut removed = Vec::new();
    for f in faces.drain(..) {
        if f.normal.dot(w.y) - f.distance > 1e-14 * w.y.length() {
            for k in 0..3 {
                let edge = [f.corners[k], f.corners[(k + 1) % 3]];
                match rim.iter().position(|&[p, q]| [q, p] == edge) {
                    Some(i) => drop(rim.swap_remove(i)),
                    None => rim.push(edge),
                }
            }
            removed.push(f);
        } else {
            kept.push(f);
        }
    }
    vertices.push(w);
    let apex = vertices.len() - 1;
    let cone: Option<Vec<Face>> = rim.iter().map(|&[p, q]| face(vertices, [p, q, apex])).collect();
    match cone {
        Some(cone) if !removed.is_empty() && cone.len() >= 3 => {
            kept.extend(cone);
            *faces = kept;
            true
        }
        _ => {
            kept.extend(removed);
            *faces = kept;
            false
        }
    }
}

fn face(vertices: &[Vertex], corners: [usize; 3]) -> Option<Face> {
    let [p, q, r] = corners.map(|i| vertices[i].y);
    let normal = (q - p).cross(r - p).try_normalize()?;
    Some(Face { corners, normal, distance: normal.dot(p).max(normal.dot(q)).max(normal.dot(r)) })
}

/// The point of a face closest to the origin, with the points of A and B behind it.
fn on_face(vertices: &[Vertex], face: &Face) -> Penetration {
    let [p, q, r] = face.corners.map(|i| vertices[i]);
    let foot = face.normal * face.distance;
    let n = face.normal;
    let (u, v, w) = (
        (q.y - foot).cross(r.y - foot).dot(n).max(0.0),
        (r.y - foot).cross(p.y - foot).dot(n).max(0.0),
        (p.y - foot).cross(q.y - foot).dot(n).max(0.0),
    );
    let sum = u + v + w;
    let mix = |x: DVec3, y: DVec3, z: DVec3| if sum > 0.0 { (x * u + y * v + z * w) / sum } else { x };
    Penetration { depth: face.distance.max(0.0), direction: n, a: mix(p.a, q.a, r.a), b: mix(p.b, q.b, r.b) }
}

/// Makes a tetrahedron round the origin from the last simplex; the answer itself if the difference is flat there.
fn tetrahedron(pair: &mut Difference, simplex: &[Vertex], size: f64) -> Result<Vec<Vertex>, Penetration> {
    let mut v: Vec<Vertex> = simplex.to_vec();
    let touching = |v: &[Vertex], n: DVec3| Penetration { depth: 0.0, direction: n, a: v[0].a, b: v[0].a };
    if v.len() == 1 {
        v.extend(farthest(pair, &[DVec3::X, DVec3::Y, DVec3::Z], v[0].y, size, |d| d.length()));
    }
    if v.len() == 2 {
        let line = (v[1].y - v[0].y).normalize_or(DVec3::X);
        let u = line.any_orthonormal_vector();
        let directions = [u, line.cross(u), (u + line.cross(u)).normalize()];
        v.extend(farthest(pair, &directions, v[0].y, size, |d| d.cross(line).length()));
    }
    if v.len() == 3 {
        let n = (v[1].y - v[0].y).cross(v[2].y - v[0].y).normalize_or(DVec3::X);
        let Some(apex) = farthest(pair, &[n], v[0].y, size, |d| d.dot(n).abs()) else {
            return Err(touching(&v, n));
        };
        v.push(apex);
    }
    if v.len() < 4 {
        return Err(touching(&v, DVec3::Z));
    }
    // faces outwards: the fourth corner must be below the first three
    if (v[1].y - v[0].y).cross(v[2].y - v[0].y).dot(v[3].y - v[0].y) > 0.0 {
        v.swap(1, 2);
    }
    Ok(v)
}

/// The support point, along ± the directions, that is farthest from `origin` by `measure`; none if all are too close.
fn farthest(
    pair: &mut Difference,
    directions: &[DVec3],
    origin: DVec3,
    size: f64,
    measure: impl Fn(DVec3) -> f64,
) -> Option<Vertex> {
    let mut best: Option<(f64, Vertex)> = None;
    for d in directions.iter().flat_map(|&d| [d, -d]) {
        let w = pair.support(d);
        let m = measure(w.y - origin);
        if m > 1e-12 * size && best.as_ref().is_none_or(|(most, _)| m > *most) {
            best = Some((m, w));
        }
    }
    best.map(|(_, w)| w)
}

/// Improves the direction of a round pair: A, moved out by a little more than the depth, is separated, and GJK finds the
/// direction of the closest points, which is accurate where EPA's is only as good as its facets. With R the radius of
/// curvature of A − B the error falls by (depth + δ)/(R + δ) each time.
pub(super) fn refine(pair: &mut Difference, coarse: Penetration, size: f64) -> Penetration {
    let along = |pair: &mut Difference, n: DVec3| {
        let w = pair.support(n);
        Penetration { depth: w.y.dot(n), direction: n, a: w.a, b: w.b }
    };
    let mut best = along(pair, coarse.direction);
    if best.depth - coarse.depth <= 1e-10 * size {
        return coarse;
    }
    let out = 1e-3 * size;
    for _ in 0..64 {
        let shift = best.direction * -(best.depth + out);
        let Some(apart) = pair.shifted(shift, -best.direction) else { break };
        let next = along(pair, -apart.normal);
        let gain = best.depth - next.depth;
        if gain <= 0.0 {
            break;
        }
        // the closest points of the shifted bodies are the contact of the real ones
        best = Penetration { a: apart.a - shift, b: apart.b, ..next };
        if gain <= 1e-15 * size {
            break;
        }
    }
    best
}
