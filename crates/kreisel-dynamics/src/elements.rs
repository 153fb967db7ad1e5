//! Editing curves, constraints, controllers and fields of a world, while it runs or not.

use crate::body::{BodyId, BodyKind};
use crate::connector::{
    Connector, Constraint, ConstraintId, ConstraintKind, ConstraintRecord, Corner, Curve, CurveId,
    PlacedPoint, Wrap,
};
use crate::error::ModelError;
use crate::force::{Controller, ControllerId, ControllerKind, Field, FieldId};
use crate::item::ItemId;
use crate::joint::Coordinate;
use crate::math::Vec3;
use crate::model::Model;
use crate::procedure::{DistanceProcedure, ProcedureId, ProcedureRecord};
use crate::world::World;
use std::sync::Arc;

/// A curve with its name.
#[derive(Clone, Debug)]
pub(crate) struct CurveRecord {
    pub desc: Curve,
    pub name: Arc<str>,
    /// A direction that it does not run along.
    aside: Vec3,
}

impl CurveRecord {
    fn new(desc: Curve, name: Arc<str>) -> Self {
        let aside = desc.aside();
        Self { desc, name, aside }
    }

    /// Two directions across the tangent `along`.
    pub fn across(&self, along: Vec3) -> [Vec3; 2] {
        let Some(tangent) = along.try_normalize() else { return [Vec3::ZERO; 2] };
        let first = self.aside.cross(tangent).try_normalize();
        let first = first.unwrap_or_else(|| tangent.any_orthonormal_vector());
        [first, tangent.cross(first)]
    }
}

/// A controller with its connectors placed.
#[derive(Clone, Debug)]
pub(crate) struct ControllerRecord {
    pub desc: Controller,
    pub name: Arc<str>,
    pub points: Vec<PlacedPoint>,
    /// Rest length of a spring, m.
    pub length: f64,
    /// Direction of a thruster in the principal frame of its body, of length 1.
    pub direction: Vec3,
    /// Torque of a thruster for a unit of thrust, likewise.
    pub torque: Vec3,
}

/// A field with its name.
#[derive(Clone, Debug)]
pub(crate) struct FieldRecord {
    pub desc: Field,
    pub name: Arc<str>,
}

pub(crate) fn unknown(what: &str) -> impl Fn() -> ModelError + '_ {
    move || ModelError::UnknownElement(what.to_owned())
}

impl Model {
    pub fn controller_record(
        &self,
        desc: Controller,
        name: Arc<str>,
        world: &World,
    ) -> Result<ControllerRecord, ModelError> {
        if let Some((field, _)) = desc.numbers().into_iter().find(|n| !n.1.is_finite()) {
            return Err(ModelError::NotFinite { item: name.to_string(), field });
        }
        if let ControllerKind::Drag { density, viscosity, .. } = desc.kind {
            for (field, value) in [("density", density), ("viscosity", viscosity)] {
                if value < 0.0 {
                    let (item, must) = (name.to_string(), "zero or more");
                    return Err(ModelError::OutOfRange { item, field, must, value });
                }
            }
        }
        if let ControllerKind::Thruster { direction, lag, torque, .. } = desc.kind {
            // one that only turns has no direction
            if direction.try_normalize().is_none() && torque == Vec3::ZERO {
                return Err(ModelError::ZeroAxis { item: name.to_string(), field: "direction" });
            }
            if lag < 0.0 {
                let (field, must) = ("lag", "zero or more");
                return Err(ModelError::OutOfRange {
                    item: name.to_string(),
                    field,
                    must,
                    value: lag,
                });
            }
        }
        let mut desc = desc;
        if let ControllerKind::Plugin(plugin) = &mut desc.kind {
            let refused = |why| ModelError::Plugin { item: name.to_string(), why };
            *plugin = plugin.resolved().map_err(refused)?;
        }
        let two = !desc.kind.is_single();
        let count = desc.connectors.len();
        let (fits, must) = match &desc.kind {
            ControllerKind::Plugin(plugin) => {
                let takes = plugin.law().is_none_or(|law| law.connectors().contains(&count));
                (takes, "as many as its law takes")
            }
            _ if two => (count == 2, "two"),
            _ => (count == 1 || count == 2, "one"),
        };
        if count == 0 || !fits {
            let field = "number of connectors";
            return Err(ModelError::OutOfRange {
                item: name.to_string(),
                field,
                must,
                value: count as f64,
            });
        }
        // connectors are placed as those of a constraint; a trajectory's follower comes second
        let probe = Constraint::new(
            ConstraintKind::Expression(vec![crate::formula::Expression::constant(0.0)]),
            desc.connectors.clone(),
        );
        let placed = ConstraintRecord::new(probe, name.clone(), 0, self, &world.state)?;
        let crate::connector::Placement::Points(points) = placed.placed else {
            return Err(ModelError::UnknownElement(name.to_string()));
        };
        let mut length = 0.0;
        if let ControllerKind::Spring { length: given, .. } = desc.kind {
            let at = |k: usize| world.connector_position(&desc.connectors[k]).unwrap_or_default();
            length = given.unwrap_or_else(|| at(0).distance(at(1)));
        }
        let (direction, torque) = match (&desc.kind, &desc.connectors[0]) {
            (ControllerKind::Thruster { direction, torque, .. }, Connector::Body { body, .. }) => {
                let principal = self.body(*body).map(|b| b.principal).unwrap_or_default();
                let back = principal.conjugate();
                (back * direction.normalize_or_zero(), back * *torque)
            }
            _ => (Vec3::ZERO, Vec3::ZERO),
        };
        Ok(ControllerRecord { desc, name, points, length, direction, torque })
    }

