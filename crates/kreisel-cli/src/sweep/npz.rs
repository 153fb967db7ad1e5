//! The table of a sweep as NumPy arrays: an archive of one array a column (NumPy's format 1.0,
//! numpy.lib.format).

use super::row::Row;
use super::table::columns;
use std::io::{Cursor, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;

/// An array file: its type and its bytes.
fn array(kind: &str, count: usize, data: &[u8]) -> Vec<u8> {
    let mut head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({count},), }}");
    // the data begin at a multiple of 64 bytes
    while !(10 + head.len() + 1).is_multiple_of(64) {
        head.push(' ');
    }
    head.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((head.len() as u16).to_le_bytes());
    out.extend(head.as_bytes());
    out.extend(data);
    out
}

fn numbers(values: impl Iterator<Item = f64>, count: usize) -> Vec<u8> {
    array("<f8", count, &values.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}

/// Texts of one width, in UTF-32 as NumPy has them.
fn texts<'a>(values: impl Iterator<Item = &'a str> + Clone, count: usize) -> Vec<u8> {
    let width = values.clone().map(|t| t.chars().count()).max().unwrap_or(0).max(1);
    let padded = |t: &'a str| t.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
    let data: Vec<u8> = values.flat_map(padded).flat_map(u32::to_le_bytes).collect();
    array(&format!("<U{width}"), count, &data)
}

/// Writes all rows.
pub fn write(
    path: &Path,
    varied: &[String],
    measures: &[String],
    rows: &[Row],
) -> Result<(), String> {
    let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let count = rows.len();
    for (k, name) in columns(varied, measures).iter().enumerate() {
        let data = match name.as_str() {
            "index" if k == 0 => array(
                "<i8",
                count,
                &rows.iter().flat_map(|r| (r.index as i64).to_le_bytes()).collect::<Vec<u8>>(),
            ),
            _ if k <= varied.len() => numbers(rows.iter().map(|r| r.point[k - 1]), count),
            _ if k <= varied.len() + measures.len() => numbers(
                rows.iter().map(|r| r.values[k - 1 - varied.len()].unwrap_or(f64::NAN)),
                count,
            ),
            "seed" => array(
                "<i8",
                count,
                &rows.iter().flat_map(|r| r.seed.to_le_bytes()).collect::<Vec<u8>>(),
            ),
            "status" => texts(rows.iter().map(|r| r.status.word()), count),
            "error" => texts(rows.iter().map(|r| r.error.as_str()), count),
            "state_hash" => texts(rows.iter().map(|r| r.state_hash.as_str()), count),
            _ => texts(rows.iter().map(|_| env!("CARGO_PKG_VERSION")), count),
        };
        let plain = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        archive.start_file(format!("{name}.npy"), plain).map_err(|e| failed(&e))?;
        archive.write_all(&data).map_err(|e| failed(&e))?;
    }
    let bytes = archive.finish().map_err(|e| failed(&e))?.into_inner();
    std::fs::write(path, bytes).map_err(|e| failed(&e))
}
