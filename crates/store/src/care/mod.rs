//! Care for memories: what somebody changes about them, how each change can be undone by itself, and what is
//! shown to whoever decides about it.
//!
//! Everything that an action changed about a memory is a row of the ledger of care. What holds is read off
//! that ledger, when something is changed and when something is undone, by the same path.

mod apply;
mod change;
mod erase;
mod filter;
mod history;
mod near;
mod stored;
mod text;
mod undo;
mod uses;
mod write;

pub use apply::{Care, Cared, Decide};
pub use change::{Change, MemoryState, Presence};
pub use filter::{MemorySelection, MemorySort};
pub use history::{CareNote, History, HistoryStep, ReviewNote};
pub use near::NearMemory;
pub use stored::{MemoryDetail, Provenance, StoredMemory, VersionRow};
pub use text::{NewText, TextFields};
pub use uses::UseRow;
