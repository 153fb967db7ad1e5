//! The table of a sweep as Apache Parquet (format 2.9): one row group, one data page a column,
//! plain and uncompressed. Everything that reads Parquet reads it; a format of that size needs no
//! library.
//!
//! ```text
//! file   = "PAR1" page* metadata length (u32) "PAR1"
//! page   = header (Thrift) levels values
//! levels = length (u32), runs of the hybrid encoding, of 1 where a value is there: optional
//!          columns only
//! ```
//!
//! Thrift's compact protocol: a field is one byte of the distance to the last field's number and
//! the type, integers are zigzag varints, texts and lists go after their length.

use super::row::Row;
use super::table::columns;
use std::path::Path;

/// Types of Thrift's compact protocol.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct in Thrift's compact protocol, as it is written.
#[derive(Default)]
struct Thrift {
    out: Vec<u8>,
    last: i16,
}

fn varint(out: &mut Vec<u8>, mut x: u64) {
    while x >= 0x80 {
        out.push((x as u8) | 0x80);
        x >>= 7;
    }
    out.push(x as u8);
}

fn zigzag(x: i64) -> u64 {
    ((x << 1) ^ (x >> 63)) as u64
}

impl Thrift {
    fn field(&mut self, id: i16, kind: u8) {
        self.out.push((((id - self.last) as u8) << 4) | kind);
        self.last = id;
    }

    fn int(mut self, id: i16, kind: u8, x: i64) -> Self {
        self.field(id, kind);
        varint(&mut self.out, zigzag(x));
        self
    }

    fn text(mut self, id: i16, text: &str) -> Self {
        self.field(id, BINARY);
        varint(&mut self.out, text.len() as u64);
        self.out.extend(text.as_bytes());
        self
    }

    fn nested(mut self, id: i16, inner: Self) -> Self {
        self.field(id, STRUCT);
        self.out.extend(inner.end());
        self
    }

    fn list(mut self, id: i16, kind: u8, items: Vec<Vec<u8>>) -> Self {
        self.field(id, LIST);
        let count = items.len();
        if count < 15 {
            self.out.push(((count as u8) << 4) | kind);
        } else {
            self.out.push(0xf0 | kind);
            varint(&mut self.out, count as u64);
        }
        items.into_iter().for_each(|i| self.out.extend(i));
        self
    }

    fn end(mut self) -> Vec<u8> {
        self.out.push(0);
        self.out
    }
}

/// One element of a list.
fn number(x: i64) -> Vec<u8> {
    let mut out = Vec::new();
    varint(&mut out, zigzag(x));
    out
}

fn word(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    varint(&mut out, text.len() as u64);
    out.extend(text.as_bytes());
    out
}

/// Values of a column.
enum Values {
    Integers(Vec<i64>),
    /// Those that do not exist are left out.
    Numbers(Vec<Option<f64>>),
    Texts(Vec<String>),
}

impl Values {
    /// Parquet's number of the type.
    fn kind(&self) -> i64 {
        match self {
            Self::Integers(_) => 2,
            Self::Numbers(_) => 5,
            Self::Texts(_) => 6,
        }
    }

    /// What goes into the page: levels where values may be missing, then the values.
    fn page(&self) -> Vec<u8> {
        match self {
            Self::Integers(all) => all.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::Texts(all) => {
                let one = |t: &String| [&(t.len() as u32).to_le_bytes()[..], t.as_bytes()].concat();
                all.iter().flat_map(one).collect()
            }
            Self::Numbers(all) => {
                // runs of equal levels: their length, shifted by one bit, and the level
                let mut levels = Vec::new();
                for run in all.chunk_by(|a, b| a.is_some() == b.is_some()) {
                    varint(&mut levels, (run.len() as u64) << 1);
                    levels.push(u8::from(run[0].is_some()));
                }
                let mut out = (levels.len() as u32).to_le_bytes().to_vec();
                out.extend(levels);
                out.extend(all.iter().flatten().flat_map(|x| x.to_le_bytes()));
                out
            }
        }
    }

