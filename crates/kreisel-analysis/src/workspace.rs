//! Workspace: where a body can be, how well it can be moved there, and what it takes to hold it.
//!
//! At each place of a grid the body's frame is brought there by inverse kinematics, with its
//! rotation kept or left free, from the pose of the nearest place that was reached. Where that
//! succeeds, limits included:
//!
//! * *dexterity*: the smallest over the largest singular value of the actuated coordinates along
//!   the freedoms of the mechanism, in the metric of the masses: 0 is a singular pose, in which the
//!   actuators lose the mechanism;
//! * *efforts* that hold it at rest against gravity, springs and outer forces, and the largest
//!   *reactions* of its joints: rows of joints and actuated coordinates together carry the forces.
//!   Redundant ones share by least norm. Motors of the actuated coordinates are taken out first.
//!
//! The largest of all places is the reaction envelope.

use crate::conditions::{Conditions, SparseRow};
use crate::error::AnalysisError;
use crate::inverse_kinematics::{Goal, Reach, inverse_kinematics};
use crate::mechanism::Mechanism;
use crate::named::path_of;
use crate::reactions;
use faer::Mat;
use kreisel_dynamics::{BodyId, Coordinate, JointId, Motor, ProbeRow, Vec3, World};

/// A place of the grid.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Place {
    /// Where, m.
    pub at: [f64; 3],
    /// Whether the body gets there.
    pub reached: bool,
    /// What stands in the way, or the limits that it touches.
    pub limits: Vec<String>,
    /// Smallest over largest singular value of the actuators; 0 where they lose the mechanism.
    pub dexterity: f64,
    /// Efforts that hold it there, N or N m, in the order of the actuators.
    pub efforts: Vec<f64>,
    /// Largest force of a joint on a body, N.
    pub force: f64,
}

/// A map of places.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Workspace {
    /// Names of the actuators.
    pub actuators: Vec<String>,
    /// All places, x fastest.
    pub places: Vec<Place>,
    /// Share of the places that are reached.
    pub share: f64,
    /// Largest force (N) and torque (N m) of each joint over all places: the reaction envelope.
    pub envelope: Vec<(String, f64, f64)>,
}

/// Where the frame of a body can be. `axes` are the places along x, y and z; rotations are kept
/// where `upright` is set.
pub fn workspace(
    world: &World,
    body: BodyId,
    axes: &[Vec<f64>; 3],
    upright: bool,
    actuators: &[(JointId, Coordinate)],
) -> Result<Workspace, AnalysisError> {
    let count = axes.iter().map(Vec::len).product::<usize>();
    if count == 0 || count > 1_000_000 {
        return Err(AnalysisError::refused(
            "the grid",
            format!("it has {count} places"),
            "give from 1 to a million",
        ));
    }
    let start = world.rotation(body).ok_or_else(|| AnalysisError::Unknown("such body".into()))?;
    let mut out = Workspace {
        actuators: actuators.iter().map(|a| path_of(world, a.0, a.1)).collect(),
        places: Vec::with_capacity(count),
        share: 0.0,
        envelope: Vec::new(),
    };
    // motors of the actuators are what is asked for, and push nothing by themselves
    let mut bare = world.clone();
    for id in world.motors() {
        let driven = |m: &Motor| actuators.contains(&(m.joint, m.coordinate));
        if world.motor(id).is_some_and(driven) && bare.remove_motor(id).is_err() {
            return Err(AnalysisError::Unknown("such motor".into()));
        }
    }

    // poses that were reached, to begin from
    let mut poses: Vec<(Vec3, World)> = vec![(world.position(body).unwrap_or_default(), {
        let mut still = bare;
        crate::inverse_kinematics::assemble(&mut still, 1e-10)?;
        still
    })];
    for &z in &axes[2] {
        for &y in &axes[1] {
            for &x in &axes[0] {
                let at = Vec3::new(x, y, z);
                let goals = [Goal::Point(body, Vec3::ZERO, at), Goal::Rotation(body, start)];
                let goals = if upright { &goals[..] } else { &goals[..1] };
                let nearest = |a: &&(Vec3, World), b: &&(Vec3, World)| {
                    a.0.distance_squared(at).total_cmp(&b.0.distance_squared(at))
                };
                let Some((_, from)) = poses.iter().min_by(nearest) else { continue };
                let mut there = from.clone();
                let place = match inverse_kinematics(&mut there, goals, &Reach::default()) {
                    Ok(found) => {
                        let place = hold(&there, at, actuators, found.limits, &mut out.envelope)?;
                        // a row of places is a chain of starts; older ones are not needed
                        poses.push((at, there));
                        if poses.len() > 2 * axes[0].len() + 2 {
                            poses.remove(1);
                        }
                        place
                    }
                    Err(AnalysisError::NotAssembled { worst, .. }) => Place {
                        at: at.to_array(),
                        reached: false,
                        limits: vec![worst],
                        dexterity: 0.0,
                        efforts: Vec::new(),
                        force: 0.0,
                    },
                    Err(other) => return Err(other),
                };
                out.places.push(place);
            }
        }
    }
    out.share = out.places.iter().filter(|p| p.reached).count() as f64 / count as f64;
    Ok(out)
}

