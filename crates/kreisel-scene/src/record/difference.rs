//! How two recordings differ: the first time, the quantity, and the largest differences.

use super::data::Data;
use std::collections::BTreeMap;

/// How one column differs.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDifference {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// First row of both in which it differs, as (row of a, row of b, time in s).
    pub first: (usize, usize, f64),
    /// Values in that row.
    pub values: (f64, f64),
    /// Largest difference.
    pub largest: f64,
    /// When it is largest, s.
    pub at: f64,
}

/// How two recordings differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Columns that differ by more than the tolerance, the earliest first.
    pub columns: Vec<ColumnDifference>,
    /// Columns of `a` that `b` lacks.
    pub only_a: Vec<String>,
    /// Columns of `b` that `a` lacks.
    pub only_b: Vec<String>,
    /// Rows of `a` and `b`.
    pub rows: (usize, usize),
    /// Rows at the same time.
    pub common: usize,
}

/// Compares two recordings at the times that both have. Values that differ by up to `tolerance`
/// count as equal; with 0 every bit counts, but for wall times, which never agree.
pub fn difference(a: &Data, b: &Data, tolerance: f64) -> Difference {
    let names = |d: &Data| d.columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    let (names_a, names_b) = (names(a), names(b));
    let places =
        |names: &[String]| names.iter().cloned().zip(0..).collect::<BTreeMap<String, usize>>();
    let (in_a, in_b) = (places(&names_a), places(&names_b));
    let pairs =
        common_rows(a.values.first().map_or(&[], |v| v), b.values.first().map_or(&[], |v| v));
    let mut out = Difference {
        only_a: names_a.iter().filter(|n| !in_b.contains_key(*n)).cloned().collect(),
        only_b: names_b.iter().filter(|n| !in_a.contains_key(*n)).cloned().collect(),
        rows: (a.rows(), b.rows()),
        common: pairs.len(),
        columns: Vec::new(),
    };
    for (ka, name) in names_a.iter().enumerate() {
        let Some(&kb) = in_b.get(name) else { continue };
        if name.contains(".time_") {
            continue;
        }
        let mut found: Option<ColumnDifference> = None;
        for &(ra, rb) in &pairs {
            let (x, y, time) = (a.values[ka][ra], b.values[kb][rb], a.values[0][ra]);
            let same = x.to_bits() == y.to_bits()
                || x == y
                || (x - y).abs() <= tolerance
                || x.is_nan() && y.is_nan();
            if same {
                continue;
            }
            // A value that only one of the two has differs without measure.
            let by = if (x - y).is_nan() { f64::INFINITY } else { (x - y).abs() };
            let entry = found.get_or_insert_with(|| ColumnDifference {
                name: name.clone(),
                unit: a.columns[ka].unit.to_string(),
                first: (ra, rb, time),
                values: (x, y),
                largest: by,
                at: time,
            });
            if by > entry.largest {
                (entry.largest, entry.at) = (by, time);
            }
        }
        out.columns.extend(found);
    }
    out.columns.sort_by_key(|c| c.first.0);
    out
}

/// Rows at the same time, up to rounding.
fn common_rows(a: &[f64], b: &[f64]) -> Vec<(usize, usize)> {
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        let room = 1e-9 * (1.0 + a[i].abs());
        if (a[i] - b[j]).abs() <= room {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if a[i] < b[j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}
