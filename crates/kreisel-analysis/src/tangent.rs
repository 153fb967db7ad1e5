//! The equations of motion of a world to first order about a state: what [`crate::linearise`] and
//! [`crate::modes`] are made of.
//!
//! M a = F(q, v) + Gᵀλ and J a + c(q, v) = 0 at the state (q₀, v₀) with accelerations a₀ and
//! multipliers λ₀. With the bases N of what the conditions allow (N_q for displacements, N_v for
//! velocities, N_G for the forces of locked connectors, which else is N_v):
//!
//! ```text
//! δq = N_q δs
//! δv = N_v δu − J⁺ ∂(Jv)/∂q δq
//! δa = N_v δy − J⁺ (∂γ/∂q δq + ∂γ/∂v δv),             γ = J a₀ + c
//! N_Gᵀ M δa = N_Gᵀ (∂r/∂q δq + ∂r/∂v δv),              r = F + Gᵀλ₀ − M a₀
//! ```
//!
//! so that the state of the linear system is (δs, δu): independent displacements and independent
//! velocities. ∂r/∂q holds the stiffness of springs, servos and fields and the geometric stiffness
//! of the multipliers; its differences are taken by the rule of five points at fixed a₀ and λ₀,
//! which is exact to 1e-10 or so and needs no solution of the equations.
//!
//! Turns are counted about the axes of the body at the state, R = R₀ exp θ, so that θ' = ω + ½ θ ×
//! ω.

use crate::conditions::{Conditions, SparseRow, solve};
use crate::error::AnalysisError;
use crate::mechanism::{Mechanism, dot, push};
use crate::obstacles::{self, DryFriction};
use faer::Mat;
use kreisel_dynamics::{Measured, Probe, ProbeRow, RowKind, Vec3, World};

/// Nearer than this (m or rad) a limit or a contact touches; further inside it is an error.
const TOUCH: f64 = 1e-6;
/// Largest error of a velocity, m/s or rad/s, in the state to linearise about.
const MOVING: f64 = 1e-6;

/// The equations of motion about a state.
pub struct Tangent<'a> {
    /// The world at the state.
    pub mechanism: Mechanism<'a>,
    /// Conditions on displacements, on velocities, and the directions of their forces.
    pub(crate) places: Conditions,
    pub(crate) speeds: Conditions,
    pub(crate) pushes: Option<Conditions>,
    /// Rows that hold, by number among the rows of the probe.
    pub(crate) held: Vec<usize>,
    /// Scaled accelerations and multipliers of what holds.
    pub accelerations: Vec<f64>,
    pub(crate) multipliers: Vec<f64>,
    /// N_Gᵀ M N_v, factorised on use.
    pub(crate) mass: Mat<f64>,
    /// M in scaled coordinates.
    pub(crate) whole_mass: Mat<f64>,
    /// What was taken otherwise than a step takes it.
    pub notes: Vec<String>,
}

/// Derivatives by displacements and velocities of all columns.
pub(crate) struct Derivatives {
    /// Forces (n), then what the rows demand of accelerations (m), their rates (m), then whatever
    /// else was measured: values and rates.
    pub by_pose: Mat<f64>,
    pub by_velocity: Mat<f64>,
    pub width: usize,
    pub rows: usize,
}

impl<'a> Tangent<'a> {
    /// The equations of motion about the world's present state.
    pub fn new(world: &'a World, friction: DryFriction) -> Result<Self, AnalysisError> {
        obstacles::refuse_sampled(world)?;
        obstacles::refuse_saturated(world)?;
        let mut notes = obstacles::notes(world);
        let mut mechanism = Mechanism::new(world)?;
        let rows = mechanism.probe.rows();
        let mut held = hold(&rows, friction, &mut notes)?;

        // inequalities that touch hold as long as they push
        let (
            mut places,
            mut speeds,
            mut pushes,
            mut mass,
            mut whole_mass,
            mut accelerations,
            mut multipliers,
        );
        loop {
            let rows_of = |pick: &dyn Fn(&ProbeRow) -> bool| -> Vec<&SparseRow> {
                held.iter().map(|&k| &rows[k]).filter(|r| pick(r)).map(|r| &r.row).collect()
            };
            let of_places = |r: &ProbeRow| {
                matches!(r.kind, RowKind::Position | RowKind::OneSided | RowKind::Contact(_))
            };
            places = Conditions::new(mechanism.width(), &rows_of(&of_places));
            speeds = Conditions::new(mechanism.width(), &rows_of(&|_| true));
            let locked = held.iter().any(|&k| rows[k].force.is_some());
            pushes = locked.then(|| {
                let list: Vec<&SparseRow> =
                    held.iter().map(|&k| rows[k].force.as_ref().unwrap_or(&rows[k].row)).collect();
                Conditions::new(mechanism.width(), &list)
            });
            if let Some(p) = pushes.as_ref().filter(|p| p.rank != speeds.rank) {
                let item = held.iter().map(|&k| &rows[k]).find(|r| r.force.is_some());
                return Err(AnalysisError::refused(
                    item.map_or("a locked connector", |r| &r.name),
                    format!(
                        "its locks leave {} of {} conditions without a force",
                        speeds.rank - p.rank,
                        speeds.rank
                    ),
                    "unlock the connector",
                ));
            }
            whole_mass = mechanism.mass();
            let side = pushes.as_ref().unwrap_or(&speeds);
            mass = side.free.transpose() * &whole_mass * &speeds.free;
            (accelerations, multipliers) =
                accelerate(&mut mechanism, &rows, &held, &speeds, side, &mass, &whole_mass)?;

            let pulls = |&(i, k): &(usize, usize)| {
                matches!(rows[k].kind, RowKind::OneSided | RowKind::Contact(_))
                    && multipliers[i] < 0.0
            };
            let all: Vec<(usize, usize)> = held.iter().copied().enumerate().collect();
            let Some((_, out)) = all
                .iter()
                .copied()
                .filter(pulls)
                .min_by(|a, b| multipliers[a.0].total_cmp(&multipliers[b.0]))
            else {
                break;
            };
            held.retain(|&k| k != out);
        }
        for &k in &held {
            if matches!(rows[k].kind, RowKind::OneSided | RowKind::Contact(_)) {
                notes.push(format!(
                    "{}: it touches and pushes, and is taken to go on touching",
                    rows[k].name
                ));
            }
        }
        check_velocities(&rows, &held)?;
        check_efforts(&rows, &held, &multipliers)?;
        Ok(Self {
            mechanism,
            places,
            speeds,
            pushes,
            held,
            accelerations,
            multipliers,
            mass,
            whole_mass,
            notes,
        })
    }

