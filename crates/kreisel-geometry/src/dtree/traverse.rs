//! Branch and bound on two D-trees, with running lower and upper bounds.
//!
//! Reference: Lennerz 2000, sections 3.8 (Algorithms 19 to 25, corrected) and 3.9. The four
//! traversals give the same distance and differ in what they cost; only the global greedy one has a
//! valid lower bound at every moment, and can stop when the cost or the quality is enough. The
//! others reach a guaranteed quality by the universal method: every upper bound is multiplied by 1
//! − α, the cached and the representative ones, too.
//!
//! All keys are plain distances. A child's key is at least its parent's (its box may stick out of
//! the parent's), so the lower bound never falls.

use super::DTree;
use super::sequence::{Front, Sequence};
use crate::Pose;
use crate::elementary::{Closest, triangle_triangle};
use crate::volume::{Volume, mixed_distance};
use glam::DVec3;

/// The order in which pairs of nodes are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traversal {
    /// Depth first, in the order of the tree; volumes are moved for each pair (L-53).
    Indifferent,
    /// Depth first; each volume is moved once and handed down (L-54).
    MinimalUpdate,
    /// Depth first, the closest children first (L-55).
    LocalGreedy,
    /// Best first (L-56).
    #[default]
    GlobalGreedy,
}

/// Costs of the parts of a query in units of one triangle pair: c_D and c_A of section 3.9.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Of a distance of two volumes.
    pub distance: f64,
    /// Of moving a volume.
    pub update: f64,
    /// The search stops beyond this sum.
    pub limit: f64,
}

/// Which node of a pair is opened, where both have children (L-52).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expansion {
    /// Both: four pairs.
    #[default]
    Simultaneous,
    /// The first as long as it has children, then the second: two pairs.
    OneSided,
    /// The one whose volume measures more: two pairs.
    Larger,
}

/// What is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Question {
    /// The order.
    pub traversal: Traversal,
    /// Relative error α that is accepted in the lower bound, in [0, 1).
    pub quality: f64,
    /// Budget; only the global greedy traversal heeds it.
    pub cost: Option<Cost>,
    /// Use representatives at inner nodes.
    pub representatives: bool,
    /// A triangle pair of an earlier answer (L-58).
    pub seed: Option<[u32; 2]>,
    /// What holds the waiting pairs of the global greedy traversal.
    pub front: Front,
    /// Which node of a pair is opened.
    pub expansion: Expansion,
}

/// The answer: lower ≤ distance ≤ upper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Certain lower bound of the distance in m.
    pub lower: f64,
    /// Distance of the points below.
    pub upper: f64,
    /// Point of the first mesh.
    pub a: DVec3,
    /// Point of the second mesh.
    pub b: DVec3,
    /// Distances of volumes (n_D).
    pub volume_pairs: u64,
    /// Distances of triangles (n_B).
    pub triangle_pairs: u64,
    /// Moved volumes (n_A).
    pub updates: u64,
    /// The triangles on which the points lie; `None` if they are representatives.
    pub triangles: Option<[u32; 2]>,
    /// Most pairs that waited at a time (global greedy).
    pub longest_front: usize,
}

/// Bounds of the distance of two meshes at the given poses.
pub fn bounds<V: Volume>(
    a: &DTree<V>,
    pose_a: &Pose,
    b: &DTree<V>,
    pose_b: &Pose,
    question: &Question,
) -> Bounds {
    ask(a, pose_a, b, pose_b, question, V::distance)
}

/// The same for trees of different volumes (L-116): each mesh has the one that suits it.
pub fn mixed_bounds<V: Volume, W: Volume>(
    a: &DTree<V>,
    pose_a: &Pose,
    b: &DTree<W>,
    pose_b: &Pose,
    question: &Question,
) -> Bounds {
    ask(a, pose_a, b, pose_b, question, mixed_distance)
}

