//! The two ways that ARCHITECTURE draws: how a hinge's row reaches its impulse, and how a contact
//! reaches its friction impulse, function by function.
//!
//! The lists below are checked against the sources: each function stands in its file and calls the
//! next one. The pictures are drawn from the lists; `KREISEL_BLESS=1 cargo test -p kreisel-dynamics
//! --test ways` writes them anew, and `-- --nocapture` prints the ways.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A function on a way: its file below `src`, its name, what it calls next in these words, and what
/// it does.
struct Hop {
    file: &'static str,
    function: &'static str,
    /// Empty at the end of a way.
    calls: &'static str,
    does: &'static str,
}

const fn hop(
    file: &'static str,
    function: &'static str,
    calls: &'static str,
    does: &'static str,
) -> Hop {
    Hop { file, function, calls, does }
}

/// A way: a picture, a title, and branches. The first begins at the step of the world, each other
/// one at a function of those before.
struct Way {
    picture: &'static str,
    title: &'static str,
    branches: &'static [(&'static str, &'static [Hop])],
}

const HINGE: Way = Way {
    picture: "way-hinge.svg",
    title: "How a hinge's row reaches its impulse",
    branches: &[
        (
            "the step",
            &[
                hop("world.rs", "step", "self.engine.step(", "sensors, the step, what runs after"),
                hop("quarantine.rs", "step", "self.step_as_it_comes(", "finite numbers, verdict"),
                hop("engine.rs", "step_as_it_comes", "s.advance(", "forces, chains, ledger"),
                hop("step/advance.rs", "advance", "self.advance_auto(", "one chain by a step"),
                hop("step/advance.rs", "advance_auto", "self.advance_symmetric(", "which stepping"),
                hop(
                    "step/advance.rs",
                    "advance_symmetric",
                    "self.symmetric_substep(",
                    "size of the substep",
                ),
                hop(
                    "step/symmetric.rs",
                    "symmetric_substep",
                    "self.joint_correction(",
                    "position solve, flight, velocity solve",
                ),
            ],
        ),
        (
            "its rows and the factor",
            &[
                hop("step/symmetric.rs", "symmetric_substep", "self.refresh()", ""),
                hop("system/rows.rs", "refresh", "self.refresh_rows()", "rows, then factor"),
                hop("system/rows.rs", "refresh_rows", "refresh_kernel(", "all joints of a chain"),
                hop("system/rows.rs", "refresh_body", "node_rows(", "rows by the roots of masses"),
                hop("system/rows.rs", "node_rows", "node.parts.rows(", "parts, then bounded rows"),
                hop("constraint/mod.rs", "rows", "axis::rows(", "a hinge: point and axis"),
                hop("constraint/axis.rs", "rows", "", "J of two rows"),
            ],
        ),
        (
            "its impulse",
            &[
                hop("step/symmetric.rs", "symmetric_substep", "self.joint_correction(", ""),
                hop("step/symmetric.rs", "joint_correction", "self.correct_direct(", "warm start"),
                hop(
                    "step/symmetric.rs",
                    "correct_direct",
                    "self.solve_positions(",
                    "preview, residual, solve, repeat",
                ),
                hop("system/border_solve.rs", "solve_positions", "self.solve(", "position rows"),
                hop("system/rows.rs", "solve", "self.solve_joints(", "joints, then border"),
                hop("system/rows.rs", "solve_joints", "self.factor.solve(", "or the short cut"),
                hop("solver/ldlt.rs", "solve", "", "λ = A⁻¹ (goal − C)/h"),
            ],
        ),
        (
            "the velocity",
            &[
                hop("step/symmetric.rs", "correct_direct", "self.apply_preview(", ""),
                hop("system/rows.rs", "apply_preview", "self.apply(", "velocities, then preview"),
                hop("system/rows.rs", "apply", "", "v += M⁻¹ Jᵀ λ"),
            ],
        ),
    ],
};

