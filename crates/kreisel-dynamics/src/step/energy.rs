//! Energy.
use super::{Budget, Stats};
use crate::system::System;
impl System {
    pub(crate) fn energy_patient(&mut self, _h: f64, _budget: &Budget, _stats: &mut Stats) {}
    pub(crate) fn advance_energy(&mut self, _duration: f64, _target: f64, _budget: &Budget, _stats: &mut Stats) {}
    pub(crate) fn impulses_to_forces(&mut self) {}
    pub(crate) fn forces_to_impulses(&mut self) {}
}
