//! Support points of polyhedra in logarithmic time: the hierarchy of Dobkin and Kirkpatrick 1990.
//!
//! Reference: Lennerz 2000, section 3.2.2 (L-26). Each level is the hull of the one below without a
//! set of vertices that are no neighbours of each other and have few neighbours, so that levels
//! shrink by a constant factor. The farthest vertex of a level is that of the level above or one of
//! the removed neighbours of that vertex: going down costs a few products a level, whatever the
//! direction. The engine climbs from a table of starts instead ([`super::Core`]), which coherent
//! queries make cheaper still; this is what it is compared with.

use crate::ConvexHull;
use glam::DVec3;

/// Vertices with more neighbours than this stay.
const MOST_NEIGHBOURS: usize = 11;
/// A level with at most so many vertices is looked through.
const FEW: usize = 12;

/// A polyhedron with its coarser levels.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    vertices: Vec<DVec3>,
    /// The coarsest level.
    top: Vec<u32>,
    /// From coarse to fine: the removed neighbours of each vertex of the level above.
    levels: Vec<Vec<Vec<u32>>>,
}

impl Hierarchy {
    /// The levels of a hull.
    pub fn new(hull: &ConvexHull) -> Self {
        let vertices = hull.vertices().to_vec();
        let mut alive: Vec<u32> = (0..vertices.len() as u32).collect();
        let mut level = hull.clone();
        let mut levels = Vec::new();
        while alive.len() > FEW {
            // numbers of the level's vertices in the whole hull: they are the same points
            let names = names(&level, &vertices, &alive);
            let edges = level.edges();
            let end = |e: u32| edges[edges[e as usize].twin as usize].origin;
            let near: Vec<Vec<u32>> =
                (0..names.len() as u32).map(|v| level.edges_from(v).map(end).collect()).collect();
            let mut order: Vec<(usize, u32)> =
                (0..names.len() as u32).map(|v| (near[v as usize].len(), v)).collect();
            order.sort_unstable();
            let mut state = vec![0_u8; names.len()];
            for &(degree, v) in &order {
                if degree <= MOST_NEIGHBOURS && state[v as usize] == 0 {
                    state[v as usize] = 2;
                    for &w in &near[v as usize] {
                        state[w as usize] = state[w as usize].max(1);
                    }
                }
            }
            let kept: Vec<u32> =
                (0..names.len() as u32).filter(|v| state[*v as usize] != 2).collect();
            let points: Vec<DVec3> = kept.iter().map(|v| level.vertices()[*v as usize]).collect();
            let Ok(above) = ConvexHull::new(&points) else { break };
            // a vertex of the level above that its hull merged away would be lost
            if above.vertices().len() != kept.len() || kept.len() == names.len() {
                break;
            }
            let mut below = vec![Vec::new(); vertices.len()];
            for &v in &kept {
                let removed = near[v as usize].iter().filter(|w| state[**w as usize] == 2);
                below[names[v as usize] as usize] = removed.map(|w| names[*w as usize]).collect();
            }
            levels.push(below);
            alive = kept.iter().map(|v| names[*v as usize]).collect();
            level = above;
        }
        levels.reverse();
        Self { vertices, top: alive, levels }
    }

    /// Number of levels above the polyhedron itself.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The vertex farthest along `d`, and how many vertices were looked at.
    pub fn support(&self, d: DVec3) -> (u32, usize) {
        let height = |v: u32| self.vertices[v as usize].dot(d);
        let mut best = (f64::NEG_INFINITY, 0);
        let mut seen = 0;
        let mut look = |v: u32, best: &mut (f64, u32)| {
            seen += 1;
            if height(v) > best.0 {
                *best = (height(v), v);
            }
        };
        self.top.iter().for_each(|v| look(*v, &mut best));
        for level in &self.levels {
            let from = best.1;
            level[from as usize].iter().for_each(|v| look(*v, &mut best));
        }
        (best.1, seen)
    }
}

/// Numbers of a level's vertices among all: points are kept bit by bit.
fn names(level: &ConvexHull, all: &[DVec3], alive: &[u32]) -> Vec<u32> {
    let key = |p: DVec3| p.to_array().map(f64::to_bits);
    let mut table: Vec<([u64; 3], u32)> =
        alive.iter().map(|v| (key(all[*v as usize]), *v)).collect();
    table.sort_unstable();
    let find = |p: &DVec3| {
        let k = table.partition_point(|t| t.0 < key(*p));
        table.get(k).map_or(0, |t| t.1)
    };
    level.vertices().iter().map(find).collect()
}
