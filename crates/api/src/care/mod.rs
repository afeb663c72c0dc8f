//! Care for memories: what is shown to whoever decides about them, and what can be done to them.
//!
//! Texts here are the stored ones, to the letter: they are for people and programs that care for memories,
//! and must not be pasted into a prompt as they are.

mod change;
mod history;
mod stored;

pub use change::{
    Action, BulkAnswer, BulkCare, CareAnswer, CareVerb, EditMemory, EraseMemory, MemorySelection,
    MergeMemories, WriteMemory,
};
pub use history::{HistoryCare, HistoryReview, HistoryStep, MemoryHistory, MemoryNeighbour, MemoryUse};
pub use stored::{ListMemories, MemoryDetail, MemoryProvenance, MemorySort, MemoryVersion, StoredMemory};
