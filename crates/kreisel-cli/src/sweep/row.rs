//! A row of a sweep's table, as a line of CSV or JSON and back.

use serde_json::{Map, Value, json};

/// How a point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All steps within tolerance.
    Ok,
    /// Measured, but some step was not within tolerance.
    Tolerance,
    /// Not measured.
    Failed,
}

const WORDS: [(&str, Status); 3] =
    [("ok", Status::Ok), ("tolerance", Status::Tolerance), ("failed", Status::Failed)];

impl Status {
    /// Its word.
    pub fn word(self) -> &'static str {
        WORDS.iter().find(|w| w.1 == self).map_or("", |w| w.0)
    }

    /// From its word.
    pub fn of(word: &str) -> Option<Self> {
        WORDS.iter().find(|w| w.0 == word).map(|w| w.1)
    }
}

/// The result of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number of the point.
    pub index: u64,
    /// Its values.
    pub point: Vec<f64>,
    /// What was measured; none where it failed or does not exist.
    pub values: Vec<Option<f64>>,
    /// How it ended.
    pub status: Status,
    /// What went wrong.
    pub error: String,
    /// Hash of the last state; empty where it failed.
    pub state_hash: String,
    /// Seed of the plan.
    pub seed: i64,
}

/// Columns after the measures.
pub const LAST: [&str; 5] = ["status", "error", "state_hash", "seed", "version"];

impl Row {
    /// Its fields in the order of the columns.
    fn fields(&self) -> Vec<Value> {
        let numbers =
            self.point.iter().map(|x| json!(x)).chain(self.values.iter().map(|v| json!(v)));
        let last = [
            json!(self.status.word()),
            json!(self.error),
            json!(self.state_hash),
            json!(self.seed),
            json!(env!("CARGO_PKG_VERSION")),
        ];
        std::iter::once(json!(self.index)).chain(numbers).chain(last).collect()
    }

    /// As a line of JSON.
    pub fn json(&self, columns: &[String]) -> String {
        let pairs = columns.iter().zip(self.fields()).map(|(c, v)| format!("{}: {v}", json!(c)));
        format!("{{{}}}\n", pairs.collect::<Vec<_>>().join(", "))
    }

    /// As a line of CSV: numbers read back as the same bits.
    pub fn csv(&self) -> String {
        let text = |v: Value| match v {
            Value::Null => String::new(),
            Value::String(s) => s,
            other => other.to_string(),
        };
        csv_line(self.fields().into_iter().map(text))
    }

    /// From a line of JSON.
    pub fn of_json(line: &str, columns: &[String], varied: usize) -> Option<Self> {
        let map: Map<String, Value> = serde_json::from_str(line).ok()?;
        Self::of_fields(
            &columns.iter().map(|c| map.get(c).cloned()).collect::<Option<Vec<_>>>()?,
            varied,
        )
    }

    /// From a line of CSV.
    pub fn of_csv(line: &str, columns: &[String], varied: usize) -> Option<Self> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        let record = reader.records().next()?.ok()?;
        if record.len() != columns.len() {
            return None;
        }
        let numbers = columns.len() - LAST.len();
        let field = |(k, text): (usize, &str)| {
            let number = k < numbers || k == columns.len() - 2;
            match text {
                "" if number => Some(Value::Null),
                _ if number => serde_json::from_str(text).ok(),
                _ => Some(json!(text)),
            }
        };
        Self::of_fields(&record.iter().enumerate().map(field).collect::<Option<Vec<_>>>()?, varied)
    }

    fn of_fields(fields: &[Value], varied: usize) -> Option<Self> {
        let (numbers, last) = fields.split_at(fields.len().checked_sub(LAST.len())?);
        let (index, numbers) = numbers.split_first()?;
        let (point, values) = numbers.split_at_checked(varied)?;
        let value = |v: &Value| if v.is_null() { Some(None) } else { v.as_f64().map(Some) };
        Some(Self {
            index: index.as_u64()?,
            point: point.iter().map(Value::as_f64).collect::<Option<_>>()?,
            values: values.iter().map(value).collect::<Option<_>>()?,
            status: Status::of(last[0].as_str()?)?,
            error: last[1].as_str()?.into(),
            state_hash: last[2].as_str()?.into(),
            seed: last[3].as_i64()?,
        })
    }
}

/// A line of CSV.
pub fn csv_line(fields: impl Iterator<Item = String>) -> String {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    let written = writer.write_record(fields).ok().and_then(|()| writer.into_inner().ok());
    written.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
