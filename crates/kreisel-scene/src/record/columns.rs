//! The columns of a recording.

use super::path::{self, PathError};
use super::quantity::{Moment, Quantity, Step};
use crate::scene::{Record, Scene, Wanted};
use kreisel_dynamics::{StepReport, World};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Bodies up to which all positions are recorded by default.
const FEW_BODIES: usize = 20;

/// A column: its name and unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name, such as `arm.position.x`.
    pub name: String,
    /// Unit, such as `m`; empty for plain numbers.
    pub unit: Cow<'static, str>,
}

impl Column {
    /// Name with unit, as in the header of a file.
    pub fn header(&self) -> String {
        if self.unit.is_empty() {
            self.name.clone()
        } else {
            format!("{} [{}]", self.name, self.unit)
        }
    }

    /// The column of a header such as `arm.position.x [m]`.
    pub fn from_header(header: &str) -> Self {
        match header.trim().strip_suffix(']').and_then(|h| h.rsplit_once(" [")) {
            Some((name, unit)) => Self { name: name.into(), unit: Cow::Owned(unit.into()) },
            None => Self { name: header.trim().into(), unit: Cow::Borrowed("") },
        }
    }
}

/// What is recorded: the first column is always the time.
#[derive(Clone, Debug)]
pub struct Columns {
    columns: Vec<Column>,
    quantities: Vec<Quantity>,
    /// Whether most joints are measured.
    all_joints: bool,
}

impl Columns {
    /// The quantities that a scene asks for, or the usual ones.
    pub fn of(scene: &Scene) -> Result<Self, PathError> {
        let mut out = Self::time();
        if scene.record.quantities.is_empty() {
            out.usual(&scene.world)?;
        }
        for wanted in &scene.record.quantities {
            match wanted {
                Wanted::Path(path, _) => out.add_path(&scene.world, path)?,
                Wanted::Point { name, body, point } => {
                    out.add(name, None, Quantity::Point(*body, *point))
                }
            }
        }
        Ok(out)
    }

    /// Everything that can be measured, and the points that the scene names: what a full recording
    /// holds.
    pub fn everything(scene: &Scene) -> Result<Self, PathError> {
        let mut out = Self { all_joints: true, ..Self::time() };
        for path in ["energy", "ledger", "report"] {
            out.add_path(&scene.world, path)?;
        }
        for what in path::quantities() {
            // Items that do not have this quantity are no error here.
            for (name, unit, quantity) in
                path::resolve(&scene.world, &format!("*.{what}")).unwrap_or_default()
            {
                out.add(&name, unit, quantity);
            }
        }
        for wanted in &scene.record.quantities {
            if let Wanted::Point { name, body, point } = wanted {
                out.add(name, None, Quantity::Point(*body, *point));
            }
        }
        Ok(out)
    }

    /// The quantities of one path.
    pub fn of_path(world: &World, path: &str) -> Result<Self, PathError> {
        let mut out = Self::time();
        out.add_path(world, path)?;
        Ok(out)
    }

    /// No quantities yet: the time alone.
    pub fn time() -> Self {
        Self {
            columns: vec![Column { name: "time".into(), unit: "s".into() }],
            quantities: Vec::new(),
            all_joints: false,
        }
    }

    /// Energies, exactness, and for small scenes where everything is.
    fn usual(&mut self, world: &World) -> Result<(), PathError> {
        for path in [
            "energy",
            "ledger.residual",
            "report.joint_error",
            "report.joint_misalignment",
            "report.rounds",
        ] {
            self.add_path(world, path)?;
        }
        if world.bodies().count() > FEW_BODIES {
            return Ok(());
        }
        for what in ["position", "rotation", "velocity"] {
            // A world without bodies has none of these; that is no error.
            for (name, unit, quantity) in
                path::resolve(world, &format!("*.{what}")).unwrap_or_default()
            {
                if matches!(
                    quantity,
                    Quantity::Position(_) | Quantity::Rotation(_) | Quantity::Velocity(_)
                ) {
                    self.add(&name, unit, quantity);
                }
            }
        }
        for what in ["angle", "position"] {
            for (name, unit, quantity) in
                path::resolve(world, &format!("*.{what}")).unwrap_or_default()
            {
                if matches!(quantity, Quantity::Coordinate(..)) {
                    self.add(&name, unit, quantity);
                }
            }
        }
        // sensors are there to be read
        if world.sensors().next().is_some() {
            self.add_path(world, "*.value")?;
        }
        Ok(())
    }

    /// Adds the quantities of a path.
    pub fn add_path(&mut self, world: &World, path: &str) -> Result<(), PathError> {
        for (name, unit, quantity) in path::resolve(world, path)? {
            self.add(&name, unit, quantity);
        }
        Ok(())
    }

    fn add(&mut self, name: &str, unit: Option<&'static str>, quantity: Quantity) {
        for (suffix, own) in quantity.columns() {
            self.columns
                .push(Column { name: format!("{name}{suffix}"), unit: unit.unwrap_or(own).into() });
        }
        self.quantities.push(quantity);
    }

    /// The columns, time first.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// One row of values, in the order of the columns; NaN stands for what does not exist.
    pub fn row(&self, world: &World, report: &StepReport) -> Vec<f64> {
        let mut row = Vec::with_capacity(self.columns.len());
        self.measure(world, report, &mut row);
        row
    }

    /// Appends one row to `out`.
    pub fn measure(&self, world: &World, report: &StepReport, out: &mut Vec<f64>) {
        let mut moment = Moment::new(world, report);
        if self.all_joints {
            moment = moment.with_all_joints();
        }
        out.push(world.time());
        for quantity in &self.quantities {
            quantity.measure(&mut moment, out);
        }
    }

    /// Appends the part of a row that cannot wait, after a step.
    pub(super) fn measure_now(&self, world: &World, report: &StepReport, out: &mut Vec<f64>) {
        let mut moment = Moment::new(world, report);
        for quantity in self.quantities.iter().filter(|q| !q.can_wait()) {
            quantity.measure(&mut moment, out);
        }
    }

    /// Appends a whole row, from a clone that shows the world's poses, what was taken out of the
    /// step, and the part that [`Columns::measure_now`] gave. Gives what is left of `now`.
    pub(super) fn complete<'a>(
        &self,
        clone: &World,
        step: &Step,
        mut now: &'a [f64],
        out: &mut Vec<f64>,
    ) -> &'a [f64] {
        let mut moment = Moment::later(clone, step);
        if self.all_joints {
            moment = moment.with_all_joints();
        }
        out.push(clone.time());
        for quantity in &self.quantities {
            if quantity.can_wait() {
                quantity.measure(&mut moment, out);
            } else {
                let (own, rest) = now.split_at(quantity.columns().len());
                out.extend_from_slice(own);
                now = rest;
            }
        }
        now
    }
}

impl Record {
    /// Steps of the given size from one recorded row to the next.
    pub fn stride(&self, step: f64) -> u64 {
        self.every.map_or(1, |every| (every / step).round().max(1.0) as u64)
    }
}
