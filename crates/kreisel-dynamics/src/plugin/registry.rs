//! Laws by their names: what the program has registered, and nothing else.

use super::{ConstraintLaw, ContactLaw, ForceLaw, SensorLaw};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// What a law is called, and which numbers it takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// Its name in scenes.
    pub name: String,
    /// What it does, in one line.
    pub doc: String,
    /// Names and defaults of its parameters; those without a default must be given.
    pub parameters: Vec<(String, Option<f64>)>,
}

impl Declared {
    /// A law without parameters.
    pub fn new(name: impl Into<String>, doc: impl Into<String>) -> Self {
        Self { name: name.into(), doc: doc.into(), parameters: Vec::new() }
    }

    /// With a parameter that need not be given.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, default: f64) -> Self {
        self.parameters.push((name.into(), Some(default)));
        self
    }

    /// With a parameter that must be given.
    #[must_use]
    pub fn required(mut self, name: impl Into<String>) -> Self {
        self.parameters.push((name.into(), None));
        self
    }

    /// All parameters in their order, those that were not given with their defaults.
    fn filled(&self, given: &[(String, f64)]) -> Result<Vec<f64>, PluginError> {
        let known = |name: &str| self.parameters.iter().any(|p| p.0 == name);
        let names = || self.parameters.iter().map(|p| p.0.clone()).collect::<Vec<_>>();
        if let Some((wrong, _)) = given.iter().find(|(n, _)| !known(n)) {
            let (law, wrong) = (self.name.clone(), wrong.clone());
            return Err(PluginError::UnknownParameter { law, wrong, known: names() });
        }
        let value = |(name, default): &(String, Option<f64>)| {
            let own = given.iter().rev().find(|(n, _)| n == name).map(|p| p.1);
            let missing = || PluginError::Missing { law: self.name.clone(), name: name.clone() };
            let value = own.or(*default).ok_or_else(missing)?;
            if value.is_finite() {
                Ok(value)
            } else {
                let (law, name) = (self.name.clone(), name.clone());
                Err(PluginError::NotFinite { law, name })
            }
        };
        self.parameters.iter().map(value).collect()
    }
}

/// Why there is no such law.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PluginError {
    /// Nothing is registered under this name.
    #[error("this program has registered no {kind} \"{name}\"{}", listed(.known))]
    #[allow(missing_docs, reason = "the message describes them")]
    Unknown { kind: &'static str, name: String, known: Vec<String> },
    /// A name is taken.
    #[error("the name \"{0}\" is already registered; unregister it first")]
    Taken(String),
    /// A name that scenes cannot write.
    #[error("a law needs a name")]
    NoName,
    /// It has no such parameter.
    #[error("\"{law}\" has no parameter \"{wrong}\"{}", listed(.known))]
    #[allow(missing_docs, reason = "the message describes them")]
    UnknownParameter { law: String, wrong: String, known: Vec<String> },
    /// A parameter without a default was not given.
    #[error("\"{law}\" needs the parameter \"{name}\"")]
    #[allow(missing_docs, reason = "the message describes them")]
    Missing { law: String, name: String },
    /// A parameter is NaN or infinite.
    #[error("the parameter \"{name}\" of \"{law}\" is not a finite number")]
    #[allow(missing_docs, reason = "the message describes them")]
    NotFinite { law: String, name: String },
    /// The law does not take these parameters, or its rows are wrong.
    #[error("\"{law}\": {words}")]
    #[allow(missing_docs, reason = "the message describes them")]
    Law { law: String, words: String },
}

fn listed(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("; there is {}", known.join(", ")) }
}

type Make<L> = dyn Fn(&[f64]) -> Result<Arc<L>, String> + Send + Sync;

/// The registered laws of one kind.
pub struct Shelf<L: ?Sized>(RwLock<BTreeMap<String, (Declared, Arc<Make<L>>)>>);

impl<L: Law + ?Sized> Shelf<L> {
    const fn new() -> Self {
        Self(RwLock::new(BTreeMap::new()))
    }

