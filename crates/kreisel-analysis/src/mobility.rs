//! Mobility: how many freedoms a mechanism has at a pose, which conditions others imply, how near
//! it is to a singular pose, and which coordinates can be chosen freely.
//!
//! The singular values of the unit rows tell the rank and how far it is from the next lower one:
//! the smallest one above the rank's threshold is the *margin*. A mechanism in a singular pose (a
//! parallelogram laid flat) has a larger instantaneous freedom than beside it: poses a little to
//! both sides along each free direction, closed again, show the freedom that lasts.

use crate::conditions::{Conditions, RANK, SparseRow};
use crate::error::AnalysisError;
use crate::mechanism::{Mechanism, dot};
use faer::Mat;
use kreisel_dynamics::{ProbeRow, RowKind, World};

/// How far poses beside the present one are, in turns (rad) or the world's measure.
const BESIDE: f64 = 1e-3;

/// Freedoms of a mechanism.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Mobility {
    /// Freedoms of velocities at this pose.
    pub freedom: usize,
    /// Freedoms beside this pose: fewer where it is singular.
    pub lasting: usize,
    /// Rows of joints and constraints that are equations.
    pub conditions: usize,
    /// Rows that others imply at this pose.
    pub redundant: usize,
    /// Smallest singular value of the unit rows that counts: 0 is a singular pose, 1 is far from
    /// any.
    pub margin: f64,
    /// How well each coordinate of a joint could drive: the share of a unit of the most even motion
    /// that it sees; 0 stands still whatever moves.
    pub coordinates: Vec<(String, f64)>,
    /// Names of joints and constraints whose conditions are all determined, with the number of
    /// their rows that share their load with others.
    pub shared: Vec<(String, usize)>,
}

/// Freedoms at the present pose.
pub fn mobility(world: &World) -> Result<Mobility, AnalysisError> {
    let mut m = Mechanism::new(world)?;
    let (rows, conditions) = conditions(&mut m);
    let margin = margin(m.width(), &rows, conditions.rank)?;

    // poses beside this one
    let mut lasting = conditions.freedom();
    let saved = m.probe.save();
    for k in 0..conditions.freedom() {
        for side in [1.0, -1.0] {
            let mut way: Vec<f64> =
                (0..m.width()).map(|i| side * conditions.free[(i, k)]).collect();
            let share = BESIDE / m.size(&way).max(f64::MIN_POSITIVE);
            way.iter_mut().for_each(|x| *x *= share);
            m.probe.shift(&way);
            if m.assemble(1e-9, |_| Vec::new()).is_ok() {
                lasting = lasting.min(self::conditions(&mut m).1.freedom());
            }
            m.probe.restore(&saved);
        }
    }

    let of = |(joint, c): (kreisel_dynamics::JointId, kreisel_dynamics::Coordinate)| {
        let row = m.probe.coordinate(joint, c)?.row;
        let length = row.iter().map(|e| e.1 * e.1).sum::<f64>().sqrt();
        let seen = (0..conditions.freedom()).map(|k| {
            let column: Vec<f64> = (0..m.width()).map(|i| conditions.free[(i, k)]).collect();
            dot(&row, &column).powi(2)
        });
        Some((
            crate::named::path_of(world, joint, c),
            if length > 0.0 { seen.sum::<f64>().sqrt() / length } else { 0.0 },
        ))
    };
    let coordinates = world.coordinates().filter_map(of).collect();
    let mut shared: Vec<(String, usize)> = Vec::new();
    for (k, r) in rows.iter().enumerate() {
        let own = usize::from(!conditions.is_determined(k));
        match shared.iter_mut().find(|s| s.0 == *r.name) {
            Some(s) => s.1 += own,
            None => shared.push((r.name.to_string(), own)),
        }
    }
    Ok(Mobility {
        freedom: conditions.freedom(),
        lasting,
        conditions: rows.len(),
        redundant: conditions.count - conditions.rank,
        margin,
        coordinates,
        shared,
    })
}

fn conditions(m: &mut Mechanism<'_>) -> (Vec<ProbeRow>, Conditions) {
    let rows: Vec<ProbeRow> = m
        .probe
        .rows()
        .into_iter()
        .filter(|r| matches!(r.kind, RowKind::Position | RowKind::Velocity))
        .collect();
    let sparse: Vec<&SparseRow> = rows.iter().map(|r| &r.row).collect();
    let conditions = Conditions::new(m.width(), &sparse);
    (rows, conditions)
}

fn margin(width: usize, rows: &[ProbeRow], rank: usize) -> Result<f64, AnalysisError> {
    if rank == 0 {
        return Ok(1.0);
    }
    let mut matrix = Mat::<f64>::zeros(rows.len(), width);
    for (k, r) in rows.iter().enumerate() {
        let length = r.row.iter().map(|e| e.1 * e.1).sum::<f64>().sqrt();
        for &(c, x) in r.row.iter().filter(|_| length > 0.0) {
            matrix[(k, c)] += x / length;
        }
    }
    let values = matrix.singular_values().map_err(|_| AnalysisError::Eigenvalues)?;
    Ok(values.get(rank - 1).copied().unwrap_or(RANK))
}
