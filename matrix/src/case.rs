//! A case: the text of a scene and the same mechanism for the integrator that judges it.

use crate::reference::{Link, Mass, System, Vector};
use std::fmt::Write as _;

/// A body that is compared: two of its points tell its place and its turn.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Name of the body in the scene.
    pub body: String,
    /// Origin of its frame at the start, m.
    pub origin: Vector,
    /// The link that moves with it.
    pub link: usize,
}

/// What a joint must keep, measured from the bodies' poses.
#[derive(Clone, Debug)]
pub enum Keep {
    /// Two points stay together.
    Point,
    /// The second body's point stays on an axis of the first.
    Line(Vector),
    /// Two points keep this distance.
    Distance(f64),
    /// Two points are at most this far apart.
    Rope(f64),
}

/// A joint of the scene with its points at the start.
#[derive(Clone, Debug)]
pub struct Gap {
    /// Carrier and carried body; the world is no name. With the origin of each at the start.
    pub bodies: [Option<(String, Vector)>; 2],
    /// A point of each, at the start, m.
    pub points: [Vector; 2],
    /// What is kept.
    pub keep: Keep,
}

/// How a case is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Judge {
    /// By the motion of the integrator.
    Motion,
    /// By the total energy, which stays (J of motion to compare with).
    Energy(f64),
}

/// A scene with what is expected of it.
pub struct Case {
    /// Its name: base, first and second element.
    pub name: String,
    /// Its text, without `[world]`, `[contact]` and `[lagrange]`.
    pub text: String,
    /// Lines for `[world]`.
    pub world: String,
    /// The mechanism in minimal coordinates.
    pub system: System,
    /// What is compared.
    pub probes: Vec<Probe>,
    /// What joints keep.
    pub gaps: Vec<Gap>,
    /// Whether bodies collide: then the time of contacts is one of the axes.
    pub contact: bool,
    /// How it is judged.
    pub judge: Judge,
    /// Times at which motions are compared, s; the last ends the run.
    pub times: Vec<f64>,
}

/// A vector as scenes write it.
pub fn vector(v: Vector) -> String {
    format!("[{}, {}, {}]", v[0], v[1], v[2])
}

/// Sum of two vectors.
pub fn plus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] + b[k])
}

/// Difference of two vectors.
pub fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] - b[k])
}

/// A vector times a number.
pub fn times(a: Vector, f: f64) -> Vector {
    a.map(|x| x * f)
}

/// Length of a vector.
pub fn length(a: Vector) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The text of a body with its velocities at the start, by the rates of the links.
pub fn body(out: &mut String, name: &str, mass: &Mass, extra: &str, system: &System, link: usize) {
    let jets: Vec<_> = system
        .links
        .iter()
        .map(|l: &Link| crate::reference::jet::Jet { v: 0.0, d: l.rate, dd: 0.0 })
        .collect();
    let pose = crate::reference::tree::poses(&system.links, &jets)[link];
    let velocity = pose.point(mass.center).map(|x| x.d);
    let spin = pose.spin().0;
    let _ = write!(
        out,
        "\n[[body]]\nname = \"{name}\"\nmass = {}\ninertia = {}\ncenter = [0, 0, 0]\nposition = {}\n{extra}\n",
        mass.mass,
        vector(mass.inertia),
        vector(mass.center)
    );
    if velocity.iter().chain(&spin).any(|x| *x != 0.0) {
        let _ =
            write!(out, "velocity = {}\nangular_velocity = {}\n", vector(velocity), vector(spin));
    }
}
