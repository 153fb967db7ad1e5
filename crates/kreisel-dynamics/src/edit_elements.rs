//! Changes of controllers, curves and procedures while a world exists.

use crate::connector::{Connector, Curve, CurveId};
use crate::elements::unknown;
use crate::error::ModelError;
use crate::force::{Controller, ControllerId};
use crate::procedure::{DistanceProcedure, ProcedureId};
use crate::world::World;

impl World {
    /// Replaces a controller: its kind, connectors and when it acts. It keeps its name.
    pub fn set_controller(
        &mut self,
        id: ControllerId,
        controller: Controller,
    ) -> Result<(), ModelError> {
        let old = self
            .model
            .controllers
            .get(id.index, id.generation)
            .ok_or_else(unknown("set_controller"))?;
        let name = old.name.clone();
        let controller = Controller { name: old.desc.name.clone(), ..controller };
        let record = self.model.controller_record(controller, name, self)?;
        if let Some(slot) = self.model.controllers.get_mut(id.index, id.generation) {
            *slot = record;
        }
        self.model.revision += 1;
        Ok(())
    }

    /// Removes a curve with the constraints and controllers that are linked to it (W-144).
    pub fn remove_curve(&mut self, id: CurveId) -> Result<Curve, ModelError> {
        let record = self
            .model
            .curves
            .remove(id.index, id.generation)
            .ok_or_else(unknown("remove_curve"))?;
        self.model.names.remove(&record.name);
        let on = |c: &Connector| matches!(c, Connector::Curve { curve, .. } | Connector::Nearest { curve } if *curve == id);
        let constraints: Vec<_> = self
            .constraints()
            .filter(|c| self.constraint(*c).is_some_and(|c| c.connectors.iter().any(on)))
            .collect();
        for c in constraints {
            self.remove_constraint(c)?;
        }
        let controllers: Vec<_> = self
            .controllers()
            .filter(|c| self.controller(*c).is_some_and(|c| c.connectors.iter().any(on)))
            .collect();
        for c in controllers {
            self.remove_controller(c)?;
        }
        self.model.revision += 1;
        Ok(record.desc)
    }

    /// Replaces a distance procedure: its bodies, threshold, factor, and whether it is on. It keeps
    /// its name, and pairs that it holds already stay held.
    pub fn set_procedure(
        &mut self,
        id: ProcedureId,
        procedure: DistanceProcedure,
    ) -> Result<(), ModelError> {
        let old = self
            .model
            .procedures
            .get(id.index, id.generation)
            .ok_or_else(unknown("set_procedure"))?;
        let new = DistanceProcedure { name: old.desc.name.clone(), ..procedure };
        new.check(&old.name.clone(), &self.model)?;
        if let Some(slot) = self.model.procedures.get_mut(id.index, id.generation) {
            slot.desc = new;
        }
        self.model.revision += 1;
        Ok(())
    }
}
