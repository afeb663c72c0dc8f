//! Curation: changes to memories by people, and undo.
//!
//! Each change of an action is a row of the curation ledger. The current state is computed from that ledger, both
//! after a change and after an undo.

mod actions;
mod apply;
mod change;
mod create;
mod erase;
mod text;
mod undo;

use crate::db::ProjectDb;
pub use apply::{Curated, CurationRequest, Decide};
pub(crate) use apply::{apply_changes, insert_changes, lock_memories, settle};
pub use change::{MemoryChange, MemoryState, Presence};
pub(crate) use change::{Noted, PRESENCE, facet_name};
pub use text::{NewText, TextFields};

/// Changes to memories.
#[derive(Debug, Clone, Copy)]
pub struct CurationStore<'a> {
    pub(crate) db: &'a ProjectDb,
}
