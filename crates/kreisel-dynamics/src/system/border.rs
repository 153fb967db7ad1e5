//! Constraints that are no pair of parts, around the factor: formulas, inequalities, speeds that
//! are compared, and whatever has locked rows or a locked connector (Wagner W-22, W-32, W-33, W-53,
//! W-174) under the impulse methods.
//!
//! The rows of all joints stay in the factor S; these rows border it:
//!
//! | S  B Gᵀ | | z |   | a |
//! | J Bᵀ J Gᵀ | | w | = | c |
//!
//! J are the gradients, G the directions of the impulses: J but where a connector is locked. Then
//! the matrix is not symmetric and has no place in S, whatever the order of elimination. The Schur
//! complement W = J (1 − Bᵀ S⁻¹ B) Gᵀ is small and dense; each of its columns costs one solve with
//! S ([`super::border_solve`]).
//!
//! Their functions are those of the multiplier method ([`crate::lagrange`]), evaluated at the
//! previewed poses and the time of the preview for the joint correction, and as rates for the
//! velocity correction. Rows of velocities take part in the latter only; half of their last impulse
//! is the kick at the start of a substep, so that places are second order too.

use super::{BoundState, System};
use crate::arena::Arena;
use crate::body::BodyId;
use crate::connector::{
    ConstraintId, ConstraintKind, ConstraintRecord, CurveRecord, Lock, PlacedPoint, Placement,
};
use crate::constraint::MAX_PART_ROWS;
use crate::constraint::coupling::{Coupled, CoupledSide};
use crate::constraint::second::{Frame, Jet, MovingPair, SecondRow};
use crate::lagrange::{PathMemory, Place, point_rows};
use crate::math::Vec3;

/// Below this a gradient gives no direction to push in.
const FLAT: f64 = 1e-12;

/// The rows of a constraint on one body that answers to impulses.
#[derive(Clone, Copy, Debug)]
struct Side {
    body: u32,
    /// Where its rows are in `b` and `g`.
    start: usize,
}

/// One constraint.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub id: ConstraintId,
    /// Its connectors name bodies by their number in `bodies`.
    pub record: ConstraintRecord,
    /// Numbers in the system, as in [`super::Node::bodies`].
    pub bodies: Vec<u32>,
    sides: Vec<Side>,
    /// First row among those of the border, and their number.
    pub row0: usize,
    pub rows: usize,
    /// Of velocities.
    pub velocity: bool,
    /// Characteristic length, m.
    pub length: f64,
    /// Where it is on its curve.
    pub path: PathMemory,
    /// Angles of its joints that the present ones continue, where it couples some.
    pub angles: Vec<f64>,
    /// Whether it had no finite value in this step.
    pub failed: bool,
}

/// A row at some poses: its function, and what its impulse does to bodies (by number in the item).
struct ItemRow {
    c: Jet,
    angular: bool,
    /// Metres per unit of the function.
    scale: f64,
    shares: Vec<(u32, Vec3, Vec3, Lock)>,
}

impl ItemRow {
    fn is_finite(&self) -> bool {
        let share = |s: &(u32, Vec3, Vec3, Lock)| s.1.is_finite() && s.2.is_finite();
        self.c.x.is_finite() && self.c.d.is_finite() && self.shares.iter().all(share)
    }
}

/// One row of the border.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BorderRow {
    pub item: u32,
    pub state: BoundState,
    /// Value in the present poses, and in the last preview.
    pub start: f64,
    pub end: f64,
    pub scale: f64,
    pub angular: bool,
    pub velocity: bool,
    pub one_sided: bool,
    /// Whether it has a finite value and a direction.
    pub sound: bool,
}

/// All such constraints of a chain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Border {
    pub items: Vec<Item>,
    pub rows: Vec<BorderRow>,
    curves: Arena<CurveRecord>,
    /// Scaled gradients and impulse directions, by item, side, row.
    b: Vec<f64>,
    g: Vec<f64>,
    /// Whether velocity rows are solved too.
    pub velocities: bool,
    /// Work of its impulses in the last velocity correction, without impacts, J.
    pub corrected: f64,
    pub(super) solved: Option<super::border_solve::Solved>,
}

