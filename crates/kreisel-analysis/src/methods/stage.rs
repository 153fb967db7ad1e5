//! The world at trial states of a step, in a chart about the pose of its start.
//!
//! A trial pose is a scaled displacement x from the start: places move by it, frames turn by R = R₀
//! exp θ. With velocities v along the body's own axes its rate is θ' = ω + ½ θ×ω + ¹⁄₁₂ θ×(θ×ω) + …
//! (Magnus), cut off at |θ|⁴/720: a turn of 0.1 rad a step leaves 1e-7 of its own size, of 0.02 rad
//! 2e-10.

use super::Method;
use crate::conditions::{Conditions, SparseRow};
use crate::error::AnalysisError;
use crate::mechanism::{Mechanism, dot, largest};
use crate::obstacles;
use kreisel_dynamics::{Control, ProbeRow, RowKind, Vec3, World};

/// Broken by more than this (m or rad), a limit or a contact is reached.
const REACHED: f64 = 1e-6;

/// A world at trial states.
pub(crate) struct Stage<'a> {
    pub m: Mechanism<'a>,
    /// States evaluated.
    pub evaluations: u64,
    /// Rows that hold, by number among the rows of the probe.
    held: Vec<usize>,
    /// Pose and velocity at the step's start.
    base: (Vec<f64>, Vec<f64>),
    start: f64,
    /// Columns of the turns of each body.
    turns: Vec<[Option<usize>; 3]>,
}

/// The conditions at a trial state.
pub(crate) struct Rows {
    pub rows: Vec<SparseRow>,
    /// C, C' and c of C'' = J a + c.
    pub value: Vec<f64>,
    pub rate: Vec<f64>,
    pub bias: Vec<f64>,
    /// Length of each row.
    pub length: Vec<f64>,
}

impl Rows {
    /// Factorised.
    pub fn conditions(&self, width: usize) -> Conditions {
        Conditions::new(width, &self.rows.iter().collect::<Vec<_>>())
    }

    /// J a.
    pub fn times(&self, a: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|r| dot(r, a)).collect()
    }
}

impl<'a> Stage<'a> {
    /// A world at its start; what the method has no answer for is refused.
    pub fn new(world: &'a World, method: Method) -> Result<Self, AnalysisError> {
        obstacles::refuse_sampled(world)?;
        obstacles::refuse_integrals(world)?;
        let name = method.word();
        for id in world.motors() {
            let Some(motor) = world.motor(id) else { continue };
            if let Control::Servo { pid, .. } = &motor.control
                && pid.integral_time.is_finite()
            {
                let item = world.motor_name(id).map_or_else(String::new, |n| n.to_string());
                let why = "its integral is a state of its own, which comparisons do not have";
                return Err(AnalysisError::refused(item, why, "leave out its integral time"));
            }
        }
        let mut m = Mechanism::new(world)?;
        if !m.probe.rotors().is_empty() {
            let why = format!("the comparison by {name} has unit masses and no rotors");
            return Err(AnalysisError::refused("an armature", why, "set it to 0"));
        }

        // equations hold; what has a bound is none
        let mut held = Vec::new();
        for (k, r) in m.probe.rows().iter().enumerate() {
            let help = "compare a scene without it";
            match r.kind {
                RowKind::Friction(most) if most > 0.0 => {
                    let why = format!("{name} has no dry friction");
                    return Err(AnalysisError::refused(&*r.name, why, help));
                }
                RowKind::Drive(_, most) if most.is_finite() => {
                    let why = format!("{name} has no bound of efforts");
                    return Err(AnalysisError::refused(&*r.name, why, help));
                }
                RowKind::Velocity | RowKind::Drive(..) if !method.holds_velocities() => {
                    let why = format!("{name} holds conditions on poses only");
                    return Err(AnalysisError::refused(&*r.name, why, help));
                }
                _ if r.force.is_some() => {
                    let why = "a locked connector gives no force along its row";
                    return Err(AnalysisError::refused(&*r.name, why, "unlock it"));
                }
                RowKind::Position | RowKind::Velocity | RowKind::Drive(..) => held.push(k),
                _ => {}
            }
        }
        let mut turns = Vec::new();
        let mut last = None;
        for (c, &(body, axis, _)) in m.columns.iter().enumerate() {
            if last != Some(body) {
                turns.push([None; 3]);
                last = Some(body);
            }
            if let (Some(of), true) = (turns.last_mut(), axis >= 3) {
                of[axis - 3] = Some(c);
            }
        }
        let base = m.probe.save();
        Ok(Self { start: world.time(), m, evaluations: 0, held, base, turns })
    }

    /// Number of scaled columns.
    pub fn width(&self) -> usize {
        self.m.width()
    }

    /// Number of rows that hold.
    pub fn rows_held(&self) -> usize {
        self.held.len()
    }

    /// Time of the step's start, s.
    pub fn time(&self) -> f64 {
        self.start
    }

