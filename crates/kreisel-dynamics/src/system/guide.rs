//! Rails and polygons in a chain: rows over up to four bodies (see [`crate::constraint::guide`]).
//!
//! A guide belongs to a node like any joint's. Its sides, one for each body that answers to
//! impulses, lie in `b` as those of other joints do; a body that carries several of its places has
//! one side with the sum. The factor needs nothing new: two nodes are neighbours where they share a
//! body, whatever their number of bodies is.

use super::assemble::dot6;
use super::{Bound, NONE, Node, Other, System};
use crate::constraint::Pose;
use crate::constraint::guide::{Guide, GuideKind, MAX_PLACES};
use crate::math::Vec3;
use crate::solver::block::MAX_ROWS;
use crate::system::group::Group;

/// The edge of a bounded row that belongs to none.
pub(crate) const NO_EDGE: u8 = u8::MAX;

/// What a guide does to one body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub body: u32,
    /// Where its rows are in `b`.
    pub start: u32,
    /// Whether the body is kept as a node of its own.
    pub kept: bool,
}

/// A guide of a chain.
#[derive(Clone, Debug)]
pub(crate) struct SystemGuide {
    pub node: u32,
    pub guide: Guide,
    /// Bodies of the places, as in [`Node::bodies`]: the point's, then the supports'.
    pub bodies: [u32; MAX_PLACES],
    /// Places from the centres of mass, in principal frames.
    pub origins: [Vec3; MAX_PLACES],
    pub sides: Vec<Side>,
    /// Directions of the hard rows, chosen for the poses at the start of the substep.
    pub directions: [Vec3; 2],
}

impl SystemGuide {
    /// A guide between bodies of a chain, of which the first `moving` answer to impulses.
    pub fn new(
        guide: Guide,
        bodies: [u32; MAX_PLACES],
        origins: [Vec3; MAX_PLACES],
        moving: usize,
    ) -> Self {
        let mut sides: Vec<Side> = Vec::new();
        for &body in &bodies[..guide.places()] {
            if (body as usize) < moving && !sides.iter().any(|s| s.body == body) {
                sides.push(Side { body, start: 0, kept: false });
            }
        }
        Self { node: NONE, guide, bodies, origins, sides, directions: [Vec3::ZERO; 2] }
    }

    /// Places for poses by body.
    #[inline]
    pub fn places(&self, pose: impl Fn(u32) -> Pose) -> [Vec3; MAX_PLACES] {
        let mut out = [Vec3::ZERO; MAX_PLACES];
        for (k, out) in out.iter_mut().enumerate().take(self.guide.places()) {
            let p = pose(self.bodies[k]);
            *out = p.x + p.r * self.origins[k];
        }
        out
    }

    /// The side on a body.
    pub fn start_on(&self, body: u32) -> u32 {
        self.sides.iter().find(|s| s.body == body).map_or(NONE, |s| s.start)
    }

    /// Residuals of the hard rows, coordinates of the bounded ones, and the squared gap.
    pub fn residual(
        &self,
        node: &Node,
        places: &[Vec3; MAX_PLACES],
        residual: &mut [f64],
        bounds: &mut [Bound],
    ) -> f64 {
        let mut gap2 = 0.0;
        if node.hard > 0 {
            gap2 =
                self.guide.residual(places, &self.directions, &mut residual[node.row0 as usize..]);
        }
        for bound in &mut bounds[node.bounds.0 as usize..node.bounds.1 as usize] {
            bound.end = self.guide.coordinate(places, edge(bound));
        }
        gap2
    }

    /// Directions of all rows of a node.
    pub fn row_directions(
        &self,
        node: &Node,
        bounds: &[Bound],
        places: &[Vec3; MAX_PLACES],
    ) -> [Vec3; MAX_ROWS] {
        let mut out = [Vec3::ZERO; MAX_ROWS];
        out[..usize::from(node.hard)].copy_from_slice(&self.directions[..usize::from(node.hard)]);
        for bound in &bounds[node.bounds.0 as usize..node.bounds.1 as usize] {
            out[usize::from(bound.row)] = self.guide.along(places, edge(bound));
        }
        out
    }

    /// Force on each place for a force `e` on the point: bodies, forces and torques.
    pub fn shares(
        &self,
        places: &[Vec3; MAX_PLACES],
        pose: impl Fn(u32) -> Pose,
        e: Vec3,
    ) -> [(usize, Vec3, Vec3); MAX_PLACES] {
        let weights = self.guide.foot(places).weights;
        let mut out = [(usize::MAX, Vec3::ZERO, Vec3::ZERO); MAX_PLACES];
        for (k, out) in out.iter_mut().enumerate().take(self.guide.places()) {
            let force = if k == 0 { e } else { e * -weights[k - 1] };
            let arm = places[k] - pose(self.bodies[k]).x;
            *out = (self.bodies[k] as usize, force, arm.cross(force));
        }
        out
    }
}

/// The edge that a bounded row belongs to.
pub(crate) fn edge(bound: &Bound) -> Option<usize> {
    (bound.edge != NO_EDGE).then_some(usize::from(bound.edge))
}

