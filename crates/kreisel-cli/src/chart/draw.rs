//! Charts as pictures.

use super::{Chart, number, range, span};
use plotters::coord::Shift;
use plotters::coord::combinators::WithKeyPoints;
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
        let _ = plotters::style::register_font(
            "sans-serif",
            FontStyle::Normal,
            epaint_default_fonts::UBUNTU_LIGHT,
        );
    });
}

/// As SVG text.
pub fn svg(charts: &[Chart], size: (u32, u32)) -> Result<String, String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (size.0, size.1 * charts.len() as u32))
            .into_drawing_area();
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
    // Where lines run everywhere the legend gets room of its own above them.
    let room = if chart.lines.len() > 1 && emptiest(chart).1 > 0 {
        1.0 / (1.0 - tall(chart))
    } else {
        1.0
    };
    let y1 = if chart.log.1 { y0 * (y1 / y0).powf(room) } else { y0 + room * (y1 - y0) };
    match chart.log {
        // A tick that rounding has left beside zero is zero.
        (false, false) => lines(area, chart, x0..x1, y0..y1, 1e-9 * (y1 - y0)),
        (false, true) => lines(area, chart, x0..x1, decades(y0, y1), 0.0),
        (true, false) => lines(area, chart, decades(x0, x1), y0..y1, 1e-9 * (y1 - y0)),
        (true, true) => lines(area, chart, decades(x0, x1), decades(y0, y1), 0.0),
    }
}

/// A logarithmic axis with ticks of its own: powers of ten, over few decades also their 2- and
/// 5-fold; thin lines at the other multiples. (The library's own ticks fall on each other at powers
/// of ten.)
fn decades(low: f64, high: f64) -> WithKeyPoints<LogCoord<f64>> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    // Few enough that labels do not touch.
    let every = ((last - first) / 12 + 1).max(1);
    let bold: &[f64] = if high < 100.0 * low { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let at = |multiples: &[f64]| -> Vec<f64> {
        let powers = (first..=last).filter(|k| k.rem_euclid(every) == 0);
        let all = powers
            .flat_map(|k| multiples.iter().map(move |m| m * 10_f64.powi(k)).collect::<Vec<_>>());
        all.filter(|v| (low..=high).contains(v)).collect()
    };
    let thin = at(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    (low..high).log_scale().with_key_points(at(bold)).with_light_points(thin)
}

fn lines<B: DrawingBackend, X, Y, RX, RY>(
    area: &DrawingArea<B, Shift>,
    chart: &Chart,
    x: RX,
    y: RY,
    zero: f64,
) -> Drawn<B>
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
        .y_label_formatter(&|v| number(if v.abs() < zero { 0.0 } else { *v }))
        .x_label_formatter(&|v| number(*v))
        .light_line_style(if chart.log.1 { RGBColor(244, 244, 244) } else { WHITE })
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
            .position(emptiest(chart).0)
            .draw()?;
    }
    Ok(())
}

/// The place with the fewest points, for the legend.
fn emptiest(chart: &Chart) -> (SeriesLabelPosition, usize) {
    let scale = |v: f64, log: bool| if log { v.ln() } else { v };
    let points = || chart.lines.iter().flat_map(|l| &l.points);
    let at = |get: fn(&(f64, f64)) -> f64, log| {
        let (low, high) = range(points().map(get), log);
        let (low, high) = (scale(low, log), scale(high, log));
        move |p: &(f64, f64)| (scale(get(p), log) - low) / (high - low)
    };
    let (x, y) = (at(|p| p.0, chart.log.0), at(|p| p.1, chart.log.1));
    let places = [
        (SeriesLabelPosition::UpperRight, true, 1.0),
        (SeriesLabelPosition::UpperLeft, false, 1.0),
        (SeriesLabelPosition::LowerRight, true, 0.0),
        (SeriesLabelPosition::LowerLeft, false, 0.0),
        (SeriesLabelPosition::MiddleRight, true, 0.5),
        (SeriesLabelPosition::MiddleLeft, false, 0.5),
    ];
    let tall = tall(chart);
    let count = |right: bool, height: f64| {
        // From `height` of the room that the legend leaves, up by its own height.
        let low = height * (1.0 - tall);
        let inside = |p: &&(f64, f64)| {
            (if right { x(p) > 0.72 } else { x(p) < 0.28 }) && (low..=low + tall).contains(&y(p))
        };
        points().filter(inside).count()
    };
    let best = places.into_iter().map(|p| (count(p.1, p.2), p.0)).min_by_key(|p| p.0);
    match best {
        Some((0, place)) => (place, 0),
        found => (SeriesLabelPosition::UpperRight, found.map_or(0, |f| f.0)),
    }
}

/// The part of the height that the legend takes.
fn tall(chart: &Chart) -> f64 {
    (0.065 * chart.lines.len() as f64).clamp(0.15, 0.6)
}
