//! Properties in recordings: any that is a number, a flag (0 or 1) or a vector, by its path.

use super::PathError;
use super::path::Found;
use super::quantity::Quantity;
use crate::items::{Appearance, Item, RunSettings};
use crate::property::{Form, Value};
use crate::scene::{Finish, Timing};
use kreisel_dynamics::World;
use std::sync::Arc;

/// A property that is recorded.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    item: Item,
    key: String,
    pub vector: bool,
}

impl Watched {
    /// Appends its numbers; of what is no number (any more), no limit included, NaN.
    pub fn measure(&self, world: &World, out: &mut Vec<f64>) {
        let value = self.item.get(world, &RunSettings::default(), &self.key);
        match value {
            Ok(Value::Number(x)) if !self.vector => out.push(x),
            Ok(Value::Flag(b)) if !self.vector => out.push(f64::from(u8::from(b))),
            Ok(list) if self.vector => match list.as_numbers().as_deref() {
                Some(&[x, y, z]) => out.extend([x, y, z]),
                _ => out.extend([f64::NAN; 3]),
            },
            _ => out.push(f64::NAN),
        }
    }
}

/// The property that a path names, if it names one.
pub(super) fn resolve(world: &World, path: &str) -> Option<Result<Found, PathError>> {
    let run = RunSettings::default();
    let (item, key) = Item::of_path(world, &run, path)?;
    let p = item.property(key)?;
    let refuse = |what: &str| {
        let help = "numbers, true or false and vectors of the world can be recorded".to_owned();
        Some(Err(PathError { message: format!("\"{path}\" is {what}"), help: Some(help) }))
    };

    // a number, a flag or a vector
    let value = item.get(world, &run, key).ok()?;
    let plain = |form: &Form| {
        matches!(form, Form::Flag | Form::Number | Form::Unlimited | Form::Count | Form::OneOf(_))
    };
    let inner = if let Form::Optional(inner) = p.form { *inner } else { p.form };
    let vector = matches!(inner, Form::Vector) && !matches!(value, Value::Number(_));
    if !(plain(&inner) || vector || matches!(value, Value::Number(_) | Value::Flag(_))) {
        return refuse("no number");
    }

    // a world knows neither how it is run nor what it looks like
    let other = Timing { step: 0.5, duration: 3.0, oversampling: 7, real_time: true };
    let finish = Finish { opacity: 0.5, reflection: 0.5, texture: "other".into() };
    let look = Appearance { finish, ..Appearance::default() };
    let looks = world.body_named(&item.name).map(|id| (id, look)).into_iter().collect();
    let elsewhere = RunSettings { timing: other, looks: Arc::new(looks), ..RunSettings::default() };
    if item.get(world, &elsewhere, key).ok()? != value {
        return refuse("a setting of the run, not of the world");
    }
    let unit = item.unit(world, &run, key);
    let watched = Watched { item, key: key.to_owned(), vector };
    Some(Ok((path.to_owned(), Some(unit), Quantity::Property(Arc::new(watched)))))
}
