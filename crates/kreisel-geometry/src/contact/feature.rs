//! The face, edge or vertex that a convex shape turns in a direction.
//!
//! A face or an edge counts as turned in the direction d if it is perpendicular to d within 0.2
//! rad; what of it is too far from the partner is dropped later by distance. Round shapes have such
//! features, too: a cylinder its two disks (as eight points of the rim, fixed to the body, and the
//! one that is farthest along d) and its generators, a cone its base, generators and tip.
//!
//! Names: vertices have their number, edges 0x4000_0000 + number, faces 0x8000_0000 + number, all
//! fixed to the body. Points that wander over a round surface (a rolling cylinder's generator) keep
//! one name.

use crate::convex::{Convex, Core};
use crate::{ConvexHull, Pose};
use glam::{DVec2, DVec3};
use smallvec::{SmallVec, smallvec};
use std::f64::consts::PI;

/// Sine of the largest inclination of a face or edge.
pub(super) const INCLINED: f64 = 0.2;
/// Sine of the inclination below which a disk is parallel to the plane, and no point of its rim is
/// deeper than the others.
const UPRIGHT: f64 = 1e-12;
pub(super) const EDGE: u32 = 0x4000_0000;
const FACE: u32 = 0x8000_0000;

#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) position: DVec3,
    pub(super) name: u32,
}

/// A feature's corners. Boxes, triangles and round shapes have at most nine, which need no memory
/// from the heap.
pub(super) type Points = SmallVec<[Point; 9]>;

/// One point, the two ends of an edge, or the corners of a convex polygon, in the world.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    pub(super) points: Points,
    /// Name of the edge or face as a whole.
    name: u32,
}

impl Feature {
    /// The feature of a set at `pose` in the world direction `d`.
    pub(super) fn of(convex: &Convex, pose: &Pose, d: DVec3) -> Self {
        let local = pose.inverse_direction(d);
        let mut feature = match convex.core {
            Core::Point => single(DVec3::ZERO, 0),
            Core::Segment(h) if local.z.abs() <= INCLINED => {
                pair(DVec3::Z * -h, DVec3::Z * h, EDGE)
            }
            Core::Segment(h) => single(DVec3::Z * h.copysign(local.z), u32::from(local.z > 0.0)),
            Core::Box(h) => of_box(h, local),
            Core::Cylinder(r, h) => of_cylinder(r, h, local),
            Core::Cone(r, h) => of_cone(r, h, local),
            Core::Ellipsoid(_) => single(convex.core.support(local, &mut { u32::MAX }), 0),
            Core::Hull(hull) => of_hull(hull, local),
            Core::Triangle(corners) => of_polygon(
                &corners,
                (corners[1] - corners[0]).cross(corners[2] - corners[0]),
                local,
            ),
            Core::Polygon(corners, normal) => of_polygon(corners, normal, local),
        };
        for p in &mut feature.points {
            p.position = pose.point(p.position) + d * convex.margin;
        }
        feature
    }

    pub(super) fn name(&self) -> u32 {
        self.name
    }
}

fn single(position: DVec3, name: u32) -> Feature {
    Feature { points: smallvec![Point { position, name }], name }
}

fn pair(a: DVec3, b: DVec3, name: u32) -> Feature {
    Feature {
        points: smallvec![Point { position: a, name: 0 }, Point { position: b, name: 1 }],
        name,
    }
}

fn of_box(h: DVec3, d: DVec3) -> Feature {
    let f = BoxFeature::new(d);
    let points =
        (0..f.count).map(|i| Point { position: f.signs[i] * h, name: f.names[i] }).collect();
    Feature { points, name: f.name }
}

/// The feature of a box, whatever its size: corners by their signs.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxFeature {
    /// 1, 2 or 4 corners.
    pub(super) count: usize,
    pub(super) signs: [DVec3; 4],
    pub(super) names: [u32; 4],
    /// Name of the edge or face as a whole.
    pub(super) name: u32,
}

