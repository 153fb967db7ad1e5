//! Properties and their tables, as data.

use super::{Fault, Form, Value};
use kreisel_dynamics::World;
use kreisel_dynamics::bounds::Bound;
use std::any::Any;

/// The unit of a property.
#[derive(Clone, Copy)]
pub enum Unit {
    /// Always this one; empty for none.
    Fixed(&'static str),
    /// That of the property which holds the table.
    Outer,
    /// The same per second.
    OuterRate,
    /// By the item: keys are read in the order of the table, so what it depends on comes first.
    Of(fn(&dyn Any, &World) -> &'static str, &'static str),
}

impl Unit {
    /// The unit for an item, inside a property of unit `outer`.
    pub fn of(self, item: &dyn Any, world: &World, outer: &'static str) -> &'static str {
        match self {
            Self::Fixed(unit) => unit,
            Self::Outer => outer,
            Self::OuterRate if outer == "rad" => "rad/s",
            Self::OuterRate => "m/s",
            Self::Of(unit, _) => unit(item, world),
        }
    }

    /// In words, for the reference page.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fixed(unit) => unit,
            Self::Outer | Self::OuterRate => "",
            Self::Of(_, words) => words,
        }
    }
}

/// What numbers a property takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Least number.
    pub min: f64,
    /// Largest number.
    pub max: f64,
    /// The ends do not belong to it.
    pub open: bool,
    /// "must be …" where the engine has words for it.
    pub words: &'static str,
}

impl Range {
    const ALL: Self = Self { min: f64::NEG_INFINITY, max: f64::INFINITY, open: false, words: "" };

    /// Whether a number is within.
    pub fn holds(&self, x: f64) -> bool {
        if self.open {
            self.min < x && (x < self.max || x == f64::INFINITY)
        } else {
            (self.min..=self.max).contains(&x)
        }
    }

    /// "must be …".
    pub fn must(&self) -> String {
        match (self.min, self.max, self.open) {
            _ if !self.words.is_empty() => self.words.into(),
            (0.0, f64::INFINITY, true) => "positive".into(),
            (0.0, f64::INFINITY, false) => "zero or more".into(),
            (f64::NEG_INFINITY, f64::INFINITY, _) => "a number".into(),
            (low, f64::INFINITY, _) => format!("{low} or more"),
            (low, high, true) => format!("between {low} and {high}"),
            (low, high, false) => format!("from {} to {}", plain(low), plain(high)),
        }
    }
}

/// A number as people write it: 1e-18 rather than eighteen digits.
fn plain(x: f64) -> String {
    if x == 0.0 || (1e-3..1e7).contains(&x.abs()) { x.to_string() } else { format!("{x:e}") }
}

