//! `[[field]]`.

use crate::property::codec::{Codec, Flag, Number, OrNone, Text, Vector, Written, unknown_word};
use crate::property::table_macro::table;
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::words::Word;
use kreisel_dynamics::{Field, FieldKind, Vec3, World, bounds};

table! {
    /// A force field that acts on every dynamic body.
    static FIELD: Field = "field", "[[field]]", Item;
    blank Field::new(FieldKind::Gravity(Vec3::NAN));
    check |it, _| check(&it.kind);
    {
    /// unique name; default "field 1", …
    name: Text = it.name;
    /// what it does; another type begins with a strength of 0
    r#type: TypeWord = { get: |it| Some(it.kind), set: |it, x| it.kind = of_type(&it.kind, x) } => .required();
    /// of a gravity field, on top of the world's
    gravity: OrNone<Vector> = { get: |it| Some(gravity(&it.kind)), set: |it, g| set_gravity(&mut it.kind, g) }
        => .unit("m/s²").bound(bounds::GRAVITY).direction().only("type", &["gravity"]);
    /// of friction (speeds decay as e^(-strength t), 1/s) or of a radial field (negative attracts,
    /// N m)
    strength: OrNone<Number> = { get: |it| Some(strength(&it.kind)), set: |it, k| set_strength(&mut it.kind, k) }
        => .bound(bounds::STRENGTH).only("type", &["friction", "radial"]);
    /// of a radial field
    center: Vector = { get: |it| Some(center(&it.kind)), set: |it, q| set_center(&mut it.kind, q) }
        => .unit("m").bound(bounds::POSITION).point().only("type", &["radial"]);
    /// a field that is not active does nothing
    active: Flag = it.active;
    }
}

/// A kind needs its number.
fn check(kind: &FieldKind) -> Result<(), Fault> {
    match kind {
        FieldKind::Gravity(g) if !g.is_finite() => {
            let help = "gravity: [x, y, z] m/s², on top of the world's";
            Err(Fault::new("a gravity field needs `gravity`").help(help).under("type"))
        }
        FieldKind::Friction(k) | FieldKind::Radial { strength: k, .. } if !k.is_finite() => {
            let help = "strength: of friction in 1/s, of a radial field in N m (negative attracts)";
            Err(Fault::new("this field needs `strength`").help(help).under("type"))
        }
        _ => Ok(()),
    }
}

/// A field of another type: without numbers as long as none was given, else with none of its own.
fn of_type(old: &FieldKind, new: FieldKind) -> FieldKind {
    if std::mem::discriminant(old) == std::mem::discriminant(&new) {
        return *old;
    }
    let begin = if check(old).is_ok() { 0.0 } else { f64::NAN };
    match new {
        FieldKind::Gravity(_) => FieldKind::Gravity(Vec3::splat(begin)),
        FieldKind::Friction(_) => FieldKind::Friction(begin),
        FieldKind::Radial { .. } => FieldKind::Radial { center: Vec3::ZERO, strength: begin },
    }
}

fn gravity(kind: &FieldKind) -> Option<Vec3> {
    if let FieldKind::Gravity(g) = kind { Some(*g).filter(|g| g.is_finite()) } else { None }
}

fn set_gravity(kind: &mut FieldKind, gravity: Option<Vec3>) {
    if let FieldKind::Gravity(g) = kind {
        *g = gravity.unwrap_or(Vec3::NAN);
    }
}

fn strength(kind: &FieldKind) -> Option<f64> {
    match kind {
        FieldKind::Friction(k) | FieldKind::Radial { strength: k, .. } => {
            Some(*k).filter(|k| k.is_finite())
        }
        FieldKind::Gravity(_) => None,
    }
}

fn set_strength(kind: &mut FieldKind, strength: Option<f64>) {
    if let FieldKind::Friction(k) | FieldKind::Radial { strength: k, .. } = kind {
        *k = strength.unwrap_or(f64::NAN);
    }
}

fn center(kind: &FieldKind) -> Vec3 {
    if let FieldKind::Radial { center, .. } = kind { *center } else { Vec3::ZERO }
}

fn set_center(kind: &mut FieldKind, to: Vec3) {
    if let FieldKind::Radial { center, .. } = kind {
        *center = to;
    }
}

/// The word after `type`; the numbers stand under keys of their own.
struct TypeWord;
impl TypeWord {
    const KINDS: [FieldKind; 3] = [
        FieldKind::Gravity(Vec3::NAN),
        FieldKind::Friction(f64::NAN),
        FieldKind::Radial { center: Vec3::ZERO, strength: f64::NAN },
    ];
    const WORDS: &[Word] = &[
        Word { word: "gravity", doc: "the same acceleration everywhere" },
        Word { word: "friction", doc: "against all motion" },
        Word { word: "radial", doc: "from or towards a point" },
    ];
}
impl Written for TypeWord {
    const FORM: Form = Form::Words(Self::WORDS);
}
impl Codec<FieldKind> for TypeWord {
    fn write(kind: &FieldKind, _: &World) -> Value {
        let same = |k: &FieldKind| std::mem::discriminant(k) == std::mem::discriminant(kind);
        Self::KINDS
            .iter()
            .position(same)
            .map_or(Value::None, |k| Value::Text(Self::WORDS[k].word.into()))
    }
    fn read(value: Value, _: &World) -> Result<FieldKind, Fault> {
        let Value::Text(word) = &value else { return Fault::expected("a type of field", &value) };
        let k = Self::WORDS.iter().position(|w| w.word == word);
        k.map(|k| Self::KINDS[k])
            .ok_or_else(|| unknown_word(word, Self::WORDS.iter().map(|w| w.word)))
    }
}
