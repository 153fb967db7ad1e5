//! Rotations in their forms.

use crate::property::codec::{Codec, Described, Nested, Number, OrNone, Vector, WordOf, Written};
use crate::property::table_macro::table;
use crate::property::{Choice, Fault, Form, Value};
use kreisel_dynamics::math::rotation as from_vector;
use kreisel_dynamics::words::{Word, Words};
use kreisel_dynamics::{Quat, Vec3, World};

/// Axes of Euler angles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order(&'static str);
impl Words for Order {
    const WORDS: &'static [Word] = &[
        Word { word: "xyz", doc: "about x, then y, then z" },
        Word { word: "xzy", doc: "about x, then z, then y" },
        Word { word: "yxz", doc: "about y, then x, then z" },
        Word { word: "yzx", doc: "about y, then z, then x" },
        Word { word: "zxy", doc: "about z, then x, then y" },
        Word { word: "zyx", doc: "about z, then y, then x" },
    ];
    const VARIANTS: &'static [Self] =
        &[Self("xyz"), Self("xzy"), Self("yxz"), Self("yzx"), Self("zxy"), Self("zyx")];

    fn word(self) -> &'static str {
        self.0
    }
}

/// A rotation as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    about: [Option<f64>; 3],
    axis: Option<Vec3>,
    angle: f64,
    euler: Option<Vec3>,
    order: Order,
    quaternion: Option<Quat>,
}

impl Turn {
    const NONE: Self = Self {
        about: [None; 3],
        axis: None,
        angle: 0.0,
        euler: None,
        order: Order("xyz"),
        quaternion: None,
    };

    /// The rotation.
    fn quaternion(&self) -> Result<Quat, Fault> {
        if let Some(q) = self.quaternion {
            return Ok(q);
        }
        if let Some(angles) = self.euler {
            let about = |axis: char| match axis {
                'x' => Vec3::X,
                'y' => Vec3::Y,
                _ => Vec3::Z,
            };
            let turns = self.order.word().chars().zip(angles.to_array());
            let whole =
                turns.fold(Quat::IDENTITY, |q, (axis, angle)| q * from_vector(about(axis) * angle));
            return Ok(whole.normalize());
        }
        if let Some(axis) = self.axis {
            let none = || Fault::new("the axis of a rotation has length zero").under("axis");
            return Ok(from_vector(axis.try_normalize().ok_or_else(none)? * self.angle));
        }
        let [x, y, z] = self.about.map(Option::unwrap_or_default);
        Ok(from_vector(Vec3::new(x, y, z)))
    }
}

table! {
    /// A rotation, in one of several forms: about a coordinate axis (`x`, `y` or `z`), about any
    /// axis, by Euler angles, or as a quaternion. For several rotations one after the other there
    /// are Euler angles.
    static ROTATION: Turn = "rotation", "a rotation", Nested;
    blank Turn::NONE;
    choices &[Choice::exactly_one(&["x", "y", "z", "axis", "euler", "quaternion"]).help(
        "for several rotations one after the other use { euler = [a, b, c], order = \"xyz\" }")];
    check |it, _| it.quaternion().map(|_| ());
    {
    /// about the x axis
    x: OrNone<Number> = { get: |it| Some(it.about[0]), set: |it, x| it.about[0] = x } => .unit("rad");
    /// about the y axis
    y: OrNone<Number> = { get: |it| Some(it.about[1]), set: |it, x| it.about[1] = x } => .unit("rad");
    /// about the z axis
    z: OrNone<Number> = { get: |it| Some(it.about[2]), set: |it, x| it.about[2] = x } => .unit("rad");
    /// axis, with `angle`
    axis: OrNone<Vector> = it.axis;
    /// about `axis`
    angle: Number = it.angle => .unit("rad").required().with("axis");
    /// three rotations one after the other about the body's own (turned) axes, in the order of
    /// `order`
    euler: OrNone<Vector> = it.euler => .unit("rad");
    /// axes of the Euler angles
    order: WordOf<Order> = it.order => .with("euler");
    /// w is the scalar part
    quaternion: OrNone<Quaternion> = it.quaternion;
    }
}