/// What it takes to hold a pose.
fn hold(
    world: &World,
    at: Vec3,
    actuators: &[(JointId, Coordinate)],
    limits: Vec<String>,
    envelope: &mut Vec<(String, f64, f64)>,
) -> Result<Place, AnalysisError> {
    let mut m = Mechanism::new(world)?;
    m.probe.set_velocities(&vec![0.0; m.width()]);
    let rows: Vec<ProbeRow> = m.probe.rows().into_iter().filter(ProbeRow::is_equality).collect();
    let driven: Vec<SparseRow> = actuators
        .iter()
        .map(|&(j, c)| {
            let unknown = || AnalysisError::Unknown("such actuator".into());
            m.probe.coordinate(j, c).map(|m| m.row).ok_or_else(unknown)
        })
        .collect::<Result<_, _>>()?;
    let joints = Conditions::new(m.width(), &rows.iter().map(|r| &r.row).collect::<Vec<_>>());

    // singular values of the actuators along the freedoms
    let freedom = joints.freedom();
    let matrix = Mat::from_fn(driven.len(), freedom, |i, k| {
        driven[i].iter().map(|&(c, x)| joints.free[(c, k)] * x).sum::<f64>()
    });
    let dexterity = if driven.len() < freedom || freedom == 0 {
        0.0
    } else {
        let s = matrix.singular_values().map_err(|_| AnalysisError::Eigenvalues)?;
        let (low, high) =
            s.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), x| (l.min(*x), h.max(*x)));
        if high > 0.0 { low / high } else { 0.0 }
    };

    // joints and actuators carry the forces together
    let all =
        Conditions::new(m.width(), &rows.iter().map(|r| &r.row).chain(&driven).collect::<Vec<_>>());
    let against: Vec<f64> = m.probe.forces().iter().map(|f| -f).collect();
    let lambda = all.multipliers(&against);
    let loads: Vec<(usize, f64)> = (0..rows.len()).map(|k| (k, lambda[k])).collect();
    let mut most = 0.0_f64;
    for r in reactions::of(&m, &rows, &loads, &vec![true; loads.len()]) {
        let size = |v: [f64; 3]| Vec3::from_array(v).length();
        let (force, torque) = (size(r.force), size(r.torque));
        most = most.max(force);
        match envelope.iter_mut().find(|e| e.0 == r.name) {
            Some(e) => (e.1, e.2) = (e.1.max(force), e.2.max(torque)),
            None => envelope.push((r.name, force, torque)),
        }
    }
    Ok(Place {
        at: at.to_array(),
        reached: true,
        limits,
        dexterity,
        efforts: lambda[rows.len()..].to_vec(),
        force: most,
    })
}
