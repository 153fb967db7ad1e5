//! Inverse dynamics: the efforts that give a prescribed motion, loops and redundancy included
//! (W-167).
//!
//! Coordinates of joints are given over time with their first two derivatives. At each time
//!
//! 1. poses that meet joints and coordinates (Newton's method from the pose before),
//! 2. velocities from J v = 0 and the coordinates' rates, accelerations from J a = −c and theirs,
//! 3. efforts τ with Nᵀ S τ = Nᵀ (M a − F): S has a column for each actuator, N spans what the
//!    joints allow, F holds all other forces.
//!
//! More actuators than freedoms: the smallest Σ w τ². Fewer: refused, unless the motion happens to
//! need none of what is missing. Coordinates must determine the motion; the freedoms that they
//! leave are counted in the refusal. Dry friction acts against the known rates. Limits that are
//! broken and contacts that would push are refused by name: the efforts would not be those of this
//! motion.

use crate::conditions::{Conditions, SparseRow};
use crate::error::AnalysisError;
use crate::mechanism::{Mechanism, dot, push};
use crate::named::path_of;
use crate::obstacles;
use crate::reactions;
use kreisel_dynamics::{Coordinate, JointId, Measured, Probe, RowKind, World};

/// A coordinate over time: value, rate, acceleration.
pub struct Track<'t> {
    /// The joint.
    pub joint: JointId,
    /// Its coordinate.
    pub coordinate: Coordinate,
    /// Value, rate and acceleration at a time, s.
    pub motion: Box<dyn Fn(f64) -> [f64; 3] + 't>,
}

/// What can push.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Actuator {
    /// The joint.
    pub joint: JointId,
    /// Its coordinate.
    pub coordinate: Coordinate,
    /// Weight of its squared effort where actuators share.
    pub weight: f64,
}

/// Settings of the search.
#[derive(Clone, Copy, Debug)]
pub struct Inverse {
    /// Largest error of a joint or coordinate, m or rad.
    pub tolerance: f64,
    /// Largest share of the generalised force that may be missing.
    pub missing: f64,
}

impl Default for Inverse {
    fn default() -> Self {
        Self { tolerance: 1e-10, missing: 1e-7 }
    }
}

/// Efforts over time.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Efforts {
    /// Names of the actuators: joint and coordinate.
    pub actuators: Vec<String>,
    /// Times, s.
    pub times: Vec<f64>,
    /// Effort of each actuator at each time, N or N m.
    pub efforts: Vec<Vec<f64>>,
    /// Power of all actuators at each time, W.
    pub power: Vec<f64>,
    /// Largest force (N) and torque (N m) of each joint on a body, over all times.
    pub envelope: Vec<(String, f64, f64)>,
    /// Freedoms of the mechanism.
    pub freedom: usize,
    /// What was taken otherwise than a step takes it.
    pub notes: Vec<String>,
}

