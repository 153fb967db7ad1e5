//! Formats of recordings that are written outside: by the ending of their files.

use super::Data;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, PoisonError, RwLock};

/// Endings that the program writes itself.
const OWN: [&str; 6] = ["csv", "npz", "json", "kreisel", "toml", "parquet"];

/// Writes the columns of a recording.
pub trait Exporter: Send + Sync + 'static {
    /// Writes all columns; the first one is the time.
    fn write(&self, data: &Data, out: &mut dyn Write) -> io::Result<()>;
}

static EXPORTERS: RwLock<BTreeMap<String, Arc<dyn Exporter>>> = RwLock::new(BTreeMap::new());

/// Registers an exporter for files with this ending, without its point: `kreisel convert` writes
/// them from then on.
pub fn add_exporter(ending: &str, exporter: Arc<dyn Exporter>) -> Result<(), String> {
    let plain =
        !ending.is_empty() && ending.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !plain {
        return Err(format!("\"{ending}\" is no ending: lower-case letters and digits, no point"));
    }
    if OWN.contains(&ending) {
        return Err(format!(".{ending} is written by the program itself"));
    }
    let mut all = EXPORTERS.write().unwrap_or_else(PoisonError::into_inner);
    if all.contains_key(ending) {
        return Err(format!("there is an exporter for .{ending} already"));
    }
    all.insert(ending.to_owned(), exporter);
    Ok(())
}

/// Forgets an exporter; false where there is none.
pub fn remove_exporter(ending: &str) -> bool {
    EXPORTERS.write().unwrap_or_else(PoisonError::into_inner).remove(ending).is_some()
}

/// The exporter of an ending.
pub fn exporter(ending: &str) -> Option<Arc<dyn Exporter>> {
    EXPORTERS.read().unwrap_or_else(PoisonError::into_inner).get(ending).cloned()
}

/// The endings of all exporters.
pub fn exporters() -> Vec<String> {
    EXPORTERS.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
}
