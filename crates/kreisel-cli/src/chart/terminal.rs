//! Charts as text: Braille characters hold two by four points each.

use super::{Chart, number, range, span};
use std::fmt::Write;

/// Characters of the drawing.
const WIDTH: usize = 72;
const HEIGHT: usize = 18;

/// Letters that mark the lines at their right end.
const MARKS: [char; 7] = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/// Draws a chart.
pub fn text(chart: &Chart) -> String {
    let points = || chart.lines.iter().flat_map(|l| &l.points);
    let (x0, x1) = span(points().map(|p| p.0), chart.log.0);
    let (y0, y1) = range(points().map(|p| p.1), chart.log.1);
    let scale = |v: f64, low: f64, high: f64, log: bool| {
        let [v, low, high] = [v, low, high].map(|x| if log { x.ln() } else { x });
        (v - low) / (high - low)
    };
    let mut dots = vec![0_u8; WIDTH * HEIGHT];
    let mut set = |x: f64, y: f64| {
        let (px, py) =
            ((x * (2 * WIDTH - 1) as f64).round(), ((1.0 - y) * (4 * HEIGHT - 1) as f64).round());
        if px >= 0.0 && py >= 0.0 && px < (2 * WIDTH) as f64 && py < (4 * HEIGHT) as f64 {
            let (px, py) = (px as usize, py as usize);
            // Bits of the Braille cell, by column and row.
            const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
            dots[py / 4 * WIDTH + px / 2] |= BITS[px % 2][py % 4];
        }
    };
    let mut ends = Vec::new();
    for (k, line) in chart.lines.iter().enumerate() {
        let at =
            |p: &(f64, f64)| (scale(p.0, x0, x1, chart.log.0), scale(p.1, y0, y1, chart.log.1));
        for pair in line.points.windows(2) {
            let (a, b) = (at(&pair[0]), at(&pair[1]));
            let steps = ((b.0 - a.0).abs() * 2.0 * WIDTH as f64)
                .max((b.1 - a.1).abs() * 4.0 * HEIGHT as f64)
                .ceil();
            for s in 0..=steps as usize {
                let t = s as f64 / steps.max(1.0);
                set(a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1));
            }
        }
        if let [one] = line.points[..] {
            let (x, y) = at(&one);
            set(x, y);
        }
        if let Some(last) = line.points.last() {
            let row = ((1.0 - at(last).1) * HEIGHT as f64).clamp(0.0, HEIGHT as f64 - 1.0) as usize;
            ends.push((row, MARKS[k % MARKS.len()]));
        }
    }
    let mut out = String::new();
    if let Some(title) = &chart.title {
        let _ = writeln!(out, "{title}");
    }
    let many = chart.lines.len() > 1;
    for row in 0..HEIGHT {
        let label = match row {
            0 => number(y1),
            r if r == HEIGHT - 1 => number(y0),
            _ => String::new(),
        };
        let cells: String = (0..WIDTH)
            .map(|c| char::from_u32(0x2800 + u32::from(dots[row * WIDTH + c])).unwrap_or(' '))
            .collect();
        let marks: String = ends.iter().filter(|e| many && e.0 == row).map(|e| e.1).collect();
        let _ = writeln!(out, "{label:>10} ┤{cells}{marks}");
    }
    let _ = writeln!(out, "{:>10} └{}", "", "─".repeat(WIDTH));
    let (left, right) = (number(x0), number(x1));
    let gap = WIDTH.saturating_sub(
        left.chars().count() + right.chars().count() + chart.x_label.chars().count(),
    );
    let (before, after) = (gap / 2, gap - gap / 2);
    let _ = writeln!(
        out,
        "{:>12}{left}{}{}{}{right}",
        "",
        " ".repeat(before),
        chart.x_label,
        " ".repeat(after)
    );
    for (k, line) in chart.lines.iter().enumerate() {
        let unit = if line.unit.is_empty() { String::new() } else { format!(" [{}]", line.unit) };
        let mark = if many { format!("{} ", MARKS[k % MARKS.len()]) } else { String::new() };
        let _ = writeln!(out, "{:>12}{mark}{}{unit}", "", line.label);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Chart, Line};

    #[test]
    fn a_straight_line_runs_from_corner_to_corner() {
        let points = (0..=10).map(|k| (f64::from(k), f64::from(k))).collect();
        let line = Line { label: "y".into(), points, ..Line::default() };
        let text = super::text(&Chart {
            lines: vec![line],
            x_label: "time [s]".into(),
            ..Chart::default()
        });
        let rows: Vec<&str> = text.lines().collect();
        let place = |row: &str| row.chars().skip(12).position(|c| c != '\u{2800}').unwrap_or(0);
        assert!(place(rows[0]) > 60, "{text}");
        assert!(place(rows[super::HEIGHT - 1]) < 10, "{text}");
    }
}
