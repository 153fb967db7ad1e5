//! Volume and mass properties of every shape.
//!
//! Reference: Bender 2007, appendix D.1; closed forms in `mass::solids`, closed surfaces in
//! `mass::surface`.

use super::{Shape, ShapeError};
use crate::MassProperties;
use std::f64::consts::PI;

impl Shape {
    /// Volume in m³. Overlapping parts of a compound are counted twice.
    pub fn volume(&self) -> Result<f64, ShapeError> {
        self.check()?;
        self.volume_unchecked()
    }

    fn volume_unchecked(&self) -> Result<f64, ShapeError> {
        Ok(match self {
            Self::Sphere { radius } => 4.0 / 3.0 * PI * radius * radius * radius,
            Self::Box { size } => size.x * size.y * size.z,
            Self::Cylinder { radius, height } => PI * radius * radius * height,
            Self::Capsule { radius, height } => {
                PI * radius * radius * (height + 4.0 / 3.0 * radius)
            }
            Self::Cone { radius, height } => PI / 3.0 * radius * radius * height,
            Self::Ellipsoid { radii } => 4.0 / 3.0 * PI * radii.x * radii.y * radii.z,
            Self::Disc { radius, height, rim } => {
                MassProperties::disc_volume(*radius, *height, *rim)
            }
            // Pappus: the tube's section times the way of its centre
            Self::Torus { radius, tube } => 2.0 * PI * radius * PI * tube * tube,
            Self::Hull(hull) => hull.volume(),
            Self::Mesh(mesh) => mesh.volume()?,
            Self::HalfSpace { .. } | Self::HeightField(_) => {
                return Err(ShapeError::Unbounded(self.kind()));
            }
            Self::Compound(parts) => {
                let mut sum = 0.0;
                for part in parts {
                    sum += part.shape.volume_unchecked()?;
                }
                sum
            }
        })
    }

    /// Mass, centre of mass and inertia tensor for a uniform density in kg/m³.
    ///
    /// ```
    /// use kreisel_geometry::Shape;
    /// let wood = Shape::Box { size: glam::DVec3::new(1.0, 0.5, 0.2) };
    /// let m = wood.mass_properties(600.0).unwrap();
    /// assert!((m.mass - 60.0).abs() < 1e-12);
    /// ```
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, ShapeError> {
        if !(density.is_finite() && density > 0.0) {
            return Err(ShapeError::Density(density));
        }
        self.check()?;
        self.mass_properties_unchecked(density)
    }

    fn mass_properties_unchecked(&self, density: f64) -> Result<MassProperties, ShapeError> {
        let mass = |shape: &Self| shape.volume_unchecked().map(|v| v * density);
        Ok(match self {
            Self::Sphere { radius } => MassProperties::sphere(mass(self)?, *radius),
            Self::Box { size } => MassProperties::cuboid(mass(self)?, *size),
            Self::Cylinder { radius, height } => {
                MassProperties::cylinder(mass(self)?, *radius, *height)
            }
            Self::Capsule { radius, height } => {
                MassProperties::capsule(mass(self)?, *radius, *height)
            }
            Self::Cone { radius, height } => MassProperties::cone(mass(self)?, *radius, *height),
            Self::Ellipsoid { radii } => MassProperties::ellipsoid(mass(self)?, *radii),
            Self::Disc { radius, height, rim } => {
                MassProperties::disc(mass(self)?, *radius, *height, *rim)
            }
            Self::Torus { radius, tube } => MassProperties::torus(mass(self)?, *radius, *tube),
            Self::Hull(hull) => hull.mass_properties(density),
            Self::Mesh(mesh) => mesh.mass_properties(density)?,
            Self::HalfSpace { .. } | Self::HeightField(_) => {
                return Err(ShapeError::Unbounded(self.kind()));
            }
            Self::Compound(parts) => {
                let mut sum: Option<MassProperties> = None;
                for part in parts {
                    let one = part.shape.mass_properties_unchecked(density)?;
                    let one = one.transformed(part.pose.position, part.pose.rotation);
                    sum = Some(sum.map_or(one, |s| s.combined(one)));
                }
                sum.ok_or(ShapeError::EmptyCompound)?
            }
        })
    }
}
