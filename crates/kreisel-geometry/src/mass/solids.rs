//! Mass properties of the solids with a closed form, uniform density, axis along z where there is
//! one.
//!
//! Reference: Bender 2007, eq. D.4 to D.6 (sphere, cylinder, box); capsule, cone and ellipsoid by
//! direct integration of J = ρ ∫ (r² E − r rᵀ) dV. Hollow bodies are differences of solids and are
//! left to the caller.

use super::MassProperties;
use glam::{DMat3, DVec3};

impl MassProperties {
    /// A solid cylinder with its axis along z, centred at the origin.
    pub fn cylinder(mass: f64, radius: f64, height: f64) -> Self {
        let r2 = radius * radius;
        let across = mass * (r2 / 4.0 + height * height / 12.0);
        Self::principal_moments(mass, DVec3::new(across, across, mass * r2 / 2.0))
    }

    /// A solid capsule with its axis along z, centred at the origin: a cylinder of length `height`
    /// between two half-spheres, so that the whole is `height + 2 radius` long.
    pub fn capsule(mass: f64, radius: f64, height: f64) -> Self {
        let r2 = radius * radius;
        // Volumes over π r²: the cylinder has h, both caps together 4/3 r.
        let caps = mass * (4.0 / 3.0 * radius) / (height + 4.0 / 3.0 * radius);
        let cylinder = mass - caps;
        let along = cylinder * r2 / 2.0 + caps * 0.4 * r2;
        // A half-sphere about the centre of its flat side has 2/5 m r², its centre of mass lies 3/8
        // r outside.
        let across = cylinder * (r2 / 4.0 + height * height / 12.0)
            + caps * (0.4 * r2 + height * height / 4.0 + 0.375 * height * radius);
        Self::principal_moments(mass, DVec3::new(across, across, along))
    }

    /// A solid cone with its axis along z: base at −height/2, tip at +height/2, centre of mass at
    /// −height/4.
    pub fn cone(mass: f64, radius: f64, height: f64) -> Self {
        let r2 = radius * radius;
        let across = mass * (0.15 * r2 + 0.0375 * height * height);
        Self {
            mass,
            center: DVec3::new(0.0, 0.0, -height / 4.0),
            inertia: DMat3::from_diagonal(DVec3::new(across, across, 0.3 * mass * r2)),
        }
    }

    /// A solid ellipsoid with the semi-axes `radii`.
    pub fn ellipsoid(mass: f64, radii: DVec3) -> Self {
        let s = radii * radii;
        Self::principal_moments(mass, mass / 5.0 * DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y))
    }
}
