//! Shock propagation (B-82, B-83, B-85; Bender 2007, sections 5.2.3, 5.2.4 and 5.3.2): when the
//! sweeps over an island have not converged, its contacts are solved once more layer by layer, from
//! what does not move outwards, and the bodies of a finished layer are frozen.
//!
//! Layers are depths in the graph of contacts that push (breadth first from the bodies that
//! impulses do not move). A frozen body acts, but impulses do not change it: its part of the
//! response is left out. So each layer is a small problem that a few sweeps solve, and the height
//! of a stack costs no more than its number of contacts. What is lost is the reaction on the frozen
//! bodies: they do not feel what the layers above push. The hold at the end of the step, with all
//! masses, brings the loads down again.

use super::cells::Cell;
use super::manifold::POINTS;
use super::rows::{Group, IDLE};
use crate::lanes::LANES;

/// Sweeps of one layer at the most.
const SWEEPS: u32 = 30;

/// Depth of a body that no contact links to the ground.
const FAR: u32 = u32::MAX;

/// Scratch: depth of each cell, contacts by depth.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers {
    depth: Vec<u32>,
    /// Cells of the bodies that push each other.
    links: Vec<[u32; 2]>,
    order: Vec<(u32, u32, u8)>,
    answers: Vec<Answer>,
}

impl Layers {
    /// Depths of the island's cells.
    fn measure(&mut self, groups: &[Group], cells: usize) {
        self.depth.clear();
        self.depth.resize(cells, FAR);
        self.depth[0] = 0;
        self.links.clear();
        for g in groups {
            let pushing = (0..LANES).filter(|&l| pushes(g, l));
            self.links.extend(pushing.map(|l| [g.bodies[0][l], g.bodies[1][l]]));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for link in &self.links {
                let [a, b] = link.map(|c| self.depth[c as usize]);
                let next = a.min(b).saturating_add(1);
                for (c, depth) in link.iter().zip([a, b]) {
                    changed |= next < depth;
                    self.depth[*c as usize] = depth.min(next);
                }
            }
        }
    }

    /// Solves layer by layer until no rate of a layer changes by more than `tolerance`; returns the
    /// largest that remained, m/s.
    pub fn solve(&mut self, groups: &mut [Group], cells: &mut [Cell], tolerance: f64) -> f64 {
        self.measure(groups, cells.len());
        self.order.clear();
        for (i, g) in groups.iter().enumerate() {
            for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                let layer = [0, 1].map(|s| self.depth[g.bodies[s][l] as usize]);
                self.order.push((layer[0].max(layer[1]), i as u32, l as u8));
            }
        }
        self.order.sort_unstable();
        let (mut from, mut residual) = (0, 0.0_f64);
        while from < self.order.len() {
            let layer = self.order[from].0;
            let to = from + self.order[from..].partition_point(|o| o.0 == layer);
            let mut worst = 0.0;
            self.answers.clear();
            for &(_, i, l) in &self.order[from..to] {
                self.answers.push(self.answer(&groups[i as usize], usize::from(l), layer));
            }
            for _ in 0..SWEEPS {
                worst = 0.0_f64;
                for (&(_, i, l), answer) in self.order[from..to].iter().zip(&self.answers) {
                    worst =
                        worst.max(push(&mut groups[i as usize], usize::from(l), *answer, cells));
                }
                if worst <= tolerance {
                    break;
                }
            }
            residual = residual.max(worst);
            from = to;
        }
        residual
    }

    /// Which bodies of a contact answer in a layer, those below it do not, and by how much at each
    /// point.
    fn answer(&self, g: &Group, l: usize, layer: u32) -> Answer {
        let free =
            [0, 1].map(|s| self.depth[g.bodies[s][l] as usize] >= layer && g.bodies[s][l] != 0);
        let mut response = [0.0; POINTS];
        for k in 0..g.count as usize {
            if g.points[k].inverse.0[l] > 0.0 {
                response[k] = g.response(l, k, free);
            }
        }
        (free, response)
    }
}

/// Which bodies answer to a contact, and by which rates to an impulse at each point, 1/kg.
type Answer = ([bool; 2], [f64; POINTS]);

/// Solves one contact of a layer. Returns the largest change of a rate.
fn push(g: &mut Group, l: usize, (free, responses): Answer, cells: &mut [Cell]) -> f64 {
    let mut worst = 0.0_f64;
    for (k, &response) in responses.iter().enumerate().filter(|(_, r)| **r > 0.0) {
        let rate = g.rate(l, k, cells) + g.points[k].bias.0[l];
        let impulse = &mut g.points[k].impulse.0[l];
        let next = (*impulse - rate / response).max(0.0);
        let change = next - *impulse;
        if change != 0.0 {
            *impulse = next;
            worst = worst.max((change * response).abs());
            g.apply_to(l, k, change, free, cells);
        }
    }
    worst
}

fn pushes(g: &Group, l: usize) -> bool {
    g.manifold[l] != IDLE && g.points[..g.count as usize].iter().any(|p| p.impulse.0[l] > 0.0)
}
