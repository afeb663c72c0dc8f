//! The verdicts that can be undone.

use reflect_types::{ReviewId, TraceId};

use super::queue::Decision;

const MAX_DEPTH: usize = 20;

/// A verdict that can be undone.
#[derive(Debug)]
pub(crate) struct UndoEntry {
    pub(crate) trace: TraceId,
    pub(crate) decision: Decision,
    /// The stored review, once the server confirmed it.
    pub(crate) review: Option<ReviewId>,
}

/// The latest verdicts of the session, newest last.
#[derive(Debug, Default)]
pub(crate) struct UndoHistory(Vec<UndoEntry>);

impl UndoHistory {
    pub(crate) fn push(&mut self, trace: TraceId, decision: Decision) {
        self.0.push(UndoEntry { trace, decision, review: None });
        if self.0.len() > MAX_DEPTH {
            self.0.remove(0);
        }
    }

    /// Removes and returns the newest verdict.
    pub(crate) fn pop(&mut self) -> Option<UndoEntry> {
        self.0.pop()
    }

    /// Records the id that the server gave to the review of a run.
    pub(crate) fn set_review(&mut self, trace: TraceId, review: Option<ReviewId>) {
        for entry in self.0.iter_mut().filter(|entry| entry.trace == trace) {
            entry.review = review;
        }
    }

    pub(crate) fn remove(&mut self, trace: TraceId) {
        self.0.retain(|entry| entry.trace != trace);
    }
}