fn ask<V: Volume, W: Volume>(
    a: &DTree<V>,
    pose_a: &Pose,
    b: &DTree<W>,
    pose_b: &Pose,
    question: &Question,
    metric: fn(&V, &W) -> f64,
) -> Bounds {
    let relative = pose_a.seen_from(pose_b);
    let mut search = Search {
        a,
        b,
        metric,
        motion: V::motion(&relative),
        relative,
        question: Question { quality: question.quality.clamp(0.0, 0.999), ..*question },
        best: Closest::FAR,
        upper: f64::INFINITY,
        lower: 0.0,
        counts: [0; 3],
        pair: None,
        longest_front: 0,
    };
    search.run();
    let [volume_pairs, triangle_pairs, updates] = search.counts;
    let (p, q) = (pose_b.point(search.best.a), pose_b.point(search.best.b));
    Bounds {
        lower: search.lower,
        upper: search.best.distance(),
        a: p,
        b: q,
        volume_pairs,
        triangle_pairs,
        updates,
        triangles: search.pair,
        longest_front: search.longest_front,
    }
}

struct Search<'a, V: Volume, W: Volume> {
    a: &'a DTree<V>,
    b: &'a DTree<W>,
    metric: fn(&V, &W) -> f64,
    motion: V::Motion,
    relative: Pose,
    question: Question,
    best: Closest,
    /// What a pair must undercut to be of interest; for the depth-first traversals already
    /// multiplied by 1 − α.
    upper: f64,
    lower: f64,
    counts: [u64; 3],
    pair: Option<[u32; 2]>,
    longest_front: usize,
}

