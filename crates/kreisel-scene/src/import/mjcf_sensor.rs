//! Sensors of MJCF.
//!
//! | MJCF | here |
//! |---|---|
//! | `accelerometer`, `gyro`, `velocimeter` at a site | the same |
//! | `force`, `torque` at a site | `joint_force`, `joint_torque` of the joint that carries its body |
//! | `jointpos`, `jointvel`, `jointactuatorfrc` | `joint_position` (a bias brings it to the file's count), `joint_rate`, `joint_effort` |
//! | `actuatorvel`, `actuatorfrc` with gear 1 | `motor_rate`, `motor_effort` |
//! | `framepos`, `framequat`, `frame?axis`, `framelinvel`, `frameangvel` of sites and `xbody` | `position`, `orientation` (x, y, z, w), `direction`, velocities |
//! | `frameangacc` | `angular_acceleration` |
//! | `touch` | `touch` of the whole body |
//! | `rangefinder` | `range` along the site's z axis |
//! | `clock` | `clock` |
//!
//! `cutoff` is `saturation`. `noise` is a number for the user in MuJoCo, which does not add it: it
//! is not added here either.

use super::make::Make;
use super::mjcf_drive::Law;
use super::mjcf_model::Model;
use super::xml::{elements, ignored, left_out, left_out_because, number, place, required, tag};
use crate::node::{Node as Item, Value};
use crate::problem::{Code, nearest};
use crate::read::Reader;
use kreisel_dynamics::{Quat, Vec3};
use kreisel_geometry::Pose;
use roxmltree::Node;

/// A frame of the model: the rigid body that carries it, and its pose in the world.
type Frame = (Option<usize>, Pose);

/// Reads a sensor.
pub(super) fn read(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) {
    let mut make = Make::new(&tag(node));
    let given = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("sensor"));
    if fill(reader, node, model, &mut make).is_none() {
        return;
    }
    if let Some(cutoff) = number(reader, node, "cutoff").filter(|c| *c > 0.0) {
        make.number("saturation", cutoff);
    }
    for key in ["delay", "interval"] {
        if node.has_attribute(key) {
            ignored(
                reader,
                node,
                key,
                "sensors of models give out their samples at once, at every step",
            );
        }
    }
    let name = model.items.claim(&given, "sensor");
    make.text("name", &name);
    model.items.sensor.push(make.done());
}

/// What it measures; nothing after it has been named as left out.
fn fill(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>, make: &mut Make) -> Option<()> {
    match node.tag_name().name() {
        "clock" => {
            make.text("type", "clock");
        }
        word @ ("accelerometer" | "gyro" | "velocimeter") => {
            let frame = site(reader, node, model, "site")?;
            on(make.text("type", word), model, frame, Quat::IDENTITY);
        }
        "touch" => {
            let frame = site(reader, node, model, "site")?;
            ignored(
                reader,
                node,
                "site",
                "all contacts of its body count, not those in its volume alone",
            );
            on(make.text("type", "touch"), model, frame, Quat::IDENTITY);
        }
        "rangefinder" => {
            let frame = site(reader, node, model, "site")?;
            // rays go along z there, along x here
            on(
                make.text("type", "range"),
                model,
                frame,
                Quat::from_rotation_y(-std::f64::consts::FRAC_PI_2),
            );
        }
        word @ ("force" | "torque") => {
            let frame = site(reader, node, model, "site")?;
            let Some(joint) = frame.0.and_then(|c| carried_by(model, &model.carriers[c].name))
            else {
                left_out_because(
                    reader,
                    node,
                    "no joint carries its body: it is one rigid body with its parent here",
                );
                return None;
            };
            make.text("type", if word == "force" { "joint_force" } else { "joint_torque" })
                .text("joint", &joint);
            on(make, model, frame, Quat::IDENTITY);
        }
        word @ ("jointpos" | "jointvel" | "jointactuatorfrc") => {
            of_joint(reader, node, model, make, word)?
        }
        word @ ("actuatorvel" | "actuatorfrc") => of_actuator(reader, node, model, make, word)?,
        word if word.starts_with("frame") => of_frame(reader, node, model, make, word)?,
        _ => {
            left_out(reader, node);
            return None;
        }
    }
    Some(())
}

/// Carried by the body of a frame, turned in that frame.
fn on(make: &mut Make, model: &Model<'_>, (carrier, pose): Frame, turn: Quat) {
    let (name, own) = carrier
        .map_or(("world", Pose::IDENTITY), |c| (&model.carriers[c].name, model.carriers[c].pose));
    let q = own.rotation.conjugate() * pose.rotation * turn;
    make.text("body", name).vector("at", own.inverse_point(pose.position));
    make.vector("forward", q * Vec3::X).vector("up", q * Vec3::Z);
}

/// The site that an attribute names.
fn site(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>, key: &str) -> Option<Frame> {
    let name = required(reader, node, key)?;
    let found = model.sites.get(name).copied();
    if found.is_none() {
        unknown(reader, node, key, "site", nearest(name, model.sites.keys().map(String::as_str)));
    }
    found
}

fn unknown(reader: &mut Reader, node: Node<'_, '_>, key: &str, what: &str, near: Option<&str>) {
    let message = format!("there is no {what} \"{}\"", node.attribute(key).unwrap_or_default());
    let help = near.map(|n| format!("did you mean \"{n}\"?"));
    reader
        .error(Code::UnknownName, &place(node, key), message, format!("unknown {what}"))
        .help_if(help);
}

