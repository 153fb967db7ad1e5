//! All poses, velocities, coordinates, reactions and contacts as arrays: copies of what stands now.

use crate::core::Core;
use crate::errors;
use crate::item::measure;
use kreisel_dynamics::{Coordinate, JointId, Vec3, World};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Numbers in rows of a width.
pub fn table<'py>(py: Python<'py>, flat: Vec<f64>, width: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = flat.len() / width.max(1);
    PyArray1::from_vec(py, flat).reshape([rows, width])
}

/// A vector of every body.
fn vectors(world: &World, get: impl Fn(&World, kreisel_dynamics::BodyId) -> Option<Vec3>) -> Vec<f64> {
    world.bodies().flat_map(|b| get(world, b).unwrap_or(Vec3::NAN).to_array()).collect()
}

/// Every free coordinate of every joint, in their order.
fn coordinates(world: &World) -> impl Iterator<Item = (JointId, Coordinate)> + '_ {
    world.joints().flat_map(|j| {
        let kind = world.joint_kind(j);
        Coordinate::ALL.into_iter().filter(move |c| kind.is_some_and(|k| k.has(*c))).map(move |c| (j, c))
    })
}

#[pymethods]
impl Core {
    /// Positions of all bodies, (n, 3), m.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        table(py, self.read(py, |w| vectors(w, World::position))?, 3)
    }

    /// Rotations of all bodies x, y, z, w, (n, 4).
    #[getter]
    fn quaternions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let flat = self.read(py, |w| {
            w.bodies().flat_map(|b| w.rotation(b).map_or([f64::NAN; 4], |q| q.to_array())).collect::<Vec<f64>>()
        })?;
        table(py, flat, 4)
    }

    /// Velocities of all bodies' centres of mass, (n, 3), m/s.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        table(py, self.read(py, |w| vectors(w, World::velocity))?, 3)
    }

    /// Angular velocities of all bodies, (n, 3), rad/s.
    #[getter]
    fn angular_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        table(py, self.read(py, |w| vectors(w, World::angular_velocity))?, 3)
    }

    /// Names of all free coordinates of joints, such as "crank.angle".
    #[getter]
    fn coordinate_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.read(py, |w| {
            let name = |j| w.joint_name(j).unwrap_or_default();
            coordinates(w).map(|(j, c)| format!("{}.{}", name(j), c.name())).collect()
        })
    }

    /// All free coordinates of joints, rad or m.
    #[getter]
    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let flat: Vec<f64> =
            self.read(py, |w| coordinates(w).map(|(j, c)| w.coordinate(j, c).unwrap_or(f64::NAN)).collect())?;
        Ok(PyArray1::from_vec(py, flat))
    }

    /// Rates of all free coordinates of joints, rad/s or m/s.
    #[getter]
    fn rates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let flat: Vec<f64> =
            self.read(py, |w| coordinates(w).map(|(j, c)| w.coordinate_rate(j, c).unwrap_or(f64::NAN)).collect())?;
        Ok(PyArray1::from_vec(py, flat))
    }

    /// Reactions of all joints in the last step: force in N and torque in N m on the second body,
    /// world coordinates, (n, 6).
    #[getter]
    fn reactions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let flat = self.read(py, |w| {
            let one = |j| {
                let r = w.reaction(j).unwrap_or_default();
                r.force.to_array().into_iter().chain(r.torque.to_array())
            };
            w.joints().flat_map(one).collect::<Vec<f64>>()
        })?;
        table(py, flat, 6)
    }

    /// Contacts of the last step.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = self.read(py, |w| {
            let name = |b| w.body_name(b).unwrap_or_default().to_string();
            w.contacts().map(|c| ([name(c.bodies[0]), name(c.bodies[1])], c)).collect::<Vec<_>>()
        })?;
        let out = PyList::empty(py);
        for ([a, b], c) in all {
            let d = PyDict::new(py);
            d.set_item("bodies", (a, b))?;
            d.set_item("point", PyArray1::from_slice(py, &c.point.to_array()))?;
            d.set_item("normal", PyArray1::from_slice(py, &c.normal.to_array()))?;
            d.set_item("force", PyArray1::from_slice(py, &c.force.to_array()))?;
            out.append(d)?;
        }
        Ok(out)
    }

    /// A quantity by the path of recordings: "crank.angle", "arm.position", "energy.total".
    fn measure<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        measure(self, py, path)?.map_err(|e| errors::raise(py, "UnknownName", e))
    }
}
