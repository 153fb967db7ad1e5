//! Procedures between steps: the distance procedure, and assembling mode (Wagner 6.2.4.2, 6.6.3;
//! W-62, W-63, W-116).
//!
//! Procedures of the user's own are programs that call the world between steps: everything may be
//! read and written there.

use crate::arena::id;
use crate::body::{BodyId, BodyKind};
use crate::connector::{Connector, Constraint, ConstraintId};
use crate::error::ModelError;
use crate::model::Model;
use crate::report::{Event, StepReport};
use crate::world::World;
use std::sync::Arc;

id! {
    /// Names a procedure of a [`World`](crate::World).
    ProcedureId
}

/// A constraint counts as assembled within this error: length of the vector of its rows, m or rad.
const ASSEMBLED: f64 = 1e-3;

/// Keeps bodies apart, or catches them: whenever the gap of two bodies falls below a threshold, a
/// distance constraint with `factor` times the threshold holds them; it ends when the gap exceeds
/// the threshold.
///
/// The gap is the distance of the bounding spheres. A factor above 1 repels, below 1 captures;
/// exactly 1 never lets go.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceProcedure {
    /// Unique name; empty means "procedure N".
    pub name: String,
    /// The bodies with the radii of their bounding spheres, m.
    pub bodies: Vec<(BodyId, f64)>,
    /// Threshold d₀, m.
    pub threshold: f64,
    /// k: the constraint's gap is k d₀.
    pub factor: f64,
    /// A switched-off procedure does nothing.
    pub active: bool,
}

impl DistanceProcedure {
    pub(crate) fn check(&self, name: &str, model: &Model) -> Result<(), ModelError> {
        let rule = |field, value: f64, low: f64, must| {
            if value >= low && value.is_finite() {
                Ok(())
            } else {
                Err(ModelError::OutOfRange { item: name.to_owned(), field, must, value })
            }
        };
        rule("threshold", self.threshold, f64::MIN_POSITIVE, "positive")?;
        rule("factor", self.factor, f64::MIN_POSITIVE, "positive")?;
        for &(body, radius) in &self.bodies {
            rule("radius", radius, 0.0, "zero or more")?;
            model.body(body).ok_or_else(|| ModelError::UnknownBody(name.to_owned()))?;
        }
        Ok(())
    }
}

/// A procedure with the constraints that it holds.
#[derive(Clone, Debug)]
pub(crate) struct ProcedureRecord {
    pub desc: DistanceProcedure,
    pub name: Arc<str>,
    pub pairs: Vec<(BodyId, BodyId, ConstraintId)>,
}

/// A body frozen until its constraint is met.
#[derive(Clone, Debug)]
pub(crate) struct Assembly {
    pub constraint: ConstraintId,
    pub first: BodyId,
    pub frozen: BodyId,
}

impl World {
    /// Freezes the last body of a constraint between two moving bodies.
    pub(crate) fn begin_assembly(&mut self, constraint: ConstraintId) {
        let Some(record) = self.model.constraints.get(constraint.index, constraint.generation)
        else {
            return;
        };
        let moves =
            |b: &BodyId| self.model.body(*b).is_some_and(|b| b.desc.kind == BodyKind::Dynamic);
        let mut bodies: Vec<BodyId> = record.bodies.clone();
        bodies.dedup();
        let [first, frozen] = bodies[..] else { return };
        if moves(&first)
            && moves(&frozen)
            && self.set_body_kind(frozen, BodyKind::Kinematic).is_ok()
        {
            self.model.assemblies.push(Assembly { constraint, first, frozen });
        }
    }

    /// Whether constraints are being assembled.
    pub fn is_assembling(&self) -> bool {
        !self.model.assemblies.is_empty()
    }

    /// What runs between steps.
    pub(crate) fn run_procedures(&mut self, report: &mut StepReport) {
        self.watch_assemblies(report);
        let procedures: Vec<ProcedureId> = self
            .model
            .procedures
            .iter()
            .filter(|(_, _, p)| p.desc.active)
            .map(|(i, g, _)| ProcedureId::new((i, g)))
            .collect();
        for id in procedures {
            self.run_distance(id);
        }
    }

    fn watch_assemblies(&mut self, report: &mut StepReport) {
        for k in (0..self.model.assemblies.len()).rev() {
            let a = self.model.assemblies[k].clone();
            let error = self
                .constraint(a.constraint)
                .filter(|c| c.active)
                .and_then(|_| self.constraint_error(a.constraint));
            let met = match &error {
                Some(rows) => rows.iter().map(|c| c * c).sum::<f64>().sqrt() < ASSEMBLED,
                // the constraint is gone: nothing to wait for
                None => true,
            };
            if !met {
                continue;
            }
            self.model.assemblies.remove(k);
            let (Some(v), Some(w), Some(x)) = (
                self.velocity(a.frozen),
                self.angular_velocity(a.frozen),
                self.center_of_mass(a.frozen),
            ) else {
                continue;
            };
            if error.is_some()
                && let Some(at) = self.center_of_mass(a.first)
            {
                // the rigid motion of the frozen body, at rest if it rests (the thesis does not
                // say)
                let _ = self.set_velocity(a.first, v + w.cross(at - x), w);
            }
            let _ = self.set_body_kind(a.frozen, BodyKind::Dynamic);
            if let Some(name) = self.constraint_name(a.constraint) {
                report.events.push(Event::Assembled { constraint: name });
            }
        }
    }

    fn run_distance(&mut self, id: ProcedureId) {
        let Some(record) = self.model.procedures.get(id.index, id.generation) else { return };
        let (record, desc, mut pairs) = (record.clone(), record.desc.clone(), record.pairs.clone());
        for (i, &(a, ra)) in desc.bodies.iter().enumerate() {
            for &(b, rb) in &desc.bodies[i + 1..] {
                let (Some(xa), Some(xb)) = (self.center_of_mass(a), self.center_of_mass(b)) else {
                    continue;
                };
                let gap = xa.distance(xb) - ra - rb;
                let held = pairs
                    .iter()
                    .position(|p| (p.0, p.1) == (a, b) && self.constraint(p.2).is_some());
                if gap < desc.threshold && held.is_none() {
                    let center =
                        |id: BodyId| self.model.body(id).map(|r| r.center).unwrap_or_default();
                    let ends = [Connector::body(a, center(a)), Connector::body(b, center(b))];
                    let title = self.pair_title(&record, [a, b]);
                    let [first, second] = ends;
                    let length = desc.factor * desc.threshold + ra + rb;
                    // bodies that neither move are no pair to hold
                    if let Ok(c) = self
                        .add_constraint(Constraint::distance(first, second, length).named(title))
                    {
                        pairs.push((a, b, c));
                    }
                } else if gap > desc.threshold
                    && let Some(k) = held
                {
                    let _ = self.remove_constraint(pairs.remove(k).2);
                }
            }
        }
        if let Some(record) = self.model.procedures.get_mut(id.index, id.generation) {
            record.pairs = pairs;
        }
    }
}
