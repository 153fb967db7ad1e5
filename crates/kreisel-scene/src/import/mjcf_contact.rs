//! Which bodies of an MJCF model meet, and their friction.
//!
//! In MuJoCo two geoms meet if `contype` of one has a bit of `conaffinity` of the other, unless
//! `<exclude>` names their bodies. Here two bodies meet if each one's `groups.with` names a group
//! of the other. Bodies of the same bits and the same exclusions are one group: as the relation is
//! symmetric, lists of groups say it exactly, as long as 32 groups are enough and the geoms of a
//! body agree. Group 0 is that of everything outside the model, which counts as a geom with the
//! usual bits (1, 1).
//!
//! Bodies that a joint connects do not meet, in both; MuJoCo makes an exception for parents that
//! stand still.

use super::make::Make;
use super::mjcf_body::Carrier;
use super::mjcf_model::Model;
use super::xml::{ignored, left_out, place, required, tag};
use crate::problem::Code;
use crate::read::Reader;
use crate::source::Span;
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Groups that a body can be in.
const GROUPS: usize = 32;

/// `contype` and `conaffinity`; the bits above those of the file are those of `<pair>`.
pub(super) type Bits = (u128, u128);

/// First bit that files cannot use, and bits that there are.
const PAIR_BITS: std::ops::Range<u32> = 32..128;

/// The bits of what stands outside of the model.
const OUTSIDE: Bits = (1, 1);

/// `<contact>`.
#[derive(Default)]
pub(super) struct Contacts {
    excludes: Vec<([String; 2], Span)>,
    pairs: Vec<([String; 2], Span)>,
}

/// What a body meets.
pub(super) struct Groups {
    /// Bits of geoms that meet something.
    live: BTreeSet<Bits>,
    /// Its group and those that it meets; none for the usual ones.
    lists: Option<(usize, Vec<usize>)>,
    friction: f64,
    /// Resistance to spinning and to rolling as lever arms, m.
    arms: [f64; 2],
}

/// Whether two geoms meet.
fn meet(a: Bits, b: Bits) -> bool {
    a.0 & b.1 != 0 || b.0 & a.1 != 0
}

/// Reads an element of `<contact>`.
pub(super) fn read(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) {
    match node.tag_name().name() {
        "exclude" => {
            let names =
                ["body1", "body2"].map(|key| required(reader, node, key).map(str::to_owned));
            if let [Some(a), Some(b)] = names {
                for (key, name) in [("body1", &a), ("body2", &b)] {
                    if name != "world" && !model.parts.contains_key(name) {
                        let message = format!("there is no body \"{name}\"");
                        reader.error(Code::UnknownName, &place(node, key), message, "unknown body");
                    }
                }
                model.contacts.excludes.push(([a, b], tag(node)));
            }
        }
        "pair" => {
            let names =
                ["geom1", "geom2"].map(|key| required(reader, node, key).map(str::to_owned));
            let geoms = |model: &Model<'_>, name: &str| {
                model
                    .carriers
                    .iter()
                    .flat_map(|c| &c.geoms)
                    .any(|g| g.name.as_deref() == Some(name))
            };
            if let [Some(a), Some(b)] = names {
                for (key, name) in [("geom1", &a), ("geom2", &b)] {
                    if !geoms(model, name) {
                        let message = format!("there is no geom \"{name}\"");
                        reader.error(Code::UnknownName, &place(node, key), message, "unknown geom");
                    }
                }
                model.contacts.pairs.push(([a, b], tag(node)));
                for key in ["friction", "condim", "solref", "solimp", "margin", "gap"] {
                    if node.has_attribute(key) {
                        ignored(reader, node, key, "what two geoms do follows from both of them");
                    }
                }
            }
        }
        _ => left_out(reader, node),
    }
}

impl Groups {
    /// Whether a geom meets anything at all.
    pub fn meets(&self, bits: Bits) -> bool {
        self.live.contains(&bits)
    }

    /// Writes `groups` and `friction` of a body.
    pub fn put(&self, make: &mut Make) {
        if self.live.is_empty() {
            return;
        }
        make.number("friction", self.friction);
        for (key, arm) in ["spinning", "rolling"].into_iter().zip(self.arms) {
            if arm > 0.0 {
                make.number(key, arm);
            }
        }
        if let Some((member, with)) = &self.lists {
            let mut lists = Make::new(&make.span());
            lists.counts("member", &[*member]).counts("with", with);
            make.put("groups", lists.done().value);
        }
    }
}

/// As in MuJoCo, of two coefficients of friction the larger one counts.
pub(super) fn rule(carriers: &[Carrier], scene: &mut Make) {
    if carriers.iter().any(|c| !c.geoms.is_empty()) {
        let mut contact = Make::new(&scene.span());
        contact.text("friction", "maximum");
        scene.put("contact", contact.done().value);
    }
}

