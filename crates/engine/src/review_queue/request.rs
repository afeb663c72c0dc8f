//! Requests to the review queue, and its answers.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::{Link, QueueOrder, TraceId};
use serde_json::{Map, Value};

use super::digest::Digest;
use super::order::Scored;

/// A filter for pending runs. `None` matches all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PendingRunFilter {
    /// The model of the agent.
    pub model: Option<String>,
    /// Metadata that must match: the value, or a list that contains it.
    pub metadata: Map<String, Value>,
    /// Text that the task contains, ignoring case.
    pub task: Option<String>,
    /// A signal of the run.
    pub signal: Option<String>,
    /// Whether there is a verdict of a judge.
    pub judged: Option<bool>,
}

/// A request for runs to review.
#[derive(Debug, Clone)]
pub struct NextRuns {
    /// How many runs.
    pub count: usize,
    /// The order.
    pub order: QueueOrder,
    /// The duration of the lease.
    pub lease: Duration,
    /// Runs to leave out.
    pub skip: Vec<TraceId>,
    /// Whether the caller's own leases come first and are renewed.
    pub renew: bool,
    /// The name of the reviewer, if several use the same key.
    pub reviewer: Option<String>,
    /// The filter.
    pub filter: PendingRunFilter,
}

/// A run to review.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueItem {
    /// The run.
    pub trace_id: TraceId,
    /// When the lease ends.
    pub leased_until: DateTime<Utc>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The model of the agent.
    pub model: Option<String>,
    /// How the memories of the run are known.
    pub link: Link,
    /// The reviewer who deferred the run, if the deferral has ended.
    pub deferred_by: Option<String>,
    /// The note of the deferral.
    pub deferred_note: Option<String>,
    /// Why the run is informative.
    pub scored: Scored,
    /// The digest of the run.
    pub digest: Digest,
}

/// Runs to review.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueueAnswer {
    /// The runs, best first.
    pub items: Vec<QueueItem>,
    /// How many more runs match.
    pub remaining: usize,
}
