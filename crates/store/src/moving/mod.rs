//! Moving a project between databases: rows to lines, and lines to rows.
//!
//! The format of a pack and its verification are in the engine; this module reads and writes.

mod body_line;
mod feedback_line;
#[cfg(test)]
mod fuzz;
mod import;
mod snapshot;

use crate::db::{Db, ProjectDb};
pub use import::ImportMark;
pub use snapshot::{FoldedMemory, MovedProject, MovedRow, Snapshot, SpaceNumbers, StandingValues};

/// Imports of projects from another database.
#[derive(Debug, Clone, Copy)]
pub struct ImportStore<'a> {
    pub(crate) db: &'a Db,
}

/// Export and import of the rows of one project.
#[derive(Debug, Clone, Copy)]
pub struct MoveStore<'a> {
    pub(crate) db: &'a ProjectDb,
}
