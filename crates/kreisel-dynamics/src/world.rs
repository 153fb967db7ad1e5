//! The world: what exists (the model), how it stands and moves (the state), and the step.

use crate::body::{Body, BodyId, BodyKind};
use crate::bounds;
use crate::contact::{ContactInfo, ContactMode, Material};
use crate::engine::Engine;
use crate::error::ModelError;
use crate::force::{Motor, MotorId, Schedule, Spring, SpringId};
use crate::joint::{Joint, JointId};
use crate::math::{Quat, Vec3};
use crate::model::Model;
use crate::report::{Event, StepReport};
use crate::settings::{Method, Settings};
use crate::state::{BodyState, State};
use kreisel_geometry::Shape;
use serde::{Deserialize, Serialize};

/// Bodies, joints, springs and motors, and their motion.
///
/// ```
/// use kreisel_dynamics::{Body, BodyId, Joint, World, Vec3};
///
/// let mut world = World::new();
/// let arm = world.add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(0.5, 0.0, 0.0)))?;
/// world.add_joint(Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Y))?;
/// for _ in 0..100 {
///     let report = world.step(0.01);
///     assert!(report.worst.is_none_or(|w| w.position <= 1e-6));
/// }
/// # Ok::<(), kreisel_dynamics::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) inputs: Inputs,
    pub(crate) engine: Engine,
    /// What sensors remember, by slot.
    pub(crate) sensors: Vec<crate::sensor::SensorMemory>,
    /// States at the start of the step, for sensors of acceleration.
    pub(crate) sensed_from: Vec<BodyState>,
}