const CONTACT: Way = Way {
    picture: "way-contact.svg",
    title: "How a contact reaches its friction impulse",
    branches: &[
        (
            "the step",
            &[
                hop("world.rs", "step", "self.engine.step(", "sensors, the step, what runs after"),
                hop("quarantine.rs", "step", "self.step_as_it_comes(", "finite numbers, verdict"),
                hop("engine.rs", "step_as_it_comes", "contacts.step(", "forces, chains, ledger"),
                hop("contact/step.rs", "step", "self.fast(", "sleep, overlaps of the start"),
                hop("contact/step.rs", "fast", "self.fast_part(", "parts that end with strikes"),
                hop("contact/step.rs", "fast_part", "self.hold(", "kick, drift, detect, hold"),
            ],
        ),
        (
            "where it touches",
            &[
                hop("contact/step.rs", "fast_part", "self.detect(", ""),
                hop("contact/detect.rs", "detect", "self.detect_side_by_side(", "pairs of boxes"),
                hop("contact/detect.rs", "detect_side_by_side", "self.detect_pairs(", "threads"),
                hop("contact/detect.rs", "detect_pairs", "self.detect_pair(", "memory of pairs"),
                hop("contact/detect.rs", "detect_pair", "narrow::collide(", "kept, or made anew"),
                hop("contact/narrow/mod.rs", "collide", "", "manifold of up to four points"),
            ],
        ),
        (
            "its rows",
            &[
                hop("contact/step.rs", "fast_part", "self.set_up(", ""),
                hop("contact/setup.rs", "set_up", "fill(rows, from)", "islands, colours, groups"),
                hop("contact/setup.rs", "fill_body", "fill_four(", "four manifolds at a time"),
                hop("contact/setup.rs", "fill_four", "", "normals, tangents, responses"),
            ],
        ),
        (
            "its impulse",
            &[
                hop("contact/step.rs", "fast_part", "self.hold(", ""),
                hop("contact/hold.rs", "hold", "self.hold_loose(", "what points are to do"),
                hop("contact/hold.rs", "hold_loose", "velocities(", "islands side by side"),
                hop("contact/hold.rs", "velocities", "accelerate::solve(", "the velocity solve"),
                hop("contact/accelerate.rs", "solve", "sweep(p, s, theta)", "sweeps to the goal"),
                hop("contact/velocity.rs", "sweep", "sweep_part(", "a part of an island"),
                hop("contact/velocity.rs", "sweep_body", "f.answer(", "normals, then friction"),
                hop("contact/friction.rs", "answer", "", "tangent impulse within the cone"),
            ],
        ),
        (
            "the velocity",
            &[
                hop("contact/velocity.rs", "sweep_body", "f.rub(", ""),
                hop("contact/friction.rs", "rub", "", "v += M⁻¹ Jᵀ p"),
            ],
        ),
    ],
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// The bodies of all functions of a name in a source.
fn bodies<'s>(source: &'s str, function: &str) -> Vec<&'s str> {
    let head = format!("fn {function}");
    let starts = source.match_indices(&head).filter(|(at, _)| {
        let after = source[at + head.len()..].chars().next();
        after.is_some_and(|c| c == '(' || c == '<')
    });
    let mut out = Vec::new();
    for (at, _) in starts {
        // it ends with a brace as far to the left as it begins
        let line = source[..at].rfind('\n').map_or(0, |k| k + 1);
        let indent = source[line..].len() - source[line..].trim_start_matches(' ').len();
        let end = format!("\n{}}}", " ".repeat(indent));
        let body = &source[at..];
        out.push(&body[..body.find(&end).unwrap_or(body.len())]);
    }
    out
}

#[test]
fn the_ways_of_the_architecture_are_those_of_the_sources() {
    for way in [HINGE, CONTACT] {
        println!("{}", way.title);
        for (title, hops) in way.branches {
            println!("  {title}");
            for (k, hop) in hops.iter().enumerate() {
                println!("    {:24} {:22} {}", hop.file, hop.function, hop.does);
                let path = root().join("src").join(hop.file);
                let source = std::fs::read_to_string(&path).unwrap_or_default();
                let found = bodies(&source, hop.function);
                assert!(!found.is_empty(), "{} has no function {}", hop.file, hop.function);
                assert!(
                    found.iter().any(|body| body.contains(hop.calls)),
                    "{} of {} does not call {}: mend the list, and ARCHITECTURE if need be",
                    hop.function,
                    hop.file,
                    hop.calls
                );
                // a kernel is declared under another name than its body
                let next = hops.get(k + 1).map_or("", |h| h.function);
                let named = |x: &str| hop.calls.contains(x);
                let kernel = next.strip_suffix("_body").is_some_and(named);
                assert!(next.is_empty() || named(next) || kernel, "{next} after {}", hop.calls);
            }
            assert!(hops.len() <= 15, "{}: {} hops", way.title, hops.len());
        }
    }
}