/// Lets the geoms of `<pair>` meet, by a bit for all partners of one geom: that of most pairs
/// first.
pub(super) fn pairs(reader: &mut Reader, model: &mut Model<'_>) {
    let mut left = std::mem::take(&mut model.contacts.pairs);
    for bit in PAIR_BITS {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        left.iter().flat_map(|(names, _)| names).for_each(|n| *counts.entry(n).or_default() += 1);
        let Some(one) = counts.iter().max_by_key(|(_, n)| **n).map(|(name, _)| (*name).to_owned())
        else {
            return;
        };
        let (own, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(names, _)| names.contains(&one));
        left = others;
        for geom in model.carriers.iter_mut().flat_map(|c| &mut c.geoms) {
            let Some(name) = geom.name.as_deref() else { continue };
            if name == one {
                geom.bits.0 |= 1 << bit;
            } else if own.iter().any(|(names, _)| names.iter().any(|n| n == name)) {
                geom.bits.1 |= 1 << bit;
            }
        }
    }
    if let Some((_, span)) = left.first() {
        let message = format!("{} <pair> are not read: their geoms are too many", left.len());
        reader.warn(Code::Unsupported, span, message, "and those after it");
    }
}

/// What every body meets.
pub(super) fn groups(reader: &mut Reader, model: &Model<'_>) -> Vec<Groups> {
    let carriers = &model.carriers;
    let own = live(carriers);
    let friction = frictions(reader, carriers, &own);
    mixed(reader, carriers, &own);
    let mut excluded = excluded(reader, model);

    // Bodies of the same bits and exclusions meet the same bodies. With too many such classes
    // exclusions are given up.
    let mut classes = classes(&own, &excluded);
    if classes.len() > GROUPS - 1 {
        if let Some((_, span)) = model.contacts.excludes.first() {
            let message = format!(
                "<exclude> is not read: the model needs {} groups of bodies",
                classes.len()
            );
            let help = format!(
                "there are {GROUPS}; the bodies that the model excludes from contact collide"
            );
            reader.warn(Code::Unsupported, span, message, "left out").help(help);
        }
        excluded = vec![BTreeSet::new(); carriers.len()];
        classes = self::classes(&own, &excluded);
    }
    if classes.len() > GROUPS - 1 {
        let span = carriers.first().map_or(0..0, |c| c.span.clone());
        let message = format!(
            "contype and conaffinity are not read: the model needs {} groups",
            classes.len()
        );
        reader.warn(Code::Unsupported, &span, message, "all bodies collide");
        classes.clear();
    }
    let lists = lists(&classes, &own, &excluded, carriers.len());
    own.into_iter()
        .zip(lists)
        .zip(friction)
        .zip(carriers)
        .map(|(((live, lists), friction), carrier)| {
            let of = carrier.geoms.iter().filter(|g| live.contains(&g.bits));
            let arms = of.fold([0.0_f64; 2], |m, g| [m[0].max(g.arms[0]), m[1].max(g.arms[1])]);
            Groups { live, lists, friction, arms }
        })
        .collect()
}

/// The bits of each body's geoms that meet anything, in the model or outside.
fn live(carriers: &[Carrier]) -> Vec<BTreeSet<Bits>> {
    let all: Vec<BTreeSet<Bits>> =
        carriers.iter().map(|c| c.geoms.iter().map(|g| g.bits).collect()).collect();
    let mut owners: BTreeMap<Bits, usize> = BTreeMap::new();
    all.iter().flatten().for_each(|b| *owners.entry(*b).or_default() += 1);
    let alive = |b: &Bits| {
        meet(*b, OUTSIDE) || owners.iter().any(|(o, n)| meet(*b, *o) && (o != b || *n > 1))
    };
    let alive: BTreeSet<Bits> = owners.keys().copied().filter(|b| alive(b)).collect();
    all.into_iter().map(|own| own.intersection(&alive).copied().collect()).collect()
}

/// The coefficient of friction of each body.
fn frictions(reader: &mut Reader, carriers: &[Carrier], own: &[BTreeSet<Bits>]) -> Vec<f64> {
    let of = |k: usize| carriers[k].geoms.iter().filter(move |g| own[k].contains(&g.bits));
    let smooth = (0..carriers.len()).flat_map(of).all(|g| g.smooth);
    let one = |k: usize| {
        let mut largest: Option<f64> = None;
        for geom in of(k) {
            let message = if geom.smooth && !smooth {
                "condim of <geom> is not read: friction acts on all geoms or on none"
            } else if largest.is_some_and(|f| f != geom.friction) {
                "friction of <geom> is not read: the geoms of a body have one coefficient, the largest"
            } else {
                ""
            };
            if !message.is_empty() {
                reader.count_warning(
                    Code::Unsupported,
                    message,
                    &geom.span,
                    message.to_owned(),
                    "left out",
                    None,
                );
            }
            largest = Some(largest.map_or(geom.friction, |f| f.max(geom.friction)));
        }
        if smooth { 0.0 } else { largest.unwrap_or(0.0) }
    };
    (0..carriers.len()).map(one).collect()
}

