//! A work-precision diagram as SVG: error over time, both logarithmic, one line per family of
//! settings.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 50.0;

/// Colours that people with colour blindness tell apart (Okabe and Ito 2008), grey and brown.
const COLORS: [&str; 9] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#000000", "#999999",
    "#7f4f24",
];

/// Points of one family: time and error.
pub type Line = (String, Vec<(f64, f64)>);

/// Decades that hold all values.
fn decades(values: impl Iterator<Item = f64>) -> (i32, i32) {
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    (low.log10().floor() as i32, high.log10().ceil() as i32)
}

/// The diagram.
pub fn work_precision(lines: &[Line], across: &str, up: &str) -> String {
    let points = || lines.iter().flat_map(|l| &l.1);
    let (x0, x1) = decades(points().map(|p| p.0));
    let (y0, y1) = decades(points().map(|p| p.1));
    let at_x =
        |v: f64| LEFT + (v.log10() - f64::from(x0)) / f64::from(x1 - x0) * (WIDTH - LEFT - RIGHT);
    let at_y =
        |v: f64| TOP + (f64::from(y1) - v.log10()) / f64::from(y1 - y0) * (HEIGHT - TOP - BOTTOM);
    let mut s = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let line = |s: &mut String, x: [f64; 2], y: [f64; 2]| {
        let _ = writeln!(
            s,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\"/>",
            x[0], y[0], x[1], y[1]
        );
    };
    for e in x0..=x1 {
        let x = at_x(10f64.powi(e));
        line(&mut s, [x, x], [TOP, HEIGHT - BOTTOM]);
        let _ = writeln!(
            s,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">1e{e}</text>",
            HEIGHT - BOTTOM + 18.0
        );
    }
    for e in y0..=y1 {
        let y = at_y(10f64.powi(e));
        line(&mut s, [LEFT, WIDTH - RIGHT], [y, y]);
        let _ = writeln!(
            s,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">1e{e}</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
    for (k, (name, points)) in lines.iter().enumerate() {
        let color = COLORS[k % COLORS.len()];
        let mut sorted = points.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let path: Vec<String> =
            sorted.iter().map(|p| format!("{:.1},{:.1}", at_x(p.0), at_y(p.1))).collect();
        let _ = writeln!(
            s,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for p in &sorted {
            let _ = writeln!(
                s,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{color}\"/>",
                at_x(p.0),
                at_y(p.1)
            );
        }
        let y = TOP + 14.0 + 20.0 * k as f64;
        let x = WIDTH - RIGHT + 14.0;
        let _ = writeln!(s, "<circle cx=\"{x}\" cy=\"{:.1}\" r=\"4\" fill=\"{color}\"/>", y - 4.0);
        let _ = writeln!(s, "<text x=\"{}\" y=\"{y}\">{name}</text>", x + 10.0);
    }
    let middle = LEFT + 0.5 * (WIDTH - LEFT - RIGHT);
    let _ = writeln!(
        s,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{across}</text>",
        HEIGHT - 12.0
    );
    let (x, y) = (16.0, TOP + 0.5 * (HEIGHT - TOP - BOTTOM));
    let _ = writeln!(
        s,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\">{up}</text>\n</svg>"
    );
    s
}
