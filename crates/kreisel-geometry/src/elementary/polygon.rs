//! Plane polygons in space: point in polygon and point–face distance.
//!
//! Reference: Lennerz 2000, section 3.4.3 (Algorithms 6 and 7), L-18 and L-19. The polygon is
//! projected along the largest component of its normal; a ray in the first remaining axis counts
//! the sides that it crosses, and cheap rejections come before the one division-free crossing test.
//! A vertex on the ray counts once (half-open rule). Points exactly on the boundary may come out on
//! either side: distances do not suffer, the sides are tested as edges.

use super::{Closest, point_edge};
use glam::{DVec2, DVec3};

/// Why corners do not form a polygon.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PolygonError {
    /// Fewer than three corners, a number that is not finite, or no area.
    #[error("a polygon needs at least three corners with finite coordinates and an area")]
    NoArea,
    /// A corner is off the common plane.
    #[error("corner {0} is {1} m off the plane of the polygon")]
    NotPlanar(usize, f64),
}

/// A plane polygon, convex or not, with its plane n·x = offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    corners: Vec<DVec3>,
    normal: DVec3,
    offset: f64,
}

impl Polygon {
    /// The polygon with the given corners; the normal follows the right-hand rule.
    ///
    /// Corners must lie in one plane to 1e-9 of the polygon's size (Lennerz 2.3).
    pub fn new(corners: Vec<DVec3>) -> Result<Self, PolygonError> {
        if corners.len() < 3 || corners.iter().any(|p| !p.is_finite()) {
            return Err(PolygonError::NoArea);
        }
        let origin = corners[0];
        let area: DVec3 = corners.windows(2).map(|w| (w[0] - origin).cross(w[1] - origin)).sum();
        let normal = area.try_normalize().ok_or(PolygonError::NoArea)?;
        let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let offset = normal.dot(middle);
        let size = corners.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
        for (i, p) in corners.iter().enumerate() {
            let off = (normal.dot(*p) - offset).abs();
            if off > 1e-9 * size {
                return Err(PolygonError::NotPlanar(i, off));
            }
        }
        Ok(Self { corners, normal, offset })
    }

    /// The corners in order.
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// Unit normal.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Height of a point over the plane, signed.
    pub fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }

    /// The sides in order.
    pub fn edges(&self) -> impl Iterator<Item = [DVec3; 2]> + '_ {
        (0..self.corners.len())
            .map(|i| [self.corners[i], self.corners[(i + 1) % self.corners.len()]])
    }

    /// True if a point of the plane lies inside the polygon.
    pub fn contains(&self, p: DVec3) -> bool {
        let n = self.normal.abs();
        let project = |q: DVec3| match n {
            n if n.x >= n.y && n.x >= n.z => DVec2::new(q.y, q.z),
            n if n.y >= n.z => DVec2::new(q.z, q.x),
            _ => DVec2::new(q.x, q.y),
        };
        let origin = project(p);
        let crossings = self
            .edges()
            .filter(|&[a, b]| crosses_ray(project(a) - origin, project(b) - origin))
            .count();
        crossings % 2 == 1
    }

    /// Distance of a point from the polygon.
    pub fn point_distance(&self, p: DVec3) -> Closest {
        let foot = p - self.normal * self.height(p);
        if self.contains(foot) {
            return Closest::between(p, foot);
        }
        self.edges().fold(Closest::FAR, |best, side| best.min(point_edge(p, side)))
    }
}

/// Whether the side from `a` to `b` crosses the ray from the origin along +x.
fn crosses_ray(a: DVec2, b: DVec2) -> bool {
    if a.x <= 0.0 && b.x <= 0.0 {
        return false;
    }
    if (a.y > 0.0) == (b.y > 0.0) {
        return false;
    }
    if a.x > 0.0 && b.x > 0.0 {
        return true;
    }
    // x where the side crosses y = 0 is num/den, its sign decides
    let (num, den) = ((b.y - a.y) * a.x - (b.x - a.x) * a.y, b.y - a.y);
    if den > 0.0 { num >= 0.0 } else { num <= 0.0 }
}
