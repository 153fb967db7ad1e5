//! The npm package: classes with the names of the Python package around the modules, with their
//! types. Types of properties come from the stubs of the Python package, which come from the tables
//! of the scene format.

use crate::process::{self, root};
use std::path::Path;
use std::process::Command;

/// Files that are taken as they are.
const FILES: [&str; 3] = ["package.json", "README.md", "example.html"];

/// Puts the files beside the modules.
pub fn put_together(package: &Path) -> Result<(), String> {
    let source = root().join("bindings/wasm/npm");
    let copy = |from: &Path, to: &Path| {
        std::fs::copy(from, to).map(drop).map_err(|e| format!("{}: {e}", from.display()))
    };
    for file in FILES {
        copy(&source.join(file), &package.join(file))?;
    }

    // types of properties, and the classes
    let python = root().join("bindings/python/python/kreisel");
    process::run(
        Command::new("node")
            .arg(source.join("types.mjs"))
            .args(["_properties.pyi", "_builders.py"].map(|f| python.join(f)))
            .arg(package.join("properties.ts")),
    )?;
    copy(&source.join("src/index.ts"), &package.join("index.ts"))?;
    copy(&source.join("tsconfig.json"), &package.join("tsconfig.json"))?;
    crate::web::packages()?;
    let compiler = root().join("web/node_modules/typescript/bin/tsc");
    process::run(Command::new("node").arg(compiler).args(["--project"]).arg(package))?;
    for file in ["index.ts", "properties.ts", "tsconfig.json"] {
        let path = package.join(file);
        std::fs::remove_file(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
