//! A world as an analysis sees it: rows sorted by how they are held, derivatives of forces, poses
//! that meet all conditions.

use crate::conditions::{Conditions, SparseRow};
use crate::error::AnalysisError;
use faer::Mat;
use kreisel_dynamics::{BodyId, Measured, Probe, ProbeRow, RowKind, World};

/// Way (m per metre of the world's own measure) and turn (rad) of the differences: the error of the
/// five-point rule is a thirtieth of its fourth power, 5e-13, and rounding adds 1e-13.
const STEP: f64 = 2e-3;
/// Rounds of Newton's method for poses.
const MOST_ROUNDS: usize = 100;
/// Largest turn in a round, rad: rows are nearly linear up to here.
const MOST_TURN: f64 = 0.3;

/// A world with what all analyses need.
pub struct Mechanism<'a> {
    /// The world at trial states.
    pub probe: Probe<'a>,
    /// Body, axis and 1/√m or 1/√I by column.
    pub columns: Vec<(BodyId, usize, f64)>,
    /// The world's own measure, m: differences and steps of poses are shares of it.
    pub measure: f64,
}

impl<'a> Mechanism<'a> {
    /// The world at its present state.
    pub fn new(world: &'a World) -> Result<Self, AnalysisError> {
        let probe = world.probe();
        let columns: Vec<_> = probe.columns().collect();
        if columns.is_empty() {
            return Err(AnalysisError::Empty);
        }
        Ok(Self { measure: measure(world), probe, columns })
    }

    /// Number of scaled columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Name of the body that a column moves.
    pub fn body_of(&self, column: usize) -> String {
        self.probe
            .world()
            .body_name(self.columns[column].0)
            .map_or_else(String::new, |n| n.to_string())
    }

    /// Largest way (in the world's measure) or turn of a scaled displacement.
    pub fn size(&self, change: &[f64]) -> f64 {
        largest(change.iter().enumerate().map(|(k, x)| x / self.unit(k)))
    }

    /// Scaled length of a unit of the measure or of a radian along a column.
    pub fn unit(&self, column: usize) -> f64 {
        let (_, axis, scale) = self.columns[column];
        if axis < 3 { self.measure / scale } else { 1.0 / scale }
    }

    /// Length of a difference along a column, scaled.
    fn step(&self, column: usize) -> f64 {
        STEP * self.unit(column)
    }