/// What a frame, or the pose of an instance, does to the vectors of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// Nothing.
    Not,
    /// They are points.
    Point,
    /// They are directions.
    Direction,
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
    /// It means something only where another key has one of these words.
    pub only: Option<(&'static str, &'static [&'static str])>,
    /// What frames do to it.
    pub placed: Placed,
    /// Another way to write a property that stands above it: read, but never saved or listed.
    pub alias: bool,
    /// In scenes this nested table is a section of its own, `[contact]` rather than `contact` of `[world]`.
    pub section: bool,
    /// Its value in an item.
    pub get: fn(&dyn Any, &World) -> Value,
    /// Sets it in an item, unchecked.
    pub set: fn(&mut dyn Any, Value, &World) -> Result<(), Fault>,
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
        Self { name, doc, form, unit, range, required, only, placed, alias: false, section: false, get, set }
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
    pub const fn unit_of(mut self, unit: fn(&dyn Any, &World) -> &'static str, words: &'static str) -> Self {
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

    /// Another way to write a property above it.
    #[must_use]
    pub const fn alias(mut self) -> Self {
        self.alias = true;
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
        if plain && unit.is_empty() && range.min.is_finite() && range.max.is_finite() && range.words.is_empty() {
            return format!("number {}", range.must());
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
            (Form::List(form, ..), Value::List(items)) => {
                items.iter().enumerate().try_for_each(|(k, v)| self.admit(form, v).map_err(|f| f.under(k)))
            }
            (Form::Vector | Form::Point, Value::List(items)) => {
                items.iter().enumerate().try_for_each(|(k, v)| self.admit(&Form::Number, v).map_err(|f| f.under(k)))
            }
            (Form::OneOf(all), Value::Number(x)) => {
                if all.iter().any(|n| f64::from(*n) == *x) {
                    return Ok(());
                }
                Err(Fault::new(format!("{} must be {}, it is {}", self.name, form.describe(""), plain(*x))))
            }
            (_, Value::Number(x)) => {
                let (name, must) = (self.name, self.range.must());
                if x.is_nan() || (x.is_infinite() && !matches!(form, Form::Unlimited)) {
                    return Err(Fault::new(format!("{name} must be finite")));
                }
                if matches!(form, Form::Count) && x.fract() != 0.0 {
                    return Err(Fault::new(format!("{name} must be a whole number {must}, it is {}", plain(*x))));
                }
                if x.is_finite() && !self.range.holds(*x) {
                    let whole = if matches!(form, Form::Count) { "a whole number " } else { "" };
                    return Err(Fault::new(format!("{name} must be {whole}{must}, it is {}", plain(*x))));
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

/// How many of several keys may be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowMany {
    /// One or none.
    AtMostOne,
    /// One.
    ExactlyOne,
    /// One or more.
    AtLeastOne,
}

/// Keys that depend on each other.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The keys.
    pub keys: &'static [&'static str],
    /// How many of them.
    pub rule: HowMany,
}

impl Choice {
    /// Whether as many are there as may be.
    pub fn holds(&self, given: usize) -> bool {
        match self.rule {
            HowMany::AtMostOne => given <= 1,
            HowMany::ExactlyOne => given == 1,
            HowMany::AtLeastOne => given >= 1,
        }
    }
}

/// How a table is written in scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Title {
    /// As the value of a key.
    Nested,
    /// Once, as `[name]`.
    Section,
    /// As `[[name]]`, with `repeat`, `let` and `when`.
    Item,
    /// The same, with `frame`.
    Framed,
}

/// The properties of one kind of item, or of a part of one.
pub struct Table {
    /// What it is called in paths and in the schema.
    pub name: &'static str,
    /// What messages and the reference page call it.
    pub title: &'static str,
    /// How it is written.
    pub written: Title,
    /// What it is for.
    pub doc: &'static str,
    /// Its properties.
    pub properties: &'static [Property],
    /// Keys that exclude each other.
    pub choices: &'static [Choice],
    /// An item with all defaults.
    pub blank: fn() -> Box<dyn Any>,
    /// What concerns several keys at once; a fault names the key it is best mended at.
    pub check: fn(&dyn Any, &World) -> Result<(), Fault>,
}

impl Table {
    /// The property of this key.
    pub fn property(&self, name: &str) -> Option<&'static Property> {
        self.properties.iter().find(|p| p.name == name)
    }

    /// Whether a property means something for an item.
    pub fn applies(&self, p: &Property, item: &dyn Any, world: &World) -> bool {
        p.only.is_none_or(|(key, words)| {
            let word = self.property(key).map(|q| (q.get)(item, world));
            matches!(word, Some(Value::Text(w)) if words.contains(&w.as_str()))
        })
    }

    /// What is saved of an item: all values that differ from the defaults, in the order of the table.
    pub fn values(&self, item: &dyn Any, world: &World) -> Vec<(&'static str, Value)> {
        let blank = (self.blank)();
        let own = self.properties.iter().filter(|p| !p.alias && self.applies(p, item, world));
        own.filter_map(|p| {
            let (value, default) = ((p.get)(item, world), (p.get)(&*blank, world));
            let chosen = self.choices.iter().any(|c| c.keys.contains(&p.name));
            let omit = if chosen { value == Value::None } else { value == default && !p.required };
            (!omit).then_some((p.name, value))
        })
        .collect()
    }

    /// Sets what means nothing for an item any more back to its default: it would neither be saved
    /// nor seen.
    pub fn forget_hidden(&self, item: &mut dyn Any, world: &World) {
        let blank = (self.blank)();
        for p in self.properties.iter().filter(|p| p.only.is_some()) {
            if !self.applies(p, item, world) {
                // a default is a value that the property takes
                let _ = (p.set)(item, (p.get)(&*blank, world), world);
            }
        }
    }

    /// Sets several properties of an item, then checks it: what a nested table does.
    pub fn assign_all(&self, item: &mut dyn Any, values: Vec<(String, Value)>, world: &World) -> Result<(), Fault> {
        let there = |key: &&str| values.iter().any(|(k, v)| k == *key && *v != Value::None);
        for choice in self.choices {
            if !choice.holds(choice.keys.iter().copied().filter(there).count()) {
                return Err(Fault::new(self.one_of(choice)));
            }
        }
        if let Some(p) = self.properties.iter().find(|p| p.required && !there(&p.name)) {
            return Err(Fault::new(format!("{} needs `{}`", self.title, p.name)));
        }
        for (key, value) in values {
            let Some(p) = self.property(&key) else {
                return Err(Fault::new(format!("{} has no key `{key}`", self.title)).under(key));
            };
            let optional = matches!(p.form, Form::Optional(_) | Form::Unlimited);
            if value != Value::None || optional {
                p.assign(item, value, world)?;
            }
        }
        (self.check)(item, world)
    }

    /// "[[motor]] has exactly one of `effort`, `velocity` and `servo`".
    pub fn one_of(&self, choice: &Choice) -> String {
        let keys: Vec<String> = choice.keys.iter().map(|k| format!("`{k}`")).collect();
        let (last, rest) = keys.split_last().map_or(("", &[][..]), |(l, r)| (l.as_str(), r));
        let number = match choice.rule {
            HowMany::AtMostOne => "at most",
            HowMany::ExactlyOne => "exactly",
            HowMany::AtLeastOne => "at least",
        };
        format!("{} has {number} one of {} and {last}", self.title, rest.join(", "))
    }
}
