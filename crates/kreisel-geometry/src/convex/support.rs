//! Support mappings: the farthest point of a convex set in a direction.
//!
//! Hulls climb from vertex to vertex over the edges (Lennerz 2000, 3.2.2, L-26): the answer is
//! exact because a local maximum of a linear function over a convex polyhedron is the global one;
//! from the vertex of an earlier, similar direction it takes a few steps.

use crate::{ConvexHull, Shape};
use glam::{DVec2, DVec3};

/// A hint that knows nothing: the hull's own table of starts is used.
pub(crate) const COLD: u32 = u32::MAX;

/// The part of a convex shape that is iterated on.
#[derive(Clone, Copy, Debug)]
pub enum Core<'a> {
    /// The origin.
    Point,
    /// From −h to +h on the z axis.
    Segment(f64),
    /// A box with these half extents.
    Box(DVec3),
    /// A cylinder about z: radius and half height.
    Cylinder(f64, f64),
    /// A cone about z with its tip up: radius and half height.
    Cone(f64, f64),
    /// An ellipsoid with these semi-axes.
    Ellipsoid(DVec3),
    /// A convex polyhedron.
    Hull(&'a ConvexHull),
    /// A triangle.
    Triangle([DVec3; 3]),
    /// A plane convex polygon: its corners in order, and its unit normal.
    Polygon(&'a [DVec3], DVec3),
}

/// All points within `margin` of a core.
#[derive(Clone, Copy, Debug)]
pub struct Convex<'a> {
    /// The core.
    pub core: Core<'a>,
    /// Radius of the ball that is swept over the core, in m.
    pub margin: f64,
}

impl<'a> Convex<'a> {
    /// A core without margin.
    pub fn sharp(core: Core<'a>) -> Self {
        Self { core, margin: 0.0 }
    }

    /// The convex set of a shape; `None` for tori, half-spaces, meshes, height fields and
    /// compounds.
    pub fn of(shape: &'a Shape) -> Option<Self> {
        Some(match shape {
            Shape::Sphere { radius } => Self { core: Core::Point, margin: *radius },
            Shape::Capsule { radius, height } => {
                Self { core: Core::Segment(height / 2.0), margin: *radius }
            }
            Shape::Box { size } => Self::sharp(Core::Box(*size * 0.5)),
            Shape::Cylinder { radius, height } => {
                Self::sharp(Core::Cylinder(*radius, height / 2.0))
            }
            Shape::Cone { radius, height } => Self::sharp(Core::Cone(*radius, height / 2.0)),
            Shape::Ellipsoid { radii } => Self::sharp(Core::Ellipsoid(*radii)),
            Shape::Disc { radius, height, rim } => {
                Self { core: Core::Cylinder(radius - rim, 0.5 * height - rim), margin: *rim }
            }
            Shape::Hull(hull) => Self::sharp(Core::Hull(hull)),
            _ => return None,
        })
    }

    /// The farthest point of the whole set along `d` (not zero).
    pub fn support(&self, d: DVec3) -> DVec3 {
        self.core.support(d, &mut { COLD }) + d.normalize_or_zero() * self.margin
    }

    /// Centre and half extents of the axis-aligned box round the set.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let hi = DVec3::new(
            self.support(DVec3::X).x,
            self.support(DVec3::Y).y,
            self.support(DVec3::Z).z,
        );
        let lo = DVec3::new(
            self.support(-DVec3::X).x,
            self.support(-DVec3::Y).y,
            self.support(-DVec3::Z).z,
        );
        (0.5 * (lo + hi), 0.5 * (hi - lo))
    }
}

impl Core<'_> {
    /// A length of the order of the core, at once.
    pub(super) fn scale(&self) -> f64 {
        match self {
            Self::Point => 0.0,
            Self::Segment(h) => *h,
            Self::Box(h) | Self::Ellipsoid(h) => h.max_element(),
            Self::Cylinder(r, h) | Self::Cone(r, h) => r.max(*h),
            Self::Hull(hull) => hull.vertices()[0].distance(hull.vertices()[1]),
            Self::Triangle([a, b, _]) => a.distance(*b),
            Self::Polygon(corners, _) => corners[0].distance(corners[1]),
        }
    }

    /// The farthest point along `d`; `hint` is the vertex where a hull starts to climb, and where
    /// it ended. Any number that is no vertex means "unknown".
    pub fn support(&self, d: DVec3, hint: &mut u32) -> DVec3 {
        match *self {
            Self::Point => DVec3::ZERO,
            Self::Segment(h) => DVec3::new(0.0, 0.0, h.copysign(d.z)),
            Self::Box(h) => DVec3::new(h.x.copysign(d.x), h.y.copysign(d.y), h.z.copysign(d.z)),
            Self::Cylinder(r, h) => rim(r, d).extend(h.copysign(d.z)),
            Self::Cone(r, h) => {
                let rim = rim(r, d).extend(-h);
                if d.z * h >= rim.dot(d) { DVec3::new(0.0, 0.0, h) } else { rim }
            }
            Self::Ellipsoid(radii) => {
                let scaled = radii * d;
                radii * scaled / scaled.length()
            }
            Self::Hull(hull) => climb(hull, d, hint),
            Self::Polygon(corners, _) => {
                let mut best = (corners[0], corners[0].dot(d));
                for &c in &corners[1..] {
                    let level = c.dot(d);
                    if level > best.1 {
                        best = (c, level);
                    }
                }
                best.0
            }
            Self::Triangle([a, b, c]) => {
                let (x, y, z) = (a.dot(d), b.dot(d), c.dot(d));
                if x >= y && x >= z {
                    a
                } else if y >= z {
                    b
                } else {
                    c
                }
            }
        }
    }
}

/// The farthest point of a circle about z.
fn rim(radius: f64, d: DVec3) -> DVec2 {
    DVec2::new(d.x, d.y).normalize_or(DVec2::X) * radius
}

/// Hulls with at most so many vertices are looked through: that is faster than to climb.
const FEW: usize = 24;

fn climb(hull: &ConvexHull, d: DVec3, hint: &mut u32) -> DVec3 {
    let vertices = hull.vertices();
    if vertices.len() <= FEW {
        let (mut best, mut high) = (0, f64::NEG_INFINITY);
        for (k, v) in vertices.iter().enumerate() {
            let level = v.dot(d);
            if level > high {
                (best, high) = (k, level);
            }
        }
        *hint = best as u32;
        return vertices[best];
    }
    let table = hull.start(d);
    // the last vertex, if it is higher than the one from the table
    let known = (*hint as usize) < vertices.len();
    let from = if known && vertices[*hint as usize].dot(d) >= vertices[table as usize].dot(d) {
        *hint
    } else {
        table
    };
    *hint = hull.climb(d, from);
    vertices[*hint as usize]
}
