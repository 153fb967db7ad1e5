//! Rows, residuals and impulses of a system, and the assembly of its matrix (Bender 3.3.2, Table of
//! seven cases: here the products of the rows of two joints on each body that they share).

use super::assemble::{assemble_kernel, dot3, dot6};
use super::group::Group;
use super::guide::SystemGuide;
use super::{Bound, BoundKind, BoundState, NONE, Node, Other, System};
use crate::constraint::coordinate::Measure;
use crate::constraint::{MAX_PART_ROWS, Pair, Parts, Pose, Row};
use crate::joint::Coordinate;
use crate::simd::kernel;
use crate::solver::block::MAX_ROWS;

/// Pose reader over split borrows of a system.
#[derive(Clone, Copy)]
struct Poses<'a> {
    groups: &'a [Group],
    others: &'a [Other],
    bodies: usize,
}

impl Poses<'_> {
    #[inline(always)]
    fn now(&self, body: u32) -> Pose {
        let b = body as usize;
        if b < self.bodies {
            let (g, l) = (&self.groups[b / 4], b % 4);
            Pose { x: super::vec3(&g.x, l), r: super::mat3(&g.r, l) }
        } else {
            self.others[b - self.bodies].now
        }
    }
    #[inline(always)]
    fn then(&self, body: u32) -> Pose {
        let b = body as usize;
        if b < self.bodies {
            let (g, l) = (&self.groups[b / 4], b % 4);
            Pose { x: super::vec3(&g.x1, l), r: super::mat3(&g.r1, l) }
        } else {
            self.others[b - self.bodies].then
        }
    }
}

/// Writes the scaled rows of one side: (±n/√m, I^−½ Rᵀ a).
#[inline(always)]
pub(crate) fn scale_side(rows: &[Row], second: bool, g: &Group, l: usize, out: &mut [f64]) {
    let ism = if second { g.ism.0[l] } else { -g.ism.0[l] };
    let r = super::mat3(&g.r, l);
    let (k, isi) = (usize::from(second), super::vec3(&g.isi, l));
    for (row, out) in rows.iter().zip(out.chunks_exact_mut(6)) {
        let a = row.a[k];
        out[0] = row.n.x * ism;
        out[1] = row.n.y * ism;
        out[2] = row.n.z * ism;
        out[3] = isi.x * r.x_axis.dot(a);
        out[4] = isi.y * r.y_axis.dot(a);
        out[5] = isi.z * r.z_axis.dot(a);
    }
}

/// The same for a ball joint: the angular part of row e is I^−½ (l × Rᵀe), signs by side.
#[inline(always)]
fn scale_ball_side(node: &Node, second: bool, g: &Group, l: usize, out: &mut [f64]) {
    let out = &mut out[..18];
    let sign = if second { 1.0 } else { -1.0 };
    let ism = sign * g.ism.0[l];
    let r = super::mat3(&g.r, l);
    let isi = super::vec3(&g.isi, l) * sign;
    let p = node.frames[usize::from(second)].origin;
    for i in 0..3 {
        // Rᵀ eᵢ: row i of R
        let e = [r.x_axis[i], r.y_axis[i], r.z_axis[i]];
        let c = &mut out[6 * i..6 * i + 6];
        c[..3].copy_from_slice(&[0.0; 3]);
        c[i] = ism;
        c[3] = isi.x * (p.y * e[2] - p.z * e[1]);
        c[4] = isi.y * (p.z * e[0] - p.x * e[2]);
        c[5] = isi.z * (p.x * e[1] - p.y * e[0]);
    }
}

/// All rows of a node (parts, then bounded ones) from its vectors.
pub(crate) fn node_rows(node: &Node, bounds: &[Bound], p: &Pair, out: &mut [Row; MAX_ROWS]) {
    node.parts.rows(p, out);
    if node.parts.is_far(p) {
        node.parts.rows_far(p, out);
    }
    for bound in &bounds[node.bounds.0 as usize..node.bounds.1 as usize] {
        let row = bound.measure.row(p);
        // anchors that have passed each other
        let turned = bound.measure == Measure::Of(Coordinate::Length) && bound.end < 0.0;
        out[usize::from(bound.row)] =
            if turned { Row { n: -row.n, a: row.a.map(|a| -a) } } else { row };
    }
}

