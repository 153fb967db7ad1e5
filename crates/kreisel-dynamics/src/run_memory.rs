//! What a run remembers besides what a scene says: impulses for the warm start, sums of
//! controllers, counted angles, samples of sensors, places on curves, frames of joints to the bit.
//!
//! A world that is written down as a scene and read again has no gaps: what was removed is not
//! there, and slots are counted anew in the same order. The memory is written with these numbers,
//! so that the world read again takes it over and goes on with the same bits.

use crate::arena::Arena;
use crate::connector::{Connector, ConstraintRecord, PlacedPoint, Placement};
use crate::error::ModelError;
use crate::joint::LocalFrame;
use crate::lagrange::PathMemory;
use crate::math::{Mat3, Vec3};
use crate::snapshot::Snapshot;
use crate::state::{BodyState, State};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a run remembers, for a world that is written down as a scene and read again.
///
/// ```
/// # use kreisel_dynamics::{Body, World, Vec3};
/// let build = || {
///     let mut world = World::new();
///     world.add_body(Body::sphere(1.0, 0.1).at(Vec3::Z)).map(|_| world)
/// };
/// let mut first = build()?;
/// first.step(0.01);
/// let mut second = build()?;
/// second.recall(&first.run_memory())?;
/// first.step(0.01);
/// second.step(0.01);
/// assert_eq!(first.state_hash(), second.state_hash());
/// # Ok::<(), kreisel_dynamics::ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunMemory {
    snapshot: Snapshot,
    joints: Vec<JointMemory>,
    /// Anchors and length of springs.
    springs: Vec<([Vec3; 2], f64)>,
    constraints: Vec<ConstraintMemory>,
    /// Fixed connectors of controllers.
    controllers: Vec<Vec<FixedMemory>>,
}

/// Where a fixed connector stood, m, and when, s: it moves on from there.
type FixedMemory = (Vec3, f64);

/// A constraint as it is fixed to its bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ConstraintMemory {
    /// Frames of one that is a pair of parts, and whether its axes are held parallel.
    pair: Option<([LocalFrame; 2], f64)>,
    fixed: Vec<FixedMemory>,
    length: f64,
    age: u64,
}

/// What is remembered of fixed connectors.
fn fixed(points: &[PlacedPoint]) -> Vec<FixedMemory> {
    let one = |p: &PlacedPoint| match p {
        PlacedPoint::Fixed { position, since, .. } => Some((*position, *since)),
        _ => None,
    };
    points.iter().filter_map(one).collect()
}

/// Puts fixed connectors where they stood.
fn put_back(connectors: &mut [Connector], points: &mut [PlacedPoint], memory: &[FixedMemory]) {
    let both = connectors.iter_mut().zip(points).filter_map(|(c, p)| match (c, p) {
        (Connector::Fixed { position: a, .. }, PlacedPoint::Fixed { position: b, since, .. }) => {
            Some((a, b, since))
        }
        _ => None,
    });
    for ((a, b, since), (position, then)) in both.zip(memory) {
        (*a, *b, *since) = (*position, *position, *then);
    }
}

impl ConstraintMemory {
    fn of(record: &ConstraintRecord) -> Self {
        let pair = match &record.placed {
            Placement::Pair { frames, sense, .. } => Some((*frames, *sense)),
            _ => None,
        };
        let fixed = match &record.placed {
            Placement::Points(points) => fixed(points),
            _ => Vec::new(),
        };
        Self { pair, fixed, length: record.length, age: record.age }
    }

    fn is_sound(&self) -> bool {
        let pair = |(f, s): &([LocalFrame; 2], f64)| f.iter().all(is_frame) && s.abs() == 1.0;
        self.pair.as_ref().is_none_or(pair) && self.length.is_finite() && are_sound(&self.fixed)
    }

    fn put(&self, record: &mut ConstraintRecord) {
        (record.length, record.age) = (self.length, self.age);
        match (&mut record.placed, &self.pair) {
            (Placement::Pair { frames, sense, .. }, Some(was)) => (*frames, *sense) = *was,
            (Placement::Points(points), _) => {
                put_back(&mut record.desc.connectors, points, &self.fixed)
            }
            _ => {}
        }
    }
}

fn are_sound(fixed: &[FixedMemory]) -> bool {
    fixed.iter().all(|(p, t)| p.is_finite() && t.is_finite())
}

/// Whether axes are of length one and orthogonal.
fn is_frame(frame: &LocalFrame) -> bool {
    let off = frame.axes.transpose() * frame.axes - Mat3::IDENTITY;
    frame.origin.is_finite() && off.to_cols_array().iter().all(|x| x.abs() < UNIT)
}

/// A joint as it is fixed to its bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct JointMemory {
    frames: [LocalFrame; 2],
    /// Places of a rail or polygon.
    places: Vec<Vec3>,
    length: f64,
    /// Cosine and sine of the kept angle.
    angle: (f64, f64),
    age: u64,
}

impl JointMemory {
    /// Whether its numbers can come from a world.
    fn is_sound(&self) -> bool {
        let (c, s) = self.angle;
        self.frames.iter().all(is_frame)
            && self.places.iter().all(|p| p.is_finite())
            && self.length.is_finite()
            && (c * c + s * s - 1.0).abs() < UNIT
    }
}

/// How far axes may be from unit length and right angles: tells numbers of a world, which are so to
/// rounding, from noise.
const UNIT: f64 = 1e-6;