    /// Removes constraints, controllers and procedures' links of a body (W-144).
    pub fn remove_elements_of(&mut self, id: BodyId) {
        let constraints: Vec<(u32, u32)> = self
            .constraints
            .iter()
            .filter(|(_, _, c)| c.bodies.contains(&id))
            .map(|(i, g, _)| (i, g))
            .collect();
        for (i, g) in constraints {
            if let Some(record) = self.constraints.remove(i, g) {
                self.names.remove(&record.name);
            }
        }
        let touches = |c: &ControllerRecord| {
            c.desc
                .connectors
                .iter()
                .any(|c| matches!(c, Connector::Body { body, .. } if *body == id))
        };
        let controllers: Vec<(u32, u32)> = self
            .controllers
            .iter()
            .filter(|(_, _, c)| touches(c))
            .map(|(i, g, _)| (i, g))
            .collect();
        for (i, g) in controllers {
            if let Some(record) = self.controllers.remove(i, g) {
                self.names.remove(&record.name);
            }
        }
        let procedures: Vec<(u32, u32)> = self.procedures.iter().map(|(i, g, _)| (i, g)).collect();
        for (i, g) in procedures {
            if let Some(p) = self.procedures.get_mut(i, g) {
                p.desc.bodies.retain(|b| b.0 != id);
            }
        }
        self.remove_sensors(|s| s.body == Some(id) || s.relative_to == id);
        self.revision += 1;
    }
}

impl World {
    /// Adds a curve.
    pub fn add_curve(&mut self, curve: Curve) -> Result<CurveId, ModelError> {
        let name = self.model.name(&curve.name, "curve", self.model.curves.len() + 1)?;
        curve.check(&name)?;
        let id = CurveId::new(self.model.curves.insert(CurveRecord::new(curve, name.clone())));
        self.model.names.insert(name, ItemId::Curve(id));
        self.model.revision += 1;
        Ok(id)
    }

    /// Replaces a curve: its control points. It keeps its name.
    pub fn set_curve(&mut self, id: CurveId, curve: Curve) -> Result<(), ModelError> {
        let record =
            self.model.curves.get_mut(id.index, id.generation).ok_or_else(unknown("set_curve"))?;
        let new = Curve { name: record.desc.name.clone(), ..curve };
        new.check(&record.name)?;
        *record = CurveRecord::new(new, record.name.clone());
        self.model.revision += 1;
        Ok(())
    }

