//! The connected parts of a mesh.

use super::TriMesh;
use glam::DVec3;

impl TriMesh {
    /// One vertex of each connected part of the surface, found out at the first call.
    pub(crate) fn shells(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.shells.get_or_init(|| self.find_shells()).iter().map(|&v| self.vertices()[v as usize])
    }

    /// Union and find over the triangles; the vertex with the least number stands for its part.
    fn find_shells(&self) -> Vec<u32> {
        let mut parent: Vec<u32> = (0..self.vertices().len() as u32).collect();
        fn root(parent: &mut [u32], mut v: u32) -> u32 {
            while parent[v as usize] != v {
                parent[v as usize] = parent[parent[v as usize] as usize];
                v = parent[v as usize];
            }
            v
        }
        let mut used = vec![false; self.vertices().len()];
        for t in self.triangles() {
            let [p, q, r] = t.map(|v| root(&mut parent, v));
            let least = p.min(q).min(r);
            for v in [p, q, r] {
                parent[v as usize] = least;
            }
            t.iter().for_each(|&v| used[v as usize] = true);
        }
        (0..parent.len() as u32).filter(|&v| used[v as usize] && parent[v as usize] == v).collect()
    }
}
