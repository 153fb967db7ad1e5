//! `<hfield>` of MJCF: terrain from numbers, or flat.
//!
//! The lowest of the numbers is at height 0 of the geom, the highest at `size[2]`; what lies below
//! (`size[3]`) has no counterpart, for terrain is a surface here.

use super::make::Make;
use super::mjcf_model::Model;
use super::xml::{lost_because, required};
use crate::node::{Node as Item, Value};
use crate::read::Reader;
use crate::source::Span;
use kreisel_geometry::Pose;
use roxmltree::Node;

/// Most rows, and most columns.
const MAX_SIDE: usize = 2000;

/// Terrain of the model.
pub(super) struct Terrain {
    /// Half the extent along x and y, and the height.
    size: [f64; 3],
    rows: usize,
    columns: usize,
    /// From 0 to 1, row by row from the lowest y on.
    heights: Vec<f64>,
}

/// Reads an `<hfield>` of `<asset>`.
pub(super) fn read(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) {
    let Some(name) = required(reader, node, "name") else { return };
    if node.has_attribute("file") {
        return lost_because(reader, node, "terrain is read from `elevation`, not from files");
    }
    let count = |reader: &mut Reader, key| {
        let n = super::xml::number(reader, node, key).unwrap_or(0.0);
        (n >= 2.0 && n.fract() == 0.0 && n <= MAX_SIDE as f64).then_some(n as usize)
    };
    let (rows, columns) = (count(reader, "nrow"), count(reader, "ncol"));
    let size = super::xml::numbers(reader, node, "size").unwrap_or_default();
    let (Some(rows), Some(columns), &[x, y, z, _]) = (rows, columns, size.as_slice()) else {
        return lost_because(reader, node, "it needs nrow, ncol (2 to 2000) and four sizes");
    };
    let given = super::xml::numbers(reader, node, "elevation").unwrap_or_default();
    if !given.is_empty() && given.len() != rows * columns {
        return lost_because(reader, node, "elevation has nrow times ncol numbers");
    }
    let low = given.iter().copied().fold(f64::INFINITY, f64::min);
    let high = given.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let unit = |h: &f64| if high > low { (h - low) / (high - low) } else { 0.0 };
    // the file's rows begin at the largest y
    let heights = if given.is_empty() {
        vec![0.0; rows * columns]
    } else {
        given.chunks(columns).rev().flatten().map(unit).collect()
    };
    model.terrains.insert(name.to_owned(), Terrain { size: [x, y, z], rows, columns, heights });
}

impl Terrain {
    /// Its shape, whose first corner is the origin, and where that lies in the geom.
    pub fn shape(&self, span: &Span) -> (Value, Pose) {
        let [x, y, z] = self.size;
        let item = |value: Value| Item { span: span.clone(), value };
        let number = |x: f64| item(Value::Number(x));
        let gaps = [(x, self.columns), (y, self.rows)].map(|(half, n)| 2.0 * half / (n - 1) as f64);
        let row = |r: &[f64]| item(Value::Array(r.iter().map(|h| number(h * z)).collect()));
        let mut make = Make::new(span);
        make.put("spacing", Value::Array(gaps.map(number).into()));
        make.put("heights", Value::Array(self.heights.chunks(self.columns).map(row).collect()));
        (make.done().value, Pose::at(kreisel_dynamics::Vec3::new(-x, -y, 0.0)))
    }
}
