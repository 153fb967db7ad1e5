//! What the search sees of a part at one moment: a box of a tree, a triangle, a convex shape, a
//! half-space, an arc of a torus. Arcs are halved until a capsule holds them with less than the
//! tolerance to spare, at most [`LEVELS`] times: then 4e-8 of the circle's radius, by which an
//! impact may be early. Deeper, tori that lie flat on something would be looked at in a million
//! places.

use super::gap::{Extent, Gap, box_gap};
use crate::Pose;
use crate::convex::{Convex, ConvexCache, Core, convex_distance};
use crate::elementary::triangle_triangle;
use crate::query::{Leaf, Placed};
use crate::ring::Ring;
use crate::tree::{MeshTree, OrientedBox};
use glam::{DMat3, DQuat, DVec3};
use smallvec::{SmallVec, smallvec};
use std::f64::consts::PI;

/// How often a torus is halved.
const LEVELS: u32 = 13;

/// A node of a part: block and lane of a mesh's tree, or the whole of a convex shape or half-space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node(u32);

impl Node {
    pub(super) const ROOT: Self = Self(0);
    pub(super) const WHOLE: Self = Self(u32::MAX);

    /// Where the search of a part begins.
    pub(super) fn first(leaf: &Leaf) -> Self {
        match leaf {
            Leaf::Mesh(_) => Self::ROOT,
            // arcs are numbered like the nodes of a heap
            Leaf::Ring(_) => Self(1),
            Leaf::Convex(_) | Leaf::HalfSpace { .. } => Self::WHOLE,
        }
    }

    fn lane(block: u32, lane: u32) -> Self {
        Self(4 * block + lane)
    }
}

/// Where a part's frame is in the world.
pub(super) struct Frame {
    pose: Pose,
    matrix: DMat3,
    /// Error that a stand-in for a shape may have, m.
    tolerance: f64,
}

/// A node in the world.
pub(super) struct View<'a> {
    /// A box round it; meaningless for half-spaces.
    pub(super) volume: OrientedBox,
    pub(super) triangle: Option<u32>,
    pub(super) kind: Kind<'a>,
}

pub(super) enum Kind<'a> {
    /// A node of a tree and the block with its children.
    Inner(&'a MeshTree, u32),
    Triangle([DVec3; 3]),
    /// A part of a torus that is to be halved, by its number.
    Arc(u32),
    Convex(Convex<'a>, Pose),
    /// Normal and level: n·x ≤ level.
    HalfSpace(DVec3, f64),
}

impl Frame {
    pub(super) fn new(body: &Pose, part: &Pose, tolerance: f64) -> Self {
        let pose = if *part == Pose::IDENTITY { *body } else { body.then(part) };
        Self { pose, matrix: pose.matrix(), tolerance }
    }

    fn place(&self, volume: &OrientedBox) -> OrientedBox {
        OrientedBox {
            center: self.matrix * volume.center + self.pose.position,
            axes: self.matrix * volume.axes,
            half: volume.half,
        }
    }

    pub(super) fn view<'a>(&self, part: &Placed<'a>, node: Node) -> View<'a> {
        match &part.leaf {
            Leaf::Mesh(mesh) => {
                let tree = mesh.tree();
                let lane = (node.0 % 4) as usize;
                let block = &tree.blocks[(node.0 / 4) as usize];
                let volume = self.place(&block.lane(lane));
                let child = block.child[lane];
                if block.is_leaf() {
                    let corners =
                        tree.triangle(child).map(|p| self.matrix * p + self.pose.position);
                    return View { volume, triangle: Some(child), kind: Kind::Triangle(corners) };
                }
                View { volume, triangle: None, kind: Kind::Inner(tree, child) }
            }
            Leaf::Ring(ring) => self.arc(ring, node.0),
            Leaf::Convex(convex) => View {
                volume: self.place(&part.volume),
                triangle: None,
                kind: Kind::Convex(*convex, self.pose),
            },
            Leaf::HalfSpace { normal, offset } => {
                let n = self.matrix * *normal;
                let kind = Kind::HalfSpace(n, offset + n.dot(self.pose.position));
                View { volume: part.volume, triangle: None, kind }
            }
        }
    }
}

impl Frame {
    /// An arc of a torus: the `k`-th of its level, from whose middle it spans `half` radians to
    /// either side.
    fn arc<'a>(&self, ring: &Ring, number: u32) -> View<'a> {
        let level = number.ilog2();
        let (k, count) = (number - (1 << level), f64::from(1_u32 << level));
        let half = PI / count;
        let middle = half * f64::from(2 * k + 1);
        let (out, along) = (ring.at(middle) / ring.radius, Ring::tangent(middle));
        let (reach, rise) = if level == 0 {
            (ring.radius, 2.0 * ring.radius)
        } else {
            (ring.radius * libm::sin(half), ring.radius * (1.0 - libm::cos(half)))
        };
        let center = out * (ring.radius - 0.5 * rise);
        let volume = OrientedBox {
            center,
            axes: DMat3::from_cols(out, along, DVec3::Z),
            half: DVec3::new(0.5 * rise + ring.tube, reach + ring.tube, ring.tube),
        };
        let coarse = level == 0 || 0.5 * rise > self.tolerance;
        let kind = if coarse && level < LEVELS {
            Kind::Arc(number)
        } else {
            let turn = DQuat::from_mat3(&DMat3::from_cols(out, DVec3::NEG_Z, along));
            let capsule = Convex { core: Core::Segment(reach), margin: ring.tube + 0.5 * rise };
            Kind::Convex(capsule, self.pose.then(&Pose::new(center, turn)))
        };
        View { volume: self.place(&volume), triangle: None, kind }
    }
}

