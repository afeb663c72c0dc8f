//! Moving a project from one database to another: its rows as lines, and lines as rows again.
//!
//! What a pack is made of and whether two sides are equal is decided above; here is what reads and writes.

mod body_line;
mod import;
mod snapshot;
mod tables;

pub use import::ImportMark;
pub use snapshot::{FoldedMemory, MovedProject, MovedRow, Snapshot, SpaceNumbers, Stands};
pub use tables::{LEFT_BEHIND, MOVED_TABLES};