#[inline(always)]
fn refresh_body(s: &mut System) {
    let poses = Poses { groups: &s.groups, others: &s.others, bodies: s.slots.len() };
    for node in &s.nodes {
        if !node.has_rows() || node.guide != NONE {
            continue;
        }
        let bodies = [node.bodies[0] as usize, node.bodies[1] as usize];
        if node.ball && node.side[0] != NONE && node.side[1] != NONE {
            for k in 0..2 {
                let out = &mut s.b[node.side[k] as usize..];
                scale_ball_side(node, k == 1, &s.groups[bodies[k] / 4], bodies[k] % 4, out);
            }
            continue;
        }
        let pair = Pair::new(&node.frames, poses.now(node.bodies[0]), poses.now(node.bodies[1]));
        let mut rows = [Row::default(); MAX_ROWS];
        node_rows(node, &s.bounds, &pair, &mut rows);
        let rows = &rows[..usize::from(node.rows)];
        for k in 0..2 {
            match node.side[k] {
                NONE => {
                    let other = &s.others[node.bodies[k] as usize - s.slots.len()];
                    let sign = if k == 1 { 1.0 } else { -1.0 };
                    for (i, row) in rows.iter().enumerate() {
                        s.bias[node.row0 as usize + i] =
                            sign * row.n.dot(other.velocity) + row.a[k].dot(other.angular_velocity);
                    }
                }
                side => {
                    let out = &mut s.b[side as usize..];
                    scale_side(rows, k == 1, &s.groups[bodies[k] / 4], bodies[k] % 4, out);
                }
            }
        }
    }
}

/// Largest errors of a preview.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Errors {
    /// Largest ratio of a part's error to its tolerance.
    pub ratio: f64,
    /// Node where that is.
    pub node: u32,
    /// Largest error relative to the joints' lengths, for the step control.
    pub relative: f64,
}

#[inline(always)]
fn residual_body(s: &mut System) -> Errors {
    let poses = Poses { groups: &s.groups, others: &s.others, bodies: s.slots.len() };
    let (ip, ia) = (1.0 / s.tolerance.position, 1.0 / s.tolerance.angle);
    let mut errors = Errors { node: NONE, ..Errors::default() };
    for (k, node) in s.nodes[..s.position_nodes].iter().enumerate() {
        if !node.has_rows() {
            continue;
        }
        let (gap2, tilt2) = node_residual(node, poses, &s.guides, &mut s.residual, &mut s.bounds);
        let ratio = (gap2.sqrt() * ip).max(tilt2.sqrt() * ia);
        let relative = (gap2.sqrt() / node.length).max(tilt2.sqrt());
        // written so that NaN counts as the worst error
        if !(ratio <= errors.ratio) {
            errors.ratio = ratio;
            errors.node = k as u32;
        }
        if !(relative <= errors.relative) {
            errors.relative = relative;
        }
    }
    errors
}

/// Residuals of one node in the previewed poses, the ends of its bounded coordinates, and the
/// squared errors of its parts.
#[inline(always)]
fn node_residual(
    node: &Node,
    poses: Poses,
    guides: &[SystemGuide],
    residual: &mut [f64],
    bounds: &mut [Bound],
) -> (f64, f64) {
    if node.guide != NONE {
        let g = &guides[node.guide as usize];
        return (g.residual(node, &g.places(|b| poses.then(b)), residual, bounds), 0.0);
    }
    let row0 = node.row0 as usize;
    let (a, b) = (poses.then(node.bodies[0]), poses.then(node.bodies[1]));
    if node.ball {
        let d = (b.x + b.r * node.frames[1].origin) - (a.x + a.r * node.frames[0].origin);
        residual[row0..row0 + 3].copy_from_slice(&d.to_array());
        return (d.length_squared(), 0.0);
    }
    let pair = Pair::new(&node.frames, a, b);
    let sums =
        part_residual(&node.parts, &pair, &mut residual[row0..row0 + usize::from(node.rows)]);
    for bound in &mut bounds[node.bounds.0 as usize..node.bounds.1 as usize] {
        let value = follow(bound.measure.value(&pair), bound.start, bound.measure);
        bound.end = if bound.along.dot(pair.d) < 0.0 { -value } else { value };
    }
    sums
}

/// Residuals of the parts, and the squared error of each part.
#[inline(always)]
fn part_residual(parts: &Parts, pair: &Pair, out: &mut [f64]) -> (f64, f64) {
    parts.residual(pair, out);
    let (n, all) = (parts.position.rows(), parts.rows_len());
    let (mut gap, mut tilt) = (0.0, 0.0);
    for &c in &out[..n] {
        gap += c * c;
    }
    for &c in &out[n..all] {
        tilt += c * c;
    }
    // Products vanish for axes that point the wrong way; the way home leads over the far residual.
    if parts.is_far(pair) {
        let mut far = [0.0; MAX_PART_ROWS];
        parts.residual_far(pair, &mut far);
        out[..all].copy_from_slice(&far[..all]);
        tilt = far[n..all].iter().map(|c| c * c).sum();
    }
    (gap, tilt)
}

