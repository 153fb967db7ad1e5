//! Columns as a NumPy archive (`.npz`): a zip file without compression that holds one `.npy` array
//! per quantity.
//!
//! Components are put together: `arm.position` is an array of three columns. `columns` and `units`
//! list what there is.

use super::data::{COMPONENTS, Data};
use std::io::{self, Write};

/// Zip files without the 64-bit extension end here.
const MAX_BYTES: u64 = u32::MAX as u64;

/// Writes all columns.
pub fn write_npz(data: &Data, out: impl Write) -> io::Result<()> {
    let mut zip = Zip { out, at: 0, entries: Vec::new() };
    for (name, columns) in groups(data) {
        let rows = data.rows();
        let shape = if columns.len() == 1 {
            format!("({rows},)")
        } else {
            format!("({rows}, {})", columns.len())
        };
        let mut array = npy("<f8", &shape);
        for row in 0..rows {
            for &c in &columns {
                array.extend(data.values[c][row].to_le_bytes());
            }
        }
        zip.entry(&format!("{name}.npy"), &array)?;
    }
    zip.entry("columns.npy", &texts(data.columns.iter().map(|c| c.name.as_str())))?;
    zip.entry("units.npy", &texts(data.columns.iter().map(|c| &*c.unit)))?;
    zip.finish()
}

/// Columns that are components of one quantity, in their order.
fn groups(data: &Data) -> Vec<(String, Vec<usize>)> {
    let mut out: Vec<(String, Vec<usize>)> = Vec::new();
    for (k, column) in data.columns.iter().enumerate() {
        let stem =
            COMPONENTS.iter().find_map(|c| column.name.strip_suffix(c)).unwrap_or(&column.name);
        match out.last_mut() {
            Some((name, columns)) if name == stem => columns.push(k),
            _ => out.push((stem.to_owned(), vec![k])),
        }
    }
    // A quantity that comes twice keeps its full names, or the second would hide the first.
    let names: Vec<String> = out.iter().map(|g| g.0.clone()).collect();
    for (k, (name, columns)) in out.iter_mut().enumerate() {
        if names[..k].contains(name) {
            *name = format!("{name} ({})", columns[0]);
        }
    }
    out
}

/// The head of an array: magic, version, and a text whose end is aligned to 64 bytes.
fn npy(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let fill = 63 - (10 + text.len()) % 64;
    text.extend(std::iter::repeat_n(' ', fill));
    text.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((text.len() as u16).to_le_bytes());
    out.extend(text.into_bytes());
    out
}

/// An array of texts, in four bytes a character.
fn texts<'a>(items: impl Iterator<Item = &'a str> + Clone) -> Vec<u8> {
    let width = items.clone().map(|t| t.chars().count()).max().unwrap_or(0).max(1);
    let mut out = npy(&format!("<U{width}"), &format!("({},)", items.clone().count()));
    for item in items {
        let padded = item.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
        padded.for_each(|c| out.extend(c.to_le_bytes()));
    }
    out
}

/// A zip file with stored entries (PKWARE APPNOTE 4.3).
struct Zip<W> {
    out: W,
    at: u64,
    /// Name, checksum, size, place.
    entries: Vec<(String, u32, u32, u32)>,
}

impl<W: Write> Zip<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        if self.at > MAX_BYTES {
            return Err(io::Error::other("more than 4 GB; choose fewer columns with --quantity"));
        }
        self.out.write_all(bytes)
    }

    /// What a local head and the directory have in common: version 2.0, names in UTF-8, stored, 1
    /// January 1980.
    fn common(crc: u32, size: u32, name: &str) -> Vec<u8> {
        let mut head = Vec::new();
        for half in [20_u16, 0x0800, 0, 0, 0x21] {
            head.extend(half.to_le_bytes());
        }
        for word in [crc, size, size] {
            head.extend(word.to_le_bytes());
        }
        head.extend((name.len() as u16).to_le_bytes());
        head.extend(0_u16.to_le_bytes());
        head
    }

    fn entry(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (crc, at) = (crc32(bytes), self.at);
        let size = u32::try_from(bytes.len())
            .map_err(|_| io::Error::other("a column has more than 4 GB"))?;
        self.put(b"PK\x03\x04")?;
        self.put(&Self::common(crc, size, name))?;
        self.put(name.as_bytes())?;
        self.put(bytes)?;
        self.entries.push((name.to_owned(), crc, size, at as u32));
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        let start = self.at;
        let entries = std::mem::take(&mut self.entries);
        for (name, crc, size, at) in &entries {
            self.put(b"PK\x01\x02\x14\x00")?;
            self.put(&Self::common(*crc, *size, name))?;
            // no comment, first disk, no attributes
            self.put(&[0; 10])?;
            self.put(&at.to_le_bytes())?;
            self.put(name.as_bytes())?;
        }
        let size = (self.at - start) as u32;
        let count = u16::try_from(entries.len())
            .map_err(|_| io::Error::other("more than 65535 quantities"))?;
        self.put(b"PK\x05\x06\x00\x00\x00\x00")?;
        self.put(&count.to_le_bytes())?;
        self.put(&count.to_le_bytes())?;
        self.put(&size.to_le_bytes())?;
        self.put(&(start as u32).to_le_bytes())?;
        self.put(&[0; 2])?;
        self.out.flush()
    }
}

/// The checksum of zip files (ISO 3309), four bits at a time.
fn crc32(bytes: &[u8]) -> u32 {
    let mut table = [0_u32; 256];
    for (k, entry) in table.iter_mut().enumerate() {
        *entry =
            (0..8).fold(k as u32, |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 });
    }
    !bytes.iter().fold(!0, |c, b| table[((c ^ u32::from(*b)) & 255) as usize] ^ (c >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Column;

    #[test]
    fn the_checksum_is_the_one_of_the_standard() {
        // check value of CRC-32/ISO-HDLC
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn an_archive_has_one_aligned_array_per_quantity() {
        let column = |name: &str| Column { name: name.into(), unit: "m".into() };
        let columns = vec![
            column("time"),
            column("a.position.x"),
            column("a.position.y"),
            column("a.position.z"),
        ];
        let data = Data {
            columns,
            values: vec![vec![0.0, 1.0], vec![2.0, 3.0], vec![4.0, 5.0], vec![6.0, 7.0]],
        };
        let mut bytes = Vec::new();
        write_npz(&data, &mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("a.position.npy") && text.contains("'shape': (2, 3)"), "{text}");
        assert_eq!(&bytes[bytes.len() - 22..][..4], b"PK\x05\x06");
        assert_eq!(u16::from_le_bytes([bytes[bytes.len() - 12], bytes[bytes.len() - 11]]), 4);
        assert_eq!(npy("<f8", "(2, 3)").len() % 64, 0);
    }
}
