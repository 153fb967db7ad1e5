//! Copy, cut and paste of everything that has a name, as text (W-143): what was cut is no longer in
//! the world, and what was copied in one world can be pasted in another.

use super::{Outcome, Session, load, refuse};
use kreisel_dynamics::Vec3;

/// Most objects that are copied at once.
const MOST: usize = 2000;
/// What messages call the text.
const NAME: &str = "the clipboard.toml";

impl Session {
    /// Objects as a text, with what links them to each other.
    pub fn clip(&self, objects: &[String]) -> Outcome<String> {
        if objects.len() > MOST {
            return refuse(format!("at most {MOST} objects are copied at once"));
        }
        let there = objects.iter().any(|n| n != "world" && super::copy::taken(&self.document, n));
        if !there {
            return refuse("there is nothing of that name to copy");
        }
        Ok(kreisel_scene::excerpt(&self.as_scene(), objects))
    }
}

/// Adds the items of such a text under free names.
pub(super) fn paste(s: &mut Session, text: &str, offset: Vec3) -> Outcome {
    let Some(text) = kreisel_scene::pasted(&s.as_scene(), text, offset) else {
        return refuse("this is no text that was copied here: items of a scene, each with a name");
    };
    load::extend(s, NAME, &text)
}