impl<V: Volume, W: Volume> Search<'_, V, W> {
    fn run(&mut self) {
        if let Some([i, j]) = self.question.seed
            && (i as usize) < self.a.corners.len()
            && (j as usize) < self.b.corners.len()
        {
            self.triangles(i, j);
        }
        let root = self.moved(0);
        let d = self.distance(&root, 0);
        match self.question.traversal {
            Traversal::GlobalGreedy => self.global(d),
            _ => {
                if d < self.upper {
                    self.depth_first(0, &root, 0, d);
                }
                // Lemma 3.16: the scaled upper bound is a lower bound of the distance
                self.lower = self.upper.min(self.best.distance());
            }
        }
    }

    fn moved(&mut self, node: u32) -> V {
        self.counts[2] += 1;
        self.a.nodes[node as usize].volume.moved(&self.motion)
    }

    fn distance(&mut self, moved: &V, node: u32) -> f64 {
        self.counts[0] += 1;
        (self.metric)(moved, &self.b.nodes[node as usize].volume)
    }

    fn offer(&mut self, found: Closest, pair: Option<[u32; 2]>) {
        if found.squared < self.best.squared {
            (self.best, self.pair) = (found, pair);
        }
        let scale = match self.question.traversal {
            Traversal::GlobalGreedy => 1.0,
            _ => 1.0 - self.question.quality,
        };
        self.upper = self.upper.min(found.distance() * scale);
    }

    fn triangles(&mut self, i: u32, j: u32) {
        self.counts[1] += 1;
        let moved = self.a.corners[i as usize].map(|p| self.relative.point(p));
        self.offer(triangle_triangle(moved, self.b.corners[j as usize]), Some([i, j]));
    }

    fn leaf_pair(&mut self, p: u32, q: u32) {
        let (first, second) = (self.a.nodes[p as usize].range(), self.b.nodes[q as usize].range());
        for k in first {
            for m in second.clone() {
                self.triangles(self.a.order[k], self.b.order[m]);
            }
        }
    }

    /// The extreme vertices along the line of centres as an upper bound (L-57, with the sign
    /// corrected).
    fn represent(&mut self, p: u32, moved: &V, q: u32) {
        let toward = self.b.nodes[q as usize].volume.center() - moved.center();
        let local = self.relative.inverse_direction(toward);
        let farthest = |points: &[DVec3; 6], d: DVec3| {
            points
                .iter()
                .copied()
                .reduce(|x, y| if y.dot(d) > x.dot(d) { y } else { x })
                .unwrap_or_default()
        };
        let x = self.relative.point(farthest(&self.a.nodes[p as usize].representatives, local));
        let y = farthest(&self.b.nodes[q as usize].representatives, -toward);
        self.offer(Closest::between(x, y), None);
    }

    /// The pairs of children with their keys; a leaf is not opened, and of two inner nodes those
    /// that the expansion names.
    fn children(&mut self, p: u32, moved: &V, q: u32, key: f64) -> Vec<(f64, u32, u32, V)> {
        let kids = |right: u32, n: u32| if right == 0 { vec![n] } else { vec![n + 1, right] };
        let [a, b] = [&self.a.nodes[p as usize].right, &self.b.nodes[q as usize].right].map(|r| *r);
        let both = a != 0 && b != 0;
        let larger = || {
            let (v, w) = (&self.a.nodes[p as usize].volume, &self.b.nodes[q as usize].volume);
            v.measure() >= w.measure()
        };
        let (open_a, open_b) = match self.question.expansion {
            Expansion::OneSided if both => (true, false),
            Expansion::Larger if both => {
                let first = larger();
                (first, !first)
            }
            _ => (true, true),
        };
        let first = if open_a { kids(a, p) } else { vec![p] };
        let second = if open_b { kids(b, q) } else { vec![q] };
        let mut pairs = Vec::with_capacity(4);
        for &i in &first {
            let mut volume = if i == p { moved.clone() } else { self.moved(i) };
            for (n, &j) in second.iter().enumerate() {
                if self.question.traversal == Traversal::Indifferent && (n > 0 || i == p) {
                    volume = self.moved(i);
                }
                let d = self.distance(&volume, j).max(key);
                pairs.push((d, i, j, volume.clone()));
            }
        }
        pairs
    }

    fn is_leaf_pair(&self, p: u32, q: u32) -> bool {
        self.a.nodes[p as usize].right == 0 && self.b.nodes[q as usize].right == 0
    }

    fn depth_first(&mut self, p: u32, moved: &V, q: u32, key: f64) {
        if self.is_leaf_pair(p, q) {
            self.leaf_pair(p, q);
            return;
        }
        if self.question.representatives {
            self.represent(p, moved, q);
        }
        let mut pairs = self.children(p, moved, q, key);
        if self.question.traversal == Traversal::LocalGreedy {
            pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
        }
        for (d, i, j, volume) in pairs {
            if d < self.upper {
                self.depth_first(i, &volume, j, d);
            }
        }
    }

    fn global(&mut self, root: f64) {
        let mut front = Sequence::new(self.question.front);
        if root < self.upper {
            front.push((root.to_bits(), 0, 0));
        }
        while let Some((bits, p, q)) = front.pop_least() {
            let key = f64::from_bits(bits);
            if key >= self.upper {
                break;
            }
            self.lower = key;
            if self.enough() {
                return;
            }
            let upper = self.upper;
            if self.is_leaf_pair(p, q) {
                self.leaf_pair(p, q);
                if self.upper < upper {
                    front.trim(self.upper.to_bits());
                }
                continue;
            }
            let moved = self.moved(p);
            if self.question.representatives {
                self.represent(p, &moved, q);
            }
            for (d, i, j, _) in self.children(p, &moved, q, key) {
                if d < self.upper {
                    front.push((d.to_bits(), i, j));
                }
            }
            self.longest_front = self.longest_front.max(front.len());
            if self.upper < upper {
                front.trim(self.upper.to_bits());
            }
        }
        self.lower = self.upper;
    }

    /// The abort criteria of section 3.9.3. There must be an upper bound to return.
    fn enough(&self) -> bool {
        let [volumes, triangles, updates] = self.counts.map(|n| n as f64);
        let spent = |c: Cost| volumes * c.distance + triangles + updates * c.update > c.limit;
        let good = self.upper - self.lower <= self.question.quality * self.upper;
        self.upper < f64::INFINITY && (good || self.question.cost.is_some_and(spent))
    }
}
