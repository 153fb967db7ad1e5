//! Measuring on another thread: what poses, coordinates and errors follow from, taken out of a
//! world in one copy and shown in a clone of it while the world itself goes on.

use crate::constraint::coordinate;
use crate::engine::{self, pair};
use crate::joint::{Coordinate, JointId};
use crate::state::State;
use crate::system::rows::follow;
use crate::world::World;

/// Poses, velocities and counted turns of a world at one time.
#[derive(Clone, Debug, Default)]
pub struct Readout {
    revision: u64,
    state: State,
    angles: Vec<f64>,
}

/// What can be measured of one joint from the poses and velocities alone.
#[derive(Clone, Copy, Debug)]
pub struct JointReading {
    /// Gap (m) and misalignment (rad).
    pub error: (f64, f64),
    /// Values of the coordinates in the order of [`Coordinate::ALL`], NaN where the joint has none.
    pub values: [f64; 4],
    /// Their rates.
    pub rates: [f64; 4],
}

impl World {
    /// Counts changes of what exists: as long as it is the same, so are bodies, joints and their
    /// frames.
    pub fn revision(&self) -> u64 {
        self.model.revision
    }

    /// Copies what measurements follow from; memory of an earlier readout is used again.
    pub fn read_out(&self, into: &mut Readout) {
        into.revision = self.model.revision;
        into.state.copy_from(&self.state);
        into.angles.clone_from(&self.engine.angles);
    }

    /// Stands as another world of the same model stood when it was read out; false, and nothing is
    /// done, if the model is another one. For measuring: impulses and contacts stay what they are
    /// here.
    pub fn show(&mut self, readout: &Readout) -> bool {
        if readout.revision != self.model.revision {
            return false;
        }
        self.state.copy_from(&readout.state);
        self.engine.angles.clone_from(&readout.angles);
        true
    }

    /// Errors, coordinates and rates of all joints, in the order of [`World::joints`]: the relative
    /// pose of each is worked out once instead of once per quantity.
    pub fn joint_readings(&self) -> Vec<(JointId, JointReading)> {
        self.joints().filter_map(|id| Some((id, self.joint_reading(id)?))).collect()
    }

    /// Error, coordinates and rates of a joint.
    pub fn joint_reading(&self, id: JointId) -> Option<JointReading> {
        let record = self.model.joint(id)?;
        let has = |c: Coordinate| record.desc.kind.has(c);
        if record.guide.is_some() {
            return Some(JointReading {
                error: self.joint_error(id)?,
                values: Coordinate::ALL.map(|c| self.coordinate(id, c).unwrap_or(f64::NAN)),
                rates: Coordinate::ALL.map(|c| self.coordinate_rate(id, c).unwrap_or(f64::NAN)),
            });
        }
        let pair = pair(record, &self.state);
        let counted = self.engine.angles.get(id.index as usize).copied().unwrap_or(0.0);
        let value =
            |c| if has(c) { follow(coordinate::value(&pair, c), counted, c) } else { f64::NAN };
        let [a, b] = record.desc.bodies.map(|body| self.state.slot(body.index));
        let rate =
            |c| if has(c) { engine::rate(&coordinate::row(&pair, c), a, b) } else { f64::NAN };
        Some(JointReading {
            error: record.parts().error(&pair),
            values: Coordinate::ALL.map(value),
            rates: Coordinate::ALL.map(rate),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Joint, JointKind, MassProperties, Vec3};

    #[test]
    fn a_clone_shows_what_the_world_measures_to_the_bit() {
        let mut world = World::new();
        let mass = MassProperties {
            mass: 1.0,
            center: Vec3::new(0.1, 0.0, 0.0),
            inertia: crate::Mat3::IDENTITY,
        };
        let ids: Vec<_> = [JointKind::Hinge, JointKind::Ball, JointKind::Distance]
            .into_iter()
            .enumerate()
            .map(|(k, kind)| {
                let at = Vec3::new(1.0, 3.0 * k as f64, 0.0);
                let body = world.add_body(Body::dynamic(mass).at(at)).unwrap();
                let anchor = at - Vec3::X;
                let joint = Joint::new(kind, crate::BodyId::WORLD, body)
                    .between(anchor, anchor + 0.5 * Vec3::X);
                let joint =
                    if kind == JointKind::Distance { joint } else { joint.between(anchor, anchor) };
                world.add_joint(joint.axis(Vec3::Y)).unwrap()
            })
            .collect();
        let mut twin = world.clone();
        let mut readout = Readout::default();
        for _ in 0..300 {
            world.step(0.01);
            world.read_out(&mut readout);
            assert!(twin.show(&readout));
            assert_eq!(twin.state_hash(), world.state_hash());
            let bits = |x: Option<f64>| x.unwrap_or(f64::NAN).to_bits();
            for (id, r) in twin.joint_readings() {
                let error = world.joint_error(id).unwrap();
                assert_eq!(
                    (r.error.0.to_bits(), r.error.1.to_bits()),
                    (error.0.to_bits(), error.1.to_bits())
                );
                for (k, c) in Coordinate::ALL.into_iter().enumerate() {
                    assert_eq!(bits(Some(r.values[k])), bits(world.coordinate(id, c)));
                    assert_eq!(bits(Some(r.rates[k])), bits(world.coordinate_rate(id, c)));
                }
            }
        }
        world.set_joint_active(ids[0], false).unwrap();
        world.read_out(&mut readout);
        assert!(!twin.show(&readout), "another model is not shown");
    }
}
