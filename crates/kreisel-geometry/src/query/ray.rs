//! Where a ray hits a shape.
//!
//! Solids are solid: a ray that starts inside hits at once, at distance 0, with a normal against
//! its direction. Meshes and height fields are surfaces with two sides; the normal turns towards
//! the ray. Quadrics are solved in closed form in the shape's own frame, hulls and boxes by
//! clipping with their planes.

use super::leaves::{Leaf, leaves};
use super::{Place, ray_mesh};
use crate::convex::{Convex, Core};
use crate::{Pose, Shape};
use glam::{DVec2, DVec3};

/// A half-line. The direction need not have unit length; distances are in multiples of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: DVec3,
    /// Where it goes.
    pub direction: DVec3,
}

/// The first hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The point is origin + distance · direction.
    pub distance: f64,
    /// The point that is hit.
    pub point: DVec3,
    /// Unit normal of the surface there, against the ray.
    pub normal: DVec3,
    /// Where it is on the shape.
    pub place: Place,
}

/// The first hit of a ray with a shape, no farther than `reach`.
///
/// ```
/// use glam::DVec3;
/// use kreisel_geometry::{Pose, Shape, query::{Ray, cast_ray}};
/// let ray = Ray { origin: DVec3::new(0.0, 0.0, 5.0), direction: -DVec3::Z };
/// let hit = cast_ray(&Shape::Sphere { radius: 1.0 }, &Pose::IDENTITY, &ray, f64::INFINITY).unwrap();
/// assert_eq!((hit.distance, hit.normal), (4.0, DVec3::Z));
/// ```
pub fn cast_ray(shape: &Shape, pose: &Pose, ray: &Ray, reach: f64) -> Option<RayHit> {
    if !(ray.direction.is_finite() && ray.origin.is_finite()) || ray.direction == DVec3::ZERO {
        return None;
    }
    let mut best: Option<RayHit> = None;
    for placed in leaves(shape, pose) {
        let (o, d) =
            (placed.pose.inverse_point(ray.origin), placed.pose.inverse_direction(ray.direction));
        let limit = best.map_or(reach, |b| b.distance);
        let mut place = Place { part: placed.part, triangle: None };
        let hit = match &placed.leaf {
            Leaf::Convex(convex) => hit_convex(convex, o, d),
            Leaf::HalfSpace { normal, offset } => clip([(*normal, *offset)].into_iter(), o, d),
            Leaf::Ring(ring) => ring.ray(o, d),
            Leaf::Mesh(mesh) => ray_mesh::cast(mesh.tree(), o, d, limit).map(|crossing| {
                place.triangle = Some(crossing.triangle);
                let [a, b, c] = mesh.triangle(crossing.triangle as usize);
                let n = (b - a).cross(c - a).normalize_or_zero();
                (crossing.distance, if n.dot(d) > 0.0 { -n } else { n })
            }),
        };
        let Some((distance, normal)) = hit.filter(|h| h.0 <= limit) else { continue };
        if best.is_none_or(|b| distance < b.distance) {
            let point = ray.origin + ray.direction * distance;
            best = Some(RayHit { distance, point, normal: placed.pose.direction(normal), place });
        }
    }
    best
}

/// Distance and normal in the shape's frame.
type Hit = Option<(f64, DVec3)>;

fn hit_convex(convex: &Convex, o: DVec3, d: DVec3) -> Hit {
    match convex.core {
        Core::Point => sphere(convex.margin, o, d),
        Core::Segment(h) => {
            // the capsule is the union of a cylinder and two balls
            let ends = [h, -h].map(|z| sphere(convex.margin, o - DVec3::Z * z, d));
            let side = round(convex.margin, h, 0.0, o, d);
            [side, ends[0], ends[1]]
                .into_iter()
                .flatten()
                .reduce(|a, b| if b.0 < a.0 { b } else { a })
        }
        Core::Box(h) => {
            let planes = [DVec3::X, DVec3::Y, DVec3::Z]
                .into_iter()
                .flat_map(move |n| [(n, n.dot(h)), (-n, n.dot(h))]);
            clip(planes, o, d)
        }
        Core::Cylinder(r, h) if convex.margin > 0.0 => disc(r, h, convex.margin, o, d),
        Core::Cylinder(r, h) => round(r, h, 0.0, o, d),
        Core::Cone(r, h) => round(r / 2.0, h, -r / (2.0 * h), o, d),
        Core::Ellipsoid(radii) => {
            let (t, n) = sphere(1.0, o / radii, d / radii)?;
            let inside = t == 0.0 && (o / radii).length_squared() < 1.0;
            Some((t, if inside { n } else { (n / radii).normalize() }))
        }
        Core::Hull(hull) => clip(hull.faces().iter().map(|f| (f.normal, f.offset)), o, d),
        Core::Triangle(_) | Core::Polygon(..) => None,
    }
}

