//! The bodies of the HTTP contract, shared by the server and the Rust client.
//!
//! Only shapes live here: what a field means is decided elsewhere. Requests ignore fields they do
//! not know and treat null as absent, because clients of several ages are in use.

mod error;
mod keys;
mod projects;
mod reviews;
mod system;
mod traces;

pub use error::{ErrorBody, ErrorDetail};
pub use keys::{ApiKey, Bootstrap, Bootstrapped, CreateApiKey, CreatedApiKey};
pub use projects::DeletedProject;
pub use reviews::{AuthoredReflection, InlineReview, Review};
pub use system::{Health, Readiness};
pub use traces::{
    BatchAnswer, BatchItem, CreateTrace, CreateTraces, DeleteTraces, DeletedTraces, Trace, TraceSubmission,
    TrajectoryInput,
};
