//! Memories: search, lists, details, history, and their vectors.

mod filter;
mod history;
mod index;
mod memory_detail;
mod near;
mod retrieval;
mod search;
mod uses;

use crate::db::ProjectDb;
pub(crate) use filter::lesson_page;
pub use filter::{MemoryOrder, MemorySelector};
pub use history::{CurationNote, MemoryHistoryStep, MemoryTimeline, ReviewNote};
pub use index::UnindexedMemory;
pub(crate) use index::{index_in, unindexed_in};
pub use memory_detail::{FullMemoryRow, MemoryDetailRow, Provenance, VersionRow};
pub use near::NearMemory;
pub use retrieval::RetrievalSearch;
pub use search::{MemoryCandidate, MemoryFilter, MemoryRow, ReviewedNeighbour, Search};
pub use uses::UseRow;

/// The memories of a project.
#[derive(Debug, Clone, Copy)]
pub struct MemoryStore<'a> {
    pub(crate) db: &'a ProjectDb,
}
