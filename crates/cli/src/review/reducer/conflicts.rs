//! Conflicts: another reviewer decided otherwise and was faster.

use crate::review::effects::Effect;
use crate::review::state::ReviewState;
use crate::review::state::conflict::Conflict;
use crate::review::state::queue::Decision;
use crate::review::submission::Submission;

/// Resolves the oldest conflict: replaces the existing review, or keeps it.
pub(super) fn resolve(state: &mut ReviewState, replace: bool) -> Vec<Effect> {
    let Some(Conflict { trace, result, feedback, .. }) = state.conflicts.pop_front() else {
        return Vec::new();
    };
    if !replace {
        return Vec::new();
    }
    let decision = Decision::of(result);
    state.undo.push(trace, decision);
    // Not `record_decision`: the reviewer may be reading another run and must stay there.
    state.queue.set_decision(trace, Some(decision));
    state.tally.add(decision);
    state.notice = Some("Replaced. Press u to undo.".to_owned());
    vec![Effect::Send { trace, submission: Submission::Review { result, feedback, replace: true } }]
}
