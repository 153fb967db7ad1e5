//! Queries: how far apart, where, when.

mod mesh_distance;

pub use mesh_distance::{MeshDistance, MeshQuery, Work, mesh_distance};
