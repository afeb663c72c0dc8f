//! What clients sent and the responses that they got. The audit compares this with the database.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use uuid::Uuid;

use crate::audit::Violation;

/// The review of a trace, as far as its client knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// There is none.
    None,
    /// This one: whether the run passed.
    Verdict(bool),
    /// One of two that were sent concurrently.
    Either,
    /// A call had no response, so the state is unknown.
    Unknown,
}

/// A run that a client sent with one idempotency key.
#[derive(Debug, Clone)]
pub(crate) struct SentTrace {
    /// The slug of its project.
    pub(crate) project: String,
    /// The unique marker in its metadata.
    pub(crate) marker: String,
    pub(crate) body: Value,
    /// The id in the acknowledgement.
    pub(crate) acknowledged: Option<Uuid>,
    pub(crate) standing: Standing,
}

/// The results of calls of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// With a successful response.
    pub acknowledged: usize,
    /// With an error response.
    pub refused: usize,
    /// Without a response.
    pub unanswered: usize,
}

/// Everything that clients know.
#[derive(Debug, Clone, Default)]
pub struct Log {
    pub(crate) traces: Vec<SentTrace>,
    /// The ids of acknowledged reviews.
    pub(crate) reviews: Vec<Uuid>,
    /// Served memories, with the project.
    pub(crate) served: HashSet<(String, Uuid)>,
    /// Responses that contradict earlier ones.
    pub(crate) contradictions: Vec<Violation>,
    /// The results of calls, by kind.
    pub tallies: BTreeMap<&'static str, Tally>,
    /// The number of responses by status, including those of calls that were retried.
    pub statuses: BTreeMap<u16, usize>,
    /// How often the response to a repeated call was compared with the first one.
    pub compared: usize,
}

impl Log {
    /// Merges the log of another client.
    pub fn absorb(&mut self, other: Self) {
        self.traces.extend(other.traces);
        self.reviews.extend(other.reviews);
        self.served.extend(other.served);
        self.contradictions.extend(other.contradictions);
        self.compared += other.compared;
        for (kind, tally) in other.tallies {
            let sum = self.tallies.entry(kind).or_default();
            sum.acknowledged += tally.acknowledged;
            sum.refused += tally.refused;
            sum.unanswered += tally.unanswered;
        }
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
    }

    /// Forgets runs whose time is up. Reviews and memories are kept for longer than runs.
    pub fn forget_runs(&mut self) {
        self.traces.clear();
    }

    /// The number of acknowledged calls.
    pub fn acknowledged(&self) -> usize {
        self.tallies.values().map(|tally| tally.acknowledged).sum()
    }
}
