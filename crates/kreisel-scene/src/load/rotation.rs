//! Rotations in their four forms.

use crate::expr::Unit;
use crate::grammar;
use crate::node::Node;
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::math::rotation as from_vector;
use kreisel_dynamics::{Quat, Vec3};

/// Reads a rotation.
pub(super) fn read(reader: &mut Reader, node: &Node) -> Option<Quat> {
    let table = reader.table(node, "a rotation such as { z = \"30 deg\" }")?;
    let fields = reader.fields(table, &node.span, &grammar::ROTATION);
    for (key, axis) in [("x", Vec3::X), ("y", Vec3::Y), ("z", Vec3::Z)] {
        if let Some(n) = fields.get(key) {
            let angle = reader.number(n, Unit::Angle)?;
            return alone(reader, node, &[key], table.entries.len()).then(|| from_vector(axis * angle));
        }
    }
    if let Some(n) = fields.get("quaternion") {
        let items = reader.array(n, 4, "a quaternion [x, y, z, w]")?;
        let [x, y, z, w] = [0, 1, 2, 3].map(|k| reader.plain(&items[k]));
        let q = Quat::from_xyzw(x?, y?, z?, w?);
        if !(0.99..=1.01).contains(&q.length()) {
            let message = format!("a rotation is a quaternion of length 1, this one has length {}", q.length());
            reader.error(Code::WrongValue, &n.span, message, "not of length 1");
            return None;
        }
        // One of length 1 to rounding is left alone, so that what was written is read to the bit.
        let exact = (q.length_squared() - 1.0).abs() <= 4.0 * f64::EPSILON;
        let unit = if exact { q } else { q.normalize() };
        return alone(reader, node, &["quaternion"], table.entries.len()).then_some(unit);
    }
    if let Some(n) = fields.get("euler") {
        let angles = reader.vec3(n, Unit::Angle)?;
        let order = match fields.get("order") {
            Some(n) => reader.choice(n, "order of axes", &ORDERS.map(|o| (o, o)))?,
            None => "xyz",
        };
        let mut q = Quat::IDENTITY;
        for (axis, angle) in order.chars().zip(angles.to_array()) {
            let axis = match axis {
                'x' => Vec3::X,
                'y' => Vec3::Y,
                _ => Vec3::Z,
            };
            q *= from_vector(axis * angle);
        }
        return Some(q.normalize());
    }
    let axis_node = reader.required(&fields, "axis")?;
    let axis = reader.vec3(axis_node, Unit::Plain)?;
    let angle = reader.required(&fields, "angle").and_then(|n| reader.number(n, Unit::Angle))?;
    let Some(axis) = axis.try_normalize() else {
        reader.error(Code::WrongValue, &axis_node.span, "the axis of a rotation has length zero", "no direction");
        return None;
    };
    Some(from_vector(axis * angle))
}

const ORDERS: [&str; 6] = ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"];

/// Whether a form of rotation stands alone.
fn alone(reader: &mut Reader, node: &Node, keys: &[&str], entries: usize) -> bool {
    if entries == keys.len() {
        return true;
    }
    let help = "for several rotations one after the other use { euler = [a, b, c], order = \"xyz\" }";
    reader.error(Code::WrongValue, &node.span, "a rotation takes one form only", "more than one form").help(help);
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{Table, Value};
    use crate::source::Source;

    fn rotation(text: &str) -> Option<Quat> {
        let whole = format!("r = {text}");
        let document = toml::de::DeTable::parse(&whole).ok()?;
        let table = Table::from_toml(document.get_ref());
        let node = table.get("r")?;
        assert!(matches!(node.value, Value::Table(_)));
        read(&mut Reader::new(Source::new("t", whole.as_str()), crate::files::Files::default()), node)
    }

    #[test]
    fn the_four_forms_agree_on_the_same_rotation() {
        let h = 0.5_f64.sqrt();
        let expected = Quat::from_xyzw(0.0, 0.0, h, h); // 90 degrees about z
        let q = format!("{{ quaternion = [0, 0, {h}, {h}] }}");
        for text in
            ["{ z = \"90 deg\" }", "{ axis = [0, 0, 2], angle = \"pi / 2\" }", "{ euler = [0, 0, \"90 deg\"] }", &q]
        {
            assert!(rotation(text).unwrap().abs_diff_eq(expected, 1e-15), "{text}");
        }
    }

    #[test]
    fn euler_angles_turn_about_the_bodys_own_axes_in_the_stated_order() {
        // About x by 90 degrees, then about the body's own y, which then points along the world's
        // z.
        let q = rotation("{ euler = [\"90 deg\", \"90 deg\", 0], order = \"xyz\" }").unwrap();
        assert!((q * Vec3::Z).abs_diff_eq(Vec3::X, 1e-15), "{}", q * Vec3::Z);
        assert!((q * Vec3::Y).abs_diff_eq(Vec3::Z, 1e-15), "{}", q * Vec3::Y);
    }

    #[test]
    fn two_forms_at_once_are_refused() {
        assert_eq!(rotation("{ x = 1, y = 1 }"), None);
    }
}
