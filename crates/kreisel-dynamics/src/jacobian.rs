//! What is linear in the velocities of all bodies: rates of coordinates, conditions, velocities of
//! points, momenta.
//!
//! Velocities are one vector v of six numbers per body, in the order of [`World::bodies`]: velocity
//! of the centre of mass (m/s), angular velocity (rad/s), both in world coordinates.
//!
//! | matrix | meaning |
//! |---|---|
//! | [`World::mass_matrix`] M | kinetic energy ½ vᵀ M v, rotors on joints included |
//! | [`World::coordinate_jacobian`] R | rates of the free coordinates of joints are R v |
//! | [`World::condition_jacobian`] J | joints and constraints that are equations demand J v = bias |
//! | [`World::point_jacobian`] P | velocity of a point and angular velocity of its body are P v |
//!
//! Columns of what no force moves (static and kinematic bodies, axes without inertia) are zero. The
//! matrices are dense and meant for questions; a step never forms them.

use crate::body::{BodyId, BodyKind};
use crate::engine::coordinate_rate;
use crate::joint::{Coordinate, JointId};
use crate::math::{Mat3, Vec3};
use crate::state::State;
use crate::world::World;
use std::sync::Arc;

/// A dense matrix over the velocities of all bodies, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VelocityRows {
    /// Whose row it is: a joint or a constraint; empty for matrices without owners.
    pub names: Vec<Arc<str>>,
    /// Numbers in a row: six per body.
    pub width: usize,
    /// All rows.
    pub values: Vec<f64>,
}

impl VelocityRows {
    /// One row.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.values[k * self.width..(k + 1) * self.width]
    }

    fn push(&mut self, name: Arc<str>) -> &mut [f64] {
        self.names.push(name);
        let start = self.values.len();
        self.values.resize(start + self.width, 0.0);
        &mut self.values[start..]
    }
}

