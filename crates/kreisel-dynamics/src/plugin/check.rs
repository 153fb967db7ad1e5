//! Gradients against differences of the values: what an author gets wrong first.

use super::constraint::{evaluate, size};
use super::{ConstraintLaw, PluginPoint};
use crate::math::Vec3;

/// Way of the differences in shares of the constraint's size: rounding and curvature are both
/// some 1e-10 of the value there.
const WAY: f64 = 1e-5;

/// Largest difference in shares of the largest gradient of the row. Differences are good to 1e-6
/// even where values are a thousand times their change.
const LARGEST: f64 = 1e-4;

/// How far from the given state the check is made, in shares of the size: states in which a
/// constraint is met are often special ones.
const ASIDE: f64 = 0.013;

/// Checks the rows of a law near these connectors at a time: as many as it says, finite, the same
/// twice, and their gradients and rates those of their values. What is wrong is said with row and
/// connector, both counted from 1.
pub fn check_rows(
    law: &dyn ConstraintLaw,
    time: f64,
    points: &[PluginPoint],
) -> Result<(), String> {
    if law.rows() == 0 || law.rows() > 1000 {
        return Err(format!("a constraint has from 1 to 1000 rows, this one {}", law.rows()));
    }
    if points.len() != law.connectors() {
        return Err(format!("it takes {} connectors, here are {}", law.connectors(), points.len()));
    }
    // a little aside, differently for every connector and axis
    let size = size(points);
    let aside = |k: usize, turn: f64| {
        let x = 3.0 * k as f64 + turn;
        Vec3::new((1.0 + x).sin(), (2.3 + 1.7 * x).sin(), (0.4 + 2.9 * x).sin()) * (ASIDE * size)
    };
    for turn in [0.0, 1.0] {
        let near = points.iter().enumerate().map(|(k, p)| PluginPoint {
            position: p.position + aside(k, turn),
            velocity: p.velocity + aside(k, turn + 0.5) * 10.0,
        });
        compare(law, time, &near.collect::<Vec<_>>(), size)?;
    }
    Ok(())
}

/// Compares gradients and rates with differences at one state.
fn compare(
    law: &dyn ConstraintLaw,
    time: f64,
    points: &[PluginPoint],
    size: f64,
) -> Result<(), String> {
    let rows = evaluate(law, time, points)?;
    let finite = |r: &super::PluginRow| {
        r.value.is_finite() && r.rate.is_finite() && r.gradients.iter().all(|g| g.is_finite())
    };
    if let Some(k) = rows.iter().position(|r| !finite(r)) {
        return Err(format!("row {} is not finite", k + 1));
    }
    if evaluate(law, time, points)? != rows {
        return Err("the same state gives other rows the second time: a law has no memory".into());
    }
    let way = WAY * size;
    let steepest: Vec<f64> =
        rows.iter().map(|r| r.gradients.iter().map(|g| g.length()).fold(0.0, f64::max)).collect();

    // each coordinate of each connector
    for (k, axis) in (0..points.len()).flat_map(|k| (0..3).map(move |axis| (k, axis))) {
        let values = |sign: f64| {
            let mut moved = points.to_vec();
            let p = &mut moved[k];
            let v = if law.is_velocity() { &mut p.velocity } else { &mut p.position };
            v[axis] += sign * way;
            evaluate(law, time, &moved)
        };
        let (low, high) = (values(-1.0)?, values(1.0)?);
        for (i, row) in rows.iter().enumerate() {
            let given = row.gradients[k][axis];
            let found = (high[i].value - low[i].value) / (2.0 * way);
            let scale = steepest[i].max(found.abs());
            if (given - found).abs() > LARGEST * scale {
                let (name, k, i) = (["x", "y", "z"][axis], k + 1, i + 1);
                return Err(format!(
                    "the gradient of row {i} by {name} of connector {k} is {given:.6}, differences of its value say {found:.6}"
                ));
            }
        }
    }
    if law.is_velocity() {
        return Ok(());
    }
    // the time
    let (low, high) = (evaluate(law, time - WAY, points)?, evaluate(law, time + WAY, points)?);
    for (i, row) in rows.iter().enumerate() {
        let found = (high[i].value - low[i].value) / (2.0 * WAY);
        let scale = row.rate.abs().max(found.abs()).max(steepest[i] * size);
        if (row.rate - found).abs() > LARGEST * scale {
            return Err(format!(
                "the rate of row {} is {:.6}, differences over time say {found:.6}",
                i + 1,
                row.rate
            ));
        }
    }
    Ok(())
}
