//! Shapes with their poses, and questions about them, for `kreisel.geometry`.

use crate::{errors, value};
use kreisel_dynamics::{Mat3, Quat, Vec3};
use kreisel_geometry::impact::{Ballistic, ImpactQuery, Outcome, time_of_impact};
use kreisel_geometry::query::{
    Penetration, Proximity, Ray, cast_ray, closest_point, distance, penetration,
};
use kreisel_geometry::{MassProperties, Pose, Shape};
use kreisel_scene::Options;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A shape and where it is.
#[pyclass(frozen, name = "Shape", module = "kreisel._native")]
#[derive(Clone)]
pub struct Placed {
    pub shape: Shape,
    pub pose: Pose,
}

/// Signed distance, its bounds, two points and a normal.
pub type Near = (f64, f64, f64, [f64; 3], [f64; 3], [f64; 3]);
/// Distance along a ray or time, point, normal.
pub type Hit = (f64, [f64; 3], [f64; 3]);

/// A rotation from x, y, z, w.
pub fn rotation(value: Option<&Bound<'_, PyAny>>) -> PyResult<Quat> {
    let Some(value) = value.filter(|v| !v.is_none()) else { return Ok(Quat::IDENTITY) };
    let q = Quat::from_array(value::array::<4>(value)?);
    if q.is_finite() && q.length() > 1e-6 {
        return Ok(q.normalize());
    }
    Err(errors::refused(
        value.py(),
        "a quaternion x, y, z, w has finite numbers that are not all zero",
    ))
}

/// Three finite numbers.
pub fn point(value: &Bound<'_, PyAny>) -> PyResult<Vec3> {
    let v = Vec3::from_array(value::vector(value)?);
    if v.is_finite() {
        Ok(v)
    } else {
        Err(errors::refused(value.py(), "coordinates are finite numbers"))
    }
}

/// A direction with a length.
pub fn direction(value: &Bound<'_, PyAny>) -> PyResult<Vec3> {
    let v = point(value)?;
    if v == Vec3::ZERO {
        return Err(errors::refused(value.py(), "a direction has a length, (0, 0, 0) has none"));
    }
    Ok(v)
}

impl Placed {
    /// Distance of two shapes; minus the depth where they overlap.
    pub fn near(&self, other: &Self) -> Option<Near> {
        let found = distance(&self.shape, &self.pose, &other.shape, &other.pose)?;
        let depth = if found.distance <= 0.0 {
            penetration(&self.shape, &self.pose, &other.shape, &other.pose)
        } else {
            None
        };
        Some(answer(&found, depth.as_ref()))
    }
}

/// The signed distance with its bounds: minus the depth, between minus its upper and minus its
/// lower bound.
fn answer(p: &Proximity, depth: Option<&Penetration>) -> Near {
    let (value, lower, upper) = match depth {
        // adding zero turns -0 into 0
        Some(d) => (0.0 - d.upper, 0.0 - d.upper, 0.0 - d.lower),
        None => (p.distance, p.lower, p.distance),
    };
    let normal = depth.filter(|d| d.upper.is_finite()).map_or(p.normal, |d| d.direction);
    (value, lower, upper, p.a.to_array(), p.b.to_array(), normal.to_array())
}

#[pymethods]
impl Placed {
    /// The shape of the only body of a scene's text.
    #[new]
    #[pyo3(signature = (text, *, folder=None, allow_outside=false))]
    fn new(
        py: Python<'_>,
        text: &str,
        folder: Option<PathBuf>,
        allow_outside: bool,
    ) -> PyResult<Self> {
        let options = Options { folder, allow_outside, ..Options::default() };
        let scene = kreisel_scene::parse_as("shape.json", text, &options)
            .map_err(|e| errors::scene(py, &e))?;
        let own = scene.world.bodies().next();
        let shape = own.and_then(|id| {
            scene.shape(id).cloned().or_else(|| scene.world.body(id)?.shape.clone())
        });
        let shape = shape.ok_or_else(|| errors::refused(py, "this describes no shape"))?;
        Ok(Self { shape, pose: Pose::IDENTITY })
    }

