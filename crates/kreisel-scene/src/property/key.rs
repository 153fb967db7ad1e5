//! A property, as data.

use super::range::number;
use super::{Fault, Form, Range, Unit, Value};
use kreisel_dynamics::World;
use kreisel_dynamics::bounds::Bound;
use std::any::Any;

/// What a frame, or the pose of an instance, does to the vectors of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// Nothing.
    Not,
    /// They are points.
    Point,
    /// They are directions.
    Direction,
    /// They are rotations: an axis times an angle.
    Turn,
}

/// A property of a kind of item.
#[derive(Clone, Copy)]
pub struct Property {
    /// Its key.
    pub name: &'static str,
    /// What it means; what is said after the name on the reference page and in the panel.
    pub doc: &'static str,
    /// What its value looks like.
    pub form: Form,
    /// Its unit.
    pub unit: Unit,
    /// The numbers it takes.
    pub range: Range,
    /// Whether it must be written.
    pub required: bool,
    /// It means something only where another key has one of these words; without words, where that
    /// key is there.
    pub only: Option<(&'static str, &'static [&'static str])>,
    /// The variables of its formulas.
    pub variables: fn(&dyn Any) -> Vec<String>,
    /// What frames do to it.
    pub placed: Placed,
    /// Another way to write a property that stands above it: read, but never saved or listed.
    pub alias: bool,
    /// Such another way is listed in panels all the same.
    pub listed: bool,
    /// Its nested table is listed key by key even where it is none, its list place by place.
    pub spread: bool,
    /// In scenes this nested table is a section of its own, `[contact]` rather than `contact` of
    /// `[world]`.
    pub section: bool,
    /// Its default for an item, where that is not the default of all.
    pub usual: Option<fn(&dyn Any) -> Value>,
    /// The heading that it stands under in a panel; empty for none.
    pub group: &'static str,
    /// Its value in an item.
    pub get: fn(&dyn Any, &World) -> Value,
    /// Sets it in an item, unchecked.
    pub set: fn(&mut dyn Any, Value, &World) -> Result<(), Fault>,
}

/// The one variable of formulas that nothing else is said of: the time in s.
fn time(_: &dyn Any) -> Vec<String> {
    vec!["t".to_owned()]
}

impl Property {
    /// A property without unit and bounds; `table!` calls this.
    pub const fn new(
        name: &'static str,
        doc: &'static str,
        form: Form,
        get: fn(&dyn Any, &World) -> Value,
        set: fn(&mut dyn Any, Value, &World) -> Result<(), Fault>,
    ) -> Self {
        let (unit, range) = (Unit::Fixed(""), Range::ALL);
        let (required, only, placed) = (false, None, Placed::Not);
        let (alias, listed, spread, section) = (false, false, false, false);
        let variables = time as fn(&dyn Any) -> Vec<String>;
        let usual = None;
        Self {
            name,
            doc,
            form,
            unit,
            range,
            required,
            only,
            variables,
            placed,
            alias,
            listed,
            spread,
            section,
            usual,
            group: "",
            get,
            set,
        }
    }

    /// With a key that is no identifier.
    #[must_use]
    pub const fn called(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// With a unit.
    #[must_use]
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = Unit::Fixed(unit);
        self
    }

    /// With a unit that depends on the item, and its words for the reference page.
    #[must_use]
    pub const fn unit_of(
        mut self,
        unit: fn(&dyn Any, &World) -> &'static str,
        words: &'static str,
    ) -> Self {
        self.unit = Unit::Of(unit, words);
        self
    }

    /// With the unit of the property that holds the table.
    #[must_use]
    pub const fn outer_unit(mut self) -> Self {
        self.unit = Unit::Outer;
        self
    }

    /// With the rate of that unit.
    #[must_use]
    pub const fn outer_rate(mut self) -> Self {
        self.unit = Unit::OuterRate;
        self
    }

    /// Takes numbers from `min` to `max`.
    #[must_use]
    pub const fn within(mut self, min: f64, max: f64) -> Self {
        self.range = Range { min, max, open: false, words: "" };
        self
    }

    /// Takes the numbers that the engine takes.
    #[must_use]
    pub const fn bound(mut self, bound: Bound) -> Self {
        self.range = Range { min: bound.low, max: bound.high, open: false, words: bound.must };
        self
    }

    /// Takes numbers between `min` and `max`, without these two.
    #[must_use]
    pub const fn between(mut self, min: f64, max: f64) -> Self {
        self.range = Range { min, max, open: true, words: "" };
        self
    }

    /// Takes positive numbers.
    #[must_use]
    pub const fn positive(self) -> Self {
        self.between(0.0, f64::INFINITY)
    }

    /// Takes zero and positive numbers.
    #[must_use]
    pub const fn not_negative(self) -> Self {
        self.within(0.0, f64::INFINITY)
    }

    /// Takes any finite number.
    #[must_use]
    pub const fn unbounded(self) -> Self {
        self
    }

    /// Must be written.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Means something only where `key` has one of these words.
    #[must_use]
    pub const fn only(mut self, key: &'static str, words: &'static [&'static str]) -> Self {
        self.only = Some((key, words));
        self
    }

    /// Means something only where `key` is there.
    #[must_use]
    pub const fn with(self, key: &'static str) -> Self {
        self.only(key, &[])
    }

    /// With the variables that its formulas may use, by the item.
    #[must_use]
    pub const fn variables(mut self, variables: fn(&dyn Any) -> Vec<String>) -> Self {
        self.variables = variables;
        self
    }

    /// Whether it means something, by the words that other keys have: no word where a key is
    /// missing, an empty one where it holds something else.
    pub fn goes(&self, word: impl Fn(&'static str) -> Option<String>) -> bool {
        self.only.is_none_or(|(key, words)| {
            word(key).is_some_and(|w| words.is_empty() || words.contains(&w.as_str()))
        })
    }

    /// What it goes with, in words.
    pub fn partner(&self) -> String {
        match self.only {
            Some((key, [])) => format!("it goes with `{key}`"),
            Some((key, words)) => format!("it goes with {key} = \"{}\"", words.join("\", \"")),
            None => String::new(),
        }
    }

    /// Its vectors are points in the item's frame.
    #[must_use]
    pub const fn point(mut self) -> Self {
        self.placed = Placed::Point;
        self
    }

    /// Its vectors are directions in the item's frame.
    #[must_use]
    pub const fn direction(mut self) -> Self {
        self.placed = Placed::Direction;
        self
    }

    /// Its vectors are rotations in the item's frame.
    #[must_use]
    pub const fn turn(mut self) -> Self {
        self.placed = Placed::Turn;
        self
    }

    /// Another way to write a property above it.
    #[must_use]
    pub const fn alias(mut self) -> Self {
        self.alias = true;
        self
    }

    /// Listed in panels though it is another way to write a property.
    #[must_use]
    pub const fn listed(mut self) -> Self {
        self.listed = true;
        self
    }

    /// With a default that depends on the item.
    #[must_use]
    pub const fn usual(mut self, usual: fn(&dyn Any) -> Value) -> Self {
        self.usual = Some(usual);
        self
    }

    /// Listed key by key even where it is none, or place by place.
    #[must_use]
    pub const fn spread(mut self) -> Self {
        self.spread = true;
        self
    }

    /// Under a heading of the panel.
    #[must_use]
    pub const fn group(mut self, heading: &'static str) -> Self {
        self.group = heading;
        self
    }

    /// A section of its own in scenes.
    #[must_use]
    pub const fn section(mut self) -> Self {
        self.section = true;
        self
    }

    /// What its value looks like, in words: form, unit and short ranges.
    pub fn describe(&self) -> String {
        let plain = matches!(self.form, Form::Number | Form::Optional(Form::Number));
        let (unit, range) = (self.unit.words(), self.range);
        if plain
            && unit.is_empty()
            && range.min.is_finite()
            && range.max.is_finite()
            && range.words.is_empty()
        {
            return format!("number {}", range.must());
        }
        if matches!(self.form, Form::Count) && range.min < 0.0 {
            return "whole number".into();
        }
        self.form.describe(unit)
    }

    /// Checks that the numbers of a value lie in the range; those of nested tables have their own.
    pub fn admit(&self, form: &Form, value: &Value) -> Result<(), Fault> {
        match (form, value) {
            (Form::Optional(_), Value::None) => Ok(()),
            (Form::Optional(form), _) => self.admit(form, value),
            (Form::Either(forms), _) => {
                forms.iter().find(|f| f.fits(value)).map_or(Ok(()), |form| self.admit(form, value))
            }
            (Form::List(form, ..), Value::List(items)) => items
                .iter()
                .enumerate()
                .try_for_each(|(k, v)| self.admit(form, v).map_err(|f| f.under(k))),
            (Form::Vector | Form::Point | Form::Quaternion, Value::List(items)) => items
                .iter()
                .enumerate()
                .try_for_each(|(k, v)| self.admit(&Form::Number, v).map_err(|f| f.under(k))),
            (Form::Numbers, Value::Table(entries)) => entries
                .iter()
                .try_for_each(|(k, v)| self.admit(&Form::Number, v).map_err(|f| f.under(k))),
            (Form::OneOf(all), Value::Number(x)) => {
                if all.iter().any(|n| f64::from(*n) == *x) {
                    return Ok(());
                }
                Err(Fault::new(format!(
                    "{} must be {}, it is {}",
                    self.name,
                    form.describe(""),
                    number(*x)
                )))
            }
            (_, Value::Number(x)) => {
                let (name, must) = (self.name, self.range.must());
                if x.is_nan() || (x.is_infinite() && !matches!(form, Form::Unlimited)) {
                    return Err(Fault::new(format!("{name} must be finite")));
                }
                if matches!(form, Form::Count) && x.fract() != 0.0 {
                    return Err(Fault::new(format!(
                        "{name} must be a whole number {must}, it is {}",
                        number(*x)
                    )));
                }
                if x.is_finite() && !self.range.holds(*x) {
                    let whole = if matches!(form, Form::Count) { "a whole number " } else { "" };
                    return Err(Fault::new(format!(
                        "{name} must be {whole}{must}, it is {}",
                        number(*x)
                    )));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Checks and sets: the one way in, for files, panels and scripts.
    pub fn assign(&self, item: &mut dyn Any, value: Value, world: &World) -> Result<(), Fault> {
        let nothing = matches!(&value, Value::Text(t) if t == "none") && self.form.is_optional();
        let value = if nothing { Value::None } else { value };
        let checked = if self.form.fits(&value) {
            self.admit(&self.form, &value)
        } else {
            let wanted = self.describe();
            Fault::expected(&wanted, &value)
                .map_err(|f| Fault { message: format!("{}: {}", self.name, f.message), ..f })
        };
        checked.and_then(|()| (self.set)(item, value, world)).map_err(|f| f.under(self.name))
    }
}
