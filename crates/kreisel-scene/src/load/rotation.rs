//! Rotations of instances and of parts of shapes.

use super::item;
use crate::node::Node;
use crate::property::Codec as _;
use crate::property::kinds::Rotation;
use crate::read::Reader;
use kreisel_dynamics::{Quat, World};

/// Reads a rotation.
pub(super) fn read(reader: &mut Reader, node: &Node) -> Option<Quat> {
    let value = item::alone(reader, node, "rotation")?;
    match Rotation::read(value, &World::default()) {
        Ok(q) => Some(q),
        Err(fault) => {
            reader.fault(&node.span, fault);
            None
        }
    }
}
