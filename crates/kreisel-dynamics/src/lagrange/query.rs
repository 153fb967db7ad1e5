//! Reading constraints of a world: errors, multipliers, forces (W-36).

use super::element::Owner;
use super::evaluate::Evaluator;
use super::integrate::Flow;
use super::machine::Machine;
use crate::body::BodyId;
use crate::connector::ConstraintId;
use crate::math::Vec3;
use crate::step::Budget;
use crate::world::World;

/// The force of a constraint in the last evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstraintForce {
    /// Multiplier of each row in force, N or N m.
    pub multipliers: Vec<f64>,
    /// Force (N) and torque about the centre of mass (N m) on every body, world coordinates.
    pub bodies: Vec<(BodyId, Vec3, Vec3)>,
}

/// What the multiplier method makes of the present state, from [`World::multipliers`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MultiplierInfo {
    /// Accelerations of bodies: linear (m/s²) and angular (rad/s²), world coordinates.
    pub accelerations: Vec<(BodyId, Vec3, Vec3)>,
    /// Multipliers by row, in the order of joints and constraints.
    pub multipliers: Vec<f64>,
    /// Largest |J a + c| of equalities, scaled by the largest |c|.
    pub residual: f64,
    /// Rows that others imply.
    pub redundant: usize,
    /// Rows that were solved densely: all with the direct solvers, the loop-closing ones with
    /// Baraff's.
    pub secondary: usize,
    /// Constraints that contradict each other.
    pub contradictory: Vec<String>,
}

impl Machine {
    /// Multipliers of a constraint's rows in force; `None` when none of them acts. Of inequalities
    /// those that do not touch are zero.
    fn multipliers_of(
        &self,
        id: ConstraintId,
        record: &crate::connector::ConstraintRecord,
    ) -> Option<Vec<f64>> {
        let in_force: Vec<usize> =
            (0..record.desc.kind.rows()).filter(|&k| record.desc.has_row(k)).collect();
        let mut out: Option<Vec<f64>> = None;
        let own = |e: &&super::element::Element| e.owner == Owner::Constraint(id);
        for (e, source) in self.elements.iter().zip(&self.sources).filter(|(e, _)| own(e)) {
            let values = self.multipliers.lambda.get(e.row0..e.row0 + e.rows)?;
            match source.single_row().filter(|_| record.desc.one_sided) {
                Some(row) => {
                    let at = in_force.iter().position(|k| *k == row)?;
                    out.get_or_insert_with(|| vec![0.0; in_force.len()])[at] = values[0];
                }
                None => return Some(values.to_vec()),
            }
        }
        out
    }
}

impl World {
    /// Values of a constraint's rows in force: m, rad, m/s or what its formula measures. Zero when
    /// fulfilled.
    pub fn constraint_error(&self, id: ConstraintId) -> Option<Vec<f64>> {
        let record = self.model.constraints.get(id.index, id.generation)?;
        let mut model = self.model.clone();
        model.constraints.get_mut(id.index, id.generation)?.desc.active = true;
        model.revision += 1;
        let mut machine = self.machine_of(&model);
        machine.activate(&vec![true; machine.candidates.len()]);
        machine.evaluate_rows(&model, &self.engine.angles, self.state.time);
        let own = machine.elements.iter().filter(|e| e.owner == Owner::Constraint(id));
        let errors: Vec<f64> =
            own.flat_map(|e| &machine.rows.c[e.row0..e.row0 + e.rows]).copied().collect();
        Some(if errors.is_empty() { vec![0.0; record.desc.row_count()] } else { errors })
    }

