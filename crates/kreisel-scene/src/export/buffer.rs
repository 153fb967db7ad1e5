//! The binary part of a glTF file, with its views and accessors.

use serde_json::{Value, json};

/// Numbers of the glTF specification: types of components and uses of buffers.
const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Bytes with their accessors.
#[derive(Default)]
pub(super) struct Buffer {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl Buffer {
    /// Numbers in groups of N, with their bounds; gives the accessor.
    pub fn floats<const N: usize>(&mut self, values: &[[f32; N]], vertices: bool) -> usize {
        let start = self.bytes.len();
        for v in values.iter().flatten() {
            self.bytes.extend(v.to_le_bytes());
        }
        let fold = |f: fn(f32, f32) -> f32, from: f32| {
            (0..N).map(|k| values.iter().fold(from, |m, v| f(m, v[k]))).collect::<Vec<f32>>()
        };
        let kind = match N {
            1 => "SCALAR",
            3 => "VEC3",
            _ => "VEC4",
        };
        let bounds = (fold(f32::min, f32::INFINITY), fold(f32::max, f32::NEG_INFINITY));
        self.view(start, vertices.then_some(VERTICES));
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1, "componentType": FLOAT, "count": values.len(), "type": kind,
            "min": bounds.0, "max": bounds.1,
        }));
        self.accessors.len() - 1
    }

    /// Corners of triangles; gives the accessor.
    pub fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let start = self.bytes.len();
        for i in triangles.iter().flatten() {
            self.bytes.extend(i.to_le_bytes());
        }
        self.view(start, Some(INDICES));
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1, "componentType": UNSIGNED, "count": 3 * triangles.len(), "type": "SCALAR",
        }));
        self.accessors.len() - 1
    }

    fn view(&mut self, start: usize, target: Option<u32>) {
        let mut view =
            json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.views.push(view);
    }
}
