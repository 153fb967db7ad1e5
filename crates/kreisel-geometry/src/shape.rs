//! The shapes of bodies: solids with a closed form, convex polyhedra, meshes, terrain, and
//! compounds of them.
//!
//! Cylinder, capsule and cone have their axis along z; a box is given by its full edge lengths; all
//! are centred at the origin of their frame. Round shapes are round: nothing is tessellated (Bender
//! 2007, sections 4.4.6 and 4.5.1.2).

mod heightfield;
mod volume;

pub use heightfield::HeightField;

use crate::{ConvexHull, MeshDefect, Pose, TriMesh};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Why a shape cannot be used or has no mass.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length is zero, negative or not finite.
    #[error("the {what} of a {shape} must be a positive length, it is {value} m")]
    Length {
        /// Which shape.
        shape: &'static str,
        /// Which length.
        what: &'static str,
        /// The value that was given.
        value: f64,
    },
    /// A length that leaves no room for the others.
    #[error("the {what} of a {shape} is too large for it: {value} m, at most {most} m")]
    TooLarge {
        /// Which shape.
        shape: &'static str,
        /// Which length.
        what: &'static str,
        /// The value that was given.
        value: f64,
        /// The bound that the other lengths set.
        most: f64,
    },
    /// The normal of a half-space has no direction, or its offset is not finite.
    #[error("a half-space needs a unit normal and a finite offset")]
    HalfSpace,
    /// A height field needs two rows and columns and finite heights.
    #[error(
        "a height field needs at least 2 × 2 finite heights, rows × columns of them, and positive spacing"
    )]
    HeightField,
    /// A compound without parts.
    #[error("a compound needs at least one part")]
    EmptyCompound,
    /// Part of a compound has a pose that is not a rigid motion.
    #[error(
        "part {0} of a compound has a position that is not finite or a rotation that is not a unit quaternion"
    )]
    Pose(usize),
    /// Compounds are nested too deeply.
    #[error("compounds are nested deeper than {0} levels")]
    Nesting(usize),
    /// The density is zero, negative or not finite.
    #[error("the density must be positive, it is {0} kg/m³")]
    Density(f64),
    /// The shape has no finite volume.
    #[error(
        "a {0} has no finite volume and therefore no mass: give mass and inertia, or make the body static"
    )]
    Unbounded(&'static str),
    /// The mesh is not the boundary of a solid.
    #[error("the mesh has no volume: {0}")]
    Mesh(#[from] MeshDefect),
}

/// One part of a compound: a shape and where it lies in the compound's frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Where the part's frame lies.
    pub pose: Pose,
    /// The part itself.
    pub shape: Shape,
}

/// A rigid shape in its own frame. Meshes and hulls are shared, a clone is cheap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A solid sphere about the origin.
    Sphere {
        /// Radius in m.
        radius: f64,
    },
    /// A solid box, centred at the origin.
    Box {
        /// Full edge lengths in m.
        size: DVec3,
    },
    /// A solid cylinder along z, centred at the origin.
    Cylinder {
        /// Radius in m.
        radius: f64,
        /// Full height in m.
        height: f64,
    },
    /// All points within `radius` of a segment of length `height` along z, centred at the origin.
    Capsule {
        /// Radius in m.
        radius: f64,
        /// Length of the segment in m: the whole capsule is `height + 2 radius` long.
        height: f64,
    },
    /// A solid cone along z: base at −height/2, tip at +height/2.
    Cone {
        /// Radius of the base in m.
        radius: f64,
        /// Height in m.
        height: f64,
    },
    /// A solid ellipsoid about the origin.
    Ellipsoid {
        /// Semi-axes in m.
        radii: DVec3,
    },
    /// A cylinder along z with a rounded rim: a coin, a tyre, a pill. Centred at the origin.
    Disc {
        /// Radius in m, the rim included.
        radius: f64,
        /// Full height in m, the rim included.
        height: f64,
        /// Radius of the rim's rounding in m, at most half the height and the radius.
        rim: f64,
    },
    /// All points within `tube` of a circle about z, centred at the origin.
    Torus {
        /// Radius of the circle in m.
        radius: f64,
        /// Radius of the tube in m, smaller than that of the circle.
        tube: f64,
    },
    /// All points with normal·x ≤ offset.
    HalfSpace {
        /// Outward unit normal of the boundary plane.
        normal: DVec3,
        /// Distance of the plane from the origin along the normal, in m.
        offset: f64,
    },
    /// A convex polyhedron.
    Hull(Arc<ConvexHull>),
    /// A triangle mesh, closed (a solid) or not (a surface).
    Mesh(Arc<TriMesh>),
    /// Terrain over a grid.
    HeightField(Arc<HeightField>),
    /// Several shapes that move as one. Parts may overlap; the mass counts the overlap twice.
    Compound(Vec<Part>),
}