impl Border {
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn set_curves(&mut self, curves: &Arena<CurveRecord>) {
        self.curves = curves.clone();
    }

    /// Adds a constraint; `number` gives the system's number of a body, bodies below `moving`
    /// answer to impulses.
    pub fn add(
        &mut self,
        id: ConstraintId,
        record: &ConstraintRecord,
        length: f64,
        moving: usize,
        number: &mut dyn FnMut(BodyId) -> u32,
    ) {
        let mut record = record.clone();
        let mut slots: Vec<(u32, u32)> = Vec::new();
        let ids = record.bodies.clone();
        let mut local = |slot: u32| {
            if let Some(k) = slots.iter().position(|s| s.0 == slot) {
                return k as u32;
            }
            let id = ids.iter().find(|b| b.index == slot).copied().unwrap_or(BodyId::WORLD);
            slots.push((slot, number(id)));
            slots.len() as u32 - 1
        };
        match &mut record.placed {
            Placement::Pair { slots, .. } => *slots = slots.map(&mut local),
            Placement::Coupled(rows) => {
                rows.iter_mut()
                    .flat_map(|c| &mut c.sides)
                    .for_each(|s| s.slots = s.slots.map(&mut local));
            }
            Placement::Points(list) => {
                for p in list {
                    if let PlacedPoint::Body { slot, .. } = p {
                        *slot = local(*slot);
                    }
                }
            }
        }
        if let Some(drum) = &mut record.drum {
            drum.sides.iter_mut().for_each(|s| s.slots = s.slots.map(&mut local));
        }
        let bodies: Vec<u32> = slots.iter().map(|s| s.1).collect();
        let rows = record.desc.row_count();
        let mut sides = Vec::new();
        for &body in bodies.iter().filter(|&&b| (b as usize) < moving) {
            sides.push(Side { body, start: self.b.len() });
            self.b.resize(self.b.len() + 6 * rows, 0.0);
        }
        self.g.resize(self.b.len(), 0.0);
        let (velocity, one_sided) = (record.desc.kind.is_velocity(), record.desc.one_sided);
        let row = BorderRow {
            item: self.items.len() as u32,
            state: if one_sided { BoundState::Idle } else { BoundState::Held },
            start: 0.0,
            end: 0.0,
            scale: 1.0,
            angular: false,
            velocity,
            one_sided,
            sound: true,
        };
        let row0 = self.rows.len();
        self.rows.resize(row0 + rows, row);
        let path = PathMemory::default();
        let angles = Vec::new();
        self.items.push(Item {
            id,
            record,
            bodies,
            sides,
            row0,
            rows,
            velocity,
            length,
            path,
            angles,
            failed: false,
        });
    }

    /// Whether row `r` takes part in the present kind of solve.
    pub fn is_active(&self, r: usize) -> bool {
        let row = &self.rows[r];
        row.sound && row.state != BoundState::Idle && (self.velocities || !row.velocity)
    }

    /// Whether the gradients of some rows change with the velocities.
    pub fn is_curved(&self) -> bool {
        let bent = |i: &Item| match &i.record.desc.kind {
            ConstraintKind::EqualVelocityNorm | ConstraintKind::VelocityExpression(_) => true,
            kind => matches!(kind, ConstraintKind::Plugin(_)) && kind.is_velocity(),
        };
        self.items.iter().any(bent)
    }

