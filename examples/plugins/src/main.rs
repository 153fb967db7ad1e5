//! The program `kreisel` with laws of one's own: a magnet, a rod whose length changes, a sensor of
//! distance, a contact law for ice, and an exporter. All commands know them: `run`, `view`,
//! `sweep`, `convert`, ….
//!
//! ```text
//! cargo run --manifest-path examples/plugins/Cargo.toml -- run examples/plugins/scene.toml
//! ```

mod laws;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Err(error) = laws::register_all() {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::from(kreisel_cli::main(std::env::args_os()))
}