    /// Adds a constraint between connectors.
    pub fn add_constraint(&mut self, constraint: Constraint) -> Result<ConstraintId, ModelError> {
        let name =
            self.model.name(&constraint.name, "constraint", self.model.constraints.len() + 1)?;
        self.model.check_mode(&name)?;
        let constraint = self.as_it_stands(constraint, &name)?;
        let record = ConstraintRecord::new(
            constraint,
            name.clone(),
            self.model.revision,
            &self.model,
            &self.state,
        )?;
        if !crate::connector::is_joint(&record) {
            Model::check_energy(&self.model.settings, &name)?;
        }
        let assemble = record.desc.assemble && record.desc.active;
        let id = ConstraintId::new(self.model.constraints.insert(record));
        self.model.names.insert(name, ItemId::Constraint(id));
        self.model.revision += 1;
        if assemble {
            self.begin_assembly(id);
        }
        Ok(id)
    }

    /// Fills in what is left out of a transmission or cable, as it stands: phases and length.
    fn as_it_stands(
        &self,
        mut constraint: Constraint,
        name: &str,
    ) -> Result<Constraint, ModelError> {
        let value = |joint, coordinate| self.coordinate(joint, coordinate).unwrap_or(0.0);
        match &mut constraint.kind {
            ConstraintKind::Transmission { of, phase } => {
                // whatever its phases: what means nothing is refused
                let (equations, given) = (of.equations(name, &self.model)?, !phase.is_empty());
                for equation in equations.into_iter().filter(|_| !given) {
                    let q: Vec<f64> =
                        equation.joints.iter().map(|j| value(j.joint, j.coordinate)).collect();
                    let sum: f64 =
                        equation.joints.iter().zip(&q).map(|(j, q)| j.factors[0] * q).sum();
                    let taken = equation.profile.map_or(0.0, |f| f.along(&[(q[0], 1.0, 0.0)]).0);
                    phase.push(sum - taken);
                }
            }
            ConstraintKind::Cable { length: length @ None, drum, wraps, weights } => {
                let (_, way) = self.cable_line(&constraint.connectors, wraps, weights);
                *length = Some(
                    way - drum
                        .map_or(0.0, |(joint, radius)| radius * value(joint, Coordinate::Angle)),
                );
            }
            _ => {}
        }
        Ok(constraint)
    }

    /// The corners of a cable as it stands, and its weighted length.
    fn cable_line(
        &self,
        connectors: &[Connector],
        wraps: &[Wrap],
        weights: &[f64],
    ) -> (Vec<Corner>, f64) {
        let points: Vec<Vec3> =
            connectors.iter().map(|c| self.connector_position(c).unwrap_or_default()).collect();
        let turned = |w: &Wrap| {
            let body = match connectors.get(w.around) {
                Some(Connector::Body { body, .. }) => self.rotation(*body),
                _ => None,
            };
            Wrap { axis: w.axis.map(|axis| body.unwrap_or_default() * axis), ..*w }
        };
        let wraps: Vec<Wrap> = wraps.iter().map(turned).collect();
        Wrap::line(&points, &wraps, weights)
    }

    /// Corners of a cable as it stands: its points, and where it touches what it runs over.
    pub fn cable_corners(&self, id: ConstraintId) -> Option<Vec<Corner>> {
        let c = self.constraint(id)?;
        let ConstraintKind::Cable { wraps, weights, .. } = &c.kind else { return None };
        Some(self.cable_line(&c.connectors, wraps, weights).0)
    }

    /// Weighted length of the way of a cable, whatever its drum gives, and the rate of that length,
    /// m and m/s.
    pub fn cable_way(&self, id: ConstraintId) -> Option<[f64; 2]> {
        let c = self.constraint(id)?;
        let ConstraintKind::Cable { wraps, weights, .. } = &c.kind else { return None };
        let (corners, length) = self.cable_line(&c.connectors, wraps, weights);
        let speed = |corner: &Corner| match c.connectors.get(corner.of) {
            Some(Connector::Body { body, .. }) => {
                let arm = corner.at - self.center_of_mass(*body).unwrap_or_default();
                let [v, w] = [self.velocity(*body), self.angular_velocity(*body)];
                v.unwrap_or_default() + w.unwrap_or_default().cross(arm)
            }
            Some(Connector::Fixed { velocity, .. }) => *velocity,
            _ => Vec3::ZERO,
        };
        let part = |w: &[Corner]| {
            let u = (w[1].at - w[0].at).normalize_or_zero();
            let free = if w[0].on_surface { 0.0 } else { w[0].weight };
            free * u.dot(speed(&w[1]) - speed(&w[0]))
        };
        Some([length, corners.windows(2).map(part).sum()])
    }

