//! Charts: lines over one axis, as SVG, PNG or text.

mod draw;
mod terminal;

use crate::exit::Failure;
use std::path::Path;

/// Most lines in one chart; more cannot be told apart.
pub const MAX_LINES: usize = 28;

/// One line of a chart.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// What the legend says.
    pub label: String,
    /// Unit, for the axis; empty for plain numbers.
    pub unit: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// Whether the points themselves are marked.
    pub marked: bool,
}

/// A chart.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Above it.
    pub title: Option<String>,
    /// Below the horizontal axis.
    pub x_label: String,
    /// Beside the vertical axis; empty takes the lines' common unit.
    pub y_label: String,
    /// Logarithmic axes.
    pub log: (bool, bool),
    /// The lines.
    pub lines: Vec<Line>,
}

impl Chart {
    /// The label of the vertical axis.
    fn y_axis(&self) -> String {
        if !self.y_label.is_empty() {
            return self.y_label.clone();
        }
        let with = |unit: &str| if unit.is_empty() { String::new() } else { format!("[{unit}]") };
        match &self.lines[..] {
            [one] => format!("{} {}", one.label, with(&one.unit)).trim_end().to_owned(),
            [first, rest @ ..] if rest.iter().all(|l| l.unit == first.unit) => {
                format!("{} {}", self.common_name(), with(&first.unit)).trim().to_owned()
            }
            _ => String::new(),
        }
    }

    /// What the names of all lines begin with, up to a dot: `energy` of `energy.kinetic` and
    /// `energy.total`.
    fn common_name(&self) -> &str {
        let Some((first, rest)) = self.lines.split_first() else { return "" };
        let mut dots = first.label.match_indices('.').map(|(k, _)| k);
        let shared = dots.rfind(|k| rest.iter().all(|l| l.label.starts_with(&first.label[..=*k])));
        shared.map_or("", |k| &first.label[..k])
    }

    /// Leaves out what an axis cannot show: values that are not finite or, on a logarithmic axis,
    /// not positive.
    fn usable(&self) -> Self {
        let mut out = self.clone();
        let fits = |v: f64, log: bool| v.is_finite() && (!log || v > 0.0);
        for line in &mut out.lines {
            line.points.retain(|p| fits(p.0, self.log.0) && fits(p.1, self.log.1));
        }
        out
    }
}

/// Writes charts, one below the other, by the ending of the file: `.svg` or `.png`; `-` is the
/// terminal.
pub fn write(charts: &[Chart], path: &Path, size: (u32, u32)) -> Result<(), Failure> {
    let charts: Vec<Chart> = charts.iter().map(Chart::usable).collect();
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if path == Path::new("-") {
        for chart in &charts {
            print!("{}", terminal::text(chart));
        }
        return Ok(());
    }
    let done = match ending.as_str() {
        "svg" => draw::svg(&charts, size)
            .and_then(|text| std::fs::write(path, text).map_err(|e| e.to_string())),
        "png" => draw::png(&charts, path, size),
        _ => {
            let path = path.display();
            return Err(Failure::usage(format!(
                "{path}: pictures end in .svg or .png; - prints to the terminal"
            )));
        }
    };
    done.map_err(|e| Failure::file(path, e))
}

/// One chart as SVG text.
pub fn svg(chart: &Chart, size: (u32, u32)) -> Result<String, String> {
    draw::svg(&[chart.usable()], size)
}

/// A number with few digits.
pub fn number(v: f64) -> String {
    let a = v.abs();
    if a < 1e-300 {
        "0".into()
    } else if (1e-3..1e5).contains(&a) {
        let text = format!("{v:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        let text = format!("{v:.2e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// The range of values with a little room; never empty.
fn range(values: impl Iterator<Item = f64>, log: bool) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return if log { (0.1, 10.0) } else { (0.0, 1.0) };
    }
    if log {
        return (low / 1.5, high * 1.5);
    }
    // What rounding leaves of a constant is shown as a constant.
    let flat = high - low <= 1e-12 * low.abs().max(high.abs());
    let room = if flat {
        0.5_f64.min(high.abs() * 0.1).max(high.abs() * 1e-3).max(1e-12)
    } else {
        0.04 * (high - low)
    };
    (low - room, high + room)
}

/// The range of the horizontal axis: a plain one begins and ends with its values.
fn span(values: impl Iterator<Item = f64> + Clone, log: bool) -> (f64, f64) {
    let (low, high) =
        values.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low < high && !log { (low, high) } else { range(values, log) }
}
