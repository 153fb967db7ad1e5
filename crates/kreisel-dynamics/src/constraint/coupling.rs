//! Coordinates of joints that depend on each other (gears, racks, screws, differentials, joints
//! that mimic others): C = (Σ pᵢ(qᵢ) − c)/k, one row on the bodies of all joints.
//!
//! | symbol | meaning |
//! |---|---|
//! | qᵢ | coordinate of joint i, angles counted over turns |
//! | pᵢ | its polynomial without constant term, factors of q, q², …; of a cam minus its profile |
//! | c | what the polynomials sum to |
//! | k | the largest factor of a first power (of any power where there is none) |
//!
//! The division by k gives the row the unit of the coordinate with the largest factor, so that the
//! joint tolerance means the same as for joints. With the rows Jᵢ of the coordinates
//! ([`super::coordinate`]) J = Σ pᵢ'(qᵢ) Jᵢ/k and the bias is Σ (pᵢ' biasᵢ + pᵢ'' q̇ᵢ²)/k.

use super::Row;
use super::second::{Frame, Jet, MovingPair};
use crate::formula::Expression;
use crate::joint::{Coordinate, LocalFrame};
use crate::math::Vec3;
use crate::system::rows::follow;

/// One joint of a coupling, with its frames.
#[derive(Clone, Debug)]
pub(crate) struct CoupledSide {
    /// Slot of the joint, for its counted angle.
    pub joint: u32,
    /// Bodies: slots of the model, or numbers in a border's item.
    pub slots: [u32; 2],
    pub frames: [LocalFrame; 2],
    pub coordinate: Coordinate,
    /// Factors of q, q², …, divided by k.
    pub factors: Vec<f64>,
    /// A function of the coordinate that is taken away from the polynomial.
    pub profile: Option<Expression>,
}

/// A coupling with all its joints.
#[derive(Clone, Debug)]
pub(crate) struct Coupled {
    pub sides: Vec<CoupledSide>,
    /// c/k.
    pub value: f64,
}

/// The row at some poses.
pub(crate) struct CoupledRow {
    pub c: Jet,
    /// By joint, times p'.
    pub rows: Vec<Row>,
}

impl CoupledSide {
    /// Value of the coordinate, angles continued from `start`.
    pub fn value<'f>(&self, frame: impl Fn(u32) -> &'f Frame, start: f64) -> f64 {
        let [a, b] = self.slots.map(frame);
        follow(
            MovingPair::new(&self.frames, a, b).coordinate(self.coordinate).c.x,
            start,
            self.coordinate,
        )
    }
}

impl Coupled {
    /// k of the header.
    pub fn norm<'a>(factors: impl Iterator<Item = &'a [f64]> + Clone) -> f64 {
        let first = factors.clone().filter_map(|f| f.first()).fold(0.0, |m: f64, x| m.max(x.abs()));
        if first > 0.0 { first } else { factors.flatten().fold(0.0, |m: f64, x| m.max(x.abs())) }
    }

    /// Whether its unit is the radian.
    pub fn is_angular(&self) -> bool {
        let first = |s: &&CoupledSide| s.factors.first().map_or(0.0, |f| f.abs());
        let largest = self.sides.iter().max_by(|a, b| first(a).total_cmp(&first(b)));
        largest.is_some_and(|s| s.coordinate.unit() == "rad")
    }

    /// Function and rows; `start` gives the angle that a joint's angle continues from.
    pub fn row<'f>(
        &self,
        frame: impl Fn(u32) -> &'f Frame,
        start: impl Fn(usize) -> f64,
    ) -> CoupledRow {
        let mut out = CoupledRow { c: Jet { x: -self.value, d: 0.0, dd: 0.0 }, rows: Vec::new() };
        for (k, side) in self.sides.iter().enumerate() {
            let [a, b] = side.slots.map(&frame);
            let free = MovingPair::new(&side.frames, a, b).coordinate(side.coordinate);
            let q = follow(free.c.x, start(k), side.coordinate);

            // the polynomial and its first two derivatives, by Horner's scheme
            let (mut p, mut p1, mut p2) = (0.0, 0.0, 0.0);
            for f in side.factors.iter().rev().chain([&0.0]) {
                p2 = p2 * q + 2.0 * p1;
                p1 = p1 * q + p;
                p = p * q + f;
            }
            if let Some(profile) = &side.profile {
                // f with f' and f'': the jet of a coordinate that moves at unit rate
                let f = profile.jet(&[Jet { x: q, d: 1.0, dd: 0.0 }]);
                (p, p1, p2) = (p - f.x, p1 - f.d, p2 - f.dd);
            }
            out.c.x += p;
            out.c.d += p1 * free.c.d;
            out.c.dd += p1 * free.c.dd + p2 * free.c.d * free.c.d;
            out.rows.push(Row { n: free.row.n * p1, a: free.row.a.map(|a| a * p1) });
        }
        out
    }
    /// What a row does to the bodies of its joints: slot, linear and angular part.
    pub fn shares(&self, found: &CoupledRow) -> impl Iterator<Item = (u32, Vec3, Vec3)> {
        let pair = |(side, row): (&CoupledSide, &Row)| {
            [(side.slots[0], -row.n, row.a[0]), (side.slots[1], row.n, row.a[1])]
        };
        self.sides.iter().zip(&found.rows).flat_map(pair)
    }
}