    fn evaluate(&self, item: &Item, frames: &[Frame], t: f64) -> Vec<ItemRow> {
        let record = &item.record;
        let in_force = |k: &usize| record.desc.has_row(*k);
        match &record.placed {
            Placement::Pair { slots, frames: local, parts, sense, locks } => {
                let [a, b] = slots.map(|s| &frames[s as usize]);
                let mut rows = [SecondRow::default(); MAX_PART_ROWS];
                parts.second_rows(&MovingPair::new(local, a, b), *sense, &mut rows);
                let one = |k: usize| {
                    let SecondRow { c, row } = rows[k];
                    let shares = vec![
                        (slots[0], -row.n, row.a[0], locks[0]),
                        (slots[1], row.n, row.a[1], locks[1]),
                    ];
                    ItemRow { c, angular: k >= parts.position.rows(), scale: 1.0, shares }
                };
                (0..parts.rows_len()).filter(in_force).map(one).collect()
            }
            Placement::Coupled(coupled) => {
                let mut first = 0;
                let one = |coupled: &Coupled| {
                    let start = |k: usize| item.angles.get(first + k).copied().unwrap_or(0.0);
                    let found = coupled.row(|s| &frames[s as usize], start);
                    first += coupled.sides.len();
                    let shares =
                        coupled.shares(&found).map(|(s, n, a)| (s, n, a, Lock::None)).collect();
                    ItemRow { c: found.c, angular: coupled.is_angular(), scale: 1.0, shares }
                };
                let all: Vec<ItemRow> = coupled.iter().map(one).collect();
                all.into_iter()
                    .enumerate()
                    .filter(|(k, _)| in_force(k))
                    .map(|(_, row)| row)
                    .collect()
            }
            Placement::Points(list) => {
                let points =
                    Place { curves: &self.curves, frames, t }.points(record, list, item.path);
                let one = |row: crate::lagrange::PointRow| {
                    let steep = row.gradients.iter().fold(0.0, |m: f64, g| m.max(g.length()));
                    let push = |(p, g): (&crate::lagrange::Point, &Vec3)| {
                        p.body.map(|(slot, arm)| (slot, *g, arm.cross(*g), p.lock))
                    };
                    let shares = points.iter().zip(&row.gradients).filter_map(push).collect();
                    ItemRow { c: row.c, angular: false, scale: 1.0 / steep.max(FLAT), shares }
                };
                let all = point_rows(record, &points, t);
                let given = record.drum.as_ref().map(|drum| {
                    let start = |k: usize| item.angles.get(k).copied().unwrap_or(0.0);
                    (drum, drum.row(|s| &frames[s as usize], start))
                });
                let one = |row: crate::lagrange::PointRow| {
                    let mut out = one(row);
                    if let Some((drum, found)) = &given {
                        out.c = out.c.plus(found.c);
                        out.shares
                            .extend(drum.shares(found).map(|(s, n, a)| (s, n, a, Lock::None)));
                    }
                    out
                };
                all.into_iter()
                    .enumerate()
                    .filter(|(k, _)| in_force(k))
                    .map(|(_, row)| one(row))
                    .collect()
            }
        }
    }
}

impl System {
    /// Number of all rows, those of the border last.
    pub(crate) fn row_count(&self) -> usize {
        self.factor.rows() + self.border.rows.len()
    }

    /// Whether anything holds its bodies together.
    pub(crate) fn is_tied(&self) -> bool {
        !self.nodes.is_empty() || !self.border.is_empty()
    }

    /// A body's frame, at present or in the preview.
    fn frame(&self, body: u32, ahead: bool) -> Frame {
        let pose = if ahead { self.pose_then(body) } else { self.pose(body) };
        let b = body as usize;
        let (v, w) = match self.others.get(b.wrapping_sub(self.slots.len())) {
            Some(o) => (o.velocity, o.angular_velocity),
            None => {
                let (g, l) = (&self.groups[b / 4], b % 4);
                let y = [0, 1, 2, 3, 4, 5].map(|j| g.y[j].0[l]);
                let local = Vec3::new(y[3], y[4], y[5]) * super::vec3(&g.isi, l);
                (Vec3::new(y[0], y[1], y[2]) * g.ism.0[l], pose.r * local)
            }
        };
        Frame { x: pose.x, r: pose.r, v, w }
    }

    fn item_rows(&self, k: usize, ahead: bool) -> Vec<ItemRow> {
        let item = &self.border.items[k];
        let frames: Vec<Frame> = item.bodies.iter().map(|&b| self.frame(b, ahead)).collect();
        self.border.evaluate(item, &frames, self.clock + if ahead { self.ahead } else { 0.0 })
    }

