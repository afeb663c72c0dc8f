//! The review queue: runs that wait for a verdict, given out so that no two people read the same one.
//!
//! What is given out is leased for a while. A lease decides what is given to others and forbids nobody to judge:
//! clients that know no leases review as they always did, and the first verdict counts.

mod arrange;
mod digest;
mod leases;
mod next;
mod order;
mod signals;

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::{Link, TraceId};
use serde_json::{Map, Value};

pub(crate) use arrange::Matching;
pub use digest::{Clamped, Digest, MemoryEffect, StepLine, Steps, Subject, digest};
pub use leases::{DeferRun, LeaseChange};
pub use order::{JudgeView, Prospect, Reason, Scored, most_informative_first, weigh};
pub use reflection_pipeline::trajectory::StepKind;
pub use signals::{Evidence, Signal, SignalKind, signals};

/// In which order runs are given out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QueueOrder {
    /// By what a verdict would teach.
    #[default]
    Informative,
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
    /// Those with the most tool errors and exceptions first.
    Errors,
    /// By lot.
    Random,
}

/// Which runs are wanted. What is absent is not asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFilter {
    /// The model that ran.
    pub model: Option<String>,
    /// Every key must be there with that value, or with a list that holds it.
    pub metadata: Map<String, Value>,
    /// The task has this text in it, in capitals or not.
    pub task: Option<String>,
    /// This was seen of the run.
    pub signal: Option<String>,
    /// Whether a judge has said something about it.
    pub judged: Option<bool>,
}

/// Asks for runs to review.
#[derive(Debug, Clone)]
pub struct NextRuns {
    /// How many.
    pub count: usize,
    /// In which order.
    pub order: QueueOrder,
    /// For how long nobody else is to get them.
    pub lease: Duration,
    /// None of these.
    pub skip: Vec<TraceId>,
    /// Whether the caller's own leases come first, and are prolonged.
    pub renew: bool,
    /// Who asks, when the key alone does not say.
    pub reviewer: Option<String>,
    /// Only such runs.
    pub filter: RunFilter,
}

/// A run to review.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueItem {
    /// The run.
    pub trace_id: TraceId,
    /// Until then nobody else is given it.
    pub leased_until: DateTime<Utc>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The model that ran.
    pub model: Option<String>,
    /// How it is known which memories it had.
    pub link: Link,
    /// Who had put it off, when that time is over.
    pub deferred_by: Option<String>,
    /// And why.
    pub deferred_note: Option<String>,
    /// What a verdict on it would teach.
    pub scored: Scored,
    /// The run at a glance.
    pub digest: Digest,
}

/// Runs to review, and how many are left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueueAnswer {
    /// The best first.
    pub items: Vec<QueueItem>,
    /// How many more the caller could get.
    pub remaining: usize,
}
