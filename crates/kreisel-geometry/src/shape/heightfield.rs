//! Terrain: heights over a rectangular grid, joined by triangles.
//!
//! Heights lie along z at x = column · spacing.x, y = row · spacing.y; each cell is cut along the
//! diagonal from its corner (row, column) to (row + 1, column + 1). The surface is open, its upper
//! side is the outer one.

use super::ShapeError;
use crate::TriMesh;
use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// Heights over a grid.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "RawField")]
pub struct HeightField {
    rows: usize,
    columns: usize,
    spacing: DVec2,
    heights: Vec<f64>,
    /// Made when the first query asks for it.
    #[serde(skip)]
    surface: OnceLock<Arc<TriMesh>>,
}

impl PartialEq for HeightField {
    fn eq(&self, other: &Self) -> bool {
        let key = |f: &Self| (f.rows, f.columns, f.spacing);
        key(self) == key(other) && self.heights == other.heights
    }
}

#[derive(Deserialize)]
struct RawField {
    rows: usize,
    columns: usize,
    spacing: DVec2,
    heights: Vec<f64>,
}

impl TryFrom<RawField> for HeightField {
    type Error = ShapeError;
    fn try_from(raw: RawField) -> Result<Self, ShapeError> {
        Self::new(raw.rows, raw.columns, raw.spacing, raw.heights)
    }
}

impl HeightField {
    /// Terrain of `rows` × `columns` heights (row after row), `spacing` metres apart.
    pub fn new(
        rows: usize,
        columns: usize,
        spacing: DVec2,
        heights: Vec<f64>,
    ) -> Result<Self, ShapeError> {
        let finite = heights.iter().all(|h| h.is_finite() && h.abs() < 1e75);
        let sized = rows >= 2 && columns >= 2 && rows.checked_mul(columns) == Some(heights.len());
        let spaced =
            spacing.is_finite() && spacing.min_element() > 0.0 && spacing.max_element() < 1e60;
        let countable = heights.len() < (u32::MAX / 2) as usize;
        if finite && sized && spaced && countable {
            Ok(Self { rows, columns, spacing, heights, surface: OnceLock::new() })
        } else {
            Err(ShapeError::HeightField)
        }
    }

    /// Number of rows, along y.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Distance between neighbouring columns and rows, in m.
    pub fn spacing(&self) -> DVec2 {
        self.spacing
    }

    /// The heights in m, row after row.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// The surface as a mesh, made at the first call.
    pub fn surface(&self) -> &TriMesh {
        self.surface.get_or_init(|| Arc::new(self.to_mesh()))
    }

    /// The surface as triangles.
    pub fn to_mesh(&self) -> TriMesh {
        let at = |i: usize| {
            let (row, column) = (i / self.columns, i % self.columns);
            DVec3::new(column as f64 * self.spacing.x, row as f64 * self.spacing.y, self.heights[i])
        };
        let mut triangles = Vec::with_capacity(2 * (self.rows - 1) * (self.columns - 1));
        for row in 0..self.rows - 1 {
            for column in 0..self.columns - 1 {
                let a = (row * self.columns + column) as u32;
                let (b, d) = (a + 1, a + self.columns as u32);
                triangles.extend([[a, b, d + 1], [a, d + 1, d]]);
            }
        }
        TriMesh::trusted((0..self.heights.len()).map(at).collect(), triangles)
    }
}
