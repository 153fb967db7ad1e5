//! The table of experiments.

use crate::exit::Failure;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One file of the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Source of all experiments that name none.
    source: Option<String>,
    #[serde(default)]
    experiment: Vec<Experiment>,
}

/// An experiment: one or more runs, and what is expected of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// `source/experiment`.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Where the expected values come from.
    pub source: Option<String>,
    /// Whether it belongs to the quick subset.
    #[serde(default)]
    pub quick: bool,
    /// What all runs have in common.
    #[serde(default)]
    pub run: Setup,
    /// Runs by name, each with what is different about it; without any there is one run.
    #[serde(default)]
    pub runs: BTreeMap<String, Setup>,
    /// Names for expressions.
    #[serde(default)]
    pub define: BTreeMap<String, String>,
    /// Quantities with their expected values.
    #[serde(default)]
    pub check: Vec<Check>,
    /// Expressions drawn in the report.
    #[serde(default)]
    pub plot: Vec<String>,
    /// Logarithmic vertical axis of the plot.
    #[serde(default)]
    pub log: bool,
}

/// A scene and what is changed about it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    pub scene: Option<PathBuf>,
    /// Instead of a scene: a computation of the library, see [`super::computed`].
    pub compute: Option<String>,
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    pub until: Option<f64>,
    pub step: Option<f64>,
    pub method: Option<String>,
    pub order: Option<u32>,
    /// Tolerance of all joints, m, rad and per second.
    pub tolerance: Option<f64>,
    pub velocity_correction: Option<bool>,
    /// Whether the iteration starts from the last step's impulses.
    pub warm_start: Option<bool>,
    /// Always this many substeps.
    pub substeps: Option<u32>,
}

impl Setup {
    /// This setup, with what `own` says instead.
    pub fn with(&self, own: &Self) -> Self {
        let mut set = self.set.clone();
        set.extend(own.set.clone());
        Self {
            scene: own.scene.clone().or_else(|| self.scene.clone()),
            compute: own.compute.clone().or_else(|| self.compute.clone()),
            set,
            until: own.until.or(self.until),
            step: own.step.or(self.step),
            method: own.method.clone().or_else(|| self.method.clone()),
            order: own.order.or(self.order),
            tolerance: own.tolerance.or(self.tolerance),
            velocity_correction: own.velocity_correction.or(self.velocity_correction),
            warm_start: own.warm_start.or(self.warm_start),
            substeps: own.substeps.or(self.substeps),
        }
    }
}

/// How a measured value is compared with the expected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// Within the tolerance.
    #[default]
    Equal,
    /// Not above it by more than the tolerance.
    AtMost,
    /// Not below it by more than the tolerance.
    AtLeast,
}

/// A quantity with its expected value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Last part of the id, where an experiment has several quantities.
    pub part: Option<String>,
    /// The quantity in words.
    pub what: String,
    /// The expression that measures it.
    pub quantity: String,
    pub expected: f64,
    #[serde(default)]
    pub tolerance: f64,
    #[serde(default)]
    pub compare: Compare,
    /// Where the expected value comes from, if not from the experiment's source.
    pub source: Option<String>,
    /// Remark: what is known about a deviation.
    pub note: Option<String>,
    /// The work that will mend it, where it is known to be wrong today. Such a check is counted by
    /// itself; one that passes fails until the mark is taken off.
    pub known_wrong: Option<String>,
}

impl Check {
    /// How much of what is allowed was used: up to 1 passes.
    pub fn used(&self, measured: f64) -> f64 {
        let off = match self.compare {
            Compare::Equal => (measured - self.expected).abs(),
            Compare::AtMost => measured - self.expected,
            Compare::AtLeast => self.expected - measured,
        };
        if measured.is_nan() {
            f64::INFINITY
        } else if self.tolerance > 0.0 {
            (off / self.tolerance).max(0.0)
        } else if off > 0.0 {
            f64::INFINITY
        } else if self.compare == Compare::Equal || self.expected == 0.0 || measured == 0.0 {
            0.0
        } else {
            // Bounds without a tolerance: how near the measured value comes.
            let ratio = if self.compare == Compare::AtMost {
                measured / self.expected
            } else {
                self.expected / measured
            };
            ratio.clamp(0.0, 1.0)
        }
    }
}

/// Reads all tables of a folder, in the order of their names.
pub fn load(folder: &Path) -> Result<Vec<Experiment>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|e| Failure::file(folder, e))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.sort();
    if files.is_empty() {
        return Err(Failure::file(folder, "there is no table of experiments (.toml) in it"));
    }
    let mut out = Vec::new();
    let mut seen = BTreeSet::new();
    for path in files {
        let text = std::fs::read_to_string(&path).map_err(|e| Failure::file(&path, e))?;
        let file: File = toml::from_str(&text).map_err(|e| Failure::file(&path, e))?;
        for mut experiment in file.experiment {
            experiment.source = experiment.source.or_else(|| file.source.clone());
            for check in &experiment.check {
                let id = id(&experiment, check);
                if !seen.insert(id.clone()) {
                    return Err(Failure::file(&path, format!("{id} is there twice")));
                }
            }
            out.push(experiment);
        }
    }
    Ok(out)
}

/// The whole id of a check.
pub fn id(experiment: &Experiment, check: &Check) -> String {
    match &check.part {
        Some(part) => format!("{}/{part}", experiment.id),
        None => experiment.id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_of_a_tolerance_is_one_at_its_edge() {
        let check = |compare, tolerance| Check {
            part: None,
            what: String::new(),
            quantity: String::new(),
            expected: 2.0,
            tolerance,
            compare,
            source: None,
            note: None,
            known_wrong: None,
        };
        assert_eq!(check(Compare::Equal, 0.5).used(2.5), 1.0);
        assert_eq!(check(Compare::Equal, 0.5).used(1.75), 0.5);
        assert_eq!(check(Compare::AtMost, 0.0).used(2.0), 1.0);
        assert_eq!(check(Compare::AtMost, 0.0).used(1.0), 0.5);
        assert!(check(Compare::AtMost, 0.0).used(2.1) > 1.0);
        assert!(check(Compare::AtLeast, 0.0).used(1.9) > 1.0);
        assert_eq!(check(Compare::AtLeast, 0.0).used(4.0), 0.5);
        assert!(check(Compare::Equal, 1.0).used(f64::NAN) > 1.0);
    }
}
