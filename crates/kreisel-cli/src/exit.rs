//! Exit codes, and failures that end the program.

use kreisel_scene::{Code, Problem, SceneError, Severity};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::io::IsTerminal;
use std::path::Path;

/// What the program's exit code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All went well.
    Success = 0,
    /// The scene has errors, a script of it failed, or what was to be shown does not hold: an
    /// experiment fails, two recordings differ.
    Wrong = 1,
    /// The command line is wrong. (The argument parser uses the same number.)
    Usage = 2,
    /// A file or port cannot be used.
    Files = 3,
    /// The run ended, but in some step a joint was not within tolerance, or the order asked for was
    /// not kept.
    Tolerance = 4,
    /// The run ended, but in some step energy appeared or vanished that nothing explains.
    Energy = 5,
    /// Interrupted; files are valid up to that moment.
    Interrupted = 130,
}

/// Meanings of the exit codes, for the help text.
pub const EXIT_CODES: &str = "Exit codes:\n  \
    0    success\n  \
    1    the scene has errors, or a script of it failed; for validate: an experiment fails; for replay and diff: they differ\n  \
    2    the command line is wrong\n  \
    3    a file or port cannot be used\n  \
    4    a run ended, but in some step a joint was not within tolerance, or the order was not kept\n  \
    5    a run ended, but in some step energy appeared or vanished that nothing explains\n  \
    130  interrupted; files are valid up to that moment";

/// Why a command failed.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: Exit,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Message(String),
    Scene(SceneError),
    /// Everything has been said already.
    Silent,
}

impl Failure {
    /// The command line asks for something that cannot be.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: Exit::Usage, cause: Cause::Message(message.into()) }
    }

    /// A file cannot be used.
    pub fn file(path: &Path, error: impl std::fmt::Display) -> Self {
        Self { code: Exit::Files, cause: Cause::Message(format!("{}: {error}", path.display())) }
    }

    /// Something else outside the program cannot be used.
    pub fn resource(message: impl Into<String>) -> Self {
        Self { code: Exit::Files, cause: Cause::Message(message.into()) }
    }

    /// A failure that has been reported already.
    pub fn silent(code: Exit) -> Self {
        Self { code, cause: Cause::Silent }
    }

    /// What went wrong, in one line.
    pub fn message(&self) -> String {
        match &self.cause {
            Cause::Message(message) => message.clone(),
            Cause::Scene(error) => error.to_string(),
            Cause::Silent => "it failed".into(),
        }
    }

    /// Prints it to the terminal.
    pub fn print(&self) {
        match &self.cause {
            Cause::Message(message) => eprintln!("error: {message}"),
            Cause::Scene(error) => print_problems(&error.problems),
            Cause::Silent => {}
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self { code: code(&error.problems), cause: Cause::Scene(error) }
    }
}

/// The exit code of a scene's errors: a scene file that cannot be read at all is no scene with
/// errors.
pub fn code(problems: &[Problem]) -> Exit {
    let mut errors = problems.iter().filter(|p| p.severity == Severity::Error);
    let unread = |p: &Problem| p.code == Code::File && p.source.text.is_empty();
    if errors.all(unread) { Exit::Files } else { Exit::Wrong }
}

/// Prints problems with excerpts, to the error stream.
pub fn print_problems(problems: &[Problem]) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(100);
    for problem in problems {
        let mut text = String::new();
        match handler.render_report(&mut text, problem) {
            Ok(()) => eprint!("{text}"),
            Err(_) => eprintln!("{problem}"),
        }
    }
}

/// A reader that has seen enough (`kreisel … | head`) closes the pipe: then the program ends
/// without a word, as others do, instead of with the panic of a print that found no one. Any other
/// failure, such as a full disk, is an error.
pub fn end_with_the_reader() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let words =
            panic.payload().downcast_ref::<String>().map(String::as_str).unwrap_or_default();
        if let Some(why) = words.strip_prefix("failed printing to stdout: ") {
            // 128 + SIGPIPE, what a shell would report. (Windows has two numbers for a pipe without
            // a reader.)
            let gone =
                ["os error 32)", "os error 109)", "os error 232)"].iter().any(|e| why.ends_with(e));
            if gone {
                std::process::exit(141);
            }
            eprintln!("error: the standard output cannot be written: {why}");
            std::process::exit(i32::from(Exit::Files as u8));
        }
        usual(panic);
    }));
}
