//! Inverse kinematics: poses that meet joints, limits and targets at once.
//!
//! A round solves the joints' rows and the targets' rows together for the shortest displacement in
//! the metric of the masses (a pseudo-inverse): what the targets leave free moves least. Limits and
//! inequalities that a round would break are held for the next rounds where they push back, and let
//! go where they do not. Targets out of reach end nearest to them in the least squares if `nearest`
//! is set, else they are refused with the distance that is left.

use crate::conditions::{Conditions, SparseRow};
use crate::error::AnalysisError;
use crate::mechanism::Mechanism;
use kreisel_dynamics::{
    BodyId, Coordinate, JointId, Mat3, Measured, Probe, Quat, RowKind, Vec3, World,
};

/// Rounds at most.
const MOST_ROUNDS: usize = 200;
/// Largest step of a round, in turns (rad) or the world's extent.
const MOST_STEP: f64 = 0.3;

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// A point of a body (in its frame) at a place of the world.
    Point(BodyId, Vec3, Vec3),
    /// A body's frame turned to this rotation.
    Rotation(BodyId, Quat),
    /// A coordinate of a joint at a value.
    Coordinate(JointId, Coordinate, f64),
}

/// A pose that meets the goals.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Reached {
    /// Rounds that it took.
    pub rounds: usize,
    /// Largest error of a goal, m or rad.
    pub goals: f64,
    /// Largest error of a joint or constraint, m or rad.
    pub joints: f64,
    /// Freedoms that the goals leave.
    pub free: usize,
    /// Limits and inequalities that are reached.
    pub limits: Vec<String>,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Largest error of a joint and of a goal, m or rad.
    pub tolerance: f64,
    /// Where goals are out of reach, the nearest pose counts.
    pub nearest: bool,
}

impl Default for Reach {
    fn default() -> Self {
        Self { tolerance: 1e-10, nearest: false }
    }
}

/// Puts a world into the nearest pose that meets joints, limits and goals; at rest.
pub fn inverse_kinematics(
    world: &mut World,
    goals: &[Goal],
    reach: &Reach,
) -> Result<Reached, AnalysisError> {
    let (saved, found) = {
        let mut m = Mechanism::new(world)?;
        let zero = vec![0.0; m.width()];
        m.probe.set_velocities(&zero);
        let found = search(&mut m, goals, reach)?;
        (m.probe.save(), found)
    };
    place(world, &saved);
    Ok(found)
}

/// Puts a world into the nearest pose that meets its joints and constraints, and gives it
/// velocities that they allow.
pub fn assemble(world: &mut World, tolerance: f64) -> Result<Reached, AnalysisError> {
    let (saved, found) = {
        let mut m = Mechanism::new(world)?;
        let found = search(&mut m, &[], &Reach { tolerance, nearest: false })?;
        m.assemble_velocities();
        (m.probe.save(), found)
    };
    place(world, &saved);
    Ok(found)
}

/// Puts a world into a saved trial state.
pub(crate) fn place(world: &mut World, saved: &(Vec<f64>, Vec<f64>)) {
    let mut twin = world.clone();
    let mut probe = world.probe();
    probe.restore(saved);
    probe.write_to(&mut twin);
    *world = twin;
}

