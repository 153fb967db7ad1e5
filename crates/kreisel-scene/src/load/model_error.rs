//! What the engine refuses, shown at the key that caused it.

use crate::problem::Code;
use crate::read::{Fields, Reader};
use kreisel_dynamics::{MassError, ModelError};

impl Reader {
    /// Notes the engine's refusal of an item at the key that it is about.
    pub fn model_error(&mut self, fields: &Fields<'_>, error: &ModelError) {
        let (keys, label, help): (&[&str], &str, Option<&str>) = match error {
            ModelError::Mass { source, .. } => match source {
                MassError::Mass(_) => (&["mass", "density"], "must be positive", None),
                MassError::Triangle(..) | MassError::Moment(_) => (
                    &["inertia"],
                    "no body has this inertia",
                    Some("leave `inertia` out to take the shape's own"),
                ),
                MassError::NotFinite(_) => (&["inertia", "mass", "center"], "not finite", None),
            },
            ModelError::Shape { .. } => (&["shape", "half_space"], "not possible", None),
            ModelError::ZeroAxis { field, .. } => (
                if *field == "axis2" { &["axis2"] } else { &["axis", "along", "on"] },
                "no direction",
                None,
            ),
            ModelError::ParallelAxes { .. } => (
                &["axis2", "axis"],
                "parallel to the other axis",
                Some("the two axes of a cross lie across each other"),
            ),
            ModelError::BadAxis { .. } => (
                &["connectors"],
                "these do not make an axis",
                Some("an axis is two points of one body, or two fixed points"),
            ),
            ModelError::SameBody { .. } => {
                (&["bodies", "connectors", "points", "on", "corners"], "twice the same body", None)
            }
            ModelError::NothingMoves { .. } => (
                &["bodies", "connectors", "points", "on", "corners"],
                "neither can move",
                Some("one of the two must be a dynamic body"),
            ),
            ModelError::Outline(_) => (&["corners", "at"], "no such outline", None),
            ModelError::NoCoordinate { .. } => (
                &["limits", "friction", "stiffness", "damping", "armature", "coordinate"],
                "no such coordinate",
                None,
            ),
            ModelError::Passive { .. } => (&["stiffness", "damping", "armature"], "not here", None),
            ModelError::OutOfRange { field, .. } | ModelError::NotFinite { field, .. } => {
                (keys_of(field), "not possible", None)
            }
            ModelError::EventMode(_) => (
                &["bodies", "name"],
                "not in this mode",
                Some("leave out `mode = \"event\"` of [contact]"),
            ),
            ModelError::EventTorus(_) => (
                &["shape", "mode"],
                "not in this mode",
                Some("leave out `mode = \"event\"` of [contact]"),
            ),
            ModelError::ImpactLaw(_) => (
                &["law", "time", "mode", "method"],
                "not in fast time",
                Some(
                    "write `time = \"exact\"` (and no `method = \"lagrange\"`), or leave `law` out",
                ),
            ),
            _ => (&["name"], "refused", None),
        };
        let key = keys.iter().find(|k| fields.has(k)).copied().unwrap_or_default();
        let span = fields.place(key).clone();
        self.error(Code::Model, &span, error.to_string(), label).help_if(help.map(str::to_owned));
    }
}

/// The keys that a field of the engine can come from.
fn keys_of(field: &str) -> &'static [&'static str] {
    match field {
        "position" => &["position", "state", "connectors"],
        "mass" => &["mass", "density", "shape"],
        "inertia" => &["inertia", "shape"],
        "centre of mass" => &["center", "shape"],
        "time" => &["time"],
        "step" => &["step", "rate"],
        "rotation" => &["rotation"],
        "velocity" => &["velocity", "state", "connectors"],
        "angular velocity" => &["angular_velocity", "state"],
        "anchor" => &["at"],
        "length" => &["length", "on", "at", "points"],
        "lower limit" | "upper limit" | "restitution" => &["limits", "restitution", "on"],
        "friction" => &["friction"],
        "restitution of the material" => &["restitution", "ground", "pair"],
        "friction of the material" => {
            &["friction", "static_friction", "rolling", "spinning", "ground", "pair"]
        }
        "one-way direction" => &["one_way"],
        "contact tolerance" => &["tolerance"],
        "touch" => &["touch"],
        "push speed" => &["push_speed"],
        "overlap" => &["overlap"],
        "contact sweeps" => &["max_sweeps"],
        "velocity sweeps" => &["velocity_sweeps"],
        "event limit" => &["max_events"],
        "breaking force" | "breaking torque" => &["breaking"],
        "stiffness" => &["stiffness"],
        "damping" => &["damping"],
        "rest" => &["rest"],
        "armature" => &["armature"],
        "gear" => &["gear"],
        "largest effort" | "max effort" => &["max_effort"],
        "schedule" | "schedule time" => {
            &["effort", "velocity", "servo", "electric", "muscle", "hydraulic", "brake"]
        }
        "gain" | "integral time" | "derivative time" => &["servo"],
        "optimal length" | "fastest" | "slack" | "arm" | "passive force" | "activation"
        | "deactivation" | "shortest" | "longest" | "eccentric" => &["muscle"],
        "area" | "rod area" | "pressure" | "flow" => &["hydraulic"],
        "brake" => &["brake"],
        "lag" => &["lag"],
        "wrap" | "wrap radius" | "wrap axis" => &["wraps"],
        "weights" => &["weights"],
        "position tolerance"
        | "angle tolerance"
        | "velocity tolerance"
        | "angular velocity tolerance" => &["tolerance"],
        "round limit" => &["max_rounds"],
        "relaxation" => &["relaxation"],
        "impulse limit" => &["impulse_limit"],
        "substep target" | "number of substeps" | "error bound" => &["substeps"],
        "order of the Taylor series" | "error bound of the rotation" => &["rotation"],
        "gravity" => &["gravity"],
        "points" => &["points"],
        "alpha" => &["alpha"],
        "gamma" => &["gamma"],
        "velocity rate" => &["velocity_rate"],
        "singular value tolerance" => &["tolerance"],
        "accuracy" => &["accuracy"],
        "least squares damping" => &["damping"],
        "number of connectors" | "second connector" | "connector" | "curve parameter" | "point" => {
            &["connectors"]
        }
        "number of rows" => &["locked"],
        "number of bodies" => &["bodies", "corners"],
        "speed" => &["speed"],
        "threshold" => &["threshold"],
        "factor" => &["factor"],
        "radius" => &["radius"],
        "force" => &["force", "muscle"],
        "strength" => &["strength", "gravity", "center"],
        _ => &[],
    }
}
