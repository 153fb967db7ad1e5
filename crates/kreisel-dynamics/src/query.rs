//! Questions to a world about its surfaces as they stand: rays, shapes on a way, overlaps, closest
//! points, and the next collision.
//!
//! Reference: Lennerz 2000, section 2.6.1 (the static query L-11, the dynamic query L-12). Sensors
//! are left out: they are no obstacles. Nothing here changes the world or costs it anything.

use crate::body::BodyId;
use crate::collider::ColliderId;
use crate::contact;
use crate::error::ModelError;
use crate::event;
use crate::math::Vec3;
use crate::model::Model;
use crate::world::World;
use kreisel_geometry::impact::{Ballistic, ImpactQuery, Outcome, time_of_impact};
use kreisel_geometry::query::{Ray, RayHit, ShapeSet, distance};
use kreisel_geometry::{Pose, Shape};

/// One of the surfaces of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SurfaceId {
    /// The body; the ground is [`BodyId::WORLD`].
    pub body: BodyId,
    /// Its collider; `None` is its own shape.
    pub collider: Option<ColliderId>,
}

/// What a shape meets on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// What it meets.
    pub surface: SurfaceId,
    /// After which share of the way, from 0 to 1.
    pub share: f64,
    /// Where, m.
    pub point: Vec3,
    /// Unit normal from what it meets to the shape.
    pub normal: Vec3,
}

/// Where two bodies are closest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The surfaces.
    pub surfaces: [SurfaceId; 2],
    /// Their distance, m; negative where they overlap.
    pub distance: f64,
    /// A point on each, m.
    pub points: [Vec3; 2],
    /// Unit normal from the second to the first.
    pub normal: Vec3,
}

/// The next collision.
#[derive(Clone, Debug, PartialEq)]
pub struct NextCollision {
    /// In how much time, s; never later than the true time.
    pub time: f64,
    /// All pairs that are in contact then.
    pub pairs: Vec<CollidingPair>,
}

/// A pair of surfaces at the moment of a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollidingPair {
    /// The surfaces, where they are closest, and how far apart then.
    pub closest: Closest,
    /// Speed with which they approach along the normal, m/s; negative if they part.
    pub approach: f64,
}

/// The surfaces of a world in their poses. Made once, it answers many questions.
///
/// ```
/// use kreisel_dynamics::{Body, Material, Shape, Vec3, World};
///
/// let mut world = World::new();
/// let floor = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
/// world.set_ground(Some(floor), Material::default())?;
/// let ball = world.add_body(Body::sphere(1.0, 0.5).at(Vec3::Z * 2.0))?;
/// let mut query = world.query();
/// let (surface, hit) = query.cast_ray(Vec3::Z * 5.0, -Vec3::Z, 10.0).unwrap();
/// assert_eq!((surface.body, hit.distance), (ball, 2.5));
/// assert_eq!(query.without(ball).cast_ray(Vec3::Z * 5.0, -Vec3::Z, 10.0).unwrap().1.distance, 5.0);
/// # Ok::<(), kreisel_dynamics::ModelError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Query {
    set: ShapeSet,
    surfaces: Vec<SurfaceId>,
}