/// Compounds may contain compounds, this deep.
pub const MAX_NESTING: usize = 16;

impl Shape {
    /// The name of the kind of shape, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Cylinder { .. } => "cylinder",
            Self::Capsule { .. } => "capsule",
            Self::Cone { .. } => "cone",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Disc { .. } => "disc",
            Self::Torus { .. } => "torus",
            Self::HalfSpace { .. } => "half-space",
            Self::Hull(_) => "convex hull",
            Self::Mesh(_) => "mesh",
            Self::HeightField(_) => "height field",
            Self::Compound(_) => "compound",
        }
    }

    /// Checks the dimensions. Every query assumes that this has succeeded.
    pub fn check(&self) -> Result<(), ShapeError> {
        self.check_at(0)
    }

    fn check_at(&self, depth: usize) -> Result<(), ShapeError> {
        let shape = self.kind();
        let length = |what, value: f64| {
            // squares and cubes of a length must neither overflow nor vanish
            let usable = value.is_finite() && value > 1e-75 && value < 1e75;
            if usable { Ok(()) } else { Err(ShapeError::Length { shape, what, value }) }
        };
        match self {
            Self::Sphere { radius } => length("radius", *radius),
            Self::Box { size } => size.to_array().into_iter().try_for_each(|x| length("edge", x)),
            Self::Cylinder { radius, height }
            | Self::Capsule { radius, height }
            | Self::Cone { radius, height } => {
                length("radius", *radius).and(length("height", *height))
            }
            Self::Ellipsoid { radii } => {
                radii.to_array().into_iter().try_for_each(|x| length("semi-axis", x))
            }
            Self::Disc { radius, height, rim } => {
                length("radius", *radius)
                    .and(length("height", *height))
                    .and(length("rim", *rim))?;
                let most = radius.min(0.5 * height);
                if *rim <= most {
                    Ok(())
                } else {
                    Err(ShapeError::TooLarge { shape, what: "rim", value: *rim, most })
                }
            }
            Self::Torus { radius, tube } => {
                length("radius", *radius).and(length("tube", *tube))?;
                let most = *radius;
                if *tube < most {
                    Ok(())
                } else {
                    Err(ShapeError::TooLarge { shape, what: "tube", value: *tube, most })
                }
            }
            Self::HalfSpace { normal, offset } => {
                let unit = (normal.length_squared() - 1.0).abs() < 2e-6;
                if unit && offset.is_finite() { Ok(()) } else { Err(ShapeError::HalfSpace) }
            }
            Self::Hull(_) | Self::Mesh(_) | Self::HeightField(_) => Ok(()),
            Self::Compound(parts) if parts.is_empty() => Err(ShapeError::EmptyCompound),
            Self::Compound(_) if depth == MAX_NESTING => Err(ShapeError::Nesting(MAX_NESTING)),
            Self::Compound(parts) => parts.iter().enumerate().try_for_each(|(i, part)| {
                if !part.pose.is_valid() {
                    return Err(ShapeError::Pose(i));
                }
                part.shape.check_at(depth + 1)
            }),
        }
    }
}
