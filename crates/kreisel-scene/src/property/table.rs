//! Tables of properties, as data.

use super::{Fault, Form, Property, Value};
use kreisel_dynamics::World;
use std::any::Any;

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
    /// What helps where there are others; empty for nothing.
    pub help: &'static str,
}

impl Choice {
    const fn of(keys: &'static [&'static str], rule: HowMany) -> Self {
        Self { keys, rule, help: "" }
    }

    /// One of them or none.
    pub const fn at_most_one(keys: &'static [&'static str]) -> Self {
        Self::of(keys, HowMany::AtMostOne)
    }

    /// One of them.
    pub const fn exactly_one(keys: &'static [&'static str]) -> Self {
        Self::of(keys, HowMany::ExactlyOne)
    }

    /// One or more of them.
    pub const fn at_least_one(keys: &'static [&'static str]) -> Self {
        Self::of(keys, HowMany::AtLeastOne)
    }

    /// With what helps.
    #[must_use]
    pub const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

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
        p.goes(|key| self.property(key).and_then(|q| (q.get)(item, world).word()))
    }

    /// What is saved of an item: all values that differ from the defaults, in the order of the
    /// table.
    pub fn values(&self, item: &dyn Any, world: &World) -> Vec<(&'static str, Value)> {
        let blank = (self.blank)();
        let own = self.properties.iter().filter(|p| !p.alias && self.applies(p, item, world));
        own.filter_map(|p| {
            let value = (p.get)(item, world);
            let default = p.usual.map_or_else(|| (p.get)(&*blank, world), |usual| usual(item));
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
    pub fn assign_all(
        &self,
        item: &mut dyn Any,
        values: Vec<(String, Value)>,
        world: &World,
    ) -> Result<(), Fault> {
        // in the order of the table: what a key depends on comes first
        let mut values = values;
        values.sort_by_key(|(k, _)| self.properties.iter().position(|p| p.name == k));
        let word = |key: &str| values.iter().find(|(k, _)| k == key).and_then(|(_, v)| v.word());
        let there = |key: &&str| word(key).is_some();
        for choice in self.choices {
            if !choice.holds(choice.keys.iter().copied().filter(there).count()) {
                return Err(Fault::new(self.one_of(choice)));
            }
        }
        if let Some(p) =
            self.properties.iter().find(|p| p.required && !there(&p.name) && p.goes(word))
        {
            return Err(Fault::new(format!("{} needs `{}`", self.title, p.name)));
        }
        // a word that is not written is the default
        let known =
            |p: &&Property| p.only.is_some_and(|(key, words)| words.is_empty() || there(&key));
        if let Some(p) =
            self.properties.iter().find(|p| there(&p.name) && known(p) && !p.goes(word))
        {
            return Err(Fault::new(format!("`{}` means nothing here", p.name))
                .help(p.partner())
                .under(p.name));
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

    /// "`[[motor]]` has exactly one of `effort`, `velocity` and `servo`".
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
