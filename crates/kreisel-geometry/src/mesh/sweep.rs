//! Solids from a plane profile: extrusion along z and revolution about z.
//!
//! Reference: Lennerz 2000, section 6.1 (L-95): the bodies of the experiments are made this way. A
//! profile is a simple polygon, in either direction of travel. The end faces of an extrusion are
//! triangulated by ear clipping: O(n²) for n corners, valid for every simple polygon; a polygon
//! that crosses itself leaves no ear and is refused.

use super::TriMesh;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// Why a profile gives no solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SweepError {
    /// Too few corners, a number that is not finite, or no area.
    #[error("a profile needs at least three corners with finite coordinates and an area")]
    Profile,
    /// The profile crosses or touches itself.
    #[error("the profile crosses itself")]
    Crossing,
    /// The height is not positive.
    #[error("the height must be positive, it is {0} m")]
    Height(f64),
    /// A profile of revolution must keep to one side of the axis.
    #[error("corner {0} of the profile lies beyond the axis of revolution")]
    Axis(usize),
    /// A revolution needs at least three steps.
    #[error("a revolution needs at least 3 segments, {0} are given")]
    Segments(u32),
}

/// The solid between the profile at z = −height/2 and at z = +height/2.
///
/// ```
/// use glam::DVec2;
/// use kreisel_geometry::mesh::sweep::extrude;
/// let l = [(0., 0.), (2., 0.), (2., 1.), (1., 1.), (1., 2.), (0., 2.)].map(|(x, y)| DVec2::new(x, y));
/// assert!((extrude(&l, 0.5).unwrap().volume().unwrap() - 1.5).abs() < 1e-14);
/// ```
pub fn extrude(profile: &[DVec2], height: f64) -> Result<TriMesh, SweepError> {
    if !(height.is_finite() && height > 0.0) {
        return Err(SweepError::Height(height));
    }
    let profile = oriented(profile)?;
    let n = profile.len() as u32;
    let level = |z: f64| profile.iter().map(move |p| DVec3::new(p.x, p.y, z));
    let vertices = level(-height / 2.0).chain(level(height / 2.0)).collect();
    let mut triangles = Vec::with_capacity(4 * profile.len());
    for [a, b, c] in ears(&profile)? {
        triangles.extend([[a, c, b], [n + a, n + b, n + c]]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
    }
    Ok(TriMesh::trusted(vertices, triangles))
}

/// The solid that a profile in the half-plane (x ≥ 0 is the distance from the axis, y becomes z)
/// sweeps about z.
///
/// Corners on the axis become single vertices, so a half-disk gives a ball with poles. The mesh is
/// inscribed: its corners lie on the true surface of revolution.
pub fn revolve(profile: &[DVec2], segments: u32) -> Result<TriMesh, SweepError> {
    if segments < 3 {
        return Err(SweepError::Segments(segments));
    }
    let profile = oriented(profile)?;
    if let Some(i) = profile.iter().position(|p| p.x < 0.0) {
        return Err(SweepError::Axis(i));
    }
    ears(&profile)?;
    let mut vertices = Vec::new();
    // first vertex of each corner's ring; a corner on the axis has one vertex only
    let mut ring = Vec::with_capacity(profile.len());
    for p in &profile {
        ring.push(vertices.len() as u32);
        let copies = if p.x == 0.0 { 1 } else { segments };
        for k in 0..copies {
            let (sin, cos) = libm::sincos(2.0 * PI * f64::from(k) / f64::from(segments));
            vertices.push(DVec3::new(p.x * cos, p.x * sin, p.y));
        }
    }
    let at = |corner: usize, k: u32| {
        if profile[corner].x == 0.0 { ring[corner] } else { ring[corner] + k % segments }
    };
    let mut triangles = Vec::new();
    for i in 0..profile.len() {
        let j = (i + 1) % profile.len();
        for k in 0..segments {
            let (a, b, c, d) = (at(i, k), at(i, k + 1), at(j, k + 1), at(j, k));
            if a != b {
                triangles.push([a, b, c]);
            }
            if c != d {
                triangles.push([a, c, d]);
            }
        }
    }
    Ok(TriMesh::trusted(vertices, triangles))
}

/// The profile counter-clockwise, without repeated corners.
fn oriented(profile: &[DVec2]) -> Result<Vec<DVec2>, SweepError> {
    if profile.len() >= (u32::MAX / 8) as usize
        || profile.iter().any(|p| !p.is_finite() || p.length() > 1e100)
    {
        return Err(SweepError::Profile);
    }
    let mut corners = profile.to_vec();
    corners.dedup();
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    if corners.len() < 3 {
        return Err(SweepError::Profile);
    }
    let origin = corners[0];
    let area: f64 = corners.windows(2).map(|w| (w[0] - origin).perp_dot(w[1] - origin)).sum();
    if area == 0.0 {
        return Err(SweepError::Profile);
    }
    if area < 0.0 {
        corners.reverse();
    }
    Ok(corners)
}

/// Triangulates a counter-clockwise simple polygon by cutting ears.
fn ears(polygon: &[DVec2]) -> Result<Vec<[u32; 3]>, SweepError> {
    if crosses(polygon) {
        return Err(SweepError::Crossing);
    }
    let mut rest: Vec<u32> = (0..polygon.len() as u32).collect();
    let at = |i: u32| polygon[i as usize];
    let turn = |a: u32, b: u32, c: u32| (at(b) - at(a)).perp_dot(at(c) - at(b));
    let mut triangles = Vec::with_capacity(polygon.len() - 2);
    while rest.len() > 3 {
        let n = rest.len();
        let ear = (0..n).find(|&i| {
            let (a, b, c) = (rest[(i + n - 1) % n], rest[i], rest[(i + 1) % n]);
            let inside =
                |p: u32| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            turn(a, b, c) > 0.0 && rest.iter().all(|&p| [a, b, c].contains(&p) || !inside(p))
        });
        let i = ear.ok_or(SweepError::Crossing)?;
        triangles.push([rest[(i + n - 1) % n], rest[i], rest[(i + 1) % n]]);
        rest.remove(i);
    }
    if turn(rest[0], rest[1], rest[2]) <= 0.0 {
        return Err(SweepError::Crossing);
    }
    triangles.push([rest[0], rest[1], rest[2]]);
    Ok(triangles)
}

/// True if two sides that are not neighbours meet, or a side folds back onto its neighbour.
fn crosses(polygon: &[DVec2]) -> bool {
    let n = polygon.len();
    let side = |i: usize| (polygon[i], polygon[(i + 1) % n]);
    for i in 0..n {
        let (a, b) = side(i);
        let (_, c) = side((i + 1) % n);
        if (b - a).perp_dot(c - b) == 0.0 && (b - a).dot(c - b) < 0.0 {
            return true;
        }
        for j in i + 2..n - usize::from(i == 0) {
            let (c, d) = side(j);
            let (p, q) = ((b - a).perp_dot(c - a), (b - a).perp_dot(d - a));
            let (r, s) = ((d - c).perp_dot(a - c), (d - c).perp_dot(b - c));
            let overlap = a.min(b).cmple(c.max(d)).all() && c.min(d).cmple(a.max(b)).all();
            if p * q <= 0.0 && r * s <= 0.0 && overlap {
                return true;
            }
        }
    }
    false
}