/// A quaternion of length 1.
pub(crate) struct Quaternion;
impl Written for Quaternion {
    const FORM: Form = Form::Quaternion;
}
impl Codec<Quat> for Quaternion {
    fn write(q: &Quat, _: &World) -> Value {
        Value::numbers(q.to_array())
    }
    fn read(value: Value, _: &World) -> Result<Quat, Fault> {
        let Some(&[x, y, z, w]) = value.as_numbers().as_deref() else {
            return Fault::expected("a quaternion [x, y, z, w]", &value);
        };
        let q = Quat::from_xyzw(x, y, z, w);
        if !(0.99..=1.01).contains(&q.length()) {
            let length = q.length();
            return Err(Fault::new(format!(
                "a rotation is a quaternion of length 1, this one has length {length}"
            )));
        }
        // one of length 1 to rounding is left alone, so that what was written is read to the bit
        let exact = (q.length_squared() - 1.0).abs() <= 4.0 * f64::EPSILON;
        Ok(if exact { q } else { q.normalize() })
    }
}

/// A rotation: a vector (the axis times the angle), or a table.
pub(crate) struct Rotation;
impl Written for Rotation {
    const FORM: Form = Form::Either(&[Form::Table(Turn::table), Form::Vector]);
}
impl Codec<Quat> for Rotation {
    fn write(q: &Quat, world: &World) -> Value {
        Nested::write(&Turn { quaternion: Some(*q), ..Turn::NONE }, world)
    }
    fn read(value: Value, world: &World) -> Result<Quat, Fault> {
        match value.as_numbers().as_deref() {
            Some(&[x, y, z]) => Ok(from_vector(Vec3::new(x, y, z))),
            _ => <Nested<Turn> as Codec<Turn>>::read(value, world)?.quaternion(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotation(text: &str) -> Result<Quat, Fault> {
        Rotation::read(Value::of_toml(text).unwrap(), &World::default())
    }

    #[test]
    fn the_forms_agree_on_the_same_rotation() {
        let h = 0.5_f64.sqrt();
        let expected = Quat::from_xyzw(0.0, 0.0, h, h); // 90 degrees about z
        let right = std::f64::consts::FRAC_PI_2;
        for text in [
            format!("{{ z = {right} }}"),
            format!("{{ axis = [0, 0, 2], angle = {right} }}"),
            format!("{{ euler = [0, 0, {right}] }}"),
            format!("[0, 0, {right}]"),
            format!("{{ quaternion = [0, 0, {h}, {h}] }}"),
        ] {
            assert!(rotation(&text).unwrap().abs_diff_eq(expected, 1e-15), "{text}");
        }
    }

    #[test]
    fn euler_angles_turn_about_the_bodys_own_axes_in_the_stated_order() {
        // about x by 90 degrees, then about the body's own y, which then points along the world's z
        let right = std::f64::consts::FRAC_PI_2;
        let q = rotation(&format!("{{ euler = [{right}, {right}, 0], order = \"xyz\" }}")).unwrap();
        assert!((q * Vec3::Z).abs_diff_eq(Vec3::X, 1e-15), "{}", q * Vec3::Z);
        assert!((q * Vec3::Y).abs_diff_eq(Vec3::Z, 1e-15), "{}", q * Vec3::Y);
    }

    #[test]
    fn two_forms_at_once_and_axes_without_length_are_refused() {
        for text in [
            "{ x = 1, y = 1 }",
            "{ axis = [0, 0, 0], angle = 1 }",
            "{ quaternion = [0, 0, 0, 2] }",
            "{}",
        ] {
            assert!(rotation(text).is_err(), "{text}");
        }
    }
}
