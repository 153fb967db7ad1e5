//! A hydraulic cylinder: a pump's flow through a proportional valve moves its piston, the pressure
//! bounds its force.
//!
//! The valve u, from −1 to 1, lets the share |u| of the flow Q in. The piston moves out with
//! u Q/A and in with u Q/A_rod, where A_rod is what the rod leaves of the piston's area; a closed
//! valve holds it. The oil is taken as incompressible: it holds its rate as a bounded constraint,
//! with at most p A where it pushes out or holds, p A_rod where it pulls in. What a load pushes
//! beyond that opens the relief valve.

use serde::{Deserialize, Serialize};

/// The constants of a hydraulic cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cylinder {
    /// A, area of the piston, m².
    pub area: f64,
    /// Area on the side of its rod, m².
    pub rod_area: f64,
    /// p, largest pressure, Pa.
    pub pressure: f64,
    /// Q, largest flow, m³/s.
    pub flow: f64,
}

impl Cylinder {
    /// Rate at a valve's opening.
    pub fn rate(&self, valve: f64) -> f64 {
        let u = valve.clamp(-1.0, 1.0);
        u * self.flow / if u < 0.0 { self.rod_area } else { self.area }
    }

    /// Largest force at a valve's opening.
    pub fn strength(&self, valve: f64) -> f64 {
        self.pressure * if valve < 0.0 { self.rod_area } else { self.area }
    }
}
