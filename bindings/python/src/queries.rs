//! Questions about the shapes of a world: rays, overlaps, casts of shapes, distances.

use crate::core::Core;
use crate::errors;
use crate::shape::{Placed, direction, point};
use kreisel_cli::Watch;
use kreisel_dynamics::{BodyId, Status};
use kreisel_geometry::Pose;
use kreisel_geometry::impact::{Ballistic, ImpactQuery, Outcome, time_of_impact};
use kreisel_geometry::query::{Ray, ShapeSet};
use kreisel_session::session::Session;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// The shapes of a world in their poses, with the names of their bodies; the ground is the last.
fn shapes(s: &Session) -> Vec<(String, Placed)> {
    let world = &s.simulation().world;
    let named = world.bodies().filter_map(|id| Some((id, world.body_name(id)?.to_string())));
    let ground = std::iter::once((BodyId::WORLD, "world".to_owned()));
    let own = named.chain(ground).filter_map(|(id, name)| {
        let shape = s.shape(id)?;
        let pose = Pose::new(world.position(id)?, world.rotation(id)?);
        Some((name, Placed { shape, pose }))
    });
    let further = world.colliders().filter_map(|id| {
        let collider = world.collider(id).filter(|c| c.active)?;
        let frame = Pose::new(world.position(collider.body)?, world.rotation(collider.body)?);
        let (shape, pose) = (collider.shape.clone(), frame.then(&collider.pose()));
        Some((world.body_name(collider.body)?.to_string(), Placed { shape, pose }))
    });
    own.chain(further).collect()
}

impl Core {
    /// The shapes as a set, without those that are left out.
    fn shape_set(&self, py: Python<'_>, ignore: &[String]) -> PyResult<(Vec<String>, ShapeSet)> {
        let all = self.with(py, |s| shapes(s))?;
        let (mut names, mut set) = (Vec::new(), ShapeSet::default());
        for (name, placed) in all.into_iter().filter(|s| !ignore.contains(&s.0)) {
            set.add(placed.shape, placed.pose)
                .map_err(|e| errors::refused(py, format!("{name}: {e}")))?;
            names.push(name);
        }
        Ok((names, set))
    }
}

#[pymethods]
impl Core {
    /// The shape of a body where it stands now; "world" is the ground.
    fn shape(&self, py: Python<'_>, body: &str) -> PyResult<Placed> {
        let found = self.with(py, |s| shapes(s).into_iter().find(|(name, _)| name == body))?;
        found.map(|f| f.1).ok_or_else(|| {
            match self.read(py, |w| w.body_named(body).is_some() || body == "world") {
                Ok(true) => errors::refused(py, format!("\"{body}\" has no shape")),
                _ => self.no_body(py, body),
            }
        })
    }

