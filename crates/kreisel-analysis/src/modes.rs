//! Eigenmodes about an equilibrium: frequencies, damping and shapes.
//!
//! Undamped modes solve K φ = ω² M φ with the reduced matrices K = −N_Gᵀ ∂r/∂q N and M = N_Gᵀ M N
//! of [`crate::tangent`], by a Cholesky factor of M and a symmetric eigenvalue problem (Golub and
//! Van Loan, 8.7.1), where K is symmetric: conservative forces. A negative ω² is a direction in
//! which the mechanism falls over; zeros are rigid motions. Damped modes are the eigenvalues σ ±
//! iω_d of the matrix A of [`crate::linearise`], with the ratio −σ/|σ + iω_d|.
//!
//! A shape gives each body its way (m) and turn (rad, about its centre of mass, world coordinates),
//! scaled so that its modal mass is 1 kg.

use crate::error::AnalysisError;
use crate::linearise::linearise;
use crate::mechanism::Mechanism;
use crate::obstacles::DryFriction;
use crate::stiffness::symmetric;
use crate::tangent::Tangent;
use faer::{Mat, Side};
use kreisel_dynamics::{Quat, Vec3, World};

/// Largest acceleration or speed of a state that counts as at rest, SI units.
const AT_REST: f64 = 1e-6;
/// Asymmetry of K, as a share of its largest entry, from which forces are not conservative.
const CONSERVATIVE: f64 = 1e-8;

/// A mode.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Mode {
    /// ω², (rad/s)²; negative where the mechanism falls over.
    pub square: f64,
    /// ω/2π, Hz; zero where ω² is not positive.
    pub frequency: f64,
    /// Way and turn of each body.
    pub shape: Vec<BodyShape>,
    /// The scaled displacement.
    #[serde(skip)]
    pub displacement: Vec<f64>,
}

/// What a body does in a mode.
#[derive(Clone, Debug, serde::Serialize)]
pub struct BodyShape {
    /// The body.
    pub body: String,
    /// Way of its centre of mass, m.
    pub way: [f64; 3],
    /// Turn, rad, world coordinates.
    pub turn: [f64; 3],
}

/// An eigenvalue of the damped system.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Eigenvalue {
    /// Real part, 1/s: negative decays.
    pub real: f64,
    /// Imaginary part, rad/s.
    pub imaginary: f64,
    /// Frequency |λ|/2π, Hz.
    pub frequency: f64,
    /// Damping ratio; 1 and more creeps.
    pub damping: f64,
}

/// Modes of a world.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Modes {
    /// Undamped modes by rising ω²; empty where forces are not conservative.
    pub modes: Vec<Mode>,
    /// Eigenvalues with damping by rising frequency, one of each conjugate pair.
    pub eigenvalues: Vec<Eigenvalue>,
    /// Independent coordinates.
    pub freedom: usize,
    /// Conditions that others imply.
    pub redundant: usize,
    /// What was taken otherwise than a step takes it.
    pub notes: Vec<String>,
}

/// Modes of a world about its present state, which must be an equilibrium.
pub fn modes(world: &World, friction: DryFriction) -> Result<Modes, AnalysisError> {
    let mut t = Tangent::new(world, friction)?;
    let unrest = t.unrest();
    if !(unrest <= AT_REST) {
        let why = format!("it moves or accelerates ({unrest:.3e} in SI units)");
        return Err(AnalysisError::refused("the world", why, "find its equilibrium first"));
    }
    let mut notes = std::mem::take(&mut t.notes);

    // reduced stiffness and mass
    let (held, lambda) = (t.held.clone(), t.multipliers.clone());
    let loads: Vec<(usize, f64)> = held.into_iter().zip(lambda).collect();
    let stiffness = t.mechanism.by_pose(|p| Mechanism::loaded(p, &loads));
    let k = -(t.side().free.transpose() * &stiffness * &t.speeds.free);
    let f = t.speeds.freedom();
    let largest =
        (0..f).flat_map(|i| (0..f).map(move |j| (i, j))).map(|at| k[at].abs()).fold(0.0, f64::max);
    let skew = (0..f)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| (k[(i, j)] - k[(j, i)]).abs());
    let conservative = t.pushes.is_none() && skew.fold(0.0, f64::max) <= CONSERVATIVE * largest;
    let mut list = Vec::new();
    if conservative {
        list = undamped(&t, &k)?;
    } else if f > 0 {
        notes.push(
            "forces are not conservative: there are eigenvalues, but no undamped modes".into(),
        );
    }
    let (freedom, redundant) = (f, t.speeds.count - t.speeds.rank);
    drop(t);
    let linear = linearise(world, &[], &[], friction)?;
    Ok(Modes { modes: list, eigenvalues: eigenvalues(&linear.a)?, freedom, redundant, notes })
}