    /// Derivatives by the poses of whatever is computed at a trial state, at constant scaled
    /// velocities: one column each.
    pub fn by_pose(&mut self, mut of: impl FnMut(&mut Probe<'a>) -> Vec<f64>) -> Mat<f64> {
        let saved = self.probe.save();
        let v = self.probe.velocities();
        let moves = v.iter().any(|v| *v != 0.0);
        let at: Vec<f64> = (0..self.width()).map(|k| self.step(k)).collect();
        let probe = &mut self.probe;
        five_points(&at, |column, step| {
            probe.nudge(column, step);
            // a body that turns takes its angular velocity along
            if moves {
                probe.set_velocities(&v);
            }
            let found = of(probe);
            probe.restore(&saved);
            found
        })
    }

    /// Derivatives by the scaled velocities.
    pub fn by_velocity(&mut self, mut of: impl FnMut(&mut Probe<'a>) -> Vec<f64>) -> Mat<f64> {
        let saved = self.probe.save();
        let v = self.probe.velocities();
        let at: Vec<f64> = (0..self.width()).map(|k| self.step(k)).collect();
        let probe = &mut self.probe;
        five_points(&at, |column, step| {
            let mut there = v.clone();
            there[column] += step;
            probe.set_velocities(&there);
            let found = of(probe);
            probe.restore(&saved);
            found
        })
    }

    /// Puts bodies at the nearest poses (in the metric of the masses) that meet all conditions on
    /// poses, and `targets` on top; returns the rounds that it took.
    pub fn assemble(
        &mut self,
        tolerance: f64,
        mut targets: impl FnMut(&mut Probe<'a>) -> Vec<Measured>,
    ) -> Result<usize, AnalysisError> {
        let mut last = f64::INFINITY;
        let mut worst = (String::new(), 0.0);
        for round in 0..MOST_ROUNDS {
            let rows = self.probe.rows();
            let mut list: Vec<(&str, f64, &SparseRow)> = Vec::new();
            for r in rows.iter().filter(|r| r.kind == RowKind::Position) {
                list.push((&r.name, r.value, &r.row));
            }
            let wanted = targets(&mut self.probe);
            list.extend(wanted.iter().map(|m| ("the target", m.value, &m.row)));
            let error = largest(list.iter().map(|r| r.1));
            worst =
                list.iter().find(|r| r.1.abs() == error).map_or(worst, |r| (r.0.to_owned(), error));

            // the last rounds go on as long as they help
            if error <= tolerance && !(error < 0.5 * last && error > 0.0) {
                return Ok(round);
            }
            last = error;
            let sparse: Vec<&SparseRow> = list.iter().map(|r| r.2).collect();
            let conditions = Conditions::new(self.width(), &sparse);
            let demand: Vec<f64> = list.iter().map(|r| -r.1).collect();
            let mut change = conditions.shortest(&demand);
            let share = (MOST_TURN / self.size(&change).max(f64::MIN_POSITIVE)).min(1.0);
            change.iter_mut().for_each(|x| *x *= share);
            if !change.iter().all(|x| x.is_finite()) {
                break;
            }
            self.probe.shift(&change);
            self.probe.count_turns();
        }
        Err(AnalysisError::NotAssembled {
            worst: worst.0,
            error: worst.1,
            iterations: MOST_ROUNDS,
            help: "begin nearer, or look for dimensions that contradict each other".into(),
        })
    }

    /// Changes velocities as little as possible (in the metric of the masses) so that all
    /// conditions on velocities are met.
    pub fn assemble_velocities(&mut self) {
        let rows = self.probe.rows();
        let held: Vec<&ProbeRow> = rows.iter().filter(|r| r.is_equality()).collect();
        let conditions =
            Conditions::new(self.width(), &held.iter().map(|r| &r.row).collect::<Vec<_>>());
        let change = conditions.shortest(&held.iter().map(|r| -r.rate).collect::<Vec<_>>());
        let v: Vec<f64> = self.probe.velocities().iter().zip(&change).map(|(v, d)| v + d).collect();
        self.probe.set_velocities(&v);
    }

    /// Forces at the trial state plus those of rows with these multipliers.
    pub fn loaded(probe: &mut Probe<'_>, multipliers: &[(usize, f64)]) -> Vec<f64> {
        let mut f = probe.forces();
        if !multipliers.is_empty() {
            let rows = probe.rows();
            for &(row, lambda) in multipliers {
                push(&mut f, rows[row].force.as_ref().unwrap_or(&rows[row].row), lambda);
            }
        }
        f
    }

    /// Mass matrix in scaled coordinates: the unit matrix and the rotors on joints.
    pub fn mass(&self) -> Mat<f64> {
        let mut m = Mat::identity(self.width(), self.width());
        for (inertia, rotor) in self.probe.rotors() {
            for &(i, a) in &rotor.row {
                for &(j, b) in &rotor.row {
                    m[(i, j)] += inertia * a * b;
                }
            }
        }
        m
    }
}

/// Largest size in a list; NaN if there is one, so that it is seen.
pub(crate) fn largest(list: impl Iterator<Item = f64>) -> f64 {
    list.fold(
        0.0,
        |most: f64, x| if x.is_nan() || most.is_nan() { f64::NAN } else { most.max(x.abs()) },
    )
}

/// Adds a multiple of a row.
pub(crate) fn push(out: &mut [f64], row: &SparseRow, by: f64) {
    for &(c, x) in row {
        out[c] += by * x;
    }
}

/// A row times a vector.
pub(crate) fn dot(row: &SparseRow, x: &[f64]) -> f64 {
    row.iter().map(|&(c, a)| a * x[c]).sum()
}

/// Derivatives by a rule of five points, exact for polynomials of degree four.
fn five_points(steps: &[f64], mut at: impl FnMut(usize, f64) -> Vec<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(0, 0);
    for (column, &h) in steps.iter().enumerate() {
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| at(column, k * h));
        if column == 0 {
            out = Mat::zeros(a.len(), steps.len());
        }
        for i in 0..a.len() {
            out[(i, column)] = (8.0 * (c[i] - b[i]) - (d[i] - a[i])) / (12.0 * h);
        }
    }
    out
}

/// Extent of the world, or the length of its shortest spring; at most 1 m, which is also the
/// measure of a single body.
fn measure(world: &World) -> f64 {
    let places: Vec<_> = world.bodies().filter_map(|b| world.center_of_mass(b)).collect();
    let middle =
        places.iter().copied().sum::<kreisel_dynamics::Vec3>() / places.len().max(1) as f64;
    let extent = places.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
    let springs = world.springs().filter_map(|s| world.spring_length(s)).filter(|l| *l > 1e-6);
    let shortest = springs.fold(f64::INFINITY, f64::min);
    let wide = if extent > 0.0 { extent } else { 1.0 };
    shortest.min(wide).clamp(1e-6, 1.0)
}
