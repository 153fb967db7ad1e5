//! Mass properties of the solids with a closed form, uniform density, axis along z where there is
//! one.
//!
//! Reference: Bender 2007, eq. D.4 to D.6 (sphere, cylinder, box); the others by direct integration
//! of J = ρ ∫ (r² E − r rᵀ) dV. Hollow bodies are differences of solids and are left to the caller.

use super::MassProperties;
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

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

    /// A solid torus about z: `radius` of the circle, `tube` about it.
    pub fn torus(mass: f64, radius: f64, tube: f64) -> Self {
        let (r2, t2) = (radius * radius, tube * tube);
        let across = mass * (0.5 * r2 + 0.625 * t2);
        Self::principal_moments(mass, DVec3::new(across, across, mass * (r2 + 0.75 * t2)))
    }

    /// A solid cylinder along z whose rim is rounded with the radius `rim`; radius and height are
    /// those of the whole.
    pub fn disc(mass: f64, radius: f64, height: f64, rim: f64) -> Self {
        let [volume, fourth, second] = disc_integrals(radius, height, rim);
        let density = mass / volume;
        // ∫ (x² + y²) dV = π/2 ∫ ρ⁴ dz, and x² alone has half of it
        let along = 0.5 * PI * fourth;
        let across = 0.5 * along + PI * second;
        Self::principal_moments(mass, density * DVec3::new(across, across, along))
    }

    /// Volume of the same, m³.
    pub(crate) fn disc_volume(radius: f64, height: f64, rim: f64) -> f64 {
        disc_integrals(radius, height, rim)[0]
    }
}

/// π ∫ ρ² dz, ∫ ρ⁴ dz and ∫ ρ² z² dz of a disc whose section has the radius ρ(z): constant up
/// to |z| = H, then a + √(r² − s²) with s = |z| − H.
fn disc_integrals(radius: f64, height: f64, r: f64) -> [f64; 3] {
    let (h, a) = (0.5 * height - r, radius - r);
    let (r2, r3) = (r * r, r * r * r);
    let (r4, r5) = (r2 * r2, r2 * r3);
    // ∫ ρ² sᵏ ds for k = 0, 1, 2 over one rim
    let zeroth = a * a * r + 0.5 * PI * a * r2 + 2.0 / 3.0 * r3;
    let first = 0.5 * a * a * r2 + 2.0 / 3.0 * a * r3 + 0.25 * r4;
    let second = a * a * r3 / 3.0 + 0.125 * PI * a * r4 + 2.0 / 15.0 * r5;
    let fourth = a * a * a * a * r
        + PI * a * a * a * r2
        + 4.0 * a * a * r3
        + 0.75 * PI * a * r4
        + 8.0 / 15.0 * r5;
    let square = radius * radius;
    [
        PI * (2.0 * h * square + 2.0 * zeroth),
        2.0 * h * square * square + 2.0 * fourth,
        2.0 / 3.0 * h * h * h * square + 2.0 * (h * h * zeroth + 2.0 * h * first + second),
    ]
}