    /// Rays, all at one moment: distances (in multiples of the directions; infinite without a hit),
    /// numbers into the list of names (-1 without a hit), points, normals.
    #[allow(clippy::type_complexity)]
    fn _rays<'py>(
        &self,
        py: Python<'py>,
        origins: Vec<Bound<'py, PyAny>>,
        directions: Vec<Bound<'py, PyAny>>,
        reach: f64,
        ignore: Vec<String>,
    ) -> PyResult<(
        Vec<String>,
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<i64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray2<f64>>,
    )> {
        let (names, mut set) = self.shape_set(py, &ignore)?;
        let n = directions.len();
        let (mut distances, mut hits) = (vec![f64::INFINITY; n], vec![-1_i64; n]);
        let (mut points, mut normals) = (vec![f64::NAN; 3 * n], vec![f64::NAN; 3 * n]);
        for (k, (o, d)) in origins.iter().zip(&directions).enumerate() {
            let ray = Ray { origin: point(o)?, direction: direction(d)? };
            let Some((which, hit)) = set.cast_ray(&ray, reach) else { continue };
            (distances[k], hits[k]) = (hit.distance, i64::from(which));
            points[3 * k..3 * k + 3].copy_from_slice(&hit.point.to_array());
            normals[3 * k..3 * k + 3].copy_from_slice(&hit.normal.to_array());
        }
        Ok((
            names,
            PyArray1::from_vec(py, distances),
            PyArray1::from_vec(py, hits),
            PyArray1::from_vec(py, points).reshape([n, 3])?,
            PyArray1::from_vec(py, normals).reshape([n, 3])?,
        ))
    }

    /// Names of the bodies that a shape overlaps.
    fn _overlap(
        &self,
        py: Python<'_>,
        shape: &Placed,
        ignore: Vec<String>,
    ) -> PyResult<Vec<String>> {
        let (names, mut set) = self.shape_set(py, &ignore)?;
        let found = set
            .overlapping(&shape.shape, &shape.pose)
            .map_err(|e| errors::refused(py, e.to_string()))?;
        Ok(found.into_iter().map(|k| names[k as usize].clone()).collect())
    }

    /// What a shape meets first on its way: the body, the share of the way, the point, the normal.
    /// The world stands still.
    fn _shape_cast(
        &self,
        py: Python<'_>,
        shape: &Placed,
        way: &Bound<'_, PyAny>,
        tolerance: f64,
        ignore: Vec<String>,
    ) -> PyResult<Option<(String, f64, [f64; 3], [f64; 3])>> {
        let motion = Ballistic { velocity: direction(way)?, ..Ballistic::at_rest(shape.pose) };
        let query = ImpactQuery::new(1.0, tolerance);
        let mut first: Option<(String, f64, [f64; 3], [f64; 3])> = None;
        for (name, other) in
            self.with(py, |s| shapes(s))?.into_iter().filter(|s| !ignore.contains(&s.0))
        {
            let still = Ballistic::at_rest(other.pose);
            let found = time_of_impact(&shape.shape, &motion, &other.shape, &still, &query);
            match found.map_err(|e| errors::refused(py, format!("{name}: {e}")))? {
                Outcome::Free => {}
                Outcome::Hit(hit) if first.as_ref().is_some_and(|f| f.1 <= hit.time) => {}
                Outcome::Hit(hit) => {
                    first = Some((name, hit.time, hit.b.to_array(), hit.normal.to_array()))
                }
                Outcome::FreeUntil(t) => {
                    let message = format!(
                        "{name}: the search was given up after {t} of the way; give a tolerance"
                    );
                    return Err(errors::refused(py, message));
                }
            }
        }
        Ok(first)
    }

    /// The smallest distance of every pair of bodies over a run: names, distance, time, points.
    #[allow(clippy::type_complexity)]
    fn _clearance(
        &self,
        py: Python<'_>,
        until: f64,
        jointed: bool,
    ) -> PyResult<Vec<([String; 2], f64, f64, [f64; 3], [f64; 3])>> {
        let _running = self.claim(py)?;
        let scene = self.with(py, |s| s.as_scene())?;
        let mut watch = Watch::new(&scene, jointed).map_err(|e| errors::refused(py, e))?;
        watch.look(&scene.world, false);
        let mut over = false;
        while !over {
            let done = py.detach(|| {
                self.detached(|s| {
                    let size = s.simulation().step_size();
                    if s.simulation().steps_until(until) == 0 {
                        return true;
                    }
                    s.simulation_mut().fit_step(until);
                    s.step();
                    s.simulation_mut().set_step_size(size);
                    watch.look(&s.simulation().world, false);
                    s.report().status == Status::Interrupted
                })
            });
            over = done.ok_or_else(|| {
                errors::raise(py, "KreiselError", "a step panicked; load the world again")
            })?;
            py.check_signals()?;
        }
        Ok({
            let found = watch.closest_first().into_iter();
            found
                .map(|c| {
                    (c.names, c.distance, c.time, c.points[0].to_array(), c.points[1].to_array())
                })
                .collect()
        })
    }
}
