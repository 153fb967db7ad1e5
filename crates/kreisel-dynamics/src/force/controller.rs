//! Controllers: forces at connectors that depend on the state (Wagner 6.2.4.1; W-54 to W-58).
//!
//! Forces of controllers enter before the multipliers, so that constraints hold whatever they do.
//! The printed formulas of the spring and of the PID controller are wrong; these are the corrected
//! ones (docs/sources.md).

use crate::arena::id;
use crate::connector::Connector;
use crate::math::Vec3;
use crate::plugin::{ForceLaw, Plugin};

id! {
    /// Names a controller of a [`World`](crate::World).
    ControllerId
}

/// What a controller does.
#[derive(Clone, Debug, PartialEq)]
pub enum ControllerKind {
    /// A constant force (N, world coordinates) at the first connector.
    Vector(Vec3),
    /// A damped spring between two connectors: F₁ = [k(ℓ − d) + b ℓ'] r̂ along r = P₂ − P₁, F₂ =
    /// −F₁.
    Spring {
        /// k, N/m.
        stiffness: f64,
        /// b, N s/m.
        damping: f64,
        /// d, m; `None` takes the present distance.
        length: Option<f64>,
    },
    /// Draws the second connector's body after the first connector: F = αm(P₁ − P₂) − β√(2α) m P₂',
    /// without reaction. Damping ratio β/√2; behind a target of speed u it lags by βu√(2/α).
    Trajectory {
        /// α, 1/s².
        alpha: f64,
        /// β.
        beta: f64,
    },
    /// PD or PID control of the first connector towards the second: F = K_x e + K_v e' + K_i ∫e dt
    /// with e = P₂ − P₁, and the opposite force on the second connector's body.
    Pid {
        /// K_x, N/m.
        position: f64,
        /// K_v, N s/m.
        velocity: f64,
        /// K_i, N/(m s).
        integral: f64,
    },
    /// Pushes the first connector's body along a direction that is fixed to it. The thrust follows
    /// what is asked for with a lag of first order, f' = (F − f)/τ, from 0 on; outside of the
    /// controller's time 0 is asked for.
    Thruster {
        /// F, N.
        thrust: f64,
        /// In the body's frame; its length does not matter.
        direction: Vec3,
        /// τ, s; 0 is no lag.
        lag: f64,
        /// Torque for a unit of the thrust in the body's frame, N m/N: that of a propeller.
        torque: Vec3,
    },
    /// Drag of a fluid on the body of its connector, as on the box that has its mass and its
    /// moments of inertia: −½ ρ s_j s_k |v_i| v_i and −ρ s_i (s_j⁴ + s_k⁴)/64 |ω_i| ω_i along its
    /// edges s; −3π m µ v and −π m³ µ ω with their mean m (MuJoCo's manual, "Inertia model").
    Drag {
        /// ρ, kg/m³.
        density: f64,
        /// µ, Pa s.
        viscosity: f64,
        /// Velocity of the fluid, m/s.
        wind: Vec3,
    },
    /// A law that is written outside, on as many connectors as it takes.
    Plugin(Plugin<dyn ForceLaw>),
}

impl ControllerKind {
    /// Whether it acts on a single connector.
    pub(crate) const fn is_single(&self) -> bool {
        matches!(self, Self::Vector(_) | Self::Thruster { .. } | Self::Drag { .. })
    }

    /// Thrust after `span` seconds in which `asked` is asked for, from `now` on.
    pub(crate) fn lagged(asked: f64, now: f64, lag: f64, span: f64) -> f64 {
        if lag > 0.0 { asked + (now - asked) * crate::math::fun::exp(-span / lag) } else { asked }
    }

    /// Its mean over these seconds.
    pub(crate) fn lagged_mean(asked: f64, now: f64, lag: f64, span: f64) -> f64 {
        let x = span / lag;
        if x > 0.0 && x.is_finite() { asked - (now - asked) * libm::expm1(-x) / x } else { asked }
    }

    /// Name as in scene files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Vector(_) => "vector",
            Self::Spring { .. } => "spring",
            Self::Trajectory { .. } => "trajectory",
            Self::Pid { .. } => "pid",
            Self::Thruster { .. } => "thruster",
            Self::Plugin(_) => "plugin",
            Self::Drag { .. } => "drag",
        }
    }
}

/// A controller, ready to be added with [`World::add_controller`](crate::World::add_controller).
#[derive(Clone, Debug, PartialEq)]
pub struct Controller {
    /// Unique name; empty means "controller N".
    pub name: String,
    /// What it does.
    pub kind: ControllerKind,
    /// What it acts on.
    pub connectors: Vec<Connector>,
    /// A switched-off controller does nothing.
    pub active: bool,
    /// Acts from this time on, s.
    pub from: f64,
    /// Acts until this time, s; may be +∞.
    pub until: f64,
}

impl Controller {
    /// A controller that is always on. Only a vector force starts switched off, as in the thesis
    /// (W-55).
    pub fn new(kind: ControllerKind, connectors: Vec<Connector>) -> Self {
        let active = !matches!(kind, ControllerKind::Vector(_));
        Self {
            name: String::new(),
            kind,
            connectors,
            active,
            from: f64::NEG_INFINITY,
            until: f64::INFINITY,
        }
    }

    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Switches it on.
    pub fn active(mut self) -> Self {
        self.active = true;
        self
    }

    /// Numbers that must be finite, with their names.
    pub(crate) fn numbers(&self) -> Vec<(&'static str, f64)> {
        match &self.kind {
            ControllerKind::Plugin(_) => Vec::new(),
            ControllerKind::Vector(f) => vec![("force", f.x), ("force", f.y), ("force", f.z)],
            ControllerKind::Spring { stiffness, damping, length } => {
                vec![
                    ("stiffness", *stiffness),
                    ("damping", *damping),
                    ("length", length.unwrap_or(0.0)),
                ]
            }
            ControllerKind::Drag { density, viscosity, wind } => vec![
                ("density", *density),
                ("viscosity", *viscosity),
                ("wind", wind.x),
                ("wind", wind.y),
                ("wind", wind.z),
            ],
            ControllerKind::Thruster { thrust, direction: d, lag, torque: n } => {
                vec![
                    ("thrust", *thrust),
                    ("lag", *lag),
                    ("direction", d.x),
                    ("direction", d.y),
                    ("direction", d.z),
                    ("torque", n.x),
                    ("torque", n.y),
                    ("torque", n.z),
                ]
            }
            ControllerKind::Trajectory { alpha, beta } => vec![("alpha", *alpha), ("beta", *beta)],
            ControllerKind::Pid { position, velocity, integral } => {
                vec![
                    ("position gain", *position),
                    ("velocity gain", *velocity),
                    ("integral gain", *integral),
                ]
            }
        }
    }
}
