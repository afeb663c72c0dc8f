//! Curation of memories: reading stored memories and changing them.
//!
//! The texts are the stored ones, without changes. They are for people and tools that manage memories. Do not put them
//! into a prompt.
//!
//! Version 0.1.0 called curation "care". The affected types keep that name in the API description, by `schema(as = …)`.

mod change;
mod history;
mod imported;
mod memory_detail;

pub use change::{
    Action, BulkAnswer, BulkCurationAction, CurateMemories, CurationAnswer, EditMemory, EraseMemory,
    MemorySelection, MergeMemories, WriteMemory,
};
pub use history::{HistoryCuration, HistoryReview, HistoryStep, MemoryHistory, MemoryNeighbour, MemoryUse};
pub use imported::ImportedFrom;
pub use memory_detail::{ListMemories, MemoryDetail, MemoryProvenance, MemoryVersion, StoredMemory};
