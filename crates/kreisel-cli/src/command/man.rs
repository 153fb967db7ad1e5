//! `kreisel man`: manual pages, printed from the arguments themselves.

use crate::args::Args;
use crate::exit::{EXIT_CODES, Exit, Failure};
use clap::{Arg, Command, CommandFactory};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub struct Man {
    /// Folder that gets one page for every command (kreisel.1, kreisel-run.1, …); without it the
    /// page of the program is printed
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Prints or writes the pages.
pub fn run(args: &Man) -> Result<Exit, Failure> {
    let mut program = Args::command();
    program.build();
    let commands: Vec<&Command> =
        program.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help").collect();
    let Some(folder) = &args.folder else {
        print!("{}", whole(&program, &commands));
        return Ok(Exit::Success);
    };
    std::fs::create_dir_all(folder).map_err(|e| Failure::file(folder, e))?;
    let mut pages = vec![("kreisel".to_owned(), whole(&program, &commands))];
    pages.extend(commands.iter().map(|c| (format!("kreisel-{}", c.get_name()), one(c))));
    for (name, text) in &pages {
        let path = folder.join(format!("{name}.1"));
        std::fs::write(&path, text).map_err(|e| Failure::file(&path, e))?;
    }
    println!("wrote {} pages to {}", pages.len(), folder.display());
    Ok(Exit::Success)
}

/// A text as roff takes it: no line begins a request, no character a command.
fn plain(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let line = |l: &str| if l.starts_with(['.', '\'']) { format!("\\&{l}") } else { l.to_owned() };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn head(out: &mut String, name: &str, about: &str, usage: &str) {
    let _ = writeln!(
        out,
        ".TH {} 1 \"\" \"kreisel {}\"",
        name.to_uppercase(),
        env!("CARGO_PKG_VERSION")
    );
    let _ = writeln!(
        out,
        ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
        plain(name),
        plain(about),
        plain(usage)
    );
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// The usage line without its title.
fn usage(command: &Command) -> String {
    let text = command.clone().render_usage().to_string();
    text.strip_prefix("Usage: ").unwrap_or(&text).trim().to_owned()
}

fn exits(out: &mut String) {
    out.push_str(".SH EXIT STATUS\n");
    for line in EXIT_CODES.lines().skip(1) {
        let (code, words) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let _ = writeln!(out, ".TP\n.B {code}\n{}", plain(words.trim()));
    }
}

fn whole(program: &Command, commands: &[&Command]) -> String {
    let mut out = String::new();
    head(&mut out, "kreisel", &about(program), &usage(program));
    out.push_str(".SH COMMANDS\n");
    for c in commands {
        let _ = writeln!(
            out,
            ".TP\n.BR {} (1)\n{}",
            plain(&format!("kreisel-{}", c.get_name())),
            plain(&about(c))
        );
    }
    exits(&mut out);
    out
}

fn one(command: &Command) -> String {
    let mut out = String::new();
    let name = format!("kreisel-{}", command.get_name());
    head(&mut out, &name, &about(command), &usage(command));
    let (positional, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(|a| !a.is_hide_set()).partition(|a| a.is_positional());
    for (title, list) in [("ARGUMENTS", positional), ("OPTIONS", options)] {
        if !list.is_empty() {
            let _ = writeln!(out, ".SH {title}");
        }
        for arg in list {
            let help = arg
                .get_long_help()
                .or_else(|| arg.get_help())
                .map(ToString::to_string)
                .unwrap_or_default();
            let _ = writeln!(out, ".TP\n.B {}\n{}", plain(&arg.to_string()), plain(&help));
            let defaults: Vec<_> =
                arg.get_default_values().iter().map(|d| d.to_string_lossy()).collect();
            if !defaults.is_empty() && arg.get_action().takes_values() {
                let _ = writeln!(out, "Default: {}.", plain(&defaults.join(", ")));
            }
        }
    }
    exits(&mut out);
    let _ = writeln!(out, ".SH SEE ALSO\n.BR kreisel (1)");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_all_its_options() {
        let mut program = Args::command();
        program.build();
        for c in program.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
            let page = one(c);
            for arg in c.get_arguments().filter(|a| !a.is_hide_set()) {
                if let Some(long) = arg.get_long() {
                    let words = plain(&format!("--{long}"));
                    assert!(page.contains(&words), "{}: {words}", c.get_name());
                }
            }
            // requests are those of the page, never words of a text
            let known = [".TH", ".SH", ".TP", ".B ", ".BR"];
            let requests = page.lines().filter(|l| l.starts_with(['.', '\'']));
            for line in requests {
                assert!(known.iter().any(|k| line.starts_with(k)), "{}: {line}", c.get_name());
            }
        }
    }

    #[test]
    fn a_line_of_text_is_no_request() {
        assert_eq!(plain(".5 is a half\\n"), "\\&.5 is a half\\en");
    }
}