impl View<'_> {
    /// The nodes into which it is divided.
    pub(super) fn children(&self) -> SmallVec<[Node; 4]> {
        match self.kind {
            Kind::Inner(tree, block) => {
                (0..tree.blocks[block as usize].count).map(|lane| Node::lane(block, lane)).collect()
            }
            Kind::Arc(number) => smallvec![Node(2 * number), Node(2 * number + 1)],
            Kind::Triangle(_) | Kind::Convex(..) | Kind::HalfSpace(..) => SmallVec::new(),
        }
    }

    /// A gap of the enclosing boxes, cheap.
    pub(super) fn outer_gap(&self, other: &View) -> Gap {
        match (&self.kind, &other.kind) {
            (_, Kind::HalfSpace(n, level)) => above(&self.volume, *n, *level),
            (Kind::HalfSpace(n, level), _) => {
                let gap = above(&other.volume, *n, *level);
                Gap { distance: gap.distance, normal: -gap.normal }
            }
            _ => box_gap(&self.volume, &other.volume),
        }
    }

    /// The exact gap of two primitives and the closest points. For round shapes the gap is GJK's
    /// lower bound.
    pub(super) fn measure(&self, other: &View, cache: &mut ConvexCache) -> (Gap, DVec3, DVec3) {
        match (&self.kind, &other.kind) {
            (Kind::Triangle(p), Kind::Triangle(q)) => {
                let c = triangle_triangle(*p, *q);
                let normal = (c.a - c.b).normalize_or_zero();
                (Gap { distance: c.distance(), normal }, c.a, c.b)
            }
            (_, Kind::HalfSpace(n, level)) => {
                let lowest = self.support(-*n);
                let distance = n.dot(lowest) - level;
                (Gap { distance, normal: *n }, lowest, lowest - *n * distance)
            }
            (Kind::HalfSpace(..), _) => {
                let (gap, b, a) = other.measure(self, cache);
                (Gap { distance: gap.distance, normal: -gap.normal }, a, b)
            }
            _ => {
                let ((p, pose_p), (q, pose_q)) = (self.convex(), other.convex());
                let c = convex_distance(&p, &pose_p, &q, &pose_q, cache);
                // the slab between the support planes along the normal is certain, whatever the
                // convergence
                let slab = -self.reach(-c.normal) - other.reach(c.normal);
                (
                    Gap {
                        distance: if c.distance > 0.0 { slab.min(c.distance) } else { c.distance },
                        normal: c.normal,
                    },
                    c.a,
                    c.b,
                )
            }
        }
    }

    fn convex(&self) -> (Convex<'_>, Pose) {
        match &self.kind {
            Kind::Convex(convex, pose) => (*convex, *pose),
            Kind::Triangle(corners) => (Convex::sharp(Core::Triangle(*corners)), Pose::IDENTITY),
            // a node of a tree or a half-space is never measured as a convex set; its box is a
            // valid stand-in
            Kind::Inner(..) | Kind::Arc(_) | Kind::HalfSpace(..) => {
                let v = &self.volume;
                (Convex::sharp(Core::Box(v.half)), Pose::new(v.center, DQuat::from_mat3(&v.axes)))
            }
        }
    }

    fn support(&self, d: DVec3) -> DVec3 {
        match &self.kind {
            Kind::Triangle([a, b, c]) => {
                [*b, *c].into_iter().fold(*a, |p, q| if q.dot(d) > p.dot(d) { q } else { p })
            }
            _ => {
                let (convex, pose) = self.convex();
                pose.point(convex.support(pose.inverse_direction(d)))
            }
        }
    }
}

/// The gap of a box above a half-space.
fn above(volume: &OrientedBox, n: DVec3, level: f64) -> Gap {
    Gap { distance: (-volume.reach(-n) - level).max(0.0), normal: n }
}

impl Extent for View<'_> {
    fn reach(&self, d: DVec3) -> f64 {
        match &self.kind {
            Kind::Inner(..) | Kind::Arc(_) => self.volume.reach(d),
            _ => self.support(d).dot(d),
        }
    }

    fn radius(&self, center: DVec3) -> f64 {
        match &self.kind {
            Kind::Triangle(corners) => {
                corners.iter().map(|p| p.distance_squared(center)).fold(0.0, f64::max).sqrt()
            }
            _ => self.volume.radius(center),
        }
    }
}
