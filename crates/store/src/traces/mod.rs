//! Traces: recording a run, reading it back, letting it go.

mod page;
mod read;
mod record;

pub use page::TracePage;
pub use read::TraceRow;
pub use record::{NewTrace, Recorded};