    /// What it is: "box", "sphere", "mesh", …
    #[getter]
    fn kind(&self) -> &'static str {
        self.shape.kind()
    }

    /// Origin of its frame, m.
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.pose.position.to_array())
    }

    /// Rotation x, y, z, w.
    #[getter]
    fn quaternion<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.pose.rotation.to_array())
    }

    /// The same shape somewhere else.
    #[pyo3(signature = (position, quaternion=None))]
    fn at(
        &self,
        position: &Bound<'_, PyAny>,
        quaternion: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            shape: self.shape.clone(),
            pose: Pose::new(point(position)?, rotation(quaternion)?),
        })
    }

    /// Mass in kg, centre of mass in the shape's frame, and inertia about it in kg m², at a
    /// density.
    #[pyo3(signature = (density=1000.0))]
    #[allow(clippy::type_complexity)]
    fn mass_properties<'py>(
        &self,
        py: Python<'py>,
        density: f64,
    ) -> PyResult<(f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)> {
        let m: MassProperties =
            self.shape.mass_properties(density).map_err(|e| errors::refused(py, e.to_string()))?;
        let rows = Mat3::to_cols_array(&m.inertia.transpose());
        let inertia = PyArray1::from_slice(py, &rows).reshape([3, 3])?;
        Ok((m.mass, PyArray1::from_slice(py, &m.center.to_array()), inertia))
    }

    /// Signed distance to another shape: value, bounds, points, normal.
    fn _distance(&self, other: &Self) -> Option<Near> {
        self.near(other)
    }

    /// The closest point of the surface: signed distance, point, normal.
    fn _closest_point(&self, place: &Bound<'_, PyAny>) -> PyResult<Option<Hit>> {
        let place = point(place)?;
        let found = closest_point(&self.shape, &self.pose, place);
        Ok(found.map(|p| (p.distance, p.point.to_array(), p.normal.to_array())))
    }

    /// The first hit of a ray: distance in multiples of the direction, point, normal.
    fn _ray(
        &self,
        origin: &Bound<'_, PyAny>,
        along: &Bound<'_, PyAny>,
        reach: f64,
    ) -> PyResult<Option<Hit>> {
        let ray = Ray { origin: point(origin)?, direction: direction(along)? };
        let found = cast_ray(&self.shape, &self.pose, &ray, reach);
        Ok(found.map(|h| (h.distance, h.point.to_array(), h.normal.to_array())))
    }

    /// When it meets another shape: velocities and angular velocities of both, acceleration of
    /// both, the time to search, the tolerance; time, the points then, the normal.
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn _impact(
        &self,
        py: Python<'_>,
        other: &Self,
        velocities: [[f64; 3]; 2],
        spins: [[f64; 3]; 2],
        accelerations: [[f64; 3]; 2],
        until: f64,
        tolerance: f64,
    ) -> PyResult<Option<(f64, [f64; 3], [f64; 3], [f64; 3])>> {
        let motion = |k: usize, pose: Pose| Ballistic {
            velocity: velocities[k].into(),
            spin: spins[k].into(),
            acceleration: accelerations[k].into(),
            ..Ballistic::at_rest(pose)
        };
        let (a, b) = (motion(0, self.pose), motion(1, other.pose));
        let query = ImpactQuery::new(until, tolerance);
        let found = py.detach(|| time_of_impact(&self.shape, &a, &other.shape, &b, &query));
        match found.map_err(|e| errors::refused(py, e.to_string()))? {
            Outcome::Free => Ok(None),
            Outcome::Hit(hit) => {
                Ok(Some((hit.time, hit.a.to_array(), hit.b.to_array(), hit.normal.to_array())))
            }
            Outcome::FreeUntil(t) => Err(errors::refused(
                py,
                format!(
                    "the search was given up: the shapes do not meet before {t} s; give a larger tolerance"
                ),
            )),
        }
    }

    fn __repr__(&self) -> String {
        let [x, y, z] = self.pose.position.to_array();
        format!("<{} at ({x:.4}, {y:.4}, {z:.4})>", self.shape.kind())
    }
}
