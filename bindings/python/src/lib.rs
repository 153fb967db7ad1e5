//! The native half of the Python package `kreisel`: a session behind a lock, items by name, runs
//! and batches without the interpreter's lock, and the program itself. What reads better in Python
//! is in `bindings/python/python/kreisel`.

mod analyses;
mod arrays;
mod batch;
mod core;
mod errors;
mod item;
mod item_kinds;
mod jacobian;
mod plugin;
mod program;
mod queries;
mod report;
mod run;
mod shape;
mod socket;
mod sweep;
mod value;

use pyo3::prelude::*;

/// The module `kreisel._native`.
#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<core::Core>()?;
    m.add_class::<core::Snapshot>()?;
    m.add_class::<item::Item>()?;
    m.add_class::<item_kinds::Body>()?;
    m.add_class::<item_kinds::Joint>()?;
    m.add_class::<item_kinds::Motor>()?;
    m.add_class::<report::Report>()?;
    m.add_class::<batch::BatchCore>()?;
    m.add_class::<shape::Placed>()?;
    m.add_class::<socket::Socket>()?;
    m.add_class::<plugin::Seen>()?;
    m.add_function(wrap_pyfunction!(plugin::register_force, m)?)?;
    m.add_function(wrap_pyfunction!(plugin::register_constraint, m)?)?;
    m.add_function(wrap_pyfunction!(plugin::register_sensor, m)?)?;
    m.add_function(wrap_pyfunction!(plugin::register_contact, m)?)?;
    m.add_function(wrap_pyfunction!(plugin::register_exporter, m)?)?;
    m.add_function(wrap_pyfunction!(plugin::unregister_plugin, m)?)?;
    m.add_function(wrap_pyfunction!(plugin::plugins, m)?)?;
    m.add_function(wrap_pyfunction!(plugin::check_constraint, m)?)?;
    m.add_class::<sweep::SweepTask>()?;
    m.add_class::<sweep::SweepTable>()?;
    m.add_function(wrap_pyfunction!(sweep::sweep_points, m)?)?;
    m.add_function(wrap_pyfunction!(program::main, m)?)?;
    m.add_function(wrap_pyfunction!(program::chart, m)?)?;
    m.add_function(wrap_pyfunction!(program::nearest, m)?)?;
    m.add_function(wrap_pyfunction!(program::sections, m)?)?;
    m.add_function(wrap_pyfunction!(program::rewrite, m)?)?;
    m.add_function(wrap_pyfunction!(value::to_wire, m)?)?;
    m.add_function(wrap_pyfunction!(value::from_wire, m)?)?;
    Ok(())
}
