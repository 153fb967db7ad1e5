//! Setting a property by its key.

use super::make::name;
use super::{Document, Outcome, refuse, tables};
use crate::protocol::PropertyValue as V;
use kreisel_dynamics::bounds;

pub(super) fn set(d: &mut Document, object: &str, key: &str, value: &V) -> Outcome {
    // names and materials are shown: they are short, and have no control characters
    let short = match (key, value) {
        ("name" | "material", V::Text(text)) => Some(V::Text(name(text)?)),
        _ => None,
    };
    let value = short.as_ref().unwrap_or(value);

    // a step that shows motion is narrower than what a scene may have
    let step = bounds::LIVE_STEP;
    let wrong = refuse(format!("step must be {}", step.must));
    if let (("world", "step"), V::Number(Some(x))) = ((object, key), value)
        && !step.holds(*x)
    {
        return wrong;
    }
    let Some(outcome) = tables::set(d, object, key, value) else {
        return refuse(format!("there is nothing named \"{object}\""));
    };
    if step.holds(d.sim.step_size()) { outcome } else { wrong }
}
