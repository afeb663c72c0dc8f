//! Decisions about runs, and what is sent because of them.

use std::time::Duration;

use reflect_types::{ReviewResult, TraceId};

use crate::review::effects::Effect;
use crate::review::state::conflict::Conflict;
use crate::review::state::queue::Decision;
use crate::review::state::text_field::TextField;
use crate::review::state::{Mode, ReviewState};
use crate::review::submission::{SendOutcome, Submission};

/// Gives the verdict on the current run, if it was on the screen long enough.
pub(super) fn decide(state: &mut ReviewState, result: ReviewResult, now: Duration) -> Vec<Effect> {
    if may_decide(state, now) { submit_verdict(state, result) } else { Vec::new() }
}

pub(super) fn start_fail(state: &mut ReviewState, now: Duration) -> Vec<Effect> {
    if may_decide(state, now) { start_writing(state, Mode::Failing) } else { Vec::new() }
}

fn may_decide(state: &mut ReviewState, now: Duration) -> bool {
    state.queue.current_open().is_some() && state.key_guard.allows(state.queue.current_id(), now)
}

fn submit_verdict(state: &mut ReviewState, result: ReviewResult) -> Vec<Effect> {
    let Some(trace) = state.queue.current_open() else { return Vec::new() };
    let feedback = state.drafts.take(trace);
    let decision = Decision::of(result);
    state.undo.push(trace, decision);
    state.record_decision(trace, decision);
    state.notice = Some(match result {
        ReviewResult::Pass => "Passed. Press u to undo.".to_owned(),
        ReviewResult::Fail => "Failed. Press u to undo.".to_owned(),
    });
    vec![Effect::Send { trace, submission: Submission::Review { result, feedback, replace: false } }]
}

pub(super) fn defer(state: &mut ReviewState, seconds: u64, until: &str) -> Vec<Effect> {
    let Some(trace) = state.queue.current_open() else { return enter(state, Mode::Reading) };
    let note = state.drafts.take(trace);
    state.record_decision(trace, Decision::Deferred);
    state.notice = Some(format!("Deferred {until}."));
    vec![Effect::Send { trace, submission: Submission::Defer { seconds, note } }]
}

/// Skips the run for this session. Nothing is stored, and other reviewers can get it at once.
pub(super) fn skip(state: &mut ReviewState) -> Vec<Effect> {
    let Some(trace) = state.queue.current_open() else { return Vec::new() };
    state.record_decision(trace, Decision::Skipped);
    state.notice = Some("Skipped.".to_owned());
    vec![Effect::Release(vec![trace])]
}

/// Undoes the newest verdict.
pub(super) fn undo(state: &mut ReviewState) -> Vec<Effect> {
    let Some(entry) = state.undo.pop() else {
        state.notice = Some("This session has no verdict to undo.".to_owned());
        return Vec::new();
    };
    state.queue.set_decision(entry.trace, None);
    state.tally.remove(entry.decision);
    state.go_to(entry.trace);
    state.key_guard.reset();
    state.notice = Some("Undone.".to_owned());
    vec![Effect::Undo { trace: entry.trace, review: entry.review }]
}

/// Ends writing. A fail is complete with its feedback; otherwise the verdict is asked for next.
pub(super) fn submit_text(state: &mut ReviewState) -> Vec<Effect> {
    let is_blank = state.draft().is_none_or(TextField::is_blank);
    match state.mode {
        Mode::Failing if is_blank => {
            state.notice =
                Some("Write what was wrong, or press Esc and then N to fail without feedback.".to_owned());
            Vec::new()
        }
        Mode::Failing => submit_verdict(state, ReviewResult::Fail),
        _ if is_blank => enter(state, Mode::Reading),
        _ => enter(state, Mode::Asking),
    }
}

pub(super) fn start_writing(state: &mut ReviewState, mode: Mode) -> Vec<Effect> {
    state.notice = None;
    enter(state, mode)
}

/// Changes the mode. Modes other than reading need a run without a decision.
pub(super) fn enter(state: &mut ReviewState, mode: Mode) -> Vec<Effect> {
    if state.queue.current_open().is_some() || mode == Mode::Reading {
        state.mode = mode;
    }
    Vec::new()
}

/// Starts feedback about the selected step.
pub(super) fn note_on_step(state: &mut ReviewState) -> Vec<Effect> {
    let (Some(trace), Some(step)) = (state.queue.current_open(), state.step_number()) else {
        return Vec::new();
    };
    let before = state.drafts.get(trace).map(|draft| draft.text().trim_end()).unwrap_or_default();
    let text = if before.is_empty() { format!("step {step}: ") } else { format!("{before} step {step}: ") };
    state.drafts.set(trace, text);
    start_writing(state, Mode::Writing)
}

pub(super) fn edited(state: &mut ReviewState, text: Option<String>) -> Vec<Effect> {
    if let (Some(trace), Some(text)) = (state.queue.current_id(), text) {
        state.drafts.set(trace, text.trim_end());
    }
    Vec::new()
}

/// Applies the result of sending a submission.
pub(super) fn sent(
    state: &mut ReviewState,
    trace: TraceId,
    submission: Submission,
    outcome: SendOutcome,
) -> Vec<Effect> {
    match (outcome, submission) {
        (SendOutcome::Accepted { review }, Submission::Review { .. }) => state.undo.set_review(trace, review),
        (SendOutcome::Conflict { existing }, Submission::Review { result, feedback, .. }) => {
            state.reject_decision(trace);
            state.conflicts.push_back(Conflict { trace, existing, result, feedback });
        }
        (SendOutcome::Rejected { message }, submission) => {
            if matches!(submission, Submission::Review { .. }) {
                state.reject_decision(trace);
            }
            state.notice = Some(format!("The server rejected it: {message}"));
        }
        _ => {}
    }
    Vec::new()
}