    /// Freedoms of displacements and of velocities.
    pub fn freedom(&self) -> [usize; 2] {
        [self.places.freedom(), self.speeds.freedom()]
    }

    /// The side that forces are projected on.
    pub(crate) fn side(&self) -> &Conditions {
        self.pushes.as_ref().unwrap_or(&self.speeds)
    }

    /// Derivatives of forces, of rows, and of what else is measured.
    pub(crate) fn derivatives(
        &mut self,
        measured: &mut dyn FnMut(&Probe<'a>) -> Vec<Measured>,
    ) -> Derivatives {
        let (held, lambda, a) =
            (self.held.clone(), self.multipliers.clone(), self.accelerations.clone());
        let mut all = |p: &mut Probe<'a>| {
            let mut out = p.forces();
            let rows = p.rows();
            for (&k, &x) in held.iter().zip(&lambda) {
                push(&mut out, rows[k].force.as_ref().unwrap_or(&rows[k].row), x);
            }
            for (inertia, rotor) in p.rotors() {
                push(&mut out, &rotor.row, -inertia * (dot(&rotor.row, &a) + rotor.bias));
            }
            out.extend(held.iter().map(|&k| dot(&rows[k].row, &a) + rows[k].bias));
            out.extend(held.iter().map(|&k| rows[k].rate));
            let found = measured(p);
            out.extend(found.iter().map(|m| m.value));
            out.extend(found.iter().map(|m| m.rate));
            out
        };
        let by_pose = self.mechanism.by_pose(&mut all);
        let by_velocity = self.mechanism.by_velocity(&mut all);
        Derivatives { by_pose, by_velocity, width: self.mechanism.width(), rows: self.held.len() }
    }

    /// Largest real acceleration that is left, m/s² or rad/s².
    pub fn unrest(&self) -> f64 {
        let real =
            self.accelerations.iter().zip(&self.mechanism.columns).map(|(a, c)| (a * c.2).abs());
        let moving = self.mechanism.probe.velocities();
        let v = moving.iter().zip(&self.mechanism.columns).map(|(v, c)| (v * c.2).abs());
        real.chain(v).fold(0.0, f64::max)
    }

    /// ½ θ × ω of displacements, scaled: what the axes of a turning body add to its rates.
    pub(crate) fn turning(&self, q: &[f64]) -> Vec<f64> {
        let v = self.mechanism.probe.velocities();
        let columns = &self.mechanism.columns;
        let mut out = vec![0.0; q.len()];
        let mut at = 0;
        while at < columns.len() {
            let end = (at..columns.len())
                .find(|&k| columns[k].0 != columns[at].0)
                .unwrap_or(columns.len());
            let (mut turn, mut spin) = (Vec3::ZERO, Vec3::ZERO);
            for k in (at..end).filter(|&k| columns[k].1 >= 3) {
                turn[columns[k].1 - 3] = q[k] * columns[k].2;
                spin[columns[k].1 - 3] = v[k] * columns[k].2;
            }
            let change = turn.cross(spin) * 0.5;
            for k in (at..end).filter(|&k| columns[k].1 >= 3) {
                out[k] = change[columns[k].1 - 3] / columns[k].2;
            }
            at = end;
        }
        out
    }
}

