//! Spheres and half-spaces: closed forms.

use super::super::chance;
use super::super::collider::{Collider, Kind, Place};
use super::super::manifold::Manifold;
use crate::math::{Mat3, Vec3};

/// A sphere or a box on a half-space; `first` says that the half-space is the pair's first shape.
pub(super) fn on_plane(
    pair: [u32; 2],
    a: &Collider,
    b: &Collider,
    places: [&Place; 2],
    first: bool,
    margin: f64,
    out: &mut Vec<Manifold>,
) {
    let (plane, solid, at, place) =
        if first { (a, b, places[0], places[1]) } else { (b, a, places[1], places[0]) };
    let Kind::Plane(normal, offset) = plane.kind else { return };
    let frame = plane.pose(at);
    let up = frame.direction(normal);
    let level = offset + up.dot(frame.position);
    let n = if first { -up } else { up };
    let mut m = Manifold::new(pair, 0, n, places[0], places[1]);
    let pose = solid.pose(place);
    let mut add = |p: Vec3, name: u32| {
        let gap = up.dot(p) - level;
        if gap <= margin {
            let foot = p - up * gap;
            let (pa, pb) = if first { (foot, p) } else { (p, foot) };
            m.push([name, 0], pa, pb, gap, places);
        }
    };
    match solid.kind {
        Kind::Sphere(r) => add(pose.position - up * r, 0),
        Kind::Box(h) => {
            // the face that looks down
            let down = pose.inverse_direction(-up);
            let k = [1, 2]
                .into_iter()
                .fold(0, |best, k| if down[k].abs() > down[best].abs() { k } else { best });
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            for (s, t) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let mut v = Vec3::ZERO;
                v[k] = h[k].copysign(down[k]);
                v[i] = h[i] * s;
                v[j] = h[j] * t;
                let name =
                    u32::from(v.x > 0.0) + 2 * u32::from(v.y > 0.0) + 4 * u32::from(v.z > 0.0);
                add(pose.point(v), name);
            }
        }
        _ => {}
    }
    m.recyclable = false;
    if m.count > 0 {
        out.push(m);
    }
}

/// Two spheres.
pub(super) fn spheres(
    pair: [u32; 2],
    (a, ra): (&Collider, f64),
    (b, rb): (&Collider, f64),
    places: [&Place; 2],
    margin: f64,
    out: &mut Vec<Manifold>,
) {
    let (p, q) = (places[0].x + places[0].r * a.offset, places[1].x + places[1].r * b.offset);
    let d = p - q;
    let distance = d.length();
    let gap = distance - ra - rb;
    if gap > margin {
        return;
    }
    // coincident centres have no direction: any will do, but not the same for all pairs of a heap
    let n = if distance > 0.0 { d / distance } else { chance::direction(pair) };
    let mut m = Manifold::new(pair, 0, n, places[0], places[1]);
    m.push([0, 0], p - n * ra, q + n * rb, gap, places);
    m.recyclable = false;
    out.push(m);
}

/// A sphere and a box; `swapped` says that the box is the pair's first shape.
pub(super) fn sphere_box(
    pair: [u32; 2],
    (sphere, radius): (&Collider, f64),
    (cube, half): (&Collider, Vec3),
    places: [&Place; 2],
    swapped: bool,
    margin: f64,
    out: &mut Vec<Manifold>,
) {
    let (at, of) = if swapped { (places[1], places[0]) } else { (places[0], places[1]) };
    let center = at.x + at.r * sphere.offset;
    let frame = cube.pose(of);
    let local = frame.inverse_point(center);
    let inside = local.clamp(-half, half);
    let d = local - inside;
    let distance = d.length();
    // from the box to the sphere, in the box's frame; within the box out of the nearest face
    let (up, foot, gap) = if distance > 1e-12 {
        (d / distance, inside, distance - radius)
    } else {
        let depth = half - local.abs();
        let k = [1, 2].into_iter().fold(0, |best, k| if depth[k] < depth[best] { k } else { best });
        let mut up = Vec3::ZERO;
        up[k] = 1f64.copysign(local[k]);
        let mut foot = local;
        foot[k] = half[k].copysign(local[k]);
        (up, foot, -depth[k] - radius)
    };
    if gap > margin {
        return;
    }
    let turned = Mat3::from_quat(frame.rotation);
    let (up, foot) = (turned * up, frame.point(foot));
    let on_sphere = center - up * radius;
    let n = if swapped { -up } else { up };
    let mut m = Manifold::new(pair, 0, n, places[0], places[1]);
    let (pa, pb) = if swapped { (foot, on_sphere) } else { (on_sphere, foot) };
    m.push([0, 0], pa, pb, gap, places);
    m.recyclable = false;
    out.push(m);
}
