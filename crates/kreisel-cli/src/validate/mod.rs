//! Experiments: scenes run to numbers that are known from elsewhere. Each is a scene, a quantity,
//! the expected value, a tolerance and a source; they stand in `validation/*.toml`.
//!
//! A quantity is an expression over what a run records: `max(report.rounds)`,
//! `at(P1.position.x, 1)`,
//! `max(norm(tip.x - ref("double_pendulum.csv", "x2"), tip.y - ref("double_pendulum.csv", "y2")))`.
//! See [`expression`].

mod computed;
mod evaluate;
mod experiment;
mod expression;
mod report;
mod run;
mod series;

pub use experiment::{Experiment, load};
pub use report::{cells, remark, write as write_report};
pub use run::{Outcome, run_all};
