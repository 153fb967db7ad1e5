//! Shapes: the solid of a body, and what is shown.

use crate::load::shape_of;
use crate::property::codec::{Codec, Written};
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::World;
use kreisel_geometry::Shape;

/// What a body is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// A mass point.
    Point,
    /// A body with extent.
    Shape {
        /// What it is.
        shape: Shape,
        /// What gives its mass, where that is another shape: the mesh of convex parts.
        whole: Option<Shape>,
    },
}

impl Solid {
    /// Its shape; a point has none.
    pub fn shape(&self) -> Option<&Shape> {
        if let Self::Shape { shape, .. } = self { Some(shape) } else { None }
    }
}

impl From<Shape> for Solid {
    fn from(shape: Shape) -> Self {
        Self::Shape { shape, whole: None }
    }
}

/// `{ box = [1, 1, 1] }`, several parts, `"point"`, or nothing.
pub(crate) struct ShapeForm;
impl Written for ShapeForm {
    const FORM: Form = Form::Shape;
}
impl Codec<Option<Solid>> for ShapeForm {
    fn write(solid: &Option<Solid>, _: &World) -> Value {
        solid.clone().map_or(Value::None, |s| Value::Solid(Box::new(s)))
    }
    fn read(value: Value, _: &World) -> Result<Option<Solid>, Fault> {
        match value {
            Value::None => Ok(None),
            Value::Solid(solid) => Ok(Some(*solid)),
            // as a scene would have it, but for files
            other => shape_of(&other).map(Some),
        }
    }
}