/// Number without gaps of each slot in use.
fn dense<T>(arena: &Arena<T>) -> BTreeMap<u32, u32> {
    arena.iter().enumerate().map(|(k, (slot, _, _))| (slot, k as u32)).collect()
}

/// The values of the slots in use.
fn packed<T, V: Clone + Default>(arena: &Arena<T>, values: &[V]) -> Vec<V> {
    arena
        .iter()
        .map(|(slot, _, _)| values.get(slot as usize).cloned().unwrap_or_default())
        .collect()
}

impl World {
    /// What this run remembers besides what a scene says. It belongs to a world with the same items
    /// in the same order.
    pub fn run_memory(&self) -> RunMemory {
        let mut world = self.clone();
        let snapshot = world.snapshot().without_gaps(&world);
        let model = &world.model;
        let joints = model.joints.iter().map(|(_, _, j)| JointMemory {
            frames: j.frames,
            places: j
                .guide
                .as_ref()
                .map_or_else(Vec::new, |g| g.places.iter().map(|p| p.1).collect()),
            length: j.length,
            angle: j.angle,
            age: j.age,
        });
        RunMemory {
            joints: joints.collect(),
            springs: model.springs.iter().map(|(_, _, s)| (s.anchors, s.length)).collect(),
            constraints: model
                .constraints
                .iter()
                .map(|(_, _, c)| ConstraintMemory::of(c))
                .collect(),
            controllers: model.controllers.iter().map(|(_, _, c)| fixed(&c.points)).collect(),
            snapshot,
        }
    }

    /// Takes over what the run of a world with the same items remembered. A memory that does not
    /// fit is refused, and nothing changes.
    pub fn recall(&mut self, memory: &RunMemory) -> Result<(), ModelError> {
        let mut world = self.clone();
        let model = &mut world.model;
        let counts = memory.joints.len() == model.joints.len()
            && memory.springs.len() == model.springs.len()
            && memory.constraints.len() == model.constraints.len()
            && memory.controllers.len() == model.controllers.len();
        let sound = memory.joints.iter().all(JointMemory::is_sound)
            && memory.constraints.iter().all(ConstraintMemory::is_sound)
            && memory.controllers.iter().all(|f| are_sound(f))
            && memory.springs.iter().all(|(a, l)| a.iter().all(|p| p.is_finite()) && l.is_finite());
        if !counts || !sound {
            return Err(memory.snapshot.foreign(&world));
        }

        // what is fixed to bodies
        for (k, was) in memory.joints.iter().enumerate() {
            let Some(joint) = model.joints.slot_mut(k as u32) else {
                return Err(memory.snapshot.foreign(&world));
            };
            (joint.frames, joint.length, joint.angle, joint.age) =
                (was.frames, was.length, was.angle, was.age);
            let places = joint.guide.iter_mut().flat_map(|g| &mut g.places);
            places.zip(&was.places).for_each(|(to, from)| to.1 = *from);
        }
        for (k, (anchors, length)) in memory.springs.iter().enumerate() {
            if let Some(spring) = model.springs.slot_mut(k as u32) {
                (spring.anchors, spring.length) = (*anchors, *length);
            }
        }
        for (k, was) in memory.constraints.iter().enumerate() {
            if let Some(record) = model.constraints.slot_mut(k as u32) {
                was.put(record);
            }
        }
        for (k, was) in memory.controllers.iter().enumerate() {
            if let Some(record) = model.controllers.slot_mut(k as u32) {
                put_back(&mut record.desc.connectors, &mut record.points, was);
            }
        }

        // the run's own memories
        world.model.revision += 1;
        let snapshot = memory.snapshot.of_revision(world.model.revision);
        world.restore(&snapshot)?;
        *self = world;
        Ok(())
    }
}

impl Snapshot {
    /// The same snapshot with the numbers that slots have in a world without gaps.
    fn without_gaps(self, world: &World) -> Self {
        let model = &world.model;
        let bodies = dense(&model.bodies);
        let (constraints, controllers) = (dense(&model.constraints), dense(&model.controllers));
        let moved = |map: &BTreeMap<u32, u32>, slot: u32| map.get(&slot).copied();
        let mut out = self;
        // how often something was edited says nothing about what goes on
        let poses = packed::<_, BodyState>(&model.bodies, &out.state.bodies);
        out.state = State { bodies: poses, edits: 0, ..out.state };
        out = out.of_revision(0);
        out.controllers = packed(&model.motors, &out.controllers);
        out.angles = packed(&model.joints, &out.angles);
        if !out.inputs.efforts.is_empty() {
            out.inputs.efforts = packed(&model.bodies, &out.inputs.efforts);
        }
        if !out.contacts.rest.is_empty() {
            out.contacts.rest = packed(&model.bodies, &out.contacts.rest);
            out.contacts.rest.iter_mut().for_each(|r| r.renumber(|slot| moved(&bodies, slot)));
        }
        let lagrange = &mut out.lagrange;
        // the scene says the speed as it is after all reversals
        let path = |p: &PathMemory| PathMemory { direction: 1.0, ..*p };
        lagrange.paths = lagrange
            .paths
            .iter()
            .filter_map(|(s, p)| Some((moved(&constraints, *s)?, path(p))))
            .collect();
        lagrange.integrals = lagrange
            .integrals
            .iter()
            .filter_map(|(s, i)| Some((moved(&controllers, *s)?, *i)))
            .collect();
        out.sensors = packed(&model.sensors, &out.sensors);
        for (sensor, (_, generation, _)) in out.sensors.iter_mut().zip(model.sensors.iter()) {
            sensor.reborn(generation);
        }
        out
    }
}
