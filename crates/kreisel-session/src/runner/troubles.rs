//! What is wrong with single items, for the picture: what broke, was switched off, contradicts
//! something else or is out of tolerance looks so for as long as it is so, and says why.

use crate::protocol::Trouble;
use kreisel_dynamics::clock::Instant;
use kreisel_dynamics::{Event, Status, StepReport, World};
use std::collections::BTreeMap;
use std::time::Duration;

/// What was not seen for so long is over.
const OVER: Duration = Duration::from_secs(2);
/// Most items that are named.
const MOST: usize = 200;

/// One of them.
struct Known {
    trouble: Trouble,
    /// When it was seen last; none stays for as long as the item does not act.
    last: Option<Instant>,
}

/// All of them by name.
#[derive(Default)]
pub(super) struct Troubles {
    known: BTreeMap<String, Known>,
    changed: bool,
}

impl Troubles {
    /// Takes an event, with what is told of it.
    pub fn event(&mut self, event: &Event, words: &str, time: f64) {
        let mut note = |name: &str, kind, stays| self.note(name, kind, words, time, stays);
        match event {
            Event::Broken { name, .. } | Event::ConstraintBroken { name, .. } => {
                note(name, "broken", true);
            }
            Event::Overdetermined { constraints, switched_off, .. } => {
                for name in constraints {
                    let off = switched_off.as_ref() == Some(name);
                    note(name, if off { "switched off" } else { "contradiction" }, off);
                }
            }
            Event::Damped { constraints } => {
                constraints.iter().for_each(|name| note(name, "damped", false));
            }
            Event::NoValue { constraint } => note(constraint, "no value", false),
            Event::Quarantined { body } => note(body, "stopped", false),
            Event::PluginFailed { name, .. } => note(name, "failed", false),
            Event::LimitHit { .. }
            | Event::ContactBegin { .. }
            | Event::ContactEnd { .. }
            | Event::Assembled { .. } => {}
        }
    }

    /// Takes a step's report: a joint out of tolerance, bodies whose energy nothing explains.
    pub fn step(&mut self, report: &StepReport) {
        match (&report.status, &report.worst, &report.unexplained) {
            (Status::NotConverged | Status::BudgetSpent, Some(w), _) => {
                let words = format!("out of tolerance: {:.1e} m, {:.1e} rad", w.position, w.angle);
                self.note(&w.name, "off", &words, report.time, false);
            }
            (Status::Energy, _, Some(what)) => {
                let words = format!("energy that nothing explains: {what}");
                for body in &what.bodies {
                    self.note(body, "energy", &words, report.time, false);
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, name: &str, kind: &str, words: &str, time: f64, stays: bool) {
        let last = (!stays).then(Instant::now);
        if let Some(old) = self.known.get_mut(name)
            && old.trouble.kind == kind
        {
            old.last = last;
            return;
        }
        // what broke is not also contradictory
        if self.known.get(name).is_some_and(|old| old.last.is_none() && !stays)
            || self.known.len() >= MOST
        {
            return;
        }
        let (name, kind, text) = (name.to_owned(), kind.to_owned(), words.to_owned());
        let trouble = Trouble { name: name.clone(), kind, text, time };
        self.known.insert(name, Known { trouble, last });
        self.changed = true;
    }

    /// Forgets what is over: what acts again, is gone, or was not seen for a while.
    pub fn settle(&mut self, world: &World) {
        let before = self.known.len();
        self.known.retain(|name, k| {
            world.has_name(name)
                && match k.last {
                    Some(last) => last.elapsed() < OVER,
                    None => !acts(world, name),
                }
        });
        self.changed |= self.known.len() != before;
    }

    /// The list, if it is not what was sent last.
    pub fn news(&mut self) -> Option<Vec<Trouble>> {
        let list = || self.known.values().map(|k| k.trouble.clone()).collect();
        std::mem::take(&mut self.changed).then(list)
    }
}

/// Whether a joint or a constraint acts.
fn acts(world: &World, name: &str) -> bool {
    let joint = world.joint_named(name).and_then(|id| world.joint(id)).map(|j| j.active);
    let constraint = || world.constraint_named(name).and_then(|id| world.constraint(id));
    joint.or_else(|| constraint().map(|c| c.active)).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_broke_stays_until_it_acts_again_and_what_passes_goes() {
        let text = "[[body]]\nname = 'a'\nshape = { sphere = 0.1 }\n[[joint]]\nname = 'j'\n\
                    type = 'ball'\nbodies = ['world', 'a']\nactive = false";
        let mut world = kreisel_scene::parse("a.toml", text).expect("a scene").world;
        let mut troubles = Troubles::default();
        let broken = Event::Broken {
            joint: world.joint_named("j").expect("the joint"),
            name: "j".into(),
            force: 3.0,
            torque: 0.0,
        };
        troubles.event(&broken, "j broke at 3 N", 1.5);
        troubles.event(&Event::NoValue { constraint: "a".into() }, "no value", 1.5);
        troubles.settle(&world);
        let list = troubles.news().expect("news");
        let kinds: Vec<_> = list.iter().map(|t| (t.name.as_str(), t.kind.as_str())).collect();
        assert_eq!(kinds, [("a", "no value"), ("j", "broken")]);
        assert_eq!(troubles.news(), None, "told once");

        // two seconds later one is over; the other one when the joint acts again
        for k in troubles.known.values_mut() {
            k.last = k.last.and_then(|t| t.checked_sub(OVER));
        }
        troubles.settle(&world);
        assert_eq!(troubles.news().expect("news").len(), 1);
        world.set_joint_active(world.joint_named("j").expect("the joint"), true).expect("a joint");
        troubles.settle(&world);
        assert_eq!(troubles.news(), Some(Vec::new()));
    }
}
