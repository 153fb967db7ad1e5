//! Rebounds give back no more than came.
//!
//! In fast time every point rebounds from its own speed at the start of a step, at the end of it, when the body has turned. Where points are
//! elastic this may give more energy than there was. An island that has more than at the start of the step, gravity's work included, gets
//! c + s (e − c): between its velocities with rebounds, e, and without, c, where it has as much. Both keep all contacts and the cone
//! of friction, and so does what is between them.

use super::Contacts;
use super::hold::{Aim, velocities};
use super::impact::energy;
use super::island::Island;
use super::parts::Share;
use crate::lanes::{F4, LANES};
use crate::math::Vec3;
use crate::settings::Settings;
use crate::system::{System, vec3};

impl Contacts {
    /// Brings islands that have gained energy by rebounds back to what they had.
    pub(super) fn temper(&mut self, systems: &[System], rest: f64, settings: &Settings) {
        for i in 0..self.islands.list.len() {
            let island = &self.islands.list[i];
            let rows = &self.frictions[island.groups.clone()];
            if island.impacts == 0
                || !island.is_loose(&settings.contact)
                || rows.iter().any(|f| f.carries)
                || rows.iter().all(|f| f.restitution.largest() <= 0.0)
            {
                continue;
            }
            let allowed = self.kinetic_allowed(island, systems);
            if energy(&self.cells[island.cells.clone()]) > allowed * (1.0 + 1e-12) {
                self.temper_island(i, allowed, rest, settings);
            }
        }
    }

    fn temper_island(&mut self, i: usize, allowed: f64, rest: f64, settings: &Settings) {
        let Island { cells, groups, parts, .. } = self.islands.list[i].clone();
        let velocity = self.cells[cells.clone()].to_vec();
        let rows = (self.groups[groups.clone()].to_vec(), self.frictions[groups.clone()].to_vec());
        // the hold once more, without rebounds
        self.cells[cells.clone()].copy_from_slice(&self.actual[cells.clone()]);
        self.aim_island(i, Aim { rest, tolerance: settings.contact.tolerance, exact: false, rebound: 0.0 });
        let share = Share {
            cells: &mut self.cells[cells.clone()],
            last: &mut self.last[cells.clone()],
            groups: &mut self.groups[groups.clone()],
            frictions: &mut self.frictions[groups.clone()],
        };
        velocities(&self.islands.parts[parts], share, 1, settings, self.threads, |_| ());
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
        let s = F4::splat(s.clamp(0.0, 1.0));
        for (c, e) in self.cells[cells].iter_mut().zip(&velocity) {
            c.linear += s * (e.linear - c.linear);
            c.angular += s * (e.angular - c.angular);
        }
        for (g, e) in self.groups[groups.clone()].iter_mut().zip(&rows.0) {
            for (row, e) in g.points.iter_mut().zip(&e.points) {
                row.impulse += s * (e.impulse - row.impulse);
            }
        }
        for (f, e) in self.frictions[groups].iter_mut().zip(&rows.1) {
            for k in 0..2 {
                f.grip.impulse[k] += s * (e.grip.impulse[k] - f.grip.impulse[k]);
                f.roll[k] += s * (e.roll[k] - f.roll[k]);
            }
            f.grip.spin += s * (e.grip.spin - f.grip.spin);
        }
    }

    /// Kinetic energy that the bodies of an island may have at the end of a step that began at the checkpoints, J; without bound where torques act.
    fn kinetic_allowed(&self, island: &Island, systems: &[System]) -> f64 {
        let mut sum = 0.0;
        for &slot in self.islands.slots[island.cells.clone()].iter().filter(|&&slot| slot != u32::MAX) {
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
