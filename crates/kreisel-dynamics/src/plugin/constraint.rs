//! Rows that are written outside: values, gradients, and what the methods need besides.
//!
//! With C(x, t) of the positions x of the connectors, gradients g = ∂C/∂x and rate r = ∂C/∂t:
//!
//! * C' = r + Σ g·x'
//! * C'' without accelerations of bodies = Σ g·(ω × (ω × arm)) + d/ds [r + Σ g·x'] along x + s x'
//!
//! The last term, which the multiplier method alone needs, is a central difference over a way of
//! 1e-5 of the size of the constraint: good to some 1e-10 of it. Of constraints of velocities
//! C(x, x', t) the gradients are ∂C/∂x', and the bias is the difference of C along the motion.

use super::{Plugin, PluginPoint, PluginState};
use crate::constraint::second::Jet;
use crate::lagrange::{Point, PointRow};
use crate::math::Vec3;

/// Way of the differences in shares of the constraint's size.
const WAY: f64 = 1e-5;
/// Smallest size, m.
const SMALLEST: f64 = 1e-6;

/// One row at a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PluginRow {
    /// C, which is to be zero (or, one-sided, at least zero).
    pub value: f64,
    /// ∂C/∂x of every connector; of a constraint of velocities ∂C/∂x'.
    pub gradients: Vec<Vec3>,
    /// ∂C/∂t; not used for constraints of velocities.
    pub rate: f64,
}

/// A constraint: rows in the places of connectors and the time.
pub trait ConstraintLaw: Send + Sync + 'static {
    /// How many connectors it takes.
    fn connectors(&self) -> usize;

    /// How many rows it has: always the same.
    fn rows(&self) -> usize;

    /// Whether velocities are constrained, not places.
    fn is_velocity(&self) -> bool {
        false
    }

    /// Fills in the rows at a state. They come with zeros and as many gradients as there are
    /// connectors.
    fn evaluate(&self, now: &PluginState<'_>, rows: &mut [PluginRow]) -> Result<(), String>;
}

/// Rows with room for their gradients.
pub(super) fn blank(rows: usize, points: usize) -> Vec<PluginRow> {
    vec![PluginRow { gradients: vec![Vec3::ZERO; points], ..PluginRow::default() }; rows]
}

/// The rows of a law at a state; an answer of another length is none.
pub(super) fn evaluate<L: ConstraintLaw + ?Sized>(
    law: &L,
    time: f64,
    points: &[PluginPoint],
) -> Result<Vec<PluginRow>, String> {
    let mut rows = blank(law.rows(), points.len());
    law.evaluate(&PluginState { time, points }, &mut rows)?;
    if let Some(k) = rows.iter().position(|r| r.gradients.len() != points.len()) {
        let (found, wanted) = (rows[k].gradients.len(), points.len());
        return Err(format!("row {} has {found} gradients for {wanted} connectors", k + 1));
    }
    Ok(rows)
}

/// How large a constraint is, m: as far as its connectors are apart.
pub(super) fn size(points: &[PluginPoint]) -> f64 {
    let first = points.first().map(|p| p.position).unwrap_or_default();
    points.iter().map(|p| p.position.distance(first)).fold(SMALLEST, f64::max)
}

/// The rows for the methods. A law that fails gives rows without values, which are left out of the
/// step; the step is then given up.
pub(crate) fn rows(plugin: &Plugin<dyn ConstraintLaw>, p: &[Point], t: f64) -> Vec<PointRow> {
    let count = plugin.law().map_or(1, ConstraintLaw::rows);
    let found = plugin.ask(|law| of(law, p, t));
    let none = || PointRow {
        c: Jet { x: f64::NAN, d: f64::NAN, dd: f64::NAN },
        gradients: vec![Vec3::ZERO; p.len()],
    };
    found.unwrap_or_else(|| (0..count).map(|_| none()).collect())
}

fn of(law: &dyn ConstraintLaw, p: &[Point], t: f64) -> Result<Vec<PointRow>, String> {
    // the connectors, and the same `s` seconds later along their present motion
    let now: Vec<PluginPoint> =
        p.iter().map(|q| PluginPoint { position: q.jet.x, velocity: q.jet.d }).collect();
    let after = |s: f64| -> Vec<PluginPoint> {
        let one = |q: &Point| PluginPoint {
            position: q.jet.x + q.jet.d * s,
            velocity: if law.is_velocity() { q.jet.d + q.jet.dd * s } else { q.jet.d },
        };
        p.iter().map(one).collect()
    };
    let fastest = now.iter().map(|q| q.velocity.length()).fold(0.0, f64::max);
    let size = size(&now);
    let s = WAY * size / fastest.max(size);

    let here = evaluate(law, t, &now)?;
    let (back, ahead) = (evaluate(law, t - s, &after(-s))?, evaluate(law, t + s, &after(s))?);
    let speed = |row: &PluginRow| {
        let along = row.gradients.iter().zip(p).map(|(g, q)| g.dot(q.jet.d));
        row.rate + along.sum::<f64>()
    };
    let one = |(k, row): (usize, PluginRow)| {
        let [before, then] = [&back[k], &ahead[k]];
        let c = if law.is_velocity() {
            Jet { x: row.value, d: (then.value - before.value) / (2.0 * s), dd: 0.0 }
        } else {
            let turning: f64 = row.gradients.iter().zip(p).map(|(g, q)| g.dot(q.jet.dd)).sum();
            let change = (speed(then) - speed(before)) / (2.0 * s);
            Jet { x: row.value, d: speed(&row), dd: turning + change }
        };
        PointRow { c, gradients: row.gradients }
    };
    Ok(here.into_iter().enumerate().map(one).collect())
}

impl Plugin<dyn ConstraintLaw> {
    /// Number of rows; one as long as it is not known.
    pub(crate) fn rows(&self) -> usize {
        self.law().map_or(1, ConstraintLaw::rows)
    }

    /// Whether velocities are constrained.
    pub(crate) fn is_velocity(&self) -> bool {
        self.law().is_some_and(ConstraintLaw::is_velocity)
    }
}
