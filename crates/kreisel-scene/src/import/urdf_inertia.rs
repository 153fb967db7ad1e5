//! Masses and inertias of URDF links, and those that no body can have.
//!
//! Many files carry moments that were guessed: zero, negative, or one larger than the sum of the
//! other two. Their principal axes are kept and the moments raised until a body could have them; a
//! link without any gets those of a ball of water of its mass.

use super::urdf_shape::origin;
use super::xml::{child, number, place, tag};
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::{MassProperties, Mat3, Vec3};
use roxmltree::Node;

/// Least moment as a share of the largest one, where it has to be raised.
const LEAST: f64 = 1e-3;

/// Density of a link whose moments are not given, kg/m³.
const DENSITY: f64 = 1000.0;

/// Whether a link has no mass.
pub(super) fn weightless(link: Node<'_, '_>) -> bool {
    let mass =
        child(link, "inertial").and_then(|i| child(i, "mass")).and_then(|m| m.attribute("value"));
    mass.is_none_or(|m| m.trim().parse::<f64>() == Ok(0.0))
}

/// Mass, centre of mass and inertia along the link's axes; none of a link without mass.
pub(super) fn inertial(reader: &mut Reader, link: Node<'_, '_>) -> Option<MassProperties> {
    let node = child(link, "inertial").filter(|_| !weightless(link))?;
    let pose = origin(reader, node);
    let mass = child(node, "mass").and_then(|m| number(reader, m, "value"))?;
    let mut j = [0.0; 6];
    if let Some(inertia) = child(node, "inertia") {
        for (x, key) in j.iter_mut().zip(["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]) {
            *x = number(reader, inertia, key).unwrap_or(0.0);
        }
    }
    let [xx, xy, xz, yy, yz, zz] = j;
    let local =
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    let local = possible(reader, link, mass, local);
    let r = Mat3::from_quat(pose.rotation);
    Some(MassProperties { mass, center: pose.position, inertia: r * local * r.transpose() })
}

/// The inertia tensor, or the nearest that a body can have, with a warning.
fn possible(reader: &mut Reader, link: Node<'_, '_>, mass: f64, inertia: Mat3) -> Mat3 {
    let given = MassProperties { mass, center: Vec3::ZERO, inertia };
    let (moments, turn) = given.principal();
    let [a, b, c] = moments.to_array();
    let none = moments.max_element() <= 0.0;
    // A mass that is no positive number is refused later, with its place.
    if !(mass.is_finite() && mass > 0.0) || !none && given.check().is_ok() {
        return inertia;
    }
    let (repaired, what) = if none {
        let radius = (0.75 * mass / (std::f64::consts::PI * DENSITY)).cbrt();
        (
            Vec3::splat(0.4 * mass * radius * radius),
            "it is given those of a ball of its mass and of 1000 kg/m³",
        )
    } else {
        (
            raised(moments),
            "the smaller ones are raised to the least that a body can have beside the largest",
        )
    };
    let name = link.attribute("name").unwrap_or_default();
    let message = format!(
        "the moments of inertia {a:.3e}, {b:.3e}, {c:.3e} kg m² of the link \"{name}\" are those of no body"
    );
    let [a, b, c] = repaired.to_array();
    let help = format!("{what}: {a:.3e}, {b:.3e}, {c:.3e} kg m²");
    let at = child(link, "inertial")
        .and_then(|i| child(i, "inertia"))
        .map_or_else(|| place(link, "name"), tag);
    reader.warn(Code::Physics, &at, message, "not possible").help(help);
    let axes = Mat3::from_quat(turn);
    axes * Mat3::from_diagonal(repaired) * axes.transpose()
}

/// Moments that keep the largest and obey the triangle inequality.
fn raised(moments: Vec3) -> Vec3 {
    let largest = moments.max_element();
    let mut out = moments.max(Vec3::splat(LEAST * largest));
    let missing = 2.0 * largest - out.element_sum();
    if missing > 0.0 {
        // Both of the smaller ones get half of what is missing.
        let top = (0..3).find(|k| out[*k] == largest).unwrap_or(0);
        for k in (0..3).filter(|k| *k != top) {
            out[k] += 0.5 * missing;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raised_moments_are_those_of_a_body_and_possible_ones_stay() {
        for m in
            [[1.0, 0.1, 0.1], [0.0, 2.0, 0.0], [-1.0, 1.0, 1.0], [5.0, 1e-9, 5.0], [1.0, 1.0, 3.0]]
        {
            let m = Vec3::from_array(m);
            let out = raised(m);
            assert!(
                MassProperties::principal_moments(1.0, out).check().is_ok(),
                "{m} became {out}"
            );
            assert_eq!(out.max_element(), m.max_element());
        }
        // the triangle inequality is missed by 3 - 2: half of it goes to each of the others
        assert_eq!(raised(Vec3::new(1.0, 1.0, 3.0)), Vec3::new(1.5, 1.5, 3.0));
        assert_eq!(raised(Vec3::new(1.0, 1.2, 2.0)), Vec3::new(1.0, 1.2, 2.0));
    }
}