/// A cylinder of radius r between −h and h with all points within `margin` of it. The distance from
/// it along a ray is a convex function, and Newton's steps from where it falls never go too far.
fn disc(r: f64, h: f64, margin: f64, o: DVec3, d: DVec3) -> Hit {
    let (size, speed) = (r.max(h) + margin, d.length());
    let nearest = |t: f64| {
        let p = o + d * t;
        let side = DVec2::new(p.x, p.y);
        let side = if side.length() > r { side * (r / side.length()) } else { side };
        let out = p - side.extend(p.z.clamp(-h, h));
        let length = out.length();
        (length - margin, if length > 0.0 { out / length } else { DVec3::Z })
    };
    if nearest(0.0).0 <= 0.0 {
        return Some((0.0, -d / speed));
    }
    // from where the ball round it begins
    let reach = r.hypot(h) + margin;
    let middle = -o.dot(d) / (speed * speed);
    let miss = (o + d * middle).length_squared();
    if miss > reach * reach {
        return None;
    }
    let half = (reach * reach - miss).sqrt() / speed;
    let mut t = (middle - half).max(0.0);
    for _ in 0..100 {
        let (gap, normal) = nearest(t);
        if gap <= 1e-15 * size {
            return Some((t, normal));
        }
        let closing = -normal.dot(d);
        if closing <= 0.0 || t > middle + half {
            return None;
        }
        let next = t + gap / closing;
        if next <= t {
            return Some((t, normal));
        }
        t = next;
    }
    // a ray that grazes: Newton's steps halve the way
    let (gap, normal) = nearest(t);
    (gap <= 1e-12 * size).then_some((t, normal))
}

/// A convex intersection of half-spaces n·x ≤ c.
fn clip(planes: impl Iterator<Item = (DVec3, f64)>, o: DVec3, d: DVec3) -> Hit {
    let (mut enter, mut leave, mut normal) = (0.0, f64::INFINITY, -d.normalize());
    for (n, c) in planes {
        let (height, speed) = (n.dot(o) - c, n.dot(d));
        if speed == 0.0 {
            if height > 0.0 {
                return None;
            }
        } else if speed < 0.0 {
            let t = -height / speed;
            if t > enter {
                (enter, normal) = (t, n);
            }
        } else {
            leave = f64::min(leave, -height / speed);
        }
    }
    (enter <= leave).then_some((enter, normal))
}

fn sphere(radius: f64, o: DVec3, d: DVec3) -> Hit {
    if o.length_squared() <= radius * radius {
        return Some((0.0, -d.normalize()));
    }
    let a = d.length_squared();
    let along = -o.dot(d);
    if along <= 0.0 {
        return None;
    }
    // distance of the line from the centre, without the cancellation of b² − a c
    let miss = (o + d * (along / a)).length_squared();
    let rest = radius * radius - miss;
    if rest < 0.0 {
        return None;
    }
    let t = (along - (rest * a).sqrt()) / a;
    Some((t, (o + d * t).normalize()))
}

/// A solid of revolution about z between −h and h whose radius is r + k z: cylinder (k = 0) or
/// cone.
fn round(r: f64, h: f64, k: f64, o: DVec3, d: DVec3) -> Hit {
    let radius = |z: f64| r + k * z;
    if o.z.abs() <= h && DVec2::new(o.x, o.y).length() <= radius(o.z) {
        return Some((0.0, -d.normalize()));
    }
    let mut best: Hit = None;
    let mut consider = |t: f64, n: DVec3| {
        if t >= 0.0 && best.is_none_or(|b| t < b.0) {
            best = Some((t, n));
        }
    };
    if d.z != 0.0 {
        for (z, n) in [(h, DVec3::Z), (-h, -DVec3::Z)] {
            let t = (z - o.z) / d.z;
            let p = o + d * t;
            if n.z * d.z < 0.0 && DVec2::new(p.x, p.y).length() <= radius(z) {
                consider(t, n);
            }
        }
    }
    // x² + y² = (r + k z)² along the ray: a t² + 2 b t + c = 0
    let (ro, rd) = (radius(o.z), k * d.z);
    let a = d.x * d.x + d.y * d.y - rd * rd;
    let b = o.x * d.x + o.y * d.y - ro * rd;
    let c = o.x * o.x + o.y * o.y - ro * ro;
    let disc = b * b - a * c;
    if disc >= 0.0 {
        let q = -(b + b.signum() * disc.sqrt());
        for t in [q / a, c / q] {
            let p = o + d * t;
            if t.is_finite() && p.z.abs() <= h && radius(p.z) >= 0.0 {
                let side = DVec2::new(p.x, p.y).normalize_or_zero();
                let n = DVec3::new(side.x, side.y, -k).normalize();
                if n.dot(d) < 0.0 {
                    consider(t, n);
                }
            }
        }
    }
    best
}
