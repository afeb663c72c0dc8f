//! The runs that the server leased to this session, and which of them is shown.

use reflect_api::{QueuedTrace, QueuedTraces};
use reflect_types::{ReviewResult, TraceId};

/// What the reviewer decided about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Passed,
    Failed,
    Deferred,
    /// For this session only; the server stores nothing.
    Skipped,
    /// The server rejected the verdict.
    Rejected,
}

impl Decision {
    pub(crate) fn of(result: ReviewResult) -> Self {
        match result {
            ReviewResult::Pass => Self::Passed,
            ReviewResult::Fail => Self::Failed,
        }
    }
}

/// A run of this session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueueItem {
    pub(crate) trace: QueuedTrace,
    pub(crate) decision: Option<Decision>,
}

impl QueueItem {
    pub(crate) fn id(&self) -> TraceId {
        self.trace.trace_id
    }
}

/// The runs of this session, in the order in which they arrived.
#[derive(Debug, Default)]
pub(crate) struct ReviewQueue {
    items: Vec<QueueItem>,
    current: Option<TraceId>,
    /// How many more runs the server has, as of its last response.
    pub(crate) remaining: u64,
}

impl ReviewQueue {
    pub(crate) fn items(&self) -> &[QueueItem] {
        &self.items
    }

    /// The run that is shown.
    pub(crate) fn current(&self) -> Option<&QueueItem> {
        self.items.iter().find(|item| Some(item.id()) == self.current)
    }

    pub(crate) fn current_id(&self) -> Option<TraceId> {
        self.current
    }

    /// The run that is shown, unless it has a decision already.
    pub(crate) fn current_open(&self) -> Option<TraceId> {
        self.current().filter(|item| item.decision.is_none()).map(QueueItem::id)
    }

    /// All runs without a decision.
    pub(crate) fn open(&self) -> Vec<TraceId> {
        self.items.iter().filter(|item| item.decision.is_none()).map(QueueItem::id).collect()
    }

    /// All runs of this session; the server must not send them again.
    pub(crate) fn known(&self) -> Vec<TraceId> {
        self.items.iter().map(QueueItem::id).collect()
    }

    /// Shows a run. Returns false if it is shown already.
    pub(crate) fn select(&mut self, trace: TraceId) -> bool {
        self.current.replace(trace) != Some(trace)
    }

    /// The run that is `by` places after the current one.
    pub(crate) fn neighbour(&self, by: isize) -> Option<TraceId> {
        let index = self.items.iter().position(|item| Some(item.id()) == self.current)?;
        self.items.get(index.checked_add_signed(by)?).map(QueueItem::id)
    }

    /// The next run without a decision: after the given one, else the first.
    pub(crate) fn next_open(&self, after: Option<TraceId>) -> Option<TraceId> {
        let index = self.items.iter().position(|item| Some(item.id()) == after).map_or(0, |index| index + 1);
        let (before, behind) = self.items.split_at(index);
        let is_open = |item: &&QueueItem| item.decision.is_none() && Some(item.id()) != after;
        behind.iter().find(is_open).or_else(|| before.iter().find(is_open)).map(QueueItem::id)
    }

    pub(crate) fn decision(&self, trace: TraceId) -> Option<Decision> {
        self.items.iter().find(|item| item.id() == trace).and_then(|item| item.decision)
    }

    pub(crate) fn set_decision(&mut self, trace: TraceId, decision: Option<Decision>) {
        if let Some(item) = self.items.iter_mut().find(|item| item.id() == trace) {
            item.decision = decision;
        }
    }

    /// Adds runs that the server sent.
    pub(crate) fn add(&mut self, page: QueuedTraces) {
        self.remaining = page.remaining;
        let known = self.known();
        let new = page.items.into_iter().filter(|trace| !known.contains(&trace.trace_id));
        self.items.extend(new.map(|trace| QueueItem { trace, decision: None }));
    }

    /// Removes undecided runs whose lease was lost. Returns true if the current run is one of them; then no
    /// run is current.
    pub(crate) fn remove_lost(&mut self, traces: &[TraceId]) -> bool {
        self.items.retain(|item| item.decision.is_some() || !traces.contains(&item.id()));
        let is_lost = self.current.is_some_and(|trace| traces.contains(&trace)) && self.current().is_none();
        if is_lost {
            self.current = None;
        }
        is_lost
    }
}
