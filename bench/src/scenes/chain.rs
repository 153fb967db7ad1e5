//! Chains of boxes end to end, hung at one end. Released from the horizontal, the tail cracks like
//! a whip: that is what breaks weak settings.

use crate::scene::{Block, Coil, GRAVITY, Kind, Link, Scene};
use glam::{DQuat, DVec3};
use std::fmt;

const LENGTH: f64 = 0.1;
const SIZE: DVec3 = DVec3::new(LENGTH, 0.05, 0.05);

/// `n` boxes of 0.1 × 0.05 × 0.05 m and 1 kg with ball joints, horizontal, at rest; step 0.01 s.
pub fn chain(n: usize) -> Scene {
    let mut scene = mixed_chain(n, Kind::Ball, Masses::Equal, 1.0, Start::Level, 0.01);
    scene.name = format!("chain{n}");
    scene
}

/// Which links are heavy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masses {
    /// None.
    Equal,
    /// The first one.
    First,
    /// Every second one.
    Alternating,
    /// The last one.
    Tip,
    /// From 1 kg at the first to the ratio at the last, in equal factors.
    Graded,
}

impl fmt::Display for Masses {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "equal",
            Self::First => "heavy first",
            Self::Alternating => "alternating",
            Self::Tip => "heavy tip",
            Self::Graded => "graded",
        })
    }
}

impl Masses {
    fn mass(self, i: usize, n: usize, ratio: f64) -> f64 {
        match self {
            Self::First if i == 0 => ratio,
            Self::Alternating if i % 2 == 1 => ratio,
            Self::Tip if i + 1 == n => ratio,
            Self::Graded => ratio.powf(i as f64 / (n - 1) as f64),
            _ => 1.0,
        }
    }
}

/// How a chain starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Horizontal, at rest.
    Level,
    /// Horizontal, turning as a whole about the vertical with 3 rad/s.
    Spin,
    /// Standing on its hinge, 0.001 rad off the vertical: it buckles.
    Upright,
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Level => "level",
            Self::Spin => "spin",
            Self::Upright => "upright",
        })
    }
}

/// A chain of any joints, masses and start.
///
/// Hinges turn about the horizontal z axis. Universal joints alternate their axes, so that the
/// chain bends in both planes. A slider chain is a row of telescopes on hinges: every second joint
/// slides along the chain, held by a spring that stretches by a fifth of a link under the weight of
/// everything behind it.
pub fn mixed_chain(
    n: usize,
    kind: Kind,
    masses: Masses,
    ratio: f64,
    start: Start,
    step: f64,
) -> Scene {
    let mut scene = Scene::new(format!("{kind:?} chain {n}"), LENGTH * n as f64, step);
    let angle = if start == Start::Upright { std::f64::consts::FRAC_PI_2 - 1e-3 } else { 0.0 };
    let rotation = DQuat::from_rotation_z(angle);
    let (along, across) = (rotation * DVec3::X, rotation * DVec3::Y);
    for i in 0..n {
        let (end, center) = (along * (LENGTH * i as f64), along * (LENGTH * (i as f64 + 0.5)));
        let mut block = Block::new(masses.mass(i, n, ratio), SIZE, center, rotation);
        if start == Start::Spin {
            block.spin = DVec3::Y * 3.0;
            block.velocity = block.spin.cross(center);
        }
        let me = scene.block(block);
        let slides = kind == Kind::Slider && i % 2 == 1;
        let (kind, axes) = match kind {
            Kind::Slider if slides => (Kind::Slider, [along; 2]),
            Kind::Slider | Kind::Hinge => (Kind::Hinge, [DVec3::Z; 2]),
            Kind::Universal if i % 2 == 0 => (kind, [DVec3::Z, across]),
            Kind::Universal => (kind, [across, DVec3::Z]),
            Kind::Ball => (kind, [DVec3::Z; 2]),
        };
        scene.links.push(Link { bodies: [me.checked_sub(1), Some(me)], anchor: end, kind, axes });
        if slides {
            let behind: f64 = (i..n).map(|k| masses.mass(k, n, ratio)).sum();
            let stiffness = GRAVITY.length() * behind / (0.2 * LENGTH);
            scene.coils.push(Coil { bodies: [me - 1, me], stiffness });
        }
    }
    scene
}
