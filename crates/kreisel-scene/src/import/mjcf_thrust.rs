//! Actuators of MJCF at sites: forces and torques in the frame of a site, as thrusters.
//!
//! `gear` has three numbers for the force and three for the torque. Without a `refsite` the length
//! of such an actuator is 0, so that its force is gain u + b₀, behind a lag where it has one.

use super::make::Make;
use super::mjcf_drive::Law;
use super::mjcf_model::Model;
use super::xml::{lost_because, place, required, tag};
use crate::node::{Node as Item, Value};
use crate::problem::{Code, nearest};
use crate::read::Reader;
use crate::robot::Drive;
use kreisel_dynamics::Vec3;
use kreisel_geometry::Pose;
use roxmltree::Node;

/// Makes the thruster of an actuator.
pub(super) fn thruster(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    law: &Law,
) -> Option<Drive> {
    let name = required(reader, node, "site")?;
    let Some((carrier, pose)) = model.sites.get(name).copied() else {
        let near = nearest(name, model.sites.keys().map(String::as_str));
        let help = near.map(|n| format!("did you mean \"{n}\"?"));
        let message = format!("there is no site \"{name}\"");
        reader
            .error(Code::UnknownName, &place(node, "site"), message, "unknown site")
            .help_if(help);
        return None;
    };
    if node.has_attribute("refsite") {
        lost_because(reader, node, "forces between a site and its refsite have no counterpart");
        return None;
    }
    if law.bias[2] != 0.0 {
        lost_because(reader, node, "its bias by the rate of a site has no counterpart");
        return None;
    }
    let Some(carrier) = carrier.filter(|c| !model.carriers[*c].fixed) else {
        super::xml::left_out_because(reader, node, "its site stands still");
        return None;
    };

    // force and torque for a unit of its force, in the frame of the body
    let gear = law.list(reader, node, "gear").unwrap_or_else(|| vec![1.0]);
    let at = |k: usize| gear.get(k).copied().unwrap_or(0.0);
    let own = &model.carriers[carrier];
    let turn = own.pose.rotation.conjugate() * pose.rotation;
    let force = turn * Vec3::new(at(0), at(1), at(2));
    let torque = turn * Vec3::new(at(3), at(4), at(5));
    let unit = if force == Vec3::ZERO { 1.0 } else { force.length() };

    // its range, by force or control
    let (gain, load) = (law.gain, law.bias[0]);
    let mut range = law.range(reader, node, model, ["ctrlrange", "ctrllimited"]);
    if let Some([low, high]) = law.range(reader, node, model, ["forcerange", "forcelimited"]) {
        let [a, b] = [(low - load) / gain, (high - load) / gain];
        let [r, s] = range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        range = Some([a.min(b).max(r), a.max(b).min(s)]);
    }
    let control = range.map_or(0.0, |[low, high]| 0.0_f64.max(low).min(high));
    let (scale, offset) = (gain * unit, load * unit);

    let span = tag(node);
    let given =
        node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("thruster"));
    let title = model.items.claim(&given, "thruster");
    let body = model.carriers[carrier].name.clone();
    let local: Pose = model.carriers[carrier].pose;
    let mut connector = Make::new(&span);
    connector.text("body", &body).vector("point", local.inverse_point(pose.position));
    let mut make = Make::new(&span);
    make.text("name", &title).text("type", "thruster");
    let connectors: Vec<Item> = vec![connector.done()];
    make.put("connectors", Value::Array(connectors));
    make.number("thrust", scale * control + offset);
    if force != Vec3::ZERO {
        make.vector("direction", force);
    }
    if torque != Vec3::ZERO {
        make.vector("torque", torque / unit);
    }
    if law.lag > 0.0 {
        make.number("lag", law.lag);
    }
    model.items.controller.push(make.done());
    Some(Drive { motor: title, scale, offset, range })
}