    /// Removes a constraint.
    pub fn remove_constraint(&mut self, id: ConstraintId) -> Result<Constraint, ModelError> {
        let record = self
            .model
            .constraints
            .remove(id.index, id.generation)
            .ok_or_else(unknown("remove_constraint"))?;
        self.model.names.remove(&record.name);
        self.model.revision += 1;
        Ok(record.desc)
    }

    /// Replaces a constraint: its kind, connectors, locks and parameters. It keeps its name.
    pub fn set_constraint(
        &mut self,
        id: ConstraintId,
        constraint: Constraint,
    ) -> Result<(), ModelError> {
        let old = self
            .model
            .constraints
            .get(id.index, id.generation)
            .ok_or_else(unknown("set_constraint"))?;
        let (name, age) = (old.name.clone(), old.age);
        let speed = |kind: &ConstraintKind| {
            if let ConstraintKind::PointToPath { speed, .. } = kind { Some(*speed) } else { None }
        };
        let turned = speed(&old.desc.kind) != speed(&constraint.kind);
        let constraint = Constraint { name: old.desc.name.clone(), ..constraint };
        let constraint = self.as_it_stands(constraint, &name)?;
        let record = ConstraintRecord::new(constraint, name, age, &self.model, &self.state)?;
        if !crate::connector::is_joint(&record) {
            Model::check_energy(&self.model.settings, &record.name)?;
        }
        if let Some(slot) = self.model.constraints.get_mut(id.index, id.generation) {
            *slot = record;
        }
        // another speed is that from now on, whichever way the point was running
        if let Some(path) = self.engine.lagrange.memory.paths.get_mut(&id.index).filter(|_| turned)
        {
            path.direction = 1.0;
        }
        self.model.revision += 1;
        Ok(())
    }

    /// Switches a constraint on or off; it keeps its links (W-31).
    pub fn set_constraint_active(
        &mut self,
        id: ConstraintId,
        active: bool,
    ) -> Result<(), ModelError> {
        let record = self
            .model
            .constraints
            .get_mut(id.index, id.generation)
            .ok_or_else(unknown("set_constraint_active"))?;
        let rises = active && !record.desc.active;
        record.desc.active = active;
        if rises {
            record.choose_sense(&self.state);
        }
        let assemble = rises && record.desc.assemble;
        self.model.revision += 1;
        if assemble {
            self.begin_assembly(id);
        }
        Ok(())
    }

    /// Adds a controller.
    pub fn add_controller(&mut self, controller: Controller) -> Result<ControllerId, ModelError> {
        let name =
            self.model.name(&controller.name, "controller", self.model.controllers.len() + 1)?;
        let record = self.model.controller_record(controller, name.clone(), self)?;
        let id = ControllerId::new(self.model.controllers.insert(record));
        self.model.names.insert(name, ItemId::Controller(id));
        self.model.revision += 1;
        Ok(id)
    }

    /// Removes a controller.
    pub fn remove_controller(&mut self, id: ControllerId) -> Result<Controller, ModelError> {
        let record = self
            .model
            .controllers
            .remove(id.index, id.generation)
            .ok_or_else(unknown("remove_controller"))?;
        self.model.names.remove(&record.name);
        self.model.revision += 1;
        Ok(record.desc)
    }

    /// Switches a controller on or off.
    pub fn set_controller_active(
        &mut self,
        id: ControllerId,
        active: bool,
    ) -> Result<(), ModelError> {
        let record = self
            .model
            .controllers
            .get_mut(id.index, id.generation)
            .ok_or_else(unknown("set_controller_active"))?;
        record.desc.active = active;
        self.model.revision += 1;
        Ok(())
    }

    /// Adds a force field.
    pub fn add_field(&mut self, field: Field) -> Result<FieldId, ModelError> {
        let name = self.model.name(&field.name, "field", self.model.fields.len() + 1)?;
        field.check(&name)?;
        let id =
            FieldId::new(self.model.fields.insert(FieldRecord { desc: field, name: name.clone() }));
        self.model.names.insert(name, ItemId::Field(id));
        self.model.revision += 1;
        Ok(id)
    }

