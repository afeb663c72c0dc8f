//! Curation of memories: disable, enable, pin, edit, merge, write and erase. Everything except erasing can be undone.

mod bulk;
mod edit;
mod merge;
mod rule;
mod service;
mod write;

pub use bulk::{BulkCuration, BulkCurationOutcome};
pub use edit::LessonEdit;
pub use merge::MemoryMerge;
pub use rule::CurationAction;
pub use service::Curation;
pub use write::{ImportSource, ManualLesson};
