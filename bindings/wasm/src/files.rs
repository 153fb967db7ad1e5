//! Files that a scene may read, by name.

use kreisel_scene::FileSet;
use std::sync::Arc;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// Files by name; names have slashes and start from the folder that was dropped or fetched from.
#[wasm_bindgen]
#[derive(Default)]
pub struct Files {
    pub(crate) set: Arc<FileSet>,
}

#[wasm_bindgen]
impl Files {
    /// No files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn insert(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), JsError> {
        let set = Arc::get_mut(&mut self.set)
            .ok_or_else(|| JsError::new("an engine runs with these files"))?;
        if set.insert(name, bytes) {
            return Ok(());
        }
        Err(JsError::new(&format!("\"{name}\" leads out of the folder")))
    }

    /// Names a file that can be fetched: a scene that needs it is refused, and `wanted` lists it.
    pub fn announce(&mut self, name: &str) -> Result<(), JsError> {
        let set = Arc::get_mut(&mut self.set)
            .ok_or_else(|| JsError::new("an engine runs with these files"))?;
        set.announce(name);
        Ok(())
    }

    /// Files that the last scene needed and that have not been inserted.
    pub fn wanted(&self) -> Vec<String> {
        self.set.wanted()
    }
}
