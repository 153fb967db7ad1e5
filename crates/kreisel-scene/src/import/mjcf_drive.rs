//! What an actuator of MJCF does, from its default classes and its shortcut.
//!
//! The force is gain u + b₀ + b₁ l + b₂ l' with the control u and the length l. Every class adds to
//! what its parent says, element after element, and the actuator itself comes last. Elements of the
//! actuator's own kind count, and those of `<general>`; for a `<general>` all do. Shortcuts start
//! from the gain that they find:
//!
//! | element | gain | b₀, b₁, b₂ |
//! |---|---|---|
//! | `general` | `gainprm` | `biasprm` if `biastype` is affine |
//! | `motor` | 1 | 0, 0, 0 |
//! | `position` | `kp` | 0, −`kp`, −`kv` (or as it was); `dampratio` stands there as it is |
//! | `velocity` | `kv` | 0, 0, −`kv` |
//! | `cylinder` | `area`, or that of `diameter` | `bias` |
//! | `damper` | `kv` times the rate, against it | 0, 0, 0 |
//!
//! Activation of first order (`dyntype` filter, filterexact; `timeconst`) is a lag.

use super::mjcf_model::Model;
use super::xml::place;
use crate::problem::Code;
use crate::read::Reader;
use roxmltree::Node;
use std::collections::BTreeMap;

/// An element of a default class that is an actuator: its name and attributes.
pub(super) type Shortcut = (String, BTreeMap<String, String>);

/// Elements that are actuators and are understood.
pub(super) const KINDS: [&str; 7] =
    ["motor", "position", "velocity", "general", "damper", "cylinder", "muscle"];

/// What kind of force it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// gain u + b₀ + b₁ l + b₂ l'.
    Linear,
    /// −gain u l'.
    Damper,
    Muscle,
    Unknown,
}

/// What an actuator does.
pub(super) struct Law {
    pub gain: f64,
    /// b₀, b₁, b₂; the last one is positive for a damping ratio.
    pub bias: [f64; 3],
    pub form: Form,
    /// Time constant with which it follows its control, s.
    pub lag: f64,
    /// All attributes that hold.
    attributes: BTreeMap<String, String>,
}