/// The rows that hold, or who stands in the way.
fn hold(
    rows: &[ProbeRow],
    friction: DryFriction,
    notes: &mut Vec<String>,
) -> Result<Vec<usize>, AnalysisError> {
    let mut held = Vec::new();
    let mut touching = false;
    for (k, r) in rows.iter().enumerate() {
        match r.kind {
            RowKind::Position | RowKind::Velocity => held.push(k),
            RowKind::Drive(..) => {
                notes.push(format!("{}: its velocity motor is taken to hold its rate", r.name));
                held.push(k);
            }
            RowKind::Friction(_) => match friction {
                DryFriction::Refuse => return Err(refuse_friction(&r.name)),
                DryFriction::Without => notes.push(format!("{}: dry friction is left out", r.name)),
                DryFriction::Stuck => {
                    notes.push(format!("{}: dry friction is taken to stick", r.name));
                    held.push(k);
                }
            },
            RowKind::OneSided | RowKind::Contact(_) => {
                touching = r.value <= TOUCH;
                if touching {
                    held.push(k);
                }
                if let (RowKind::Contact(mu), true) = (r.kind, touching)
                    && mu > 0.0
                {
                    match friction {
                        DryFriction::Refuse => return Err(refuse_friction(&r.name)),
                        DryFriction::Without => {
                            notes.push(format!("{}: friction is left out", r.name))
                        }
                        DryFriction::Stuck => {
                            notes.push(format!("{}: friction is taken to stick", r.name))
                        }
                    }
                }
            }
            RowKind::Slip if touching && friction == DryFriction::Stuck => held.push(k),
            RowKind::Slip => {}
        }
    }
    Ok(held)
}

fn refuse_friction(name: &str) -> AnalysisError {
    AnalysisError::refused(
        name,
        "dry friction jumps where the motion turns, and has no derivative there",
        "say that it is left out (without) or sticks (stuck)",
    )
}

fn check_velocities(rows: &[ProbeRow], held: &[usize]) -> Result<(), AnalysisError> {
    for &k in held {
        if !(rows[k].rate.abs() <= MOVING) {
            let why = format!("its velocities miss it by {:.3e} (m/s or rad/s)", rows[k].rate);
            return Err(AnalysisError::refused(
                &*rows[k].name,
                why,
                "assemble the state, or step once",
            ));
        }
        if !(rows[k].value.abs() <= 1e3 * TOUCH) {
            let why = format!("it is off by {:.3e} (m or rad)", rows[k].value);
            return Err(AnalysisError::refused(&*rows[k].name, why, "assemble the state first"));
        }
    }
    Ok(())
}

fn check_efforts(
    rows: &[ProbeRow],
    held: &[usize],
    multipliers: &[f64],
) -> Result<(), AnalysisError> {
    for (&k, &x) in held.iter().zip(multipliers) {
        if let RowKind::Drive(_, most) | RowKind::Friction(most) = rows[k].kind
            && x.abs() > most * (1.0 + 1e-9)
        {
            let why = format!(
                "it would have to hold {:.6e} (N or N m) and holds {most:.6e} at most",
                x.abs()
            );
            return Err(AnalysisError::refused(
                &*rows[k].name,
                why,
                "give it more effort, or leave it out",
            ));
        }
    }
    Ok(())
}

/// Accelerations and multipliers at the state.
fn accelerate(
    m: &mut Mechanism<'_>,
    rows: &[ProbeRow],
    held: &[usize],
    speeds: &Conditions,
    side: &Conditions,
    mass: &Mat<f64>,
    whole: &Mat<f64>,
) -> Result<(Vec<f64>, Vec<f64>), AnalysisError> {
    let mut f = m.probe.forces();
    for (inertia, rotor) in m.probe.rotors() {
        push(&mut f, &rotor.row, -inertia * rotor.bias);
    }

    // what the rows demand, and the independent part that the forces give
    let demand: Vec<f64> = held.iter().map(|&k| -rows[k].bias).collect();
    let mut a = speeds.shortest(&demand);
    let times = |x: &[f64]| -> Vec<f64> {
        (0..x.len()).map(|i| (0..x.len()).map(|j| whole[(i, j)] * x[j]).sum()).collect()
    };
    let rest: Vec<f64> = f.iter().zip(times(&a)).map(|(f, m)| f - m).collect();
    let along = side.along(&rest);
    let wanted = Mat::from_fn(along.len(), 1, |k, _| along[k]);
    let y =
        if along.is_empty() { wanted } else { solve(mass, &wanted).ok_or_else(singular_mass)? };
    let free = speeds.spread(&(0..along.len()).map(|k| y[(k, 0)]).collect::<Vec<_>>());
    a.iter_mut().zip(&free).for_each(|(a, d)| *a += d);

    // the multipliers make up the difference
    let missing: Vec<f64> = times(&a).iter().zip(&f).map(|(m, f)| m - f).collect();
    Ok((a, side.multipliers(&missing)))
}

pub(crate) fn singular_mass() -> AnalysisError {
    AnalysisError::Singular(
        "the mass matrix",
        "locked connectors leave a direction without a force".into(),
    )
}
