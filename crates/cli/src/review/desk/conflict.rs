//! Two reviewers said different things about one run, and the other one was faster.

use reflect_types::{ReviewResult, TraceId};

use super::{Decision, Desk, Effect};
use crate::review::mail::{Mail, Theirs};

/// A verdict of ours that was not taken because there was another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) trace: TraceId,
    /// What the other one said, where that could be read.
    pub(crate) theirs: Option<Theirs>,
    pub(super) result: ReviewResult,
    pub(super) feedback: Option<String>,
}

impl Desk {
    /// Puts ours in the place of theirs, or leaves theirs.
    pub(super) fn settle_conflict(&mut self, replace: bool) -> Vec<Effect> {
        let Some(Conflict { trace, result, feedback, .. }) = self.conflicts.pop_front() else {
            return Vec::new();
        };
        if !replace {
            return Vec::new();
        }
        let decision = Decision::of(result);
        self.note_undoable(trace, decision);
        // It may lie elsewhere on the desk: whoever reads another run stays there.
        self.set_decision(trace, Some(decision));
        self.tally.add(decision);
        self.notice = Some("Replaced. u takes it back.".to_owned());
        vec![Effect::Send { trace, mail: Mail::Review { result, feedback, replace: true } }]
    }
}
