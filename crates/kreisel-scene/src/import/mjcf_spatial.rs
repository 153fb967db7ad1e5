//! Tendons of MJCF through sites, around spheres and cylinders, and over pulleys.
//!
//! A tendon between two sites is a joint that takes nothing away, with limits, spring and damper on
//! its length. A longer one is a cable that does not hang loose, with a light drum of radius 1 m:
//! the drum's angle is what the tendon has grown by since the pose of the file, so that spring,
//! damper, friction, limits and actuators of the tendon are those of the drum's hinge.

use super::make::{Make, vector};
use super::mjcf_model::{Driven, Model};
use super::mjcf_tendon::{LIGHT, Tendon, passive};
use super::xml::{elements, lost_attribute, lost_because, number, place, required, tag};
use crate::node::{Node as Item, Value};
use crate::problem::{Code, nearest};
use crate::read::Reader;
use crate::robot;
use kreisel_dynamics::{Vec3, Wrap};
use kreisel_geometry::Shape;
use roxmltree::Node;

/// A point of a rigid body, in the world.
#[derive(Clone, Copy)]
struct Spot {
    carrier: Option<usize>,
    at: Vec3,
}

/// A sphere or a cylinder between two points.
struct Round {
    after: usize,
    center: Spot,
    radius: f64,
    /// In the world.
    axis: Option<Vec3>,
    side: Option<Spot>,
}

/// What a tendon runs through.
#[derive(Default)]
struct Way {
    points: Vec<Spot>,
    rounds: Vec<Round>,
    weights: Vec<f64>,
}

/// Reads a `<spatial>` tendon.
pub(super) fn read(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>, name: String) {
    let Some(way) = way(reader, node, model) else { return };
    let plain = way.rounds.is_empty() && way.weights.iter().all(|w| *w == 1.0);
    match way.points[..] {
        [a, b] if plain => straight(reader, node, model, name, [a, b]),
        _ => cable(reader, node, model, name, &way),
    }
}

/// Points, surfaces and weights in the order of the file.
fn way(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>) -> Option<Way> {
    let (mut out, mut weight, mut jumps) = (Way::default(), 1.0, false);
    for part in elements(node) {
        match part.tag_name().name() {
            "site" => {
                let spot = site(reader, part, model, "site")?;
                if !out.points.is_empty() {
                    out.weights.push(if jumps { 0.0 } else { weight });
                }
                jumps = false;
                out.points.push(spot);
            }
            "pulley" => {
                let divisor = number(reader, part, "divisor").unwrap_or(1.0);
                if !(divisor > 0.0) {
                    let message = format!("divisor of <pulley> is positive, here it is {divisor}");
                    let at = place(part, "divisor");
                    reader.error(Code::WrongValue, &at, message, "not this");
                    return None;
                }
                (weight, jumps) = (1.0 / divisor, true);
            }
            "geom" => {
                let after = out.points.len().checked_sub(1);
                let round = after.and_then(|after| round(reader, part, model, after));
                out.rounds.push(round?);
            }
            _ => {
                lost_because(reader, part, "tendons run through sites, geoms and pulleys");
                return None;
            }
        }
    }
    // what comes last is a site
    let last = out.points.len();
    out.rounds.retain(|r| r.after + 1 < last);
    let two = last >= 2;
    if !two {
        lost_because(reader, node, "it has no two sites");
    }
    two.then_some(out)
}

fn site(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>, key: &str) -> Option<Spot> {
    let name = required(reader, node, key)?;
    let Some((carrier, pose)) = model.sites.get(name) else {
        let near = nearest(name, model.sites.keys().map(String::as_str));
        let help = near.map(|n| format!("did you mean \"{n}\"?"));
        let message = format!("there is no site \"{name}\"");
        reader.error(Code::UnknownName, &place(node, key), message, "unknown site").help_if(help);
        return None;
    };
    Some(Spot { carrier: *carrier, at: pose.position })
}

