//! What a program needs to write curves, constraints, controllers, fields and procedures down and
//! to read them back.
//!
//! A description that says "as it is now" (a length that was left out, a point that moves since the
//! constraint was added) is written with what it came to mean, so that reading it again in another
//! pose means the same.

use crate::body::{BodyId, BodyKind};
use crate::connector::{
    Connector, Constraint, ConstraintId, ConstraintKind, PlacedPoint, Placement,
};
use crate::force::{Controller, ControllerId, ControllerKind};
use crate::procedure::{ProcedureId, ProcedureRecord};
use crate::world::World;

impl World {
    /// The procedure that holds two bodies by this constraint, and the bodies.
    pub fn holder(&self, constraint: ConstraintId) -> Option<(ProcedureId, [BodyId; 2])> {
        self.model.procedures.iter().find_map(|(i, g, p)| {
            let pair = p.pairs.iter().find(|p| p.2 == constraint)?;
            Some((ProcedureId::new((i, g)), [pair.0, pair.1]))
        })
    }

    /// What moves a body when no constraint is being assembled.
    pub fn kind_when_assembled(&self, id: BodyId) -> Option<BodyKind> {
        let frozen = self.model.assemblies.iter().any(|a| a.frozen == id);
        Some(if frozen { BodyKind::Dynamic } else { self.model.body(id)?.desc.kind })
    }

    /// Whether the body is part of a joint, spring or constraint none of whose bodies moves any
    /// more.
    pub fn has_idle_link(&self, id: BodyId) -> bool {
        let moves = |b: &BodyId| self.kind_when_assembled(*b) == Some(BodyKind::Dynamic);
        self.model.links(id).any(|(_, bodies)| !bodies.iter().any(moves))
    }

    /// The constraint as one would describe it now, with all bodies at the poses they were added
    /// with.
    pub fn constraint_from_start(&self, id: ConstraintId) -> Option<Constraint> {
        let record = self.model.constraints.get(id.index, id.generation)?;
        let mut out = record.desc.clone();
        if let Placement::Points(points) = &record.placed {
            self.move_on(&mut out.connectors, points);
        }
        match &mut out.kind {
            ConstraintKind::Distance(length) => *length = Some(record.length),
            // reversed at an end of its path
            ConstraintKind::PointToPath { speed, .. } => {
                *speed *=
                    self.engine.lagrange.memory.paths.get(&id.index).map_or(1.0, |m| m.direction);
            }
            _ => {}
        }
        // one that has been assembled must not freeze its body again
        out.assemble &= !out.active || self.model.assemblies.iter().any(|a| a.constraint == id);
        Some(out)
    }

    /// The controller as one would describe it now.
    pub fn controller_from_start(&self, id: ControllerId) -> Option<Controller> {
        let record = self.model.controllers.get(id.index, id.generation)?;
        let mut out = record.desc.clone();
        self.move_on(&mut out.connectors, &record.points);
        if let ControllerKind::Spring { length, .. } = &mut out.kind {
            *length = Some(record.length);
        }
        Some(out)
    }

    /// Points that move uniformly, where they are now.
    fn move_on(&self, connectors: &mut [Connector], placed: &[PlacedPoint]) {
        for (c, p) in connectors.iter_mut().zip(placed) {
            if let (Connector::Fixed { position, velocity }, PlacedPoint::Fixed { since, .. }) =
                (c, p)
            {
                *position += *velocity * (self.state.time - since);
            }
        }
    }

    /// Chooses again, in the present poses, whether axes are held parallel or antiparallel: for a
    /// world whose bodies were set to another state after its constraints had been added.
    pub fn choose_senses(&mut self) {
        let ids: Vec<ConstraintId> = self.constraints().collect();
        for id in ids {
            if let Some(record) = self.model.constraints.get_mut(id.index, id.generation) {
                record.choose_sense(&self.state);
            }
        }
        self.model.revision += 1;
    }

    /// Constraints that a procedure of this name made before the world was written down are its own
    /// again.
    pub(crate) fn adopt_pairs(&mut self, id: ProcedureId) {
        let Some(record) = self.model.procedures.get(id.index, id.generation) else { return };
        let mut pairs = Vec::new();
        for (i, &(a, _)) in record.desc.bodies.iter().enumerate() {
            for &(b, _) in &record.desc.bodies[i + 1..] {
                if let Some(constraint) = self.constraint_named(&self.pair_title(record, [a, b])) {
                    pairs.push((a, b, constraint));
                }
            }
        }
        if let Some(record) = self.model.procedures.get_mut(id.index, id.generation) {
            record.pairs = pairs;
        }
    }

    /// Name of the constraint by which a procedure holds two bodies.
    pub(crate) fn pair_title(&self, record: &ProcedureRecord, bodies: [BodyId; 2]) -> String {
        let [a, b] = bodies.map(|id| self.body_name(id).unwrap_or_else(|| "".into()));
        format!("{}: {a}, {b}", record.name)
    }
}
