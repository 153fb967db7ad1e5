//! Rebounds give back no more than came.
//!
//! In fast time every point rebounds from its own speed at the start of a step, at the end of it,
//! when the body has turned. Where points are elastic this may give more energy than there was. An
//! island that has more than at the start of the step, gravity's work included, gets c + s (e − c):
//! between its velocities with rebounds, e, and without, c, where it has as much. Both keep all
//! contacts and the cone of friction, and so does what is between them.

use super::Contacts;
use super::friction::Friction;
use super::hold::Aim;
use super::impact::energy;
use super::island::Island;
use super::parts::Piece;
use super::rows::{Rows, Width};
use crate::lanes::{F4, LANES, S8};
use crate::math::Vec3;
use crate::settings::Settings;
use crate::system::{System, vec3};

/// Whether any pair has a coefficient of restitution.
fn elastic<N: Width>(rows: &[Friction<N>]) -> bool {
    rows.iter().any(|f| f.restitution.largest() > 0.0)
}

impl Contacts {
    /// Brings islands that have gained energy by rebounds back to what they had.
    pub(super) fn temper(&mut self, systems: &[System], rest: f64, settings: &Settings) {
        for i in 0..self.islands.list.len() {
            let island = &self.islands.list[i];
            let bounces = if island.is_single() {
                self.bounces::<S8>(island)
            } else {
                self.bounces::<F4>(island)
            };
            if island.impacts == 0 || !island.is_loose(&settings.contact) || !bounces {
                continue;
            }
            let allowed = self.kinetic_allowed(island, systems);
            if energy(&self.cells[island.cells.clone()]) > allowed * (1.0 + 1e-12) {
                if island.is_single() {
                    self.temper_island::<S8>(i, allowed, rest, settings);
                } else {
                    self.temper_island::<F4>(i, allowed, rest, settings);
                }
            }
        }
    }

    /// Whether any pair rebounds, and nothing that moves by itself takes part.
    fn bounces<N: Width>(&self, island: &Island) -> bool {
        let rows = &N::of(&self.rows).frictions[island.groups::<N>()];
        !rows.iter().any(|f| f.carries) && elastic(rows)
    }

    /// Whether any pair of an island has a coefficient of restitution.
    pub(super) fn is_elastic(&self, island: &Island) -> bool {
        if island.is_single() {
            elastic(&<S8 as Width>::of(&self.rows).frictions[island.groups::<S8>()])
        } else {
            elastic(&<F4 as Width>::of(&self.rows).frictions[island.groups::<F4>()])
        }
    }

    fn temper_island<N: Width>(&mut self, i: usize, allowed: f64, rest: f64, settings: &Settings) {
        let (cells, groups) =
            (self.islands.list[i].cells.clone(), self.islands.list[i].groups::<N>());
        let velocity = self.cells[cells.clone()].to_vec();
        let Rows { groups: all, frictions, .. } = N::of(&self.rows);
        let rows = (all[groups.clone()].to_vec(), frictions[groups.clone()].to_vec());
        // the hold once more, without rebounds
        self.cells[cells.clone()].copy_from_slice(&self.actual[cells.clone()]);
        self.aim_island(
            i,
            Aim { rest, tolerance: settings.contact.tolerance, exact: false, rebound: 0.0 },
        );
        self.hold_island(i, settings);
        // ½|c + s d|² = allowed
        let (mut square, mut product) = (F4::ZERO, F4::ZERO);
        for (c, e) in self.cells[cells.clone()].iter().zip(&velocity) {
            let (v, w) = (e.linear - c.linear, e.angular - c.angular);
            square += v * v + w * w;
            product += v * c.linear + w * c.angular;
        }
        let (a, b) = (square.sum(), product.sum());
        let left = allowed - energy(&self.cells[cells.clone()]);
        let s = if left > 0.0 && a > 0.0 { ((b * b + 2.0 * a * left).sqrt() - b) / a } else { 0.0 };
        let s = s.clamp(0.0, 1.0);
        let part = F4::splat(s);
        for (c, e) in self.cells[cells].iter_mut().zip(&velocity) {
            c.linear += part * (e.linear - c.linear);
            c.angular += part * (e.angular - c.angular);
        }
        let part = N::splat(s);
        let Rows { groups: all, frictions, .. } = N::of_mut(&mut self.rows);
        for (g, e) in all[groups.clone()].iter_mut().zip(&rows.0) {
            for (row, e) in g.points.iter_mut().zip(&e.points) {
                row.impulse += part * (e.impulse - row.impulse);
            }
        }
        for (f, e) in frictions[groups].iter_mut().zip(&rows.1) {
            for k in 0..2 {
                f.grip.impulse[k] += part * (e.grip.impulse[k] - f.grip.impulse[k]);
                f.roll[k] += part * (e.roll[k] - f.roll[k]);
            }
            f.grip.spin += part * (e.grip.spin - f.grip.spin);
        }
    }

    /// Kinetic energy that the bodies of an island may have at the end of a step that began at the
    /// checkpoints, J; without bound where torques act.
    pub(super) fn kinetic_allowed(&self, island: &Island, systems: &[System]) -> f64 {
        let mut sum = 0.0;
        for &slot in
            self.islands.slots[island.cells.clone()].iter().filter(|&&slot| slot != u32::MAX)
        {
            let (s, i) = self.homes[slot as usize];
            let (g, l) = (&systems[s as usize].groups[i as usize / LANES], i as usize % LANES);
            if vec3(&g.torque, l) != Vec3::ZERO {
                return f64::INFINITY;
            }
            let (kinetic, x) = self.checkpoints[s as usize].body(i as usize);
            let mass = g.sm.0[l] * g.sm.0[l];
            sum += kinetic + mass * vec3(&g.acc, l).dot(vec3(&g.x, l) - x);
        }
        sum
    }
}
