//! Static equilibrium: poses in which forces, joints, limits and contacts balance.
//!
//! Wanted are poses q with C(q) = 0, D(q) ≥ 0 and Nᵀ(F + Dᵀµ) = 0, µ ≥ 0, µᵀD = 0, where N spans
//! what the conditions allow ([`crate::conditions`]). One round is a step of sequential quadratic
//! programming (Nocedal and Wright 2006, 18.1):
//!
//! 1. The shortest displacement p closes the joints.
//! 2. K = −∂(F + Jᵀλ)/∂q is the tangent stiffness, the geometric stiffness of the multipliers
//!    included, and Nᵀ K N that of the independent coordinates.
//! 3. Its eigenvalues are made positive, so that every step goes with the forces: the search ends
//!    in a *stable* equilibrium (a pendulum never rests on its head), unless `any` is set, where
//!    the plain Newton step finds the nearest one.
//! 4. µ from the dual problem of the inequalities that are near ([`crate::quadratic`]).
//! 5. The step is halved until the forces work along it (trapezium of both ends).
//!
//! | letter | meaning |
//! |---|---|
//! | C, J | equations and their Jacobian |
//! | D | gaps of limits, inequalities and contacts |
//! | λ, µ | their multipliers |
//! | N | independent directions |
//!
//! Springs, joints' springs, servos, controllers, fields and gravity are taken at the world's time
//! with all velocities zero. Velocity motors and conditions on velocities hold; a motor that wants
//! a rate, or is pushed beyond its effort, has no equilibrium and is named. Dry friction is left
//! out (what rests without rests with it) or sticks where it is. A direction that no force and no
//! stiffness cares about is neutral: it stays, and is counted.

use crate::conditions::{Conditions, SparseRow};
use crate::error::AnalysisError;
use crate::mechanism::{Mechanism, dot, largest, push};
use crate::obstacles::{self, DryFriction};
use crate::quadratic;
use crate::reactions::{self, Reaction};
use crate::stiffness::{Curvature, MOST_STEP, curvature, symmetric};
use faer::Mat;
use kreisel_dynamics::{Control, ProbeRow, RowKind, World};

/// Rounds at most.
const MOST_ROUNDS: usize = 300;
/// Stiffness below this share of the largest is none.
const NEUTRAL: f64 = 1e-9;
/// Force below this share of the largest is none.
const BALANCED: f64 = 1e-9;
/// Largest rate of a condition while all bodies stand still, m/s or rad/s.
const RESTING: f64 = 1e-9;
/// What a step may open joints by without a shorter one after it.
const OPEN: f64 = 0.01;
/// Unstable equilibria that are left on the way.
const MOST_RIDGES: usize = 20;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Accept the nearest equilibrium, stable or not.
    pub any: bool,
    /// What dry friction does; [`DryFriction::Refuse`] counts as left out, with a note.
    pub friction: DryFriction,
    /// Largest last step, in turns (rad) or the world's measure.
    pub tolerance: f64,
}

impl Default for Search {
    fn default() -> Self {
        Self { any: false, friction: DryFriction::Without, tolerance: 1e-12 }
    }
}

/// A pose at rest.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Equilibrium {
    /// Rounds that it took.
    pub rounds: usize,
    /// Largest step of the last round, in turns (rad) or the world's measure.
    pub last_step: f64,
    /// Force that is left over, as a share of all forces.
    pub residual: f64,
    /// Largest error of a joint or constraint, m or rad.
    pub error: f64,
    /// Independent coordinates.
    pub freedom: usize,
    /// Conditions that others imply.
    pub redundant: usize,
    /// Of the independent coordinates: directions without stiffness.
    pub neutral: usize,
    /// Directions in which it falls over.
    pub unstable: usize,
    /// Limits, inequalities and contacts that push.
    pub pushing: Vec<String>,
    /// Forces and torques of joints, constraints and contacts.
    pub reactions: Vec<Reaction>,
    /// What was taken otherwise than a step takes it.
    pub notes: Vec<String>,
}

/// What a round works with.
struct Round {
    rows: Vec<ProbeRow>,
    held: Vec<usize>,
    near: Vec<usize>,
    conditions: Conditions,
}

