//! Shapes as flat lists of simple parts: compounds are unfolded, each part knows where it is.

use crate::convex::{Convex, Core};
use crate::ring::Ring;
use crate::tree::OrientedBox;
use crate::{Pose, Shape, TriMesh};
use glam::{DMat3, DVec3};

/// A shape that is not a compound.
#[derive(Clone, Copy)]
pub(crate) enum Leaf<'a> {
    Convex(Convex<'a>),
    Mesh(&'a TriMesh),
    HalfSpace { normal: DVec3, offset: f64 },
    Ring(Ring),
}

impl<'a> Leaf<'a> {
    /// The leaf of a shape that is not a compound.
    pub(crate) fn of(shape: &'a Shape) -> Option<Self> {
        Some(match shape {
            Shape::HalfSpace { normal, offset } => {
                Self::HalfSpace { normal: *normal, offset: *offset }
            }
            Shape::Torus { radius, tube } => Self::Ring(Ring { radius: *radius, tube: *tube }),
            Shape::Mesh(mesh) => Self::Mesh(mesh),
            Shape::HeightField(field) => Self::Mesh(field.surface()),
            _ => Self::Convex(Convex::of(shape)?),
        })
    }

    /// Whether it has facets that may be much smaller than the whole.
    pub(crate) fn is_faceted(&self) -> bool {
        matches!(self, Self::Mesh(_) | Self::Convex(Convex { core: Core::Hull(_), .. }))
    }

    /// The same solid, a convex mesh as its hull.
    pub(crate) fn solid(&self) -> Self {
        match self {
            Self::Mesh(mesh) => {
                mesh.as_convex().map_or(*self, |hull| Self::Convex(Convex::sharp(Core::Hull(hull))))
            }
            _ => *self,
        }
    }
}

/// A leaf, its pose in the world and its number in the order of the unfolded parts.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) leaf: Leaf<'a>,
    pub(crate) pose: Pose,
    pub(crate) part: u32,
    /// A box round the leaf, in its own frame; infinite for half-spaces.
    pub(crate) volume: OrientedBox,
}

impl<'a> Placed<'a> {
    pub(crate) fn new(leaf: Leaf<'a>, pose: Pose, part: u32) -> Self {
        let aligned = |center, half| OrientedBox { center, axes: DMat3::IDENTITY, half };
        let volume = match &leaf {
            Leaf::Convex(convex) => {
                let (center, half) = convex.bounds();
                aligned(center, half)
            }
            Leaf::Mesh(mesh) => mesh.tree().root(),
            Leaf::HalfSpace { .. } => aligned(DVec3::ZERO, DVec3::INFINITY),
            Leaf::Ring(ring) => aligned(DVec3::ZERO, ring.half()),
        };
        Self { leaf, pose, part, volume }
    }

    /// A leaf of which nobody asks for the box.
    pub(crate) fn bare(leaf: Leaf<'a>, pose: Pose, part: u32) -> Self {
        let volume =
            OrientedBox { center: DVec3::ZERO, axes: DMat3::IDENTITY, half: DVec3::INFINITY };
        Self { leaf, pose, part, volume }
    }

    /// A lower bound of the distance of two leaves, from the balls round their boxes.
    pub(crate) fn least_distance(&self, other: &Self) -> f64 {
        let [p, q] = [self, other].map(|x| x.pose.point(x.volume.center));
        p.distance(q) - self.volume.half.length() - other.volume.half.length()
    }
}

/// All leaves of a shape.
pub(crate) fn leaves<'a>(shape: &'a Shape, pose: &Pose) -> Vec<Placed<'a>> {
    let mut result = Vec::with_capacity(1);
    collect(shape, pose, &mut result);
    result
}

fn collect<'a>(shape: &'a Shape, pose: &Pose, into: &mut Vec<Placed<'a>>) {
    if let Shape::Compound(parts) = shape {
        for part in parts {
            collect(&part.shape, &pose.then(&part.pose), into);
        }
    } else if let Some(leaf) = Leaf::of(shape) {
        into.push(Placed::new(leaf, *pose, into.len() as u32));
    }
}