impl Law {
    pub fn new(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>) -> Self {
        let own = node.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())).collect();
        let tag = node.tag_name().name();
        let mut all: Vec<Shortcut> =
            model.shortcuts(node.attribute("class").unwrap_or("main")).to_vec();
        all.retain(|(kind, _)| tag == "general" || kind == "general" || kind == tag);
        all.push((tag.to_owned(), own));
        let mut law = Self {
            gain: 1.0,
            bias: [0.0; 3],
            form: Form::Linear,
            lag: 0.0,
            attributes: BTreeMap::new(),
        };
        let mut affine = false;
        for (kind, attributes) in all {
            law.add(reader, node, &kind, &attributes, &mut affine);
            law.attributes.extend(attributes);
        }
        law.activation(reader, node);
        if !affine {
            law.bias = [0.0; 3];
        }
        law
    }

    /// Takes over what an element says.
    fn add(
        &mut self,
        reader: &mut Reader,
        node: Node<'_, '_>,
        kind: &str,
        given: &BTreeMap<String, String>,
        affine: &mut bool,
    ) {
        let mut list = |key: &str| given.get(key).and_then(|text| numbers(reader, node, key, text));
        let mut one = |key: &str| list(key).and_then(|l| l.first().copied());
        match kind {
            "motor" => {
                (self.gain, self.bias, self.form, *affine) = (1.0, [0.0; 3], Form::Linear, false);
            }
            "cylinder" => {
                let circle = |d: f64| 0.25 * std::f64::consts::PI * d * d;
                let area = one("area");
                self.gain = one("diameter").map(circle).or(area).unwrap_or(1.0);
                for (b, x) in self.bias.iter_mut().zip(list("bias").unwrap_or_default()) {
                    *b = x;
                }
                (self.form, *affine) = (Form::Linear, true);
            }
            "damper" => {
                self.gain = one("kv").unwrap_or(1.0);
                (self.form, *affine) = (Form::Damper, false);
            }
            "muscle" => (self.form, *affine) = (Form::Muscle, false),
            "position" => {
                self.gain = one("kp").unwrap_or(self.gain);
                let rate = one("dampratio").or(one("kv").map(|kv| -kv)).unwrap_or(self.bias[2]);
                self.bias = [0.0, -self.gain, rate];
                (self.form, *affine) = (Form::Linear, true);
            }
            "velocity" => {
                self.gain = one("kv").unwrap_or(self.gain);
                self.bias = [0.0, 0.0, -self.gain];
                (self.form, *affine) = (Form::Linear, true);
            }
            "general" => {
                self.gain = one("gainprm").unwrap_or(self.gain);
                for (b, x) in self.bias.iter_mut().zip(list("biasprm").unwrap_or_default()) {
                    *b = x;
                }
                match given.get("gaintype").map(String::as_str) {
                    None | Some("fixed") => {}
                    Some("muscle") => self.form = Form::Muscle,
                    Some(_) => self.form = Form::Unknown,
                }
                match given.get("biastype").map(String::as_str) {
                    None => {}
                    Some("affine") => *affine = true,
                    Some("none") => *affine = false,
                    Some("muscle") if self.form == Form::Muscle => {}
                    Some(_) => self.form = Form::Unknown,
                }
            }
            _ => {}
        }
    }

    /// Its lag, from the activation that holds.
    fn activation(&mut self, reader: &mut Reader, node: Node<'_, '_>) {
        let word = |key: &str| self.attributes.get(key).map(String::as_str);
        let kind = word("dyntype").unwrap_or("none").to_owned();
        let short = node.tag_name().name();
        let time = match (short, kind.as_str()) {
            _ if self.form == Form::Muscle => return,
            ("position", "none") => self.number(reader, node, "timeconst", 0.0),
            ("cylinder", _) => self.number(reader, node, "timeconst", 1.0),
            (_, "none") => 0.0,
            (_, "filter" | "filterexact") => self.number(reader, node, "dynprm", 1.0),
            _ => {
                self.form = Form::Unknown;
                0.0
            }
        };
        self.lag = time.max(0.0);
    }

    /// The numbers of an attribute that holds.
    pub fn list(&self, reader: &mut Reader, node: Node<'_, '_>, key: &str) -> Option<Vec<f64>> {
        numbers(reader, node, key, self.attributes.get(key)?)
    }

    /// A number that holds, or the usual one.
    pub fn number(&self, reader: &mut Reader, node: Node<'_, '_>, key: &str, usual: f64) -> f64 {
        let list = self.attributes.get(key).and_then(|text| numbers(reader, node, key, text));
        list.and_then(|l| l.first().copied()).unwrap_or(usual)
    }

    /// Two numbers that bound a value, if they do.
    pub fn range(
        &self,
        reader: &mut Reader,
        node: Node<'_, '_>,
        model: &Model<'_>,
        [range, limited]: [&str; 2],
    ) -> Option<[f64; 2]> {
        let list = numbers(reader, node, range, self.attributes.get(range)?)?;
        let &[low, high] = list.as_slice() else { return None };
        model.limits(self.attributes.get(limited).map(String::as_str)).then_some([low, high])
    }
}

fn numbers(reader: &mut Reader, node: Node<'_, '_>, key: &str, text: &str) -> Option<Vec<f64>> {
    let list: Option<Vec<f64>> =
        text.split_whitespace().map(|w| w.parse().ok().filter(|x: &f64| x.is_finite())).collect();
    if list.is_none() {
        let message = format!("{key} = \"{text}\" is not a list of finite numbers");
        reader.error(Code::WrongValue, &place(node, key), message, "not numbers");
    }
    list
}