/// Finds an equilibrium from the world's present poses and puts the world there, at rest.
pub fn equilibrium(world: &mut World, search: &Search) -> Result<Equilibrium, AnalysisError> {
    obstacles::refuse_sampled(world)?;
    obstacles::refuse_integrals(world)?;
    refuse_driven(world)?;
    let (saved, found) = {
        let mut m = Mechanism::new(world)?;
        let zero = vec![0.0; m.width()];
        m.probe.set_velocities(&zero);
        let found = settle(&mut m, search)?;
        (m.probe.save(), found)
    };
    crate::inverse_kinematics::place(world, &saved);
    Ok(found)
}

/// Motors that want a rate have no rest; an integral part has no rest but at its target.
fn refuse_driven(world: &World) -> Result<(), AnalysisError> {
    for id in world.motors() {
        let (Some(motor), Some(name)) = (world.motor(id), world.motor_name(id)) else { continue };
        match &motor.control {
            Control::Velocity(rate) | Control::Hydraulic { valve: rate, .. }
                if rate.at(world.time()) != 0.0 =>
            {
                return Err(AnalysisError::refused(
                    &*name,
                    "it wants a rate that is not zero",
                    "set its rate to 0",
                ));
            }
            Control::Servo { pid, .. } if pid.integral_time.is_finite() => {
                let why = "its integral part moves until the target is met";
                return Err(AnalysisError::refused(
                    &*name,
                    why,
                    "leave out its integral time, or lock the joint",
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The pushes of inequalities of the last round, by their keys.
type Pushes = Vec<(String, f64)>;

fn settle(m: &mut Mechanism<'_>, search: &Search) -> Result<Equilibrium, AnalysisError> {
    let mut mu = Pushes::new();
    let (mut last_step, mut rounds, mut ridges) = (f64::INFINITY, 0, 0);
    // how far joints let a step go, and how far the last one went
    let (mut trust, mut gone) = (MOST_STEP, f64::INFINITY);
    loop {
        // rows that hold, inequalities that are near, and the way that closes the joints
        let round = look(m, search);
        let demand: Vec<f64> = round.held.iter().map(|&k| -round.rows[k].value).collect();
        let closing = round.conditions.shortest(&demand);
        let error = largest(demand.iter().copied());
        let forces = m.probe.forces();
        let loads = loads_now(&round, &forces, &mu);
        let curved = curvature(m, &round.conditions, &forces, &loads)?;

        // what pushes beyond the last round's multipliers, after the joints are closed
        let mut rest = forces.clone();
        for (k, x) in loads_of(&round, &mu) {
            push(&mut rest, &round.rows[k].row, x);
        }
        let moved = &curved.whole * Mat::from_fn(m.width(), 1, |k, _| closing[k]);
        rest.iter_mut().enumerate().for_each(|(k, r)| *r += moved[(k, 0)]);
        let along = round.conditions.along(&rest);

        // the step of the free mechanism, then what the inequalities make of it
        let floor = curved.floor(m, &round.conditions.spread(&along));
        let free = round.conditions.spread(&curved.respond(&along, floor, search.any));
        let mut step: Vec<f64> = free.iter().zip(&closing).map(|(a, b)| a + b).collect();
        let before = mu.clone();
        let mut left = along.clone();
        mu = inequalities(m, &round, &curved, floor, search.any, &before, &mut step, &mut left);
        let unbalanced = largest(left.iter().copied());
        let residual = unbalanced / curved.scale;

        let size = m.size(&step);
        let done = size <= search.tolerance || (size < 1e-9 && size >= 0.5 * last_step);
        if done && unbalanced <= (BALANCED * curved.scale).max(curved.rounding(m)) {
            let shape = stability(m, &round, &curved, &mu)?;
            if shape.unstable > 0 && !search.any && ridges < MOST_RIDGES && shape.down.is_some() {
                // at rest on a ridge: a push down one side
                let mut way = shape.down.unwrap_or_default();
                let share = 0.02 / m.size(&way).max(f64::MIN_POSITIVE);
                way.iter_mut().for_each(|x| *x *= share);
                m.probe.shift(&way);
                (last_step, rounds, ridges) = (f64::INFINITY, rounds + 1, ridges + 1);
                (trust, gone) = (MOST_STEP, f64::INFINITY);
                continue;
            }
            return report(m, &round, search, &mu, shape, [rounds as f64, size, residual, error]);
        }
        if rounds == MOST_ROUNDS || !size.is_finite() {
            return Err(falling(m, &round, &along, rounds));
        }

        // joints that a step opens by more than half of its way want shorter ones: links that are
        // short beside the world's measure turn too far
        let off = m.size(&closing);
        trust =
            if off > OPEN && off > 0.5 * gone { 0.5 * trust } else { (2.0 * trust).min(MOST_STEP) };
        let onwards: Vec<f64> = step.iter().zip(&closing).map(|(s, c)| s - c).collect();
        let (ahead, back) = (m.size(&onwards), (MOST_STEP / off).min(1.0));
        gone = ahead.min(trust);

        // no further than rows are nearly linear, and with the forces
        let mut share = (MOST_STEP / size).min(1.0);
        if trust < MOST_STEP {
            share = (trust / ahead).min(1.0);
        }
        let saved = m.probe.save();
        for _halving in 0..30 {
            let way: Vec<f64> = if trust < MOST_STEP {
                onwards.iter().zip(&closing).map(|(s, c)| s * share + c * back).collect()
            } else {
                step.iter().map(|x| x * share).collect()
            };
            m.probe.shift(&way);
            if search.any || !mu.is_empty() || error > 1e-3 || size < 1e-6 {
                break;
            }
            // the way that closes joints is of the second order, and no work of theirs
            let after = m.probe.forces();
            let work: f64 = free
                .iter()
                .zip(forces.iter().zip(&after))
                .map(|(w, (a, b))| 0.5 * w * (a + b))
                .sum();
            let taken = free.iter().map(|w| w * w).sum::<f64>().sqrt() * curved.scale;
            if work >= -BALANCED * taken {
                break;
            }
            m.probe.restore(&saved);
            share *= 0.5;
        }
        m.probe.count_turns();
        (last_step, rounds) = (size, rounds + 1);
    }
}

/// Multipliers at this pose: those of inequalities from the last round, those of equations to fit.
fn loads_now(round: &Round, forces: &[f64], mu: &Pushes) -> Vec<(usize, f64)> {
    let mut loads = loads_of(round, mu);
    let mut rest = forces.to_vec();
    for &(k, x) in &loads {
        push(&mut rest, &round.rows[k].row, x);
    }
    let lambda = round.conditions.multipliers(&rest.iter().map(|x| -x).collect::<Vec<_>>());
    loads.extend(round.held.iter().copied().zip(lambda));
    loads
}

/// Adds what inequalities push to a step and to the forces that are `left`; returns the
/// multipliers.
///
/// The step is H⁻¹(f + Dᵀ(µ − µ₀)), where f holds the pushes µ₀ of the last round already: so that
/// what a contact carries is never divided by a stiffness that is not there.
fn inequalities(
    m: &Mechanism<'_>,
    round: &Round,
    curved: &Curvature,
    floor: f64,
    any: bool,
    before: &Pushes,
    step: &mut [f64],
    left: &mut [f64],
) -> Pushes {
    let n = round.near.len();
    if n == 0 {
        return Pushes::new();
    }
    let rows: Vec<&SparseRow> = round.near.iter().map(|&k| &round.rows[k].row).collect();
    let inner: Vec<Vec<f64>> =
        rows.iter().map(|r| round.conditions.along(&dense(r, m.width()))).collect();
    let answers: Vec<Vec<f64>> = inner.iter().map(|r| curved.respond(r, floor, any)).collect();
    let w = Mat::from_fn(n, n, |i, j| inner[i].iter().zip(&answers[j]).map(|(a, b)| a * b).sum());
    let keys: Vec<String> = round.near.iter().map(|&k| key(round, k)).collect();
    let old: Vec<f64> =
        keys.iter().map(|k| before.iter().find(|b| b.0 == *k).map_or(0.0, |b| b.1)).collect();
    let b: Vec<f64> = (0..n)
        .map(|i| {
            let carried: f64 = (0..n).map(|j| w[(i, j)] * old[j]).sum();
            round.rows[round.near[i]].value + dot(rows[i], step) - carried
        })
        .collect();
    let found = quadratic::multipliers(&w, &b);
    for i in 0..n {
        let extra = round.conditions.spread(&answers[i]);
        let more = found[i] - old[i];
        step.iter_mut().zip(&extra).for_each(|(s, e)| *s += more * e);
        left.iter_mut().zip(&inner[i]).for_each(|(l, e)| *l += more * e);
    }
    keys.into_iter().zip(found).filter(|p| p.1 > 0.0).collect()
}

/// Whether a pose at rest is stable.
struct Stability {
    neutral: usize,
    unstable: usize,
    /// Where it would fall.
    down: Option<Vec<f64>>,
}

/// Stiffness in the directions that joints and pushing inequalities allow, against turns (rad) and
/// ways (the world's measure): in the metric of the masses a chain of fifty small links spans ten
/// powers of ten, and 1 % beyond its buckling load would pass for neutral.
fn stability(
    m: &Mechanism<'_>,
    round: &Round,
    curved: &Curvature,
    mu: &Pushes,
) -> Result<Stability, AnalysisError> {
    let pushing = loads_of(round, mu);
    let unit: Vec<f64> = (0..m.width()).map(|k| m.unit(k)).collect();
    let all: Vec<SparseRow> = round
        .held
        .iter()
        .copied()
        .chain(pushing.iter().map(|p| p.0))
        .map(|k| round.rows[k].row.iter().map(|&(c, x)| (c, x * unit[c])).collect())
        .collect();
    let conditions = Conditions::new(m.width(), &all.iter().collect::<Vec<_>>());
    let n = m.width();
    let whole = Mat::from_fn(n, n, |i, j| unit[i] * curved.whole[(i, j)] * unit[j]);
    let reduced = -(conditions.free.transpose() * &whole * &conditions.free);
    let (values, vectors) = symmetric(&reduced)?;
    let none = NEUTRAL * values.iter().map(|k| k.abs()).fold(curved.work, f64::max);
    let down = values.first().is_some_and(|k| *k < -none).then(|| {
        let lowest: Vec<f64> = (0..values.len()).map(|i| vectors[(i, 0)]).collect();
        conditions.spread(&lowest).iter().zip(&unit).map(|(x, u)| x * u).collect()
    });
    // where masses tell a way down, that of the masses: it is what falls first
    let of_masses: Vec<&SparseRow> = round
        .held
        .iter()
        .copied()
        .chain(pushing.iter().map(|p| p.0))
        .map(|k| &round.rows[k].row)
        .collect();
    let heavy = Conditions::new(n, &of_masses);
    let (rates, ways) = symmetric(&-(heavy.free.transpose() * &curved.whole * &heavy.free))?;
    let falls = rates.first().is_some_and(|k| *k < -NEUTRAL * curved.typical);
    let down = if falls && down.is_some() {
        Some(heavy.spread(&(0..rates.len()).map(|i| ways[(i, 0)]).collect::<Vec<_>>()))
    } else {
        down
    };
    Ok(Stability {
        neutral: values.iter().filter(|k| k.abs() <= none).count(),
        unstable: values.iter().filter(|k| **k < -none).count(),
        down,
    })
}

/// Rows at the present poses, sorted.
fn look(m: &mut Mechanism<'_>, search: &Search) -> Round {
    let reach = 2.0 * MOST_STEP * m.measure;
    m.probe.look_for_contacts(reach);
    let rows = m.probe.rows();
    let sticks = search.friction == DryFriction::Stuck;
    let mut held = Vec::new();
    let mut near = Vec::new();
    for (k, r) in rows.iter().enumerate() {
        match r.kind {
            RowKind::Position | RowKind::Velocity | RowKind::Drive(..) => held.push(k),
            RowKind::Friction(_) if sticks => held.push(k),
            RowKind::OneSided | RowKind::Contact(_) if r.value < reach.max(MOST_STEP) => {
                near.push(k)
            }
            _ => {}
        }
    }
    let sparse: Vec<&SparseRow> = held.iter().map(|&k| &rows[k].row).collect();
    let conditions = Conditions::new(m.width(), &sparse);
    Round { held, near, conditions, rows }
}

/// What tells an inequality from round to round: its owner and its number there.
fn key(round: &Round, row: usize) -> String {
    let name = &round.rows[row].name;
    let nth = round.rows[..row].iter().filter(|r| r.name == *name).count();
    format!("{name}#{nth}")
}

fn loads_of(round: &Round, mu: &Pushes) -> Vec<(usize, f64)> {
    let find = |k: &usize| mu.iter().find(|m| m.0 == key(round, *k)).map(|m| (*k, m.1));
    if mu.is_empty() { Vec::new() } else { round.near.iter().filter_map(find).collect() }
}

fn dense(row: &SparseRow, width: usize) -> Vec<f64> {
    let mut out = vec![0.0; width];
    push(&mut out, row, 1.0);
    out
}

fn falling(m: &Mechanism<'_>, round: &Round, along: &[f64], rounds: usize) -> AnalysisError {
    let force = round.conditions.spread(along);
    let real = |k: usize| (force[k] / m.columns[k].2).abs();
    let most = (0..m.width()).max_by(|&a, &b| real(a).total_cmp(&real(b))).unwrap_or(0);
    AnalysisError::NoEquilibrium { body: m.body_of(most), force: real(most), iterations: rounds }
}

fn report(
    m: &mut Mechanism<'_>,
    round: &Round,
    search: &Search,
    mu: &Pushes,
    shape: Stability,
    [rounds, last_step, residual, error]: [f64; 4],
) -> Result<Equilibrium, AnalysisError> {
    // what is carried along by a target or a kinematic body does not rest
    for &k in &round.held {
        let rate = round.rows[k].rate;
        if !(rate.abs() <= RESTING) {
            let why = format!(
                "at rest it is off by {rate:.3e} (m/s or rad/s): something carries it along"
            );
            let help = "stop the target or the kinematic body that it is tied to";
            return Err(AnalysisError::refused(&*round.rows[k].name, why, help));
        }
    }

    // multipliers of equalities beside those of inequalities
    let pushing = loads_of(round, mu);
    let mut rest: Vec<f64> = m.probe.forces().iter().map(|x| -x).collect();
    for &(k, x) in &pushing {
        push(&mut rest, &round.rows[k].row, -x);
    }
    let lambda = round.conditions.multipliers(&rest);
    for (&k, &x) in round.held.iter().zip(&lambda) {
        let most = match round.rows[k].kind {
            RowKind::Drive(_, most) | RowKind::Friction(most) => most,
            _ => continue,
        };
        if x.abs() > most * (1.0 + 1e-9) {
            let why = format!(
                "it would have to hold {:.6e} (N or N m) and holds {most:.6e} at most",
                x.abs()
            );
            return Err(AnalysisError::refused(
                &*round.rows[k].name,
                why,
                "let it slip first, or give it more effort",
            ));
        }
    }
    let mut loads = pushing.clone();
    loads.extend(round.held.iter().copied().zip(lambda.iter().copied()));
    let determined: Vec<bool> = (0..loads.len())
        .map(|i| i < pushing.len() || round.conditions.is_determined(i - pushing.len()))
        .collect();
    let mut notes = obstacles::notes(m.probe.world());
    if round.rows.iter().any(|r| matches!(r.kind, RowKind::Friction(_) | RowKind::Slip)) {
        notes.push(match search.friction {
            DryFriction::Stuck => {
                "dry friction of joints sticks; friction of contacts is left out".into()
            }
            _ => "dry friction is left out: it holds at many more poses".into(),
        });
    }
    Ok(Equilibrium {
        rounds: rounds as usize,
        last_step,
        residual,
        error,
        freedom: round.conditions.freedom(),
        redundant: round.conditions.count - round.conditions.rank,
        neutral: shape.neutral,
        unstable: shape.unstable,
        pushing: pushing.iter().map(|&(k, _)| round.rows[k].name.to_string()).collect(),
        reactions: reactions::of(m, &round.rows, &loads, &determined),
        notes,
    })
}
