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

use super::mjcf_model::Model;
use super::xml::place;
use crate::problem::Code;
use crate::read::Reader;
use roxmltree::Node;
use std::collections::BTreeMap;

/// An element of a default class that is an actuator: its name and attributes.
pub(super) type Shortcut = (String, BTreeMap<String, String>);

/// Elements that are actuators and are understood.
pub(super) const KINDS: [&str; 4] = ["motor", "position", "velocity", "general"];

/// What an actuator does.
pub(super) struct Law {
    pub gain: f64,
    /// b₀, b₁, b₂; the last one is positive for a damping ratio.
    pub bias: [f64; 3],
    /// Whether gain and bias are of these forms.
    pub known: bool,
    /// Whether the control acts with a delay.
    pub delayed: bool,
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
            known: true,
            delayed: false,
            attributes: BTreeMap::new(),
        };
        let mut affine = false;
        for (kind, attributes) in all {
            law.add(reader, node, &kind, &attributes, &mut affine);
            law.attributes.extend(attributes);
        }
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
            "motor" => (self.gain, self.bias, self.known, *affine) = (1.0, [0.0; 3], true, false),
            "position" => {
                self.gain = one("kp").unwrap_or(self.gain);
                let rate = one("dampratio").or(one("kv").map(|kv| -kv)).unwrap_or(self.bias[2]);
                self.bias = [0.0, -self.gain, rate];
                self.delayed = one("timeconst").map_or(self.delayed, |t| t > 0.0);
                (self.known, *affine) = (true, true);
            }
            "velocity" => {
                self.gain = one("kv").unwrap_or(self.gain);
                self.bias = [0.0, 0.0, -self.gain];
                (self.known, *affine) = (true, true);
            }
            "general" => {
                self.gain = one("gainprm").unwrap_or(self.gain);
                for (b, x) in self.bias.iter_mut().zip(list("biasprm").unwrap_or_default()) {
                    *b = x;
                }
                self.known &= given.get("gaintype").is_none_or(|t| t == "fixed");
                match given.get("biastype").map(String::as_str) {
                    None => {}
                    Some("affine") => *affine = true,
                    Some("none") => *affine = false,
                    Some(_) => self.known = false,
                }
                self.delayed = given.get("dyntype").map_or(self.delayed, |t| t != "none");
            }
            _ => {}
        }
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
