//! The narrow phase: from two shapes to manifolds. Spheres, boxes and half-spaces have short cuts
//! that allocate nothing; every other pair goes through [`kreisel_geometry::contact`].

mod box_box;
mod general;
mod simple;

use super::collider::{Collider, Kind, Place};
use super::manifold::Manifold;
use crate::math::Vec3;
pub(crate) use general::Room;
use kreisel_geometry::contact::ContactCache;

/// Finds the contact regions of a pair that is at most `margin` apart; `way` and `turning` say how
/// far the first moves against the second in a step; `guess` is about the normal if it is known.
pub(crate) fn collide(
    pair: [u32; 2],
    a: &Collider,
    b: &Collider,
    places: [&Place; 2],
    margin: f64,
    way: Vec3,
    turning: f64,
    guess: Option<Vec3>,
    cache: &mut ContactCache,
    room: &mut Room,
    out: &mut Vec<Manifold>,
) {
    let from = out.len();
    match (a.kind, b.kind) {
        (Kind::Box(p), Kind::Box(q)) => {
            box_box::collide(pair, (a, p), (b, q), places, margin, way, turning, out)
        }
        (Kind::Sphere(_) | Kind::Box(_), Kind::Plane(..)) => {
            simple::on_plane(pair, a, b, places, false, margin, out)
        }
        (Kind::Plane(..), Kind::Sphere(_) | Kind::Box(_)) => {
            simple::on_plane(pair, a, b, places, true, margin, out)
        }
        (Kind::Sphere(p), Kind::Sphere(q)) => {
            simple::spheres(pair, (a, p), (b, q), places, margin, out)
        }
        (Kind::Sphere(r), Kind::Box(h)) => {
            simple::sphere_box(pair, (a, r), (b, h), places, false, margin, out)
        }
        (Kind::Box(h), Kind::Sphere(r)) => {
            simple::sphere_box(pair, (b, r), (a, h), places, true, margin, out)
        }
        (Kind::Plane(..), Kind::Plane(..)) => {}
        _ => general::collide(pair, a, b, places, margin, guess, cache, room, out),
    }
    for m in &mut out[from..] {
        m.sensor = a.sensor || b.sensor;
    }
}
