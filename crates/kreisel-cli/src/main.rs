//! The program `kreisel`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(kreisel_cli::main(std::env::args_os()))
}
