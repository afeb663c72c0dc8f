//! Reviews of stored traces: submit, change, withdraw.

mod rule;
mod service;
mod verdict;

pub use service::Reviews;
pub use verdict::{ReviewRequest, TraceReviewRequest};
