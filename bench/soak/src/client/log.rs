//! What clients sent, what they were told, and what was served to them: the other half of the audit.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use uuid::Uuid;

use crate::audit::Violation;

/// What the verdict on a trace is, as far as its client was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// There is none.
    None,
    /// This one: whether the run passed.
    Verdict(bool),
    /// One of two that were sent at the same moment.
    Either,
    /// A call was not answered, so anything may be.
    Unknown,
}

/// A run that a client sent, under one idempotency key.
#[derive(Debug, Clone)]
pub(crate) struct SentTrace {
    /// The slug of its project.
    pub(crate) project: String,
    /// Only this run carries it, in its metadata.
    pub(crate) marker: String,
    pub(crate) body: Value,
    /// The id that it was acknowledged under.
    pub(crate) acknowledged: Option<Uuid>,
    pub(crate) standing: Standing,
}

/// What became of calls of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) acknowledged: usize,
    pub(crate) refused: usize,
    pub(crate) unanswered: usize,
}

/// All that clients know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    pub(crate) traces: Vec<SentTrace>,
    /// Reviews whose ids clients were told.
    pub(crate) reviews: Vec<Uuid>,
    /// Memories that were served, and to which project.
    pub(crate) served: HashSet<(String, Uuid)>,
    /// Answers that contradict what was answered before.
    pub(crate) contradictions: Vec<Violation>,
    pub(crate) tallies: BTreeMap<&'static str, Tally>,
    /// How often each status came back, also of calls that were then tried again.
    pub(crate) statuses: BTreeMap<u16, usize>,
    /// How often a repeated call was compared with what it had been answered.
    pub(crate) compared: usize,
}

impl Log {
    /// Adds what another client knows.
    pub(crate) fn absorb(&mut self, other: Self) {
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

    /// How many calls were acknowledged.
    pub(crate) fn acknowledged(&self) -> usize {
        self.tallies.values().map(|tally| tally.acknowledged).sum()
    }
}