/// A geom that a tendon runs over.
fn round(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &Model<'_>,
    after: usize,
) -> Option<Round> {
    let name = required(reader, node, "geom")?;
    let all =
        || model.carriers.iter().enumerate().flat_map(|(k, c)| c.geoms.iter().map(move |g| (k, g)));
    let Some((k, geom)) = all().find(|(_, g)| g.name.as_deref() == Some(name)) else {
        let near = nearest(name, all().filter_map(|(_, g)| g.name.as_deref()));
        let help = near.map(|n| format!("did you mean \"{n}\"?"));
        let message = format!("there is no geom \"{name}\"");
        reader
            .error(Code::UnknownName, &place(node, "geom"), message, "unknown geom")
            .help_if(help);
        return None;
    };
    let pose = model.carriers[k].pose.then(&geom.pose);
    let (radius, axis) = match geom.solid_shape() {
        Some(Shape::Sphere { radius }) => (*radius, None),
        Some(Shape::Cylinder { radius, .. }) => (*radius, Some(pose.direction(Vec3::Z))),
        _ => {
            lost_because(reader, node, "tendons run over spheres and cylinders");
            return None;
        }
    };
    let carrier = Some(k).filter(|k| !model.carriers[*k].of_world);
    let center = Spot { carrier, at: pose.position };
    let side = match node.attribute("sidesite") {
        Some(_) => Some(site(reader, node, model, "sidesite")?),
        None => None,
    };
    // a side inside of the body asks for a way through its inside
    if side.is_some_and(|s| {
        let d = s.at - center.at;
        axis.map_or(d, |a| d - a * d.dot(a)).length() < radius
    }) {
        lost_because(reader, node, "its sidesite lies inside: tendons run around the outside here");
        return None;
    }
    Some(Round { after, center, radius, axis, side })
}

fn body<'m>(model: &'m Model<'_>, spot: &Spot) -> &'m str {
    spot.carrier.map_or("world", |c| &model.carriers[c].name)
}

/// A tendon between two sites.
fn straight(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    name: String,
    ends: [Spot; 2],
) {
    let [first, second] = ends.map(|s| body(model, &s).to_owned());
    if first == second {
        return super::xml::left_out_because(reader, node, "both sites are on one rigid body");
    }
    if model.number(reader, node, "main", "armature").is_some_and(|a| a > 0.0) {
        lost_attribute(reader, node, "armature", "a tendon between sites has no mass here");
    }

    // The joint: its coordinate is the length itself.
    let span = tag(node);
    let joint = model.items.claim(&name, "joint");
    let mut make = Make::new(&span);
    make.text("name", &joint).text("type", "free").names("bodies", [&first, &second]);
    let at = ends.map(|s| Item { span: span.clone(), value: vector(s.at, &span) });
    make.put("at", Value::Array(at.into())).put("collide", Value::Bool(true));
    let range = model.range(reader, node, "main", ["range", "limited"]);
    passive(reader, node, model, &mut make, ("length", 0.0, ends[0].at.distance(ends[1].at)));
    model.items.joint.push(make.done());
    let d = (ends[1].at - ends[0].at).normalize_or_zero();
    let rail = Driven {
        name: joint,
        coordinate: Some("length"),
        reference: 0.0,
        range,
        effort: None,
        rubs: false,
        link: usize::MAX,
    };
    let dense = model.dense(&[(ends[0].carrier, ends[0].at, -d), (ends[1].carrier, ends[1].at, d)]);
    model.tendons.insert(name, Tendon { rail, dense });
}