/// The last joint here whose second body has this name.
fn carried_by(model: &Model<'_>, body: &str) -> Option<String> {
    let field = |item: &Item, key: &str| {
        let Value::Table(table) = &item.value else { return None };
        table.get(key).map(|n| n.value.clone())
    };
    let text = |v: Value| if let Value::Text(t) = v { Some(t) } else { None };
    let carries = |item: &&Item| {
        let Some(Value::Array(ends)) = field(item, "bodies") else { return false };
        ends.get(1).is_some_and(|n| text(n.value.clone()).is_some_and(|t| t == body))
    };
    let joint = model.items.joint.iter().rev().find(carries)?;
    field(joint, "name").and_then(text)
}

fn of_joint(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &Model<'_>,
    make: &mut Make,
    word: &str,
) -> Option<()> {
    let name = required(reader, node, "joint")?;
    let Some(driven) = model.joints.get(name) else {
        unknown(
            reader,
            node,
            "joint",
            "joint",
            nearest(name, model.joints.keys().map(String::as_str)),
        );
        return None;
    };
    let Some(coordinate) = driven.coordinate else {
        left_out_because(reader, node, "a ball has no coordinate here");
        return None;
    };
    let kind = match word {
        "jointpos" => "joint_position",
        "jointvel" => "joint_rate",
        _ => "joint_effort",
    };
    make.text("type", kind).text("joint", &driven.name).text("coordinate", coordinate);
    if word == "jointpos" && driven.reference != 0.0 {
        make.number("bias", driven.reference);
    }
    Some(())
}

fn of_actuator(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &Model<'_>,
    make: &mut Make,
    word: &str,
) -> Option<()> {
    let name = required(reader, node, "actuator")?;
    let root = node.document().root_element();
    let mut all = elements(root).filter(|n| n.has_tag_name("actuator")).flat_map(elements);
    let Some((k, actuator)) =
        all.by_ref().enumerate().find(|(_, n)| n.attribute("name") == Some(name))
    else {
        unknown(reader, node, "actuator", "actuator", None);
        return None;
    };
    let at_site = actuator.has_attribute("site");
    let drive = model.robot.drives.get(k).and_then(Option::as_ref).filter(|_| !at_site);
    let Some(drive) = drive else {
        left_out_because(reader, node, "its actuator is not read");
        return None;
    };
    if Law::new(reader, actuator, model).number(reader, actuator, "gear", 1.0) != 1.0 {
        left_out_because(
            reader,
            node,
            "its actuator has a gear: effort and rate here are those of the joint",
        );
        return None;
    }
    let kind = if word == "actuatorvel" { "motor_rate" } else { "motor_effort" };
    make.text("type", kind).text("motor", &drive.motor);
    Some(())
}

fn of_frame(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &Model<'_>,
    make: &mut Make,
    word: &str,
) -> Option<()> {
    // the sensor's x axis is the one that is asked for
    let quarter = std::f64::consts::FRAC_PI_2;
    let (kind, turn) = match word {
        "framepos" => ("position", Quat::IDENTITY),
        "framequat" => ("orientation", Quat::IDENTITY),
        "framexaxis" => ("direction", Quat::IDENTITY),
        "frameyaxis" => ("direction", Quat::from_rotation_z(quarter)),
        "framezaxis" => ("direction", Quat::from_rotation_y(-quarter)),
        "framelinvel" => ("linear_velocity", Quat::IDENTITY),
        "frameangvel" => ("angular_velocity", Quat::IDENTITY),
        "frameangacc" => ("angular_acceleration", Quat::IDENTITY),
        "framelinacc" => {
            left_out_because(
                reader,
                node,
                "it lacks gravity's part in MuJoCo; an accelerometer at a site has a counterpart",
            );
            return None;
        }
        _ => {
            left_out(reader, node);
            return None;
        }
    };
    let frame = frame(reader, node, model, ["objtype", "objname"])?;
    make.text("type", kind);
    on(make, model, frame, turn);
    if node.has_attribute("reftype") {
        let (carrier, pose) = self::frame(reader, node, model, ["reftype", "refname"])?;
        let carrier = carrier.map(|c| &model.carriers[c]);
        let own = carrier.map_or(Pose::IDENTITY, |c| c.pose);
        if own != pose {
            left_out_because(reader, node, "its reference is a frame on a body, not a body's own");
            return None;
        }
        make.text("relative_to", carrier.map_or("world", |c| &c.name));
    }
    Some(())
}

/// The site or body that two attributes name.
fn frame(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &Model<'_>,
    keys: [&str; 2],
) -> Option<Frame> {
    match required(reader, node, keys[0])? {
        "site" => site(reader, node, model, keys[1]),
        "xbody" => {
            let name = required(reader, node, keys[1])?;
            if name == "world" {
                return Some((None, Pose::IDENTITY));
            }
            let found = model.parts.get(name).map(|p| (Some(p.carrier), p.pose));
            if found.is_none() {
                unknown(
                    reader,
                    node,
                    keys[1],
                    "body",
                    nearest(name, model.parts.keys().map(String::as_str)),
                );
            }
            found
        }
        _ => {
            left_out_because(
                reader,
                node,
                "only frames of sites and xbody are read, not of inertia, geoms and cameras",
            );
            None
        }
    }
}
