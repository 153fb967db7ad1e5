//! Elements: what a joint, a constraint or a contact demands of accelerations, as rows on the
//! bodies that it touches.
//!
//! Element j has mⱼ rows and, for each of its bodies i, a block Jⱼᵢ of mⱼ × 6 numbers; the force of
//! the element on that body is Gⱼᵢᵀλ. G is J but where a connector is locked: then the equation
//! keeps the whole J and only the force is masked (masking both, as in the thesis, makes the
//! equation miss the acceleration of the point).

use super::bodies::{Bodies, UNMOVED};
use crate::constraint::Row;
use crate::constraint::coupling::Coupled;
use crate::constraint::second::{Frame, Jet};
use crate::contact::Surface;
use crate::math::Vec3;
use std::sync::Arc;

/// Bodies that slide slower stick, m/s: what integration leaves of a slip of zero is far below it.
const STICKING: f64 = 1e-4;

/// Who an element belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Joint(crate::JointId),
    Constraint(crate::ConstraintId),
    /// Manifold and point of a contact.
    Contact([u32; 2]),
}

/// How an element's rows are held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hold {
    /// C = 0 on poses.
    Position,
    /// C = 0 on velocities.
    Velocity,
    /// 0 ≤ λ while C ≥ 0 must hold: a limit, an inequality.
    OneSided,
    /// The same for the first row; those of friction, rolling and spinning are bounded by shares of
    /// its force.
    Contact(Cones),
    /// −effort ≤ λ ≤ effort: dry friction and velocity motors.
    Effort(f64),
}

/// Shares of the normal force that bound the further rows of a contact, in their order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cones {
    sliding: f64,
    sticking: f64,
    /// Rolling and spinning; zero for none.
    levers: [f64; 2],
}

impl Cones {
    /// Share of the normal force that holds what does not slide.
    pub fn sticking(self) -> f64 {
        self.sticking
    }

    pub fn of(s: &Surface) -> Self {
        Self { sliding: s.sliding, sticking: s.sticking, levers: [s.rolling, s.spinning] }
    }

    /// Share of row `k` after the normal one, where the first rows have the rates `slip`.
    pub fn share(&self, k: usize, slip: &[f64]) -> f64 {
        let rubbing = if self.sticking > 0.0 { 2 } else { 0 };
        let rolling = if self.levers[0] > 0.0 { 2 } else { 0 };
        if k < rubbing {
            let speed = slip[..2].iter().map(|u| u * u).sum::<f64>().sqrt();
            if speed < STICKING { self.sticking } else { self.sliding }
        } else {
            self.levers[usize::from(k >= rubbing + rolling)]
        }
    }
}

impl Hold {
    pub fn is_bounded(self) -> bool {
        matches!(self, Self::OneSided | Self::Contact(_) | Self::Effort(_))
    }

    /// Whether it acts only where it touches.
    pub fn is_one_sided(self) -> bool {
        matches!(self, Self::OneSided | Self::Contact(_))
    }
}

/// The constant part of an element.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub owner: Owner,
    pub name: Arc<str>,
    pub hold: Hold,
    /// Moving bodies that it touches, each once.
    pub bodies: Vec<u32>,
    pub rows: usize,
    /// First row, and offset of its first block in `b` and `g`.
    pub row0: usize,
    pub block0: usize,
    /// Whether G differs from J.
    pub locked: bool,
    /// α, β and the velocity rate of its stabilisation.
    pub stabilise: [f64; 3],
    /// Number in the order of creation, for the choice of the youngest.
    pub age: u64,
}

impl Element {
    /// Rows of the block of the `k`-th body.
    pub fn block<'a>(&self, values: &'a [f64], k: usize) -> &'a [f64] {
        let start = self.block0 + 6 * self.rows * k;
        &values[start..start + 6 * self.rows]
    }
}

/// The numbers of all rows at a trial state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub c: Vec<f64>,
    pub rate: Vec<f64>,
    pub bias: Vec<f64>,
    /// Scaled rows J M^−½ by element, body, row.
    pub b: Vec<f64>,
    /// Scaled force directions, where they differ from the rows.
    pub g: Vec<f64>,
}

