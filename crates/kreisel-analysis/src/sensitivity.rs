//! Sensitivities of an equilibrium: how coordinates and places change with a parameter.
//!
//! At rest r(q, λ, p) = F + Jᵀλ = 0 and C(q, p) = 0. With the tangent stiffness K = −∂r/∂q and the
//! independent directions N of the equilibrium, the theorem of implicit functions gives
//!
//! ```text
//! δq = N y − J⁺ ∂C/∂p δp,      Nᵀ K N y = Nᵀ (∂r/∂p δp + K J⁺ ∂C/∂p δp)
//! dz/dp = ∂z/∂q δq/δp + ∂z/∂p
//! ```
//!
//! one solution with the factor of the equilibrium for each parameter, instead of two more
//! searches. A parameter may change anything but which items there are: ∂r/∂p and ∂C/∂p are
//! differences of worlds that were built for neighbouring values and put into the pose of the
//! equilibrium. Forces are compared as wrenches about the origins of the bodies' frames, so that
//! centres of mass may move.

use crate::conditions::{Conditions, SparseRow, solve};
use crate::equilibrium::{Search, equilibrium};
use crate::error::AnalysisError;
use crate::linearise::{Output, measure, name_output};
use crate::mechanism::{Mechanism, push};
use faer::Mat;
use kreisel_dynamics::{RowKind, Vec3, World};

/// Share of a parameter (or of 1, where it is zero) that differences go to each side.
const STEP: f64 = 1e-3;

/// Derivatives of what is measured at the equilibrium.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Sensitivity {
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Their values at the equilibrium.
    pub values: Vec<f64>,
    /// Derivatives by each parameter, output by output.
    pub derivatives: Vec<Vec<f64>>,
}

/// Everything of a world in a pose that a parameter may change.
struct Sample {
    /// Wrench of the loaded forces on each body about its origin: force, then torque.
    wrenches: Vec<(Vec3, Vec3)>,
    values: Vec<f64>,
    measured: Vec<f64>,
}

/// Sensitivities of the equilibrium of the world that `build` makes of parameters. Inequalities
/// that push are taken to go on pushing.
pub fn sensitivity<E: From<AnalysisError>>(
    mut build: impl FnMut(&[f64]) -> Result<World, E>,
    parameters: &[f64],
    outputs: &[Output],
    search: &Search,
) -> Result<Sensitivity, E> {
    // the equilibrium, its multipliers and its stiffness
    let mut world = build(parameters)?;
    let found = equilibrium(&mut world, search)?;
    if found.unstable + found.neutral > 0 {
        let why = format!("{} directions are neutral or unstable", found.unstable + found.neutral);
        return Err(AnalysisError::refused(
            "the equilibrium",
            why,
            "hold them with a spring or a joint",
        )
        .into());
    }
    let mut m = Mechanism::new(&world)?;
    m.probe.look_for_contacts(0.0);
    let rows = m.probe.rows();
    let touches = |k: usize| match rows[k].kind {
        RowKind::Position | RowKind::Velocity | RowKind::Drive(..) => true,
        RowKind::OneSided | RowKind::Contact(_) => {
            found.pushing.iter().any(|n| **n == *rows[k].name) && rows[k].value < 1e-8
        }
        _ => false,
    };
    let held: Vec<usize> = (0..rows.len()).filter(|&k| touches(k)).collect();
    let conditions = Conditions::new(
        m.width(),
        &held.iter().map(|&k| &rows[k].row).collect::<Vec<&SparseRow>>(),
    );
    let against: Vec<f64> = m.probe.forces().iter().map(|x| -x).collect();
    let loads: Vec<(usize, f64)> =
        held.iter().copied().zip(conditions.multipliers(&against)).collect();
    let stiffness = m.by_pose(|p| Mechanism::loaded(p, &loads));
    let reduced = -(conditions.free.transpose() * &stiffness * &conditions.free);

    let values: Vec<_> = outputs.iter().filter_map(|o| measure(&m.probe, *o)).collect();
    if values.len() != outputs.len() {
        return Err(AnalysisError::Unknown("such output".into()).into());
    }
    let mut out = Sensitivity {
        outputs: outputs.iter().map(|o| name_output(&world, *o)).collect(),
        values: values.iter().map(|v| v.value).collect(),
        derivatives: vec![Vec::new(); outputs.len()],
    };
    let origins: Vec<(Vec3, Vec3)> = world
        .bodies()
        .map(|b| {
            (world.position(b).unwrap_or_default(), world.center_of_mass(b).unwrap_or_default())
        })
        .collect();
    for k in 0..parameters.len() {
        // differences in the pose of the equilibrium
        let h = STEP * if parameters[k] == 0.0 { 1.0 } else { parameters[k].abs() };
        let mut at = |step: f64| -> Result<Sample, E> {
            let mut there = parameters.to_vec();
            there[k] += step * h;
            let mut other = build(&there)?;
            pose_like(&mut other, &world)?;
            Ok(sample(&other, &held, &loads, outputs)?)
        };
        let points = [at(-2.0)?, at(-1.0)?, at(1.0)?, at(2.0)?];
        let slope = |of: &dyn Fn(&Sample) -> f64| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| of(&points[i]));
            (8.0 * (c - b) - (d - a)) / (12.0 * h)
        };

        // the pose follows
        let by_rows: Vec<f64> =
            (0..held.len()).map(|i| -slope(&|s: &Sample| s.values[i])).collect();
        let closing = conditions.shortest(&by_rows);
        let mut force = vec![0.0; m.width()];
        for (b, body) in world.bodies().enumerate() {
            let part = |of: fn(&(Vec3, Vec3)) -> Vec3| {
                Vec3::from_array([0, 1, 2].map(|i| slope(&|s: &Sample| of(&s.wrenches[b])[i])))
            };
            let (push, about) = (part(|w| w.0), part(|w| w.1));
            let torque = about - (origins[b].1 - origins[b].0).cross(push);
            let turn = m.probe.principal(body).unwrap_or_default();
            for (c, &(of, axis, scale)) in m.columns.iter().enumerate().filter(|(_, c)| c.0 == body)
            {
                debug_assert_eq!(of, body);
                force[c] = scale
                    * if axis < 3 { push[axis] } else { (turn * Vec3::AXES[axis - 3]).dot(torque) };
            }
        }
        let moved = &stiffness * Mat::from_fn(m.width(), 1, |i, _| closing[i]);
        let pulled: Vec<f64> = force.iter().enumerate().map(|(i, f)| f + moved[(i, 0)]).collect();
        let along = conditions.along(&pulled);
        let wanted = Mat::from_fn(along.len(), 1, |i, _| along[i]);
        let singular = || AnalysisError::Singular("the stiffness", "a direction has none".into());
        let y = if along.is_empty() {
            wanted
        } else {
            solve(&reduced, &wanted).ok_or_else(singular)?
        };
        let free = conditions.spread(&(0..along.len()).map(|i| y[(i, 0)]).collect::<Vec<_>>());
        let way: Vec<f64> = free.iter().zip(&closing).map(|(a, b)| a + b).collect();
        for (i, value) in values.iter().enumerate() {
            let direct = slope(&|s: &Sample| s.measured[i]);
            out.derivatives[i].push(direct + crate::mechanism::dot(&value.row, &way));
        }
    }
    Ok(out)
}

