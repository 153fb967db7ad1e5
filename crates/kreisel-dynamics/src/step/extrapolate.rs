//! Extrapolation.
use super::{Budget, Stats};
use crate::settings::Settings;
use crate::system::System;
impl System {
    pub(crate) fn advance_extrapolated(
        &mut self,
        _duration: f64,
        _settings: &Settings,
        _budget: &Budget,
        _stats: &mut Stats,
    ) {
    }
}
