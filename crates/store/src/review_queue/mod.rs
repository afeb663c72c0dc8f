//! The review queue: waiting runs, leases, deferrals.
//!
//! A lease prevents that two reviewers get the same run. It does not prevent a review by another person. The engine
//! decides the order.

mod context;
mod defer;
mod lease;
mod waiting;

use crate::db::ProjectDb;
pub use context::{LinkedMemory, MemoryStanding, TypicalRun};
pub use defer::{Deferral, NewDeferral};
pub use lease::Lease;
pub use waiting::{Judged, QueueCounts, QueueFilter, Reach, WaitingRun, WaitingRuns};

/// Runs that wait for a review.
#[derive(Debug, Clone, Copy)]
pub struct QueueStore<'a> {
    pub(crate) db: &'a ProjectDb,
}