/// The value of a coordinate that continues from `start` (angles are counted over many turns).
#[inline(always)]
pub(crate) fn follow(value: f64, start: f64, measure: impl Into<Measure>) -> f64 {
    if measure.into() == Measure::Of(Coordinate::Angle) {
        use std::f64::consts::TAU;
        value + TAU * ((start - value) / TAU).round()
    } else {
        value
    }
}

#[inline(always)]
fn apply_body(s: &mut System, z: &[f64]) {
    for node in &s.nodes {
        if node.is_body() {
            continue;
        }
        let f = usize::from(node.rows);
        let z = &z[node.row0 as usize..][..f];
        for k in 0..2 {
            if node.side[k] == NONE {
                continue;
            }
            let body = node.bodies[k] as usize;
            let y = &mut s.groups[body / 4].y;
            let rows = &s.b[node.side[k] as usize..][..6 * f];
            if node.ball {
                // linear part ±1/√m times the unit matrix
                let (rows, z) = (&rows[..18], &z[..3]);
                let l = body % 4;
                for j in 0..3 {
                    y[j].0[l] += rows[0] * z[j];
                    y[3 + j].0[l] += rows[3 + j] * z[0] + rows[9 + j] * z[1] + rows[15 + j] * z[2];
                }
                continue;
            }
            let mut sum = [0.0; 6];
            for (i, row) in rows.chunks_exact(6).enumerate() {
                for j in 0..6 {
                    sum[j] += row[j] * z[i];
                }
            }
            for j in 0..6 {
                y[j].0[body % 4] += sum[j];
            }
        }
    }
}

#[inline(always)]
fn rates_body(s: &System, out: &mut [f64]) {
    for node in &s.nodes {
        let (f, row0) = (usize::from(node.rows), node.row0 as usize);
        let out = &mut out[row0..row0 + f];
        if node.is_body() {
            out.fill(0.0);
            continue;
        }
        out.copy_from_slice(&s.bias[row0..row0 + f]);
        for k in 0..2 {
            if node.side[k] == NONE {
                continue;
            }
            let body = node.bodies[k] as usize;
            let (y, l) = (&s.groups[body / 4].y, body % 4);
            let y = [y[0].0[l], y[1].0[l], y[2].0[l], y[3].0[l], y[4].0[l], y[5].0[l]];
            let rows = &s.b[node.side[k] as usize..][..6 * f];
            if node.ball {
                let (rows, out) = (&rows[..18], &mut out[..3]);
                for i in 0..3 {
                    out[i] += rows[0] * y[i] + dot3(rows, 6 * i + 3, &y, 3);
                }
            } else {
                for i in 0..f {
                    out[i] += dot6(&rows[6 * i..], &y);
                }
            }
        }
    }
}

kernel! { fn refresh_kernel(s: &mut System) = refresh_body }
kernel! { fn residual_kernel(s: &mut System) -> Errors = residual_body }
kernel! { fn apply_kernel(s: &mut System, z: &[f64]) = apply_body }
kernel! { fn rates_kernel(s: &System, out: &mut [f64]) = rates_body }

impl System {
    /// Rows of all joints in the present poses, in general form.
    pub fn refresh_rows(&mut self) {
        refresh_kernel(self);
        self.refresh_guides();
    }

    /// Rows and factor in the present poses.
    pub fn refresh(&mut self) {
        if let Some(balls) = self.balls.take() {
            balls.refresh_bias(self);
            self.balls = Some(balls);
        } else {
            self.refresh_rows();
        }
        self.factorize();
        self.refresh_border();
        self.factored = true;
    }

    /// Whether a bounded row takes part in the solve at hand.
    pub(crate) fn is_held(&self, b: &Bound) -> bool {
        match &b.kind {
            BoundKind::Law(law) => {
                self.law_is_row(b, law) || law.is_spring() && self.sprung_h > 0.0
            }
            _ => matches!(b.state, BoundState::Held | BoundState::HeldAbove),
        }
    }

    /// Assembles and factorises the matrix for the present rows, with the bounded rows that are
    /// held.
    pub fn factorize(&mut self) {
        self.border.solved = None;
        for bound in &self.bounds {
            let bit = 1u8 << bound.row;
            let held = self.is_held(bound);
            let mask = &mut self.factor.mask[bound.node as usize];
            *mask = if held { *mask | bit } else { *mask & !bit };
        }
        if let Some(balls) = &mut self.balls {
            if !self.factor.masked && balls.factorize_path(&self.groups) {
                self.factor.dropped = 0;
                return;
            }
            let f = &mut self.factor;
            balls.assemble(&self.groups, &mut f.values, &f.diag, &mut f.original);
        } else {
            assemble_kernel(self);
            self.assemble_guides();
            if self.sprung_h > 0.0 {
                self.soften();
            }
            if self.lawful {
                self.soften_laws();
            }
        }
        self.factor.factorize();
    }