impl World {
    /// Every free coordinate of every joint, joint by joint: the rows of
    /// [`World::coordinate_jacobian`].
    pub fn coordinates(&self) -> impl Iterator<Item = (JointId, Coordinate)> + '_ {
        self.joints().flat_map(|j| {
            let kind = self.joint_kind(j);
            Coordinate::ALL
                .into_iter()
                .filter(move |c| kind.is_some_and(|k| k.has(*c)))
                .map(move |c| (j, c))
        })
    }

    /// First column of a body's six by its slot; none where no force moves it.
    fn velocity_columns(&self) -> Vec<Option<usize>> {
        let mut columns = vec![None; self.model.bodies.slots()];
        for (k, id) in self.bodies().enumerate() {
            let moves = self.model.body(id).is_some_and(|b| b.desc.kind == BodyKind::Dynamic);
            columns[id.index as usize] = moves.then_some(6 * k);
        }
        columns
    }

    /// Mass matrix in the velocities of all bodies, kg and kg m², with the inertia of rotors on
    /// joints.
    pub fn mass_matrix(&self) -> VelocityRows {
        let columns = self.velocity_columns();
        let width = 6 * self.bodies().count();
        let mut out = VelocityRows { names: Vec::new(), width, values: vec![0.0; width * width] };

        // bodies: the mass, and the tensor R diag(I) Rᵀ about the centre of mass
        for id in self.bodies() {
            let (Some(c), Some(body)) = (columns[id.index as usize], self.model.body(id)) else {
                continue;
            };
            let r = Mat3::from_quat(self.state.slot(id.index).rotation);
            let tensor = r * Mat3::from_diagonal(body.moments) * r.transpose();
            for i in 0..3 {
                out.values[(c + i) * width + c + i] = body.desc.mass.mass;
                for j in 0..3 {
                    // symmetric to the bit
                    out.values[(c + 3 + i) * width + c + 3 + j] =
                        0.5 * (tensor.col(j)[i] + tensor.col(i)[j]);
                }
            }
        }

        // rotors: their rate is that of a coordinate
        let rows = self.coordinate_jacobian();
        for (k, (joint, coordinate)) in self.coordinates().enumerate() {
            let Some(record) = self.model.joint(joint).filter(|j| j.desc.active) else { continue };
            let inertia: f64 = record
                .desc
                .passive
                .iter()
                .filter(|p| p.coordinate == coordinate)
                .map(|p| p.inertia())
                .sum();
            let row = rows.row(k);
            let there: Vec<usize> =
                (0..width).filter(|&i| inertia > 0.0 && row[i] != 0.0).collect();
            for &i in &there {
                for &j in &there {
                    out.values[i * width + j] += inertia * row[i] * row[j];
                }
            }
        }
        out
    }

    /// Rates of all free coordinates of joints, in the order of [`World::coordinates`], named after
    /// their joints.
    pub fn coordinate_jacobian(&self) -> VelocityRows {
        let columns = self.velocity_columns();
        let mut out = VelocityRows { width: 6 * self.bodies().count(), ..VelocityRows::default() };

        // a rate is linear in the velocities: its row is what unit velocities give
        let mut unit = State { bodies: self.state.bodies.clone(), ..State::default() };
        for b in &mut unit.bodies {
            (b.velocity, b.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        }
        for (joint, coordinate) in self.coordinates() {
            let Some(record) = self.model.joint(joint) else { continue };
            let row = out.push(record.name.clone());
            let mut bodies: Vec<BodyId> = match &record.guide {
                Some(g) => (0..g.guide.places()).map(|k| g.carrier(k).0).collect(),
                None => record.desc.bodies.to_vec(),
            };
            bodies.sort();
            bodies.dedup();
            for body in bodies {
                let Some(column) = columns[body.index as usize] else { continue };
                for k in 0..6 {
                    let axis = Vec3::AXES[k % 3];
                    let (v, w) = if k < 3 { (axis, Vec3::ZERO) } else { (Vec3::ZERO, axis) };
                    let slot = &mut unit.bodies[body.index as usize];
                    (slot.velocity, slot.angular_velocity) = (v, w);
                    row[column + k] = coordinate_rate(record, coordinate, &unit);
                }
                let slot = &mut unit.bodies[body.index as usize];
                (slot.velocity, slot.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
            }
        }
        out
    }

    /// Rows of all active joints and of all active constraints that are equations, named after
    /// them. Limits, motors, friction and contacts are no equations.
    pub fn condition_jacobian(&self) -> VelocityRows {
        let columns = self.velocity_columns();
        let mut out = VelocityRows { width: 6 * self.bodies().count(), ..VelocityRows::default() };
        // the multiplier method knows every kind as rows on bodies, scaled by the root of the mass
        let machine = self.machine_now();
        for e in &machine.elements[..machine.equalities] {
            for i in 0..e.rows {
                let row = out.push(e.name.clone());
                for (k, &body) in e.bodies.iter().enumerate() {
                    let inertia = &machine.bodies.moving[body as usize];
                    let Some(column) = columns[inertia.slot as usize] else { continue };
                    let scaled = &e.block(&machine.rows.b, k)[6 * i..6 * i + 6];
                    let back = |x: f64, root: f64| if root > 0.0 { x / root } else { 0.0 };
                    let spin =
                        Vec3::from_array([0, 1, 2].map(|j| back(scaled[3 + j], inertia.isi[j])));
                    let spin = machine.bodies.frames[inertia.slot as usize].r * spin;
                    for j in 0..3 {
                        row[column + j] = back(scaled[j], inertia.ism);
                        row[column + 3 + j] = spin[j];
                    }
                }
            }
        }
        out
    }

    /// Velocity of a point of a body (given in its frame, m) and the body's angular velocity: six
    /// rows.
    pub fn point_jacobian(&self, body: BodyId, point: Vec3) -> Option<VelocityRows> {
        let arm = self.point(body, point)? - self.center_of_mass(body)?;
        let width = 6 * self.bodies().count();
        let mut out = VelocityRows { names: Vec::new(), width, values: vec![0.0; 6 * width] };
        let Some(column) = self.velocity_columns()[body.index as usize] else { return Some(out) };
        for k in 0..3 {
            // v + ω × arm
            let turned = Vec3::AXES[k].cross(arm);
            for i in 0..3 {
                out.values[i * width + column + 3 + k] = turned[i];
            }
            out.values[k * width + column + k] = 1.0;
            out.values[(3 + k) * width + column + 3 + k] = 1.0;
        }
        Some(out)
    }
}