/// Forces of the user, valid for the next step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Inputs {
    /// Force and torque about the centre of mass, by body slot.
    pub efforts: Vec<(Vec3, Vec3)>,
    /// Work done by impulses since the last step, J.
    pub impulse_work: f64,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world with gravity (0, 0, −9.81) m/s².
    pub fn new() -> Self {
        let mut state = State::default();
        state.set_slot(0, BodyState::default());
        Self {
            model: Model::new(),
            state,
            inputs: Inputs::default(),
            engine: Engine::default(),
            sensors: Vec::new(),
            sensed_from: Vec::new(),
        }
    }

    /// Advances the world by `h` seconds.
    ///
    /// A step size that is not a positive number is refused: nothing happens and the report says
    /// so.
    pub fn step(&mut self, h: f64) -> StepReport {
        self.begin_sensing();
        let mut report = self.engine.step(&self.model, &mut self.state, &mut self.inputs, h);
        if report.status == crate::Status::Interrupted {
            return report;
        }
        self.settle_contradictions(h, &mut report);
        for event in &report.events {
            if let Event::Broken { joint, .. } = event
                && let Some(record) = self.model.joints.get_mut(joint.index, joint.generation)
            {
                record.desc.active = false;
                self.model.revision += 1;
            }
            if let Event::ConstraintBroken { constraint, .. } = event
                && let Some(record) =
                    self.model.constraints.get_mut(constraint.index, constraint.generation)
            {
                record.desc.active = false;
                self.model.revision += 1;
            }
        }
        if report.status != crate::Status::Refused {
            self.end_sensing(h);
            self.tell_sensors(&mut report);
            self.run_procedures(&mut report);
        }
        report
    }

    // ---- editing
    // --------------------------------------------------------------------------------------------------

    /// Adds a body.
    pub fn add_body(&mut self, body: Body) -> Result<BodyId, ModelError> {
        self.model.add_body(body, &mut self.state)
    }

    /// Adds a joint; its anchors and axes are taken in world coordinates for the bodies' present
    /// poses.
    pub fn add_joint(&mut self, joint: Joint) -> Result<JointId, ModelError> {
        self.model.add_joint(joint, &self.state)
    }

    /// Adds a spring; its anchors are taken in world coordinates for the bodies' present poses.
    pub fn add_spring(&mut self, spring: Spring) -> Result<SpringId, ModelError> {
        self.model.add_spring(spring, &self.state)
    }

    /// Adds a motor.
    pub fn add_motor(&mut self, motor: Motor) -> Result<MotorId, ModelError> {
        self.model.add_motor(motor)
    }

    /// Removes a body with its joints, springs and motors.
    pub fn remove_body(&mut self, id: BodyId) -> Result<Body, ModelError> {
        let body = self.model.remove_body(id)?;
        if let Some(effort) = self.inputs.efforts.get_mut(id.index as usize) {
            *effort = (Vec3::ZERO, Vec3::ZERO);
        }
        Ok(body)
    }

    /// Removes a joint with its motors.
    pub fn remove_joint(&mut self, id: JointId) -> Result<Joint, ModelError> {
        self.model.remove_joint(id)
    }

    /// Removes a spring.
    pub fn remove_spring(&mut self, id: SpringId) -> Result<Spring, ModelError> {
        self.model.remove_spring(id)
    }

    /// Removes a motor.
    pub fn remove_motor(&mut self, id: MotorId) -> Result<Motor, ModelError> {
        self.model.remove_motor(id)
    }

    /// Switches a joint on or off.
    pub fn set_joint_active(&mut self, id: JointId, active: bool) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownJoint("set_joint_active".into());
        let record = self.model.joints.get_mut(id.index, id.generation).ok_or_else(unknown)?;
        record.desc.active = active;
        self.model.revision += 1;
        Ok(())
    }

    /// Gives a motor a constant effort, rate, set value or voltage from now on, whatever its
    /// schedule was. What a controller does in every step: nothing has to be built anew.
    pub fn set_motor_value(&mut self, id: MotorId, value: f64) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownForce("set_motor_value".into());
        let record = self.model.motors.get_mut(id.index, id.generation).ok_or_else(unknown)?;
        let mut desc = record.desc.clone();
        *desc.control.schedule_mut() = Schedule::constant(value);
        Model::check_motor(&record.name, &desc)?;
        record.desc = desc;
        Ok(())
    }

    /// Gravity, m/s².
    pub fn gravity(&self) -> Vec3 {
        self.model.gravity
    }

    /// Sets gravity, m/s².
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), ModelError> {
        bounds::GRAVITY.check_vector("world", "gravity", gravity)?;
        self.model.gravity = gravity;
        Ok(())
    }

    /// Gives the world a flag that gives up its steps.
    pub fn set_interrupt(&mut self, interrupt: crate::Interrupt) {
        self.engine.interrupt = interrupt;
    }

    /// The settings of the step.
    pub fn settings(&self) -> &Settings {
        &self.model.settings
    }

    /// Changes the settings; allowed at any time.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), ModelError> {
        let mut settings = settings;
        if !settings.contact.plugin.name().is_empty() {
            let refused = |why| ModelError::Plugin { item: "contact".into(), why };
            settings.contact.plugin = settings.contact.plugin.resolved().map_err(refused)?;
        }
        settings.check().map_err(|mut problems| problems.swap_remove(0))?;
        // how long steps may take concerns nothing that is built or remembered
        if settings
            == (Settings { time_budget: settings.time_budget, ..self.model.settings.clone() })
        {
            self.model.settings = settings;
            return Ok(());
        }
        if settings.contact.mode == ContactMode::Event {
            let joint = self.model.joints.iter().next().map(|j| j.2.name.clone());
            let spring = || self.model.springs.iter().next().map(|s| s.2.name.clone());
            let constraint = || self.model.constraints.iter().next().map(|c| c.2.name.clone());
            let first = joint.or_else(spring).or_else(constraint);
            if let Some(name) = first {
                return Err(ModelError::EventMode(name.to_string()));
            }
        }
        let guides =
            self.model.joints.iter().filter(|(_, _, j)| j.guide.is_some()).map(|j| &j.2.name);
        let others = self
            .model
            .constraints
            .iter()
            .filter(|(_, _, c)| !crate::connector::is_joint(c))
            .map(|c| &c.2.name);
        if let Some(name) = guides.chain(others).next() {
            Model::check_energy(&settings, name)?;
        }
        for (_, body, surface) in self.model.surfaces() {
            Model::check_event_shape(&settings, &body.name, Some(surface.shape))?;
        }
        for (_, _, joint) in self.model.joints.iter() {
            Model::check_rotor(&settings, &joint.name, &joint.desc)?;
        }
        self.model.settings = settings;
        self.model.revision += 1;
        Ok(())
    }

    /// Changes settings in place: what `change` makes of them is checked as a whole.
    ///
    /// ```
    /// # use kreisel_dynamics::{Method, World};
    /// let mut world = World::new();
    /// world.edit_settings(|s| s.method = Method::Iterative)?;
    /// assert!(world.edit_settings(|s| s.tolerance.position = -1.0).is_err());
    /// assert_eq!(world.settings().method, Method::Iterative);
    /// # Ok::<(), kreisel_dynamics::ModelError>(())
    /// ```
    pub fn edit_settings(&mut self, change: impl FnOnce(&mut Settings)) -> Result<(), ModelError> {
        let mut settings = self.model.settings.clone();
        change(&mut settings);
        self.set_settings(settings)
    }

    /// Gives the chain that `body` belongs to a method of its own (B-51); `None` gives it the
    /// world's again.
    pub fn set_method(&mut self, body: BodyId, method: Option<Method>) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownBody("set_method".into());
        if method == Some(Method::Lagrange) {
            return Err(ModelError::NotForChains);
        }
        self.model.bodies.get_mut(body.index, body.generation).ok_or_else(unknown)?.method = method;
        self.model.revision += 1;
        Ok(())
    }

    // ---- contacts
    // -------------------------------------------------------------------------------------------------

    /// Gives the world itself a shape: the ground, walls. It replaces the one before.
    pub fn set_ground(
        &mut self,
        shape: Option<Shape>,
        material: Material,
    ) -> Result<(), ModelError> {
        let ground = Body { shape, material, ..Body::fixed() };
        Model::check_surface("world", &ground)?;
        Model::check_event_shape(&self.model.settings, "world", ground.shape.as_ref())?;
        let id = BodyId::WORLD;
        let unknown = || ModelError::UnknownBody("set_ground".into());
        let record = self.model.bodies.get_mut(id.index, id.generation).ok_or_else(unknown)?;
        (record.desc.shape, record.desc.material) = (ground.shape, ground.material);
        self.model.revision += 1;
        Ok(())
    }

    /// Changes restitution and friction of a body.
    pub fn set_material(&mut self, body: BodyId, material: Material) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownBody("set_material".into());
        let record = self.model.bodies.get_mut(body.index, body.generation).ok_or_else(unknown)?;
        Model::check_surface(&record.name, &Body { material: material.clone(), ..Body::fixed() })?;
        record.desc.material = material;
        self.model.revision += 1;
        Ok(())
    }

    /// Changes what a body meets others with, to be as another one's: shape, material, groups,
    /// whether it only reports or is solid from one side. Its mass stays.
    pub fn set_surface(&mut self, body: BodyId, like: &Body) -> Result<(), ModelError> {
        if body == BodyId::WORLD {
            return Err(ModelError::TheWorld("changed"));
        }
        let unknown = || ModelError::UnknownBody("set_surface".into());
        let record = self.model.bodies.get_mut(body.index, body.generation).ok_or_else(unknown)?;
        Model::check_surface(&record.name, &Body { kind: record.desc.kind, ..like.clone() })?;
        Model::check_event_shape(&self.model.settings, &record.name, like.shape.as_ref())?;
        let old = &mut record.desc;
        (old.shape, old.material) = (like.shape.clone(), like.material.clone());
        (old.groups, old.sensor, old.one_way) = (like.groups, like.sensor, like.one_way);
        self.model.revision += 1;
        Ok(())
    }

    /// The contact regions after the last step, also those of bodies that are only near each other
    /// (their force is zero).
    pub fn contacts(&self) -> impl Iterator<Item = ContactInfo> + '_ {
        self.engine.contacts.infos()
    }

    /// Whether a body sleeps: see [`ContactSettings::sleep`](crate::ContactSettings::sleep).
    pub fn is_asleep(&self, body: BodyId) -> bool {
        self.model.body(body).is_some() && self.engine.contacts.is_asleep(body.index)
    }

    /// Force of all contacts on a body, mean over the last step, N.
    pub fn contact_force(&self, body: BodyId) -> Option<Vec3> {
        self.model.body(body)?;
        let on = |c: &ContactInfo| match c.bodies {
            [a, _] if a == body => c.force,
            [_, b] if b == body => -c.force,
            _ => Vec3::ZERO,
        };
        Some(self.contacts().map(|c| on(&c)).sum())
    }

    // ---- forces of the user
    // ---------------------------------------------------------------------------------------

    /// Applies a force (N, world coordinates) at a point of the world during the next step.
    pub fn apply_force(
        &mut self,
        body: BodyId,
        force: Vec3,
        point: Vec3,
    ) -> Result<(), ModelError> {
        let arm = point - self.checked(body, "apply_force", [force, point])?.position;
        self.effort(body, force, arm.cross(force));
        Ok(())
    }

    /// Applies a torque (N m, world coordinates) during the next step.
    pub fn apply_torque(&mut self, body: BodyId, torque: Vec3) -> Result<(), ModelError> {
        self.checked(body, "apply_torque", [torque, Vec3::ZERO])?;
        self.effort(body, Vec3::ZERO, torque);
        Ok(())
    }

    fn effort(&mut self, body: BodyId, force: Vec3, torque: Vec3) {
        self.inputs.efforts.resize(self.state.bodies.len(), (Vec3::ZERO, Vec3::ZERO));
        let e = &mut self.inputs.efforts[body.index as usize];
        *e = (e.0 + force, e.1 + torque);
    }

    /// Applies an impulse (N s, world coordinates) at a point of the world, at once.
    pub fn apply_impulse(
        &mut self,
        body: BodyId,
        impulse: Vec3,
        point: Vec3,
    ) -> Result<(), ModelError> {
        let mut s = self.checked(body, "apply_impulse", [impulse, point])?;
        let record = self.record(body)?;
        if record.desc.kind != BodyKind::Dynamic {
            return Ok(());
        }
        let (mass, moments) = (record.desc.mass.mass, record.moments);
        let before = kinetic(mass, moments, &s);
        s.velocity += impulse / mass;
        let local = s.rotation.conjugate() * (point - s.position).cross(impulse);
        let inverse = Vec3::select(moments.cmpgt(Vec3::ZERO), moments.recip(), Vec3::ZERO);
        s.angular_velocity += s.rotation * (local * inverse);
        // An impulse that would throw the body out of bounds is refused; one that slows a body down
        // never is.
        let old = self.state.slot(body.index);
        if s.velocity.length() > old.velocity.length() {
            bounds::SPEED.check_vector(&record.name, "velocity after the impulse", s.velocity)?;
        }
        if s.angular_velocity.length() > old.angular_velocity.length() {
            bounds::SPIN.check_vector(
                &record.name,
                "angular velocity after the impulse",
                s.angular_velocity,
            )?;
        }
        self.inputs.impulse_work += kinetic(mass, moments, &s) - before;
        self.state.set_slot(body.index, s);
        Ok(())
    }

    // ---- bodies
    // ---------------------------------------------------------------------------------------------------

    fn record(&self, id: BodyId) -> Result<&crate::model::BodyRecord, ModelError> {
        self.model.body(id).ok_or_else(|| ModelError::UnknownBody("query".into()))
    }

    /// The body's state after checking that the body exists and the vectors are finite.
    fn checked(
        &self,
        id: BodyId,
        what: &'static str,
        vectors: [Vec3; 2],
    ) -> Result<BodyState, ModelError> {
        let record = self.model.body(id).ok_or_else(|| ModelError::UnknownBody(what.into()))?;
        if vectors.iter().any(|v| !v.is_finite()) {
            return Err(ModelError::NotFinite { item: record.name.to_string(), field: what });
        }
        Ok(*self.state.slot(id.index))
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Origin of the body's frame, m.
    pub fn position(&self, id: BodyId) -> Option<Vec3> {
        let r = self.model.body(id)?;
        let s = self.state.slot(id.index);
        Some(s.position - s.rotation * (r.principal.conjugate() * r.center))
    }

    /// Rotation from the body's frame to the world.
    pub fn rotation(&self, id: BodyId) -> Option<Quat> {
        let r = self.model.body(id)?;
        Some((self.state.slot(id.index).rotation * r.principal.conjugate()).normalize())
    }

    /// Centre of mass, m.
    pub fn center_of_mass(&self, id: BodyId) -> Option<Vec3> {
        self.model.body(id).map(|_| self.state.slot(id.index).position)
    }

    /// Velocity of the centre of mass, m/s.
    pub fn velocity(&self, id: BodyId) -> Option<Vec3> {
        self.model.body(id).map(|_| self.state.slot(id.index).velocity)
    }

    /// Angular velocity in world coordinates, rad/s.
    pub fn angular_velocity(&self, id: BodyId) -> Option<Vec3> {
        self.model.body(id).map(|_| self.state.slot(id.index).angular_velocity)
    }

    /// A point given in the body's frame, in world coordinates.
    pub fn point(&self, id: BodyId, local: Vec3) -> Option<Vec3> {
        Some(self.position(id)? + self.rotation(id)? * local)
    }

    /// Moves a body to a new pose of its frame. Joints pull it back if they do not allow it.
    pub fn set_pose(
        &mut self,
        id: BodyId,
        position: Vec3,
        rotation: Quat,
    ) -> Result<(), ModelError> {
        let mut s = self.checked(id, "set_pose", [position, rotation.xyz()])?;
        if id == BodyId::WORLD {
            return Err(ModelError::TheWorld("moved"));
        }
        let r = self.record(id)?;
        if !rotation.is_finite() || rotation.length() < 1e-6 {
            return Err(ModelError::NotFinite { item: r.name.to_string(), field: "rotation" });
        }
        bounds::POSITION.check_vector(&r.name, "position", position)?;
        let rotation = rotation.normalize();
        s.position = position + rotation * r.center;
        s.rotation = (rotation * r.principal).normalize();
        self.state.set_slot(id.index, s);
        Ok(())
    }

    /// Sets velocity of the centre of mass and angular velocity (world coordinates).
    pub fn set_velocity(
        &mut self,
        id: BodyId,
        velocity: Vec3,
        angular_velocity: Vec3,
    ) -> Result<(), ModelError> {
        let mut s = self.checked(id, "set_velocity", [velocity, angular_velocity])?;
        if id == BodyId::WORLD {
            return Err(ModelError::TheWorld("moved"));
        }
        let record = self.record(id)?;
        Model::check_rest(&record.name, record.desc.kind, velocity, angular_velocity)?;
        bounds::SPEED.check_vector(&record.name, "velocity", velocity)?;
        bounds::SPIN.check_vector(&record.name, "angular velocity", angular_velocity)?;
        s.velocity = velocity;
        s.angular_velocity = angular_velocity;
        self.state.set_slot(id.index, s);
        Ok(())
    }
}

/// Kinetic energy of a body.
pub(crate) fn kinetic(mass: f64, moments: Vec3, s: &BodyState) -> f64 {
    let w = s.rotation.conjugate() * s.angular_velocity;
    0.5 * (mass * s.velocity.length_squared() + (moments * w).dot(w))
}
