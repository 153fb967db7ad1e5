//! Experiments that are no scenes: computations of the library, by name. A table says
//! `run = { compute = "collision" }` and sets parameters as for a scene; expressions read the
//! figures that come back.

mod collision;
mod geometry;
mod wagner;
mod wagner_runs;
mod wagner_speed;

use std::collections::BTreeMap;

/// Parameters of a computation by name.
#[derive(Clone, Copy)]
pub struct Parameters<'a>(pub &'a BTreeMap<String, f64>);

impl Parameters<'_> {
    /// The parameter, which must be there.
    pub fn get(&self, name: &str) -> Result<f64, String> {
        self.0
            .get(name)
            .copied()
            .ok_or_else(|| format!("the computation needs the parameter \"{name}\""))
    }

    /// The parameter, or what it is without.
    pub fn or(&self, name: &str, without: f64) -> f64 {
        self.0.get(name).copied().unwrap_or(without)
    }
}

/// What a computation gives.
pub type Figures = BTreeMap<&'static str, f64>;

type Computation = fn(Parameters<'_>) -> Result<Figures, String>;

/// All computations by name.
const ALL: &[(&str, Computation)] = &[
    ("collision", collision::collision),
    ("micro-collision", collision::micro),
    ("hull-of-14", geometry::hull_of_14),
    ("time-bound", geometry::time_bound),
    ("lagrange-plane", wagner::plane),
    ("lagrange-residual", wagner::residual),
    ("lagrange-spin", wagner::spin),
    ("lagrange-baraff", wagner::baraff),
    ("lagrange-second-derivative", wagner::second_derivative),
    ("lagrange-singular", wagner::singular),
    ("lagrange-loops", wagner::loops),
    ("lagrange-assembling", wagner_runs::assembling),
    ("lagrange-corners", wagner::corners),
    ("lagrange-real-time", wagner_runs::real_time),
    ("lagrange-meshes", wagner_runs::meshes),
    ("lagrange-modules", wagner_runs::modules),
    ("lagrange-sessions", wagner_runs::sessions),
    ("lagrange-snapshots", wagner_runs::snapshots),
    ("lagrange-growth", wagner_speed::growth),
    ("lagrange-trees", wagner_speed::trees),
];

/// Makes the computation of that name.
pub fn compute(name: &str, set: &BTreeMap<String, f64>) -> Result<Figures, String> {
    let (_, computation) = ALL.iter().find(|(n, _)| *n == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|(n, _)| *n).collect();
        format!("there is no computation \"{name}\"; there are {}", names.join(", "))
    })?;
    computation(Parameters(set))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_computations_and_missing_parameters_are_named() {
        assert!(
            compute("colision", &BTreeMap::new()).unwrap_err().contains("there are collision, ")
        );
        assert!(compute("collision", &BTreeMap::new()).unwrap_err().contains("\"body\""));
    }
}
