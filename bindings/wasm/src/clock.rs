//! What a page gives the engine before it starts: its clock, and a place for the words of a panic.

use std::sync::Mutex;
use wasm_bindgen::prelude::wasm_bindgen;

static PANIC: Mutex<String> = Mutex::new(String::new());

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// Called when the module is loaded.
#[wasm_bindgen(start)]
pub fn start() {
    #[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
    kreisel_dynamics::clock::give(|| std::time::Duration::from_secs_f64((now() / 1000.0).max(0.0)));
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut words) = PANIC.lock() {
            *words = info.to_string();
        }
    }));
}

/// Whether a scene was refused because it needs what this module was built without: scripts,
/// robots, meshes from files. The whole engine can run it.
#[wasm_bindgen]
pub fn lacks(refusal: &str) -> bool {
    refusal.contains(kreisel_scene::LACKS)
}

/// Words of the panic that ended the engine. A module that has panicked is of no other use.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> String {
    PANIC.lock().map(|words| words.clone()).unwrap_or_default()
}