    /// Rows of the border in the present poses.
    pub(crate) fn refresh_border(&mut self) {
        self.border.solved = None;
        for k in 0..self.border.items.len() {
            self.follow_angles(k);
            let rows = self.item_rows(k, false);
            let moving = self.slots.len();
            let System { border, groups, .. } = self;
            let Border { items, rows: states, b, g, .. } = border;
            let item = &mut items[k];
            for side in &item.sides {
                b[side.start..side.start + 6 * item.rows].fill(0.0);
                g[side.start..side.start + 6 * item.rows].fill(0.0);
            }
            for (i, row) in rows.iter().enumerate() {
                let state = &mut states[item.row0 + i];
                (state.sound, state.angular) = (row.is_finite(), row.angular);
                item.failed |= !state.sound;
                if !state.sound {
                    continue;
                }
                (state.start, state.end, state.scale) = (row.c.x, row.c.x, row.scale);
                for &(local, linear, angular, lock) in &row.shares {
                    let body = item.bodies[local as usize];
                    let Some(side) =
                        item.sides.iter().find(|s| s.body == body && (body as usize) < moving)
                    else {
                        continue;
                    };
                    let (group, l) = (&groups[body as usize / 4], body as usize % 4);
                    let n = linear * group.ism.0[l];
                    let a =
                        super::mat3(&group.r, l).transpose() * angular * super::vec3(&group.isi, l);
                    let (free, at) = (lock.masks(), side.start + 6 * i);
                    for j in 0..3 {
                        b[at + j] += n[j];
                        b[at + 3 + j] += a[j];
                        g[at + j] += n[j] * free[0];
                        g[at + 3 + j] += a[j] * free[1];
                    }
                }
            }
            for (i, row) in rows.iter().enumerate() {
                let r = self.border.items[k].row0 + i;
                let rate = if self.border.rows[r].velocity { row.c.x } else { row.c.d };
                let along = self.border_along(r);
                let at = self.factor.rows() + r;
                self.bias[at] = if self.border.rows[r].sound { rate - along } else { 0.0 };
            }
        }
    }

    /// Counts the angles of coupled joints on, so that the preview continues the present ones.
    fn follow_angles(&mut self, k: usize) {
        let item = &self.border.items[k];
        if item.record.sides().next().is_none() {
            return;
        }
        let frames: Vec<Frame> = item.bodies.iter().map(|&b| self.frame(b, false)).collect();
        let value = |(k, side): (usize, &CoupledSide)| {
            side.value(|s| &frames[s as usize], item.angles.get(k).copied().unwrap_or(0.0))
        };
        let values = item.record.sides().enumerate().map(value).collect();
        self.border.items[k].angles = values;
    }

    /// Values of the border in the previewed poses.
    pub(super) fn border_residuals(&mut self) {
        for k in 0..self.border.items.len() {
            self.border_residual_of(k);
        }
    }

    /// Values of constraint `k` in the previewed poses.
    pub(crate) fn border_residual_of(&mut self, k: usize) {
        let first = self.factor.rows();
        let item = &self.border.items[k];
        if item.velocity {
            self.residual[first + item.row0..][..item.rows].fill(0.0);
            return;
        }
        for (i, row) in self.item_rows(k, true).iter().enumerate() {
            let r = self.border.items[k].row0 + i;
            self.border.items[k].failed |= !row.is_finite();
            let state = &mut self.border.rows[r];
            state.sound &= row.is_finite();
            state.end = row.c.x;
            let held = state.sound && state.state != BoundState::Idle;
            self.residual[first + r] = if held { row.c.x } else { 0.0 };
        }
    }

    /// J·y of a row.
    pub(crate) fn border_along(&self, r: usize) -> f64 {
        self.border_sum(r, &self.border.b)
    }

    /// G·y of a row: the power of its impulse.
    pub(crate) fn border_power(&self, r: usize) -> f64 {
        self.border_sum(r, &self.border.g)
    }

    fn border_sum(&self, r: usize, values: &[f64]) -> f64 {
        let item = &self.border.items[self.border.rows[r].item as usize];
        let mut sum = 0.0;
        for side in &item.sides {
            let row = &values[side.start + 6 * (r - item.row0)..][..6];
            let (y, l) = (&self.groups[side.body as usize / 4].y, side.body as usize % 4);
            for j in 0..6 {
                sum += row[j] * y[j].0[l];
            }
        }
        sum
    }