    /// Makes a law with these parameters.
    pub(super) fn make(&self, name: &str, given: &[(String, f64)]) -> Result<Arc<L>, PluginError> {
        let found = {
            let shelf = self.0.read().unwrap_or_else(PoisonError::into_inner);
            let known = || shelf.keys().cloned().collect();
            shelf.get(name).cloned().ok_or_else(|| PluginError::Unknown {
                kind: L::KIND,
                name: name.to_owned(),
                known: known(),
            })
        };
        // the shelf is free again: who makes a law may register others
        let (declared, make) = found?;
        make(&declared.filled(given)?)
            .map_err(|words| PluginError::Law { law: name.to_owned(), words })
    }
}

/// A kind of law.
pub trait Law: Send + Sync + 'static {
    /// What messages call it.
    const KIND: &'static str;

    /// Where those of this kind are registered.
    #[doc(hidden)]
    fn shelf() -> &'static Shelf<Self>;
}

macro_rules! kinds {
    ($($Law:ident $kind:literal)*) => { $(
        impl Law for dyn $Law {
            const KIND: &'static str = $kind;
            fn shelf() -> &'static Shelf<Self> {
                static SHELF: Shelf<dyn $Law> = Shelf::new();
                &SHELF
            }
        }
    )* };
}
kinds! {
    ForceLaw "force element"
    ConstraintLaw "constraint"
    SensorLaw "sensor"
    ContactLaw "contact law"
}

/// Registers a law for all worlds of this program: `make` gets the declared parameters in their
/// order and gives the law, or says in words what is wrong with them.
///
/// ```
/// use kreisel_dynamics::plugin::{Declared, ForceLaw, PluginState, register};
/// use kreisel_dynamics::{Body, Connector, Controller, ControllerKind, Vec3, World};
/// use std::sync::Arc;
///
/// /// A wind that blows along x: F = c (u − v).
/// struct Wind([f64; 2]);
/// impl ForceLaw for Wind {
///     fn forces(&self, now: &PluginState<'_>, out: &mut [Vec3]) -> Result<(), String> {
///         let [c, u] = self.0;
///         for (point, force) in now.points.iter().zip(out) {
///             *force = (Vec3::new(u, 0.0, 0.0) - point.velocity) * c;
///         }
///         Ok(())
///     }
/// }
/// let wind = Declared::new("wind", "a wind along x").required("drag").parameter("speed", 1.0);
/// register::<dyn ForceLaw>(wind, |p| Ok(Arc::new(Wind([p[0], p[1]]))))?;
///
/// let mut world = World::new();
/// world.set_gravity(Vec3::ZERO)?;
/// let body = world.add_body(Body::point(1.0))?;
/// let plugin = kreisel_dynamics::plugin::Plugin::named("wind", &[("drag", 0.5)]);
/// let point = Connector::body(body, Vec3::ZERO);
/// world.add_controller(Controller::new(ControllerKind::Plugin(plugin), vec![point]))?;
/// for _ in 0..100 {
///     world.step(0.01);
/// }
/// // v = u (1 − e^(−c t))
/// let speed = world.velocity(body).unwrap_or_default().x;
/// assert!((speed - (1.0 - (-0.5_f64).exp())).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn register<L: Law + ?Sized>(
    declared: Declared,
    make: impl Fn(&[f64]) -> Result<Arc<L>, String> + Send + Sync + 'static,
) -> Result<(), PluginError> {
    if declared.name.is_empty() {
        return Err(PluginError::NoName);
    }
    let mut shelf = L::shelf().0.write().unwrap_or_else(PoisonError::into_inner);
    if shelf.contains_key(&declared.name) {
        return Err(PluginError::Taken(declared.name));
    }
    shelf.insert(declared.name.clone(), (declared, Arc::new(make)));
    Ok(())
}

/// Forgets a law; worlds that use it go on with it. False where there is none of this name.
pub fn unregister<L: Law + ?Sized>(name: &str) -> bool {
    L::shelf().0.write().unwrap_or_else(PoisonError::into_inner).remove(name).is_some()
}

/// All registered laws of a kind, in the order of their names.
pub fn declared<L: Law + ?Sized>() -> Vec<Declared> {
    let shelf = L::shelf().0.read().unwrap_or_else(PoisonError::into_inner);
    shelf.values().map(|(d, _)| d.clone()).collect()
}