fn search(m: &mut Mechanism<'_>, goals: &[Goal], reach: &Reach) -> Result<Reached, AnalysisError> {
    let mut at_limits: Vec<usize> = Vec::new();
    let mut best = f64::INFINITY;
    let mut worst = String::new();
    let mut errors = (f64::INFINITY, f64::INFINITY);
    let mut stalled = 0;
    for rounds in 0..MOST_ROUNDS {
        let rows = m.probe.rows();
        let wanted = goals_at(&m.probe, goals)?;
        let joints: Vec<usize> =
            (0..rows.len()).filter(|&k| rows[k].kind == RowKind::Position).collect();
        let broken =
            |k: &usize| rows[*k].kind == RowKind::OneSided && rows[*k].value < -reach.tolerance;
        at_limits.extend(
            (0..rows.len()).filter(broken).filter(|k| !at_limits.contains(k)).collect::<Vec<_>>(),
        );

        // how far everything is
        let largest = |list: &mut dyn Iterator<Item = f64>| list.map(f64::abs).fold(0.0, f64::max);
        let joint_error = largest(&mut joints.iter().map(|&k| rows[k].value));
        let limit_error = largest(&mut at_limits.iter().map(|&k| rows[k].value.min(0.0)));
        let goal_error = largest(&mut wanted.iter().map(|w| w.value));
        errors = (joint_error.max(limit_error), goal_error);
        let error = joint_error.max(limit_error).max(goal_error);
        let most = joints.iter().chain(&at_limits).find(|&&k| rows[k].value.abs() == error);
        worst = most.map_or_else(|| "the goal".into(), |&k| rows[k].name.to_string());

        // limits that would pull are let go
        let held: Vec<usize> = joints.iter().chain(&at_limits).copied().collect();
        let mut sparse: Vec<&SparseRow> = held.iter().map(|&k| &rows[k].row).collect();
        sparse.extend(wanted.iter().map(|w| &w.row));
        let demand: Vec<f64> =
            held.iter().map(|&k| -rows[k].value).chain(wanted.iter().map(|w| -w.value)).collect();
        let conditions = Conditions::new(m.width(), &sparse);
        let mut step = conditions.shortest(&demand);
        let push = conditions.multipliers(&step);
        let before = at_limits.len();
        let pulling: Vec<usize> = (joints.len()..held.len())
            .filter(|&i| push[i] < 0.0 && rows[held[i]].value > -reach.tolerance)
            .map(|i| held[i])
            .collect();
        at_limits.retain(|k| !pulling.contains(k));
        let free = conditions.freedom();

        // there, or as near as it goes
        stalled = if error < 0.9 * best { 0 } else { stalled + 1 };
        let there = error <= reach.tolerance && (stalled > 0 || error == 0.0);
        let nearest = reach.nearest
            && m.size(&step) < 1e-9
            && joint_error.max(limit_error) <= reach.tolerance;
        if there || nearest {
            let limits = at_limits.iter().map(|&k| rows[k].name.to_string()).collect();
            return Ok(Reached { rounds, goals: goal_error, joints: joint_error, free, limits });
        }
        best = best.min(error);
        if stalled > 60 && at_limits.len() == before {
            break;
        }
        let share = (MOST_STEP / m.size(&step).max(f64::MIN_POSITIVE)).min(1.0);
        step.iter_mut().for_each(|x| *x *= share);
        m.probe.shift(&step);
        m.probe.count_turns();
    }
    let (error, help) = if errors.0 <= reach.tolerance {
        (errors.1, "the goal is out of reach: bring it nearer, or ask for the nearest pose")
    } else {
        (
            errors.0.max(errors.1),
            "begin nearer to the goal, or look for goals and joints that contradict each other",
        )
    };
    Err(AnalysisError::NotAssembled { worst, error, iterations: MOST_ROUNDS, help: help.into() })
}

/// Errors of the goals with their rows.
fn goals_at(probe: &Probe<'_>, goals: &[Goal]) -> Result<Vec<Measured>, AnalysisError> {
    let mut out = Vec::new();
    for goal in goals {
        match *goal {
            Goal::Point(body, local, place) => {
                let rows = probe
                    .point(body, local)
                    .ok_or_else(|| AnalysisError::Unknown("such body".into()))?;
                let place = place.to_array();
                out.extend(
                    rows.into_iter().zip(place).map(|(m, p)| Measured { value: m.value - p, ..m }),
                );
            }
            Goal::Rotation(body, wanted) => {
                let (now, rows) = probe
                    .rotation(body)
                    .ok_or_else(|| AnalysisError::Unknown("such body".into()))?;
                // the turn that is left, about the axes of the world
                let left = now * Mat3::from_quat(wanted.normalize()).transpose();
                let turn = Quat::from_mat3(&left).to_scaled_axis().to_array();
                out.extend(rows.into_iter().zip(turn).map(|(m, x)| Measured { value: x, ..m }));
            }
            Goal::Coordinate(joint, c, value) => {
                let m = probe
                    .coordinate(joint, c)
                    .ok_or_else(|| AnalysisError::Unknown("such coordinate".into()))?;
                out.push(Measured { value: m.value - value, ..m });
            }
        }
    }
    Ok(out)
}
