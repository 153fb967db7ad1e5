//! Signed distance and closest points of every pair of shapes.
//!
//! Reference: Bender 2007, section 4.4 (phase 2 of the collision test) and 4.5.1.2; Lennerz 2000,
//! section 3.1. Compounds are unfolded to their parts, pairs of parts whose enclosing balls are
//! farther apart than the best so far are skipped.
//!
//! | pair | method | when they overlap |
//! |---|---|---|
//! | convex, convex | GJK | shortest separating translation (EPA) |
//! | half-space, bounded | support point or vertex | depth along the half-space's normal, exact |
//! | mesh, convex | tree and GJK | deepest triangle alone; enclosed: minus the distance of the surfaces |
//! | mesh, mesh | two trees | 0; enclosed: minus the distance of the surfaces |
//! | torus, any | the circle's points by their distance from the other ([`crate::ring`]) | the deepest ball of the tube |
//! | half-space, half-space | planes | −∞ unless they face each other |

use super::leaves::{Leaf, Placed, leaves};
use super::mesh_convex::mesh_convex;
use super::{MeshQuery, Work, mesh_distance};
use crate::convex::{Convex, ConvexCache, Core, convex_distance};
use crate::ring::Ring;
use crate::{Pose, Shape, TriMesh};
use glam::DVec3;

/// Where on a shape something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The part of a compound, counted through nested compounds; 0 for other shapes.
    pub part: u32,
    /// The triangle, if the part is a mesh or a height field.
    pub triangle: Option<u32>,
}

/// Closest points of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proximity {
    /// Signed distance in m. See the table of this module for what a negative one means.
    pub distance: f64,
    /// Point of the first shape.
    pub a: DVec3,
    /// Point of the second shape.
    pub b: DVec3,
    /// Unit normal from the second shape to the first: moving the first along it increases the
    /// distance.
    pub normal: DVec3,
    /// A valid lower bound of the distance: the distance itself, but for the convergence of round
    /// shapes. Minus infinity when they overlap; see [`penetration`](super::penetration()) for
    /// bounds of the depth.
    pub lower: f64,
    /// Where the points are.
    pub places: [Place; 2],
    /// What it cost, summed over the parts.
    pub work: Work,
}

impl Proximity {
    pub(super) fn swapped(self) -> Self {
        let [p, q] = self.places;
        Self { a: self.b, b: self.a, normal: -self.normal, places: [q, p], ..self }
    }
}

/// Signed distance of two shapes. They must have passed [`Shape::check`]. `None` only for an empty
/// compound.
///
/// ```
/// use kreisel_geometry::{Pose, Shape, query::distance};
/// let ground = Shape::HalfSpace { normal: glam::DVec3::Z, offset: 0.0 };
/// let ball = Shape::Sphere { radius: 0.5 };
/// let p = distance(&ball, &Pose::at(glam::DVec3::new(3.0, 0.0, 2.0)), &ground, &Pose::IDENTITY).unwrap();
/// assert_eq!((p.distance, p.b), (1.5, glam::DVec3::new(3.0, 0.0, 0.0)));
/// ```
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Proximity> {
    let (first, second) = (leaves(a, pose_a), leaves(b, pose_b));
    let mut best: Option<Proximity> = None;
    let (mut work, mut lower) = (Work::default(), f64::INFINITY);
    for p in &first {
        for q in &second {
            if best.is_some_and(|b| p.least_distance(q) > b.distance.max(0.0)) {
                continue;
            }
            let Some(found) = leaf_pair(p, q) else { continue };
            work += found.work;
            lower = lower.min(found.lower);
            if best.is_none_or(|b| found.distance < b.distance) {
                best = Some(found);
            }
        }
    }
    best.map(|b| Proximity { work, lower: lower.min(b.distance), ..b })
}

/// True if two shapes have a point in common, to within rounding.
pub fn overlaps(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    distance(a, pose_a, b, pose_b).is_some_and(|p| p.distance <= 0.0)
}

