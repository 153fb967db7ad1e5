//! The verdict on the last steps, for the page's status line: what is wrong and where, in words.

use kreisel_dynamics::clock::Instant;
use kreisel_dynamics::{Status, StepReport};
use std::time::Duration;

/// A verdict stays for so long after the last step that earned it: one bad step among thousands
/// must be seen.
const STAYS: Duration = Duration::from_secs(3);

/// What is shown now.
#[derive(Default)]
pub(super) struct Verdict {
    /// Status and names, without the numbers that differ from step to step.
    cause: String,
    words: (&'static str, String),
    last: Option<Instant>,
    sent: String,
}

impl Verdict {
    /// Takes a step's report.
    pub fn step(&mut self, report: &StepReport) {
        let Some((status, cause, text)) = judge(report) else { return };
        if self.cause != cause {
            (self.cause, self.words) = (cause, (status, text));
        }
        self.last = Some(Instant::now());
    }

    /// What to send, if it is not what was sent last: status and words, both empty when all is
    /// well.
    pub fn news(&mut self) -> Option<(String, String)> {
        if self.last.is_some_and(|t| t.elapsed() >= STAYS) {
            *self = Self { sent: std::mem::take(&mut self.sent), ..Self::default() };
        }
        if self.cause == self.sent {
            return None;
        }
        self.sent.clone_from(&self.cause);
        Some((self.words.0.to_owned(), self.words.1.clone()))
    }
}

/// The status in a word, its cause, and what to say; none for a good step.
fn judge(report: &StepReport) -> Option<(&'static str, String, String)> {
    let worst = |words: &str| match &report.worst {
        Some(w) => (
            w.name.to_string(),
            format!("{words}: {} is {:.1e} m and {:.1e} rad off", w.name, w.position, w.angle),
        ),
        None => (String::new(), words.to_owned()),
    };
    let (status, (names, text)) = match report.status {
        Status::Converged => return None,
        Status::NotConverged => ("not converged", worst("out of tolerance")),
        Status::BudgetSpent => ("budget spent", worst("the step spent its budget")),
        Status::Energy => match &report.unexplained {
            Some(what) => (
                "energy",
                (what.bodies.join(", "), format!("energy that nothing explains: {what}")),
            ),
            None => ("energy", (String::new(), "energy that nothing explains".to_owned())),
        },
        Status::Order => {
            let cause = report.order_lowered_by.as_deref().unwrap_or_default();
            ("order", (cause.to_owned(), format!("the order is not kept: {cause}")))
        }
        Status::Quarantined => (
            "quarantined",
            (String::new(), "a body was stopped: its motion left the numbers".into()),
        ),
        Status::Interrupted => ("interrupted", (String::new(), "the step was given up".into())),
        Status::Refused => (
            "refused",
            (String::new(), "the step was refused: its size is no positive number".into()),
        ),
    };
    Some((status, format!("{status} {names}"), text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kreisel_dynamics::Unexplained;

    #[test]
    fn a_bad_step_is_told_once_with_names_and_stays_for_a_while() {
        let mut verdict = Verdict::default();
        assert_eq!(verdict.news(), None);
        let what = |energy| Unexplained {
            energy,
            share: 2.0,
            bodies: vec!["crate".into()],
            cause: "stiff".into(),
        };
        for k in 0..50 {
            let unexplained = Some(what(f64::from(k)));
            verdict.step(&StepReport {
                status: Status::Energy,
                unexplained,
                ..StepReport::default()
            });
        }
        let (status, text) = verdict.news().expect("news");
        assert!(
            status == "energy" && text.contains("crate") && text.contains("stiff"),
            "{status}: {text}"
        );
        verdict.step(&StepReport::default());
        assert_eq!(verdict.news(), None, "a good step does not wipe it away");
        verdict.last = verdict.last.and_then(|t| t.checked_sub(STAYS));
        assert_eq!(verdict.news(), Some((String::new(), String::new())));
        assert_eq!(verdict.news(), None);
    }
}
