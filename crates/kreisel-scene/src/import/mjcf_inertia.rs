//! The mass matrix of an MJCF model in the pose of its file, and the inertia that an actuator
//! feels.
//!
//! With the moments t of an actuator (how far it moves for each coordinate) it feels 1/(t M⁻¹ tᵀ),
//! all other joints being free. M is summed over bodies from the velocities of their centres of
//! mass and their angular velocities per unit of each rate (Jacobians), with the rotors on the
//! diagonal; it is factorised once (Cholesky), and only for models that ask for it.

use super::mjcf_body::Carrier;
use kreisel_dynamics::Vec3;

/// A joint in the pose of the file.
pub(super) struct TreeJoint {
    /// The rigid body that it carries.
    pub carrier: usize,
    pub kind: Kind,
    /// A point of its axis and the direction, in the world.
    pub anchor: Vec3,
    pub axis: Vec3,
    pub armature: f64,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Hinge,
    Slide,
    Ball,
    Free,
}

/// The lower factor L of M = L Lᵀ.
pub(super) struct MassMatrix {
    factor: Vec<Vec<f64>>,
    /// First rate of each joint.
    first: Vec<usize>,
}

impl TreeJoint {
    /// Velocity of a point and angular velocity per unit of each rate.
    fn columns(&self, point: Vec3) -> Vec<[Vec3; 2]> {
        let turn = |axis: Vec3| [axis.cross(point - self.anchor), axis];
        match self.kind {
            Kind::Hinge => vec![turn(self.axis)],
            Kind::Slide => vec![[self.axis, Vec3::ZERO]],
            Kind::Ball => Vec3::AXES.map(turn).to_vec(),
            Kind::Free => Vec3::AXES
                .map(|a| [a, Vec3::ZERO])
                .into_iter()
                .chain(Vec3::AXES.map(turn))
                .collect(),
        }
    }

    fn size(&self) -> usize {
        match self.kind {
            Kind::Hinge | Kind::Slide => 1,
            Kind::Ball => 3,
            Kind::Free => 6,
        }
    }
}

impl MassMatrix {
    pub fn new(carriers: &[Carrier], joints: &[TreeJoint]) -> Self {
        let mut first = Vec::new();
        let mut n = 0;
        for joint in joints {
            first.push(n);
            n += joint.size();
        }
        let mut m = vec![vec![0.0; n]; n];
        for (joint, at) in joints.iter().zip(&first) {
            (*at..at + joint.size()).for_each(|k| m[k][k] += joint.armature);
        }

        // each body with the joints that carry it
        for (k, carrier) in carriers.iter().enumerate() {
            let Some(mass) = carrier.mass.filter(|_| !carrier.fixed) else { continue };
            let (center, r) = (carrier.pose.point(mass.center), carrier.pose.rotation);
            let mut columns: Vec<(usize, [Vec3; 2])> = Vec::new();
            let mut up = Some(k);
            while let Some(c) = up {
                for (joint, at) in joints.iter().zip(&first).filter(|(j, _)| j.carrier == c) {
                    columns.extend(
                        joint.columns(center).into_iter().enumerate().map(|(i, x)| (at + i, x)),
                    );
                }
                up = carriers[c].parent;
            }
            for (i, [v, w]) in &columns {
                let (p, l) = (*v * mass.mass, r * (mass.inertia * (r.conjugate() * *w)));
                for (j, [v, w]) in &columns {
                    m[*i][*j] += p.dot(*v) + l.dot(*w);
                }
            }
        }
        Self { factor: cholesky(m), first }
    }

    /// 1/(t M⁻¹ tᵀ) for moments by joint.
    pub fn felt(&self, moments: &[(usize, f64)]) -> f64 {
        self.felt_dense(&self.dense(moments))
    }

    /// Moments by rate of moments by joint.
    pub fn dense(&self, moments: &[(usize, f64)]) -> Vec<f64> {
        let mut x = vec![0.0; self.factor.len()];
        moments.iter().for_each(|(joint, t)| x[self.first[*joint]] += t);
        x
    }