impl BoxFeature {
    /// The feature turned in the direction `d` of the box's frame.
    #[inline]
    pub(super) fn new(d: DVec3) -> Self {
        let flat = d.to_array().map(|x| x.abs() <= INCLINED);
        let mut signs =
            [DVec3::new(1_f64.copysign(d.x), 1_f64.copysign(d.y), 1_f64.copysign(d.z)); 4];
        let index =
            |s: DVec3| u32::from(s.x > 0.0) + 2 * u32::from(s.y > 0.0) + 4 * u32::from(s.z > 0.0);
        match flat {
            [false, true, true] | [true, false, true] | [true, true, false] => {
                let k = flat.iter().position(|f| !f).unwrap_or(0);
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                for (s, [x, y]) in
                    signs.iter_mut().zip([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
                {
                    (s[i], s[j]) = (x, y);
                }
                let name = FACE + 2 * k as u32 + u32::from(signs[0][k] > 0.0);
                Self { count: 4, signs, names: signs.map(index), name }
            }
            [true, false, false] | [false, true, false] | [false, false, true] => {
                let k = flat.iter().position(|&f| f).unwrap_or(0);
                (signs[0][k], signs[1][k]) = (-1.0, 1.0);
                let names = signs.map(index);
                Self { count: 2, signs, names, name: EDGE + 8 * k as u32 + names[0] }
            }
            _ => Self { count: 1, signs, names: signs.map(index), name: index(signs[0]) },
        }
    }
}

/// Eight points of the rim of a disk, named from `first`, and between them the farthest one along
/// `side`, named `farthest`: on a plane that is inclined to the disk it alone is the deepest.
fn disk(radius: f64, z: f64, side: DVec2, first: u32, farthest: u32) -> Points {
    let at = |k: u32| {
        let (sin, cos) = libm::sincos(PI / 4.0 * f64::from(k));
        Point { position: DVec3::new(radius * cos, radius * sin, z), name: first + k }
    };
    let mut points: Points = (0..8).map(at).collect();
    let Some(out) = side.try_normalize().filter(|_| side.length() > UPRIGHT) else { return points };
    // the polygon stays convex: the new corner follows the last one that it is to the left of;
    // right on one it takes its place
    let eighth = libm::atan2(out.y, out.x).rem_euclid(2.0 * PI) / (PI / 4.0);
    let point = Point { position: (out * radius).extend(z), name: farthest };
    let nearest = eighth.round();
    if (eighth - nearest).abs() < 1e-6 {
        points[nearest as usize % 8].position = point.position;
    } else {
        points.insert(eighth as usize % 8 + 1, point);
    }
    points
}

fn of_cylinder(r: f64, h: f64, d: DVec3) -> Feature {
    let side = DVec2::new(d.x, d.y);
    let top = u32::from(d.z > 0.0);
    if side.length() <= INCLINED {
        return Feature {
            points: disk(r, h.copysign(d.z), side, 8 * top, 16 + top),
            name: FACE + top,
        };
    }
    let rim = side.normalize() * r;
    // the core of a disc that is all rim has no height
    if d.z.abs() <= INCLINED && h > 0.0 {
        return pair(rim.extend(-h), rim.extend(h), EDGE);
    }
    single(rim.extend(h.copysign(d.z)), 16 + top)
}

fn of_cone(r: f64, h: f64, d: DVec3) -> Feature {
    let side = DVec2::new(d.x, d.y);
    if d.z < 0.0 && side.length() <= INCLINED {
        return Feature { points: disk(r, -h, side, 0, 8), name: FACE };
    }
    let out = side.normalize_or(DVec2::X);
    let (rim, tip) = ((out * r).extend(-h), DVec3::Z * h);
    // a generator is perpendicular to d
    if (tip - rim).normalize().dot(d).abs() <= INCLINED {
        return pair(rim, tip, EDGE);
    }
    if tip.dot(d) > rim.dot(d) { single(tip, 9) } else { single(rim, 8) }
}

fn of_hull(hull: &ConvexHull, d: DVec3) -> Feature {
    let mut vertex = u32::MAX;
    Core::Hull(hull).support(d, &mut vertex);
    let mut face = (1.0 - INCLINED * INCLINED).sqrt();
    let mut best_face = None;
    let mut edge = INCLINED;
    let mut best_edge = None;
    for e in hull.edges_from(vertex) {
        let f = hull.edges()[e as usize].face;
        let level = hull.faces()[f as usize].normal.dot(d);
        if level >= face {
            (face, best_face) = (level, Some(f));
        }
        let [a, b] = hull.ends(e);
        let slope = (b - a).normalize_or_zero().dot(d).abs();
        if slope <= edge {
            (edge, best_edge) = (slope, Some(e));
        }
    }
    let point = |v: u32| Point { position: hull.vertices()[v as usize], name: v };
    if let Some(f) = best_face {
        let points = hull.edges_of(f).map(|e| point(hull.edges()[e as usize].origin)).collect();
        return Feature { points, name: FACE + f };
    }
    match best_edge {
        Some(e) => {
            let twin = hull.edges()[e as usize].twin;
            let ends = [e, twin].map(|e| point(hull.edges()[e as usize].origin));
            Feature { points: ends.into_iter().collect(), name: EDGE + e.min(twin) }
        }
        None => Feature { points: smallvec![point(vertex)], name: vertex },
    }
}

/// The feature of a plane polygon; the normal may have any length.
fn of_polygon(corners: &[DVec3], normal: DVec3, d: DVec3) -> Feature {
    let n = corners.len();
    let point = |k: usize| Point { position: corners[k], name: k as u32 };
    if normal.normalize_or_zero().dot(d).abs() >= (1.0 - INCLINED * INCLINED).sqrt() {
        return Feature { points: (0..n).map(point).collect(), name: FACE };
    }
    let top =
        (0..n).fold(0, |best, k| if corners[k].dot(d) > corners[best].dot(d) { k } else { best });
    // an edge at the highest corner, in the order of the corners
    let last = (top + n - 1) % n;
    for k in [top.min(last), top.max(last)] {
        let next = (k + 1) % n;
        if (corners[next] - corners[k]).normalize_or_zero().dot(d).abs() <= INCLINED {
            return Feature { points: smallvec![point(k), point(next)], name: EDGE + k as u32 };
        }
    }
    Feature { points: smallvec![point(top)], name: top as u32 }
}
