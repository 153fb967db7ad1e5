//! The matrix.
mod reference;
fn main() {}
