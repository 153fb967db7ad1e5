//! A body of another size: its solid is stretched about the origin of its frame, its density stays,
//! so that mass and inertia follow (W-138).

use super::{Document, Outcome, refuse};
use kreisel_dynamics::Vec3;
use kreisel_geometry::{ConvexHull, Part, Shape};
use kreisel_scene::items::Item;
use kreisel_scene::property::Value;
use std::sync::Arc;

/// Factors that one command takes.
const FACTORS: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

pub(super) fn scale(d: &mut Document, name: &str, factors: Vec3) -> Outcome {
    if !factors.to_array().iter().all(|f| FACTORS.contains(f)) {
        return refuse("a body is made larger or smaller by 0.001 to 1000 at once");
    }
    let (world, run) = d.sim.parts_mut();
    let solid = world.body_named(name).and_then(|id| run.looks.get(&id)?.solid.clone());
    let Some(solid) = solid else {
        return refuse(format!("\"{name}\" has no solid that could be larger or smaller"));
    };
    let Some(item) = Item::named(world, run, name) else {
        return refuse(format!("there is no body \"{name}\""));
    };
    let density = item.get(world, run, "density").ok().filter(|v| *v != Value::None);
    let new = stretched(&solid, factors)?;
    let new = Value::Solid(Box::new(new.into()));
    let set = item.set(world, run, "shape", new);
    let set = set.and_then(|()| density.map_or(Ok(()), |x| item.set(world, run, "density", x)));
    set.or_else(|fault| refuse(fault.to_string()))
}

/// The shape stretched along the axes. Round ones take one factor across their axis: the one that
/// says most.
fn stretched(shape: &Shape, f: Vec3) -> Outcome<Shape> {
    let most = |all: &[f64]| {
        all.iter().copied().fold(1.0_f64, |m, x| if x.ln().abs() > m.ln().abs() { x } else { m })
    };
    let (across, all) = (most(&[f.x, f.y]), most(&[f.x, f.y, f.z]));
    Ok(match shape {
        Shape::Sphere { radius } if f.x == f.y && f.y == f.z => {
            Shape::Sphere { radius: radius * f.x }
        }
        Shape::Sphere { radius } => Shape::Ellipsoid { radii: f * *radius },
        Shape::Ellipsoid { radii } => Shape::Ellipsoid { radii: *radii * f },
        Shape::Box { size } => Shape::Box { size: *size * f },
        Shape::Cylinder { radius, height } => {
            Shape::Cylinder { radius: radius * across, height: height * f.z }
        }
        Shape::Capsule { radius, height } => {
            Shape::Capsule { radius: radius * across, height: height * f.z }
        }
        Shape::Cone { radius, height } => {
            Shape::Cone { radius: radius * across, height: height * f.z }
        }
        Shape::Disc { radius, height, rim } => Shape::Disc {
            radius: radius * across,
            height: height * f.z,
            rim: (rim * f.z).min(radius * across),
        },
        Shape::Torus { radius, tube } => Shape::Torus { radius: radius * all, tube: tube * all },
        Shape::Hull(hull) => {
            let points: Vec<Vec3> = hull.vertices().iter().map(|v| *v * f).collect();
            match ConvexHull::new(&points) {
                Ok(hull) => Shape::Hull(Arc::new(hull)),
                Err(e) => return refuse(e.to_string()),
            }
        }
        Shape::Mesh(mesh) => match mesh.scaled(f) {
            Ok(mesh) => Shape::Mesh(Arc::new(mesh)),
            Err(e) => return refuse(e.to_string()),
        },
        // parts may be turned: one factor keeps them what they are
        Shape::Compound(parts) => {
            let one = |part: &Part| -> Outcome<Part> {
                let mut part = part.clone();
                part.pose.position *= all;
                part.shape = stretched(&part.shape, Vec3::splat(all))?;
                Ok(part)
            };
            Shape::Compound(parts.iter().map(one).collect::<Outcome<_>>()?)
        }
        Shape::HalfSpace { .. } | Shape::HeightField(_) => {
            return refuse("planes and terrain have no size to change");
        }
    })
}