    /// Solves A z = z with the present factor for the first `nodes` nodes.
    pub fn solve(&mut self, z: &mut [f64], nodes: usize) {
        if self.border.is_empty() {
            return self.solve_joints(z, nodes);
        }
        let first = self.factor.rows();
        self.solve_joints(&mut z[..first], nodes);
        self.solve_border(z, nodes);
    }

    /// The same for the joints' rows alone.
    pub(super) fn solve_joints(&mut self, z: &mut [f64], nodes: usize) {
        if !self.balls.as_mut().is_some_and(|balls| balls.solve_path(z)) {
            self.factor.solve(z, nodes);
        }
    }

    /// Adds the impulses `z` (by row) and previews over `h`.
    pub fn apply_preview(&mut self, z: &[f64], h: f64) {
        match &mut self.balls {
            Some(balls) if self.rotation == crate::Rotation::Splitting => {
                balls.apply_preview(&mut self.groups, z, h);
                self.preview_others(h);
            }
            _ => {
                self.apply(z);
                self.preview(h);
            }
        }
    }

    /// Residuals of the parts in the previewed poses; bounded rows are left to the stepper.
    pub fn residuals(&mut self) -> Errors {
        match self.balls.take() {
            Some(balls) => {
                let errors = balls.residual(self);
                self.balls = Some(balls);
                errors
            }
            None => {
                let mut errors = residual_kernel(self);
                self.border_residuals();
                self.border_errors(&mut errors);
                errors
            }
        }
    }

    /// Residuals of node `k` in the previewed poses; gap (m) and misalignment (rad).
    pub fn residual_of(&mut self, k: usize) -> (f64, f64) {
        let poses = Poses { groups: &self.groups, others: &self.others, bodies: self.slots.len() };
        let (gap2, tilt2) = node_residual(
            &self.nodes[k],
            poses,
            &self.guides,
            &mut self.residual,
            &mut self.bounds,
        );
        (gap2.sqrt(), tilt2.sqrt())
    }

    /// Adds the impulses `z` of node `k` to the velocities.
    pub fn apply_node(&mut self, k: usize, z: &[f64]) {
        let node = &self.nodes[k];
        if node.guide != NONE {
            return self.apply_guide(node.guide as usize, z);
        }
        for s in (0..2).filter(|&s| node.side[s] != NONE) {
            let body = node.bodies[s] as usize;
            let y = &mut self.groups[body / 4].y;
            for (i, row) in
                self.b[node.side[s] as usize..].chunks_exact(6).take(z.len()).enumerate()
            {
                for j in 0..6 {
                    y[j].0[body % 4] += row[j] * z[i];
                }
            }
        }
    }

    /// Rate of one row.
    pub fn rate_of(&self, k: usize, row: usize) -> f64 {
        let node = &self.nodes[k];
        let mut sum = self.bias[node.row0 as usize + row];
        if node.guide != NONE {
            return sum + self.guide_rate(node.guide as usize, row);
        }
        for s in (0..2).filter(|&s| node.side[s] != NONE) {
            let body = node.bodies[s] as usize;
            let y = &self.groups[body / 4].y;
            let y = [0, 1, 2, 3, 4, 5].map(|j| y[j].0[body % 4]);
            sum += dot6(&self.b[node.side[s] as usize + 6 * row..], &y);
        }
        sum
    }

    /// Adds the impulses `z` (by row) to the velocities.
    pub fn apply(&mut self, z: &[f64]) {
        self.apply_joints(z);
        for (r, &z) in z.iter().skip(self.factor.rows()).enumerate() {
            self.push_border(r, z);
        }
    }

    /// The same for the joints' rows alone.
    pub(super) fn apply_joints(&mut self, z: &[f64]) {
        match &self.balls {
            Some(balls) => balls.apply(&mut self.groups, z),
            None => {
                apply_kernel(self, z);
                for g in 0..self.guides.len() {
                    let node = &self.nodes[self.guides[g].node as usize];
                    let (row0, f) = (node.row0 as usize, usize::from(node.rows));
                    self.apply_guide(g, &z[row0..row0 + f]);
                }
            }
        }
    }

    /// Rates of the residuals for the present velocities, by row.
    pub fn rates(&self, out: &mut [f64]) {
        match &self.balls {
            Some(balls) => {
                out.copy_from_slice(&self.bias);
                balls.add_rates(&self.groups, out);
            }
            None => {
                rates_kernel(self, out);
                for (g, guide) in self.guides.iter().enumerate() {
                    let node = &self.nodes[guide.node as usize];
                    for row in 0..usize::from(node.rows) {
                        out[node.row0 as usize + row] += self.guide_rate(g, row);
                    }
                }
                let first = self.factor.rows();
                for r in 0..self.border.rows.len() {
                    out[first + r] = self.bias[first + r] + self.border_along(r);
                }
            }
        }
    }
}