/// The point of a shape that is closest to a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointProximity {
    /// Distance in m, negative inside a solid.
    pub distance: f64,
    /// The closest point of the shape's surface.
    pub point: DVec3,
    /// Unit direction in which the distance grows.
    pub normal: DVec3,
    /// Where the point is.
    pub place: Place,
}

/// The point of the surface of `shape` closest to `point`, with the signed distance. `None` only
/// for an empty compound.
pub fn closest_point(shape: &Shape, pose: &Pose, point: DVec3) -> Option<PointProximity> {
    let probe = probe(point);
    let candidates = leaves(shape, pose).into_iter().filter_map(|leaf| leaf_pair(&probe, &leaf));
    let best = candidates.reduce(|best, c| if c.distance < best.distance { c } else { best })?;
    Some(PointProximity {
        distance: best.distance,
        point: best.b,
        normal: best.normal,
        place: best.places[1],
    })
}

/// A point of the world.
pub(crate) fn probe(point: DVec3) -> Placed<'static> {
    Placed::bare(Leaf::Convex(Convex { core: Core::Point, margin: 0.0 }), Pose::at(point), 0)
}

/// Signed distance of two leaves.
pub(crate) fn leaf_pair(p: &Placed, q: &Placed) -> Option<Proximity> {
    let places = [p, q].map(|x| Place { part: x.part, triangle: None });
    Some(match (&p.leaf, &q.leaf) {
        (Leaf::Convex(a), Leaf::Convex(b)) => {
            let c = convex_distance(a, &p.pose, b, &q.pose, &mut ConvexCache::default());
            let work = Work { support_points: u64::from(c.steps), ..Work::default() };
            Proximity {
                distance: c.distance,
                lower: c.lower,
                a: c.a,
                b: c.b,
                normal: c.normal,
                places,
                work,
            }
        }
        (Leaf::Convex(Convex { core: Core::Point, margin }), Leaf::Ring(ring)) => {
            let point = p.pose.position;
            let (at, out, length) = ring.closest(q.pose.inverse_point(point));
            let (at, normal) = (q.pose.point(at), q.pose.direction(out));
            let distance = length - margin - ring.tube;
            let (a, b) = (point - normal * *margin, at + normal * ring.tube);
            Proximity { distance, lower: distance, a, b, normal, places, work: Work::default() }
        }
        (_, Leaf::HalfSpace { normal, offset }) => half_space(p, q, *normal, *offset, places),
        (Leaf::HalfSpace { normal, offset }, _) => {
            half_space(q, p, *normal, *offset, [places[1], places[0]]).swapped()
        }
        (Leaf::Ring(ring), _) => return of_ring(ring, p, q),
        (_, Leaf::Ring(ring)) => return of_ring(ring, q, p).map(Proximity::swapped),
        (Leaf::Mesh(a), Leaf::Mesh(b)) => return mesh_mesh(a, &p.pose, b, &q.pose, places),
        (Leaf::Mesh(mesh), Leaf::Convex(convex)) => {
            mesh_convex(mesh, &p.pose, convex, &q.pose, places)
        }
        (Leaf::Convex(convex), Leaf::Mesh(mesh)) => {
            mesh_convex(mesh, &q.pose, convex, &p.pose, [places[1], places[0]]).swapped()
        }
    })
}

/// A torus against a leaf that is no half-space: the nearest ball of its tube.
fn of_ring(ring: &Ring, p: &Placed, q: &Placed) -> Option<Proximity> {
    let lows = ring
        .lows(f64::INFINITY, true, q.leaf.is_faceted(), |angle| on_circle(ring, &p.pose, angle, q));
    let nearest = lows.into_iter().filter_map(|low| low.found);
    let c = nearest.reduce(|best, c| if c.distance < best.distance { c } else { best })?;
    let places = [Place { part: p.part, triangle: None }, c.places[1]];
    let a = c.a - c.normal * ring.tube;
    let [distance, lower] = [c.distance, c.lower].map(|d| d - ring.tube);
    Some(Proximity { distance, lower, a, places, ..c })
}