/// The pose of a body at present.
#[inline]
fn now(groups: &[Group], others: &[Other], moving: usize, body: u32) -> Pose {
    let b = body as usize;
    if b < moving {
        let (g, l) = (&groups[b / 4], b % 4);
        Pose { x: super::vec3(&g.x, l), r: super::mat3(&g.r, l) }
    } else {
        others[b - moving].now
    }
}

impl System {
    /// Directions of all guides in the present poses, before anything is aimed at along them.
    pub(crate) fn aim_guides(&mut self) {
        let System { guides, groups, others, slots, .. } = self;
        for g in guides.iter_mut() {
            let places = g.places(|body| now(groups, others, slots.len(), body));
            g.directions = g.guide.directions(&places);
        }
    }

    /// Rows of all guides in the present poses.
    pub(super) fn refresh_guides(&mut self) {
        let System { guides, groups, others, nodes, bounds, b, bias, goal, slots, .. } = self;
        let moving = slots.len();
        for g in guides.iter_mut() {
            let node = &nodes[g.node as usize];
            let pose = |body| now(groups, others, moving, body);
            let places = g.places(pose);
            let directions = g.guide.directions(&places);
            // what is aimed at stays in space while the directions across a rail are chosen anew
            if g.guide.kind == GuideKind::Rail && node.hard == 2 {
                let goal = &mut goal[node.row0 as usize..][..2];
                let aim = g.directions[0] * goal[0] + g.directions[1] * goal[1];
                (goal[0], goal[1]) = (aim.dot(directions[0]), aim.dot(directions[1]));
            }
            g.directions = directions;
            let (weights, count) = (g.guide.foot(&places).weights, g.guide.places());
            let rows = g.row_directions(node, bounds, &places);
            let (f, row0) = (usize::from(node.rows), node.row0 as usize);
            bias[row0..row0 + f].fill(0.0);
            for side in &g.sides {
                b[side.start as usize..][..6 * f].fill(0.0);
            }
            for k in 0..count {
                let body = g.bodies[k];
                let share = if k == 0 { 1.0 } else { -weights[k - 1] };
                let arm = places[k] - pose(body).x;
                if body as usize >= moving {
                    let other = &others[body as usize - moving];
                    let velocity = other.velocity + other.angular_velocity.cross(arm);
                    for i in 0..f {
                        bias[row0 + i] += share * rows[i].dot(velocity);
                    }
                    continue;
                }
                let (group, l) = (&groups[body as usize / 4], body as usize % 4);
                let (ism, isi, r) =
                    (group.ism.0[l], super::vec3(&group.isi, l), super::mat3(&group.r, l));
                let start = g.start_on(body) as usize;
                for (e, out) in rows[..f].iter().zip(b[start..].chunks_exact_mut(6)) {
                    let n = *e * share;
                    let a = arm.cross(n);
                    out[0] += n.x * ism;
                    out[1] += n.y * ism;
                    out[2] += n.z * ism;
                    out[3] += isi.x * r.x_axis.dot(a);
                    out[4] += isi.y * r.y_axis.dot(a);
                    out[5] += isi.z * r.z_axis.dot(a);
                }
            }
        }
    }

    /// Diagonal blocks of the guides' nodes.
    pub(super) fn assemble_guides(&mut self) {
        let System { guides, nodes, b, factor, .. } = self;
        for g in guides.iter() {
            let node = &nodes[g.node as usize];
            let f = usize::from(node.rows);
            let d = &mut factor.values[factor.diag[g.node as usize] as usize..][..f * f];
            let original = &mut factor.original[node.row0 as usize..][..f];
            original.fill(0.0);
            for side in &g.sides {
                let rows = &b[side.start as usize..][..6 * f];
                for i in 0..f {
                    // pivots are measured by the whole response, that of kept bodies included
                    original[i] += dot6(&rows[6 * i..], &rows[6 * i..]);
                    if !side.kept {
                        for j in 0..=i {
                            d[i * f + j] += dot6(&rows[6 * i..], &rows[6 * j..]);
                        }
                    }
                }
            }
        }
    }

    /// Adds the impulses of guide `g` to the velocities; `z` are those of its node's rows.
    pub(super) fn apply_guide(&mut self, g: usize, z: &[f64]) {
        for side in &self.guides[g].sides {
            let body = side.body as usize;
            let y = &mut self.groups[body / 4].y;
            for (row, z) in self.b[side.start as usize..].chunks_exact(6).zip(z) {
                for j in 0..6 {
                    y[j].0[body % 4] += row[j] * z;
                }
            }
        }
    }

    /// What the bodies of guide `g` contribute to the rate of one of its rows.
    pub(super) fn guide_rate(&self, g: usize, row: usize) -> f64 {
        let mut sum = 0.0;
        for side in &self.guides[g].sides {
            let body = side.body as usize;
            let y = &self.groups[body / 4].y;
            let y = [0, 1, 2, 3, 4, 5].map(|j| y[j].0[body % 4]);
            sum += dot6(&self.b[side.start as usize + 6 * row..], &y);
        }
        sum
    }
}