    /// Its entry in the schema.
    fn schema(&self, name: &str) -> Vec<u8> {
        let optional = i64::from(matches!(self, Self::Numbers(_)));
        let entry = Thrift::default().int(1, I32, self.kind()).int(3, I32, optional).text(4, name);
        let entry = match self {
            // texts are UTF-8, said in the old way and in the new one
            Self::Texts(_) => {
                entry.int(6, I32, 0).nested(10, Thrift::default().nested(1, Thrift::default()))
            }
            _ => entry,
        };
        entry.end()
    }
}

/// The file of these columns.
fn file(columns: Vec<(String, Values)>, rows: usize) -> Vec<u8> {
    const PLAIN: i64 = 0;
    const RLE: i64 = 3;
    let mut out = b"PAR1".to_vec();

    // a page a column
    let mut chunks = Vec::new();
    let mut total = 0;
    for (name, values) in &columns {
        let start = out.len();
        let page = values.page();
        let data = Thrift::default()
            .int(1, I32, rows as i64)
            .int(2, I32, PLAIN)
            .int(3, I32, RLE)
            .int(4, I32, RLE);
        let header = Thrift::default()
            .int(1, I32, 0)
            .int(2, I32, page.len() as i64)
            .int(3, I32, page.len() as i64)
            .nested(5, data);
        out.extend(header.end());
        out.extend(page);
        let size = (out.len() - start) as i64;
        total += size;
        let metadata = Thrift::default()
            .int(1, I32, values.kind())
            .list(2, I32, vec![number(PLAIN), number(RLE)])
            .list(3, BINARY, vec![word(name)])
            .int(4, I32, 0)
            .int(5, I64, rows as i64)
            .int(6, I64, size)
            .int(7, I64, size)
            .int(9, I64, start as i64);
        chunks.push(Thrift::default().int(2, I64, start as i64).nested(3, metadata).end());
    }

    // what it holds, and where
    let root = Thrift::default().text(4, "sweep").int(5, I32, columns.len() as i64).end();
    let schema = columns.iter().map(|(name, values)| values.schema(name));
    let group =
        Thrift::default().list(1, STRUCT, chunks).int(2, I64, total).int(3, I64, rows as i64).end();
    let metadata = Thrift::default()
        .int(1, I32, 1)
        .list(2, STRUCT, std::iter::once(root).chain(schema).collect())
        .int(3, I64, rows as i64)
        .list(4, STRUCT, vec![group])
        .text(6, concat!("kreisel version ", env!("CARGO_PKG_VERSION")))
        .end();
    out.extend(&metadata);
    out.extend((metadata.len() as u32).to_le_bytes());
    out.extend(b"PAR1");
    out
}

/// Writes all rows.
pub fn write(
    path: &Path,
    varied: &[String],
    measures: &[String],
    rows: &[Row],
) -> Result<(), String> {
    let texts = |get: &dyn Fn(&Row) -> String| Values::Texts(rows.iter().map(get).collect());
    let names = columns(varied, measures);
    let made = names.into_iter().enumerate().map(|(k, name)| {
        let values = match name.as_str() {
            _ if k == 0 => Values::Integers(rows.iter().map(|r| r.index as i64).collect()),
            _ if k <= varied.len() => {
                Values::Numbers(rows.iter().map(|r| Some(r.point[k - 1])).collect())
            }
            _ if k <= varied.len() + measures.len() => {
                Values::Numbers(rows.iter().map(|r| r.values[k - 1 - varied.len()]).collect())
            }
            "seed" => Values::Integers(rows.iter().map(|r| r.seed).collect()),
            "status" => texts(&|r| r.status.word().into()),
            "error" => texts(&|r| r.error.clone()),
            "state_hash" => texts(&|r| r.state_hash.clone()),
            _ => texts(&|_| env!("CARGO_PKG_VERSION").into()),
        };
        (name, values)
    });
    let bytes = file(made.collect(), rows.len());
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}