/// Distance of a point of a torus's circle from a leaf, n·t, and the closest points.
pub(crate) fn on_circle(
    ring: &Ring,
    pose: &Pose,
    angle: f64,
    other: &Placed,
) -> (f64, f64, Option<Proximity>) {
    let found = leaf_pair(&probe(pose.point(ring.at(angle))), other);
    let Some(c) = found else { return (f64::INFINITY, 0.0, None) };
    (c.distance, c.normal.dot(pose.direction(Ring::tangent(angle))), found)
}

fn mesh_mesh(
    a: &TriMesh,
    pose_a: &Pose,
    b: &TriMesh,
    pose_b: &Pose,
    places: [Place; 2],
) -> Option<Proximity> {
    let d = mesh_distance(a.tree(), pose_a, b.tree(), pose_b, &MeshQuery::default())?;
    let inside = |mesh: &TriMesh, pose: &Pose, point: DVec3| {
        d.distance > 0.0
            && mesh.is_closed()
            && super::ray_mesh::contains(mesh, pose.inverse_point(point))
    };
    let enclosed = inside(b, pose_b, d.a) || inside(a, pose_a, d.b);
    let sign = if enclosed { -1.0 } else { 1.0 };
    let [i, j] = d.triangles;
    let face = |t: [DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]).normalize_or(DVec3::Z);
    // crossing surfaces have no direction from one to the other: the second triangle's normal
    // stands in
    let normal = (d.a - d.b)
        .try_normalize()
        .unwrap_or_else(|| pose_b.direction(face(b.triangle(j as usize))));
    let place = |k: usize, triangle| Place { part: places[k].part, triangle: Some(triangle) };
    Some(Proximity {
        distance: sign * d.distance,
        a: d.a,
        b: d.b,
        normal: normal * sign,
        lower: if enclosed || d.distance == 0.0 { f64::NEG_INFINITY } else { d.distance },
        places: [place(0, i), place(1, j)],
        work: d.work,
    })
}

/// A leaf against a half-space: its lowest point decides.
fn half_space(
    p: &Placed,
    plane: &Placed,
    normal: DVec3,
    offset: f64,
    mut places: [Place; 2],
) -> Proximity {
    let n = plane.pose.direction(normal);
    let level = offset + n.dot(plane.pose.position);
    let lowest = match &p.leaf {
        Leaf::Convex(convex) => p.pose.point(convex.support(p.pose.inverse_direction(-n))),
        Leaf::Ring(ring) => p.pose.point(ring.support(p.pose.inverse_direction(-n))),
        Leaf::Mesh(mesh) => {
            let down = p.pose.inverse_direction(-n);
            let depth = |i: usize| {
                mesh.triangle(i).map(|v| v.dot(down)).into_iter().fold(f64::MIN, f64::max)
            };
            let deepest = (0..mesh.triangles().len()).fold((f64::MIN, 0), |best, i| {
                let d = depth(i);
                if d > best.0 { (d, i) } else { best }
            });
            places[0].triangle = Some(deepest.1 as u32);
            let corners = mesh.triangle(deepest.1);
            let lowest = corners
                .into_iter()
                .fold(corners[0], |l, v| if v.dot(down) > l.dot(down) { v } else { l });
            p.pose.point(lowest)
        }
        Leaf::HalfSpace { normal: other, offset } => {
            let m = p.pose.direction(*other);
            let point = p.pose.position + m * *offset;
            let facing = m.dot(n) < -1.0 + 1e-12;
            let distance = if facing { n.dot(point) - level } else { f64::NEG_INFINITY };
            let foot = point - n * (n.dot(point) - level);
            return Proximity {
                distance,
                lower: distance,
                a: point,
                b: foot,
                normal: n,
                places,
                work: Work::default(),
            };
        }
    };
    let distance = n.dot(lowest) - level;
    let b = lowest - n * distance;
    Proximity { distance, lower: distance, a: lowest, b, normal: n, places, work: Work::default() }
}
