//! The matrices over the velocities of all bodies, for `kreisel.jacobian`.

use crate::arrays::table;
use crate::core::Core;
use crate::value;
use kreisel_dynamics::{Vec3, VelocityRows, World};
use numpy::PyArray2;
use pyo3::prelude::*;

/// Rows as an array, also where there are none.
fn matrix<'py>(py: Python<'py>, rows: VelocityRows) -> PyResult<Bound<'py, PyArray2<f64>>> {
    if rows.width == 0 {
        Ok(PyArray2::zeros(py, [0, 0], false))
    } else {
        table(py, rows.values, rows.width)
    }
}

#[pymethods]
impl Core {
    /// Mass matrix in the velocities of all bodies, (6 n, 6 n).
    fn _mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.read(py, World::mass_matrix)?)
    }

    /// Rates of all free coordinates per velocity of a body, (k, 6 n).
    fn _coordinate_jacobian<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.read(py, World::coordinate_jacobian)?)
    }

    /// What joints and constraints demand of the velocities, (m, 6 n), and whose rows they are.
    fn _condition_jacobian<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Vec<String>, Bound<'py, PyArray2<f64>>)> {
        let rows = self.read(py, World::condition_jacobian)?;
        let names = rows.names.iter().map(ToString::to_string).collect();
        Ok((names, matrix(py, rows)?))
    }

    /// Velocity of a point of a body and its angular velocity per velocity of a body, (6, 6 n).
    fn _point_jacobian<'py>(
        &self,
        py: Python<'py>,
        body: &str,
        point: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let point = Vec3::from_array(value::vector(point)?);
        let found =
            self.read(py, |w| w.body_named(body).and_then(|id| w.point_jacobian(id, point)))?;
        match found {
            Some(rows) => matrix(py, rows),
            None => Err(self.no_body(py, body)),
        }
    }
}
