//! Curation of memories: reading stored memories and changing them.
//!
//! The texts are the stored ones, without changes. They are for people and tools that manage memories. Do not put them
//! into a prompt.

mod change;
mod history;
mod memory_detail;

pub use change::{
    Action, BulkAnswer, BulkCare, CareAnswer, CareVerb, EditMemory, EraseMemory, MemorySelection,
    MergeMemories, WriteMemory,
};
pub use history::{HistoryCare, HistoryReview, HistoryStep, MemoryHistory, MemoryNeighbour, MemoryUse};
pub use memory_detail::{ListMemories, MemoryDetail, MemoryProvenance, MemoryVersion, StoredMemory};
