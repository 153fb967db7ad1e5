//! Questions about many placed shapes at once: rays, points, overlaps, closest pairs.
//!
//! Reference: Lennerz 2000, section 2.6.1 (L-11, the static query for a world). A tree of
//! axis-aligned boxes leads to the shapes that matter, in the order of their boxes' bounds; the
//! exact queries decide. Shapes without bounds (half-spaces) are always asked. Pairs pass the set's
//! [`PairFilter`] first (B-62). O(log n) shapes are looked at for rays and points of scattered
//! scenes.

use super::{PointProximity, Proximity, Ray, RayHit, cast_ray, closest_point, distance};
use crate::broad::{Aabb, BoxTree, BroadPhase, PairFilter};
use crate::{Pose, Shape, ShapeError};
use glam::DVec3;

/// Why a shape cannot be placed in a set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SetError {
    /// The shape is not valid.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The pose is not a rigid motion.
    #[error("a pose needs a finite position and a rotation of length 1")]
    Pose,
    /// There is no such shape.
    #[error("there is no shape {0}: the set has {1}")]
    Unknown(u32, usize),
}

/// Shapes with their poses. Each has a number, counted from 0 in the order of adding.
///
/// ```
/// use glam::DVec3;
/// use kreisel_geometry::{Pose, Shape, query::{Ray, ShapeSet}};
/// let mut set = ShapeSet::default();
/// for x in 0..5 {
///     set.add(Shape::Sphere { radius: 0.4 }, Pose::at(DVec3::X * f64::from(x))).unwrap();
/// }
/// let ray = Ray { origin: DVec3::new(3.0, 0.0, 9.0), direction: -DVec3::Z };
/// let (hit, at) = set.cast_ray(&ray, f64::INFINITY).unwrap();
/// assert_eq!((hit, at.distance), (3, 8.6));
/// let (pair, gap) = set.closest_pair(f64::INFINITY).unwrap();
/// assert_eq!(pair, [0, 1]);
/// assert!((gap.distance - 0.2).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ShapeSet {
    shapes: Vec<(Shape, Pose)>,
    boxes: Vec<Aabb>,
    tree: BoxTree,
    /// Boxes have changed since the tree was updated.
    stale: bool,
    filter: PairFilter,
}

impl ShapeSet {
    /// Adds a shape; gives its number.
    pub fn add(&mut self, shape: Shape, pose: Pose) -> Result<u32, SetError> {
        shape.check()?;
        if !pose.is_valid() {
            return Err(SetError::Pose);
        }
        self.boxes.push(Aabb::of(&shape, &pose));
        self.shapes.push((shape, pose));
        self.stale = true;
        Ok(self.shapes.len() as u32 - 1)
    }

    /// Moves a shape.
    pub fn set_pose(&mut self, i: u32, pose: Pose) -> Result<(), SetError> {
        let n = self.shapes.len();
        let (shape, old) = self.shapes.get_mut(i as usize).ok_or(SetError::Unknown(i, n))?;
        if !pose.is_valid() {
            return Err(SetError::Pose);
        }
        *old = pose;
        self.boxes[i as usize] = Aabb::of(shape, &pose);
        self.stale = true;
        Ok(())
    }

    /// A shape and its pose.
    pub fn get(&self, i: u32) -> Option<(&Shape, &Pose)> {
        self.shapes.get(i as usize).map(|(shape, pose)| (shape, pose))
    }

    /// The number of shapes.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// Which pairs count in questions about pairs.
    pub fn filter_mut(&mut self) -> &mut PairFilter {
        &mut self.filter
    }

    fn update(&mut self) {
        if self.stale {
            self.tree.update(&self.boxes);
            self.stale = false;
        }
    }

