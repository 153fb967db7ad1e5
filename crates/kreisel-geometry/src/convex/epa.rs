//! Penetration depth by the expanding polytope algorithm.
//!
//! Reference: van den Bergen 2001 ("Proximity queries and penetration depth computation on 3D game
//! objects"); Bender 2007, B-64. Inside the difference A − B a polytope round the origin grows by
//! the support point of its closest face until that face lies on the boundary. Every direction n
//! that is tried gives a bound: the support function h(n) = max n·(A − B) is the length of a
//! translation along −n that separates, so the depth is the least h. What is returned is the
//! direction with the least h that was seen, with depth = h: a valid separating translation
//! whatever rounding does to the polytope, which only decides which directions are tried.
//!
//! For polyhedra the answer is exact after finitely many steps: the closest face is at h. For round
//! shapes, and when the polytope could not be grown to the end, the direction is polished with GJK.
//!
//! | | |
//! |---|---|
//! | cost | at most 192 support points for the polytope, 1024 for the polish; O(k²) for k points |
//! | flat differences (two coplanar triangles) | they have no inside: depth 0 along their normal |

use super::gjk::Difference;
use super::polytope::Polytope;
use super::simplex::{Simplex, Vertex};
use glam::DVec3;

/// Support points that the polytope takes.
const MAX_STEPS: u32 = 192;
/// Support points of the polish.
const MAX_POLISH: u32 = 1024;
/// Part of the size by which the polish moves sets apart.
const OUT: f64 = 1e-3;
/// Part of the size below which the search near a guess gains no more: a hundredth of the contact
/// tolerance.
const NEAR_EQUAL: f64 = 1e-8;
/// Two lengths that differ by this part of the size are equal.
const EQUAL: f64 = 1e-10;

/// A translation −depth · direction of A that separates.
pub(super) struct Penetration {
    pub(super) depth: f64,
    /// Unit vector from the origin to the closest point of the boundary of A − B.
    pub(super) direction: DVec3,
    /// Points of A and B with a − b = depth · direction.
    pub(super) a: DVec3,
    pub(super) b: DVec3,
}

/// A direction and the support function there: a bound of the depth.
#[derive(Clone, Copy)]
struct Bound {
    depth: f64,
    direction: DVec3,
}

impl Bound {
    fn along(pair: &mut Difference, direction: DVec3) -> (Self, Vertex) {
        let w = pair.support(direction);
        (Self { depth: w.y.dot(direction), direction }, w)
    }
}

/// Depth of the overlap that the simplex of GJK has shown.
pub(super) fn penetration(pair: &mut Difference, simplex: &Simplex) -> Penetration {
    let size = pair.size();
    let mut polytope = match start(pair, simplex, size) {
        Start::Polytope(polytope) => polytope,
        Start::Flat(normal) => return flat(pair, simplex, normal, size),
    };

    // grow the polytope at its closest face, and remember the best direction
    let mut best = Bound { depth: f64::INFINITY, direction: DVec3::Z };
    let last = pair.steps + MAX_STEPS;
    while pair.steps < last {
        let Some((face, f)) = polytope.closest_open() else { break };
        if f.distance >= best.depth - EQUAL * size {
            break;
        }
        let (bound, w) = Bound::along(pair, f.normal);
        if bound.depth < best.depth {
            best = bound;
        }
        if bound.depth - f.distance <= EQUAL * size {
            break;
        }
        if !polytope.add(face, w) {
            polytope.block(face);
        }
    }

    // the boundary is reached: the points behind the faces there; otherwise the direction is
    // improved
    let reached = best.depth - polytope.least_distance() <= EQUAL * size;
    match on_faces(&polytope, &best, size) {
        Some(answer) if reached => answer,
        _ => polish(pair, best.direction, size),
    }
}

/// The points of A and B behind the point of the boundary that is closest to the origin. It lies on
/// one of the faces in the closest plane; `None` if rounding has put it on none of them.
fn on_faces(polytope: &Polytope, best: &Bound, size: f64) -> Option<Penetration> {
    let foot = best.direction * best.depth;
    let mut nearest: Option<(f64, DVec3, DVec3)> = None;
    for corners in polytope.faces_within(best.depth + EQUAL * size) {
        let (apart, a, b) = closest_on(&corners, foot);
        if nearest.is_none_or(|(least, ..)| apart < least) {
            nearest = Some((apart, a, b));
        }
    }
    let (apart, a, b) = nearest?;
    (apart <= 10.0 * EQUAL * size).then(|| opposite(best, a, b))
}

/// The point of a triangle that is closest to `target`: how far it is, and the points of A and B
/// behind it.
fn closest_on(corners: &[Vertex; 3], target: DVec3) -> (f64, DVec3, DVec3) {
    let moved = corners.map(|v| Vertex { y: v.y - target, ..v });
    let mut simplex = Simplex::new(moved[0]);
    simplex.push(moved[1]);
    simplex.push(moved[2]);
    let apart = simplex.reduce().map_or(f64::INFINITY, DVec3::length);
    let (a, b) = simplex.witness();
    (apart, a, b)
}

/// The answer with points that are exactly opposite along the direction: what rounding has left
/// between them is shared.
fn opposite(bound: &Bound, a: DVec3, b: DVec3) -> Penetration {
    let Bound { depth, direction } = *bound;
    let (middle, half) = (0.5 * (a + b), direction * (0.5 * depth));
    Penetration { depth, direction, a: middle + half, b: middle - half }
}