    /// Removes a force field.
    pub fn remove_field(&mut self, id: FieldId) -> Result<Field, ModelError> {
        let record = self
            .model
            .fields
            .remove(id.index, id.generation)
            .ok_or_else(unknown("remove_field"))?;
        self.model.names.remove(&record.name);
        self.model.revision += 1;
        Ok(record.desc)
    }

    /// Replaces a field: its kind, strength and whether it is on. It keeps its name.
    pub fn set_field(&mut self, id: FieldId, field: Field) -> Result<(), ModelError> {
        let record =
            self.model.fields.get_mut(id.index, id.generation).ok_or_else(unknown("set_field"))?;
        field.check(&record.name)?;
        record.desc = Field { name: record.desc.name.clone(), ..field };
        self.model.revision += 1;
        Ok(())
    }

    /// Adds a distance procedure.
    pub fn add_procedure(
        &mut self,
        procedure: DistanceProcedure,
    ) -> Result<ProcedureId, ModelError> {
        let name =
            self.model.name(&procedure.name, "procedure", self.model.procedures.len() + 1)?;
        procedure.check(&name, &self.model)?;
        let record = ProcedureRecord { desc: procedure, name: name.clone(), pairs: Vec::new() };
        let id = ProcedureId::new(self.model.procedures.insert(record));
        self.model.names.insert(name, ItemId::Procedure(id));
        self.model.revision += 1;
        self.adopt_pairs(id);
        Ok(id)
    }

    /// Removes a distance procedure; constraints that it has made stay as they are.
    pub fn remove_procedure(&mut self, id: ProcedureId) -> Result<DistanceProcedure, ModelError> {
        let record = self
            .model
            .procedures
            .remove(id.index, id.generation)
            .ok_or_else(unknown("remove_procedure"))?;
        self.model.names.remove(&record.name);
        self.model.revision += 1;
        Ok(record.desc)
    }

    /// Where a connector is now; `None` for the nearest point of a curve, which depends on another
    /// connector.
    pub fn connector_position(&self, connector: &Connector) -> Option<Vec3> {
        match connector {
            Connector::Fixed { position, .. } => Some(*position),
            Connector::Body { body, point, .. } => self.point(*body, *point),
            Connector::Curve { curve, parameter } => {
                self.curve(*curve).map(|c| c.point(*parameter))
            }
            Connector::Nearest { .. } => None,
            Connector::Function(f) => {
                let t = self.time();
                Some(Vec3::from_array([0, 1, 2].map(|k| f[k].along(&[(t, 1.0, 0.0)]).0)))
            }
        }
    }

    /// Makes a body dynamic, kinematic or static, at any time; its links stay (W-111).
    pub fn set_body_kind(&mut self, id: BodyId, kind: BodyKind) -> Result<(), ModelError> {
        if id == BodyId::WORLD {
            return Err(ModelError::TheWorld("moved"));
        }
        self.model.check_kind(id, kind)?;
        let record = self.model.bodies.get_mut(id.index, id.generation);
        let record = record.ok_or_else(|| ModelError::UnknownBody("set_body_kind".into()))?;
        if kind == BodyKind::Dynamic {
            let mass = record.desc.mass.check();
            mass.map_err(|source| ModelError::Mass { body: record.name.to_string(), source })?;
        }
        record.desc.kind = kind;
        if kind == BodyKind::Static {
            let mut s = *self.state.slot(id.index);
            (s.velocity, s.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
            self.state.set_slot(id.index, s);
        }
        self.model.revision += 1;
        Ok(())
    }

    /// Kinetic motion of all dynamic bodies to zero: a brake for what settling left behind (W-112).
    pub fn stop(&mut self) {
        let moving: Vec<u32> = self
            .model
            .bodies
            .iter()
            .filter(|(_, _, b)| b.desc.kind == BodyKind::Dynamic)
            .map(|(slot, _, _)| slot)
            .collect();
        for slot in moving {
            let mut s = *self.state.slot(slot);
            (s.velocity, s.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
            self.state.set_slot(slot, s);
        }
    }
}
