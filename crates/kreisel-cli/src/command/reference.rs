//! Pages that are printed from the program itself, and shell completions.

use crate::args::Args;
use crate::exit::{EXIT_CODES, Exit, Failure};
use clap::CommandFactory;

/// The keys of the scene format as Markdown.
pub fn scene_keys() -> Result<Exit, Failure> {
    print!("{}", kreisel_scene::grammar::reference());
    println!("### Expressions\n\n| function | meaning |\n|---|---|");
    for (name, least, most, doc) in kreisel_scene::FUNCTIONS {
        let arguments =
            if least == most { least.to_string() } else { format!("{least} to {most}") };
        println!("| `{name}` ({arguments} arguments) | {doc} |");
    }
    Ok(Exit::Success)
}

/// The commands as Markdown.
pub fn commands() -> Result<Exit, Failure> {
    let mut program = Args::command().term_width(100);
    program.build();
    for command in
        program.get_subcommands_mut().filter(|c| !c.is_hide_set() && c.get_name() != "help")
    {
        let help = command.render_long_help().to_string();
        println!("## `kreisel {}`\n\n```text", command.get_name());
        for line in help.trim_end().lines() {
            println!("{}", line.trim_end());
        }
        println!("```\n");
    }
    println!("## Exit codes\n\n```text\n{EXIT_CODES}\n```");
    Ok(Exit::Success)
}

/// A completion script.
pub fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    // In memory first: the generator panics when its reader has gone.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "kreisel", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
    Ok(Exit::Success)
}

/// Prints the JSON Schema of the scene format.
pub fn schema() -> Result<Exit, Failure> {
    print!("{}", kreisel_scene::schema());
    Ok(Exit::Success)
}
