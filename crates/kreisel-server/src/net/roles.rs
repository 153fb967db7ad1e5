//! What guests may not do: whatever concerns the whole world, or brings in more than one can look
//! over, is the host's. The host can make another client host.

use kreisel_session::protocol::{Command, Request};

/// Longest text of items that a guest adds, in bytes.
const LONGEST_TEXT: usize = 64 * 1024;

/// Why a command is not a guest's; none if it is.
pub(super) fn not_for_guests(command: &Command) -> Option<&'static str> {
    match command {
        Command::Load { merge: false, .. } => {
            Some("only the host opens another scene; you can merge one into this world")
        }
        Command::Set { object, .. } if object == "world" => {
            Some("only the host changes the settings of the world")
        }
        Command::Undo | Command::Redo | Command::Rewind { .. } | Command::Restart => {
            Some("only the host goes back in time: that stops the world for all")
        }
        Command::Load { text, .. } | Command::Extend { text, .. } | Command::Paste { text, .. } => {
            text_not_for_guests(text)
        }
        _ => None,
    }
}

/// Scripts may take two seconds a step, and the keys of a text can be written with escapes.
fn text_not_for_guests(text: &str) -> Option<&'static str> {
    let section = |word: &str| {
        text.lines().any(|l| l.trim_start().trim_start_matches('[').trim_start().starts_with(word))
    };
    if text.len() > LONGEST_TEXT {
        Some("a guest adds at most 64 KB of items at once")
    } else if text.contains("script") || text.contains('\\') {
        Some("only the host brings in scripts (and texts with backslashes, which could hide one)")
    } else if ["world", "contact", "lagrange"].iter().any(|w| section(w)) {
        Some("only the host changes the settings of the world, which this text does, too")
    } else {
        None
    }
}

/// The same for questions: opening is a command, too.
pub(super) fn question_not_for_guests(request: &Request) -> Option<&'static str> {
    match request {
        Request::Open { merge: false, .. } => {
            Some("only the host opens another scene; you can merge one into this world")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_add_items_and_no_scripts_settings_or_scenes() {
        let load =
            |text: &str, merge| Command::Load { name: "a.toml".into(), text: text.into(), merge };
        let ball = "[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }";
        assert_eq!(not_for_guests(&load(ball, true)), None);
        assert!(not_for_guests(&load(ball, false)).is_some());
        for text in [
            format!("{ball}\n[script]\nbuild = 'fn on_step() {{ this.a = 1; }}'"),
            format!("{ball}\n[\"scr\\u0069pt\"]\nbuild = 'fn on_step() {{}}'"),
            format!("[world]\nstep = 1e-6\n{ball}"),
            format!("world.step = 1e-6\n{ball}"),
            format!("{ball}{}", " ".repeat(LONGEST_TEXT)),
        ] {
            let extend = Command::Extend { name: "a.toml".into(), text: text.clone() };
            assert!(not_for_guests(&extend).is_some(), "{}", &text[..40.min(text.len())]);
        }
        // a body may be called so
        assert_eq!(not_for_guests(&load("[[body]]\nname = \"worldly\"", true)), None);
    }
}