impl Rows {
    pub fn resize(&mut self, elements: &[Element]) {
        let rows = elements.last().map_or(0, |e| e.row0 + e.rows);
        let blocks = elements.last().map_or(0, |e| e.block0 + 6 * e.rows * e.bodies.len());
        for v in [&mut self.c, &mut self.rate, &mut self.bias] {
            v.clear();
            v.resize(rows, 0.0);
        }
        for v in [&mut self.b, &mut self.g] {
            v.clear();
            v.resize(blocks, 0.0);
        }
    }

    /// Force directions of an element.
    pub fn forces(&self, e: &Element) -> &[f64] {
        if e.locked { &self.g } else { &self.b }
    }

    /// J·y of row `i` for scaled velocities or accelerations `y`.
    pub fn along(&self, e: &Element, i: usize, y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (k, &body) in e.bodies.iter().enumerate() {
            let row = &e.block(&self.b, k)[6 * i..6 * i + 6];
            let y = &y[6 * body as usize..6 * body as usize + 6];
            for j in 0..6 {
                sum += row[j] * y[j];
            }
        }
        sum
    }

    /// Adds Gᵀ of row `i` times `lambda` to the scaled accelerations.
    pub fn push(&self, e: &Element, i: usize, lambda: f64, out: &mut [f64]) {
        let values = self.forces(e);
        for (k, &body) in e.bodies.iter().enumerate() {
            let row = &e.block(values, k)[6 * i..6 * i + 6];
            let out = &mut out[6 * body as usize..6 * body as usize + 6];
            for j in 0..6 {
                out[j] += row[j] * lambda;
            }
        }
    }
}

/// Writes the rows of one element.
pub(crate) struct Writer<'a> {
    pub element: &'a Element,
    pub bodies: &'a Bodies,
    pub rows: &'a mut Rows,
    /// Rows written so far.
    pub at: usize,
}

impl Writer<'_> {
    /// Begins a row with its function.
    pub fn begin(&mut self, c: Jet) {
        let row = self.element.row0 + self.at;
        (self.rows.c[row], self.rows.rate[row], self.rows.bias[row]) = (c.x, c.d, c.dd);
    }

    /// Adds the row's gradient on the body in `slot`: by velocity and by angular velocity, and the
    /// masks of the force.
    pub fn add(&mut self, slot: u32, linear: Vec3, angular: Vec3, lock: crate::Lock) {
        let body = self.bodies.index[slot as usize];
        if body == UNMOVED {
            return;
        }
        let Some(k) = self.element.bodies.iter().position(|&b| b == body) else { return };
        let inertia = &self.bodies.moving[body as usize];
        let local = self.bodies.frames[slot as usize].r.transpose() * angular * inertia.isi;
        let linear = linear * inertia.ism;
        let start = self.element.block0 + 6 * (self.element.rows * k + self.at);
        let free = lock.masks();
        for j in 0..3 {
            self.rows.b[start + j] += linear[j];
            self.rows.b[start + 3 + j] += local[j];
            if self.element.locked {
                self.rows.g[start + j] += linear[j] * free[0];
                self.rows.g[start + 3 + j] += local[j] * free[1];
            }
        }
    }

    /// A whole row between two bodies.
    pub fn pair(&mut self, c: Jet, row: &Row, slots: [u32; 2], locks: [crate::Lock; 2]) {
        self.begin(c);
        self.add(slots[0], -row.n, row.a[0], locks[0]);
        self.add(slots[1], row.n, row.a[1], locks[1]);
        self.at += 1;
    }
    /// A row on coordinates of joints, or what it adds to the present row; false when it has no
    /// finite value, in which case nothing is written.
    pub fn coupled(
        &mut self,
        coupled: &Coupled,
        frames: &[Frame],
        angles: &[f64],
        adds: bool,
    ) -> bool {
        let start = |k: usize| angles.get(coupled.sides[k].joint as usize).copied().unwrap_or(0.0);
        let found = coupled.row(|s| &frames[s as usize], start);
        let c = found.c;
        let sound = c.x.is_finite() && c.d.is_finite() && c.dd.is_finite();
        if sound && adds {
            let row = self.element.row0 + self.at;
            self.begin(
                Jet { x: self.rows.c[row], d: self.rows.rate[row], dd: self.rows.bias[row] }
                    .plus(c),
            );
        } else if sound {
            self.begin(c);
        }
        if sound {
            for (slot, n, a) in coupled.shares(&found) {
                self.add(slot, n, a, crate::Lock::None);
            }
        }
        self.at += 1;
        sound
    }
}