    /// Puts the clock right, pose and velocity unchanged.
    pub fn set_time(&mut self, t: f64) {
        self.start = t;
        self.m.probe.set_time(t);
    }

    /// Velocities at the step's start.
    pub fn velocities(&mut self) -> Vec<f64> {
        self.m.probe.restore(&self.base);
        self.m.probe.velocities()
    }

    /// Takes the trial state at a displacement and a velocity, `after` the step's start.
    pub fn visit(&mut self, after: f64, x: &[f64], v: &[f64]) {
        let probe = &mut self.m.probe;
        probe.restore(&self.base);
        probe.set_time(self.start + after);
        probe.shift(x);
        probe.set_velocities(v);
        self.evaluations += 1;
    }

    /// The trial state is where the next step starts.
    pub fn settle(&mut self, after: f64) {
        self.m.probe.count_turns();
        self.base = self.m.probe.save();
        self.start += after;
    }

    /// Forces at the trial state: scaled accelerations of bodies without joints.
    pub fn forces(&mut self) -> Vec<f64> {
        self.m.probe.forces()
    }

    /// Conditions at the trial state.
    pub fn rows(&mut self) -> Rows {
        let mut all: Vec<Option<ProbeRow>> = self.m.probe.rows().into_iter().map(Some).collect();
        let mut out = Rows {
            rows: Vec::new(),
            value: Vec::new(),
            rate: Vec::new(),
            bias: Vec::new(),
            length: Vec::new(),
        };
        for &k in &self.held {
            let Some(row) = all.get_mut(k).and_then(Option::take) else { continue };
            out.value.push(row.value);
            out.rate.push(row.rate);
            out.bias.push(row.bias);
            out.length.push(row.row.iter().map(|e| e.1 * e.1).sum::<f64>().sqrt());
            out.rows.push(row.row);
        }
        out
    }

    /// Rate of a displacement x at velocities v.
    pub fn rates(&self, x: &[f64], v: &[f64]) -> Vec<f64> {
        let mut out = v.to_vec();
        for columns in &self.turns {
            let pick = |of: &[f64]| {
                Vec3::from_array(
                    [0, 1, 2].map(|k| columns[k].map_or(0.0, |c| of[c] * self.m.columns[c].2)),
                )
            };
            let (turn, w) = (pick(x), pick(v));
            let first = turn.cross(w);
            let rate = w + 0.5 * first + turn.cross(first) / 12.0;
            for k in 0..3 {
                if let Some(c) = columns[k] {
                    out[c] = rate[k] / self.m.columns[c].2;
                }
            }
        }
        out
    }

    /// The nearest poses and velocities that the conditions allow, from the trial state.
    pub fn project(&mut self) -> Result<(), AnalysisError> {
        self.m.assemble(1e-12, |_| Vec::new())?;
        self.m.assemble_velocities();
        Ok(())
    }

    /// Looks at the state that was settled: finite, and no limit and no contact reached.
    pub fn check(&mut self, joint_error: &mut f64) -> Result<(), AnalysisError> {
        self.m.probe.restore(&self.base);
        let rows = self.m.probe.rows();
        let at = self.start;
        let error = largest(self.held.iter().map(|&k| rows[k].value));
        if !(error.is_finite() && self.m.probe.velocities().iter().all(|v| v.is_finite())) {
            return Err(AnalysisError::refused(
                "the method",
                format!("its state is not finite at {at:.6} s"),
                "take smaller steps, or another method",
            ));
        }
        *joint_error = joint_error.max(error);
        let reached = |r: &&ProbeRow| {
            matches!(r.kind, RowKind::OneSided | RowKind::Contact(_)) && r.value < -REACHED
        };
        match rows.iter().find(reached) {
            Some(r) => {
                let why =
                    format!("it is reached at {at:.6} s, and the method knows equations only");
                Err(AnalysisError::refused(&*r.name, why, "compare until then, or without it"))
            }
            None => Ok(()),
        }
    }

    /// Writes the state of the step's start into a world of the same model.
    pub fn show(&mut self, world: &mut World) {
        self.m.probe.restore(&self.base);
        self.m.probe.write_to(world);
    }
}

/// x + s y.
pub(crate) fn plus(x: &[f64], s: f64, y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + s * y).collect()
}

/// Σ of multiples of lists.
pub(crate) fn sum(width: usize, parts: &[(f64, &[f64])]) -> Vec<f64> {
    let mut out = vec![0.0; width];
    for (s, list) in parts {
        out.iter_mut().zip(*list).for_each(|(o, x)| *o += s * x);
    }
    out
}

/// Jᵀ λ.
pub(crate) fn push_all(rows: &Rows, lambda: &[f64], out: &mut [f64]) {
    for (row, l) in rows.rows.iter().zip(lambda) {
        crate::mechanism::push(out, row, *l);
    }
}
