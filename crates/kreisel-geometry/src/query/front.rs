//! Distance of two meshes that have moved a little since the last query.
//!
//! The front of a search is the set of block pairs that were opened, each with the least bound of
//! what was *not* opened below it. If the meshes have moved by at most m since then, none of that
//! is closer than its bound less m: a record whose bound less m is not below the upper bound need
//! not be looked at. With the triangles of the last answer as first upper bound (Lennerz 2000,
//! section 3.9.2) a small motion leaves a few records to check, found by one scan over an array of
//! numbers.
//!
//! | symbol | meaning |
//! |---|---|
//! | m | summed motion: for each step \|Δt\| + 2 sin(Δφ/2) r, with r the reach of the first mesh about its origin |
//! | key | least distance of the unopened children when the record was last evaluated, plus m at that time |
//!
//! First the convex hulls are asked (`hulls_first`), as long as they know the answer; GJK starts
//! where it ended.
//!
//! The front is built again when it has doubled, when the meshes overlap, or when the motion
//! exceeds a twentieth of the size: then a cold query, seeded with the last triangles, is cheaper.
//! The answer is exact in every case; which of several equally close triangle pairs is named may
//! depend on the history.

use super::hulls_first::by_hulls;
use super::mesh_distance::{Work, closest_triangles};
use super::{MeshDistance, MeshQuery, mesh_distance};
use crate::Pose;
use crate::convex::ConvexCache;
use crate::elementary::triangles_cross;
use crate::simd::{Kernel, Lanes, Motion4, dispatch};
use crate::tree::{MeshTree, MovedBoxes};

/// What is remembered of a pair of meshes between queries.
#[derive(Clone, Debug, Default)]
pub struct MeshFront {
    records: Vec<Record>,
    keys: Vec<f64>,
    pair: Option<[u32; 2]>,
    sizes: [usize; 2],
    pose: Option<Pose>,
    motion: f64,
    built: usize,
    /// What GJK on the convex hulls remembers.
    hulls: ConvexCache,
    /// The hulls did not give the answer since the front was built: they are not asked again.
    hulls_failed: bool,
}

/// An opened pair of blocks.
#[derive(Clone, Copy, Debug)]
struct Record {
    first: u32,
    second: u32,
    /// Children that have records of their own, four bits for each row.
    opened: u16,
}

/// Distance of two meshes; `front` must belong to this pair of trees and no other.
///
/// ```
/// use kreisel_geometry::{Pose, mesh::generate, query::{MeshFront, mesh_distance_coherent}, tree::MeshTree};
/// let ball = MeshTree::new(&generate::icosphere(1.0, 3));
/// let mut front = MeshFront::default();
/// for step in 0..10 {
///     let pose = Pose::at(glam::DVec3::X * (3.0 - 1e-4 * f64::from(step)));
///     let d = mesh_distance_coherent(&ball, &pose, &ball, &Pose::IDENTITY, &mut front).unwrap();
///     assert!((d.distance - (1.0 - 1e-4 * f64::from(step))).abs() < 1e-2);
/// }
/// ```
pub fn mesh_distance_coherent(
    first: &MeshTree,
    first_pose: &Pose,
    second: &MeshTree,
    second_pose: &Pose,
    front: &mut MeshFront,
) -> Option<MeshDistance> {
    if front.sizes != [first.len(), second.len()] {
        *front = MeshFront { sizes: [first.len(), second.len()], ..MeshFront::default() };
    }
    let relative = first_pose.seen_from(second_pose);
    if let Some(last) = front.pose.replace(relative) {
        let turn = last.rotation.conjugate() * relative.rotation;
        // |v| = sin(Δφ/2)
        let sine = glam::DVec3::new(turn.x, turn.y, turn.z).length();
        front.motion += relative.position.distance(last.position) + 2.0 * sine * first.reach();
    }
    if !front.hulls_failed {
        match by_hulls(first, second, &relative, &mut front.hulls) {
            Some(found) if found.is_certain() => {
                front.pair = Some(found.pair);
                let work = Work { support_points: found.steps.into(), ..Work::default() };
                return Some(MeshDistance::new(&found.closest, second_pose, found.pair, work));
            }
            _ => front.hulls_failed = true,
        }
    }
    let worn = front.records.len() > 2 * front.built + 64
        || front.motion > 0.05 * first.root().half.length();
    let usable = !front.records.is_empty() && !worn;
    if let (true, Some(pair)) = (usable, front.pair) {
        let upper = closest_triangles(first, second, &relative, pair).squared;
        let update = Update { first, second, relative, front, upper, pair, work: Work::default() };
        let (upper, pair, work) = dispatch(update);
        front.pair = Some(pair);
        if upper > 0.0 {
            let answer = closest_triangles(first, second, &relative, pair);
            return Some(MeshDistance::new(&answer, second_pose, pair, work));
        }
    }
    let query = MeshQuery { seed: front.pair, within: None, tree_only: true };
    let answer = mesh_distance(first, first_pose, second, second_pose, &query)?;
    front.pair = Some(answer.triangles);
    front.records.clear();
    front.keys.clear();
    front.motion = 0.0;
    front.hulls_failed = !worn;
    if answer.distance > 0.0 {
        front.records.push(Record { first: 0, second: 0, opened: 0 });
        front.keys.push(0.0);
        let upper = answer.distance * answer.distance;
        let pair = answer.triangles;
        dispatch(Update { first, second, relative, front, upper, pair, work: Work::default() });
        front.built = front.records.len();
    }
    Some(answer)
}

