//! From a review to a memory: what is stored when learning begins, on the way, and at its end.

mod begin;
mod corroborate;
mod finish;
mod input;
mod progress;

pub(crate) use begin::Reviewed;
pub use finish::NewMemory;
pub use input::{LearnInput, ShownMemory};
pub use progress::Cost;