impl Query {
    fn of<'a>(surfaces: impl Iterator<Item = (SurfaceId, &'a Shape, Pose)>) -> Self {
        let mut query = Self::default();
        for (id, shape, pose) in surfaces {
            // what a model holds has been checked
            if query.set.add(shape.clone(), pose).is_ok() {
                query.surfaces.push(id);
            }
        }
        query
    }

    /// The same without the surfaces of a body.
    pub fn without(&self, body: BodyId) -> Self {
        let kept = (0..self.surfaces.len()).filter(|k| self.surfaces[*k].body != body);
        Self::of(kept.filter_map(|k| {
            let (shape, pose) = self.set.get(k as u32)?;
            Some((self.surfaces[k], shape, *pose))
        }))
    }

    fn surface(&self, number: u32) -> SurfaceId {
        self.surfaces[number as usize]
    }

    /// The first surface that a ray hits, no farther than `reach` (in multiples of `direction`).
    pub fn cast_ray(
        &mut self,
        origin: Vec3,
        direction: Vec3,
        reach: f64,
    ) -> Option<(SurfaceId, RayHit)> {
        let (number, hit) = self.set.cast_ray(&Ray { origin, direction }, reach)?;
        Some((self.surface(number), hit))
    }

    /// All surfaces that a ray hits, each at its first hit, the nearest first.
    pub fn cast_ray_all(
        &mut self,
        origin: Vec3,
        direction: Vec3,
        reach: f64,
    ) -> Vec<(SurfaceId, RayHit)> {
        let hits = self.set.cast_ray_all(&Ray { origin, direction }, reach);
        hits.into_iter().map(|(number, hit)| (self.surface(number), hit)).collect()
    }

    /// What a shape meets first that moves by `way` without turning; `tolerance` is a distance that
    /// counts as contact, m.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        pose: &Pose,
        way: Vec3,
        tolerance: f64,
    ) -> Result<Option<ShapeHit>, ModelError> {
        let refused = |e: &dyn std::fmt::Display| ModelError::Query(e.to_string());
        shape.check().map_err(|e| refused(&e))?;
        if way == Vec3::ZERO {
            return Ok(None);
        }
        let motion = Ballistic { velocity: way, ..Ballistic::at_rest(*pose) };
        let mut first: Option<ShapeHit> = None;
        for (number, surface) in self.surfaces.iter().enumerate() {
            let Some((other, at)) = self.set.get(number as u32) else { continue };
            let until = first.map_or(1.0, |f| f.share);
            if until == 0.0 {
                break;
            }
            let query = ImpactQuery::new(until, tolerance);
            let still = Ballistic::at_rest(*at);
            match time_of_impact(shape, &motion, other, &still, &query).map_err(|e| refused(&e))? {
                Outcome::Free => {}
                Outcome::Hit(hit) => {
                    let (share, point) = (hit.time, hit.b);
                    if first.is_none_or(|f| share < f.share) {
                        let normal = hit.normal;
                        first = Some(ShapeHit { surface: *surface, share, point, normal });
                    }
                }
                Outcome::FreeUntil(share) => return Err(gave_up(share)),
            }
        }
        Ok(first)
    }

    /// All surfaces that overlap a shape.
    pub fn overlapping(
        &mut self,
        shape: &Shape,
        pose: &Pose,
    ) -> Result<Vec<SurfaceId>, ModelError> {
        let found = self.set.overlapping(shape, pose);
        let found = found.map_err(|e| ModelError::Query(e.to_string()))?;
        Ok(found.into_iter().map(|number| self.surface(number)).collect())
    }

    /// All surfaces that contain a point.
    pub fn containing(&mut self, point: Vec3) -> Vec<SurfaceId> {
        self.set.containing(point).into_iter().map(|number| self.surface(number)).collect()
    }

    /// The surface closest to a point, no farther than `reach`, with its distance and the point on
    /// it; the distance is negative inside.
    pub fn closest_to(&mut self, point: Vec3, reach: f64) -> Option<(SurfaceId, f64, Vec3)> {
        let (number, found) = self.set.closest_to(point, reach)?;
        Some((self.surface(number), found.distance, found.point))
    }

    /// Where two bodies are closest; none if one of them has no surface.
    pub fn closest_points(&self, a: BodyId, b: BodyId) -> Option<Closest> {
        let of =
            |body: BodyId| (0..self.surfaces.len()).filter(move |k| self.surfaces[*k].body == body);
        let mut best: Option<Closest> = None;
        for (i, j) in of(a).flat_map(|i| of(b).map(move |j| (i, j))) {
            let ((p, at_p), (q, at_q)) = (self.set.get(i as u32)?, self.set.get(j as u32)?);
            let Some(near) = distance(p, at_p, q, at_q) else { continue };
            if best.is_none_or(|b| near.distance < b.distance) {
                best = Some(Closest {
                    surfaces: [self.surfaces[i], self.surfaces[j]],
                    distance: near.distance,
                    points: [near.a, near.b],
                    normal: near.normal,
                });
            }
        }
        best
    }
}

fn gave_up(at: f64) -> ModelError {
    ModelError::Query(format!("the search was given up after {at}: give a larger tolerance"))
}

impl Model {
    /// Slots of bodies that a joint or a constraint links and that do not collide for it, sorted.
    pub(crate) fn linked_slots(&self) -> Vec<[u32; 2]> {
        let mut out = Vec::new();
        let mut exclude = |a: BodyId, b: BodyId| {
            out.push([a.index.min(b.index), a.index.max(b.index)]);
        };
        for (_, _, joint) in self.joints.iter().filter(|(_, _, j)| j.desc.active && !j.desc.collide)
        {
            // the second body is joined to all the others
            let point = joint.desc.bodies[1];
            joint.desc.all_bodies().filter(|&id| id != point).for_each(|id| exclude(id, point));
        }
        for (_, _, constraint) in
            self.constraints.iter().filter(|(_, _, c)| c.desc.active && !c.desc.collide)
        {
            constraint.desc.linked().for_each(|[a, b]| exclude(a, b));
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

impl World {
    /// The surfaces of all bodies as they stand, for questions.
    pub fn query(&self) -> Query {
        let all = self.model.surfaces();
        Query::of(all.iter().filter(|(_, _, s)| !s.sensor).filter_map(|(slot, _, s)| {
            let body = BodyId::new(self.model.bodies.id_at(*slot as usize)?);
            let frame = Pose::new(self.position(body)?, self.rotation(body)?);
            let pose = if s.collider.is_none() { frame } else { frame.then(&s.pose) };
            Some((SurfaceId { body, collider: s.collider }, s.shape, pose))
        }))
    }

    /// When bodies meet next, and all pairs that are in contact then, if that is within `within`
    /// seconds. Dynamic bodies fly freely, with gravity and the gyroscopic motion of their inertia;
    /// kinematic ones keep their velocities. Joints, springs and contacts do not act. `tolerance`
    /// is the distance that counts as contact, m.
    ///
    /// Pairs that are in contact already are no news: they are left out, and so are those that
    /// groups, joints and constraints keep apart.
    pub fn next_collision(
        &self,
        within: f64,
        tolerance: f64,
    ) -> Result<Option<NextCollision>, ModelError> {
        let colliders = contact::colliders(&self.model);
        let linked = self.model.linked_slots();
        let found = event::next(&colliders, &self.model, &self.state, &linked, within, tolerance);
        let Some((time, pairs)) = found? else { return Ok(None) };
        let surface = |k: u32| {
            let c = &colliders[k as usize];
            let body = self.model.bodies.id_at(c.slot as usize).map(BodyId::new);
            SurfaceId { body: body.unwrap_or(BodyId::WORLD), collider: c.own }
        };
        let pairs = pairs.into_iter().map(|(pair, near, approach)| CollidingPair {
            closest: Closest {
                surfaces: pair.map(surface),
                distance: near.distance,
                points: [near.a, near.b],
                normal: near.normal,
            },
            approach,
        });
        Ok(Some(NextCollision { time, pairs: pairs.collect() }))
    }
}