/// Where the polytope starts.
enum Start {
    Polytope(Polytope),
    /// The difference has no thickness along this normal.
    Flat(DVec3),
}

/// Makes a tetrahedron from the last simplex. It need not contain the origin: a face that has the
/// origin outside is the closest, and grows first.
fn start(pair: &mut Difference, simplex: &Simplex, size: f64) -> Start {
    let mut v: Vec<Vertex> = simplex.vertices().to_vec();
    // corners that add next to nothing are replaced by better ones
    if v.len() == 4
        && (v[1].y - v[0].y).cross(v[2].y - v[0].y).dot(v[3].y - v[0].y).abs()
            <= 1e-8 * size.powi(3)
    {
        v.truncate(3);
    }
    if v.len() == 3 && (v[1].y - v[0].y).cross(v[2].y - v[0].y).length() <= 1e-6 * size * size {
        v.truncate(2);
    }
    if v.len() == 2 && (v[1].y - v[0].y).length() <= 1e-4 * size {
        v.truncate(1);
    }

    // a line, a plane, a volume: the farthest support point from what is there
    if v.len() == 1 {
        v.extend(farthest(pair, &[DVec3::X, DVec3::Y, DVec3::Z], v[0].y, size, |d| d.length()));
    }
    if v.len() < 2 {
        return Start::Flat(DVec3::Z);
    }
    let line = (v[1].y - v[0].y).normalize_or(DVec3::X);
    let u = line.any_orthonormal_vector();
    if v.len() == 2 {
        let directions = [u, line.cross(u), (u + line.cross(u)).normalize()];
        v.extend(farthest(pair, &directions, v[0].y, size, |d| d.cross(line).length()));
    }
    if v.len() < 3 {
        return Start::Flat(u);
    }
    let n = (v[1].y - v[0].y).cross(v[2].y - v[0].y).normalize_or(u);
    if v.len() == 3 {
        v.extend(farthest(pair, &[n], v[0].y, size, |d| d.dot(n).abs()));
    }
    match v[..] {
        [p, q, r, s] => {
            Polytope::tetrahedron([p, q, r, s], size).map_or(Start::Flat(n), Start::Polytope)
        }
        _ => Start::Flat(n),
    }
}

/// The support point, along ± the directions, that is farthest from `origin` by `measure`; none if
/// all are too close.
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

/// A difference without thickness: the side of its plane with the smaller bound, and the common
/// point that GJK has found.
fn flat(pair: &mut Difference, simplex: &Simplex, normal: DVec3, size: f64) -> Penetration {
    let [(p, _), (q, _)] = [normal, -normal].map(|n| Bound::along(pair, n));
    let bound = if q.depth < p.depth { q } else { p };
    if bound.depth > EQUAL * size {
        return polish(pair, bound.direction, size);
    }
    let (a, b) = simplex.witness();
    opposite(&Bound { depth: bound.depth.max(0.0), ..bound }, a, b)
}

/// Improves a direction: A, moved out by a little more than the depth, is separated, and GJK finds
/// the direction of the closest points, which is accurate where that of a facet is only as good as
/// the facet. With R the radius of curvature of A − B the error falls by (depth + δ)/(R + δ) each
/// time. The closest points of the shifted bodies are the contact of the real ones.
pub(super) fn polish(pair: &mut Difference, direction: DVec3, size: f64) -> Penetration {
    let (bound, w) = Bound::along(pair, direction);
    let (best, a, b) = improve(pair, bound, (w.a, w.b), size, 1e-15 * size);
    opposite(&best, a, b)
}

/// Depth in the neighbourhood of a direction, negative for sets that are apart; `None` if the
/// direction leads nowhere.
pub(super) fn near(pair: &mut Difference, direction: DVec3, size: f64) -> Option<Penetration> {
    let (bound, w) = Bound::along(pair, direction);
    if !bound.depth.is_finite() {
        return None;
    }
    // clearly apart: the closest points themselves
    if bound.depth < -OUT * size {
        let apart = pair.shifted(DVec3::ZERO, -direction)?;
        return Some(Penetration {
            depth: -apart.distance,
            direction: -apart.normal,
            a: apart.a,
            b: apart.b,
        });
    }
    let (best, a, b) = improve(pair, bound, (w.a, w.b), size, NEAR_EQUAL * size);
    Some(opposite(&best, a, b))
}

/// The loop of [`polish`], until a round gains no more than `enough`: the bound and its points.
fn improve(
    pair: &mut Difference,
    mut best: Bound,
    (mut a, mut b): (DVec3, DVec3),
    size: f64,
    enough: f64,
) -> (Bound, DVec3, DVec3) {
    let out = OUT * size;
    let last = pair.steps + MAX_POLISH;
    while pair.steps < last {
        let shift = best.direction * -(best.depth + out);
        let Some(apart) = pair.shifted(shift, -best.direction) else { break };
        (a, b) = (apart.a - shift, apart.b);
        let (next, _) = Bound::along(pair, -apart.normal);
        let gain = best.depth - next.depth;
        if gain <= 0.0 {
            break;
        }
        best = next;
        if gain <= enough {
            break;
        }
    }
    (best, a, b)
}
