//! How shapes are sent to the page: simple solids with their place in the body's frame.

use kreisel_geometry::{Pose, Shape};
use serde::Serialize;

/// A solid that the page can draw.
#[derive(Debug, Serialize)]
pub struct Solid {
    kind: &'static str,
    /// Sizes: edges of a box, semi-axes of an ellipsoid, radius and height of round solids.
    size: [f64; 3],
    position: [f64; 3],
    rotation: [f64; 4],
}

/// The drawable solids of a shape.
pub fn solids(shape: Option<&Shape>) -> Vec<Solid> {
    let mut out = Vec::new();
    match shape {
        Some(shape) => collect(shape, Pose::IDENTITY, &mut out),
        None => out.push(Solid::new("point", [0.0; 3], Pose::IDENTITY)),
    }
    out
}

/// Compounds are flattened; what has no simple form is left out.
fn collect(shape: &Shape, pose: Pose, out: &mut Vec<Solid>) {
    let (kind, size) = match shape {
        Shape::Sphere { radius } => ("ellipsoid", [*radius; 3]),
        Shape::Ellipsoid { radii } => ("ellipsoid", radii.to_array()),
        Shape::Box { size } => ("box", size.to_array()),
        Shape::Cylinder { radius, height } => ("cylinder", [*radius, *height, 0.0]),
        Shape::Capsule { radius, height } => ("capsule", [*radius, *height, 0.0]),
        Shape::Cone { radius, height } => ("cone", [*radius, *height, 0.0]),
        Shape::Compound(parts) => {
            for part in parts {
                collect(&part.shape, pose.then(&part.pose), out);
            }
            return;
        }
        Shape::HalfSpace { .. } | Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) => return,
    };
    out.push(Solid::new(kind, size, pose));
}

impl Solid {
    fn new(kind: &'static str, size: [f64; 3], pose: Pose) -> Self {
        Self { kind, size, position: pose.position.to_array(), rotation: pose.rotation.to_array() }
    }
}
