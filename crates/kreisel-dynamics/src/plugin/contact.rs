//! Coefficients of two materials.

use crate::contact::Material;

/// How two surfaces answer to contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coefficients {
    /// How much of the approach speed comes back, 0 to 1.
    pub restitution: f64,
    /// Coulomb coefficient of sliding.
    pub friction: f64,
    /// Coulomb coefficient of sticking; at least `friction`.
    pub static_friction: f64,
    /// Rolling resistance as a lever arm, m.
    pub rolling: f64,
    /// Resistance against spinning about the normal as a lever arm, m.
    pub spinning: f64,
}

/// A contact law: what two materials make together, instead of the rules and the table of pairs.
/// It is asked once per pair of materials when the world changes.
pub trait ContactLaw: Send + Sync + 'static {
    /// The coefficients of a pair, whichever comes first; `usual` is what the rules give.
    fn coefficients(
        &self,
        a: &Material,
        b: &Material,
        usual: Coefficients,
    ) -> Result<Coefficients, String>;
}

impl Coefficients {
    /// Whether they can be those of a contact.
    pub(crate) fn check(&self) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(format!("restitution must be from 0 to 1, it is {}", self.restitution));
        }
        let others = [
            ("friction", self.friction),
            ("static friction", self.static_friction),
            ("rolling", self.rolling),
            ("spinning", self.spinning),
        ];
        match others.into_iter().find(|(_, x)| !(*x >= 0.0 && x.is_finite())) {
            Some((what, x)) => Err(format!("{what} must be zero or more, it is {x}")),
            None => Ok(()),
        }
    }
}
