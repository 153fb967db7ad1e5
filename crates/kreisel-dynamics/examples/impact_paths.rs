//! Draws the paths of eight reference collisions for docs/impact.md:
//! `cargo run -p kreisel-dynamics --example impact_paths`.

use kreisel_dynamics::impact::{Collision, CollisionBody, Regime, Trace, collide_traced};
use kreisel_dynamics::{Mat3, Vec3};
use std::fmt::Write as _;
use std::path::Path;

const COLORS: [&str; 8] =
    ["#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377", "#000000", "#888888"];
const SIZE: [f64; 2] = [720.0, 420.0];

fn sphere() -> CollisionBody {
    CollisionBody { inverse_mass: 1.0, inverse_inertia: Mat3::IDENTITY * 2.5, arm: -Vec3::Z }
}

/// A slanted bar of 1 kg that hits with a point of its lower end.
fn bar(offset: f64) -> CollisionBody {
    let (sin, cos) = (0.75f64.sqrt(), 0.5);
    let turn = Mat3::from_cols(Vec3::new(cos, 0.0, -sin), Vec3::Y, Vec3::new(sin, 0.0, cos));
    let inverse = (Vec3::new(0.02, 1.01, 1.01) / 12.0).recip();
    CollisionBody {
        inverse_mass: 1.0,
        inverse_inertia: turn * Mat3::from_diagonal(inverse) * turn.transpose(),
        arm: turn * Vec3::new(0.5, offset, offset),
    }
}

fn traces() -> Vec<Trace> {
    let rows = [
        (sphere(), 0.1, 0.5, [2.0, 0.0, -1.0]),
        (sphere(), 0.5, 0.5, [2.0, 0.0, -1.0]),
        (bar(0.0), 0.2, 0.5, [0.0, 0.0, -1.0]),
        (bar(0.0), 0.2, 0.5, [0.5, 0.1, -1.0]),
        (bar(0.0), 0.9, 0.5, [0.5, 0.1, -1.0]),
        (bar(0.0), 0.2, 0.5, [-0.2, 0.05, -1.0]),
        (bar(0.05), 0.3, 0.7, [-0.3, 0.1, -1.0]),
        (bar(0.05), 0.3, 0.0, [-0.3, 0.1, -1.0]),
    ];
    rows.into_iter()
        .map(|(body, mu, e, u)| {
            let c = Collision::new([body, CollisionBody::FIXED], Vec3::Z, Vec3::from_array(u));
            collide_traced(&c.friction(mu).restitution(e)).expect("a valid collision").1
        })
        .collect()
}

/// A plot with axes, one line per collision, dots where the regime changes.
fn plot(
    title: &str,
    axes: [&str; 2],
    range: [[f64; 2]; 2],
    lines: &[(Vec<[f64; 2]>, Vec<usize>)],
) -> String {
    let at = |p: [f64; 2]| {
        let part = |k: usize| (p[k] - range[k][0]) / (range[k][1] - range[k][0]);
        [60.0 + part(0) * (SIZE[0] - 160.0), SIZE[1] - 50.0 - part(1) * (SIZE[1] - 100.0)]
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"60\" y=\"25\" font-size=\"15\">{title}</text>\n",
        SIZE[0], SIZE[1]
    );
    for k in 0..2 {
        for i in 0..=4 {
            let value = range[k][0] + (range[k][1] - range[k][0]) * f64::from(i) / 4.0;
            let (mut from, mut to) = ([range[0][0], range[1][0]], [range[0][1], range[1][1]]);
            (from[k], to[k]) = (value, value);
            let ([x0, y0], [x1, y1]) = (at(from), at(to));
            let (tx, ty, anchor) =
                if k == 0 { (x0, y0 + 18.0, "middle") } else { (x0 - 6.0, y0 + 4.0, "end") };
            let _ = writeln!(
                svg,
                "<path d=\"M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}\" stroke=\"#ddd\"/><text x=\"{tx:.1}\" y=\"{ty:.1}\" text-anchor=\"{anchor}\">{value:.2}</text>"
            );
        }
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.0}\" y=\"{:.0}\">{}</text>",
        SIZE[0] / 2.0 - 60.0,
        SIZE[1] - 12.0,
        axes[0]
    );
    let _ = writeln!(svg, "<text x=\"60\" y=\"43\">{}</text>", axes[1]);
    for (n, (points, marks)) in lines.iter().enumerate() {
        let color = COLORS[n];
        let path: Vec<String> =
            points.iter().map(|p| at(*p)).map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            path.join("L")
        );
        for &m in marks {
            let [x, y] = at(points[m]);
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{color}\"/>");
        }
        let y = 60.0 + 20.0 * n as f64;
        let _ = writeln!(
            svg,
            "<path d=\"M{0:.0} {y}h24\" stroke=\"{color}\" stroke-width=\"2\"/><text x=\"{1:.0}\" y=\"{2}\">C-{3}</text>",
            SIZE[0] - 85.0,
            SIZE[0] - 55.0,
            y + 4.0,
            n + 1
        );
    }
    svg + "</svg>\n"
}

fn main() -> std::io::Result<()> {
    let traces = traces();
    let lines = |read: &dyn Fn(&Trace, usize) -> [f64; 2]| -> Vec<(Vec<[f64; 2]>, Vec<usize>)> {
        traces
            .iter()
            .map(|t| {
                let points = (0..t.points.len()).map(|i| read(t, i)).collect();
                // where slipping begins or ends, and where the impact ends
                let changes = t
                    .phases()
                    .windows(2)
                    .filter(|w| w[0].1 != w[1].1)
                    .map(|w| w[0].2)
                    .collect::<Vec<_>>();
                let start =
                    usize::from(t.points.len() > 1 && t.points[1].regime != Regime::Sliding);
                let mut marks = changes;
                marks.extend((start == 1).then_some(0));
                (points, marks)
            })
            .collect()
    };
    let slip = lines(&|t, i| {
        let u = t.axes * t.points[i].velocity;
        [u.x, u.y]
    });
    let normal = lines(&|t, i| [t.points[i].impulse.z, t.points[i].velocity.z]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    let title = "Slip velocity during eight impacts (dots: the slip vanishes)";
    std::fs::write(
        folder.join("impact-slip.svg"),
        plot(title, ["u_x, m/s", "u_y, m/s"], [[-0.5, 2.1], [-0.05, 0.15]], &slip),
    )?;
    let title = "Normal velocity over normal impulse (dots: the slip vanishes)";
    std::fs::write(
        folder.join("impact-normal.svg"),
        plot(title, ["p_z, N s", "u_z, m/s"], [[0.0, 1.6], [-1.0, 0.8]], &normal),
    )
}