/// Names bodies of which one geom would meet what another does not.
fn mixed(reader: &mut Reader, carriers: &[Carrier], own: &[BTreeSet<Bits>]) {
    let kinds: BTreeSet<Bits> = own.iter().flatten().copied().chain([OUTSIDE]).collect();
    for (carrier, own) in carriers.iter().zip(own).filter(|(_, o)| o.len() > 1) {
        let met = |b: &Bits| -> Vec<bool> { kinds.iter().map(|k| meet(*b, *k)).collect() };
        let Some(first) = own.first().map(met) else { continue };
        if let Some(geom) =
            carrier.geoms.iter().find(|g| own.contains(&g.bits) && met(&g.bits) != first)
        {
            let message = "contype and conaffinity differ among the geoms of a body: here a body collides as a whole";
            reader.count_warning(
                Code::Unsupported,
                message,
                &geom.span,
                message.to_owned(),
                "another one",
                None,
            );
        }
    }
}

/// For each body those that it does not meet though their bits would.
fn excluded(reader: &mut Reader, model: &Model<'_>) -> Vec<BTreeSet<usize>> {
    let mut out = vec![BTreeSet::new(); model.carriers.len()];
    for (names, span) in &model.contacts.excludes {
        let [first, second] = [&names[0], &names[1]].map(|name| match model.parts.get(name) {
            Some(part) => vec![part.carrier],
            None => (0..model.carriers.len()).filter(|k| model.carriers[*k].of_world).collect(),
        });
        let parts = first.iter().chain(&second).any(|k| model.carriers[*k].members > 1);
        if parts {
            let message = "<exclude> of a body that is part of a larger one: the whole is excluded from contact";
            reader.count_warning(
                Code::Unsupported,
                message,
                span,
                message.to_owned(),
                "here",
                None,
            );
        }
        for &a in &first {
            for &b in second.iter().filter(|b| **b != a) {
                out[a].insert(b);
                out[b].insert(a);
            }
        }
    }
    out
}

/// Bodies that meet the same others.
fn classes(own: &[BTreeSet<Bits>], excluded: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut out: BTreeMap<(&BTreeSet<Bits>, &BTreeSet<usize>), Vec<usize>> = BTreeMap::new();
    for k in (0..own.len()).filter(|k| !own[*k].is_empty()) {
        out.entry((&own[k], &excluded[k])).or_default().push(k);
    }
    let mut out: Vec<Vec<usize>> = out.into_values().collect();
    out.sort();
    out
}

/// The group of each body and those that it meets; none where the usual ones say the same.
fn lists(
    classes: &[Vec<usize>],
    own: &[BTreeSet<Bits>],
    excluded: &[BTreeSet<usize>],
    bodies: usize,
) -> Vec<Option<(usize, Vec<usize>)>> {
    let any = |a: &BTreeSet<Bits>, b: Bits| a.iter().any(|a| meet(*a, b));
    let outside = |c: &[usize]| any(&own[c[0]], OUTSIDE);
    let together = |a: &[usize], b: &[usize]| {
        !excluded[a[0]].contains(&b[0]) && own[b[0]].iter().any(|bits| any(&own[a[0]], *bits))
    };
    // One that meets all others, and what is outside, needs no group of its own if the others, too,
    // meet what is outside.
    let open = classes.iter().all(|c| outside(c));
    let usual = classes.iter().position(|c| open && classes.iter().all(|d| together(c, d)));
    let mut next = 0;
    let number: Vec<usize> = (0..classes.len())
        .map(|k| {
            if usual == Some(k) {
                return 0;
            }
            next += 1;
            next
        })
        .collect();
    let mut out: Vec<Option<(usize, Vec<usize>)>> = (0..bodies).map(|_| None).collect();
    for (k, class) in classes.iter().enumerate().filter(|(k, _)| usual != Some(*k)) {
        let mut with: Vec<usize> = classes
            .iter()
            .zip(&number)
            .filter(|(d, _)| together(class, d))
            .map(|(_, n)| *n)
            .collect();
        with.extend(outside(class).then_some(0));
        with.sort_unstable();
        with.dedup();
        for &body in class {
            out[body] = Some((number[k], with.clone()));
        }
    }
    out
}
