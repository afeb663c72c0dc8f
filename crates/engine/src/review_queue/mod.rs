//! The review queue: gives pending runs to reviewers, each run to one reviewer.
//!
//! A reviewer gets runs under a lease. A lease affects only what other reviewers get. It does not prevent reviews:
//! clients without leases review as before, and the first review counts.

mod bulk;
mod digest;
mod estimate;
mod order;
mod request;
mod service;
mod signals;
mod waiting_runs;

pub use bulk::{BulkReviewOutcome, BulkReviews, BulkRuns, BulkVerdict};
pub use digest::{Clamped, Digest, MemoryEffect, StepLine, Steps, Subject, digest};
pub use order::{JudgeView, Prospect, Reason, Scored, most_informative_first, weigh};
pub use request::{NextRuns, PendingRunFilter, QueueAnswer, QueueItem};
pub use service::{DeferRun, LeaseChange, ReviewQueueService};
pub use signals::{Evidence, Signal, SignalKind, signals};
pub(crate) use waiting_runs::WaitingRuns;