    /// Moments by rate of forces at points of rigid bodies: how far what gives them moves for each
    /// rate.
    pub fn of_forces(
        &self,
        carriers: &[Carrier],
        joints: &[TreeJoint],
        forces: &[(Option<usize>, Vec3, Vec3)],
    ) -> Vec<f64> {
        let mut out = vec![0.0; self.factor.len()];
        for (carrier, point, force) in forces {
            let mut up = *carrier;
            while let Some(c) = up {
                for (joint, at) in joints.iter().zip(&self.first).filter(|(j, _)| j.carrier == c) {
                    for (i, [v, _]) in joint.columns(*point).into_iter().enumerate() {
                        out[at + i] += v.dot(*force);
                    }
                }
                up = carriers[c].parent;
            }
        }
        out
    }

    /// Length of M⁻¹ tᵀ: accelerations that a unit of force gives.
    pub fn answer(&self, moments: &[f64]) -> f64 {
        let n = self.factor.len();
        let mut x = moments.to_vec();
        let divided = |sum: f64, d: f64| if d > 0.0 { sum / d } else { 0.0 };
        for i in 0..n {
            let sum: f64 = (0..i).map(|j| self.factor[i][j] * x[j]).sum();
            x[i] = divided(x[i] - sum, self.factor[i][i]);
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|j| self.factor[j][i] * x[j]).sum();
            x[i] = divided(x[i] - sum, self.factor[i][i]);
        }
        x.iter().map(|a| a * a).sum::<f64>().sqrt()
    }

    /// 1/(t M⁻¹ tᵀ) for moments by rate.
    pub fn felt_dense(&self, moments: &[f64]) -> f64 {
        let n = self.factor.len();
        let mut x = moments.to_vec();
        // L y = t, and y · y
        for i in 0..n {
            let sum: f64 = (0..i).map(|j| self.factor[i][j] * x[j]).sum();
            x[i] = if self.factor[i][i] > 0.0 { (x[i] - sum) / self.factor[i][i] } else { 0.0 };
        }
        1.0 / x.iter().map(|y| y * y).sum::<f64>()
    }
}

/// The lower factor of a symmetric matrix that is positive but for rounding.
fn cholesky(mut m: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for i in 0..m.len() {
        let (above, rest) = m.split_at_mut(i);
        let row = &mut rest[0];
        for (j, other) in above.iter().enumerate() {
            let sum: f64 = (0..j).map(|k| row[k] * other[k]).sum();
            row[j] = if other[j] > 0.0 { (row[j] - sum) / other[j] } else { 0.0 };
        }
        let sum: f64 = row[..i].iter().map(|x| x * x).sum();
        row[i] = (row[i] - sum).max(0.0).sqrt();
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;
    use kreisel_dynamics::{MassProperties, Mat3};
    use kreisel_geometry::Pose;

    /// Two rods of length 1 m and 1 kg in a row, hinged at their ends. With a = 1/3 + 1 + 1/3 + 1
    /// (both straight), b = 1/3 + 1/2 and c = 1/3: M = [a b; b c] where a = 1/3 + (1 + 1 + 1/3),
    /// and a joint alone feels det M / c and det M / a.
    #[test]
    fn a_joint_feels_the_others_as_free() {
        let mass = MassProperties {
            mass: 1.0,
            center: Vec3::new(0.5, 0.0, 0.0),
            inertia: Mat3::from_diagonal(Vec3::new(0.0, 1.0 / 12.0, 1.0 / 12.0)),
        };
        let body = |x: f64, parent| Carrier {
            mass: Some(mass),
            ..Carrier::new(
                String::new(),
                0..0,
                Pose::new(Vec3::new(x, 0.0, 0.0), Default::default()),
                false,
                parent,
            )
        };
        let carriers = [body(0.0, None), body(1.0, Some(0))];
        let joint = |carrier: usize| TreeJoint {
            carrier,
            kind: Kind::Hinge,
            anchor: Vec3::new(carrier as f64, 0.0, 0.0),
            axis: Vec3::Z,
            armature: 0.0,
        };
        let matrix = MassMatrix::new(&carriers, &[joint(0), joint(1)]);
        let (a, b, c) = (1.0 / 3.0 + 1.0 / 12.0 + 2.25, 1.0 / 12.0 + 0.75, 1.0 / 3.0);
        let determinant: f64 = a * c - b * b;
        assert!((matrix.felt(&[(0, 1.0)]) - determinant / c).abs() < 1e-14);
        assert!((matrix.felt(&[(1, 1.0)]) - determinant / a).abs() < 1e-14);
        // a gear of 2 feels a quarter
        assert!((matrix.felt(&[(1, 2.0)]) - determinant / (4.0 * a)).abs() < 1e-14);
    }
}
