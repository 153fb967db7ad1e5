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
//! | `JOINT.angle_effort`, `.position_effort`, `.length_effort` | effort of its spring, damper and rotor |
//! | `MOTOR.effort` | torque or force of a motor |
//!
//! `*` in a name stands for any text: `link *.position`.

mod columns;
mod create;
mod csv_file;
mod data;
mod difference;
mod encode;
mod exporter;
mod format;
mod input;
mod npz;
mod path;
mod property;
mod quantity;
mod recorder;
mod recording;
mod replay;
mod writer;

pub use columns::{Column, Columns};
pub use create::create;
pub use csv_file::CsvFile;
pub use data::Data;
pub use difference::{ColumnDifference, Difference, difference};
pub use exporter::{Exporter, add_exporter, exporter, exporters, remove_exporter};
pub use format::{Changes, EventRecord, Header, VERSION};
pub use input::{Input, InputError};
pub use npz::write_npz;
pub use path::{PathError, matches};
pub use recorder::Recorder;
pub use recording::{Damage, End, Recording, RecordingError};
pub use replay::{Replay, ReplayError, replay};
