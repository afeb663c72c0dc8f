//! Memories: finding the ones that may help, and serving them.

mod lessons;
mod neighbours;
mod place;
mod receipt;
mod search;
mod serve;

pub use lessons::Lesson;
pub use place::Unplaced;
pub use receipt::{AskedTask, ReceiptLine, ReceiptRow};
pub use search::{Candidate, MemoryFilter, Search};
pub use serve::{MemoryRow, Receipt};
