//! Live measurements: quantities by the paths of recordings (`arm.velocity`, `knee.angle`,
//! `energy`), one row per step.

use super::Session;
use crate::protocol::Column;
use kreisel_scene::record::Columns;

/// Rows kept between two frames; a fast simulation then shows every n-th step.
const MOST_ROWS: usize = 64;

/// What is measured for the clients.
#[derive(Default)]
pub struct Samples {
    /// Counts changes of the columns.
    pub revision: u32,
    paths: Vec<String>,
    sets: Vec<Columns>,
    /// Names for the clients.
    pub columns: Vec<Column>,
    rows: Vec<Vec<f64>>,
    seen: u64,
    stride: u64,
}

impl Samples {
    /// Measures these paths from now on; what names nothing (any more) is left out.
    pub fn set(&mut self, session: &Session, paths: Vec<String>) {
        self.paths = paths;
        self.resolve(session);
    }

    /// Finds the paths anew, after an edit.
    pub fn resolve(&mut self, session: &Session) {
        let world = &session.simulation().world;
        self.sets.clear();
        self.columns.clear();
        self.rows.clear();
        for path in &self.paths {
            let Ok(set) = Columns::of_path(world, path) else { continue };
            self.columns.extend(set.columns()[1..].iter().map(|c| Column {
                path: path.clone(),
                name: c.name.clone(),
                unit: c.unit.to_string(),
            }));
            self.sets.push(set);
        }
        self.revision += 1;
        self.stride = 1;
    }

    /// Takes a row after a step.
    pub fn take(&mut self, session: &Session) {
        if self.sets.is_empty() {
            return;
        }
        self.seen += 1;
        if !self.seen.is_multiple_of(self.stride.max(1)) {
            return;
        }
        if self.rows.len() >= MOST_ROWS {
            // Every other row, and from now on half as many.
            let mut keep = false;
            self.rows.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride *= 2;
        }
        let world = &session.simulation().world;
        let mut row = vec![world.time()];
        for set in &self.sets {
            row.extend_from_slice(&set.row(world, session.report())[1..]);
        }
        self.rows.push(row);
    }

    /// Gives the rows since the last frame: revision, then row by row.
    pub fn drain(&mut self) -> Vec<f64> {
        self.stride = (self.stride / 2).max(1);
        if self.rows.is_empty() {
            return Vec::new();
        }
        let mut out = vec![f64::from(self.revision)];
        out.extend(self.rows.drain(..).flatten());
        out
    }
}
