//! All poses, velocities, coordinates, reactions and contacts as arrays: copies of what stands now.

use crate::core::Core;
use crate::errors;
use crate::item::measure;
use kreisel_dynamics::{BodyId, ContactInfo, Coordinate, JointId, Vec3, World};
use numpy::{
    PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Numbers in rows of a width.
pub fn table<'py>(
    py: Python<'py>,
    flat: Vec<f64>,
    width: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = flat.len() / width.max(1);
    PyArray1::from_vec(py, flat).reshape([rows, width])
}

/// A vector of every body.
fn vectors(world: &World, get: impl Fn(&World, BodyId) -> Option<Vec3>) -> Vec<f64> {
    world.bodies().flat_map(|b| get(world, b).unwrap_or(Vec3::NAN).to_array()).collect()
}

/// Rotations of all bodies.
fn quaternions(world: &World) -> Vec<f64> {
    world.bodies().flat_map(|b| world.rotation(b).map_or([f64::NAN; 4], |q| q.to_array())).collect()
}

/// Something of every free coordinate.
fn coordinates(
    world: &World,
    get: impl Fn(&World, JointId, Coordinate) -> Option<f64>,
) -> Vec<f64> {
    world.coordinates().map(|(j, c)| get(world, j, c).unwrap_or(f64::NAN)).collect()
}

/// What motors, springs, dampers and rotors put on every free coordinate.
fn efforts(world: &World) -> Vec<f64> {
    let motors: Vec<(JointId, Coordinate, f64)> = world
        .motors()
        .filter_map(|m| {
            Some((
                world.motor(m)?.joint,
                world.motor(m)?.coordinate,
                world.motor_effort(m).unwrap_or(0.0),
            ))
        })
        .collect();
    coordinates(world, |w, j, c| {
        let driven: f64 = motors.iter().filter(|m| (m.0, m.1) == (j, c)).map(|m| m.2).sum();
        Some(driven + w.passive_effort(j, c).unwrap_or(0.0))
    })
}

/// Force and torque of every joint on its second body; zero for joints that have none.
fn reactions(world: &World) -> Vec<f64> {
    let mut known = world.reactions().into_iter().peekable();
    let one = |j| {
        let r = known.next_if(|k| k.0 == j).map(|k| k.1).unwrap_or_default();
        r.force.to_array().into_iter().chain(r.torque.to_array())
    };
    world.joints().flat_map(one).collect()
}

/// The arrays of a world by name, with the length of their rows; 0 for plain lists of numbers.
type Gather = fn(&World) -> Vec<f64>;
const ARRAYS: [(&str, usize, Gather); 8] = [
    ("positions", 3, |w| vectors(w, World::position)),
    ("quaternions", 4, quaternions),
    ("velocities", 3, |w| vectors(w, World::velocity)),
    ("angular_velocities", 3, |w| vectors(w, World::angular_velocity)),
    ("coordinates", 0, |w| coordinates(w, World::coordinate)),
    ("rates", 0, |w| coordinates(w, World::coordinate_rate)),
    ("efforts", 0, efforts),
    ("reactions", 6, reactions),
];

#[pymethods]
impl Core {
    /// One of the arrays of the state.
    fn _array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let known = ARRAYS.iter().find(|a| a.0 == name);
        let (_, width, gather) =
            known.ok_or_else(|| errors::unknown(py, "array", name, ARRAYS.iter().map(|a| a.0)))?;
        let flat = self.read(py, gather)?;
        Ok(if *width == 0 {
            PyArray1::from_vec(py, flat).into_any()
        } else {
            table(py, flat, *width)?.into_any()
        })
    }

    /// Writes arrays of the state, all of one moment, into arrays that are there. False if one of
    /// them has another size; then none is written.
    fn _fill(
        &self,
        py: Python<'_>,
        arrays: Vec<(String, Bound<'_, PyUntypedArray>)>,
    ) -> PyResult<bool> {
        let wanted: Vec<Option<Gather>> =
            arrays.iter().map(|(n, _)| ARRAYS.iter().find(|a| a.0 == n).map(|a| a.2)).collect();
        let values: Vec<Vec<f64>> =
            self.read(py, |w| wanted.iter().flatten().map(|gather| gather(w)).collect())?;
        if values.len() != arrays.len()
            || arrays.iter().zip(&values).any(|(a, v)| a.1.len() != v.len())
        {
            return Ok(false);
        }
        for ((_, array), values) in arrays.iter().zip(values) {
            let mut out = array.cast::<PyArrayDyn<f64>>()?.try_readwrite()?;
            out.as_slice_mut()?.copy_from_slice(&values);
        }
        Ok(true)
    }

    /// Names of all free coordinates of joints, such as "crank.angle".
    #[getter]
    fn coordinate_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.read(py, |w| {
            let name = |j| w.joint_name(j).unwrap_or_default();
            w.coordinates().map(|(j, c)| format!("{}.{}", name(j), c.name())).collect()
        })
    }

    /// Contacts of the last step as arrays: numbers of the bodies in the order of their names (-1
    /// is the world), points, normals, forces on the first body, gaps.
    #[allow(clippy::type_complexity)]
    fn _contact_arrays<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyArray2<i64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray1<f64>>,
    )> {
        let (order, all) =
            self.read(py, |w| (w.bodies().collect::<Vec<_>>(), w.contacts().collect::<Vec<_>>()))?;
        let mut places: Vec<(BodyId, i64)> =
            order.iter().enumerate().map(|(k, id)| (*id, k as i64)).collect();
        places.sort_by_key(|p| p.0);
        let place =
            |id: BodyId| places.binary_search_by_key(&id, |p| p.0).map_or(-1, |k| places[k].1);
        let bodies: Vec<i64> = all.iter().flat_map(|c| c.bodies.map(place)).collect();
        let flat = |get: fn(&ContactInfo) -> Vec3| {
            all.iter().flat_map(|c| get(c).to_array()).collect::<Vec<f64>>()
        };
        Ok((
            PyArray1::from_vec(py, bodies).reshape([all.len(), 2])?,
            table(py, flat(|c| c.point), 3)?,
            table(py, flat(|c| c.normal), 3)?,
            table(py, flat(|c| c.force), 3)?,
            PyArray1::from_vec(py, all.iter().map(|c| c.gap).collect()),
        ))
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
