//! The state of an interactive review session. It is plain data: the `reducer` changes it, `draw` shows it, and nothing
//! here does I/O.

pub(crate) mod conflict;
pub(crate) mod drafts;
pub(crate) mod key_guard;
pub(crate) mod prefetch;
pub(crate) mod queue;
pub(crate) mod tally;
pub(crate) mod text_field;
pub(crate) mod trajectory_view;
pub(crate) mod undo_history;

use std::collections::VecDeque;

use reflect_types::TraceId;

use conflict::Conflict;
use drafts::Drafts;
use key_guard::KeyGuard;
use prefetch::Prefetch;
use queue::{Decision, ReviewQueue};
use tally::Tally;
use text_field::TextField;
use trajectory_view::TrajectoryView;
use undo_history::UndoHistory;

/// The input mode. The screen always shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    #[default]
    Reading,
    /// The reviewer chose "fail" and writes the feedback.
    Failing,
    /// The reviewer writes feedback before the verdict.
    Writing,
    /// The feedback is written and the verdict is missing.
    Asking,
    /// The reviewer chooses how long to defer.
    Deferring,
    /// The list of keys is shown.
    Help,
}

/// The state of a review session.
#[derive(Debug, Default)]
pub(crate) struct ReviewState {
    pub(crate) queue: ReviewQueue,
    pub(crate) prefetch: Prefetch,
    pub(crate) mode: Mode,
    pub(crate) drafts: Drafts,
    pub(crate) undo: UndoHistory,
    pub(crate) conflicts: VecDeque<Conflict>,
    pub(crate) tally: Tally,
    /// The session ends after this many decisions.
    pub(crate) limit: usize,
    /// The selected step: a 0-based index into the listed steps of the digest.
    pub(crate) step: usize,
    /// The full trajectory, if it is open.
    pub(crate) trajectory: Option<TrajectoryView>,
    /// How many lines the digest is scrolled down.
    pub(crate) scroll: usize,
    /// The latest message to the reviewer.
    pub(crate) notice: Option<String>,
    pub(crate) key_guard: KeyGuard,
}

impl ReviewState {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Whether the session reached its limit.
    pub(crate) fn is_done(&self) -> bool {
        self.tally.decided() >= self.limit
    }

    /// What is written about the current run.
    pub(crate) fn draft(&self) -> Option<&TextField> {
        self.drafts.get(self.queue.current_id()?)
    }

    /// The 1-based number of the selected step, as reviewers see it.
    pub(crate) fn step_number(&self) -> Option<usize> {
        if let Some(view) = &self.trajectory {
            return view.step_number();
        }
        let steps = self.queue.current()?.trace.digest.steps.as_ref()?;
        usize::try_from(steps.listed.get(self.step)?.step).ok()
    }

    /// Shows a run from its beginning.
    pub(crate) fn go_to(&mut self, trace: TraceId) {
        if self.queue.select(trace) {
            self.key_guard.reset();
        }
        (self.mode, self.step, self.scroll, self.trajectory) = (Mode::Reading, 0, 0, None);
    }

    /// Records a decision and shows the next run that has none.
    pub(crate) fn record_decision(&mut self, trace: TraceId, decision: Decision) {
        self.queue.set_decision(trace, Some(decision));
        self.tally.add(decision);
        self.drafts.remove(trace);
        self.mode = Mode::Reading;
        if self.queue.current_id() == Some(trace) {
            self.go_to(self.queue.next_open(Some(trace)).unwrap_or(trace));
        }
    }

    /// Marks a decision that the server rejected. It must leave the undo history: undoing it would withdraw the review
    /// of another reviewer.
    pub(crate) fn reject_decision(&mut self, trace: TraceId) {
        self.undo.remove(trace);
        if let Some(decision) = self.queue.decision(trace) {
            self.tally.remove(decision);
            self.queue.set_decision(trace, Some(Decision::Rejected));
        }
    }
}