/// Puts a world into the pose of another one with the same bodies, at rest.
pub(crate) fn pose_like(world: &mut World, like: &World) -> Result<(), AnalysisError> {
    let different = || {
        AnalysisError::refused(
            "the parameter",
            "it changes which items there are",
            "choose another one",
        )
    };
    if !world.bodies().eq(like.bodies()) {
        return Err(different());
    }
    for id in like.bodies() {
        let (Some(position), Some(rotation)) = (like.position(id), like.rotation(id)) else {
            return Err(different());
        };
        world.set_pose(id, position, rotation).map_err(|_| different())?;
        let moves = world.body(id).is_some_and(|b| b.kind == kreisel_dynamics::BodyKind::Dynamic);
        if moves {
            world.set_velocity(id, Vec3::ZERO, Vec3::ZERO).map_err(|_| different())?;
        }
    }
    Ok(())
}

fn sample(
    world: &World,
    held: &[usize],
    loads: &[(usize, f64)],
    outputs: &[Output],
) -> Result<Sample, AnalysisError> {
    let mut m = Mechanism::new(world)?;
    m.probe.look_for_contacts(0.0);
    let rows = m.probe.rows();
    let different = || {
        AnalysisError::refused(
            "the parameter",
            "it changes which items there are",
            "choose another one",
        )
    };
    if held.iter().any(|&k| k >= rows.len()) {
        return Err(different());
    }
    let mut force = m.probe.forces();
    for &(k, x) in loads {
        push(&mut force, rows[k].force.as_ref().unwrap_or(&rows[k].row), x);
    }

    // scaled columns as wrenches about the origins of the frames
    let mut wrenches = Vec::new();
    for body in world.bodies() {
        let turn = m.probe.principal(body).unwrap_or_default();
        let (mut push, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        for (f, &(_, axis, scale)) in force.iter().zip(&m.columns).filter(|(_, c)| c.0 == body) {
            if axis < 3 {
                push[axis] += f / scale;
            } else {
                torque += turn * Vec3::AXES[axis - 3] * (f / scale);
            }
        }
        let arm = world.center_of_mass(body).unwrap_or_default()
            - world.position(body).unwrap_or_default();
        wrenches.push((push, torque + arm.cross(push)));
    }
    let measured: Vec<f64> =
        outputs.iter().filter_map(|o| measure(&m.probe, *o)).map(|v| v.value).collect();
    if measured.len() != outputs.len() {
        return Err(different());
    }
    Ok(Sample { wrenches, values: held.iter().map(|&k| rows[k].value).collect(), measured })
}