fn undamped(t: &Tangent<'_>, k: &Mat<f64>) -> Result<Vec<Mode>, AnalysisError> {
    let f = k.nrows();
    if f == 0 {
        return Ok(Vec::new());
    }
    // L⁻¹ K L⁻ᵀ with M = L Lᵀ
    let factor = t.mass.llt(Side::Lower).map_err(|_| crate::tangent::singular_mass())?;
    let l = factor.L().to_owned();
    let even = Mat::from_fn(f, f, |i, j| 0.5 * (k[(i, j)] + k[(j, i)]));
    let mut half = even;
    l.solve_lower_triangular_in_place(&mut half);
    let mut inner = half.transpose().to_owned();
    l.solve_lower_triangular_in_place(&mut inner);
    let (squares, vectors) = symmetric(&inner)?;
    let mut shapes = vectors;
    l.transpose().solve_upper_triangular_in_place(&mut shapes);
    let all = &t.speeds.free * &shapes;
    let n = all.nrows();
    Ok((0..f)
        .map(|m| {
            // the largest entry counts positive, so that shapes are the same everywhere
            let mut displacement: Vec<f64> = (0..n).map(|i| all[(i, m)]).collect();
            let top = (0..n)
                .max_by(|&a, &b| displacement[a].abs().total_cmp(&displacement[b].abs()))
                .unwrap_or(0);
            if displacement[top] < 0.0 {
                displacement.iter_mut().for_each(|x| *x = -*x);
            }
            let square = squares[m];
            let frequency = square.max(0.0).sqrt() / std::f64::consts::TAU;
            Mode { square, frequency, shape: shape(&t.mechanism, &displacement), displacement }
        })
        .collect())
}

/// Ways and turns of the bodies of a scaled displacement.
pub(crate) fn shape(m: &Mechanism<'_>, displacement: &[f64]) -> Vec<BodyShape> {
    let mut out: Vec<BodyShape> = Vec::new();
    let mut last = None;
    for (&x, &(body, axis, scale)) in displacement.iter().zip(&m.columns) {
        if last != Some(body) {
            last = Some(body);
            let name = m.probe.world().body_name(body).map_or_else(String::new, |n| n.to_string());
            out.push(BodyShape { body: name, way: [0.0; 3], turn: [0.0; 3] });
        }
        let Some(here) = out.last_mut() else { continue };
        if axis < 3 {
            here.way[axis] += x * scale;
        } else {
            let turn = m.probe.principal(body).unwrap_or(Quat::IDENTITY)
                * (Vec3::AXES[axis - 3] * (x * scale));
            for k in 0..3 {
                here.turn[k] += turn[k];
            }
        }
    }
    out
}

/// Eigenvalues of A by rising frequency, one of each conjugate pair.
fn eigenvalues(a: &[Vec<f64>]) -> Result<Vec<Eigenvalue>, AnalysisError> {
    let n = a.len();
    if n == 0 {
        return Ok(Vec::new());
    }
    let matrix = Mat::from_fn(n, n, |i, j| a[i][j]);
    let found = matrix.eigenvalues().map_err(|_| AnalysisError::Eigenvalues)?;
    let mut out: Vec<Eigenvalue> = found
        .iter()
        .filter(|z| z.im >= 0.0)
        .map(|z| {
            let size = z.re.hypot(z.im);
            let damping = if size > 0.0 { -z.re / size } else { 0.0 };
            Eigenvalue {
                real: z.re,
                imaginary: z.im,
                frequency: size / std::f64::consts::TAU,
                damping,
            }
        })
        .collect();
    out.sort_by(|a, b| a.frequency.total_cmp(&b.frequency).then(a.real.total_cmp(&b.real)));
    Ok(out)
}

impl Mode {
    /// Puts a world of the same model into a phase of the mode: its displacement times `amount`,
    /// with joints closed again where the motion is curved.
    pub fn show(&self, world: &mut World, amount: f64) -> Result<(), AnalysisError> {
        let saved = {
            let mut m = Mechanism::new(world)?;
            let zero = vec![0.0; m.width()];
            m.probe.set_velocities(&zero);
            let way: Vec<f64> = self.displacement.iter().map(|x| x * amount).collect();
            m.probe.shift(&way);
            m.probe.count_turns();
            m.assemble(1e-9, |_| Vec::new())?;
            m.probe.save()
        };
        crate::inverse_kinematics::place(world, &saved);
        Ok(())
    }
}
