//! What was told lately: a contradiction that lasts is said once, not with every step.

use kreisel_dynamics::Event;
use kreisel_dynamics::clock::Instant;
use std::collections::BTreeMap;
use std::time::Duration;

/// What was not seen for so long is news again.
const QUIET: Duration = Duration::from_secs(3);
/// Most causes that are remembered; beyond these the oldest are forgotten.
const MOST: usize = 1000;

/// Causes with the time at which they were last seen.
#[derive(Default)]
pub(super) struct Told {
    seen: BTreeMap<String, Instant>,
}

impl Told {
    /// Whether this is news; it is then noted.
    pub fn is_news(&mut self, event: &Event) -> bool {
        self.is_new_cause(&cause(event))
    }

    fn is_new_cause(&mut self, cause: &str) -> bool {
        let now = Instant::now();
        if self.seen.len() >= MOST {
            self.seen.retain(|_, last| now - *last < QUIET);
        }
        // As long as it goes on it stays known.
        let last = self.seen.insert(cause.to_owned(), now);
        last.is_none_or(|last| now - last >= QUIET)
    }
}

/// What an event is about, without the numbers that differ from step to step.
fn cause(event: &Event) -> String {
    match event {
        Event::Broken { name, .. } => format!("broken {name}"),
        Event::LimitHit { name, .. } => format!("limit {name}"),
        Event::ContactBegin { names, .. } => format!("begin {} {}", names[0], names[1]),
        Event::ContactEnd { names, .. } => format!("end {} {}", names[0], names[1]),
        Event::Quarantined { body } => format!("quarantined {body}"),
        Event::Overdetermined { constraints, switched_off, .. } => {
            format!("contradiction {} {switched_off:?}", constraints.join(", "))
        }
        Event::Damped { constraints } => format!("damped {}", constraints.join(", ")),
        Event::NoValue { constraint } => format!("no value {constraint}"),
        Event::PluginFailed { name, .. } => format!("failed {name}"),
        Event::ConstraintBroken { name, .. } => format!("broken constraint {name}"),
        Event::Assembled { constraint } => format!("assembled {constraint}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contradiction(acceleration: f64) -> Event {
        let constraints = vec!["a".into(), "b".into()];
        Event::Overdetermined { constraints, switched_off: None, acceleration }
    }

    /// 120 steps of one contradiction, whose numbers differ, are one message.
    #[test]
    fn what_lasts_is_told_once_and_what_is_new_at_once() {
        let mut told = Told::default();
        let news = (0..120).filter(|k| told.is_news(&contradiction(f64::from(*k)))).count();
        assert_eq!(news, 1);
        assert!(told.is_news(&Event::NoValue { constraint: "a".into() }));
        assert!(!told.is_news(&Event::NoValue { constraint: "a".into() }));
    }

    #[test]
    fn a_flood_of_causes_is_not_remembered_for_ever() {
        let mut told = Told::default();
        told.seen.extend((0..MOST).map(|k| (k.to_string(), Instant::now() - QUIET)));
        assert!(told.is_new_cause("another"));
        assert_eq!(told.seen.len(), 1);
    }
}
