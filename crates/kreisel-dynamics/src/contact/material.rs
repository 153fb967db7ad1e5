//! Materials of bodies, and what two of them make together (B-76; Bender 2007, sections 5.1.3 and
//! 5.1.4).

use crate::plugin::Coefficients;
use crate::words::words;
use serde::{Deserialize, Serialize};

/// How a surface answers to contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name for the table of pairs; empty for none.
    pub name: String,
    /// How much of the approach speed comes back, 0 to 1.
    pub restitution: f64,
    /// Coulomb coefficient of sliding.
    pub friction: f64,
    /// Coulomb coefficient of sticking; `None` is the same as of sliding.
    pub static_friction: Option<f64>,
    /// Rolling resistance as a lever arm in m: the torque against rolling is at most this times the
    /// normal force.
    pub rolling: f64,
    /// Resistance against spinning about the normal, as a lever arm in m.
    pub spinning: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            restitution: 0.0,
            friction: 0.5,
            static_friction: None,
            rolling: 0.0,
            spinning: 0.0,
        }
    }
}

impl Material {
    /// The default material with another friction.
    pub fn rough(friction: f64) -> Self {
        Self { friction, ..Self::default() }
    }

    /// Sets the restitution.
    pub fn bouncing(mut self, restitution: f64) -> Self {
        self.restitution = restitution;
        self
    }
}

words! {
    /// How two coefficients become one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Rule {
        /// Of the thesis for the restitution.
        Product = "product",
        /// Of the thesis for the friction.
        Sum = "sum",
        /// The smaller one.
        Minimum = "minimum",
        /// The larger one.
        Maximum = "maximum",
        /// The arithmetic mean.
        Mean = "mean",
        /// The root of the product.
        Geometric = "geometric",
    }
}

impl Rule {
    /// The coefficient of the pair.
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Product => a * b,
            Self::Sum => a + b,
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
            Self::Mean => 0.5 * (a + b),
            Self::Geometric => (a * b).sqrt(),
        }
    }
}

/// Coefficients of two named materials, which replace what the rules would give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairMaterial {
    /// Names of the materials, in any order.
    pub between: [String; 2],
    /// Restitution; `None` leaves it to the rule.
    pub restitution: Option<f64>,
    /// Sliding friction; `None` leaves it to the rule.
    pub friction: Option<f64>,
    /// Static friction; `None` is the sliding friction of this entry, or the rule's.
    pub static_friction: Option<f64>,
}

/// The coefficients of one pair of bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Surface {
    pub restitution: f64,
    pub sliding: f64,
    pub sticking: f64,
    pub rolling: f64,
    pub spinning: f64,
}

/// What two materials make together.
pub(crate) fn combine(a: &Material, b: &Material, settings: &super::ContactSettings) -> Surface {
    let friction = |x: f64, y: f64| settings.friction.of(x, y);
    let stick = |m: &Material| m.static_friction.unwrap_or(m.friction);
    let mut out = Surface {
        restitution: settings.restitution.of(a.restitution, b.restitution).clamp(0.0, 1.0),
        sliding: friction(a.friction, b.friction),
        sticking: friction(stick(a), stick(b)),
        // a lever arm belongs to the softer surface of the two
        rolling: a.rolling.max(b.rolling),
        spinning: a.spinning.max(b.spinning),
    };
    let named = |p: &&PairMaterial| {
        let [x, y] = &p.between;
        (x == &a.name && y == &b.name) || (x == &b.name && y == &a.name)
    };
    if let Some(pair) = settings.pairs.iter().find(named) {
        out.restitution = pair.restitution.unwrap_or(out.restitution);
        out.sliding = pair.friction.unwrap_or(out.sliding);
        out.sticking = pair.static_friction.or(pair.friction).unwrap_or(out.sticking);
    }
    out.sticking = out.sticking.max(out.sliding);
    if settings.plugin.law().is_some() { by_law(a, b, settings, out) } else { out }
}

/// What a law that is written outside says instead; what it cannot say stays as it is, and fails
/// the step.
fn by_law(
    a: &Material,
    b: &Material,
    settings: &super::ContactSettings,
    surface: Surface,
) -> Surface {
    let usual = Coefficients {
        restitution: surface.restitution,
        friction: surface.sliding,
        static_friction: surface.sticking,
        rolling: surface.rolling,
        spinning: surface.spinning,
    };
    let said = settings.plugin.ask(|law| {
        let c = law.coefficients(a, b, usual)?;
        c.check().map(|()| c)
    });
    said.map_or(surface, |c| Surface {
        restitution: c.restitution,
        sliding: c.friction,
        sticking: c.static_friction.max(c.friction),
        rolling: c.rolling,
        spinning: c.spinning,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thesis_multiplies_restitution_and_adds_friction() {
        // Bender 2007, E-14: e = 0.1, µs = 0.2, µd = 0.1 per body give 0.01, 0.4, 0.2
        let m = Material {
            restitution: 0.1,
            friction: 0.1,
            static_friction: Some(0.2),
            ..Material::default()
        };
        let s = super::super::ContactSettings {
            friction: Rule::Sum,
            restitution: Rule::Product,
            ..super::super::ContactSettings::default()
        };
        let pair = combine(&m, &m, &s);
        assert!((pair.restitution - 0.01).abs() < 1e-15);
        assert_eq!((pair.sliding, pair.sticking), (0.2, 0.4));
    }
}
