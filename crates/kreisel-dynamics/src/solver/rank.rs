//! Rank of a system's rows and the names of the redundant ones (B-47).
//!
//! Modified Gram-Schmidt with full pivoting, twice for orthogonality, on the scaled rows brought to
//! length 1: the rows kept form a basis, a row whose remainder is below [`RANK`] is implied by
//! them. For each implied row the coefficients in the kept rows tell which joints already fix it.
//! Dense, O(rows² · bodies): for build time and questions, and only where joints close loops or
//! double each other (otherwise the rank is full by structure).

use crate::system::{NONE, System};

/// Remainder of a unit row that counts as zero. Null rows of the mechanisms tried are below 1e-14,
/// true ones above 1e-7 at mass ratio 1e6.
const RANK: f64 = 1e-9;

/// Above this many rows the factor's own count of dropped rows is reported instead.
const DENSE_ROWS: usize = 1500;

/// Coefficients below this share do not count as "implied by".
const SHARE: f64 = 1e-6;

pub(crate) struct Rank {
    pub rows: usize,
    pub redundant: Vec<RedundantRow>,
}

pub(crate) struct RedundantRow {
    /// Index of the joint in its system.
    pub joint: u32,
    pub row: &'static str,
    /// Joints of the system that imply it, ascending.
    pub implied_by: Vec<u32>,
}

/// One row of the dense matrix.
struct Line {
    node: usize,
    row: usize,
    /// Nonzero only on the node's bodies; kept dense.
    rest: Vec<f64>,
    /// Coefficients on the basis so far.
    on_basis: Vec<f64>,
}

/// Rank of the system's joint rows in the present poses. Rows must be fresh.
pub(crate) fn rank(system: &System) -> Rank {
    let hard: usize = system.nodes.iter().map(|n| usize::from(n.hard)).sum();
    if !(system.loops > 0 || system.parallel) {
        return Rank { rows: hard, redundant: Vec::new() };
    }
    if hard > DENSE_ROWS {
        return Rank { rows: hard, redundant: dropped(system) };
    }
    let mut lines = lines(system);
    // the kept rows in terms of the basis: lower triangular
    let mut kept: Vec<(usize, Vec<f64>)> = Vec::new();
    let mut left: Vec<usize> = (0..lines.len()).collect();
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    while let Some((place, size)) = left
        .iter()
        .enumerate()
        .map(|(p, &i)| (p, norm(&lines[i].rest)))
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    {
        if size < RANK {
            break;
        }
        let pivot = left.remove(place);
        let unit: Vec<f64> = lines[pivot].rest.iter().map(|x| x / size).collect();
        let mut coefficients = lines[pivot].on_basis.clone();
        coefficients.push(size);
        kept.push((pivot, coefficients));
        for &i in &left {
            let mut sum = 0.0;
            for _twice in 0..2 {
                let c: f64 = lines[i].rest.iter().zip(&unit).map(|(a, b)| a * b).sum();
                for (a, b) in lines[i].rest.iter_mut().zip(&unit) {
                    *a -= c * b;
                }
                sum += c;
            }
            lines[i].on_basis.push(sum);
        }
    }
    let redundant = left
        .into_iter()
        .map(|i| {
            // row = Σ y_k kept_k: back substitution from the last basis vector
            let mut c = lines[i].on_basis.clone();
            let mut joints = Vec::new();
            for (k, (line, coefficients)) in kept.iter().enumerate().rev() {
                let y = c[k] / coefficients[k];
                for (a, b) in c.iter_mut().zip(coefficients) {
                    *a -= y * b;
                }
                if y.abs() > SHARE {
                    joints.push(system.nodes[lines[*line].node].joint);
                }
            }
            joints.sort_unstable();
            joints.dedup();
            let node = &system.nodes[lines[i].node];
            joints.retain(|&j| j != node.joint);
            RedundantRow {
                joint: node.joint,
                row: node.parts.row_name(lines[i].row),
                implied_by: joints,
            }
        })
        .collect();
    Rank { rows: hard, redundant }
}

/// The scaled rows as unit vectors over all bodies.
fn lines(system: &System) -> Vec<Line> {
    let width = 6 * system.slots.len();
    let mut lines = Vec::new();
    for (k, node) in system.nodes.iter().enumerate() {
        for row in 0..usize::from(node.hard) {
            let mut rest = vec![0.0; width];
            for s in (0..2).filter(|&s| node.side[s] != NONE) {
                let start = 6 * node.bodies[s] as usize;
                rest[start..start + 6]
                    .copy_from_slice(&system.b[node.side[s] as usize + 6 * row..][..6]);
            }
            for side in system.guides.get(node.guide as usize).iter().flat_map(|g| &g.sides) {
                let start = 6 * side.body as usize;
                rest[start..start + 6]
                    .copy_from_slice(&system.b[side.start as usize + 6 * row..][..6]);
            }
            let size = rest.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size > 0.0 {
                rest.iter_mut().for_each(|x| *x /= size);
            }
            lines.push(Line { node: k, row, rest, on_basis: Vec::new() });
        }
    }
    lines
}

/// The rows that the last factorisation dropped.
fn dropped(system: &System) -> Vec<RedundantRow> {
    let mut list = Vec::new();
    for (k, node) in system.nodes.iter().enumerate().filter(|(_, n)| n.joint != NONE) {
        let (f, inverse) = (usize::from(node.rows), system.factor.inverse_block(k));
        for row in (0..usize::from(node.hard)).filter(|r| inverse[r * f + r] == 0.0) {
            list.push(RedundantRow {
                joint: node.joint,
                row: node.parts.row_name(row),
                implied_by: Vec::new(),
            });
        }
    }
    list
}
