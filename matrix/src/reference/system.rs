//! The equations of motion of a tree: M q'' + h = Jᵀλ, J q'' + c = 0.

use super::jet::Jet;
use super::row::{Law, Row, Time};
use super::tree::{Link, Pose, Vector, poses};

/// A mechanism with all that acts on it.
#[derive(Default)]
pub struct System {
    /// Its links, parents first.
    pub links: Vec<Link>,
    /// What acts.
    pub rows: Vec<Row>,
    /// Acceleration of gravity, m/s².
    pub gravity: Vector,
    /// Inertias that turn or slide with a coordinate and nothing else (rotors), with its number.
    pub rotors: Vec<(usize, f64)>,
    /// Rate at which speeds decay in a resisting medium, 1/s.
    pub drag: f64,
    /// Times at which something has a corner, s.
    pub corners: Vec<f64>,
}

/// Value, gradient and second derivative without accelerations of a row's coordinate.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// The value.
    pub value: f64,
    /// Its rate.
    pub rate: f64,
    /// Its gradient by the coordinates.
    pub gradient: Vec<f64>,
    /// Its second derivative without accelerations.
    pub bias: f64,
}

/// All that the equations need in one state.
#[derive(Clone, Debug)]
pub struct Equations {
    /// Mass matrix.
    pub mass: Vec<Vec<f64>>,
    /// Sum of the smooth forces, with gravity and the gyroscopic ones.
    pub force: Vec<f64>,
    /// The rows' coordinates.
    pub lines: Vec<Line>,
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl System {
    /// Number of coordinates.
    pub fn size(&self) -> usize {
        self.links.len()
    }

    /// Poses of the links.
    pub fn poses(&self, q: &[f64]) -> Vec<Pose> {
        poses(&self.links, &q.iter().map(|&v| Jet::constant(v)).collect::<Vec<_>>())
    }

    /// The equations in one state; `wound` are the integrals of the rows so far (none: zero).
    pub fn equations(&self, time: Time, q: &[f64], u: &[f64], wound: &[f64]) -> Equations {
        let n = self.size();
        let jets = |rate: &dyn Fn(usize) -> f64| -> Vec<Jet> {
            (0..n).map(|k| Jet { v: q[k], d: rate(k), dd: 0.0 }).collect()
        };
        // poses along each coordinate alone give the gradients, along the motion the accelerations
        // that it has by itself
        let alone: Vec<(Vec<Jet>, Vec<Pose>)> = (0..n)
            .map(|l| {
                let q = jets(&|k| if k == l { 1.0 } else { 0.0 });
                let p = poses(&self.links, &q);
                (q, p)
            })
            .collect();
        let moving = jets(&|k| u[k]);
        let along = poses(&self.links, &moving);

        // masses, gravity and gyroscopic forces
        let mut mass = vec![vec![0.0; n]; n];
        let mut force = vec![0.0; n];
        for (i, link) in self.links.iter().enumerate() {
            let Some(m) = &link.mass else { continue };
            let turn = along[i].r.map(|row| row.map(|x| x.v));
            let inertia = |w: Vector| -> Vector {
                let local: Vector = std::array::from_fn(|k| {
                    (0..3).map(|l| turn[l][k] * w[l]).sum::<f64>() * m.inertia[k]
                });
                std::array::from_fn(|k| dot(turn[k], local))
            };
            let gradients: Vec<(Vector, Vector)> = alone
                .iter()
                .map(|(_, p)| (p[i].point(m.center).map(|x| x.d), p[i].spin().0))
                .collect();
            let (spin, spin_rate) = along[i].spin();
            let own = along[i].point(m.center).map(|x| x.dd);
            let push: Vector = std::array::from_fn(|k| m.mass * (self.gravity[k] - own[k]));
            let (a, b) = (inertia(spin_rate), cross(spin, inertia(spin)));
            for k in 0..n {
                let (v, w) = gradients[k];
                force[k] += dot(v, push) - dot(w, a) - dot(w, b);
                let spun = inertia(w);
                for l in 0..n {
                    mass[k][l] += m.mass * dot(v, gradients[l].0) + dot(spun, gradients[l].1);
                }
            }
        }

        // a medium takes momentum in proportion to it
        for k in 0..n {
            force[k] -= self.drag * dot_n(&mass[k], u);
        }

        // rotors are no bodies: neither gravity nor a medium acts on them
        for &(k, inertia) in &self.rotors {
            mass[k][k] += inertia;
        }

        // the rows, and the forces among them
        let lines: Vec<Line> = self
            .rows
            .iter()
            .map(|row| {
                let gradient: Vec<f64> =
                    alone.iter().map(|(q, p)| row.coordinate.jet(q, p).d).collect();
                let jet = row.coordinate.jet(&moving, &along);
                Line { value: jet.v, rate: jet.d, gradient, bias: jet.dd }
            })
            .collect();
        for (r, (row, line)) in self.rows.iter().zip(&lines).enumerate() {
            let f = match &row.law {
                Law::Force(effort) => effort(time, line.value, line.rate),
                Law::Wound(gain, _) => gain * wound.get(r).copied().unwrap_or(0.0),
                _ => continue,
            };
            for k in 0..n {
                force[k] += f * line.gradient[k];
            }
        }
        Equations { mass, force, lines }
    }
}

/// Inner product.
pub fn dot_n(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