    /// Adds an impulse of row `r` to the velocities.
    pub(crate) fn push_border(&mut self, r: usize, z: f64) {
        let System { border, groups, .. } = self;
        let item = &border.items[border.rows[r].item as usize];
        for side in &item.sides {
            let row = &border.g[side.start + 6 * (r - item.row0)..][..6];
            let (y, l) = (&mut groups[side.body as usize / 4].y, side.body as usize % 4);
            for j in 0..6 {
                y[j].0[l] += row[j] * z;
            }
        }
    }

    /// J_r Gᵀ_s of two rows of one constraint.
    pub(super) fn border_product(&self, r: usize, s: usize) -> f64 {
        let item = &self.border.items[self.border.rows[r].item as usize];
        let mut sum = 0.0;
        for side in &item.sides {
            let a = &self.border.b[side.start + 6 * (r - item.row0)..][..6];
            let b = &self.border.g[side.start + 6 * (s - item.row0)..][..6];
            sum += (0..6).map(|j| a[j] * b[j]).sum::<f64>();
        }
        sum
    }

    /// Lengths of a row's gradient and of its impulse direction, scaled.
    pub(super) fn border_norms(&self, r: usize) -> [f64; 2] {
        let item = &self.border.items[self.border.rows[r].item as usize];
        [&self.border.b, &self.border.g].map(|values| {
            let square = |side: &Side| {
                values[side.start + 6 * (r - item.row0)..][..6].iter().map(|x| x * x).sum::<f64>()
            };
            item.sides.iter().map(square).sum::<f64>().sqrt()
        })
    }

    /// Force and torque about the centre of mass of a constraint on each of its moving bodies, mean
    /// over a step of `h`, by slot; and its multipliers.
    pub(crate) fn border_force(
        &self,
        id: ConstraintId,
        h: f64,
    ) -> Option<(Vec<f64>, Vec<(u32, Vec3, Vec3)>)> {
        let item = self.border.items.iter().find(|i| i.id == id)?;
        let first = self.factor.rows() + item.row0;
        let multipliers: Vec<f64> =
            self.total.get(first..first + item.rows)?.iter().map(|t| t / h).collect();
        let on = |side: &Side| {
            let (group, l) = (&self.groups[side.body as usize / 4], side.body as usize % 4);
            let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
            for (row, f) in self.border.g[side.start..].chunks_exact(6).zip(&multipliers) {
                force += Vec3::from_slice(row) * (group.sm.0[l] * f);
                torque += Vec3::from_slice(&row[3..]) * super::vec3(&group.si, l) * *f;
            }
            (self.slots[side.body as usize], force, super::mat3(&group.r, l) * torque)
        };
        Some((multipliers.clone(), item.sides.iter().map(on).collect()))
    }

    /// The constraint with the largest error relative to its tolerance, in the present poses:
    /// ratio, item, gap, misalignment.
    pub(crate) fn worst_border(&self) -> Option<(f64, usize, f64, f64)> {
        let mut worst: Option<(f64, usize, f64, f64)> = None;
        for (k, item) in self.border.items.iter().enumerate().filter(|(_, i)| !i.velocity) {
            let (mut gap2, mut tilt2) = (0.0, 0.0);
            for (row, now) in self.border.rows[item.row0..].iter().zip(self.item_rows(k, false)) {
                let mut c = now.c.x * now.scale;
                if row.one_sided {
                    c = c.min(0.0);
                }
                if !c.is_finite() {
                    continue;
                }
                *(if now.angular { &mut tilt2 } else { &mut gap2 }) += c * c;
            }
            let (gap, tilt) = (f64::sqrt(gap2), f64::sqrt(tilt2));
            let ratio = (gap / self.tolerance.position).max(tilt / self.tolerance.angle);
            if worst.is_none_or(|w| ratio > w.0) {
                worst = Some((ratio, k, gap, tilt));
            }
        }
        worst
    }

    /// Bodies of item `k` that answer to impulses.
    pub(crate) fn border_bodies(&self, k: usize) -> Vec<usize> {
        self.border.items[k].sides.iter().map(|s| s.body as usize).collect()
    }
}
