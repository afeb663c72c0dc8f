//! Runs: retrieval at the start, messages in between, and the trace at the end.

mod context;
mod ending;
mod guard;
mod output;
mod start;

pub use context::RunContext;
pub(crate) use ending::Ending;
pub use guard::Run;
pub use output::Output;
pub use start::RunBuilder;
