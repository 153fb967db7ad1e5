//! Distances between points, edges and faces, from which all others are made.
//!
//! Reference: Lennerz 2000, sections 3.1 and 3.4 (L-13 to L-22), with the listings corrected
//! (docs/sources.md). Every function returns the pair of closest points and their squared distance;
//! parameters are in the same frame. All are exact up to rounding, take constant time (polygons:
//! linear or quadratic in the corners) and accept degenerate input: an edge of length zero is a
//! point.

mod edge;
mod face;
mod polygon;
mod triangle;

pub use edge::{edge_edge, point_edge};
pub use face::{edge_face, edge_face_overlap, face_face};
pub use polygon::{Polygon, PolygonError};
pub use triangle::{point_triangle, triangle_triangle, triangles_cross};

use glam::DVec3;

/// A pair of points, one of each of two sets, and their squared distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Squared distance in m².
    pub squared: f64,
    /// The point of the first set.
    pub a: DVec3,
    /// The point of the second set.
    pub b: DVec3,
}

impl Closest {
    /// Farther than everything: where a search for a minimum starts.
    pub const FAR: Self = Self { squared: f64::INFINITY, a: DVec3::ZERO, b: DVec3::ZERO };

    /// The pair of two points.
    pub fn between(a: DVec3, b: DVec3) -> Self {
        Self { squared: a.distance_squared(b), a, b }
    }

    /// A common point.
    pub fn common(p: DVec3) -> Self {
        Self { squared: 0.0, a: p, b: p }
    }

    /// The distance in m.
    pub fn distance(&self) -> f64 {
        self.squared.sqrt()
    }

    /// The pair with the roles exchanged.
    pub fn swapped(self) -> Self {
        Self { squared: self.squared, a: self.b, b: self.a }
    }

    /// The closer of two pairs, `self` if they are equally close.
    pub fn min(self, other: Self) -> Self {
        if other.squared < self.squared { other } else { self }
    }
}
