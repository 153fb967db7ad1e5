//! Switches as TOML.

use super::Part;
use super::text::number;
use crate::scene::SwitchTo;
use std::fmt::Write as _;

impl Part<'_> {
    /// Switches that are still to come: what the others did stands in the items.
    pub(super) fn switches(&self, out: &mut String) {
        let now = self.world.time();
        let begun = now != self.scene.world.time();
        for switch in &self.scene.switches {
            // The last step threw those of its start; later ones wait for the next.
            if begun && switch.at <= now - self.scene.step * (1.0 - 1e-9) {
                continue;
            }
            let _ = writeln!(out, "\n[[switch]]\nat = {}", number(switch.at));
            let _ = match &switch.to {
                SwitchTo::Active(name, on) => {
                    writeln!(out, "item = {}\nactive = {on}", self.named(name))
                }
                SwitchTo::Kind(body, kind) => {
                    writeln!(out, "body = {}\nkind = \"{}\"", self.body_name(*body), kind.name())
                }
            };
        }
    }
}