#[test]
fn the_pictures_of_the_ways_are_those_of_the_lists() {
    for way in [HINGE, CONTACT] {
        let path = root().join("../../docs/pictures").join(way.picture);
        let drawn = draw(&way);
        if std::env::var_os("KREISEL_BLESS").is_some() {
            std::fs::write(&path, &drawn).unwrap();
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(there == drawn, "{} is old: KREISEL_BLESS=1 writes it anew", way.picture);
    }
}

/// Height of a row, and where the columns begin: the step, and what it calls.
const ROW: usize = 30;
const COLUMNS: [usize; 2] = [20, 580];
const WIDTH: usize = 500;

/// The way as a picture: the step on the left, its branches on the right, an arrow for every call.
fn draw(way: &Way) -> String {
    let mut body = String::new();
    let mut places: Vec<(&str, &str, usize, usize)> = Vec::new();
    let (mut y, mut lowest) = (0, 0);
    for (k, (title, hops)) in way.branches.iter().enumerate() {
        let x = COLUMNS[k.min(1)];
        y = if k < 2 { 56 } else { y + 24 };
        let _ = writeln!(body, r#"<text x="{x}" y="{y}" class="branch">{title}</text>"#);
        y += 10;
        let mut last: Option<(usize, usize)> = None;
        for hop in *hops {
            // a function that is drawn already is where a branch begins
            let drawn = places.iter().find(|p| (p.0, p.1) == (hop.file, hop.function));
            if let (None, Some(p)) = (last, drawn) {
                last = Some((p.2, p.3));
                continue;
            }
            body += &boxed(hop, x, y);
            body += &last.map(|from| arrow(from, (x, y))).unwrap_or_default();
            places.push((hop.file, hop.function, x, y));
            last = Some((x, y));
            y += ROW;
            lowest = lowest.max(y);
        }
    }
    let (w, h, title) = (COLUMNS[1] + WIDTH + 20, lowest + 6, way.title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<title>{title}</title>\n"
    );
    out += STYLE;
    let _ = writeln!(out, r#"<rect width="{w}" height="{h}" style="fill:#fff;stroke:none"/>"#);
    let _ = writeln!(out, r#"<text x="20" y="26" class="title">{title}</text>"#);
    out + &body + "</svg>\n"
}

/// Colours by folder.
const STYLE: &str = "<style>
rect{stroke:#8a94a0}.world{fill:#eef1f4}.step{fill:#dbe9f7}.system{fill:#dff0dc}
.constraint{fill:#f6e9c9}.solver{fill:#ecdcf2}.contact{fill:#f7dfd6}
.name{font-weight:bold}.file,.does{fill:#4a5560}.does{font-style:italic}
.title{font-size:16px;font-weight:bold}.branch{font-size:13px;font-weight:bold}
.call{fill:none;stroke:#5a6570}.tip{fill:#5a6570}
</style>
";

/// A function with its file and what it does.
fn boxed(hop: &Hop, x: usize, y: usize) -> String {
    let room = hop.file.split_once('/').map_or("world", |(room, _)| room);
    let (a, b, c, t) = (x + 8, x + 150, x + 300, y + 15);
    let (name, file, does) = (hop.function, hop.file, hop.does);
    let mut out = format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"22\" rx=\"4\" class=\"{room}\"/>\n"
    );
    for (x, class, text) in [(a, "name", name), (b, "file", file), (c, "does", does)] {
        let _ = writeln!(out, r#"<text x="{x}" y="{t}" class="{class}">{text}</text>"#);
    }
    out
}

/// An arrow from one box to another: down, or to the column on the right.
fn arrow(from: (usize, usize), to: (usize, usize)) -> String {
    if from.0 != to.0 {
        let ((x, y), (a, b)) = ((from.0 + WIDTH, from.1 + 11), (to.0, to.1 + 11));
        let m = x + (a - x) / 2;
        return format!(
            "<path d=\"M{x} {y} C{m} {y} {m} {b} {} {b}\" class=\"call\"/>\n\
             <path d=\"M{a} {b} l-7 -4 v8 z\" class=\"tip\"/>\n",
            a - 6
        );
    }
    // past what lies between them
    let (x, y, b) = (to.0, from.1 + 11, to.1 + 11);
    if to.1 == from.1 + ROW {
        let (x, y) = (x + 20, from.1 + 22);
        return format!("<path d=\"M{x} {} l-4 -7 h8 z\" class=\"tip\"/>\n", y + 8);
    }
    let m = x - 24;
    format!(
        "<path d=\"M{x} {y} C{m} {y} {m} {b} {} {b}\" class=\"call\"/>\n\
         <path d=\"M{x} {b} l-7 -4 v8 z\" class=\"tip\"/>\n",
        x - 6
    )
}
