//! `cargo xtask deny`: licences, known weaknesses and origins of everything that is built in, by
//! cargo-deny and `deny.toml`.

use crate::process::{self, cargo};
use std::process::Stdio;

/// What `cargo xtask help` says.
pub const HELP: &str = "\
cargo xtask deny                    licences, advisories and origins of all dependencies (installs cargo-deny if it is missing)
";

/// Runs the chore.
pub fn run() -> Result<(), String> {
    let there =
        cargo().args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|s| s.success()) {
        process::run(cargo().args(["install", "--locked", "cargo-deny"]))?;
    }
    process::run(cargo().args(["deny", "check", "licenses", "bans", "sources"]))?;
    // apart, because it needs the network: the list of advisories is fetched anew
    process::run(cargo().args(["deny", "check", "advisories"]))
}