    /// Force of a constraint: at the end of the last step under the multiplier method, mean over
    /// the step under the impulse methods (without multipliers where it is a joint there). `None`
    /// when it is not active or no step was made.
    pub fn constraint_force(&self, id: ConstraintId) -> Option<ConstraintForce> {
        let record =
            self.model.constraints.get(id.index, id.generation).filter(|c| c.desc.active)?;
        if self.model.settings.method != crate::Method::Lagrange {
            if let Some(force) = self.engine.border_force(&self.model, id) {
                return Some(force);
            }
            let (reaction, stand_in) = self.engine.stand_in_reaction(id)?;
            let pair = crate::engine::pair_of(&stand_in.record, &self.state);
            let mut bodies = Vec::new();
            for (k, sign) in [(0, -1.0), (1, 1.0)] {
                let (body, force) = (stand_in.record.desc.bodies[k], reaction.force * sign);
                if self.model.body(body).is_some_and(|b| b.desc.kind == crate::BodyKind::Dynamic) {
                    // the reaction is given at the second anchor
                    let arm = if k == 1 { pair.arm[1] } else { pair.arm[0] + pair.d };
                    bodies.push((body, force, reaction.torque * sign + arm.cross(force)));
                }
            }
            return Some(ConstraintForce { multipliers: Vec::new(), bodies });
        }
        let m = &self.engine.lagrange;
        let multipliers = m.multipliers_of(id, record)?;
        let mut bodies: Vec<(BodyId, Vec3, Vec3)> = Vec::new();
        for &b in &record.bodies {
            let index = m.bodies.index.get(b.index as usize).copied()?;
            if bodies.iter().all(|x| x.0 != b)
                && let Some((force, torque)) = m.force_on(Owner::Constraint(id), index)
            {
                bodies.push((b, force, torque));
            }
        }
        Some(ConstraintForce { multipliers, bodies })
    }

    /// Accelerations and multipliers of the Lagrange multiplier method in the present state,
    /// without a step.
    pub fn multipliers(&self) -> MultiplierInfo {
        let mut machine = self.machine_of(&self.model);
        let settings = &self.model.settings.lagrange;
        let mut work = Evaluator {
            machine: &mut machine,
            model: &self.model,
            settings,
            inputs: &self.inputs,
            angles: &self.engine.angles,
            h: 0.01,
            longest: f64::INFINITY,
            relax: 0.01,
            evaluations: 0,
            budget: Budget::new(
                &self.model.settings,
                crate::clock::Instant::now(),
                &self.engine.interrupt,
            ),
        };
        let mut y = vec![0.0; work.length()];
        work.machine.bodies.load(&self.state, &mut y);
        let mut dy = vec![0.0; y.len()];
        work.rates(self.state.time, &y, &mut dy);
        let m = work.machine;
        let mut out = MultiplierInfo {
            multipliers: m.multipliers.lambda.clone(),
            redundant: m.multipliers.dropped,
            secondary: m.multipliers.secondary_rows(),
            ..MultiplierInfo::default()
        };
        for (b, dy) in m.bodies.moving.iter().zip(dy.chunks_exact(13)) {
            let id = self.bodies().find(|id| id.index == b.slot);
            out.accelerations
                .extend(id.map(|id| (id, Vec3::from_slice(&dy[7..]), Vec3::from_slice(&dy[10..]))));
        }
        let scale = m.demand.iter().fold(1.0_f64, |s, x| s.max(x.abs()));
        for e in &m.elements[..m.equalities] {
            for i in 0..e.rows {
                let r = m.rows.along(e, i, &m.a) + m.demand[e.row0 + i];
                out.residual = out.residual.max(r.abs() / scale);
            }
        }
        if let Some(s) = &m.multipliers.singular {
            out.contradictory =
                s.elements.iter().map(|&e| m.elements[e].name.to_string()).collect();
        }
        out
    }

    /// The rows of all joints and constraints at the present state, whatever the method in use
    /// makes of them.
    pub(crate) fn machine_now(&self) -> Machine {
        let mut machine = self.machine_of(&self.model);
        machine.evaluate_rows(&self.model, &self.engine.angles, self.state.time);
        machine
    }

    /// A machine at the present state.
    pub(super) fn machine_of(&self, model: &crate::model::Model) -> Machine {
        let mut machine = Machine::default();
        machine.memory = self.engine.lagrange.memory.clone();
        machine.prepare(model);
        let mut y = vec![0.0; 13 * machine.bodies.moving.len()];
        machine.bodies.load(&self.state, &mut y);
        machine.bodies.place(self.state.time, &y);
        machine
    }
}
