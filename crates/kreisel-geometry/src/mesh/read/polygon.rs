//! Polygons of mesh files cut into triangles.
//!
//! Convex ones are cut into fans; others by ear clipping (the crate `earcut`) after projection
//! along their mean normal. What comes out is checked: the areas of the triangles must add up to
//! that of the polygon, which fails for outlines that cross themselves. Corners that ear clipping
//! leaves out, because they lie on a straight side, are put back, or the surface would be open
//! there.

use earcut::Earcut;
use glam::{DVec2, DVec3};

/// Part of the size that counts as zero.
const ZERO: f64 = 1e-9;
/// Part of the size by which the corners of a concave polygon may be off their mean plane.
const BENT: f64 = 0.05;

/// Why a polygon cannot be cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Uncut {
    Crossing,
    Bent,
}

impl Uncut {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Crossing => "crosses itself",
            Self::Bent => "is concave and not plane",
        }
    }
}

/// Triangles of a polygon with at least three corners, as numbers of its corners, in its own
/// orientation.
pub(super) fn triangles(corners: &[DVec3]) -> Result<Vec<[usize; 3]>, Uncut> {
    let n = corners.len();
    let fan: Vec<[usize; 3]> = (1..n.saturating_sub(1)).map(|k| [0, k, k + 1]).collect();
    if n == 3 {
        return Ok(fan);
    }

    // the mean normal (Newell); corners on one line have none, and no area that could be cut
    // wrongly
    let origin = corners[0];
    let size = corners.iter().map(|p| p.distance(origin)).fold(0.0, f64::max);
    let areas =
        fan.iter().map(|&[i, j, k]| (corners[j] - corners[i]).cross(corners[k] - corners[i]));
    let normal: DVec3 = areas.clone().sum();
    if normal.length() <= ZERO * size * size {
        let flat = areas.into_iter().all(|a| a.length() <= ZERO * size * size);
        return if flat { Ok(fan) } else { Err(Uncut::Crossing) };
    }
    let normal = normal.normalize();

    // seen along the normal the polygon runs counter-clockwise
    let u = normal.any_orthonormal_vector();
    let w = normal.cross(u);
    let plane: Vec<DVec2> =
        corners.iter().map(|p| DVec2::new(u.dot(*p - origin), w.dot(*p - origin))).collect();
    if is_convex(&plane, &fan, size) {
        return Ok(fan);
    }
    let heights = corners.iter().map(|p| normal.dot(*p - origin));
    let (lo, hi) =
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), h| (lo.min(h), hi.max(h)));
    if hi - lo > BENT * size {
        return Err(Uncut::Bent);
    }
    clipped(&plane, size)
}

/// Twice the area of a triangle, positive if it runs counter-clockwise.
fn area(plane: &[DVec2], [i, j, k]: [usize; 3]) -> f64 {
    (plane[j] - plane[i]).perp_dot(plane[k] - plane[i])
}

/// No corner turns right, and no triangle of the fan does.
fn is_convex(plane: &[DVec2], fan: &[[usize; 3]], size: f64) -> bool {
    let n = plane.len();
    let left = |t: [usize; 3]| area(plane, t) >= -ZERO * size * size;
    (0..n).all(|k| left([k, (k + 1) % n, (k + 2) % n])) && fan.iter().all(|&t| left(t))
}

