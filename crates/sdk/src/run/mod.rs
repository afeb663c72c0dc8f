//! A run as a value: what it was given, what it notes while it goes on, and what becomes of it in the end.

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
