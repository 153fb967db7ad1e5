//! A mesh against a convex set: the tree finds the triangles, GJK measures them.
//!
//! The convex set's own box, seen from the mesh, is bounded against four boxes of the tree at a
//! time. Apart, the answer is the exact least distance. When they overlap, every triangle that the
//! set touches is visited and the deepest one taken: its depth separates the set from that
//! triangle. A set that a closed mesh encloses without touching gets the negative distance of the
//! surfaces.

use super::ray_mesh::contains;
use super::{Place, Proximity, Work};
use crate::convex::{Convex, ConvexCache, ConvexDistance, Core, convex_distance};
use crate::simd::{Kernel, Lanes, Motion4, dispatch};
use crate::tree::{BoxBlock, MeshTree, MovedBoxes};
use crate::{Pose, TriMesh};
use glam::DVec3;

/// Signed distance, the mesh as the first of the pair.
pub(super) fn mesh_convex(
    mesh: &TriMesh,
    mesh_pose: &Pose,
    convex: &Convex,
    convex_pose: &Pose,
    mut places: [Place; 2],
) -> Proximity {
    let relative = convex_pose.seen_from(mesh_pose);
    let found = dispatch(Search { tree: mesh.tree(), convex, relative });
    let mut distance = found.closest.distance;
    let mut normal = found.closest.normal;
    if distance > 0.0 && mesh.is_closed() && contains(mesh, found.closest.b) {
        distance = -distance;
        normal = -normal;
    }
    places[0].triangle = Some(found.triangle);
    Proximity {
        distance,
        a: mesh_pose.point(found.closest.a),
        b: mesh_pose.point(found.closest.b),
        normal: mesh_pose.direction(normal),
        lower: if distance > 0.0 { found.lower } else { f64::NEG_INFINITY },
        places,
        work: found.work,
    }
}

/// The point of a mesh closest to a point of the world, the mesh as the first of the pair; the
/// distance is negative inside a closed one.
pub(crate) fn mesh_point(mesh: &TriMesh, pose: &Pose, point: DVec3) -> Proximity {
    let probe = Convex { core: Core::Point, margin: 0.0 };
    let places = [Place { part: 0, triangle: None }; 2];
    mesh_convex(mesh, pose, &probe, &Pose::at(point), places)
}

struct Search<'a> {
    tree: &'a MeshTree,
    convex: &'a Convex<'a>,
    /// The convex set seen from the mesh.
    relative: Pose,
}

struct Found {
    closest: ConvexDistance,
    triangle: u32,
    /// The least lower bound of the triangles that were measured.
    lower: f64,
    work: Work,
}

impl Kernel for Search<'_> {
    type Output = Found;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Found {
        let (center, half) = self.convex.bounds();
        let block = BoxBlock::single(center, half);
        let own = MovedBoxes::new(l, &block, &Motion4::new(l, &self.relative));
        let mut cache = ConvexCache::default();
        let mut best = self.measure(0, &mut cache);
        let mut stack: Vec<(f64, u32)> = vec![(0.0, 0)];
        while let Some((bound, number)) = stack.pop() {
            let upper = best.closest.distance.max(0.0);
            if bound > upper * upper {
                continue;
            }
            let block = &self.tree.blocks[number as usize];
            let bounds = own.bounds(l, 0, block);
            best.work.box_pairs += u64::from(block.count);
            if block.is_leaf() {
                for lane in 0..block.count as usize {
                    let upper = best.closest.distance.max(0.0);
                    if bounds[lane] <= upper * upper {
                        let found = self.measure(block.child[lane], &mut cache);
                        let (work, lower) = (best.work + found.work, best.lower.min(found.lower));
                        if found.closest.distance < best.closest.distance {
                            best = found;
                        }
                        (best.work, best.lower) = (work, lower);
                    }
                }
                continue;
            }
            let from = stack.len();
            for lane in 0..block.count as usize {
                if bounds[lane] <= upper * upper {
                    stack.push((bounds[lane], block.child[lane]));
                }
            }
            // the closest on top
            stack[from..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        }
        best
    }
}

impl Search<'_> {
    /// One triangle, in the mesh's frame.
    #[inline(never)]
    fn measure(&self, triangle: u32, cache: &mut ConvexCache) -> Found {
        let corners = Convex::sharp(Core::Triangle(self.tree.triangle(triangle)));
        let closest =
            convex_distance(&corners, &Pose::IDENTITY, self.convex, &self.relative, cache);
        let work =
            Work { triangle_pairs: 1, support_points: u64::from(closest.steps), ..Work::default() };
        Found { closest, triangle, lower: closest.lower, work }
    }
}