/// Efforts for a motion; motors of the actuated coordinates are taken out first. The world is left
/// in the state of the first time, so that a run with these efforts makes the motion.
pub fn inverse_dynamics(
    world: &mut World,
    tracks: &[Track<'_>],
    actuators: &[Actuator],
    times: &[f64],
    settings: &Inverse,
) -> Result<Efforts, AnalysisError> {
    let mut bare = world.clone();
    for id in world.motors() {
        let driven = |m: &kreisel_dynamics::Motor| {
            actuators.iter().any(|a| (a.joint, a.coordinate) == (m.joint, m.coordinate))
        };
        if world.motor(id).is_some_and(driven) && bare.remove_motor(id).is_err() {
            return Err(AnalysisError::Unknown("such motor".into()));
        }
    }
    obstacles::refuse_sampled(&bare)?;
    let mut m = Mechanism::new(&bare)?;
    let mut out = Efforts {
        actuators: actuators.iter().map(|a| path_of(world, a.joint, a.coordinate)).collect(),
        times: times.to_vec(),
        efforts: Vec::with_capacity(times.len()),
        power: Vec::with_capacity(times.len()),
        envelope: Vec::new(),
        freedom: 0,
        notes: obstacles::notes(&bare),
    };
    let mut first = None;
    for &t in times {
        m.probe.set_time(t);
        let moving = state_at(&mut m, tracks, t, settings)?;
        first.get_or_insert_with(|| m.probe.save());
        efforts_at(&mut m, &moving, actuators, t, settings, &mut out)?;
    }
    if let Some(saved) = first {
        crate::inverse_kinematics::place(world, &saved);
    }
    Ok(out)
}

/// A moment of the motion.
struct Moment {
    /// Rows of joints and constraints.
    held: Vec<usize>,
    joints: Conditions,
    acceleration: Vec<f64>,
}

/// Poses, velocities and accelerations at a time.
fn state_at(
    m: &mut Mechanism<'_>,
    tracks: &[Track<'_>],
    t: f64,
    settings: &Inverse,
) -> Result<Moment, AnalysisError> {
    let wanted: Vec<[f64; 3]> = tracks.iter().map(|k| (k.motion)(t)).collect();
    let measured = |p: &Probe<'_>| -> Option<Vec<Measured>> {
        tracks.iter().map(|k| p.coordinate(k.joint, k.coordinate)).collect()
    };
    if measured(&m.probe).is_none() {
        return Err(AnalysisError::Unknown("such coordinate".into()));
    }
    m.assemble(settings.tolerance, |p| {
        let found = measured(p).unwrap_or_default();
        found
            .into_iter()
            .zip(&wanted)
            .map(|(m, w)| Measured { value: m.value - w[0], ..m })
            .collect()
    })?;

    // velocities, then the biases that they give
    let zero = vec![0.0; m.width()];
    m.probe.set_velocities(&zero);
    let rows = m.probe.rows();
    let held: Vec<usize> = (0..rows.len()).filter(|&k| rows[k].is_equality()).collect();
    if let Some(k) = held.iter().find(|&&k| rows[k].force.is_some()) {
        let why = "a locked connector gives no force along its row";
        return Err(AnalysisError::refused(&*rows[*k].name, why, "unlock it"));
    }
    let coordinates = measured(&m.probe).unwrap_or_default();
    let joints =
        Conditions::new(m.width(), &held.iter().map(|&k| &rows[k].row).collect::<Vec<_>>());
    let mut sparse: Vec<&SparseRow> = held.iter().map(|&k| &rows[k].row).collect();
    sparse.extend(coordinates.iter().map(|c| &c.row));
    let all = Conditions::new(m.width(), &sparse);
    if all.freedom() > 0 {
        let why =
            format!("they leave {} of {} freedoms open at {t} s", all.freedom(), joints.freedom());
        return Err(AnalysisError::refused(
            "the prescribed coordinates",
            why,
            "prescribe more of them",
        ));
    }
    let demand: Vec<f64> = held
        .iter()
        .map(|&k| -rows[k].rate)
        .chain(wanted.iter().zip(&coordinates).map(|(w, c)| w[1] - c.rate))
        .collect();
    let v = all.shortest(&demand);
    m.probe.set_velocities(&v);
    let rows = m.probe.rows();
    let coordinates = measured(&m.probe).unwrap_or_default();
    let demand: Vec<f64> = held
        .iter()
        .map(|&k| -rows[k].bias)
        .chain(wanted.iter().zip(&coordinates).map(|(w, c)| w[2] - c.bias))
        .collect();
    Ok(Moment { held, joints, acceleration: all.shortest(&demand) })
}

fn efforts_at(
    m: &mut Mechanism<'_>,
    moment: &Moment,
    actuators: &[Actuator],
    t: f64,
    settings: &Inverse,
    out: &mut Efforts,
) -> Result<(), AnalysisError> {
    // forces of everything else, dry friction against the known rates
    let mut f = m.probe.forces();
    let rows = m.probe.rows();
    for r in &rows {
        match r.kind {
            RowKind::Friction(most) if r.rate != 0.0 => {
                push(&mut f, &r.row, -most * r.rate.signum())
            }
            RowKind::Drive(..) => {
                let why = "a velocity motor beside the prescribed motion decides by itself";
                return Err(AnalysisError::refused(
                    &*r.name,
                    why,
                    "make it an actuator, or take it out",
                ));
            }
            RowKind::OneSided | RowKind::Contact(_) if r.value < -settings.tolerance.max(1e-7) => {
                let why = format!("the motion breaks it by {:.3e} at {t} s", -r.value);
                return Err(AnalysisError::refused(
                    &*r.name,
                    why,
                    "change the motion, or take it out",
                ));
            }
            RowKind::Contact(_) if r.value < 1e-6 => {
                let note = format!("{}: it may push and is not looked at", r.name);
                if !out.notes.contains(&note) {
                    out.notes.push(note);
                }
            }
            _ => {}
        }
    }

    // what is wanted along the independent directions
    let mut rest: Vec<f64> = moment.acceleration.clone();
    for (inertia, rotor) in m.probe.rotors() {
        push(&mut rest, &rotor.row, inertia * (dot(&rotor.row, &moment.acceleration) + rotor.bias));
    }
    let weight =
        rest.iter().zip(&f).map(|(a, f)| a.abs().max(f.abs())).fold(f64::MIN_POSITIVE, f64::max);
    rest.iter_mut().zip(&f).for_each(|(r, f)| *r -= f);
    let wanted = moment.joints.along(&rest);
    let mut columns: Vec<(Measured, Vec<f64>)> = Vec::new();
    for a in actuators {
        let unknown = || AnalysisError::Unknown("such actuator".into());
        if !(a.weight > 0.0 && a.weight.is_finite()) {
            return Err(AnalysisError::refused(
                "an actuator",
                "its weight is no positive number",
                "give it one",
            ));
        }
        let row = m.probe.coordinate(a.joint, a.coordinate).ok_or_else(unknown)?;
        let mut force = vec![0.0; m.width()];
        push(&mut force, &row.row, 1.0);
        columns.push((row, moment.joints.along(&force)));
    }

    // the smallest weighted efforts
    let share: Vec<f64> = actuators.iter().map(|a| 1.0 / a.weight.sqrt()).collect();
    let lines: Vec<SparseRow> = (0..wanted.len())
        .map(|i| {
            (0..actuators.len())
                .map(|k| (k, columns[k].1[i] * share[k]))
                .filter(|e| e.1 != 0.0)
                .collect()
        })
        .collect();
    let system = Conditions::new(actuators.len(), &lines.iter().collect::<Vec<_>>());
    let efforts: Vec<f64> =
        system.shortest(&wanted).iter().zip(&share).map(|(x, s)| x * s).collect();

    // what they leave
    let mut left = wanted.clone();
    for (x, (_, column)) in efforts.iter().zip(&columns) {
        left.iter_mut().zip(column).for_each(|(l, c)| *l -= x * c);
    }
    let missing = left.iter().map(|x| x.abs()).fold(0.0, f64::max);
    if !(missing <= settings.missing * weight) {
        let all = moment.joints.spread(&left);
        let most =
            (0..all.len()).max_by(|&a, &b| all[a].abs().total_cmp(&all[b].abs())).unwrap_or(0);
        return Err(AnalysisError::NotActuated {
            item: m.body_of(most),
            missing,
            wanted: weight,
            time: t,
        });
    }
    out.power.push(efforts.iter().zip(&columns).map(|(x, (row, _))| x * row.rate).sum());
    for (x, (row, _)) in efforts.iter().zip(&columns) {
        push(&mut rest, &row.row, -x);
    }
    out.freedom = moment.joints.freedom();
    out.efforts.push(efforts);

    // what the joints carry
    let lambda = moment.joints.multipliers(&rest);
    let loads: Vec<(usize, f64)> = moment.held.iter().copied().zip(lambda).collect();
    for r in reactions::of(m, &rows, &loads, &vec![true; loads.len()]) {
        let size = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (force, torque) = (size(r.force), size(r.torque));
        match out.envelope.iter_mut().find(|e| e.0 == r.name) {
            Some(e) => (e.1, e.2) = (e.1.max(force), e.2.max(torque)),
            None => out.envelope.push((r.name, force, torque)),
        }
    }
    Ok(())
}
