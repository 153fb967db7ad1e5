//! Recording: which quantities, their names and units, and their values at any time.
//!
//! | path | columns |
//! |---|---|
//! | `energy` | kinetic, potential, spring and total energy; or one of them: `energy.total` |
//! | `ledger` | work and losses of the step and the residual; or one: `ledger.motors` |
//! | `report` | how exact the step was and what it took; or one: `report.joint_error` |
//! | `BODY.position`, `.rotation`, `.velocity`, `.angular_velocity`, `.center` | three (or four) components |
//! | `JOINT.angle`, `.position`, `.length`, `.swing` | a free coordinate; with `_rate` its rate |
//! | `JOINT.error`, `.force`, `.torque` | gap and misalignment; reaction on the second body |
//! | `MOTOR.effort` | torque or force of a motor |
//!
//! `*` in a name stands for any text: `link *.position`.

mod columns;
mod csv_file;
mod path;
mod quantity;

pub use columns::{Column, Columns};
pub use csv_file::CsvFile;
pub use path::{PathError, matches};
