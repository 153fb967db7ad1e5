//! `kreisel plot`: columns of a recording as an SVG.

use crate::args::Plot;
use crate::exit::{Exit, Failure};
use kreisel_scene::record::matches;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;

/// Colours of the lines, told apart also by those who see few colours (Okabe and Ito 2008).
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];

/// Most lines in one plot; more cannot be told apart.
const MAX_LINES: usize = 28;

/// One line of a plot.
struct Line {
    header: String,
    points: Vec<(f64, f64)>,
}

/// Plots columns of a recording.
pub fn run(args: &Plot) -> Result<Exit, Failure> {
    let (x_header, lines) = read(args)?;
    let fail = |e: &dyn std::fmt::Display| Failure::file(&args.output, e);
    let x = range(lines.iter().flat_map(|l| &l.points).map(|p| p.0), false);
    let y = range(lines.iter().flat_map(|l| &l.points).map(|p| p.1), args.log);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, args.size).into_drawing_area();
        root.fill(&WHITE).map_err(|e| fail(&e))?;
        if args.log {
            draw(&root, args, &x_header, &lines, x, (y.start..y.end).log_scale()).map_err(|e| fail(&e))?;
        } else {
            draw::<RangedCoordf64, _>(&root, args, &x_header, &lines, x, y).map_err(|e| fail(&e))?;
        }
        root.present().map_err(|e| fail(&e))?;
    }
    std::fs::write(&args.output, svg).map_err(|e| fail(&e))?;
    let lines = if lines.len() == 1 { "one line".into() } else { format!("{} lines", lines.len()) };
    println!("wrote {} with {lines}", args.output.display());
    Ok(Exit::Success)
}

/// Reads the wanted columns.
fn read(args: &Plot) -> Result<(String, Vec<Line>), Failure> {
    let fail = |e: csv::Error| Failure::file(&args.csv, e);
    let mut reader = csv::Reader::from_path(&args.csv).map_err(fail)?;
    let headers: Vec<String> = reader.headers().map_err(fail)?.iter().map(str::to_owned).collect();
    let name = |header: &str| header.split(" [").next().unwrap_or_default().to_owned();
    let find = |pattern: &str| -> Vec<usize> {
        let is = |k: &usize| matches(pattern, &name(&headers[*k])) || headers[*k] == pattern;
        (0..headers.len()).filter(is).collect()
    };
    let x = find(&args.x);
    let [x] = x[..] else {
        return Err(Failure::usage(format!("there is no single column \"{}\" in {}", args.x, args.csv.display())));
    };
    let usual = ["energy.*".to_owned()];
    let wanted = if args.columns.is_empty() { &usual[..] } else { &args.columns[..] };
    let mut columns = Vec::new();
    for pattern in wanted {
        let found = find(pattern);
        if found.is_empty() {
            let known: Vec<String> = headers.iter().map(|h| name(h)).collect();
            return Err(Failure::usage(format!("no column fits \"{pattern}\"; there are {}", known.join(", "))));
        }
        columns.extend(found.into_iter().filter(|c| *c != x));
    }
    if columns.len() > MAX_LINES {
        return Err(Failure::usage(format!(
            "{} lines are too many for one plot; choose up to {MAX_LINES}",
            columns.len()
        )));
    }
    let mut lines: Vec<Line> =
        columns.iter().map(|&c| Line { header: headers[c].clone(), points: Vec::new() }).collect();
    for record in reader.records() {
        let record = record.map_err(fail)?;
        let value = |k: usize| record.get(k).and_then(|t| t.parse::<f64>().ok()).filter(|v| v.is_finite());
        let Some(t) = value(x) else { continue };
        for (line, &c) in lines.iter_mut().zip(&columns) {
            if let Some(y) = value(c).filter(|y| !args.log || *y > 0.0) {
                line.points.push((t, y));
            }
        }
    }
    Ok((headers[x].clone(), lines))
}

/// The range of values with a little room; never empty.
fn range(values: impl Iterator<Item = f64>, log: bool) -> Range<f64> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return if log { 0.1..10.0 } else { 0.0..1.0 };
    }
    if log {
        return low / 2.0..high * 2.0;
    }
    let room = if high > low { 0.04 * (high - low) } else { 0.5_f64.max(high.abs() * 0.1) };
    low - room..high + room
}

type PlotResult<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

fn draw<'a, Y, R>(
    root: &DrawingArea<SVGBackend<'a>, plotters::coord::Shift>,
    args: &Plot,
    x_header: &str,
    lines: &[Line],
    x: Range<f64>,
    y: R,
) -> PlotResult<'a>
where
    R: AsRangedCoord<CoordDescType = Y, Value = f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64> + 'static,
{
    let mut builder = ChartBuilder::on(root);
    builder.margin(12).x_label_area_size(42).y_label_area_size(78);
    if let Some(title) = &args.title {
        builder.caption(title, ("sans-serif", 20));
    }
    let mut chart = builder.build_cartesian_2d(x, y)?;
    let y_label = if lines.len() == 1 { lines[0].header.clone() } else { common_unit(lines) };
    chart
        .configure_mesh()
        .x_desc(x_header)
        .y_desc(y_label)
        .y_label_formatter(&|v| number(*v))
        .x_label_formatter(&|v| number(*v))
        .light_line_style(RGBColor(240, 240, 240))
        .bold_line_style(RGBColor(220, 220, 220))
        .draw()?;
    for (k, line) in lines.iter().enumerate() {
        let style = COLORS[k % COLORS.len()].stroke_width(2);
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), style))?
            .label(&line.header)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    if lines.len() > 1 {
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(200, 200, 200))
            .position(SeriesLabelPosition::UpperRight)
            .draw()?;
    }
    Ok(())
}

/// The unit that all lines share, in brackets; nothing when they differ.
fn common_unit(lines: &[Line]) -> String {
    let unit = |l: &Line| l.header.rsplit_once(" [").map(|(_, u)| format!("[{u}"));
    let first = lines.first().and_then(unit);
    if lines.iter().all(|l| unit(l) == first) { first.unwrap_or_default() } else { String::new() }
}

/// A label with few digits.
fn number(v: f64) -> String {
    let a = v.abs();
    if a < 1e-12 {
        "0".into()
    } else if (1e-3..1e5).contains(&a) {
        let text = format!("{v:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{v:.1e}")
    }
}