/// Ear clipping, with its result checked.
fn clipped(plane: &[DVec2], size: f64) -> Result<Vec<[usize; 3]>, Uncut> {
    let mut indices: Vec<u32> = Vec::new();
    Earcut::new().earcut(plane.iter().map(|p| p.to_array()), &[], &mut indices);
    let mut triangles: Vec<[usize; 3]> =
        indices.chunks_exact(3).map(|t| [t[0] as usize, t[1] as usize, t[2] as usize]).collect();
    for t in &mut triangles {
        if area(plane, *t) < 0.0 {
            t.swap(1, 2);
        }
    }
    let n = plane.len();
    let outline: f64 = (1..n - 1).map(|k| area(plane, [0, k, k + 1])).sum();
    let covered: f64 = triangles.iter().map(|&t| area(plane, t)).sum();
    if (outline - covered).abs() > ZERO * size * size {
        return Err(Uncut::Crossing);
    }

    // corners on a straight side split the triangle at that side
    for corner in (0..n).filter(|k| !triangles.iter().flatten().any(|i| i == k)).collect::<Vec<_>>()
    {
        let x = plane[corner];
        let on = |p: DVec2, q: DVec2| {
            let d = q - p;
            let along = (x - p).dot(d) / d.length_squared();
            (0.0..=1.0).contains(&along) && (p + d * along).distance(x) <= ZERO * size
        };
        let side = triangles.iter().enumerate().find_map(|(m, t)| {
            (0..3).find(|&k| on(plane[t[k]], plane[t[(k + 1) % 3]])).map(|k| (m, k))
        });
        let Some((m, k)) = side else { return Err(Uncut::Crossing) };
        let [p, q, r] = [0, 1, 2].map(|i| triangles[m][(k + i) % 3]);
        triangles[m] = [p, corner, r];
        triangles.push([corner, q, r]);
    }
    if triangles.len() == n - 2 { Ok(triangles) } else { Err(Uncut::Crossing) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f64; 2]]) -> Result<Vec<[usize; 3]>, Uncut> {
        // in an inclined plane
        let place = |p: &[f64; 2]| {
            DVec3::new(1.0, 2.0, 3.0) + DVec3::new(0.8, 0.0, 0.6) * p[0] + DVec3::Y * p[1]
        };
        triangles(&points.iter().map(place).collect::<Vec<_>>())
    }

    fn total(points: &[[f64; 2]], triangles: &[[usize; 3]]) -> f64 {
        let plane: Vec<DVec2> = points.iter().map(|p| DVec2::from_array(*p)).collect();
        triangles.iter().map(|&t| 0.5 * area(&plane, t).abs()).sum()
    }

    #[test]
    fn convex_polygons_are_fans_and_concave_ones_keep_their_area() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(cut(&square), Ok(vec![[0, 1, 2], [0, 2, 3]]));
        // a U of 3 × 2 with a notch of 2.2 × 1.6: 6 − 3.52
        let u = [
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 2.0],
            [2.6, 2.0],
            [2.6, 0.4],
            [0.4, 0.4],
            [0.4, 2.0],
            [0.0, 2.0],
        ];
        let triangles = cut(&u).unwrap();
        assert_eq!(triangles.len(), 6);
        assert!((total(&u, &triangles) - 2.48).abs() < 1e-12);
        // an arrow whose tip is the first corner: the fan would be right, from any other corner it
        // is not
        for first in 0..4 {
            let mut arrow = [[0.0, 0.0], [1.0, -1.0], [0.5, 0.0], [1.0, 1.0]];
            arrow.rotate_left(first);
            assert!((total(&arrow, &cut(&arrow).unwrap()) - 0.5).abs() < 1e-12, "{first}");
        }
    }

    #[test]
    fn corners_on_straight_sides_stay_corners() {
        let u = [
            [0.0, 0.0],
            [1.5, 0.0],
            [3.0, 0.0],
            [3.0, 2.0],
            [2.0, 2.0],
            [2.0, 1.0],
            [1.5, 1.0],
            [1.0, 1.0],
        ];
        let u = [&u[..], &[[1.0, 2.0], [0.0, 2.0]]].concat();
        let triangles = cut(&u).unwrap();
        assert_eq!(triangles.len(), u.len() - 2);
        assert!((total(&u, &triangles) - 5.0).abs() < 1e-12);
        assert!((0..u.len()).all(|k| triangles.iter().flatten().any(|&i| i == k)));
    }

    #[test]
    fn outlines_that_cross_themselves_or_are_bent_are_refused() {
        assert_eq!(cut(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), Err(Uncut::Crossing));
        assert_eq!(cut(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 1.0]]), Err(Uncut::Crossing));
        let star = [0, 2, 4, 1, 3]
            .map(|k| (f64::from(k) * 0.4 * std::f64::consts::PI).sin_cos())
            .map(|(s, c)| [c, s]);
        assert_eq!(cut(&star), Err(Uncut::Crossing));
        let bent = [
            DVec3::ZERO,
            DVec3::new(1.0, -1.0, 0.5),
            DVec3::new(0.5, 0.0, 0.0),
            DVec3::new(1.0, 1.0, 0.5),
        ];
        assert_eq!(triangles(&bent), Err(Uncut::Bent));
    }
}
