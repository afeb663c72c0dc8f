//! Curation: changes to memories by people, and undo.
//!
//! Each change of an action is a row of the curation ledger. The current state is computed from that ledger, both
//! after a change and after an undo.

mod actions;
mod apply;
mod create;
mod erase;
mod split;
mod undo;

use crate::db::ProjectDb;
pub use apply::{Curated, CurationRequest, Decide};
pub use create::ImportedItem;

/// Changes to memories.
#[derive(Debug, Clone, Copy)]
pub struct CurationStore<'a> {
    pub(crate) db: &'a ProjectDb,
}
