//! What constraints take of a world's freedom: the rank of joints and constraints together, in the
//! present poses.

use super::element::Owner;
use crate::world::World;

/// Remainder of a unit row that counts as zero, as for joints alone.
const RANK: f64 = 1e-9;
/// Above this many rows all rows of constraints count as independent.
const DENSE_ROWS: usize = 1500;

/// Conditions of joints and constraints together.
pub(crate) struct Conditions {
    /// Active constraints that are equations.
    pub constraints: usize,
    /// Their rows.
    pub rows: usize,
    /// Rows of joints.
    pub joint_rows: usize,
    /// Independent rows of joints and constraints; none when there are too many to tell.
    pub rank: Option<usize>,
}

impl World {
    /// Conditions of the world with its constraints; inequalities are no conditions.
    pub(crate) fn conditions(&self) -> Conditions {
        let mut out = Conditions { constraints: 0, rows: 0, joint_rows: 0, rank: None };
        if !self.model.constraints.iter().any(|(_, _, c)| c.desc.active) {
            return out;
        }

        // the multiplier method knows every kind as rows on bodies
        let machine = self.machine_now();
        let equalities = &machine.elements[..machine.equalities];
        for e in equalities {
            match e.owner {
                Owner::Constraint(_) => {
                    (out.constraints, out.rows) = (out.constraints + 1, out.rows + e.rows)
                }
                _ => out.joint_rows += e.rows,
            }
        }
        if out.rows + out.joint_rows > DENSE_ROWS {
            return out;
        }

        // One dense row of length 1 for each condition.
        let width = 6 * machine.bodies.moving.len();
        let mut lines: Vec<Vec<f64>> = Vec::new();
        for e in equalities {
            for i in 0..e.rows {
                let mut line = vec![0.0; width];
                for (k, &body) in e.bodies.iter().enumerate() {
                    let row = &e.block(&machine.rows.b, k)[6 * i..6 * i + 6];
                    line[6 * body as usize..6 * body as usize + 6].copy_from_slice(row);
                }
                let size = norm(&line);
                if size > 0.0 && size.is_finite() {
                    line.iter_mut().for_each(|x| *x /= size);
                    lines.push(line);
                }
            }
        }
        out.rank = Some(rank(lines));
        out
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Number of independent lines: Gram-Schmidt with pivoting, twice for orthogonality.
fn rank(mut lines: Vec<Vec<f64>>) -> usize {
    let mut rank = 0;
    while let Some((at, size)) = lines
        .iter()
        .map(|l| norm(l))
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|m| m.1 >= RANK)
    {
        rank += 1;
        let unit: Vec<f64> = lines.swap_remove(at).into_iter().map(|x| x / size).collect();
        for line in &mut lines {
            for _twice in 0..2 {
                let c: f64 = line.iter().zip(&unit).map(|(a, b)| a * b).sum();
                line.iter_mut().zip(&unit).for_each(|(a, b)| *a -= c * b);
            }
        }
    }
    rank
}
