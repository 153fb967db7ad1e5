//! Charts as pictures.

use super::{Chart, number, range, span};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use std::path::Path;
use std::sync::Once;

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

/// Letters come with the program: a machine without fonts draws the same picture.
fn letters() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Refused only for bytes that are no font.
        let _ = plotters::style::register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    });
}

/// As SVG text.
pub fn svg(charts: &[Chart], size: (u32, u32)) -> Result<String, String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (size.0, size.1 * charts.len() as u32)).into_drawing_area();
        all(&root, charts)?;
    }
    Ok(text)
}

/// As a PNG file.
pub fn png(charts: &[Chart], path: &Path, size: (u32, u32)) -> Result<(), String> {
    let root = BitMapBackend::new(path, (size.0, size.1 * charts.len() as u32)).into_drawing_area();
    all(&root, charts)
}

fn all<B: DrawingBackend>(root: &DrawingArea<B, Shift>, charts: &[Chart]) -> Result<(), String> {
    letters();
    root.fill(&WHITE).map_err(|e| e.to_string())?;
    for (area, chart) in root.split_evenly((charts.len().max(1), 1)).iter().zip(charts) {
        one(area, chart).map_err(|e| e.to_string())?;
    }
    root.present().map_err(|e| e.to_string())
}

type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn one<B: DrawingBackend>(area: &DrawingArea<B, Shift>, chart: &Chart) -> Drawn<B> {
    let points = || chart.lines.iter().flat_map(|l| &l.points);
    let (x0, x1) = span(points().map(|p| p.0), chart.log.0);
    let (y0, y1) = range(points().map(|p| p.1), chart.log.1);
    match chart.log {
        (false, false) => lines(area, chart, x0..x1, y0..y1),
        (false, true) => lines(area, chart, x0..x1, (y0..y1).log_scale()),
        (true, false) => lines(area, chart, (x0..x1).log_scale(), y0..y1),
        (true, true) => lines(area, chart, (x0..x1).log_scale(), (y0..y1).log_scale()),
    }
}

fn lines<B: DrawingBackend, X, Y, RX, RY>(area: &DrawingArea<B, Shift>, chart: &Chart, x: RX, y: RY) -> Drawn<B>
where
    RX: AsRangedCoord<CoordDescType = X, Value = f64>,
    RY: AsRangedCoord<CoordDescType = Y, Value = f64>,
    X: Ranged<ValueType = f64> + ValueFormatter<f64> + 'static,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64> + 'static,
{
    let mut builder = ChartBuilder::on(area);
    builder.margin(14).margin_right(24).x_label_area_size(44).y_label_area_size(80);
    if let Some(title) = &chart.title {
        builder.caption(title, ("sans-serif", 20));
    }
    let mut context = builder.build_cartesian_2d(x, y)?;
    context
        .configure_mesh()
        .x_desc(&chart.x_label)
        .y_desc(chart.y_axis())
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15))
        .y_label_formatter(&|v| number(*v))
        .x_label_formatter(&|v| number(*v))
        .light_line_style(RGBColor(243, 243, 243))
        .bold_line_style(RGBColor(222, 222, 222))
        .axis_style(RGBColor(120, 120, 120))
        .draw()?;
    for (k, line) in chart.lines.iter().enumerate() {
        let color = COLORS[k % COLORS.len()];
        let style = color.stroke_width(2);
        context
            .draw_series(LineSeries::new(line.points.iter().copied(), style))?
            .label(&line.label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        if line.marked {
            context.draw_series(line.points.iter().map(|p| Circle::new(*p, 4, color.filled())))?;
        }
    }
    if chart.lines.len() > 1 {
        context
            .configure_series_labels()
            .label_font(("sans-serif", 14))
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(200, 200, 200))
            .position(emptiest(chart))
            .draw()?;
    }
    Ok(())
}

/// The corner with the fewest points, for the legend.
fn emptiest(chart: &Chart) -> SeriesLabelPosition {
    let scale = |v: f64, log: bool| if log { v.ln() } else { v };
    let points = || chart.lines.iter().flat_map(|l| &l.points);
    let at = |get: fn(&(f64, f64)) -> f64, log| {
        let (low, high) = range(points().map(get), log);
        let (low, high) = (scale(low, log), scale(high, log));
        move |p: &(f64, f64)| (scale(get(p), log) - low) / (high - low)
    };
    let (x, y) = (at(|p| p.0, chart.log.0), at(|p| p.1, chart.log.1));
    let corners = [
        (SeriesLabelPosition::UpperRight, true, true),
        (SeriesLabelPosition::UpperLeft, false, true),
        (SeriesLabelPosition::LowerRight, true, false),
        (SeriesLabelPosition::LowerLeft, false, false),
    ];
    let tall = (0.08 * chart.lines.len() as f64).clamp(0.2, 0.6);
    let count = |right: bool, top: bool| {
        let inside = |p: &&(f64, f64)| {
            (if right { x(p) > 0.7 } else { x(p) < 0.3 }) && (if top { y(p) > 1.0 - tall } else { y(p) < tall })
        };
        points().filter(inside).count()
    };
    let best = corners.into_iter().min_by_key(|c| count(c.1, c.2));
    best.map_or(SeriesLabelPosition::UpperRight, |c| c.0)
}