struct Update<'a> {
    first: &'a MeshTree,
    second: &'a MeshTree,
    relative: Pose,
    front: &'a mut MeshFront,
    /// Square of the best distance so far.
    upper: f64,
    pair: [u32; 2],
    work: Work,
}

impl Kernel for Update<'_> {
    type Output = (f64, [u32; 2], Work);

    #[inline(always)]
    fn run<L: Lanes>(mut self, l: L) -> Self::Output {
        let motion = Motion4::new(l, &self.relative);
        let mut at = 0;
        // new records are appended and met by the same loop
        while at < self.front.records.len() && self.upper > 0.0 {
            let least = self.front.keys[at] - self.front.motion;
            if least <= 0.0 || least * least < self.upper {
                self.evaluate(l, &motion, at);
            }
            at += 1;
        }
        (self.upper, self.pair, self.work)
    }
}

impl Update<'_> {
    #[inline(always)]
    fn evaluate<L: Lanes>(&mut self, l: L, motion: &Motion4<L>, at: usize) {
        let mut record = self.front.records[at];
        let (a, b) = (
            &self.first.blocks[record.first as usize],
            &self.second.blocks[record.second as usize],
        );
        let boxes = MovedBoxes::new(l, a, motion);
        let (rows, columns) = (a.count as usize, b.count as usize);
        let mut bounds = [[f64::INFINITY; 4]; 4];
        for i in 0..rows {
            let row = boxes.bounds(l, i, b);
            bounds[i][..columns].copy_from_slice(&row[..columns]);
        }
        self.work.moved_boxes += rows as u64;
        self.work.box_pairs += (rows * columns) as u64;
        let (first_leaf, second_leaf) = (a.is_leaf(), b.is_leaf());
        let mut rest = f64::INFINITY;
        if first_leaf && second_leaf {
            self.triangles(l, motion, record, &mut bounds);
            for row in &bounds {
                rest = rest.min(row[0].min(row[1]).min(row[2].min(row[3])));
            }
        } else {
            // a leaf block goes on as a whole: its row or column is one child
            for i in 0..if first_leaf { 1 } else { rows } {
                for j in 0..if second_leaf { 1 } else { columns } {
                    let bound = if first_leaf {
                        bounds[0][j].min(bounds[1][j]).min(bounds[2][j].min(bounds[3][j]))
                    } else if second_leaf {
                        bounds[i][0].min(bounds[i][1]).min(bounds[i][2].min(bounds[i][3]))
                    } else {
                        bounds[i][j]
                    };
                    let bit = 1 << (4 * i + j);
                    if record.opened & bit != 0 {
                        continue;
                    }
                    if bound >= self.upper {
                        rest = rest.min(bound);
                        continue;
                    }
                    record.opened |= bit;
                    let first = if first_leaf { record.first } else { a.child[i] };
                    let second = if second_leaf { record.second } else { b.child[j] };
                    self.front.records.push(Record { first, second, opened: 0 });
                    self.front.keys.push(0.0);
                }
            }
        }
        self.front.records[at] = record;
        self.front.keys[at] = rest.sqrt() + self.front.motion;
    }

    /// The triangles of two leaf blocks; their exact distances replace the bounds of their boxes.
    #[inline(always)]
    fn triangles<L: Lanes>(
        &mut self,
        l: L,
        motion: &Motion4<L>,
        record: Record,
        bounds: &mut [[f64; 4]; 4],
    ) {
        let least = |row: &[f64; 4]| row[0].min(row[1]).min(row[2].min(row[3]));
        if bounds.iter().all(|row| least(row) >= self.upper) {
            return;
        }
        let (a, b) = (
            &self.first.blocks[record.first as usize],
            &self.second.blocks[record.second as usize],
        );
        let other = self.second.triangles[b.triangles as usize].here(l);
        let moved = self.first.triangles[a.triangles as usize].moved(l, motion);
        for i in 0..a.count as usize {
            let row = &mut bounds[i];
            if row[0].min(row[1]).min(row[2].min(row[3])) >= self.upper {
                continue;
            }
            let squared = moved.squared(l, i, &other);
            for j in 0..b.count as usize {
                self.work.triangle_pairs += 1;
                let (t, u) = (a.child[i], b.child[j]);
                if row[j] == 0.0 && self.cross(t, u) {
                    row[j] = 0.0;
                    self.upper = 0.0;
                    self.pair = [t, u];
                    return;
                }
                row[j] = row[j].max(squared[j]);
                if squared[j] < self.upper {
                    self.upper = squared[j];
                    self.pair = [t, u];
                }
            }
        }
    }

    #[inline(never)]
    fn cross(&self, t: u32, u: u32) -> bool {
        let moved = self.first.triangle(t).map(|p| self.relative.point(p));
        triangles_cross(moved, self.second.triangle(u)).is_some()
    }
}
