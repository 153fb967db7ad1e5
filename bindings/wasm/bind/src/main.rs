//! Writes the JavaScript around a WASM module: `kreisel-wasm-bind MODULE FOLDER page|package`.
//! For the page's worker it is a plain script, which `importScripts` reads and a blob can hold; for
//! the npm package it is a module with types.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, kind] = &args[..] else {
        eprintln!("kreisel-wasm-bind MODULE FOLDER page|package");
        return ExitCode::FAILURE;
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name("kreisel").remove_name_section(true).remove_producers_section(true);
    let set = match kind.as_str() {
        "page" => bindgen.typescript(false).no_modules(true),
        // the package's modules find what lies beside them: `await init()` needs no path
        _ => bindgen.typescript(true).omit_default_module_path(false).web(true),
    };
    match set.and_then(|b| b.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{module}: {e:#}");
            ExitCode::FAILURE
        }
    }
}
