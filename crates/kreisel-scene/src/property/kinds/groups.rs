//! Collision groups.

use crate::property::codec::{Codec, Written};
use crate::property::table_macro::table;
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::{CollisionGroups, World};

table! {
    /// Two bodies meet if each one's `with` names a group of the other.
    static GROUPS: CollisionGroups = "groups", "groups", Nested;
    blank CollisionGroups::default();
    {
    /// the groups that the body belongs to, by numbers from 0 to 31; default [0]
    member: Bits = it.member => .within(0.0, 31.0);
    /// the groups that it collides with; default all
    with: Bits = it.with => .within(0.0, 31.0);
    }
}

/// Numbers of the bits that are set.
struct Bits;
impl Written for Bits {
    const FORM: Form = Form::List(&Form::Count, 0, 32);
}
impl Codec<u32> for Bits {
    fn write(bits: &u32, _: &World) -> Value {
        Value::numbers((0..32).filter(|k| bits >> k & 1 == 1).map(f64::from))
    }
    fn read(value: Value, _: &World) -> Result<u32, Fault> {
        let Some(list) = value.as_numbers() else {
            return Fault::expected("numbers of groups such as [0, 3]", &value);
        };
        // the range of the property has been checked
        Ok(list.iter().fold(0, |bits, k| bits | 1 << (*k as u32 & 31)))
    }
}
