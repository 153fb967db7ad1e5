//! One table of properties per kind of item, from which everything else is drawn: reading and
//! writing scenes, their schema and reference page, the live panel, recordings and scripts.
//!
//! A *property* ([`Property`]) is a key of the scene format: its name, what it means, what its
//! value looks like ([`Form`]), its unit and range, and how it is read from and written into the
//! plain description of an item (`Spring`, `Settings`, …). A [`Table`] is the list of them; the
//! `table!` macro writes one down, line by line (`kinds/spring.rs` is a short example). Values
//! travel between tables and the outside as [`Value`], and what is wrong with one as [`Fault`].
//!
//! Defaults are not written down: the default of a property is what it is in a blank item. The
//! words of an enum stand where the enum is declared (`words!` in `kreisel-dynamics`). Ways of
//! writing a value are codecs (`codec.rs`), one per way, not one per property.
//!
//! | consumer | where |
//! |---|---|
//! | reading with places and several errors at once | `load/item.rs` |
//! | writing | `save/item.rs` |
//! | schema, reference page | `schema.rs`, `grammar/mod.rs` |
//! | by path: live panel, scripts, recordings | `items.rs` |

pub(crate) mod codec;
mod form;
mod key;
pub(crate) mod kinds;
mod range;
mod table;
mod table_macro;
mod value;

pub use codec::{Codec, Described, Written};
pub use form::Form;
pub use key::{Placed, Property};
pub use kinds::Solid;
pub use range::{Range, Unit};
pub use table::{Choice, HowMany, Table, Title};
pub use value::{Fault, Value};
