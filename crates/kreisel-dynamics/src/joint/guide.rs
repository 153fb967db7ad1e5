//! Rails and polygons: joints whose first side is several points, on one body or on many (S-05,
//! S-06).

use super::{Coordinate, Joint, JointKind, Limit};
use crate::body::BodyId;
use crate::constraint::Pose;
use crate::constraint::guide::{Guide, MAX_PLACES, spanning};
use crate::error::ModelError;
use crate::math::Vec3;

impl Joint {
    /// A rail: a point stays on the line through two others, which may belong to bodies that move.
    /// Each is a body and a place in the world. The coordinate [`Coordinate::Position`] runs from 0
    /// to the distance of the two ends, as it is now.
    pub fn rail(ends: [(BodyId, Vec3); 2], point: (BodyId, Vec3)) -> Self {
        let mut joint = Self::new(JointKind::Rail, ends[0].0, point.0).between(ends[0].1, point.1);
        joint.more = vec![ends[1]];
        joint
    }

    /// A polygon: a point stays in the plane of others, three or more corners of a convex outline
    /// in their order, which are meant to be points of something rigid. The coordinate
    /// [`Coordinate::Position`] is the distance from the nearest edge.
    pub fn polygon(corners: &[(BodyId, Vec3)], point: (BodyId, Vec3)) -> Self {
        let first = corners.first().copied().unwrap_or((BodyId::WORLD, Vec3::ZERO));
        let mut joint = Self::new(JointKind::Polygon, first.0, point.0).between(first.1, point.1);
        joint.more = corners.iter().skip(1).copied().collect();
        joint
    }

    /// Keeps the point of a rail between its ends, or that of a polygon within its outline, with a
    /// coefficient of restitution.
    pub fn with_ends(self, restitution: f64) -> Self {
        let length = match self.kind {
            JointKind::Rail => self.more.first().map_or(0.0, |end| end.1.distance(self.anchors[0])),
            _ => f64::INFINITY,
        };
        self.limit(Limit { restitution, ..Limit::new(Coordinate::Position, 0.0, length) })
    }

    /// Every body that the joint holds on to.
    pub fn all_bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.bodies.into_iter().chain(self.more.iter().map(|m| m.0))
    }

    /// The places that a rail or polygon lies on.
    fn supports(&self) -> Vec<(BodyId, Vec3)> {
        let mut out = vec![(self.bodies[0], self.anchors[0])];
        out.extend(&self.more);
        out
    }
}

/// A rail or polygon as it is fixed to its bodies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GuideRecord {
    pub guide: Guide,
    /// The point, then all supports: bodies and places from their centres of mass, in principal
    /// frames.
    pub places: Vec<(BodyId, Vec3)>,
    /// Which of the places carry the point: itself first.
    pub carriers: [usize; MAX_PLACES],
}

impl GuideRecord {
    /// The guide of a joint that has one; `local` turns a place of the world into one of a body.
    pub fn new(
        joint: &Joint,
        name: &str,
        local: impl Fn(BodyId, Vec3) -> Vec3,
    ) -> Result<Option<Self>, ModelError> {
        let refuse = |field, must, value| {
            Err(ModelError::OutOfRange { item: name.to_owned(), field, must, value })
        };
        let supports = joint.supports();
        let count = supports.len() as f64 + 1.0;
        let (guide, carriers) = match joint.kind {
            JointKind::Rail if supports.len() != 2 => {
                return refuse("number of bodies", "three for a rail", count);
            }
            JointKind::Rail => {
                let length = supports[0].1.distance(supports[1].1);
                // below this the direction of the rail is noise
                if !(length > 1e-9) {
                    return refuse("length", "positive: the ends of a rail lie apart", length);
                }
                (Guide::rail(length), [0, 1, 2, 0])
            }
            JointKind::Polygon if supports.len() < 3 => {
                return refuse("number of bodies", "four or more for a polygon", count);
            }
            JointKind::Polygon => {
                let corners: Vec<Vec3> = supports.iter().map(|s| s.1).collect();
                let outline = || ModelError::Outline(name.to_owned());
                let frame = spanning(&corners).ok_or_else(outline)?;
                let guide = Guide::polygon(&corners, frame).ok_or_else(outline)?;
                (guide, [0, frame[0] + 1, frame[1] + 1, frame[2] + 1])
            }
            _ if !joint.more.is_empty() => {
                return refuse("number of bodies", "two for this kind of joint", count);
            }
            _ => return Ok(None),
        };
        let mut places = vec![(joint.bodies[1], local(joint.bodies[1], joint.anchors[1]))];
        places.extend(supports.iter().map(|&(b, at)| (b, local(b, at))));
        Ok(Some(Self { guide, places, carriers }))
    }

    /// The place that carries as number `k`: 0 is the point.
    pub fn carrier(&self, k: usize) -> (BodyId, Vec3) {
        self.places[self.carriers[k]]
    }

    /// Where the carrying places are.
    pub fn stand(&self, pose: impl Fn(BodyId) -> Pose) -> [Vec3; MAX_PLACES] {
        let mut out = [Vec3::ZERO; MAX_PLACES];
        for (k, out) in out.iter_mut().enumerate().take(self.guide.places()) {
            let (body, origin) = self.carrier(k);
            let p = pose(body);
            *out = p.x + p.r * origin;
        }
        out
    }
}
