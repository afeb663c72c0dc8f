//! Changes to memories, the curation ledger, and the state that is computed from it.
//!
//! People change memories by `curation`. What a run changes by itself, `lessons` records here too, so undo works the same.

mod absorbed;
mod change;
mod settle;
mod text;

pub(crate) use absorbed::{absorbers, count_absorbed, following, with_absorbed};
pub(crate) use change::{ChangedRow, Noted, PRESENCE, facet_name};
pub use change::{MemoryChange, MemoryState, Presence};
pub(crate) use settle::{
    apply_changes, insert_changes, lock_memories, lock_with_absorbed, settle, take_effect,
};
pub(crate) use text::insert_text;
pub use text::{NewText, TextFields};
