//! Storage with stable, generation-checked ids.
//!
//! An id stays valid while its item lives and is refused afterwards, even when the slot is used
//! again.

use serde::{Deserialize, Serialize};

/// Slots with generations; iteration is in slot order, so it is the same in every run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Arena<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Slot<T> {
    generation: u32,
    item: Option<T>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Arena<T> {
    pub fn insert(&mut self, item: T) -> (u32, u32) {
        match self.free.pop() {
            Some(index) => {
                let slot = &mut self.slots[index as usize];
                slot.item = Some(item);
                (index, slot.generation)
            }
            None => {
                self.slots.push(Slot { generation: 0, item: Some(item) });
                (self.slots.len() as u32 - 1, 0)
            }
        }
    }

    pub fn remove(&mut self, index: u32, generation: u32) -> Option<T> {
        let slot = self.slots.get_mut(index as usize).filter(|s| s.generation == generation)?;
        let item = slot.item.take()?;
        slot.generation += 1;
        self.free.push(index);
        Some(item)
    }

    pub fn get(&self, index: u32, generation: u32) -> Option<&T> {
        self.slots.get(index as usize).filter(|s| s.generation == generation)?.item.as_ref()
    }

    pub fn get_mut(&mut self, index: u32, generation: u32) -> Option<&mut T> {
        self.slots.get_mut(index as usize).filter(|s| s.generation == generation)?.item.as_mut()
    }

    /// The item of a slot, whatever its generation.
    pub fn slot_mut(&mut self, index: u32) -> Option<&mut T> {
        self.slots.get_mut(index as usize)?.item.as_mut()
    }

    /// Index and generation of the item in a slot.
    pub fn id_at(&self, index: usize) -> Option<(u32, u32)> {
        let slot = self.slots.get(index)?;
        slot.item.as_ref().map(|_| (index as u32, slot.generation))
    }

    /// Number of slots, used or not.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Items with their slot index and generation, in slot order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, &T)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(i, s)| s.item.as_ref().map(|item| (i as u32, s.generation, item)))
    }
}

/// Declares an id type over an [`Arena`].
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name {
            pub(crate) index: u32,
            pub(crate) generation: u32,
        }
        impl $name {
            pub(crate) fn new((index, generation): (u32, u32)) -> Self {
                Self { index, generation }
            }
        }
    };
}
pub(crate) use id;
