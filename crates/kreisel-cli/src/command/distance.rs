//! `kreisel distance`: how far apart two shapes are, and where.

use super::placed::{self, Placed, vector};
use crate::exit::{Exit, Failure};
use crate::render::picture;
use crate::table::Table;
use kreisel_dynamics::Vec3;
use kreisel_dynamics::math::rotation;
use kreisel_geometry::query::{Penetration, Place, Proximity, distance, penetration};
use kreisel_geometry::{Pose, Shape};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Arguments of `distance`.
#[derive(Debug, clap::Args)]
pub struct Distance {
    /// First shape: a mesh file (.obj, .stl, .gltf, .glb) or a body of a scene as SCENE#body
    pub first: String,
    /// Second shape
    pub second: String,
    /// Run scenes to this time first, in s
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub at: f64,
    /// Move the first shape by this, in m, after turning it
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub move_first: Option<Vec3>,
    /// Turn the first shape about the world's origin: axis times angle in degrees
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub turn_first: Option<Vec3>,
    /// Move the second shape by this, in m, after turning it
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub move_second: Option<Vec3>,
    /// Turn the second shape about the world's origin: axis times angle in degrees
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub turn_second: Option<Vec3>,
    /// Multiply the coordinates of mesh files by this; 0.001 for files in millimetres
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub scale: f64,
    /// Let scenes read files outside their folders
    #[arg(long)]
    pub allow_outside: bool,
    /// Draw both shapes and the shortest line between them to this SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// Measures the distance of two shapes.
pub fn run(args: &Distance) -> Result<Exit, Failure> {
    if !(args.at.is_finite() && args.at >= 0.0) {
        return Err(Failure::usage(format!("--at must be zero or more, it is {}", args.at)));
    }
    if !(args.scale.is_finite() && args.scale > 0.0) {
        return Err(Failure::usage(format!("--scale must be positive, it is {}", args.scale)));
    }
    let first = place(&args.first, args, args.move_first, args.turn_first)?;
    let second = place(&args.second, args, args.move_second, args.turn_second)?;
    let found = distance(&first.shape, &first.pose, &second.shape, &second.pose)
        .ok_or_else(|| Failure::usage("one of the shapes has no parts"))?;
    let depth = if found.distance <= 0.0 {
        penetration(&first.shape, &first.pose, &second.shape, &second.pose)
    } else {
        None
    };
    if args.json {
        let text = serde_json::to_string_pretty(&as_json(&first, &second, &found, depth.as_ref()));
        println!("{}", text.map_err(|e| Failure::resource(e.to_string()))?);
    } else {
        print!("{}", table(&first, &second, &found, depth.as_ref()));
        if args.scale == 1.0 && [&first, &second].iter().any(|p| looks_like_millimetres(p)) {
            println!(
                "a mesh is more than {LARGE} m across: if its file is in millimetres, add --scale 0.001"
            );
        }
    }
    if let Some(path) = &args.svg {
        let items = [(&first.shape, first.pose), (&second.shape, second.pose)];
        let text = picture(&items, &[(found.a, found.b)], (1000, 560));
        std::fs::write(path, text).map_err(|e| Failure::file(path, e))?;
        if !args.json {
            println!("wrote {}", path.display());
        }
    }
    Ok(Exit::Success)
}

/// Mesh files that are larger than this are more often in millimetres than in metres.
const LARGE: f64 = 20.0;

fn looks_like_millimetres(placed: &Placed) -> bool {
    let is_file = !placed.name.contains('#');
    matches!(&placed.shape, Shape::Mesh(mesh) if is_file && { let (lo, hi) = mesh.bounds(); (hi - lo).max_element() > LARGE })
}

fn place(
    name: &str,
    args: &Distance,
    shift: Option<Vec3>,
    turn: Option<Vec3>,
) -> Result<Placed, Failure> {
    let mut placed = placed::find(name, args.at, args.allow_outside)?;
    if let (Shape::Mesh(mesh), true) = (&placed.shape, args.scale != 1.0) {
        let scaled = mesh
            .scaled(Vec3::splat(args.scale))
            .map_err(|e| Failure::usage(format!("{name}: {e}")))?;
        placed.shape = Shape::Mesh(scaled.into());
    }
    let degrees = std::f64::consts::PI / 180.0;
    let motion = Pose::new(shift.unwrap_or_default(), rotation(turn.unwrap_or_default() * degrees));
    placed.pose = motion.then(&placed.pose);
    Ok(placed)
}

fn table(first: &Placed, second: &Placed, found: &Proximity, depth: Option<&Penetration>) -> Table {
    let mut t = Table::default();
    for (label, p) in [("first", first), ("second", second)] {
        t.line(label, format!("{}: {}", p.name, describe(&p.shape)));
    }
    match depth {
        None => t.line("distance", format!("{:.9} m", found.distance)),
        Some(d) if d.lower == d.upper => t.line("overlap", format!("{:.9} m deep", d.upper)),
        Some(d) => t.line("overlap", format!("between {:.6} and {:.6} m deep", d.lower, d.upper)),
    }
    if let Some(d) = depth.filter(|d| d.upper.is_finite()) {
        t.line("way out", format!("first by {}", point(d.direction * d.upper)));
    }
    t.line("on the first", format!("{}{}", point(found.a), on(&found.places[0])));
    t.line("on the second", format!("{}{}", point(found.b), on(&found.places[1])));
    if depth.is_none() {
        t.line("direction", format!("{} from the second to the first", point(found.normal)));
    }
    let w = &found.work;
    let work = format!(
        "{} box pairs, {} triangle pairs, {} support points",
        w.box_pairs, w.triangle_pairs, w.support_points
    );
    t.line("work", work);
    t
}

fn point(p: Vec3) -> String {
    // a minus sign before zero helps nobody
    let [x, y, z] = p.to_array().map(|x| if x.abs() < 5e-7 { 0.0 } else { x });
    format!("({x:.6}, {y:.6}, {z:.6})")
}

fn on(place: &Place) -> String {
    let part = if place.part > 0 { format!(", part {}", place.part) } else { String::new() };
    let triangle = place.triangle.map_or(String::new(), |t| format!(", triangle {t}"));
    format!("{part}{triangle}")
}

/// What a shape is, for people.
fn describe(shape: &Shape) -> String {
    match shape {
        Shape::Mesh(mesh) => {
            let kind = match mesh.check_closed() {
                Ok(()) => "closed".into(),
                Err(defect) => format!("not closed ({defect})"),
            };
            format!("mesh of {} triangles, {kind}", mesh.triangles().len())
        }
        Shape::Compound(parts) => format!("compound of {} parts", parts.len()),
        other => other.kind().to_owned(),
    }
}

fn as_json(
    first: &Placed,
    second: &Placed,
    found: &Proximity,
    depth: Option<&Penetration>,
) -> Value {
    let shape = |p: &Placed| {
        json!({
            "name": p.name,
            "kind": p.shape.kind(),
            "triangles": if let Shape::Mesh(m) = &p.shape { Some(m.triangles().len()) } else { None },
            "closed": if let Shape::Mesh(m) = &p.shape { Some(m.is_closed()) } else { None },
        })
    };
    let finite = |x: f64| x.is_finite().then_some(x);
    // a signed distance: minus the depth, between minus its upper and minus its lower bound
    let (value, lower, upper) = match depth {
        // adding zero turns -0 into 0
        Some(d) => (0.0 - d.upper, 0.0 - d.upper, 0.0 - d.lower),
        None => (found.distance, found.lower, found.distance),
    };
    json!({
        "distance": finite(value),
        "bounds": { "lower": finite(lower), "upper": finite(upper) },
        "overlap": depth.is_some(),
        "points": [found.a.to_array(), found.b.to_array()],
        "normal": found.normal.to_array(),
        "separation": depth.filter(|d| d.upper.is_finite()).map(|d| (d.direction * d.upper).to_array()),
        "parts": found.places.map(|p| p.part),
        "triangles": found.places.map(|p| p.triangle),
        "work": found.work,
        "shapes": [shape(first), shape(second)],
    })
}