/// A longer one.
fn cable(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>, name: String, way: &Way) {
    // its connectors: points, then centres and sides
    let mut spots = way.points.clone();
    let mut wraps = Vec::new();
    for r in &way.rounds {
        let around = spots.len();
        spots.push(r.center);
        let side = r.side.map(|s| {
            spots.push(s);
            spots.len() - 1
        });
        wraps.push(Wrap { after: r.after, around, radius: r.radius, axis: r.axis, side });
    }
    let places: Vec<Vec3> = spots.iter().map(|s| s.at).collect();
    let (corners, length) = Wrap::line(&places, &wraps, &way.weights);

    // the inertia that it moves
    let forces: Vec<(Option<usize>, Vec3, Vec3)> = corners
        .windows(2)
        .filter(|w| w[0].weight != 0.0 && !w[0].on_surface)
        .flat_map(|w| {
            let u = (w[1].at - w[0].at).normalize_or_zero() * w[0].weight;
            [(spots[w[0].of].carrier, w[0].at, -u), (spots[w[1].of].carrier, w[1].at, u)]
        })
        .collect();
    let dense = model.dense(&forces);
    let felt = model.felt_dense(&dense);
    if !felt.is_finite() {
        return super::xml::left_out_because(reader, node, "it moves with no joint");
    }

    // the drum
    let span = tag(node);
    let armature = model.number(reader, node, "main", "armature").unwrap_or(0.0);
    let inertia = LIGHT * felt + armature;
    let drum = model.items.claim(&format!("{name} tendon"), "body");
    let mut make = Make::new(&span);
    make.text("name", &drum).number("mass", inertia).vector("center", Vec3::ZERO);
    make.vector("inertia", Vec3::splat(inertia));
    model.items.body.push(make.done());
    let rail = model.items.claim(&format!("{name} rail"), "joint");
    let mut make = Make::new(&span);
    make.text("name", &rail).text("type", "hinge").names("bodies", ["world", &drum]);
    make.vector("at", Vec3::ZERO).vector("axis", Vec3::Z);
    passive(reader, node, model, &mut make, ("angle", length, length));
    model.items.joint.push(make.done());

    // the cable
    let item = |value: Value| Item { span: span.clone(), value };
    let connector = |spot: &Spot| {
        let mut make = Make::new(&span);
        match spot.carrier {
            Some(c) => make
                .text("body", &model.carriers[c].name)
                .vector("point", model.carriers[c].pose.inverse_point(spot.at)),
            None => make.vector("fixed", spot.at),
        };
        make.done()
    };
    let connectors = spots.iter().map(connector).collect();
    let wrapped = |w: &Wrap| {
        let mut make = Make::new(&span);
        make.number("after", (w.after + 1) as f64).number("around", (w.around + 1) as f64);
        make.number("radius", w.radius);
        if let Some(axis) = w.axis {
            let turn = spots[w.around].carrier.map(|c| model.carriers[c].pose.rotation);
            make.vector("axis", turn.unwrap_or_default().conjugate() * axis);
        }
        if let Some(side) = w.side {
            make.number("side", (side + 1) as f64);
        }
        make.done()
    };
    let wrapped: Vec<Item> = wraps.iter().map(wrapped).collect();
    let title = model.items.claim(&name, "cable");
    let mut make = Make::new(&span);
    make.text("name", &title).text("type", "cable").put("connectors", Value::Array(connectors));
    if !wrapped.is_empty() {
        make.put("wraps", Value::Array(wrapped));
    }
    if way.weights.iter().any(|w| *w != 1.0) {
        let all = way.weights.iter().map(|w| item(Value::Number(*w))).collect();
        make.put("weights", Value::Array(all));
    }
    // the drum's angle is what the way is longer than in the pose of the file
    make.text("drum", &rail).number("radius", 1.0).put("one_sided", Value::Bool(false));
    make.put("collide", Value::Bool(true));
    model.items.constraint.push(make.done());
    model.robot.cables.push(robot::Cable { body: drum, cable: title });

    // what actuators see
    let efforts = ["actuatorfrcrange", "actuatorfrclimited"];
    let effort = model.range(reader, node, "main", efforts).map(|r| r[0].abs().max(r[1].abs()));
    let rail = Driven {
        name: rail,
        coordinate: Some("angle"),
        reference: length,
        range: model.range(reader, node, "main", ["range", "limited"]),
        effort,
        rubs: false,
        link: usize::MAX,
    };
    model.tendons.insert(name, Tendon { rail, dense });
}