    /// The first shape that a ray hits, no farther than `reach` (in multiples of its direction). Of
    /// equal hits the one with the smaller number.
    pub fn cast_ray(&mut self, ray: &Ray, reach: f64) -> Option<(u32, RayHit)> {
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return None;
        }
        self.update();
        let mut best: Option<(u32, RayHit)> = None;
        let mut ask = |i: u32| {
            let limit = best.map_or(reach, |b: (u32, RayHit)| b.1.distance);
            let (shape, pose) = &self.shapes[i as usize];
            if let Some(hit) = cast_ray(shape, pose, ray, limit)
                && best.is_none_or(|(j, b)| (hit.distance, i) < (b.distance, j))
            {
                best = Some((i, hit));
            }
            best.map_or(reach, |b| b.1.distance)
        };
        let limit = self.tree.unbounded().fold(reach, |_, i| ask(i));
        self.tree.nearest_first(&self.boxes, limit, |b| b.enters(ray), ask);
        best
    }

    /// All shapes that a ray hits within `reach`, each at its first hit, the nearest first.
    pub fn cast_ray_all(&mut self, ray: &Ray, reach: f64) -> Vec<(u32, RayHit)> {
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return Vec::new();
        }
        self.update();
        let mut hits = Vec::new();
        let mut ask = |i: u32| {
            let (shape, pose) = &self.shapes[i as usize];
            hits.extend(cast_ray(shape, pose, ray, reach).map(|hit| (i, hit)));
            reach
        };
        for i in self.tree.unbounded() {
            ask(i);
        }
        self.tree.nearest_first(&self.boxes, reach, |b| b.enters(ray), ask);
        hits.sort_by(|x, y| x.1.distance.total_cmp(&y.1.distance).then(x.0.cmp(&y.0)));
        hits
    }

    /// The shape closest to a point, no farther than `reach`; of those that contain it, the one in
    /// which it is deepest.
    pub fn closest_to(&mut self, point: DVec3, reach: f64) -> Option<(u32, PointProximity)> {
        if !point.is_finite() {
            return None;
        }
        self.update();
        let mut best: Option<(u32, PointProximity)> = None;
        let mut ask = |i: u32| {
            let (shape, pose) = &self.shapes[i as usize];
            if let Some(found) = closest_point(shape, pose, point).filter(|p| p.distance <= reach)
                && best.is_none_or(|(j, b)| (found.distance, i) < (b.distance, j))
            {
                best = Some((i, found));
            }
            best.map_or(reach, |b| b.1.distance.max(0.0))
        };
        let limit = self.tree.unbounded().fold(reach, |_, i| ask(i));
        self.tree.nearest_first(&self.boxes, limit, |b| Some(b.distance_to(point)), ask);
        best
    }

    /// The numbers of the shapes that contain a point, sorted. Open meshes contain nothing.
    pub fn containing(&mut self, point: DVec3) -> Vec<u32> {
        self.near(&Aabb { lo: point, hi: point }, |shape, pose| {
            closest_point(shape, pose, point).is_some_and(|p| p.distance <= 0.0)
        })
    }

    /// The numbers of the shapes that overlap a given one, sorted.
    pub fn overlapping(&mut self, shape: &Shape, pose: &Pose) -> Result<Vec<u32>, SetError> {
        shape.check()?;
        if !pose.is_valid() {
            return Err(SetError::Pose);
        }
        Ok(self.near(&Aabb::of(shape, pose), |other, at| super::overlaps(shape, pose, other, at)))
    }

    /// The numbers of the shapes whose boxes overlap a box, sorted.
    pub fn in_box(&mut self, bounds: &Aabb) -> Vec<u32> {
        self.near(bounds, |_, _| true)
    }

    fn near(&mut self, bounds: &Aabb, keep: impl Fn(&Shape, &Pose) -> bool) -> Vec<u32> {
        self.update();
        let mut found = Vec::new();
        let mut ask = |i: u32| {
            let (shape, pose) = &self.shapes[i as usize];
            if keep(shape, pose) {
                found.push(i);
            }
            0.0
        };
        for i in self.tree.unbounded() {
            ask(i);
        }
        self.tree.nearest_first(&self.boxes, 0.0, |b| b.overlaps(bounds).then_some(0.0), ask);
        found.sort_unstable();
        found
    }

    /// The closest pair that the filter allows and that is at most `reach` apart; the deepest if
    /// some overlap.
    pub fn closest_pair(&mut self, reach: f64) -> Option<([u32; 2], Proximity)> {
        self.update();
        let mut best: Option<([u32; 2], Proximity)> = None;
        let mut ask = |pair: [u32; 2]| {
            if let Some(found) = self.measure(pair).filter(|p| p.distance <= reach)
                && best.is_none_or(|(other, b)| (found.distance, pair) < (b.distance, other))
            {
                best = Some((pair, found));
            }
            best.map_or(reach, |b| b.1.distance.max(0.0))
        };
        let limit = self.unbounded_pairs().into_iter().fold(reach, |_, pair| ask(pair));
        self.tree.closest_pairs_first(&self.boxes, limit, ask);
        best
    }

    /// All pairs that the filter allows and that are at most `reach` apart, sorted by number.
    pub fn pairs_within(&mut self, reach: f64) -> Vec<([u32; 2], Proximity)> {
        let enlarged: Vec<Aabb> =
            self.boxes.iter().map(|b| b.enlarged(0.5 * reach.max(0.0))).collect();
        let mut pairs = BoxTree::default().pairs(&enlarged);
        self.filter.retain(&mut pairs);
        let measured = pairs.into_iter().filter_map(|pair| Some((pair, self.measure(pair)?)));
        measured.filter(|(_, p)| p.distance <= reach).collect()
    }

    /// All pairs that the filter allows and that overlap, sorted by number.
    pub fn overlapping_pairs(&mut self) -> Vec<([u32; 2], Proximity)> {
        self.pairs_within(0.0)
    }

    fn unbounded_pairs(&self) -> Vec<[u32; 2]> {
        let n = self.shapes.len() as u32;
        let mut pairs: Vec<[u32; 2]> = self
            .tree
            .unbounded()
            .flat_map(|i| (0..n).filter(move |&j| j != i).map(move |j| [i.min(j), i.max(j)]))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The distance of a pair, if the filter allows it.
    fn measure(&self, [i, j]: [u32; 2]) -> Option<Proximity> {
        if !self.filter.allows(i, j) {
            return None;
        }
        let ((a, p), (b, q)) = (&self.shapes[i as usize], &self.shapes[j as usize]);
        distance(a, p, b, q)
    }
}

impl Aabb {
    /// Where a ray enters the box, a little enlarged against rounding; none if it misses.
    fn enters(&self, ray: &Ray) -> Option<f64> {
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for k in 0..3 {
            let (o, d) = (ray.origin[k], ray.direction[k]);
            let slack = 1e-12 * (o.abs() + self.lo[k].abs().max(self.hi[k].abs()));
            let (lo, hi) = (self.lo[k] - slack, self.hi[k] + slack);
            if d.abs() < 1e-300 {
                if o < lo || o > hi {
                    return None;
                }
                continue;
            }
            let (s, t) = ((lo - o) / d, (hi - o) / d);
            enter = enter.max(s.min(t));
            leave = leave.min(s.max(t));
        }
        (enter <= leave).then_some(enter)
    }
}
