//! Traces: recording a run, reading it back, letting it go.

mod gather;
mod lines;
mod link;
mod page;
mod read;
mod record;

pub(crate) use gather::Gathering;
pub use lines::{TraceFilter, TraceLinePage, TraceLineRow};
pub use link::{Linked, Served};
pub use page::TracePage;
pub use read::TraceRow;
pub use record::{NewTrace, Recorded};
