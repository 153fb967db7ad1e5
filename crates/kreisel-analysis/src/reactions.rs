//! Forces and torques of rows, by joint, constraint or contact and by body.

use crate::mechanism::Mechanism;
use kreisel_dynamics::{BodyId, ProbeRow, Quat, Vec3};

/// What a joint, constraint or contact does to a body.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Reaction {
    /// Joint, constraint or contact.
    pub name: String,
    /// The body.
    pub body: String,
    /// Force on it, N, world coordinates.
    pub force: [f64; 3],
    /// Torque on it about its centre of mass, N m, world coordinates.
    pub torque: [f64; 3],
    /// Whether it follows from the loads alone; otherwise redundant conditions share them, and this
    /// is the smallest share.
    pub determined: bool,
}

/// Sums rows with their multipliers.
pub(crate) fn of(
    m: &Mechanism<'_>,
    rows: &[ProbeRow],
    loads: &[(usize, f64)],
    determined: &[bool],
) -> Vec<Reaction> {
    let mut out: Vec<(String, BodyId, Vec3, Vec3, bool)> = Vec::new();
    for (&(k, lambda), &sure) in loads.iter().zip(determined) {
        let row = &rows[k];
        for &(c, x) in row.force.as_ref().unwrap_or(&row.row) {
            let (body, axis, scale) = m.columns[c];
            let place = out.iter().position(|r| r.1 == body && *r.0 == *row.name);
            let at = place.unwrap_or_else(|| {
                out.push((row.name.to_string(), body, Vec3::ZERO, Vec3::ZERO, true));
                out.len() - 1
            });
            let load = lambda * x / scale;
            if axis < 3 {
                out[at].2[axis] += load;
            } else {
                out[at].3[axis - 3] += load;
            }
            out[at].4 &= sure;
        }
    }
    let named = |(name, body, force, torque, determined): (String, BodyId, Vec3, Vec3, bool)| {
        let turn = m.probe.principal(body).unwrap_or(Quat::IDENTITY);
        Reaction {
            name,
            body: m.probe.world().body_name(body).map_or_else(String::new, |n| n.to_string()),
            force: force.to_array(),
            torque: (turn * torque).to_array(),
            determined,
        }
    };
    out.into_iter().map(named).collect()
}
