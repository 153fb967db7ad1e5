//! Repeating a session from its journal.

use super::{FORMAT, Header, Line, ReplayError};
use crate::session::Session;
use kreisel_scene::Options;

/// Most steps of a session: a year of them at thirty a second. More is no journal that this program
/// wrote.
const MOST_STEPS: u64 = 1_000_000_000;

/// What a replay found.
pub struct Replayed {
    /// The session at the end.
    pub session: Session,
    /// Commands that were applied.
    pub commands: usize,
    /// Whether the journal states an end, which the replay then has reached to the bit.
    pub checked: bool,
    /// Whether its last line was cut off by the death of the program that wrote it; that line is
    /// not replayed.
    pub torn: bool,
}

/// Name of the scene file of a journal, if it has one.
pub fn scene_name(text: &str) -> Option<String> {
    serde_json::from_str::<Header>(text.lines().next()?).ok().map(|h| h.name)
}

/// A journal that was read whole: nothing in it is wrong by itself.
struct Read {
    header: Header,
    lines: Vec<Line>,
    torn: bool,
}

/// Reads and checks all lines before anything is run.
fn read(text: &str) -> Result<Read, ReplayError> {
    let wrong = |line: usize, message: String| ReplayError::Line { line: line + 1, message };
    let mut lines = text.lines().enumerate();

    // The header says which format the rest has.
    let (k, first) = lines.next().ok_or_else(|| wrong(0, "the file is empty".into()))?;
    let header: Header = serde_json::from_str(first).map_err(|e| wrong(k, e.to_string()))?;
    if header.kreisel_journal != FORMAT {
        return Err(wrong(
            k,
            format!("format {} is unknown, this program reads {FORMAT}", header.kreisel_journal),
        ));
    }

    // Steps rise from line to line and end.
    let (mut out, mut last, mut torn) = (Vec::new(), 0, false);
    for (k, line) in lines {
        let line: Line = match serde_json::from_str(line) {
            Ok(line) => line,
            // Every whole line ends: what does not was being written when the program died.
            Err(_) if k + 1 == text.lines().count() && !text.ends_with('\n') => {
                torn = true;
                break;
            }
            Err(e) => return Err(wrong(k, e.to_string())),
        };
        let steps = line.steps();
        if steps < last {
            return Err(wrong(k, format!("steps go backwards, from {last} to {steps}")));
        }
        if steps > MOST_STEPS {
            return Err(wrong(
                k,
                format!("{steps} steps are more than a session can have ({MOST_STEPS})"),
            ));
        }
        last = steps;
        out.push(line);
    }
    Ok(Read { header, lines: out, torn })
}

/// Repeats a session; `each` is called after every step, and false from it ends the replay.
pub fn replay(
    text: &str,
    options: &Options,
    mut each: impl FnMut(&Session) -> bool,
) -> Result<Replayed, ReplayError> {
    let Read { header, lines, torn } = read(text)?;
    let mut session = header.session(options)?;
    let (mut commands, mut checked, mut cut) = (0, false, None);
    for line in lines {
        while session.steps() < line.steps() {
            session.step();
            if !each(&session) {
                return Err(ReplayError::Interrupted(session.steps()));
            }
        }
        match line {
            Line::Command { client, command, .. } => {
                // A refused command was refused in the session, too.
                let _ = session.apply(client, &command);
                commands += 1;
            }
            // where a step was cut short the world is another one: only its end is judged
            Line::At { .. } if cut.is_some() => {}
            Line::End { steps, ref hash } | Line::At { at: steps, ref hash } => {
                let found = session.hash();
                if found != *hash {
                    return Err(ReplayError::Differs { steps, found, expected: hash.clone(), cut });
                }
                checked = matches!(line, Line::End { .. });
            }
            Line::Cut { cut: step } => cut = cut.or(Some(step)),
        }
    }
    Ok(Replayed { session, commands, checked, torn })
}
