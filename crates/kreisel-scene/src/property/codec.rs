//! How fields are written: one codec per way of writing, not per property.

use super::{Fault, Form, Table, Value};
use crate::problem::alternatives;
use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::words::Words;
use kreisel_dynamics::{BodyId, CurveId, JointId, Vec3, World};
use std::marker::PhantomData;

/// A way of writing.
pub trait Written {
    /// What it looks like.
    const FORM: Form;
}

/// A way of writing fields of type `F`.
pub trait Codec<F>: Written {
    /// The value of a field.
    fn write(field: &F, world: &World) -> Value;
    /// The field of a value that has the codec's form.
    fn read(value: Value, world: &World) -> Result<F, Fault>;
}

/// A struct with a table of its own.
pub trait Described: Sized + 'static {
    /// The table.
    fn table() -> &'static Table;
    /// One with all defaults.
    fn blank() -> Self;
}

/// `r#box` without what the compiler needs before it.
pub(crate) const fn plain(name: &'static str) -> &'static str {
    let b = name.as_bytes();
    if b.len() > 2 && b[0] == b'r' && b[1] == b'#' { name.split_at(2).1 } else { name }
}

macro_rules! simple {
    ($($(#[$m:meta])* $C:ident: $F:ty = $form:expr, $wanted:literal, |$x:ident| $w:expr, $pat:pat $(if $guard:expr)? => $r:expr;)*) => { $(
        $(#[$m])*
        pub struct $C;
        impl Written for $C { const FORM: Form = $form; }
        impl Codec<$F> for $C {
            fn write($x: &$F, _: &World) -> Value { $w }
            fn read(value: Value, _: &World) -> Result<$F, Fault> {
                match value { $pat $(if $guard)? => Ok($r), other => Fault::expected($wanted, &other) }
            }
        }
    )* }
}
simple! {
    /// True or false.
    Flag: bool = Form::Flag, "true or false", |x| Value::Flag(*x), Value::Flag(b) => b;
    /// A finite number.
    Number: f64 = Form::Number, "a number", |x| Value::Number(*x), Value::Number(x) => x;
    /// A whole number.
    Count: u32 = Form::Count, "a whole number", |x| Value::Number(f64::from(*x)), Value::Number(x) => x as u32;
    /// A whole number as a size.
    Size: usize = Form::Count, "a whole number", |x| Value::Number(*x as f64), Value::Number(x) => x as usize;
    /// A text.
    Text: String = Form::Text, "a text", |x| Value::Text(x.clone()), Value::Text(t) => t;
    /// A number whose infinity is written as nothing.
    Unlimited: f64 = Form::Optional(&Form::Unlimited), "a number",
        |x| if *x == f64::INFINITY { Value::None } else { Value::Number(*x) },
        v if v == Value::None || matches!(v, Value::Number(_)) =>
            if let Value::Number(x) = v { x } else { f64::INFINITY };
}

/// Three numbers.
pub struct Vector;
impl Written for Vector {
    const FORM: Form = Form::Vector;
}
impl Codec<Vec3> for Vector {
    fn write(v: &Vec3, _: &World) -> Value {
        Value::numbers(v.to_array())
    }
    fn read(value: Value, _: &World) -> Result<Vec3, Fault> {
        match value.as_numbers().as_deref() {
            Some(&[x, y, z]) => Ok(Vec3::new(x, y, z)),
            _ => Fault::expected("three numbers [x, y, z]", &value),
        }
    }
}

/// A formula in `t`, the time in s.
pub struct Formula;
impl Written for Formula {
    const FORM: Form = Form::Formula;
}
impl Codec<Expression> for Formula {
    fn write(formula: &Expression, _: &World) -> Value {
        Self::value(formula)
    }
    fn read(value: Value, _: &World) -> Result<Expression, Fault> {
        formula(&value, &["t".to_owned()])
    }
}

impl Formula {
    /// A number where it stands alone, else a text.
    pub(crate) fn value(formula: &Expression) -> Value {
        let number = formula.closed().parse::<f64>().ok().filter(|x| x.is_finite());
        number.map_or_else(|| Value::Text(formula.closed().to_owned()), Value::Number)
    }
}

/// The formula that a value holds.
pub(crate) fn formula(value: &Value, variables: &[String]) -> Result<Expression, Fault> {
    let names: Vec<&str> = variables.iter().map(String::as_str).collect();
    match value {
        Value::Number(x) => Ok(Expression::constant(*x)),
        Value::Text(text) => Expression::new(text, &names, &[]).map_err(|e| {
            let fault = Fault::new(format!(
                "\"{text}\" is no formula in {}: {}",
                names.join(", "),
                e.message
            ));
            e.help.into_iter().fold(fault, Fault::help)
        }),
        other => Fault::expected("a formula", other),
    }
}

/// `Option`: nothing is "none".
pub struct OrNone<C>(PhantomData<C>);
impl<C: Written> Written for OrNone<C> {
    const FORM: Form = Form::Optional(&C::FORM);
}
impl<C: Codec<F>, F> Codec<Option<F>> for OrNone<C> {
    fn write(field: &Option<F>, world: &World) -> Value {
        field.as_ref().map_or(Value::None, |f| C::write(f, world))
    }
    fn read(value: Value, world: &World) -> Result<Option<F>, Fault> {
        if value == Value::None { Ok(None) } else { C::read(value, world).map(Some) }
    }
}

/// From `MIN` to `MAX` values.
pub struct Listed<C, const MIN: usize, const MAX: usize>(PhantomData<C>);
impl<C: Written, const MIN: usize, const MAX: usize> Written for Listed<C, MIN, MAX> {
    const FORM: Form = Form::List(&C::FORM, MIN, MAX);
}
impl<C: Codec<F>, F, const MIN: usize, const MAX: usize> Codec<Vec<F>> for Listed<C, MIN, MAX> {
    fn write(field: &Vec<F>, world: &World) -> Value {
        Value::List(field.iter().map(|x| C::write(x, world)).collect())
    }
    fn read(value: Value, world: &World) -> Result<Vec<F>, Fault> {
        let Value::List(items) = value else { return Fault::expected("an array", &value) };
        if !(MIN..=MAX).contains(&items.len()) {
            let wanted = if MIN == MAX { MIN.to_string() } else { format!("from {MIN} to {MAX}") };
            return Err(Fault::new(format!("expected {wanted} values, found {}", items.len())));
        }
        items
            .into_iter()
            .enumerate()
            .map(|(k, v)| C::read(v, world).map_err(|f| f.under(k)))
            .collect()
    }
}
impl<C: Codec<F>, F, const N: usize> Codec<[F; N]> for Listed<C, N, N> {
    fn write(field: &[F; N], world: &World) -> Value {
        Value::List(field.iter().map(|x| C::write(x, world)).collect())
    }
    fn read(value: Value, world: &World) -> Result<[F; N], Fault> {
        let all: Vec<F> = <Self as Codec<Vec<F>>>::read(value, world)?;
        all.try_into().map_err(|_| Fault::new(format!("expected {N} values")))
    }
}

/// A nested table.
pub struct Nested<T>(PhantomData<T>);
impl<T: Described> Written for Nested<T> {
    const FORM: Form = Form::Table(T::table);
}
impl<T: Described> Codec<T> for Nested<T> {
    fn write(field: &T, world: &World) -> Value {
        Value::Table(
            T::table().values(field, world).into_iter().map(|(k, v)| (k.to_owned(), v)).collect(),
        )
    }
    fn read(value: Value, world: &World) -> Result<T, Fault> {
        let Value::Table(entries) = value else { return Fault::expected("a table", &value) };
        let mut out = T::blank();
        T::table().assign_all(&mut out, entries, world)?;
        Ok(out)
    }
}

/// A word of an enum.
pub struct WordOf<E>(PhantomData<E>);
impl<E: Words> Written for WordOf<E> {
    const FORM: Form = Form::Words(E::WORDS);
}
impl<E: Words> Codec<E> for WordOf<E> {
    fn write(field: &E, _: &World) -> Value {
        Value::Text(field.word().into())
    }
    fn read(value: Value, _: &World) -> Result<E, Fault> {
        let Value::Text(word) = &value else { return Fault::expected("a word", &value) };
        E::of_word(word).ok_or_else(|| unknown_word(word, E::WORDS.iter().map(|w| w.word)))
    }
}

/// A word that is none of those it could be.
pub(crate) fn unknown_word<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Fault {
    Fault::new(format!("\"{word}\" is not one of its words"))
        .help(format!("use {}", alternatives(words)))
}

/// The id of an item that others refer to by name.
pub trait Id: Copy + 'static {
    /// What the item is called.
    const KIND: &'static str;
    /// The item of this name.
    fn find(world: &World, name: &str) -> Option<Self>;
    /// Its name.
    fn name(self, world: &World) -> Option<String>;
}
macro_rules! ids {
    ($($I:ident: $kind:literal, $named:ident, $name:ident;)*) => { $(
        impl Id for $I {
            const KIND: &'static str = $kind;
            fn find(world: &World, name: &str) -> Option<Self> {
                world.$named(name)
            }
            fn name(self, world: &World) -> Option<String> {
                world.$name(self).map(|n| n.to_string())
            }
        }
    )* }
}
ids! {
    BodyId: "body", body_named, body_name;
    JointId: "joint", joint_named, joint_name;
    CurveId: "curve", curve_named, curve_name;
}

/// The name of an item.
pub struct Ref<I>(PhantomData<I>);
impl<I: Id> Written for Ref<I> {
    const FORM: Form = Form::Reference(I::KIND);
}
impl<I: Id> Codec<I> for Ref<I> {
    fn write(id: &I, world: &World) -> Value {
        id.name(world).map_or(Value::None, Value::Text)
    }
    fn read(value: Value, world: &World) -> Result<I, Fault> {
        let Value::Text(name) = &value else { return Fault::expected("a name", &value) };
        I::find(world, name)
            .ok_or_else(|| Fault::new(format!("there is no {} \"{name}\"", I::KIND)))
    }
}
